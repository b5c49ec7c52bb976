"""A skill's instructions and a turn's plan, as they stand in the prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"^(\d+)\. \[(\w+)\](?: \(([^)\n]*)\))? ?(.*)$", re.MULTILINE)
_HEADING = re.compile(r"^##[ \t]+(.*?)[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^\s{0,3}(?:\d+[.)、]|[-*])\s+(.+(?:\n(?!\s{0,3}(?:\d+[.)、]|[-*])\s).*\S.*)*)", re.MULTILINE)
_TICKED = re.compile(r"`([^`\n]+)`")
_STEPS, _OUTPUT = ("steps", "步骤"), ("output", "输出")


@dataclass(frozen=True)
class PlanStep:
    """One line of the plan."""

    n: int
    state: str
    """`next`, `open`, `done`, `failed`, `dropped` or `answer`."""
    tools: tuple[str, ...]
    """Of the next step those that are still to be called, of others all."""
    text: str


@dataclass(frozen=True)
class Section:
    """A section of what a skill produces, and the tools whose results it is made of."""

    titles: tuple[str, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Skill:
    """The part of a skill's instructions that says what to call and what to write."""

    name: str
    steps: tuple[tuple[tuple[str, ...], str], ...] = ()
    """Of each step its tools and what it is for."""
    sections: tuple[Section, ...] = ()


def plan(text: str) -> tuple[PlanStep, ...]:
    """The lines of a plan; what is no line of one is left out."""
    return tuple(
        PlanStep(int(m[1]), m[2], tuple(t.strip() for t in (m[3] or "").split(",") if t.strip()), m[4])
        for m in _LINE.finditer(text)
    )


def skill(name: str, text: str) -> Skill:
    """A skill's steps and sections, out of its Markdown."""
    steps, sections = [], []
    for item in _items(text, _STEPS):
        named, what = _parted(item)
        steps.append((tuple(_TICKED.findall(named)), what.strip().rstrip(".。")))
    for item in _items(text, _OUTPUT):
        named, made_of = _parted(item)
        titles = tuple(t.strip(" *_`") for t in named.split("/") if t.strip(" *_`"))
        if titles:
            sections.append(Section(titles, tuple(_TICKED.findall(made_of))))
    return Skill(name, tuple(steps), tuple(sections))


def _items(text: str, titles: tuple[str, ...]) -> list[str]:
    headings = list(_HEADING.finditer(text))
    for i, heading in enumerate(headings):
        if heading[1].strip().casefold() in titles:
            end = headings[i + 1].start() if i + 1 < len(headings) else len(text)
            return [" ".join(m[1].split()) for m in _ITEM.finditer(text[heading.end() : end])]
    return []


def _parted(item: str) -> tuple[str, str]:
    head, mark, rest = item.partition(":") if ":" in item else item.partition("：")
    return (head, rest) if mark else (item, "")
