from __future__ import annotations

import json
import re

import pytest
from bench import MINE, OTHER, Bench, sample_bench

from signoff.caller import Caller
from signoff.errors import ToolError

bench = pytest.fixture(sample_bench)

ADDRESS = "杭州市滨江区江南大道 88 号"


def test_an_order_is_told_with_status_amount_dates_and_source(bench: Bench) -> None:
    assert bench.say("query_order", "en", order_id="A1001").splitlines() == [
        "Order A1001: delivered, signed for on 2026-10-22.",
        "Amount: 299.00 yuan. Items: mechanical keyboard ×1. Placed on 2026-10-18.",
        "Delivery address: 成都市解放路265号2701室.",
        "Source: order records.",
    ]
    assert bench.say("query_order", "zh", order_id="A1001").splitlines() == [
        "订单 A1001:已送达,2026-10-22 签收。",
        "金额:299.00 元。商品:机械键盘 ×1。下单日期:2026-10-18。",
        "收货地址:成都市解放路265号2701室。",
        "来源:订单系统。",
    ]


@pytest.mark.parametrize(
    ("order_id", "en", "zh"),
    [
        ("A1002", "Order A1002: paid, not shipped yet.", "订单 A1002:已付款,未发货。"),
        ("A1005", "Order A1005: cancelled on 2026-10-20.", "订单 A1005:已于 2026-10-20 取消。"),
        ("A1006", "Order A1006: in transit, shipped on 2026-10-29.", "订单 A1006:运输中,2026-10-29 发货。"),
    ],
)
def test_each_status_comes_in_words_with_its_day(bench: Bench, order_id: str, en: str, zh: str) -> None:
    assert bench.say("query_order", "en", order_id=order_id).startswith(en)
    assert bench.say("query_order", "zh", order_id=order_id).startswith(zh)


def test_every_result_about_every_order_reads_well_in_both_languages(bench: Bench) -> None:
    for caller in (MINE, OTHER, Caller("acme", "u-51"), Caller("globex", "u-17"), Caller("globex", "u-23")):
        said = [("list_my_orders", {})]
        for order in bench.records.orders(caller):
            said += [(t, {"order_id": order.order_id}) for t in ("query_order", "query_logistics", "check_refund")]
        for name, args in said:
            for lang, source in (("en", "Source: "), ("zh", "来源:")):
                text = bench.say(name, lang, caller, **args)
                assert len(json.dumps(bench.run(name, caller, **args), ensure_ascii=False, indent=1)) < 4_000
                assert source in text.splitlines()[-1]
                assert not re.search(r"None|[{}]|_|\d{4}-\d\d-\d\dT", text), text
                assert re.search(r"\d+\.\d\d (yuan|元)", text) or name == "query_logistics"
                if lang == "zh":
                    assert not re.search(r"\b(delivered|transit|refunded|cancelled|yuan|signed)\b", text), text


@pytest.mark.parametrize("name", ["query_order", "query_logistics", "check_refund"])
@pytest.mark.parametrize("order_id", ["A2001", "G1001", "A9999"])
def test_no_tool_shows_anothers_order(bench: Bench, name: str, order_id: str) -> None:
    with pytest.raises(ToolError) as refused:
        bench.run(name, order_id=order_id)
    assert refused.value.code == "ORDER_NOT_FOUND"
    assert order_id in refused.value.message_zh and refused.value.hint


def test_the_list_says_whose_orders_it_holds_how_many_and_how_many_are_shown(bench: Bench) -> None:
    data = bench.run("list_my_orders", limit=2)
    assert (data["total"], data["shown"], len(data["orders"])) == (6, 2, 2)
    assert data["scope"] == "only the orders of the person asking"
    assert bench.say("list_my_orders", "en", limit=2).startswith("Your orders, the newest 2 of 6:\n- A1002: ")
    assert bench.say("list_my_orders", "zh").startswith("你的订单共 6 笔:\n- A1002:已付款,未发货,128.00 元")


def test_a_list_narrowed_to_a_status_names_it_and_may_be_empty(bench: Bench) -> None:
    assert [o["order_id"] for o in bench.run("list_my_orders", status="in_transit")["orders"]] == ["A1006"]
    assert bench.say("list_my_orders", "en", status="refunded").startswith(
        "You have no orders with the status “refunded”."
    )
    assert bench.say("list_my_orders", "zh", status="refunded").startswith("你没有订单(状态:已退款)。")


