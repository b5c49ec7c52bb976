from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from bad_answers import BAD
from good_answers import GOOD
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_turns import CANCELLED, ORDER, TURNS, grounds, passage

from signoff.nodes.checks import Finding, check, citations, degrade
from signoff.nodes.checks.leak import leaks
from signoff.nodes.checks.statement import claims
from signoff.state import Evidence
from signoff.text import language


@pytest.mark.parametrize(("turn", "answer"), GOOD)
def test_an_answer_that_stands_on_its_grounds_passes(turn: str, answer: str) -> None:
    assert check(answer, grounds(turn, language(answer))) == []


@pytest.mark.parametrize(("turn", "answer"), GOOD)
def test_a_good_answer_is_not_cut(turn: str, answer: str) -> None:
    assert degrade(answer, [], grounds(turn, language(answer))) == answer


@pytest.mark.parametrize(("turn", "kind", "answer"), BAD)
def test_an_answer_without_grounds_is_found(turn: str, kind: str, answer: str) -> None:
    found = check(answer, grounds(turn, language(answer)))
    assert kind in {f.kind for f in found}
    for finding in found:
        assert re.fullmatch(r"[A-Z'\[].*\.", finding.message, re.DOTALL)


@pytest.mark.parametrize(("turn", "kind", "answer"), BAD)
def test_what_is_left_of_a_bad_answer_is_clean(turn: str, kind: str, answer: str) -> None:
    known = grounds(turn, language(answer))
    left = degrade(answer, check(answer, known), known)
    assert left and check(left, known) == []


def test_only_the_unsupported_sentence_goes() -> None:
    known = grounds("returns", "zh")
    answer = "签收之日起 7 天内可以退货 [1]。手续费为 9 元。退款退回原付款账户 [2][5]。"
    left = degrade(answer, check(answer, known), known)
    assert left == "签收之日起 7 天内可以退货 [1]。退款退回原付款账户 [2]。"


def test_a_list_that_lost_its_items_loses_its_introduction() -> None:
    known = grounds("vpn", "en")
    answer = "The password needs at least 14 characters [1].\n\nFees:\n- 20 yuan a month\n- 30 yuan a year"
    assert degrade(answer, check(answer, known), known) == "The password needs at least 14 characters [1]."


@pytest.mark.parametrize(
    ("lang", "answer", "sentence"),
    [
        ("en", "It costs 55 yuan.", "I found no document or record that says so."),
        ("zh", "费用 55 元。", "我没有找到能够支持这一点的文档或记录。"),
    ],
)
def test_when_nothing_is_left_the_answer_says_so_in_the_askers_language(lang: str, answer: str, sentence: str) -> None:
    known = grounds("nothing", lang)
    assert degrade(answer, check(answer, known), known) == sentence


def test_a_secret_is_in_no_finding_and_not_in_what_is_left() -> None:
    known = grounds("nothing")
    secret = "sk-proj-abcd1234efgh5678ijkl"
    answer = f"Use {secret} to sign in."
    found = check(answer, known)
    assert [f.kind for f in found] == ["leak"]
    assert secret not in repr(found) and secret not in degrade(answer, found, known)


@pytest.mark.parametrize(
    "text",
    [
        "订单号 6222021234567890 已查到",
        "运单号 SF1234567890123",
        "tracking 1Z999AA10123456784",
        "The password has at least 14 characters.",
        "身份证号 110105194912310021",
        "卡号 6222 **** **** 7894",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "see the evidence and the findings",
        "2026-10-31T10:00:00+08:00",
    ],
)
def test_what_only_looks_like_a_secret_is_none(text: str) -> None:
    assert leaks(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "It has not been refunded.",
        "Nothing was changed.",
        "The order could not be cancelled.",
        "It will be refunded after approval.",
        "If it has been cancelled, you need do nothing.",
        "Once your refund has been approved, you get an e-mail.",
        "Should I cancel it?",
        "Was it refunded?",
        "Refunds are issued to the paying account.",
        "I have found the order.",
        "I have checked the policy and looked up your order.",
        "The refund is being processed.",
        "The refund still has to be approved.",
        "Please confirm that the address can be changed.",
        "I can prepare a refund to be approved by a supervisor.",
        "Cancelled orders cannot be refunded.",
        "未退款。",
        "还没有取消。",
        "无法修改地址。",
        "需要先提交申请。",
        "是否已退款?",
        "订单已取消了吗?",
        "如果已提交,请等待。",
        "退款完成后会通知您。",
        "待审批通过后退款。",
        "已激活的软件不能退。",
        "正在处理退款。",
        "建议您修改地址。",
        "我已查到订单。",
        "已为您查询到 3 条物流信息。",
        "请提交申请。",
        "您可以取消订单。",
        "将为您退款。",
        "已签收的商品可以退货。",
    ],
)
def test_no_claim_of_completion_is_seen_where_there_is_none(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("Your refund has now been issued.", "refund"),
        ("I've gone ahead and cancelled it.", "cancel"),
        ("We refunded the full amount.", "refund"),
        ("The money was paid back to your card.", "refund"),
        ("Your address has been successfully updated.", "update"),
        ("The order is now cancelled.", "cancel"),
        ("No problem, I just changed the address.", "update"),
        ("Refunded 299.00 yuan.", "refund"),
        ("The ticket has been created and sent to the team.", "create"),
        ("Your request was successfully submitted.", "submit"),
        ("The cancellation is complete.", "cancel"),
        ("You can no longer change it, but I have cancelled the order.", "cancel"),
        ("退款已成功。", "refund"),
        ("已帮你退了款。", "refund"),
        ("您的订单现已取消。", "cancel"),
        ("我刚刚帮您改好了地址。", "update"),
        ("已将 A1002 的地址改为新地址。", "update"),
        ("工单已经提交给维修组。", "submit"),
        ("报销单提交成功。", "submit"),
        ("没问题,已为您取消。", "cancel"),
        ("不能再退,不过已经帮您换货。", "operate"),
        ("邮件已发送。", "send"),
        ("会议室已预订成功。", "book"),
    ],
)
def test_claims_of_completion_are_read_in_both_languages(text: str, deed: str) -> None:
    assert deed in {c.deed for c in claims(text)}


