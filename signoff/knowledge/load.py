"""A file becomes a source: its front matter, and its text in blocks under their headings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

import yaml  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from markdown_it.token import Token

from signoff.errors import UserError
from signoff.text import Language, language, shorten, terminal_safe

SUFFIXES = frozenset({".md", ".markdown", ".txt", ".text"})
MAX_BYTES = 10_000_000
"""A larger file is reported and left out."""
EVERY_TENANT = "*"

_FRONT = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_KNOWN = frozenset("key title language tenant roles version valid_from valid_to trusted".split())
_NAME = re.compile(r"[\w.@+-]{1,128}")
# The structure of blocks is all that is needed: the inline rules are slow on one huge line.
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_MARKDOWN.core.ruler.enableOnly(["normalize", "block"])

Kind = Literal["text", "table", "code", "list"]


class Unreadable(UserError):
    """A file cannot be indexed; the message is one line that says why."""


class Withheld(Unreadable):
    """The file says that it is for others than it was to be indexed for."""


@dataclass(frozen=True)
class Block:
    """A paragraph, a list, a table or a fence, with the headings it stands under, outermost first."""

    headings: tuple[str, ...]
    kind: Kind
    text: str


@dataclass(frozen=True)
class Source:
    """A file as it will be indexed."""

    key: str
    """What the document is called across its versions; unique within a tenant."""
    title: str
    language: Language
    tenant: str
    """A tenant's name, or `*` for every tenant."""
    roles: tuple[str, ...]
    """The caller needs one of these; empty admits everybody in the tenant."""
    version: str
    valid_from: date | None
    valid_to: date | None
    """Last day of validity."""
    trusted: bool
    blocks: tuple[Block, ...]
    digest: str
    """SHA-256 over the content and everything that decides who may read it."""


def load(path: Path, *, key: str, tenant: str | None, roles: Iterable[str], trusted: bool) -> Source:
    """Read a Markdown or text file.

    Front matter may only narrow what the arguments grant: another tenant, foreign roles or `trusted: true`
    beside `trusted=False` do not widen access. Raises `Unreadable` with one line that says what is wrong.
    """
    text = _read(path)
    front, body = _front_matter(text)
    body = _COMMENT.sub("", terminal_safe(body))
    blocks = tuple(_markdown(body) if path.suffix.lower() in {".md", ".markdown"} else _plain(body))
    if not any(re.search(r"\w", b.text) for b in blocks):
        raise Unreadable("holds no text")
    owner = _tenant(front, tenant)
    readers = _roles(front, roles)
    believed = trusted and _flag(front)
    valid_from, valid_to = _day(front, "valid_from"), _day(front, "valid_to")
    if valid_from and valid_to and valid_to < valid_from:
        raise Unreadable(f"is valid until {valid_to} but only from {valid_from}")
    name = _word(front, "key") or key
    version = (_word(front, "version") or "1").lstrip("vV") or "1"
    title = _word(front, "title") or _first_heading(blocks) or name
    spoken = _word(front, "language") or language(body)
    if spoken not in ("zh", "en"):
        raise Unreadable(f"has the language {shorten(spoken, 20)!r}: zh and en are known")
    digest = hashlib.sha256(
        repr((text, owner, readers, believed, name, version, path.suffix.lower())).encode("utf-8", "backslashreplace")
    ).hexdigest()
    return Source(
        key=name,
        title=shorten(title, 200),
        language="zh" if spoken == "zh" else "en",
        tenant=owner,
        roles=readers,
        version=version,
        valid_from=valid_from,
        valid_to=valid_to,
        trusted=believed,
        blocks=blocks,
        digest=digest,
    )


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Unreadable(f"is larger than {MAX_BYTES // 1_000_000} MB: split it")
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None
    if not data.strip():
        raise Unreadable("is empty")
    if b"\0" in data:
        raise Unreadable("is binary or not UTF-8: save it as UTF-8 text")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"is not UTF-8 (line {line}): save it as UTF-8 text") from None


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    match = _FRONT.match(text)
    if not match:
        return {}, text
    try:
        # BaseLoader keeps every scalar a string: version 1.10 is not the number 1.1, and `no` is not False.
        front = yaml.load(match[1], Loader=yaml.BaseLoader) or {}
    except (yaml.YAMLError, RecursionError) as error:
        problem = getattr(error, "problem", None) or "nested too deeply"
        raise Unreadable(f"has front matter that is not YAML: {shorten(str(problem), 80)}") from None
    if not isinstance(front, dict):
        return {}, text
    if unknown := sorted(str(k) for k in front if k not in _KNOWN):
        raise Unreadable(f"has front matter with {shorten(unknown[0], 40)!r}: known are {', '.join(sorted(_KNOWN))}")
    return front, text[match.end() :]


