"""What of memory enters a prompt: standing rules always, the rest when the words are about it, one's own only."""

from __future__ import annotations

from datetime import timedelta

import pytest
from memories import ME, Person, one_person

from signoff.caller import Caller

person = pytest.fixture(one_person)

FACTS = (
    "I prefer email",
    "my office is on floor 5",
    "I work from home on Fridays",
    "I like green tea",
    "order A1003 is a gift",
    "my shipping address is 5 Elm Street",
    "我十二点吃午饭",
)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Where is order A1001?", []),
        ("订单 A1001 什么状态?", []),
        ("What is the status of A1003?", ["order A1003 is a gift"]),
        ("the printer in my office is broken", ["my office is on floor 5"]),
        ("How will you contact me?", ["I prefer email"]),
        ("你们会怎么联系我", ["I prefer email"]),
        ("change the address of A1002", ["my shipping address is 5 Elm Street"]),
        ("寄到哪里", ["my shipping address is 5 Elm Street"]),
        ("can we meet for lunch", ["我十二点吃午饭"]),
        ("Do you come on Fridays?", ["I work from home on Fridays"]),
        ("会议室投影仪坏了", []),
        ("hello", []),
        ("what do you remember?", []),
        ("", []),
    ],
)
def test_facts_come_in_when_the_words_are_about_them(words: str, found: list[str], person: Person) -> None:
    for text in FACTS:
        person.says(text)
    assert [f.text for f in person.memory.relevant(ME, words)] == found


@pytest.mark.parametrize(
    ("text", "kind", "standing"),
    [
        ("always answer in English", "procedural", True),
        ("always answer in English", "semantic", True),
        ("以后都用中文回答我", "semantic", True),
        ("以后都用中文回答我", "procedural", True),
        ("call me Bob", "semantic", True),
        ("叫我小王", "procedural", True),
        ("I like short answers", "semantic", True),
        ("use metric units", "procedural", True),
        ("always ask me before you refund", "procedural", True),
        ("use the SF courier when I order shoes", "procedural", False),
        ("退款时先问我", "procedural", False),
        ("I always work from home", "semantic", False),
        ("I prefer email", "semantic", False),
        ("I once got a broken lamp", "episodic", False),
    ],
)
def test_a_standing_rule_comes_in_whatever_is_asked(text: str, kind: str, standing: bool, person: Person) -> None:
    person.says(text, kind=kind)
    assert [f.text for f in person.memory.relevant(ME, "Where is my parcel?")] == ([text] if standing else [])


def test_rules_come_first_and_never_give_way_to_the_limit(person: Person) -> None:
    for n in range(6):
        person.says(f"shelf {n} is at the lamp warehouse")
    person.says("always answer in English", kind="procedural")
    found = [f.text for f in person.memory.relevant(ME, "where is the lamp warehouse", limit=3)]
    assert found[0] == "always answer in English" and len(found) == 3
    assert [f.text for f in person.memory.relevant(ME, "lamp warehouse", limit=0)] == ["always answer in English"]


def test_what_was_superseded_forgotten_or_has_expired_stays_out(person: Person) -> None:
    person.says("always answer in English", kind="procedural")
    person.says("from now on answer in Chinese", kind="procedural")
    person.says("this week answer me with bullet points", kind="procedural")
    assert len(person.memory.relevant(ME, "hello")) == 2
    person.later(timedelta(days=10))
    assert [f.text for f in person.memory.relevant(ME, "hello")] == ["from now on answer in Chinese"]
    person.forgets("answer in Chinese")
    assert person.memory.relevant(ME, "hello") == []


@pytest.mark.parametrize(
    "other", [Caller("acme", "u-42"), Caller("globex", "u-17"), Caller("acme", "s-02", {"supervisor"})]
)
def test_nobody_elses_memory_enters_a_prompt(other: Caller, person: Person) -> None:
    person.says("always answer in English", kind="procedural")
    person.says("my office is on floor 5")
    assert person.memory.relevant(other, "my office") == []
    assert len(person.memory.relevant(ME, "my office")) == 2
