"""What every store must do, on SQLite and on PostgreSQL."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from postgres_server import database, postgres
from stored import ACME, ANY, MODEL, TODAY, document, group, ranked, readable, vector

from signoff.knowledge.passages import Filter
from signoff.knowledge.postgres import PostgresStore
from signoff.knowledge.sqlite import MAX_UNANSWERED, SqliteStore
from signoff.knowledge.store import Access, Lexical, Near, Store, StoredDocument, Unanswered, embedded_text

__all__ = ["database", "postgres"]

HR = Access("acme", "hank", ("hr",), TODAY)
GLOBEX = Access("globex", "gil", (), TODAY)

Open = Callable[[], Store]


@pytest.fixture(params=["sqlite", "postgres"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens stores that share one database, as several processes do."""
    opened: list[Store] = []
    url = request.getfixturevalue("database") if request.param == "postgres" else ""

    def open_one() -> Store:
        store: Store = PostgresStore(url) if url else SqliteStore(tmp_path / "knowledge.db")
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Open) -> Store:
    return open_store()


def words(store: Store, *terms: str, access: Access = ACME, narrowed: Filter = ANY, limit: int = 50) -> Lexical:
    return store.lexical(access, narrowed, [group(t) for t in terms], limit)


def found(store: Store, *terms: str, access: Access = ACME, narrowed: Filter = ANY) -> list[str]:
    """Ids of the passages that hold one of the words."""
    rows = [c.passage for c in words(store, *terms, access=access, narrowed=narrowed).candidates]
    passages = store.passages(access, rows)
    return [passages[r].id for r in rows]


def near(store: Store, text: str, access: Access = ACME, limit: int = 50, model: str = MODEL) -> list[Near]:
    return store.dense(access, ANY, vector(text, int(model.rpartition("/")[2])), model, limit)


def meant(store: Store, text: str, access: Access = ACME, **options: object) -> list[str]:
    hits = near(store, text, access, **options)  # type: ignore[arg-type]
    passages = store.passages(access, [n.passage for n in hits])
    return [passages[n.passage].id for n in hits]


TERMS = [
    *"""2026-10 a.b x_y o'neil "quoted" c++ back\\slash colon:a 1&2|!(3) return 退货 退款政策 café naïve 日本 からは
    ไทย क्षि эй ß a* -minus ^caret AND not near 😀""".split(),
    "e\u0301",
    "x" * 400,
    "y" * 3_000,
    "退" * 700,
]


@pytest.mark.parametrize("term", TERMS, ids=lambda t: t[:12])
def test_a_term_is_found_as_it_is_and_by_nothing_else(store: Store, term: str) -> None:
    term = term.lower()
    parts = {term[:-1], term[1:], term + "s", *term.replace("-", " ").replace(".", " ").replace("_", " ").split()}
    for number, other in enumerate(sorted(parts - {term, ""})):
        store.put(document(f"other{number}", f"before {other} after"))
    store.put(document("one", f"before {term} after"))
    store.put(document("head", "before after", head=f"first {term}"))
    assert sorted(found(store, term)) == ["head.000", "one.000"]
    assert found(store, f"before {term} after") == ["one.000"]
    assert found(store, f"first {term}") == ["head.000"]
    assert words(store, term).frequency == (2,)


def test_words_that_belong_together_stand_next_to_each_other_in_one_column(store: Store) -> None:
    store.put(document("a", "return the parcel and refund policy", "policy refund", head="refund"))
    store.put(document("b", "policy of the house", head="our refund"))
    assert found(store, "refund policy") == ["a.000"]
    assert found(store, "policy refund") == ["a.001"]
    assert found(store, "return the parcel and refund policy") == ["a.000"]
    assert words(store, "refund policy", "refund", "absent", "return absent").frequency == (1, 3, 0, 0)


