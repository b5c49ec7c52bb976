"""ReAct text: `Action:` with the tool's name and `Action Input:` with its arguments, in English and Chinese.

The labels are those of Yao et al., "ReAct" (2022), of LangChain's and Qwen-Agent's prompts, and their translations.
"""

from __future__ import annotations

import re

from signoff.models.repair import objects, python_calls
from signoff.models.repair.literals import Unreadable, literal
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

_L = r"(?:^|(?<=\n))[ \t>]{0,8}[*_#]{0,3}[ \t]{0,2}"
_C = r"[ \t]{0,2}[*_]{0,2}[ \t]{0,2}[:：][*_]{0,2}[ \t]{0,8}"
ACTION = re.compile(
    rf"{_L}(?:Action|ACTION|action|Tool|Function|行动|动作|工具|操作|调用工具|使用工具|工具名称?|函数){_C}"
)
_INPUT = re.compile(
    r"[ \t]{0,8}[,，;；]?\s{0,8}[*_#]{0,3}[ \t]{0,2}(?:(?:Action|Tool|Function)[ _]?Inputs?|ACTION INPUT"
    rf"|action_input|Inputs?|Arguments?|Args|Parameters?|行动输入|动作输入|操作输入|工具输入|工具参数|输入参数|输入|参数){_C}"
)
_NAME = re.compile(r"[`\"'“「*\[]{0,3}(?P<name>[^\W\d][\w.\-]{0,127})[`\"'”」*\]]{0,3}[ \t]{0,8}")
RESULT = re.compile(
    rf"{_L}(?:Observations?|OBSERVATION|Result|Tool (?:output|result)|观察结果?|结果|工具结果|返回结果?){_C}"
)
FINAL = re.compile(rf"{_L}(?:Final Answer|FINAL ANSWER|Answer|最终答案|最终回答|回答|答案){_C}")
_THOUGHT = re.compile(rf"{_L}(?:Thoughts?|THOUGHT|Reasoning|Question|思考|想法|思路|推理|问题){_C}")
_THINKING = rf"{_L}(?:Thoughts?|THOUGHT|Reasoning|思考|想法|思路|推理){_C}"
_BLANK = r"(?:[ \t\r]*+\n)*+"
_FIRST = re.compile(
    rf"{_BLANK}(?:{_L}(?:Question|问题){_C}[^\n]*+\n{_BLANK}(?={_THINKING}))?{_THINKING}(?P<thought>[^\n]*+)\n"
)
_FENCE = re.compile(r"\s{0,8}(?:```[a-z_]{0,12}\s{0,8}|`(?=\{))")
_FENCE_END = re.compile(r"\s{0,8}`{1,3}")
_LINE = re.compile(r"[^\n]{0,4000}")
_BRACKET = re.compile(r"[^\W\d][\w.\-]{0,127}\[(?P<value>[^\[\]\n]{1,2000})\]")


def read(src: Source, at: int) -> Body | None:
    """The actions of an output whose own act they are, from the label at a position on; None for any other.

    The tool must be an offered one and the arguments must fit it. Nothing may follow but a result the model made
    up, which is dropped, another action, a thought or a final answer: an action with prose behind it is an example.
    """
    text = src.text
    action = ACTION.match(text, at)
    drafts: list[Draft] = []
    end = at
    cut = False
    while action is not None and not cut and _offered(src, action):
        body = _action(src, action.end())
        if body is None:
            break
        for draft in body.drafts:
            draft.raw = text[action.start() : body.end].strip()
        drafts += body.drafts
        end, cut = body.end, body.cut
        action = ACTION.match(text, _past_space(text, end))
    if not drafts:
        return None
    follow = _past_space(text, end)
    if follow < len(text):
        if not any(label.match(text, follow) for label in (RESULT, FINAL, _THOUGHT)):
            return None
        drafts[-1].mends.add("invented_result")
    return Body(drafts, len(text), cut=cut, kind="react")


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def thought_first(text: str) -> tuple[str, str]:
    """What is said behind lines of thought that come first, and these; all of a text that is nothing but a line."""
    thoughts: list[str] = []
    text, at = text.strip(), 0
    while first := _FIRST.match(text, at):
        thoughts.append(first["thought"].strip())
        at = first.end()
    return text[at:].strip(), "\n".join(filter(None, thoughts))


def lead(text: str) -> tuple[str, str]:
    """What stands before an action: text for the person, and thoughts."""
    thought = _THOUGHT.search(text)
    if thought is None:
        return text.strip(), ""
    return text[: thought.start()].strip(), _THOUGHT.sub("\n", text[thought.start() :]).strip()


