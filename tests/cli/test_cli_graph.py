"""The graph as text."""

from __future__ import annotations

import pytest
from signoff_command import Cli

from signoff.cli.rails import Edge, draw


def test_the_graph_is_drawn_with_all_nodes_and_its_stop(cli: Cli) -> None:
    shown = cli("graph")
    assert shown.code == 0
    drawing, _, mermaid = shown.out.partition("---\nconfig")
    for node in ("START", "route", "retrieve", "agent", "tools", "write_tools ■", "validate", "END"):
        assert any(line.startswith(node) for line in drawing.splitlines()), node
    assert "write_tools --> agent" in mermaid
    assert cli("graph", "--mermaid").out.startswith("---\nconfig")


def test_the_graph_as_json_names_edges_and_stops(cli: Cli) -> None:
    [graph] = cli("graph", "--json").data("graph")
    assert graph["stops_before"] == ["write_tools"]
    assert {"source": "tools", "target": "write_tools", "conditional": True} in graph["edges"]


def test_drawing_the_graph_makes_no_home(cli: Cli, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert cli("graph", "--home", str(tmp_path / "none")).code == 0
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("edges", "drawing"),
    [
        ([Edge(0, 1, False)], "a\n  │\n  ▼\nb\n\nc"),
        ([Edge(0, 1, False), Edge(1, 2, True)], "a\n  │\n  ▼\nb\n  │\n  ▼\nc"),
        ([Edge(0, 2, True)], "a\n  ╰╌╮\nb   │\n    │\nc ◀─╯"),
        ([Edge(0, 1, False), Edge(1, 0, False)], "a ◀─╮\n  │ │\n  ▼ │\nb   │\n  ╰─╯\nc"),
    ],
)
def test_edges_that_skip_or_go_back_run_on_rails(edges: list[Edge], drawing: str) -> None:
    assert draw(["a", "b", "c"], edges) == drawing


def test_without_unicode_it_is_ascii() -> None:
    assert draw(["a", "b"], [Edge(0, 1, True), Edge(1, 0, False)], unicode=False).isascii()