def test_a_word_counts_twice_in_a_heading_and_more_the_more_often_it_stands(store: Store) -> None:
    store.put(document("once", "fox a b c"))
    store.put(document("twice", "fox fox b c"))
    store.put(document("often", "fox fox fox fox"))
    store.put(document("titled", "a b c", head="fox"))
    store.put(document("nowhere", "a b c d"))
    order = found(store, "fox")
    assert order == ["often.000", "titled.000", "twice.000", "once.000"]
    lexical = words(store, "fox")
    assert (lexical.count, lexical.frequency, lexical.mean_length) == (5, (4,), 4.0)
    first = lexical.candidates[0]
    assert (first.ordinal, first.length, first.language) == (0, 4, "en")
    assert (first.head, first.body) == ((), ("fox",) * 4)


def test_a_group_is_as_frequent_as_all_its_words_together(store: Store) -> None:
    store.put(document("a", "refund", "money back", "money"))
    lexical = store.lexical(ACME, ANY, [group("refund", variants=["money back", "退款"])], 9)
    assert lexical.frequency == (2,) and len(lexical.candidates) == 2


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_no_more_is_returned_than_asked_for(store: Store, limit: int) -> None:
    store.put(document("a", *["fox"] * 5))
    assert len(words(store, "fox", limit=limit).candidates) == limit
    assert words(store, "fox", limit=limit).frequency == (5,)
    assert len(near(store, "fox", limit=limit)) == limit
    assert len(store.beginning(ACME, "a.", limit)) == limit


def test_without_words_or_documents_there_is_nothing_to_count(store: Store) -> None:
    assert store.lexical(ACME, ANY, [group("fox")], 5) == Lexical(0, 0.0, (0,), ())
    store.put(document("a", "fox"))
    assert store.lexical(ACME, ANY, [], 5) == Lexical(1, 1.0, (), ())
    assert store.passages(ACME, []) == store.spans(ACME, []) == store.chunk_texts(ACME, []) == {}


def test_chunks_are_searched_and_their_passage_and_place_in_it_returned(store: Store) -> None:
    text = "one two three four five six seven 八 nine 😀 eleven twelve thirteen"
    store.put(document("a", "zero", text))
    lexical = words(store, "nine")
    (chunk,) = lexical.candidates
    start, end = store.spans(ACME, [chunk.chunk])[chunk.chunk]
    assert store.chunk_texts(ACME, [chunk.chunk]) == {chunk.chunk: "seven 八 nine 😀 eleven twelve"}
    passage = store.passages(ACME, [chunk.passage])[chunk.passage]
    assert passage.text[start:end] == "seven 八 nine 😀 eleven twelve"
    assert (passage.id, passage.document, passage.place, passage.page) == ("a.001", "a", "Part 1", 2)
    assert (passage.title, passage.source, passage.version, passage.language) == ("On a", "a.md", "1", "en")
    assert passage.trusted and passage.text == text and chunk.ordinal == 1


def test_the_nearest_come_first_with_their_similarity(store: Store) -> None:
    texts = [f"text {n}" for n in range(12)]
    store.put(document("a", *texts, language="zh"))
    hits = near(store, "text 7")
    asked = vector("text 7")
    expected = sorted((float(vector(t) @ asked) for t in texts), reverse=True)
    assert meant(store, "text 7")[0] == "a.007" and hits[0].language == "zh"
    assert [n.similarity for n in hits] == pytest.approx(expected, abs=2e-3)
    assert all(-1 <= n.similarity <= 1 for n in hits)


def test_only_vectors_of_the_model_that_is_named_are_searched(store: Store) -> None:
    store.put(document("a", "fox"))
    store.put(document("b", "fox", model="other/5"))
    store.put(document("c", "fox", model=""))
    assert meant(store, "fox") == ["a.000"]
    assert meant(store, "fox", model="other/5") == ["b.000"]
    assert meant(store, "fox") == ["a.000"]
    assert near(store, "fox", model="absent/8") == []
    assert store.dense(ACME, ANY, vector("fox", 5), MODEL, 9) == []
    assert len(found(store, "fox")) == 3


