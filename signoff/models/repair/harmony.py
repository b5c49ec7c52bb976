"""Messages in channels: OpenAI's harmony format (gpt-oss) and Muse Glimmer's, which addresses each to somebody.

`<|channel|>commentary to=functions.get_order <|constrain|>json<|message|>{"id": "A1"}<|call|>`, after OpenAI's
"harmony response format"; ` to=user<|message|>…<|eot|>` after Muse Glimmer's chat template. The first header often
lacks its beginning, which stood in the prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from signoff.models.repair import marks, wrappers
from signoff.models.repair.literals import Unreadable, literal
from signoff.models.repair.objects import opened
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

_START = re.compile(
    r"<\|start\|>|<\|channel\|>|<\|message\|>|(?<![\s\S])\s{0,4}(?:assistant)?\s{0,4}to=[\w.\-:]{1,128}\s{0,4}<\|"
)
_HEADER = re.compile(
    r"(?:<\|start\|>)?(?P<role>[^<|]{0,200})(?:<\|channel\|>(?P<channel>[^<|]{0,200}))?"
    r"(?:<\|constrain\|>(?P<form>[^<|]{0,64}))?<\|message\|>"
)
_TO = re.compile(r"to=([\w.\-:/]{1,128})")
_END = re.compile(r"<\|(?:end|call|return|eom|eot|start)\|>|<\|channel\|>(?=[a-z])")
_ENDS = re.compile(r"<\|(?:end|call|return|eom|eot)\|>")
_HEADLESS = re.compile(r"<\|(?:end|call|return|eom|eot)\|>\s{0,8}\Z")
_NAMED = re.compile(r"\s{0,64}([^\W\d][\w.\-]{0,127})\s{0,8}[({]")
_BARE = re.compile(
    r"(?:(?<=assistant)|(?<![\s\S]))commentary\s{0,4}to=functions\.(?P<name>[\w.\-]{1,128})[^{}<]{0,40}(?=\{)"
)
_LEFT = re.compile(r"(?:(?<![\s\S])|assistant)(?P<channel>analysis|final|commentary)(?=[A-Z\s\u3400-\u9fff{]|to=)")


@dataclass
class Parts:
    """A message's stretches: what is said, what is thought, and calls in between."""

    text: list[tuple[int, int]] = field(default_factory=list)
    """Stretches of the output to be read on, for they may hold calls of other formats."""
    reasoning: list[str] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)


def split(src: Source) -> Parts | None:
    """The messages of an output in channels; None where it is not in channels."""
    first = _START.search(src.text)
    if first is None:
        return None
    parts = Parts()
    before = src.text[: first.start()]
    at = first.start()
    if before.strip() and (not _HEADLESS.search(before) or _called(before, src)):
        return None
    if _ENDS.search(before):
        # The prompt ended inside the reasoning, whose header it holds.
        parts.reasoning.append(_ENDS.sub("", before).strip())
    elif before.strip():
        parts.text.append((0, at))
    while header := _HEADER.match(src.text, at):
        at = _message(src, header, parts)
        end = _ENDS.match(src.text, at)
        at = end.end() if end else at
        while src.text[at : at + 1].isspace():
            at += 1
    rest = src.text[at:]
    if rest.strip() and not re.fullmatch(r"<\|(?:start|channel)\|>[^{}]{0,200}", rest):
        parts.text.append((at, len(src.text)))
    elif _TO.search(rest):
        parts.bodies.append(Body([Draft("", None, rest, why="cut off")], len(src.text), cut=True))
    return parts


def _called(before: str, src: Source) -> bool:
    """Whether what stands before the first header begins a call or has marks of its own, so that it is no thought."""
    name = _NAMED.match(before)
    begins = before.lstrip()[:1] in ("{", "[") or (name and not src.offered.open and src.offered.find(name[1]))
    return bool(begins) or marks.any_meant(before)


def _message(src: Source, header: re.Match[str], parts: Parts) -> int:
    """Takes one message in, and gives where it ends."""
    start, channel = header.end(), (header["channel"] or "").strip()
    to = _TO.search(f"{header['role']} {channel}")
    recipient = to[1] if to else ""
    if recipient and recipient not in ("user", "self", "assistant", "all"):
        body = _call(src, recipient, start)
        if len(body.drafts) == 1:
            body.drafts[0].raw = src.text[header.start() : body.end]
        parts.bodies.append(body)
        return body.end
    end = src.next(_END, start)
    stop = end.start() if end else len(src.text)
    if recipient == "self" or channel.startswith("analysis"):
        parts.reasoning.append(src.text[start:stop].strip())
    elif stop > start:
        parts.text.append((start, stop))
    return stop


def _call(src: Source, recipient: str, start: int) -> Body:
    text = src.text
    while text[start : start + 1].isspace():
        start += 1
    if start >= len(text):
        return Body([Draft(recipient, None, "", why="cut off")], start, cut=True, kind="harmony")
    if (opening := wrappers.OPEN.match(text, start)) and (body := wrappers.read(src, opening)):
        body.kind = "muse-glimmer" if body.kind in ("muse-glimmer", "qwen-coder") else body.kind
        return body
    end = src.next(_END, start)
    stop = end.start() if end else len(text)
    if text[start] in '{"':
        return _arguments(src, recipient, start)
    only = src.offered.only(recipient)
    if end is None:
        return Body([Draft(recipient, None, text[start:], why="cut off")], len(text), cut=True, kind="harmony")
    said = text[start:stop].strip()
    if only is not None and said:
        return Body([Draft(recipient, {only: said}, said, mends={"plain_input"})], stop, kind="harmony")
    why = "its arguments are not an object"
    return Body([Draft(recipient, {} if not said else None, said, why=why if said else "")], stop, kind="harmony")


def _arguments(src: Source, name: str, start: int) -> Body:
    text = src.text
    try:
        found = literal(text, start)
    except Unreadable as error:
        if error.cut:
            return Body(
                [Draft(name, None, text[start : start + 2_000], why="cut off")], len(text), cut=True, kind="harmony"
            )
        why = "its arguments are not readable as JSON"
        return Body([Draft(name, None, text[start : error.at], why=why)], max(error.at, start + 1), kind="harmony")
    draft = Draft(name, None, text[start : found.end], mends=found.mends)
    draft.args = opened(found.value, draft.mends)
    if draft.args is None:
        draft.why = "its arguments are not an object"
    elif found.at_end and (found.unclosed > 1 or not src.offered.complete(name, draft.args)):
        return Body(
            [Draft(name, None, text[start : start + 2_000], why="cut off")], len(text), cut=True, kind="harmony"
        )
    return Body([draft], found.end, kind="harmony")


def stripped(src: Source) -> Parts | None:
    """Channels whose tokens a server has left out: `analysis…assistantcommentary to=functions.x json{…}`."""
    if src.offered.open or not (found := _BARE.search(src.text)) or src.offered.find(found["name"]) is None:
        return None
    parts = Parts()
    before = _LEFT.split(src.text[: found.start()].removesuffix("assistant"))
    for channel, said in zip(["", *before[1::2]], before[0::2], strict=False):
        if said.strip():
            parts.reasoning.append(said.strip()) if channel != "final" else None
    body = _arguments(src, found["name"], found.end())
    for draft in body.drafts:
        draft.mends.add("lost_tokens")
    parts.bodies.append(body)
    if rest := src.text[body.end :].strip():
        parts.text.append((src.text.index(rest, body.end), len(src.text)))
    return parts
