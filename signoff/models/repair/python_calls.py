"""Calls as Python: `[get_order(id="A1"), refund(id="A1", amount=3)]`.

The format of Llama 3.2 and 4, LFM2, Olmo 3 and of code fences marked `tool_code` (Gemma 3). Read, never evaluated.
"""

from __future__ import annotations

import re

from signoff.models.repair.literals import Unreadable, arguments
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.schemas import Offered
from signoff.models.repair.source import Source

CALL = re.compile(r"(?:print\(\s{0,8})?(?P<name>[^\W\d][\w.\-]{0,127})\s{0,4}[(（]")
START = re.compile(r"\s{0,64}\[?\s{0,64}" + CALL.pattern)
_BETWEEN = re.compile(r"\s{0,64}[,;，；]?\s{0,64}")
_LISTED = re.compile(r"\s{0,64},?\s{0,64}\]")
EXPECTED = frozenset(("single_quotes", "python_literals"))
"""What is no mending here but the notation."""


def body(src: Source, at: int) -> Body | None:
    """Reads calls in a list, or one after the other; None where none begins."""
    text = src.text
    listed = text.startswith("[", at)
    start = at + 1 if listed else at
    while text[start : start + 1].isspace():
        start += 1
    if not CALL.match(text, start):
        return None
    drafts: list[Draft] = []
    end = start
    while call := CALL.match(text, end):
        draft, after = one(src, call)
        if after is None:
            return Body(
                [*drafts, Draft(call["name"], None, text[call.start() : call.start() + 2_000], why="cut off")],
                len(text),
                cut=True,
            )
        drafts.append(draft)
        end = after
        if draft.args is None:
            break
        if listed and (close := _LISTED.match(text, end)):
            return Body(drafts, close.end(), kind="python")
        between = _BETWEEN.match(text, end)
        after = between.end() if between else end
        if not CALL.match(text, after):
            break
        end = after
    if listed and drafts and drafts[-1].args is not None:
        drafts[-1].mends.add("missing_bracket")
    return Body(drafts, end, kind="python")


def one(src: Source, call: re.Match[str]) -> tuple[Draft, int | None]:
    """One call from its name on, and where it ends; no end where the output breaks off in it."""
    text, name = src.text, call["name"]
    if name.endswith(".call"):
        name = name.removesuffix(".call")
    printed = call[0].startswith("print(")
    try:
        found = arguments(text, call.end())
    except Unreadable as error:
        if error.cut:
            return Draft(name, None, ""), None
        return Draft(name, None, text[call.start() : error.at], why="its arguments are not plain values"), error.at
    if found.unclosed and found.at_end and (found.unclosed > 1 or not src.offered.complete(name, found.value)):
        return Draft(name, None, ""), None
    end = found.end
    if printed and text[end : end + 1] == ")":
        end += 1
    draft = Draft(name, found.value, text[call.start() : end], mends=found.mends - EXPECTED)
    if "" in found.value:
        _positional(draft, src.offered)
    return draft, end


def _positional(draft: Draft, offered: Offered) -> None:
    """One value without a name: the arguments as an object, or the one parameter that can be meant."""
    value, rest = draft.args[""], {k: v for k, v in draft.args.items() if k}
    only = offered.only(draft.name)
    if isinstance(value, dict) and not rest and (offered.open or offered.fits(draft.name, value)):
        draft.args = value
    elif only is not None and only not in rest:
        draft.args = {only: value, **rest}
    else:
        draft.args = None
        draft.why = "its arguments have no names"
        return
    draft.mends.add("positional_arguments")