def test_another_model_makes_documents_outdated_until_they_have_its_vectors(store: Store) -> None:
    assert store.model() == "" and store.outdated() == []
    store.put(document("a", "red fox", "blue whale"))
    store.put(document("b", "grey wolf", model=""))
    assert store.model() == MODEL and store.outdated() == ["b"]
    assert store.counts(ACME, operator=False).without_vectors == 1
    store.set_model("new/3")
    assert store.model() == "new/3" and store.outdated() == ["a", "b"]
    assert store.counts(ACME, operator=False).without_vectors == 3
    texts = store.texts("a")
    assert [t for _, t in texts] == [embedded_text("On a", "Part 0", "red fox"), "On a Part 1\nblue whale"]
    store.set_vectors("a", "new/3", [(chunk, vector(text.split("\n")[1], 3)) for chunk, text in texts])
    assert store.outdated() == ["b"] and store.held("a").model == "new/3"  # type: ignore[union-attr]
    assert meant(store, "blue whale", model="new/3") == ["a.001", "a.000"]
    assert near(store, "blue whale") == []
    assert store.counts(ACME, operator=False).without_vectors == 1


def test_vectors_that_came_too_late_change_nothing(store: Store) -> None:
    store.put(document("a", "red fox"))
    late = [(chunk, vector("late")) for chunk, _ in store.texts("a")]
    store.put(document("a", "red fox"))
    store.set_vectors("a", MODEL, late)
    store.set_vectors("gone", MODEL, late)
    assert near(store, "red fox")[0].similarity == pytest.approx(1, abs=2e-3)


def test_new_vectors_take_the_place_of_the_old(store: Store) -> None:
    store.put(document("a", "red fox", "blue whale"))
    store.put(document("b", "grey wolf"))
    assert meant(store, "blue whale")[0] == "a.001"
    chunks = [chunk for chunk, _ in store.texts("a")]
    store.set_vectors("a", MODEL, [(chunks[0], vector("blue whale")), (chunks[1], vector("red fox"))])
    assert meant(store, "blue whale")[0] == "a.000"
    assert sorted(meant(store, "blue whale")) == ["a.000", "a.001", "b.000"]
    store.set_vectors("a", MODEL, [(chunks[1], vector("red fox"))])
    assert sorted(meant(store, "blue whale")) == ["a.001", "b.000"] and store.outdated() == ["a"]


def test_a_document_is_replaced_with_all_that_belongs_to_it(store: Store) -> None:
    store.put(document("a", "old fox", "old wolf", roles=("hr",), tags=("x",)))
    store.put(document("b", "bear"))
    store.replace(document("a", "new fox", digest="other"), ["b", "no-such-document"])
    assert found(store, "old", access=HR) == found(store, "bear") == [] and found(store, "new") == ["a.000"]
    assert store.passage(HR, "a.001") is None and store.held("b") is None
    assert store.held("a").digest == "other"  # type: ignore[union-attr]
    assert [d.roles for d in store.documents(ACME)] == [()] and len(near(store, "fox")) == 1


def test_a_document_that_moved_is_known_by_its_new_place(store: Store) -> None:
    store.put(document("a", "fox"))
    store.put(document("b", "bear"))
    store.move("a", "/elsewhere", "x/y.md", gone=["a", "b"])
    assert store.of_root("/docs") == []
    (held,) = store.of_root("/elsewhere")
    assert store.held("a") == held
    assert (held.id, held.tenant, held.key, held.rank, held.root, held.file) == (
        "a", "*", "a", "1", "/elsewhere", "x/y.md",
    )  # fmt: skip
    assert store.passage(ACME, "a.000").source == "x/y.md"  # type: ignore[union-attr]
    assert found(store, "fox", narrowed=Filter(source="x/")) == ["a.000"]


