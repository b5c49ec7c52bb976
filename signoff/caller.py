"""Who is asking. Set by the authenticated edge (Python, CLI, Studio's auth), never by a model or a body."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from signoff.errors import UsageError

_NAME = re.compile(r"[\w.@+-]{1,128}")


@dataclass(frozen=True)
class Caller:
    """One person acting in one tenant; the run's context (`context_schema`).

    Raises `UsageError` for a name that is empty, longer than 128 characters, or has characters other
    than letters, digits and `_ . @ + -`.
    """

    tenant: str
    """The company whose data may be seen."""
    user: str
    """The person, unique within the tenant."""
    roles: frozenset[str] = frozenset()
    """What the person may do beyond asking, such as `supervisor` or `hr`. Any iterable is accepted."""
    locale: str | None = None
    """`zh` or `en` for cards and receipts; answers follow the language of the question."""

    def __post_init__(self) -> None:
        roles: Iterable[str] = [self.roles] if isinstance(self.roles, str) else self.roles or ()
        object.__setattr__(self, "roles", frozenset(str(r) for r in roles))
        for what, name in (("tenant", self.tenant), ("user", self.user), *(("role", r) for r in self.roles)):
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise UsageError(f"{name!r} is not a {what} name: use letters, digits and _ . @ + - only.")

    @classmethod
    def parse(cls, text: str) -> Caller:
        """Read `tenant/user[:role,…]`, the form of the CLI's `--as`. Raises `UsageError`."""
        who, _, roles = text.strip().partition(":")
        tenant, slash, user = who.partition("/")
        if not slash:
            raise UsageError(f"{text!r} does not name a caller: write tenant/user or tenant/user:role,role.")
        return cls(tenant, user, frozenset(r.strip() for r in roles.split(",") if r.strip()))

    @property
    def name(self) -> str:
        """`tenant/user`, as people write it."""
        return f"{self.tenant}/{self.user}"

    def record(self) -> dict[str, Any]:
        """A JSON-ready form for the stores, with the roles in order."""
        return {"tenant": self.tenant, "user": self.user, "roles": sorted(self.roles), "locale": self.locale}

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Caller:
        """The inverse of `record`."""
        return cls(record["tenant"], record["user"], frozenset(record["roles"]), record.get("locale"))
