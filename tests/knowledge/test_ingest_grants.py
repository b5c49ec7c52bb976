"""Whom documents are for is remembered: adding them again without saying so never opens them to more."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from shelf import ACME, GLOBEX, HR, assert_whole, opened, write

from signoff.caller import Caller
from signoff.knowledge import Grant, Knowledge

OURS = Grant(tenant="acme")
LEGAL = Caller("acme", "l-01", frozenset({"legal"}))


def page(folder: Path, name: str, text: str = "") -> Path:
    return write(folder, name, f"# {name}\n\nzebracode {name} {text}\n")


def readers(knowledge: Knowledge, source: str) -> set[str]:
    callers = {"acme": ACME, "globex": GLOBEX, "hr": HR, "legal": LEGAL}
    return {n for n, c in callers.items() if any(d.source == source for d in knowledge.documents(c))}


@pytest.fixture
def knowledge(tmp_path: Path) -> Knowledge:
    docs = tmp_path / "docs"
    page(docs, "a.md")
    page(docs / "sub", "b.md")
    found = opened(tmp_path / "knowledge.db")
    found.add(docs, tenant="acme", roles=["hr"])
    return found


def change(docs: Path) -> None:
    page(docs, "a.md", "changed")


def enlarge(docs: Path) -> None:
    page(docs, "new.md")
    page(docs / "sub", "new.md")
    page(docs / "other", "new.md")


def rename(docs: Path) -> None:
    (docs / "a.md").rename(docs / "z.md")


def move_into(docs: Path) -> None:
    (docs / "deep").mkdir()
    (docs / "a.md").rename(docs / "deep" / "a.md")


@pytest.mark.parametrize("happens", [change, enlarge, rename, move_into])
@pytest.mark.parametrize("part", ["", "sub", "a.md"])
def test_what_changes_in_a_folder_stays_for_those_it_was_for(
    knowledge: Knowledge, tmp_path: Path, happens: object, part: str
) -> None:
    docs = tmp_path / "docs"
    happens(docs)  # type: ignore[operator]
    for path in (docs / part, docs):
        if path.exists():
            report = knowledge.add(path, otherwise=OURS)
            assert not report.skipped and not report.access
    held = {d.source for d in knowledge.documents(HR)}
    assert held == {p.relative_to(docs).as_posix() for p in docs.rglob("*.md")}
    assert all(readers(knowledge, source) == {"hr"} for source in held)
    assert_whole(tmp_path / "knowledge.db")


@pytest.mark.parametrize("otherwise", [OURS, Grant(tenant="globex"), Grant()], ids=str)
def test_a_folder_that_was_moved_stays_with_all_in_it_for_those_it_was_for(
    knowledge: Knowledge, tmp_path: Path, otherwise: Grant
) -> None:
    moved = (tmp_path / "docs").rename(tmp_path / "elsewhere")
    page(moved, "a.md", "changed")
    page(moved, "0new.md")
    page(moved / "other", "new.md")
    report = knowledge.add(moved, otherwise=otherwise)
    assert (report.added, report.updated, report.unchanged) == (["0new.md", "other/new.md"], ["a.md"], ["sub/b.md"])
    assert all(readers(knowledge, d.source) == {"hr"} for d in knowledge.documents(HR))
    (moved / "a.md").unlink()
    report = knowledge.add(moved, otherwise=otherwise)
    assert report.removed == ["a.md"] and len(report.unchanged) == 3
    assert len(knowledge.stats(HR, operator=True).gone) == 0


def test_another_folder_does_not_inherit_from_one_that_has_gone(knowledge: Knowledge, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for name in ("c.md", "d.md", "e.md", "a.md"):
        page(other, name, "of its own" if name == "a.md" else "")
    (tmp_path / "docs").rename(tmp_path / "away")
    knowledge.add(other, otherwise=OURS)
    assert readers(knowledge, "c.md") == {"acme", "hr", "legal"}
    assert {d.source for d in knowledge.documents(HR)} >= {"sub/b.md"}


def test_what_is_said_again_changes_that_and_is_reported(knowledge: Knowledge, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    report = knowledge.add(docs / "sub", roles=["legal"], otherwise=OURS)
    assert report.updated == ["b.md"]
    assert report.access == ["b.md: was for hr in acme; is for legal in acme."]
    assert (readers(knowledge, "a.md"), readers(knowledge, "sub/b.md")) == ({"hr"}, {"legal"})
    # What is said of other things leaves the readers as they are.
    report = knowledge.add(docs, tags=["rules"], trusted=False)
    assert len(report.access) == 2 and report.access[0].endswith("is for hr in acme, tagged rules, untrusted.")
    assert (readers(knowledge, "a.md"), readers(knowledge, "sub/b.md")) == ({"hr"}, {"legal"})
    assert knowledge.add(docs, roles=[]).access
    assert readers(knowledge, "a.md") == readers(knowledge, "sub/b.md") == {"acme", "hr", "legal"}
    assert knowledge.add(docs, tenant="*").access
    assert "globex" in readers(knowledge, "a.md")
    assert all(d.tags == ("rules",) and not d.trusted for d in knowledge.documents(ACME))
    assert not knowledge.add(docs).happened


def test_a_new_file_among_files_for_different_readers_is_left_out_until_it_is_said(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    page(docs / "legal", "c.md")
    knowledge.add(docs / "legal", roles=["legal"])
    page(docs, "more.md")
    assert knowledge.add(docs).added == ["more.md"]
    assert readers(knowledge, "more.md") == {"hr"}
    for name in ("a.md", "more.md"):
        (docs / name).unlink()
    knowledge.add(docs)
    page(docs, "which.md", "new")
    # As from a store that remembers folders by their documents only.
    with sqlite3.connect(tmp_path / "knowledge.db") as db:
        db.execute("DELETE FROM meta WHERE name LIKE 'grant:%'")
    (line,) = knowledge.add(docs, otherwise=OURS).skipped
    assert line.startswith("which.md is new where documents are for different readers: say for whom")
    assert readers(knowledge, "which.md") == set()
    assert knowledge.add(docs / "which.md", roles=["hr"]).added == ["which.md"]
    assert readers(knowledge, "which.md") == {"hr"}


def test_a_file_that_was_added_alone_says_nothing_of_its_neighbours(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    docs = tmp_path / "docs"
    knowledge.add(page(docs, "a.md"), roles=["hr"], otherwise=OURS)
    page(docs, "b.md")
    knowledge.add(docs, otherwise=OURS)
    assert (readers(knowledge, "a.md"), readers(knowledge, "b.md")) == ({"hr"}, {"acme", "hr", "legal"})
    knowledge.close()


def test_front_matter_that_lets_go_gives_back_what_was_granted_and_no_more(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    docs = tmp_path / "docs"
    write(docs, "a.md", "# A\n\nzebracode\n", roles="hr")
    knowledge.add(docs, tenant="acme", roles=["hr", "legal"])
    assert readers(knowledge, "a.md") == {"hr"}
    write(docs, "a.md", "# A\n\nzebracode\n", title="A")
    knowledge.add(docs)
    assert readers(knowledge, "a.md") == {"hr", "legal"}
    knowledge.close()


def test_an_older_version_does_not_stay_open_to_those_who_lost_the_file(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    docs = tmp_path / "docs"
    write(docs, "a.md", "# A\n\nzebracode one\n", version="1")
    knowledge.add(docs, tenant="acme")
    write(docs, "a.md", "# A\n\nzebracode two\n", version="2", valid_from="2027-01-01")
    knowledge.add(docs)
    assert [p.version for p in knowledge.search(ACME, "zebracode")] == ["1"]
    knowledge.add(docs, roles=["hr"])
    assert knowledge.documents(ACME) == [] and knowledge.search(ACME, "zebracode") == []
    knowledge.close()


def test_a_document_for_one_user_is_read_by_that_user_only(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    docs = tmp_path / "docs"
    page(docs, "a.md")
    knowledge.add(docs, tenant="acme", owner="u-17")
    page(docs, "a.md", "changed")
    knowledge.add(docs, otherwise=OURS)
    assert readers(knowledge, "a.md") == {"acme"}
    knowledge.close()


def empty(knowledge: Knowledge, docs: Path) -> None:
    for file in docs.rglob("*.md"):
        file.unlink()
    assert len(knowledge.add(docs, otherwise=OURS).removed) == 2


def take_out(knowledge: Knowledge, docs: Path) -> None:
    for document in knowledge.documents(HR):
        assert knowledge.remove(HR, document.id)


def withhold(knowledge: Knowledge, docs: Path) -> None:
    for file in docs.rglob("*.md"):
        write(file.parent, file.name, "# A\n\nzebracode\n", roles="legal")
    assert len(knowledge.add(docs, otherwise=OURS).skipped) == 2


@pytest.mark.parametrize("happens", [empty, take_out, withhold])
@pytest.mark.parametrize("part", ["", "sub", "sub/b.md"])
def test_whom_a_folder_is_for_is_known_when_no_document_of_it_is_left(
    knowledge: Knowledge, tmp_path: Path, happens: Callable[[Knowledge, Path], None], part: str
) -> None:
    docs = tmp_path / "docs"
    knowledge.add(docs, trusted=False)
    happens(knowledge, docs)
    assert knowledge.documents(HR) == []
    page(docs, "a.md")
    page(docs / "sub", "b.md", "again")
    assert not knowledge.add(docs / part, otherwise=Grant()).skipped
    assert readers(knowledge, "sub/b.md") == {"hr"}
    assert not any(d.trusted for d in knowledge.documents(HR))
    assert knowledge.add(docs, roles=[], otherwise=Grant()).access
    assert readers(knowledge, "sub/b.md") == {"acme", "hr", "legal"}
    knowledge.close()


def test_an_empty_folder_and_a_file_alone_are_remembered(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    docs = tmp_path / "docs"
    docs.mkdir()
    knowledge.add(docs, tenant="acme", roles=["hr"])
    page(docs, "a.md")
    knowledge.add(docs)
    alone = page(tmp_path / "more", "alone.md")
    knowledge.add(alone, tenant="acme", roles=["hr"])
    assert knowledge.remove(HR, next(d.id for d in knowledge.documents(HR) if d.source == "alone.md"))
    knowledge.add(alone)
    assert readers(knowledge, "a.md") == readers(knowledge, "alone.md") == {"hr"}
    knowledge.close()


def test_a_run_without_options_does_not_undo_what_is_said_while_it_is_under_way(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    knowledge.add(docs, roles=[])
    for name in ("a.md", "new.md"):
        page(docs, name, "changed")
    other = opened(tmp_path / "knowledge.db")

    def meanwhile(progress: object) -> None:
        if not done:
            done.append(progress)
            other.add(docs, roles=["hr"])

    done: list[object] = []
    building = knowledge._store.held

    def held(ident: str) -> object:
        # The file has been read, and is about to be stored.
        meanwhile(ident)
        return building(ident)

    knowledge._store.held = held  # type: ignore[method-assign,assignment]
    knowledge.add(docs)
    assert done and {s: readers(knowledge, s) for s in ("a.md", "new.md")} == {"a.md": {"hr"}, "new.md": {"hr"}}
    other.close()


def test_a_sidecar_that_goes_missing_opens_nothing(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pay.txt").write_text("zebracode pay\n", encoding="utf-8")
    sidecar = docs / "pay.txt.meta.yaml"
    sidecar.write_text("roles: [hr]\ntrusted: false\n", encoding="utf-8")
    knowledge.add(docs, tenant="acme")
    sidecar.unlink()
    (line,) = knowledge.add(docs).access
    assert line.startswith("pay.txt: its sidecar is gone; it stays for hr in acme, untrusted.")
    for _ in range(2):
        assert readers(knowledge, "pay.txt") == {"hr"} and not knowledge.documents(HR)[0].trusted
        assert not knowledge.add(docs).happened
    knowledge.add(docs, roles=[])
    assert readers(knowledge, "pay.txt") == {"acme", "hr", "legal"} and not knowledge.documents(HR)[0].trusted
    knowledge.close()


@pytest.mark.parametrize(
    "text",
    [
        "---\nroles: [hr]\nvalid_from: soon\n---\nzebracode\n",
        "---\nroles: [hr]\ncolour: red\n---\nzebracode\n",
        "---\nroles:\n- hr\ntitle: a: b\n---\nzebracode\n",
        "---\ntenant: globex\ntitle: [\n---\nzebracode\n",
        "---\nowner: u-42\n\nzebracode\n",
        "---\nroles: [hr\n---\nzebracode\n",
        "---\nroles: [hr]\n---\n",
    ],
)
def test_a_narrowing_beside_another_fault_withdraws_the_document(tmp_path: Path, text: str) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    docs = tmp_path / "docs"
    page(docs, "a.md")
    knowledge.add(docs, tenant="acme")
    (docs / "a.md").write_text("---\nvalid_from: soon\n---\nzebracode\n", encoding="utf-8")
    assert knowledge.add(docs).skipped and "acme" in readers(knowledge, "a.md")
    (docs / "a.md").write_text(text, encoding="utf-8")
    report = knowledge.add(docs)
    assert report.skipped and report.access == ["a.md: was withdrawn from those who could read it."]
    assert readers(knowledge, "a.md") == set()
    knowledge.close()


def test_a_key_that_is_taken_elsewhere_does_not_name_the_other_file(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    write(tmp_path / "docs", "hidden.md", "# A\n\nzebracode\n", key="rule")
    knowledge.add(tmp_path / "docs", roles=["hr"])
    write(tmp_path / "more", "b.md", "# B\n\nzebracode\n", key="rule")
    assert knowledge.add(tmp_path / "more").skipped == ["b.md has the same key and version as another document."]
    knowledge.close()
