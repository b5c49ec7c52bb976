from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.knowledge.cite import sentences, spans
from signoff.knowledge.library import sample_folder
from signoff.knowledge.load import Block, load
from signoff.knowledge.split import (
    MAX_CHARS,
    MAX_TABLE_CHARS,
    PASSAGE_CHARS,
    REST_CHARS,
    TARGET_CHARS,
    Piece,
    passages_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("签收后 7 天内可退。超过不退!怎么申请?", ["签收后 7 天内可退。", "超过不退!", "怎么申请?"]),
        ("It costs 3.50 yuan. Pay now.", ["It costs 3.50 yuan.", "Pay now."]),
        ("See e.g. the manual, i.e. page 3. Then stop.", ["See e.g. the manual, i.e. page 3.", "Then stop."]),
        ("Use v2.1 of the app.", ["Use v2.1 of the app."]),
        ("7 days. [1] Then no. [2][3]", ["7 days. [1]", "Then no. [2][3]"]),
        ("七天内可退。[1] 其余不退。", ["七天内可退。[1]", "其余不退。"]),
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        ("- a\n- b", ["- a", "- b"]),
        ("他说:“可以退。”然后走了。", ["他说:“可以退。”", "然后走了。"]),
        ("Wait... what? Yes.", ["Wait...", "what?", "Yes."]),
        ("金额 299.00 元。地址:成都市解放路265号", ["金额 299.00 元。", "地址:成都市解放路265号"]),
        ("", []),
        ("\n \n", []),
    ],
)
def test_sentences_end_where_readers_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="ab1 .。!?！？…\n[]“”’(),，;；", max_size=80))
def test_sentences_cover_the_text_in_order(text: str) -> None:
    end = 0
    for start, stop in spans(text):
        assert end <= start < stop and not text[end:start].strip()
        assert text[start:stop] == text[start:stop].strip()
        end = stop
    assert not text[end:].strip()


@pytest.mark.parametrize("path", sorted(sample_folder().glob("*.md")), ids=lambda p: p.name)
def test_sample_passages_are_whole_and_under_their_headings(path: Path) -> None:
    source = load(path, key="k", tenant=None, roles=(), trusted=True)
    pieces = passages_of(source.blocks)
    tables = [b.text for b in source.blocks if b.kind == "table"]
    assert tables and all(any(t in p.text for p in pieces) for t in tables)
    for piece in pieces:
        assert len(piece.text) <= PASSAGE_CHARS and piece.place.startswith(source.blocks[0].headings[0])
        check_chunks(piece)


def test_headings_make_the_place_and_no_passage_crosses_one(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "Intro.\n\n# One\n\ntext a\n\n## Two\n\ntext b\n\n### Three\n\ntext c\n\n## Four\n\ntext d\n\nSet\n===\n\n"
        "text e\n\n```\n# not a heading\n```\n"
    )
    source = load(path, key="k", tenant=None, roles=(), trusted=True)
    assert [(p.place, p.text.split("\n")[0]) for p in passages_of(source.blocks)] == [
        ("", "Intro."),
        ("One", "text a"),
        ("One › Two", "text b"),
        ("One › Two › Three", "text c"),
        ("One › Four", "text d"),
        ("Set", "text e"),
    ]
    assert "# not a heading" in passages_of(source.blocks)[-1].text


SENTENCES = st.sampled_from(
    [
        "签收之日起 7 天内,可以申请退货,无需说明理由。",
        "他说:“不可以!”然后走了；谁同意的？",
        "(超过 30 天的不予受理。)",
        "The limit is 3.50 yuan per day, e.g. for water. ",
        "Who signs? Nobody does! ",
        "a line\n",
        "再说。\n\n",
        "- an item\n",
        "2. 第二步\n",
        "| a | 1 |\n",
        "def f(x):\n    return x\n\n",
        "https://example.com/" + "x" * 90 + " ",
        "字" * 130,
        "🙂👍🏽…… 好",
        "e\u0301 ﬁ Ａ１ ",
    ]
)
WRITTEN = st.lists(SENTENCES, min_size=1, max_size=80).map("".join)
TEXTS = st.one_of(
    WRITTEN,
    st.text(min_size=1, max_size=300).filter(str.strip),
    st.builds(lambda c, n: c * n, st.sampled_from(["x", "字", "。", "- a\n", "word ", "好。"]), st.integers(1, 5000)),
)
KINDS = st.sampled_from(["text", "list", "code"])
PATHS = st.sampled_from([("A",), ("A", "B"), ()])
BLOCKS = st.lists(st.builds(Block, PATHS, KINDS, TEXTS), max_size=8)


