"""route: closes what the last turn left open, takes in the person's words, and decides what the turn needs."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.runtime import Runtime
from pydantic import TypeAdapter, ValidationError

from signoff.caller import Caller
from signoff.errors import UsageError
from signoff.nodes.calls import answer_messages, calls_of, setting_of
from signoff.nodes.intents import SURE, Reading, read
from signoff.nodes.owner import thread_of
from signoff.nodes.router import routed
from signoff.nodes.services import Services
from signoff.skills.plan import begin
from signoff.state import GRAPH_VERSION, AgentState, Status, TurnState, open_calls
from signoff.text import language, shorten
from signoff.tools.audit import Event, digest
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.invocation import Answer

_TURN = TypeAdapter(TurnState)


def route(state: AgentState, runtime: Runtime[Caller], *, services: Services) -> dict[str, Any]:
    """Begin a turn. Raises `UsageError` when the newest message is not a person's words."""
    asking = services.identify(runtime)
    thread = thread_of()
    messages, dropped = _taken_in(state, thread, services)
    question = messages[-1] if messages and isinstance(messages[-1], HumanMessage) else None
    # Half a character, which no database takes, is replaced.
    words = str(question.text).encode("utf-8", "replace").decode().strip() if question is not None else ""
    if not words:
        raise UsageError("A turn begins with a person's words: the last message must be a non-empty human message.")
    caller = _registered(thread, asking, words, services)
    if (caller.tenant, caller.user) != (asking.tenant, asking.user):
        raise UsageError(f"Thread {thread} belongs to somebody else: start one of your own.")
    turn = new_turn(words)
    if isinstance(rests := question.additional_kwargs.get("tainted") if question is not None else None, list):
        turn["tainted"] = [str(t) for t in rests]
    services.tracer.turn(turn["id"], thread=thread, tenant=caller.tenant, user=caller.user, model=services.model.name)
    with services.tracer.span("node", "route", trace=turn["id"]) as span:
        closed = _closed(messages, state, caller, thread, services)
        before = _sound(state.get("turn"))
        reading = read(words, services.selector, caller)
        reading = routed(reading, before["question"] if before else "", turn, caller, services)
        _plan(turn, reading, before, caller, services)
        if reading.foreign is not None and not services.rehearsing:
            services.gateway.audit.append(caller, thread, turn["id"], Event("boundary", f"asked for {reading.foreign}"))
        span.set(
            kinds=[i["kind"] for i in reading.intents],
            skill=turn["skill"],
            confidence=round(reading.confidence, 3),
            tools=turn["tools"],
        )
    turn["recorded"] = len(messages) + len(closed)
    return {
        "messages": [*dropped, *closed],
        "turn": turn,
        "evidence": [],
        "status": Status.RUNNING.value,
        "answer": "",
        "citations": [],
        "approvals": [],
        "version": GRAPH_VERSION,
    }


def _registered(thread: str, asking: Caller, words: str, services: Services) -> Caller:
    """The thread's owner: whoever came first. A replay registers nothing."""
    if services.rehearsing:
        return services.threads.owner(thread) or asking
    title = shorten(words, 80)
    owner = services.threads.register(thread, asking, services.profile.name, GRAPH_VERSION, title)
    services.threads.keep_options(thread, services.options)
    services.gateway.purge()
    return owner


def new_turn(words: str) -> TurnState:
    """A turn's book-keeping, at its beginning."""
    return TurnState(
        id=uuid4().hex,
        question=words,
        language=language(words),
        intents=[],
        knowledge=False,
        tools=[],
        recorded=0,
        rounds=0,
        model_calls=0,
        tool_calls=0,
        prompt_tokens=0,
        completion_tokens=0,
        work_s=0.0,
        seen={},
        repairs={},
        validations=0,
        findings=[],
        limit=None,
        error=None,
        tainted=[],
        direct=False,
        skill=None,
        plan=[],
        replans=0,
        observed=[],
        cost_yuan="0",
        lacking=[],
        searches=0,
        limited="",
    )


