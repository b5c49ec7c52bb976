"""The answer: what the results say, what the evidence says, and what is missing, in the asker's language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from signoff.models.rehearsal import evidence, lexicon
from signoff.models.rehearsal import steps as steps_of
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.compose import Composer
from signoff.models.rehearsal.lexicon import name_of
from signoff.models.rehearsal.phrases import phrase
from signoff.models.rehearsal.prompt import Prompt, Result
from signoff.models.rehearsal.steps import Step
from signoff.text import language as language_of

_ASIDE = frozenset({"undo", "next"})
"""Fields that are for the desk and tell the person nothing."""


class Writer:
    """Writes for one prompt."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.language = prompt.language

    def say(self, key: str, **values: Any) -> str:
        """A phrase in the asker's language."""
        return phrase(key, self.language, **values)

    def talk(self, topic: str, cards: Sequence[Card]) -> str:
        """An answer to small talk."""
        if topic != "can":
            return self.say(topic)
        samples = [s.text for c in cards for s in c.samples if language_of(s.text) == self.language]
        firsts = list(dict.fromkeys(samples))[:3]
        return (
            "\n".join([self.say("can"), self.say("such"), *(f"- {s}" for s in firsts)]) if firsts else self.say("can")
        )

    def answer(self, steps: Sequence[Step], cards: Sequence[Card]) -> str:
        """One answer that covers all steps, and every result, once each."""
        if report := self._report(steps, cards):
            return report
        parts: list[str] = []
        told: list[Result] = []
        quoted: set[str] = set()
        for step in steps:
            mine = [r for r in steps_of.served(step, self.prompt.results) if not any(r is t for t in told)]
            parts.extend(self.result(r, cards) for r in mine)
            told.extend(mine)
            parts.extend(self._rest(step, steps, cards, quoted))
        finders = {c.name for c in cards if c.finds_tools}
        left = [r for r in self.prompt.results if not any(r is t for t in told)]
        parts[:0] = [self.result(r, cards) for r in left if r.tool not in finders]
        return "\n\n".join(dict.fromkeys(p for p in parts if p)) or self.say("nothing")

    def _report(self, steps: Sequence[Step], cards: Sequence[Card]) -> str:
        """The answer of a skill that states sections: the sections, or what came of writing them."""
        planned = any(s.planned for s in steps)
        if not (planned and self.prompt.skill and self.prompt.skill.sections and self.prompt.results):
            return ""
        if any(s.kind == "ask" and not steps_of.own(s, self.prompt.results) for s in steps):
            return ""
        writing = {c.name for c in cards if c.writes}
        mine = {s.card.name for s in steps if s.card}
        written = [self.result(r, cards) for r in self.prompt.results if r.tool in writing & mine]
        beside = [self.result(r, cards) for r in self.prompt.results if not self._of_skill(r)]
        if written:
            return "\n\n".join(dict.fromkeys([*written[-1:], *beside]))
        composer = Composer(self.prompt)
        args = next((a for s in steps if s.card and s.card.writes is False for a in s.filling.calls if a), {})
        of = {p.name: args[p.name] for s in steps if s.card for p in s.card.required if p.name in args}
        text = composer.text(composer.title(None, of))
        unwritten = any(s.card.writes and s.kind == "later" for s in steps if s.card) and any(
            not r.ok for r in self.prompt.results
        )
        return "\n\n".join([text, *([self.say("not written")] if unwritten else []), *beside])

    def _of_skill(self, result: Result) -> bool:
        skill = self.prompt.skill
        return skill is not None and any(result.tool in tools for tools, _ in skill.steps)

    def _rest(self, step: Step, steps: Sequence[Step], cards: Sequence[Card], quoted: set[str]) -> list[str]:
        mine = steps_of.served(step, self.prompt.results)
        match step.kind:
            case "talk":
                return [self.talk(step.topic, cards)]
            case "others" | "spared" | "withdrawn" | "dropped":
                return [self.say(step.kind)]
            case "in part":
                return [self.say("only whole")]
            case "unable":
                return [self.say("unable", text=step.text.strip())]
            case "knowledge":
                return self._documents(step, len(steps) > 1, quoted)
            case "ask" if not steps_of.own(step, self.prompt.results):
                return [self._question(step, bool(mine))]
            case "tool" if step.held and not steps_of.own(step, self.prompt.results) and steps_of.refused(mine):
                return [self.say("held"), *self.quotes(step.text, quoted, 1)]
            case "tool" if not step.card or not step.card.writes:
                hint = " ".join(self.result(r, cards) for r in mine)
                return self.quotes(_grounds(step), quoted, 1, hint=hint) if _wants_grounds(step) else []
        return []

    def _documents(self, step: Step, several: bool, quoted: set[str]) -> list[str]:
        if lines := self.quotes(step.text, quoted, 2):
            return lines
        if any(r.ok for r in steps_of.own(step, self.prompt.results)) and step.card and not step.card.searches:
            return []
        return [self.say("nothing_for", text=step.text.strip(" ?？。.!！")) if several else self.say("nothing")]

    def quotes(self, text: str, quoted: set[str], limit: int, *, hint: str = "") -> list[str]:
        """Sentences of the evidence with their markers, one a line."""
        lines = []
        for quote in evidence.quotes(text, self.prompt.passages, limit=limit, hint=hint):
            if quote.sentence in quoted:
                continue
            quoted.add(quote.sentence)
            foreign = language_of(quote.sentence) != self.language
            words = self.say("says", text=quote.sentence.rstrip("。.")) if foreign else quote.sentence
            lines.append(f"{words} [{quote.n}]")
        return ["\n".join(lines)] if lines else []

    def _question(self, step: Step, listed: bool) -> str:
        names = [name_of(p.name, self.language) for p in step.filling.missing]
        joined = ("、" if self.language == "zh" else " and ").join(names)
        options = next(
            (step.filling.options[p.name] for p in step.filling.missing if step.filling.options.get(p.name)), []
        )
        first = step.filling.missing[0]
        asked = (
            self.say("which?", what=joined)
            if len(names) == 1 and first.name in step.filling.options
            else self.say("which", what=joined)
        )
        if options and not listed:
            asked += ("" if self.language == "zh" else " ") + self.say(
                "such as", options=("、" if self.language == "zh" else ", ").join(options)
            )
        return asked

    def result(self, result: Result, cards: Sequence[Card]) -> str:
        """A result in words: its own summary, else its data line by line; a failure as what it is."""
        summary = result.metadata.get("summary")
        if not result.ok:
            return self._failure(result, cards, summary if isinstance(summary, str) else "")
        card = next((c for c in cards if c.name == result.tool), None)
        if card and card.searches and self._is_passages(result):
            return ""
        spoken = isinstance(summary, str) and summary.strip() and not self._foreign(summary, result)
        text = str(summary).strip() if spoken else self._lines(result.data)
        if not text:
            return self.say("empty")
        if not summary and card and card.writes:
            text = self.say("done", what=text.replace("\n", "; "))
        return self.say("untrusted", text=text) if result.untrusted else text

    def _foreign(self, summary: str, result: Result) -> bool:
        """Whether a summary is in another language than the one that was wished for, and its fields can be told."""
        if self.prompt.wished is None or not isinstance(result.data, dict):
            return False
        if any(isinstance(v, list | dict) and k not in _ASIDE for k, v in result.data.items()):
            return False
        latin = len(re.findall(r"[A-Za-z]{2,}", summary)) > 3
        return language_of(summary) == "zh" if self.language == "en" else latin and language_of(summary) == "en"

    def _is_passages(self, result: Result) -> bool:
        numbers = {p.n for p in self.prompt.passages}
        rows = result.data.get("passages") if isinstance(result.data, dict) else None
        return isinstance(rows, list) and all(isinstance(r, dict) and r.get("n") in numbers for r in rows)

    def _failure(self, result: Result, cards: Sequence[Card], summary: str) -> str:
        message = summary or str(result.error.get("message") or result.error.get("code") or "").strip()
        card = next((c for c in cards if c.name == result.tool), None)
        code = result.error.get("code")
        decided = code in (
            "REJECTED",
            "EXPIRED",
            "WITHDRAWN",
            "CANCELLED",
            "APPROVAL_REQUIRED",
            "OUTCOME_UNKNOWN",
            "NOT_ELIGIBLE",
        )
        return self.say("not done" if decided or (card and card.writes) else "not found", why=message)

    def _lines(self, data: Any) -> str:
        if isinstance(data, dict):
            return "\n".join(
                f"{name_of(str(k), self.language)}: {_flat(v)}"
                for k, v in data.items()
                if v not in (None, "", [], {}) and k not in _ASIDE and not self._twin(str(k), data)
            )
        if isinstance(data, list):
            return "\n".join(f"- {_flat(v)}" for v in data[:10])
        return "" if data is None else str(data)

    def _twin(self, key: str, data: dict[str, Any]) -> bool:
        """Whether a field is there in the answer's language under another name: status beside status_zh."""
        return (
            key.removesuffix("_zh") in data
            if self.language == "en" and key.endswith("_zh")
            else f"{key}_zh" in data and self.language == "zh"
        )

    def close(self, steps: Sequence[Step], cards: Sequence[Card]) -> str:
        """The answer at a limit: what is known, what is missing, how to split."""
        known = [text for r in self.prompt.results if (text := self.result(r, cards))]
        quoted: set[str] = set()
        known += [line for s in steps if s.kind == "knowledge" for line in self.quotes(s.text, quoted, 1)]
        if self.prompt.skill and self.prompt.skill.steps:
            return "\n".join([*self._closed(known), *self._missing_tools()])
        open_steps = [s.text.strip() for s in steps if s.kind != "talk" and not steps_of.own(s, self.prompt.results)]
        open_steps = [t for t in open_steps if not evidence.quotes(t, self.prompt.passages)]
        lines = self._closed(known)
        lines += (
            [self.say("missing", what=("; " if self.language == "en" else ";").join(open_steps))] if open_steps else []
        )
        return "\n".join([*lines, self.say("split")])

    def _closed(self, known: Sequence[str]) -> list[str]:
        told = [self.say("known"), *dict.fromkeys(known)] if known else [self.say("none known")]
        return [self.say("closed"), *told]

    def _missing_tools(self) -> list[str]:
        """What of a skill's steps was not done, and how to split the task along them."""
        assert self.prompt.skill is not None
        done = {r.tool for r in self.prompt.results if r.ok}
        mark, colon = ("、", "；") if self.language == "zh" else (", ", "; ")
        parts = [
            mark.join(f"`{t}` ({name_of(t, self.language)})" for t in tools if t not in done)
            for tools, _ in self.prompt.skill.steps
        ]
        split = [mark.join(name_of(t, self.language) for t in tools) for tools, _ in self.prompt.skill.steps]
        left = [p for p in parts if p]
        lines = [self.say("missing", what=mark.join(left))] if left else []
        numbered = colon.join(f"{n}) {s}" for n, s in enumerate(split, 1))
        return [*lines, self.say("split into", parts=numbered)]

    def mended(self, draft: str, findings: str) -> str:
        """The draft without the sentences that validation found fault with."""
        faults = [f.strip("- ").strip() for f in findings.splitlines() if f.strip().startswith("-")] or [findings]
        kept: list[str] = []
        for line in draft.splitlines():
            parts = re.findall(r"[^。！？!?]+?(?:[。！？!?]+|\.(?=\s)|$)(?:\s*\[\d+\])*\s*", line) or [line]
            kept.append("".join(p for p in parts if not any(at_fault(p, f) for f in faults)).rstrip())
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
        return text if text and text != draft.strip() else ("" if text else self.say("unsupported"))


