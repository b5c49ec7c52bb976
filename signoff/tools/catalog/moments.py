"""Tools that tell the time and carry it from one zone to another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from signoff.clock import Clock
from signoff.tools.catalog.wording import chosen, iso, known, minute, paragraphs
from signoff.tools.contract import Example
from signoff.tools.decorator import tool
from signoff.tools.timewords import read_time
from signoff.tools.zones import Zone, find, offset_text

ZoneName = Annotated[str, Field(min_length=1, max_length=80)]

_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_WEEKDAYS_ZH = "星期一 星期二 星期三 星期四 星期五 星期六 星期日".split()


def _facts(moment: datetime, zone: Zone) -> dict[str, Any]:
    return {
        "time": iso(moment),
        "weekday": _WEEKDAYS[moment.weekday()],
        "weekday_zh": _WEEKDAYS_ZH[moment.weekday()],
        "zone": zone.name,
        "offset": offset_text(moment),
    }


def _worded(facts: dict[str, Any], lang: str) -> str:
    """`2026-11-01 16:00 (Sunday) in Asia/Tokyo (UTC+09:00)`."""
    at, day = minute(facts["time"]), chosen(lang, facts["weekday"], facts["weekday_zh"])
    where = facts["zone"] if facts["zone"].startswith("UTC") else f"{facts['zone']} ({facts['offset']})"
    return chosen(lang, f"{at} ({day}) in {where}", f"{where} {at}({day})")


def _render_now(data: Any, lang: str) -> str:
    week = data["iso_week"]
    return chosen(lang, f"It is {_worded(data, lang)}, week {week}.", f"现在是 {_worded(data, lang)},{week} 周。")


@tool(
    injects=("clock",),
    render=_render_now,
    examples=(
        Example("现在几点了?"),
        Example("What time is it now?"),
        Example("纽约现在几点", {"zone": "纽约"}),
        Example("What's the date and time in Tokyo right now?", {"zone": "Tokyo"}),
        Example("今天星期几,几号?"),
    ),
)
def now(clock: Clock, zone: ZoneName | None = None) -> dict[str, Any]:
    """Tells what time and day it is now, with weekday, offset and ISO week: at the desk's own place, or in a zone
    or city. Not for a time other than now (convert_time), and not for when an order, ticket or parcel was dealt with.

    Args:
        zone: A city, country or IANA name such as Tokyo, 纽约 or Europe/Berlin, or UTC+8; left out for the desk's own.
    """
    where = find(zone) if zone else find(clock.zone)
    moment = clock.now().astimezone(where.rules)
    year, week, _ = moment.isocalendar()
    return {
        **_facts(moment, where),
        "date": moment.date().isoformat(),
        "iso_week": f"{year}-W{week:02}",
        "utc": iso(moment.astimezone(UTC)),
    }


def _render_converted(data: Any, lang: str) -> str:
    lines = [
        chosen(lang, "{} is {}.", "{},相当于 {}。").format(_worded(data["from"], lang), _worded(data["to"], lang)),
        chosen(lang, data["difference"], data["difference_zh"]),
        chosen(lang, data.get("note", ""), data.get("note_zh", "")),
    ]
    if second := data.get("second"):
        said = chosen(lang, "The second time, {} is {}.", "第二次:{},相当于 {}。")
        lines.append(said.format(_worded(second["from"], lang), _worded(second["to"], lang)))
    return paragraphs(lines)


@tool(
    injects=("clock",),
    render=_render_converted,
    examples=(
        Example("北京时间 15:00 是东京几点?", {"time": "15:00", "from_zone": "北京", "to_zone": "东京"}),
        Example(
            "What is 09:30 in New York in London time?",
            {"time": "09:30", "from_zone": "New York", "to_zone": "London"},
        ),
        Example(
            "Convert 2026-11-01 01:30 from America/New_York to UTC",
            {"time": "2026-11-01 01:30", "from_zone": "America/New_York", "to_zone": "UTC"},
        ),
        Example("我这边晚上 20:00 开会,洛杉矶那边是几点", {"time": "20:00", "to_zone": "洛杉矶"}),
    ),
)
def convert_time(
    time: Annotated[str, Field(min_length=1, max_length=80)],
    to_zone: ZoneName,
    clock: Clock,
    from_zone: ZoneName | None = None,
) -> dict[str, Any]:
    """Converts one clock time from a zone or city to another, daylight saving included, and says when that time
    does not exist or comes twice because clocks are changed. Not for what time it is now (now), and not for sums
    of days or hours (calculate).

    Args:
        time: Such as 15:00 or 2026-11-01 15:00; a time without a day is meant for today.
        to_zone: Where it is wanted: a city, country or IANA name such as Tokyo, 纽约 or Europe/Berlin, or UTC+8.
        from_zone: Where it is given, likewise; left out for the desk's own.
    """
    source, target = find(from_zone or clock.zone), find(to_zone)
    given = read_time(time, clock.now().astimezone(source.rules))
    notes: tuple[str, str] | None = None
    other: datetime | None = None
    if given.tzinfo is None:
        moment, other, notes = _placed(given, source)
    else:
        moment = given.astimezone(source.rules)
        if given.utcoffset() != moment.utcoffset():
            own = offset_text(given)
            notes = (
                f"The time was given with its own offset, {own}, which was used.",
                f"给出的时间自带偏移 {own},已按它换算。",
            )
    converted = moment.astimezone(target.rules)
    ahead = (converted.utcoffset() or timedelta(0)) - (moment.utcoffset() or timedelta(0))
    en, zh = _difference(ahead, source, target)
    return {
        "from": _facts(moment, source),
        "to": _facts(converted, target),
        "day_shift": (converted.date() - moment.date()).days,
        "difference": en,
        "difference_zh": zh,
        **known(
            note=notes and notes[0],
            note_zh=notes and notes[1],
            second=other and {"from": _facts(other, source), "to": _facts(other.astimezone(target.rules), target)},
        ),
    }


def _placed(given: datetime, zone: Zone) -> tuple[datetime, datetime | None, tuple[str, str] | None]:
    """A clock time in a zone, the second moment it may mean, and what is to be said of it (PEP 495)."""
    first, second = given.replace(tzinfo=zone.rules, fold=0), given.replace(tzinfo=zone.rules, fold=1)
    if first.utcoffset() == second.utcoffset():
        return first, None, None
    at, shown = f"{given:%Y-%m-%d %H:%M}", first.astimezone(UTC).astimezone(zone.rules)
    if shown.replace(tzinfo=None) != given:
        return (
            shown,
            None,
            (
                f"{at} does not exist in {zone.name}: clocks are put forward over it. {shown:%H:%M} was taken.",
                f"{zone.name} 没有 {at} 这个时刻:当天时钟拨快,跳过了它。已按 {shown:%H:%M} 换算。",
            ),
        )
    return (
        first,
        second,
        (
            f"{at} comes twice in {zone.name}, because clocks are put back: first with {offset_text(first)}, which was "
            f"taken, then with {offset_text(second)}.",
            f"{zone.name} 在当天拨慢时钟,{at} 会出现两次:先是 {offset_text(first)}(已按它换算),"
            f"后是 {offset_text(second)}。",
        ),
    )


def _difference(ahead: timedelta, source: Zone, target: Zone) -> tuple[str, str]:
    minutes = round(ahead.total_seconds() / 60)
    if minutes == 0:
        return (
            f"{target.name} and {source.name} have the same time then.",
            f"此时 {target.name} 与 {source.name} 时间相同。",
        )
    hours, rest = divmod(abs(minutes), 60)
    en = " ".join([*([f"{hours} h"] if hours else []), *([f"{rest} min"] if rest else [])])
    zh = (f"{hours} 小时" if hours else "") + (f" {rest} 分钟" if rest else "")
    word, word_zh = ("ahead of", "早") if minutes > 0 else ("behind", "晚")
    return (
        f"{target.name} is {en} {word} {source.name} then.",
        f"此时 {target.name} 比 {source.name} {word_zh} {zh.strip()}。",
    )
