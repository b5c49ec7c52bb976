"""What is particular to `knowledge.db`: its file, its bytes, its memory, and an earlier version of it."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from stored import ACME, ANY, MODEL, document, group, vector

from signoff.errors import StoreError
from signoff.knowledge.passages import Filter
from signoff.knowledge.sqlite import SqliteStore
from signoff.knowledge.vectors import BLOCK, Matrix, pack

# As version 1 made it, with a policy of one passage for everybody and one for a role.
VERSION_1 = """
CREATE TABLE document (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, rank TEXT NOT NULL,
  title TEXT NOT NULL, language TEXT NOT NULL, root TEXT NOT NULL, file TEXT NOT NULL, trusted INTEGER NOT NULL,
  valid_from TEXT, valid_to TEXT, digest TEXT NOT NULL, UNIQUE (tenant, key, rank)
);
CREATE INDEX document_root ON document (root, file);
CREATE TABLE reader (
  document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE, role TEXT NOT NULL, PRIMARY KEY (document, role)
) WITHOUT ROWID;
CREATE TABLE passage (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, place TEXT NOT NULL, text TEXT NOT NULL, length INTEGER NOT NULL
);
CREATE INDEX passage_document ON passage (document, ordinal);
CREATE VIRTUAL TABLE words USING fts5 (head, body, tokenize = 'porter unicode61');
CREATE TRIGGER passage_gone AFTER DELETE ON passage BEGIN DELETE FROM words WHERE rowid = old.row; END;
INSERT INTO document VALUES
  ('rule-1', '*', 'rule', '1', '1', 'Rule', 'en', '/docs', 'rule.md', 1, NULL, '2027-01-01', 'abc'),
  ('pay-1', 'acme', 'pay', '1', '1', 'Pay', 'zh', '/docs', 'pay.md', 0, NULL, NULL, 'def');
INSERT INTO reader VALUES ('pay-1', 'hr');
INSERT INTO passage VALUES
  (7, 'rule-1.a', 'rule-1', 0, 'Rule', 'Parcels are returned in 2026-10.', 4),
  (9, 'rule-1.b', 'rule-1', 1, 'Rule', 'a' || char(0) || 'b', 1), (8, 'pay-1.a', 'pay-1', 0, 'Pay', '工资', 2);
INSERT INTO words (rowid, head, body) VALUES
  (7, 'rule', 'parcel return 2026-10'), (9, '', 'b'), (8, 'pay', '工资');
