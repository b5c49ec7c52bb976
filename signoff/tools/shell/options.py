"""How a reading program's options are declared, and how its arguments are read by that declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from signoff.tools.shell.verdict import Finding, Kind, ask
from signoff.tools.shell.words import Word

_VALUES = {
    "n": re.compile(r"[+-]?\d+(?:\.\d+)?[A-Za-z%]{0,3}"),
    "l": re.compile(r"[\d,-]+"),
    "w": re.compile(r"(?!-)[^\0]*"),
    "p": re.compile(r"(?!-.)[^\0]*"),
    "s": re.compile(r"[^\0]*"),
}
"""`n` a number, `l` a list of ranges, `w` anything that does not look like an option, `p` a path, `s` anything."""


@dataclass(frozen=True)
class Spec:
    """The options with which a program only reads. Whatever is not declared is asked about.

    `options` is written as `-a -n=n --all --lines=n --color?=w`: `=` takes a value, `?=` may take one that is
    attached; the letter is the kind of value. `-#` is a number alone, as in `head -5`. GNU's abbreviations of long
    options are not declared, therefore asked about.
    """

    options: str = ""
    operands: Literal["paths", "text", "pattern", "none"] = "paths"
    """`pattern`: the first operand is text unless one of `patterns` was given, the rest are paths."""
    patterns: str = "-e -f --regexp --file"
    most: int = 1_000
    """At most so many operands."""
    follow: str = ""
    """Options with which links below a folder are followed."""
    globs: bool = True
    """Whether an operand may be a wildcard."""

    @cached_property
    def known(self) -> dict[str, tuple[str, bool]]:
        """Option to (kind of value or "", whether the value is optional)."""
        found = {}
        for item in self.options.split():
            name, taking, kind = item.partition("=")
            found[name.rstrip("?")] = (kind if taking else "", name.endswith("?"))
        return found


@dataclass(frozen=True)
class Read:
    """A program's arguments as its options and operands."""

    findings: tuple[Finding, ...]
    given: frozenset[str]
    """The options that were given."""
    values: tuple[tuple[str, str, Word], ...]
    """Each value: the option, the value's kind, and the word it is (or is cut out of)."""
    operands: tuple[Word, ...]


def read_arguments(program: str, spec: Spec, words: Iterable[Word]) -> Read:
    """Read options as GNU getopt does: short ones together, values attached or apart, `--` ends them."""
    findings: list[Finding] = []
    given: set[str] = set()
    values: list[tuple[str, str, Word]] = []
    operands: list[Word] = []
    rest = list(words)
    ended = False

    def take(option: str, attached: Word | None) -> None:
        kind, optional = spec.known[option]
        given.add(option)
        if not kind:
            if attached is not None:
                findings.append(unknown(program, f"{option}={attached.text}"))
            return
        if attached is None and not optional:
            if not rest:
                findings.append(unknown(program, f"{option} without a value"))
                return
            value = rest.pop(0)
        elif attached is None:
            return
        else:
            value = attached
        if not _VALUES[kind].fullmatch(value.text) or (value.pattern and kind != "s") or value.braces:
            findings.append(unknown(program, f"{option} {value.raw}"))
        values.append((option, kind, value))

    while rest:
        word = rest.pop(0)
        text = word.text
        if ended or not text.startswith("-") or re.fullmatch(r"-|-{3,}", text):
            operands.append(word)
        elif word.pattern or word.braces:
            findings.append(unknown(program, word.raw))
        elif text == "--":
            ended = True
        elif text.startswith("--"):
            name, equals, value = text.partition("=")
            if name in spec.known:
                take(name, _cut(value) if equals else None)
            else:
                findings.append(unknown(program, name))
        elif "-#" in spec.known and re.fullmatch(r"-\d+", text):
            given.add("-#")
        else:
            i = 1
            while i < len(text):
                option = f"-{text[i]}"
                i += 1
                if option not in spec.known:
                    findings.append(unknown(program, option))
                    break
                if spec.known[option][0]:
                    take(option, _cut(text[i:]) if i < len(text) else None)
                    break
                take(option, None)
    return Read(tuple(findings), frozenset(given), tuple(values), tuple(operands))


def _cut(text: str) -> Word:
    return Word(text, text)


def unknown(program: str, option: str) -> Finding:
    """An option, or another argument, that is not declared."""
    return ask(
        Kind.UNKNOWN,
        f"{program}: {option} is not known to only read",
        f"{program}:{option} 不确定是否只读",
    )
