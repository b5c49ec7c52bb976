"""Every number, amount, date, time and identifier comes from somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from signoff.knowledge import cite
from signoff.knowledge.reading import values
from signoff.knowledge.values import Value, contains
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.nodes.checks.leak import Leak, leaks

# An ordinal at the start of a line, "step 2", "第 2 步": they count the answer's own parts.
_OWN = re.compile(
    r"^[\s#>*•-]*[(（]?\d{1,2}(?:[.)）、](?!\d)|\s*[:：](?!\d))"
    r"|第\s*\d{1,2}\s*(?:步|点|种|个|项|次)|[①-⑳]"
    r"|(?:\b(?:step|option|item|point|part|question|case)s?|步骤|方案|选项|问题)\s*#?\d{1,2}(?!\d)"
    r"|24\s*[/x×*]\s*7|7\s*[x×*]\s*24",
    re.IGNORECASE,
)
# "section 4", "第 4 条", "version 2": a place in the evidence.
_PLACE = re.compile(
    r"(?:\b(?:sections?|clauses?|articles?|chapters?|parts?|rules?|version|no\.)|§|\bv)\s*(\d{1,3}(?:\.\d{1,3})*)"
    r"|第\s*(\d{1,3})\s*(?:节|条|章|款|版|部分)",
    re.IGNORECASE,
)
# Where a source is named, a bare number may be its version: "(来源:退货政策, 2)".
_SOURCE = re.compile(r"来源|出处|\bsources?\b|^\W*[\[【]\d", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)）、])[ \t]*\S|^[ \t]*\|(?![ \t]*:?-)", re.MULTILINE)


def check_numbers(answer: str, grounds: Grounds) -> Iterator[Located]:
    """Values of the answer that are in no result, evidence, question or earlier message."""
    items = len(_ITEM.findall(answer))
    secrets = leaks(answer)
    for start, end in cite.spans(answer):
        for value in claimed(_hidden(answer, secrets, start, end), grounds):
            if contains(grounds.all_values, value, grounds.everything, grounds.today):
                continue
            if _counts_items(value, items):
                continue
            message = (
                f"{value.text!r} is in no result, evidence or message of this conversation: "
                "use the exact value from there, or leave it out."
            )
            yield Located(Finding("number", value.text, message), start, end)


def _hidden(answer: str, secrets: Sequence[Leak], start: int, end: int) -> str:
    """The sentence without what the leak check finds: a secret is repeated in no message."""
    text = answer[start:end]
    for leak in secrets:
        a, b = max(leak.start, start) - start, min(leak.end, end) - start
        if a < b:
            text = text[:a] + " " * (b - a) + text[b:]
    return text


def claimed(sentence: str, grounds: Grounds) -> list[Value]:
    """The values that a sentence states; its own ordinals and references to places in the evidence are none."""
    text = _OWN.sub(" ", cite.without_markers(sentence))
    found = values(_PLACE.sub(lambda m: " " if (m[1] or m[2]) in grounds.labels else m[0], text))
    naming = _SOURCE.search(sentence)
    return [v for v in found if not (naming and v.text in grounds.labels)]


def _counts_items(value: Value, items: int) -> bool:
    """The answer may count what it lists itself, a table's header row aside."""
    return value.kind == "number" and not value.unit and value.amount in (items, items - 1) and value.amount > 0
