from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from shelf import ACME, assert_whole, dump, folder_of, opened, write

from signoff.errors import NotFound, StoreError
from signoff.knowledge import Knowledge, Progress, sample_folder


def test_adding_again_changes_nothing(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    first = knowledge.add(sample_folder())
    before = dump(tmp_path / "knowledge.db")
    again = knowledge.add(sample_folder())
    assert sorted(again.unchanged) == sorted(first.added)
    assert not (again.added or again.updated or again.removed or again.skipped)
    assert dump(tmp_path / "knowledge.db") == before
    knowledge.close()


def test_a_changed_document_is_replaced_and_a_removed_one_is_gone(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    knowledge = opened(tmp_path / "knowledge.db")
    write(docs, "a.md", "# Parking\n\nParking costs 5 yuan.\n\n## Bikes\n\nBikes are free.\n")
    write(docs, "b.md", "# Canteen\n\nThe canteen serves dumplings.\n")
    knowledge.add(docs)
    kept = {p.id for p in knowledge.search(ACME, "bikes", limit=9)}
    write(docs, "a.md", "# Parking\n\nParking costs 6 yuan.\n\n## Bikes\n\nBikes are free.\n")
    report = knowledge.add(docs)
    assert (report.updated, report.unchanged) == (["a.md"], ["b.md"])
    assert "6 yuan" in knowledge.search(ACME, "parking")[0].text
    assert not any("5 yuan" in p.text for p in knowledge.search(ACME, "parking", limit=9))
    assert kept & {p.id for p in knowledge.search(ACME, "bikes", limit=9)}
    (docs / "b.md").unlink()
    assert knowledge.add(docs).removed == ["b.md"]
    assert knowledge.search(ACME, "canteen dumplings") == [] and len(knowledge.documents(ACME)) == 1
    assert_whole(tmp_path / "knowledge.db")
    knowledge.close()


def test_ids_of_passages_do_not_depend_on_other_documents_or_on_the_order(tmp_path: Path) -> None:
    a = write(tmp_path / "docs", "a.md", "# Parking\n\nParking costs 5 yuan.\n")
    b = write(tmp_path / "docs", "b.md", "# Canteen\n\nThe canteen serves dumplings.\n")
    one, two = opened(tmp_path / "one.db"), opened(tmp_path / "two.db")
    for path in (a, b):
        one.add(path)
    two.add(b)
    two.add(tmp_path / "docs")
    assert dump(tmp_path / "one.db") == dump(tmp_path / "two.db")
    one.close()
    two.close()


def test_removed_words_cannot_be_read_in_the_file_any_more(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    for i in range(30):
        write(tmp_path / "docs", f"{i}.md", f"# Rule {i}\n\nNothing but ordinary text number {i}.\n")
    write(tmp_path / "docs", "secret.md", "# Codename\n\nThe codename is xylophonist.\n")
    knowledge.add(tmp_path / "docs")
    assert b"xylophonist" in b"".join(f.read_bytes() for f in tmp_path.glob("knowledge.db*"))
    ident = knowledge.search(ACME, "codename xylophonist")[0].document
    assert knowledge.remove(ACME, ident, operator=True)
    assert b"xylophonist" not in b"".join(f.read_bytes() for f in tmp_path.glob("knowledge.db*"))
    knowledge.close()


def test_a_raised_version_in_the_same_file_keeps_the_old_one_superseded(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    path = write(tmp_path / "docs", "rule.md", "# Parking\n\nParking costs 5 yuan.\n", version="1")
    knowledge.add(path)
    write(tmp_path / "docs", "rule.md", "# Parking\n\nParking costs 6 yuan.\n", version="2")
    knowledge.add(path)
    assert [(d.version, d.status) for d in knowledge.documents(ACME)] == [("1", "superseded"), ("2", "current")]
    assert [p.version for p in knowledge.search(ACME, "parking")] == ["2"]
    write(tmp_path / "docs", "rule.md", "# Parking\n\nParking costs 5 yuan.\n", version="1")
    knowledge.add(path)
    assert [(d.version, d.status) for d in knowledge.documents(ACME)] == [("1", "current")]
    knowledge.close()


ODD: tuple[tuple[str, bytes, str], ...] = (
    ("empty.md", b"", "is empty"),
    ("blank.txt", b" \n\t\n", "is empty"),
    ("broken.md", "# ok\n\nline \xff\xfe".encode("latin-1"), "is not UTF-8 (line 3)"),
    ("binary.md", b"\x7fELF\0\0\0", "is binary or not UTF-8"),
    ("picture.png", b"\x89PNG\r\n", "is not a kind of file that is read"),
    ("punctuation.md", b"---\n***\n", "holds no text"),
    ("comment.md", b"<!-- hidden -->\n", "holds no text"),
    ("front.md", b"---\ntitle: only\n---\n", "holds no text"),
    ("yaml.md", b"---\ntitle: [a\n---\n# A\n\nText\n", "has front matter that is not YAML"),
    ("key.md", b"---\nauthor: me\n---\n# A\n\nText\n", "has front matter with 'author'"),
    ("date.md", b"---\nvalid_from: soon\n---\n# A\n\nText\n", "has valid_from: 'soon'"),
    ("dates.md", b"---\nvalid_from: 2026-02-01\nvalid_to: 2026-01-01\n---\n# A\n\nText\n", "is valid until 2026-01-01"),
    ("trust.md", b"---\ntrusted: maybe\n---\n# A\n\nText\n", "has trusted: 'maybe'"),
    ("language.md", b"---\nlanguage: fr\n---\n# A\n\nTexte\n", "has the language 'fr'"),
    ("tenant.md", b"---\ntenant: a b\n---\n# A\n\nText\n", "names the tenant 'a b'"),
    ("roles.md", b"---\nroles: [a/b]\n---\n# A\n\nText\n", "names the role 'a/b'"),
    ("nested.md", b"---\ntitle: {a: b}\n---\n# A\n\nText\n", "has front matter where title is not one value"),
    ("new\nline.png", b"x", "is not a kind of file that is read"),
)


@pytest.mark.parametrize(("name", "content", "why"), ODD, ids=[n.replace("\n", "_") for n, _, _ in ODD])
def test_a_file_that_cannot_be_indexed_gets_one_clear_line(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    docs = tmp_path / "docs"
    write(docs, "good.md", "# Good\n\nThis one is fine.\n")
    (docs / name).write_bytes(content)
    knowledge = opened(tmp_path / "knowledge.db")
    report = knowledge.add(docs)
    assert report.added == ["good.md"] and len(report.skipped) == 1
    line = report.skipped[0]
    assert line.startswith(name.replace("\n", "\\n")) and why in line and line.endswith(".")
    assert "\n" not in line
    knowledge.close()


@pytest.mark.parametrize(
    "name", ['it\'s "quoted".md', "two\nlines.md", "tab\there.md", "空 格.md", "%s{0}.md", "a;b--.md", "\x1b[31mred.md"]
)
def test_a_file_with_an_odd_name_is_indexed(tmp_path: Path, name: str) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    write(tmp_path / "docs", name, "# Parking\n\nParking costs 5 yuan.\n")
    for _ in range(2):
        report = knowledge.add(tmp_path / "docs")
        assert not report.skipped and not report.removed
    source = knowledge.search(ACME, "parking")[0].source
    assert source.isprintable() and source.endswith(".md")
    knowledge.close()


def test_a_name_that_is_not_utf8_is_indexed(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    name = os.fsencode(docs) + b"/caf\xe9.md"
    try:
        Path(os.fsdecode(name)).write_text("# Parking\n\nParking costs 5 yuan.\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    knowledge = opened(tmp_path / "knowledge.db")
    assert not knowledge.add(docs).skipped
    assert knowledge.search(ACME, "parking")[0].source == "caf\\xe9.md"
    knowledge.close()


@pytest.mark.parametrize(
    "line", ["word " * 200_000, "字" * 300_000, "x" * 300_000, "a.b" * 100_000, "." * 200_000 + "x", ">" * 5_000 + " x"]
)
def test_one_huge_line_is_cut_into_passages(tmp_path: Path, line: str) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    write(tmp_path / "docs", "huge.md", f"# Parking\n\nParking costs 5 yuan.\n\n{line}\n")
    assert knowledge.add(tmp_path / "docs").added == ["huge.md"]
    held = dump(tmp_path / "knowledge.db")
    assert all(len(text) <= 4_000 and stop - start <= 1_000 for *_, text, start, stop, _ in held)
    assert knowledge.search(ACME, "parking")
    knowledge.close()


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(tmp_path, "outside.md", "# Outside\n\nOutside text.\n")
    write(docs, "inside.md", "# Inside\n\nInside text.\n")
    (docs / "link.md").symlink_to(tmp_path / "outside.md")
    (docs / "loop").symlink_to(docs)
    (docs / "gone.md").symlink_to(docs / "nothing.md")
    knowledge = opened(tmp_path / "knowledge.db")
    report = knowledge.add(docs)
    assert report.added == ["inside.md"]
    assert report.skipped == ["gone.md is not a regular file.", "link.md is a link out of the folder."]
    knowledge.close()


def test_two_files_with_one_key_and_version_are_reported(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(docs, "a.md", "# A\n\nFirst text.\n", key="rule", version="1")
    write(docs, "b.md", "# B\n\nSecond text.\n", key="rule", version="v1")
    knowledge = opened(tmp_path / "knowledge.db")
    report = knowledge.add(docs)
    assert report.added == ["a.md"] and report.skipped == ["b.md has the same key and version as a.md."]
    knowledge.close()


def test_files_whose_names_differ_in_their_endings_only_are_documents_of_their_own(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(docs, "notes.md", "# Notes\n\nParking costs 5 yuan.\n")
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(docs)
    write(docs, "notes.csv", "place,price\ncanteen,dumplings\n")
    for _ in range(2):
        assert not knowledge.add(docs).skipped
    assert {d.key: d.source for d in knowledge.documents(ACME)} == {"notes": "notes.md", "notes.csv": "notes.csv"}
    knowledge.close()


def test_two_folders_with_a_file_of_the_same_name_keep_both(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    for name in ("one", "two", "other/two"):
        write(tmp_path / name, "README.md", f"# Read me\n\nThis is {name}, about parking.\n")
        assert knowledge.add(tmp_path / name).added == ["README.md"]
    for name in ("two", "one", "other/two"):
        assert knowledge.add(tmp_path / name).unchanged == ["README.md"]
    assert len(knowledge.documents(ACME)) == 3
    write(tmp_path / "two", "README.md", "# Read me\n\nNow about bicycles.\n")
    assert knowledge.add(tmp_path / "two").updated == ["README.md"]
    assert len(knowledge.documents(ACME)) == 3 and knowledge.search(ACME, "bicycles")
    knowledge.close()


def test_a_key_that_two_files_give_is_reported_across_folders(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    for name in ("one", "two"):
        write(tmp_path / name, "a.md", f"# Rule\n\nThe rule of {name}.\n", key="rule")
    assert knowledge.add(tmp_path / "one").added == ["a.md"]
    (line,) = knowledge.add(tmp_path / "two").skipped
    assert line == "a.md has the same key and version as another document."
    (line,) = (s for s in knowledge.add(tmp_path).skipped if s.startswith("two/"))
    assert line.startswith("two/a.md has the same key and version as ") and "one/a.md" in line
    knowledge.close()


def test_a_part_of_a_folder_that_was_added_stays_a_part_of_it(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(docs / "sub", "a.md", "# Parking\n\nParking costs 5 yuan.\n")
    write(docs / "sub", "b.md", "# Canteen\n\nThe canteen serves dumplings.\n")
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(docs)
    assert knowledge.add(docs / "sub").unchanged == ["a.md", "b.md"]
    assert knowledge.add(docs / "sub" / "a.md").unchanged == ["a.md"]
    (docs / "sub" / "b.md").unlink()
    write(docs / "sub", "c.md", "# Bikes\n\nBikes are free.\n")
    report = knowledge.add(docs / "sub")
    assert (report.added, report.removed) == (["c.md"], ["sub/b.md"])
    assert knowledge.add(docs).unchanged == ["sub/a.md", "sub/c.md"]
    knowledge.close()


def test_a_folder_round_one_that_was_added_leaves_that_where_it_is(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "sub", "a.md", "# Parking\n\nParking costs 5 yuan.\n")
    write(tmp_path / "docs", "b.md", "# Canteen\n\nThe canteen serves dumplings.\n")
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(tmp_path / "docs" / "sub")
    report = knowledge.add(tmp_path / "docs")
    assert (report.added, report.unchanged) == (["b.md"], ["sub/a.md"])
    (tmp_path / "docs" / "sub" / "a.md").unlink()
    assert knowledge.add(tmp_path / "docs" / "sub").removed == ["a.md"]
    knowledge.close()


def test_progress_counts_every_file_and_a_stop_ends_between_documents(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", 10)
    (docs / "picture.png").write_bytes(b"x")
    knowledge = opened(tmp_path / "knowledge.db")
    seen: list[Progress] = []
    report = knowledge.add(docs, progress=seen.append, stop=lambda: len(knowledge.documents(ACME)) >= 4)
    assert len(report.added) == 4 and report.notes == ["Stopped: 4 of 11 files are in. Add it again to go on."]
    seen.clear()
    report = knowledge.add(docs, progress=seen.append)
    assert len(report.unchanged) == 4 and len(report.added) == 6 and not report.notes
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    last = seen[-1]
    assert (last.done, last.total, last.passages, last.skipped, last.file) == (11, 11, 18, 1, "")
    knowledge.close()


def test_an_unchanged_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = folder_of(tmp_path / "docs", 3)
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(docs)
    read: list[Path] = []
    monkeypatch.setattr("signoff.knowledge.ingest.load", lambda file, **_: read.append(file))
    assert len(knowledge.add(docs).unchanged) == 3 and read == []
    knowledge.close()


def test_a_path_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    with pytest.raises(NotFound, match=r"There is no file or folder .*nothing\."):
        knowledge.add(tmp_path / "nothing")
    knowledge.close()


def test_a_file_that_is_no_database_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "knowledge.db").write_bytes(b"this is not a database, however long it may be" * 50)
    with pytest.raises(StoreError, match="is not a database"):
        opened(tmp_path / "knowledge.db")


def test_a_file_of_a_later_version_is_not_touched(tmp_path: Path) -> None:
    opened(tmp_path / "knowledge.db").close()
    with sqlite3.connect(tmp_path / "knowledge.db") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="later version"):
        opened(tmp_path / "knowledge.db")


def test_a_locked_file_is_said_to_be_locked(tmp_path: Path) -> None:
    from signoff.clock import Clock

    knowledge = Knowledge(tmp_path / "knowledge.db", Clock(), busy_timeout_s=0.05)
    other = sqlite3.connect(tmp_path / "knowledge.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another process"):
        knowledge.add(sample_folder())
    assert knowledge.search(ACME, "return policy") == []
    other.close()
    knowledge.close()


def test_a_closed_library_says_so(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.close()
    knowledge.close()
    with pytest.raises(StoreError, match="is closed"):
        knowledge.search(ACME, "return policy")
