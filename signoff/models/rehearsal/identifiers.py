"""Identifiers in a person's words: found by a parameter's pattern, or by the shape of its examples' values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from signoff.models.rehearsal.cards import Card, Parameter

_NAME = re.compile(r"(?:^|_)(?:id|ref|no|number|code|sku|uuid|reference)$", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z](?:Id|Ref|No|Number|Code)$")
_GENERAL = re.compile(r"(?<![A-Za-z0-9_.-])#?([A-Za-z]{1,8}[-_]?\d[A-Za-z0-9_-]*|\d{3,}(?:-\d+)*)(?![A-Za-z0-9_]|\.\d)")
_HINT = re.compile(
    r"(?:such as|e\.g\.|for example|like|例如|比如|形如|如)[\s:：,,]*[\"'`“「]?([A-Za-z0-9][A-Za-z0-9_-]{1,40})"
)
_APART = r"(?<![A-Za-z0-9_-])(?-i:[A-Z]{1,4}) ?-? ?\d{3,}(?![A-Za-z0-9_.]|\s?(?:yuan|元|块|%|[a-z]+s\b))"
"""A code whose letters are written apart from its figures: A 1002, A-1002."""
_NOT_THIS = re.compile(
    r"(?:\bnot|\bexcept(?: for)?|\bbut not|\bkeep|\bleave|\binstead of|\brather than|\bother than|"
    r"别动|保留|留着|留下|不是|而不是|除了|不要动?|别)\s*(?:订单|单号|工单|order|ticket|number|#)*\s*$",
    re.IGNORECASE,
)


_NOT_SO = re.compile(
    r"\s*(?:这|那)?[个单笔张]?\s*(?:订单|工单)?\s*(?:就|先|暂时|还是|我|也)*(?:别|不用?|不要|不想|不必|先不|暂不)(?:再|给我|帮我)?"
    r"(?:退|取消|改|动|撤|交|提)|\s*(?:这|那)?[个单笔张]?\s*(?:就|先)?(?:保留|留着|留下|维持原样)|"
    r"\s*(?:stays?\b|(?:should|can|must|may) (?:stay|remain)\b|remains?\b|(?:should|must) not be\b|is (?:fine|"
    r"not to be)\b)",
    re.IGNORECASE,
)
"""What follows an identifier that is left alone, beside another one that is meant."""


@dataclass(frozen=True)
class Identifier:
    """An identifier where it stands in the text, in the form the parameter wants."""

    value: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def is_identifier(card: Card, parameter: Parameter) -> bool:
    """Whether a parameter takes an identifier: by its pattern, its name, or the look of its examples."""
    if parameter.type != "string" or parameter.schema.get("enum"):
        return False
    if parameter.schema.get("format") == "uuid" or (parameter.pattern and _has_digits(parameter.pattern)):
        return True
    values = sample_values(card, parameter.name)
    if values and all(_coded(v) for v in values):
        return True
    named = bool(_NAME.search(parameter.name) or _CAMEL.search(parameter.name))
    return named and (not values or any(_coded(v) for v in values))


@lru_cache(maxsize=2048)
def find(card: Card, parameter: Parameter, text: str) -> tuple[Identifier, ...]:
    """Identifiers of a parameter's form in a text, in order, without those that are excluded ("not A1002")."""
    shape = _shape(parameter.pattern, sample_values(card, parameter.name), parameter.schema.get("format") == "uuid")
    found: list[Identifier] = []
    left_alone: list[Identifier] = []
    for match in shape.finditer(text):
        value = normalised(card, parameter, match[0])
        if value is None or value in [f.value for f in found]:
            continue
        here = Identifier(value, *match.span())
        if _NOT_THIS.search(text[: match.start()]):
            # What is to be left as it is may still be looked at.
            left_alone += () if card.writes else (here,)
        else:
            found.append(here)
    meant = [i for i in found if not _NOT_SO.match(text, i.end)]
    return tuple(meant or found or left_alone)


def normalised(card: Card, parameter: Parameter, written: str) -> str | None:
    """The written identifier as the parameter wants it, or None when no way of writing it fits."""
    bare = written.strip().lstrip("#")
    if parameter.pattern:
        close = re.sub(r"[ -]", "", bare)
        ways = (bare, bare.upper(), bare.lower(), close, close.upper())
        return next((v for v in ways if _matches(parameter.pattern, v)), None)
    values = [v for v in sample_values(card, parameter.name) if re.search("[A-Za-z]", v)]
    if values and all(v == v.upper() for v in values):
        return bare.upper()
    if values and all(v == v.lower() for v in values):
        return bare.lower()
    return bare


