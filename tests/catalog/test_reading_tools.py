from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import MINE, OTHER, TOOLS, Bench, sample_bench
from pydantic import ValidationError

from signoff.errors import ToolError
from signoff.tools.results import trim

bench = pytest.fixture(sample_bench)


def test_passages_are_numbered_and_carry_their_source(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "parking.md").write_text(
        "# Parking rules\n\n## Visitors\n\nVisitors park on level 3 and get a badge at the front desk.\n"
    )
    bench.knowledge.add(folder)
    data = bench.run("search_knowledge", query="where do visitors park")
    assert data["found"] == len(data["passages"]) >= 1
    first = data["passages"][0]
    assert first["n"] == 1 and "level 3" in first["text"] and first["source"] == "parking.md" and first["trusted"]
    said = bench.say("search_knowledge", "en", query="where do visitors park")
    assert said.startswith("[1] ") and "(Source: Parking rules" in said
    assert "(来源:Parking rules" in bench.say("search_knowledge", "zh", query="visitors park")


def test_what_the_caller_may_not_read_is_not_found(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "hr"
    folder.mkdir()
    (folder / "bonus.md").write_text("# Bonus table\n\nThe yearly bonus of grade seven is three salaries.\n")
    bench.knowledge.add(folder, roles=["hr"])
    assert bench.run("search_knowledge", query="yearly bonus grade seven")["found"] == 0
    assert "文档中没有找到" in bench.say("search_knowledge", "zh", query="yearly bonus grade seven")


@pytest.mark.parametrize("args", [{}, {"query": ""}, {"query": "x", "limit": 0}, {"query": "x", "limit": 9}])
def test_a_search_without_words_or_with_a_wild_limit_is_refused(bench: Bench, args: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        bench.run("search_knowledge", **args)


def kept(bench: Bench) -> tuple[str, str]:
    data = {"rows": [f"row {n}" for n in range(2_000)]}
    trimmed, whole = trim(data, 1_000)
    assert whole
    with bench.database.write() as tx:
        bench.results.keep(tx, MINE, "th", [whole])
    return trimmed["ref"], json.dumps(data, indent=1)


def test_a_trimmed_result_is_read_to_its_end_page_by_page(bench: Bench) -> None:
    ref, whole = kept(bench)
    text, offset = "", 0
    while offset is not None:
        page = bench.run("read_result", ref=ref, offset=offset)
        text, offset = text + page["text"], page["next_offset"]
    assert text == whole
    assert "this is the end" in bench.say("read_result", "en", ref=ref, offset=len(whole) - 10)
    assert "继续读取请用 offset" in bench.say("read_result", "zh", ref=ref)


def test_a_query_finds_its_place(bench: Bench) -> None:
    ref, _ = kept(bench)
    assert "row 1500" in bench.run("read_result", ref=ref, query="row 1500")["text"]
    with pytest.raises(ToolError, match="does not occur"):
        bench.run("read_result", ref=ref, query="row 9000")


def test_anothers_result_is_not_there(bench: Bench) -> None:
    ref, _ = kept(bench)
    with pytest.raises(ToolError) as refused:
        bench.run("read_result", OTHER, ref=ref)
    assert refused.value.code == "NOT_FOUND"


@pytest.mark.parametrize("ref", ["", "A1001", "res_../../etc", "res_xyz", "res_"])
def test_what_is_not_a_ref_is_refused(ref: str) -> None:
    with pytest.raises(ValidationError):
        TOOLS["read_result"].args.model_validate({"ref": ref})
