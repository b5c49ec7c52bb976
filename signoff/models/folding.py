"""Older turns as text: what was asked, what the results of the tools confirm, and, apart from that, what the assistant
said.

What is confirmed is copied by code from results. The newest of the folded turns have a paragraph each, older ones a
line, and of the oldest their number is told and every change that was made.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from signoff import smalltalk
from signoff.errors import SignoffError
from signoff.models.budget import cut_middle, estimate_text, written
from signoff.models.facts import Facts, Result, quoted, results
from signoff.text import language, shorten

QUESTION_CHARS = 200
OWN_CHARS = 240
LINE_CHARS = 100
SUMMARY_TOKENS = 300

_WORDS = {
    "head": (
        "Earlier in this conversation, in short. What is confirmed was copied from results.",
        "本次对话较早的部分。“已确认”的内容逐字取自工具结果。",
    ),
    "count": ("Before that, turns left out: {n}.", "更早的对话省略 {n} 轮。"),
    "changes": ("Changes made then, confirmed:", "其中已确认的变更:"),
    "more": ("earlier changes that are not listed: {n}", "另有更早的变更 {n} 条未列出"),
    "turn": ("Turn {n}, asked: {what}", "第 {n} 轮,用户:{what}"),
    "confirmed": ("confirmed", "已确认"),
    "own": ("assistant's own words, not confirmed", "助手自己的话,未经确认"),
    "outside": ("left out, for it repeats untrusted text", "复述了不可信文本,已略去"),
    "rests": ("words that rest on untrusted text, left out", "依据不可信文本的话,已略去"),
    "also": ("also: {what}", "另有:{what}"),
}
_READS_SHOWN = 6
_ALSO = 12
_RUN = re.compile(r"[A-Za-z\d_.,/:#%+@=?&~-]+")
_TELLS = re.compile(r"\d|\w@\w|\w://\w|^[A-Z]{2,}[-_#]\w")
"""What makes a run of characters a number, an amount, a date, an identifier or an address."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。!?;])|\n+")


def fold(turns: Sequence[Sequence[BaseMessage]], tokens: int, summary: Callable[[str], str] | None = None) -> str:
    """Turns (paired, oldest first) as text of at most `tokens` estimated tokens; the same turns give the same text.

    `summary` may put the assistant's words, and only them, shorter: it is given what was asked and answered, and
    what it gives back is kept without numbers, identifiers and addresses that the turns do not have, and without
    sentences that repeat untrusted text. It is asked once for the same turns as long as it is the same object; when
    it raises a `SignoffError` or says nothing, the assistant's words stand as they were.
    """
    key = (_digest(turns), tokens, summary)
    with _lock:
        if key in _folds:
            _folds.move_to_end(key)
            return _folds[key]
    text = _Fold(turns).text(tokens, summary)
    with _lock:
        _folds[key] = text
        if len(_folds) > _FOLDS:
            _folds.popitem(last=False)
    return text


def known_only(text: str, source: str) -> str:
    """The text with `…` for each number, identifier and address that the source does not have."""
    known = {_canonical(t) for t in _tokens(source)}
    return _RUN.sub(lambda m: m[0] if not _TELLS.search(m[0]) or _canonical(m[0]) in known else "…", _plain(text))


