from __future__ import annotations

import pytest
from record_homes import sample_database, sample_records

from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.records import Database, Records
from signoff.records.vocabulary import TicketStatus
from signoff.tools.contract import CallInfo

database = pytest.fixture(sample_database)
records = pytest.fixture(sample_records)

MINE = Caller("acme", "u-17")
CALL = CallInfo(thread="th", turn="tu", id="call-1")


def draft(records: Records, caller: Caller = MINE, priority: str = "normal") -> str:
    with records.database.write() as tx:
        return records.draft_ticket(tx, caller, "printer on floor 3", "paper jam", priority, CALL).ticket_id


@pytest.mark.parametrize(
    ("caller", "ticket_id"),
    [
        (MINE, "T1003"),
        (MINE, "T9999"),
        (Caller("acme", "u-42"), "T1001"),
        (Caller("acme", "s-02", {"supervisor"}), "T1001"),
        (Caller("globex", "u-23"), "T1001"),
        (MINE, "T1001' --"),
    ],
)
def test_anothers_ticket_is_answered_like_one_that_does_not_exist(
    records: Records, caller: Caller, ticket_id: str
) -> None:
    for ask in (
        lambda: records.ticket(caller, ticket_id),
        lambda: records.ticket_draft(caller, ticket_id),
    ):
        with pytest.raises(ToolError) as refused:
            ask()
        assert refused.value.code == "NOT_FOUND"
        assert refused.value.message == f"There is no ticket {ticket_id} among the tickets of the person asking."
    for write in (records.submit_ticket, records.discard_ticket):
        with records.database.write() as tx, pytest.raises(ToolError) as refused:
            write(tx, caller, ticket_id)
        assert refused.value.code == "NOT_FOUND"


def test_the_same_number_in_another_tenant_is_another_ticket(records: Records) -> None:
    assert records.ticket(MINE, "T1001").title != records.ticket(Caller("globex", "u-17"), "T1001").title


def test_a_draft_is_numbered_within_the_tenant_and_belongs_to_its_maker(records: Records) -> None:
    assert draft(records) == "T1005"
    assert draft(records, Caller("globex", "u-17")) == "T1003"
    assert draft(records, Caller("acme", "newcomer")) == "T1006"
    assert records.ticket(MINE, "T1005").status is TicketStatus.DRAFT
    assert [t.ticket_id for t in records.tickets(Caller("acme", "newcomer"))] == ["T1006"]


def test_a_draft_is_submitted_once_and_then_cannot_be_discarded(records: Records, database: Database) -> None:
    ticket = draft(records)
    with database.write() as tx:
        assert records.submit_ticket(tx, MINE, ticket).status is TicketStatus.OPEN
    for write in (records.submit_ticket, records.discard_ticket):
        with database.write() as tx, pytest.raises(ToolError) as refused:
            write(tx, MINE, ticket)
        assert refused.value.code == "CONFLICT" and "open" in refused.value.message


def test_a_discarded_draft_leaves_the_list_and_its_number_is_not_used_again(
    records: Records, database: Database
) -> None:
    ticket = draft(records)
    with database.write() as tx:
        records.discard_ticket(tx, MINE, ticket)
    assert ticket not in [t.ticket_id for t in records.tickets(MINE)]
    assert [t.ticket_id for t in records.tickets(MINE, TicketStatus.DISCARDED)] == [ticket]
    assert draft(records) == "T1006"


def test_tickets_come_newest_first_with_the_number_of_their_comments(records: Records) -> None:
    found = records.tickets(MINE)
    assert [(t.ticket_id, t.comment_count) for t in found] == [("T1002", 1), ("T1001", 2)]
    assert all(t.comments == () for t in found)
    comments = records.ticket(MINE, "T1001").comments
    assert [c.at for c in comments] == sorted(c.at for c in comments) and len(comments) == 2
