"""Tool calls as messages have them, and as the gateway takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from pydantic import ValidationError

from signoff.caller import Caller
from signoff.models.view import UNTRUSTED, split, untrusted_before
from signoff.nodes.evidence import genuine as genuine_evidence
from signoff.nodes.evidence import is_public
from signoff.nodes.phrases import phrase
from signoff.nodes.services import Services
from signoff.state import Evidence, TurnState, message_id
from signoff.tools.audit import digest
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.invocation import Answer, Guards, Setting, ToolCall, message_content
from signoff.tools.provenance import Kind, Source, Sources


def calls_of(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """All calls in the messages, readable or not, in order."""
    found: list[ToolCall] = []
    for m in messages:
        if not isinstance(m, AIMessage):
            continue
        found.extend(ToolCall(str(c["id"]), c["name"], c["args"]) for c in m.tool_calls)
        found.extend(
            ToolCall(
                str(c["id"]),
                c["name"] or "",
                None,
                raw=c["args"] or "",
                problem=Code.DUPLICATE_CALL_ID if c["error"] == Code.DUPLICATE_CALL_ID else Code.INVALID_ARGUMENTS,
            )
            for c in m.invalid_tool_calls
        )
    return found


def open_calls_of(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the newest model message that have no answer yet."""
    answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    newest = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    return [c for c in calls_of([newest] if newest else []) if c.id not in answered]


def result_of(message: ToolMessage) -> ToolResult:
    """The envelope in a message. What holds none, because somebody wrote it into the thread, is a failure."""
    try:
        return ToolResult.model_validate_json(str(message.content))
    except ValidationError:
        return ToolResult.refused(Code.INTERNAL, "This answer cannot be read.")


def answer_messages(answers: Sequence[Answer]) -> list[ToolMessage]:
    """The messages that answer calls, in the order of the calls."""
    return [
        ToolMessage(
            message_content(a.result),
            tool_call_id=a.call.id,
            name=a.call.name or "unknown",
            status="success" if a.result.ok else "error",
            id=message_id(),
        )
        for a in answers
        if a.result is not None
    ]


def setting_of(
    messages: Sequence[AnyMessage],
    turn: TurnState,
    evidence: Sequence[Evidence],
    caller: Caller,
    thread: str,
    services: Services,
) -> Setting:
    """Where this turn's calls are made. Its guards are copies: `guards_into` puts them back."""
    _, current = split(messages)
    # Besides the book-keeping, which a thread's owner could write, what the turn's own record says.
    read = [m.name or "a tool" for m in current if isinstance(m, ToolMessage) and UNTRUSTED in str(m.content)]
    read += [e["title"] for e in evidence if not e["trusted"]]
    tainted = [*turn["tainted"], *(n for n in read if n not in turn["tainted"])]
    guards = Guards(dict(turn["seen"]), dict(turn["repairs"]), tainted)
    return Setting(
        caller=caller,
        thread=thread,
        turn=turn["id"],
        language=turn["language"],
        words=turn["question"],
        sources=sources_of(messages, evidence, caller, thread, turn, services),
        guards=guards,
        # A program's words are nobody's, and an older wish does not count as the newest.
        said=tuple("" if by_program(m) else str(m.text) for m in reversed(messages) if isinstance(m, HumanMessage)),
        found=(*(str(m.content) for m in current if isinstance(m, ToolMessage)), *(e["text"] for e in evidence)),
        plan=turn["plan"],
        carried=untrusted_before(messages),
        deadline_s=max(1.0, services.settings.max_work_s - turn["work_s"]),
        rehearsing=services.rehearsing,
    )


def by_program(message: HumanMessage) -> bool:
    """Whether another program put the words in, and not the person."""
    return bool(message.additional_kwargs.get("program"))


def guards_into(turn: TurnState, setting: Setting) -> None:
    """Put the gateway's counters into the turn."""
    guards = setting.guards
    turn["seen"], turn["repairs"], turn["tainted"] = guards.seen, guards.repairs, guards.tainted


def sources_of(
    messages: Sequence[AnyMessage],
    evidence: Sequence[Evidence],
    caller: Caller,
    thread: str,
    turn: TurnState,
    services: Services,
) -> Sources:
    """What a call's values may come from: the person's words, recorded results, and this turn's evidence."""

    language = turn["language"]

    def newest_first() -> Iterator[Source]:
        for e in genuine_evidence(evidence, caller, services):
            place = f"{e['title']} > {e['place']}" if e["place"] else e["title"]
            # The approver may not be among its readers.
            public = is_public(e["passage"], caller.tenant, services)
            where = place if public else phrase("restricted", language)
            yield Source("document" if e["trusted"] else "untrusted", where, e["text"], quoted=public)
        _, current = split(messages)
        for i, m in enumerate(reversed(messages)):
            if isinstance(m, HumanMessage):
                now = i < len(current)
                said = phrase("asked" if now else "asked_before", language)
                yield Source("program" if by_program(m) else "user", said, str(m.text))
            elif isinstance(m, ToolMessage):
                name = m.name or "a tool"
                # A text that only looks so is distrusted too, which costs a warning on a card at most.
                kind: Kind = "untrusted" if UNTRUSTED in str(m.content) else "result"
                # What failed holds the model's own words back to it, not a finding.
                if m.status != "error":
                    said = phrase("result_of", language, name=name)
                    yield Source(kind, said, str(m.content), call=m.tool_call_id)

    known: dict[str, set[str]] = {}

    def genuine(source: Source) -> bool:
        if source.call is None or services.rehearsing:
            return True
        if source.call not in known:
            known.update({source.call: set(), **services.gateway.audit.known(thread, [source.call])})
        return digest(source.text) in known[source.call]

    return Sources(newest_first(), genuine)
