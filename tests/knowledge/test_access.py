from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from shelf import ACME, GLOBEX, HR, opened, write

from signoff.caller import Caller
from signoff.errors import NotFound, UsageError
from signoff.knowledge import Knowledge, sample_folder

SECRET = "zebracode"


def seen(knowledge: Knowledge, caller: Caller) -> set[str]:
    return {d.source for d in knowledge.documents(caller)}


def ids(knowledge: Knowledge, *callers: Caller) -> dict[str, str]:
    """Passage ids by source, as those who may read them find them."""
    return {p.source: p.id for c in callers for p in knowledge.search(c, SECRET, limit=50)}


DOCUMENTS: dict[str, dict[str, str]] = {
    "all": {},
    "acme": {"tenant": "acme"},
    "globex": {"tenant": "globex"},
    "hr": {"roles": "[hr]"},
    "acme-hr": {"tenant": "acme", "roles": "hr, legal"},
    "mine": {"tenant": "acme", "owner": "u-17"},
    "old": {"key": "rule", "version": "1"},
    "new": {"key": "rule", "version": "2"},
    "expired": {"valid_to": "2026-10-30"},
    "last-day": {"valid_to": "2026-10-31"},
    "upcoming": {"valid_from": "2026-11-01"},
}


@pytest.fixture
def shelf(tmp_path: Path) -> Knowledge:
    docs = tmp_path / "docs"
    for name, front in DOCUMENTS.items():
        # Words of their own, so that none is taken for another's duplicate.
        own = " ".join(f"{name}{word}" for word in ("apple", "boat", "chair", "door", "earth", "flute"))
        write(docs, f"{name}.md", f"# {SECRET}\n\nThe {SECRET} is {own}.\n", **front)
    knowledge = opened(tmp_path / "knowledge.db")
    assert not knowledge.add(docs).skipped
    return knowledge


FOUND = {
    ACME: {"all.md", "acme.md", "mine.md", "new.md", "last-day.md"},
    GLOBEX: {"all.md", "globex.md", "new.md", "last-day.md"},
    HR: {"all.md", "acme.md", "hr.md", "acme-hr.md", "new.md", "last-day.md"},
    Caller("globex", "h", frozenset({"hr"})): {"all.md", "globex.md", "hr.md", "new.md", "last-day.md"},
    Caller("acme", "l", frozenset({"legal"})): {"all.md", "acme.md", "acme-hr.md", "new.md", "last-day.md"},
    Caller("acme", "u-42"): {"all.md", "acme.md", "new.md", "last-day.md"},
    Caller("elsewhere", "u"): {"all.md", "new.md", "last-day.md"},
}


@pytest.mark.parametrize("caller", FOUND, ids=lambda c: f"{c.name}:{','.join(sorted(c.roles))}")
def test_a_caller_finds_and_reads_only_what_is_theirs_and_in_force(shelf: Knowledge, caller: Caller) -> None:
    everything = ids(shelf, *FOUND)
    assert {p.source for p in shelf.search(caller, SECRET, limit=50)} == FOUND[caller]
    assert {s for s, i in everything.items() if shelf.passage(caller, i)} == FOUND[caller]


@pytest.mark.parametrize("caller", FOUND, ids=lambda c: f"{c.name}:{','.join(sorted(c.roles))}")
def test_the_list_holds_no_document_of_others(shelf: Knowledge, caller: Caller) -> None:
    dormant = {"old.md", "expired.md", "upcoming.md"}
    assert seen(shelf, caller) == FOUND[caller] | dormant
    status = {d.source: d.status for d in shelf.documents(caller)}
    assert (status["old.md"], status["expired.md"], status["upcoming.md"]) == ("superseded", "expired", "upcoming")
    assert set(status.values()) == {"current", "superseded", "expired", "upcoming"}


@pytest.mark.parametrize("caller", FOUND, ids=lambda c: f"{c.name}:{','.join(sorted(c.roles))}")
def test_statistics_and_citations_know_nothing_of_what_is_hidden(shelf: Knowledge, caller: Caller) -> None:
    counts = shelf.stats(caller).counts
    assert counts.documents == len(shelf.documents(caller)) == len(FOUND[caller]) + 3
    assert sum(counts.languages.values()) == len(FOUND[caller])
    assert counts.bytes == 0
    for source, ident in ids(shelf, *FOUND).items():
        for citation in (ident, ident[:-4]):
            if source in FOUND[caller]:
                assert shelf.show(caller, citation).passage.id == ident
            else:
                with pytest.raises(NotFound) as hidden:
                    shelf.show(caller, citation)
                with pytest.raises(NotFound) as missing:
                    shelf.show(caller, "no-such-passage")
                assert str(hidden.value).replace(citation, "*") == str(missing.value).replace("no-such-passage", "*")


