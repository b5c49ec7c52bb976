"""Working memory: what a long conversation has come to so far, computed from its record and never by a model.

A model that is sent only the newest turns reads here what was asked, what was done and what is open. Everything
in it is the person's own words, a field of a result, or code's. Of results with text from outside only
identifiers, numbers and dates are kept, and each says so; free text that such a result holds is left out
wherever else it turns up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from signoff import smalltalk
from signoff.state import TurnState, open_calls
from signoff.text import normalise, shorten, terminal_safe

REQUEST_CHARS = 160
FIELD_CHARS = 60
LINE_CHARS = 240

_WORDS = {
    "goal": ("Asked for", "要办的事"),
    "first": ("first", "最初"),
    "latest": ("latest", "最近"),
    "done": ("Done", "已完成"),
    "not_done": ("Not done", "没有做成"),
    "fields": ("Known so far", "已知信息"),
    "open": ("Open", "未了结"),
    "untrusted": ("from untrusted text", "来自不可信文本"),
    "draft": ("can be undone with", "可撤销:"),
    "waits": ("waits for a decision or an answer", "等待批准或答复"),
    "next": ("next", "下一步"),
    "asked": ("the person was asked", "已向用户提问"),
    "entries": ("entries", "条"),
}
_SECTIONS = ("goal", "done", "not_done", "fields", "open")
_FILLED = ("goal", "done", "open", "not_done", "fields")
"""The order in which sections get their room when there is too little of it."""
_MOST = {"goal": 2, "done": 8, "not_done": 4, "fields": 6, "open": 4}

_READS = re.compile(
    r"(?:^|_)(?:list|query|get|search|find|check|read|recall|show|fetch|look|calculate|compute|now|convert|count|sum"
    r"|describe|view|preview|estimate|status|lookup|weather|browse|count|run|validate|verify|compare|track|time)(?:_|$)"
)
_DECIDED = frozenset({"REJECTED", "EXPIRED", "WITHDRAWN", "CANCELLED"})
_IDENTIFIER_KEY = re.compile(r"(?:^|_)(?:id|ref|no|number|tracking|code|sku|path|week)$")
_AMOUNT_KEY = re.compile(
    r"amount|price|total|cost|sum|balance|yuan|usd|eur|cny|count|percent|share|quantity|days|spent|budget|result|value"
)
_STATUS_KEY = re.compile(r"(?:^|_)(?:status|state|step|priority|reason|refundable|eligible|decision|outcome)(?:_zh)?$")
_NAME_KEY = re.compile(r"(?:^|_)(?:name|title|product|subject|carrier|city|place|project|label)(?:_zh)?$")
_LEFT_OUT = frozenset("undo next source scope note untrusted shown language summary".split())
_IDENTIFIER = re.compile(r"(?=[\w./:#-]*\d)[A-Za-z][\w./:#-]{1,39}|\d[\w-]{2,39}")
_PLAIN_ID = re.compile(r"[A-Za-z]{1,6}[-_#]?\d[A-Za-z0-9-]{0,19}|\d{3,20}")
_NUMBER = re.compile(r"[-+]?\d[\d,]{0,15}(?:\.\d{1,6})?\s?%?")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})\S*)?")
_WINDOW = 12
"""Letters and digits in a row that are no accident when two texts share them."""
_ROWS = 3


@dataclass(frozen=True)
class _Result:
    """A tool's answer, as its message has it."""

    tool: str
    args: Mapping[str, Any]
    ok: bool
    data: Any
    code: str
    message: str
    untrusted: bool
    wrote: bool


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
    results = list(_results(messages))
    outside = "\n".join(_letters(json.dumps(r.data, ensure_ascii=False, default=str)) for r in results if r.untrusted)
    return _Summary(results, outside, 1 if (language or turn["language"]) == "zh" else 0).text(messages, limit_chars)


