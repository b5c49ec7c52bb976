"""A text that is made of a turn's results, in the sections that a skill asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from signoff.models.rehearsal import evidence, lexicon
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.lexicon import name_of
from signoff.models.rehearsal.outline import Section
from signoff.models.rehearsal.phrases import phrase
from signoff.models.rehearsal.prompt import Prompt, Result
from signoff.text import language as language_of
from signoff.text import normalise

_TEXTS = ("content", "body", "text", "markdown", "report", "message", "description", "summary", "details", "note")
_TITLES = frozenset({"title", "subject", "headline", "heading"})


@dataclass(frozen=True)
class _Block:
    """A stretch of a summary: lines under a heading of their own, or without one."""

    heading: str
    lines: tuple[str, ...]


def text_parameter(card: Card) -> Parameter | None:
    """The argument that takes a composed text: free text that must be given and that no example says."""
    wanting = [p for p in card.required if p.type == "string" and not p.schema.get("enum") and not p.pattern]
    silent = [p for p in wanting if not any(p.name in s.args for s in card.samples)]
    for name in _TEXTS:
        if found := next((p for p in (silent or wanting) if name in p.words), None):
            return found
    return None


def title_parameter(card: Card) -> Parameter | None:
    """The argument beside it that takes its title."""
    return next((p for p in card.required if p.type == "string" and p.words & _TITLES), None)


class Composer:
    """Composes for one prompt. Nothing is in the text but headings and what results and failures say."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.sections: Sequence[Section] = prompt.skill.sections if prompt.skill else ()

    def title(self, card: Card | None, args: dict[str, Any]) -> str:
        """What the text is, in the person's word for it, and what it is of, as results put it: 2026-W42 周报."""
        said = [f for f in lexicon.find(self.prompt.question) if "#" + f.concept in self._objects(card)]
        chinese = [f.word for f in said if f.word[0] >= "\u3400"]
        word = max(chinese, key=len, default="") if self.prompt.language == "zh" else ""
        word = word or self._name()
        of = [v for v in (self._resolved(n, v) for n, v in args.items()) if v]
        if self.prompt.language == "zh":
            return " ".join([*of, word]).strip()
        return " ".join([word[:1].upper() + word[1:], *of]).strip()

    def text(self, title: str = "") -> str:
        """All sections as Markdown; without any, what each result says."""
        parts = [f"# {title}"] if title else []
        if not self.sections:
            parts += [t for r in self.prompt.results if r.ok and (t := "\n".join(_told(r)))]
        for section in self.sections:
            parts.append(f"## {self.heading(section)}\n\n{self._body(section)}")
        return "\n\n".join(parts)

    def heading(self, section: Section) -> str:
        """Its title in the answer's language, or its first."""
        own = [t for t in section.titles if language_of(t) == self.prompt.language]
        return (own or list(section.titles))[0]

    def _objects(self, card: Card | None) -> set[str]:
        named = set(lexicon.features(self.prompt.skill.name.replace("_", " "))) if self.prompt.skill else set()
        return named | (set(card.objects) if card else set())

    def _name(self) -> str:
        return name_of(self.prompt.skill.name, self.prompt.language) if self.prompt.skill else ""

    def _resolved(self, name: str, value: Any) -> str:
        """An argument as the results of this turn have it: last week is 2026-W43."""
        if not isinstance(value, str) or len(value) > 60 or "\n" in value:
            return ""
        found = [r.data[name] for r in self.prompt.results if r.ok and isinstance(r.data, dict) and name in r.data]
        return next((v for v in found if isinstance(v, str) and len(v) <= 60), value)

    def _body(self, section: Section) -> str:
        lines: list[str] = []
        for tool in section.tools:
            made = [r for r in self.prompt.results if r.tool == tool]
            for result in [r for r in made if r.ok] or made[-1:]:
                lines += self._lines(result, section) if result.ok else [self._failed(result)]
        kept = [line for line in lines if line.strip()]
        return "\n".join(kept) or phrase("section empty", self.prompt.language)

    def _failed(self, result: Result) -> str:
        said = result.metadata.get("summary") or result.error.get("message") or result.error.get("code") or ""
        return phrase("not found", self.prompt.language, why=str(said).strip())

    def _lines(self, result: Result, section: Section) -> list[str]:
        """What a result says for a section. One that serves several is parted by the headings in its summary."""
        blocks = _blocks(_told(result))
        serving = [s for s in self.sections if result.tool in s.tools]
        if len(serving) < 2:
            return [line for b in blocks for line in ((b.heading,) if b.heading else ()) + b.lines]
        kept: list[str] = []
        for block in blocks:
            owner = next((s for s in serving if _about(block.heading, s)), None)
            if owner is section:
                kept += block.lines
            elif owner is None and section is serving[0]:
                kept += [*((block.heading,) if block.heading else ()), *block.lines]
        return kept


def _about(heading: str, section: Section) -> bool:
    said = normalise(heading)
    return bool(heading) and any(normalise(t) in said for t in section.titles)


def _told(result: Result) -> list[str]:
    """A result's own summary line by line, else its fields. Lines that give orders are material for nobody."""
    summary = result.metadata.get("summary")
    text = summary if isinstance(summary, str) and summary.strip() else _fields(result.data)
    return [line.rstrip() for line in text.splitlines() if line.strip() and not evidence.gives_orders(line)]


def _fields(data: Any) -> str:
    if isinstance(data, dict):
        told = {
            k: v for k, v in data.items() if isinstance(v, str | int | float) and not isinstance(v, bool) and v != ""
        }
        return "\n".join(f"- {str(k).replace('_', ' ')}: {v}" for k, v in told.items())
    if isinstance(data, list):
        return "\n".join(f"- {v}" for v in data[:10] if isinstance(v, str | int | float))
    return "" if data is None else str(data)


def _blocks(lines: Sequence[str]) -> list[_Block]:
    """A line that ends in a colon is the heading of the list below it."""
    blocks: list[_Block] = []
    heading, held = "", list[str]()
    listed = False
    for line in lines:
        bullet = bool(re.match(r"\s*[-*•] ", line))
        if (line.endswith((":", "：")) and not bullet) or (listed and not bullet and not line.startswith(" ")):
            if heading or held:
                blocks.append(_Block(heading, tuple(held)))
            heading, held = (line, []) if line.endswith((":", "：")) else ("", [line])
            listed = False
            continue
        held.append(line)
        listed = listed or (bullet and bool(heading))
    if heading or held:
        blocks.append(_Block(heading, tuple(held)))
    return blocks
