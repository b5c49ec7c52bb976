"""Looks through what a server says of its tools for words that are meant for a model and not for a reader.

No list of phrases is complete. What holds is that these tools' risk is the operator's word, that their results
are untrusted, and that their writes are signed off; this only keeps the plain attempts from being offered unseen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from signoff.text import normalise, shorten
from signoff.tools.mcp.definition import Definition
from signoff.tools.mcp.phrases import ENCODED, RULES, SQUEEZED

DESCRIPTION_CHARS = 3_000
PARAMETER_CHARS = 1_200
SCHEMA_CHARS = 40_000
_MOST = 12


@dataclass(frozen=True)
class Finding:
    """Something in a definition that a person should read before a model does."""

    kind: str
    """`instruction`, `secrecy`, `secrets`, `sending`, `other-tool`, `markup`, `invisible`, `encoded`, `script` or
    `length`."""
    where: str
    """`name`, `description`, or the path of a text in the schema."""
    excerpt: str

    def __str__(self) -> str:
        return f"{self.kind} in {self.where}: {self.excerpt}"


_NAMED = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?<=`)[\w.-]+(?=`)")
_BLANKS = "\u115f\u1160\u3164\uffa0\u2028\u2029"
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def examine(definition: Definition, others: Iterable[str] = ()) -> list[Finding]:
    """What is to be read by a person first, at most a dozen findings; none for an ordinary tool.

    `others` are the names of tools that are not this server's: a description has no business with them.
    """
    found: list[Finding] = []
    foreign = {normalise(o) for o in others} - {normalise(definition.name)}
    total = 0
    for where, text in _texts(definition):
        total += len(text)
        limit = DESCRIPTION_CHARS if where == "description" else PARAMETER_CHARS
        if len(text) > limit:
            found.append(Finding("length", where, f"{len(text)} characters, {limit} are usual at most"))
        found.extend(_of_text(where, text[: 4 * DESCRIPTION_CHARS], foreign))
    if total > SCHEMA_CHARS:
        found.append(Finding("length", "schema", f"{total} characters of text"))
    return list(dict.fromkeys(found))[:_MOST]


def of_text(text: str) -> list[Finding]:
    """Findings in a text that is not of a definition, such as a server's message about a failed call."""
    return list(_of_text("message", text, frozenset()))


def _of_text(where: str, text: str, foreign: Iterable[str]) -> Iterator[Finding]:
    if hidden := [c for i, c in enumerate(text) if _invisible(text, i)]:
        names = ", ".join(dict.fromkeys(f"U+{ord(c):04X}" for c in hidden))
        yield Finding("invisible", where, f"{len(hidden)} characters that cannot be seen: {shorten(names, 80)}")
    seen = "".join(" " if c.isspace() else c for i, c in enumerate(text) if c.isspace() or not _invisible(text, i))
    plain = " ".join(normalise(seen).split())
    # Words of an identifier are words: `content_of_ssh_id_rsa` asks for something.
    spoken = plain.replace("_", " ")
    for kind, rule in RULES:
        if match := rule.search(plain) or rule.search(spoken):
            yield Finding(kind, where, _around(match.string, match))
    squeezed = re.sub(r"[\W_]+", "", plain)
    if match := SQUEEZED.search(squeezed):
        yield Finding("instruction", where, _around(squeezed, match))
    if match := ENCODED.search(text):
        yield Finding("encoded", where, _around(text, match))
    for word in re.findall(r"[^\W\d_]{3,}", unicodedata.normalize("NFC", text)):
        if not word.isascii() and len(_scripts(word)) > 1:
            yield Finding("script", where, f"letters of several alphabets in one word: {shorten(word, 40)}")
            break
    for name in _NAMED.findall(text):
        if normalise(name) in foreign:
            yield Finding("other-tool", where, f"speaks of {name}, a tool that is not this server's")
            break


def _texts(definition: Definition) -> Iterator[tuple[str, str]]:
    """Every text of a definition that a model would be shown, with its place."""
    yield "name", definition.name
    yield "description", definition.description

    def walk(node: Any, path: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, str):
            yield path, node
        elif isinstance(node, Mapping):
            for key, value in node.items():
                # A property's name is a text, too; the keywords of JSON Schema are not worth reading.
                if path.endswith("properties"):
                    yield f"{path}.{shorten(str(key), 40)}", str(key)
                yield from walk(value, f"{path}.{shorten(str(key), 40)}")
        elif isinstance(node, list):
            for i, value in enumerate(node):
                yield from walk(value, f"{path}[{i}]")

    try:
        yield from walk(definition.schema, "schema")
    except RecursionError:
        yield "schema", "\u2066"


def _invisible(text: str, at: int) -> bool:
    c = text[at]
    if c in "\n\t\r":
        return False
    if c == "\u200d":
        # Joins emoji into one.
        return not (0 < at < len(text) - 1 and unicodedata.category(text[at - 1]) in ("So", "Sk", "Mn"))
    hidden = ("Cc", "Cf", "Cs", "Co")
    return unicodedata.category(c) in hidden or "\U000e0100" <= c <= "\U000e01ef" or c in _BLANKS


def _scripts(word: str) -> set[str]:
    return {s for c in word for s in _SCRIPTS if unicodedata.name(c, "").startswith(s + " ")}


def _around(text: str, match: re.Match[str]) -> str:
    return shorten(text[max(0, match.start() - 20) : match.end() + 20], 120)
