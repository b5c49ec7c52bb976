from __future__ import annotations

from collections.abc import Sequence

import pytest
from dialogues import ALONE, COMPOSITE, FOLLOW_UPS
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import ASKED

from signoff.knowledge.rewrite import MAX_VARIANTS, in_other_language, parts_of, rewrite


@pytest.mark.parametrize(("history", "question", "names", "without"), FOLLOW_UPS)
def test_a_question_that_leans_on_earlier_ones_is_completed(
    history: Sequence[str], question: str, names: Sequence[str], without: Sequence[str]
) -> None:
    whole = rewrite(question, history)[0]
    assert [w for w in names if w not in whole] == [], whole
    assert [w for w in without if w in whole] == [], whole


def test_the_dialogues_are_of_both_languages() -> None:
    chinese = sum(not q.isascii() for _, q, _, _ in FOLLOW_UPS)
    assert len(FOLLOW_UPS) >= 40 and 15 <= chinese <= len(FOLLOW_UPS) - 15


@pytest.mark.parametrize(("history", "question"), ALONE)
def test_a_question_that_says_what_it_is_about_stays_as_it_is(history: Sequence[str], question: str) -> None:
    assert rewrite(question, history)[0] == question


def test_almost_no_self_contained_question_takes_anything_from_another_one() -> None:
    earlier = ["How do I install the VPN?", "访客停车怎么收费"]
    changed = [q for q, _ in ASKED if rewrite(q, earlier)[0] != q]
    assert len(changed) <= len(ASKED) // 12, changed


@pytest.mark.parametrize(("question", "parts"), COMPOSITE)
def test_a_composite_question_comes_with_its_parts(question: str, parts: Sequence[Sequence[str]]) -> None:
    found = parts_of(question)
    assert len(found) == len(parts)
    for part, names in zip(found, parts, strict=True):
        assert all(n in part for n in names), found
    assert rewrite(question, ())[1 : 1 + len(parts)] == found


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("退款多久", "refund how long"),
        ("谁审批报销", "reimbursement approval who"),
        ("How long is sick leave?", "病假 多久"),
        ("报销 laptop 的 zyx 政策", None),
        ("Can I bring my dog?", None),
        ("你好", None),
    ],
)
def test_the_other_language_is_offered_only_when_nothing_of_the_question_is_lost(
    question: str, other: str | None
) -> None:
    found = in_other_language(question)
    assert (sorted(found[0].split()) == sorted(other.split())) if other else found == []


_PIECES = st.sampled_from(
    "那 呢 ? 它 and what about it , 退款 多久 the refund VPN 年假 。 and how 这个 \0 \ud800 x".split(" ")
)
_TEXTS = st.one_of(st.text(max_size=40), st.lists(_PIECES, max_size=8).map(" ".join))


@settings(max_examples=150, deadline=None)
@given(_TEXTS, st.lists(_TEXTS, max_size=4))
def test_any_text_gives_a_few_distinct_wordings(question: str, history: list[str]) -> None:
    wordings = rewrite(question, history)
    assert bool(wordings) == bool(question.split())
    assert len(wordings) <= 1 + MAX_VARIANTS and len(set(wordings)) == len(wordings)
    assert all(w.strip() for w in wordings)


@settings(max_examples=60, deadline=None)
@given(_TEXTS)
def test_without_earlier_questions_nothing_is_added(question: str) -> None:
    assert rewrite(question, ())[:1] == ([" ".join(question.split())] if question.split() else [])