def _word(front: dict[str, Any], name: str) -> str:
    value = front.get(name, "")
    if not isinstance(value, str):
        raise Unreadable(f"has front matter where {name} is not one value")
    return " ".join(terminal_safe(value).split())


def _tenant(front: dict[str, Any], asked: str | None) -> str:
    stated = _word(front, "tenant") or EVERY_TENANT
    asked = asked or EVERY_TENANT
    for name in (stated, asked):
        if name != EVERY_TENANT and not _NAME.fullmatch(name):
            raise Unreadable(f"names the tenant {shorten(name, 40)!r}, which is not a tenant name")
    if EVERY_TENANT not in (stated, asked) and stated != asked:
        raise Withheld(f"belongs to tenant {stated}, not {asked}")
    return asked if stated == EVERY_TENANT else stated


def _roles(front: dict[str, Any], asked: Iterable[str]) -> tuple[str, ...]:
    value = front.get("roles", "")
    parts = value if isinstance(value, list) else str(value).split(",")
    stated = {str(p).strip() for p in parts if str(p).strip()}
    wanted = {asked} if isinstance(asked, str) else {str(r).strip() for r in asked if str(r).strip()}
    for name in stated | wanted:
        if not _NAME.fullmatch(name):
            raise Unreadable(f"names the role {shorten(name, 40)!r}, which is not a role name")
    if stated and wanted and not stated & wanted:
        raise Withheld(f"is restricted to {', '.join(sorted(stated))}, not {', '.join(sorted(wanted))}")
    return tuple(sorted(stated & wanted if stated and wanted else stated | wanted))


def _flag(front: dict[str, Any]) -> bool:
    word = (_word(front, "trusted") or "true").lower()
    if word not in ("true", "false", "yes", "no"):
        raise Unreadable(f"has trusted: {shorten(word, 20)!r}: write true or false")
    return word in ("true", "yes")


def _day(front: dict[str, Any], name: str) -> date | None:
    word = _word(front, name)
    if not word:
        return None
    try:
        return date.fromisoformat(word)
    except ValueError:
        raise Unreadable(f"has {name}: {shorten(word, 20)!r}: write a date like 2026-10-31") from None


def _first_heading(blocks: Iterable[Block]) -> str:
    return next((b.headings[0] for b in blocks if b.headings), "")


def _markdown(body: str) -> list[Block]:
    lines = body.split("\n")
    path: list[tuple[int, str]] = []
    blocks: list[Block] = []
    tokens = _MARKDOWN.parse(body)
    for i, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        if token.type == "heading_open":
            depth = int(token.tag[1:])
            title = " ".join(tokens[i + 1].content.split()).strip("*_`# ")
            path = [*((d, t) for d, t in path if d < depth), (depth, title)]
        elif token.type != "hr":
            text = "\n".join(lines[token.map[0] : token.map[1]]).strip("\n")
            if text.strip():
                blocks.append(Block(tuple(t for _, t in path if t), _kind(token), text))
    return blocks


def _kind(token: Token) -> Kind:
    match token.type:
        case "table_open":
            return "table"
        case "fence" | "code_block":
            return "code"
        case "bullet_list_open" | "ordered_list_open":
            return "list"
        case _:
            return "text"


def _plain(body: str) -> list[Block]:
    return [Block((), "text", p.strip("\n")) for p in re.split(r"\n[ \t]*\n", body) if p.strip()]
