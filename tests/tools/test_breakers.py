"""A source that keeps failing is left alone, then one call at a time finds out whether it is back."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from signoff.tools.breakers import Breakers

WHO = ("query_order", "acme")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breakers(clock: Clock) -> Breakers:
    return Breakers(threshold=3, open_s=30.0, clock=clock)


def opened(breakers: Breakers) -> None:
    for _ in range(3):
        assert breakers.check(*WHO) is None
        breakers.failed(*WHO)


def test_it_opens_at_the_threshold_and_says_how_long(breakers: Breakers, clock: Clock) -> None:
    opened(breakers)
    assert breakers.state(*WHO) == "open"
    assert breakers.check(*WHO) == 30.0
    clock.now += 12
    assert breakers.check(*WHO) == 18.0


def test_only_failures_in_a_row_count(breakers: Breakers) -> None:
    for _ in range(10):
        breakers.failed(*WHO)
        breakers.failed(*WHO)
        breakers.succeeded(*WHO)
    assert breakers.state(*WHO) == "closed"
    assert breakers.report() == []


def test_a_tool_and_a_tenant_have_each_a_breaker_of_their_own(breakers: Breakers) -> None:
    opened(breakers)
    assert breakers.check("query_order", "globex") is None
    assert breakers.check("query_logistics", "acme") is None


def test_half_open_lets_exactly_one_call_through(breakers: Breakers, clock: Clock) -> None:
    opened(breakers)
    clock.now += 30
    assert breakers.state(*WHO) == "half_open"
    assert breakers.check(*WHO) is None
    assert breakers.check(*WHO) == 30.0
    breakers.succeeded(*WHO)
    assert breakers.state(*WHO) == "closed"
    assert breakers.check(*WHO) is None


def test_a_failed_probe_opens_it_again_for_the_whole_time(breakers: Breakers, clock: Clock) -> None:
    opened(breakers)
    clock.now += 31
    assert breakers.check(*WHO) is None
    clock.now += 5
    breakers.failed(*WHO)
    assert breakers.state(*WHO) == "open"
    assert breakers.check(*WHO) == 30.0


def test_a_probe_that_never_reports_does_not_wedge_it(breakers: Breakers, clock: Clock) -> None:
    opened(breakers)
    clock.now += 30
    assert breakers.check(*WHO) is None
    clock.now += 29
    assert breakers.check(*WHO) == 1.0
    clock.now += 1
    assert breakers.check(*WHO) is None
    assert breakers.check(*WHO) == 30.0


def test_late_reports_of_calls_from_before_neither_close_nor_prolong_it(breakers: Breakers, clock: Clock) -> None:
    opened(breakers)
    clock.now += 10
    breakers.succeeded(*WHO)
    breakers.failed(*WHO)
    assert breakers.check(*WHO) == 20.0


def test_of_many_threads_one_is_the_probe(breakers: Breakers, clock: Clock) -> None:
    opened(breakers)
    clock.now += 30
    start = threading.Barrier(16)
    said: list[float | None] = []

    def ask() -> None:
        start.wait()
        said.append(breakers.check(*WHO))

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said.count(None) == 1
    assert len(said) == 16


def test_failures_of_many_threads_are_all_counted() -> None:
    breakers = Breakers(threshold=801, clock=Clock())
    threads = [
        threading.Thread(target=lambda: [breakers.failed(*WHO) for _ in range(100)], daemon=True) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert breakers.state(*WHO) == "closed"
    breakers.failed(*WHO)
    assert breakers.state(*WHO) == "open"


def test_the_report_names_each_breaker_that_saw_failures(breakers: Breakers) -> None:
    breakers.failed("z_tool", "acme")
    opened(breakers)
    first, second = breakers.report()
    assert (first.tool, first.tenant, first.state, first.failures, first.left_s) == (*WHO, "open", 3, 30.0)
    assert (second.tool, second.state, second.failures, second.left_s) == ("z_tool", "closed", 1, 0.0)


def test_memory_is_bounded_and_open_breakers_are_forgotten_last(clock: Clock) -> None:
    breakers = Breakers(threshold=3, clock=clock, limit=50)
    opened(breakers)
    for i in range(500):
        breakers.failed(f"tool_{i}", "acme")
    assert len(breakers.report()) == 50
    assert breakers.state(*WHO) == "open"
    assert breakers.state("tool_499", "acme") == "closed"
    assert any(r.tool == "tool_499" for r in breakers.report())


@given(st.lists(st.sampled_from(["check", "ok", "bad", "wait"]), max_size=60), st.integers(-2, 4))
def test_however_it_was_used_it_lets_a_call_through_in_the_end(steps: list[str], threshold: int) -> None:
    clock = Clock()
    breakers = Breakers(threshold=threshold, open_s=10.0, clock=clock)
    for step in steps:
        match step:
            case "check":
                breakers.check(*WHO)
            case "ok":
                breakers.succeeded(*WHO)
            case "bad":
                breakers.failed(*WHO)
            case _:
                clock.now += 4
    left = breakers.check(*WHO)
    if left is not None:
        assert 0 < left <= 10.0
        clock.now += left
        assert breakers.check(*WHO) is None
    breakers.succeeded(*WHO)
    assert breakers.state(*WHO) == "closed"


class Overlapping(RuleBasedStateMachine):
    """Calls that overlap: while the breaker is half-open, no two of them are under way within one lease."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.breakers = Breakers(threshold=2, open_s=10.0, clock=self.clock)
        self.probes: list[float] = []

    @rule(seconds=st.sampled_from([1.0, 5.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule()
    def call(self) -> None:
        probing = self.breakers.state(*WHO) == "half_open"
        if self.breakers.check(*WHO) is None and probing:
            self.probes.append(self.clock.now)

    @rule(ok=st.booleans())
    def report(self, ok: bool) -> None:
        (self.breakers.succeeded if ok else self.breakers.failed)(*WHO)
        self.probes.clear()

    @invariant()
    def one_probe_a_lease(self) -> None:
        assert all(later - earlier >= 10.0 for earlier, later in zip(self.probes, self.probes[1:], strict=False))


TestOverlapping = Overlapping.TestCase
