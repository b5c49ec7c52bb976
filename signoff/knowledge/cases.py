"""Questions to try a desk's documents with, from a file: JSON lines, JSON, CSV, TSV, YAML or TOML."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from signoff.caller import Caller
from signoff.errors import UsageError
from signoff.text import shorten, terminal_safe

FIELDS = ("question", "expected", "contains", "none", "as")
SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".yaml", ".yml", ".toml")
MAX_BYTES = 20_000_000
SEPARATOR = "|"
"""Between several values in a cell of CSV or TSV."""

_LISTS = ("questions", "question")
_YES = frozenset({"true", "yes", "1"})
_NO = frozenset({"false", "no", "0", ""})


@dataclass(frozen=True)
class Case:
    """A question with what should be found for it."""

    question: str
    expected: tuple[str, ...] = ()
    """What to find: each a document's id, key, title or source, or a passage's id."""
    contains: tuple[str, ...] = ()
    """Texts that a passage must hold to count as found, all of them; spacing, width and case do not matter."""
    none: bool = False
    """Nothing may be found: no document answers it, or not for this caller."""
    caller: Caller | None = None
    """Who asks; whoever runs the evaluation when None."""

    @property
    def targets(self) -> tuple[str, ...]:
        """What is looked for, in words: one for each place in `Outcome.ranks`."""
        return self.expected or ((" + ".join(self.contains),) if self.contains else ())


def read(path: Path) -> list[Case]:
    """The cases of a file, in order.

    Each has a `question` and one of: `expected` (a document's id, key, title or source, or a passage's id; or a
    list), `contains` (a text, or several, that the passage must hold; may stand beside `expected`), or
    `none: true` when nothing may be found. `as` (tenant/user:role,…) says who asks. A YAML or JSON file is a list,
    or holds one under `questions`; TOML holds tables `[[questions]]`.

    Raises `UsageError` with one sentence that names the file and the line or question.
    """
    text = _text(path)
    found = []
    try:
        for where, entry in _entries(path, text):
            try:
                found.append(_case(entry))
            except UsageError as problem:
                raise UsageError(f"{_shown(path)}, {where}: {problem}") from None
    except RecursionError:
        raise UsageError(f"{_shown(path)} is nested too deeply.") from None
    if not found:
        raise UsageError(f"{_shown(path)} holds no questions.")
    return found


def _text(path: Path) -> str:
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{_shown(path)} is not of a known kind: questions are read from {', '.join(SUFFIXES)}.")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{_shown(path)} is larger than {MAX_BYTES // 1_000_000} MB: split it.")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{_shown(path)} is not UTF-8 (byte {error.start + 1:,}): save it as UTF-8 text.") from None
    except FileNotFoundError:
        raise UsageError(f"There is no file {_shown(path)}.") from None
    except OSError as error:
        raise UsageError(f"{_shown(path)} cannot be read: {error.strerror or error}.") from None


def _entries(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Where each stands, and what it is."""
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            for number, line in enumerate(text.split("\n"), 1):
                if line.strip():
                    yield f"line {number}", _json(path, line, number)
        case ".json":
            yield from _numbered(path, _json(path, text, None))
        case ".csv" | ".tsv":
            yield from _rows(path, text)
        case ".toml":
            try:
                yield from _numbered(path, tomllib.loads(text))
            except tomllib.TOMLDecodeError as error:
                raise UsageError(f"{_shown(path)} is not TOML: {shorten(str(error), 120)}.") from None
        case _:
            yield from _yaml(path, text)


def _json(path: Path, text: str, line: int | None) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {line or error.lineno}, column {error.colno}"
        raise UsageError(f"{_shown(path)}, {where}: is not JSON: {error.msg}.") from None
    except ValueError as error:
        raise UsageError(f"{_shown(path)}: {shorten(str(error), 120)}.") from None


def _numbered(path: Path, whole: Any) -> Iterator[tuple[str, Any]]:
    entries = next((whole[n] for n in _LISTS if n in whole), None) if isinstance(whole, dict) else whole
    if not isinstance(entries, list):
        raise UsageError(f"{_shown(path)} holds no list of questions: put it under `questions`.")
    yield from ((f"question {i}", entry) for i, entry in enumerate(entries, 1))


def _rows(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restkey="", strict=True)
    try:
        for row in reader:
            where = f"line {reader.line_num}"
            if "" in row and any(row[""]):
                raise UsageError(f"{_shown(path)}, {where}: has more cells than the first line has names.")
            cells = {(k or "").strip().lower(): v for k, v in row.items() if (v or "").strip()}
            for name in ("expected", "contains"):
                if name in cells:
                    cells[name] = [c for c in cells[name].split(SEPARATOR) if c.strip()]
            if cells:
                yield where, cells
    except csv.Error as error:
        raise UsageError(f"{_shown(path)}, line {reader.line_num}: is not CSV: {error}.") from None


def _yaml(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if isinstance(root, yaml.MappingNode):
            root = next((v for k, v in root.value if k.value in _LISTS), None)
        if not isinstance(root, yaml.SequenceNode):
            raise UsageError(f"{_shown(path)} holds no list of questions: put it under `questions`.")
        for node in root.value:
            yield f"line {node.start_mark.line + 1}", loader.construct_object(node, deep=True)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{_shown(path)}, line {line}: is not YAML: {shorten(str(error.problem), 120)}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{_shown(path)} is not YAML: {shorten(str(error), 120)}.") from None


def _case(entry: Any) -> Case:
    if not isinstance(entry, dict):
        raise UsageError(f"is not a question with its fields {', '.join(FIELDS)}.")
    if unknown := sorted(str(k) for k in entry if k not in FIELDS):
        raise UsageError(f"has the field {shorten(unknown[0], 40)!r}: known are {', '.join(FIELDS)}.")
    question = entry.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UsageError("has no question, or one that is not text.")
    expected, contains = _texts(entry, "expected"), _texts(entry, "contains")
    none = _flag(entry)
    if none and (expected or contains):
        raise UsageError("says that nothing may be found, and what must be: leave out one of them.")
    if not (none or expected or contains):
        raise UsageError("does not say what to find: give `expected` or `contains`, or `none: true`.")
    return Case(question.strip(), expected, contains, none, _caller(entry))


def _texts(entry: dict[str, Any], name: str) -> tuple[str, ...]:
    value = entry.get(name)
    if value is None:
        return ()
    parts = value if isinstance(value, list) else [value]
    # A number or a date is what YAML and TOML make of a name like 2026.
    if any(isinstance(p, dict | list | bool) or p is None for p in parts):
        raise UsageError(f"has {name} that is neither a text nor a list of texts.")
    return tuple(dict.fromkeys(t for p in parts if (t := str(p).strip())))


def _flag(entry: dict[str, Any]) -> bool:
    value = entry.get("none", False)
    word = str(value).strip().lower() if isinstance(value, bool | str | int) else "?"
    if word not in _YES | _NO:
        raise UsageError(f"has none: {shorten(str(value), 20)!r}: write true or false.")
    return word in _YES


def _caller(entry: dict[str, Any]) -> Caller | None:
    value = entry.get("as")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise UsageError("has `as` that is not text: write tenant/user or tenant/user:role,role.")
    return Caller.parse(value)


def _shown(path: Path) -> str:
    return shorten(terminal_safe(path.name), 80)
