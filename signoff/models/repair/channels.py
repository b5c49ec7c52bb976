"""Calls as Kimi K3 writes them, in blocks of its own tokens:

`<|open|>call tool="get_order" index="1"<|sep|><|open|>argument key="id" type="string"<|sep|>A1<|close|>argument<|sep|>`
`<|close|>call<|sep|>`, or with the arguments as one `json` block; after its chat template.
"""

from __future__ import annotations

import re
from typing import Any

from signoff.models.repair import objects
from signoff.models.repair.literals import Unreadable, literal
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

_OPEN = re.compile(r"<\|open\|>call (?P<attrs>[^<>|]{1,400})<\|sep\|>")
_NAME = re.compile(r'tool="([^"<>]{1,128})"')
_KEY = re.compile(
    r'\s{0,8}<\|open\|>argument key="(?P<key>[^"]{0,256})"(?:\s?type="(?P<type>[a-z]{1,16})")?\s?<\|sep\|>'
)
_VALUES = re.compile(r"<\|open\|>argument [^|]{0,400}<\|sep\|>|<\|(?P<close>close)\|>argument<\|sep\|>")
_FOLLOW = re.compile(r"\s{0,8}(?:<\|open\|>argument |<\|close\|>call<\|sep\|>|$)")
_JSON = re.compile(r"\s{0,8}<\|open\|>json[^<>|]{0,64}<\|sep\|>")
_JSON_END = re.compile(r"\s{0,8}<\|close\|>json<\|sep\|>")
_CUT = re.compile(r"\s{0,8}<\|(?:open|close)\|>[^|]{0,200}(?:<\|?s?e?p?\|?)?\Z")
_END = re.compile(r"\s{0,8}<\|close\|>call<\|sep\|>")


def body(src: Source, at: int) -> Body | None:
    """Reads one call at a position; None where none begins."""
    head = _OPEN.match(src.text, at)
    named = _NAME.search(head["attrs"]) if head else None
    if not head or not named:
        return None
    text, name = src.text, named[1]
    cut = Body([Draft(name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True, kind="k3")
    args: dict[str, Any] = {}
    mends: set[str] = set()
    end = head.end()
    if block := _JSON.match(text, end):
        try:
            found = literal(text, block.end())
        except Unreadable as error:
            why = "its arguments are not readable as JSON"
            return cut if error.cut else Body([Draft(name, None, text[at : error.at], why=why)], error.at, kind="k3")
        close = _JSON_END.match(text, found.end)
        opened = objects.opened(found.value, mends)
        if found.at_end or opened is None:
            return cut
        args, end, mends = opened, close.end() if close else found.end, mends | found.mends
    while key := _KEY.match(text, end):
        value = src.closing(key.end(), _VALUES, _FOLLOW)
        if value is None:
            return cut
        said = key["key"].replace("&quot;", '"').replace("&amp;", "&")
        args[said] = _typed(src, name, said, key["type"], text[key.end() : value.start()])
        end = value.end()
    close = _END.match(text, end)
    if not close and (src.breaks_off(end) or _CUT.match(text, end)) and not src.offered.complete(name, args):
        return cut
    if not close:
        mends.add("missing_tag")
    end = close.end() if close else end
    return Body([Draft(name, args, text[at:end], mends=mends)], end, kind="k3")


def _typed(src: Source, name: str, key: str, kind: str | None, text: str) -> Any:
    if kind is None:
        return src.offered.typed(name, key, text)
    if kind == "string":
        return text
    try:
        found = literal(text.strip())
    except Unreadable:
        return text
    return found.value if not found.unclosed and found.end == len(text.strip()) else text
