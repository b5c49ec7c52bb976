"""Whom a document is for, as whoever added it said, and remembered with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from signoff.knowledge.load import EVERY_TENANT

# Goes up when the same file gives other passages or terms than before: documents are then indexed anew.
_RECIPE = "2"


@dataclass(frozen=True)
class Grant:
    """Whom a file is for before its own front matter narrows that."""

    tenant: str = EVERY_TENANT
    roles: tuple[str, ...] = ()
    """Sorted; the reader needs one of them. Empty admits everybody of the tenant."""
    owner: str = ""
    """The only user who may read it; empty for all."""
    tags: tuple[str, ...] = ()
    trusted: bool = True
    whole: bool = False
    """Given to a folder, and so to what is put into it later."""

    def __str__(self) -> str:
        readers = f"{self.owner} of " if self.owner else ""
        readers += f"{', '.join(self.roles)} in " if self.roles else ""
        tenant = "every tenant" if self.tenant == EVERY_TENANT else self.tenant
        tags = f", tagged {', '.join(self.tags)}" if self.tags else ""
        return f"for {readers}{tenant}{tags}{'' if self.trusted else ', untrusted'}"

    @property
    def text(self) -> str:
        """As it is stored; `read` gives it back."""
        given = [self.tenant, self.roles, self.owner, self.tags, self.trusted, self.whole]
        return json.dumps(given, ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> Grant | None:
        """From its `text`; None for one of another form."""
        try:
            tenant, roles, owner, tags, trusted, whole, *_ = json.loads(text)
            return cls(
                str(tenant), tuple(map(str, roles)), str(owner), tuple(map(str, tags)), bool(trusted), bool(whole)
            )
        except (ValueError, TypeError):
            return None

    def alike(self, other: Grant) -> bool:
        """Whether both say the same of a document."""
        return replace(self, whole=False) == replace(other, whole=False)


@dataclass(frozen=True)
class Asked:
    """What was said when a path was added; None where nothing was, and what is remembered stays."""

    tenant: str | None = None
    roles: tuple[str, ...] | None = None
    owner: str | None = None
    tags: tuple[str, ...] | None = None
    trusted: bool | None = None

    @classmethod
    def of(
        cls,
        tenant: str | None,
        roles: Iterable[str] | None,
        owner: str | None,
        tags: Iterable[str] | None,
        trusted: bool | None,
    ) -> Asked:
        """From arguments in any form; a lone string is one role or tag, blank ones are left out."""
        return cls(tenant, _names(roles), owner, _names(tags), trusted)

    def over(self, known: Grant, *, whole: bool) -> Grant:
        """What is known of a file, with what was said now in its place."""
        return Grant(
            tenant=known.tenant if self.tenant is None else self.tenant or EVERY_TENANT,
            roles=known.roles if self.roles is None else self.roles,
            owner=known.owner if self.owner is None else self.owner,
            tags=known.tags if self.tags is None else self.tags,
            trusted=known.trusted if self.trusted is None else self.trusted,
            whole=whole or known.whole,
        )

    @property
    def anything(self) -> bool:
        """Whether anything was said."""
        return self != Asked()

    @property
    def for_whom(self) -> bool:
        """Whether it was said who may read."""
        return not (self.tenant is None and self.roles is None and self.owner is None)


def digest_of(fingerprint: str, grant: Grant, *, sidecar: bool = False) -> str:
    """What a stored document was made from: the file's fingerprint, whom it was for, and whether it had a sidecar."""
    return f"{content(fingerprint)} {grant.text[:-1]}{', true]' if sidecar else ']'}"


def had_sidecar(digest: str) -> bool:
    """Whether a sidecar spoke for the file when the document was made."""
    return grant_of(digest) is not None and len(json.loads(digest.partition(" ")[2])) > 6


def grant_of(digest: str) -> Grant | None:
    """The grant that a digest holds; None for one of another form."""
    return Grant.read(digest.partition(" ")[2])


def content(fingerprint: str) -> str:
    """The beginning of the digests of all documents that were made from such a file, whoever they are for."""
    return f"{_RECIPE}:{fingerprint}"


def content_of(digest: str) -> str:
    """The part of a digest that `content` gives."""
    return digest.partition(" ")[0]


def _names(names: Iterable[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    listed = [names] if isinstance(names, str) else names
    return tuple(sorted({n.strip() for n in listed if n.strip()}))
