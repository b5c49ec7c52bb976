"""What is worth another try is tried again within the deadline, and nothing else is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import httpx
import pytest

from signoff.errors import ProviderUnavailable, ToolError
from signoff.tools.envelope import Code
from signoff.tools.executor import TimedOut, run
from signoff.tools.retries import attempt, retry_after, transient

REQUEST = httpx.Request("GET", "http://127.0.0.1/")


def status(code: int, **headers: str) -> httpx.HTTPStatusError:
    response = httpx.Response(code, headers={k.replace("_", "-"): v for k, v in headers.items()}, request=REQUEST)
    return httpx.HTTPStatusError("no", request=REQUEST, response=response)


class Waits:
    """A clock that only sleeping moves, with a job that fails as it is told."""

    def __init__(self, *errors: BaseException, takes_s: float = 0.0, luck: float = 1.0) -> None:
        self.errors = list(errors)
        self.slept: list[float] = []
        self.now = 0.0
        self.takes_s = takes_s
        self.luck = luck
        self.calls = 0

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def job(self) -> str:
        self.calls += 1
        self.now += self.takes_s
        if self.errors:
            raise self.errors.pop(0)
        return "done"

    def attempt(self, **options: Any) -> tuple[str, int]:
        options = {"deadline_s": 100.0, **options}
        return attempt(self.job, sleep=self.sleep, random=lambda: self.luck, clock=lambda: self.now, **options)


def broken(code: str, *, retryable: bool) -> ToolError:
    return ToolError(code, "no", retryable=retryable)


TRANSIENT = [
    *(status(code) for code in (408, 425, 429, 500, 502, 503, 504)),
    httpx.ConnectError("refused"),
    httpx.ConnectTimeout("slow"),
    httpx.ReadTimeout("slow"),
    httpx.PoolTimeout("busy"),
    httpx.RemoteProtocolError("cut off"),
    httpx.ProxyError("proxy"),
    TimeoutError(),
    TimedOut("no answer"),
    ConnectionResetError(),
    BrokenPipeError(),
    broken(Code.TIMEOUT, retryable=True),
    broken(Code.SERVICE_UNAVAILABLE, retryable=True),
]
LASTING = [
    *(status(code) for code in (301, 400, 401, 403, 404, 409, 410, 422, 501)),
    httpx.UnsupportedProtocol("ftp"),
    httpx.LocalProtocolError("bad header"),
    httpx.InvalidURL("bad"),
    httpx.TooManyRedirects("round and round"),
    httpx.DecodingError("not gzip"),
    broken(Code.TIMEOUT, retryable=False),
    broken(Code.SERVICE_UNAVAILABLE, retryable=False),
    broken(Code.NOT_FOUND, retryable=True),
    broken(Code.INVALID_ARGUMENTS, retryable=True),
    ProviderUnavailable("no"),
    ValueError("bug"),
    FileNotFoundError("gone"),
    KeyboardInterrupt(),
]


@pytest.mark.parametrize("error", TRANSIENT, ids=repr)
def test_what_passes_is_tried_again(error: BaseException) -> None:
    assert transient(error)
    assert Waits(error).attempt() == ("done", 2)


@pytest.mark.parametrize("error", LASTING, ids=repr)
def test_what_lasts_is_raised_at_once_as_it_is(error: BaseException) -> None:
    assert not transient(error)
    waits = Waits(error)
    with pytest.raises(type(error)) as raised:
        waits.attempt()
    assert raised.value is error
    assert (waits.calls, waits.slept) == (1, [])


def test_a_success_costs_one_try_and_no_wait() -> None:
    waits = Waits()
    assert waits.attempt() == ("done", 1)
    assert waits.slept == []


def test_the_last_error_is_raised_when_the_tries_are_used_up() -> None:
    errors = [ConnectionError(str(i)) for i in range(5)]
    waits = Waits(*errors)
    with pytest.raises(ConnectionError, match="2"):
        waits.attempt(tries=3)
    assert waits.calls == 3


def test_waits_double_up_to_the_cap_and_luck_shortens_them() -> None:
    def slept(luck: float) -> list[float]:
        waits = Waits(*[ConnectionError()] * 6, luck=luck)
        assert waits.attempt(tries=9, base_s=1.0, cap_s=5.0) == ("done", 7)
        return waits.slept

    assert slept(1.0) == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0]
    assert slept(0.5) == [0.5, 1.0, 2.0, 2.5, 2.5, 2.5]
    assert slept(0.0) == [0.0] * 6


def test_many_tries_do_not_overflow_the_wait() -> None:
    assert Waits(*[ConnectionError()] * 2_000, luck=0.0).attempt(tries=3_000) == ("done", 2_001)


@pytest.mark.parametrize(
    ("error", "least_s"),
    [
        (status(429, retry_after="7"), 7.0),
        (status(503, retry_after=" 7 "), 7.0),
        (status(429, retry_after="0"), 0.0),
        (status(429, retry_after="soon"), 0.0),
        (status(429, retry_after="-5"), 0.0),
        (status(429, retry_after="nan"), 0.0),
        (status(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 0.0),
    ],
    ids=lambda x: x.response.headers.get("retry-after") if isinstance(x, Exception) else "",
)
def test_a_source_that_asks_to_wait_is_not_asked_sooner(error: BaseException, least_s: float) -> None:
    waits = Waits(error, luck=0.0)
    assert waits.attempt() == ("done", 2)
    assert waits.slept == [least_s]


def test_retry_after_may_be_a_date_in_any_of_its_forms() -> None:
    now = datetime(2026, 10, 31, 2, 0, tzinfo=UTC)
    later = now + timedelta(seconds=90)
    assert retry_after(format_datetime(later, usegmt=True), now) == 90.0
    assert retry_after("Sat, 31 Oct 2026 10:01:30 +0800", now) == 90.0
    assert retry_after("Sat, 31 Oct 2026 02:01:30 -0000", now) == 90.0
    assert retry_after(format_datetime(now - timedelta(hours=1), usegmt=True), now) == 0.0
    assert [retry_after(v, now) for v in (None, "", "tomorrow", "1e9", "9" * 400, "Sat, 99 Foo 2026")] == [None] * 6


def test_any_error_may_say_how_long_to_wait_also_the_one_it_was_raised_from() -> None:
    own = broken(Code.SERVICE_UNAVAILABLE, retryable=True)
    own.retry_after_s = 3  # type: ignore[attr-defined]
    caused = broken(Code.TIMEOUT, retryable=True)
    caused.__cause__ = status(429, retry_after="4")
    waits = Waits(own, caused, luck=0.0)
    assert waits.attempt() == ("done", 3)
    assert waits.slept == [3.0, 4.0]


def test_no_wait_is_begun_that_would_end_after_the_deadline() -> None:
    waits = Waits(status(429, retry_after="30"))
    with pytest.raises(httpx.HTTPStatusError):
        waits.attempt(deadline_s=30.0)
    assert (waits.calls, waits.slept) == (1, [])


def test_what_the_job_itself_takes_counts_against_the_deadline() -> None:
    waits = Waits(*[TimeoutError()] * 9, takes_s=4.0)
    with pytest.raises(TimeoutError):
        waits.attempt(deadline_s=10.0, tries=9, base_s=1.0)
    assert (waits.calls, waits.slept) == (2, [1.0])


@pytest.mark.parametrize(("deadline_s", "tries"), [(0.0, 3), (-1.0, 3), (10.0, 1), (10.0, 0)])
def test_the_first_try_is_always_made(deadline_s: float, tries: int) -> None:
    waits = Waits(TimeoutError("first"), TimeoutError("second"))
    with pytest.raises(TimeoutError, match="first"):
        waits.attempt(deadline_s=deadline_s, tries=tries)
    assert waits.calls == 1


def test_each_further_try_is_told_before_its_wait() -> None:
    told: list[tuple[str, int, float]] = []
    waits = Waits(ConnectionError("a"), ConnectionError("b"))
    waits.attempt(base_s=1.0, on_retry=lambda error, number, wait_s: told.append((str(error), number, wait_s)))
    assert told == [("a", 1, 1.0), ("b", 2, 2.0)]


def test_a_job_that_hangs_is_given_up_and_tried_again() -> None:
    hang = threading.Event()
    calls: list[int] = []

    def job() -> str:
        calls.append(1)
        if len(calls) == 1:
            hang.wait(30)
        return "done"

    try:
        assert attempt(lambda: run(job, 0.05), deadline_s=30.0, base_s=0.0) == ("done", 2)
    finally:
        hang.set()


class _Server(BaseHTTPRequestHandler):
    answers: ClassVar[list[tuple[int, dict[str, str]]]] = []
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        code, headers = type(self).answers.pop(0)
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def served() -> Iterator[Callable[..., tuple[str, type[_Server]]]]:
    servers: list[ThreadingHTTPServer] = []

    def start(*answers: tuple[int, dict[str, str]]) -> tuple[str, type[_Server]]:
        handler = type("Handler", (_Server,), {"answers": list(answers), "asked": []})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/", handler

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def _get(url: str) -> int:
    with httpx.Client(trust_env=False) as client:
        response = client.get(url)
        response.raise_for_status()
        return response.status_code


def test_a_real_server_that_recovers_is_asked_until_it_answers(served: Callable[..., Any]) -> None:
    url, server = served((503, {}), (429, {"Retry-After": "1"}), (200, {}))
    slept: list[float] = []
    assert attempt(lambda: _get(url), deadline_s=60.0, sleep=slept.append, random=lambda: 0.0) == (200, 3)
    assert slept == [0.0, 1.0]
    assert len(server.asked) == 3


def test_a_real_server_that_refuses_is_asked_once(served: Callable[..., Any]) -> None:
    url, server = served((403, {}))
    with pytest.raises(httpx.HTTPStatusError):
        attempt(lambda: _get(url), deadline_s=60.0)
    assert len(server.asked) == 1


def test_a_port_where_nobody_listens_is_tried_again() -> None:
    calls: list[float] = []
    with pytest.raises(httpx.ConnectError):
        attempt(lambda: _get("http://127.0.0.1:9/"), deadline_s=60.0, sleep=calls.append)
    assert len(calls) == 2
