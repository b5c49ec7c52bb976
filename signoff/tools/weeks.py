"""ISO weeks (ISO 8601): what "2026-W42", "上周" or "the week before last" means on a given day."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from signoff.errors import ToolError

_YEARS = range(1900, 2200)
_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_EN_NUMBERS = {w: n for n, w in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen".split())} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}  # fmt: skip
_EN_TENS = r"(?:twenty|thirty|forty|fifty)[\s-](?:one|two|three|four|five|six|seven|eight|nine)"
_EN = rf"(?:{_EN_TENS}|{'|'.join(sorted(_EN_NUMBERS, key=len, reverse=True))})(?![a-z])"
_N = r"(\d{1,3}|[零〇一二两三四五六七八九十]{1,3})"
_ZH_WEEK = r"(?:周|星期|礼拜)(?![年岁边])"


@dataclass(frozen=True, order=True)
class Week:
    """One ISO week: Monday to Sunday; the week that holds a year's first Thursday is its week 1.

    Raises `ToolError` when the year has no such week.
    """

    year: int
    """The ISO year, which near New Year is not always the calendar's. 1900 to 2199."""
    number: int
    """1 to 52, or 53 in a long year."""

    def __post_init__(self) -> None:
        if self.year not in _YEARS:
            raise _refused(
                f"{self.year} is not a year between {_YEARS[0]} and {_YEARS[-1]}.",
                f"年份 {self.year} 不在 {_YEARS[0]} 到 {_YEARS[-1]} 之间。",
            )
        last = weeks_in(self.year)
        if not 1 <= self.number <= last:
            raise _refused(
                f"There is no week {self.number} in {self.year}: its weeks are {self.year}-W01 to {self.year}-W{last}.",
                f"{self.year} 年没有第 {self.number} 周:只有 {self.year}-W01 到 {self.year}-W{last}。",
            )

    @classmethod
    def of(cls, day: date) -> Week:
        """The week that a day is in."""
        year, number, _ = day.isocalendar()
        return cls(year, number)

    @property
    def monday(self) -> date:
        """Its first day."""
        return date.fromisocalendar(self.year, self.number, 1)

    @property
    def sunday(self) -> date:
        """Its last day."""
        return date.fromisocalendar(self.year, self.number, 7)

    def previous(self) -> Week:
        """The week before: that of 2027-W01 is 2026-W53."""
        return self.shifted(-1)

    def next(self) -> Week:
        """The week after."""
        return self.shifted(1)

    def shifted(self, weeks: int) -> Week:
        """So many weeks later, or earlier when negative."""
        return Week.of(self.monday + timedelta(weeks=weeks))

    def __contains__(self, day: date) -> bool:
        return self.monday <= day <= self.sunday

    def __str__(self) -> str:
        return f"{self.year:04d}-W{self.number:02d}"


def weeks_in(year: int) -> int:
    """52 or 53: 28 December is always in a year's last week."""
    return date(year, 12, 28).isocalendar().week


def parse_week(text: str, today: date) -> Week | None:
    """The first week that a text names, in Chinese or English, or None when it names none.

    Understands ISO weeks (2026-W42, 2026年第42周, W42, 第四十二周), the week of a day (2026-10-14, 10月14日), weeks
    counted from today (上周, 下下周, last week, two weeks ago) and from another (the week before 2027-W01). A week
    without a year is of today's ISO year, or of the year before if it would be more than 26 weeks ahead: in
    January W52 is the one that has just passed.

    Raises `ToolError` for a week or day that does not exist, such as 2026-W54.
    """
    return next(_weeks(text, today, _RULES), None)


def absolute_week(text: str, today: date) -> Week | None:
    """The first week that a text names without counting from today; a bare number only as 第42周 or W42.

    What is no real week or day is passed over: this reads names and headings, which are not asked for.
    """
    return next(_weeks(text, today, _ABSOLUTE, lenient=True), None)


