"""The bound tools as the rehearsal model sees them: what their schemas, descriptions and examples say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from signoff.models.rehearsal import lexicon, speech

_EXAMPLE = re.compile(r'^Example: "(.*)" -> (\{.*\})\s*$')
_EXCLUDED = re.compile(
    r"(?:^|(?<=[.;,:。;,] )|(?<=[。;,，]))(?:and |but )?(?:not (?:for|when|to|the)|never|it cannot|cannot|"
    r"does not|do not|don't|不用于|不能|不会|不要|不是|非)[^.。;；]*[.。;；]?",
    re.IGNORECASE,
)
_READ_FIRST = frozenset(
    "get list query check search find read show view look lookup fetch describe count calculate compute "
    "convert compare "
    "estimate track preview validate verify inspect now is has can who what where when says tells "
    "returns gives browse retrieve detect summarize sum sums total totals average aggregate measure tally "
    "summarise explain analyze analyse evaluate test ping status translate".split()
)
_TOLD_FIRST = frozenset(w.removesuffix("s") for w in _READ_FIRST)
_NOUN_TOO = frozenset("order book schedule request report record note review share time stock".split())
_DRAFTS = ("draft", "drafts", "order", "request", "report", "record")
_ACT_EXTRA = frozenset(
    "create make update delete remove send submit cancel add write edit approve reject do put insert "
    "upload execute apply trigger "
    "perform provision terminate grant revoke issue place".split()
)


@dataclass(frozen=True, eq=False)
class Parameter:
    """One argument of a tool. `schema` is resolved: no references, no null alternative."""

    name: str
    schema: Mapping[str, Any]
    required: bool

    @property
    def text(self) -> str:
        """Its description."""
        return str(self.schema.get("description") or "")

    @property
    def type(self) -> str:
        """JSON type, `string` when none is stated."""
        stated = self.schema.get("type")
        return str(stated) if stated else ("object" if "properties" in self.schema else "string")

    @property
    def pattern(self) -> str | None:
        """The regular expression that a string must match."""
        value = self.schema.get("pattern")
        return value if isinstance(value, str) else None

    @cached_property
    def words(self) -> frozenset[str]:
        """Words of the name and the concepts in it."""
        parts = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower())
        return frozenset(parts) | {"#" + c for c in lexicon.concepts(" ".join(parts))}


@dataclass(frozen=True)
class Sample:
    """An example of the description: a person's words and the arguments they lead to."""

    text: str
    args: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Card:
    """A bound tool."""

    name: str
    description: str
    """Without the examples, and without the sentences that say what it is not for."""
    samples: tuple[Sample, ...]
    parameters: tuple[Parameter, ...]

    @cached_property
    def name_words(self) -> tuple[str, ...]:
        """The words of the name."""
        return tuple(re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()))

    @cached_property
    def writes(self) -> bool:
        """Whether calling it changes something, as far as its name and description tell; in doubt it does."""
        first = self.name_words[0] if self.name_words else ""
        told = re.match(r"[a-z]+", self.description.lower())
        # "Says when shops open" reads, although `opening_hours` has an action in its name.
        if first in _READ_FIRST or (told and first not in _ACT_EXTRA and told[0].removesuffix("s") in _TOLD_FIRST):
            return False
        if first in _ACT_EXTRA or (first not in _NOUN_TOO and _acts(first)):
            return True
        spoken = lexicon.find(" ".join(self.name_words))
        if spoken and spoken[0].start == 0 and " " in spoken[0].word and lexicon.is_action(spoken[0].concept):
            return True
        opening = [f for f in lexicon.find(self.description[:60]) if _is_verb(f.concept)]
        if opening and opening[0].start <= 16:
            return lexicon.is_action(opening[0].concept)
        if any(w in _ACT_EXTRA or (w not in _NOUN_TOO and _acts(w)) for w in self.name_words):
            return True
        return self._opens_with_a_verb(first)

    def _opens_with_a_verb(self, first: str) -> bool:
        """Whether a name that the vocabulary does not know is a verb's: "Disputes an invoice", 对…提出异议."""
        if first in ("my", "current", "today") or any(not _is_verb(c) for c in lexicon.concepts(first)):
            return False
        word = re.match(r"[a-z]+", self.description.lower())
        if word is None:
            return len(self.name_words) > 1
        return word[0] in (first, first + "s", first + "es") or (len(self.name_words) > 1 and word[0].endswith("s"))

    @cached_property
    def verbs(self) -> frozenset[str]:
        """What it does: action concepts of its name and of its description's first word."""
        own = self._undoing or self.name_words
        if own and _acts(own[0]):
            # In `discard_ticket_draft` a draft is a thing.
            own = tuple(w for i, w in enumerate(own) if not i or w not in _DRAFTS)
        words = [*own, " ".join(own)]
        named = {c for w in words for c in lexicon.concepts(w) if lexicon.is_action(c)}
        opening = {
            f.concept for f in lexicon.find(self.description[:40]) if lexicon.is_action(f.concept) and f.start < 6
        }
        return frozenset(named | opening)

    @cached_property
    def _undoing(self) -> tuple[str, ...]:
        """Of a tool that takes an action back, such as `take_back_hand_over`, the words for that; else nothing."""
        for lead in _UNDOING:
            rest = " ".join(self.name_words[len(lead) :])
            if self.name_words[: len(lead)] == lead and _acts(rest):
                return lead
        return ()

    @cached_property
    def extra_verbs(self) -> frozenset[str]:
        """Actions that its examples order: other ways of asking for the same."""
        spoken = (
            (s.text, f.concept) for s in self.samples for f in lexicon.find(s.text) if lexicon.is_action(f.concept)
        )
        return frozenset(c for text, c in spoken if speech.wants(text, frozenset({c})))

    @cached_property
    def objects(self) -> frozenset[str]:
        """Features of what it acts on: the words of its name that are no verbs, and their concepts."""
        found: set[str] = set()
        if self._undoing:
            found.update(lexicon.features(" ".join(self.name_words[len(self._undoing) :])))
        for word in self.name_words:
            for feature in lexicon.features(word):
                if not lexicon.is_action(feature.removeprefix("#")) and feature not in ("my", "draft", "id"):
                    found.add(feature)
        return frozenset(found)

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The arguments that must be given."""
        return tuple(p for p in self.parameters if p.required)

    @property
    def searches(self) -> bool:
        """Whether it takes a question in words and nothing else."""
        alone = [p.name for p in self.required] in ([n] for n in _QUERY_NAMES)
        return alone and not self.writes and not self.finds_tools

    @property
    def finds_tools(self) -> bool:
        """Whether it finds more tools, which are bound from the next step on."""
        return bool({"find", "search", "discover"} & set(self.name_words)) and "tools" in self.name_words

    def parameter(self, name: str) -> Parameter | None:
        """The argument of a name."""
        return next((p for p in self.parameters if p.name == name), None)


_UNDOING = (("take", "back"), ("undo",), ("revert",), ("withdraw",), ("revoke",), ("retract",))
_QUERY_NAMES = ("query", "q", "question", "keywords", "keyword", "text", "search", "topic")


def read(tools: Sequence[Mapping[str, Any]]) -> tuple[Card, ...]:
    """Cards of OpenAI `tools` entries, in order; entries that are no functions are left out."""
    return _read(json.dumps(tools, ensure_ascii=False, default=str))


@lru_cache(maxsize=64)
def _read(tools: str) -> tuple[Card, ...]:
    # The same tools are bound turn after turn, and what is learned of a card is kept with it.
    return tuple(_card(t["function"]) for t in json.loads(tools) if isinstance(t.get("function"), Mapping))


def resolved(schema: Any, root: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without references and null alternatives; what JSON Schema allows beyond is left as it is."""
    if not isinstance(schema, Mapping):
        return {}
    node = dict(schema)
    for _ in range(8):
        if isinstance(ref := node.get("$ref"), str):
            target: Any = root
            for step in ref.removeprefix("#/").split("/"):
                target = target.get(step, {}) if isinstance(target, Mapping) else {}
            node = {**target, **{k: v for k, v in node.items() if k != "$ref"}}
        elif options := [o for k in ("anyOf", "oneOf", "allOf") for o in node.get(k) or () if isinstance(o, Mapping)]:
            kept = [o for o in options if o.get("type") != "null"]
            outer = {k: v for k, v in node.items() if k not in ("anyOf", "oneOf", "allOf")}
            node = {**(kept[0] if kept else {}), **outer}
        else:
            break
    if isinstance(kind := node.get("type"), list):
        node["type"] = next((k for k in kind if k != "null"), "string")
    if isinstance(values := node.get("enum"), list):
        node["enum"] = [v for v in values if v is not None]
    return node


