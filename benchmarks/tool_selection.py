"""How often the right tool is among those a turn sees, out of hundreds, and what that costs and saves.

    python benchmarks/tool_selection.py [--half held_out|tuning|all] [--json]

The catalogue in benchmarks/tool_catalogue was written for this: 220 tools of 20 domains, about half described in
Chinese and half in English, most without examples, each with one request in either language that mostly avoids the
words of its description. Ten domains are marked for tuning: weights and thresholds were set on their requests alone.
The requests of the other ten are held out; all tools are always candidates.

Peers in the same run, on the same tokens: bm25s, and rank-bm25 (`pip install bm25s rank-bm25`), each over a tool's
whole text; and the fusion of bm25s with meaning by reciprocal ranks (k = 60).
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, create_model

from signoff import Caller
from signoff.embedding import Encoder, packaged
from signoff.embedding.local import UniversalSentenceEncoder
from signoff.text import language, tokens
from signoff.tools.contract import Example, Tool
from signoff.tools.likeness import Meanings, parameters, spaced
from signoff.tools.registry import Registry
from signoff.tools.selection import Selector

CATALOGUE = Path(__file__).parent / "tool_catalogue"
CALLER = Caller("acme", "u-17")
KS = (1, 4, 8)
LIMIT = 8

Ranker = Callable[[str], Sequence[str]]
"""The names of the tools for a request, best first."""


@dataclass(frozen=True)
class Request:
    """Words, and the tool that they are for."""

    text: str
    tool: str
    half: str
    pair: str
    """Languages of the request and of the tool's description, `zh>en`."""


def catalogue() -> tuple[list[Tool], list[Request]]:
    """The tools and the labelled requests."""
    tools: list[Tool] = []
    requests: list[Request] = []
    for page in sorted(CATALOGUE.glob("*.yaml")):
        domain = yaml.safe_load(page.read_text(encoding="utf-8"))
        for entry in domain.get("tools", ()):
            tools.append(made(entry))
            pair = language(entry["about"])
            requests += [
                Request(text, entry["name"], domain["split"], f"{lang}>{pair}") for lang, text in entry["asked"].items()
            ]
    return tools, requests


def unserved() -> list[str]:
    """Requests that none of the tools is for."""
    asked = yaml.safe_load((CATALOGUE / "none.yaml").read_text(encoding="utf-8"))["asked"]
    return [text for texts in asked.values() for text in texts]


def made(entry: dict[str, Any]) -> Tool:
    """A tool of the catalogue; it does nothing."""
    fields: dict[str, Any] = {
        name: (Annotated[str, Field(max_length=200)], Field(description=text)) for name, text in entry["takes"].items()
    }
    args: type[BaseModel] = create_model(entry["name"], __config__=ConfigDict(extra="forbid"), **fields)
    examples = tuple(Example(text, dict.fromkeys(entry["takes"], "x")) for text in entry.get("says", ()))
    return Tool(entry["name"], entry["about"], lambda **_: {}, args, examples=examples)


def ranks_of(selector: Selector) -> Ranker:
    """What a turn would use."""
    return lambda text: [m.tool.name for m in selector.rank(text, CALLER)]


def by_meaning(tools: Sequence[Tool], encoder: Encoder) -> Ranker:
    """Vectors alone."""
    meanings = Meanings(tools, encoder)

    def rank(text: str) -> list[str]:
        scores = meanings.scores(text)
        return sorted(scores, key=lambda n: -scores[n])

    return rank


def whole_text(tool: Tool) -> list[str]:
    """All that is known of a tool, as tokens."""
    parts = [spaced(tool.name), tool.description, parameters(tool).replace("_", " "), *(e.text for e in tool.examples)]
    return tokens(" ".join(parts))


def by_bm25s(tools: Sequence[Tool]) -> Ranker:
    """bm25s with its defaults."""
    import bm25s

    index = bm25s.BM25()
    index.index([whole_text(t) for t in tools], show_progress=False)
    names = [t.name for t in tools]

    def rank(text: str) -> list[str]:
        scores = index.get_scores(tokens(text))
        return [names[i] for i in sorted(range(len(names)), key=lambda i: -scores[i]) if scores[i] > 0]

    return rank


def by_rank_bm25(tools: Sequence[Tool]) -> Ranker:
    """rank-bm25's Okapi with its defaults."""
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([whole_text(t) for t in tools])
    names = [t.name for t in tools]

    def rank(text: str) -> list[str]:
        scores = index.get_scores(tokens(text))
        return [names[i] for i in sorted(range(len(names)), key=lambda i: -scores[i]) if scores[i] > 0]

    return rank


