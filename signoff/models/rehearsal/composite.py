"""The requests in a message: split where a connective parts two, never within one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from signoff.models.rehearsal import lexicon, memory, speech, traits
from signoff.models.rehearsal.texts import COURTESY, Span

_EDGE = re.compile(
    r"(?P<strong>[;；\n]+|[。!！?？]+|(?:\.|\?|!)(?=\s+\S)\s*)"
    r"|(?P<joint>[,，]?\s*(?:并且|而且|然后|接着|顺便|顺带|另外|此外|同时|以及|还有(?!几|多少|哪|什么|没|人|剩)|"
    r"并(?=[帮查把给看取退创建提])|再(?=[帮查看把给取建提退告])|也(?=[帮查看把给取])))"
    r"|(?P<comma>(?:(?<!\d)[,，、]|[,，、](?!\s*(?:and\s+)?\d))\s*(?:and\s+|then\s+|also\s+|but\s+)*)"
    r"|(?P<and>\s+(?:and then|and also|as well as|after that|(?<!\d\s)and|and(?!\s+\d)|then|also|"
    r"plus(?!\s+[\d(])|but)\s+)",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\W*(?:(?:and|but|so|also)\s+)?(?:if|when|since|because|as|given that|supposing|suppose|assuming|in case|whenever|"
    r"although|though|while|once)\b|\W*(?:如果|要是|假如|假设|万一|若|既然|因为|由于|虽然|当)",
    re.IGNORECASE,
)
PURPOSE = re.compile(
    r"^\W*(?:i |we |just )*(?:need|want|require) (?:it|this|that|them|these) (?:for|because|by|to)\b|"
    r"^\W*(?:it|this|that)(?:'s| is) (?:just )?for (?:my|our|the)\b|"
    r"^\W*(?:我)?(?:是)?(?:要)?(?:用来|用于|拿来)|^\W*(?:我)?(?:做|留)个?(?:记录|底|备份)用",
    re.IGNORECASE,
)
"""What something is wanted for, which is no request of its own."""


@dataclass(frozen=True)
class Asked:
    """What a stretch asks for by itself."""

    tool: str
    writes: bool
    explicit: bool
    """It asks a question or says to look something up."""


@dataclass(frozen=True)
class Piece:
    """A stretch of the message between two possible edges."""

    start: int
    end: int
    edge: str
    """The kind of edge behind it: strong, joint, comma, and, or end."""


def pieces(text: str, kept: Sequence[Span] = ()) -> list[Piece]:
    """All stretches; a question mark stays with its question, and nothing that is `kept` is parted."""
    found: list[Piece] = []
    start = 0
    for edge in _EDGE.finditer(text):
        if any(a < edge.end() and edge.start() < b for a, b in kept):
            continue
        kind = edge.lastgroup or "end"
        end = edge.end() if kind == "strong" else edge.start()
        if text[start:end].strip(" ,，"):
            found.append(Piece(start, end, kind))
        start = edge.end()
    if text[start:].strip(" ,，。.!！?？"):
        found.append(Piece(start, len(text), "end"))
    return found


def split(text: str, tool_of: Callable[[str], Asked | None], kept: Sequence[Span] = ()) -> list[str]:
    """The requests of a text, each a stretch of its words.

    `tool_of` says which tool a stretch asks for by itself, or None. Beside an order to change something, a
    stretch that neither asks nor looks for anything is what the order is about. A stretch that asks for nothing
    belongs to the request before it, or else to the one after it; neighbours that ask for the same tool stay
    together unless each is a sentence of its own.
    """
    asked = [(p, None if _subordinate(text, p) else tool_of(text[p.start : p.end])) for p in pieces(text, kept)]
    orders = any(a and a.writes for _, a in asked)
    parts = [(p, a.tool if a and (a.writes or a.explicit or not orders) else None) for p, a in asked]
    if len(parts) < 2:
        return [text.strip()] if text.strip() else []
    anchored = [
        i for i, (p, tool) in enumerate(parts) if tool or (not _subordinate(text, p) and _asks_alone(text, parts, i))
    ]
    if len(anchored) < 2:
        return [text.strip()]
    groups: list[tuple[int, int, str | None]] = []
    begin = 0
    for n, i in enumerate(anchored):
        tool = parts[i][1]
        last = anchored[n + 1] - 1 if n + 1 < len(anchored) else len(parts) - 1
        # What stands between two anchors belongs to the first, unless a sentence ends before it.
        while (
            last > i
            and n + 1 < len(anchored)
            and parts[last - 1][0].edge == "strong"
            and parts[last][0].edge != "strong"
        ):
            last -= 1
        start, end = parts[begin][0].start, parts[last][0].end
        same = groups and tool is not None and groups[-1][2] == tool and not _sentence(text, parts, i)
        if same or (groups and tool is None and not _sentence(text, parts, i)):
            groups[-1] = (groups[-1][0], end, groups[-1][2])
        else:
            groups.append((start, end, tool))
        begin = last + 1
    return [text[a:b].strip(" ,，;；、") for a, b, _ in groups]


def _subordinate(text: str, piece: Piece) -> bool:
    """Whether a stretch only says when or why the next one holds: "if it came broken, can I return it"."""
    return piece.edge == "comma" and bool(_SUBORDINATE.match(text[piece.start : piece.end]))


def _sentence(text: str, parts: Sequence[tuple[Piece, str | None]], i: int) -> bool:
    """Whether a part is parted from the one before by more than a comma."""
    return i == 0 or parts[i - 1][0].edge in ("strong", "joint", "and")


def _asks_alone(text: str, parts: Sequence[tuple[Piece, str | None]], i: int) -> bool:
    """Whether a part without a tool is a question of its own, for the documents or for nobody."""
    piece = parts[i][0]
    words = text[piece.start : piece.end]
    if COURTESY.match(words) or not _sentence(text, parts, i):
        return False
    about = [
        f
        for f in lexicon.features(traits.masked(memory.without_picks(words, points=True)))
        if not (f.startswith("#") and lexicon.is_look(f[1:])) and len(f) > 1
    ]
    asked = speech.asks(words) or any(lexicon.is_look(c) for c in lexicon.concepts(words))
    return asked and bool(about)