def test_documents_of_a_folder_come_by_file_and_version(store: Store) -> None:
    for version in ("2", "1"):
        store.put(document(f"a{version}", "fox", key="a", version=version, file="a.md"))
    store.put(document("b", "fox", file="A.md"))
    assert [(h.file, h.id) for h in store.of_root("/docs")] == [("A.md", "b"), ("a.md", "a1"), ("a.md", "a2")]


def test_removed_documents_are_gone_from_everything(store: Store) -> None:
    store.put(document("a", "red fox"))
    store.put(document("b", "blue fox"))
    row = words(store, "red").candidates[0]
    assert store.drop(["a", "a", "no-such-document"]) == 1 and store.drop(["a"]) == 0 and store.drop([]) == 0
    store.erase()
    store.erase()
    assert found(store, "red") == [] and found(store, "fox") == ["b.000"] and meant(store, "red fox") == ["b.000"]
    assert store.passage(ACME, "a.000") is None and store.beginning(ACME, "a", 9) == []
    assert store.passages(ACME, [row.passage]) == store.spans(ACME, [row.chunk]) == {}
    assert store.held("a") is None and store.texts("a") == []
    assert [d.id for d in store.documents(ACME)] == ["b"] and store.counts(ACME, operator=True).chunks == 1


def test_passages_are_found_by_the_beginning_of_their_id(store: Store) -> None:
    store.put(document("a%b_c", "fox", "bear"))
    store.put(document("axbxc", "fox"))
    store.put(document("hidden", "fox", tenant="globex"))
    assert [p.id for p in store.beginning(ACME, "a%b_c.0", 9)] == ["a%b_c.000", "a%b_c.001"]
    assert store.beginning(ACME, "A%", 9) == store.beginning(ACME, "hid", 9) == store.beginning(ACME, "z", 9) == []


def test_the_passages_beside_one_are_those_of_its_document(store: Store) -> None:
    store.put(document("a", "one", "two", "three"))
    store.put(document("b", "four", "five", tenant="globex"))
    ids = [[p and p.id for p in store.neighbours(ACME, f"a.00{n}")] for n in range(3)]
    assert ids == [[None, "a.001"], ["a.000", "a.002"], ["a.001", None]]
    assert store.neighbours(ACME, "b.000") == store.neighbours(ACME, "no-such-passage") == (None, None)
    assert store.neighbours(GLOBEX, "b.000")[1].id == "b.001"  # type: ignore[union-attr]


SHELF = [
    document("all", "secret fox"),
    document("acme", "secret fox", tenant="acme"),
    document("globex", "secret fox", tenant="globex", trusted=False),
    document("hr", "secret fox", roles=("hr", "legal")),
    document("own", "secret fox", tenant="acme", owner="ann"),
    document("others", "secret fox", tenant="acme", owner="bob"),
    document("own-hr", "secret fox", tenant="acme", owner="hank", roles=("hr",)),
    document("old", "secret fox", key="rule", version="1"),
    document("new", "secret fox", key="rule", version="2", language="zh"),
    document("next", "secret fox", key="rule", version="3", valid_from="2026-11-01"),
    document("expired", "secret fox", valid_to="2026-10-30"),
    document("last-day", "secret fox", valid_to="2026-10-31"),
    document("replaced", "secret fox", key="for-hr", version="1"),
    document("replacing", "secret fox", key="for-hr", version="2", roles=("hr",)),
    document("lasting", "secret fox", key="event", version="1", valid_from="2026-10-01"),
    document("over", "secret fox", key="event", version="2", valid_to="2026-10-30"),
]
MAY_READ = {
    ACME: {"all", "acme", "own", "new", "last-day", "replaced", "lasting"},
    HR: {"all", "acme", "hr", "own-hr", "new", "last-day", "replacing", "lasting"},
    GLOBEX: {"all", "globex", "new", "last-day", "replaced", "lasting"},
    Access("acme", "bob", ("legal",), TODAY): {
        "all",
        "acme",
        "hr",
        "others",
        "new",
        "last-day",
        "replaced",
        "lasting",
    },
    Access("globex", "ann", (), "2026-11-01"): {"all", "globex", "next", "replaced", "lasting"},
    Access("%", "", ("*", "'"), TODAY): {"all", "new", "last-day", "replaced", "lasting"},
}


