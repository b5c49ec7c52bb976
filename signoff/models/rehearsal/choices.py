"""One of a parameter's allowed values, in the words of a person: labels in both languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from signoff.models.rehearsal import lexicon
from signoff.models.rehearsal.cards import Card, Parameter, Sample


@dataclass(frozen=True)
class Choice:
    """An allowed value and the words that name it."""

    value: Any
    start: int
    end: int


def find(card: Card, parameter: Parameter, text: str) -> Choice | None:
    """The allowed value that a text names, the longest naming first."""
    return max(find_all(card, parameter, text), key=lambda c: c.end - c.start, default=None)


def find_all(card: Card, parameter: Parameter, text: str) -> list[Choice]:
    """All allowed values that a text names, in the order they are named."""
    folded = lexicon.fold(text)
    found: list[Choice] = []
    alike: list[Choice] = []
    named: set[tuple[int, int]] = set()
    for value in parameter.schema.get("enum") or ():
        own = [s for label in _labels(card, parameter, value) for s in _spans(label, folded)]
        named |= set(own)
        spans = own or _by_concept(value, text) or _by_condition(parameter, value, folded)
        if spans:
            start, end = max(spans, key=lambda s: s[1] - s[0])
            found.append(Choice(value, start, end))
            if not own:
                alike.append(found[-1])
    # A word that is one value's own is no other word for another value.
    found = [c for c in found if c not in alike or (c.start, c.end) not in named]
    # "paid" inside "unpaid", 已发货 beside 未发货: a naming within a longer one is none.
    kept = [
        c
        for c in found
        if not any(o is not c and o.start <= c.start and c.end <= o.end and _wider(o, c) for o in found)
    ]
    return sorted(kept or _by_example(card, parameter, text), key=lambda c: c.start)


def _by_condition(parameter: Parameter, value: Any, folded: str) -> list[tuple[int, int]]:
    """Where the text has the words of what the description makes a value's condition: "low only when it can wait"."""
    stated = re.search(
        rf"(?<![\w]){re.escape(lexicon.fold(str(value)))}(?![\w])\s+(?:only\s+)?(?:when|if|where|for)\s+([^,;.，；。]+)",
        lexicon.fold(parameter.text),
    )
    words = re.findall(r"[a-z']+", stated[1]) if stated else []
    for length in range(min(4, len(words)), 2, -1):
        tail = " ".join(words[-length:])
        match = re.search(rf"\b{re.escape(tail)}\b", folded)
        if match and not _NEGATED.search(folded[: match.start()]):
            return [match.span()]
    return []


def _wider(one: Choice, other: Choice) -> bool:
    return one.end - one.start > other.end - other.start


def _labels(card: Card, parameter: Parameter, value: Any) -> list[str]:
    """The value's own words, and what the description puts beside it in brackets or behind = or a colon."""
    own = lexicon.fold(str(value))
    labels = [own, re.sub(r"[_-]+", " ", own)]
    for text in (parameter.text, card.description):
        beside = re.search(
            rf"(?<![\w]){re.escape(own)}(?![\w])['\"`]?\s*(?:[(（]([^)）]{{1,40}})[)）]|"
            rf"[=:：/]\s*([^,，;；。.)]{{1,30}}))",
            lexicon.fold(text),
        )
        if beside:
            for label in re.split(r"[,，、/]|\bor\b|或", beside[1] or beside[2]):
                if label.strip():
                    labels.append(label.strip())
    return labels


def _spans(label: str, folded: str) -> list[tuple[int, int]]:
    if not label:
        return []
    if label[0] >= "\u3400":
        return [m.span() for m in re.finditer(re.escape(label), folded)]
    spans = [m.span() for m in re.finditer(rf"(?<![a-z0-9]){re.escape(label)}(?![a-z0-9])", folded)]
    if spans or " " in label or not label.isalpha() or len(label) < 4:
        return spans
    stem = next(iter(lexicon.features(label)), label)
    return [
        m.span()
        for m in re.finditer(r"[a-z]+", folded)
        if not stem.startswith("#") and stem in lexicon.features(m[0]) and m[0].endswith("ed") >= label.endswith("ed")
    ]


def _by_concept(value: Any, text: str) -> list[tuple[int, int]]:
    words = re.sub(r"[_-]+", " ", str(value))
    named = lexicon.fold(str(value))
    direct = {c for c in (named, named + "_state") if c in _STATES}
    wanted = lexicon.concepts(words) | lexicon.concepts(str(value))
    folded = lexicon.fold(text)
    return [
        (f.start, f.end)
        for f in lexicon.find(text)
        if f.concept in direct
        or (
            # What somebody raised or filed need not be open still.
            (f.concept != "create" or f.word.startswith(named))
            and f.concept in wanted
            and (not lexicon.is_action(f.concept) or _is_done(folded, f))
        )
    ]


