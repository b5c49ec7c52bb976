from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from questions import ASKED, OFF_TOPIC
from shelf import ACME, GLOBEX, opened, write

from signoff.knowledge import Knowledge, sample_folder


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    knowledge = opened(tmp_path_factory.mktemp("knowledge") / "knowledge.db")
    report = knowledge.add(sample_folder())
    assert len(report.added) >= 12 and not report.skipped
    yield knowledge
    knowledge.close()


def test_nine_questions_in_ten_find_their_document_among_the_first_three(sample: Knowledge) -> None:
    missed = [q for q, key in ASKED if not any(p.source.startswith(key) for p in sample.search(ACME, q, limit=3))]
    assert len(ASKED) >= 40
    assert len(missed) <= len(ASKED) // 10, missed


@pytest.mark.parametrize("spoken", ["zh", "en"])
def test_each_language_alone_finds_nine_in_ten(sample: Knowledge, spoken: str) -> None:
    asked = [(q, key) for q, key in ASKED if q.isascii() == (spoken == "en")]
    missed = [q for q, key in asked if not any(p.source.startswith(key) for p in sample.search(ACME, q, limit=3))]
    assert len(missed) <= len(asked) // 10, missed


def test_what_no_document_answers_finds_nothing(sample: Knowledge) -> None:
    found = [q for q in OFF_TOPIC if sample.search(ACME, q)]
    assert len(found) <= len(OFF_TOPIC) // 25, found


@pytest.mark.parametrize("text", ["hello", "你好", "你是谁", "who are you?", "A1001", "", "  ", "?!", "的", "the"])
def test_small_talk_and_bare_identifiers_find_nothing(sample: Knowledge, text: str) -> None:
    assert sample.search(ACME, text) == []


@pytest.mark.parametrize(
    ("text", "place", "rule"),
    [
        ("订单 A1001 能退吗? 不能退说明原因", "七天无理由退货", "7 天"),
        ("Can I still return order A1001?", "Seven days", "7 days"),
        ("A1003 arrived broken, refund it", "Damaged on arrival", "15 days"),
        ("A1003 到货就是坏的,帮我退款", "到货破损", "15 天"),
    ],
)
def test_an_order_number_does_not_hide_the_policy(sample: Knowledge, text: str, place: str, rule: str) -> None:
    found = sample.search(ACME, text, limit=3)
    assert rule in found[0].text
    assert any(place in p.place for p in found)


def test_a_question_finds_documents_of_the_other_language(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    write(tmp_path / "docs", "travel.md", "# 差旅\n\n出差的住宿费凭发票报销。\n")
    write(tmp_path / "docs", "gate.md", "# Visitors\n\nEvery visitor needs a badge.\n")
    knowledge.add(tmp_path / "docs")
    assert [p.source for p in knowledge.search(ACME, "Is the hotel on a business trip reimbursed?")] == ["travel.md"]
    assert [p.source for p in knowledge.search(ACME, "访客要办门禁卡吗")] == ["gate.md"]
    knowledge.close()


def test_a_passage_carries_what_a_citation_needs(sample: Knowledge) -> None:
    best = sample.search(ACME, "退款多久到账", limit=1)[0]
    assert (best.title, best.version, best.language, best.trusted) == ("退货与退款政策", "2", "zh", True)
    assert best.source == "return-policy.zh.md" and best.place.endswith("4. 退款方式与到账时间")
    assert "借记卡" in best.text and best.score > 0
    again = sample.passage(ACME, best.id)
    assert again is not None and (again.text, again.document) == (best.text, best.document)


@pytest.mark.parametrize("limit", [0, -1, 1, 3])
def test_no_more_passages_come_than_were_asked_for(sample: Knowledge, limit: int) -> None:
    assert len(sample.search(ACME, "退货政策", limit=limit)) == max(limit, 0)


@pytest.mark.parametrize(
    "text",
    [
        '"退货" OR NOT (',
        "return* AND policy^2",
        "退货" * 3000,
        "a " * 5000,
        " ".join(f"word{i}" for i in range(3000)),
        "NEAR(return policy)",
        "x'; DROP TABLE passage; --",
        "\0return\0policy",
        "\ud800 return policy",
        'return-policy\'s "time-limit"',
    ],
)
def test_no_text_breaks_the_search(sample: Knowledge, text: str) -> None:
    assert isinstance(sample.search(ACME, text), list)
    assert sample.search(ACME, "return policy")


def test_documents_of_others_change_neither_order_nor_scores(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    knowledge.add(sample_folder())
    before = knowledge.search(ACME, "住宿标准 hotel")
    for i in range(20):
        write(tmp_path / "docs", f"{i}.md", f"# 住宿 {i}\n\n酒店住宿标准 hotel {i}。\n")
    knowledge.add(tmp_path / "docs", tenant="globex")
    assert knowledge.search(ACME, "住宿标准 hotel") == before
    assert knowledge.search(GLOBEX, "住宿标准 hotel") != before
    knowledge.close()
