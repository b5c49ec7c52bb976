"""Arguments of a kind that is known by name: sums, periods, places, times, code and proper names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from signoff.models.rehearsal import clocks, identifiers, labels, names, periods, places, sums, verbatim
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.texts import Piece, Span

_KEPT = re.compile(
    r"https?://[!-~]+|[\w.+-]+@[\w.-]+(?:\s*(?:,|，|;|、|和|and|&)\s*(?:and\s+)?[\w.+-]+@[\w.-]+)+|"
    r"[“\"「『《][^”\"」』》]{2,400}[”\"」』》]|```.*?```|`[^`\n]+`",
    re.DOTALL,
)
_PATHS = frozenset({"path", "file", "filename", "filepath"})
_PATH = re.compile(
    r"(?<![\w@/:.-])(?:[.~]{0,2}/)?(?:[\w.-]+/)*[A-Za-z0-9_][\w.-]*"
    r"\.(?:md|txt|csv|tsv|json|jsonl|pdf|docx?|xlsx?|pptx?|ya?ml|toml|html?|xml|py|js|ts|sh|sql|log|png|jpe?g)(?![\w/.-])",
    re.ASCII,
)
_SUMS = frozenset({"expression", "formula", "equation", "calculation", "arithmetic", "expr"})


def kind(card: Card, p: Parameter) -> str:
    """`sum`, `path`, `period`, `clock`, `place`, `code`, `command`, `name`, or empty."""
    if p.type != "string" or p.schema.get("enum") or "const" in p.schema:
        return ""
    if p.words & _SUMS:
        return "sum"
    if _sigil(card, p):
        return "marked"
    if p.words & _PATHS and not p.words & {"url", "image"}:
        return "path"
    if periods.unit(p):
        return "period"
    if clocks.takes_one(card, p):
        return "clock"
    if places.takes_one(p):
        return "place"
    if found := verbatim.kind(p):
        return found
    return "name" if names.kind(p) else ""


def find(card: Card, p: Parameter, text: str, taken: Sequence[Span], today: date | None) -> Piece | None:
    """The value of one parameter of such a kind, as the text has it; None when it has none. Places: see `seats`."""
    match kind(card, p):
        case "sum":
            made = sums.expression(text)
            return Piece(made, 0, 0, 1.3) if made else None
        case "path":
            match = _PATH.search(text)
            return Piece(match[0], *match.span(), 1.3) if match else None
        case "period":
            return periods.find(p, text, today)
        case "clock":
            return clocks.find(text, today)
        case "code" | "command":
            return verbatim.find(p, text)
        case "marked":
            match = re.search(rf"(?<![\w{_sigil(card, p)}]){re.escape(_sigil(card, p))}[\w][\w./-]*", text)
            return Piece(match[0].rstrip("."), *match.span(), 1.3) if match else None
        case "name":
            return names.find(card, p, text, taken)
    return None


def _sigil(card: Card, p: Parameter) -> str:
    """The mark that all its values begin with, in the examples or in the description: #ops, @ann, /pricing."""
    stated = [v for s in card.samples if isinstance(v := s.args.get(p.name), str)] or re.findall(
        r"(?:such as|like|e\.g\.|例如|比如|如)\s*[\"'`]?([#@/~]\w[\w/.-]*)", p.text
    )
    marks = {v[:1] for v in stated}
    return marks.pop() if len(marks) == 1 and stated[0][:1] in "#@/~" and all(len(v) > 1 for v in stated) else ""


def seats(
    card: Card, open_ones: Sequence[Parameter], text: str, clock: Span | None, own: str
) -> Mapping[str, list[Piece]]:
    """The places of a text, each for the parameter that it is meant for; one parameter may have several.

    `own` is the desk's own zone: it stands for "here" where a zone must be given.
    """
    wanting = [p for p in open_ones if kind(card, p) == "place"]
    if not wanting:
        return {}
    zones = any(p.words & {"zone", "timezone", "tz"} for p in wanting)
    found = places.find(text, zones=zones)
    if len(wanting) == 1:
        return {wanting[0].name: found} if found else {}
    source = next((p for p in wanting if p.words & {"from", "source", "origin"}), wanting[0])
    target = next((p for p in wanting if p is not source), wanting[-1])
    given, wanted = places.given_and_wanted(text, clock, found)
    seated = {q.name: [piece] for q, piece in ((source, given), (target, wanted)) if piece}
    if own and target.name not in seated and seated and zones and places.here(text):
        seated[target.name] = [Piece(own, 0, 0, 1.0)]
    return seated


def speaks_for(card: Card, text: str) -> bool:
    """Whether the text holds what only such a tool takes: a sum, an address of the net, code, a command, or a time of
    day with the places that it is to be told for."""
    kinds = [kind(card, p) for p in card.required]
    if "clock" in kinds and "place" in kinds and set(kinds) == {"clock", "place"}:
        return clocks.find(text, None) is not None and len(places.find(text, zones=True)) > 1
    for p in card.required:
        match kind(card, p):
            case "sum" if sums.expression(text):
                return True
            case "code" | "command" if verbatim.find(p, text):
                return True
            case "" if ("url" in p.words or p.schema.get("format") in ("uri", "url")) and re.search(
                r"https?://\S", text
            ):
                return True
    return False


def verbatim_spans(cards: Sequence[Card], text: str) -> list[Span]:
    """Stretches of a text that are not read as requests: code, commands, addresses of the net, quotations, and what
    a message is to say."""
    spans = [m.span() for pattern in (_KEPT, _PATH) for m in pattern.finditer(text)]
    for card in cards:
        for p in card.required:
            piece = verbatim.find(p, text) if verbatim.kind(p) else None
            if piece is None and labels.kind(p) == "body" and len(card.required) > 1:
                piece = labels.find(p, text, ())
            if piece and piece.end > piece.start:
                spans.append((piece.start, piece.end))
    return spans


def takes_any_words(card: Card, p: Parameter) -> bool:
    """Whether all of a reply may be the argument: free text, a name, a place, or what is taken letter by letter."""
    typed = p.type != "string" or p.schema.get("enum") or p.pattern or p.schema.get("format")
    return (
        not typed
        and not identifiers.is_identifier(card, p)
        and kind(card, p) in ("", "place", "name", "code", "command")
    )


def swapped(card: Card, name: str, words: str, before: str) -> dict[str, str]:
    """What follows "and what about …" in place of an earlier value: the words; of a sum the number that is new."""
    p = card.parameter(name)
    if p is None:
        return {}
    if kind(card, p) == "sum":
        numbers = re.findall(r"\d+(?:\.\d+)?%?", words.replace(",", ""))
        old = (
            [m for m in re.finditer(r"\d+(?:\.\d+)?(%?)", before) if bool(m[1]) == numbers[0].endswith("%")]
            if numbers
            else []
        )
        return (
            {name: before[: old[-1].start()] + numbers[0] + before[old[-1].end() :]}
            if len(numbers) == 1 and old
            else {}
        )
    return {name: words} if takes_any_words(card, p) else {}


def whole(card: Card, p: Parameter, reply: str) -> str:
    """A reply as the argument: what it says of it, or all of it."""
    if verbatim.kind(p):
        piece = verbatim.find(p, reply)
        return piece.value if piece else reply.strip()
    if kind(card, p) == "place" and (found := places.find(reply, zones=True)):
        return found[0].value
    if labels.kind(p) and (piece := labels.find(p, reply, ())):
        return piece.value
    return reply.strip(" 。")
