from __future__ import annotations

from pathlib import Path

import pytest
from documents import pdf

from signoff.knowledge.load import Source, load

pytest.importorskip("kreuzberg")

SENTENCE = "本制度适用于全体员工,包括正式员工与外包人员,出差前须填写申请单,"


def read(path: Path) -> Source:
    return load(path, key="k", tenant=None, roles=(), trusted=True)


def test_lines_become_paragraphs_under_headings_with_their_pages(tmp_path: Path) -> None:
    path = pdf(
        tmp_path / "a.pdf",
        [
            ("差旅制度", 24),
            ("第一章 总则", 16),
            SENTENCE + "并且应当由主管领导批",
            "准后方可预订机票。",
            "Employees who travel for the company may claim the costs of their busi-",
            "ness trips within thirty days of their return.",
        ],
        [("第二章 标准", 16), "Beijing 500", "Shanghai 450"],
        title="差旅管理制度",
    )
    source = read(path)
    assert source.title == "差旅管理制度"
    assert [(b.page, b.headings, b.text) for b in source.blocks] == [
        (1, ("差旅制度", "第一章 总则"), SENTENCE + "并且应当由主管领导批准后方可预订机票。"),
        (
            1,
            ("差旅制度", "第一章 总则"),
            "Employees who travel for the company may claim the costs of their business trips within thirty days of "
            "their return.",
        ),
        (2, ("差旅制度", "第二章 标准"), "Beijing 500\nShanghai 450"),
    ]


def test_radicals_and_ligatures_are_read_as_words(tmp_path: Path) -> None:
    text = "全体⼯作⼈员须在⻔⼝登记,oﬃce ⻚数不限。请勿外传，谢谢！"
    assert [b.text for b in read(pdf(tmp_path / "a.pdf", [text])).blocks] == [
        "全体工作人员须在门口登记,office 页数不限。请勿外传，谢谢！"
    ]


def test_running_headers_footers_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    pages = [
        [
            "公司内部资料 请勿外传",
            f"Page {i} tells of subject number {i}.",
            f"{SENTENCE}其余另行通知。",
            f"第 {i} 页 共 5 页",
        ]
        for i in range(1, 6)
    ]
    source = read(pdf(tmp_path / "a.pdf", *pages))
    said = "\n".join(b.text for b in source.blocks)
    assert "内部资料" not in said and "共 5 页" not in said
    assert all(f"Page {i} tells of subject number {i}." in said for i in range(1, 6))
    assert {b.page for b in source.blocks} == {1, 2, 3, 4, 5}


def test_a_list_stays_a_list(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", ["Bring these:", "• a badge", "• the letter of your manager", "• a pen"])
    assert "- a badge\n- the letter of your manager\n- a pen" in read(path).blocks[-1].text


def test_nothing_is_lost_when_every_line_looks_like_a_heading(tmp_path: Path) -> None:
    lines = [
        ("Return within 7 days", 30),
        ("退款三日内到账", 30),
        ("Small print follows", 12),
        ("运费由公司承担。", 12),
    ]
    blocks = read(pdf(tmp_path / "a.pdf", lines)).blocks
    said = " ".join(" ".join(b.headings) + " " + b.text for b in blocks)
    assert all(text in said for text, _ in lines)