def letters(text: str) -> str:
    return "".join(text.split())


def sections(blocks: list[Block]) -> list[list[Block]]:
    return [list(group) for _, group in groupby(blocks, key=lambda b: b.headings)]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.builds(Block, PATHS, KINDS, WRITTEN), max_size=8))
def test_every_character_is_in_one_passage_and_the_order_stays(blocks: list[Block]) -> None:
    assert letters("".join(p.text for p in passages_of(blocks))) == letters("".join(b.text for b in blocks))


@settings(deadline=None, max_examples=100)
@given(BLOCKS)
def test_no_word_is_lost_in_any_text_and_the_passages_are_always_the_same(blocks: list[Block]) -> None:
    pieces = passages_of(blocks)
    assert re.findall(r"\w", "".join(p.text for p in pieces)) == re.findall(r"\w", "".join(b.text for b in blocks))
    assert passages_of(blocks) == pieces == [p for s in sections(blocks) for p in passages_of(s)]


@settings(deadline=None, max_examples=100)
@given(BLOCKS)
def test_chunks_are_apart_in_order_and_hold_every_word(blocks: list[Block]) -> None:
    for piece in passages_of(blocks):
        check_chunks(piece)
        assert len(piece.text) <= MAX_TABLE_CHARS + TARGET_CHARS + REST_CHARS
        if all(b.kind != "code" for b in blocks):
            assert len(piece.text) <= PASSAGE_CHARS + TARGET_CHARS + REST_CHARS + 4
            assert all(b - a <= MAX_CHARS + REST_CHARS + 2 for a, b in piece.chunks)


def check_chunks(piece: Piece) -> None:
    end = 0
    for start, stop in piece.chunks:
        assert end <= start < stop <= len(piece.text)
        assert not re.search(r"\w", piece.text[end:start]) and re.search(r"\w", piece.text[start:stop])
        end = stop
    assert piece.chunks and not re.search(r"\w", piece.text[end:])


def test_a_short_section_is_one_passage_of_its_blocks_with_a_blank_line_between() -> None:
    blocks = [
        Block(("H",), "text", "Two things count."),
        Block(("H",), "list", "- one\n  more of it\n- two"),
        Block(("H",), "table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        Block(("H",), "code", "```\nx = 1\n```"),
    ]
    (piece,) = passages_of(blocks)
    assert piece.text == "\n\n".join(b.text for b in blocks)
    assert piece.chunks == ((0, len(piece.text)),)


def test_a_long_section_becomes_passages_of_a_page_with_chunks_of_a_paragraph() -> None:
    rule = "报销须在 30 天内提交,逾期不予受理。Receipts are kept for ten years. " * 5
    blocks = [Block(("规则",), "text", f"{n}. {rule}") for n in range(40)]
    pieces = passages_of(blocks)
    assert all(PASSAGE_CHARS // 2 < len(p.text) <= PASSAGE_CHARS for p in pieces[:-1])
    for piece in pieces:
        assert [piece.text[a:b] for a, b in piece.chunks] == piece.text.split("\n\n")


def test_one_line_answers_stay_separate() -> None:
    blocks = [Block(("FAQ", f"Question {n}?"), "text", f"Answer {n}.") for n in range(5)]
    assert [(p.place, p.text, p.chunks) for p in passages_of(blocks)] == [
        (f"FAQ › Question {n}?", f"Answer {n}.", ((0, 9),)) for n in range(5)
    ]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("短句。" * 300, "。"),
        ("他问：“可以吗？”" * 100, "”"),
        ("条件；" * 300, "；"),
        ("不得退货（定制品除外。）" * 60, "）"),
        ("A short sentence. " * 90, "."),
        ("Is it? Yes! " * 120, ("?", "!")),
        ("a wrapped line without an end\n" * 60, "end"),
    ],
)
def test_chunks_end_where_sentences_end(text: str, cut: str | tuple[str, ...]) -> None:
    for piece in passages_of([Block((), "text", text)]):
        assert all(piece.text[a:b].endswith(cut) for a, b in piece.chunks)
        assert len(piece.chunks) >= len(piece.text) // MAX_CHARS


