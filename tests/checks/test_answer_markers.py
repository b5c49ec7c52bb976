from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_turns import ORDER, TURNS, grounds, result

from signoff.nodes.checks import Grounds, attach, check, citations, degrade
from signoff.nodes.checks.assertion import asserts
from signoff.nodes.checks.marker import sentences
from signoff.state import Evidence


def passage(n: int, text: str, title: str = "Handbook", version: str = "2") -> Evidence:
    return Evidence(
        n=n,
        passage=f"p{n}",
        title=title,
        place="Rules",
        source="a.md",
        version=version,
        page=None,
        trusted=True,
        text=text,
    )


FITNESS = passage(1, "The fitness room opens at 7:00. Guests are not admitted. Lockers cost 20 yuan a month.")
PARKING = passage(2, "Visitors park free of charge for up to 4 hours. After that each hour costs 8 yuan.")
MEDIA = passage(3, "U 盘未经登记,不得接入公司电脑。登记有效期为 6 个月。遗失的 U 盘应当在 2 小时内报告。")
TRAVEL = passage(4, "| 职级 | 住宿(每晚) |\n|---|---|\n| 员工 | 450 元 |\n| 经理 | 600 元 |\n\n机票须提前 10 天预订。")


def asked(*evidence: Evidence, language: str = "en", question: str = "What are the rules?", **more: object) -> Grounds:
    known = replace(grounds("nothing", language), evidence=list(evidence), question=question, documented=True)
    return replace(known, **more)  # type: ignore[arg-type]


ALL = (FITNESS, PARKING, MEDIA, TRAVEL)


@pytest.mark.parametrize(
    "text",
    [
        "The limit is 3 days.",
        "Guests are not admitted.",
        "I can confirm that guests are admitted.",
        "According to the handbook, guests are admitted.",
        "Yes, guests are admitted.",
        "Please submit the form within 30 days.",
        "We refund the price within a week.",
        "员工每晚 450 元。",
        "根据规定,U 盘必须登记。",
        "好的,U 盘必须先登记。",
        "我查到 U 盘必须先登记。",
        "请在 30 天内提交报销单。",
        "- Lockers are emptied on Fridays",
        "| 经理 | 600 元 |",
        "The policy does not cover batteries.",
    ],
)
def test_a_statement_that_could_be_looked_up_is_a_fact(text: str) -> None:
    assert asserts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello! How can I help you?",
        "Sure.",
        "Yes.",
        "## Opening hours",
        "**Opening hours**",
        "Here are the rules:",
        "Would you like to know more?",
        "I can also look up your order.",
        "Let me know if you need the details.",
        "I found no document that says so.",
        "The documents do not say whether guests may park.",
        "No document mentions a discount.",
        "I searched the handbook and the policies.",
        "Please contact the service desk.",
        "Source: Handbook, Rules",
        "None of my tools can do this: tell a joke",
        "Today is 2026-10-31.",
        "您好,请问有什么可以帮您?",
        "好的。",
        "可以。",
        "规定如下:",
        "我没有找到这样说的文档。",
        "没有找到提到年假的文档。",
        "文档中没有说明是否收费。",
        "我可以帮您查询订单。",
        "需要我再查一下吗?",
        "请联系行政部。",
        "来源:员工手册",
        "---",
        "|---|---|",
        "```",
    ],
)
def test_talk_is_no_fact(text: str) -> None:
    assert not asserts(text)


