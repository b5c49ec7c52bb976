"""A file becomes a source: what it says of itself, and its text in blocks under their headings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from signoff.knowledge.convert import KINDS, Block, Kind, Limits, Reading, Unreadable, read
from signoff.knowledge.convert.blocks import title_of
from signoff.knowledge.front_matter import (
    EVERY_TENANT,
    FRONT_CHARS,
    SIDECARS,
    Fields,
    Withheld,
    front_lines,
    front_matter,
    named,
    restrictions,
    sidecar,
    sidecar_bytes,
    sidecar_of,
)
from signoff.text import Language, shorten, terminal_safe

__all__ = [
    "EVERY_TENANT",
    "READING_VERSION",
    "SUFFIXES",
    "Block",
    "Kind",
    "Limits",
    "Source",
    "Unreadable",
    "Withheld",
    "fingerprint",
    "load",
    "withholds",
]

SUFFIXES = frozenset(KINDS)
READING_VERSION = "2"
"""Goes up when the same file gives other blocks than before: documents are then read anew."""

_SAMPLES, _SAMPLE_CHARS = 200, 1_000
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


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
    """SHA-256 over the file's fingerprint and everything that decides who may read it."""
    owner: str = ""
    """The only user of the tenant who may read it; empty for all."""
    tags: tuple[str, ...] = ()


def load(
    path: Path,
    *,
    key: str,
    tenant: str | None,
    roles: Iterable[str],
    trusted: bool,
    owner: str = "",
    tags: Iterable[str] = (),
    limits: Limits | None = None,
) -> Source:
    """Read a document of any of the kinds in `SUFFIXES`.

    Front matter, or beside a file of another kind its sidecar, may only narrow what the arguments grant: another
    tenant, foreign roles, another owner or `trusted: true` beside `trusted=False` do not widen access. Raises
    `Unreadable` with one line that says what is wrong, to be read after the file's name.
    """
    limits = limits or Limits()
    try:
        before = _stamp(path)
        mark = fingerprint(path, limits)
        fields, start = _fields(path)
        whose, readers, user = fields.tenant(tenant), fields.roles(roles), fields.owner(owner)
        if user and whose == EVERY_TENANT:
            raise Unreadable(f"has the owner {user} but no tenant: name the tenant too")
        believed, labels = fields.trusted(trusted), fields.tags(tags)
        valid_from, valid_to = fields.day("valid_from"), fields.day("valid_to")
        if valid_from and valid_to and valid_to < valid_from:
            raise Unreadable(f"is valid until {valid_to} but only from {valid_from}")
        spoken = fields.word("language")
        if spoken not in ("", "zh", "en"):
            raise Unreadable(f"has the language {shorten(spoken, 20)!r}: zh and en are known")
        name = fields.word("key") or key
        version = (fields.word("version") or "1").lstrip("vV") or "1"
        reading = _safe(read(path, limits, start=start))
        if _stamp(path) != before:
            raise Unreadable("changed while it was read: add it again")
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None
    if not any(re.search(r"\w", b.text) for b in reading.blocks):
        raise Unreadable("holds no text")
    return Source(
        key=name,
        title=shorten(fields.word("title") or reading.title or _first_heading(reading.blocks) or name, 200),
        language="zh" if spoken == "zh" else "en" if spoken == "en" else _language(reading.blocks),
        tenant=whose,
        roles=readers,
        version=version,
        valid_from=valid_from,
        valid_to=valid_to,
        trusted=believed,
        blocks=reading.blocks,
        digest=_sha(mark, whose, readers, user, labels, believed, name, version),
        owner=user,
        tags=labels,
    )


def withholds(path: Path, *, tenant: str, roles: Iterable[str], owner: str) -> bool:
    """Whether a file, which may be unreadable otherwise, says that some of these readers are not to read it."""
    texts = []
    try:
        if KINDS.get(path.suffix.lower()) in ("markdown", "text"):
            with path.open("rb") as file:
                head = file.read(FRONT_CHARS).decode("utf-8-sig", "replace")
            texts.append(front_lines(head.replace("\r\n", "\n")))
        for name in dict.fromkeys(f"{n}{end}" for n in (path.name, path.stem) for end in SIDECARS):
            beside = path.with_name(name)
            if beside.is_file() and beside != path:
                texts.append(sidecar_bytes(beside).decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    except (OSError, Unreadable):
        return False
    return any(_excludes(restrictions(text), tenant, set(roles), owner) for text in texts)


def _excludes(stated: Fields | None, tenant: str, roles: set[str], owner: str) -> bool:
    if stated is None:
        return True
    try:
        whose, readers, user = stated.word("tenant"), stated.words("roles"), stated.word("owner")
    except Unreadable:
        # It names readers, whoever they are.
        return True
    return (
        whose not in ("", EVERY_TENANT, tenant)
        or bool(readers and (not roles or not roles <= readers))
        or user not in ("", owner)
    )


def fingerprint(path: Path, limits: Limits | None = None) -> str:
    """What the reading of a file depends on, as a SHA-256: its bytes, its kind, its sidecar and `READING_VERSION`.

    Cheap: the file is hashed as it streams by, nothing is parsed. Raises `Unreadable` when it is too large or cannot
    be read.
    """
    most = (limits or Limits()).bytes
    try:
        if path.stat().st_size > most:
            raise Unreadable(f"is larger than {_megabytes(most)}: split it, or raise SIGNOFF_DOCUMENT_BYTES")
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None
    beside = sidecar_of(path)
    return _sha(READING_VERSION, path.suffix.lower(), content, sidecar_bytes(beside) if beside else b"")


def _fields(path: Path) -> tuple[Fields, int]:
    """What the file says of itself, and where its text begins."""
    beside = sidecar_of(path)
    fields, start = None, 0
    if KINDS.get(path.suffix.lower()) in ("markdown", "text"):
        from signoff.knowledge.convert.encoding import encoding_of

        with path.open(encoding=encoding_of(path)) as file:
            fields, start = front_matter(file.read(FRONT_CHARS))
    if fields is not None and beside is not None:
        raise Unreadable(f"has both front matter and {named(beside)}: keep one")
    if beside is not None:
        return sidecar(beside), start
    return fields or Fields({}), start


def _safe(reading: Reading) -> Reading:
    """Without what would act in a terminal or hide text from its reader."""
    blocks = (
        replace(
            block,
            text=terminal_safe(block.text).strip("\n"),
            headings=tuple(" ".join(terminal_safe(h).split()) for h in block.headings),
        )
        for block in reading.blocks
    )
    return Reading(title_of(terminal_safe(reading.title)), tuple(b for b in blocks if b.text.strip()))


def _language(blocks: Sequence[Block]) -> Language:
    """Chinese when a fair part of it is: an English report that names a Chinese street is English."""
    sample = "\n".join(b.text[:_SAMPLE_CHARS] for b in blocks[:: max(1, len(blocks) // _SAMPLES)])
    chinese, latin = len(_CJK.findall(sample)), len(_LATIN_WORD.findall(sample))
    return "zh" if chinese and chinese * 4 >= latin else "en"


def _first_heading(blocks: Iterable[Block]) -> str:
    return next((b.headings[0] for b in blocks if b.headings), "")


def _stamp(path: Path) -> tuple[int, int, int]:
    there = path.stat()
    return there.st_ino, there.st_size, there.st_mtime_ns


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:.3g} MB"


def _sha(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()
