"""A tool that asks Open-Meteo for the weather."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.text import language, normalise, shorten, terminal_safe
from signoff.tools.catalog.wording import chosen, known, paragraphs, source
from signoff.tools.contract import Example, Stale
from signoff.tools.decorator import tool
from signoff.tools.envelope import Code
from signoff.tools.retries import RETRIED
from signoff.tools.weather_words import words

Place = Annotated[str, Field(min_length=1, max_length=80)]
Days = Annotated[int, Field(ge=1, le=14)]

_T = TypeVar("_T", bound=BaseModel)

_CONNECT_S = 3.0
_READ_S = 5.0
_ANSWER_BYTES = 1_000_000
_KEPT = 256
_FORECAST = ("weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum",
             "precipitation_probability_max", "wind_speed_10m_max")  # fmt: skip
_CURRENT = ("temperature_2m", "relative_humidity_2m", "apparent_temperature", "weather_code", "wind_speed_10m")


class _Part(BaseModel):
    """A part of an answer; what is not JSON, such as an infinite number, is refused."""

    model_config = ConfigDict(allow_inf_nan=False)


class _Found(_Part):
    name: str
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)
    country: str = ""
    admin1: str = ""


class _Places(_Part):
    results: list[_Found] = []


class _Now(_Part):
    time: str
    temperature_2m: float | None = None
    relative_humidity_2m: float | None = None
    apparent_temperature: float | None = None
    weather_code: int | None = None
    wind_speed_10m: float | None = None


class _Daily(_Part):
    time: list[str]
    weather_code: list[int | None]
    temperature_2m_max: list[float | None]
    temperature_2m_min: list[float | None]
    precipitation_sum: list[float | None] = []
    precipitation_probability_max: list[float | None] = []
    wind_speed_10m_max: list[float | None] = []


class _Forecast(_Part):
    timezone: str = ""
    current: _Now | None = None
    daily: _Daily


@dataclass(frozen=True)
class _Kept:
    data: dict[str, Any]
    at: datetime


_answers: OrderedDict[tuple[str, int, str], _Kept] = OrderedDict()
_lock = threading.Lock()


def _key(place: str, days: int, settings: Settings) -> tuple[str, int, str]:
    return normalise(place).strip(), days, settings.weather_url


def _keep(key: tuple[str, int, str], data: dict[str, Any], at: datetime) -> None:
    with _lock:
        _answers[key] = _Kept(data, at)
        _answers.move_to_end(key)
        while len(_answers) > _KEPT:
            _answers.popitem(last=False)


def _last_known(place: str, settings: Settings, clock: Clock, days: int = 1) -> Stale:
    """The last answer for this place that this process was given. Raises `ToolError` when there is none."""
    with _lock:
        kept = _answers.get(_key(place, days, settings))
    if kept is None:
        raise ToolError(
            Code.SERVICE_UNAVAILABLE,
            "The weather service cannot be asked now, and nothing is known from before.",
            zh="暂时无法查询天气,也没有之前的结果可用。",
            hint="Say that the weather cannot be looked up now.",
            retryable=True,
        )
    return Stale(kept.data, kept.at)


def _degrees(value: float | None) -> str:
    return "?" if value is None else f"{value:g} °C"


def _day(day: dict[str, Any], lang: str) -> str:
    said = chosen(lang, day["weather"], day["weather_zh"])
    span = f"{_degrees(day.get('low_c'))} – {_degrees(day.get('high_c'))}"
    parts = [f"{day['date']}{chosen(lang, ': ', ':')}{said}", span]
    if (rain := day.get("rain_probability_percent")) is not None:
        parts.append(chosen(lang, f"chance of rain {rain:g} %", f"降水概率 {rain:g}%"))
    if (wind := day.get("wind_kmh")) is not None:
        parts.append(chosen(lang, f"wind up to {wind:g} km/h", f"最大风速 {wind:g} km/h"))
    return chosen(lang, ", ", ",").join(parts)


def _render(data: Any, lang: str) -> str:
    where = ", ".join(p for p in (data["place"], data.get("region"), data.get("country")) if p)
    lines = [chosen(lang, f"Weather in {where}:", f"{where} 的天气:")]
    if now := data.get("now"):
        said = chosen(lang, now["weather"], now["weather_zh"])
        at = now["time"].replace("T", " ")
        lines.append(
            chosen(
                lang,
                f"- at {at}: {said}, {_degrees(now.get('temperature_c'))}",
                f"- {at}:{said},{_degrees(now.get('temperature_c'))}",
            )
        )
    lines += [f"- {_day(d, lang)}" for d in data["days"]]
    return paragraphs([*lines, source(lang, "Open-Meteo", "Open-Meteo")])


@tool(
    injects=("settings", "clock"),
    egress=True,
    idempotent=True,
    timeout_s=18.0,
    fallback=_last_known,
    render=_render,
    examples=(
        Example("北京今天天气怎么样?", {"place": "北京"}),
        Example("What's the weather in London?", {"place": "London"}),
        Example("上海未来三天会下雨吗", {"place": "上海", "days": 3}),
        Example("Give me the forecast for New York for the next 5 days", {"place": "New York", "days": 5}),
        Example("明天杭州多少度", {"place": "杭州", "days": 2}),
    ),
)
def get_weather(place: Place, settings: Settings, clock: Clock, days: Days = 1) -> dict[str, Any]:
    """Tells the weather in one town now and its forecast for today and the days after: sky, temperatures, chance of
    rain, wind. Not for weather in the past, not for a place that was not named (ask for it), and not for warnings
    or anything but weather.

    Args:
        place: The town, as the person named it, such as 北京 or London; without words like weather or today.
        days: How many days, today included: 1 for today, 2 when tomorrow is asked about.
    """
    found = _located(place, settings)
    answer = _asked(
        settings.weather_url,
        {
            "latitude": found.latitude,
            "longitude": found.longitude,
            "current": ",".join(_CURRENT),
            "daily": ",".join(_FORECAST),
            "timezone": "auto",
            "forecast_days": days,
        },
        _Forecast,
    )
    data = {
        **known(
            place=_line(found.name),
            region=_line(found.admin1) if found.admin1 not in ("", found.name) else None,
            country=_line(found.country) or None,
            zone=_line(answer.timezone) or None,
            now=_now(answer.current) if answer.current else None,
        ),
        "days": _days(answer.daily)[:days],
        "source": "Open-Meteo",
    }
    _keep(_key(place, days, settings), data, clock.utc())
    return data


def _located(place: str, settings: Settings) -> _Found:
    name = " ".join(place.split())
    tries = [name]
    # The service knows 北京, not 北京市; and Paris, not Paris, France.
    if (short := name.removesuffix("市").split(",")[0].strip()) and short != name:
        tries.append(short)
    for text in tries:
        query = {"name": text, "count": 1, "language": language(text), "format": "json"}
        if found := _asked(settings.geocoding_url, query, _Places).results:
            return found[0]
    raise ToolError(
        Code.NOT_FOUND,
        f"The weather service knows no place called {shorten(terminal_safe(name), 40)!r}.",
        zh=f"天气服务里没有找到「{shorten(terminal_safe(name), 40)}」这个地点。",
        hint="Ask the person which town is meant, or use the nearest large town they named.",
    )


def _asked(url: str, query: dict[str, Any], form: type[_T]) -> _T:
    """The service's answer. Raises `httpx.TransportError`, `httpx.HTTPStatusError` for `RETRIED`, or `ToolError`."""
    import httpx

    content = bytearray()
    try:
        with (
            httpx.Client(timeout=httpx.Timeout(_READ_S, connect=_CONNECT_S)) as client,
            client.stream("GET", url, params=query) as response,
        ):
            if response.status_code in RETRIED:
                response.raise_for_status()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > _ANSWER_BYTES:
                    break
            if response.status_code != 200:
                raise _unusable(f"it answered {response.status_code}", f"返回 {response.status_code}")
    except (httpx.InvalidURL, httpx.UnsupportedProtocol):
        raise _unusable("its address is not one", "服务地址无效") from None
    except httpx.DecodingError:
        raise _unusable("its answer cannot be read", "返回内容无法识别") from None
    try:
        return form.model_validate_json(bytes(content))
    except ValidationError:
        raise _unusable("its answer cannot be read", "返回内容无法识别") from None


