"""Help is quick, complete and right."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from signoff_command import Cli, environment

from signoff import __version__
from signoff.cli.app import app

HEAVY = (
    "langgraph",
    "langchain",
    "langchain_core",
    "langchain_openai",
    "langsmith",
    "sqlalchemy",
    "pydantic",
    "openai",
)


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command and group, by its words."""
    group = group or typer.main.get_command(app)
    yield path
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*path, name))


@pytest.mark.parametrize("path", sorted(commands()), ids=" ".join)
def test_every_command_has_help_with_a_sentence(cli: Cli, path: tuple[str, ...]) -> None:
    shown = cli(*path, "--help")
    assert shown.code == 0
    assert shown.err == ""
    summary = shown.out.split("\n\n")[1].strip()
    assert summary[0].isupper() and summary.endswith((".", "."))


@pytest.mark.parametrize("path", [c for c in sorted(commands()) if c and c != ("records",)], ids=" ".join)
def test_every_command_takes_the_shared_options(cli: Cli, path: tuple[str, ...]) -> None:
    command: Any = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    if not hasattr(command, "commands"):
        assert {"--as", "--home", "--json"} <= {o for p in command.params for o in p.opts}


@pytest.mark.parametrize("args", [["--help"], ["ask", "--help"], ["approvals", "approve", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(tmp_path: Path, args: list[str]) -> None:
    program = (
        "import json, sys\n"
        f"sys.argv = ['signoff', *{args!r}]\n"
        "from signoff.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: code = end.code\n"
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    assert not {m.partition(".")[0] for m in modules} & set(HEAVY)


def test_the_version_is_the_packages(cli: Cli) -> None:
    assert cli("--version").out == f"signoff {__version__}\n"


def test_the_exit_codes_are_in_the_help(cli: Cli) -> None:
    shown = " ".join(cli("--help").out.split())
    for code in ("0 done", "1 error", "2 not finished", "10 waiting", "11 rejected", "12 expired", "64 wrong", "130"):
        assert code in shown