PRAGMA user_version = 1;
"""


def words_found(store: SqliteStore, term: str, limit: int = 99) -> list[str]:
    candidates = store.lexical(ACME, ANY, [group(term)], limit).candidates
    passages = store.passages(ACME, [c.passage for c in candidates])
    return [passages[c.passage].id for c in candidates]


def assert_consistent(path: Path) -> None:
    """Every chunk has its words and, with a model, its vector; nothing is left of what is gone."""
    db = sqlite3.connect(path)
    try:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        chunks = db.execute("SELECT row, document FROM chunk ORDER BY row").fetchall()
        assert chunks == db.execute("SELECT chunk, document FROM vector ORDER BY chunk").fetchall()
        assert [(r,) for r, _ in chunks] == db.execute("SELECT rowid FROM words ORDER BY rowid").fetchall()
        counted = db.execute("SELECT number, chunks FROM document WHERE chunks ORDER BY number").fetchall()
        assert counted == db.execute("SELECT document, count(*) FROM chunk GROUP BY document").fetchall()
        terms = db.execute(
            """SELECT substr(p.text, c.start + 1, c.stop - c.start), w.body, v.value FROM chunk c
            JOIN passage p ON p.row = c.passage JOIN words w ON w.rowid = c.row JOIN vector v ON v.chunk = c.row"""
        ).fetchall()
        for text, body, value in terms:
            assert text == body and value == pack(vector(text))
    finally:
        db.close()


def test_a_file_of_version_1_is_searched_by_the_words_it_has_and_waits_to_be_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    with sqlite3.connect(path) as db:
        db.executescript(VERSION_1)
    db.close()
    for _ in range(2):
        store = SqliteStore(path)
        assert words_found(store, "2026-10") == words_found(store, "parcel return") == ["rule-1.a"]
        assert words_found(store, "rule") == ["rule-1.a"] and words_found(store, "工资") == []
        passage = store.passage(ACME, "rule-1.a")
        assert passage is not None and passage.text == "Parcels are returned in 2026-10." and passage.page is None
        (chunk,) = store.lexical(ACME, ANY, [group("parcel")], 9).candidates
        assert store.spans(ACME, [chunk.chunk]) == {chunk.chunk: (0, 32)} and chunk.length == 4
        odd = store.passage(ACME, "rule-1.b")
        assert odd is not None and list(store.chunk_texts(ACME, range(99)).values()) == [passage.text, odd.text]
        assert store.model() == "" and store.outdated() == ["pay-1", "rule-1"]
        held = {h.id: h for h in store.of_root("/docs")}
        assert held["rule-1"].digest != "abc" and held["rule-1"].model == ""
        listed = store.documents(ACME)
        assert [(d.id, d.valid_to, d.roles, d.owner, d.tags, d.passages) for d in listed] == [
            ("rule-1", "2027-01-01", (), "", (), 2)
        ]
        everything = store.counts(ACME, operator=True)
        assert (everything.documents, everything.chunks, everything.untrusted) == (2, 3, 1)
        store.close()
    store = SqliteStore(path)
    store.put(document("rule-1", "new words"))
    store.drop(["pay-1"])
    assert words_found(store, "parcel") == [] and words_found(store, "new words") == ["rule-1.000"]
    store.close()
    assert_consistent(path)


def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(tmp_path: Path) -> None:
    later, other, folder = tmp_path / "later.db", tmp_path / "other.db", tmp_path / "folder.db"
    with sqlite3.connect(later) as db:
        db.execute("PRAGMA user_version = 3")
    db.close()
    other.write_bytes(b"not a database, " * 100)
    folder.mkdir()
    (tmp_path / "file").touch()
    for path, said in [
        (later, "later version"),
        (other, "not a database"),
        (folder, "cannot be used"),
        (tmp_path / "file" / "x.db", "cannot be made"),
    ]:
        with pytest.raises(StoreError, match=said):
            SqliteStore(path)


def test_a_file_that_another_process_holds_is_said_to_be_locked(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "knowledge.db", busy_timeout_s=0.05)
    store.put(document("a", "fox"))
    holder = sqlite3.connect(tmp_path / "knowledge.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another process"):
        store.put(document("b", "fox"))
    assert words_found(store, "fox") == ["a.000"]
    holder.execute("ROLLBACK")
    store.put(document("b", "fox"))
    holder.execute("BEGIN")
    holder.execute("SELECT count(*) FROM document").fetchone()
    store.drop(["a"])
    with pytest.raises(StoreError, match=r"knowledge\.db"):
        store.erase()
    holder.close()
    store.erase()
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.generation()


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "knowledge.db")
    store.put(document("a", "red fox"))
    twice = document("b", "x", "y")
    broken = document("a", "blue fox")
    object.__setattr__(broken, "passages", (*broken.passages, *twice.passages, *twice.passages))
    with pytest.raises(sqlite3.IntegrityError):
        store.replace(broken, ["a"])
    assert words_found(store, "red") == ["a.000"] and words_found(store, "blue") == []
    store.close()
    assert_consistent(tmp_path / "knowledge.db")


@pytest.mark.parametrize("seed", range(3))
def test_removed_and_replaced_text_is_in_no_byte_of_the_files(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    store = SqliteStore(tmp_path / "knowledge.db")
    live: dict[str, set[str]] = {}
    dead: set[str] = set()
    # Pages split and merge, and leave copies of rows behind, only where much comes and goes: seed 0 is such a case.
    for _ in range(150):
        ident = f"doc{chance.randrange(40)}"
        if chance.random() < 0.3 and live:
            ident = chance.choice(sorted(live))
            store.drop([ident])
            dead |= live.pop(ident)
        else:
            counts = [chance.choice([3, 30, 200]) for _ in range(chance.randrange(1, 5))]
            texts = [[f"zq{chance.getrandbits(60):015x}" for _ in range(n)] for n in counts]
            title = f"tt{chance.getrandbits(60):015x}"
            dead |= live.pop(ident, set())
            store.put(document(ident, *map(" ".join, texts), title=title, model=""))
            live[ident] = {title}.union(*texts)
        if chance.random() < 0.03:
            store.erase()
    store.erase()
    data = b"".join(f.read_bytes() for f in tmp_path.iterdir())
    left = {m.decode() for m in re.findall(rb"(?:zq|tt)[0-9a-f]{15}", data)}
    assert left == set().union(*live.values())
    assert dead and not dead & left
    store.close()


def test_erasing_touches_nothing_when_nothing_was_removed(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "knowledge.db")
    store.put(document("a", "fox"))
    store.erase()
    before = (tmp_path / "knowledge.db").stat().st_mtime_ns
    store.erase()
    assert (tmp_path / "knowledge.db").stat().st_mtime_ns == before
    assert (tmp_path / "knowledge.db-wal").stat().st_size == 0
    store.close()


_WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from stored import document
from signoff.knowledge.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[2]))
print("ready", flush=True)
n = int(sys.argv[3])
while True:
    n += 1
    store.replace(document(f"d{n % 7}", *[f"fox {n} {m} a b c d e" for m in range(30)]), [f"d{(n + 3) % 7}"])
    if n % 11 == 0:
        store.erase()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_process_killed_at_any_moment_leaves_whole_documents(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    chance = random.Random(1)
    for attempt in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(Path(__file__).parent), str(path), str(attempt * 100)],
            stdout=subprocess.PIPE,
        )
        assert writer.stdout is not None and writer.stdout.readline() == b"ready\n"
        time.sleep(0.05 + chance.random() * 0.3)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        store = SqliteStore(path)
        listed = store.documents(ACME)
        assert {d.passages for d in listed} <= {30}
        lexical = store.lexical(ACME, ANY, [group("fox")], 9)
        near = store.dense(ACME, ANY, vector("fox"), MODEL, 9_999)
        assert lexical.frequency[0] * 2 == lexical.count == len(near) == 60 * len(listed)
        store.close()
        assert_consistent(path)


def test_another_process_that_writes_is_noticed_at_the_next_search(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    store = SqliteStore(path)
    store.put(document("a", "fox one"))
    assert words_found(store, "fox") == ["a.000"]
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from stored import document
from signoff.knowledge.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[2]))
store.replace(document("b", "fox two", "fox three"), ["a"])
store.close()
"""
    subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent), str(path)], check=True)
    assert sorted(words_found(store, "fox")) == ["b.000", "b.001"]
    assert len(store.dense(ACME, ANY, vector("fox two"), MODEL, 9)) == 2
    store.close()


