"""Code and commands, taken letter by letter: from a fence, from backticks, from quotes, or behind the order to run."""

from __future__ import annotations

import re

from signoff.models.rehearsal.cards import Parameter
from signoff.models.rehearsal.texts import Piece

_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n?(.*?)\n?[ \t]*```", re.DOTALL)
_TICKED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_QUOTED = re.compile(r"[“\"「]([^”\"」\n]+)[”\"」]|(?<!\w)'([^'\n]+)'(?!\w)")
_RUN = re.compile(
    r"(?:\b(?:run|execute|exec|invoke|launch|type)(?:\s+(?:the|this|a|following|shell|bash|terminal|"
    r"command|cmd|line))*\s*[:：]?\s*|"
    r"(?:运行|执行|跑)(?:一下|下)?(?:这个|这条|下面的?|以下)?(?:shell|bash)?\s*(?:命令|"
    r"指令)?\s*(?:一下)?\s*[:：]?\s*|(?:命令|command)\s*(?:是|is)?\s*[:：]\s*)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:(?:python|code|script|program|snippet|代码|程序|脚本)\s*[\d.]*(?:\s*(?:code|script|代码|"
    r"程序))?\s*(?:里|中)?(?:运行|执行|跑)?(?:一下)?\s*[:：]\s*|"
    r"\b(?:run|execute)\s+(?:in |with |the |this |some |following )*(?:python|code)\s+(?:(?:code|script|"
    r"program|snippet)\s*[:：]?\s*)?|(?:用|以|"
    r"拿)\s*python\s*(?:代码)?(?:运行|执行|跑|算)(?:一下)?\s*[:：]?\s*)(?=\S)",
    re.IGNORECASE,
)
_LOOKS = re.compile(r"[()=\[\]{}]|\b(?:print|import|def|for|return|lambda)\b")
_OF_CODE = re.compile(r"python|\bcode\b|\bscript\b|\bprogram\b|代码|程序|脚本", re.IGNORECASE)
_RUN_SHELL = re.compile(r"\bcommand\b|\bshell\b|\bbash\b|\bterminal\b|命令|终端", re.IGNORECASE)
_TAIL = re.compile(
    r"\s+(?:in|on|from|inside|within)\s+(?:the|my|our|this)\s+\w+\s*(?:please|pls)?[.?!]*$|[\s,]*(?:please|"
    r"pls|thanks|thank you|for me)[.!]*$|[。?？!！]+$",
    re.IGNORECASE,
)
_NO_COMMAND = frozenset(
    "the a an this that these those it them all some my our your tests test report query search "
    "calculation again and to in on of "
    "for python code following command script program".split()
)


def kind(parameter: Parameter) -> str:
    """`command` or `code` for a parameter that takes one, else empty."""
    if parameter.type != "string" or parameter.schema.get("enum"):
        return ""
    if parameter.words & {"command", "cmd", "shell", "commandline"}:
        return "command"
    plain = parameter.words & {"code", "script", "program", "source", "snippet"}
    return "code" if plain and len(parameter.words) <= 2 and not parameter.pattern else ""


def find(parameter: Parameter, text: str) -> Piece | None:
    """The code or command of a text, or None. Nothing of it is changed."""
    if match := _FENCE.search(text) or _TICKED.search(text):
        # What is in backticks may be a program or a command: its looks and the words round it tell.
        program = bool(_LOOKS.search(match[1]) and not _RUN_SHELL.search(text)) or bool(_OF_CODE.search(text))
        fits = program if kind(parameter) == "code" else not (program and _OF_CODE.search(text))
        return Piece(match[1].strip("\n"), *match.span(1), 1.5) if fits else None
    return _command(text) if kind(parameter) == "command" else _code(text)


def _code(text: str) -> Piece | None:
    match = _CODE.search(text)
    rest = text[match.end() :].strip() if match else ""
    if match and _LOOKS.search(rest):
        return Piece(rest, match.end(), len(text), 1.2)
    quote = next((q for q in _QUOTED.finditer(text) if _LOOKS.search(q[1] or q[2])), None)
    return Piece(quote[1] or quote[2], *quote.span(1 if quote[1] else 2), 1.2) if quote else None


def _command(text: str) -> Piece | None:
    for match in _RUN.finditer(text):
        rest = text[match.end() :]
        if (quote := _QUOTED.match(rest)) is not None:
            group = 1 if quote[1] else 2
            return Piece(quote[group], match.end() + quote.start(group), match.end() + quote.end(group), 1.4)
        line = re.match(r"[!-~ \t]+", rest)
        said = _TAIL.sub("", line[0].split("\n")[0]).strip() if line else ""
        first = said.split(" ")[0]
        if re.fullmatch(r"[./~]?[A-Za-z_][\w./+-]*", first) and first.lower() not in _NO_COMMAND:
            at = match.end() + rest.find(said)
            return Piece(said, at, at + len(said), 1.2)
    return None
