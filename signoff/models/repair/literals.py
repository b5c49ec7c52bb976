"""Values as models write them: JSON, Python literals and what lies between, read without guessing how they go on.

Strict JSON (RFC 8259) is tried first. What is mended is named, and a value that the output breaks off in is never
completed: libraries that repair JSON do complete it (`{"a": tru` becomes the text `tru`), which would be an
argument nobody wrote.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from signoff.models.repair import quotes
from signoff.models.repair.quotes import Unreadable, breaks_off

__all__ = ["DEPTH", "Literal", "Unreadable", "arguments", "literal", "strict"]

DEPTH = 64
"""Levels of nesting that are read."""

_DIGITS = 4_000
_SPACE = re.compile(r"(?:[\s\u3000\ufeff]+|//[^\n]*|#[^\n]*|/\*(?:[^*]|\*(?!/)){0,500}\*/)*")
_COLON = re.compile(r"[:：]|=>?")
_COMMA = re.compile(r"[,，、;；]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_KEY = re.compile(r"[\w$][\w$.\- ]{0,127}")
_KEYWORD = re.compile(r"(?P<spread>\*\*)|[\"']?([\w$][\w$.\-]{0,127})[\"']?\s{0,8}[=：](?!=)")
_BARE = re.compile(r"[^\s,，:：;；{}\[\]()\"'“”「」『』<>|`=][^\n,，:：;；{}\[\]()\"“”「」『』<>|`=]{0,199}")
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
          "null": None, "None": None, "NULL": None, "none": None}  # fmt: skip
_NEVER = frozenset("nan infinity inf undefined".split())
_STOP = re.compile(r"</|<\||<[｜]|```|\[(?:END_|/)|\]<\]|<tool_call")
"""Where markup goes on after a value; unclosed brackets before it were forgotten, not cut off."""


@dataclass
class Literal:
    """A value and where it ends."""

    value: Any
    end: int
    mends: set[str] = field(default_factory=set)
    unclosed: int = 0
    """Brackets that were never closed; the outermost are the first."""
    at_end: bool = False
    """Whether the output ended where they should have been closed."""


def strict(text: str, at: int = 0) -> Literal | None:
    """JSON at a position, or None where it is not JSON. NaN and numbers too long to keep are not JSON."""
    doubled = False

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal doubled
        made = dict(found)
        doubled = doubled or len(made) != len(found)
        return made

    for lenient in (False, True):
        decoder = json.JSONDecoder(
            strict=not lenient, parse_constant=_no_constant, parse_float=_float, object_pairs_hook=pairs
        )
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        mends = {"duplicate_keys"} if doubled else set()
        return Literal(value, end, mends | ({"raw_newlines"} if lenient else set()))
    return None


def literal(text: str, at: int = 0) -> Literal:
    """A JSON or Python value at a position.

    Raises `Unreadable` where there is none. Brackets left open before markup or the end of the output are counted,
    and whether the value counts all the same is for the caller to decide.
    """
    if found := strict(text, at):
        return found
    reader = _Reader(text)
    value, end = reader.value(at, "top", 0)
    return Literal(value, end, reader.mends, reader.unclosed, reader.at_end)


def arguments(text: str, at: int) -> Literal:
    """Keyword arguments of a call up to its closing bracket: `a=1, b="x")`; the end lies behind the bracket.

    A single value without a name stands under the key "". Names of variables are no values.
    """
    reader = _Reader(text)
    value, end = reader.keywords(at)
    return Literal(value, end, reader.mends, reader.unclosed, reader.at_end)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.mends: set[str] = set()
        self.unclosed = 0
        self.at_end = False

    def value(self, at: int, where: str, depth: int) -> tuple[Any, int]:
        at = self.space(at)
        first = self.text[at : at + 1]
        if not first:
            raise Unreadable(at, cut=True)
        if depth > DEPTH:
            raise Unreadable(at)
        if first == "{":
            return self.object(at + 1, depth + 1)
        if first == "[":
            return self.list(at + 1, "]", depth + 1)
        if first == "(" and where != "top":
            self.mends.add("python_literals")
            return self.list(at + 1, ")", depth + 1)
        if first in quotes.PAIRS or self.text.startswith(quotes.GEMMA, at):
            return quotes.read(self.text, at, where, self.mends)
        return self.word(at, where)

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        made: dict[str, Any] = {}
        while True:
            at = self.space(at)
            if self.text.startswith("}", at):
                return made, at + 1
            if made and self.left_open(at, after_comma=True):
                return made, at
            key, at = self.key(at)
            at = self.space(at)
            if not (colon := _COLON.match(self.text, at)):
                raise Unreadable(at, cut=at >= len(self.text))
            self.mends.update({"chinese_punctuation"} if colon[0] == "：" else ())
            item, at = self.value(colon.end(), "object", depth)
            if key in made:
                self.mends.add("duplicate_keys")
            made[key] = item
            at = self.space(at)
            if self.left_open(at):
                return made, at
            at = self.separator(at, "}")

    def list(self, at: int, closing: str, depth: int) -> tuple[list[Any], int]:
        made: list[Any] = []
        while True:
            at = self.space(at)
            if self.text.startswith(closing, at):
                return made, at + 1
            if made and self.left_open(at, after_comma=True):
                return made, at
            item, at = self.value(at, "list", depth)
            made.append(item)
            at = self.space(at)
            if self.left_open(at):
                return made, at
            at = self.separator(at, closing)

    def keywords(self, at: int) -> tuple[dict[str, Any], int]:
        made: dict[str, Any] = {}
        while True:
            at = self.space(at)
            if self.text[at : at + 1] in (")", "）"):
                return made, at + 1
            name = _KEYWORD.match(self.text, at)
            if name is None and made:
                raise Unreadable(at, cut=at >= len(self.text))
            item, at = self.value(name.end() if name else at, "args", 0)
            if name and name["spread"]:
                if not isinstance(item, dict):
                    raise Unreadable(at)
                made.update(item)
            else:
                made[name[2] if name else ""] = item
            at = self.space(at)
            if at >= len(self.text):
                self.unclosed, self.at_end = self.unclosed + 1, True
                return made, at
            if self.text[at] not in ")）":
                if not (comma := _COMMA.match(self.text, at)) or self.unclosed:
                    raise Unreadable(at)
                at = comma.end()

    def separator(self, at: int, closing: str) -> int:
        if self.text.startswith(closing, at):
            return at
        if comma := _COMMA.match(self.text, at):
            if comma[0] != ",":
                self.mends.add("chinese_punctuation" if comma[0] in "，、；" else "separators")
            after = self.space(comma.end())
            if self.text.startswith(closing, after):
                self.mends.add("trailing_comma")
            return after
        if at < len(self.text) and self.text[at] in "\"'“{":
            self.mends.add("missing_comma")
            return at
        raise Unreadable(at)

    def left_open(self, at: int, after_comma: bool = False) -> bool:
        """Whether the brackets end here without being closed: before markup, or with the output."""
        if breaks_off(self.text, at):
            if after_comma:
                raise Unreadable(len(self.text), cut=True)
            self.at_end = True
        elif self.text.startswith(quotes.GEMMA, at) or not _STOP.match(self.text, at):
            return False
        self.unclosed += 1
        self.mends.add("missing_bracket")
        return True

    def key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] in quotes.PAIRS or self.text.startswith(quotes.GEMMA, at):
            return quotes.read(self.text, at, "key", self.mends)
        if bare := _KEY.match(self.text, at):
            if bare.end() >= len(self.text):
                raise Unreadable(bare.end(), cut=True)
            self.mends.add("unquoted_keys")
            return bare[0].rstrip(), bare.end()
        raise Unreadable(at, cut=at >= len(self.text))

    def word(self, at: int, where: str) -> tuple[Any, int]:
        text = self.text
        number = _NUMBER.match(text, at)
        if number and not re.match(r"[\w.+\-]", text[number.end() : number.end() + 1] or " "):
            if number.end() >= len(text) and where != "top":
                raise Unreadable(number.end(), cut=True)
            return self.number(number[0], number.end())
        bare = _BARE.match(text, at)
        if not bare:
            raise Unreadable(at)
        said = bare[0].rstrip()
        follow = self.space(at + len(said))
        if follow >= len(text) and where != "top":
            raise Unreadable(follow, cut=True)
        if said in _WORDS:
            self.mends.update({"python_literals"} if said not in ("true", "false", "null") else ())
            return _WORDS[said], at + len(said)
        # In the arguments of a call a bare word is the name of a variable, whose value nobody knows.
        if said.casefold().lstrip("+-") in _NEVER or where != "object" or text[follow : follow + 1] not in ",，}":
            raise Unreadable(at + len(said))
        self.mends.add("unquoted")
        return said, at + len(said)

    def number(self, said: str, end: int) -> tuple[Any, int]:
        if len(said) > _DIGITS:
            raise Unreadable(end)
        if re.fullmatch(r"0[0-9]+", said):
            # No number in JSON: an identifier whose zeros matter.
            self.mends.add("unquoted")
            return said, end
        if re.fullmatch(r"[+-]?[0-9]+", said):
            return int(said), end
        try:
            return _float(said), end
        except ValueError:
            raise Unreadable(end) from None

    def space(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        end = found.end() if found else at
        if end > at and ("/" in self.text[at:end] or "#" in self.text[at:end]):
            self.mends.add("comments")
        return end


def _float(said: str) -> float:
    number = float(said)
    if not math.isfinite(number):
        raise ValueError("too large for a number")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
