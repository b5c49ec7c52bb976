"""Words of a shell command, read as POSIX quoting has it (IEEE Std 1003.1, Shell Command Language, 2.2 and 2.3)."""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass, field

_OPERATOR = re.compile(r"&&|\|\||;;|\|&|&>>|&>|<<<|<<-|<<|>>|<>|>&|<&|>\||[;\n|&<>()]")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)")
_REDIRECTIONS = frozenset({"&>>", "&>", "<<<", "<<-", "<<", ">>", "<>", ">&", "<&", ">|", "<", ">"})
_META = frozenset(" \t\n;|&<>()")


class Unclear(ValueError):
    """The text is not what this reader can read with certainty."""


@dataclass(frozen=True)
class Word:
    """One word, with its quotes taken off."""

    raw: str
    text: str
    """What the program is given, when there is nothing to expand."""
    pattern: str = ""
    """When it has an unquoted `*`, `?` or `[`: the glob, with quoted ones escaped."""
    braces: bool = False
    tilde: bool = False
    quoted: bool = False
    escapes: frozenset[str] = frozenset()
    """Characters that a backslash outside quotes stands before."""
    expansions: frozenset[str] = frozenset()
    """Among `variable`, `substitution`, `arithmetic` and `ansi`."""

    @property
    def exact(self) -> bool:
        """Whether the program is given `text` and nothing else."""
        return not (self.pattern or self.braces or self.tilde or self.expansions)


@dataclass
class _Reading:
    """A word while it is read."""

    text: str = ""
    pattern: str = ""
    bare: str = ""
    """The unquoted part, with quoted characters as blanks."""
    globbed: bool = False
    tilde: bool = False
    quoted: bool = False
    escapes: set[str] = field(default_factory=set)
    expansions: set[str] = field(default_factory=set)

    def quote(self, char: str) -> None:
        self.text += char
        self.pattern += glob.escape(char)
        self.bare += " "

    def plain(self, char: str) -> None:
        self.globbed = self.globbed or char in "*?["
        self.tilde = self.tilde or (char == "~" and (not self.bare or self.bare[-1] in ":="))
        self.text += char
        self.pattern += char
        self.bare += char


def read_word(raw: str) -> Word:
    """The whole of `raw` as one word. Raises `Unclear` when it is none, or more than one."""
    word, end = _scan(raw, 0)
    if end != len(raw) or not raw:
        raise Unclear("this is not one word")
    return word


def _scan(text: str, start: int) -> tuple[Word, int]:
    """The word that starts at `start`, and where it ends."""
    i, w = start, _Reading()
    while i < len(text) and text[i] not in _META:
        char = text[i]
        if char == "\\":
            if i + 1 >= len(text) or text[i + 1] == "\n":
                raise Unclear("a backslash joins two lines, or ends the command")
            w.escapes.add(text[i + 1])
            w.quote(text[i + 1])
            i += 2
        elif char == "'":
            close = text.find("'", i + 1)
            if close < 0:
                raise Unclear("a quote is not closed")
            w.quoted = True
            for c in text[i + 1 : close]:
                w.quote(c)
            i = close + 1
        elif char == '"':
            i = _double(text, i + 1, w)
        elif char == "`" or (char == "$" and (kind := _expansion(text, i))):
            w.expansions.add("substitution" if char == "`" else kind)
            if char == "`" or text[i + 1] in "({":
                # What follows is not needed: a word with an expansion is never taken as it stands.
                return _word(text, start, len(text), w), len(text)
            w.plain(char)
            i += 1
        else:
            w.plain(char)
            i += 1
    return _word(text, start, i, w), i


def _double(text: str, i: int, w: _Reading) -> int:
    w.quoted = True
    while i < len(text) and text[i] != '"':
        char = text[i]
        if char == "\\" and i + 1 < len(text) and text[i + 1] in '$`"\\\n':
            if text[i + 1] == "\n":
                raise Unclear("a backslash joins two lines")
            w.quote(text[i + 1])
            i += 2
            continue
        if char == "`":
            w.expansions.add("substitution")
        elif char == "$" and (kind := _expansion(text, i, quoted=True)):
            w.expansions.add(kind)
        w.quote(char)
        i += 1
    if i >= len(text):
        raise Unclear("a quote is not closed")
    return i + 1


