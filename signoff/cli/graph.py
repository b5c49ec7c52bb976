"""`graph`: the compiled graph as text."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from signoff.cli.run import Run, command


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app)(graph)


def graph(
    run: Run,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Only the Mermaid text, to paste or to pipe.")] = False,
) -> None:
    """Draw the graph: its nodes, its edges, and where it stops for a signature."""
    from signoff.cli.rails import Edge, draw
    from signoff.graph.builder import STOP_BEFORE, builder
    from signoff.nodes.services import Services

    # A drawing needs the nodes' names and edges; the services are only used when a node runs.
    drawn = builder(cast(Services, None)).compile(interrupt_before=list(STOP_BEFORE)).get_graph()
    text = drawn.draw_mermaid().strip()
    nodes = list(drawn.nodes)
    edges = [Edge(nodes.index(e.source), nodes.index(e.target), e.conditional) for e in drawn.edges]
    names = {"__start__": "START", "__end__": "END"}
    labels = [f"{names.get(n, n)} ■" if n in STOP_BEFORE else names.get(n, n) for n in nodes]
    run.output.event(
        "graph",
        {
            "mermaid": text,
            "nodes": nodes,
            "edges": [{"source": e.source, "target": e.target, "conditional": e.conditional} for e in drawn.edges],
            "stops_before": list(STOP_BEFORE),
        },
    )
    if not mermaid:
        unicode = "utf" in (run.output.out.encoding or "").lower()
        run.output.say(draw(labels, edges, unicode=unicode))
        run.output.say()
        run.output.say(f"{'■' if unicode else '#'} the run stops before this node until people have decided")
        run.output.say(f"{'╌╌' if unicode else '..'} taken or not, as signoff/graph/edges.py decides")
        run.output.say()
    run.output.say(text)
