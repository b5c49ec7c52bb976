"""Facts that code reads off tool results: identifiers, amounts, states and names, and nothing that came from outside.

Of results with text from outside only identifiers, numbers and dates are facts, and each says so; free text that
such a result holds is no fact wherever else it turns up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from signoff.text import normalise, shorten, terminal_safe

UNTRUSTED = '"untrusted": true'
"""How an envelope says that it, or a part of it, holds text from outside."""

BLOCKS = (
    "evidence", "lacking", "memory", "working", "skill", "plan", "findings", "close", "requests?", "draft", "said",
    "result", "note",
)  # fmt: skip
"""The names of all blocks that any prompt has, as patterns."""
BLOCK = re.compile(rf"<(?=[\s/\u200b-\u200f\u2060\ufeff]*+(?:{'|'.join(BLOCKS)})\b)", re.IGNORECASE)
"""What opens or closes a block, up to its first character."""

FIELD_CHARS = 60
LINE_CHARS = 240

_WORDS = {
    "untrusted": ("from untrusted text", "来自不可信文本"),
    "draft": ("can be undone with", "可撤销:"),
    "entries": ("entries", "条"),
}
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
class Result:
    """A tool's answer, as its message has it."""

    tool: str
    args: Mapping[str, Any]
    ok: bool
    data: Any
    code: str
    message: str
    untrusted: bool
    wrote: bool
    call: str = ""
    """The id of its call."""


class Facts:
    """What the results say, in one language (0 English, 1 Chinese); and which free text came from outside."""

    def __init__(self, results: Sequence[Result], word: int) -> None:
        self.results = results
        self._word = word
        self._outside = "\n".join(
            _letters(json.dumps(r.data, ensure_ascii=False, default=str)) for r in results if r.untrusted
        )

    def done(self, result: Result) -> str:
        """What a change has come to, with how it is undone."""
        told = self.fields(result.data, result.untrusted)
        undo = result.data.get("undo") if isinstance(result.data, dict) else None
        line = f"{self.call(result)}: ok" + (f", {told}" if told else "")
        if isinstance(undo, dict) and isinstance(undo.get("tool"), str) and not result.untrusted:
            line += f" ({self._say('draft')} {quoted(undo['tool'])})"
        return shorten(line, LINE_CHARS)

    def change(self, result: Result) -> str:
        """A change in its shortest: the call and the identifiers that its result has."""
        told = ", ".join(f"{key_of(k)} {v}" for k, v in mapping(result.data).items() if _identifies(k, v))
        return shorten(f"{self.call(result)}: ok" + (f", {told}" if told else ""), LINE_CHARS)

    def identified(self, made: Sequence[Result]) -> list[str]:
        """Changes in less than a line each: for each tool the identifiers that its results have, or of its call."""
        named: dict[str, dict[str, None]] = {}
        for result in made:
            own = [str(v) for k, v in mapping(result.data).items() if _identifies(k, v)]
            args = [str(v) for v in result.args.values() if isinstance(v, str) and _PLAIN_ID.fullmatch(v)]
            named.setdefault(key_of(result.tool), {}).update(dict.fromkeys(own or args))
        return [f"{tool}: {', '.join(values) or 'ok'}" for tool, values in named.items()]

    def found(self, result: Result) -> str:
        """What a read has found; empty when it has no facts, or is no read."""
        told = self.fields(result.data, result.untrusted) if result.ok and not result.wrote else ""
        return shorten(f"{self.call(result)}: {told}", LINE_CHARS) if told else ""

    def refused(self, result: Result) -> str:
        """Why a call was not done."""
        line = f"{self.call(result)}: {result.code or 'failed'}"
        # Only what a decision says is code's or an approver's; other errors may quote what was read.
        if result.code in _DECIDED and result.message and not result.untrusted and not self.borrowed(result.message):
            line += f", {quoted(shorten(result.message, FIELD_CHARS * 2))}"
        return shorten(line, LINE_CHARS)

    def fields(self, data: Any, untrusted: bool) -> str:
        """Key fields of a result, `name value` each; of a list those of its first entries."""
        if not isinstance(data, dict):
            value = self._value("result", data, untrusted)
            return value or ""
        told = [f"{self._label(k)} {v}" for k, v in self._pairs(data, untrusted)]
        for key, rows in data.items():
            if isinstance(rows, list) and rows and all(isinstance(r, dict) for r in rows) and key not in _LEFT_OUT:
                told.append(f"{key_of(key)} ({len(rows)} {self._say('entries')}): " + self._rows(rows, untrusted))
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
            return quoted(text)
        if untrusted or not (_STATUS_KEY.search(key) or _NAME_KEY.search(key)) or self.borrowed(text):
            return None
        return quoted(shorten(text, FIELD_CHARS))

    def _label(self, key: str) -> str:
        return key_of(key.removesuffix("_zh"))

    def call(self, result: Result) -> str:
        """The call with its identifiers and numbers."""
        return named(result.tool, result.args)

    def borrowed(self, text: str) -> bool:
        """Whether a text shares a run of letters with what came from outside."""
        letters = _letters(text)
        if not letters or not self._outside:
            return False
        runs = range(max(1, len(letters) - _WINDOW + 1))
        return any(letters[i : i + _WINDOW] in self._outside for i in runs)

    def _say(self, name: str) -> str:
        return _WORDS[name][self._word]


