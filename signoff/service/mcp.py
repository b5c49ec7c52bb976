"""The desk as an MCP server: `ask`, and its tools through the same gateway, for other hosts' models.

Who asks comes from how the server is reached, never from an argument: over stdio it is whoever started it,
over HTTP whoever the bearer token names. Nothing here decides an approval: a host's model could otherwise sign
its own calls.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, ToolAnnotations
from mcp_types import Tool as ToolEntry

from signoff import __version__
from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.errors import Forbidden, SignoffError, UsageError
from signoff.graph.desk import Desk
from signoff.graph.turn import Turn, approval_record
from signoff.service.calls import CallSession, DirectCall
from signoff.state import Status
from signoff.text import shorten, terminal_safe
from signoff.tools.contract import Risk, Tool

_SESSIONS = 1_000
_AT_ONCE = 8
_FOR_ALL = ("approvals",)
"""What is there for people without the desk's roles too: they may be the ones who sign."""

INSTRUCTIONS = (
    "A service desk. `ask` answers questions from the company's own documents and records, with citations. Tools "
    "that change something answer with `status: waiting` and an approval: a person signs it off elsewhere, and "
    "`resume` then tells what became of it. Do not call such a tool again while it waits."
)

_OWN: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "ask": (
        "Ask the desk in plain words, in Chinese or English; it answers with citations, and proposes changes where "
        "they were asked for. Name the thread of an earlier answer to go on with that conversation; what waits for "
        "a signature there is then withdrawn. Not for looking at an approval: that is `approvals`.",
        {
            "text": {"type": "string", "minLength": 1, "description": "What is asked, in plain words."},
            "thread": {"type": "string", "description": "The thread of an earlier answer; a new one when left out."},
        },
        ["text"],
    ),
    "resume": (
        "Go on with a thread after its approval was decided, and tell how it stands: what was done, or that it still "
        "waits. Decides nothing. Not for a new question: that is `ask`.",
        {"thread": {"type": "string", "minLength": 1, "description": "The thread, as an earlier answer names it."}},
        ["thread"],
    ),
    "approvals": (
        "List what waits for a signature and was requested by this caller or could be decided by them. It cannot be "
        "decided from here.",
        {
            "status": {
                "type": "string",
                "enum": ["pending", "approved", "used", "rejected", "expired", "withdrawn", "superseded", "all"],
                "default": "pending",
            }
        },
        [],
    ),
}


