from __future__ import annotations

import json

import pytest
from record_homes import sample_database, sample_records

from signoff.errors import UsageError
from signoff.records import Records

database = pytest.fixture(sample_database)
records = pytest.fixture(sample_records)


def test_every_table_that_is_listed_can_be_looked_at_and_printed(records: Records) -> None:
    listed = records.tables()
    assert {t["table"] for t in listed} >= {"people", "orders", "refunds", "tickets", "ticket_comments"}
    for table in listed:
        rows = records.rows(str(table["table"]), limit=1000)
        assert len(rows) == table["rows"] > 0
        json.dumps(rows)


def test_amounts_are_shown_in_yuan_and_words_instead_of_codes(records: Records) -> None:
    rows = {r["order_id"]: r for r in records.rows("orders", "acme")}
    assert rows["A1005"]["amount_yuan"] == "59.90" and "amount_cents" not in rows["A1005"]
    assert rows["A1006"]["status"] == "in transit"
    assert rows["A1001"]["items"] == "mechanical keyboard x1"


def test_rows_can_be_narrowed_to_a_tenant_and_a_number(records: Records) -> None:
    assert {r["tenant"] for r in records.rows("orders", "globex")} == {"globex"}
    assert len(records.rows("orders", limit=3)) == 3
    assert records.rows("orders", "acme' OR 1=1 --") == []


@pytest.mark.parametrize(
    "table", ["sequences", "effects", "sqlite_master", "", "Orders", "orders; DROP TABLE orders", "orders WHERE 1=1 --"]
)
def test_another_table_is_refused_with_the_tables_there_are(records: Records, table: str) -> None:
    with pytest.raises(UsageError, match="choose one of people, orders"):
        records.rows(table)
    assert records.rows("orders")


@pytest.mark.parametrize("limit", [0, -1, 1001, 10**9])
def test_a_limit_out_of_bounds_is_refused(records: Records, limit: int) -> None:
    with pytest.raises(UsageError, match="1 to 1000"):
        records.rows("orders", limit=limit)
