"""Lines of Chinese and English mixed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.cli.wrapping import wrap


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two three", 8, ["one two", "three"]),
        ("订单已退款，请查收", 10, ["订单已退", "款，请查收"]),
        ("订单 A1003 已退款", 10, ["订单 A1003", "已退款"]),
        ("退回（银行卡）", 6, ["退回", "（银行", "卡）"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("a  b\n\tc", 10, ["a b c"]),
    ],
)
def test_lines_break_where_readers_expect(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


@given(st.text(st.sampled_from("ab 1.,中文，。（）“”：é"), max_size=60), st.integers(2, 40))
def test_every_line_fits_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
