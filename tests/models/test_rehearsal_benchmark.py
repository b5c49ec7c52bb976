"""The benchmark's own judgement: what counts as right, and what is said of files that are none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from rehearsal_cases import Case, Made, judge, read, same  # noqa: E402

from signoff.errors import ConfigError, UsageError  # noqa: E402

CHANGING = frozenset({"refund_order", "remember"})


def row(**expect: Any) -> dict[str, Any]:
    return {"id": "a", "desk": "service", "said": ["words"], "expect": expect}


def case(calls: list[tuple[str, dict[str, Any]]] | None = None, **more: Any) -> Case:
    return Case("a", "service", ("words",), calls if calls is not None else [], **more)


def made(*calls: tuple[str, dict[str, Any]], status: str = "done", answer: str = "", rounds: int = 1) -> Made:
    return Made(calls, status, answer, rounds, changing=CHANGING)


@pytest.mark.parametrize(
    ("found", "wanted", "equal"),
    [
        ("A1003", "a1003", True),
        ("12 Lake Rd., Wuhan", "12 lake rd wuhan", True),
        ("17.5% * 2480", "2,480 * 17.5%", True),
        ("1.75 * 2480", "17.5 * 2480", False),
        ("2026-10-31", "20261031", False),
        ("the zip is broken", {"has": "zip"}, True),
        ("the zip is broken", {"has": ["zip", "lid"]}, False),
        (None, {"any": [None, 1]}, True),
        ("(25 * 4) / 8", {"any": [], "equals": 12.5}, True),
        (True, 1, False),
        (["a@x.com", "b@x.com"], ["b@x.com", "a@x.com"], False),
    ],
)
def test_values_are_compared_by_what_they_say(found: Any, wanted: Any, equal: bool) -> None:
    assert same(found, wanted) is equal


def test_a_change_that_no_label_has_is_wrong_and_another_reason_is_not() -> None:
    wanted = case([("refund_order", {"order_id": "A1003", "reason": {"has": "broken"}})])
    assert judge(wanted, made(("refund_order", {"order_id": "A1003", "reason": "it is late"}))).wrong == []
    other = judge(wanted, made(("refund_order", {"order_id": "A1004", "reason": "broken"})))
    assert len(other.wrong) == 1 and other.tools and other.arguments is False and not other.right
    assert judge(case([]), made(("query_order", {"order_id": "A1003"}))).wrong == []
    assert len(judge(case([]), made(("remember", {"text": "x"}))).wrong) == 1


def test_order_and_rounds_are_judged_where_the_case_asks_for_them() -> None:
    calls = [("query_order", {"order_id": "A1"}), ("query_order", {"order_id": "A2"})]
    assert not judge(case(calls), made(*reversed(calls))).both
    assert judge(case(calls, unordered=True), made(*reversed(calls))).both
    assert judge(case(calls, unordered=True), made(*calls, rounds=2)).too_many
    assert not judge(case(calls), made(*calls, rounds=2)).too_many
    assert judge(case([]), made(rounds=1)).too_many
    never = Case("a", "service", ("words",), None, never=frozenset({"refund_order"}))
    assert judge(never, made(("query_order", {}))).right
    assert not judge(never, made(("refund_order", {}))).right


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 1 is no case"),
        (json.dumps([1]), "no JSON object"),
        (json.dumps({**row(), "desk": "kitchen"}), "'kitchen'"),
        (json.dumps({**row(), "said": []}), "said is no list"),
        (json.dumps(row(calls=[["x", "y"]])), "calls is no list"),
        (json.dumps(row(call=[])), "expect takes"),
        (json.dumps({"id": "a"}), "is missing"),
        (json.dumps(row()) + "\n" + json.dumps(row()), "there twice"),
    ],
)
def test_a_bad_line_is_named(line: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(ConfigError, match=says):
        read([path])
    with pytest.raises(UsageError, match="cannot be read"):
        read([tmp_path / "none.jsonl"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--cases", "none.jsonl"], 64),
        (["--desk", "kitchen"], 64),
        (["--bfcl", "nowhere"], 64),
        (["--cases", "bad"], 1),
    ],
)
def test_the_command_says_in_a_sentence_what_is_wrong(arguments: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("{", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(BENCHMARKS / "rehearsal.py"), *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == code and run.stderr.strip() and "Traceback" not in run.stderr


def test_the_cases_that_come_with_it_can_be_read() -> None:
    cases = read(sorted((BENCHMARKS / "rehearsal_data").glob("*.jsonl")))
    assert len(cases) >= 200 and {c.desk for c in cases} == {"service", "weekly", "assistant"}
    assert {c.language for c in cases} == {"zh", "en"}
