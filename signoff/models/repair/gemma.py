"""Calls as Gemma 4 writes them: `call:get_order{id:<|"|>A1<|"|>,lines:[1,2]}`, after its chat template."""

from __future__ import annotations

import re

from signoff.models.repair.literals import Unreadable, literal
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

_HEAD = re.compile(r"call:(?P<name>[^\W\d][\w.\-/:]{0,127})\s{0,8}(?=\{)")
_EXPECTED = frozenset(("unquoted_keys",))


def body(src: Source, at: int) -> Body | None:
    """Reads one call at a position; None where none begins."""
    head = _HEAD.match(src.text, at)
    if not head:
        return None
    name = head["name"]
    try:
        found = literal(src.text, head.end())
    except Unreadable as error:
        if error.cut:
            return Body([Draft(name, None, src.text[at : at + 2_000], why="cut off")], len(src.text), cut=True)
        raw = src.text[at : error.at]
        return Body([Draft(name, None, raw, why="its arguments are not readable")], max(error.at, head.end() + 1))
    if found.at_end and (found.unclosed > 1 or not src.offered.complete(name, found.value)):
        return Body([Draft(name, None, src.text[at : at + 2_000], why="cut off")], len(src.text), cut=True)
    draft = Draft(name, found.value, src.text[at : found.end], mends=found.mends - _EXPECTED)
    return Body([draft], found.end, kind="gemma")
