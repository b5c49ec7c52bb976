"""Calls as a name and pairs of tags: `get_order<arg_key>id</arg_key><arg_value>A1</arg_value>`.

The format of GLM 4.5 and later, Ling 3 and Spark 2.5, after their chat templates: text stands as it is, everything
else as JSON.
"""

from __future__ import annotations

import re

from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

_HEAD = re.compile(r"(?P<name>[^\W\d][\w.\-/:]{0,127})\s{0,32}(?=<arg_key>|</tool_call>)")
_KEY = re.compile(r"\s{0,64}<arg_key>\s{0,8}(?P<key>[^<>]{1,128}?)\s{0,8}</arg_key>\s{0,64}<arg_value>")
_VALUES = re.compile(r"<(?P<close>/?)arg_value>")
_FOLLOW = re.compile(r"\s{0,64}(?:<arg_key>|</?tool_call>|<\||$)")
_ENDS = re.compile(r"\s{0,64}(?=</?tool_call>)")
_LONE = re.compile(r"\s{0,64}<arg_key>[^<>]{0,128}(?:</arg_key>)?")


def body(src: Source, at: int) -> Body | None:
    """Reads one call at a position; None where none begins."""
    head = _HEAD.match(src.text, at)
    if not head:
        return None
    if not src.text.startswith("<arg_key>", head.end()) and src.text[at - 1 : at] == " ":
        # A word between two tags that a sentence speaks of.
        return None
    name, end = head["name"], head.end()
    args = {}
    while key := _KEY.match(src.text, end):
        value = src.closing(key.end(), _VALUES, _FOLLOW)
        if value is None:
            return Body([Draft(name, None, src.text[at : at + 2_000], why="cut off")], len(src.text), cut=True)
        args[key["key"]] = src.offered.typed(name, key["key"], src.text[key.end() : value.start()])
        end = value.end()
    draft = Draft(name, args, src.text[at:end])
    if _ENDS.match(src.text, end):
        return Body([draft], end, kind="pairs")
    if lone := _LONE.match(src.text, end):
        if src.breaks_off(lone.end()):
            return Body([Draft(name, None, src.text[at : at + 2_000], why="cut off")], len(src.text), cut=True)
        why = "a key without a value"
        return Body([Draft(name, None, src.text[at : lone.end()], why=why)], lone.end(), kind="pairs")
    if src.breaks_off(end) and not src.offered.complete(name, args):
        return Body([Draft(name, None, src.text[at : at + 2_000], why="cut off")], len(src.text), cut=True)
    draft.mends.add("missing_tag")
    return Body([draft], end, kind="pairs")
