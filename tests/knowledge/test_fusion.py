from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.knowledge.fusion import by_rank, joined
from signoff.knowledge.scoring import Scored
from signoff.knowledge.store import Near


def words(passage: int, score: float, *, share: float = 1.0, language: str = "en") -> Scored:
    return Scored(passage * 10, passage, language, score, share, share, 0.45, (0,))


def near(passage: int, similarity: float, *, language: str = "en") -> Near:
    return Near(passage * 10, passage, similarity, language)


def joint(found: list[Scored], met: list[Near]) -> dict[int, float]:
    return joined(found, met, "en", lambda similarity: similarity)


def test_what_both_legs_find_stands_before_what_one_finds() -> None:
    assert next(iter(joint([words(1, 9), words(2, 8)], [near(3, 0.9), near(2, 0.8)]))) == 2


def test_a_passage_counts_by_its_best_chunk() -> None:
    twice = joint([words(1, 9), words(1, 5)], [near(1, 0.9), near(1, 0.2)])
    assert twice == joint([words(1, 9)], [near(1, 0.9)])


def test_the_best_by_words_does_not_lead_when_it_speaks_of_little_and_is_far_in_meaning() -> None:
    assert next(iter(joint([words(1, 9, share=0.2)], [near(2, 1.0, language="zh"), near(1, 0.1)]))) == 2


@given(
    st.lists(st.tuples(st.integers(0, 8), st.floats(0.01, 50)), max_size=12),
    st.lists(st.tuples(st.integers(0, 8), st.floats(0, 1)), max_size=12),
)
def test_joining_loses_and_invents_nothing_and_is_ordered(
    lexical: list[tuple[int, float]], dense: list[tuple[int, float]]
) -> None:
    found = [words(p, s) for p, s in sorted(lexical, key=lambda t: -t[1])]
    met = [near(p, s) for p, s in sorted(dense, key=lambda t: -t[1])]
    merits = joint(found, met)
    assert set(merits) == {p for p, _ in [*lexical, *dense]}
    assert list(merits.values()) == sorted(merits.values(), reverse=True)


@given(st.lists(st.lists(st.integers(0, 9), max_size=9), max_size=4))
def test_reciprocal_rank_sums_the_better_places(rankings: list[list[int]]) -> None:
    sums = by_rank(rankings)
    for item, total in sums.items():
        places = [list(dict.fromkeys(r)).index(item) for r in rankings if item in r]
        assert abs(total - sum(1 / (61 + p) for p in places)) < 1e-9
    assert set(sums) == {i for r in rankings for i in r}