def _is_done(folded: str, word: lexicon.Found) -> bool:
    """Whether an action stands for the state that it leaves: "cancelled", 已取消; not "cancel it"."""
    if word.word.isascii():
        return word.word.endswith(("ed", "en", "open", "draft", "drafts"))
    done = re.search(r"(?:已经?|被|刚刚?)$", folded[: word.start]) or re.match(
        r"(?:了|过|完|成功|掉)", folded[word.end :]
    )
    return bool(done) or word.word.endswith(("了", "掉"))


_STATES = frozenset({"in_transit", "cancelled_state", "refunded_state", "draft_state", "in_progress", "delivered"})


def yes_or_no(card: Card, parameter: Parameter, text: str) -> bool | None:
    """A boolean that a text states: by "on" and "off", by what it is named for, or as the examples say it."""
    folded = lexicon.fold(text)
    here = lexicon.concepts(text)
    words = set(re.findall(r"[a-z]+", parameter.name.lower()))
    if words & _SWITCHES:
        if "disable" in here or re.search(r"\boff\b", folded):
            return False
        if "enable" in here or re.search(r"\bon\b", folded):
            return True
    named = {f for w in words - _SWITCHES - {"is", "include", "with", "has", "use"} for f in lexicon.features(w)}
    spots = [f.start for f in lexicon.find(text) if "#" + f.concept in named]
    spots += [m.start() for m in re.finditer(r"[a-z]+", folded) if set(lexicon.features(m[0])) & named]
    if spots:
        return not _NEGATED.search(folded[: min(spots)])
    if chosen := _by_example(card, parameter, text):
        return bool(chosen[0].value)
    return None


_SWITCHES = frozenset("on enabled enable active state power value flag status".split())
_NEGATED = re.compile(
    r"(?:\bno|\bnot|\bdon['’]?t|\bnever|\bwithout|\bexclud\w+|不要|不含|不用|不需要|不带|无需|除去|别)\s*(?:the\s+)?$"
)


_EVERY = re.compile(r"\b(?:all|every|everything|each)\b|都|全部|所有|一共|总共", re.IGNORECASE)


def _by_example(card: Card, parameter: Parameter, text: str) -> list[Choice]:
    """A value whose examples share what is special to them with the text: at least half of one example's."""
    if _EVERY.search(text):
        return []
    # An example that names its value outright says nothing of other words for it.
    telling = [s for s in card.samples if not _names(card, parameter, s)]
    special = {repr(s.args.get(parameter.name)): set[str]() for s in card.samples}
    for sample in card.samples:
        special[repr(sample.args.get(parameter.name))] |= _words(card, sample)
    here = set(lexicon.features(text))
    scored = []
    for sample in telling:
        value = sample.args.get(parameter.name)
        others = set[str]().union(*(w for k, w in special.items() if k != repr(value)))
        own = {w for w in _words(card, sample) - others if len(w) > 1}
        if value is not None and own and len(own & here) * 2 >= len(own):
            scored.append((len(own & here) / len(own), value))
    scored.sort(key=lambda s: -s[0])
    if not scored or any(v != scored[0][1] and score == scored[0][0] for score, v in scored):
        return []
    return [Choice(scored[0][1], 0, 0)]


def _names(card: Card, parameter: Parameter, sample: Sample) -> bool:
    value = sample.args.get(parameter.name)
    if isinstance(value, bool) or value is None:
        return False
    folded = lexicon.fold(sample.text)
    return any(_spans(label, folded) for label in _labels(card, parameter, value)) or bool(
        _by_concept(value, sample.text)
    )


def _words(card: Card, sample: Sample) -> set[str]:
    """Features of an example's words, without its free values and codes."""
    text = re.sub(r"(?<![A-Za-z])[A-Za-z]{0,6}[-_]?\d[A-Za-z0-9_-]*", " ", sample.text)
    for value in sample.args.values():
        if isinstance(value, str) and len(value) > 3:
            text = text.replace(value, " ")
    labels = {
        f
        for p in card.parameters
        for v in p.schema.get("enum") or ()
        for w in _labels(card, p, v)
        for f in lexicon.features(w)
    }
    return set(lexicon.features(text)) - labels
