"""Calls as a tag for the call and one for each parameter.

`<function=get_order><parameter=id>…` is Qwen3-Coder's, Nemotron 3's, Step 3.5's and Seed-OSS's form;
`<invoke name="get_order"><parameter name="id">…` that of MiniMax M2, Step 3 (`steptml:`), DeepSeek V3.2 and V4
(`｜DSML｜`, with `string="true|false"`) and Muse Glimmer (`atem:`); `<function name="…"><param name="…">` MiniCPM5's;
`<function=get_order>{…}</function>` Functionary 3.1's and Llama 3.1's: all after their chat templates. Text stands in
a value as it is, without escapes; what else a value is, only the tool's schema says.
"""

from __future__ import annotations

import re
from typing import Any

from signoff.models.repair import objects
from signoff.models.repair.literals import Unreadable, literal
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

PREFIX = r"(?:[|｜]DSML[|｜]|[a-z]{1,12}:)?"
HEAD = re.compile(
    rf"<{PREFIX}(?:function|invoke|tool)(?P<mark>=|\s{{1,4}}name\s?=\s?)(?P<q>[\"']?)(?P<name>[^\"'<>=/\s][^\"'<>\n]{{0,127}}?)"
    r"(?P=q)\s{0,8}(?P<empty>/?)>"
)
_PARAMETER = rf"<{PREFIX}(?:parameter|param)(?:=|\s{{1,4}}name\s?=\s?)"
_KEY = re.compile(
    rf"\s{{0,64}}{_PARAMETER}(?P<q>[\"']?)(?P<key>[^\"'<>\n]{{1,128}}?)(?P=q)(?P<rest>\s[^<>\n]{{0,100}})?(?P<empty>/?)>"
)
_VALUES = re.compile(rf"{_PARAMETER}[^<>\n]{{1,256}}>|<(?P<close>/){PREFIX}(?:parameter|param)>")
_END = re.compile(rf"\s{{0,64}}</{PREFIX}(?:function|invoke|tool)>")
_FOLLOW = re.compile(rf"\s{{0,64}}(?:{_PARAMETER}|</{PREFIX}(?:function|invoke|tool)>|$)")
_LOST = re.compile(rf"\s{{0,8}}</{PREFIX}(?:function|invoke|tool|tool_calls?|function_calls?)>")
_AFTER = re.compile(rf"\s{{0,64}}(?:</|<{PREFIX}(?:function|invoke|tool)|<\||<[｜])")
_CDATA = re.compile(r"\s{0,64}<!\[CDATA\[")
_CDATA_END = re.compile(r"\]\]>")
_STRING = re.compile(r"string\s?=\s?[\"']?(true|false)")


def body(src: Source, at: int) -> Body | None:
    """Reads one call at a position; None where none begins."""
    head = HEAD.match(src.text, at)
    if not head:
        return None
    name, end = head["name"], head.end()
    if head["empty"]:
        return Body([Draft(name, {}, head[0])], end, kind="tags")
    if found := _object(src, head):
        return found
    kind = "tags" if head["mark"] == "=" else "invoke" if "invoke" in head[0] else "named-tags"
    call = _Call(src, name, strip=head["mark"] == "=" and not src.inline, kind=kind)
    return call.read(at, end)


class _Call:
    def __init__(self, src: Source, name: str, strip: bool, kind: str) -> None:
        self.kind = kind
        self.src = src
        self.name = name
        self.strip = strip
        self.args: dict[str, Any] = {}
        self.mends: set[str] = set()

    def read(self, at: int, end: int) -> Body:
        text = self.src.text
        while key := _KEY.match(text, end):
            if key["empty"]:
                end = self.keep(key, "", key.end())
                continue
            after = self.value(key)
            if after is None:
                return Body(
                    [Draft(self.name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True, kind="tags"
                )
            end = after
        draft = Draft(self.name, self.args, text[at:end], mends=self.mends)
        if close := _END.match(text, end):
            draft.raw = text[at : close.end()]
            return Body([draft], close.end(), kind=self.kind)
        complete = self.src.offered.complete(self.name, self.args)
        if self.src.breaks_off(end) and not complete:
            return Body(
                [Draft(self.name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True, kind="tags"
            )
        if not (_AFTER.match(text, end) or complete):
            return Body([Draft(self.name, None, text[at:end], why="its parameters are not readable")], end, kind="tags")
        draft.mends.add("missing_tag")
        return Body([draft], end, kind=self.kind)

    def value(self, key: re.Match[str]) -> int | None:
        """Takes one value in and gives where it ends; None where the output breaks off in it."""
        src, start = self.src, key.end()
        if cdata := _CDATA.match(src.text, start):
            close = src.next(_CDATA_END, cdata.end())
            if close is None or src.breaks_off(close.end()):
                # Tags inside it are text, so none of them ends the value.
                return None
            tag = src.closing(close.end(), _VALUES, _FOLLOW)
            if tag and not src.text[close.end() : tag.start()].strip():
                return self.keep(key, src.text[cdata.end() : close.start()], tag.end(), bare=True)
        tag = src.closing(start, _VALUES, _FOLLOW)
        if following := src.opening(start, _VALUES):
            known = re.match(rf"{_PARAMETER}[\"']?([^\"'<>\n]{{1,128}}?)[\"'>\s]", following[0])
            uneven = tag is None or (following.start() < tag.start() and not src.even(start, tag.start(), _VALUES))
            fresh = known and known[1] in src.offered.properties(self.name) and known[1] not in self.args
            if uneven and fresh:
                self.mends.add("missing_tag")
                return self.keep(key, src.text[start : following.start()], following.start())
        if tag is None:
            lost = src.next(_LOST, start)
            if lost is None:
                return None
            self.mends.add("missing_tag")
            return self.keep(key, src.text[start : lost.start()], lost.start())
        return self.keep(key, src.text[start : tag.start()], tag.end())

    def keep(self, key: re.Match[str], value: str, end: int, bare: bool = False) -> int:
        if self.strip and not bare:
            value = value.removeprefix("\n")
            value = value.removesuffix("\n") if self.src.text.startswith("\n", key.end()) else value
        told = _STRING.search(key["rest"] or "")
        read: Any = value
        if told and told[1] == "false":
            try:
                found = literal(value.strip())
                read = found.value if not found.unclosed else value
            except Unreadable:
                self.mends.add("untyped_value")
        elif not told:
            read = self.src.offered.typed(self.name, key["key"], value)
        if key["key"] in self.args:
            self.mends.add("duplicate_keys")
        self.args[key["key"]] = read
        return end


def _object(src: Source, head: re.Match[str]) -> Body | None:
    """The arguments as JSON between the tags."""
    text, at = src.text, head.start()
    start = re.compile(r"\s{0,64}(?:```[a-z]{0,8}\s{0,8})?").match(text, head.end())
    begin = start.end() if start else head.end()
    if not text.startswith("{", begin):
        return None
    name = head["name"]
    try:
        found = literal(text, begin)
    except Unreadable as error:
        if error.cut:
            return Body([Draft(name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True, kind="tags")
        why = "its arguments are not readable as JSON"
        return Body([Draft(name, None, text[at : error.at], why=why)], max(error.at, begin + 1), kind="tags")
    draft = Draft(name, objects.opened(found.value, found.mends), text[at : found.end], mends=found.mends)
    if found.at_end and (found.unclosed > 1 or not src.offered.complete(name, draft.args or {})):
        return Body([Draft(name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True, kind="tags")
    close = _END.match(text, found.end)
    return Body([draft], close.end() if close else found.end, kind="tag-object")
