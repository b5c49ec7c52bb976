"""The business database: orders, shipments, refunds, tickets, people; the effects ledger; sample data."""

from signoff.records.database import Database
from signoff.records.facade import Records
from signoff.records.people import People, Person
from signoff.records.tables import records_metadata

__all__ = ["Database", "People", "Person", "Records", "records_metadata"]
