"""What a file says of itself, at its top or in a sidecar; it may narrow who reads it, never widen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from signoff.knowledge.convert.blocks import Unreadable
from signoff.text import shorten, terminal_safe

EVERY_TENANT = "*"
SIDECARS = (".meta.yaml", ".meta.yml")
"""Endings of the file that says of `handbook.docx` what front matter says of Markdown: `handbook.docx.meta.yaml`, or
`handbook.meta.yaml` for every file of that stem."""
FRONT_CHARS = 65_536

_FRONT = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_KNOWN = frozenset("key title language tenant roles owner tags version valid_from valid_to trusted".split())
_READERS = ("tenant", "roles", "owner")
_OPEN = re.compile(rf"---[ \t]*\n(?:[ \t]*(?:#.*)?\n)*(?:{'|'.join(_KNOWN)})[ \t]*:")
_NAME = re.compile(r"[\w.@+-]{1,128}")
_TAG = re.compile(r"[\w.@+/& -]{1,64}")


class Withheld(Unreadable):
    """The file says that it is for others than it was to be indexed for."""


@dataclass(frozen=True)
class Fields:
    """The fields as they stand in the file."""

    values: dict[str, Any]

    @classmethod
    def parse(cls, text: str, where: str) -> Fields | None:
        """From YAML; None when it is no mapping. Raises `Unreadable` for what is no YAML or no known field."""
        try:
            # BaseLoader keeps every scalar a string: version 1.10 is not the number 1.1, and `no` is not False.
            values = yaml.load(text, Loader=yaml.BaseLoader) or {}
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            problem = getattr(error, "problem", None) or "nested too deeply"
            raise Unreadable(f"has {where} that is not YAML: {shorten(terminal_safe(str(problem)), 80)}") from None
        if not isinstance(values, dict):
            return None
        if unknown := sorted(str(k) for k in values if k not in _KNOWN):
            name = shorten(terminal_safe(unknown[0]), 40)
            raise Unreadable(f"has {where} with {name!r}: known are {', '.join(sorted(_KNOWN))}")
        return cls(values)

    def word(self, name: str) -> str:
        """One value; empty when it is not given."""
        value = self.values.get(name, "")
        if not isinstance(value, str):
            raise Unreadable(f"has front matter where {name} is not one value")
        return " ".join(terminal_safe(value).split())

    def words(self, name: str) -> set[str]:
        """Values in a list or between commas."""
        value = self.values.get(name, "")
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(p, str) for p in parts):
            raise Unreadable(f"has front matter where {name} is not a list of values")
        if not isinstance(value, list):
            parts = re.split(r"[,，、]", value)
        return {p for part in parts if (p := " ".join(terminal_safe(part).split()))}

    def tenant(self, asked: str | None) -> str:
        """The tenant's name, or `*`."""
        stated, wanted = self.word("tenant") or EVERY_TENANT, asked or EVERY_TENANT
        for name in (stated, wanted):
            if name != EVERY_TENANT and not _NAME.fullmatch(name):
                raise Unreadable(f"names the tenant {shorten(name, 40)!r}, which is not a tenant name")
        if EVERY_TENANT not in (stated, wanted) and stated != wanted:
            raise Withheld(f"belongs to tenant {stated}, not {wanted}")
        return wanted if stated == EVERY_TENANT else stated

    def roles(self, asked: Iterable[str]) -> tuple[str, ...]:
        """The roles of which a reader needs one."""
        stated, wanted = self.words("roles"), _set(asked)
        for name in sorted(stated | wanted):
            if not _NAME.fullmatch(name):
                raise Unreadable(f"names the role {shorten(name, 40)!r}, which is not a role name")
        if stated and wanted and not stated & wanted:
            raise Withheld(f"is restricted to {', '.join(sorted(stated))}, not {', '.join(sorted(wanted))}")
        return tuple(sorted(stated & wanted if stated and wanted else stated | wanted))

    def owner(self, asked: str) -> str:
        """The only user who may read it; empty for all of the tenant."""
        stated, wanted = self.word("owner"), asked.strip()
        for name in (stated, wanted):
            if name and not _NAME.fullmatch(name):
                raise Unreadable(f"names the owner {shorten(name, 40)!r}, which is not a user's name")
        if stated and wanted and stated != wanted:
            raise Withheld(f"belongs to {stated}, not {wanted}")
        return wanted or stated

    def tags(self, asked: Iterable[str]) -> tuple[str, ...]:
        """The file's tags and those it was given."""
        tags = self.words("tags") | _set(asked)
        for tag in sorted(tags):
            if not _TAG.fullmatch(tag):
                raise Unreadable(
                    f"has the tag {shorten(tag, 40)!r}: use letters, digits, spaces and _ . @ + - / & only"
                )
        return tuple(sorted(tags))

    def trusted(self, asked: bool) -> bool:
        """Whether it is believed; a file can only say that it is not to be."""
        word = (self.word("trusted") or "true").lower()
        if word not in ("true", "false", "yes", "no"):
            raise Unreadable(f"has trusted: {shorten(word, 20)!r}: write true or false")
        return asked and word in ("true", "yes")

    def day(self, name: str) -> date | None:
        """A date."""
        word = self.word(name)
        if not word:
            return None
        try:
            return date.fromisoformat(word)
        except ValueError:
            raise Unreadable(f"has {name}: {shorten(word, 20)!r}: write a date like 2026-10-31") from None


