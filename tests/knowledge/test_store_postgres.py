"""What is particular to PostgreSQL: connections that fail, rights that lack, tables made once."""

from __future__ import annotations

import builtins
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from postgres_server import database, postgres
from stored import ACME, ANY, MODEL, document, group, vector

from signoff.errors import ConfigError, SignoffError, StoreError
from signoff.knowledge import pool
from signoff.knowledge.postgres import PostgresStore

__all__ = ["database", "postgres"]

SECRET = "s3cr3t-p%40ss"


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    found = PostgresStore(database, busy_timeout_s=5)
    yield found
    found.close()


def refused(url: str, kind: type[SignoffError], **options: Any) -> str:
    """The sentence with which a store refuses to open; neither it nor what it came from holds the password."""
    with pytest.raises(kind) as caught:
        PostgresStore(url, **{"busy_timeout_s": 2, **options})
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cr3t" not in f"{error!r} {error}"
        error = error.__cause__
    said = str(caught.value)
    assert "\n" not in said and said.endswith(".")
    return said


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:s3cr3t@@h:x/y",
        "postgresql://u:s3cr3t/x@host/y",
        "mysql://u:s3cr3t@h/x",
        "s3cr3t",
        "postgresql://%zz",
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_showing_it(url: str) -> None:
    said = refused(url, SignoffError)
    assert "SIGNOFF_POSTGRES_URL" in said


def test_a_server_that_is_down_is_named_without_the_password(closed_port: int) -> None:
    said = refused(f"postgresql://u:{SECRET}@127.0.0.1:{closed_port}/docs", StoreError)
    assert said.startswith(f"docs at 127.0.0.1:{closed_port} cannot be reached")


def test_a_server_that_speaks_something_else_cannot_be_used() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    connection.close()

        threading.Thread(target=answer, daemon=True).start()
        refused(f"postgresql://u:{SECRET}@127.0.0.1:{listener.getsockname()[1]}/docs", StoreError)


def test_an_unknown_database_or_user_is_the_operators_to_correct(postgres: str) -> None:
    said = refused(psycopg.conninfo.make_conninfo(postgres, dbname="nowhere"), ConfigError)
    assert said.startswith("There is no database nowhere at ")
    assert "does not know the user" in refused(psycopg.conninfo.make_conninfo(postgres, user="nobody"), ConfigError)


