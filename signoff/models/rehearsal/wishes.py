"""In which language a person wants to be answered, where they say so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.text import Language, normalise

_NAMES = r"(?P<name>english|chinese|mandarin|英文|英语|中文|汉语|普通话)"
_ANSWER = (
    r"(?:answer|answers|answered|reply|replies|replied|respond|responses?|speak|talk|write|written|communicate|回答|"
    r"回复|答复|答|回|交流|沟通|说|讲|告诉)"
)
_WISHES = (
    re.compile(
        rf"\b{_ANSWER}(?: (?:to )?(?:me|us|my questions?|everything|back|always|only|please))*,? (?:in|with) {_NAMES}\b"
    ),
    re.compile(rf"\b(?:in|use) {_NAMES}(?:,? please| only)?\W*$"),
    re.compile(
        rf"\b(?:prefers?|likes?|wants?) (?:my |the |your |to (?:have|get) )?(?:\w+ )?(?:in )?{_NAMES}(?: "
        rf"answers?| replies)?\b"
    ),
    re.compile(rf"(?:用|以|使用|讲|说){_NAMES}\s*(?:来)?(?:{_ANSWER}|\W|$)"),
    re.compile(rf"{_NAMES}(?:来)?{_ANSWER}"),
    re.compile(rf"\b{_NAMES} (?:answers?|replies|only|please)\b"),
)
_NOT = re.compile(r"\b(?:not|don'?t|never|no)\b[^.,;]*$|(?:不要?|别|勿)(?:再)?$")
_MATTER = re.compile(
    r"\b(?:translate|translation|email|mail|letter|report|document|write (?:a|an|the))\b|翻译|译成|邮件|报告|写一"
)


def wished_language(texts: Sequence[str]) -> Language | None:
    """The language that the first of these texts wishes for which names one, or None.

    A text to be written or translated in a language is no wish about the answer.
    """
    for text in texts:
        said = normalise(text)
        for wish in _WISHES:
            match = wish.search(said)
            if match and not _NOT.search(said[: match.start()]) and not _MATTER.search(said):
                return "zh" if match["name"] in ("chinese", "mandarin", "中文", "汉语", "普通话") else "en"
    return None
