"""What a clause does: asks, tells, or wants something done. A write is proposed for the last kind only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from signoff.models.rehearsal import clauses, lexicon, persons
from signoff.text import language

_QUOTATION = re.compile(
    r"[“\"「『][^”\"」』]{2,400}[”\"」』]|(?<!\w)'[^'\n]{2,200}'(?!\w)|https?://[!-~]+|"
    r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
"""What is quoted, and addresses: their words are nobody's wish."""
_REPORTED = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!我)(?:\b(?:says?|said|wrote|writes|reads|states?|stated|asks|asked|goes)\b[^.:：\n]{0,24}|"
    r"(?:说|写着|写道|写的是|写了|提到|显示|要求|留言))[:：](?!//)\s*[^.。!?？！\n]+|^[ \t]*>[^\n]+",
    re.IGNORECASE | re.MULTILINE,
)
"""What somebody else says, behind a colon or a mark of quotation."""
Force = Literal["order", "negated", "other"]

SUBCLAUSE = re.compile(r"[^,，;；:：。.!！?？\n]+(?:\.(?=\S)[^,，;；:：。.!！?？\n]+)*[,，;；:：。.!！?？\n]*")


def unquoted(text: str) -> str:
    """A text with quotations and addresses blanked out, at the same length: their words order and ask nothing."""
    text = _QUOTATION.sub(lambda m: m[0][0] + "·" * (len(m[0]) - 2) + m[0][-1], text)
    return _REPORTED.sub(lambda m: m[0][0] + "·" * (len(m[0]) - 2) + m[0][-1], text)


def asks(clause: str) -> bool:
    """Whether a clause is a question rather than an order to do something."""
    clause = unquoted(clause)
    if language(clause) == "zh":
        polite = bool(clauses.ZH_POLITE.search(clause))
        rest = clauses.ZH_WH_MASK.sub("", clause) if polite else clause
        return bool(clauses.ZH_WH.search(rest)) or (bool(clauses.ZH_ASKS.search(clause)) and not polite)
    return _en_asks(clause, clause)


def _en_asks(clause: str, until: str) -> bool:
    """Whether a clause is a question as far as `until`: "change where it is delivered" is none."""
    if clauses.EN_WH.search(until) or clauses.EN_AUX.search(clause):
        return True
    return clause.rstrip().endswith(("?", "？")) and not clauses.EN_POLITE.search(clause)


def tells(clause: str) -> bool:
    """Whether a clause only tells something: no question, no looking for, but a subject and what it does or is."""
    if asks(clause) or any(lexicon.is_look(c) for c in lexicon.concepts(clause)):
        return False
    return bool(clauses.EN_TOLD.search(clause) or clauses.ZH_TELLS.search(clause))


def looks(text: str) -> bool:
    """Whether a text says in so many words to look something up."""
    return any(lexicon.is_look(c) for c in lexicon.concepts(text))


def conditional(clause: str) -> bool:
    """Whether what is wanted depends on something: "if it can be returned, refund it"."""
    return bool(clauses.ZH_CONDITIONAL.search(clause) or re.search(r"\bif\b|\bprovided\b|\bas long as\b", clause, re.I))


def wants(text: str, verbs: frozenset[str], words: frozenset[str] = frozenset()) -> bool:
    """Whether the person wants one of the actions done now.

    `verbs` are action concepts, `words` further (folded) words that name the action. Each place where one
    stands is judged by what is around it: negated, asked about, told about, or used as a noun is no order.
    """
    return command(text, verbs, words) is not None


def command(text: str, verbs: frozenset[str], words: frozenset[str] = frozenset()) -> tuple[int, int] | None:
    """Where in the text the first order to do one of the actions stands, or None."""
    found = None
    for span, force in _uses(text, verbs, words):
        if force == "order":
            found = found or span
        elif force == "negated" and found and _takes_back(text, span):
            found = None
    return found


def _takes_back(text: str, span: tuple[int, int]) -> bool:
    """Whether a negation undoes what was ordered before it: "cancel it … no, I decided not to cancel", 算了不退了."""
    clause = next((p[0] for p in SUBCLAUSE.finditer(text) if p.start() <= span[0] < p.end()), "")
    signs = clauses.ZH_TAKEN_BACK if language(clause) == "zh" else clauses.EN_TAKEN_BACK
    return bool(signs.search(clause)) and not clauses.OF_OTHERS.search(clause)


def spared(text: str, verbs: frozenset[str], words: frozenset[str] = frozenset()) -> bool:
    """Whether the person says not to do one of the actions, and nowhere to do it."""
    forces = {force for _, force in _uses(text, verbs, words)}
    return "negated" in forces and command(text, verbs, words) is None


