from __future__ import annotations

from pathlib import Path

import pytest
from documents import docx, paragraph, run, word_table
from hypothesis import given
from hypothesis import strategies as st

from signoff.knowledge.convert.numbering import chinese
from signoff.knowledge.load import Block, Source, load


def read(path: Path) -> Source:
    return load(path, key="k", tenant=None, roles=(), trusted=True)


def shape(source: Source) -> list[tuple[tuple[str, ...], str, str]]:
    return [(b.headings, b.kind, b.text) for b in source.blocks]


def test_headings_are_told_by_their_styles_names_whatever_their_ids(tmp_path: Path) -> None:
    path = docx(
        tmp_path / "a.docx",
        paragraph("请假制度", "a3"),
        paragraph("总则", "1"),
        paragraph("本制度适用于全体员工。"),
        paragraph("Scope", "mine"),
        paragraph("It holds for contractors too."),
        paragraph("附则", "1"),
        paragraph("自发布之日起施行。"),
    )
    assert shape(read(path)) == [
        (("请假制度", "总则"), "text", "本制度适用于全体员工。"),
        (("请假制度", "总则", "Scope"), "text", "It holds for contractors too."),
        (("请假制度", "附则"), "text", "自发布之日起施行。"),
    ]


def test_lists_keep_their_marks_and_clauses_the_numbers_that_word_counts(tmp_path: Path) -> None:
    path = docx(
        tmp_path / "a.docx",
        paragraph("one", numbered=(2, 0)),
        paragraph("under one", numbered=(1, 1)),
        paragraph("two", numbered=(2, 0)),
        paragraph("dot", "dots"),
        paragraph("员工应当提前申请。", numbered=(3, 0)),
        paragraph("between"),
        paragraph("主管应当在两日内答复。", numbered=(3, 0)),
        paragraph("Deep", "1", numbered=(2, 1)),
        paragraph("text"),
    )
    assert shape(read(path)) == [
        ((), "list", "1. one\n  - under one\n2. two\n- dot"),
        ((), "text", "第九条 员工应当提前申请。"),
        ((), "text", "between"),
        ((), "text", "第十条 主管应当在两日内答复。"),
        (("2.1 Deep",), "text", "text"),
    ]


def test_a_table_is_one_table_with_merged_cells_and_bars(tmp_path: Path) -> None:
    down = "<w:tc><w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + paragraph("北京") + "</w:tc>"
    on = "<w:tc><w:tcPr><w:vMerge/></w:tcPr>" + paragraph() + "</w:tc>"
    across = "<w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + paragraph("a | b") + paragraph("more") + "</w:tc>"
    rows = [("城市", "职级", "限额"), (down, "经理", "600"), (on, "员工", "450"), (across, "x")]
    path = docx(tmp_path / "a.docx", word_table(rows))
    assert shape(read(path)) == [
        (
            (),
            "table",
            "| 城市 | 职级 | 限额 |\n|---|---|---|\n| 北京 | 经理 | 600 |\n| 北京 | 员工 | 450 |\n"
            "| a \\| b more |  | x |",
        )
    ]


def test_a_note_stands_with_its_sentence_and_what_is_not_to_be_seen_is_left_out(tmp_path: Path) -> None:
    inner = (
        run("可以退货")
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
        + run("。")
        + run("hidden order", "<w:vanish/>")
        + "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>"
        + "<w:r><w:instrText>PAGEREF x</w:instrText></w:r>"
        + "<mc:AlternateContent><mc:Choice><w:r><w:t> once</w:t></w:r></mc:Choice>"
        + "<mc:Fallback><w:r><w:t> once</w:t></w:r></mc:Fallback></mc:AlternateContent>"
    )
    path = docx(
        tmp_path / "a.docx", paragraph("退货 ........ 3", "toc1"), paragraph(inner=inner), notes={2: "定制商品除外"}
    )
    assert shape(read(path)) == [((), "text", "可以退货（注：定制商品除外）。inserted once")]


def test_text_in_boxes_and_content_controls_is_read(tmp_path: Path) -> None:
    box = f"<w:r><w:pict><w:txbxContent>{paragraph('in a box')}</w:txbxContent></w:pict></w:r>"
    control = f"<w:sdt><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>"
    path = docx(tmp_path / "a.docx", paragraph(inner=run("before") + box), control)
    assert [b.text for b in read(path).blocks] == ["before", "in a box", "in a control"]


def test_nothing_is_lost_when_headings_are_all_there_is(tmp_path: Path) -> None:
    clause = "乙方应当在收到甲方书面通知之日起十个工作日内完成整改并书面答复。" * 6
    path = docx(tmp_path / "a.docx", paragraph("甲方付款。", "1"), paragraph("乙方交货。", "1"), paragraph(clause, "1"))
    assert shape(read(path)) == [((), "text", "甲方付款。"), (("乙方交货。",), "text", clause)]


@pytest.mark.parametrize(
    ("given_title", "heading", "expected"),
    [("退货政策", "总则", "退货政策"), ("", "总则", "总则"), ("Microsoft Word - 1.doc", "总则", "总则"), ("", "", "k")],
)
def test_the_title_comes_from_the_properties_the_first_heading_or_the_file(
    tmp_path: Path, given_title: str, heading: str, expected: str
) -> None:
    path = docx(tmp_path / "a.docx", paragraph(heading, "1"), paragraph("文字。"), title=given_title)
    assert read(path).title == expected


def test_a_docx_without_styles_numbering_or_notes_is_read(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("plain", "1", numbered=(7, 0)), word___rels__document_xml_rels="<a/>")
    assert [b.text for b in read(path).blocks] == ["plain"]


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), min_size=1), min_size=1, max_size=5
    )
)
def test_every_word_of_a_paragraph_comes_out(texts: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        from signoff.knowledge.convert.word import word

        blocks: tuple[Block, ...] = word(docx(Path(folder, "a.docx"), *map(paragraph, texts))).blocks
        assert [b.text for b in blocks] == [t for text in texts if (t := " ".join(text.split()))]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "一"),
        (10, "十"),
        (12, "十二"),
        (20, "二十"),
        (105, "一百零五"),
        (110, "一百一十"),
        (1001, "一千零一"),
        (0, "零"),
    ],
)
def test_numbers_in_chinese_words(number: int, words: str) -> None:
    assert chinese(number) == words
