"""Calls as a name and the JSON of its arguments behind it.

The formats of Mistral (`name[ARGS]{…}`, with `[CALL_ID]`), DeepSeek V3 and R1 (type, separator, name and a fence),
V3.1 (name, separator, object), Kimi K2 (`functions.name:0`) and Functionary 3.2 (`name`, a line, an object), after
their chat templates.
"""

from __future__ import annotations

import re

from signoff.models.repair import objects
from signoff.models.repair.literals import Unreadable, literal
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

_NAME = r"(?P<name>[^\W\d][\w.\-/]{0,127}(?::[0-9]{1,4})?)"
_SEP = r"<[|｜]tool[▁_]sep[|｜]>"
_ARGS = r"<\|tool_calls?_argument_begin\|>|\[ARGS\]"
HEAD = re.compile(
    rf"(?:[a-z]{{1,16}}{_SEP}(?=[^\s{{]))?{_NAME}\s{{0,8}}"
    rf"(?P<marks>(?:\s{{0,8}}(?:{_SEP}|{_ARGS}|\[CALL_ID\][\w\-]{{1,64}}))*)\s{{0,8}}(?:```[a-z]{{0,8}}\s{{0,8}})?"
)
_FENCE = re.compile(r"\s{0,8}```")
_NOTHING = re.compile(r"\s{0,8}(?:<[|｜]tool|</|<\|im_end|\[TOOL_CALLS\]|$)")


def body(src: Source, at: int) -> Body | None:
    """Reads one call at a position; None where none begins."""
    text = src.text
    head = HEAD.match(text, at)
    if not head:
        return None
    name = head["name"]
    if not text.startswith("{", head.end()):
        quoted = text[head.end() : head.end() + 1] == '"' and head["marks"]
        if not quoted:
            return _bare(src, head)
    try:
        found = literal(text, head.end())
    except Unreadable as error:
        if error.cut:
            return Body([Draft(name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True)
        why = "its arguments are not readable as JSON"
        return Body([Draft(name, None, text[at : error.at], why=why)], max(error.at, head.end() + 1), kind="named")
    end = found.end
    if fence := _FENCE.match(text, end):
        end = fence.end()
    draft = Draft(name, None, text[at:end], mends=found.mends)
    draft.args = objects.opened(found.value, draft.mends)
    if draft.args is None:
        draft.why = "its arguments are not an object"
    elif found.at_end and (found.unclosed > 1 or not src.offered.complete(name, draft.args)):
        return Body([Draft(name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True)
    return Body([draft], end, kind=_kind(head[0]))


def _kind(head: str) -> str:
    """Which of these formats it is, as far as that can be told."""
    if "[CALL_ID]" in head:
        return "mistral-call-id"
    if "[ARGS]" in head:
        return "mistral-args"
    return "deepseek-v3.1" if "sep" in head and "```" not in head else "named"


def _bare(src: Source, head: re.Match[str]) -> Body | None:
    """A name with nothing behind it: a call without arguments where the format says that they come here."""
    if not head["marks"]:
        return None
    if head.end() >= len(src.text):
        return Body([Draft(head["name"], None, head[0], why="cut off")], len(src.text), cut=True)
    if not _NOTHING.match(src.text, head.end()):
        return None
    return Body([Draft(head["name"], {}, head[0], mends={"no_arguments"})], head.end(), kind="named")
