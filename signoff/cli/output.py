"""Where words go: the answer to stdout, what is said about it to stderr, JSON lines instead of both."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from signoff.text import terminal_safe

NARROWEST, WIDEST = 60, 120
"""Columns within which cards are drawn."""

_GAP = "  "


class Output:
    """Writes for people, or for programs when `json`. Whatever it is given may come from anybody: it is made
    safe for a terminal here, and never read as markup."""

    def __init__(self, *, json: bool = False) -> None:
        self.json = json
        self.out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self.err = Console(highlight=False, markup=False, emoji=False, soft_wrap=True, stderr=True)
        self._seq = 0
        self._open = False
        self.written = ""
        """What of an answer was shown while it was being written."""

    @property
    def width(self) -> int:
        """Columns for cards and drawings."""
        return max(NARROWEST, min(WIDEST, self.err.width))

    @property
    def unicode(self) -> bool:
        """Whether stderr can show more than ASCII."""
        return "utf" in (self.err.encoding or "").lower()

    def event(self, type: str, data: Mapping[str, Any], ts: str | None = None) -> None:
        """One JSON line, when that is what was asked for."""
        if not self.json:
            return
        self._seq += 1
        line = {"type": type, "seq": self._seq, "ts": ts or _now(), "data": data}
        text = json.dumps(line, ensure_ascii="utf" not in (self.out.encoding or "").lower(), default=_plain)
        sys.stdout.write(_printable(text) + "\n")
        sys.stdout.flush()

    def say(self, text: str = "", style: str = "") -> None:
        """A line, or several, of what was asked for."""
        if not self.json:
            self._end_line()
            self.out.print(Text(terminal_safe(text), style=style))

    def note(self, text: str = "", style: str = "dim") -> None:
        """A word about the answer."""
        if not self.json:
            self._end_line()
            self.err.print(Text(terminal_safe(text), style=style))

    def draw(self, drawing: Any, *, answer: bool = False) -> None:
        """A Rich drawing whose texts are safe already."""
        if not self.json:
            self._end_line()
            (self.out if answer else self.err).print(drawing, soft_wrap=False)

    def write(self, text: str, at: int) -> None:
        """A part of an answer that is still being written, at its position. What stands behind that was taken back:
        then the answer is written anew on a line of its own."""
        if self.json:
            return
        goes_on = at == len(self.written)
        self.written = self.written[:at] + text
        if not goes_on:
            self._end_line()
        if fresh := text if goes_on else self.written:
            self.out.print(Text(terminal_safe(fresh)), end="")
            self._open = True

    def answer(self, text: str) -> None:
        """The whole answer, if it does not stand there already."""
        if not self.written or text != self.written:
            self.say(text)
        self._end_line()
        self.written = ""

    def _end_line(self) -> None:
        if self._open:
            self._open = False
            self.out.print()

    def problem(self, sentence: str, code: int, kind: str) -> None:
        """Why the command ends: a line on stderr, and a `warning` or `cancelled` among JSON events."""
        type = "cancelled" if kind == "Interrupted" else "warning"
        self._end_line()
        self.event(type, {"message": sentence, "kind": kind, "exit_code": code})
        said = sentence if type == "cancelled" else f"error: {sentence}"
        self.err.print(Text(" ".join(terminal_safe(said).split()), style="red"))

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[Any]], *, shrink: int | None = None) -> None:
        """Rows in columns. In a terminal the column `shrink` gives way, so that a row stays on its line."""
        if self.json:
            return
        cells = [[_line(cell) for cell in row] for row in [heads, *rows]]
        widths = [max(cell_len(row[i]) for row in cells) for i in range(len(heads))]
        over = sum(widths) + len(_GAP) * (len(heads) - 1) - self.out.width
        if shrink is not None and over > 0 and self.out.is_terminal:
            widths[shrink] = max(4, widths[shrink] - over)
        for number, row in enumerate(cells):
            line = _GAP.join(fit(cell, w) for cell, w in zip(row, widths, strict=True)).rstrip()
            self.out.print(Text(line, style="" if number else "bold"))

    def records(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows with the same names: a table, or where a terminal is too narrow for it, a block a row."""
        names = list(rows[0])
        widths = [max(cell_len(_line(text)) for text in (name, *(r[name] for r in rows))) for name in names]
        if not self.out.is_terminal or sum(widths) + len(_GAP) * (len(names) - 1) <= self.out.width:
            self.table(names, [[r[n] for n in names] for r in rows])
            return
        label_w = max(map(cell_len, names))
        for number, row in enumerate(rows, 1):
            self.say(f"{number}", "bold")
            for name in names:
                self.say(f"  {fit(name, label_w)}  {_line(row[name])}")


def cut(text: str, width: int) -> str:
    """The text on one line of at most so many columns, with `…` where it was cut; Chinese counts two each."""
    line = " ".join(text.split())
    return line if cell_len(line) <= width else fit(line, width)


def fit(text: str, width: int) -> str:
    """The text in exactly so many columns, cut with `…` when it is longer; Chinese counts two each."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(0, width - 1)).rstrip() + "…", width)


def moment(iso: str | datetime, zone: str) -> str:
    """A time in the business zone, to the second."""
    from zoneinfo import ZoneInfo

    at = datetime.fromisoformat(iso) if isinstance(iso, str) else iso
    return at.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S")


def visible(text: str) -> str:
    """The text with everything that a reader would not see written as an escape, `\\u202e`."""
    return "".join(c if c.isprintable() or c == "\u3000" else c.encode("unicode_escape").decode() for c in text)


def exact(value: Any) -> str:
    """A value as it is, on one line: text in quotes, with what cannot be seen as escapes."""
    return visible(json.dumps(value, ensure_ascii=False, default=str))


def _line(cell: Any) -> str:
    return " ".join(terminal_safe("" if cell is None else str(cell)).split())


def _printable(text: str) -> str:
    """JSON that no terminal acts upon: what json.dumps leaves of controls and bidi marks, as escapes."""
    return re.sub(
        "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]",
        lambda m: json.dumps(m.group())[1:-1],
        text,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, frozenset | set):
        return sorted(value)
    return str(value)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
