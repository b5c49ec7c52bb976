"""Calls as MiniMax M3 writes them: elements named after the parameters, every tag behind a token of its own.

`]<]minimax[>[<invoke name="get_order">]<]minimax[>[<id>A1]<]minimax[>[</id>]<]minimax[>[</invoke>`; objects are
elements in elements, lists are elements called `item`; after MiniMax's tool-calling guide for M3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signoff.models.repair.literals import DEPTH
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.schemas import kinds_of, part, typed
from signoff.models.repair.source import Source

TOKEN = "]<]minimax[>["
_T = re.escape(TOKEN)
_HEAD = re.compile(rf"(?:{_T})?<invoke name=\"(?P<name>[^\"<>]{{1,128}})\">(?=\s{{0,64}}{_T})")
_TAG = re.compile(rf"{_T}<(?P<close>/?)(?P<tag>[^<>\s/][^<>\s]{{0,127}})(?:\s[^<>]{{0,200}})?>")


@dataclass
class _Element:
    tag: str
    start: int
    end: int = 0
    inner: list[_Element] = field(default_factory=list)


def body(src: Source, at: int) -> Body | None:
    """Reads one call at a position; None where none begins."""
    head = _HEAD.match(src.text, at)
    if not head:
        return None
    name, text = head["name"], src.text
    root = _Element("invoke", head.end())
    open_elements = [root]
    end = head.end()
    while open_elements:
        tag = src.next(_TAG, end)
        if tag is None or len(open_elements) > DEPTH:
            at_end = len(text) if tag is None else end
            return Body([Draft(name, None, text[at:at_end], why="cut off")], at_end, cut=tag is None, kind="m3")
        end = tag.end()
        if not tag["close"]:
            open_elements.append(_Element(tag["tag"], tag.end()))
        elif tag["tag"] == open_elements[-1].tag:
            done = open_elements.pop()
            done.end = tag.start()
            if open_elements:
                open_elements[-1].inner.append(done)
        else:
            why = "its tags do not match"
            return Body([Draft(name, None, text[at:end], why=why)], end, kind="m3")
    schema = src.offered.schema(name)
    args = {e.tag: _value(text, e, part(schema, schema, e.tag), schema) for e in root.inner}
    mends = {"duplicate_keys"} if len(args) < len(root.inner) else set()
    return Body([Draft(name, args, text[at:end], mends=mends)], end, kind="m3")


def _value(text: str, element: _Element, schema: Any, root: Mapping[str, Any]) -> Any:
    raw = text[element.start : element.end]
    kinds = kinds_of(schema, root)
    if not element.inner:
        if not raw.strip() and kinds and "string" not in kinds:
            if "array" in kinds:
                return []
            if "object" in kinds:
                return {}
        return typed(raw, schema, root)
    if kinds and not kinds & {"object", "array"}:
        return raw
    tags = [e.tag for e in element.inner]
    if set(tags) == {"item"} and (not kinds or "array" in kinds):
        return [_value(text, e, part(schema, root, None), root) for e in element.inner]
    return {e.tag: _value(text, e, part(schema, root, e.tag), root) for e in element.inner}