class _Fold:
    """The parts of folded turns, in the language of the first of them."""

    def __init__(self, turns: Sequence[Sequence[BaseMessage]]) -> None:
        self._turns = turns
        first = next((str(t[0].text) for t in turns if t and re.search(r"[^\W\d_]", str(t[0].text))), "")
        self._word = 1 if language(first) == "zh" else 0
        self._results = [list(results(t)) for t in turns]
        self._facts = Facts([r for found in self._results for r in found], self._word)

    def text(self, tokens: int, summary: Callable[[str], str] | None) -> str:
        """Paragraphs in half of the room, lines in a quarter, and the oldest turns' changes in what is left."""
        head = self._say("head")
        room = tokens - estimate_text(head) - 1
        if room < 0:
            return ""
        at = len(self._turns)
        shorter = SUMMARY_TOKENS if summary is not None and room >= 4 * SUMMARY_TOKENS else 0
        paragraphs, at = self._newest(at, room // 2 - shorter, lambda n: self._paragraph(n, own=not shorter))
        own = self._summary(range(at, len(self._turns)), summary) if summary is not None and shorter else ""
        if shorter and not own:
            paragraphs, at = self._newest(len(self._turns), room // 2, lambda n: self._paragraph(n, own=True))
        lines, at = self._newest(at, room // 4, self._line)
        body = [*lines, *paragraphs, *([f"{self._say('own')}: {own}"] if own else [])]
        left = room - sum(_cost(p) for p in body)
        return "\n".join([head, *self._oldest(at, left), *body])

    def _newest(self, until: int, room: int, part: Callable[[int], str]) -> tuple[list[str], int]:
        """The parts of the newest turns before `until` that find room, and the turn that they begin with."""
        kept: list[str] = []
        for n in range(until - 1, -1, -1):
            text = part(n)
            room -= _cost(text) if text else 0
            if room < 0:
                return kept, n + 1
            if text:
                kept.insert(0, text)
        return kept, 0

    def _paragraph(self, n: int, *, own: bool) -> str:
        """A turn's question, what is confirmed, and the assistant's own words; empty for small talk."""
        if self._idle(n):
            return ""
        lines = [self._say("turn").format(n=n + 1, what=self._asked(n, QUESTION_CHARS))]
        shown = [r for r in self._results[n] if r.wrote or not r.ok]
        reads = [r for r in self._results[n] if not (r.wrote or not r.ok)][-_READS_SHOWN:]
        for result in self._results[n]:
            if any(result is r for r in (*shown, *reads)):
                lines.append(f"  {self._say('confirmed')} [{quoted(result.call)}]: {self._told(result)}")
        if own and (said := self._own(n)):
            lines.append(f"  {self._say('own')}: {said}")
        return "\n".join(lines)

    def _line(self, n: int) -> str:
        """A turn in a line: its question, its calls, and of changes what came of them."""
        if self._idle(n):
            return ""
        done = [self._told(r) if r.wrote and r.ok else self._facts.call(r) for r in self._results[n]]
        asked = self._say("turn").format(n=n + 1, what=self._asked(n, LINE_CHARS))
        return f"{asked} → {'; '.join(dict.fromkeys(done))}" if done else asked

    def _oldest(self, until: int, room: int) -> list[str]:
        """The number of the oldest turns and the changes that they made, the newest as far as there is room."""
        if not until:
            return []
        count = self._say("count").format(n=until)
        made = [r for found in self._results[:until] for r in found if r.wrote and r.ok]
        room -= _cost(count) + _cost(self._say("changes"))
        if room < 0:
            return []
        if not made:
            return [count]
        # Each change has a line as long as all find room, else an identifier; the oldest are counted at last.
        changes = list(dict.fromkeys(self._facts.change(r) for r in made))
        left = 0
        if sum(_cost(c) + 2 for c in changes) > room:
            changes = self._facts.identified(made)
            while made and sum(_cost(c) + 2 for c in changes) > room - 30:
                less = max(1, len(made) // 8)
                left, made = left + less, made[less:]
                changes = self._facts.identified(made)
        more = [self._say("more").format(n=left)] if left and room >= 30 else []
        return [count, self._say("changes"), *(f"- {c}" for c in (*more, *changes))] if more or changes else [count]

    def _told(self, result: Result) -> str:
        if not result.ok:
            return self._facts.refused(result)
        if result.wrote:
            return self._facts.done(result)
        return self._facts.found(result) or f"{self._facts.call(result)}: ok"

    def _idle(self, n: int) -> bool:
        return not self._results[n] and smalltalk.kind(str(self._turns[n][0].text)) is not None

    def _asked(self, n: int, limit: int) -> str:
        words = self._turns[n][0]
        if words.additional_kwargs.get("tainted"):
            return f"({self._say('rests')})"
        return self._gist(str(words.text), limit)

    def _own(self, n: int) -> str:
        """The turn's last words, without what they repeat from outside."""
        text = _last_words(self._turns[n])
        if not text:
            return ""
        if self._facts.borrowed(text):
            return f"({self._say('outside')})"
        return self._gist(text, OWN_CHARS)

    def _gist(self, text: str, limit: int) -> str:
        """The beginning of a text, and the numbers and identifiers that the rest of it has."""
        short = shorten(text, limit)
        lost = [t.strip(".,/:#+-") for t in dict.fromkeys(_tokens(" ".join(text.split())[limit - 1 :]))]
        lost = [t for t in lost if t and len(t) <= 40 and t not in short][:_ALSO] if short.endswith("…") else []
        return quoted(short + (f" ({self._say('also').format(what=', '.join(lost))})" if lost else ""))

    def _summary(self, which: range, summary: Callable[[str], str] | None) -> str:
        """The assistant's words of those turns in a model's words; empty when it gives none."""
        said = [(self._asked(n, 4 * QUESTION_CHARS), self._own_whole(n)) for n in which if not self._idle(n)]
        if summary is None or not any(own for _, own in said):
            return ""
        try:
            text = summary("\n\n".join(f"Q: {asked}\nA: {own}" for asked, own in said if own))
        except SignoffError:
            return ""
        source = "\n".join(written(m) for n in which for m in self._turns[n])
        parts = (p for p in _SENTENCE.split(known_only(str(text), source)) if p.strip())
        kept = " ".join(" ".join(p.split()) for p in parts if not self._facts.borrowed(p))
        return " ".join(cut_middle(quoted(kept), SUMMARY_TOKENS - 40).split())

    def _own_whole(self, n: int) -> str:
        text = _last_words(self._turns[n])
        return "" if self._facts.borrowed(text) else quoted(" ".join(text.split()))

    def _say(self, name: str) -> str:
        return _WORDS[name][self._word]


def _last_words(turn: Sequence[BaseMessage]) -> str:
    return next((s for m in reversed(turn) if isinstance(m, AIMessage) and (s := str(m.text).strip())), "")


def _cost(text: str) -> int:
    return estimate_text(text) + 2


def _plain(text: str) -> str:
    """One form of digits and signs, with the case kept."""
    return unicodedata.normalize("NFKC", text)


def _tokens(text: str) -> list[str]:
    """Numbers, amounts, dates, identifiers and addresses in a text."""
    return [t for t in _RUN.findall(_plain(text)) if _TELLS.search(t)]


def _canonical(token: str) -> str:
    return token.strip(".,/:#%+-_").replace(",", "").casefold()


def _digest(turns: Sequence[Sequence[BaseMessage]]) -> bytes:
    made = hashlib.sha256()
    for turn in turns:
        for m in turn:
            calls = m.tool_calls if isinstance(m, AIMessage) else ()
            whose = m.tool_call_id if isinstance(m, ToolMessage) else bool(m.additional_kwargs.get("tainted"))
            made.update(repr((m.type, m.content, m.name, calls, whose)).encode("utf-8", "replace"))
        made.update(b"\0")
    return made.digest()


_FOLDS = 128
_folds: OrderedDict[tuple[bytes, int, Callable[[str], str] | None], str] = OrderedDict()
_lock = Lock()
