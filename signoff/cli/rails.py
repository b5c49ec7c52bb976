"""A directed graph as text: nodes one below the other, and every edge that skips or goes back on a rail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = {
    _UP: "│", _DOWN: "│", _UP | _DOWN: "│", _LEFT: "─", _RIGHT: "─", _LEFT | _RIGHT: "─",
    _DOWN | _RIGHT: "╭", _DOWN | _LEFT: "╮", _UP | _RIGHT: "╰", _UP | _LEFT: "╯",
    _UP | _DOWN | _RIGHT: "├", _UP | _DOWN | _LEFT: "┤", _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _LEFT | _RIGHT: "┴", _UP | _DOWN | _LEFT | _RIGHT: "┼",
}  # fmt: skip
_ASCII = str.maketrans(dict.fromkeys("╭╮╰╯├┤┬┴┼", "+") | {"│": "|", "─": "-", "╌": ".", "▼": "v", "◀": "<", "■": "#"})
_LANE_W = 3


@dataclass(frozen=True)
class Edge:
    """From the node with one index to that with another."""

    source: int
    target: int
    conditional: bool


@dataclass
class _Lane:
    """A rail to one node."""

    target: int
    sources: list[int]

    @property
    def rows(self) -> tuple[int, int]:
        """First and last row: a node has one for what comes in, and one below for what goes out."""
        ends = [2 * self.target, *(2 * s + 1 for s in self.sources)]
        return min(ends), max(ends)


def draw(labels: Sequence[str], edges: Sequence[Edge], *, unicode: bool = True) -> str:
    """The graph in lines. A node's edges to the next node go straight down; all others to one node share a rail."""
    straight = {e.source: e.conditional for e in edges if e.target == e.source + 1}
    lanes = _lanes(edges)
    left = max(map(len, labels)) + 3
    width = left + _LANE_W * len(lanes) + 1
    lines: list[str] = []
    for node, label in enumerate(labels):
        coming = [lane for lane in lanes if lane.target == node]
        going = [lane for lane in lanes if node in lane.sources]
        conditional = any(e.conditional for e in edges if e.source == node)
        rail = _rails(lanes, 2 * node, coming, left, width, "─")
        arrow = f"{label} ◀" if coming else label
        lines.append(arrow.ljust(left, "─" if coming else " ") + rail)
        rail = _rails(lanes, 2 * node + 1, going, left, width, "╌" if conditional else "─")
        stem = " " if node not in straight and not going else "├" if going and node in straight else "│"
        stem = "╰" if going and node not in straight else stem
        run = ("╌" if conditional else "─") * (left - 3) if going else ""
        lines.append(f"  {stem}{run}".ljust(left) + rail)
        if node in straight:
            lines.append("  ▼".ljust(left) + _rails(lanes, 2 * node + 1.5, [], left, width, " "))
    text = "\n".join(line.rstrip() for line in lines).rstrip()
    return text if unicode else text.translate(_ASCII)


def _lanes(edges: Sequence[Edge]) -> list[_Lane]:
    sources: dict[int, list[int]] = {}
    for e in edges:
        if e.target != e.source + 1:
            sources.setdefault(e.target, []).append(e.source)
    # Short rails inside, long ones outside: fewer crossings.
    return sorted((_Lane(t, s) for t, s in sources.items()), key=lambda lane: lane.rows[1] - lane.rows[0])


def _rails(lanes: Sequence[_Lane], row: float, joined: Sequence[_Lane], left: int, width: int, line: str) -> str:
    """The part of a row to the right of the nodes: rails that pass, and those that are joined."""
    cells = [" "] * (width - left)
    reach = max((lanes.index(lane) for lane in joined), default=-1)
    if reach >= 0:
        cells[: reach * _LANE_W + 1] = line * (reach * _LANE_W + 1)
    for i, lane in enumerate(lanes):
        first, last = lane.rows
        if not first <= row <= last:
            continue
        at = i * _LANE_W
        ways = (_UP if row > first else 0) | (_DOWN if row < last else 0)
        if lane in joined:
            ways |= _LEFT | (_RIGHT if i < reach else 0)
        cells[at] = _LINES[ways]
    return "".join(cells)
