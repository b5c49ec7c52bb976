from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from shelf import ACME, GLOBEX, opened, write

from signoff.knowledge import Passage
from signoff.knowledge.duplicates import merged

RULE = (
    "Bicycles are locked to the rail beside the north gate. The rail holds 40 bicycles. Whoever finds no place leaves "
    "the bicycle in the yard and tells the porter, who keeps a list of the owners and calls them when it rains."
)
REGEL = "自行车锁在北门旁的栏杆上,栏杆可以停 40 辆。没有位置的,停在院子里并告诉门卫,门卫登记车主并在下雨时通知。"


def passage(text: str, ident: str, **other: object) -> Passage:
    base = Passage(ident, f"doc-{ident}", f"Title {ident}", "", "f.md", "1", "en", True, text, 1.0)
    return replace(base, **other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (RULE, True),
        (RULE.upper(), True),
        (RULE.replace(". ", ".\n\n* "), True),
        (RULE.replace("the yard", "our yard"), True),
        (RULE.replace("40", "45"), False),
        (RULE.replace("are locked", "are not locked"), False),
        (RULE.replace("leaves", "must leave"), False),
        (RULE + " " + RULE[:90], False),
        (RULE[:100], False),
        ("Cars park below the house.", False),
    ],
)
def test_only_what_says_the_same_is_a_duplicate(other: str, same: bool) -> None:
    found = merged([passage(RULE, "a"), passage(other, "b")], 5)
    assert [p.id for p in found] == (["a"] if same else ["a", "b"])
    assert found[0].also == (("Title b",) if same else ())


def test_a_rule_in_two_languages_is_no_duplicate() -> None:
    assert len(merged([passage(REGEL, "a", language="zh"), passage(REGEL, "b", language="en")], 5)) == 2
    assert len(merged([passage(REGEL, "a", language="zh"), passage(REGEL, "b", language="zh")], 5)) == 1


def test_a_trusted_document_is_not_left_out_for_one_that_is_not() -> None:
    found = merged([passage(RULE, "web", trusted=False), passage(RULE, "own", score=0.5), passage(RULE, "third")], 5)
    assert [(p.id, p.trusted, p.score) for p in found] == [("own", True, 1.0)]
    assert found[0].also == ("Title web", "Title third")


def test_copies_within_a_document_are_joined_without_a_title() -> None:
    found = merged([passage(RULE, "a", document="d"), passage(RULE, "b", document="d")], 5)
    assert [p.id for p in found] == ["a"] and found[0].also == ()


def test_places_go_to_other_passages_and_copies_further_down_are_still_named() -> None:
    others = [passage(f"Rule number {w} is about {w}.", w) for w in ("trains", "ships")]
    found = merged([passage(RULE, "a"), passage(RULE, "b"), *others, passage(RULE, "c")], 2)
    assert [p.id for p in found] == ["a", "trains"] and found[0].also == ("Title b", "Title c")


def test_a_copy_that_the_caller_may_not_read_is_not_named(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "k.db")
    for folder, tenant, title in (("one", None, "Yard"), ("two", "globex", "Secret yard"), ("three", "acme", "Court")):
        write(tmp_path / folder, f"{folder}.md", f"# Bicycles\n\n{RULE}\n", title=title)
        knowledge.add(tmp_path / folder, tenant=tenant)
    (mine,) = knowledge.search(ACME, "where are bicycles locked")
    (theirs,) = knowledge.search(GLOBEX, "where are bicycles locked")
    assert {mine.title, *mine.also} == {"Yard", "Court"}
    assert {theirs.title, *theirs.also} == {"Yard", "Secret yard"}
    knowledge.close()
