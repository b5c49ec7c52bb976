"""A command as pipelines of simple commands, for which no shell is needed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signoff.tools.shell.words import Token, Unclear, Word, tokens

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
"""How a word begins that sets a variable."""

_RESERVED = frozenset(
    "! { } [[ ]] if then else elif fi for while until do done case esac in select function time coproc".split()
)


@dataclass(frozen=True)
class Redirection:
    """Where one stream of a command goes, or comes from."""

    op: str
    fd: int | None
    target: Word
    body: str = ""
    """The lines of a here-document."""


@dataclass(frozen=True)
class Simple:
    """One program with its arguments, and what stands around them."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()
    assignments: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it was written, in one line."""
        around = [f"{'' if r.fd is None else r.fd}{r.op} {r.target.raw}" for r in self.redirections]
        return " ".join(" ".join([*self.assignments, *(w.raw for w in self.words), *around]).split())


@dataclass(frozen=True)
class Pipeline:
    """Commands whose output feeds the next one's input."""

    commands: tuple[Simple, ...]
    joined: tuple[bool, ...] = ()
    """For each command but the last: whether its errors go down the pipe too (`|&`)."""
    after: str = ";"
    """How it depends on what came before: `;`, `&&` or `||`."""


Plan = tuple[Pipeline, ...]


def plan(command: str) -> Plan:
    """Read a command that is pipelines in a list. Raises `Unclear` for every other construct."""
    pipelines: list[Pipeline] = []
    stages: list[Simple] = []
    joined: list[bool] = []
    part: list[Token] = []
    after, owed = ";", False
    for token in [*tokens(command), Token("operator", "")]:
        if token.kind != "operator":
            part.append(token)
            continue
        if token.raw in ("&", ";;"):
            raise Unclear("a command goes to the background" if token.raw == "&" else "';;' stands alone")
        if not part:
            if token.raw == "\n" or (token.raw == "" and not owed):
                continue
            raise Unclear("an operator has no command beside it")
        stages.append(_simple(part))
        part = []
        owed = token.raw in ("|", "|&", "&&", "||")
        if token.raw in ("|", "|&"):
            joined.append(token.raw == "|&")
            continue
        pipelines.append(Pipeline(tuple(stages), tuple(joined), after))
        stages, joined = [], []
        after = token.raw if token.raw in ("&&", "||") else ";"
    return tuple(pipelines)


def _simple(part: list[Token]) -> Simple:
    words: list[Word] = []
    redirections: list[Redirection] = []
    assignments: list[str] = []
    i = 0
    while i < len(part):
        token = part[i]
        if token.kind == "redirection":
            target = part[i + 1] if i + 1 < len(part) else None
            if target is None or target.word is None:
                raise Unclear("a redirection has no target")
            redirections.append(Redirection(token.raw, token.fd, target.word, target.body))
            i += 2
            continue
        assert token.word
        if not words and ASSIGNMENT.match(token.raw):
            assignments.append(token.raw)
        elif not words and token.raw in _RESERVED:
            raise Unclear(f"'{token.raw}' starts a compound command")
        else:
            words.append(token.word)
        i += 1
    return Simple(tuple(words), tuple(redirections), tuple(assignments))
