"""How many of the calls that models write as text are found: `signoff.models.repair` beside the first JSON object.

The corpus is a file of JSON lines, each `{"src", "format", "output", "calls"}` with `calls` a list of
`{"name", "arguments"}`, empty for none, null where only the kind is known:

    python benchmarks/repair.py /path/to/tool_call_outputs.jsonl [--half tune|held] [--misses]

The corpus names no tools, so those of a row are made from the calls it expects, with distractors; `open` reads
without any. A row is exact when the calls are equal in names, arguments and order. Rows of which only the kind is
known are plausible when what is found agrees with it: a call or more, two for parallel ones; of malformed, cut and
unnamed kinds nothing is asked but to be read. The halves are told apart by a
hash of the output, so that one can be looked at and the other not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signoff.models.repair import read

Calls = list[tuple[str, dict[str, Any]]]

FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Python lists", ("pythonic", "olmo3", "lfm2", "lfm2.5")),
    (
        "tags and parameters",
        ("qwen3", "seed", "nemotron-3", "step", "deepseek-v3.2", "deepseek-v4", "minimax", "minicpm"),
    ),
    ("keys and values", ("glm", "ling", "spark")),
    ("name and object", ("mistral", "devstral", "kimi-k2", "deepseekv3", "deepseek-v3.1", "functionary", "gigachat")),
    ("channels", ("gpt-oss", "muse", "kimi-k3", "gemma-4")),
    ("marked JSON", ("hermes", "granite", "internlm", "longcat", "phi4", "phi-4", "hunyuan", "command-r", "cohere")),
)
"""Families of formats, by the beginnings and parts of the corpus' own names; the rest is `other`."""

DISTRACTORS: dict[str, dict[str, Any]] = {
    "get_order": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    "search": {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}},
    "send_email": {"type": "object", "properties": {"to": {"type": "string"}, "body": {"type": "string"}}},
}
CUT = ("partial", "malformed")
"""Kinds of rows from which no call, or what is left of one, may come."""


@dataclass
class Tally:
    """What was counted for one family."""

    rows: int = 0
    exact: int = 0
    baseline: int = 0
    without: int = 0
    """Rows that hold no call."""
    false: int = 0
    baseline_false: int = 0
    unknown: int = 0
    """Rows of which only the kind is known."""
    plausible: int = 0
    misses: list[str] = field(default_factory=list)


def half_of(output: str) -> str:
    """`tune` or `held`, by the first byte of the output's SHA-256."""
    return "held" if hashlib.sha256(output.encode()).digest()[0] % 2 else "tune"


def family_of(name: str) -> str:
    """The family of a format, by the corpus' name for it."""
    said = name.casefold()
    return next((family for family, parts in FAMILIES if any(p in said for p in parts)), "other")


def type_of(value: Any) -> str:
    """The JSON Schema type of a value."""
    for kind, of in (("boolean", bool), ("integer", int), ("number", float), ("string", str), ("array", list)):
        if isinstance(value, of):
            return kind
    return "null" if value is None else "object"


def tools_for(calls: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tools that would take these calls, among others."""
    tools = {name: dict(schema) for name, schema in DISTRACTORS.items()}
    for call in calls:
        properties = tools.setdefault(call["name"], {"type": "object", "properties": {}})["properties"]
        properties.update({key: {"type": type_of(value)} for key, value in call["arguments"].items()})
    return tools


def first_object(output: str) -> Calls:
    """The baseline: the first JSON object of a text, if it is a call."""
    decoder = json.JSONDecoder()
    for at, letter in enumerate(output):
        if letter == "{":
            try:
                value, _ = decoder.raw_decode(output, at)
            except (ValueError, RecursionError):
                continue
            args = value.get("arguments", value.get("parameters"))
            return [(value["name"], args)] if isinstance(value.get("name"), str) and isinstance(args, dict) else []
    return []


def same(found: Calls, calls: list[dict[str, Any]]) -> bool:
    """Whether the calls are equal, in order, with the types of their values."""
    wanted = [(c["name"], c["arguments"]) for c in calls]
    return json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)


def measure(rows: list[dict[str, Any]], *, open_world: bool) -> dict[str, Tally]:
    """Counts by family."""
    tallies: dict[str, Tally] = {}
    for row in rows:
        tally = tallies.setdefault(family_of(row["format"]), Tally())
        output, calls = row["output"], row["calls"]
        reading = read(output, {} if open_world or calls is None else tools_for(calls))
        found: Calls = [(c.name, c.args) for c in reading.calls]
        if calls is None:
            tally.unknown += 1
            several = 2 if "parallel" in str(row.get("kind", "")) and output.count('"name"') != 1 else 1
            unclear = row.get("kind") in CUT or not row.get("kind")
            tally.plausible += unclear or len(found) >= several
            continue
        tally.rows += 1
        exact = same(found, calls)
        tally.exact += exact
        tally.baseline += same(first_object(output), calls)
        if not calls:
            tally.without += 1
            tally.false += bool(found)
            tally.baseline_false += bool(first_object(output))
        if not exact:
            tally.misses.append(f"{row['format']}: {output!r}\n    wanted {calls}\n    found  {found}")
    return tallies


def show(title: str, tallies: dict[str, Tally], misses: bool) -> None:
    """Prints one table."""
    print(f"\n{title}")
    print(f"{'family':22}{'rows':>6}{'exact':>8}{'%':>8}{'first object':>14}{'none':>7}{'false':>7}{'kind only':>12}")
    total: Counter[str] = Counter()
    for family, tally in [*sorted(tallies.items()), ("all", None)]:
        if tally is not None:
            total.update({k: v for k, v in vars(tally).items() if isinstance(v, int)})
        t = Counter(vars(tally)) if tally is not None else total
        share = 100 * t["exact"] / t["rows"] if t["rows"] else 100.0
        base = 100 * t["baseline"] / t["rows"] if t["rows"] else 0.0
        known = f"{t['plausible']}/{t['unknown']}"
        counts = f"{t['rows']:>6}{t['exact']:>8}{share:>8.1f}{base:>13.1f}%{t['without']:>7}{t['false']:>7}"
        print(f"{family:22}{counts}{known:>12}")
    calls = total["rows"] - total["without"]
    ours = total["exact"] - total["without"] + total["false"]
    first = total["baseline"] - total["without"] + total["baseline_false"]
    print(f"Rows with calls: {ours} of {calls} exact; the first object finds {first}.")
    if misses:
        print("\n".join(m for t in tallies.values() for m in t.misses))


def main() -> None:
    """Prints the tables for the known and the open world, of one half or of both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--half", choices=("tune", "held"))
    parser.add_argument("--misses", action="store_true", help="print the rows that were not read exactly")
    options = parser.parse_args()
    if not options.corpus.is_file():
        sys.exit(f"There is no file {options.corpus}.")
    rows = [json.loads(line) for line in options.corpus.read_text().splitlines() if line.strip()]
    for half in (options.half,) if options.half else ("tune", "held"):
        chosen = [row for row in rows if half_of(row["output"]) == half]
        show(f"{half}: the tools of the call and {len(DISTRACTORS)} others offered", measure(chosen, open_world=False),
             options.misses)  # fmt: skip
        show(f"{half}: no tools known", measure(chosen, open_world=True), False)


if __name__ == "__main__":
    main()