def test_a_beginning_is_ambiguous_only_among_what_the_caller_reads(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    write(tmp_path / "docs", "handbook.md", f"# Rule\n\n{SECRET} ours.\n", tenant="acme")
    write(tmp_path / "more", "handbook.md", f"# Rule\n\n{SECRET} theirs.\n", tenant="globex")
    for folder in ("docs", "more"):
        knowledge.add(tmp_path / folder)
    assert knowledge.show(ACME, "handbook").passage.text.endswith("ours.")
    assert knowledge.show(GLOBEX, "handbook").passage.text.endswith("theirs.")
    write(tmp_path / "docs", "handbook.md", f"# Rule\n\n{SECRET} one.\n\n# Other\n\nTwo.\n", tenant="acme")
    knowledge.add(tmp_path / "docs")
    with pytest.raises(UsageError, match="beginning of several passages"):
        knowledge.show(ACME, "handbook")
    with pytest.raises(NotFound):
        knowledge.show(ACME, "han")
    knowledge.close()


def test_questions_without_an_answer_are_told_to_their_own_tenant(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    for _ in range(2):
        knowledge.note_unanswered(ACME, "Is  there a pool?\nCall 13812345678")
    knowledge.note_unanswered(GLOBEX, "谁管仓库")
    knowledge.note_unanswered(GLOBEX, "  ")
    assert [(u.question, u.times) for u in knowledge.stats(ACME).unanswered] == [("Is there a pool? Call [phone]", 2)]
    assert [u.question for u in knowledge.stats(GLOBEX).unanswered] == ["谁管仓库"]
    assert len(knowledge.stats(ACME, operator=True).unanswered) == 2
    knowledge.close()


def test_a_passage_of_others_looks_like_one_that_does_not_exist(shelf: Knowledge) -> None:
    hidden = ids(shelf, GLOBEX)["globex.md"]
    assert shelf.passage(ACME, hidden) is shelf.passage(ACME, "no-such-passage") is None


def test_a_caller_named_like_every_tenant_reads_no_more(shelf: Knowledge) -> None:
    with pytest.raises(Exception, match="not a tenant name"):
        Caller("*", "u")
    with pytest.raises(Exception, match="not a tenant name"):
        Caller("%", "u")
    assert shelf.search(Caller("ACME", "u"), SECRET, limit=50) == shelf.search(Caller("none", "u"), SECRET, limit=50)


def test_a_version_is_in_force_from_its_day_and_the_older_until_then(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(docs, "a.md", f"# Rule\n\n{SECRET} ten.\n", key="rule", version="1.9")
    write(docs, "b.md", f"# Rule\n\n{SECRET} twelve.\n", key="rule", version="1.10", valid_from="2026-11-02")
    for day, source in (("2026-11-01", "a.md"), ("2026-11-02", "b.md")):
        knowledge = opened(tmp_path / "knowledge.db", now=datetime.fromisoformat(f"{day}T12:00+08:00"))
        knowledge.add(docs)
        assert [p.source for p in knowledge.search(ACME, SECRET)] == [source]
        knowledge.close()


def test_a_newer_version_for_others_only_leaves_the_older_in_force_for_the_rest(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(docs, "a.md", f"# Rule\n\n{SECRET}\n", key="rule", version="1")
    write(docs, "b.md", f"# Rule\n\n{SECRET}\n", key="rule", version="2", roles="hr")
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(docs)
    assert [p.source for p in knowledge.search(ACME, SECRET)] == ["a.md"]
    assert [p.source for p in knowledge.search(HR, SECRET)] == ["b.md"]
    knowledge.close()


@pytest.mark.parametrize(
    ("front", "added", "who"),
    [
        ({}, {"tenant": "acme"}, {"acme"}),
        ({}, {"tenant": "*"}, {"acme", "globex", "hr"}),
        ({"tenant": "acme"}, {}, {"acme"}),
        ({"tenant": "'*'"}, {"tenant": "globex"}, {"globex"}),
        ({"tenant": "acme"}, {"tenant": "globex"}, set()),
        ({"roles": "hr"}, {}, {"hr"}),
        ({"roles": "[hr, legal]"}, {"roles": ["hr"]}, {"hr"}),
        ({"roles": "legal"}, {"roles": ["hr"]}, set()),
        ({}, {"roles": "hr"}, {"hr"}),
    ],
)
def test_front_matter_narrows_access_and_never_widens_it(
    tmp_path: Path, front: dict[str, str], added: dict[str, object], who: set[str]
) -> None:
    write(tmp_path / "docs", "a.md", f"# Rule\n\n{SECRET}\n", **(front or {"title": "Rule"}))
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(tmp_path / "docs", **added)  # type: ignore[arg-type]
    callers = {"acme": ACME, "globex": GLOBEX, "hr": Caller("elsewhere", "h", frozenset({"hr"}))}
    assert {name for name, c in callers.items() if knowledge.search(c, SECRET)} == who
    knowledge.close()


def test_trust_is_given_by_both_the_file_and_whoever_adds_it(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    for given in (True, False):
        for stated in ("true", "false"):
            write(tmp_path / "docs", "a.md", f"# Rule\n\n{SECRET}\n", trusted=stated)
            knowledge.add(tmp_path / "docs", trusted=given)
            assert knowledge.search(ACME, SECRET)[0].trusted is (given and stated == "true")
    knowledge.close()


def test_a_file_that_is_now_for_others_is_withdrawn_from_those_it_was_for(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    knowledge = opened(tmp_path / "knowledge.db")
    write(docs, "a.md", f"# Rule\n\n{SECRET}\n")
    knowledge.add(docs, tenant="acme")
    assert knowledge.search(ACME, SECRET)
    write(docs, "a.md", f"# Rule\n\n{SECRET}\n", tenant="globex")
    assert knowledge.add(docs, tenant="acme").skipped == ["a.md belongs to tenant globex, not acme."]
    assert knowledge.search(ACME, SECRET) == [] and knowledge.documents(ACME) == []
    knowledge.close()


def test_a_file_whose_access_changes_is_read_by_the_new_readers_only(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    knowledge = opened(tmp_path / "knowledge.db")
    write(docs, "a.md", f"# Rule\n\n{SECRET}\n")
    knowledge.add(docs)
    for given, acme, globex in (({"tenant": "acme"}, 1, 0), ({"tenant": "globex"}, 0, 1), ({"roles": ["hr"]}, 0, 0)):
        knowledge.add(docs, **given)  # type: ignore[arg-type]
        found = len(knowledge.search(ACME, SECRET)), len(knowledge.search(GLOBEX, SECRET))
        assert found == (acme, globex)
    knowledge.close()


def test_only_the_owner_or_the_operator_removes_a_document(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    write(tmp_path / "docs", "a.md", f"# Rule\n\n{SECRET}\n", tenant="acme")
    write(tmp_path / "docs", "b.md", f"# Rule\n\n{SECRET}\n")
    knowledge.add(tmp_path / "docs")
    own, shared = (next(d.id for d in knowledge.documents(ACME) if d.source == s) for s in ("a.md", "b.md"))
    assert knowledge.remove(GLOBEX, own) is False
    assert knowledge.remove(ACME, shared) is False
    assert knowledge.remove(ACME, "no-such-document") is False
    assert len(knowledge.documents(ACME)) == 2
    assert knowledge.remove(ACME, own) is True
    assert knowledge.remove(ACME, own) is False
    assert knowledge.remove(ACME, shared, operator=True) is True
    assert knowledge.documents(ACME) == [] and knowledge.search(ACME, SECRET) == []
    knowledge.close()


def test_what_the_caller_cannot_read_is_not_removed_either(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    write(tmp_path / "docs", "a.md", f"# Rule\n\n{SECRET}\n", tenant="acme", roles="hr")
    knowledge.add(tmp_path / "docs")
    (document,) = knowledge.documents(HR)
    assert knowledge.remove(ACME, document.id) is False
    assert knowledge.documents(HR) == [document]
    assert knowledge.remove(HR, document.id) is True
    knowledge.close()


def test_the_samples_are_split_as_they_say(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(sample_folder())
    acme, globex, hr = (seen(knowledge, c) for c in (ACME, GLOBEX, HR))
    assert acme - globex == {"visitors.acme.zh.md"} and globex - acme == {"warehouse.globex.en.md"}
    assert hr - acme == {"salary-bands.en.md"}
    old = [d for d in knowledge.documents(ACME) if d.status == "superseded"]
    assert [(d.key, d.version) for d in old] == [("return-policy-zh", "1")] and old[0].passages > 0
    assert not any("3 天内,您可以申请" in p.text for p in knowledge.search(ACME, "无理由退货 3 天", limit=50))
    knowledge.close()