def test_a_wrong_password_is_said_to_be_wrong(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as admin:
        folder = admin.execute("SHOW data_directory").fetchone()
        assert folder is not None
        rules = admin.execute("SHOW hba_file").fetchone()
        assert rules is not None
        kept = admin.execute("SELECT pg_read_file(%s)", (rules[0],)).fetchone()
        assert kept is not None
        admin.execute("CREATE ROLE with_password LOGIN PASSWORD 'right'")
        try:
            _write(admin, rules[0], f"local all with_password scram-sha-256\n{kept[0]}")
            url = psycopg.conninfo.make_conninfo(postgres, user="with_password", password="s3cr3t")
            assert "refused the user or the password" in refused(url, ConfigError)
        finally:
            _write(admin, rules[0], kept[0])
            admin.execute("DROP ROLE with_password")


def _write(admin: psycopg.Connection[Any], path: str, text: str) -> None:
    large = admin.execute("SELECT lo_from_bytea(0, %s)", (text.encode(),)).fetchone()
    assert large is not None
    admin.execute("SELECT lo_export(%s, %s)", (large[0], path))
    admin.execute("SELECT lo_unlink(%s)", (large[0],))
    admin.execute("SELECT pg_reload_conf()")


@pytest.fixture
def limited(database: str) -> Iterator[str]:
    """The URL of a user without rights."""
    with psycopg.connect(database, autocommit=True) as admin:
        admin.execute("CREATE ROLE limited LOGIN")
        try:
            yield psycopg.conninfo.make_conninfo(database, user="limited")
        finally:
            admin.execute("DROP OWNED BY limited")
            admin.execute("DROP ROLE limited")


def test_a_user_without_rights_is_told_which_one_lacks(database: str, limited: str) -> None:
    assert "lacks a right (permission denied for database" in refused(limited, ConfigError)
    PostgresStore(database).close()
    assert "permission denied for schema signoff_knowledge" in refused(limited, ConfigError)


def test_a_user_who_may_only_use_the_tables_needs_no_more(database: str, limited: str) -> None:
    PostgresStore(database).close()
    with psycopg.connect(database, autocommit=True) as admin:
        admin.execute("GRANT USAGE ON SCHEMA signoff_knowledge TO limited")
        admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA signoff_knowledge TO limited")
    store = PostgresStore(limited)
    store.put(document("a", "fox"))
    assert store.lexical(ACME, ANY, [group("fox")], 5).frequency == (1,)
    store.close()


LACKING = {
    "an older pgvector": "CREATE EXTENSION vector; ALTER TYPE halfvec RENAME TO not_yet_there",
    "none at all": """
        CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE 'extension "vector" is not available' USING ERRCODE = 'feature_not_supported'; END $$;
        CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE EXTENSION') EXECUTE FUNCTION refuse()""",
}


@pytest.mark.parametrize("lacking", LACKING)
def test_a_server_without_pgvector_is_told_what_to_install(postgres: str, lacking: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("CREATE DATABASE bare")
        try:
            with psycopg.connect(postgres, dbname="bare", autocommit=True) as bare:
                bare.execute(LACKING[lacking])
            url = psycopg.conninfo.make_conninfo(postgres, dbname="bare")
            assert "lacks pgvector 0.7 or later" in refused(url, ConfigError)
        finally:
            admin.execute("DROP DATABASE bare WITH (FORCE)")


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "psycopg":
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install 'signoff[postgres]'" in refused(f"postgresql://u:{SECRET}@h/x", ConfigError)


def test_tables_of_a_later_version_are_left_alone(database: str) -> None:
    PostgresStore(database).close()
    with psycopg.connect(database, autocommit=True) as admin:
        admin.execute("UPDATE signoff_knowledge.meta SET value = '2' WHERE name = 'version'")
    assert "later version" in refused(database, StoreError)


def test_several_that_open_at_once_make_the_tables_once(database: str) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            PostgresStore(database).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_connections_that_the_server_dropped_are_opened_anew(database: str, store: PostgresStore) -> None:
    store.put(document("a", "fox"))
    with psycopg.connect(database, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'signoff'")
    assert store.lexical(ACME, ANY, [group("fox")], 5).frequency == (1,)
    store.put(document("a", "wolf"))
    assert store.dense(ACME, ANY, vector("wolf"), MODEL, 5)[0].similarity > 0.99


def test_a_store_that_another_holds_is_said_to_be_locked(database: str) -> None:
    store = PostgresStore(database, busy_timeout_s=0.1)
    store.put(document("a", "fox"))
    with psycopg.connect(database) as other:
        other.execute("SELECT * FROM signoff_knowledge.meta FOR UPDATE")
        with pytest.raises(StoreError, match="locked by another process"):
            store.put(document("b", "fox"))
        assert store.lexical(ACME, ANY, [group("fox")], 5).frequency == (1,)
    store.put(document("b", "fox"))
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.generation()


def test_removed_text_is_in_no_file_of_the_tables(database: str, store: PostgresStore) -> None:
    store.put(document("a", "zqremoved fox", title="zqtitle"))
    store.put(document("b", "zqkept fox"))
    store.put(document("a", "fox", title="zqnew"))
    store.erase()
    store.erase()
    with psycopg.connect(database, autocommit=True) as admin:
        admin.execute("CHECKPOINT")
        files = admin.execute(
            """SELECT pg_read_binary_file(pg_relation_filepath(c.oid))
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'signoff_knowledge' AND pg_relation_filepath(c.oid) IS NOT NULL"""
        ).fetchall()
    data = b"".join(content for (content,) in files)
    assert b"zqkept" in data and b"zqnew" in data
    assert b"zqremoved" not in data and b"zqtitle" not in data


def test_more_threads_than_connections_wait_for_one(store: PostgresStore) -> None:
    store.put(document("a", "fox"))
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(store.lexical(ACME, ANY, [group("fox")], 5).candidates)))
        for _ in range(3 * pool.CONNECTIONS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * len(threads)


def test_pgvector_may_live_in_a_schema_of_its_own(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("CREATE DATABASE apart")
        try:
            with psycopg.connect(postgres, dbname="apart", autocommit=True) as apart:
                apart.execute('CREATE SCHEMA "Odd name"; CREATE EXTENSION vector SCHEMA "Odd name"')
            store = PostgresStore(psycopg.conninfo.make_conninfo(postgres, dbname="apart"))
            store.put(document("a", "fox"))
            assert store.dense(ACME, ANY, vector("fox"), MODEL, 5)[0].similarity > 0.99
            store.close()
        finally:
            admin.execute("DROP DATABASE apart WITH (FORCE)")