def parameters_of(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Parameter]:
    """The properties of an object schema."""
    required = schema.get("required") or ()
    for name, node in (schema.get("properties") or {}).items():
        inner = resolved(node, root)
        if isinstance(items := inner.get("items"), Mapping):
            inner["items"] = resolved(items, root)
        nullable = isinstance(node, Mapping) and _nullable(node)
        # In OpenAI's strict form every property is required, and an optional one takes null.
        yield Parameter(name, {**inner, "$root": root}, name in required and not nullable)


def _nullable(node: Mapping[str, Any]) -> bool:
    kind = node.get("type")
    return (isinstance(kind, list) and "null" in kind) or any(
        isinstance(o, Mapping) and o.get("type") == "null" for o in node.get("anyOf") or ()
    )


def _card(function: Mapping[str, Any]) -> Card:
    lines: list[str] = []
    samples: list[Sample] = []
    for line in str(function.get("description") or "").splitlines():
        if match := _EXAMPLE.match(line.strip()):
            try:
                samples.append(Sample(match[1], json.loads(match[2])))
                continue
            except ValueError:
                pass
        lines.append(line)
    root = function.get("parameters") or {}
    parameters = tuple(parameters_of(resolved(root, root), root))
    description = _EXCLUDED.sub(" ", " ".join(" ".join(lines).split()))
    return Card(str(function.get("name")), description, tuple(samples), parameters)


def _is_verb(concept: str) -> bool:
    return lexicon.is_action(concept) or lexicon.is_look(concept)


def _acts(word: str) -> bool:
    return any(lexicon.is_action(c) for c in lexicon.concepts(word))
