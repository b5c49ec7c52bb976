"""The service desk's memory scenario through the real graph with the rehearsal model, in both languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from people import OTHER, REQUESTER, STRANGER

from signoff import Desk, Turn
from signoff.state import Status

Ask = Callable[..., Turn]


@pytest.fixture
def ask(desk: Desk) -> Ask:
    def one(question: str, thread: str | None = None) -> Turn:
        turn = desk.ask(question, caller=REQUESTER, thread=thread)
        assert turn.status is Status.DONE and not turn.approvals
        return turn

    return one


def done(turn: Turn) -> list[tuple[str, str]]:
    return [(s.tool, s.outcome) for s in turn.steps]


STORIES = [
    (
        "remember that I prefer email",
        "what did I ask you to remember?",
        "forget it",
        "I prefer email",
        "not asked me to remember anything",
    ),
    ("记住我喜欢用邮件联系", "我让你记住了什么", "忘掉我的联系方式偏好", "我喜欢用邮件联系", "还没有让我记住任何内容"),
    (
        "Please remember that I work from home on Fridays",
        "What do you remember about me?",
        "Forget everything you remember about me",
        "I work from home on Fridays",
        "not asked me to remember anything",
    ),
]


@pytest.mark.parametrize(("remember", "recall", "forget", "fact", "nothing"), STORIES)
def test_a_preference_is_remembered_told_and_forgotten_in_one_thread(
    remember: str, recall: str, forget: str, fact: str, nothing: str, ask: Ask, desk: Desk
) -> None:
    turn = ask(remember)
    assert done(turn) == [("remember", "ok")] and fact in turn.answer
    kept = desk.services.memory.recall(REQUESTER)[0]
    assert (kept.text, kept.source.thread, kept.confidence) == (fact, turn.thread, 1.0)
    told = ask(recall, turn.thread)
    assert done(told) == [("recall_memory", "ok")] and fact in told.answer and kept.id in told.answer
    gone = ask(forget, turn.thread)
    assert done(gone) == [("forget_memory", "ok")]
    assert desk.services.memory.recall(REQUESTER) == []
    assert nothing in ask(recall, turn.thread).answer


@pytest.mark.parametrize(("remember", "recall", "forget", "fact", "nothing"), STORIES)
def test_a_preference_is_remembered_told_and_forgotten_in_new_threads(
    remember: str, recall: str, forget: str, fact: str, nothing: str, ask: Ask, desk: Desk
) -> None:
    ask(remember)
    assert fact in ask(recall).answer
    turn = ask(forget)
    if forget == "forget it":
        # In a new thread these words say nothing of memory: which one is asked, and nothing is lost.
        assert done(turn) == [("forget_memory", "CONFLICT")] and fact in turn.answer
        assert [f.text for f in desk.services.memory.recall(REQUESTER)] == [fact]
        return
    assert done(turn) == [("forget_memory", "ok")]
    assert nothing in ask(recall).answer


@pytest.mark.parametrize(("recall", "forget"), [("what did I ask you to remember?", "forget it")])
def test_it_is_what_was_just_told(recall: str, forget: str, ask: Ask, desk: Desk) -> None:
    ask("remember that I prefer email")
    told = ask(recall)
    assert done(ask(forget, told.thread)) == [("forget_memory", "ok")]
    assert desk.services.memory.recall(REQUESTER) == []


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("remember that I prefer email", "remember that I prefer phone calls", "takes the place"),
        ("记住我喜欢用邮件联系", "记住以后打电话联系我", "取代"),
    ],
)
def test_a_newer_preference_supersedes_and_the_older_is_kept_for_the_audit(
    old: str, new: str, word: str, ask: Ask, desk: Desk
) -> None:
    ask(old)
    turn = ask(new)
    assert word in turn.answer
    newer, older = desk.services.memory.history(REQUESTER)
    assert (newer.supersedes, older.superseded_by) == (older.id, newer.id)
    assert older.text and older.text not in ask("what did I ask you to remember?").answer


@pytest.mark.parametrize(
    ("question", "secret", "word"),
    [
        ("remember my password is hunter22", "hunter22", "never kept"),
        ("Remember that my credit card is 4111 1111 1111 1111", "4111", "never kept"),
        ("记住我的身份证号是110101199001011234", "110101199001011234", "不会存入"),
        ("记住我的密码是abc12345", "abc12345", "不会存入"),
    ],
)
def test_a_secret_is_refused_in_a_clear_sentence(question: str, secret: str, word: str, ask: Ask, desk: Desk) -> None:
    turn = ask(question)
    assert word in turn.answer and secret not in turn.answer
    assert desk.services.memory.history(REQUESTER) == []


def test_another_person_and_the_same_name_in_another_company_see_nothing(ask: Ask, desk: Desk) -> None:
    ask("remember that I prefer email")
    for stranger in (OTHER, STRANGER):
        turn = desk.ask("what did I ask you to remember?", caller=stranger)
        assert done(turn) == [("recall_memory", "ok")]
        assert "email" not in turn.answer


def test_a_memory_outlives_its_thread_and_the_desk(ask: Ask, desk: Desk, open_desk: Callable[..., Desk]) -> None:
    turn = ask("remember that I prefer email")
    desk.delete(turn.thread, caller=REQUESTER)
    again = open_desk()
    assert "I prefer email" in again.ask("what did I ask you to remember?", caller=REQUESTER).answer
