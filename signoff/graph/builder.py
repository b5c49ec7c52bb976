"""The graph: six nodes, four decisions, one stop.

START → route → retrieve? → agent ⇄ tools → write_tools → agent → validate → END
                              ▲              (stop here)             │
                              └────────── one repair round ◄─────────┘
"""

from __future__ import annotations

from functools import partial

from langgraph.graph import END, START, StateGraph

from signoff import nodes
from signoff.caller import Caller
from signoff.graph import edges
from signoff.nodes import Services
from signoff.settings import Settings
from signoff.state import AgentState, TurnInput, TurnOutput

STOP_BEFORE = ("write_tools",)
"""Where a run waits for signatures. A caller may override a stop; what guards a write is in the gateway."""


def recursion_limit(settings: Settings) -> int:
    """Supersteps in one run: more than a turn can take, whose own limits end it in words."""
    return 4 * settings.max_rounds + 16


def builder(services: Services) -> StateGraph[AgentState, Caller, TurnInput, TurnOutput]:
    """The graph, not yet compiled: with a saver by `Desk`, without one for LangGraph's server."""
    graph = StateGraph(AgentState, context_schema=Caller, input_schema=TurnInput, output_schema=TurnOutput)
    graph.add_node("route", partial(nodes.route, services=services))
    graph.add_node("retrieve", partial(nodes.retrieve, services=services))
    graph.add_node("agent", partial(nodes.agent, services=services))
    graph.add_node("tools", partial(nodes.tools, services=services))
    graph.add_node("write_tools", partial(nodes.write_tools, services=services))
    graph.add_node("validate", partial(nodes.validate, services=services))
    graph.add_edge(START, "route")
    graph.add_conditional_edges("route", edges.after_route)
    graph.add_edge("retrieve", "agent")
    graph.add_conditional_edges("agent", edges.after_agent)
    graph.add_conditional_edges("tools", edges.after_tools)
    graph.add_edge("write_tools", "agent")
    graph.add_conditional_edges("validate", edges.after_validate, {"agent": "agent", "__end__": END})
    return graph
