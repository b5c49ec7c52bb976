"""A trace in the terminal: the tree, how each span ended, its tokens, and when it ran."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len, set_cell_size

from signoff.telemetry.traces import Trace, TraceNode
from signoff.text import terminal_safe

_LABELS = {
    "turn": "turn",
    "model_call": "model",
    "retrieval": "search",
    "tool_call": "tool",
    "approval_wait": "wait",
    "validation": "check",
}
_IDLE_SHARE = 0.1
"""A pause is drawn at most this share of the work long: a day's wait must not hide what took milliseconds."""


@dataclass(frozen=True)
class _Glyphs:
    branch: str
    last: str
    trunk: str
    work: str
    wait: str
    open: str
    arrow: str
    cut: str
    dot: str


_UNICODE = _Glyphs("├─ ", "└─ ", "│  ", "█", "░", "▒", "→", "…", " · ")
_ASCII = _Glyphs("|- ", "`- ", "|  ", "#", ".", "~", ">", "~", " | ")


def draw(trace: Trace, width: int = 100, unicode: bool = True, *, details: bool = False) -> str:
    """The trace as plain text in lines of at most `width` columns (at least 40); Chinese counts two each.

    Columns: tree, outcome, tokens (prompt→completion), time, and a bar on a time axis on which pauses are
    shortened. `details` puts every attribute on a line below its span.
    """
    glyphs = _UNICODE if unicode else _ASCII
    width = max(width, 40)
    rows = list(_tree(trace.root, "", "", glyphs))
    cells = [(head + _title(n), _outcome(n), _tokens(trace, n, glyphs), _time(n)) for head, _, n in rows]
    outcome_w, tokens_w, time_w = (max(cell_len(c[i]) for c in cells) for i in (1, 2, 3))
    outcome_w = min(outcome_w, max(width // 5, 9))
    taken = outcome_w + tokens_w + time_w + 6
    bar_w = min(40, max(width // 4, 10)) if width >= 70 else 0
    name_w = max(min(max(cell_len(c[0]) for c in cells), width - taken - bar_w - (2 if bar_w else 0)), 8)
    place = _axis(trace.root)
    lines = _headline(trace, width, glyphs)
    for (name, outcome, tokens, time), (_, rest, node) in zip(cells, rows, strict=True):
        line = "  ".join(
            (
                _fit(name, name_w, glyphs),
                _fit(outcome, outcome_w, glyphs),
                " " * (tokens_w - cell_len(tokens)) + tokens,
                " " * (time_w - cell_len(time)) + time,
            )
        )
        if bar_w:
            line += "  " + _bar(node, trace, place, bar_w, glyphs)
        lines.append(_fit(line, width, glyphs).rstrip())
        if details:
            lines += [_fit(f"{rest}   {text}", width, glyphs).rstrip() for text in _attributes(node)]
    return "\n".join(lines)


def duration(ms: float | None) -> str:
    """Milliseconds as people read them: `0.4 ms`, `12 ms`, `1.24 s`, `3 min 12 s`, `2 h 05 min`, `1 d 3 h`."""
    if ms is None:
        return "-"
    seconds = round(ms / 1000)
    if ms < 10:
        return f"{ms:.1f} ms"
    if ms < 999.5:
        return f"{ms:.0f} ms"
    if ms < 59_995:
        return f"{ms / 1000:.2f} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    if seconds < 86_400:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"
    return f"{seconds // 86_400} d {seconds % 86_400 // 3600} h"


def _headline(trace: Trace, width: int, glyphs: _Glyphs) -> list[str]:
    t = trace.totals
    who = f"{trace.tenant}/{trace.user}" if trace.tenant else "unknown caller"
    first = [f"Turn {trace.turn}", f"thread {trace.thread or '-'}", who, f"{trace.root.started:%Y-%m-%d %H:%M:%S} UTC"]
    second = [
        _line(trace.status),
        _count(t.model_calls, "model call"),
        f"{t.tokens:,} tokens ({t.prompt_tokens:,}{glyphs.arrow}{t.completion_tokens:,})",
        _count(t.tool_calls, "tool call"),
        f"{duration(max(t.ms - t.waiting_ms, 0.0))} without waiting",
        *([f"{duration(t.waiting_ms)} waiting for people"] if t.waiting_ms else []),
    ]
    return [line for parts in (first, second) for line in _wrapped([_line(p) for p in parts], width, glyphs)]


def _wrapped(parts: list[str], width: int, glyphs: _Glyphs) -> Iterator[str]:
    line = ""
    for part in parts:
        longer = f"{line}{glyphs.dot}{part}" if line else part
        if line and cell_len(longer) > width:
            yield line
            longer = part
        line = _fit(longer, width, glyphs).rstrip()
    yield line


def _tree(node: TraceNode, head: str, rest: str, glyphs: _Glyphs) -> Iterator[tuple[str, str, TraceNode]]:
    yield head, rest, node
    for child in node.children:
        last = child is node.children[-1]
        yield from _tree(
            child, rest + (glyphs.last if last else glyphs.branch), rest + ("   " if last else glyphs.trunk), glyphs
        )


def _title(node: TraceNode) -> str:
    label = _LABELS.get(node.kind, "")
    name = _line(node.name)
    return name if not label or name == label else f"{label} {name}"


def _outcome(node: TraceNode) -> str:
    said = node.attributes.get("code") or node.attributes.get("outcome")
    if said and node.status in ("ok", "error"):
        return _line(str(said))
    return _line(node.status)


def _tokens(trace: Trace, node: TraceNode, glyphs: _Glyphs) -> str:
    if node is trace.root and trace.totals.tokens:
        return f"{trace.totals.prompt_tokens:,}{glyphs.arrow}{trace.totals.completion_tokens:,}"
    if node.kind != "model_call" or node.tokens == (None, None):
        return ""
    return glyphs.arrow.join("?" if n is None else f"{n:,}" for n in node.tokens)


def _time(node: TraceNode) -> str:
    return duration(node.ms)


def _attributes(node: TraceNode) -> list[str]:
    shown = {k: v for k, v in node.attributes.items() if k != "process"}
    return [
        f"{_line(k)}: {_line(v if isinstance(v, str) else json.dumps(v, ensure_ascii=False))}" for k, v in shown.items()
    ]


def _axis(root: TraceNode) -> Callable[[datetime], float]:
    """From a moment to its place, 0 to 1, on an axis where stretches without work are shortened."""
    work = sorted(
        ((n.started, n.ended or n.started) for n in root.walk() if n is not root and n.kind != "approval_wait"),
    )
    end = max([root.ended or root.started, *(e for _, e in work)])
    stretches: list[tuple[datetime, datetime, bool]] = []
    at = root.started
    for start, stop in work:
        if start > at:
            stretches.append((at, start, False))
        if stop > at:
            stretches.append((max(at, start), stop, True))
            at = stop
    if end > at:
        stretches.append((at, end, False))
    busy = sum((b - a).total_seconds() for a, b, works in stretches if works)

    def length(a: datetime, b: datetime, works: bool) -> float:
        seconds = (b - a).total_seconds()
        return seconds if works or not busy else min(seconds, busy * _IDLE_SHARE)

    total = sum(length(*s) for s in stretches) or 1.0

    def place(moment: datetime) -> float:
        done = 0.0
        for a, b, works in stretches:
            if moment <= a:
                break
            share = 1.0 if moment >= b else (moment - a) / (b - a)
            done += share * length(a, b, works)
        return done / total

    return place


def _bar(node: TraceNode, trace: Trace, place: Callable[[datetime], float], width: int, glyphs: _Glyphs) -> str:
    start = min(int(place(node.started) * width), width - 1)
    stop = width if node.ended is None else max(round(place(node.ended) * width), start + 1)
    fill = glyphs.wait if node.kind == "approval_wait" else glyphs.work if node.ended else glyphs.open
    return " " * start + fill * (stop - start)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _line(text: str) -> str:
    return " ".join(terminal_safe(text).split())


def _fit(text: str, width: int, glyphs: _Glyphs) -> str:
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1).rstrip() + glyphs.cut
