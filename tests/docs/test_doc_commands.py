"""Every command that a page writes down exists, with the options it is given."""

from __future__ import annotations

from typing import Any

import pytest
import typer
from markdown_pages import PAGES, Page
from shell_lines import calls, commands
from typer.testing import CliRunner

from signoff.cli.app import app

CODES = {"0", "1", "2", "10", "11", "12", "64", "130"}


def written() -> list[tuple[str, ...]]:
    """The words behind `signoff` of every command in the pages' blocks."""
    blocks = [b for name in PAGES for b in Page(name).blocks if b.language in ("sh", "console")]
    return sorted({tuple(words) for block in blocks for words in commands(block)})


def mentioned() -> list[tuple[str, ...]]:
    """The same for commands in running text, which may leave arguments out."""
    code = [c for name in PAGES for c in Page(name).inline_code if c.startswith("signoff ")]
    return sorted({tuple(words) for c in code for words in calls(c) if "COMMAND" not in words})


def leaf(words: tuple[str, ...]) -> tuple[Any, list[str], list[str]]:
    """The command, the path to it, and the words that are left for it."""
    command: Any = typer.main.get_command(app)
    path, rest = [], list(words)
    while rest and rest[0] in getattr(command, "commands", {}):
        path.append(rest.pop(0))
        command = command.commands[path[-1]]
    return command, path, rest


@pytest.mark.parametrize("words", written(), ids=" ".join)
def test_a_command_in_a_block_parses_whole(words: tuple[str, ...]) -> None:
    command, path, rest = leaf(words)
    assert path or rest == ["--help"] or rest == ["--version"], f"signoff {' '.join(words)} names no command"
    if not {"--help", "--version"} & set(rest):
        command.make_context(" ".join(path), rest)


@pytest.mark.parametrize("words", mentioned(), ids=" ".join)
def test_a_command_in_running_text_exists_and_so_do_its_options(words: tuple[str, ...]) -> None:
    command, path, rest = leaf(words)
    assert path, f"signoff {' '.join(words)} names no command"
    assert CliRunner().invoke(app, [*path, "--help"]).exit_code == 0
    options = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
    assert {w.partition("=")[0] for w in rest if w.startswith("--")} <= options


def test_the_pages_show_every_group_of_commands() -> None:
    root: Any = typer.main.get_command(app)
    assert {words[0] for words in (*written(), *mentioned()) if words} >= set(root.commands)


@pytest.mark.parametrize(("name", "heading"), [("README.md", "### Exit codes"), ("docs/errors.md", "## Exit codes")])
def test_the_exit_codes_are_all_there(name: str, heading: str) -> None:
    assert {row[0].strip("`") for row in Page(name).rows(heading)} == CODES