def required_week(text: str, today: date) -> Week:
    """The week that an argument names. Raises `ToolError` when it names none, or one that does not exist."""
    week = parse_week(text, today)
    if week is None:
        this = Week.of(today)
        raise ToolError(
            "INVALID_ARGUMENTS",
            f"“{text[:60]}” names no week: write an ISO week such as {this}, or “last week”.",
            zh=f"“{text[:60]}”不是周次:请写 ISO 周,例如 {this},或“上周”。",
            hint=f"Call it again with the week, such as {this}; ask the person if they named none.",
        )
    return week


def is_relative(text: str, today: date) -> bool:
    """Whether a text may name another week when it is read some days later."""
    return parse_week(text, today) != parse_week(text, today + timedelta(days=31))


_Read = Callable[[re.Match[str], date], Week]


def _weeks(
    text: str, today: date, rules: tuple[tuple[re.Pattern[str], _Read], ...], *, lenient: bool = False
) -> Iterator[Week]:
    left = unicodedata.normalize("NFKC", text).lower()
    found: list[tuple[int, int, re.Match[str], _Read]] = []
    for order, (pattern, read) in enumerate(rules):
        found += [(m.start(), order, m, read) for m in pattern.finditer(left)]
    for _, _, match, read in sorted(found, key=lambda f: f[:2]):
        try:
            yield read(match, today)
        except (ToolError, ValueError, OverflowError) as error:
            if lenient:
                continue
            if isinstance(error, ToolError):
                raise
            raise _refused(
                f"{match[0].strip()} is not a day of the calendar.", f"日历上没有 {match[0].strip()}。"
            ) from None


def _refused(en: str, zh: str) -> ToolError:
    return ToolError("INVALID_ARGUMENTS", en, zh=zh, hint="Ask the person which week is meant.")


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    if word[0] in _ZH_DIGITS or word[0] == "十":
        total = digit = 0
        for c in word:
            if c == "十":
                total, digit = total + (digit or 1) * 10, 0
            else:
                digit = digit * 10 + _ZH_DIGITS[c]
        return total + digit
    return sum(_EN_NUMBERS[w] for w in re.findall(r"[a-z]+", word))


def _year(word: str, today: date) -> int:
    this = today.isocalendar().year
    return {"今": this, "本": this, "去": this - 1, "前": this - 2, "明": this + 1}.get(word[0]) or _number(word)


def _of_year(number: int, today: date) -> Week:
    this = Week.of(today)
    if number <= weeks_in(this.year) and Week(this.year, number).monday - this.monday <= timedelta(weeks=26):
        return Week(this.year, number)
    before = this.year - 1
    return Week(before if number <= weeks_in(before) else this.year, number)


def _iso(match: re.Match[str], today: date) -> Week:
    return Week(_number(match[1]), _number(match[2]))


def _iso_year_last(match: re.Match[str], today: date) -> Week:
    return Week(_number(match[2]), _number(match[1]))


def _zh_year(match: re.Match[str], today: date) -> Week:
    return Week(_year(match[1], today), _number(match[2]))


def _bare(match: re.Match[str], today: date) -> Week:
    return _of_year(_number(match[1]), today)


def _day(match: re.Match[str], today: date) -> Week:
    return Week.of(date(int(match[1]), int(match[2]), int(match[3])))


def _day_of_year(match: re.Match[str], today: date) -> Week:
    return Week.of(date(today.year, int(match[1]), int(match[2])))


def _ahead(weeks: int) -> _Read:
    return lambda match, today: Week.of(today).shifted(weeks)


def _counted(sign: int) -> _Read:
    return lambda match, today: Week.of(today).shifted(sign * (1 if match[1] in ("a", "one") else _number(match[1])))


def _repeated(sign: int) -> _Read:
    return lambda match, today: Week.of(today).shifted(sign * len(match[1]))


def _beside(sign: int) -> _Read:
    """One week before or after a week that is itself named in the match."""

    def read(match: re.Match[str], today: date) -> Week:
        named = next(_weeks(match["named"], today, _ABSOLUTE), None)
        if named is None:
            raise ValueError(match[0])
        return named.shifted(sign)

    return read


def _rules(*pairs: tuple[str, _Read]) -> tuple[tuple[re.Pattern[str], _Read], ...]:
    return tuple((re.compile(pattern), read) for pattern, read in pairs)


