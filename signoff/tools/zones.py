"""Time zones by what people call them: IANA names, cities and countries in both languages, offsets."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from signoff.errors import ToolError
from signoff.text import normalise, shorten
from signoff.tools.envelope import Code
from signoff.tools.zone_names import AMBIGUOUS, ZONES

_OFFSET = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?")
_CHINESE_OFFSET = re.compile(r"([东西])([一二三四五六七八九]|十[一二]?|\d{1,2})区")
_CHINESE_DIGITS = {c: i for i, c in enumerate("一二三四五六七八九十", start=1)} | {"十一": 11, "十二": 12}
_SUFFIX = re.compile(
    r"(?:\s*(?:'s|standard time|daylight time|local time|time zone|timezone|time|zone)"
    r"|标准时间|当地时间|本地时间|时区|时间|市|的)+$"
)
_REGIONS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


@dataclass(frozen=True)
class Zone:
    """A time zone that was found."""

    name: str
    """Its IANA name, or `UTC+08:00` for a fixed offset."""
    rules: tzinfo


def find(text: str) -> Zone:
    """The zone that a text names. Raises `ToolError` when there is none, or several."""
    asked = normalise(text).strip(" .。").replace("_", " ")
    asked = re.sub(r"\s+", " ", asked.replace("−", "-").replace("–", "-").replace("’", "'"))
    known = _names()
    short = _SUFFIX.sub("", asked)
    for name in dict.fromkeys((asked, short, _city(short))):
        if name in AMBIGUOUS:
            raise _several(text, AMBIGUOUS[name])
        if name in known:
            return Zone(known[name], ZoneInfo(known[name]))
        if fixed := _offset(name):
            return fixed
    raise _unknown(text, asked)


def offset_text(moment: datetime) -> str:
    """`UTC+08:00`, the offset of an aware time."""
    return _worded(moment.utcoffset() or timedelta(0))


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Every name in its normal form, with its IANA zone."""
    names: dict[str, str] = {}
    zones = available_timezones()
    for zone in sorted(zones, key=lambda z: (z.count("/"), z)):
        names[normalise(zone).replace("_", " ")] = zone
        region, _, rest = zone.partition("/")
        if rest and region in _REGIONS:
            names.setdefault(normalise(rest.rsplit("/", 1)[-1]).replace("_", " "), zone)
    for line in ZONES.strip().splitlines():
        zone, _, others = line.partition(": ")
        if zone in zones:
            names |= {normalise(n).strip(): zone for n in others.split(", ")}
    return names


def _city(text: str) -> str:
    """The city of `Paris, France`, when it lies in that country: Paris, Texas has another time."""
    city, comma, country = (part.strip() for part in text.partition(","))
    zone = _names().get(city)
    fits = comma and zone is not None and (zone == _names().get(country) or zone in AMBIGUOUS.get(country, ()))
    return city if fits else text


def _offset(text: str) -> Zone | None:
    if match := _CHINESE_OFFSET.fullmatch(text):
        hours = _CHINESE_DIGITS.get(match[2]) or int(match[2])
        minutes = hours * 60 * (1 if match[1] == "东" else -1)
    elif match := _OFFSET.fullmatch(text):
        minutes = (int(match[2]) * 60 + int(match[3] or 0)) * (1 if match[1] == "+" else -1)
        if int(match[3] or 0) > 59:
            return None
    else:
        return None
    # The offsets that are in use: from 12 hours behind to 14 hours ahead.
    if not -12 * 60 <= minutes <= 14 * 60:
        return None
    offset = timedelta(minutes=minutes)
    return Zone(_worded(offset), timezone(offset))


def _worded(offset: timedelta) -> str:
    seconds = round(offset.total_seconds())
    sign = "-" if seconds < 0 else "+"
    hours, rest = divmod(abs(seconds), 3600)
    minutes, seconds = divmod(rest, 60)
    return f"UTC{sign}{hours:02}:{minutes:02}" + (f":{seconds:02}" if seconds else "")


def _several(text: str, zones: tuple[str, ...]) -> ToolError:
    listed = ", ".join(zones)
    return ToolError(
        Code.INVALID_ARGUMENTS,
        f"{shorten(text, 40)!r} has more than one time zone: {listed}.",
        zh=f"「{shorten(text, 40)}」对应多个时区:{listed}。",
        hint="Ask the person which city is meant, or take the one that was said, and call it again.",
    )


def _unknown(text: str, asked: str) -> ToolError:
    near = difflib.get_close_matches(asked[:60], _names(), n=3, cutoff=0.75)
    listed = ", ".join(dict.fromkeys(f"{n} ({_names()[n]})" for n in near))
    return ToolError(
        Code.INVALID_ARGUMENTS,
        f"{shorten(text, 40)!r} is not a known time zone or city."
        + (f" Similar: {listed}." if listed else " Give an IANA name such as Asia/Tokyo, a large city or UTC+8."),
        zh=f"不认识「{shorten(text, 40)}」这个时区或城市。"
        + (f"相近的有:{listed}。" if listed else "请给出 Asia/Tokyo 这样的 IANA 名称、较大的城市或 UTC+8。"),
        hint="Call it again with the IANA name of the zone, or ask the person for a larger city nearby.",
    )
