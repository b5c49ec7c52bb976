"""Calls without a mark of their own: bare or fenced JSON, `name(key="value")`, a name and an object.

An answer can have these forms too: an example, a quotation, documentation. So they count only as the message's own
act: they are all of it, or stand at its end behind words that announce a call (`Tool call:`); every name is that of
an offered tool, and every argument is one of its parameters.
"""

from __future__ import annotations

import re

from signoff.models.repair import objects, python_calls, wrappers
from signoff.models.repair.literals import Unreadable, arguments, literal
from signoff.models.repair.quotations import reported
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source, past_space

_FENCE = re.compile(r"```[ \t]{0,4}[\w+\-]{0,20}[ \t]{0,8}\n?")
_FENCE_END = re.compile(r"\n[ \t]{0,8}```(?=\s|\Z)|[ \t]{0,8}```\s{0,64}\Z")
MARK = re.compile(
    r"(?:^|(?<=\n))[ \t]{0,8}[*_#]{0,3}(?:(?:tool|function|api)[ _-]?calls?|calls?|calling|invoke|tool|action"
    r"|工具调用|函数调用|调用工具|调用函数|使用工具|调用)[*_]{0,2}[ \t]{0,2}[:：][*_]{0,2}[ \t]{0,8}",
    re.IGNORECASE,
)
EXAMPLE = re.compile(
    r"\b(?:examples?|e\.g\.|for instance|formats?|syntax|templates?|would|could|might|should|can be|if you|how to"
    r"|such as|looks? like|like this|documentation|docs|usage|explain\w*|show(?:s|n|ing)?|suppose|imagine|instead of"
    r"|do not|don't|never|used to|means?|user (?:wrote|said|asked|sent))\b"
    r"|例如|比如|譬如|示例|例子|格式|语法|可以这样|如果|假如|文档|用法|说明|解释|应该|会是|不要|别",
    re.IGNORECASE,
)
"""Words of a text that talks about calls."""
_NAME = re.compile(
    r"[`*\"']{0,2}(?P<name>[^\W\d][\w.\-]{0,127})[`*\"']{0,2}\s{0,4}[:：]?\s{0,8}(?=[{（(]|[^\W\d]\w{0,63}\s?=)"
)
_BETWEEN = re.compile(r"[\s,;，；]{0,64}")


def whole(text: str, src: Source) -> Body | None:
    """The calls that a whole message is; None where it is anything else."""
    text = text.strip()
    if not text or src.offered.open:
        return None
    if text.startswith("```"):
        return _fences(text, src)
    for way in (_objects, _python, _pair):
        body = way(text, src)
        if body is not None and (body.cut or _fits(body, src)):
            return body
    return None


def announced(before: str, text: str, src: Source) -> Body | None:
    """The calls that a message ends with behind words that announce them (`text` begins with these)."""
    mark = MARK.match(text)
    if mark is None or EXAMPLE.search(before[-400:]) or reported(before):
        return None
    return whole(text[mark.end() :], src)


def likely(src: Source) -> Draft | None:
    """What is a call in all but the tool it names, where it is the whole message: to be told, not to be run."""
    text = src.text.strip()
    if (fence := _FENCE.match(text)) and (end := _FENCE_END.search(text, fence.end())) and end.end() == len(text):
        text = text[fence.end() : end.start()].strip()
    if text[:1] not in "{[" or src.offered.open:
        return None
    body = objects.body(Source(text, src.offered), 0)
    if body is None or body.cut or text[body.end :].strip() or not body.drafts:
        return None
    draft = body.drafts[0]
    named = draft.args is not None and re.search(r'"(?:arguments|parameters)"\s{0,8}:', text[:400])
    return draft if named and src.offered.find(draft.name) is None else None


