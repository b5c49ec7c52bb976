"""A small graph on Signoff's reducer, and threads of random shapes on it."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import END, START, StateGraph

from signoff.checkpoints.serde import ThreadSerializer
from signoff.checkpoints.sqlite import ThreadSaver
from signoff.checkpoints.tables import connect
from signoff.state import message_id, reduce_messages


def latest(_: Any, writes: Any) -> Any:
    return writes[-1]


class Asked(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(reduce_messages, snapshot_frequency=5)]


class Conversation(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], DeltaChannel(reduce_messages, snapshot_frequency=5)]
    evidence: Annotated[list[str], DeltaChannel(latest, snapshot_frequency=1)]
    log: Annotated[list[str], DeltaChannel(lambda old, new: [*(old or ()), *new], snapshot_frequency=100)]
    count: int


def agent(state: Conversation) -> dict[str, Any]:
    last = state["messages"][-1] if state["messages"] else None
    if isinstance(last, HumanMessage) and "order" in str(last.content):
        call = {"name": "query_order", "args": {"order_id": "A1003"}, "id": message_id()}
        return {"messages": [AIMessage("", id=message_id(), tool_calls=[call])], "evidence": [str(last.content)]}
    return {"messages": AIMessage(f"answer {len(state['messages'])}", id=message_id()), "log": "answered"}


def tools(state: Conversation) -> dict[str, Any]:
    last = state["messages"][-1] if state["messages"] else None
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    found = [ToolMessage('{"ok": true}', tool_call_id=c["id"], id=message_id()) for c in calls]
    return {"messages": found, "count": state.get("count", 0) + 1}


def small_graph(saver: Any, **options: Any) -> Any:
    builder = StateGraph(Conversation, input_schema=Asked)
    builder.add_node("agent", agent)
    builder.add_node("tools", tools)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges(
        "agent", lambda s: "tools" if s["messages"] and getattr(s["messages"][-1], "tool_calls", ()) else END
    )
    builder.add_edge("tools", "agent")
    return builder.compile(checkpointer=saver, **options)


def config(thread: str = "t", checkpoint: str | None = None) -> Any:
    return {"configurable": {"thread_id": thread, **({"checkpoint_id": checkpoint} if checkpoint else {})}}


def memory_saver() -> ThreadSaver:
    return ThreadSaver(connect(None, 1.0), serde=ThreadSerializer())


def human(text: str) -> HumanMessage:
    return HumanMessage(text, id=message_id())


def visible(saver: Any, thread: str = "t") -> list[str]:
    """Ids of the thread's checkpoints, newest first."""
    return [t.config["configurable"]["checkpoint_id"] for t in saver.list(config(thread))]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(["hello", "order?"]), st.none()),
        st.tuples(
            st.sampled_from(["fork", "update", "copy", "replay", "remove"]),
            st.sampled_from(["hello", "order?"]),
            st.integers(0, 40),
        ),
        st.tuples(st.just("prune"), st.none(), st.integers(1, 12)),
    ),
    min_size=1,
    max_size=9,
)
"""What may happen to a thread: `(what, words, which checkpoint or how many to keep)`."""


def grow(graph: Any, steps: Any) -> None:
    """Make a thread of that shape. Begins with a question, so that there is a checkpoint to go back to."""
    graph.invoke({"messages": [human("hello")]}, config())
    for what, words, which in steps:
        known = visible(graph.checkpointer)
        at = known[which % len(known)] if which is not None else None
        match what:
            case "ask":
                graph.invoke({"messages": [human(words)]}, config())
            case "fork":
                graph.invoke({"messages": [human(words)]}, config(checkpoint=at))
            case "update":
                graph.update_state(config(checkpoint=at), {"messages": [human(words)]}, as_node="tools")
            case "copy":
                graph.update_state(config(checkpoint=at), None, as_node="__copy__")
            case "replay":
                graph.invoke(None, config(checkpoint=at))
            case "remove":
                held = graph.get_state(config()).values["messages"]
                gone = RemoveMessage(held[which % len(held)].id) if held else RemoveMessage("unknown")
                graph.update_state(config(), {"messages": [gone]}, as_node="tools")
            case "prune":
                graph.checkpointer.prune_thread("t", keep=which)


def told(state: Any) -> Any:
    """What a state says, in a form that can be compared."""
    values = {k: [m.model_dump() for m in v] if k == "messages" else v for k, v in state.values.items()}
    return values, state.next, state.metadata, state.created_at