def test_amounts_name_their_unit_and_times_are_absolute(bench: Bench) -> None:
    data = bench.run("query_order", order_id="A1003")
    assert data["amount_yuan"] == "299.00" and data["items"] == "noise-cancelling headset ×1"
    assert data["signed_at"] == "2026-10-29T14:22:00+08:00"
    assert (data["status"], data["status_zh"]) == ("delivered", "已送达")
    assert re.fullmatch(r"[A-Za-z ]+ \*{4}\d{4}", data["paying_account"])


def test_a_parcel_is_told_newest_event_first(bench: Bench) -> None:
    lines = bench.say("query_logistics", "en", order_id="A1001").splitlines()
    assert lines[1].startswith("Carrier: ") and "tracking number" in lines[1]
    assert lines[2].startswith("- 2026-10-22 11:05 signed for, ")
    assert "- 2026-10-22 11:05 已签收," in bench.say("query_logistics", "zh", order_id="A1001")


def test_an_unshipped_order_has_no_parcel(bench: Bench) -> None:
    assert bench.run("query_logistics", order_id="A1002")["events"] == []
    assert "no parcel" in bench.say("query_logistics", "en", order_id="A1002")
    assert "没有发货" in bench.say("query_logistics", "zh", order_id="A1002")


def test_the_card_of_an_address_change_shows_the_old_and_the_new_one(bench: Bench) -> None:
    before = bench.dump()
    old = bench.records.order(MINE, "A1002").address
    card = bench.preview("update_address", order_id="A1002", address=ADDRESS)
    assert [(c.field, c.before, c.after) for c in card.changes] == [("收货地址", old, ADDRESS)]
    assert card.reversible and card.risk is None
    english = bench.preview("update_address", order_id="A1002", address="5 Harbour Street, Ningbo")
    assert english.title == "Change the delivery address of order A1002"
    assert bench.dump() == before


def test_an_address_change_runs_and_tells_both_addresses(bench: Bench) -> None:
    data = bench.run("update_address", order_id="A1002", address=f"  {ADDRESS} ")
    assert data["address"] == ADDRESS == bench.records.order(MINE, "A1002").address
    said = bench.say("update_address", "zh", order_id="A1002", address="宁波市港口路 5 号 2 楼")
    assert said.startswith("订单 A1002 的收货地址已改为:宁波市港口路 5 号 2 楼。") and ADDRESS in said


def test_the_card_of_a_cancellation_shows_where_the_money_goes(bench: Bench) -> None:
    before = bench.dump()
    card = bench.preview("cancel_order", order_id="A1002")
    account = bench.records.order(MINE, "A1002").paying_account("en")
    assert [(c.before, c.after) for c in card.changes] == [
        ("paid, not shipped yet", "cancelled"),
        ("128.00 yuan paid", f"128.00 yuan back to {account}"),
    ]
    assert not card.reversible and str(card.amount_yuan) == "128.00"
    assert bench.dump() == before


def test_a_cancellation_runs_once(bench: Bench) -> None:
    said = bench.say("cancel_order", "en", order_id="A1002", reason="found it cheaper")
    assert said.startswith("Order A1002 was cancelled on 2026-10-31; 128.00 yuan goes back to ")
    with pytest.raises(ToolError) as refused:
        bench.run("cancel_order", order_id="A1002")
    assert refused.value.code == "CONFLICT"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("update_address", {"order_id": "A1006", "address": ADDRESS}),
        ("update_address", {"order_id": "A2001", "address": ADDRESS}),
        ("cancel_order", {"order_id": "A1001"}),
        ("cancel_order", {"order_id": "G1008"}),
    ],
)
def test_a_change_that_is_impossible_never_becomes_a_card(bench: Bench, name: str, args: dict[str, str]) -> None:
    with pytest.raises(ToolError) as previewed:
        bench.preview(name, **args)
    before = bench.dump()
    with pytest.raises(ToolError) as refused:
        bench.run(name, **args)
    assert previewed.value.message == refused.value.message
    assert bench.dump() == before
