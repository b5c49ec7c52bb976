"""Whose a mail address in a request is: the receiver's, the one that answers go to, or part of what is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.models.rehearsal.cards import Card, Parameter

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_ANSWERS = r"(?:\b(?:repl(?:y|ies)|answers?|responses?)\b|回复|回信|答复|回邮|回函)"
ANSWERS_TO = rf"{_ANSWERS}[^@,，;；。!！?？\n]{{0,24}}(?:\bto\b|[到至给往寄发是为:：])?[ =:：-]*(?={ADDRESS.pattern})"
"""The words before the address that answers go to."""
_ANSWERS_TO = re.compile(rf"{ANSWERS_TO}$".replace(rf"(?={ADDRESS.pattern})", ""), re.IGNORECASE)
_ANSWERED_AT = re.compile(
    r"^\s*(?:(?:should|must|is to|shall|will|can) (?:get|receive|have) (?:the |any |all )?(?:answers?|repl(?:y|ies))|"
    r"(?:is |as )?(?:the |for )?(?:reply|answers|replies)\b|(?:来|负责)?(?:收|接收)(?:回复|回信)|(?:作为|"
    r"当作?)?回(?:复|信)地址)",
    re.IGNORECASE,
)
_COPIED = re.compile(r"(?:\bb?cc\b|\bcop(?:y|ied|ies)\b|抄送|密送)[^@,，;；。!！?？\n]{0,16}$", re.IGNORECASE)
Span = tuple[int, int]


def for_answers(parameter: Parameter) -> bool:
    """Whether a parameter takes the address that answers go to."""
    return "reply" in parameter.words and parameter.type == "string"


def answers(text: str) -> re.Match[str] | None:
    """The address that answers are to go to, as the text says it."""
    return next((m for m in ADDRESS.finditer(text) if _role(text, m) == "answers"), None)


def receivers(card: Card, parameter: Parameter, text: str, taken: Sequence[Span]) -> list[str]:
    """The addresses that a list parameter is for: not those within other values, nor those of another role."""
    found = []
    own = "cc" if parameter.words & {"cc", "bcc", "copy"} else ""
    for match in ADDRESS.finditer(text):
        role = _role(text, match)
        inside = any(a <= match.start() and match.end() <= b for a, b in taken)
        if not inside and (role == own or (role == "" and not own)):
            found.append(match[0])
    return list(dict.fromkeys(found))


def _role(text: str, match: re.Match[str]) -> str:
    left, right = text[: match.start()], text[match.end() :]
    if _ANSWERS_TO.search(left) or _ANSWERED_AT.match(right):
        return "answers"
    return "cc" if _COPIED.search(left) else ""
