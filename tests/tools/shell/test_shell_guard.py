"""The classifier, the counted denials and the breaker."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.tools.shell import Breaker, Cached, Denials, Guard, Kind, Verdict
from signoff.tools.shell.classifier import Label


class Opinions:
    """A classifier that keeps what it was asked."""

    def __init__(self, label: Label | str | Exception) -> None:
        self.label = label
        self.asked: list[str] = []

    def __call__(self, command: str) -> Label:
        self.asked.append(command)
        if isinstance(self.label, Exception):
            raise self.label
        return self.label  # type: ignore[return-value]


def review(guard: Guard, command: str, *, thread: str = "t", call: str = "c", sandboxed: bool = True) -> Verdict:
    return guard.review(command, tenant="acme", thread=thread, call=call, sandboxed=sandboxed)


@pytest.mark.parametrize(
    ("label", "decision"),
    [("read", "allow"), ("write", "ask"), ("unsure", "ask"), ("yes", "ask"), (RuntimeError("down"), "ask")],
)
def test_the_classifier_decides_about_unknown_programs(label: Label | Exception, decision: str) -> None:
    opinions = Opinions(label)
    assert review(Guard(classifier=opinions), "eza --tree").decision == decision
    assert opinions.asked == ["eza --tree"]


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "curl http://x",
        "eza; rm x",
        "eza > f",
        "eza $HOME",
        "cat ../x",
        "eza ~/.ssh/id_rsa",
        "rm -rf /",
        "eza &",
    ],
)
def test_the_classifier_is_not_asked_where_the_rules_know(command: str) -> None:
    opinions = Opinions("read")
    assert review(Guard(classifier=opinions), command).decision != "allow"
    assert opinions.asked == []


def test_the_classifier_is_not_trusted_without_a_sandbox() -> None:
    opinions = Opinions("read")
    assert review(Guard(classifier=opinions), "eza", sandboxed=False).decision == "ask"
    assert opinions.asked == []


def test_answers_are_remembered_up_to_a_bound_and_failures_are_not() -> None:
    opinions = Opinions("read")
    cached = Cached(opinions, entries=2)
    for command in ("a", "a", "b", "a", "c", "a", "b"):
        assert cached(command) == "read"
    assert opinions.asked == ["a", "b", "c", "b"]
    broken = Opinions(ValueError())
    cached = Cached(broken)
    assert [cached("a"), cached("a")] == ["unsure", "unsure"]
    assert broken.asked == ["a", "a"]


def test_three_denials_of_a_kind_close_it_for_the_thread() -> None:
    guard = Guard()
    assert review(guard, "cat .env", call="0").decision == "ask"
    for i in range(3):
        assert review(guard, "cat /etc/shadow", call=f"c{i}").kind is Kind.SECRET
    closed = review(guard, "cat .env", call="c4")
    assert closed.decision == "deny" and any("3 commands of this kind" in r for r in closed.reasons)
    assert review(guard, "mkdir x", call="c5").decision == "ask"
    assert review(guard, "ls", call="c6").decision == "allow"
    assert review(guard, "cat .env", thread="other").decision == "ask"
    assert guard.review("cat .env", tenant="globex", thread="t", call="c").decision == "ask"


def test_one_call_that_is_judged_often_counts_once() -> None:
    guard = Guard()
    for _ in range(5):
        review(guard, "cat /etc/shadow", call="same")
    assert review(guard, "cat .env", call="next").decision == "ask"


def test_the_oldest_threads_are_forgotten() -> None:
    denials = Denials(limit=1, threads=2)
    for thread in "abc":
        denials.record("acme", thread, Kind.WRITE, "c")
    assert [bool(denials.closed("acme", t)) for t in "abc"] == [False, True, True]


class Hands:
    """A clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_breaker_opens_after_failures_in_a_row_and_lets_one_try_after_its_rest() -> None:
    clock = Hands()
    breaker = Breaker(failures=3, window_s=10, rest_s=60, monotonic=clock)
    for _ in range(2):
        breaker.failed("acme")
    assert breaker.waiting_s("acme") == 0
    breaker.worked("acme")
    for _ in range(3):
        breaker.failed("acme")
    assert breaker.waiting_s("acme") == 60 and breaker.waiting_s("globex") == 0
    clock.now = 61
    assert breaker.waiting_s("acme") == 0
    assert breaker.waiting_s("acme") > 0, "only one command tries"
    breaker.failed("acme")
    assert breaker.waiting_s("acme") == 60
    clock.now = 200
    assert breaker.waiting_s("acme") == 0
    breaker.worked("acme")
    assert breaker.waiting_s("acme") == 0 and breaker.waiting_s("acme") == 0


def test_failures_far_apart_do_not_open_the_breaker() -> None:
    clock = Hands()
    breaker = Breaker(failures=2, window_s=10, rest_s=60, monotonic=clock)
    breaker.failed("acme")
    clock.now = 11
    breaker.failed("acme")
    assert breaker.waiting_s("acme") == 0


def test_the_workspace_is_given_to_the_rules(tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to("/etc/hosts")
    guard = Guard()
    assert guard.review("cat l", tenant="a", thread="t", call="c", root=tmp_path).decision == "ask"
