"""Collections for benchmarks/retrieval.py: read in BEIR form, filled up, and written as Markdown files."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from signoff.text import language

DATA = Path(__file__).parent / "retrieval_data"
SECTIONS = 5
"""Sections of a document that fills up."""
# What Markdown would take for a heading, a rule, a fence or HTML at the beginning of a line.
_MARKUP = re.compile(r"^(\s*)(?=[#<>|]|```|~~~|=+\s*$|-+\s*$)", re.MULTILINE)


class Malformed(Exception):
    """A folder is not in BEIR form; the message is one sentence that says where and why."""


@dataclass(frozen=True)
class Entry:
    """A passage of a collection."""

    id: str
    title: str
    heading: str
    text: str
    language: str
    document: str
    """Entries of one document stand in one file."""

    @property
    def whole(self) -> str:
        """All its words, as a peer gets them."""
        return "\n".join(filter(None, (self.title, self.heading, self.text)))


@dataclass(frozen=True)
class Asked:
    """A question, and the passages that answer it."""

    text: str
    direction: str
    """Languages of the question and of what answers it, `zh-en`."""
    relevant: frozenset[str]


@dataclass(frozen=True)
class Collection:
    """Passages, questions with an answer among them, and questions without."""

    name: str
    entries: list[Entry]
    asked: list[Asked]
    unanswerable: list[str] = field(default_factory=list)


def read(folder: Path) -> Collection:
    """A folder with `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`. Raises `Malformed`.

    Beside the usual fields `metadata` may say an entry's `language` and its `document`: entries of one document are
    sections of one file, each with the part of its title after the last ` - ` as its heading. A question whose
    metadata has `target: none` is one that nothing answers; others that no judgement is about are left out.
    """
    entries = {
        ident: _entry(ident, line, number) for number, (ident, line) in enumerate(_lines(folder / "corpus.jsonl"), 1)
    }
    queries = dict(_lines(folder / "queries.jsonl"))
    relevant: dict[str, set[str]] = {}
    for query, entry in _judgements(folder / "qrels" / "test.tsv"):
        if query not in queries:
            raise Malformed(f"{folder.name}/qrels/test.tsv judges the query {query!r}, which is not in queries.jsonl.")
        if entry not in entries:
            raise Malformed(f"{folder.name}/qrels/test.tsv names the passage {entry!r}, which is not in corpus.jsonl.")
        relevant.setdefault(query, set()).add(entry)
    if not relevant:
        raise Malformed(f"{folder.name}/qrels/test.tsv holds no judgement with a score above 0.")
    asked = [
        Asked(line["text"], f"{_spoken(line)}-{entries[min(relevant[q])].language}", frozenset(relevant[q]))
        for q, line in queries.items()
        if q in relevant
    ]
    none = [v["text"] for q, v in queries.items() if q not in relevant and _metadata(v).get("target") == "none"]
    return Collection(folder.name, list(entries.values()), asked, none)


def filler(count: int, seed: int = 7) -> Iterator[Entry]:
    """`count` passages of running rules of plants, half Chinese, half English; the same for the same seed."""
    words = yaml.safe_load((DATA / "filler.yaml").read_text(encoding="utf-8"))
    chance = random.Random(seed)
    for number in range(0, count, SECTIONS):
        spoken = "zh" if number // SECTIONS % 2 else "en"
        slots = words[spoken]
        about = {"site": chance.choice(slots["site"]), "subject": chance.choice(slots["subject"])}
        title = _filled(slots["title"], slots, about, chance)
        headings = chance.sample(slots["heading"], min(SECTIONS, count - number))
        for place, heading in enumerate(headings):
            sentences = chance.sample(slots["sentence"], chance.randint(6, 8) if spoken == "zh" else 4)
            text = ("" if spoken == "zh" else " ").join(_filled(s, slots, about, chance) for s in sentences)
            yield Entry(f"filler-{number + place}", title, heading, text, spoken, f"filler-{number}")


def write(entries: list[Entry], folder: Path) -> dict[tuple[str, str], str]:
    """Write documents as Markdown, a section a passage; returns a passage's id by its file and heading."""
    documents: dict[str, list[Entry]] = {}
    for entry in entries:
        documents.setdefault(entry.document, []).append(entry)
    places: dict[tuple[str, str], str] = {}
    for number, sections in enumerate(documents.values()):
        # A folder of a hundred thousand files is slow to list.
        name = f"{number // 1000:03}/{number:06}.md"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        first = sections[0]
        head = f"title: {json.dumps(first.title or name, ensure_ascii=False)}\nlanguage: {first.language}\n"
        parts = [f"---\n{head}---\n"]
        for section in sections:
            if section.heading:
                parts.append(f"## {section.heading}\n")
            parts.append(_MARKUP.sub(r"\1\\", section.text) + "\n")
            places[name, section.heading] = section.id
        path.write_text("\n".join(parts), encoding="utf-8")
    return places


