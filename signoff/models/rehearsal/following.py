"""Follows the plan of a skill: the tools that come next, filled from the words, and texts made of results."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from signoff.models.rehearsal import actions, compose, identifiers, labels, lexicon, names, periods, speech, texts
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.outline import PlanStep
from signoff.models.rehearsal.prompt import Prompt, Result
from signoff.models.rehearsal.slots import Filling
from signoff.models.rehearsal.steps import Step
from signoff.models.rehearsal.writing import at_fault

Fill = Callable[[Card, str, str], Filling]
NOT_WRITTEN = re.compile(
    r"(?:(?:周报|报告|总结)(?:就|先|我|也|你|这次|今天)*)?(?:别|不要|不用|先不|暂不|不必|无需|不需要)(?:再)?(?:帮我|给我|替我)?(?:写入|写|出|做|生成|整理|弄|"
    r"保存|存|落盘)[^,，。;；!！?？]*|(?:不用|不要|不需要|不必|无需)(?:周报|报告|总结)"
    r"|\bno (?:\w+ )?(?:report|summary|write-?up)s?(?: (?:is )?(?:needed|necessary|required|please))?|"
    r"\b(?:do not|don['’]?t|no need to|without|never|not to)\s+(?:writ|creat|generat|produc|sav|stor|mak)\w*[^,.;!?]*",
    re.IGNORECASE,
)
_GATHERED = re.compile(
    r"\b(?:summar|recap|write|wrap)\w*|总结|汇总|小结|写|[出做拟编]一?[份个篇]|生成|整理", re.IGNORECASE
)
_CLAUSE = re.compile(r"[^,，;；。!！?？\n]+(?:,(?=\d{3})[^,，;；。!！?？\n]+)*")


class Follower:
    """Steps of a plan, for one prompt."""

    def __init__(self, prompt: Prompt, cards: Sequence[Card], whole: str, fill: Fill) -> None:
        self.prompt = prompt
        self.whole = whole
        self.fill = fill
        self.cards = {c.name: c for c in cards}
        self.composer = compose.Composer(prompt)
        self.plan = [p for p in prompt.plan if p.tools]

    @property
    def tools(self) -> set[str]:
        """The plan's tools, as far as they are bound."""
        return {t for p in self.plan for t in p.tools if t in self.cards}

    def applies(self) -> bool:
        """Whether the plan is what the person wants: not when they only ask how it is done, or want something else."""
        if self.spared() and not self._of_the_skill(NOT_WRITTEN.sub(" ", self.whole)):
            return False
        if (self.only_asked() or not self._for_its_text()) and not self._of_the_skill(self.whole):
            return False
        if actions.ordered(self.whole) & actions.CHANGES - {v for t in self.tools for v in self._verbs(t)}:
            return False
        if self.only_asked() and any(s.kind == "ask" for s in self.steps()):
            return False
        return bool(self.tools)

    def _for_its_text(self) -> bool:
        """Whether the text that the plan writes is asked for, and not only something that it is made of."""
        writes = [self.cards[t] for t in self.tools if self.cards[t].writes and self._composes(self.cards[t])]
        spoken = set(lexicon.features(self.whole))
        ordered = any(speech.wants(self.whole, c.verbs | c.extra_verbs, actions.own_verbs(c)) for c in writes)
        return not writes or ordered or bool(_GATHERED.search(self.whole)) or any(spoken & c.objects for c in writes)

    def _verbs(self, tool: str) -> frozenset[str]:
        return self.cards[tool].verbs | self.cards[tool].extra_verbs

    def spared(self) -> bool:
        """Whether the person says that nothing is to be written."""
        writes = [self.cards[t] for t in self.tools if self.cards[t].writes]
        told = any(speech.spared(self.whole, c.verbs, actions.own_verbs(c)) for c in writes)
        return bool(writes) and (told or bool(NOT_WRITTEN.search(self.whole)))

    def only_asked(self) -> bool:
        """Whether the request is a question, so that nothing is to be written."""
        return speech.asks(self.whole) and not actions.ordered(self.whole)

    def _of_the_skill(self, text: str) -> bool:
        return bool(set(lexicon.features(text)) & self._general())

    def steps(self) -> list[Step]:
        """A step a tool, in the plan's order; one that is not yet, or no longer, due has the kind `later`."""
        return [self._step(line, self.cards[t]) for line in self.plan for t in line.tools if t in self.cards]

    def _step(self, line: PlanStep, card: Card) -> Step:
        filling = self._filled(card)
        due = line.state == "next" and not (card.writes and (self.only_asked() or self.spared()))
        if not due:
            return Step(self.whole, "later", card, filling, planned=True)
        return Step(self.whole, "tool" if filling.complete else "ask", card, filling, planned=True)

    def _filled(self, card: Card) -> Filling:
        filling = self.fill(card, self.whole, self.whole)
        target = compose.text_parameter(card) if card.writes and self._composes(card) else None
        for p in (p for p in card.parameters if not p.required):
            for args in filling.calls:
                named = (
                    texts.kind(p) == "query"
                    and (topic := names.topic(self.whole, ()))
                    and topic.value == args.get(p.name)
                )
                if p.name in args and (named or not self._meant_for(card, p, args[p.name])):
                    del args[p.name]
        if target is None:
            self._empty(card, filling)
            return filling
        titled = compose.title_parameter(card)
        for args in filling.calls:
            own = {k: v for k, v in args.items() if k != target.name and card.parameter(k) in card.required}
            title = self.composer.title(card, {k: v for k, v in own.items() if not titled or k != titled.name})
            if titled and titled is not target and labels.find(titled, self.whole, ()) is None:
                args[titled.name] = title
            args[target.name] = self._mended(card, target, self.composer.text(title))
        made = {target.name, titled.name if titled else ""}
        filling.missing = [p for p in filling.missing if p.name not in made]
        return filling

    def _empty(self, card: Card, filling: Filling) -> None:
        """Words that do nothing but ask for it are no matter of their own."""
        if len(lexicon.features(self.whole)) > 2:
            return
        for p in card.required:
            bare = texts.kind(p) == "content" and any(
                a.get(p.name) == self.whole.strip(" 。.!！") for a in filling.calls
            )
            if bare and p not in filling.missing:
                filling.missing.append(p)

    def _composes(self, card: Card) -> bool:
        """Whether the tool's text is made of results: those of earlier steps, or of a skill that states sections."""
        before = [p for p in self.plan if card.name not in p.tools]
        return bool(before) and bool(self.prompt.results or (self.prompt.skill and self.prompt.skill.sections))

    def _mended(self, card: Card, target: Parameter, text: str) -> str:
        """Without the lines that an earlier attempt was refused for."""
        refused = [r for r in self.prompt.results if r.tool == card.name and not r.ok]
        for result in refused:
            text = _without_faults(text, result)
        return text

    def _meant_for(self, card: Card, p: Parameter, value: Any) -> bool:
        """Whether an optional value was said of this tool's matter, and not of that of another tool of the plan.

        When something was, it holds for all of the plan; of what, only for what stands nearest in its clause.
        """
        if periods.unit(p) or not isinstance(value, str):
            return True
        at = self.whole.lower().find(value.lower())
        if at < 0:
            return True
        clause = next((m for m in _CLAUSE.finditer(self.whole) if m.start() <= at < m.end()), None)
        if clause is None:
            return True
        named: list[tuple[int, set[str]]] = []
        for hit in lexicon.find(clause[0]):
            if lexicon.is_look(hit.concept) or lexicon.is_action(hit.concept):
                continue
            start, end = clause.start() + hit.start, clause.start() + hit.end
            owners = {t for t in self.tools if "#" + hit.concept in self.cards[t].objects}
            general = "#" + hit.concept in self._general() or any(self.cards[t].writes for t in owners)
            if owners or general:
                distance = max(at - end, start - at - len(value), 0)
                named.append((distance, self.tools if general else owners))
        return not named or card.name in min(named, key=lambda n: n[0])[1]

    def _general(self) -> set[str]:
        name = self.prompt.skill.name.replace("_", " ") if self.prompt.skill else ""
        return set(lexicon.features(name))


def _without_faults(text: str, refusal: Result) -> str:
    why = f"{refusal.error.get('message') or ''}"
    kept = [line for line in text.splitlines() if line.startswith("#") or not at_fault(line, why)]
    return "\n".join(kept)


def asked_first(steps: Sequence[Step]) -> list[Step]:
    """When a step that is due lacks what the person must say, it is asked for before anything is called."""
    lacking = [s for s in steps if s.kind == "ask" and s.card]
    for step in lacking:
        assert step.card is not None
        if any(
            not identifiers.is_identifier(step.card, p) or not step.filling.options.get(p.name)
            for p in step.filling.missing
        ):
            return [step]
    return list(steps)