def _fences(text: str, src: Source) -> Body | None:
    """A message of nothing but fences, each of which holds calls."""
    drafts: list[Draft] = []
    at = 0
    kind = "fenced-json"
    while (fence := _FENCE.match(text, at)) and (end := _FENCE_END.search(text, fence.end())):
        inside = text[fence.end() : end.start()].strip()
        inner = Source(inside, src.offered)
        opening = wrappers.OPEN.match(inside)
        body = _marked(inner, opening) if opening else whole(inside, src) if not inside.startswith("```") else None
        if body is None or body.cut:
            return None
        drafts += body.drafts
        kind = body.kind if body.kind not in ("json", "") else kind
        at = past_space(text, end.end())
    if drafts and at >= len(text):
        return Body(drafts, len(text), kind=kind)
    if not drafts and (head := _FENCE.match(text)) and text[head.end() : head.end() + 1] in ("{", "["):
        # A fence that is not closed: whole if the value in it is.
        body = whole(text[head.end() :].strip(), src)
        if body and not body.cut:
            body.drafts[-1].mends.add("missing_fence")
            body.kind = "fenced-json"
        return body
    return None


def _marked(src: Source, opening: re.Match[str]) -> Body | None:
    """Calls with a mark, in a fence of which they are all."""
    drafts: list[Draft] = []
    body: Body | None = None
    at: re.Match[str] | None = opening
    while at is not None and (body := wrappers.read(src, at)) is not None:
        drafts += body.drafts
        at = wrappers.OPEN.match(src.text, past_space(src.text, body.end))
    if body is None or src.text[body.end :].strip():
        return None
    return Body(drafts, len(src.text), cut=body.cut, kind=body.kind)


def _objects(text: str, src: Source) -> Body | None:
    """JSON objects or lists one after the other, and nothing else."""
    drafts: list[Draft] = []
    inner = Source(text, src.offered)
    at = 0
    while at < len(text):
        body = objects.body(inner, at)
        if body is None or (not body.cut and any(d.args is None for d in body.drafts)):
            return None
        if body.cut:
            # Only what already shows a tool's name was the beginning of a call.
            named = re.match(
                r'\s{0,8}[\[{\s]{1,8}"(?:name|tool|function|action|tool_name)"\s{0,4}:\s{0,4}"([^"]{1,128})"', text[at:]
            )
            known = named is not None and src.offered.find(named[1]) is not None
            return Body([*drafts, *body.drafts], len(text), cut=True, kind="json") if known else None
        drafts += body.drafts
        between = _BETWEEN.match(text, body.end)
        at = between.end() if between else body.end
    return Body(drafts, len(text), kind="json")


def _python(text: str, src: Source) -> Body | None:
    if not python_calls.START.match(text):
        return None
    inner = Source(text, src.offered)
    body = python_calls.body(inner, 0)
    if body is None or text[body.end :].strip():
        return None
    if body.cut:
        name = python_calls.START.match(text)
        return body if name and src.offered.find(name["name"]) is not None else None
    return body


def _pair(text: str, src: Source) -> Body | None:
    """A name with its arguments behind it: `get_order {"id": "A1"}`, `get_order id=A1`."""
    head = _NAME.match(text)
    if head is None or src.offered.find(head["name"]) is None:
        return None
    name, at = head["name"], head.end()
    draft = Draft(name, None, text)
    if text[at] in "{(（":
        try:
            found = literal(text, at) if text[at] == "{" else arguments(text, at + 1)
        except Unreadable as error:
            return Body([Draft(name, None, text, why="cut off")], len(text), cut=True) if error.cut else None
        if found.at_end and (found.unclosed > 1 or not src.offered.complete(name, found.value)):
            return Body([Draft(name, None, text, why="cut off")], len(text), cut=True)
        draft.args, draft.mends, end = found.value, found.mends, found.end
    else:
        draft.args, end = objects.pairs(text, at, name, src.offered)
        draft.mends = {"leaked_arguments"}
    if text[end:].strip():
        return None
    return Body([draft], len(text), kind="functionary-v3.2" if text[at] == "{" else "pythonic")


def _fits(body: Body, src: Source) -> bool:
    return bool(body.drafts) and all(
        not d.why and isinstance(d.args, dict) and src.offered.fits(d.name, d.args) for d in body.drafts
    )