def by_reciprocal_ranks(*rankers: Ranker, k: int = 60) -> Ranker:
    """Several rankings in one: each gives 1 / (k + place)."""

    def rank(text: str) -> list[str]:
        points: dict[str, float] = {}
        for ranker in rankers:
            for place, name in enumerate(ranker(text)):
                points[name] = points.get(name, 0.0) + 1 / (k + place)
        return sorted(points, key=lambda n: -points[n])

    return rank


def rankers(tools: list[Tool]) -> Iterator[tuple[str, Ranker]]:
    """Ours, and the peers that are installed."""
    registry = Registry(tools)
    yield "words", ranks_of(Selector(registry, encoder=None))
    yield "meaning", by_meaning(tools, packaged())
    yield "both (a turn's)", ranks_of(Selector(registry))
    for name, peer in (("bm25s", by_bm25s), ("rank-bm25", by_rank_bm25)):
        try:
            ranker = peer(tools)
        except ImportError:
            print(f"{name} is not installed: it is left out.")
            continue
        yield name, ranker
        if name == "bm25s":
            yield "bm25s + meaning, RRF", by_reciprocal_ranks(ranker, by_meaning(tools, packaged()))


def accuracy(ranker: Ranker, requests: Sequence[Request]) -> dict[str, list[float]]:
    """Shares of requests whose tool is among the first 1, 4 and 8; by language pair and over all."""
    places: dict[str, list[int]] = {}
    for request in requests:
        names = list(ranker(request.text)[: max(KS)])
        place = names.index(request.tool) if request.tool in names else max(KS)
        for group in (request.pair, "all"):
            places.setdefault(group, []).append(place)
    return {g: [sum(p < k for p in found) / len(found) for k in KS] for g, found in places.items()}


def timing(tools: list[Tool], requests: Sequence[Request]) -> dict[str, float]:
    """Milliseconds: what a process pays once, and what a request costs that was not seen before."""
    out: dict[str, float] = {}
    # One of its own: the shared one has seen the requests.
    new = Encoder(UniversalSentenceEncoder, "use")
    for label, encoder in (("words", None), ("both", new)):
        if encoder is not None:
            started = time.perf_counter()
            encoder.query("warm")
            out["model_load_ms"] = (time.perf_counter() - started) * 1e3
        selector = Selector(Registry(tools), encoder=encoder)
        started = time.perf_counter()
        selector.rank("begin", CALLER)
        out[f"{label}_index_ms"] = (time.perf_counter() - started) * 1e3
        spent = []
        for request in requests:
            started = time.perf_counter()
            selector.choose([request.text], CALLER, LIMIT)
            spent.append((time.perf_counter() - started) * 1e3)
        out[f"{label}_p50_ms"] = statistics.median(spent)
        out[f"{label}_p95_ms"] = statistics.quantiles(spent, n=20)[-1]
    return out


def block(tools: list[Tool], requests: Sequence[Request]) -> dict[str, float]:
    """Estimated tokens of the tool block: with every tool, and on average with those that were chosen."""
    registry = Registry(tools)
    selector = Selector(registry)
    chosen = [registry.tokens(selector.choose([r.text], CALLER, LIMIT)) for r in requests]
    return {"all_tools": registry.tokens(registry.names()), "chosen": statistics.mean(chosen)}


def sureness(tools: list[Tool], requests: Sequence[Request]) -> dict[str, float]:
    """Median score of the best tool: for requests that a tool serves, and for those that none does."""
    selector = Selector(Registry(tools))

    def best(texts: Sequence[str]) -> float:
        return statistics.median(selector.rank(t, CALLER)[0].score for t in texts)

    return {"served": best([r.text for r in requests]), "unserved": best(unserved())}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("held_out", "tuning", "all"), default="held_out")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    options = parser.parse_args()
    tools, requests = catalogue()
    asked = [r for r in requests if options.half in ("all", r.half)]
    results = {name: accuracy(ranker, asked) for name, ranker in rankers(tools)}
    report = {
        "tools": len(tools),
        "requests": len(asked),
        "half": options.half,
        "accuracy": results,
        "timing": timing(tools, asked),
        "block_tokens": block(tools, asked),
        "sureness": sureness(tools, asked),
    }
    if options.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
        return
    print(f"{len(tools)} tools, {len(asked)} requests ({options.half}); accuracy at {', '.join(map(str, KS))}")
    groups = ["all", *sorted({r.pair for r in asked})]
    print(f"{'':22}" + "".join(f"{g:>20}" for g in groups))
    for name, found in results.items():
        cells = (" ".join(f"{v:.3f}" for v in found[g]) for g in groups)
        print(f"{name:22}" + "".join(f"{c:>20}" for c in cells))
    for title in ("timing", "block_tokens", "sureness"):
        print(f"{title}: " + ", ".join(f"{n} {v:.3g}" if v < 10 else f"{n} {v:.0f}" for n, v in report[title].items()))


if __name__ == "__main__":
    main()