def server(desk: Desk, caller_of: Callable[[Any], Caller]) -> Server[Any]:
    """An MCP server on a desk. `caller_of` takes a request's context and says who asks; it never sees arguments."""
    sessions: OrderedDict[tuple[str, str], CallSession] = OrderedDict()
    known = threading.Lock()
    limiter: list[anyio.CapacityLimiter] = []

    def session_of(context: Any, caller: Caller) -> CallSession:
        request = context.request
        of = request.headers.get("mcp-session-id", "") if request is not None else ""
        with known:
            found = sessions.pop((caller.name, of), None) or CallSession(desk, caller, _client(context))
            sessions[caller.name, of] = found
            while len(sessions) > _SESSIONS:
                sessions.popitem(last=False)
        return found

    async def list_tools(context: Any, _: Any) -> ListToolsResult:
        caller = caller_of(context)
        own = [n for n in _OWN if n in _FOR_ALL or _admitted(desk, caller)]
        return ListToolsResult(tools=[*map(_own_entry, own), *(_entry(t) for t in offered(desk, caller))])

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        if not limiter:
            limiter.append(anyio.CapacityLimiter(_AT_ONCE))
        caller = caller_of(context)
        session = session_of(context, caller)

        def work() -> CallToolResult:
            try:
                return _result(_answer(desk, session, caller, params.name, dict(params.arguments or {})))
            except SignoffError as error:
                return _result({"status": "failed", "error": str(error)}, failed=True)
            except Exception as error:
                desk.services.tracer.error("mcp", error)
                return _result({"status": "failed", "error": "The desk failed for a reason of its own."}, failed=True)

        return await anyio.to_thread.run_sync(work, limiter=limiter[0])

    return Server(
        "signoff",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def offered(desk: Desk, caller: Caller) -> list[Tool]:
    """The desk's tools that a caller may use, without those whose names are the server's own."""
    if not _admitted(desk, caller):
        return []
    registry = desk.services.gateway.registry
    return [t for t in registry if t.name not in _OWN and (not t.roles or t.roles & caller.roles)]


def _admitted(desk: Desk, caller: Caller) -> bool:
    try:
        desk.services.profile.admit(caller)
    except Forbidden:
        return False
    return True


def serve_stdio(desk: Desk, caller: Caller) -> None:
    """Serve whoever started this process, as one caller, until its input ends."""

    async def main() -> None:
        made = server(desk, lambda _: caller)
        async with stdio_server() as (read, write):
            await made.run(read, write, made.create_initialization_options())

    anyio.run(main)


def _answer(desk: Desk, session: CallSession, caller: Caller, name: str, args: dict[str, Any]) -> dict[str, Any]:
    if name not in _FOR_ALL:
        desk.services.profile.admit(caller)
    if name not in _OWN:
        if name not in {t.name for t in offered(desk, caller)}:
            raise UsageError(f"There is no tool named {name!r} for {caller.name}: list the tools there are.")
        return _of_call(desk, session.call(name, args, caller=caller))
    _, parameters, required = _OWN[name]
    for key in args:
        if key not in parameters:
            raise UsageError(f"{name} has no argument {key!r}: it takes {', '.join(parameters)}.")
    for key in parameters:
        if (key in required or key in args) and not (isinstance(args.get(key), str) and args[key].strip()):
            raise UsageError(f"{name} needs {key} as a text that is not empty.")
    if name == "ask":
        return _of_turn(desk, _asked(desk, session, caller, args["text"], args.get("thread")))
    if name == "resume":
        return _of_turn(desk, _resumed(desk, session, caller, args["thread"]))
    status = args.get("status", "pending")
    if status not in parameters["status"]["enum"]:
        raise UsageError(f"{status!r} is not a status: write {', '.join(parameters['status']['enum'])}.")
    found = desk.approvals(caller, status=None if status == "all" else status)
    session.taint(a.tool for a in found if any(o.source == "untrusted" for o in a.card.origins))
    return {"approvals": [_short(desk, a) for a in found]}


def _asked(desk: Desk, session: CallSession, caller: Caller, text: str, thread: str | None) -> Turn:
    if thread is not None:
        # One that nobody has is refused: a host makes none up.
        desk.services.threads.get(thread, caller)
    turn = desk.ask(text, caller=caller, thread=thread, program=True, tainted=session.tainted)
    session.taint(turn.tainted)
    return turn


def _resumed(desk: Desk, session: CallSession, caller: Caller, thread: str) -> Turn:
    turn = desk.resume(thread, caller=caller)
    session.taint(turn.tainted)
    # A thread that the person began may show them what no program is to be told: as the record has it, it is masked.
    return turn if turn.status is Status.FAILED else replace(turn, answer=desk.turn(thread).answer)


def _of_call(desk: Desk, made: DirectCall) -> dict[str, Any]:
    if made.approval is not None:
        return {"status": "waiting", **_waiting(desk, made.approval)}
    assert made.result is not None
    return {"status": "done" if made.result.ok else "failed", **made.result.model_dump(mode="json")}


def _of_turn(desk: Desk, turn: Turn) -> dict[str, Any]:
    record: dict[str, Any] = {
        "status": str(turn.status),
        "thread": turn.thread,
        "answer": turn.answer,
        "citations": [dict(c) for c in turn.citations],
        "steps": [
            {"tool": s.tool, "arguments": dict(s.args), "outcome": s.outcome, "summary": s.summary} for s in turn.steps
        ],
    }
    if turn.status is Status.WAITING:
        record["approvals"] = [_waiting(desk, a) for a in turn.approvals]
    if turn.error or turn.limit:
        record["error"] = turn.error or turn.limit
    return record


def _waiting(desk: Desk, approval: Approval) -> dict[str, Any]:
    return {
        "approval": approval.id,
        "thread": approval.thread,
        "title": _masked(desk, approval, approval.card.title),
        "risk": approval.risk,
        "expires_at": approval.expires_at.isoformat(),
        "how": f"Nothing was changed. A person who may decide signs it off with `signoff approvals approve "
        f"{approval.id}`; call resume with this thread afterwards.",
    }


def _short(desk: Desk, approval: Approval) -> dict[str, Any]:
    record = approval_record(approval)
    told = {"title": approval.card.title, "args": record["args"], "reason": approval.reason}
    return {
        **{k: record[k] for k in ("id", "thread", "tool", "status", "risk", "expires_at")},
        "requester": approval.requester.name,
        **_masked(desk, approval, told),
    }


def _masked(desk: Desk, approval: Approval, value: Any) -> Any:
    """Of what a person signs, what a program may be told: an approval holds what marks stand for."""
    return desk.services.gateway.masks.mask(None, approval.requester, approval.thread, value)


def _result(data: dict[str, Any], *, failed: bool = False) -> CallToolResult:
    text = json.dumps(data, ensure_ascii=False, default=str)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=json.loads(text),
        is_error=failed or data.get("status") == "failed",
    )


def _own_entry(name: str) -> ToolEntry:
    description, properties, required = _OWN[name]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    hints = ToolAnnotations(read_only_hint=name == "approvals", destructive_hint=False)
    return ToolEntry(name=name, description=description, input_schema=schema, annotations=hints)


def _entry(tool: Tool) -> ToolEntry:
    description = tool.description
    if tool.risk.gated:
        description += " It changes nothing by itself: it answers with an approval that a person must sign off."
    hints = ToolAnnotations(
        read_only_hint=tool.risk is Risk.READ,
        destructive_hint=tool.risk is Risk.CRITICAL,
        open_world_hint=tool.egress,
    )
    schema = tool.schema()["function"]["parameters"]
    return ToolEntry(name=tool.name, description=description, input_schema=schema, annotations=hints)


def _client(context: Any) -> str:
    """What the host calls itself: a word for people, and nothing that anything depends on."""
    params = getattr(context.session, "client_params", None)
    name = getattr(getattr(params, "client_info", None), "name", "") or ""
    plain = "".join(c for c in terminal_safe(name) if c.isalnum() or c in " ._-")
    return shorten(f"The program {plain}" if plain.strip() else "Another program", 60)
