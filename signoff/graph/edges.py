"""Every routing decision: pure functions of the state."""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AIMessage

from signoff.state import AgentState, Status, call_ids, open_calls


def after_route(state: AgentState) -> Literal["retrieve", "agent"]:
    """Search first when the turn may need documents."""
    return "retrieve" if state["turn"]["knowledge"] else "agent"


def after_agent(state: AgentState) -> Literal["tools", "validate"]:
    """Calls are made; anything else is an answer to be checked."""
    newest = state["messages"][-1]
    return "tools" if isinstance(newest, AIMessage) and call_ids(newest) else "validate"


def after_tools(state: AgentState) -> Literal["write_tools", "agent"]:
    """Calls that are still open wait for a signature; otherwise the model reads what was found."""
    return "write_tools" if open_calls(state["messages"]) else "agent"


def after_validate(state: AgentState) -> Literal["agent", "__end__"]:
    """Back to the model with findings, or the end of the turn."""
    return "agent" if state["status"] == Status.RUNNING else "__end__"
