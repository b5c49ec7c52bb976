"""The budget is summed exactly, and agrees with awk to the cent."""

from __future__ import annotations

import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from weeklybench import WeeklyBench

from signoff.errors import ToolError

needs_awk = pytest.mark.skipif(shutil.which("awk") is None, reason="there is no awk on this machine")


@pytest.fixture
def bench(tmp_path: Path) -> WeeklyBench:
    return WeeklyBench(tmp_path / "team")


def awk(bench: WeeklyBench, project: str) -> list[str]:
    """Budget and spent of a project as awk sums them."""
    program = '$1 == p { b += $3; s += $4 } END { printf "%.2f %.2f", b, s }'
    command = ["awk", "-F,", "-v", f"p={project}", program, str(bench.folder / "budget.csv")]
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout.split()


def test_apollo_has_spent_18420_50_of_25000_00(bench: WeeklyBench) -> None:
    data = bench.run("sum_budget", project="apollo")
    assert (data["spent"], data["budget"], data["remaining"], data["percent"]) == (
        "18420.50",
        "25000.00",
        "6579.50",
        "73.7",
    )
    assert sum(Decimal(c["spent"]) for c in data["categories"]) == Decimal(data["spent"])
    english = bench.say("sum_budget", "en", project="apollo")
    assert english.startswith("Budget of apollo: spent 18420.50 of 25000.00, 73.7 %, 6579.50 left.")
    assert bench.say("sum_budget", "zh", project="apollo").startswith(
        "apollo 项目预算:已花 18420.50,预算 25000.00,已用 73.7%,剩余 6579.50。"
    )


@needs_awk
@pytest.mark.parametrize("project", ["apollo", "borealis", "青鸟"])
def test_the_sum_agrees_with_awk_to_the_cent(bench: WeeklyBench, project: str) -> None:
    data = bench.run("sum_budget", project=project)
    assert awk(bench, project) == [data["budget"], data["spent"]]


@needs_awk
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(*[st.decimals(0, 99_999, places=2)] * 2), min_size=1, max_size=60))
def test_any_sum_agrees_with_awk_to_the_cent(bench: WeeklyBench, rows: list[tuple[Decimal, Decimal]]) -> None:
    bench.put("budget.csv", "project,category,budget,spent\n" + "".join(f"p,c,{b},{s}\n" for b, s in rows))
    data = bench.run("sum_budget", project="p")
    assert awk(bench, "p") == [data["budget"], data["spent"]]
    assert Decimal(data["spent"]) == sum(s for _, s in rows)


def test_all_projects_are_summed_each_and_together(bench: WeeklyBench) -> None:
    data = bench.run("sum_budget")
    assert [p["name"] for p in data["projects"]] == ["apollo", "borealis", "青鸟"]
    assert (data["spent"], data["budget"]) == ("41976.16", "60000.00")
    for everything in ("全部", "all", "所有项目", ""):
        assert bench.run("sum_budget", project=everything)["spent"] == "41976.16"


@pytest.mark.parametrize(
    "said", ["Apollo", "ＡＰＯＬＬＯ", "apollo 项目", "apollo项目", "project apollo", "the apollo project"]
)
def test_a_project_is_known_however_it_is_written(bench: WeeklyBench, said: str) -> None:
    assert bench.run("sum_budget", project=said)["spent"] == "18420.50"


def test_an_unknown_project_is_told_with_those_there_are(bench: WeeklyBench) -> None:
    with pytest.raises(ToolError) as missing:
        bench.run("sum_budget", project="zeus")
    assert (missing.value.code, missing.value.retryable) == ("NOT_FOUND", False)
    for text in (missing.value.message, missing.value.message_zh):
        assert "zeus" in text and all(p in text for p in ("apollo", "borealis", "青鸟"))


@pytest.mark.parametrize(
    "text",
    [
        '\ufeffproject,category,budget,spent\n\napollo,"a, b","1,000.00","1,234.50"\n  \nAPOLLO,c,¥500,0.25元\n',
        "项目,类别,预算,已花\napollo,a,1000,1234.5\napollo,c,500.00,.25\n".replace(",.25", ",0.25"),
        "Spent;Project;Budget\n1234.50;apollo;1000\n0.25;apollo;500\n",
        "project\tbudget\tspent\r\napollo\t1500\t1300.00\r\napollo\t\t-65.25\r\n",
        "date,project,item,budget (CNY),spent (CNY),\n2026-10-01,apollo,a,1000,1234.75,\n2026-10-02,apollo,b,500,,\n",
    ],
    ids=["bom-quotes-blank-lines", "chinese", "semicolons", "tabs-refund", "extra-columns"],
)
def test_common_forms_of_the_file_are_read(bench: WeeklyBench, text: str) -> None:
    bench.put("budget.csv", text)
    data = bench.run("sum_budget", project="apollo")
    assert (data["spent"], data["budget"]) == ("1234.75", "1500.00")
    assert data["percent"] == "82.3"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("apollo,a,1000,12x4\n", "“12x4” as spent in line 2"),
        ("apollo,a,1,2\n\napollo,a,1,000.00,2\n", "5 fields in line 4"),
        ("apollo,a,1\n", "3 fields in line 2"),
        ("apollo,a,,\n", "no amount in line 2"),
        ("apollo,a,NaN,1\n", "“NaN” as budget in line 2"),
        ("apollo,a,1e5,1\n", "“1e5” as budget"),
        ("apollo,a,1,--5\n", "“--5” as spent"),
        ('apollo,a,"1,00",1\n', "“1,00” as budget"),
        ('apollo,"a,1,1\n', "line 2"),
        ("", "no rows"),
    ],
)
def test_a_bad_row_is_told_with_its_line(bench: WeeklyBench, rows: str, said: str) -> None:
    bench.put("budget.csv", f"project,category,budget,spent\n{rows}")
    with pytest.raises(ToolError) as broken:
        bench.run("sum_budget", project="apollo")
    assert said in broken.value.message and not broken.value.retryable
    assert "budget.csv" in broken.value.message_zh


def test_a_file_without_its_columns_or_with_several_currencies_is_told(bench: WeeklyBench) -> None:
    for text, said in (
        ("name,amount\nx,1\n", "lacks the column project, budget, spent"),
        ("", "is empty"),
        ("project,budget,spent,currency\na,1,1,CNY\na,1,1,usd\n", "several currencies (CNY, USD)"),
    ):
        bench.put("budget.csv", text)
        with pytest.raises(ToolError) as broken:
            bench.run("sum_budget")
        assert said in broken.value.message


def test_without_a_budget_there_is_no_percentage_and_an_overrun_is_called_one(bench: WeeklyBench) -> None:
    bench.put("budget.csv", "project,budget,spent\nfree,0,10\nover,10,15.5\n")
    assert bench.run("sum_budget", project="free")["percent"] is None
    assert "%" not in bench.say("sum_budget", "en", project="free").splitlines()[0]
    assert "5.50 over budget" in bench.say("sum_budget", "en", project="over")
    assert "超支 5.50" in bench.say("sum_budget", "zh", project="over")