def _grounds(step: Step) -> str:
    """What to look for in the rules: what the request shares with what the tool does, else all its words."""
    verbs = step.card.verbs if step.card else frozenset()
    shared = [f.word for f in lexicon.find(step.text) if f.concept in verbs]
    return " ".join(shared) or step.text


def _wants_grounds(step: Step) -> bool:
    """Whether a question about a record is also one about the rules behind it."""
    return (
        (step.card is not None and bool(step.card.verbs - {"look"}))
        or "为什么" in step.text
        or "why" in step.text.lower()
    )


def at_fault(sentence: str, finding: str) -> bool:
    """Whether a finding speaks of a sentence: it quotes it, or names its number or its citation."""
    bare = re.sub(r"\[\d+\]", "", sentence).strip(" 。.!！?？\n")
    if len(bare) > 5 and (bare in finding or finding.strip(" 。.") in sentence):
        return True
    quoted = [a or b for a, b in re.findall(r"[“\"「'‘]([^”\"」'’]{2,})[”\"」'’]|(\[\d+\])", finding)]
    if quoted:
        return any(q in sentence or (len(bare) > 5 and bare in q) for q in quoted)
    numbers = set(re.findall(r"\d+(?:[.,:/-]\d+)*", finding))
    return bool(numbers & set(re.findall(r"\d+(?:[.,:/-]\d+)*", bare)))


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}: {_flat(v)}" for k, v in value.items() if v not in (None, "", [], {}))
    if isinstance(value, list):
        return "; ".join(_flat(v) for v in value[:10])
    return str(value)
