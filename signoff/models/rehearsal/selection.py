"""Which bound tool a request is for: words and concepts weighed by how few tools have them, examples most."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from signoff.models.rehearsal import actions, choices, identifiers, lexicon, memory, specials, speech, texts, traits
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.meaning import Meaning
from signoff.models.rehearsal.slots import Filling
from signoff.text import normalise

ENOUGH = 1.0
"""Score from which a tool is called."""

_AT_LEAST = 8
"""Tools that rarity is measured against, so that a lone tool does not make every word rare."""
_MEANT, _UNLIKE = 2.5, 0.3
"""What nearness in meaning counts for, from a cosine on that says something."""
_FAR = 0.35
"""A cosine below which a text means something else."""
_SURE, _CLEAR = 3.0, 0.6
"""A best score from which words alone decide, unless the second reaches this share of it."""
_LOOKING = 0.15
"""What "show", "check", "list" count for: they say how to look, not at what."""


@dataclass(frozen=True)
class Scored:
    """A tool and how well it fits a request."""

    card: Card
    score: float


class Selector:
    """Ranks the bound tools for a request."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self.cards = cards
        self._weights = [traits.weights(c) for c in cards]
        self._at = {c.name: i for i, c in enumerate(cards)}
        self._said = [{_bare(s.text) for s in c.samples} for c in cards]
        self._examples = [traits.examples(c) for c in cards]
        self._meaning = Meaning(cards)

    @cached_property
    def _rarity(self) -> dict[str, float]:
        n = max(_AT_LEAST, len(self.cards))
        found: dict[str, float] = {}
        for weights in self._weights:
            for feature, weight in weights.items():
                found[feature] = found.get(feature, 0.0) + min(1.0, weight / traits.DESCRIPTION)
        return {f: math.log((n + 1) / (df + 0.5)) for f, df in found.items()}

    def rank(self, text: str) -> list[Scored]:
        """Every tool that may be called for the text, best first. A write only when its action is ordered."""
        here = dict(lexicon.features(traits.masked(memory.without_picks(text))))
        if re.search(r"\d\s*(?:度|°)", text):
            here["#temperature"] = 1.0
        scores = [
            (c, self._likeness(c, w, here) + self._identified(c, text) + (2.0 if _bare(text) in said else 0.0))
            for c, w, said in zip(self.cards, self._weights, self._said, strict=True)
        ]
        writes = [
            Scored(c, s + bonus)
            for c, s in scores
            if c.writes and (bonus := self._ordered(c, here, text)) and s + bonus > 0
        ]
        writes.sort(key=lambda s: -s.score)
        foreign = actions.ordered(text) - {"apply"}
        if not _certain(sorted((s for c, s in scores if not c.writes), reverse=True)):
            meant = self._meaning.scores(text)
            scores = [(c, s + _MEANT * max(0.0, meant.get(c.name, 0.0) - _UNLIKE)) for c, s in scores]
        reads = []
        for (card, score), weights in zip(scores, self._weights, strict=True):
            if not card.writes:
                # An order to change something is not served by looking something up.
                unmet = any("#" + a not in weights for a in foreign)
                reads.append(Scored(card, score + self._listed(card, text) - (1.5 if unmet else 0.0)))
        reads.sort(key=lambda s: -s.score)
        if writes and writes[0].score >= ENOUGH:
            return [*writes, *(Scored(r.card, min(r.score, writes[-1].score) * 0.5) for r in reads if r.score > 0)]
        if foreign & actions.CHANGES or actions.adds(text) & foreign:
            # What nobody here can do is not done by looking at it.
            reads = [r for r in reads if specials.speaks_for(r.card, text)]
        return sorted([*writes, *(r for r in reads if r.score > 0)], key=lambda s: -s.score)

    @cached_property
    def _named_objects(self) -> set[str]:
        """What identifiers are of: "order number A1001" names an order and asks for nothing."""
        return {
            w
            for c in self.cards
            for p in c.parameters
            if identifiers.is_identifier(c, p)
            for w in p.words
            if w.startswith("#")
        }

    def speaks_of_any(self, text: str) -> bool:
        """Whether a text has a word of what a tool does; a bare name, code or number has none."""
        here = lexicon.features(traits.masked(text))
        acts = {f for f in here if f.startswith("#") and lexicon.is_action(f[1:])}
        asked = speech.asks(text) or any(f.startswith("#") and lexicon.is_look(f[1:]) for f in here)
        for weights in self._weights:
            own = {f for f in here if len(f) > 1 and f in weights and weights[f] != traits.EXAMPLE and f not in acts}
            if (acts & set(weights)) or (own and asked) or own - self._named_objects:
                return True
        return False

    def speaks_of(self, card: Card, feature: str) -> bool:
        """Whether a tool speaks of something anywhere in what it says of itself."""
        return feature in self._weights[self._at[card.name]]

    def on_its_object(self, card: Card, text: str) -> bool:
        """Whether a text names no thing, or one that the tool speaks of."""
        return not self._other_object(card, lexicon.features(traits.masked(text)))

    def far_from(self, card: Card, text: str) -> bool:
        """Whether a text neither names what a tool is about nor means anything like its examples."""
        things = card.objects - set(lexicon.features(card.name_words[0] if card.name_words else ""))
        if lexicon.features(traits.masked(text)).keys() & things or _bare(text) in self._said[self._at[card.name]]:
            return False
        return self._meaning.scores(text).get(card.name, 1.0) < _FAR

    def knows_all(self, card: Card, text: str) -> bool:
        """Whether all that a text speaks of is spoken of by a tool."""
        here = {f for f in lexicon.features(traits.masked(text)) if len(f) > 1}
        return bool(here) and here <= set(self._weights[self._at[card.name]])

    def _likeness(self, card: Card, weights: Mapping[str, float], here: Mapping[str, float]) -> float:
        rarity = self._rarity
        base = sum(w * weights[f] * rarity[f] * _emphasis(f) for f, w in here.items() if f in weights)
        return base + 1.2 * max((self._alike(here, e) for e in self._examples[self._at[card.name]]), default=0.0)

    def _ordered(self, card: Card, here: Mapping[str, float], text: str) -> float:
        """What an order to do what the tool does counts for; 0 when there is none, or when it is of another thing."""
        own = actions.own_verbs(card)
        named = speech.command(text, card.verbs, own)
        found = named or speech.command(text, card.extra_verbs)
        if found is None:
            if own:
                return self._as_in_examples(card, here, text, 0.35)
            # A verb of its own that is no order has been judged; a text without any may be like an example.
            judged = speech.mentions(text, card.verbs | card.extra_verbs) or actions.ordered(text)
            like = not judged and not speech.conditional(text) and set(here) & card.objects
            return self._as_in_examples(card, here, text, 0.5) if like else 0.0
        concept = lexicon.concepts(text[found[0] : found[1]])
        vague = bool(concept) and concept <= _VAGUE and not speech.command(text, card.extra_verbs - _VAGUE)
        on_object = self._on_object(card, here) or _carries(card, text) or specials.speaks_for(card, text)
        # "Submit it", and "submit" alone, go on with what was spoken of.
        goes_on = bool(named) and (memory.points(text) or all(_is_verb(f) for f in here))
        if vague and not on_object and not goes_on and (card.objects or not named):
            return 0.0
        told = any(texts.kind(p) == "content" for p in card.required)
        if not on_object and not told and self._other_object(card, here):
            return 0.0
        return 1.5 if named else 1.0

    def _as_in_examples(self, card: Card, here: Mapping[str, float], text: str, least: float) -> float:
        """For an action that the vocabulary does not know: an order much like one of the examples."""
        if speech.asks(text) or speech.denies(text):
            return 0.0
        # A thing and its number alone ask for nothing.
        if not any(len(f) > 1 for f in set(here) - card.objects - self._named_objects):
            return 0.0
        near = [e for e in self._examples[self._at[card.name]] if self._alike(here, e) >= least]
        beyond = set(here) - card.objects
        return 0.8 if any(beyond & set(e) for e in near) else 0.0

    def _on_object(self, card: Card, here: Mapping[str, float]) -> bool:
        """Whether the text names what the tool acts on, in the name's words or in others of its own."""
        weights = self._weights[self._at[card.name]]
        things = {f for f in here if len(f) > 1 and not _is_verb(f)}
        return bool(things & card.objects) or any(
            weights.get(f, 0.0) >= traits.DESCRIPTION for f in things - self._named_objects
        )

    def _other_object(self, card: Card, here: Mapping[str, float]) -> bool:
        """Whether the text names a thing of which nothing in the tool speaks."""
        own = self._weights[self._at[card.name]]
        # What was ordered is sent back as a product.
        alike = {"#product"} if "#order" in card.objects else set[str]()
        things = {f for f in here if f in _OBJECTS} - alike
        return bool(things) and not things & set(own)

    def _identified(self, card: Card, text: str) -> float:
        """A stated identifier speaks for the tools that take it, and against those that would leave it out."""
        takers = self._takers(text)
        if card in takers:
            only = not card.writes and sum(1 for c in takers if not c.writes) == 1
            # "Look up A1001": of the tools that take it, the one that is about the thing itself.
            plain = all(_is_verb(f) or f in self._named_objects for f in lexicon.features(traits.masked(text)))
            itself = plain and any(p.required and p.words & card.objects for p in card.parameters)
            return (1.0 if only else 0.5) + (0.6 if itself else 0.0)
        if takers:
            free = any(texts.kind(p) in ("content", "query") for p in card.required)
            return -0.8 if free else -1.5
        if specials.speaks_for(card, text):
            return 1.2
        if memory.pronoun(text) and not card.required and not card.writes:
            return -0.6
        if memory.points(text):
            return 0.0
        return -0.4 if any(p.required and identifiers.is_identifier(card, p) for p in card.parameters) else 0.0

    def _listed(self, card: Card, text: str) -> float:
        """What speaks for a list of things in one state, where the state and the things are named and none of them."""
        if card.required or not lexicon.features(text).keys() & card.objects or self._takers(text):
            return 0.0
        states = [p for p in card.parameters if p.schema.get("enum")]
        named = any(c.end > c.start for p in states for c in choices.find_all(card, p, text))
        listed = "list" in lexicon.concepts(" ".join(card.name_words)) & lexicon.concepts(text)
        return 1.5 if named else 0.6 if listed else 0.0

    def _alike(self, here: Mapping[str, float], there: Mapping[str, float]) -> float:
        """Cosine of two texts, each feature weighed by its rarity."""

        def size(f: str, w: float) -> float:
            return w * self._rarity.get(f, 1.0) * _emphasis(f)

        dot = sum(size(f, w) * size(f, there[f]) for f, w in here.items() if f in there)
        norm = math.sqrt(sum(size(f, w) ** 2 for f, w in here.items()) * sum(size(f, w) ** 2 for f, w in there.items()))
        return dot / norm if norm else 0.0

    def _takers(self, text: str) -> list[Card]:
        """The tools that take the stated identifiers; of several forms that fit, the one with the longest fixed
        beginning: T1005 is a ticket, though an order's number may be any letter and digits."""
        fixed = {c.name: n for c in self.cards if (n := _takes(c, text)) is not None}
        longest = max(fixed.values(), default=0)
        return [c for c in self.cards if fixed.get(c.name) == longest]


