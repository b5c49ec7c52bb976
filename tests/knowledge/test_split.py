from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.knowledge.cite import sentences, spans
from signoff.knowledge.library import sample_folder
from signoff.knowledge.load import Block, load
from signoff.knowledge.split import MAX_CHARS, REST_CHARS, split


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
def test_sample_passages_are_small_whole_and_under_their_headings(path: Path) -> None:
    source = load(path, key="k", tenant=None, roles=(), trusted=True)
    pieces = split(source.blocks)
    tables = [b.text for b in source.blocks if b.kind == "table"]
    assert tables and all(any(t in p.text for p in pieces) for t in tables)
    for piece in pieces:
        prose = piece.text if not any(t in piece.text for t in tables) else ""
        assert len(prose) <= MAX_CHARS + REST_CHARS + 2
        assert piece.place.startswith(source.blocks[0].headings[0])


def test_headings_make_the_place_and_no_passage_crosses_one(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "Intro.\n\n# One\n\ntext a\n\n## Two\n\ntext b\n\n### Three\n\ntext c\n\n## Four\n\ntext d\n\nSet\n===\n\n"
        "text e\n\n```\n# not a heading\n```\n"
    )
    source = load(path, key="k", tenant=None, roles=(), trusted=True)
    assert [(p.place, p.text.split("\n")[0]) for p in split(source.blocks)] == [
        ("", "Intro."),
        ("One", "text a"),
        ("One › Two", "text b"),
        ("One › Two › Three", "text c"),
        ("One › Four", "text d"),
        ("Set", "text e"),
    ]
    assert "# not a heading" in split(source.blocks)[-1].text


def test_a_long_table_is_cut_between_rows_and_keeps_its_header() -> None:
    rows = [f"| {i} | value {i} |" for i in range(600)]
    pieces = split([Block(("T",), "table", "\n".join(["| a | b |", "|---|---|", *rows]))])
    assert len(pieces) > 1 and all(p.text.startswith("| a | b |\n|---|---|\n| ") for p in pieces)
    assert [r for p in pieces for r in p.text.split("\n")[2:]] == rows


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet="abc 字。.,\n", min_size=1, max_size=900), min_size=1, max_size=6))
def test_no_letter_is_lost_in_splitting(texts: list[str]) -> None:
    blocks = [Block(("H",), "text", t) for t in texts]
    kept = "".join(p.text for p in split(blocks))
    assert [c for c in kept if c.isalnum()] == [c for t in texts for c in t if c.isalnum()]
    assert all(len(p.text) <= MAX_CHARS + REST_CHARS + 2 for p in split(blocks))
