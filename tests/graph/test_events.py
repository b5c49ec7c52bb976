"""A turn as its watcher is told of it: a closed set of events, and the answer's text while it is being written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Event as Flag
from typing import Any, get_args

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from people import REQUESTER, SUPERVISOR
from pydantic import Field
from scripted import ScriptedModel
from streamed import StreamedModel, whole

from signoff import Desk
from signoff.errors import ProviderUnavailable
from signoff.graph.turn import Event, EventType, Turn
from signoff.nodes.checks import check
from signoff.nodes.speech import Speech
from signoff.state import Status

Open = Callable[..., Desk]

LONG = {
    "en": "Returns are free of charge. Just send the goods back to us and keep the receipt with the parcel number. "
    "Please pack the goods well, so that nothing breaks on the way, and put your name and the number of the order "
    "into the parcel. We write to you as soon as it has arrived. You need not call us in between.",
    "zh": "您好,这个问题我来说明一下。请先把商品包好,避免在路上受损,并把您的姓名写在包裹里面。"
    "包裹寄出之后,请保留好快递的单据。我们收到之后会马上告诉您,期间您不需要再打电话过来询问。"
    "如果还有别的问题,随时可以继续问我,我会尽力帮您看一看。谢谢您的耐心等待。",
}
SMALL_TALK = {"en": "hello there", "zh": "你好呀"}


class CutModel(ScriptedModel):
    """Answers whole with what stands in its message, its metadata included."""

    lines: list[Any] = Field(default_factory=list)
    message: AIMessage

    def _stream(self, *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        metadata = self.message.response_metadata
        yield ChatGenerationChunk(message=AIMessageChunk(content=self.message.content, response_metadata=metadata))


def told(events: Iterable[Event | Turn]) -> tuple[list[Event], Turn]:
    found = list(events)
    assert isinstance(found[-1], Turn)
    return [e for e in found[:-1] if isinstance(e, Event)], found[-1]


def text(events: Iterable[Event]) -> str:
    """The answer, put together as a watcher puts it together."""
    written = ""
    for e in events:
        if e.type == "text_delta":
            assert 0 <= e.data["at"] <= len(written)
            written = written[: e.data["at"]] + e.data["text"]
    return written


def deltas(events: Iterable[Event]) -> list[tuple[int, str]]:
    return [(e.data["at"], e.data["text"]) for e in events if e.type == "text_delta"]


def pieces(words: str) -> list[Any]:
    return re.findall(r".{1,7}", words, re.DOTALL)


@pytest.mark.parametrize(
    "words",
    [
        "What is the status of order A1001?",
        "七天无理由退货怎么算",
        "你好",
        "Refund order A1003, it arrived broken",
        "xyzzy",
    ],
)
def test_the_types_are_closed_the_numbers_go_up_and_the_text_is_the_answer(desk: Desk, words: str) -> None:
    events, turn = told(desk.ask_events(words, caller=REQUESTER))
    assert {e.type for e in events} <= set(get_args(EventType))
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    assert [e.type for e in events].count("final") == 1 and events[-1].type == "final"
    waits = turn.status is Status.WAITING
    assert text(events) == ("" if waits else turn.answer)
    assert [e.type for e in events].count("approval_required") == len(turn.approvals if waits else ())
    begun = [e.data["call"] for e in events if e.type == "tool_start"]
    assert [s.call for s in turn.steps] == begun
    ended = [e.data["call"] for e in events if e.type == "tool_end"]
    assert ended == [s.call for s in turn.steps if s.outcome != "waiting"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_long_answer_is_told_while_it_is_still_being_written(open_desk: Open, lang: str) -> None:
    seen = Flag()
    waited: list[bool] = []
    middle = len(LONG[lang]) * 3 // 4
    model = StreamedModel(
        answers=[[*pieces(LONG[lang][:middle]), lambda: waited.append(seen.wait(20)), *pieces(LONG[lang][middle:])]]
    )
    events: list[Event] = []
    for e in open_desk(model=model).ask_events(SMALL_TALK[lang], caller=REQUESTER):
        if isinstance(e, Event):
            events.append(e)
            if e.type == "text_delta":
                seen.set()
    assert waited == [True]
    assert text(events) == LONG[lang] and len(deltas(events)) >= 3
    # Whole sentences, one behind the other.
    assert all(t.rstrip()[-1] in ".。" for _, t in deltas(events))
    assert [at for at, _ in deltas(events)] == sorted(at for at, _ in deltas(events))


def test_what_is_said_before_a_call_is_a_step_and_no_text(open_desk: Open) -> None:
    model = StreamedModel(
        answers=[
            ["Let me look that ", "up for you. ", whole(0, "query_order", order_id="A1001")],
            ["It was delivered."],
        ]
    )
    events, turn = told(open_desk(model=model).ask_events("Where is order A1001?", caller=REQUESTER))
    assert deltas(events) == [(0, turn.answer)]
    assert [e.data["tool"] for e in events if e.type == "tool_start"] == ["query_order"]


def test_a_long_word_before_a_call_is_taken_back(open_desk: Open) -> None:
    model = StreamedModel(
        answers=[[*pieces(LONG["en"]), whole(0, "query_order", order_id="A1001")], ["It was delivered."]]
    )
    events, turn = told(open_desk(model=model).ask_events("Where is order A1001?", caller=REQUESTER))
    assert (0, "") in deltas(events)
    assert text(events) == turn.answer == "It was delivered."


@pytest.mark.parametrize(
    "lie",
    ["The order A1001 has been refunded with 777.00 yuan.", "Your order costs 123,456.00 yuan in all."],
)
def test_no_sentence_is_told_that_a_check_finds_fault_with(open_desk: Open, lie: str) -> None:
    words = f"{LONG['en']} {lie} {LONG['en']}"
    model = StreamedModel(answers=[pieces(words)])
    events, turn = told(open_desk(model=model).ask_events("How do I send something back?", caller=REQUESTER))
    figures = re.findall(r"[\d,]+\.\d\d", lie)
    for _, t in deltas(events):
        assert not any(f in t for f in figures)
    assert text(events) == turn.answer and not any(f in turn.answer for f in figures)


def test_the_text_stays_within_its_turn_when_the_stream_breaks(open_desk: Open) -> None:
    model = StreamedModel(answers=[[*pieces(LONG["en"]), ConnectionError("gone")]])
    events, turn = told(
        open_desk(model=model, model_retries=0).ask_events("How do I send something back?", caller=REQUESTER)
    )
    assert turn.status is Status.FAILED
    assert text(events) == turn.answer and "You need not call us" not in turn.answer


def test_personal_data_is_told_to_the_owner_as_in_the_answer_and_to_programs_as_marks(desk: Desk) -> None:
    words = "Show my saved addresses, please: where is order A1006 going?"
    events, turn = told(desk.ask_events(words, caller=REQUESTER))
    assert text(events) == turn.answer
    events, turn = told(desk.ask_events(words, caller=REQUESTER, program=True))
    assert text(events) == turn.answer


def test_a_resumed_turn_is_told_in_the_same_way(desk: Desk) -> None:
    _, waiting = told(desk.ask_events("Refund order A1003, it arrived broken", caller=REQUESTER))
    desk.decide(waiting.approvals[0].id, "approve", by=SUPERVISOR)
    events, turn = told(desk.resume_events(waiting.thread))
    assert turn.status is Status.DONE and text(events) == turn.answer
    events, turn = told(desk.resume_events(waiting.thread))
    assert text(events) == turn.answer and [e.type for e in events] == ["text_delta", "final"]


def test_what_went_otherwise_than_asked_is_a_warning(open_desk: Open, home: Path) -> None:
    (home / "models.toml").write_text(
        '[models.first]\nmodel = "openai:none"\nbase_url = "http://127.0.0.1:9/v1"\n'
        'fallback = ["second"]\nretries = 0\n'
        '[models.second]\nmodel = "rehearsal"\n[roles]\nagent = "first"\n'
    )
    desk = open_desk(model="first")
    events, turn = told(desk.ask_events("What is the status of order A1001?", caller=REQUESTER))
    assert turn.status is Status.DONE
    warnings = [e.data["message"] for e in events if e.type == "warning"]
    assert warnings and all("fallback from first to second" in w for w in warnings)


def test_the_graph_itself_gives_the_text_to_those_who_stream_it(open_desk: Open) -> None:
    desk = open_desk(model=StreamedModel(answers=[pieces(LONG["en"])]))
    config: Any = {"configurable": {"thread_id": "raw"}}
    written = ""
    for said in desk.graph.stream(
        {"messages": [("user", "hello there")]}, config, context=REQUESTER, stream_mode="custom"
    ):
        assert said["type"] == "text_delta"
        written = written[: said["at"]] + said["text"]
    assert written and LONG["en"].startswith(written)


def test_whoever_stops_listening_leaves_a_thread_that_goes_on(open_desk: Open) -> None:
    model = StreamedModel(answers=[pieces(LONG["en"])])
    desk = open_desk(model=model)
    events: Iterator[Any] = desk.ask_events("hello there", caller=REQUESTER, thread="left")
    next(e for e in events if isinstance(e, Event) and e.type == "text_delta")
    events.close()  # type: ignore[attr-defined]
    turn = desk.resume("left")
    assert (turn.status, turn.answer) == (Status.DONE, LONG["en"])
    assert desk.ask("hello again", caller=REQUESTER, thread="left").status is Status.DONE


def test_a_provider_that_fails_before_it_says_anything_tells_one_sentence(open_desk: Open) -> None:
    desk = open_desk(model=ScriptedModel(lines=[ProviderUnavailable("It is down: try later.")]), model_retries=0)
    events, turn = told(desk.ask_events("hello there", caller=REQUESTER))
    assert turn.status is Status.FAILED and text(events) == turn.answer


def test_nothing_is_checked_in_between_where_nobody_watches(open_desk: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counting(answer: str, grounds: Any) -> list[Any]:
        judged.append(answer)
        return check(answer, grounds)

    monkeypatch.setattr("signoff.nodes.round.check", counting)
    desk = open_desk(model=StreamedModel(answers=[pieces(LONG["en"] * 4)]))
    asked = desk.ask("hello there", caller=REQUESTER)
    assert judged == []
    _, seen = told(desk.ask_events("hello there", caller=REQUESTER))
    # Each sentence once.
    assert 1 < len(judged) <= 20 and sum(map(len, judged)) <= len(seen.answer)
    assert asked.answer == seen.answer


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("Your new password is Abcdef!ghijk12345 and more. Yes.", "Your new password is Abcdef!ghijk12345 and more."),
        ("Version 3.11 costs 5.50 yuan. Next.", "Version 3.11 costs 5.50 yuan."),
        ("It takes 7 days [1]. Then it ends.", "It takes 7 days [1]."),
        ("It takes 7 days. [1] Then it ends.", "It takes 7 days. [1]"),
        ("需要七天。[1] 然后结束。", "需要七天。[1]"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |"),
        ("He said “no.” Then he left.", "He said “no.”"),
    ],
)
def test_a_sentence_ends_where_a_reader_would_say_so(written: str, first: str) -> None:
    for size in (1, 3, 1_000):
        shown: list[Any] = []
        heard: list[str] = []
        speech = Speech(shown.append, lambda text, heard=heard: heard.append(text) or text, last=True)
        for at in range(0, len(written), size):
            speech.add(written[at : at + size])
        assert " ".join(heard).startswith(first), (size, heard)
        if size < 1_000:
            assert heard[0] in (first, first.split(" [1]")[0]) or ("[1]" in first and " ".join(heard[:2]) == first)


@pytest.mark.parametrize("piece", ["\n", "x", "。", "a. ", "[1] ", "`"])
def test_a_long_answer_costs_no_more_a_piece_than_a_short_one(piece: str) -> None:
    judged: list[int] = []
    speech = Speech(lambda _: None, lambda text: judged.append(len(text)) or text, last=False)
    for _ in range(20_000):
        speech.add(piece)
    assert sum(judged) <= 20_000 * len(piece)


def test_an_answer_that_was_cut_off_ends_with_a_whole_sentence_and_says_so(open_desk: Open) -> None:
    cut = AIMessage("You can send it back. We pay for the par", response_metadata={"finish_reason": "length"})
    for lang, words in SMALL_TALK.items():
        turn = open_desk(model=CutModel(message=cut)).ask(words, caller=REQUESTER)
        assert turn.status is Status.DONE and turn.answer.startswith("You can send it back.\n")
        assert ("答案超出" if lang == "zh" else "ends here") in turn.answer
