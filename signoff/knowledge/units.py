"""A text in the units that say one thing each: clauses, items of a list, cells of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from signoff.knowledge.glossary import mentions
from signoff.knowledge.reading import plain, values
from signoff.knowledge.split import sentences
from signoff.knowledge.terms import is_amount, is_asking, terms
from signoff.knowledge.values import Value
from signoff.text import normalise

MAX_UNITS = 400
"""Units of a text that are looked at; a passage has far fewer."""
MAX_CLAUSES = 100
"""Clauses of a sentence that are looked at."""

_QUOTE = 6
"""Letters of a sentence that is short enough to be no quotation."""
CONTINUED = 0.75
"""Weight of what a unit does not say itself, but a clause before it in its sentence."""
_HEADED = 0.5
"""Weight of what only its heading or lead-in says."""
_CLAUSE = re.compile(
    r"[，;；]\s*|,(?!(?<=\d,)\d{3}(?!\d))\s*|\s+[–—]\s+|——|\b(?:but|while|whereas)\b|(?=但|而是)"
    r"|\band\s+(?=(?:not|cannot|closed|open|may|must|is|are|the|each|it|we|you|they)\b)"
    r"|\band\s+(?=[¥$]?\d[\d,.]*\s*\S{0,12}\s+(?:for|in|on|if|when|from|at)\b)"
)
# What a sentence says of yes and no, of bounds and of duties is compared by itself.
_MODES = frozenset(
    "must may can cannot shall should need requir only least most maximum minimum limit exceed above below under "
    "within without exclud forbidden prohibit allow permit except unless until befor after per each everi "
    "超过 超出 以上 以下 以内 之内 不满 不足 不超过 至少 至多 最多 最少 最长 最短 最高 最低 "
    "上限 下限 少于 多于 大于 小于 "
    "高于 低于 须 必须 应当 应 不得 不能 不可 不可以 未经 禁止 除外 由 按 经 可 可以 方可 才能 才 只能 只有 后须 "
    "并 每个 之前 之后 以前 以后 期间 无需 无须 不须 不用 不必 需要".split()
)
# Days and letters are compared as values are.
_NAMED = re.compile(r"[a-z]|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:周|星期|礼拜)[一二三四五六日天]")
_PAIR = 0.4
"""Weight of two neighbouring Chinese characters."""
_CJK = re.compile(r"[\u3400-\u9fff]{2,}")
_LINKING = re.compile(
    r"[的了在是和与及或也就都由须必应可能不未无没以内上下前后每个元天日月年周一二两三四五六七八九十百千万给把被让向从到为其该此并且但而]"
)
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)、])\s+")
_ENDED = re.compile(r"[.。!！?？;；][\"'”’)）」』*_\s]*$")
_LEADS = re.compile(r"[:：][\s*_]*$|\bfollowing\b|以下|下列|如下")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*")


@dataclass(frozen=True, eq=False)
class Unit:
    """One thing that a text says."""

    text: str
    lead: str
    """The line that introduces the list it is an item of."""
    own: frozenset[object]
    """Its words and concepts."""
    continued: frozenset[object]
    """Those of the clauses before it in its sentence."""
    headed: frozenset[object]
    """Those of its headings."""
    sentence: str = ""
    """The sentence it is a clause of."""
    row: int = -1
    """Of a cell: the number of its row in the text."""
    label: str = ""
    """Of a cell: the first cell of its row."""

    @cached_property
    def plain(self) -> str:
        """The form that values are read from."""
        return plain(self.text)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its values, number words among them."""
        return tuple(values(self.text, words=True))

    def share(self, weights: Mapping[object, float], continued: float = CONTINUED) -> float:
        """How much of what is weighted it speaks of, 0 to 1; `continued` weighs what clauses before it said."""
        total = sum(weights.values())
        own = sum(w for f, w in weights.items() if f in self.own)
        before = sum(w for f, w in weights.items() if f in self.continued)
        above = sum(w for f, w in weights.items() if f in self.headed - self.own - self.continued)
        return (own + continued * before + _HEADED * above) / total if total else 0.0


@lru_cache(maxsize=512)
def features(text: str) -> Mapping[object, float]:
    """What a text speaks of, in order, with weights: words, concepts of the glossary, identifiers, large numbers.

    Of a concept's words each counts half: another word for it says the same.
    """
    found: dict[object, float] = {}
    met = list(mentions(text))
    for term in terms(text):
        if term in _MODES or _NAMED.fullmatch(term) or is_asking(term) or is_amount(term) or re.search(r"\d", term):
            continue
        concept = next((m.concept for m in met if m.covers(term)), None)
        found.setdefault(concept or term, 1.0)
        found.setdefault(term, 0.5)
    # However the words of a Chinese text are cut, the pairs of its characters stay.
    for run in _CJK.findall(normalise(text)):
        for pair in (run[i : i + 2] for i in range(len(run) - 1)):
            if pair not in _MODES and not _LINKING.search(pair):
                found.setdefault(pair, _PAIR)
    for m in met:
        if not any(m.covers(t) for t in _MODES):
            found.setdefault(m.concept, 1.0)
    for v in values(text):
        if v.kind == "id" or (v.kind == "number" and not v.unit and v.amount > 99):
            found.setdefault(v.text, 1.0)
    return found


