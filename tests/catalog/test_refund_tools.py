from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from bench import MINE, OTHER, Bench, sample_bench

from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.tools.contract import Risk
from signoff.tools.envelope import Code

bench = pytest.fixture(sample_bench)


def test_a_check_computes_the_answer_and_gives_the_reason_in_both_languages(bench: Bench) -> None:
    data = bench.run("check_refund", order_id="A1001")
    assert data["refundable"] is False and data["reason_code"] == "window_over"
    assert (data["received_on"], data["days_since"], data["window_days"]) == ("2026-10-22", 9, 7)
    assert (data["last_day"], data["policy"], data["amount_yuan"]) == ("2026-10-29", "return-policy/7-days", "299.00")
    assert bench.say("check_refund", "en", order_id="A1001").startswith("Cannot be refunded. Order A1001 was signed")
    assert bench.say("check_refund", "zh", order_id="A1001").startswith("不能退款。订单 A1001 于 2026-10-22 签收")


def test_a_check_reads_damage_out_of_the_reason_and_shows_the_words(bench: Bench) -> None:
    data = bench.run("check_refund", order_id="A1001", reason="到货就碎了")
    assert data["refundable"] is True and data["damaged_on_arrival"] is True
    assert data["damage_words"] == ["碎了"] and data["last_day"] == "2026-11-06"
    assert "「碎了」" in bench.say("check_refund", "zh", order_id="A1001", reason="到货就碎了")
    assert "“broken”" in bench.say("check_refund", "en", order_id="A1001", reason="it was broken")


@pytest.mark.parametrize(
    ("caller", "order_id", "risk", "approvers", "amount"),
    [
        (MINE, "A1003", None, 1, "299.00"),
        (MINE, "A1004", Risk.CRITICAL, 1, "899.00"),
        (OTHER, "A2002", Risk.CRITICAL, 2, "6800.00"),
    ],
)
def test_the_amount_decides_who_must_sign(
    bench: Bench, caller: Caller, order_id: str, risk: Risk | None, approvers: int, amount: str
) -> None:
    card = bench.preview("refund_order", caller, order_id=order_id)
    assert (card.risk, card.approvers, card.amount_yuan) == (risk, approvers, Decimal(amount))
    assert card.reversible is False


@pytest.mark.parametrize(
    ("critical", "two", "risk", "approvers"),
    [
        ("299.00", "5000", None, 1),
        ("298.99", "5000", Risk.CRITICAL, 1),
        ("299.00", "299.00", None, 1),
        ("298.99", "298.99", Risk.CRITICAL, 2),
        ("1000", "100", Risk.CRITICAL, 2),
    ],
)
def test_a_threshold_is_crossed_only_above_it(
    tmp_path: Path, critical: str, two: str, risk: Risk | None, approvers: int
) -> None:
    bench = Bench(tmp_path, critical_above_yuan=Decimal(critical), two_person_above_yuan=Decimal(two))
    card = bench.preview("refund_order", order_id="A1003")
    assert (card.risk, card.approvers) == (risk, approvers)


def test_the_card_shows_before_and_after_the_account_and_why_it_is_eligible(bench: Bench) -> None:
    before = bench.dump()
    card = bench.preview("refund_order", order_id="A1003", reason="it arrived broken")
    account = bench.records.order(MINE, "A1003").paying_account("en")
    assert card.title == "Refund order A1003: 299.00 yuan"
    assert [(c.field, c.before, c.after) for c in card.changes] == [
        ("order status", "delivered", "refunded"),
        ("refund", None, f"299.00 yuan to {account}"),
    ]
    assert "2026-11-13" in card.evidence[0] and "Reason given: it arrived broken" in card.evidence
    assert any("“broken”" in e for e in card.evidence)
    assert bench.dump() == before


@pytest.mark.parametrize(
    ("locale", "reason", "title"),
    [
        (None, "it arrived broken", "Refund order A1003: 299.00 yuan"),
        (None, "收到就坏了", "订单 A1003 退款 299.00 元"),
        ("zh", "it arrived broken", "订单 A1003 退款 299.00 元"),
        ("en", "收到就坏了", "Refund order A1003: 299.00 yuan"),
    ],
)
def test_a_card_is_in_the_requesters_language(bench: Bench, locale: str | None, reason: str, title: str) -> None:
    caller = Caller("acme", "u-17", locale=locale)
    assert bench.preview("refund_order", caller, order_id="A1003", reason=reason).title == title


@pytest.mark.parametrize(
    ("order_id", "code"),
    [
        ("A1001", Code.NOT_ELIGIBLE),
        ("A1002", Code.NOT_ELIGIBLE),
        ("A1005", Code.NOT_ELIGIBLE),
        ("A1006", Code.NOT_ELIGIBLE),
        ("A2002", Code.ORDER_NOT_FOUND),
        ("G1001", Code.ORDER_NOT_FOUND),
        ("A9999", Code.ORDER_NOT_FOUND),
    ],
)
def test_an_order_that_cannot_be_refunded_never_becomes_a_card(bench: Bench, order_id: str, code: Code) -> None:
    before = bench.dump()
    for attempt in (bench.preview, bench.run):
        with pytest.raises(ToolError) as refused:
            attempt("refund_order", order_id=order_id)
        assert refused.value.code == code
        assert refused.value.hint and order_id in refused.value.message_zh and not refused.value.retryable
    assert bench.dump() == before


def test_a_refund_runs_once_and_tells_its_number(bench: Bench) -> None:
    account = bench.records.order(MINE, "A1003").paying_account("en")
    assert bench.say("refund_order", "en", order_id="A1003", reason="it arrived broken").splitlines() == [
        f"Order A1003 was refunded: 299.00 yuan goes back to {account}. Refund id: R1003, 2026-10-31.",
        "Source: refund records.",
    ]
    with pytest.raises(ToolError) as refused:
        bench.run("refund_order", order_id="A1003")
    assert refused.value.code == Code.CONFLICT and "R1003" in refused.value.message
    assert "Refund id: R1003." in bench.say("query_order", "en", order_id="A1003")
    assert "退款单号:R1003。" in bench.say("query_order", "zh", order_id="A1003")


def test_a_refund_is_told_in_chinese(bench: Bench) -> None:
    account = bench.records.order(MINE, "A1004").paying_account("zh")
    assert bench.say("refund_order", "zh", order_id="A1004").splitlines() == [
        f"订单 A1004 已退款 899.00 元,退回{account}。退款单号:R1003,2026-10-31。",
        "来源:退款系统。",
    ]