@pytest.fixture
def shelf(store: Store) -> Store:
    for one in SHELF:
        store.put(one)
    return store


@pytest.mark.parametrize("access", MAY_READ, ids=lambda a: f"{a.tenant}:{a.user}:{','.join(a.roles)}")
def test_a_caller_reads_only_what_is_theirs_and_in_force_by_every_way(shelf: Store, access: Access) -> None:
    expected = {f"{d}.000" for d in MAY_READ[access]}
    everyone = [Access(d.tenant, d.owner or "x", d.roles or ("x",), access.today) for d in SHELF]
    chunks = {n.chunk: n.passage for who in everyone for n in near(shelf, "secret fox", who)}
    assert set(found(shelf, "fox", access=access)) == set(meant(shelf, "secret fox", access)) == expected
    assert {p.id for p in shelf.passages(access, list(chunks.values())).values()} == expected
    assert len(shelf.spans(access, list(chunks))) == len(shelf.chunk_texts(access, list(chunks))) == len(expected)
    assert {p.id for p in shelf.beginning(access, "", 99)} == expected
    assert {f"{d.id}.000" for d in SHELF if shelf.passage(access, f"{d.id}.000")} == expected
    lexical = words(shelf, "fox", access=access)
    assert (lexical.count, lexical.frequency) == (len(expected), (len(expected),))
    assert {d.id for d in shelf.documents(access) if d.status == "current"} == MAY_READ[access]


def test_what_is_not_in_force_is_listed_and_counted_but_not_what_is_for_others(shelf: Store) -> None:
    listed = shelf.documents(ACME)
    assert {d.id: d.status for d in listed if d.status != "current"} == {
        "old": "superseded", "next": "upcoming", "expired": "expired", "over": "expired",
    }  # fmt: skip
    counts = shelf.counts(ACME, operator=False)
    assert (counts.documents, counts.passages, counts.chunks) == (11, 11, 11)
    assert (counts.expired, counts.superseded, counts.upcoming, counts.untrusted) == (2, 1, 1, 0)
    assert counts.languages == {"en": 6, "zh": 1} and counts.bytes == 0
    everything = shelf.counts(ACME, operator=True)
    assert (everything.documents, everything.superseded, everything.untrusted) == (
        16,
        2,
        1,
    ) and everything.bytes > 1_000
    for seen in (shelf.documents(HR), shelf.documents(ACME, operator=True)):
        assert {d.id: d.status for d in seen}["replaced"] == "superseded"
    own = next(d for d in listed if d.id == "own")
    assert (own.owner, own.added, own.passages, own.roles) == ("ann", "2026-10-01", 1, ())


NARROWED = {
    Filter(documents=("acme", "globex", "rule")): {"acme", "new"},
    Filter(documents=("new",)): {"new"},
    Filter(source="ac"): {"acme"},
    Filter(source="A"): set(),
    Filter(source="%"): set(),
    Filter(language="zh"): {"new"},
    Filter(tags=("x", "y")): {"tagged"},
    Filter(tags=("x", "y"), language="zh"): set(),
    Filter(trusted_only=True): {"all", "acme", "own", "new", "last-day", "replaced", "lasting"},
}


@pytest.mark.parametrize("narrowed", NARROWED, ids=str)
def test_a_filter_narrows_what_is_searched_and_counted(shelf: Store, narrowed: Filter) -> None:
    shelf.put(document("tagged", "secret fox", tags=("y", "z"), trusted=False))
    expected = {f"{d}.000" for d in NARROWED[narrowed]}
    assert set(found(shelf, "fox", narrowed=narrowed)) == expected
    hits = shelf.dense(ACME, narrowed, vector("fox"), MODEL, 50)
    assert {p.id for p in shelf.passages(ACME, [n.passage for n in hits]).values()} == expected
    assert words(shelf, "fox", narrowed=narrowed).frequency == (len(expected),)