def _certain(scores: Sequence[float]) -> bool:
    """Whether the best of these scores, highest first, is so without doubt."""
    return bool(scores) and scores[0] >= _SURE and (len(scores) < 2 or scores[1] < _CLEAR * scores[0])


@lru_cache(maxsize=64)
def selector(cards: tuple[Card, ...]) -> Selector:
    """The selector of a set of tools, made once."""
    return Selector(cards)


def preferred(best: Sequence[Scored], fillings: Mapping[str, Filling]) -> Scored | None:
    """The best tool, unless one almost as good has all its arguments and the best has not."""
    if not best:
        return None
    top = best[0]
    if fillings[top.card.name].complete:
        return top
    for other in best[1:]:
        close = other.score >= 0.75 * top.score and other.card.writes == top.card.writes
        if close and fillings[other.card.name].complete:
            return other
    return top


_VAGUE = frozenset(
    "change create add set send submit delete start stop open write run save book close apply schedule transfer".split()
)
"""Actions that say little without their object: to change an address is not to change a phone number."""


def _bare(text: str) -> str:
    return normalise(text).strip(" ,，。.!！?？")


def _is_verb(feature: str) -> bool:
    return feature.startswith("#") and (lexicon.is_action(feature[1:]) or lexicon.is_look(feature[1:]))