@pytest.mark.parametrize(
    ("answer", "marked"),
    [
        ("The fitness room opens at 7:00.", "The fitness room opens at 7:00 [1]."),
        ("Guests are not admitted to the fitness room", "Guests are not admitted to the fitness room [1]"),
        (
            "Hello! Visitors park free of charge for up to 4 hours. Anything else?",
            "Hello! Visitors park free of charge for up to 4 hours [2]. Anything else?",
        ),
        ("登记有效期为 6 个月。", "登记有效期为 6 个月 [3]。"),
        ("- 登记有效期为 6 个月;\n- 机票须提前 10 天预订;", "- 登记有效期为 6 个月 [3];\n- 机票须提前 10 天预订 [4];"),
        ("| 职级 | 每晚 |\n|---|---|\n| 经理 | 600 元 |", "| 职级 | 每晚 |\n|---|---|\n| 经理 | 600 元 [4] |"),
        ("**Guests are not admitted to the fitness room.**", "**Guests are not admitted to the fitness room [1].**"),
        ("Lockers cost 20 yuan a month [2].", "Lockers cost 20 yuan a month [1]."),
        ("Lockers cost 20 yuan a month. [7]", "Lockers cost 20 yuan a month. [1]"),
        ("经理住宿每晚 600 元【1】。", "经理住宿每晚 600 元【4】。"),
        ("Lockers cost 20 yuan a month [^3].", "Lockers cost 20 yuan a month [^1]."),
    ],
)
def test_a_marker_beyond_doubt_is_put_or_corrected(answer: str, marked: str) -> None:
    known = asked(*ALL)
    assert attach(answer, known) == marked
    assert check(marked, known) == []


@pytest.mark.parametrize(
    "answer",
    [
        "The fitness room opens at 8:00.",
        "Guests are admitted to the fitness room.",
        "Lockers cost 20 dollars a month.",
        "Visitors park free of charge for at least 4 hours.",
        "经理住宿每晚 450 元。",
        "U 盘未经登记也可以接入公司电脑。",
        "登记有效期为 6 天。",
        "The pool is heated.",
        "I can confirm that guests are admitted to the fitness room.",
        "Lockers cost 8 yuan a month.",
        "Guests are admitted to the fitness room [1].",
        "Lockers cost 8 yuan a month [1].",
        "Lockers cost 8 yuan a month [2].",
        "The fitness room opens at 7:00 [2], and each hour costs 8 yuan [1].",
        "经理住宿每晚 450 元 [4]。",
        "U 盘可以直接接入公司电脑 [3]。",
        "登记有效期为 10 天 [3]。",
    ],
)
def test_nothing_is_put_behind_what_no_passage_says_and_it_goes(answer: str) -> None:
    known = asked(*ALL)
    assert attach(answer, known) == answer
    found = check(answer, known)
    assert found
    assert degrade(answer, found, known) == "I found no document that says so."


@pytest.mark.parametrize(
    "answer",
    [
        "Guests are not admitted [1]. Visitors park free of charge for up to 4 hours. [2]",
        "The fitness room opens at 7:00. Guests are not admitted. [1]",
        "Fitness room [1]:\n- opens at 7:00\n- guests are not admitted\n- lockers cost 20 yuan a month",
        "- The fitness room opens at 7:00\n- Guests are not admitted\n\nSource: [1]",
        "登记有效期为 6 个月；遗失的 U 盘应当在 2 小时内报告 [3]。",
        "The fitness room opens at 7:00 [1], and visitors park free of charge for up to 4 hours [2].",
        "Lockers cost 20 yuan a month, and each hour costs 8 yuan [1][2].",
        "Lockers cost 20 yuan a month, and each hour costs 8 yuan [1, 2].",
        "Lockers cost 20 yuan a month, and each hour costs 8 yuan [1-2].",
        "Guests are not admitted[^1]。",
        "The handbook says: “Guests are not admitted.” [1]",
        "I found no document that says whether dogs may come in. Guests are not admitted [1].",
    ],
)
def test_a_marker_counts_wherever_writers_put_it(answer: str) -> None:
    known = asked(*ALL)
    assert check(answer, known) == []
    assert attach(answer, known) == answer
    assert degrade(answer, [], known) == answer


@pytest.mark.parametrize(
    "answer",
    [
        "Fitness room [2]:\n- opens at 7:00\n- guests are not admitted",
        "The fitness room opens at 8:00. Guests are not admitted. [1]",
        "登记有效期为 2 个月；遗失的 U 盘应当在 2 小时内报告 [3]。",
        "- The fitness room opens at 7:00\n- Guests are admitted\n\nSource: [1]",
    ],
)
def test_a_marker_elsewhere_bears_only_what_its_passage_says(answer: str) -> None:
    known = asked(*ALL)
    assert {f.kind for f in check(answer, known)} <= {"unsupported", "number"} and check(answer, known)


