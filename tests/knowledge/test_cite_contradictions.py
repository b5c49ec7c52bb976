from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.knowledge.contradiction import contradictions
from signoff.knowledge.polarity import is_negated, signs
from signoff.knowledge.qualifiers import bounded, letters, rates, weekdays
from signoff.knowledge.reading import plain
from signoff.knowledge.units import quotable, squeezed, units

POLICY = """Handbook
Handbook › 3. What is not covered

- Liquid damage and drops. Wear of the cushions is covered for a year.
- Loss

Parcels are sent on Mondays, but orders from row B
wait until Friday. The fee is 5 yuan per parcel; a letter costs 2 yuan.

| Grade | Hotel | Meals |
|---|---|---|
| Staff | 450 yuan | 90 yuan |
| Manager | 600 yuan | 120 yuan |"""


def test_units_are_clauses_items_and_cells_under_their_headings() -> None:
    found = units(POLICY)
    assert [u.text for u in found] == [
        "Liquid damage and drops.",
        "Wear of the cushions is covered for a year.",
        "Loss",
        "Parcels are sent on Mondays",
        "orders from row B wait until Friday.",
        "The fee is 5 yuan per parcel",
        "a letter costs 2 yuan.",
        "Staff Hotel: 450 yuan",
        "Staff Meals: 90 yuan",
        "Manager Hotel: 600 yuan",
        "Manager Meals: 120 yuan",
    ]
    assert [u.lead for u in found[:4]] == ["3. What is not covered", "", "3. What is not covered", ""]


@pytest.mark.parametrize(
    "quote",
    [
        "Liquid damage and drops.",
        "“Parcels are sent on Mondays, but orders from row B wait until Friday.”",
        "Grade: Manager; Hotel: 600 yuan; Meals: 120 yuan",
        "The handbook says: The fee is 5 yuan per parcel; a letter costs 2 yuan.",
    ],
)
def test_what_is_quoted_word_for_word_contradicts_nothing(quote: str) -> None:
    assert any(q in squeezed(quote) for q in quotable(POLICY))
    assert contradictions(quote, POLICY) == []


@pytest.mark.parametrize(
    ("claim", "what"),
    [
        ("Liquid damage is covered.", "covered"),
        ("Drops are covered.", "covered"),
        ("Wear of the cushions is not covered.", "negation"),
        ("Parcels are sent on Fridays.", "day of the week"),
        ("Orders from row C wait until Friday.", "letter"),
        ("The fee is 2 yuan per parcel.", "2 yuan"),
        ("A letter costs 5 yuan.", "5 yuan"),
        ("A manager's hotel may cost 450 yuan.", "450 yuan"),
        ("Meals of staff: 120 yuan.", "120 yuan"),
    ],
)
def test_what_the_passage_says_otherwise_is_named(claim: str, what: str) -> None:
    assert any(what in found for found in contradictions(claim, POLICY)), contradictions(claim, POLICY)


@pytest.mark.parametrize(
    "claim",
    [
        "Liquid damage is not covered.",
        "Drops are excluded.",
        "For a year, wear of the cushions is covered.",
        "Orders from row B are sent on Friday.",
        "A parcel costs a fee of 5 yuan.",
        "Managers get 600 yuan for a hotel and 120 yuan for meals.",
        "Staff: 450 yuan for the hotel, 90 yuan for meals.",
        "The moon is made of cheese.",
    ],
)
def test_what_it_says_in_other_words_or_not_at_all_is_no_contradiction(claim: str) -> None:
    assert contradictions(claim, POLICY) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at least 14 characters", {("14", "up")}),
        ("no more than 3 times", {("3", "down")}),
        ("not less than 90 days", {("7776000", "up")}),
        ("up to 4 hours", {("14400", "down")}),
        ("5 天以内", {("432000", "down")}),
        ("不超过 35 元", {("35", "down")}),
        ("超过 35 元", {("35", "up")}),
        ("500 元及以上", {("500", "up")}),
        ("不少于 2 张", {("2", "up")}),
        ("20 yuan", {("20", "")}),
    ],
)
def test_a_number_is_read_with_its_bound(text: str, found: set[tuple[str, str]]) -> None:
    assert bounded(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8 yuan an hour", {"hour"}),
        ("每晚 450 元", {"day"}),
        ("120 yuan per night", {"day"}),
        ("every 15 minutes", {"15 minute"}),
        ("每 3 个月更换一次", {"quarter"}),
        ("every 12 months", {"year"}),
        ("每 2 周", {"2 week"}),
        ("weekly", {"week"}),
        ("人均 200 元", {"person"}),
        ("8 yuan", set()),
    ],
)
def test_periods_are_read_in_both_languages(text: str, found: set[str]) -> None:
    assert rates(plain(text)) == found


def test_weekdays_and_letters_are_read() -> None:
    assert weekdays("Mondays and Fri, 周三") == weekdays("monday 星期三")
    assert letters("Rows C and D, A plan, I") == {"C", "D"}


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("It isn't covered.", True),
        ("You can't park here.", True),
        ("no reason needed", False),
        ("not later than 5 days", False),
        ("does not affect your right", False),
        ("不支持退货", True),
        ("无理由退货", False),
        ("不超过 5 天", False),
        ("不影响退货", False),
    ],
)
def test_a_denial_is_told_from_what_only_looks_like_one(text: str, negated: bool) -> None:
    assert signs(text).negated is negated
    assert negated is False or is_negated(text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_the_comparison_and_no_text_contradicts_itself_when_quoted(claim: str, passage: str) -> None:
    assert isinstance(contradictions(claim, passage), list)


@given(st.sampled_from(POLICY.split("\n")))
def test_a_line_of_the_passage_never_contradicts_it(line: str) -> None:
    assert contradictions(line.strip("-| "), POLICY) == [] or line.startswith("|")


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("Opened headphones can be returned.", "Unopened headphones can be returned."),
        ("Unopened software cannot be returned.", "Opened software cannot be returned."),
        ("已开封的耳机可以退货。", "未开封的耳机可以退货。"),
        ("未开封的软件不能退货。", "已开封的软件不能退货。"),
    ],
)
def test_opened_and_unopened_are_opposites(claim: str, rule: str) -> None:
    assert contradictions(claim, rule)
    assert contradictions(rule, rule) == []


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Outside Beijing the limit is 300 yuan a night.", False),
        ("Batteries are outside the warranty.", True),
        ("北京以外每晚 300 元。", False),
    ],
)
def test_outside_a_place_denies_nothing(text: str, negated: bool) -> None:
    assert is_negated(text) is negated
