"""Programs are run in a sandbox: what they print and give comes back, and nothing they do reaches the machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from general_run import CLOCK, JSON, call, refusal, settings, survives
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from signoff.tools.catalog.programs import OUTPUT_CHARS, run_python
from signoff.tools.contract import Risk

QUICK = settings(python_timeout_s=0.5, python_memory_mb=16)


@pytest.mark.parametrize(
    ("code", "output", "result"),
    [
        ("1 + 2", "", 3),
        ("print('a')\nprint('b')", "a\nb\n", None),
        ("x = [n * n for n in range(4)]\nprint(len(x))\nx", "4\n", [0, 1, 4, 9]),
        ("{'a': (1, 2), 3: None}", "", {"a": [1, 2], "3": None}),
        ("'中文' * 2", "", "中文中文"),
        ("{1}", "", [1]),
        ("float('nan')", "", "nan"),
        ("float('inf')", "", "inf"),
        ("b'ab'", "", "ab"),
        (
            "import math, json, re, decimal\njson.dumps([math.pi > 3, str(decimal.Decimal('0.1') * 3)])",
            "",
            '[true, "0.3"]',
        ),
        ("import datetime\nstr(datetime.datetime(2026, 1, 2))", "", "2026-01-02 00:00:00"),
        ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nf(20)", "", 2432902008176640000),
        ("import time\ntime.sleep(3600)\n'awake'", "", "awake"),
    ],
)
def test_programs_give_what_they_print_and_their_last_value(code: str, output: str, result: object) -> None:
    data = call(run_python, code=code)
    assert data["output"] == output and data.get("result") == result and "error" not in data


def test_a_program_sees_business_time() -> None:
    data = call(run_python, code="import datetime\nstr(datetime.datetime.now())[:16], str(datetime.date.today())")
    assert CLOCK.fixed and data["result"] == ["2026-10-31 10:00", "2026-10-31"]


@pytest.mark.parametrize(
    ("code", "kind", "line"),
    [
        ("x = (", "SyntaxError", 1),
        ("ok = 1\nif ok\n  pass", "SyntaxError", 2),
        ("1/0", "ZeroDivisionError", 1),
        ("def f():\n    return {}['k']\nprint('before')\nf()", "KeyError", 2),
        ("nonesuch(1)", "NameError", 1),
        ("raise ValueError('why')", "ValueError", 1),
        ("def f(): return f()\nf()", "RecursionError", 1),
        ("import numpy", "ModuleNotFoundError", 1),
    ],
)
def test_an_error_of_the_program_is_told_with_its_line(code: str, kind: str, line: int) -> None:
    data = call(run_python, code=code)
    assert (data["error"]["type"], data["error"]["line"]) == (kind, line)
    assert (
        run_python.render and f"line {line}" in run_python.render(data, "en") and "行" in run_python.render(data, "zh")
    )


def test_what_was_printed_before_an_error_is_kept() -> None:
    data = call(run_python, code="print('before')\n1/0")
    assert data["output"] == "before\n" and data["error"]["message"] == "division by zero"


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd').read()",
        "open('written.txt', 'w').write('x')",
        "import os\nos.listdir('/')",
        "import os\nos.environ",
        "import os\nos.system('touch written.txt')",
        "import os\nos.getenv('PATH')",
        "import pathlib\npathlib.Path('/etc/passwd').read_text()",
        "import pathlib\npathlib.Path('written.txt').write_text('x')",
        "import socket",
        "import urllib.request",
        "import subprocess",
        "import ctypes",
        "import importlib\nimportlib.import_module('os').system('ls')",
        "__import__('os').system('ls')",
        "eval(\"__import__('os')\")",
        "[].__class__.__base__.__subclasses__()",
        "(lambda: 0).__globals__",
        "input()",
        "exit()",
    ],
)
def test_nothing_of_the_machine_is_reached(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = call(run_python, code=code)
    assert data["error"]["type"] and "root:" not in str(data) and os.environ["PATH"] not in str(data)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("while True: pass", "TimeoutError"),
        ("import re\nre.match(r'(a*)*b', 'a' * 100_000)\nwhile True: pass", "TimeoutError"),
        ("for i in range(10**9): pass", "TimeoutError"),
        ("sum(range(10**12))", "TimeoutError"),
        ("'a' * 10**9", "MemoryError"),
        ("[0] * 10**10", "MemoryError"),
        ("10**10**9", "MemoryError"),
        ("x = []\nwhile True: x.append('a' * 1000)", "MemoryError"),
        ("a = 'x'\nfor i in range(60): a = a + a", "MemoryError"),
    ],
)
def test_a_program_that_takes_too_much_is_stopped(code: str, kind: str) -> None:
    error = call(run_python, QUICK, code=code)["error"]
    assert error["type"] == kind
    assert "0.5 seconds" in error["message"] or "16 MB" in error["message"]


def test_a_flood_of_output_is_cut() -> None:
    data = call(run_python, QUICK, code="print('x' * 1_000_000)")
    assert len(data["output"]) == OUTPUT_CHARS and data["output_truncated"] and data["output_chars"] == 1_000_001
    endless = call(run_python, QUICK, code="while True: print('y')")
    assert len(endless["output"]) == OUTPUT_CHARS and endless["error"]["type"] == "TimeoutError"


@pytest.mark.parametrize(
    "code",
    [
        "'x' * 100_000",
        "list(range(100_000))",
        "2 ** 100_000",
        "a = []\na.append(a)\na",
        "x = d = {}\nfor i in range(5_000):\n    y = {}\n    x['a'] = y\n    x = y\nd",
        "class A: pass\nA()",
        "lambda x: x",
        "print",
        "10 ** 4000",
        "'\\ud800'",
    ],
)
def test_a_result_that_is_hard_to_give_back_is_no_failure(code: str) -> None:
    data = call(run_python, code=code)
    assert len(str(data)) < 3 * OUTPUT_CHARS


def test_programs_do_not_see_each_other() -> None:
    call(run_python, code="secret = 42")
    assert call(run_python, code="secret")["error"]["type"] == "NameError"


def test_no_process_is_left_behind() -> None:
    call(run_python, QUICK, code="while True: pass")
    if sys.platform == "linux":
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        assert not [c for c in children if Path(f"/proc/{c}/comm").read_text().strip() == "monty"]


def test_without_the_package_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    assert "pydantic-monty" in refusal(run_python, code="1").message


def test_it_is_a_read_that_leaves_nothing() -> None:
    assert (run_python.risk, run_python.egress, run_python.untrusted) == (Risk.READ, False, False)


@hypothesis_settings(deadline=None, max_examples=50)
@given(JSON)
def test_any_json_is_answered(code: object) -> None:
    survives(run_python, QUICK, code=code)


@hypothesis_settings(deadline=None, max_examples=100)
@given(st.text(alphabet="abxy01 \n=+*()[]{}:'\"#.,%\\deflambdaifor in return\0é中", max_size=60))
def test_anything_that_looks_like_a_program_is_answered(code: str) -> None:
    survives(run_python, QUICK, code=code)