def denies(text: str) -> bool:
    """Whether a text has a word of negation anywhere."""
    return bool(re.search(r"\b(?:don't|do not|dont|never|no need|not)\b|不|别|没|勿|无需", text, re.IGNORECASE))


def mentions(text: str, verbs: frozenset[str]) -> bool:
    """Whether any of the actions is spoken of at all."""
    return bool(lexicon.concepts(text) & verbs)


def _uses(text: str, verbs: frozenset[str], words: frozenset[str]) -> Iterator[tuple[tuple[int, int], Force]]:
    """Each place where an action is named, with the force it has there."""
    for part in SUBCLAUSE.finditer(unquoted(text)):
        clause = part[0]
        folded = lexicon.fold(clause)
        hits = [(f.start, f.end, f.concept) for f in lexicon.find(clause) if f.concept in verbs]
        hits += [(*m.span(), "") for w in words for m in re.finditer(_word(w), folded)]
        for start, end, concept in sorted(hits):
            wish = persons.force(folded, start, end) if concept == persons.CONCEPT else None
            force = wish or (_zh_force if folded[start] >= "\u3400" else _en_force)(folded, start, end)
            yield (part.start() + start, part.start() + end), force


_STATED = re.compile(r"[是为](?!什么|哪|啥|多少|否|不是)[^,，;；。!！?？]{4,}")


def _zh_force(clause: str, start: int, end: int) -> Force:
    left, right = clause[:start], clause[end:]
    masked = clauses.ZH_NOT_NEGATION.sub(lambda m: "〇" * len(m[0]), clause)[:start]
    if asks(clause):
        return "other"
    if clauses.ZH_UNABLE.search(masked):
        return "other"
    if clauses.ZH_NEGATOR.search(masked):
        return "negated"
    if clauses.ZH_FRAME.search(left) or clauses.ZH_URGED.search(left) or clauses.ZH_WISHED.search(left):
        return "other"
    if clauses.ZH_OF_OTHERS.search(left):
        return "other"
    handled = re.search(r"把[^,，。;；]{1,24}$", left)
    if (
        clauses.ZH_ABILITY.search(left)
        or (clauses.ZH_INQUIRE.search(left) and not handled)
        or (clauses.ZH_HEAD.search(right) and not (clause[:end].endswith("地址") and _STATED.match(right)))
    ):
        return "other"
    wish = bool(clauses.ZH_WISH.search(left))
    if not wish and left.endswith("的") and re.match(r"\W*$", right):
        return "other"
    if re.match(r"(?:成功|掉)?(?:了|过)(?!吧|它|这|那)", right) and not wish:
        return "other"
    return "order" if wish or not clauses.ZH_TOLD.search(left) else "other"


def _en_force(clause: str, start: int, end: int) -> Force:
    left, word, right = clause[:start], clause[start:end], clause[end:]
    if _en_asks(clause, left + word) or clauses.EN_TOPIC.search(right):
        return "other"
    if (
        re.search(r"\b(?:i|we)(?:'d| would)\s+$", left)
        or clauses.EN_UNABLE.search(left)
        or clauses.EN_FRAME.match(left)
        or clauses.EN_TURNED.search(left)
    ):
        return "other"
    if re.match(r"\s+(?:nothing|none|neither)\b", right):
        return "negated"
    if clauses.EN_NEGATOR.search(left):
        return "negated"
    wish = bool(clauses.EN_WISH.search(left))
    if re.search(r"ed$", word):
        if wish and re.search(r"\b(?:don't|dont|do not|never|not)\b", left):
            return "negated"
        told = re.search(
            r"\b(?:been|was|were|is|are|already|has|had|have|i|we|they|you|he|she)\s*(?:just\s*|already\s*)?$", left
        )
        return "order" if wish and not told else "other"
    if word.endswith("ing"):
        return "order" if wish or clauses.EN_POLITE.search(left) else "other"
    if clauses.EN_HEAD.search(right):
        return "other"
    if clauses.EN_ARTICLE.search(left):
        # "the refund" is spoken of; "I want a refund", "process the refund" is an order.
        spoken_of = re.search(r"\b(?:about|of|for|status|on)\s+(?:\w+\s+)?$", left)
        return "order" if wish and not spoken_of else "other"
    if re.search(r"\bto\s*(?:be\s*)?$", left):
        return "order" if wish else "other"
    return "other" if clauses.EN_SUBJECT.search(left) else "order"


def _word(word: str) -> str:
    return re.escape(word) if word[0] >= "\u3400" else rf"(?<![a-z]){re.escape(word)}(?![a-z])"