def _offered(src: Source, action: re.Match[str]) -> bool:
    at = action.end()
    fence = _FENCE.match(src.text, at)
    if src.text[fence.end() if fence else at :][:1] in ("{", "["):
        return True
    name = _NAME.match(src.text, at)
    return name is not None and not src.offered.open and src.offered.find(name["name"]) is not None


def _action(src: Source, at: int) -> Body | None:
    text = src.text
    fence = _FENCE.match(text, at)
    begin = fence.end() if fence else at
    if text[begin : begin + 1] in ("{", "["):
        body = objects.body(src, begin)
        return _fenced(src, body, fence is not None) if body and (body.cut or _all_fit(src, body)) else None
    name = _NAME.match(text, at)
    if name is None:
        return None
    call = python_calls.CALL.match(text, at)
    if call:
        draft, end = python_calls.one(src, call)
        if end is None:
            return Body([Draft(draft.name, None, text[at:], why="cut off")], len(text), cut=True)
        return Body([draft], end) if draft.args is not None and src.offered.fits(draft.name, draft.args) else None
    only = src.offered.only(name["name"])
    if (bracket := _BRACKET.match(text, at)) and only is not None:
        value = bracket["value"].strip().strip("\"'")
        return Body([Draft(name["name"], {only: value}, bracket[0], mends={"plain_input"})], bracket.end())
    given = _INPUT.match(text, name.end())
    if given is None:
        if not text[name.end() :].strip():
            known = not src.offered.properties(name["name"])
            return Body([Draft(name["name"], {} if known else None, name[0], why="" if known else "cut off")],
                        len(text), cut=not known)  # fmt: skip
        return None
    return _input(src, name["name"], given.end())


def _input(src: Source, name: str, at: int) -> Body | None:
    text = src.text
    fence = _FENCE.match(text, at)
    begin = fence.end() if fence else at
    while text[begin : begin + 1].isspace():
        begin += 1
    if begin >= len(text):
        return Body([Draft(name, None, text[at : at + 2_000], why="cut off")], len(text), cut=True)
    if text[begin] == "{":
        try:
            found = literal(text, begin)
        except Unreadable as error:
            if error.cut:
                return Body([Draft(name, None, text[begin : begin + 2_000], why="cut off")], len(text), cut=True)
            return Body([Draft(name, None, text[begin : error.at], why="its arguments are not readable")], error.at)
        if found.at_end and (found.unclosed > 1 or not src.offered.complete(name, found.value)):
            return Body([Draft(name, None, text[begin : begin + 2_000], why="cut off")], len(text), cut=True)
        if not src.offered.fits(name, found.value):
            return None
        made = Draft(name, found.value, text[begin : found.end], mends=found.mends)
        return _fenced(src, Body([made], found.end), fence is not None)
    line = _LINE.match(text, begin)
    said = line[0].strip() if line else ""
    if said.casefold() in ("none", "null", "无", "空", "n/a", "{}") and not src.offered.required(name):
        return Body([Draft(name, {}, said)], begin + len(said))
    pairs = _pairs(src, name, said)
    end = line.end() if line else begin
    if pairs is not None:
        return Body([Draft(name, pairs, said, mends={"plain_input"})], end)
    only = src.offered.only(name)
    if only is None:
        return Body([Draft(name, None, said, why="its arguments have no names")], end)
    value = said.strip("`")
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    typed = src.offered.typed(name, only, value)
    return Body([Draft(name, {only: typed}, said, mends={"plain_input"})], end)


def _pairs(src: Source, name: str, said: str) -> dict[str, object] | None:
    """`id=A1, amount=3`: pairs whose names are all parameters."""
    inner = Source(f"x({said})", src.offered)
    call = python_calls.CALL.match(inner.text)
    if call is None or "=" not in said:
        return None
    draft, _ = python_calls.one(inner, call)
    args = draft.args
    return args if isinstance(args, dict) and args and src.offered.fits(name, args) else None


def _fenced(src: Source, body: Body, fenced: bool) -> Body:
    if fenced and (close := _FENCE_END.match(src.text, body.end)):
        body.end = close.end()
    return body


def _all_fit(src: Source, body: Body) -> bool:
    return all(
        d.args is not None and (src.offered.fits(d.name, d.args) or d.name in objects.NO_TOOL) for d in body.drafts
    )
