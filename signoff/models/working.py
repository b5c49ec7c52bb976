"""Working memory: what a long conversation has come to so far, computed from its record and never by a model.

A model that is sent only the newest turns reads here what was asked, what was done and what is open. Everything
in it is the person's own words, a field of a result, or code's. Of results with text from outside only
identifiers, numbers and dates are kept, and each says so; free text that such a result holds is left out
wherever else it turns up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from signoff import smalltalk
from signoff.models.facts import FIELD_CHARS, Facts, ids, named, quoted, results
from signoff.state import TurnState, open_calls
from signoff.text import shorten

REQUEST_CHARS = 160

_WORDS = {
    "goal": ("Asked for", "要办的事"),
    "first": ("first", "最初"),
    "latest": ("latest", "最近"),
    "done": ("Done", "已完成"),
    "not_done": ("Not done", "没有做成"),
    "fields": ("Known so far", "已知信息"),
    "open": ("Open", "未了结"),
    "waits": ("waits for a decision or an answer", "等待批准或答复"),
    "next": ("next", "下一步"),
    "asked": ("the person was asked", "已向用户提问"),
}
_SECTIONS = ("goal", "done", "not_done", "fields", "open")
_FILLED = ("goal", "done", "open", "not_done", "fields")
"""The order in which sections get their room when there is too little of it."""
_MOST = {"goal": 2, "done": 8, "not_done": 4, "fields": 6, "open": 4}


def working(
    messages: Sequence[AnyMessage], turn: TurnState, *, language: str | None = None, limit_chars: int = 1200
) -> str:
    """The conversation so far in at most `limit_chars` characters, in sections with a line an entry.

    Sections: what was asked for, what was done, what was not, fields of the newest results, and what is open; of
    each the newest entries that find room. `language` is `zh` or `en`, by default the turn's. The same record
    gives the same text. Empty when the conversation is nothing but its current turn.
    """
    last = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    if all(isinstance(m, SystemMessage) for m in messages[: max(last, 0)]):
        return ""
    word = 1 if (language or turn["language"]) == "zh" else 0
    return _Summary(Facts(list(results(messages)), word), word).text(messages, limit_chars)


class _Summary:
    """Renders in one language."""

    def __init__(self, facts: Facts, word: int) -> None:
        self._facts = facts
        self._word = word

    def text(self, messages: Sequence[AnyMessage], limit: int) -> str:
        """The sections, each with its newest lines, as far as they fit."""
        lines = {
            "goal": self._goal(messages),
            "done": [self._facts.done(r) for r in self._facts.results if r.ok and r.wrote],
            "not_done": [self._facts.refused(r) for r in self._facts.results if not r.ok],
            "fields": self._found(),
            "open": self._open(messages),
        }
        kept: dict[str, list[str]] = {s: [] for s in _SECTIONS}
        room = limit
        for section in _FILLED:
            # The newest first, each once; they are shown oldest first.
            for line in list(dict.fromkeys(reversed(lines[section])))[: _MOST[section]]:
                cost = len(line) + 3 + (len(self._say(section)) + 2 if not kept[section] else 0)
                if cost <= room:
                    kept[section].insert(0, line)
                    room -= cost
        blocks = [f"{self._say(s)}:\n" + "\n".join(f"- {line}" for line in kept[s]) for s in _SECTIONS if kept[s]]
        return "\n".join(blocks)

    def _goal(self, messages: Sequence[AnyMessage]) -> list[str]:
        said = [" ".join(str(m.text).split()) for m in messages if isinstance(m, HumanMessage)]
        real = [s for s in said if smalltalk.kind(s) is None]
        if not real:
            return []
        first, latest = (quoted(shorten(s, REQUEST_CHARS)) for s in (real[0], real[-1]))
        lines = [f"{self._say('first')}: {first}"]
        return lines if len(real) == 1 else [*lines, f"{self._say('latest')}: {latest}"]

    def _found(self) -> list[str]:
        return [line for r in self._facts.results if (line := self._facts.found(r))]

    def _open(self, messages: Sequence[AnyMessage]) -> list[str]:
        waiting = set(open_calls(messages))
        calls = [c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls if c["id"] in waiting]
        lines: list[str] = []
        later: set[str] = set()
        for result in reversed(self._facts.results):
            own = set(ids(result.data)) if result.ok and result.wrote else set()
            if own and isinstance(result.data.get("next"), str) and not own & later and not result.untrusted:
                whose = ", ".join(sorted(own))
                lines.insert(0, f"{whose}: {self._say('next')}: {quoted(shorten(result.data['next'], FIELD_CHARS))}")
            later |= own
        lines += [f"{named(c['name'], c['args'])}: {self._say('waits')}" for c in calls]
        if asked := self._question(messages):
            lines.append(f"{self._say('asked')}: {asked}")
        return lines

    def _question(self, messages: Sequence[AnyMessage]) -> str:
        """What the desk asked in its last answer, if it ended with a question that quotes nothing from outside."""
        said = next((m for m in reversed(messages) if isinstance(m, AIMessage) and str(m.text).strip()), None)
        text = " ".join(str(said.text).split()) if said is not None else ""
        if not text.endswith(("?", "？")) or self._facts.borrowed(text):
            return ""
        return quoted(shorten(re.split(r"(?<=[.!?。!?])\s*(?=\S)", text)[-1], REQUEST_CHARS))

    def _say(self, name: str) -> str:
        return _WORDS[name][self._word]