def test_tags_and_roles_come_back_as_they_were_given(store: Store) -> None:
    store.put(document("a", "fox", tags=("b,c", 'd"', "甲"), roles=("hr", "a,b", 'q"')))
    listed = store.documents(Access("acme", "u", ("a,b",), TODAY))
    assert [(d.tags, d.roles) for d in listed] == [(("b,c", 'd"', "甲"), ("a,b", "hr", 'q"'))]
    assert store.documents(Access("acme", "u", ("a", "b"), TODAY)) == []


VOCABULARY = ["fox", "wolf", "bear", "owl", "退货", "a.b"]
_text = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12).map(" ".join)
_documents = st.lists(
    st.builds(
        lambda texts, head, **fields: (texts, head, fields),
        st.lists(_text, min_size=1, max_size=3),
        st.lists(st.sampled_from(VOCABULARY), max_size=2).map(" ".join),
        tenant=st.sampled_from(["*", "acme", "globex"]),
        key=st.sampled_from(["k1", "k2", "k3"]),
        version=st.sampled_from(["1", "2", "3"]),
        roles=st.sampled_from([(), ("hr",), ("legal", "hr")]),
        owner=st.sampled_from(["", "", "ann"]),
        tags=st.sampled_from([(), ("x",)]),
        language=st.sampled_from(["en", "zh"]),
        trusted=st.booleans(),
        valid_from=st.sampled_from([None, "2026-10-31", "2026-11-01"]),
        valid_to=st.sampled_from([None, "2026-10-30", "2026-10-31"]),
    ),
    max_size=8,
)
_accesses = st.builds(
    Access,
    st.sampled_from(["acme", "globex", "none"]),
    st.sampled_from(["ann", "bob"]),
    st.sampled_from([(), ("hr",), ("hr", "legal")]),
    st.sampled_from([TODAY, "2026-11-01"]),
)
_filters = st.builds(
    Filter,
    documents=st.sampled_from([(), ("k1", "d2")]),
    source=st.sampled_from(["", "d"]),
    language=st.sampled_from(["", "zh"]),
    tags=st.sampled_from([(), ("x",)]),
    trusted_only=st.booleans(),
)
_groups = st.lists(
    st.builds(
        lambda own, variants: group(*own, variants=variants),
        st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=2).map(" ".join), min_size=1, max_size=2),
        st.lists(st.sampled_from(VOCABULARY), max_size=2),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=_documents, access=_accesses, narrowed=_filters, groups=_groups, spread=st.integers(0, 9))
def test_words_and_meanings_are_ranked_as_if_only_the_readable_documents_were_there(
    store: Store,
    made: list[tuple[list[str], str, dict[str, object]]],
    access: Access,
    narrowed: Filter,
    groups: list[object],
    spread: int,
) -> None:
    # What the example before left goes away beside what comes, so that caches live through both.
    before = [h.id for h in store.of_root("/docs")]
    shelf = {f"d{n}": document(f"d{n}", *texts, head=head, **fields) for n, (texts, head, fields) in enumerate(made)}
    for one in sorted(shelf.values(), key=lambda d: hash((spread, d.id))):
        store.put(one)
    store.drop([i for i in before if i not in shelf])
    may = readable(list(shelf.values()), access, narrowed)
    lexical = store.lexical(access, narrowed, groups, 99)  # type: ignore[arg-type]
    chunks = [c for d in may for p in d.passages for c in p.chunks]
    assert lexical.count == len(chunks)
    assert lexical.mean_length == pytest.approx(
        sum(len(c.head) + len(c.body) for c in chunks) / len(chunks) if chunks else 0
    )
    spans = store.spans(access, [c.chunk for c in lexical.candidates])
    passages = store.passages(access, [c.passage for c in lexical.candidates])
    order = [(passages[c.passage].id, spans[c.chunk][0]) for c in lexical.candidates]
    assert order == ranked(may, groups)  # type: ignore[arg-type]
    hits = store.dense(access, narrowed, vector("fox"), MODEL, 99)
    expected = sorted((float(vector(_span(d, c)) @ vector("fox")) for d, c in _chunks(may)), reverse=True)
    assert [h.similarity for h in hits] == pytest.approx(expected, abs=2e-3)


