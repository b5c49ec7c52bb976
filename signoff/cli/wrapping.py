"""Lines of a given width for Chinese and English mixed: Rich breaks at spaces only, and Chinese has none."""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells

_UNIT = re.compile(r"\s+|[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+")
_CLOSING = frozenset(",.;:!?)]}，。；：！？、）】」』》”’…%")
_OPENING = frozenset("([{（【「『《“‘")


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns; at least one line.

    Breaks at spaces and between Chinese characters, not before closing and not after opening punctuation. A
    word is broken only when it is longer than a line. White space runs count as one space.
    """
    lines: list[str] = []
    line = ""
    for unit in _units(" ".join(text.split())):
        if cell_len(line + unit.rstrip()) <= width:
            line += unit
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = unit.lstrip()
        if cell_len(line.rstrip()) > width:
            *whole, line = chop_cells(line, width)
            lines += whole
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _units(text: str) -> list[str]:
    """What stays together on a line, with the space that follows it."""
    units: list[str] = []
    for piece in _UNIT.findall(text):
        last = units[-1][-1] if units else ""
        if last and (piece.isspace() or (not last.isspace() and (piece[0] in _CLOSING or last in _OPENING))):
            units[-1] += piece
        else:
            units.append(piece)
    return units
