"""What an answer says of a record was looked up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from signoff.knowledge.reading import values
from signoff.nodes.checks.assertion import asserts
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.nodes.checks.marker import borne_out, sentences
from signoff.nodes.checks.statement import claims
from signoff.text import normalise, shorten

# What asks for something, or says that the desk cannot tell, states nothing of the record.
_OPEN = re.compile(
    r"\b(?:please|tell me|let me know|provide|confirm|needs?|needed|requires?d?|would|should|if|want(?:s|ed)?|asked"
    r"|can ?not|can['’]?t|could ?n[o'’]t|could not|unable|did(?: not|n['’]t) (?:look|check|find|call)|nothing|unknown)\b"
    r"|请|需要|告诉|告知|提供|确认|是否|如果|若|想要?|要求|无法|不能|不清楚|不知道|没有?[能法]?(?:查|找|看)|未(?:能|查|找)"
)


def check_records(answer: str, grounds: Grounds) -> Iterator[Located]:
    """Statements that name a record of which neither a result nor the evidence speaks, and no tool was asked.

    That the person named it makes the identifier no invention, but not what is said of it true.
    """
    if not any(v.kind == "id" for v in values(grounds.question)):
        return
    known = normalise(
        "\n".join(
            (
                grounds.recorded,
                *grounds.evidence_texts.values(),
                *(json.dumps([r.get("args"), r.get("error")], ensure_ascii=False) for r in grounds.results),
            )
        )
    )
    for s in sentences(answer):
        named = [v.text for v in values(s.text) if v.kind == "id"]
        if not named or any(normalise(n) in known for n in named) or s.numbers or s.covered or claims(s.text):
            continue
        if asserts(s.text) and not _OPEN.search(normalise(s.text)) and not borne_out(s.text, grounds):
            message = (
                f"Nothing of {named[0]!r} was looked up: call the tool that tells it, or say that you did not look."
            )
            yield Located(Finding("unsupported", shorten(s.text, 300), message), s.start, s.end)
