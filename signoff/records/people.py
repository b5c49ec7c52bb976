"""The directory of people: a name, roles and a language for each user of a tenant."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from signoff.caller import Caller
from signoff.records.database import Database
from signoff.records.tables import people


@dataclass(frozen=True)
class Person:
    """An entry of the directory."""

    tenant: str
    user: str
    name: str
    roles: frozenset[str]
    locale: str | None

    def caller(self) -> Caller:
        """The person as a caller."""
        return Caller(self.tenant, self.user, self.roles, self.locale)


class People:
    """Read access to the directory; who a caller is was decided at the edge, not here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, tenant: str, user: str) -> Person | None:
        """The person, or None when the directory does not have them."""
        with self._database.read() as tx:
            row = tx.execute(select(people).where(people.c.tenant == tenant, people.c.user == user)).first()
        return None if row is None else Person(row.tenant, row.user, row.name, frozenset(row.roles), row.locale)

    def roles(self, tenant: str, user: str) -> frozenset[str]:
        """The person's roles; none for somebody the directory does not have."""
        person = self.find(tenant, user)
        return person.roles if person else frozenset()

    def of(self, tenant: str) -> list[Person]:
        """Everybody in a tenant, by user."""
        with self._database.read() as tx:
            rows = tx.execute(select(people).where(people.c.tenant == tenant).order_by(people.c.user)).all()
        return [Person(r.tenant, r.user, r.name, frozenset(r.roles), r.locale) for r in rows]
