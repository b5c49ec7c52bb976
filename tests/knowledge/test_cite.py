from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.knowledge import cite
from signoff.knowledge.reading import plain, values
from signoff.knowledge.values import contains

SAME = (
    ("299", "299.00"),
    ("¥299", "299.00 元"),
    ("299 yuan", "RMB 299"),
    ("1,234.50", "1234.5"),
    ("1.2万元", "12,000 元"),
    ("12k", "12,000"),
    ("7 天", "7 days"),
    ("七天", "7-day"),
    ("seven days", "7 个自然日"),
    ("two weeks", "14 天"),
    ("24 小时", "1 day"),
    ("24h", "24 hours"),
    ("3 个工作日", "3 business days"),
    ("12 个月", "one year"),
    ("50%", "百分之五十"),
    ("73.7 %", "73.7 percent"),
    ("十五天", "fifteen days"),
    ("二十四小时", "24 hours"),
    ("2026-10-22", "2026年10月22日"),
    ("Oct 22, 2026", "22 October 2026"),
    ("October 22nd", "10月22日"),
    ("2026/10/22", "2026-10-22T11:05:00+08:00"),
    ("22/10/2026", "2026-10-22"),
    ("10/22/2026", "2026-10-22"),
    ("10月22日", "2026-10-22"),
    ("2:03 pm", "14:03"),
    ("下午2点半", "14:30"),
    ("上午 10:00", "10 am"),
    ("a1001", "A1001"),
    ("RF-2026-01", "rf-2026-01"),
    ("Ａ１００１", "A1001"),
    ("２９９元", "299 yuan"),
)
OTHER = (
    ("299", "399"),
    ("299 元", "299 美元"),
    ("7 天", "7 小时"),
    ("7 天", "7 个工作日"),
    ("7 天", "7%"),
    ("3 个月", "3 天"),
    ("2026-10-22", "2026-10-23"),
    ("2026-10-22", "2025-10-22"),
    ("10月22日", "2026-11-22"),
    ("2:03 pm", "2:03 am"),
    ("A1001", "A1002"),
    ("A1001", "A10011"),
    ("22", "2026-10-22"),
    ("1.5", "15"),
    ("1 次", "同一故障,一律免费"),
    ("1 家", "一线城市"),
)


def says(source: str, claim: str) -> bool:
    return all(contains(values(source, words=True), v, plain(source)) for v in values(claim))


@pytest.mark.parametrize(("claim", "source"), [*SAME, *((b, a) for a, b in SAME if "月" not in a and "T11" not in b)])
def test_one_value_is_known_in_all_its_forms(claim: str, source: str) -> None:
    assert values(claim) and says(source, claim)


@pytest.mark.parametrize(("claim", "source"), OTHER)
def test_another_value_is_not_taken_for_it(claim: str, source: str) -> None:
    assert values(claim) and not says(source, claim)


def test_a_year_left_out_is_this_years() -> None:
    source = values("截止 10月22日")
    this, last = values("2026-10-22")[0], values("2025-10-22")[0]
    assert contains(source, this, today=date(2026, 10, 31)) and not contains(source, last, today=date(2026, 10, 31))


def test_ranges_and_lists_give_each_of_their_values() -> None:
    assert [v.text for v in values("7–15 天, 10月22日至10月29日, 299，300")] == [
        "7",
        "15 天",
        "10月22日",
        "10月29日",
        "299",
        "300",
    ]
    assert [sorted(v.days) for v in values("Oct 22-29, 2026")] == [[(2026, 10, 22)], [(2026, 10, 29)]]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a [1] b [2]", [(1,), (2,)]),
        ("a [1][2]", [(1,), (2,)]),
        ("a [1, 3] b【2】c [^4]", [(1, 3), (2,), (4,)]),
        ("a[1]、[2]", [(1,), (2,)]),
        ("a [1-3] b 【2–4】 c [1~2, 5]", [(1, 2, 3), (2, 3, 4), (1, 2, 5)]),
        ("a [^1-^2] b [3-1] c [1-900]", [(1, 2), (3, 1), (1, 900)]),
        ("array[x] [2026] [] [1a] [a]", []),
    ],
)
def test_markers_are_read_as_models_write_them(text: str, numbers: list[tuple[int, ...]]) -> None:
    assert [m.numbers for m in cite.markers(text)] == numbers


ZH = (
    "退货与退款政策\n1. 七天无理由退货\n自签收之日起 7 天内,您可以申请退货,无需说明理由。"
    "超过 7 天的申请不再适用无理由退货。"
)
EN = (
    "Return policy\nDamaged on arrival\nIf the product arrives damaged, you have 15 days from signing to return it, "
    "and we pay the shipping. A fault found later is no longer a return.\n\nThe following are excluded:\n"
    "- engraved products\n"
    "- activated software"
)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("签收后 7 天内可以退货,不需要理由 [1]。", ZH),
        ("超过七天就不能无理由退货了[1]。", ZH),
        ("You can return it within seven days of signing, no reason needed [1].", ZH),
        ("After 7 days it cannot be returned without a reason [1].", ZH),
        ("Damaged products can be returned for 15 days; we pay the shipping [2].", EN),
        ("到货破损的,15 天内可以退货,运费由我们承担 [2]。", EN),
        ("Engraved products are excluded [2].", EN),
        ("Not later than 15 days [2].", EN),
    ],
)
def test_a_passage_supports_what_it_says_in_either_language(sentence: str, passage: str) -> None:
    assert cite.supports(sentence, passage) == []


@pytest.mark.parametrize(
    ("sentence", "passage", "lacking"),
    [
        ("签收后 10 天内可以退货 [1]。", ZH, "10 天"),
        ("签收后 7 小时内可以退货 [1]。", ZH, "7 小时"),
        ("You have 15 days [1].", ZH, "15 days"),
        ("See order A1001 [2].", EN, "a1001"),
        ("By 2026-10-29 you can return it [2].", EN, "2026-10-29"),
        ("The battery of the headphones lasts long in winter [2].", EN, "its wording"),
        ("食堂供应早餐和咖啡,环境安静舒适 [1]。", ZH, "its wording"),
        ("Shipping of damaged products is not paid [3].", "Shipping\nWe pay the shipping of damaged products.", "not"),
        ("Engraved products can be returned [2].", EN, "can"),
        ("已激活的软件可以退款 [3]。", "政策\n以下商品不支持退货:\n- 已激活的软件", "可以"),
    ],
)
def test_what_a_passage_does_not_say_is_named(sentence: str, passage: str, lacking: str) -> None:
    assert any(lacking in part for part in cite.supports(sentence, passage))


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_the_comparison(sentence: str, passage: str) -> None:
    assert isinstance(cite.supports(sentence, passage), list)
    for value in values(passage):
        assert contains(values(passage), value, plain(passage))


@given(st.text(alphabet="0123456789.,-/:年月日天点%万 a", max_size=40))
def test_a_text_always_says_its_own_values(text: str) -> None:
    assert cite.missing_values(text, values(text), text) == []
