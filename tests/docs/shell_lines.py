"""Command lines in the pages: which of them call `signoff`, and with what words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from markdown_pages import Block

_ENDS = frozenset({"|", "||", "&&", ";", "<", ">", ">>", "&"})


def prompts(block: Block) -> list[tuple[str, list[str]]]:
    """A console block's commands, each with the lines that are shown for it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line and found:
            found[-1][1].append(line)
    return found


def commands(block: Block) -> Iterator[list[str]]:
    """The words behind `signoff` of every call in a `sh` or `console` block."""
    if block.language == "console":
        lines = [line for line, _ in prompts(block)]
    else:
        lines = block.text.replace("\\\n", " ").splitlines()
    for line in lines:
        yield from calls(line)


def calls(line: str) -> Iterator[list[str]]:
    """The words behind `signoff` of every call in a line of shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    command: list[str] = []
    for word in [*lexer, ";"]:
        if word not in _ENDS:
            command.append(word)
            continue
        while command and re.match(r"[A-Z_]+=", command[0]):
            command.pop(0)
        if command[:3] in (["python", "-m", "signoff"], [".venv/bin/python", "-m", "signoff"]):
            yield command[3:]
        elif command and command[0].removeprefix(".venv/bin/") == "signoff":
            yield command[1:]
        command = []