def test_wrapped_lines_are_cut_at_a_sentences_end_before_a_lines_end() -> None:
    text = "\n".join(["the quick brown fox goes", "over the hill. Then it", "rests for a while"] * 40)
    (first, *_) = passages_of([Block((), "text", text)])
    assert all(first.text[a:b].endswith("over the hill.") for a, b in first.chunks[:-1])


def test_a_lead_in_stays_with_what_it_introduces() -> None:
    long = "The first part of the section explains the terms at length. " * 20
    lead, table = "The limits are:", "| city | yuan |\n|---|---|\n" + "\n".join(f"| c{n} | {n} |" for n in range(99))
    blocks = [Block(("H",), "text", long), Block(("H",), "text", lead), Block(("H",), "table", table)]
    assert [p.text for p in passages_of(blocks)] == [long, f"{lead}\n\n{table}"]


def test_rows_of_a_table_are_never_cut_and_none_is_lost() -> None:
    rows = [f"| {i} | 值 {i}。第二句 {i} |" for i in range(900)]
    pieces = passages_of([Block(("T",), "table", "\n".join(["| a | b |", "|---|---|", *rows]))])
    assert [r for p in pieces for r in p.text.split("\n")[2:]] == rows
    for piece in pieces:
        assert piece.text.startswith("| a | b |\n|---|---|\n| ") and len(piece.text) <= MAX_TABLE_CHARS
        check_chunks(piece)
        assert all(piece.text[a] == "|" and piece.text[b - 1] == "|" for a, b in piece.chunks)


def test_a_row_and_a_header_longer_than_any_passage_are_cut_too() -> None:
    table = "| " + "h " * 3000 + "|\n|---|\n| " + "词" * 9000 + " |\n| b |"
    pieces = passages_of([Block((), "table", table)])
    assert letters("".join(p.text for p in pieces)) == letters(table)
    assert all(len(p.text) <= MAX_TABLE_CHARS + REST_CHARS for p in pieces)


def test_a_fence_is_cut_only_when_no_passage_holds_it_and_then_between_lines() -> None:
    whole = "```python\n" + "\n\n".join(f"def f{n}():\n    return {n}" for n in range(40)) + "\n```"
    (piece,) = passages_of([Block((), "code", whole)])
    assert (piece.text, piece.chunks) == (whole, ((0, len(whole)),))
    code = "```python\n" + "\n\n".join(f"def f{n}():\n    return {n}" for n in range(200)) + "\n```"
    pieces = passages_of([Block((), "code", code)])
    assert len(pieces) > 1 and [x for p in pieces for x in p.text.split("\n") if x] == [
        x for x in code.split("\n") if x
    ]
    assert all(p.text.lstrip("\n").startswith("def f") for p in pieces[1:])


def test_items_of_a_list_keep_what_is_indented_below_them() -> None:
    items = [f"- item {n}\n  " + "with a line that says more about it. " * 5 for n in range(12)]
    pieces = passages_of([Block((), "list", "\n".join(items))])
    assert len(pieces) > 1
    for piece in pieces:
        assert all(piece.text[a:b].startswith("- item") for a, b in piece.chunks)


def test_a_passage_stands_on_one_page() -> None:
    @dataclass(frozen=True)
    class Paged:
        headings: tuple[str, ...]
        kind: str
        text: str
        page: int | None

    blocks = [Paged(("H",), "text", f"Text {n}.", n // 2 + 1) for n in range(4)]
    pieces = passages_of(cast("list[Block]", blocks))
    assert [(p.page, p.text) for p in pieces] == [(1, "Text 0.\n\nText 1."), (2, "Text 2.\n\nText 3.")]