def _expansion(text: str, i: int, *, quoted: bool = False) -> str:
    """What a `$` at `i` starts; empty when it stands for itself."""
    following = text[i + 1 : i + 3]
    if following[:1] == "(":
        return "arithmetic" if following == "((" else "substitution"
    if following[:1] in ("'", '"'):
        return "" if quoted else "ansi"
    return "variable" if re.match(r"[A-Za-z0-9_{\[@*#?!$-]", following) else ""


def _word(text: str, start: int, end: int, w: _Reading) -> Word:
    return Word(
        raw=text[start:end],
        text=w.text,
        pattern=w.pattern if w.globbed else "",
        braces=bool(_BRACES.search(w.bare)),
        tilde=w.tilde,
        quoted=w.quoted,
        escapes=frozenset(w.escapes),
        expansions=frozenset(w.expansions),
    )


@dataclass(frozen=True)
class Token:
    """A word, an operator between commands, or a redirection."""

    kind: str
    """`word`, `operator` or `redirection`."""
    raw: str
    word: Word | None = None
    fd: int | None = None
    """The number written before a redirection."""
    body: str = ""
    """The lines of a here-document."""


def tokens(command: str) -> list[Token]:
    """The command as words, operators and redirections. Raises `Unclear` for whatever is not flat."""
    found: list[Token] = []
    waiting: list[tuple[int, bool]] = []
    i = 0
    while i < len(command):
        char = command[i]
        if char in " \t":
            i += 1
        elif char == "#":
            i = command.find("\n", i)
            if i < 0:
                break
        elif match := _OPERATOR.match(command, i):
            op = match[0]
            i = match.end()
            if op in "()":
                raise Unclear("commands are grouped in brackets")
            if op in _REDIRECTIONS:
                found.append(Token("redirection", op, fd=None))
                if op in ("<<", "<<-"):
                    waiting.append((len(found), op == "<<-"))
            else:
                found.append(Token("operator", op))
                if op == "\n":
                    for place, tabs in waiting:
                        i = _here_document(command, i, found, place, tabs)
                    waiting.clear()
        else:
            word, end = _scan(command, i)
            if word.expansions - {"variable", "ansi"} or "${" in word.raw:
                raise Unclear("a command's output becomes part of it")
            if re.fullmatch(r"[0-9]+", word.raw) and command[end : end + 1] in ("<", ">"):
                sign = _OPERATOR.match(command, end)
                assert sign
                found.append(Token("redirection", sign[0], fd=int(word.raw[:4])))
                if sign[0] in ("<<", "<<-"):
                    waiting.append((len(found), sign[0] == "<<-"))
                i = sign.end()
                continue
            found.append(Token("word", word.raw, word))
            i = end
    if waiting:
        raise Unclear("a here-document has no end")
    return found


def _here_document(command: str, i: int, found: list[Token], place: int, tabs: bool) -> int:
    """Read the lines up to the delimiter that stands at `place`; where the next line starts."""
    delimiter = found[place].word if place < len(found) else None
    if delimiter is None or not delimiter.text or delimiter.expansions:
        raise Unclear("a here-document has no plain delimiter")
    lines: list[str] = []
    while i < len(command):
        end = command.find("\n", i)
        end = len(command) if end < 0 else end
        line = command[i:end]
        line = line.lstrip("\t") if tabs else line
        i = end + 1
        if line == delimiter.text:
            body = "".join(f"{x}\n" for x in lines)
            if not (delimiter.quoted or delimiter.escapes) and re.search(r"[$`\\]", body):
                raise Unclear("a here-document is expanded by the shell")
            found[place] = Token("word", delimiter.raw, delimiter, body=body)
            return min(i, len(command))
        lines.append(line)
    raise Unclear("a here-document has no end")
