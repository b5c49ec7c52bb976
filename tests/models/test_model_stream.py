"""An endpoint's time: what ends a call, whose fault it was, and what is left of a call that was given up."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable, Generator, Iterator
from threading import Event, Thread
from threading import enumerate as threads
from typing import Any

import pytest
from endpoints import ask, endpoint
from openai_server import Hang, OpenAIServer, Response, Stream, answer, piece, says

from signoff.errors import Cancelled, ProviderUnavailable
from signoff.models import breaker
from signoff.models.connection import Connection
from signoff.models.profile import Capabilities
from signoff.models.stream import END
from signoff.models.stream import Stream as Pieces


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(breaker, "_breakers", {})
    monkeypatch.setenv("WIRE_TEST_KEY", "k")


class Dripping(list[dict[str, Any]]):
    """Pieces of text, each `wait_s` seconds after the one before."""

    def __init__(self, wait_s: float, count: int) -> None:
        self.wait_s, self.pieces = wait_s, count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for _ in range(self.pieces):
            time.sleep(self.wait_s)
            yield piece({"content": "word "})


def eventually(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 15
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return holds()


def test_a_stream_that_is_faster_than_its_reader_ends_with_the_time_of_the_call() -> None:
    taken: list[str] = []

    def slowly(text: str) -> None:
        taken.append(text)
        time.sleep(0.005)

    with OpenAIServer(answer("warm"), Stream(Dripping(0, 3_000))) as server:
        one = endpoint(server.base_url)
        ask(one)
        with pytest.raises(ProviderUnavailable, match=r"had not finished its answer.*SIGNOFF_MAX_WORK_S"):
            ask(one, deadline_s=1.0, on_text=slowly)
    assert 0 < len(taken) < 3_000


def test_an_endpoint_that_writes_until_the_time_is_over_is_not_left_alone_for_it() -> None:
    with OpenAIServer(answer("warm"), Stream(Dripping(0.02, 5_000))) as server:
        one = endpoint(server.base_url)
        ask(one)
        for _ in range(breaker.FAILURES + 1):
            with pytest.raises(ProviderUnavailable, match="had not finished its answer") as error:
                ask(one, deadline_s=0.6)
            assert "timeout_s" not in str(error.value) and "SIGNOFF_MAX_WORK_S" in str(error.value)
        assert one.breaker.failures == 0


@pytest.mark.parametrize(
    ("timeout_s", "deadline_s", "setting"), [(30.0, 0.4, "SIGNOFF_MAX_WORK_S"), (0.3, 20.0, "timeout_s")]
)
def test_silence_counts_against_an_endpoint_and_its_sentence_names_what_ended_it(
    timeout_s: float, deadline_s: float, setting: str
) -> None:
    with OpenAIServer(answer("warm"), Stream([], then="keepalive")) as server:
        one = endpoint(server.base_url, timeout_s=timeout_s)
        one._made()
        if timeout_s > 1:
            ask(one)
        else:
            server.script.pop(0)
        with pytest.raises(ProviderUnavailable, match=f"sent nothing .*{setting}"):
            ask(one, deadline_s=deadline_s)
        assert one.breaker.failures == 1


def test_a_call_without_time_says_nothing_of_an_endpoint_that_rests() -> None:
    now = [0.0]
    with OpenAIServer(answer("hi")) as server:
        one = endpoint(server.base_url)
        one.breaker._clock = lambda: now[0]
        for _ in range(breaker.FAILURES):
            one.breaker.failed()
        now[0] = breaker.REST_S + 1
        with pytest.raises(ProviderUnavailable, match="No time was left"):
            ask(one, deadline_s=0)
        assert one.breaker.failures == breaker.FAILURES and server.bodies == []
        assert ask(one).content == "hi" and one.breaker.failures == 0


LEFT: dict[str, tuple[Response, dict[str, Any]]] = {
    "comments only": (Stream([], then="keepalive"), {}),
    "comments behind text": (Stream(says("half"), then="keepalive"), {}),
    "silence behind text": (Stream(says("half"), then="hang"), {}),
    "no answer at all": (Hang(), {}),
    "no whole answer": (Hang(), {"can": Capabilities(streaming=False)}),
    "comments of Anthropic's": (Stream([], then="keepalive"), {"model": "anthropic:claude-test"}),
    "no answer of Gemini's": (Hang(), {"model": "google:gemini-test"}),
}


@pytest.mark.parametrize(("response", "fields"), LEFT.values(), ids=LEFT.keys())
def test_a_call_that_was_given_up_leaves_neither_connection_nor_reader(
    response: Response, fields: dict[str, Any]
) -> None:
    if fields.get("model"):
        pytest.importorskip("langchain_anthropic" if "anthropic" in fields["model"] else "langchain_google_genai")
        fields = {**fields, "key_env": "WIRE_TEST_KEY"}
    before = set(threads())

    def serving() -> list[Thread]:
        return [t for t in threads() if t not in before and "process_request" in t.name]

    with OpenAIServer(response) as server:
        one = endpoint(server.base_url, timeout_s=60.0, **fields)
        one._made()
        with pytest.raises(ProviderUnavailable):
            ask(one, deadline_s=0.5)
        assert eventually(lambda: not _reads())
        if isinstance(response, Stream) and response.then == "keepalive":
            # Only a server that goes on writing sees that nobody listens.
            assert eventually(lambda: not serving())


def _reads() -> bool:
    """Whether a thread of this process still reads from an endpoint."""
    frames = sys._current_frames()
    for thread in threads():
        frame = frames.get(thread.ident or 0) if thread.name == "signoff-worker" else None
        while frame is not None:
            if "httpcore" in frame.f_code.co_filename:
                return True
            frame = frame.f_back
    return False


def test_pieces_are_read_ahead_only_so_far_and_a_reader_nobody_waits_for_ends() -> None:
    made, closed = [0], Event()

    def endless() -> Generator[int, None, None]:
        try:
            while True:
                made[0] += 1
                yield made[0]
        finally:
            closed.set()

    pieces = Pieces(endless)
    far = time.monotonic() + 60
    assert [pieces.next(60, far) for _ in range(3)] == [1, 2, 3]
    assert not closed.wait(0.3) and made[0] < 200
    pieces.close()
    assert closed.wait(15)


def test_pieces_end_with_what_ended_them_and_an_answer_that_is_whole_in_time_is_one() -> None:
    def two() -> Generator[int, None, None]:
        yield 1
        yield 2

    def broken() -> Generator[int, None, None]:
        yield 1
        raise KeyError("gone")

    far = time.monotonic() + 60
    pieces = Pieces(two)
    assert [pieces.next(60, far), pieces.next(60, far)] == [1, 2]
    assert eventually(lambda: bool(pieces._ahead))
    assert pieces.next(60, time.monotonic() - 1) is END
    pieces = Pieces(broken)
    assert pieces.next(60, far) == 1 and isinstance(pieces.next(60, far), KeyError)


def test_a_run_that_is_cancelled_waits_for_no_piece() -> None:
    stop, wait = Event(), Event()

    def silent() -> Generator[int, None, None]:
        wait.wait(15)
        yield 1

    pieces = Pieces(silent)
    stop.set()
    with pytest.raises(Cancelled):
        pieces.next(60, time.monotonic() + 60, stop)
    pieces.close()
    wait.set()


class Met:
    def __init__(self, found: socket.socket) -> None:
        self.found = found

    def get_extra_info(self, _: str) -> socket.socket:
        return self.found


def test_only_connections_that_the_call_still_has_are_ended() -> None:
    pairs = [socket.socketpair() for _ in range(3)]
    (given_back, far), (held, _), (late, _) = pairs
    connection = Connection()
    connection.trace("connection.connect_tcp.complete", {"return_value": Met(given_back)})
    connection.trace("http11.response_closed.started", {})
    connection.met(Met(held))
    connection.close()
    connection.trace("connection.start_tls.complete", {"return_value": Met(late)})
    far.sendall(b"next")
    assert (given_back.recv(4), held.recv(4), late.recv(4)) == (b"next", b"", b"")
    for pair in pairs:
        for one in pair:
            one.close()
