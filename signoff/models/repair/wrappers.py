"""What opens a stretch of calls, what closes it, and the ways calls are written in it.

The two are independent: models put any body into any wrapper, so every reader of bodies is asked in every one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from signoff.models.repair import channels, elements, gemma, named, objects, pairs, python_calls, tags
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.source import Source

_HTML = r"(?:[a-zA-Z]{1,12}[:_])?(?:(?:tool|function|TOOL|Tool)[_ ]?(?:calls?|CALLS?|use|code)|functioncall|tools)"
_DEEPSEEK = r"<[|｜]tool[▁_]calls?[▁_](?:section[▁_])?"
OPEN = re.compile(
    rf"<{_HTML}>|<\|(?:tool_calls?|function_calls?)(?:\|>|>)|<\|tool_calls?_(?:section_)?(?:start|begin)\|>"
    rf"|{_DEEPSEEK}begin[|｜]>|<[|｜]DSML[|｜](?:function|tool)_calls>"
    r"|<\|action_start\|>(?:\s{0,8}<\|(?:plugin|interpreter)\|>)?|<\|START_ACTION\|>|<\|python_(?:tag|start)\|>"
    r"|<\|tools_prefix\|>|\[TOOL_(?:CALLS?|REQUEST)\]|functools(?=\s{0,8}\[)"
    r"|(?:<\|message_sep\|>\s{0,8})?function call<\|role_sep\|>"
    rf"|<\|open\|>tools<\|sep\|>|(?=<\|open\|>call tool=)|(?:{re.escape(elements.TOKEN)})?<tool_call>"
    rf"|(?:{re.escape(elements.TOKEN)})?(?=<{tags.PREFIX}(?:function(?:=|\s{{1,4}}name\s?=)|invoke\s{{1,4}}name\s?=))"
    r"|(?<!>>)>>>(?=[^\W\d][\w.\-]{0,127}\n\s{0,8}\{)"
)
"""Opens a stretch of calls. Nothing else in an output is a call wherever it stands."""
_CLOSE = re.compile(
    rf"</{_HTML}>|<(?:tool_call|function_call)\|>|<\|tool_calls?_(?:section_)?end\|>|{_DEEPSEEK}end[|｜]>"
    r"|</[|｜]DSML[|｜](?:function|tool)_calls>|<\|action_end\|>|<\|END_ACTION\|>|<\|python_end\|>|<\|tools_suffix\|>"
    rf"|\[(?:END_TOOL_REQUEST|/TOOL_CALLS?|/TOOL_REQUEST)\]|<\|close\|>tools<\|sep\|>|{re.escape(elements.TOKEN)}</tool_call>"
    r"|</(?:function|invoke)>|<\|/tool_call\|>"
)
_INNER = re.compile(rf"(?:\s{{1,64}}|[,;]|{OPEN.pattern}|```[a-z_]{{0,12}}(?=\s{{0,8}}[\[{{])|```(?=\s{{0,8}}<))")
_LATER = re.compile(r"\s{0,64}(?:[,;]\s{0,8})?(?=\{|\[\s{0,8}\{|call:|<\|open\|>call )")
_FENCE = re.compile(r"\s{0,64}```")
_HINT = re.compile(r"[{(\[=]|<arg|<param")
_SPECIAL = re.compile(r"<[|｜]|\[TOOL|\]<\]")

_BODIES: tuple[Callable[[Source, int], Body | None], ...] = (
    channels.body, elements.body, tags.body, gemma.body, objects.body, python_calls.body, pairs.body, named.body,
)  # fmt: skip

_KINDS = {
    "json": "hermes", "named": "hermes", "tags": "qwen-coder", "invoke": "minimax-m2", "named-tags": "minicpm5",
    "tag-object": "functionary-v3.1", "pairs": "glm", "python": "pythonic", "gemma": "gemma", "k3": "kimi-k3",
    "m3": "minimax-m3",
}  # fmt: skip
_FORMATS = (
    ("<longcat", "longcat"), ("<seed:", "seed-oss"), ("<minimax:", "minimax-m2"), ("<atem:", "muse-glimmer"),
    ("<TOOLCALL", "nemotron"), ("<|tool_call>", "gemma"), ("<|tool_call|>", "granite"),
    ("<function_call>", "granite-20b"), ("<function_calls>", "olmo3"), ("<tool_calls>", "hunyuan"),
    ("<|function_call|>", "gigachat3.1"), ("function call", "gigachat3"), ("<|message_sep", "gigachat3"),
    ("<|tool_call_start", "lfm2"), ("<|tool_calls_section", "kimi-k2"), ("<|tool_call_begin", "kimi-k2"),
    ("<｜DSML｜function", "deepseek-v3.2"), ("<｜DSML｜tool", "deepseek-v4"), ("<｜tool▁", "deepseek-v3"),
    ("<｜tool_", "step3"), ("<|action_start", "internlm2"), ("<|START_ACTION", "command-r7b"),
    ("<|python_tag", "llama3"), ("<|python_start", "llama4"), ("<|tools_prefix", "apertus"),
    ("[TOOL_CALLS", "mistral"), ("functools", "phi-4-mini"), ("<|open|>", "kimi-k3"), (elements.TOKEN, "minimax-m3"),
    (">>>", "functionary-v3.2"),
)  # fmt: skip


def read(src: Source, opening: re.Match[str]) -> Body | None:
    """Reads the calls behind an opening mark, up to what closes it; None where the mark is mere text."""
    text = src.text
    src.inline = opening[0].startswith("<seed:")
    at = _skip(text, opening.end())
    drafts: list[Draft] = []
    kind = ""
    while not (close := _CLOSE.match(text, at)) or not drafts:
        found = None if close else next((b for r in _BODIES if (b := r(src, at)) is not None), None)
        if found is None:
            break
        kind = kind or found.kind
        drafts += found.drafts
        at = found.end
        if found.cut:
            return Body(drafts, at, cut=True, kind=_format(opening[0], kind))
        fence = _FENCE.match(text, at)
        at = fence.end() if fence else at
        later = _LATER.match(text, at)
        # Another call needs a mark of its own, except in a list of objects without brackets.
        after = _closed(text, at)
        if after > at:
            return Body(drafts, after, kind=_format(opening[0], kind))
        if not later or drafts[-1].args is None:
            break
        at = later.end()
    if drafts:
        after = _closed(text, at)
        if drafts[-1].args is None and after == at:
            # What could not be read is taken with all that belongs to it, so that no half of it is shown.
            after = _to_close(src, at)
        return Body(drafts, after, kind=_format(opening[0], kind))
    return _nothing(src, opening, at)


def _nothing(src: Source, opening: re.Match[str], at: int) -> Body | None:
    text = src.text
    if code := _code(src, opening, at):
        return code
    if at >= len(text) and not _quiet(opening[0]):
        return Body([Draft("", None, opening[0], why="cut off")], at, cut=True)
    # Asked from the mark on, not from behind the marks it holds, so that no stretch is searched twice.
    close, begun = src.next(_CLOSE, opening.end()), src.next(OPEN, opening.end())
    if close is None or (begun is not None and at <= begun.start() < close.start() and begun.end() > begun.start()):
        if _begun(text, at):
            return Body([Draft("", None, text[opening.start() :][:2_000], why="cut off")], len(text), cut=True)
        return None
    between = text[at : min(close.start(), at + 2_000)]
    if between.strip() and not _SPECIAL.match(opening[0]) and not _HINT.search(between):
        return None
    raw = text[opening.start() : close.end()]
    return Body([Draft("", None, raw, why="no call can be read in it")], _closed(text, close.start()))


def _begun(text: str, at: int) -> bool:
    """Whether the rest is the beginning of a call: a name alone, or a tag that is not closed."""
    rest = text[at : at + 200]
    return len(text) - at < 200 and bool(
        re.fullmatch(r"[\w.\-:/]{1,128}\s{0,8}|<[^<>\n]{0,190}|call:[\w.\-]{0,128}", rest)
    )


def _quiet(mark: str) -> bool:
    """A mark that begins by looking ahead has nothing of its own."""
    return not mark or mark == elements.TOKEN


def _code(src: Source, opening: re.Match[str], at: int) -> Body | None:
    """Code for an interpreter behind Llama 3's tag, where a tool takes code."""
    if not opening[0].startswith("<|python_tag"):
        return None
    for name in ("python", "ipython", "code_interpreter"):
        only = None if src.offered.open or src.offered.find(name) is None else src.offered.only(name)
        if only is not None and (code := src.text[at:].removesuffix("<|eom_id|>").strip()):
            return Body([Draft(name, {only: code}, code, mends={"plain_input"})], len(src.text), kind="llama3")
    return None


def _skip(text: str, at: int) -> int:
    """Past marks that open the same stretch further in."""
    for _ in range(8):
        inner = _INNER.match(text, at)
        if not inner or inner.end() == at:
            return at
        at = inner.end()
    return at


def _closed(text: str, at: int) -> int:
    """Past all marks that close."""
    end = at
    while close := _CLOSE.match(text, end + len(text[end : end + 64]) - len(text[end : end + 64].lstrip())):
        end = close.end()
    return end


def _to_close(src: Source, at: int) -> int:
    close, begun = src.next(_CLOSE, at), src.next(OPEN, at)
    if close is None or (begun is not None and begun.start() < close.start()):
        return at
    return _closed(src.text, close.start())


def _format(mark: str, kind: str) -> str:
    if kind in ("k3", "m3"):
        return _KINDS[kind]
    if kind.startswith(("mistral-", "deepseek-")):
        return kind
    found = next((name for start, name in _FORMATS if mark.startswith(start)), "")
    if not found or (found == "granite-20b" and kind != "json") or (found == "hunyuan" and kind != "json"):
        return _KINDS.get(kind, kind)
    return found