def has_form(card: Card, parameter: Parameter) -> bool:
    """Whether the tool states what the identifier looks like."""
    return bool(parameter.pattern or sample_values(card, parameter.name) or parameter.schema.get("format") == "uuid")


def beginning(card: Card, parameter: Parameter) -> str:
    """The letters with which every identifier of the form begins."""
    if parameter.pattern:
        fixed = re.match(r"\^?([A-Za-z_-]*)", parameter.pattern)
        return fixed[1] if fixed else ""
    values = sample_values(card, parameter.name)
    shared = ""
    for letters in zip(*values, strict=False):
        if len(values) < 2 or len(set(letters)) > 1 or letters[0].isdigit():
            break
        shared += letters[0]
    return shared


def fits(card: Card, parameter: Parameter, value: object) -> bool:
    """Whether a whole value, such as one of a result, has the parameter's form."""
    if not isinstance(value, str):
        return False
    return [i.value for i in find(card, parameter, value)] == [value]


@lru_cache(maxsize=2048)
def sample_values(card: Card, name: str) -> tuple[str, ...]:
    """The values of a string argument in the tool's examples, and those that its description gives."""
    values = tuple(v for s in card.samples if isinstance(v := s.args.get(name), str) and v)
    if values or (parameter := card.parameter(name)) is None:
        return values
    stated = tuple(v for v in parameter.schema.get("examples") or () if isinstance(v, str))
    return stated or tuple(m[1] for m in _HINT.finditer(parameter.text) if re.search(r"\d", m[1]))


@lru_cache(maxsize=512)
def _shape(pattern: str | None, values: tuple[str, ...], uuid: bool) -> re.Pattern[str]:
    if uuid:
        return re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
    if pattern:
        inner = pattern.removeprefix("^").removesuffix("$")
        try:
            whole = rf"(?<![A-Za-z0-9_-])#?(?:{inner})(?![A-Za-z0-9_])(?!-\w)"
            return re.compile(f"{whole}|{_APART}", re.IGNORECASE)
        except re.error:
            return _GENERAL
    coded = [v for v in values if _coded(v)]
    if not coded:
        return _GENERAL
    shapes = sorted({_generalised(v, coded) for v in coded}, key=len, reverse=True)
    return re.compile(rf"(?<![A-Za-z0-9_-])#?(?:{'|'.join(shapes)})(?![A-Za-z0-9_])(?!-\w)", re.IGNORECASE)


def _generalised(value: str, among: Sequence[str]) -> str:
    """`A1001` becomes a letter and digits; a longer prefix that all examples share stays as it is."""
    shared = len(among) > 1 or len(re.match("[A-Za-z]*", value)[0]) > 1  # type: ignore[index]
    parts = []
    for run in re.findall(r"[A-Za-z]+|\d+|[^A-Za-z\d]+", value):
        if run.isdigit():
            parts.append(rf"\d{{{1 if len(run) < 3 else 2},{max(len(run) + 4, 6)}}}")
        elif run.isalpha():
            same = shared and run.isupper() and all(v.startswith(value[: value.index(run) + len(run)]) for v in among)
            width = f"1,{len(run) + 6}" if run.islower() else str(len(run))
            parts.append(re.escape(run) if same else f"[A-Za-z]{{{width}}}")
        else:
            parts.append(re.escape(run))
    return "".join(parts)


def _coded(value: str) -> bool:
    """Looks like a code: digits with letters or separators, or a bare number; no words, no date or time."""
    if len(value) > 64 or not re.search(r"\d", value) or re.search(r"[\s\u3400-\u9fff@/:]", value):
        return False
    return not re.fullmatch(r"\d{4}-\d{2}(?:-\d{2})?|\d+\.\d+", value)


def _has_digits(pattern: str) -> bool:
    """Dates, times and words have patterns too; codes have digits and no fixed date form."""
    return bool(re.search(r"\\d|\[0-9", pattern)) and not re.search(r"\\d\{4\}-\\d\{2\}|[0-9]\{4\}-", pattern)


def _matches(pattern: str, value: str) -> bool:
    try:
        return (
            re.search(pattern, value) is not None
            and re.fullmatch(pattern.removeprefix("^").removesuffix("$"), value) is not None
        )
    except re.error:
        return False