class _Summary:
    """Renders in one language, and knows which free text came from outside."""

    def __init__(self, results: Sequence[_Result], outside: str, word: int) -> None:
        self._results = results
        self._outside = outside
        self._word = word

    def text(self, messages: Sequence[AnyMessage], limit: int) -> str:
        """The sections, each with its newest lines, as far as they fit."""
        lines = {
            "goal": self._goal(messages),
            "done": [self._done(r) for r in self._results if r.ok and r.wrote],
            "not_done": [self._refused(r) for r in self._results if not r.ok],
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
        first, latest = (_quoted(shorten(s, REQUEST_CHARS)) for s in (real[0], real[-1]))
        lines = [f"{self._say('first')}: {first}"]
        return lines if len(real) == 1 else [*lines, f"{self._say('latest')}: {latest}"]

    def _done(self, result: _Result) -> str:
        told = self._fields(result.data, result.untrusted)
        undo = result.data.get("undo") if isinstance(result.data, dict) else None
        line = f"{self._call(result)}: ok" + (f", {told}" if told else "")
        if isinstance(undo, dict) and isinstance(undo.get("tool"), str) and not result.untrusted:
            line += f" ({self._say('draft')} {_quoted(undo['tool'])})"
        return shorten(line, LINE_CHARS)

    def _refused(self, result: _Result) -> str:
        line = f"{self._call(result)}: {result.code or 'failed'}"
        # Only what a decision says is code's or an approver's; other errors may quote what was read.
        if result.code in _DECIDED and result.message and not result.untrusted and not self._borrowed(result.message):
            line += f", {_quoted(shorten(result.message, FIELD_CHARS * 2))}"
        return shorten(line, LINE_CHARS)

    def _found(self) -> list[str]:
        lines = []
        for result in self._results:
            told = self._fields(result.data, result.untrusted) if result.ok and not result.wrote else ""
            if told:
                lines.append(shorten(f"{self._call(result)}: {told}", LINE_CHARS))
        return lines

    def _open(self, messages: Sequence[AnyMessage]) -> list[str]:
        waiting = set(open_calls(messages))
        calls = [c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls if c["id"] in waiting]
        lines: list[str] = []
        later: set[str] = set()
        for result in reversed(self._results):
            own = set(_ids(result.data)) if result.ok and result.wrote else set()
            if own and isinstance(result.data.get("next"), str) and not own & later and not result.untrusted:
                named = ", ".join(sorted(own))
                lines.insert(0, f"{named}: {self._say('next')}: {_quoted(shorten(result.data['next'], FIELD_CHARS))}")
            later |= own
        lines += [f"{_named(c['name'], c['args'])}: {self._say('waits')}" for c in calls]
        if asked := self._question(messages):
            lines.append(f"{self._say('asked')}: {asked}")
        return lines

    def _question(self, messages: Sequence[AnyMessage]) -> str:
        """What the desk asked in its last answer, if it ended with a question that quotes nothing from outside."""
        said = next((m for m in reversed(messages) if isinstance(m, AIMessage) and str(m.text).strip()), None)
        text = " ".join(str(said.text).split()) if said is not None else ""
        if not text.endswith(("?", "？")) or self._borrowed(text):
            return ""
        return _quoted(shorten(re.split(r"(?<=[.!?。!?])\s*(?=\S)", text)[-1], REQUEST_CHARS))

    def _fields(self, data: Any, untrusted: bool) -> str:
        """Key fields of a result, `name value` each; of a list those of its first entries."""
        if not isinstance(data, dict):
            value = self._value("result", data, untrusted)
            return value or ""
        told = [f"{self._label(k)} {v}" for k, v in self._pairs(data, untrusted)]
        for key, rows in data.items():
            if isinstance(rows, list) and rows and all(isinstance(r, dict) for r in rows) and key not in _LEFT_OUT:
                told.append(f"{_key(key)} ({len(rows)} {self._say('entries')}): " + self._rows(rows, untrusted))
        line = ", ".join(told)
        return f"{line} ({self._say('untrusted')})" if untrusted and line else line

    def _rows(self, rows: Sequence[Mapping[str, Any]], untrusted: bool) -> str:
        shown = [" ".join(v for _, v in self._pairs(r, untrusted)[:4]) for r in rows[:_ROWS]]
        return "; ".join(s for s in shown if s) + ("; …" if len(rows) > _ROWS else "")

    def _pairs(self, data: Mapping[str, Any], untrusted: bool) -> list[tuple[str, str]]:
        pairs = []
        for key, value in data.items():
            twin = f"{key}_zh" if self._word else key.removesuffix("_zh")
            # Of a word in two languages the one that is spoken.
            if key in _LEFT_OUT or (twin != key and twin in data):
                continue
            if (told := self._value(key, value, untrusted)) is not None:
                pairs.append((key, told))
        return pairs

    def _value(self, key: str, value: Any, untrusted: bool) -> str | None:
        """A field as it is shown; None when it is no key field, or may carry words from outside."""
        if isinstance(value, bool):
            return str(value).lower() if _STATUS_KEY.search(key) else None
        if isinstance(value, int | float):
            return str(value) if _AMOUNT_KEY.search(key) or _IDENTIFIER_KEY.search(key) else None
        if not isinstance(value, str) or not value.strip() or len(value) > 4 * FIELD_CHARS:
            return None
        text = " ".join(terminal_safe(value).split())
        if when := _DATE.fullmatch(text):
            return " ".join(filter(None, when.groups()))
        if _AMOUNT_KEY.search(key) and _NUMBER.fullmatch(text):
            return text
        if _IDENTIFIER_KEY.search(key) and (_PLAIN_ID if untrusted else _IDENTIFIER).fullmatch(text):
            return _quoted(text)
        if untrusted or not (_STATUS_KEY.search(key) or _NAME_KEY.search(key)) or self._borrowed(text):
            return None
        return _quoted(shorten(text, FIELD_CHARS))

    def _label(self, key: str) -> str:
        return _key(key.removesuffix("_zh"))

    def _call(self, result: _Result) -> str:
        return _named(result.tool, result.args)

    def _borrowed(self, text: str) -> bool:
        """Whether a text shares a run of letters with what came from outside."""
        letters = _letters(text)
        if not letters or not self._outside:
            return False
        runs = range(max(1, len(letters) - _WINDOW + 1))
        return any(letters[i : i + _WINDOW] in self._outside for i in runs)

    def _say(self, name: str) -> str:
        return _WORDS[name][self._word]


def _results(messages: Sequence[AnyMessage]) -> Iterator[_Result]:
    """The answers in the record, in order. What is no envelope, because somebody wrote it there, is left out."""
    calls = {str(c["id"]): c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    for m in messages:
        if not isinstance(m, ToolMessage):
            continue
        try:
            envelope = json.loads(str(m.content))
        except ValueError:
            continue
        if not isinstance(envelope, dict) or not isinstance(envelope.get("ok"), bool):
            continue
        metadata, error = _mapping(envelope.get("metadata")), _mapping(envelope.get("error"))
        data = envelope.get("data")
        call = calls.get(m.tool_call_id)
        tool = str(m.name or metadata.get("tool") or (call["name"] if call else "") or "tool")
        yield _Result(
            tool=tool,
            args=_mapping(call["args"]) if call else {},
            ok=envelope["ok"],
            data=data,
            code=str(error.get("code") or "") if re.fullmatch(r"[A-Z_]{2,40}", str(error.get("code") or "")) else "",
            message=str(error.get("message") or ""),
            untrusted=metadata.get("untrusted") is True or _mapping(data).get("untrusted") is True,
            wrote=_wrote(tool, metadata, _mapping(data)),
        )


def _wrote(tool: str, metadata: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Whether the call changed something: by its stated risk, by an undo or an edit, else by the tool's verb."""
    if isinstance(risk := metadata.get("risk"), str):
        return risk != "read"
    return "undo" in data or "edited" in metadata or not _READS.search(tool.lower())


def _named(tool: str, args: Mapping[str, Any]) -> str:
    """The call with its identifiers and numbers; other arguments may hold anybody's words."""
    told = [
        f"{_key(k)}={v}"
        for k, v in args.items()
        if isinstance(v, int | float) or (isinstance(v, str) and (_PLAIN_ID.fullmatch(v) or _DATE.fullmatch(v)))
    ]
    return f"{_key(tool)}({', '.join(told)})"


def _ids(data: Any) -> Iterable[str]:
    return [v for k, v in _mapping(data).items() if _IDENTIFIER_KEY.search(k) and isinstance(v, str) and len(v) < 40]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _key(name: str) -> str:
    """A name of a tool or a field, which a server outside may have given it."""
    return re.sub(r"[^\w.-]", "", name)[:40]


def _quoted(text: str) -> str:
    """Words that can neither close a block of the prompt nor open one."""
    return terminal_safe(text).replace("<", "‹").replace(">", "›")


def _letters(text: str) -> str:
    return "".join(c for c in normalise(text) if c.isalnum())
