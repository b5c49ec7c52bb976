from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import ACME, GLOBEX, opened, write

from signoff.caller import Caller
from signoff.errors import UsageError
from signoff.knowledge import Knowledge
from signoff.knowledge.cases import Case
from signoff.knowledge.evaluation import Measures, Search, evaluate, percentile, recall, reciprocal_rank
from signoff.knowledge.passages import Passage


def passage(document: str, text: str, *, number: int = 1, title: str = "", source: str = "") -> Passage:
    return Passage(
        f"{document}.{number}", document, title or document, "", source or f"{document}.md", "1", "en", True, text, 1.0
    )


SHELF = [
    passage("cats-1", "Cats are fed twice a day.", title="Feeding Cats", source="animals/cats.md"),
    passage("cats-1", "Cats sleep for 15 hours.", number=2, title="Feeding Cats", source="animals/cats.md"),
    passage("dogs-1", "Dogs are walked at 7 am.", title="狗的照料", source="animals/dogs.md"),
]


def shelf(text: str, limit: int) -> Sequence[Passage]:
    return [] if text == "unheard of" else SHELF[:limit]


@pytest.mark.parametrize(
    ("case", "ranks"),
    [
        (Case("q", ("cats-1",)), (1,)),
        (Case("q", ("cats-1.2",)), (2,)),
        (Case("q", ("feeding  CATS",)), (1,)),
        (Case("q", ("animals/dogs.md",)), (3,)),
        (Case("q", ("animals/dogs",)), (3,)),
        (Case("q", ("狗的照料", "cats-1", "birds")), (3, 1, None)),
        (Case("q", contains=("sleep for １５ hours",)), (2,)),
        (Case("q", contains=("Dogs", "7\nAM")), (3,)),
        (Case("q", contains=("Dogs", "8 am")), (None,)),
        (Case("q", ("cats-1",), ("15 hours",)), (2,)),
        (Case("q", ("dogs-1",), ("15 hours",)), (None,)),
        (Case("unheard of", ("cats-1",)), (None,)),
        (Case("q", none=True), ()),
    ],
)
def test_a_target_is_known_by_any_of_its_names_and_by_what_it_says(case: Case, ranks: tuple[int | None, ...]) -> None:
    [outcome] = evaluate([case], shelf).outcomes
    assert outcome.ranks == ranks
    assert outcome.missed == (None in ranks or case.none)


def test_the_measures_are_those_of_the_ranks() -> None:
    run = evaluate(
        [
            Case("q", ("cats-1",)),
            Case("q", ("dogs-1", "birds")),
            Case("unheard of", ("cats-1",)),
            Case("q", none=True),
            Case("unheard of", none=True),
        ],
        shelf,
    )
    measures = run.measures
    assert (measures.questions, measures.without) == (3, 2)
    assert measures.recall == {1: pytest.approx(1 / 3), 5: pytest.approx(0.5), 10: pytest.approx(0.5)}
    assert measures.mrr == pytest.approx((1 + 1 / 3) / 3)
    assert (measures.empty, measures.silent) == (pytest.approx(1 / 3), 0.5)
    assert 0 < measures.p50_ms <= measures.p95_ms
    assert [o.case.question for o in run.misses] == ["q", "unheard of", "q"]
    assert [o.lacking for o in run.misses] == [("birds",), ("cats-1",), ()]


def test_the_record_can_be_written_as_json_and_tells_what_was_found_instead() -> None:
    record = json.loads(json.dumps(evaluate([Case("q", ("birds",), caller=None)], shelf).record()))
    [case] = record["cases"]
    assert record["recall"] == {"1": 0.0, "5": 0.0, "10": 0.0}
    assert case["missed"] and case["ranks"] == [None]
    assert [f["source"] for f in case["found"]] == ["animals/cats.md", "animals/cats.md", "animals/dogs.md"]


@given(st.lists(st.lists(st.none() | st.integers(1, 30), min_size=1, max_size=4).map(tuple), min_size=1))
def test_recall_grows_with_the_cut_and_no_measure_leaves_its_range(ranks: list[tuple[int | None, ...]]) -> None:
    measures = Measures.of(ranks, [0.1] * len(ranks))
    assert 0 <= measures.recall[1] <= measures.recall[5] <= measures.recall[10] <= 1
    assert 0 <= measures.mrr <= 1
    assert all(recall(r, 1) <= reciprocal_rank(r) for r in ranks)


@given(st.lists(st.floats(0, 100), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_a_value_that_enough_do_not_exceed(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(v <= found for v in values) >= share * len(values) - 1e-9
    assert sum(v < found for v in values) < share * len(values) + 1e-9


def test_nothing_measured_is_no_error() -> None:
    measures = evaluate([], shelf).measures
    assert (measures.questions, measures.recall[10], measures.p95_ms, measures.silent) == (0, 0.0, 0.0, 1.0)


def test_a_case_is_asked_as_its_own_caller_and_refused_where_that_cannot_be() -> None:
    case = Case("q", none=True, caller=GLOBEX)

    def search_as(caller: Caller) -> Search:
        return (lambda *_: []) if caller == GLOBEX else shelf

    assert not evaluate([case], shelf, search_as=search_as).misses
    with pytest.raises(UsageError, match="globex/u-17"):
        evaluate([case], shelf)


@pytest.fixture
def library(tmp_path: Path) -> Knowledge:
    folder = tmp_path / "docs"
    write(folder, "rotas/nights.md", "## Night shifts\n\nA night shift begins at 22:00.\n", title="Rotas", key="rota-n")
    write(folder, "vans.md", "## Vans\n\nA van is washed every Friday.\n", title="Vans")
    write(folder, "secret.md", "## Vans\n\nThe van of the chief is never washed.\n", title="Chief", roles="board")
    knowledge = opened(tmp_path / "knowledge.db")
    assert len(knowledge.add(folder, tenant="acme").added) == 3
    return knowledge


def test_a_desks_documents_are_known_by_their_keys_and_mistyped_names_are_told(library: Knowledge) -> None:
    cases = [
        Case("When does a night shift begin?", ("rota-n",)),
        Case("When is a van washed?", ("vans", "vnas", "Chief")),
        Case("When is a van washed?", none=True, caller=GLOBEX),
    ]

    def search_as(caller: Caller) -> Search:
        return lambda text, limit: library.search(caller, text, limit=limit)

    run = evaluate(cases, search_as(ACME), documents=library.documents(ACME), search_as=search_as)
    assert [o.ranks for o in run.outcomes] == [(1,), (1, None, None), ()]
    # What this caller may not read is told like what is not there.
    assert run.unknown == ("vnas", "Chief")
    assert run.measures.silent == 1.0
    library.close()