def weights(unit: Unit, context: Iterable[object]) -> dict[object, float]:
    """The weights of what a claim's unit speaks of, and less of its context.

    What it begins with, its subject, weighs most.
    """
    found = dict(features(unit.text))
    if found:
        found[next(iter(found))] *= 1.5
    for f in context:
        found.setdefault(f, CONTINUED)
    return found


@lru_cache(maxsize=256)
def units(text: str) -> tuple[Unit, ...]:
    """The units of a text, in order. Headings and lead-ins are none, but what stands under them inherits them."""
    found: list[Unit] = []
    for unit in _units(text):
        found.append(unit)
        if len(found) == MAX_UNITS:
            break
    return tuple(found)


def _units(text: str) -> Iterator[Unit]:
    row = 0
    for passage in text.split("\f"):
        heads: frozenset[object] = frozenset()
        lead, header = "", list[str]()
        for kind, line in _lines(passage):
            row += 1
            if kind != "row":
                header = []
            match kind:
                case "row":
                    cells = [c.strip() for c in line.strip("|").split("|")]
                    if not header:
                        header = cells
                        heads = heads.union(features(cells[0]))
                    elif len(cells) > 1:
                        yield from _cells(cells, header, heads, row)
                case "item":
                    for i, sentence in enumerate(sentences(line)):
                        # What follows in an item explains it, and need not complete the lead-in.
                        yield from _clauses(sentence, "" if i else lead, heads.union(features(lead)))
                case "heading":
                    heads = heads.union(features(line))
                    lead = line.rpartition("›")[2].strip()
                case _:
                    said = sentences(line)
                    lead = next((s for s in reversed(said) if _LEADS.search(s)), said[-1] if said else "")
                    for sentence in said:
                        yield from _clauses(sentence, "", heads)


def _lines(passage: str) -> Iterator[tuple[str, str]]:
    """What stands on the lines of a passage, each with its kind; lines of one paragraph together."""
    lines = [line.strip() for line in passage.strip("\n").split("\n")]
    held = ""
    for number, line in enumerate(lines):
        after = lines[number + 1] if number + 1 < len(lines) else "."
        item = _ITEM.match(line)
        if held and (not line or item or line.startswith("|")):
            yield "text", held
            held = ""
        if line.startswith("|"):
            if not _RULE.fullmatch(line):
                yield "row", line
        elif item:
            yield "item", line[item.end() :]
        elif not held and line and _is_heading(line, after, number):
            yield "heading", line.lstrip("# ")
        elif line:
            wide = held and not held[-1].isascii()
            held = f"{held}{'' if wide or not held else ' '}{line}"
    if held:
        yield "text", held


def _is_heading(line: str, after: str, number: int) -> bool:
    """Whether a line is no part of a paragraph. The first two are a passage's title and place."""
    if _ENDED.search(line) or len(line) > 160:
        return False
    followed = not after or bool(_ITEM.match(after)) or after.startswith("|")
    return number < 2 or line.startswith("#") or followed


@lru_cache(maxsize=256)
def quotable(text: str) -> tuple[str, ...]:
    """What may be quoted from a text word for word: sentences, items, and rows as `column: cell; column: cell`."""
    found: list[str] = []
    for passage in text.split("\f"):
        header = list[str]()
        for kind, line in _lines(passage):
            cells = [c.strip() for c in line.strip("|").split("|")] if kind == "row" else []
            if kind in ("text", "item"):
                found += sentences(line)
            elif kind == "heading" and _LEADS.search(line):
                found.append(line)
            if cells and header:
                found.append("; ".join(f"{h}: {c}" for h, c in zip(header, cells, strict=False)))
                found.append(" ".join(cells))
            header = (header or cells) if kind == "row" else []
    return tuple(q for q in map(squeezed, found) if len(q) >= _QUOTE)


def squeezed(text: str) -> str:
    """The letters and digits of a text, in one form."""
    return re.sub(r"[\W_]+", "", normalise(text))


def _cells(cells: list[str], header: list[str], heads: frozenset[object], row: int) -> Iterator[Unit]:
    for name, cell in zip(header[1:], cells[1:], strict=False):
        said = f"{cells[0]} {name}: {cell}"
        yield Unit(said, "", frozenset(features(said)), frozenset(), heads, said, row, cells[0])


def _clauses(sentence: str, lead: str, heads: frozenset[object]) -> Iterator[Unit]:
    clauses = [c.strip() for c in _CLAUSE.split(sentence) if re.search(r"\w", c)]
    before: frozenset[object] = frozenset()
    for clause in clauses:
        own = frozenset(features(clause))
        # What names something itself does not speak of what the clause before named.
        kept = frozenset(f for f in before if not _is_name(f)) if any(map(_is_name, own)) else before
        yield Unit(clause, lead, own, kept - own, heads, sentence)
        before |= own


def _is_name(feature: object) -> bool:
    return isinstance(feature, str) and bool(re.search(r"\d", feature))