def _filled(template: str, slots: dict[str, list[str]], about: dict[str, str], chance: random.Random) -> str:
    def fill(match: re.Match[str]) -> str:
        match match[1]:
            case "n":
                return str(chance.randint(2, 95))
            case "code":
                return f"{chance.choice('BGJKNRUWY')}{chance.choice('BGJKNRUWY')}-{chance.randint(100, 9999)}"
            case name:
                return about.get(name) or chance.choice(slots[name])

    return re.sub(r"\{(\w+)\}", fill, template)


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    shown = f"{path.parent.name}/{path.name}"
    seen: set[str] = set()
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, text in enumerate(file, 1):
                if not text.strip():
                    continue
                try:
                    line = json.loads(text)
                except ValueError as error:
                    raise Malformed(f"{shown}, line {number} is not JSON: {error}.") from None
                ident = line.get("_id") if isinstance(line, dict) else None
                if not isinstance(ident, str) or not isinstance(line.get("text"), str):
                    raise Malformed(f"{shown}, line {number} has no `_id` and `text` that are texts.")
                if ident in seen:
                    raise Malformed(f"{shown}, line {number} has the `_id` {ident!r} of an earlier line.")
                seen.add(ident)
                yield ident, line
    except UnicodeDecodeError:
        raise Malformed(f"{shown} is not UTF-8.") from None
    except OSError as error:
        raise Malformed(f"{shown} cannot be read: {error.strerror}.") from None
    if not seen:
        raise Malformed(f"{shown} is empty.")


def _judgements(path: Path) -> Iterator[tuple[str, str]]:
    shown = f"{path.parent.parent.name}/{path.parent.name}/{path.name}"
    try:
        rows = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Malformed(f"{shown} cannot be read: {error}.") from None
    for number, row in enumerate(rows, 1):
        cells = row.split("\t")
        if number == 1 or not row.strip():
            continue
        if len(cells) != 3 or not re.fullmatch(r"-?\d+(?:\.\d+)?", cells[2].strip()):
            raise Malformed(f"{shown}, line {number} is not a query's id, a passage's id and a score between tabs.")
        if float(cells[2]) > 0:
            yield cells[0], cells[1]


def _entry(ident: str, line: dict[str, Any], number: int) -> Entry:
    title = " ".join(str(line.get("title") or "").split())
    document = _metadata(line).get("document")
    heading = ""
    if document is not None and " - " in title:
        title, _, heading = title.rpartition(" - ")
    # An entry that is no section is a document of its own.
    name = str(document) if heading else f"entry {number}"
    return Entry(ident, title, heading, line["text"], _spoken(line), name)


def _spoken(line: dict[str, Any]) -> str:
    stated = _metadata(line).get("language")
    return stated if stated in ("zh", "en") else language(line["text"])


def _metadata(line: dict[str, Any]) -> dict[str, Any]:
    metadata = line.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