def _unusable(why: str, why_zh: str) -> ToolError:
    return ToolError(
        Code.SERVICE_UNAVAILABLE,
        f"The weather service gave no weather: {why}.",
        zh=f"天气服务没有给出结果:{why_zh}。",
        hint="Say that the weather cannot be looked up; the operator's settings are SIGNOFF_WEATHER_URL and "
        "SIGNOFF_GEOCODING_URL.",
    )


def _line(text: str) -> str:
    return shorten(terminal_safe(text), 80)


def _now(now: _Now) -> dict[str, Any]:
    said = words(now.weather_code)
    return known(
        time=_line(now.time),
        weather=said[0],
        weather_zh=said[1],
        temperature_c=now.temperature_2m,
        feels_like_c=now.apparent_temperature,
        humidity_percent=now.relative_humidity_2m,
        wind_kmh=now.wind_speed_10m,
    )


def _days(daily: _Daily) -> list[dict[str, Any]]:
    def at(values: list[float | None], i: int) -> float | None:
        return values[i] if i < len(values) else None

    days = []
    for i, date in enumerate(daily.time):
        code = daily.weather_code[i] if i < len(daily.weather_code) else None
        said = words(code)
        days.append(
            known(
                date=_line(date),
                weather=said[0],
                weather_zh=said[1],
                low_c=at(daily.temperature_2m_min, i),
                high_c=at(daily.temperature_2m_max, i),
                rain_mm=at(daily.precipitation_sum, i),
                rain_probability_percent=at(daily.precipitation_probability_max, i),
                wind_kmh=at(daily.wind_speed_10m_max, i),
            )
        )
    return days
