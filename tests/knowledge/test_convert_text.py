from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.knowledge.convert import markdown as parts
from signoff.knowledge.convert.blocks import tables
from signoff.knowledge.convert.characters import joined, repaired
from signoff.knowledge.convert.delimited import delimited
from signoff.knowledge.convert.markdown import markdown, plain
from signoff.knowledge.load import Source, load

CHINESE = "# 退货政策\n\n自签收之日起七天内可以退货,退款在十个工作日内到账。\n"


def read(path: Path) -> Source:
    return load(path, key="k", tenant=None, roles=(), trusted=True)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "gbk", "gb2312"]
)
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.csv"])
def test_text_is_read_in_the_encodings_that_programs_write(tmp_path: Path, encoding: str, name: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    text = CHINESE if name != "a.csv" else "城市,限额\n北京,五百元\n"
    (tmp_path / name).write_bytes(mark + text.replace("\n", "\r\n").encode(encoding))
    said = "\n".join(" ".join(b.headings) + b.text for b in read(tmp_path / name).blocks)
    assert ("七天内可以退货" in said or "| 北京 | 五百元 |" in said) and "\r" not in said


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a,b\n", "1,2\n"], "| a | b |\n|---|---|\n| 1 | 2 |"),
        (["a;b\n", '"x;y";"2,5"\n'], "| a | b |\n|---|---|\n| x;y | 2,5 |"),
        (["a\tb\n", "1\t2\n"], "| a | b |\n|---|---|\n| 1 | 2 |"),
        (["a|b\n", "1|2\n"], "| a | b |\n|---|---|\n| 1 | 2 |"),
        (["sep=;\n", "a;b\n", "1;2\n"], "| a | b |\n|---|---|\n| 1 | 2 |"),
        (["姓名,部门\n", '"张三\n四","a|b"\n'], "| 姓名 | 部门 |\n|---|---|\n| 张三 四 | a\\|b |"),
        (["a,b,c\n", "1\n", "1,2,3,4\n"], "| a | b | c |  |\n|---|---|---|---|\n| 1 |  |  |  |\n| 1 | 2 | 3 | 4 |"),
        (["\n", ",,\n", "a,b\n", ",\n", "1,2\n", "\n"], "| a | b |\n|---|---|\n| 1 | 2 |"),
        (["only\n", "one\n"], "only\none"),
        (["Price list,\n", "a,b\n", "1,2\n"], "Price list"),
    ],
)
def test_delimited_text_is_a_table(lines: list[str], expected: str) -> None:
    assert next(delimited(lines)).text == expected


@given(st.lists(st.lists(st.text('ab 字|\\,"\n', max_size=6), min_size=2, max_size=5), min_size=1, max_size=30))
def test_no_cell_of_a_table_is_lost(rows: list[list[str]]) -> None:
    said = "".join(text for _, text in tables(rows))
    assert [c for c in said if c in "ab字"] == [c for row in rows for cell in row for c in cell if c in "ab字"]


@given(st.lists(st.sampled_from(["word", "\n", "\n\n", " \n \n", "字", "x" * 50]), max_size=60), st.integers(1, 20))
def test_paragraphs_are_the_same_however_the_text_comes(words: list[str], size: int) -> None:
    text = "".join(words)
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert list(plain(pieces)) == list(plain([text]))


def test_a_long_run_of_lines_is_cut_at_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PARAGRAPH_CHARS", 1_000)
    lines = [f"line {i}\n" for i in range(500)]
    blocks = list(plain(lines))
    assert len(blocks) > 2 and "\n".join(b.text for b in blocks) == "".join(lines).strip()


def test_markdown_in_parts_reads_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(
        f"# Part {i}\n\ntext {i}\n\n```\n# no heading {i}\n```\n\n## Below {i}\n\n- item\n\n~~~~\n```\n# none\n~~~~\n\n"
        for i in range(40)
    )
    whole = list(markdown(text))
    monkeypatch.setattr(parts, "PART_CHARS", 150)
    assert list(markdown(text)) == whole and len(whole) == 160


@pytest.mark.parametrize(
    ("line", "following", "expected"),
    [
        ("busi-", "ness trips", "business trips"),
        ("well-", "Known", "well- Known"),
        ("pages 3-", "5", "pages 3- 5"),
        ("主管批", "准后", "主管批准后"),
        ("须填写,", "然后", "须填写, 然后"),
        ("须填写，", "然后", "须填写，然后"),
        ("部门 HR", "负责", "部门 HR 负责"),
        ("the limit", "of 500", "the limit of 500"),
        ("", "x", "x"),
    ],
)
def test_lines_are_joined_as_their_language_is_written(line: str, following: str, expected: str) -> None:
    assert joined(line, following) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("⼈⼯⻚", "人工页"),
        ("eﬃcient ﬁle", "efficient file"),
        ("a\xa0b\u2003c", "a b c"),
        ("so\xadft", "soft"),
        ("，！（）", "，！（）"),
    ],
)
def test_characters_are_read_as_what_they_stand_for(text: str, expected: str) -> None:
    assert repaired(text) == expected
