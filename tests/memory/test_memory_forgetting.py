"""Forgetting: the one that is meant and no other, completely, and only when it is clear which."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from memories import ME, NOW, Called, Person, one_person

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import StoreError, ToolError
from signoff.memory import Memory, State

person = pytest.fixture(one_person)


@pytest.mark.parametrize(
    ("what", "gone"),
    [
        ("联系方式偏好", "I prefer email"),
        ("my contact preference", "I prefer email"),
        ("that I prefer email", "I prefer email"),
        ("the thing about my office", "my office is on floor 5"),
        ("我的午饭时间", "我十二点吃午饭"),
    ],
)
def test_forgetting_finds_the_one_that_is_meant(what: str, gone: str, person: Person) -> None:
    for words in ("I prefer email", "my office is on floor 5", "我十二点吃午饭"):
        person.says(words)
    before = person.texts()
    person.forgets(what)
    assert person.texts() == [t for t in before if t != gone]


def test_a_fact_is_forgotten_by_its_id_however_that_is_written(person: Person) -> None:
    fact = person.says("I prefer email")
    person.says("my office is on floor 5")
    assert person.forgets(f" {fact.id.upper()} ")[0].id == fact.id
    assert person.texts() == ["my office is on floor 5"]
    with pytest.raises(ToolError) as refused:
        person.forgets(fact.id)
    assert refused.value.code == "NOT_FOUND"


@pytest.mark.parametrize("what", ["everything", "Forget all of it", "全部", "把你记住的都忘掉", "清空所有记忆"])
def test_everything_is_forgotten_when_everything_is_said(what: str, person: Person) -> None:
    person.says("I prefer email")
    person.says("my office is on floor 5")
    assert len(person.forgets(what, said=(what,))) == 2
    assert person.texts() == []


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("tea", ()),
        ("my shoe size", ()),
        ("我的鞋码", ()),
        ("", ("forget it", "where is my order?")),
        ("", ("忘了吧", "订单到哪了")),
        # A model that makes everything out of a smaller wish is not followed.
        ("everything", ("forget that I like green tea",)),
        ("全部", ("别记了",)),
    ],
)
def test_nothing_is_forgotten_when_it_is_not_clear_what(what: str, said: tuple[str, ...], person: Person) -> None:
    person.says("I like green tea")
    person.says("I like black tea")
    with pytest.raises(ToolError) as refused:
        person.forgets(what, said=said)
    assert refused.value.code == "CONFLICT"
    assert "I like green tea" in refused.value.message and "I like black tea" in refused.value.message_zh
    assert len(person.texts()) == 2


def test_it_is_what_was_just_remembered_in_this_thread(person: Person) -> None:
    person.says("my office is on floor 5", call=Called("th-old", "1"))
    person.says("I prefer email", call=Called("th-new", "2"))
    person.forgets("", said=("forget it", "remember that I prefer email"), call=Called("th-new", "3"))
    assert person.texts() == ["my office is on floor 5"]


def test_it_is_the_only_fact_when_memory_was_just_spoken_of(person: Person) -> None:
    person.says("I prefer email", call=Called("th-old", "1"))
    with pytest.raises(ToolError, match="not clear"):
        person.forgets("", said=("forget it", "where is my order?"), call=Called("th-new", "2"))
    person.forgets("it", said=("forget it", "what did I ask you to remember?"), call=Called("th-new", "3"))
    assert person.texts() == []


def test_nothing_to_forget_is_said_so(person: Person) -> None:
    with pytest.raises(ToolError) as refused:
        person.forgets("everything", said=("forget everything",))
    assert refused.value.code == "NOT_FOUND"


@pytest.mark.parametrize(("old", "new"), [("I prefer zebrafax", "I prefer email"), ("叫我斑马先生", "叫我小王")])
def test_forgetting_deletes_the_content_from_the_file_with_what_it_superseded(
    old: str, new: str, person: Person
) -> None:
    person.says("my office is on floor 5")
    first = person.says(old)
    second = person.says(new)
    # Also when the older was not taken to be the same subject, each is deleted when it is asked for.
    gone = person.forgets(second.id)
    if second.supersedes is None:
        gone += person.forgets(first.id)
    for fact in person.memory.history(ME)[:2]:
        assert (fact.text, fact.source.words, fact.state(NOW)) == ("", "", State.FORGOTTEN)
        assert fact.forgotten_by and fact.created == NOW
    for text in (old, new):
        assert text.encode() not in person.bytes()
    assert b"my office is on floor 5" in person.bytes()
    assert {f.id for f in gone} <= {first.id, second.id}


def test_the_export_is_json_and_holds_everything_and_delete_all_leaves_nothing(person: Person) -> None:
    person.says("I prefer email")
    person.says("I prefer phone")
    person.says("叫我小王")
    person.forgets("我的称呼")
    exported = json.loads(json.dumps(person.memory.export(ME)))
    assert [(e["text"], e["state"]) for e in exported] == [
        ("", "forgotten"),
        ("I prefer phone", "current"),
        ("I prefer email", "superseded"),
    ]
    assert exported[1]["source"] == {"thread": "th-1", "call": "call-2", "words": "I prefer phone"}
    assert person.memory.delete_all(ME) == 3
    assert person.memory.export(ME) == [] and person.memory.delete_all(ME) == 0
    for word in (b"prefer", b"mem-", b"th-1"):
        assert word not in person.bytes()


def test_deletion_leaves_no_byte_whatever_was_kept_changed_and_forgotten_before(person: Person) -> None:
    for n in range(80):
        person.says(f"shelf {n} holds zebrafax number {n} {'and so on ' * (n % 20)}")
        if n % 3 == 0:
            person.says(f"I prefer {('email', 'phone', 'wechat')[n % 9 // 3]}")
        if n % 7 == 0:
            person.forgets(f"shelf {n} holds zebrafax number {n}")
    other = Person(person.path, Caller("acme", "u-42"))
    try:
        other.says("my office is on floor 5")
        person.memory.delete_all(ME)
        for word in (b"zebrafax", b"shelf", b"prefer", b"th-1/"):
            assert word not in person.bytes()
        assert other.texts() == ["my office is on floor 5"]
    finally:
        other.memory.close()


def test_deletion_that_another_process_holds_up_says_so_and_is_completed_by_the_next(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db", Clock(fixed=NOW), busy_timeout_s=0.1)
    try:
        memory.remember(ME, "I prefer zebrafax", source=["I prefer zebrafax"], call=Called())
        with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM store").fetchall()
            with pytest.raises(StoreError, match="delete again"):
                memory.delete_all(ME)
            assert memory.history(ME) == []
            reader.execute("COMMIT")
        assert memory.delete_all(ME) == 0
        assert not any(b"zebrafax" in p.read_bytes() for p in tmp_path.glob("memory.db*"))
    finally:
        memory.close()