def _chunks(documents: list[StoredDocument]) -> list[tuple[str, tuple[int, int]]]:
    return [(p.text, (c.start, c.end)) for d in documents for p in d.passages for c in p.chunks]


def _span(text: str, span: tuple[int, int]) -> str:
    return text[slice(*span)]


def test_every_write_to_documents_is_seen_by_other_stores_at_their_next_search(open_store: Open) -> None:
    one, two = open_store(), open_store()
    writes: list[tuple[Callable[[], object], list[str], int]] = [
        (lambda: one.put(document("a", "red fox")), ["a.000"], 1),
        (lambda: one.put(document("b", "fox fox", model="")), ["b.000", "a.000"], 1),
        (lambda: one.set_vectors("b", MODEL, [(c, vector("x")) for c, _ in one.texts("b")]), ["b.000", "a.000"], 2),
        (lambda: one.put(document("a", "red fox", tenant="globex")), ["b.000"], 1),
        (lambda: one.replace(document("c", "fox"), ["b"]), ["c.000"], 1),
        (lambda: one.move("c", "/docs", "moved.md", gone=["a"]), ["c.000"], 1),
        (lambda: one.drop(["c"]), [], 0),
    ]
    generation = two.generation()
    for write, words_found, vectors_found in writes:
        write()
        assert found(two, "fox") == found(one, "fox") == words_found
        assert len(near(two, "fox")) == vectors_found
        assert two.generation() == one.generation() > generation
        generation = two.generation()


def test_several_threads_write_and_search_at_once(open_store: Open) -> None:
    stores = [open_store(), open_store()]
    failures: list[BaseException] = []

    def work(number: int) -> None:
        store = stores[number % 2]
        try:
            for n in range(8):
                store.put(document(f"d{number}-{n % 2}", f"fox {number} {n}", f"wolf {number} {n}"))
                lexical = words(store, "fox")
                assert len(lexical.candidates) == lexical.frequency[0] == lexical.count / 2
                assert len(near(store, "fox")) % 2 == 0
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [len(found(s, "fox")) for s in stores] == [8, 8]


def test_questions_without_an_answer_are_counted_by_tenant(store: Store) -> None:
    for tenant, question, day in [
        ("acme", "Is there a gym?", "2026-10-01"),
        ("acme", "有健身房吗?", "2026-10-20"),
        ("acme", "有健身房吗?", "2026-10-19"),
        ("globex", "Is there a gym?", "2026-10-30"),
    ]:
        store.note_unanswered(tenant, question, day)
    gym, zh = Unanswered("Is there a gym?", 1, "2026-10-01"), Unanswered("有健身房吗?", 2, "2026-10-20")
    assert store.unanswered("acme", "2026-10-01", 9) == [zh, gym]
    assert store.unanswered("acme", "2026-10-02", 9) == store.unanswered("acme", "2026-10-01", 1) == [zh]
    assert store.unanswered("none", "2026-10-01", 9) == []
    assert store.unanswered("*", "2026-10-01", 9) == [Unanswered("Is there a gym?", 2, "2026-10-30"), zh]


