"""A skill: a folder with a `SKILL.md`, read once and then never changed.

The format is that of Agent Skills (agentskills.io): a YAML head with `name`, `description`, `allowed-tools` and
`metadata`, then Markdown for the model. Two sections of the Markdown are read by code as well:

    ## Steps
    1. `search_notes`, `count_issues`: what the week's notes and issues say. Done when `count_issues.total > 0`.
    2. `write_report`: the report, out of these results.

    ## Output
    - 进展 / Progress: `search_notes`, `count_issues`
    - 预算 / Budget: `sum_budget`

A step is done when each of its tools has answered (and its condition holds); the tools of one step are independent
of each other. A section of the output has one title a language, and names the tools whose results it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from signoff.errors import ConfigError
from signoff.skills.condition import Condition

FILE = "SKILL.md"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?")
_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_HEAD = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^##\s+(.*?)\s*$", re.MULTILINE)
_BULLET = r"(?:\d+[.)][ \t]+|\d+、[ \t]*|[-*][ \t]+)"
_ITEM = re.compile(rf"^ {{0,3}}{_BULLET}(.+(?:\n(?! {{0,3}}{_BULLET})[ \t].*\S.*)*)", re.MULTILINE)
_TICKED = re.compile(r"`([^`\n]+)`")
_DONE_WHEN = re.compile(r"[.。;；]?\s*(?:Done when|完成条件)\s*[:：]?\s*`([^`\n]+)`\s*[.。]?", re.IGNORECASE)
_STEPS, _OUTPUT = ("steps", "步骤"), ("output", "输出")


@dataclass(frozen=True)
class SkillStep:
    """One step: tools that may run side by side, and what they are for."""

    tools: tuple[str, ...]
    text: str
    condition: Condition | None = None


@dataclass(frozen=True)
class Section:
    """One section of what the skill produces."""

    titles: tuple[str, ...]
    """Its heading, once for each language it may be written in."""
    tools: tuple[str, ...]
    """Whose results it is made of."""


@dataclass(frozen=True)
class Skill:
    """A skill as it was loaded."""

    name: str
    description: str
    instructions: str
    """The Markdown below the head, for the model."""
    tools: tuple[str, ...]
    """`allowed-tools`: what the skill may use; offered first when it is chosen."""
    steps: tuple[SkillStep, ...] = ()
    sections: tuple[Section, ...] = ()
    triggers: tuple[str, ...] = ()
    """Phrases that choose it for certain, from `metadata.triggers`, parted by semicolons."""
    keywords: tuple[str, ...] = ()
    """Words of which two choose it, from `metadata.keywords`, when nothing else is likelier."""
    folder: Path = Path()


def read(folder: Path) -> Skill:
    """Read a skill's folder. Raises `ConfigError` naming the file and what is wrong in it."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The skill {path} cannot be read: {error}.") from None
    head = _HEAD.match(text)
    if head is None:
        raise ConfigError(f"The skill {path} does not begin with a head between two lines of ---.")
    try:
        fields = yaml.safe_load(head[1])
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"The head of the skill {path} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(fields, dict):
        raise ConfigError(f"The head of the skill {path} holds no fields: write name and description.")
    body = text[head.end() :].strip()
    name, description = _name(fields, folder, path), _text(fields, "description", path)
    if unknown := sorted(set(map(str, fields)) - _KEYS):
        raise ConfigError(f"The skill {path} has a field {unknown[0]!r}: known are {', '.join(sorted(_KEYS))}.")
    metadata = fields.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise ConfigError(f"The skill {path}: metadata must hold fields.")
    steps = tuple(_step(item, path) for item in _items(body, _STEPS))
    allowed = _words(fields.get("allowed-tools"), path)
    if foreign := sorted({t for s in steps for t in s.tools} - set(allowed)) if allowed else []:
        raise ConfigError(f"The skill {path} has a step with {foreign[0]}, which its allowed-tools do not name.")
    return Skill(
        name=name,
        description=description,
        instructions=body,
        tools=allowed or tuple(dict.fromkeys(t for s in steps for t in s.tools)),
        steps=steps,
        sections=tuple(_section(item, path) for item in _items(body, _OUTPUT)),
        triggers=_phrases(metadata.get("triggers")),
        keywords=_phrases(metadata.get("keywords")),
        folder=folder,
    )


def _name(fields: Mapping[str, Any], folder: Path, path: Path) -> str:
    name = _text(fields, "name", path)
    if not _NAME.fullmatch(name):
        raise ConfigError(f"The skill {path}: its name {name!r} needs small letters, digits, - and _, at most 64.")
    if name != folder.name:
        raise ConfigError(f"The skill {path} is named {name!r}: its folder must have the same name.")
    return name


def _text(fields: Mapping[str, Any], key: str, path: Path) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"The skill {path} has no {key}: write one into its head.")
    if len(value) > 1_024:
        raise ConfigError(f"The skill {path}: its {key} is longer than 1,024 characters.")
    return " ".join(value.split())


def _words(value: Any, path: Path) -> tuple[str, ...]:
    if value is None:
        return ()
    words = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise ConfigError(f"The skill {path}: allowed-tools are names of tools, parted by spaces.")
    return tuple(dict.fromkeys(words))


def _phrases(value: Any) -> tuple[str, ...]:
    return tuple(p.strip() for p in re.split(r"[;；\n]", str(value)) if p.strip()) if value else ()


def _items(body: str, titles: tuple[str, ...]) -> list[str]:
    """The list items of the section with one of these titles."""
    headings = list(_HEADING.finditer(body))
    for i, heading in enumerate(headings):
        if heading[1].strip().casefold() in titles:
            end = headings[i + 1].start() if i + 1 < len(headings) else len(body)
            return [" ".join(m[1].split()) for m in _ITEM.finditer(body[heading.end() : end])]
    return []


def _step(item: str, path: Path) -> SkillStep:
    condition = None
    if found := _DONE_WHEN.search(item):
        try:
            condition = Condition.parse(found[1])
        except ValueError as error:
            raise ConfigError(f"The skill {path}: {error}") from None
        item = item[: found.start()] + item[found.end() :]
    named, _, text = item.partition(":") if ":" in item else item.partition("：")
    tools = tuple(_TICKED.findall(named))
    if condition is not None and condition.tool not in tools:
        raise ConfigError(f"The skill {path}: a step's condition is about {condition.tool}, which it does not call.")
    return SkillStep(tools, (text or named).strip().rstrip("."), condition)


def _section(item: str, path: Path) -> Section:
    named, _, rest = item.partition(":") if ":" in item else item.partition("：")
    titles = tuple(t.strip(" *_`") for t in named.split("/") if t.strip(" *_`"))
    if not titles:
        raise ConfigError(f"The skill {path} has a section of its output without a title.")
    return Section(titles, tuple(_TICKED.findall(rest)))
