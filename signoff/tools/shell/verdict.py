"""What the guard says of a command: allow, ask or deny, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from signoff.text import shorten

Decision = Literal["allow", "ask", "deny"]
_ORDER: dict[Decision, int] = {"allow": 0, "ask": 1, "deny": 2}


class Kind(StrEnum):
    """What a command is about; denials are counted by it."""

    READ = "read"
    SYNTAX = "syntax"
    """It cannot be read with certainty, or is too long."""
    UNKNOWN = "unknown"
    """A program or an option that is not known to only read."""
    UNLISTED = "unlisted"
    """Not what the allow-list names."""
    EXPANSION = "expansion"
    """A part of it is only known once it runs."""
    CONTROL = "control"
    """A loop, a function or a background job."""
    OUTSIDE = "outside"
    """It reads outside the workspace."""
    WRITE = "write"
    CODE = "code"
    """It runs another program, or text as a program."""
    EGRESS = "egress"
    DESTRUCTIVE = "destructive"
    SECRET = "secret"
    PRIVILEGE = "privilege"
    HIDDEN = "hidden"
    """It is written so that a reader sees something else than the shell does."""
    PLACE = "place"
    """It writes where the workspace may not be written to, or where that is cannot be told."""


_CHARS = 160
"""Characters of a reason, which can hold words of the command."""
_WEIGHT = {kind: weight for weight, kind in enumerate(Kind)}


@dataclass(frozen=True)
class Finding:
    """One reason, in a sentence without its full stop."""

    decision: Decision
    kind: Kind
    en: str
    zh: str

    def text(self, lang: str) -> str:
        """The reason in `zh` or `en`."""
        return self.zh if lang == "zh" else self.en


def ask(kind: Kind, en: str, zh: str) -> Finding:
    """A person has to decide."""
    return Finding("ask", kind, shorten(en, _CHARS), shorten(zh, _CHARS))


def deny(kind: Kind, en: str, zh: str) -> Finding:
    """Nobody is asked: it is not run."""
    return Finding("deny", kind, shorten(en, _CHARS), shorten(zh, _CHARS))


def worst(findings: Sequence[Finding]) -> Decision:
    """The strictest decision of all; `allow` when there is no finding."""
    return max((f.decision for f in findings), key=_ORDER.__getitem__, default="allow")


@dataclass(frozen=True)
class Judged:
    """One parsed command with what was found about it."""

    text: str
    program: str
    findings: tuple[Finding, ...] = ()
    paths: tuple[tuple[str, ...], ...] = ()
    """For each file it is known to write to, the absolute paths that it may be."""
    certain: bool = False
    """Whether it writes to nothing but `paths`."""

    @property
    def decision(self) -> Decision:
        """Of this command alone."""
        return worst(self.findings)


@dataclass(frozen=True)
class Verdict:
    """The decision about a whole command."""

    decision: Decision
    reasons: tuple[str, ...]
    """In English, the weightiest first; empty when allowed."""
    kind: Kind
    """Of the weightiest reason; `read` when allowed."""
    commands: tuple[Judged, ...]
    """Every command that was found in it, wherever it is nested."""
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, commands: Sequence[Judged], general: Sequence[Finding]) -> Verdict:
        """The verdict that follows from the findings about the whole and about each command."""
        found = dict.fromkeys([*general, *(f for c in commands for f in c.findings)])
        ordered = sorted(found, key=lambda f: (-_ORDER[f.decision], -_WEIGHT[f.kind]))
        return cls(
            decision=worst(ordered),
            reasons=tuple(f.en for f in ordered),
            kind=ordered[0].kind if ordered else Kind.READ,
            commands=tuple(commands),
            findings=tuple(ordered),
        )

    @property
    def kinds(self) -> frozenset[Kind]:
        """Of every reason."""
        return frozenset(f.kind for f in self.findings)

    @property
    def general(self) -> tuple[Finding, ...]:
        """The reasons that are not about one command alone."""
        return tuple(f for f in self.findings if not any(f in c.findings for c in self.commands))

    @property
    def critical(self) -> bool:
        """Whether it destroys, goes outward or could write anywhere, so that somebody else has to approve."""
        return bool(self.kinds & {Kind.EGRESS, Kind.DESTRUCTIVE, Kind.PLACE})

    @property
    def denials(self) -> tuple[Finding, ...]:
        """The reasons for which it is denied."""
        return tuple(f for f in self.findings if f.decision == "deny")

    def but(self, *more: Finding) -> Verdict:
        """The verdict with further reasons about the whole."""
        return Verdict.of(self.commands, [*self.findings, *more])

    def said(self, lang: str) -> tuple[str, ...]:
        """The reasons in `zh` or `en`."""
        return tuple(f.text(lang) for f in self.findings)
