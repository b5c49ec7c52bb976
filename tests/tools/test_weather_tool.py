"""The weather is asked for over real HTTP, and what fails is told in the way the retry layer needs."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from general_run import CLOCK, JSON, call, refusal, settings, survives
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.tools.catalog.weather import get_weather
from signoff.tools.weather_words import words

PLACES = {
    "北京": {"name": "北京市", "latitude": 39.9, "longitude": 116.4, "country": "中国", "admin1": "北京市"},
    "London": {
        "name": "London",
        "latitude": 51.5,
        "longitude": -0.12,
        "country": "United Kingdom",
        "admin1": "England",
    },
}


class Service:
    """Answers like Open-Meteo; a test changes what it does."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.fails: tuple[int, bytes] | None = None
        """A status and a body for every request."""
        self.forecast: dict[str, Any] = {}
        """Merged into every forecast."""
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                query = {k: v[0] for k, v in parse_qs(url.query).items()}
                service.asked.append((url.path, query))
                status, body = service.fails or (200, json.dumps(service.answer(url.path, query)).encode())
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Retry-After", "3")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        base = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.settings: Settings = settings(weather_url=f"{base}/forecast", geocoding_url=f"{base}/search")

    def answer(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        if path == "/search":
            found = PLACES.get(query["name"])
            return {"results": [found], "generationtime_ms": 1} if found else {"generationtime_ms": 1}
        days = int(query["forecast_days"])
        return {
            "timezone": "Asia/Shanghai",
            "current": {"time": "2026-11-30T18:00", "temperature_2m": 3.4, "weather_code": 2, "wind_speed_10m": 9.0},
            "daily": {
                "time": [f"2026-12-{d:02}" for d in range(1, days + 1)],
                "weather_code": [61, 0, 95, *([3] * 14)][:days],
                "temperature_2m_max": [8.0] * days,
                "temperature_2m_min": [-2.5] * days,
                "precipitation_probability_max": [80, None, *([10] * 14)][:days],
                "wind_speed_10m_max": [20.0] * days,
            },
        } | self.forecast


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    yield running
    running.server.shutdown()
    running.server.server_close()


def test_the_weather_of_a_place(service: Service) -> None:
    data = call(get_weather, service.settings, place="北京", days=3)
    assert (data["place"], data["country"], len(data["days"])) == ("北京市", "中国", 3)
    assert data["days"][0] == {
        "date": "2026-12-01", "weather": "light rain", "weather_zh": "小雨", "low_c": -2.5, "high_c": 8.0,
        "rain_probability_percent": 80.0, "wind_kmh": 20.0,
    }  # fmt: skip
    assert (data["now"]["weather"], data["now"]["temperature_c"]) == ("partly cloudy", 3.4)
    (_, search), (_, forecast) = service.asked
    assert (search["name"], search["language"]) == ("北京", "zh")
    assert (forecast["latitude"], forecast["forecast_days"], forecast["timezone"]) == ("39.9", "3", "auto")


def test_it_is_worded_in_both_languages(service: Service) -> None:
    assert get_weather.render
    data = call(get_weather, service.settings, place="London")
    english = get_weather.render(data, "en")
    assert english.startswith(
        "Weather in London, England, United Kingdom:\n- at 2026-11-30 18:00: partly cloudy, 3.4 °C"
    )
    assert "- 2026-12-01: light rain, -2.5 °C – 8 °C, chance of rain 80 %, wind up to 20 km/h" in english
    assert "- 2026-12-01:小雨,-2.5 °C – 8 °C,降水概率 80%" in get_weather.render(data, "zh")


@pytest.mark.parametrize(("place", "found"), [("北京市", "北京"), ("London, UK", "London"), ("  London ", "London")])
def test_a_place_is_found_by_its_shorter_name(service: Service, place: str, found: str) -> None:
    assert call(get_weather, service.settings, place=place)["place"] == PLACES[found]["name"]


def test_a_place_that_is_not_known(service: Service) -> None:
    error = refusal(get_weather, service.settings, place="Atlantis")
    assert error.code == "NOT_FOUND" and not error.retryable
    assert [path for path, _ in service.asked] == ["/search"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_left_to_the_retry_layer(service: Service, status: int) -> None:
    service.fails = (status, b"")
    with pytest.raises(httpx.HTTPStatusError) as raised:
        call(get_weather, service.settings, place="London")
    assert raised.value.response.headers["retry-after"] == "3"
    assert len(service.asked) == 1, "the only retries are the gateway's"


@pytest.mark.parametrize("status", [400, 401, 404, 501, 302])
def test_what_will_not_pass_is_said_at_once(service: Service, status: int) -> None:
    service.fails = (status, b'{"reason": "no"}')
    assert str(status) in refusal(get_weather, service.settings, place="London").message


@pytest.mark.parametrize(
    "body",
    [b"", b"not json", b"[]", b"null", b'{"results": [{"name": "x"}]}',
     b'{"results": [{"name":"x","latitude":1e999,"longitude":0}]}',
     b'{"results": [{"name":"x","latitude":91,"longitude":0}]}', b"\xff\xfe", b"[" * 100_000, b"x" * 2_000_000],
)  # fmt: skip
def test_an_answer_that_is_none_is_said_so(service: Service, body: bytes) -> None:
    service.fails = (200, body)
    assert "cannot be read" in refusal(get_weather, service.settings, place="London").message


def test_an_answer_with_gaps_is_used_as_far_as_it_goes(service: Service) -> None:
    service.forecast = {
        "current": None,
        "daily": {
            "time": ["2026-12-01"],
            "weather_code": [None],
            "temperature_2m_max": [None],
            "temperature_2m_min": [1],
        },
    }
    data = call(get_weather, service.settings, place="London")
    assert data["days"] == [{"date": "2026-12-01", "weather": "not known", "weather_zh": "未知", "low_c": 1.0}]


def test_words_from_outside_are_kept_short_and_on_one_line(service: Service) -> None:
    service.forecast = {"timezone": "x\n\x1b[31m" + "y" * 500}
    assert len(call(get_weather, service.settings, place="London")["zone"]) == 80


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port: int = closed.getsockname()[1]
    return port


def test_a_service_that_is_not_there_is_left_to_the_retry_layer() -> None:
    away = settings(geocoding_url=f"http://127.0.0.1:{_closed_port()}/search")
    with pytest.raises(httpx.TransportError):
        call(get_weather, away, place="London")


def test_a_service_that_hangs_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.tools.catalog.weather._READ_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hung = settings(geocoding_url=f"http://127.0.0.1:{silent.getsockname()[1]}/search")
        with pytest.raises(httpx.ReadTimeout):
            call(get_weather, hung, place="London")


@pytest.mark.parametrize("url", ["ftp://example.com/", "nonsense", "http://[::1", ""])
def test_an_address_of_the_service_that_is_none_is_said_so(url: str) -> None:
    assert "SIGNOFF_GEOCODING_URL" in refusal(get_weather, settings(geocoding_url=url), place="London").hint


def test_the_last_answer_is_the_fallback_with_its_time(service: Service) -> None:
    assert get_weather.fallback
    with pytest.raises(ToolError) as nothing:
        get_weather.fallback(place="London", days=2, settings=service.settings, clock=CLOCK)
    assert nothing.value.code == "SERVICE_UNAVAILABLE"
    data = call(get_weather, service.settings, place="London", days=2)
    stale = get_weather.fallback(place=" london", days=2, settings=service.settings, clock=CLOCK)
    assert stale.data == data
    assert stale.as_of.tzinfo is not None and stale.as_of <= CLOCK.utc()
    with pytest.raises(ToolError):
        get_weather.fallback(place="London", days=1, settings=service.settings, clock=CLOCK)


def test_what_is_remembered_is_bounded(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert get_weather.fallback
    monkeypatch.setattr("signoff.tools.catalog.weather._KEPT", 2)
    for days in (1, 2, 3):
        call(get_weather, service.settings, place="London", days=days)
    with pytest.raises(ToolError):
        get_weather.fallback(place="London", days=1, settings=service.settings, clock=CLOCK)
    assert get_weather.fallback(place="London", days=3, settings=service.settings, clock=CLOCK).data


def test_codes_have_words_in_both_languages() -> None:
    assert words(95) == ("thunderstorm", "雷暴") and words(12345) == ("weather code 12345", "天气代码 12345")


def test_what_it_says_of_itself() -> None:
    assert get_weather.egress and get_weather.idempotent and not get_weather.untrusted


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(place=JSON, days=JSON)
def test_any_json_is_answered(service: Service, place: object, days: object) -> None:
    survives(get_weather, service.settings, place=place, days=days)
    survives(get_weather, service.settings, place=place)