def _emphasis(feature: str) -> float:
    """ "Show" and "check" say how to look, not at what; "all" and "which ones" say that a list is wanted."""
    if feature == "#list":
        return 0.5
    if feature in ("#reason", "#time", "#amount", "#date", "#place"):
        return 0.6
    return _LOOKING if feature in ("#look", "#search", "#read", "#count") else 1.0


def _carries(card: Card, text: str) -> bool:
    """Whether the text holds an identifier of the tool's own kind, which then is the object."""
    return _takes(card, text) is not None and any(
        p.required and identifiers.is_identifier(card, p) for p in card.parameters
    )


_OBJECTS = frozenset(
    "#order #address #ticket #room #meeting #leave #invoice #subscription #account #phone #mailbox #flight #hotel "
    "#train #seat #restaurant #contract #note #task #project #device #password #calendar #report #expense "
    "#customer #employee #visitor #asset #product".split()
)


def _takes(card: Card, text: str) -> int | None:
    """Whether the text holds an identifier of a form that the tool states: the length of its fixed beginning."""
    strict = [p for p in card.parameters if identifiers.is_identifier(card, p) and identifiers.has_form(card, p)]
    fitting = [p for p in strict if identifiers.find(card, p, text)]
    return max((len(identifiers.beginning(card, p)) for p in fitting), default=None)