def restrictions(text: str) -> Fields | None:
    """Tenant, roles and owner, read line by line from front matter or a sidecar that may be faulty otherwise.

    None when a line names readers that cannot be made out.
    """
    values: dict[str, Any] = {}
    try:
        whole = yaml.load(text, Loader=yaml.BaseLoader)
        if isinstance(whole, dict):
            return Fields({k: whole[k] for k in _READERS if k in whole})
    except (yaml.YAMLError, RecursionError, ValueError):
        pass
    for line in re.findall(rf"^(?:{'|'.join(_READERS)})[ \t]*:.*(?:\n[ \t]+-.*|\n-[ \t].*)*", text, re.MULTILINE):
        try:
            values |= yaml.load(line, Loader=yaml.BaseLoader)
        except (yaml.YAMLError, RecursionError, ValueError, TypeError):
            return None
    return Fields(values)


def front_lines(text: str) -> str:
    """The lines of front matter, also of one that does not end: until the first empty line then."""
    if match := _FRONT.match(text, 0, FRONT_CHARS):
        return match[1]
    return text[:FRONT_CHARS].partition("\n")[2].partition("\n\n")[0] if _OPEN.match(text) else ""


def front_matter(text: str) -> tuple[Fields | None, int]:
    """The fields at the top of a text, None if there are none, and where the text goes on. Raises `Unreadable`."""
    match = _FRONT.match(text, 0, FRONT_CHARS)
    if not match and _OPEN.match(text):
        # Taken for text it would narrow nothing.
        raise Unreadable("has front matter that does not end: close it with a line of ---")
    fields = Fields.parse(match[1], "front matter") if match else None
    return fields, match.end() if match and fields is not None else 0


def sidecar_of(path: Path) -> Path | None:
    """The file beside `path` that speaks for it. Raises `Unreadable` when several do."""
    names = dict.fromkeys(f"{name}{end}" for name in (path.name, path.stem) for end in SIDECARS)
    found = [p for n in names if n != path.name and _is_there(p := path.with_name(n))]
    if len(found) > 1:
        raise Unreadable(f"has two files that speak for it, {named(found[0])} and {named(found[1])}: keep one")
    return found[0] if found else None


def sidecar_bytes(path: Path) -> bytes:
    """The content of a sidecar. Raises `Unreadable` when it cannot be had: without it more would read the file."""
    if path.is_symlink() or not path.is_file():
        raise Unreadable(f"has {named(path)}, which is not a regular file")
    try:
        with path.open("rb") as file:
            data = file.read(FRONT_CHARS + 1)
    except OSError as error:
        raise Unreadable(f"has {named(path)}, which cannot be read: {error.strerror or error}") from None
    if len(data) > FRONT_CHARS:
        raise Unreadable(f"has {named(path)}, which is larger than {FRONT_CHARS // 1024} KB")
    return data


def sidecar(path: Path) -> Fields:
    """The fields of a sidecar. Raises `Unreadable`."""
    try:
        text = sidecar_bytes(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Unreadable(f"has {named(path)}, which is not UTF-8") from None
    fields = Fields.parse(text, named(path))
    if fields is None:
        raise Unreadable(f"has {named(path)}, which does not hold fields such as `tenant: acme`")
    return fields


def _is_there(path: Path) -> bool:
    """Whether there is anything of this name, a broken link too."""
    return path.is_symlink() or path.exists()


def _set(names: Iterable[str]) -> set[str]:
    return {n for one in ([names] if isinstance(names, str) else names) if (n := str(one).strip())}


def named(path: Path) -> str:
    """A file's name for a message."""
    return shorten(terminal_safe(path.name.encode("utf-8", "backslashreplace").decode().replace("\n", "\\n")), 120)