def test_a_question_without_an_answer_is_told_to_who_asked_it_and_to_the_operator(store: Store) -> None:
    for tenant, user, day in [("acme", "ann", 1), ("acme", "bob", 3), ("acme", "bob", 2), ("globex", "ann", 4)]:
        store.note_unanswered(tenant, "Is there a gym?", f"2026-10-{day:02}", user=user)
    store.note_unanswered("acme", "谁被解雇?", "2026-10-05", user="bob")
    gym = "Is there a gym?"
    assert store.unanswered("acme", "2026-10-01", 9, user="ann") == [Unanswered(gym, 1, "2026-10-01")]
    bobs = store.unanswered("acme", "2026-10-01", 9, user="bob")
    assert bobs == [Unanswered(gym, 2, "2026-10-03"), Unanswered("谁被解雇?", 1, "2026-10-05")]
    assert store.unanswered("globex", "", 9, user="bob") == store.unanswered("acme", "", 9, user="*") == []
    assert store.unanswered("acme", "", 9) == []
    for user in ("", "ann"):
        everything = store.unanswered("*", "2026-10-01", 9, user=user)
        assert everything == [Unanswered(gym, 4, "2026-10-04"), Unanswered("谁被解雇?", 1, "2026-10-05")]


def test_of_the_questions_without_an_answer_the_latest_are_kept(store: Store) -> None:
    for n in range(MAX_UNANSWERED + 3):
        store.note_unanswered("acme", f"question {n}", f"2026-{1 + n // 100:02}-01", user=f"u{n % 2}")
    assert sum(len(store.unanswered("acme", "", 9_999, user=u)) for u in ("u0", "u1")) == MAX_UNANSWERED


ODD = ["x\x00y", "half \ud83d", "'; DROP TABLE document; --", "%s %(x)s", "", "退\u200b货", "\N{PILE OF POO}" * 50]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_text_is_stored_and_asked_for_without_an_error(store: Store, odd: str) -> None:
    one = document("a", f"fox {odd}", key=odd or "a", tags=(odd,), title=f"T {odd}", file=f"{odd}.md")
    store.put(one)
    (passage,) = store.beginning(ACME, "a.", 9)
    assert len(passage.text) == len(one.passages[0].text) and passage.text.startswith("fox ")
    assert found(store, "fox") == ["a.000"]
    access = Access("acme", odd, (odd,), TODAY)
    assert store.passage(access, odd) is None and store.held(odd) is None and store.drop([odd]) == 0
    assert [p.id for p in store.beginning(access, odd, 9)] == ([] if odd else ["a.000"])
    store.lexical(access, Filter(documents=(odd,), source=odd, language=odd, tags=(odd,)), [group(odd or "x")], 9)
    store.dense(access, Filter(tags=(odd,)), vector("x"), odd or MODEL, 9)
    store.note_unanswered(odd, odd, TODAY)
    assert store.unanswered(odd, TODAY, 9)[0].times == 1


def test_a_document_without_passages_or_chunks_is_held_but_not_found(store: Store) -> None:
    store.put(document("empty"))
    bare = document("bare", "fox")
    store.put(dataclasses.replace(bare, passages=(dataclasses.replace(bare.passages[0], chunks=()),)))
    assert {d.id: d.passages for d in store.documents(ACME)} == {"bare": 1, "empty": 0}
    assert found(store, "fox") == [] and store.outdated() == []
    assert store.passage(ACME, "bare.000").text == "fox"  # type: ignore[union-attr]


def test_the_day_a_document_was_added_is_filled_in(store: Store) -> None:
    store.put(document("a", "fox", added=""))
    assert len(store.documents(ACME)[0].added) == len(TODAY)


def test_similarities_do_not_depend_on_where_a_vector_is_kept(store: Store) -> None:
    store.put(document("a", "fox", "wolf", tenant="acme"))
    before = near(store, "bear")
    for n in range(7):
        store.put(document(f"hidden{n}", *[f"{n} {m}" for m in range(n + 1)], tenant="globex"))
    store.put(document("a", "fox", "wolf", tenant="acme"))
    after = near(store, "bear")
    assert [n.similarity for n in after] == [n.similarity for n in before]
    assert np.isfinite([n.similarity for n in after]).all()
