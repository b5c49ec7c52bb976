"""What whoever takes a conversation over needs to know, put together by code: what was asked, tried and found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, select

from signoff import smalltalk
from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.records import Records, orders, tickets
from signoff.records.ledger import EffectStatus, effects
from signoff.telemetry.redaction import redact
from signoff.text import shorten
from signoff.tools.audit import Audit
from signoff.tools.catalog.wording import chosen
from signoff.tools.contract import CallInfo

SUMMARY_CHARS = 2_000
WORDS_CHARS = 200
"""Of one of the person's messages."""
MOST_ASKED, MOST_TRIED, MOST_FOUND = 4, 12, 6

_EVENTS = 500
"""Newest audit events that are looked at."""
_OF_ITSELF = frozenset({"hand_over", "take_back_hand_over"})
# What a person had remembered, or forgotten, stays between them and the desk.
_PRIVATE = frozenset({"remember", "recall_memory", "forget_memory"})


def transcript_of(thread: str) -> str:
    """How the conversation is read: a command line."""
    return f"signoff threads show {thread}"


@contextmanager
def reading(records: Records, tx: Connection | None) -> Iterator[Connection]:
    """The transaction that is there, else one of its own."""
    if tx is not None:
        yield tx
        return
    with records.database.read() as own:
        yield own


def summary_of(
    caller: Caller,
    records: Records,
    audit: Audit,
    call: CallInfo,
    *,
    reason: str = "",
    note: str = "",
    urgent: bool = False,
    tx: Connection | None = None,
) -> str:
    """The summary in the conversation's language, at most 2,000 characters, a line an entry.

    What was tried and how it ended comes from the audit, what was done from the ledger, and how the orders and
    tickets that were spoken of stand from the records: nothing is taken from what a model says, but for `note`,
    which is marked.
    """
    lang = call.language
    log = [
        e for e in reversed(audit.find(caller.tenant, thread=call.thread, limit=_EVENTS)) if e["tool"] not in _OF_ITSELF
    ]
    with reading(records, tx) as connection:
        done = _done(connection, caller, call.thread)
        found = _found(connection, caller, records, log)
    parts = (
        (chosen(lang, "Asked for", "用户要求"), _asked(call.said)),
        (chosen(lang, "Why a person", "转人工原因"), [_words(reason)] if reason.strip() else []),
        (chosen(lang, "Tried", "已尝试"), _tried(log, lang)),
        (chosen(lang, "Done", "已办成"), done),
        (chosen(lang, "Found", "查到"), [_told(f, lang) for f in found]),
        (
            chosen(lang, "Note of the assistant, not checked", "助手备注(未核实)"),
            [_words(note)] if note.strip() else [],
        ),
    )
    lines = [f"{head}:\n" + "\n".join(f"- {line}" for line in entries) for head, entries in parts if entries]
    end = [
        chosen(lang, "The person says that it is urgent.", "用户表示很紧急。") if urgent else "",
        chosen(lang, "Language: English", "语言:中文"),
        chosen(lang, "Conversation: ", "完整对话:") + transcript_of(call.thread),
    ]
    closing = "\n".join(filter(None, end))
    body = "\n".join(lines)
    room = SUMMARY_CHARS - len(closing) - 1
    return f"{body if len(body) <= room else body[: room - 1] + '…'}\n{closing}".strip()


def _asked(said: Sequence[str]) -> list[str]:
    """The first of the person's requests and the newest ones, in order; greetings are left out."""
    real = [m for m in reversed(said) if m.strip() and smalltalk.kind(m) is None]
    kept = real if len(real) <= MOST_ASKED else [real[0], *real[-(MOST_ASKED - 1) :]]
    return [_words(m) for m in kept]


def _tried(log: Sequence[Mapping[str, Any]], lang: str) -> list[str]:
    """Each call with how it ended, and each decision; the same again is counted."""
    counted: dict[str, int] = {}
    for event in log:
        line = _event(event, lang)
        if line:
            # Said again, it moves to where it was last.
            counted[line] = counted.pop(line, 0) + 1
    lines = [line if n == 1 else f"{line} ×{n}" for line, n in counted.items()]
    left = len(lines) - MOST_TRIED
    more = [chosen(lang, f"({left} earlier ones)", f"(更早还有 {left} 项)")] if left > 0 else []
    return [*more, *lines[-MOST_TRIED:]]


def _event(event: Mapping[str, Any], lang: str) -> str:
    outcome = shorten(str(event["outcome"]), 80)
    match event["kind"]:
        case "tool_call":
            ended = chosen(lang, "ok", "成功") if outcome == "ok" else outcome
            return f"{_named(event)}: {ended}"
        case "proposal":
            return f"{_named(event)}: " + chosen(lang, "proposed for a signature", "已提交审批")
        case "decision":
            return f"{_named(event)}: " + chosen(
                lang, f"{outcome}, {event['user']}", f"审批结果 {outcome},{event['user']}"
            )
        case "boundary":
            return chosen(lang, f"refused: {outcome}", f"已拒绝:{outcome}")
    return ""


def _named(event: Mapping[str, Any]) -> str:
    """The call with its short arguments; those of memory are nobody else's business."""
    args = _args(event) if event["tool"] not in _PRIVATE else {}
    told = ", ".join(f"{k}={shorten(redact(str(v)), 40)}" for k, v in args.items() if v not in (None, "", False))
    return f"{event['tool']}({told})"


def _args(event: Mapping[str, Any]) -> dict[str, Any]:
    given = json.loads(event["args"]) if event["args"] else {}
    return given if isinstance(given, dict) else {}


def _done(tx: Connection, caller: Caller, thread: str) -> list[str]:
    """What was carried out on the thread, in the words in which it was told, newest last."""
    c = effects.c
    rows = tx.execute(
        select(c.tool, c.result)
        .where(c.tenant == caller.tenant, c.thread == thread, c.status == EffectStatus.DONE)
        .order_by(c.claimed_at)
    )
    lines = []
    for tool, result in rows:
        summary = str((json.loads(result).get("metadata") or {}).get("summary") or "") if result else ""
        if tool not in _PRIVATE | _OF_ITSELF:
            lines.append(shorten(redact(summary.partition("\n")[0]), WORDS_CHARS) if summary else tool)
    return lines[-MOST_FOUND:]


def _found(tx: Connection, caller: Caller, records: Records, log: Sequence[Mapping[str, Any]]) -> list[Any]:
    """How the caller's orders and tickets that calls named stand now, in the order of their last mention."""
    named: dict[tuple[str, str], None] = {}
    for event in log:
        for key, value in _args(event).items():
            if key in ("order_id", "ticket_id") and isinstance(value, str):
                named.pop((key, value.upper()), None)
                named[key, value.upper()] = None
    found: list[Any] = []
    for key, value in list(named)[-MOST_FOUND:]:
        find = orders.find if key == "order_id" else tickets.find
        try:
            found.append(find(tx, caller, value, records.clock))
        except ToolError:
            continue
    return found


def _told(record: Any, lang: str) -> str:
    if isinstance(record, tickets.Ticket):
        title = shorten(redact(record.title), 60)
        return chosen(
            lang,
            f"{record.ticket_id}: {record.status.en}, “{title}”",
            f"{record.ticket_id}:{record.status.zh},「{title}」",
        )
    amount = chosen(lang, f"{record.amount_yuan} yuan", f"{record.amount_yuan} 元")
    return chosen(
        lang, f"{record.order_id}: {record.status.en}, {amount}", f"{record.order_id}:{record.status.zh},{amount}"
    )


def _words(text: str) -> str:
    return shorten(redact(text), WORDS_CHARS)