def plain(key: str, value: Any, untrusted: bool) -> bool:
    """Whether a field is kept as it is when its result shrinks: an identifier, an amount, a date, a state or a name;
    of untrusted results only what can hold no words."""
    if isinstance(value, bool):
        return bool(_STATUS_KEY.search(key)) or key == "untrusted"
    if isinstance(value, int | float):
        return bool(_AMOUNT_KEY.search(key) or _IDENTIFIER_KEY.search(key) or key == "n")
    if not isinstance(value, str) or not value.strip() or len(value) > 2 * FIELD_CHARS:
        return False
    if _DATE.fullmatch(value) or (_AMOUNT_KEY.search(key) and _NUMBER.fullmatch(value)):
        return True
    if _IDENTIFIER_KEY.search(key) and (_PLAIN_ID if untrusted else _IDENTIFIER).fullmatch(value):
        return True
    return not untrusted and bool(_STATUS_KEY.search(key) or _NAME_KEY.search(key) or _IDENTIFIER_KEY.search(key))


def results(messages: Sequence[BaseMessage]) -> Iterator[Result]:
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
        metadata, error = mapping(envelope.get("metadata")), mapping(envelope.get("error"))
        data = envelope.get("data")
        call = calls.get(m.tool_call_id)
        tool = str(m.name or metadata.get("tool") or (call["name"] if call else "") or "tool")
        yield Result(
            tool=tool,
            args=mapping(call["args"]) if call else {},
            ok=envelope["ok"],
            data=data,
            code=str(error.get("code") or "") if re.fullmatch(r"[A-Z_]{2,40}", str(error.get("code") or "")) else "",
            message=str(error.get("message") or ""),
            untrusted=UNTRUSTED in str(m.content)
            or metadata.get("untrusted") is True
            or mapping(data).get("untrusted") is True,
            wrote=_wrote(tool, metadata, mapping(data)),
            call=m.tool_call_id,
        )


def _wrote(tool: str, metadata: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Whether the call changed something: by its stated risk, by an undo or an edit, else by the tool's verb."""
    if isinstance(risk := metadata.get("risk"), str):
        return risk != "read"
    return "undo" in data or "edited" in metadata or not _READS.search(tool.lower())


def named(tool: str, args: Mapping[str, Any]) -> str:
    """The call with its identifiers and numbers; other arguments may hold anybody's words."""
    told = [
        f"{key_of(k)}={v}"
        for k, v in args.items()
        if isinstance(v, int | float) or (isinstance(v, str) and (_PLAIN_ID.fullmatch(v) or _DATE.fullmatch(v)))
    ]
    return f"{key_of(tool)}({', '.join(told)})"


def _identifies(key: str, value: Any) -> bool:
    """Whether a field holds an identifier that can hold no words."""
    return bool(_IDENTIFIER_KEY.search(key)) and (
        isinstance(value, int) if not isinstance(value, str) else _PLAIN_ID.fullmatch(value) is not None
    )


def ids(data: Any) -> Iterable[str]:
    return [v for k, v in mapping(data).items() if _IDENTIFIER_KEY.search(k) and isinstance(v, str) and len(v) < 40]


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def key_of(name: str) -> str:
    """A name of a tool or a field, which a server outside may have given it."""
    return re.sub(r"[^\w.-]", "", name)[:40]


def quoted(text: str) -> str:
    """Words that can neither close a block of the prompt nor open one."""
    return terminal_safe(text).replace("<", "‹").replace(">", "›")


def _letters(text: str) -> str:
    return "".join(c for c in normalise(text) if c.isalnum())
