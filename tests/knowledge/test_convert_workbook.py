from __future__ import annotations

from pathlib import Path

import pytest
from documents import xlsx

from signoff.knowledge.convert.numbers import shown
from signoff.knowledge.load import load


def read(path: Path) -> list[tuple[int | None, tuple[str, ...], str, str]]:
    source = load(path, key="k", tenant=None, roles=(), trusted=True)
    return [(b.page, b.headings, b.kind, b.text) for b in source.blocks]


def test_a_sheet_is_a_page_under_its_name_with_a_table(tmp_path: Path) -> None:
    path = xlsx(
        tmp_path / "a.xlsx",
        {
            "差旅标准": [
                ["2026 年差旅标准", None, None],
                ["城市", "限额(元)", "生效日", "比例"],
                ["北京|京", (1234.5, 0), (46024, 1), (0.35, 2)],
                [None, None],
                ["上海", 500, (46025.5625, 3), True],
            ],
            "hidden": [["secret"]],
            "Empty": [],
            "Notes": [[None, None, "one"], [None, None, "two"]],
        },
        formats=("#,##0.00", "yyyy-mm-dd", "0%", 'yyyy"年"m"月"d"日" h:mm'),
        hidden=["hidden"],
    )
    assert read(path) == [
        (1, ("差旅标准",), "text", "2026 年差旅标准"),
        (
            1,
            ("差旅标准",),
            "table",
            "| 城市 | 限额(元) | 生效日 | 比例 |\n|---|---|---|---|\n| 北京\\|京 | 1,234.50 | 2026-01-02 | 35% |\n"
            "| 上海 | 500 | 2026年1月3日 13:30 | TRUE |",
        ),
        (4, ("Notes",), "text", "one\ntwo"),
    ]


def test_a_merged_cell_is_said_in_each_of_its_rows(tmp_path: Path) -> None:
    rows = [
        ["城市", "职级", "限额"],
        ["北京", "经理", 600],
        [None, "员工", 450],
        [None, None, None],
        [None, "实习", 300],
        ["上海", "经理", 5],
    ]
    path = xlsx(tmp_path / "a.xlsx", {"A": rows}, merged=["A2:A5", "B1:C1", "nonsense", "A1:A"])
    assert read(path)[0][3].split("\n")[2:] == [
        "| 北京 | 经理 | 600 |",
        "| 北京 | 员工 | 450 |",
        "| 北京 | 实习 | 300 |",
        "| 上海 | 经理 | 5 |",
    ]


def test_a_long_sheet_repeats_its_header_and_loses_no_row(tmp_path: Path) -> None:
    rows = [["id", "name"], *([i, f"客户 {i}"] for i in range(5_000))]
    blocks = read(xlsx(tmp_path / "a.xlsx", {"Data": rows}))
    assert len(blocks) > 1 and all(t.startswith("| id | name |\n|---|---|\n| ") for *_, t in blocks)
    lines = [line for *_, t in blocks for line in t.split("\n")[2:]]
    assert lines == [f"| {i} | 客户 {i} |" for i in range(5_000)]


def test_a_wide_row_says_what_each_cell_means(tmp_path: Path) -> None:
    head = [f"column {i}" for i in range(200)]
    ((_, _, kind, text),) = read(xlsx(tmp_path / "a.xlsx", {"Data": [head, [f"value {i}" for i in range(200)]]}))
    assert (
        kind == "text" and text.startswith("column 0: value 0; column 1: value 1; ") and "column 199: value 199" in text
    )


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        ("500", "General", "500"),
        ("0.1", "General", "0.1"),
        ("0.30000000000000004", "General", "0.3"),
        ("1234567890123", "General", "1234567890123"),
        ("1E+2", "General", "100"),
        ("1234.5", "#,##0.00", "1,234.50"),
        ("1234.5", "0", "1235"),
        ("-1234.5", "#,##0.00", "-1,234.50"),
        ("-1234.5", "#,##0.00;(#,##0.00)", "(1,234.50)"),
        ("-3", "0;[Red]-0", "-3"),
        ("0", '0;-0;"-"', "-"),
        ("0.355", "0.0%", "35.5%"),
        ("0.355", "0%", "36%"),
        ("12", '"¥"#,##0', "¥12"),
        ("12", "[$¥-804]#,##0.00", "¥12.00"),
        ("12", '0"元"', "12元"),
        ("1500000", '#,##0,"千"', "1,500千"),
        ("7", "000", "007"),
        ("12.5", "0.##", "12.5"),
        ("12", "0.##", "12"),
        ("1234567", "0.00E+00", "1.23E+06"),
        ("46024", "yyyy-mm-dd", "2026-01-02"),
        ("46024", "m/d/yy", "1/2/26"),
        ("46024", 'yyyy"年"m"月"d"日";@', "2026年1月2日"),
        ("46024.5625", "yyyy/m/d h:mm", "2026/1/2 13:30"),
        ("46024.5625", "h:mm AM/PM", "1:30 PM"),
        ("46024.5625", '[$-804]上午/下午h"时"mm"分"', "下午1时30分"),
        ("0.5", "h:mm:ss", "12:00:00"),
        ("1.5", "[h]:mm", "36:00"),
        ("0.0006944444444", "mm:ss", "01:00"),
        ("46024", "dddd, mmmm d", "Friday, January 2"),
        ("46024", "yyyy/m/d aaaa", "2026/1/2 星期五"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
        ("61", "yyyy-mm-dd", "1900-03-01"),
        ("-5", "yyyy-mm-dd", "-5"),
        ("99999999", "yyyy-mm-dd", "99999999"),
        ("12", "@", "12"),
        ("12", "", "12"),
        ("12345678901234567890", "0.0000000000000000000000", "12345678901234567890.0000000000000000000000"),
        ("1", "0" * 100_000, "0" * 254 + "1"),
        ("abc", "0.00", "abc"),
        ("1e400", "0.00", "1e400"),
    ],
)
def test_numbers_and_dates_read_as_the_sheet_shows_them(value: str, code: str, expected: str) -> None:
    assert shown(value, code) == expected


def test_dates_that_count_from_1904(tmp_path: Path) -> None:
    assert shown("44562", "yyyy-mm-dd", from_1904=True) == "2026-01-02"
