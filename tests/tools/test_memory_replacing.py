"""`remember` through the gateway: contradictions of weight are asked about, and the person's yes replaces."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from people import OTHER, REQUESTER
from pydantic import ValidationError
from scripted import ScriptedModel, call

from signoff import Desk
from signoff.tools.catalog.memory import remember

Open = Callable[..., Desk]


def facts(desk: Desk) -> list[str]:
    return [f.text for f in desk.services.memory.recall(REQUESTER)]


def replacing(text: str) -> Callable[[Any], AIMessage]:
    """A model that was told the older fact's id and gives it back."""

    def line(messages: list[BaseMessage]) -> AIMessage:
        told = "".join(str(m.content) for m in messages if isinstance(m, ToolMessage))
        return call("remember", text=text, replaces=re.findall(r"mem-[0-9a-f]{8}", told)[-1])

    return line


@pytest.mark.parametrize(
    ("old", "new", "yes", "replaced"),
    [
        ("I live in Berlin", "I live in Hamburg", "yes, replace it", "It takes the place of what you said before"),
        ("审批人是李四", "审批人是王五", "是的,替换", "它取代了你以前说的「审批人是李四」"),
    ],
)
def test_it_is_asked_first_and_replaced_after_the_yes(
    old: str, new: str, yes: str, replaced: str, open_desk: Open
) -> None:
    lead = "remember that " if new.isascii() else "记住"
    desk = open_desk(
        model=ScriptedModel(
            lines=[
                call("remember", text=old),
                "Ok.",
                call("remember", text=new),
                "Replace it?",
                replacing(new),
                "Done.",
            ]
        )
    )
    desk.ask(lead + old, caller=REQUESTER)
    turn = desk.ask(lead + new, caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["CONFLICT"] and old in turn.steps[0].summary
    assert facts(desk) == [old]
    turn = desk.ask(yes, caller=REQUESTER, thread=turn.thread)
    assert [s.outcome for s in turn.steps] == ["ok"]
    assert replaced in turn.steps[0].summary
    assert facts(desk) == [new]
    assert [f.text for f in desk.services.memory.history(REQUESTER)] == [new, old]


def test_a_model_that_replaces_without_the_persons_word_is_refused(open_desk: Open) -> None:
    desk = open_desk(
        model=ScriptedModel(
            lines=[
                call("remember", text="I live in Berlin"),
                "Ok.",
                call("remember", text="I live in Hamburg"),
                replacing("I live in Hamburg"),
                "It was not done.",
            ]
        )
    )
    desk.ask("remember that I live in Berlin", caller=REQUESTER)
    turn = desk.ask("remember that I live in Hamburg", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["CONFLICT", "CONFLICT"]
    assert facts(desk) == ["I live in Berlin"]


def test_somebody_elses_fact_cannot_be_replaced(open_desk: Open) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("remember", text="I live in Berlin"), "Ok."]))
    desk.ask("remember that I live in Berlin", caller=REQUESTER)
    (fact,) = desk.services.memory.recall(REQUESTER)
    other = open_desk(model=ScriptedModel(lines=[call("remember", text="I live in Rome", replaces=fact.id), "Ok."]))
    turn = other.ask("remember that I live in Rome, replace the old one", caller=OTHER)
    assert [s.outcome for s in turn.steps] == ["NOT_FOUND"]
    assert facts(desk) == ["I live in Berlin"]


def test_replaces_has_the_form_of_a_memorys_id() -> None:
    assert remember.identifiers == frozenset()
    given = remember.args.model_validate({"text": "I like tea", "replaces": " #MEM-0A1B2C3D"}).model_dump()
    assert given["replaces"] == "mem-0a1b2c3d"
    with pytest.raises(ValidationError):
        remember.args.model_validate({"text": "I like tea", "replaces": "everything"})


@pytest.mark.parametrize(
    ("words", "text", "outcome"),
    [
        ("记一下,我周三下午不在", "我周三下午不在", "ok"),
        ("以后记得用邮件联系我", "用邮件联系我", "ok"),
        ("keep in mind that I sit on floor 5", "I sit on floor 5", "ok"),
        ("please don't forget I work nights", "I work nights", "ok"),
        ("do you remember that I sit on floor 5?", "I sit on floor 5", "INVALID_ARGUMENTS"),
        ("don't remember that I sit on floor 5", "I sit on floor 5", "INVALID_ARGUMENTS"),
        ("你还记得我坐五楼吗", "我坐五楼", "INVALID_ARGUMENTS"),
        ("别记我坐五楼", "我坐五楼", "INVALID_ARGUMENTS"),
        ("The printer on floor 5 is down", "printer on floor 5 is down", "INVALID_ARGUMENTS"),
    ],
)
def test_it_is_remembered_only_when_the_words_ask_for_it(words: str, text: str, outcome: str, open_desk: Open) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("remember", text=text), "So it is."]))
    assert [s.outcome for s in desk.ask(words, caller=REQUESTER).steps] == [outcome]
    assert bool(facts(desk)) == (outcome == "ok")
