"""From a prompt to steps: one a request, each served by a tool, by the evidence, or by a question back."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from signoff import smalltalk
from signoff.models.rehearsal import (
    actions,
    composite,
    continuing,
    dates,
    documents,
    evidence,
    finding,
    identifiers,
    keeping,
    lexicon,
    memory,
    names,
    ownership,
    pending,
    replies,
    selection,
    specials,
    speech,
    spelling,
    texts,
    traits,
    wholes,
)
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.following import NOT_WRITTEN, Follower, asked_first
from signoff.models.rehearsal.memory import Memory
from signoff.models.rehearsal.prompt import Prompt
from signoff.models.rehearsal.selection import Scored
from signoff.models.rehearsal.slots import Filling, fill
from signoff.models.rehearsal.steps import Step, merged, needed

_OVERALL = re.compile(
    r"\b(?:all|every|overall|total|in total|altogether|whole|everything)\b|全部|所有|一共|总共|总的|整个|各",
    re.IGNORECASE,
)
_OF_TOOLS = re.compile(r"\btools?\b|工具", re.IGNORECASE)
_HOW_TO = re.compile(
    r"\bhow (?:can|do|to|could|should|would)\b|怎么(?!样|还|没|回事|被|会|就|又|到|了)|如何|怎样才", re.IGNORECASE
)


class Planner:
    """Plans a turn. Pure: the same prompt and tools give the same steps."""

    def __init__(self, prompt: Prompt, cards: Sequence[Card]) -> None:
        self.prompt = prompt
        self.cards = cards
        self.known = Memory(prompt)
        self.selector = selection.selector(tuple(cards))
        self.base = self.reply = ""
        """What was asked before, and the answer to what the desk asked back about it."""

    def steps(self) -> list[Step]:
        """The steps of the turn, in the order of the requests."""
        found = self._steps()
        fixed = spelling.mended(self.prompt.question)
        if actions.named(fixed) - actions.named(self.prompt.question) and not any(
            s.card and s.card.writes for s in found
        ):
            again = self._mended()
            return again if any(s.card and s.card.writes for s in again) else found
        if all(s.card is None or s.card.finds_tools or s.card.searches for s in found):
            return self._mended() or found
        return found

    def _mended(self) -> list[Step]:
        """The steps with slips of typing put right, when a tool serves them then; else none."""
        fixed = spelling.mended(self.prompt.question)
        if fixed == self.prompt.question:
            return []
        again = Planner(replace(self.prompt, question=fixed), self.cards)._steps()
        return again if any(s.card and not s.card.finds_tools and not s.card.searches for s in again) else []

    def _steps(self) -> list[Step]:
        if replied := pending.replied(self.prompt, self.cards):
            return replied
        if (part := wholes.asked(self.prompt)) and (agreed := wholes.answered(self.prompt.question)) is not None:
            return self._requested(wholes.whole_of(part)) if agreed else [Step(self.prompt.question, "spared")]
        if talk := smalltalk.kind(self.prompt.question):
            return [Step(self.prompt.question, "talk", topic=talk)]
        if texts.COURTESY.match(self.prompt.question):
            thanked = re.search(r"thank|thx|谢", self.prompt.question, re.IGNORECASE)
            return [Step(self.prompt.question, "talk", topic="thanks" if thanked else "ok")]
        earlier, whole = replies.completed(self.prompt)
        if earlier:
            self.base, self.reply = earlier, self.prompt.question
        if self.prompt.plan:
            follower = Follower(self.prompt, self.cards, whole, self._fill)
            if follower.applies():
                return self._followed(follower, whole)
            if follower.spared():
                rest = NOT_WRITTEN.sub(" ", whole).strip(" ,，。.!！")
                if texts.COURTESY.match(rest):
                    return [Step(whole, "spared")]
                whole = rest
        return self._requested(whole)

    def _followed(self, follower: Follower, whole: str) -> list[Step]:
        """The plan's steps, and beside them what the request asks for that the plan does not serve."""
        asked = self._requested(whole)
        if any(s.kind == "others" for s in asked):
            return asked
        mine = follower.steps()
        if self.prompt.skill and self.prompt.skill.sections:
            beside = [s for s in asked if s.kind == "tool" and s.card and s.card.name not in follower.tools]
            return [*asked_first(mine), *(beside if len(self.prompt.requests) > 1 else ())]
        served = {s.card.name for s in asked if s.card} | {c.name for s in asked for c, _ in s.first}
        more = [s for s in mine if s.card and s.card.name not in served]
        if not more:
            return asked
        return [*(s for s in asked if s.kind in ("tool", "ask", "spared")), *asked_first(more)]

    def _requested(self, whole: str) -> list[Step]:
        found, rest = keeping.steps(whole, self.prompt, self.cards, self._orders)
        if found and not rest.strip(" ,，。.!！?？;；"):
            return merged(found)
        kept = specials.verbatim_spans(self.cards, rest)
        listed = self.prompt.requests if whole == self.prompt.question and not found and not kept else ()
        if not all(self._asks_for_something(t) for t in listed):
            listed = ()
        for text in listed or (rest,):
            for part in composite.split(text, self._tool_of, kept):
                if (
                    smalltalk.kind(part) is None
                    and not texts.COURTESY.match(part)
                    and not composite.PURPOSE.match(part)
                ):
                    found.append(self._step(part, whole))
        return merged(continuing.looked_in(found)) or [Step(whole, "knowledge")]

    def _asks_for_something(self, text: str) -> bool:
        """Whether a part of a message is a request of its own, and not half of one."""
        asks = speech.asks(text) and self.selector.speaks_of_any(self._without_moments(text))
        words = [f for f in lexicon.features(traits.masked(text)) if len(f) > 1]
        named = len(words) == 1 and not words[0].startswith("#")
        return bool(asks or smalltalk.kind(text) or speech.looks(text) or (not named and self._tool_of(text)))

    def _tool_of(self, text: str) -> composite.Asked | None:
        typed = any(specials.speaks_for(c, text) for c in self.cards)
        if not typed and not self.selector.speaks_of_any(self._without_moments(text)):
            return None
        ranked = self._fitting(text, text)
        if not ranked:
            return None
        told = not ranked[0].card.writes and speech.tells(text)
        explicit = speech.asks(text) or speech.looks(text)
        return None if told else composite.Asked(ranked[0].card.name, ranked[0].card.writes, explicit)

    def _orders(self, text: str) -> bool:
        """Whether a text orders a change that an offered tool makes, and says all that it needs."""
        ranked = [s for s in self._fitting(text, text) if s.card.writes]
        return bool(ranked) and self._fill(ranked[0].card, text, text).complete

    def _without_moments(self, text: str) -> str:
        folded = lexicon.fold(text)
        spans = [(h.start, h.end) for h in dates.hours(folded)]
        spans += [(d.start, d.end) for d in dates.days(folded, self.prompt.today)] if self.prompt.today else []
        for start, end in spans:
            text = text[:start] + " " * (end - start) + text[end:]
        return text

    def _step(self, text: str, whole: str) -> Step:
        if ownership.others(text, self.cards):
            return Step(text, "others")
        if step := continuing.step(text, self.prompt, self.cards):
            return step
        ranked = self._fitting(text, whole)
        if not self._names_its_thing(text, ranked) and (undone := pending.undoing(self.prompt, self.cards, text)):
            return undone
        if (not ranked or not ranked[0].card.writes) and not speech.looks(text) and (spared := self._spared(text)):
            rest = text
            for card in self.cards:
                rest = replies.without_spared(card, rest)
            asked = speech.asks(rest) and rest.strip(" ,，") != text.strip(" ,，")
            return self._step(rest.strip(" ,，。."), whole) if asked else spared
        if _HOW_TO.search(text) and actions.named(text):
            return self._knowledge(text)
        fillings = {s.card.name: self._fill(s.card, text, whole) for s in ranked}
        best = selection.preferred(ranked, fillings)
        if best is None:
            return self._without_tool(text, whole)
        if best.card.searches or documents.answer(text, best, fillings[best.card.name], self.prompt):
            return self._knowledge(text)
        if documents.rules(text, best, fillings[best.card.name], self.prompt, self.cards):
            return self._knowledge(text)
        if wholes.in_part(best.card, text) or (whole != text and wholes.in_part(best.card, whole)):
            return Step(text, "in part")
        return self._served(text, best.card, fillings[best.card.name], ranked, fillings)

    def _names_its_thing(self, text: str, ranked: Sequence[Scored]) -> bool:
        """Whether a change is ordered, and the text itself says of what."""
        card = ranked[0].card if ranked and ranked[0].card.writes else None
        return card is not None and bool(self._fill(card, text, text).said & {p.name for p in card.required})

    def _fitting(self, text: str, whole: str) -> list[Scored]:
        """The tools that score enough; a read needs less when the text says all that it must be given."""
        ranked = []
        ordered = bool(actions.ordered(text))
        every = self.selector.rank(text)
        # What speaks for a read beside its words lifts it over the bar, and never over one that needs no lifting.
        cap = next((s.score for s in every if s.score >= selection.ENOUGH), math.inf)
        for scored in every:
            if scored.card.finds_tools and not _OF_TOOLS.search(text):
                continue
            needed = {p.name for p in scored.card.required}
            score = scored.score
            if not needed and not scored.card.writes and self.selector.far_from(scored.card, text):
                continue
            if (
                needed
                and not ordered
                and not scored.card.writes
                and not scored.card.searches
                and selection.ENOUGH > score >= 0.45
            ):
                score += 0.6 if needed <= self._fill(scored.card, text, whole).said else 0.0
            if not needed and not scored.card.writes and selection.ENOUGH > score >= 0.3:
                score += 0.7 if self.selector.knows_all(scored.card, text) else 0.0
            if score >= selection.ENOUGH:
                ranked.append(Scored(scored.card, min(score, max(scored.score, cap * 0.99))))
        return sorted(ranked, key=lambda s: (not s.card.writes, -s.score))[:4]

    def _served(
        self, text: str, card: Card, filling: Filling, ranked: Sequence[Scored], fillings: dict[str, Filling]
    ) -> Step:
        whole = self.prompt.question
        if self.reply:
            filling = replies.fuller(filling, replies.merged(card, self.base, self.reply, self.known))
        if not filling.complete and whole != text:
            wider = self._fill(card, whole, whole)
            filling = wider if wider.complete and len(wider.calls) == 1 else filling
        step = Step(text, "tool" if filling.complete else "ask", card, filling)
        if card.writes and speech.conditional(text):
            reads = [
                s.card
                for s in ranked
                if not s.card.writes and s.card.required and fillings[s.card.name].complete and not s.card.searches
            ]
            reads = reads or [
                c
                for c in self.cards
                if not c.writes and c.verbs & card.verbs and self._fill(c, text, self.prompt.question).complete
            ]
            step.first = [(c, needed(c, self._fill(c, text, self.prompt.question).calls[0])) for c in reads[:1]]
            step.held = True
        if not filling.complete and (lister := self._lister(card, filling, text)):
            step.first = [lister]
        return step

    def _fill(self, card: Card, text: str, whole: str) -> Filling:
        implicit = not (set(lexicon.features(text)) & card.objects) if card.writes else True
        cleaned = replies.without_spared(card, text)
        context = whole.replace(text, " ") if whole != text else ""
        filling = fill(card, cleaned, self.known, context=replies.without_spared(card, context), implicit=implicit)
        return filling if card.writes or not context else self._named_before(card, text, context, filling)

    def _named_before(self, card: Card, text: str, context: str, filling: Filling) -> Filling:
        """With the project, the customer, … that the rest of the message names, unless this part speaks of all."""
        for p in (p for p in card.parameters if not p.required and names.kind(p) and p.name not in filling.said):
            alike = [card, *(c for c in self.cards if c is not card and c.parameter(p.name))]
            found = (names.find(c, p, context, ()) for c in alike)
            piece = None if _OVERALL.search(text) else next((f for f in found if f), None)
            for args in filling.calls if piece else ():
                args.setdefault(p.name, piece.value if piece else "")
        return filling

    def _without_tool(self, text: str, whole: str) -> Step:
        if step := continuing.step(text, self.prompt, self.cards, bare=False):
            return step
        ordered = actions.ordered(text)
        order = bool(ordered) and not speech.asks(text) and not evidence.quotes(text, self.prompt.passages)
        if found := finding.step(text, self.prompt, self.cards, self.selector, self._fill, order=order):
            return found
        return Step(text, "unable") if order else self._knowledge(text)

    def _knowledge(self, text: str) -> Step:
        """Served by the evidence that is there; without any, by a tool that searches."""
        if evidence.quotes(text, self.prompt.passages):
            return Step(text, "knowledge")
        if documents.foreign_code(text, self.cards):
            found = finding.step(text, self.prompt, self.cards, self.selector, self._fill, order=True)
            if found:
                return found
        search = next((c for c in self.cards if c.searches and c.required), None)
        if search and lexicon.features(text):
            return Step(text, "knowledge", search, fill(search, text, self.known))
        return Step(text, "knowledge")

    def _spared(self, text: str) -> Step | None:
        """A request not to do something: acknowledged, nothing called."""
        for card in self.cards:
            if card.writes and speech.spared(text, card.verbs, actions.own_verbs(card)):
                return Step(text, "spared")
        return None

    def _lister(self, card: Card, filling: Filling, text: str) -> tuple[Card, dict[str, Any]] | None:
        """A read that lists what a missing identifier may be."""
        missing = next((p for p in filling.missing if identifiers.is_identifier(card, p)), None)
        if missing is None or (card.writes and not memory.picks(text)):
            return None
        about = {w for w in missing.words if w not in ("id", "no", "number", "ref", "code")} | card.objects
        for other in self.cards:
            if other is card or other.writes or other.required or other.searches:
                continue
            plural = {w.rstrip("s") for w in other.name_words} | other.objects
            if about & plural:
                return other, {} if card.writes else next(iter(self._fill(other, text, text).calls), {})
        return None