def test_what_is_kept_in_memory_stays_bounded_while_documents_come_and_go(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "knowledge.db")
    for n in range(90):
        store.put(document("a", *[f"fox {n} {m}" for m in range(25)]))
        assert len(words_found(store, "fox")) == 25
        assert len(store.dense(ACME, Filter(source="a" * (n % 2)), vector("fox"), MODEL, 99)) == 25
    memory = store._catalogue()
    with store._db.read() as tx:
        words = memory.words(tx)
    with store._db.read() as tx:
        meanings = memory.meanings(tx, MODEL)
    assert len(words.rows) <= 1_100 and meanings.matrix.size <= 1_100
    store.close()


def test_a_matrix_grows_without_changing_what_was_handed_out() -> None:
    rows = [(n, n // 4, pack(vector(str(n)))) for n in range(BLOCK + 50)]
    whole = Matrix.empty().extended(rows)
    first = Matrix.empty().extended(rows[:8])
    grown = first.extended(rows[8:BLOCK]).extended([]).extended(rows[BLOCK:])
    everything = np.arange(BLOCK)
    asked = vector("7")
    for matrix in (whole, grown):
        chunks, similar = matrix.nearest(asked, matrix.among(everything), 5)
        assert chunks[similar.argmax()] == 7 and len(chunks) >= 5 and similar.max() == pytest.approx(1, abs=2e-3)
    assert sorted(first.nearest(asked, first.among(everything), 99)[0]) == list(range(8))
    # Of a document that comes again only the new vectors count, and those of another dimension not at all.
    again = grown.extended([(99_999, 3, pack(asked)), (100_000, 3, pack(vector("x", 5)))])
    chunks, _ = again.nearest(asked, again.among(np.array([3, 4])), 99)
    assert sorted(chunks) == [16, 17, 18, 19, 99_999]
    assert sorted(grown.nearest(asked, grown.among(np.array([3, 4])), 99)[0]) == list(range(12, 20))
