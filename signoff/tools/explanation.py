"""What validation found wrong with arguments, in words that a model can act on."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from signoff.telemetry.redaction import is_secret, redact, redact_value
from signoff.text import normalise, shorten

MOST = 6
"""Findings that are told; the rest are counted."""

_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"missing(_argument)?", "is missing", "缺少这个参数"),
    (r"literal_error|enum", "must be {expected}", "必须是 {expected}"),
    (r"string_(type|sub_type|unicode)", "must be text in quotes", "必须是带引号的文本"),
    (r"int_\w+", "must be a whole number", "必须是整数"),
    (r"(float|decimal)_(type|parsing)|finite_number", "must be a number", "必须是数字"),
    (r"bool_\w+", "must be true or false", "必须是 true 或 false"),
    (r"none_required", "must be null", "必须是 null"),
    (r"(list|tuple|set|frozen_set|iterable)_type", "must be a list", "必须是列表"),
    (r"(dict|model|mapping|dataclass|model_attributes)_type", "must be an object", "必须是对象"),
    (r"date_\w+", "must be a date such as 2026-10-31", "必须是日期，例如 2026-10-31"),
    (r"timezone_\w+", "needs a time zone, such as +08:00", "需要带时区，例如 +08:00"),
    (
        r"datetime_\w+",
        "must be a date and time such as 2026-10-31T15:00:00+08:00",
        "必须是日期和时间，例如 2026-10-31T15:00:00+08:00",
    ),
    (r"time_(?!delta)\w+", "must be a time such as 15:00", "必须是时间，例如 15:00"),
    (r"greater_than", "must be more than {gt}", "必须大于 {gt}"),
    (r"greater_than_equal", "must be {ge} or more", "不能小于 {ge}"),
    (r"less_than", "must be less than {lt}", "必须小于 {lt}"),
    (r"less_than_equal", "must be {le} or less", "不能大于 {le}"),
    (r"multiple_of", "must be a multiple of {multiple_of}", "必须是 {multiple_of} 的倍数"),
    (r"string_too_short", "must have {min_length} characters or more", "至少要有 {min_length} 个字符"),
    (r"string_too_long", "must have {max_length} characters or fewer", "最多 {max_length} 个字符"),
    (r"too_short", "must have {min_length} entries or more", "至少要有 {min_length} 项"),
    (r"too_long", "must have {max_length} entries or fewer", "最多 {max_length} 项"),
    (r"string_pattern_mismatch", "must match the pattern {pattern}", "必须符合格式 {pattern}"),
    (r"decimal_max_places", "must have {decimal_places} decimal places or fewer", "最多 {decimal_places} 位小数"),
    (r"decimal_(max_digits|whole_digits)", "has too many digits", "位数太多"),
)
_UNION_TAG = re.compile(
    r"(?:int|float|str|bool|decimal|date|datetime|time|timedelta|none|uuid|url|dict|list|set|tuple|literal|enum|model"
    r"|constrained-\w+|nullable|function-\w+|json-or-python|is-instance|lax-or-strict|chain)(?:\[.*\])?",
    re.DOTALL,
)


def explain(error: ValidationError, fields: Iterable[str], *, language: str = "en") -> str:
    """Each finding as field, constraint and what was given, joined by semicolons, without a full stop.

    `fields` are the tool's parameters: an unknown one is told with them and with the nearest. At most six findings
    are told. What was given is shortened, and personal data and secrets in it are marks.
    """
    known = list(fields)
    told = [_told(group, known, language) for group in _grouped(error.errors(include_url=False))]
    if len(told) > MOST:
        more = len(told) - MOST
        told = [*told[:MOST], f"另有 {more} 处" if language == "zh" else f"and {more} more"]
    return ("；" if language == "zh" else "; ").join(told)


def _grouped(found: Iterable[ErrorDetails]) -> list[list[ErrorDetails]]:
    """The errors of one value that may be of several types belong together."""
    groups: list[list[ErrorDetails]] = []
    for e in found:
        if groups and _is_union(groups[-1][-1], e):
            groups[-1].append(e)
        else:
            groups.append([e])
    return groups


def _is_union(a: ErrorDetails, b: ErrorDetails) -> bool:
    def alternative(e: ErrorDetails) -> bool:
        return len(e["loc"]) > 1 and isinstance(e["loc"][-1], str) and bool(_UNION_TAG.fullmatch(e["loc"][-1]))

    return a["loc"][:-1] == b["loc"][:-1] and a["input"] is b["input"] and alternative(a) and alternative(b)


def _told(group: Sequence[ErrorDetails], fields: Sequence[str], language: str) -> str:
    zh = language == "zh"
    first = group[0]
    loc = first["loc"] if len(group) == 1 else first["loc"][:-1]
    where = redact(shorten(_path(loc) or ("参数" if zh else "arguments"), 80))
    if first["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return _unknown(where, loc, fields, zh)
    if first["type"].startswith("missing"):
        return f"缺少 {where}" if zh else f"{where} is missing"
    ways = list(dict.fromkeys(_constraint(e, zh) for e in group))
    given = shorten(_given(loc, first["input"]), 80)
    return f"{where}：{'，或'.join(ways)}，给出的是 {given}" if zh else f"{where}: {', or '.join(ways)}, given {given}"


def _unknown(where: str, loc: Sequence[int | str], fields: Sequence[str], zh: bool) -> str:
    if len(loc) != 1:
        return f"{where} 不是参数" if zh else f"{where} is not a parameter"
    names = ", ".join(fields)
    near = nearest(str(loc[0]), fields)
    if zh:
        return f"{where} 不是参数（可用：{names or '无'}{f'；是否指 {near}？' if near else ''}）"
    return f"{where} is not a parameter (there are: {names or 'none'}{f'; did you mean {near}?' if near else ''})"


def nearest(name: str, fields: Sequence[str]) -> str | None:
    """The parameter whose name looks most like this one."""
    plain = {re.sub(r"[\W_]+", "", normalise(f)): f for f in fields}
    found = difflib.get_close_matches(re.sub(r"[\W_]+", "", normalise(name[:100])), list(plain), n=1, cutoff=0.6)
    return plain[found[0]] if found else None


def _path(loc: Sequence[int | str]) -> str:
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _constraint(e: ErrorDetails, zh: bool) -> str:
    values = {k: str(v) for k, v in (e.get("ctx") or {}).items()}
    if zh and "expected" in values:
        values["expected"] = re.sub(r"(?<=') or (?=')", " 或 ", values["expected"])
    for kind, en, chinese in _KINDS:
        if re.fullmatch(kind, e["type"]):
            try:
                return (chinese if zh else en).format(**values)
            except KeyError:
                break
    # A validator's own words may hold what was given.
    return redact(shorten(e["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ").rstrip("."), 200))


def _given(loc: Sequence[int | str], value: Any) -> str:
    if any(is_secret(part, value) for part in loc):
        return "[secret]"
    if isinstance(value, str):
        return repr(redact(value[:2_000]))
    try:
        return json.dumps(redact_value(value), ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        return type(value).__name__
