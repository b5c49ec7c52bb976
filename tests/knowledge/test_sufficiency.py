from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from near_misses import ASKED_ANEW
from questions import ASKED
from shelf import ACME, opened

from signoff.embedding import encoder_of
from signoff.knowledge import Knowledge, Passage, sample_folder
from signoff.knowledge.sufficiency import MAX_MISSING, MAX_OTHERS, assess, other_words
from signoff.settings import Settings

# The question, and what of it the sample documents do not speak of.
LACKING = (
    ("refund policy for hotel bookings in Japan", ("Japan",)),
    ("What is the refund policy for concert tickets?", ("concert",)),
    ("Does the warranty cover drones?", ("drones",)),
    ("sick leave rules for pilots", ("pilots",)),
    ("Which documents does a supplier from Norway need?", ("Norway",)),
    ("How many days of annual leave do I get in Germany?", ("Germany",)),
    ("报销制度里宠物寄养费怎么报", ("宠物",)),
    ("火星出差住宿标准", ("火星",)),
    ("游艇可以报销吗", ("游艇",)),
    ("日本酒店预订的退款政策是什么", ("日本",)),
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    knowledge = opened(
        tmp_path_factory.mktemp("knowledge") / "knowledge.db", encoder=encoder_of(Settings(embeddings="use"))
    )
    knowledge.add(sample_folder())
    yield knowledge
    knowledge.close()


@pytest.mark.parametrize(("question", "lacks"), LACKING)
def test_what_no_passage_speaks_of_is_named(sample: Knowledge, question: str, lacks: tuple[str, ...]) -> None:
    found = sample.find(ACME, [question])
    assert not found.sufficiency.enough
    for words in lacks:
        assert any(words in m for m in found.sufficiency.missing), found.sufficiency


def test_questions_that_the_documents_answer_lack_nothing(sample: Knowledge) -> None:
    asked = [(key, q, sample.find(ACME, [q])) for q, key in (*ASKED, *ASKED_ANEW)]
    answered = [(q, f.sufficiency) for key, q, f in asked if any(p.source.startswith(key) for p in f.passages[:3])]
    flagged = [a for a in answered if not a[1].enough]
    assert len(answered) > 200 and len(flagged) <= len(answered) // 15, flagged


def passage(text: str, *, language: str = "en", title: str = "Rules") -> Passage:
    return Passage("id", "doc", title, "", "rules.md", "1", language, True, text, 1.0)


@pytest.mark.parametrize(
    ("question", "texts", "missing"),
    [
        ("Does the warranty cover batteries?", ["The guarantee covers the battery."], ()),
        ("Does the warranty cover drones?", ["The guarantee covers the battery."], ("drones",)),
        ("音箱的保修期多久", ["The speaker has a warranty of 24 months."], ()),
        ("Is there a per diem in London?", ["出差补贴每天 100 元。"], ()),
        ("How long does order A1001 take to be refunded?", ["A refund takes 3 days."], ()),
        ("How many policies limit the amount?", ["Anything at all."], ()),
        ("What do refunds and parking cost?", ["A refund is free."], ("parking cost",)),
        ("refund policy for hotel bookings in Japan", ["A refund takes 3 days."], ("hotel bookings", "Japan")),
        ("年假和牙科保险怎么申请", ["年假可以半天为单位申请。"], ("牙科保险",)),
    ],
)
def test_words_are_met_through_the_glossary_and_in_any_form(
    question: str, texts: list[str], missing: tuple[str, ...]
) -> None:
    passages = [passage(t, language="en" if t.isascii() else "zh") for t in texts]
    assert assess(question, passages).missing == missing
    assert assess(question, passages).enough is not bool(missing)


def test_without_passages_nothing_is_enough() -> None:
    assert not assess("hello", []).enough
    judged = assess("Does the warranty cover drones?", [])
    assert not judged.enough and judged.missing == ("warranty", "drones")


def test_a_title_or_heading_speaks_too() -> None:
    assert assess("Is parking free?", [passage("It costs 5 yuan.", title="Parking rules")]).enough


@pytest.mark.parametrize(
    ("question", "missing", "others"),
    [
        ("refund policy for hotel bookings in Japan", ("hotel bookings", "Japan"), ["hotel bookings"]),
        ("年假有几天?病假要证明吗?", ("病假",), ["病假要证明吗", "sick leave"]),
        ("退款多久", ("退款",), ["refund how long"]),
        ("Does the warranty cover drones?", ("drones",), []),
        ("dental plan", ("dental plan",), []),
        ("退款多久", (), []),
    ],
)
def test_other_words_look_for_what_is_missing_and_ask_for_no_less(
    question: str, missing: tuple[str, ...], others: list[str]
) -> None:
    assert other_words(question, missing) == others


def test_a_second_search_finds_nothing_for_what_no_document_speaks_of(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(sample_folder())
    for question in ("dental plan coverage", "今天上海天气怎么样", "Tell me a joke about cats", "公司股价明天是多少"):
        found = knowledge.find(ACME, [question])
        again = other_words(question, found.sufficiency.missing)
        assert not found.passages and not (again and knowledge.find(ACME, again).passages)
    knowledge.close()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=60), max_size=3))
def test_any_text_is_judged(question: str, texts: list[str]) -> None:
    judged = assess(question, [passage(t) for t in texts])
    assert len(judged.missing) <= MAX_MISSING
    assert judged.enough == (bool(texts) and not judged.missing)
    assert all(m.strip() and m in question for m in judged.missing)
    assert len(other_words(question, judged.missing)) <= MAX_OTHERS