def _sound(turn: Any) -> TurnState | None:
    """The last turn's book-keeping, if that is what it is: a thread's owner can write anything there."""
    try:
        return _TURN.validate_python(turn, strict=True)
    except ValidationError:
        return None


def _taken_in(state: AgentState, thread: str, services: Services) -> tuple[list[AnyMessage], list[RemoveMessage]]:
    """The record without what a caller slipped in: only a person's words may enter from outside."""
    messages = list(state.get("messages") or ())
    before = _sound(state.get("turn"))
    recorded = before["recorded"] if before else 0
    newest = messages[recorded:]
    known = services.gateway.audit.known(thread, [m.tool_call_id for m in newest if isinstance(m, ToolMessage)])
    forged = [
        m
        for m in newest
        if not isinstance(m, HumanMessage)
        and not (isinstance(m, ToolMessage) and digest(str(m.content)) in known.get(m.tool_call_id, ()))
    ]
    gone = {m.id for m in forged}
    return [m for m in messages if m.id not in gone], [RemoveMessage(id=str(i)) for i in gone]


def _closed(
    messages: list[AnyMessage], state: AgentState, caller: Caller, thread: str, services: Services
) -> list[ToolMessage]:
    """Answers for the calls that the last turn left open: withdrawn, or what really became of them."""
    left = set(open_calls(messages))
    # All of them: a call that was taken out of the record, or left on another branch, waits for nobody either.
    inbox = services.gateway.inbox
    withdrawn = set() if services.rehearsing else {a.call for a in inbox.withdraw(caller.tenant, thread)}
    if not left:
        return []
    before = _sound(state.get("turn")) or new_turn("")
    services.tracer.wait_ended(before["id"], "withdrawn")
    services.tracer.end_turn(before["id"], Status.WITHDRAWN.value)
    setting = setting_of(messages, before, [], caller, thread, services)
    answers = []
    for call in (c for c in calls_of(messages) if c.id in left):
        if call.id in withdrawn:
            result = ToolResult.refused(
                Code.WITHDRAWN,
                "A new message came before this change was signed off, so it was withdrawn. Nothing was changed.",
                hint="If the person still wants it, it can be proposed again.",
                tool=call.name,
            )
        else:
            result = services.effects.interrupted(call, setting)
        answers.append(Answer(call, result))
    services.gateway.record(answers, setting)
    return answer_messages(answers)


def _plan(turn: TurnState, reading: Reading, before: TurnState | None, caller: Caller, services: Services) -> None:
    """What the turn may need. Where the words alone say little, more is offered rather than less."""
    intents = reading.intents
    turn["intents"] = intents
    talk = [i for i in intents if i["kind"] != "small_talk"]
    if not talk:
        return
    best = [services.gateway.registry.get(i["tools"][0]) for i in talk if i["tools"]]
    unsure = reading.confidence < SURE
    needed = unsure or any(i["kind"] != "task" for i in talk) or any(t is not None and t.grounds for t in best)
    turn["knowledge"] = needed and services.profile.knowledge is not False
    texts = [i["text"] for i in talk]
    if before and unsure:
        # "A1002, please" means something only after the question before it.
        texts.append(f"{before['question']} {texts[-1]}")
    mine = [t.name for t in services.gateway.registry if not t.roles or t.roles & caller.roles]
    skill = services.skills.choose(turn["question"], mine)
    if skill is None and before and before["skill"] and not before["tool_calls"]:
        # The last turn asked for what its skill still lacked, and this is the answer.
        skill = services.skills.get(before["skill"])
    pinned = [n for n in (*(skill.tools if skill is not None else ()), *reading.named) if n in mine]
    turn["tools"] = services.selector.choose(texts, caller, services.settings.max_tools, pinned=pinned)
    if skill is not None:
        turn["skill"], turn["plan"] = skill.name, begin(skill, turn["tools"])
