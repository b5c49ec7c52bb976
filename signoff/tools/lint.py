"""What makes a set of tools hard for models, or unsafe: found by reading the tools, without calling any."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any

from pydantic import ValidationError

from signoff.embedding import Encoder
from signoff.errors import UsageError
from signoff.models.view import estimate_text
from signoff.text import language
from signoff.tools import parameter_rules
from signoff.tools.contract import Risk, Tool
from signoff.tools.likeness import EXCLUSION, Profile, Words, purpose, topics
from signoff.tools.names import apart
from signoff.tools.registry import Registry

MODEL_CHARS = 1_024
"""Characters of a description with its examples that every endpoint takes: OpenAI's own limit."""
SHORTEST_TOKENS = 6
"""Estimated tokens below which a description says too little."""
SAME_WORDS = 0.6
"""Likeness of the words of two descriptions, 0 to 1, from which they overlap."""
SAME_MEANING = 0.65
"""The same for their vectors. Two wordings of one purpose lie between 0.65 and 0.8; so do 6 of the 28,000 pairs of
different tools that were looked at, which is why a pair is left alone when one names the other."""


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """The tool must not be offered like that."""
    WARNING = "warning"
    """Models will choose or fill it wrongly more often."""
    NOTE = "note"
    """It could be better."""


@dataclass(frozen=True)
class Finding:
    """One thing about one tool."""

    tool: str
    rule: str
    """The rule's name, a key of `RULES`."""
    message: str
    """What is wrong and what to do, in a sentence."""

    @property
    def severity(self) -> Severity:
        """That of its rule."""
        return RULES[self.rule]


RULES = {
    "identity-parameter": Severity.ERROR,
    "invalid-example": Severity.ERROR,
    "overlap": Severity.WARNING,
    "similar-name": Severity.WARNING,
    "no-exclusion": Severity.WARNING,
    "no-examples": Severity.WARNING,
    "one-language": Severity.NOTE,
    "short-description": Severity.WARNING,
    "long-description": Severity.WARNING,
    "undocumented-parameter": Severity.WARNING,
    "undescribed-enum": Severity.WARNING,
    "unbounded-text": Severity.WARNING,
    "no-undo": Severity.WARNING,
    "no-reconcile": Severity.WARNING,
}
"""Every rule and how bad what it finds is."""


def lint(registry: Registry, *, encoder: Encoder | None = None) -> list[Finding]:
    """What is to be said about the tools, in the registry's order, errors of a tool first.

    With an encoder, descriptions that mean the same in other words or in another language overlap too.
    """
    tools = list(registry)
    found = [Finding(t.name, rule, text) for t in tools for check in _CHECKS for rule, text in check(t, registry)]
    found += [Finding(name, rule, text) for name, rule, text in (*_names(tools), *_overlaps(tools, encoder))]
    order = {name: i for i, name in enumerate(registry.names())}
    rules = list(RULES)
    return sorted(found, key=lambda f: (order[f.tool], rules.index(f.rule)))


Told = Iterator[tuple[str, str]]
"""Rules and messages."""


def _description(tool: Tool, registry: Registry) -> Told:
    size = estimate_text(tool.description)
    whole = len(tool.text_for_model())
    if size < SHORTEST_TOKENS:
        yield "short-description", f"The description is about {size} tokens: say what it does, and to what."
    if whole > MODEL_CHARS:
        yield (
            "long-description",
            f"Description and examples are {whole} characters; endpoints take {MODEL_CHARS}: shorten them.",
        )
    others = (t for t in registry if t is not tool)
    if len(registry) > 1 and not EXCLUSION.search(tool.description) and not any(_names_other(tool, o) for o in others):
        yield "no-exclusion", "The description does not say when not to use it, or which other tool to use then."


def _examples(tool: Tool, registry: Registry) -> Told:
    for example in tool.examples:
        try:
            tool.args.model_validate(dict(example.args))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "arguments"
            yield (
                "invalid-example",
                f"The example “{example.text}” has arguments that the tool refuses: {where}: {first['msg']}.",
            )
    if not tool.examples:
        yield "no-examples", "There is no example: give two or more, with the words of a person and the arguments."
    elif len(spoken := {language(e.text) for e in tool.examples}) == 1:
        named = {"zh": "Chinese", "en": "English"}
        (one,) = spoken
        other = named["en" if one == "zh" else "zh"]
        yield "one-language", f"All examples are in {named[one]}: give one in {other} too, if people ask in it."


def _parameters(tool: Tool, registry: Registry) -> Told:
    yield from parameter_rules.check(tool.parameters)


def _effects(tool: Tool, registry: Registry) -> Told:
    if tool.risk is Risk.DRAFT and (tool.undo is None or registry.get(tool.undo) is None):
        said = "names no tool as its undo" if tool.undo is None else f"names {tool.undo} as its undo, which is not here"
        yield "no-undo", f"A draft must be reversible, and it {said}."
    if tool.risk is not Risk.READ and tool.effect == "outside" and tool.reconcile is None:
        yield (
            "no-reconcile",
            "Its effect is outside and it has no reconcile: whether a call that was cut off happened stays unknown.",
        )


_CHECKS: tuple[Callable[[Tool, Registry], Told], ...] = (_description, _examples, _parameters, _effects)

Pairs = Iterator[tuple[str, str, str]]
"""Tools, rules and messages."""


def _names(tools: Sequence[Tool]) -> Pairs:
    for one, other in combinations(tools, 2):
        if apart(one.name, other.name) == 1:
            yield other.name, "similar-name", f"The name differs from {one.name} by one letter or its style only."


def _overlaps(tools: Sequence[Tool], encoder: Encoder | None) -> Pairs:
    words = Words({t.name: Profile.of(t) for t in tools})
    said = [topics(purpose(t.description)) for t in tools]
    meant: Any = None
    if encoder is not None and tools:
        vectors = encoder.queries([purpose(t.description) for t in tools])
        meant = vectors @ vectors.T
    for i, j in combinations(range(len(tools)), 2):
        if _names_other(tools[i], tools[j]) or _names_other(tools[j], tools[i]):
            continue
        alike = words.likeness(said[i], said[j])
        means = float(meant[i, j]) if meant is not None else 0.0
        if alike >= SAME_WORDS or means >= SAME_MEANING:
            how = f"words {alike:.2f}" + (f", meaning {means:.2f}" if meant is not None else "")
            yield (
                tools[j].name,
                "overlap",
                f"What it is for reads like {tools[i].name} ({how}): name each in the other, and say when.",
            )


def _names_other(tool: Tool, other: Tool) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(other.name)}(?![\w-])", tool.description, re.ASCII) is not None


def leave_out(findings: Sequence[Finding], ignored: Sequence[str], registry: Registry) -> list[Finding]:
    """The findings without those of a rule (`overlap`) or of a rule for one tool (`send_email:overlap`).

    Raises `UsageError` when there is no such rule or tool.
    """
    for entry in ignored:
        tool, _, rule = entry.rpartition(":")
        if rule not in RULES:
            raise UsageError(f"{rule!r} is not a rule: there are {', '.join(RULES)}.")
        if tool and registry.get(tool) is None:
            raise UsageError(f"There is no tool {tool!r}: `signoff tools list` shows them.")
    return [f for f in findings if not {f.rule, f"{f.tool}:{f.rule}"} & set(ignored)]
