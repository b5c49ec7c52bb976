from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from shelf import ACME, opened, write

from signoff.errors import NotFound, StoreError
from signoff.knowledge import Knowledge, sample_folder


def dump(path: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as db:
        return db.execute(
            "SELECT d.key, d.version, p.id, p.place, p.text, w.body FROM document d "
            "JOIN passage p ON p.document = d.id JOIN words w ON w.rowid = p.row ORDER BY p.id"
        ).fetchall()


def assert_consistent(path: Path) -> None:
    db = sqlite3.connect(path)
    try:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        passages = {r for (r,) in db.execute("SELECT row FROM passage")}
        assert passages == {r for (r,) in db.execute("SELECT rowid FROM words")}
        orphans = "SELECT count(*) FROM passage WHERE document NOT IN (SELECT id FROM document)"
        assert db.execute(orphans).fetchone() == (0,)
        empty = "SELECT count(*) FROM document WHERE id NOT IN (SELECT document FROM passage)"
        assert db.execute(empty).fetchone() == (0,)
    finally:
        db.close()


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
    assert_consistent(tmp_path / "knowledge.db")
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
    assert knowledge.remove("*", ident)
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
    ("gbk.txt", "退货政策".encode("gbk"), "is not UTF-8 (line 1)"),
    ("utf16.md", "# Title\n\nText".encode("utf-16"), "is binary or not UTF-8"),
    ("binary.md", b"\x7fELF\0\0\0", "is binary or not UTF-8"),
    ("picture.png", b"\x89PNG\r\n", "is not Markdown or text"),
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
    ("new\nline.png", b"x", "is not Markdown or text"),
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
    assert all(len(t) <= 700 for *_, t, _ in dump(tmp_path / "knowledge.db"))
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


def test_a_path_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    with pytest.raises(NotFound, match=r"There is no file or folder .*nothing\."):
        knowledge.add(tmp_path / "nothing")
    knowledge.close()


INGEST = """
import sys
from pathlib import Path
from signoff.clock import Clock
from signoff.knowledge import Knowledge
knowledge = Knowledge(Path(sys.argv[1]), Clock())
print("open", flush=True)
knowledge.add(Path(sys.argv[2]))
print("done", flush=True)
"""


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.3, 0.6])
def test_killed_in_the_middle_the_index_is_whole_and_adding_again_completes_it(tmp_path: Path, moment: float) -> None:
    docs = tmp_path / "docs"
    for i in range(60):
        sections = "\n".join(f"## Part {j}\n\nDocument {i} part {j} speaks of topic{i}x{j}.\n" for j in range(40))
        write(docs, f"{i:02}.md", f"# Document {i}\n\n{sections}")
    path = tmp_path / "knowledge.db"
    process = subprocess.Popen([sys.executable, "-c", INGEST, str(path), str(docs)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "open\n"
    deadline = time.monotonic() + 30
    while moment and time.monotonic() < deadline and len(_documents(path)) < moment * 60:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert_consistent(path)
    before = len(_documents(path))
    knowledge = opened(path)
    report = knowledge.add(docs)
    assert len(report.unchanged) == before < 60 and len(report.added) == 60 - before
    assert {d.passages for d in knowledge.documents(ACME)} == {40}
    assert_consistent(path)
    knowledge.close()


def _documents(path: Path) -> list[tuple[str]]:
    with sqlite3.connect(path) as db:
        return db.execute("SELECT id FROM document").fetchall()


def test_threads_search_while_others_add(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(sample_folder())
    errors: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for i in range(5):
                if n % 2:
                    path = write(tmp_path / f"docs{n}", f"{i}.md", f"# Parking {n}\n\nPlace {i}.\n", key=f"k{n}-{i}")
                    knowledge.add(path)
                else:
                    assert knowledge.search(ACME, "return policy")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []
    assert len([d for d in knowledge.documents(ACME) if d.key.startswith("k")]) == 15
    assert_consistent(tmp_path / "knowledge.db")
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