_ISO = r"(?<![\da-z])(\d{4})[\s_/-]?w(?:eek)?[\s_-]?(\d{1,2})(?!\d)"
_ZH = r"((?<!\d)\d{4}|[〇零一二三四五六七八九]{4}|[今本去前明])\s*年(?:度|的)?\s*第?\s*" + _N + r"\s*个?" + _ZH_WEEK
_NAMED = (
    r"(?P<named>\d{4}[\s_/-]?w\d{1,2}(?!\d)"
    r"|(?:\d{4}\s*年\s*)?第\s*[\d零〇一二两三四五六七八九十]{1,3}\s*个?(?:周|星期|礼拜)"
    r"|(?<![\da-z])w(?:eek)?\s?\d{1,2}(?!\d))"
)
_ABSOLUTE = _rules(
    (_ISO, _iso),
    (_ZH, _zh_year),
    (r"(?<![\da-z])w(?:ee)?k?\s?(\d{1,2})(?:\s+of\s+|\s*[,/]?\s*)(\d{4})(?!\d)", _iso_year_last),
    (r"第\s*" + _N + r"\s*个?" + _ZH_WEEK, _bare),
    (r"(?<![\da-z])w(\d{1,2})(?![\da-z])", _bare),
    (r"(?<![a-z])(?:week|wk)\s*(?:no\.?|number|#)?\s*(\d{1,2}|" + _EN + r")(?!\d)", _bare),
    (r"(?<!\d)(\d{4})([-/._])(\d{1,2})\2(\d{1,2})(?!\d)",
     lambda m, t: Week.of(date(int(m[1]), int(m[3]), int(m[4])))),
    (r"(?<!\d)((?:19|20|21)\d\d)(0[1-9]|1[0-2])([0-3]\d)(?!\d)", _day),
    (r"(?<!\d)(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?", _day),
    (r"(?<![\d年])(?<!年\s)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]", _day_of_year),
)  # fmt: skip
_RULES = (
    *_rules(
        (r"\bweek\s+(?:before|preceding|prior to)\s+(?:the\s+)?" + _NAMED, _beside(-1)),
        (r"\bweek\s+(?:after|following)\s+(?:the\s+)?" + _NAMED, _beside(1)),
        (_NAMED + r"\s*(?:的|之)?\s*[前上]\s*一?\s*个?" + _ZH_WEEK, _beside(-1)),
        (_NAMED + r"\s*(?:的|之)?\s*[后下]\s*一?\s*个?" + _ZH_WEEK, _beside(1)),
        (r"\bweek\s+before\s+(?:the\s+)?(?:last|previous)\b", _ahead(-2)),
        (r"\bweek\s+after\s+(?:the\s+)?next\b", _ahead(2)),
    ),
    *_ABSOLUTE,
    *_rules(
        (_N + r"\s*个?(?:周|星期|礼拜)\s*(?:之?以?前)", _counted(-1)),
        (_N + r"\s*个?(?:周|星期|礼拜)\s*(?:之?以?后)", _counted(1)),
        (r"\b(a|" + _EN + r"|\d{1,3})\s+weeks?\s+ago\b", _counted(-1)),
        (r"\bin\s+(a|" + _EN + r"|\d{1,3})\s+weeks?(?:'s? time)?\b", _counted(1)),
        (r"(?<!上)(上+)\s*一?\s*个?" + _ZH_WEEK, _repeated(-1)),
        (r"(?<!下)(下+)\s*一?\s*个?" + _ZH_WEEK, _repeated(1)),
        (r"前\s*一\s*个?" + _ZH_WEEK, _ahead(-1)),
        (r"后\s*一\s*个?" + _ZH_WEEK, _ahead(1)),
        (r"[本这当]\s*一?\s*个?" + _ZH_WEEK, _ahead(0)),
        (r"\b(?:last|previous|past)\s+week\b", _ahead(-1)),
        (r"\b(?:this|current)\s+week\b", _ahead(0)),
        (r"\b(?:next|coming|following|upcoming)\s+week\b", _ahead(1)),
        (r"^\s*(\d{1,2})\s*周\s*$", _bare),
        (r"^\s*(\d{1,2})\s*$", _bare),
    ),
)