def test_the_citations_of_an_answer_come_in_the_order_of_their_numbers() -> None:
    evidence = [passage(2, "vpn.en.md", "4. Sessions"), passage(1, "vpn.en.md", "3. Password")]
    found = citations("A session lasts 12 hours [2]. Use 14 characters [1, 2]. Else [9].", evidence)
    assert [(c["n"], c["place"].split(" › ")[-1]) for c in found] == [
        (1, "3. Password and second factor"),
        (2, "4. Sessions"),
    ]
    assert citations("No marker.", evidence) == []


def test_findings_of_other_checks_are_taken_out_too() -> None:
    known = grounds("returns", "zh")
    answer = "签收之日起 7 天内可以退货 [1]。天气很好。"
    odd = Finding("unsupported", "天气很好", "This does not belong here.")
    assert degrade(answer, [odd], known) == "签收之日起 7 天内可以退货 [1]。"


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ("A1005 has been cancelled.", set()),
        ("订单 A1005 已取消。", set()),
        ("A1001 has been cancelled.", {"claim"}),
        ("订单 A1001 已取消。", {"claim"}),
        ("I have cancelled A1005.", {"claim"}),
        ("A1001 cost 299.00 yuan.", set()),
        ("A1005 cost 60.90 yuan.", {"number"}),
        ("I refunded A1003 earlier, under R1003.", set()),
        ("I refunded A1002 earlier.", {"claim", "number"}),
    ],
)
def test_results_of_earlier_turns_speak_each_for_its_own_record(answer: str, kinds: set[str]) -> None:
    earlier = [json.dumps({**r, "metadata": {}}, ensure_ascii=False) for r in (ORDER, CANCELLED)]
    said = "I refunded A1003: 299.00 yuan, refund id R1003."
    known = replace(grounds("nothing"), history="\n".join(["What about my orders?", *earlier, said]))
    assert {f.kind for f in check(answer, known)} == kinds


@pytest.mark.parametrize(
    "answer",
    [
        piece * (12_000 // len(piece))
        for piece in (
            "-",
            "\n",
            " ",
            "[",
            "< ",
            "已退款",
            "has been refunded and ",
            "1,",
            "a1-",
            "年",
            "I and ",
            "4111 ",
            "sk-",
            "eyJ",
        )
    ],
    ids=lambda a: repr(a[:8]),
)
def test_long_monotonous_texts_come_to_an_end(answer: str) -> None:
    known = grounds("check")
    assert check(degrade(f"{answer}x", check(f"{answer}x", known), known), known) == []


_PIECES = st.one_of(
    st.sampled_from([a for _, a in GOOD] + [a for _, _, a in BAD]),
    st.sampled_from(
        "[1] 【2】 [99] [1, 3] 已 了 退款 7 天 A1001 ¥ 299.00 \n - | ** <evidence> . 。 has been refunded".split(" ")
    ),
    st.text(max_size=12),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECES, max_size=8).map("".join), st.sampled_from(sorted(TURNS)), st.sampled_from(["zh", "en"]))
def test_no_text_breaks_the_checks_and_what_is_left_is_clean(answer: str, turn: str, lang: str) -> None:
    known = replace(grounds(turn), language=lang)
    left = degrade(answer, check(answer, known), known)
    assert left.strip()
    assert check(left, known) == []


def test_what_a_cited_document_says_was_done_may_be_repeated() -> None:
    rule = "The parking fee was changed on 2026-03-01. The car park was closed for repairs."
    evidence: list[Evidence] = [
        {**passage(1, "vpn.en.md", "4. Sessions"), "title": "Parking", "place": "Fees", "text": rule}
    ]
    known = replace(grounds("nothing"), evidence=evidence)
    assert check("The parking fee was changed on 1 March 2026 [1].", known) == []
    assert {f.kind for f in check("Your parking fee was refunded [1].", known)} == {"claim"}