@pytest.mark.parametrize(
    ("language", "answer", "left"),
    [
        ("en", "Guests pay 5 yuan.", "I found no document that says so."),
        ("en", "Yes. Guests are welcome at any time.", "I found no document that says so."),
        ("zh", "客人可以随时进入健身房。", "我没有找到这样说的文档。"),
        ("zh", "可以。客人随时都能进健身房。", "我没有找到这样说的文档。"),
    ],
)
def test_without_documents_an_answer_about_documents_abstains(language: str, answer: str, left: str) -> None:
    known = asked(language=language)
    found = check(answer, known)
    assert found and degrade(answer, found, known) == left
    assert check(left, known) == []


def test_what_is_not_asked_of_documents_needs_no_marker() -> None:
    known = replace(asked(*ALL), documented=False)
    assert check("The pool is heated.", known) == []
    assert (
        attach("Guests are not admitted to the fitness room.", known) == "Guests are not admitted to the fitness room."
    )


def test_records_and_the_persons_own_case_need_no_marker() -> None:
    known = asked(FITNESS, question="My order A1001 arrived broken. May guests come in?", results=[ORDER])
    assert check("Order A1001 was delivered on 2026-10-22. Guests are not admitted [1].", known) == []
    assert check("Your order A1001 arrived broken.", known) == []
    assert check("Guests may come in.", known)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is it true that lockers cost 35 yuan a month [1]?", "Lockers cost 35 yuan a month [1]."),
        ("The handbook says in [1] that lockers cost 35 yuan a month. Right?", "Lockers cost 35 yuan a month [1]."),
        ("手册 [3] 说登记有效期是 12 个月,对吗?", "登记有效期为 12 个月 [3]。"),
    ],
)
def test_a_marker_in_the_question_makes_its_claim_no_truer(question: str, answer: str) -> None:
    known = asked(*ALL, question=question)
    assert check(answer, known)
    assert "35" not in degrade(answer, check(answer, known), known)


def test_a_condition_of_the_person_may_be_repeated_with_the_rule() -> None:
    rule = passage(1, "| Years of service | Leave |\n|---|---|\n| 1 to 10 | 7 days |\n| 10 to 20 | 12 days |", "Leave")
    known = asked(rule, question="I have worked here for 5 years. How much leave do I get?")
    assert check("With 5 years of service you get 7 days of leave [1].", known) == []
    assert check("With 5 years of service you get 9 days of leave [1].", known)


def test_passages_in_a_tools_result_are_evidence_or_nothing() -> None:
    found = {"query": "lockers", "passages": [{"n": 9, "text": "Lockers cost 99 yuan a week."}]}
    known = asked(FITNESS, results=[result("search_knowledge", "read", found)])
    assert check("Lockers cost 99 yuan a week.", known)
    assert check("Lockers cost 99 yuan a week [9].", known)


def test_a_tools_text_with_a_marker_does_not_speak_for_the_passage() -> None:
    page = result("read_page", "read", {"text": "Lockers cost 99 yuan a month [1]."})
    known = asked(FITNESS, results=[page])
    assert check("Lockers cost 99 yuan a month [1].", known)


def test_what_may_no_longer_be_read_bears_nothing() -> None:
    answer = "Guests are not admitted to the fitness room [1]. The salary bonus is paid in March [5]."
    known = asked(FITNESS)
    found = check(answer, known)
    assert {f.kind for f in found} == {"citation"}
    assert "salary" not in repr([f.message for f in found])
    assert degrade(answer, found, known) == "Guests are not admitted to the fitness room [1]."


def test_a_superseded_versions_value_is_not_the_current_ones() -> None:
    known = asked(passage(1, "Lockers cost 20 yuan a month.", version="3"))
    old = "Lockers cost 15 yuan a month [1]."
    assert {f.kind for f in check(old, known)} == {"number"}
    assert degrade(old, check(old, known), known) == "I found no document that says so."


