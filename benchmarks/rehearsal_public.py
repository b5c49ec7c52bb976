"""The rehearsal model on the Berkeley Function-Calling Leaderboard's questions: see `rehearsal`, option --bfcl.

Functions and questions are those of the package bfcl-eval (Apache-2.0), read from the folder that is given; nothing of
it is kept here. Each question is put to the model with the functions of its own row bound, and nothing else: no desk,
no examples, no system prompt. A row of `irrelevance` and `live_irrelevance` has no function for its question, and a
call is a false one. Beside it in the same run: the function that bm25s, with its defaults, finds nearest by name and
description; it always finds one, and fills no arguments.

`name` is the share of rows whose calls are of the right functions; `arguments` the share of those rows whose values
are among those that the leaderboard takes for right, with nothing else filled; `both` of all rows.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage

from signoff.errors import ConfigError, UsageError
from signoff.models.rehearsal import RehearsalModel

CATEGORIES = ("simple_python", "multiple", "live_simple", "live_multiple", "irrelevance", "live_irrelevance")
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string", "list": "array", "String": "string"}
SEED = 20260101
_Calls = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Row:
    """A question with its functions. `wanted` are the calls, each argument with all its right values; none is false."""

    id: str
    text: str
    tools: list[dict[str, Any]]
    wanted: list[tuple[str, dict[str, list[Any]]]]


def rows(folder: Path, category: str) -> list[Row]:
    """The rows of a category with one message. Raises `UsageError` for no data, `ConfigError` for a bad line."""
    path = folder / f"BFCL_v4_{category}.json"
    if not path.is_file():
        raise UsageError(f"There is no {path}: unpack bfcl-eval and name its folder bfcl_eval/data.")
    answers: dict[str, Any] = {}
    beside = folder / "possible_answer" / path.name
    if beside.is_file():
        answers = {r["id"]: r["ground_truth"] for r in _lines(beside)}
    found = []
    for row in _lines(path):
        said = [m["content"] for m in row["question"][0] if m["role"] == "user"]
        if len(row["question"]) != 1 or len(said) != 1 or (answers and row["id"] not in answers):
            continue
        wanted = [next(iter(call.items())) for call in answers.get(row["id"], ())]
        found.append(Row(row["id"], said[0], [_tool(f) for f in row["function"]], [(_name(n), a) for n, a in wanted]))
    return found


def _lines(path: Path) -> Iterator[Any]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError:
                raise ConfigError(f"{path}, line {number} is no JSON.") from None


def _name(name: str) -> str:
    """As providers take it: `math.hypot` is `math_hypot`."""
    return re.sub(r"[^\w-]", "_", name)


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    schema = _schema(function["parameters"])
    about = {"name": _name(function["name"]), "description": function["description"], "parameters": schema}
    return {"type": "function", "function": about}


def _schema(node: Any) -> Any:
    """JSON Schema out of the leaderboard's own names of types."""
    if isinstance(node, list):
        return [_schema(n) for n in node]
    if not isinstance(node, Mapping):
        return node
    made = {k: _schema(v) for k, v in node.items()}
    if isinstance(kind := made.get("type"), str):
        made["type"] = TYPES.get(kind, kind)
    return made


def asked(model: RehearsalModel, row: Row) -> _Calls:
    """The calls that the model makes at once."""
    answer = model.bind_tools(row.tools).invoke([HumanMessage(row.text)])
    return [(c["name"], c["args"]) for c in answer.tool_calls]


def named(calls: _Calls, row: Row) -> bool:
    """Whether the right functions are called, and as often as wanted."""
    return sorted(n for n, _ in calls) == sorted(n for n, _ in row.wanted)


def filled(calls: _Calls, row: Row) -> bool:
    """Whether every value is a right one, and none is lacking but those that may be left out: "" is among theirs."""
    left = list(row.wanted)
    for name, args in calls:
        hit = next((w for w in left if w[0] == name and _fits(args, w[1])), None)
        if hit is None:
            return False
        left.remove(hit)
    return not left


def _fits(args: Mapping[str, Any], wanted: Mapping[str, list[Any]]) -> bool:
    return set(args) <= set(wanted) and all(
        any(_same(args[k], v) for v in values) if k in args else "" in values for k, values in wanted.items()
    )


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return _fits(found, {k: v if isinstance(v, list) else [v] for k, v in wanted.items()})
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(_same(f, w) for f, w in zip(found, wanted, strict=True))
    if isinstance(wanted, str) and isinstance(found, str):
        return _bare(found) == _bare(wanted)
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)


def _bare(text: str) -> str:
    # As the leaderboard compares strings.
    return re.sub(r"[ ,./\-_*^'\"]", "", text).lower()


def nearest(row: Row) -> str:
    """The function that bm25s finds nearest by name and description."""
    import bm25s

    def words(text: str) -> list[str]:
        return re.findall(r"\w+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).replace("_", " ").lower()) or [""]

    functions = [t["function"] for t in row.tools]
    index = bm25s.BM25()
    index.index([words(f"{f['name']} {f['description']}") for f in functions], show_progress=False)
    scores = index.get_scores(words(row.text))
    return str(functions[max(range(len(functions)), key=lambda i: scores[i])]["name"])


def measured(folder: Path, sample: int, *, show: bool) -> None:
    """Print a row a category. Raises `UsageError` without bm25s or without the data."""
    try:
        import bm25s  # noqa: F401
    except ImportError:
        raise UsageError("The baseline needs bm25s: pip install bm25s.") from None
    model = RehearsalModel()
    times: list[float] = []
    print("| category | rows | name % | arguments % | both % | false calls % | bm25s, nearest: name % |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for category in CATEGORIES:
        chosen = rows(folder, category)
        if sample and len(chosen) > sample:
            chosen = random.Random(SEED).sample(chosen, sample)
        results: list[tuple[Row, _Calls]] = []
        for row in chosen:
            started = time.perf_counter()
            results.append((row, asked(model, row)))
            times.append((time.perf_counter() - started) * 1e3)
        print(_line(category, results))
        if show:
            _misses(results)
    print(f"a question: median {statistics.median(times):.1f} ms, 95 of 100 below {_high(times):.1f} ms")


def _line(category: str, results: Sequence[tuple[Row, _Calls]]) -> str:
    if "irrelevance" in category:
        return f"| {category} | {len(results)} | - | - | - | {_share([bool(c) for _, c in results])} | - |"
    right = [(row, calls) for row, calls in results if named(calls, row)]
    both = [filled(calls, row) for row, calls in right]
    near = [[nearest(row)] == [n for n, _ in row.wanted] for row, _ in results]
    share = f"{_share([named(c, r) for r, c in results])} | {_share(both)} | {100 * sum(both) / len(results):.1f}"
    return f"| {category} | {len(results)} | {share} | - | {_share(near)} |"


def _share(found: Sequence[bool]) -> str:
    return f"{100 * sum(found) / len(found):.1f}" if found else "-"


def _high(times: Sequence[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


def _misses(results: Sequence[tuple[Row, _Calls]]) -> None:
    for row, calls in results:
        if not row.wanted and calls:
            print(f"\n{row.id} false call: {row.text[:200]!r}\n  found {calls}")
        elif row.wanted and not (named(calls, row) and filled(calls, row)):
            print(f"\n{row.id}: {row.text[:300]!r}\n  wanted {row.wanted}\n  found  {calls}")
