"""Whatever a team's files hold, a tool answers with data or with a sentence."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from weeklybench import WeeklyBench

from signoff.errors import ToolError
from signoff.tools.envelope import Code

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["issues", "id", "status", "title", "week", "closed", "项目"]), inner, max_size=5
        )
    ),
    max_leaves=12,
)
CELLS = st.lists(
    st.sampled_from(["project", "budget", "spent", "apollo", "1", "-2.5", '"', ",", ";", "\t", "x", "", "\n"])
)
CONTENTS = st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "ignore"))


@given(note=CONTENTS, issues=CONTENTS, budget=CONTENTS | CELLS.map(lambda c: ",".join(c).encode()))
@settings(max_examples=60, deadline=None)
def test_any_bytes_in_the_files_give_data_or_a_refusal(note: bytes, issues: bytes, budget: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        bench = WeeklyBench(Path(place) / "team")
        (bench.folder / "docs/2026-W42-x.md").write_bytes(note)
        (bench.folder / "issues.json").write_bytes(issues)
        (bench.folder / "budget.csv").write_bytes(budget)
        _asked(bench)


@given(JSON)
@settings(max_examples=100, deadline=None)
def test_any_json_in_the_issues_gives_counts_that_add_up_or_a_refusal(data: object) -> None:
    with tempfile.TemporaryDirectory() as place:
        bench = WeeklyBench(Path(place) / "team")
        bench.put("issues.json", json.dumps(data))
        _asked(bench)


@given(week=st.text(max_size=30), text=st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_arguments_give_data_or_a_refusal(week: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        bench = WeeklyBench(Path(place) / "team")
        for name, args in (
            ("search_notes", {"week": week or "x", "query": text}),
            ("count_issues", {"week": week, "project": text}),
            ("sum_budget", {"project": text}),
            ("write_report", {"week": week or "x", "content": text if text.strip() else "x", "path": text}),
        ):
            try:
                bench.run(name, **args)
            except ToolError as refused:
                assert refused.code in Code.__members__ and refused.message_zh and refused.hint


def _asked(bench: WeeklyBench) -> None:
    for name, args in (("search_notes", {"week": "2026-W42"}), ("count_issues", {}), ("sum_budget", {})):
        for lang in ("zh", "en"):
            try:
                assert bench.say(name, lang, **args)
                data = bench.run(name, **args)
            except ToolError as refused:
                assert refused.code in Code.__members__ and refused.message_zh and refused.hint
                continue
            if name == "count_issues":
                assert sum(data["by_status"].values()) == data["total"] == len(data["issues"])
