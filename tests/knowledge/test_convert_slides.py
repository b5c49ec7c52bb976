from __future__ import annotations

from pathlib import Path

from documents import pptx, slide_shape, slide_table

from signoff.knowledge.load import load


def test_a_slide_is_a_page_under_its_title_with_lists_tables_and_notes(tmp_path: Path) -> None:
    path = pptx(
        tmp_path / "a.pptx",
        slide_shape("差旅政策", role="ctrTitle") + slide_shape("2026 年版", role="subTitle"),
        slide_shape("Limits", role="title")
        + slide_shape("Beijing", "500 yuan", "Shanghai", role="body", level={1: 1})
        + slide_shape("6", role="sldNum")
        + slide_table([("City", "Limit"), ("Beijing", "500")])
        + slide_shape("a box"),
        slide_shape("only a title", role="title"),
        slide_shape(),
        notes={2: "先说例外\n再说标准"},
    )
    source = load(path, key="k", tenant=None, roles=(), trusted=True)
    assert source.title == "差旅政策"
    assert [(b.page, b.headings, b.kind, b.text) for b in source.blocks] == [
        (1, ("差旅政策",), "text", "2026 年版"),
        (2, ("Limits",), "list", "- Beijing\n  - 500 yuan\n- Shanghai"),
        (2, ("Limits",), "table", "| City | Limit |\n|---|---|\n| Beijing | 500 |"),
        (2, ("Limits",), "text", "a box"),
        (2, ("Limits", "Notes"), "text", "先说例外\n再说标准"),
        (3, (), "text", "only a title"),
    ]