@pytest.mark.parametrize(
    "answer",
    [
        "Visitors park free of charge for up to 20 hours [2].",
        "Lockers cost 20 yuan for up to 4 hours [1].",
        "Lockers cost 8 yuan a month [1][2].",
        "Guests park free of charge for up to 7 hours [1][2].",
        "经理住宿每晚 600 元,须提前 6 个月预订 [3][4]。",
        "机票须提前 2 小时预订 [3][4]。",
    ],
)
def test_a_claim_stitched_from_two_passages_is_found(answer: str) -> None:
    known = asked(*ALL)
    assert {f.kind for f in check(answer, known)} & {"unsupported", "number"}


class Alike:
    """A similarity that says what it is told to."""

    def __init__(self, value: float | None) -> None:
        self.value = value

    def __call__(self, one: str, other: str) -> float | None:
        return self.value


@pytest.mark.parametrize(
    "answer",
    [
        "Guests are admitted to the fitness room [1].",
        "Lockers cost 25 yuan a month [1].",
        "Lockers cost 8 yuan a month [1].",
        "Visitors park free of charge for at least 4 hours [2].",
        "登记有效期为 6 天 [3]。",
        "经理住宿每晚 450 元 [4]。",
        "U 盘未经登记也可以接入公司电脑 [3]。",
        "The registration is valid for 6 days [3].",
        "A lost device must be reported within 6 hours [3].",
    ],
)
def test_no_likeness_makes_a_wrong_value_or_a_denied_sentence_right(answer: str) -> None:
    assert check(answer, asked(*ALL, alike=Alike(1.0), alike_floor=0.4))


def test_likeness_decides_where_words_cannot() -> None:
    other = "工作地点的咖啡由企业买单,随便喝 [1]。"
    coffee = passage(1, "Beverages in the pantry are sponsored by the employer.")
    for value, supported in ((0.9, True), (0.1, False)):
        known = asked(coffee, alike=Alike(value), alike_floor=0.4)
        assert (check(other, known) == []) is supported
    assert check(other, asked(coffee, alike=Alike(None), alike_floor=0.4)) == check(other, asked(coffee))


def test_sentences_know_the_markers_that_stand_for_them() -> None:
    answer = "Limits [1]:\n- a is 1\n- b is 2 [2]\n\nTail.\n\n| h |\n|---|\n| c |\n\n[3]"
    assert [(s.text, s.numbers, s.covered, s.silent) for s in sentences(answer)] == [
        ("Limits [1]:", (1,), (), False),
        ("- a is 1", (), (1,), False),
        ("- b is 2 [2]", (2,), (), False),
        ("Tail.", (), (), False),
        ("| h |", (), (3,), True),
        ("|---|", (), (3,), False),
        ("| c |", (), (3,), False),
        ("[3]", (3,), (), False),
    ]


def test_a_citation_names_the_page() -> None:
    evidence: Sequence[Evidence] = [{**FITNESS, "page": 12}]
    assert [(c["n"], c.get("page")) for c in citations("It opens at 7:00 [1].", evidence)] == [(1, 12)]


_PIECES = st.one_of(
    st.sampled_from(
        [
            "The fitness room opens at 7:00. ",
            "Guests are admitted [1]. ",
            "登记有效期为 6 个月。",
            "登记有效期为 8 个月 [3]；",
            "- Lockers cost 20 yuan a month\n",
            "| 经理 | 600 元 |\n",
            "|---|\n",
            "Source: [1]\n",
            "[1-3]",
            "【4】",
            "[^9]",
            "```\n",
            "Rules [2]:\n",
            "\n\n",
            "“",
            "**",
        ]
    ),
    st.text(max_size=10),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(_PIECES, max_size=9).map("".join), st.sampled_from(["zh", "en"]), st.booleans())
def test_no_text_breaks_the_markers_and_attaching_again_changes_nothing(answer: str, lang: str, asks: bool) -> None:
    known = replace(asked(*ALL, language=lang), documented=asks)
    marked = attach(answer, known)
    assert attach(marked, known) == marked
    left = degrade(marked, check(marked, known), known)
    assert left.strip() and check(left, known) == []


@pytest.mark.parametrize("turn", [t for t in TURNS if TURNS[t].get("evidence")])
def test_attaching_leaves_an_answer_without_facts_alone(turn: str) -> None:
    known = replace(grounds(turn), documented=True)
    for answer in ("", "Hello!", "Which order do you mean?", "I found no document that says so."):
        assert attach(answer, known) == answer
