"""Where marks stand in an output, and whether they are meant or only spoken of."""

from __future__ import annotations

import re

from signoff.models.repair import loose, react, thoughts, wrappers
from signoff.models.repair.reading import Body

_FENCE = r"(?:^|(?<=\n))[ \t]{0,4}```"
MARKS = re.compile(
    rf"(?P<call>{wrappers.OPEN.pattern})|(?P<think>{thoughts.OPEN.pattern})|(?P<thought>{thoughts.CLOSE.pattern})"
    rf"|(?P<act>{react.ACTION.pattern}|(?i:{loose.MARK.pattern}))"
    rf"|(?P<result>{thoughts.RESULTS.pattern})|(?P<noise>{thoughts.NOISE.pattern})|(?P<fence>{_FENCE})"
)
FENCE_END = re.compile(r"(?<=\n)[ \t]{0,4}```[ \t]{0,8}(?=\n|\Z)")
_QUOTES = "`\"'“‘「『«"
_CLOSERS = re.compile(r"\s{0,8}[`\"'”’」』»]")
_STRAY = re.compile(r"\s{0,8}</(?:tool_calls?|function_calls?|function|tools?)>\s{0,8}\Z")
_TAIL = re.compile(rf"(?:{thoughts.NOISE.pattern}|</(?:tool_calls?|function_calls?)>|</s>)\Z")
_CANDIDATE = re.compile(
    r"<(?=[|｜/a-zA-Z])|\[(?=TOOL|/?THINK|BEGIN FINAL|END FINAL|e~)|\]<\]|>>>(?=[^\W\d])"
    r"|functools|function call<|◁|Here"
    r"|\n(?=[ \t>]{0,8}[*_#]{0,3}[ \t]{0,2}(?:[AaTtFfCcIi行动工操调使函]|```))"
)
"""Where a mark can begin, found fast; `MARKS` decides."""
_PROSE = re.compile(r"[^\n<\[◁\w]{0,64}(?:\w|\[\d)")
_ANSWER = re.compile(r"\s{0,64}<(?P<tag>answer|response)>(?P<said>[\s\S]{0,1000000})</(?P=tag)>\s{0,64}")

RESULT_END = re.compile(
    r"</tool_response>|<tool_response\|>|</tool_output>|</function_results>|</tool_result>|\[/TOOL_RESULTS\]"
    r"|<[|｜]tool[▁_]outputs?[▁_]end[|｜]>|<\|END_TOOL_RESULT\|>|<\|im_start\|>assistant"
)
"""Ends a tool's result that the model made up."""


def find(text: str, at: int) -> re.Match[str] | None:
    """The first mark at or behind a position."""
    if mark := MARKS.match(text, at):
        return mark
    for place in _CANDIDATE.finditer(text, at):
        if mark := MARKS.match(text, place.end() if place[0] == "\n" else place.start()):
            return mark
    return None


def any_meant(text: str) -> bool:
    """Whether there is any mark but tokens that say nothing."""
    at = 0
    while mark := find(text, at):
        if mark.lastgroup != "noise":
            return True
        at = max(mark.end(), at + 1)
    return False


def trimmed(text: str) -> str:
    """A message without the tokens that end it."""
    for _ in range(8):
        text = text.rstrip()
        tail = _TAIL.search(text, max(0, len(text) - 64))
        if tail is None:
            break
        text = text[: tail.start()]
    return text


def said_of(said: str) -> str:
    """What is said, without the frames that some models put round an answer and tags that belong to nothing."""
    if framed := _ANSWER.fullmatch(said):
        said = framed["said"]
    said = _STRAY.sub("", said)
    return said.strip().removesuffix("</s>").strip()


def quoted(text: str, mark: re.Match[str]) -> bool:
    """Whether a mark is only spoken of: it stands on a line that quotes, or in quotation marks or inline code."""
    at, end = mark.span()
    _, begun, line = text[max(0, at - 200) : at].rpartition("\n")
    if (begun or at <= 200) and re.match(r" {0,3}>(?!>>)", line):
        return True
    return at > 0 and end > at and text[at - 1] in _QUOTES and _CLOSERS.match(text, end) is not None


def continued(text: str, at: int) -> bool:
    """Whether prose goes on at a position, on the same line and before any further markup."""
    return _PROSE.match(text, at) is not None


def example(text: str, at: int, body: Body) -> bool:
    """Whether a call stands inside a sentence that talks about calls, or is quoted to its end."""
    if at > 0 and text[at - 1] in _QUOTES and _CLOSERS.match(text, body.end):
        return True
    line = text[max(0, at - 300) : at].rpartition("\n")[2]
    behind = re.match(r"[ \t]{0,8}[^\s<]", text[body.end : body.end + 16])
    return bool(line.strip() and behind and loose.EXAMPLE.search(line))
