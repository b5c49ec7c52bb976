"""Plays a page: its Python and its commands run in order, on one home, and what they print is what it shows."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

from markdown_pages import Block
from shell_lines import prompts
from typer.testing import CliRunner

from signoff.cli.app import app

_ID = re.compile(r"\b(?:ap-|th-)?(?=[0-9a-f]*[0-9])[0-9a-f]{12}\b")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?")
ANY = "…"
"""A line that stands for lines that are not shown; within a line, for the rest of it."""


class Session:
    """Runs blocks. Ids in the page are examples: each is bound to the real one where it is first printed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._ids: dict[str, str] = {}

    def play(self, block: Block) -> None:
        """Run a `python` or `console` block; anything else is only to be read."""
        if block.language == "python":
            self._python(block)
        elif block.language == "console":
            for command, shown in prompts(block):
                self._command(block, command, shown)

    def _python(self, block: Block) -> None:
        printed = io.StringIO()
        # Line numbers of a traceback are those of the page.
        source = "\n" * (block.line - 1) + self._real(block.text)
        with contextlib.redirect_stdout(printed):
            exec(compile(source, block.page, "exec"), self._names)
        if block.output is not None:
            self._compare(block.output.splitlines(), printed.getvalue().splitlines(), f"{block.page}:{block.line}")

    def _command(self, block: Block, command: str, shown: list[str]) -> None:
        line, _, comment = command.partition("  #")
        words = shlex.split(self._real(line))
        if words == ["make", "demo"]:
            words = ["signoff", "demo", "--fast", "--home", str(self._folder / "demo")]
        assert words[0] == "signoff", f"{block.page}: a console block runs signoff only, not {words[0]}"
        result = CliRunner().invoke(app, words[1:], prog_name="signoff")
        where = f"{block.page}: {command}"
        expected = re.search(r"exit (\d+)", comment)
        assert result.exit_code == (int(expected[1]) if expected else 0), f"{where}\n{result.output}"
        self._contains(shown, [*result.stderr.splitlines(), *result.stdout.splitlines()], where)

    def _compare(self, shown: list[str], printed: list[str], where: str) -> None:
        """All lines, in order; `…` stands for any number of lines."""
        at = 0
        skipping = False
        for line in shown:
            if line.strip() == ANY:
                skipping = True
                continue
            while skipping and at < len(printed) and not self._same(line, printed[at]):
                at += 1
            assert at < len(printed) and self._same(line, printed[at]), f"{where}: {line!r} is not in {printed[at:]}"
            at, skipping = at + 1, False
        assert skipping or at == len(printed), f"{where}: not shown: {printed[at:]}"

    def _contains(self, shown: list[str], printed: list[str], where: str) -> None:
        for line in shown:
            if line.strip() != ANY:
                assert any(self._same(line, p) for p in printed), f"{where}: {line!r} is not in\n" + "\n".join(printed)

    def _same(self, shown: str, printed: str) -> bool:
        pattern, new = "", {}
        rest = shown.rstrip()
        while rest:
            found = min(
                (m for m in (_ID.search(rest), _MOMENT.search(rest)) if m), key=lambda m: m.start(), default=None
            )
            before, rest = (rest, "") if found is None else (rest[: found.start()], rest[found.end() :])
            pattern += ".*".join(re.escape(part) for part in before.split(ANY))
            if found is None:
                break
            token = found[0]
            if _MOMENT.fullmatch(token):
                pattern += _MOMENT.pattern
            elif token in self._ids:
                pattern += re.escape(self._ids[token])
            elif token in new:
                pattern += f"(?P={new[token]})"
            else:
                new[token] = f"id{len(new)}"
                pattern += f"(?P<{new[token]}>{_ID.pattern})"
        match = re.fullmatch(pattern, printed.rstrip())
        if match:
            self._ids |= {token: match[name] for token, name in new.items()}
        return match is not None

    def _real(self, text: str) -> str:
        return _ID.sub(lambda m: self._ids.get(m[0], m[0]), text)
