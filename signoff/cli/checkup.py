"""The doctor's checks, one sentence each. They change nothing, and none shows a secret."""

from __future__ import annotations

import os
import sqlite3
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from signoff.errors import SignoffError
from signoff.settings import Settings

Level = Literal["ok", "note", "fail"]

_CALL_S = 20.0
"""Seconds that the endpoint has for the tiny call."""


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    name: str
    level: Level
    message: str


def checkup(home: Path | None) -> Iterator[Finding]:
    """All checks, in an order in which the first failure is the one to mend first."""
    try:
        settings = Settings.load(home=home)
    except SignoffError as error:
        yield Finding("settings", "fail", str(error))
        return
    yield Finding("settings", "ok", f"read; the caller is {settings.caller} unless --as says otherwise")
    yield from _unknown(settings)
    yield from _sqlite()
    made = (settings.home / "settings.toml").exists()
    yield _home(settings, made)
    if made:
        yield from _desk(settings)
        yield from _threads(settings)
        yield from _knowledge(settings)
        yield _memory(settings)
        yield _clock(settings)
    yield from _models(settings)
    yield _model(settings)
    yield from _tracing(settings)


def _unknown(settings: Settings) -> Iterator[Finding]:
    """Names that no setting has are ignored when settings are read, so a slip of the pen goes unseen."""
    known = set(Settings.model_fields)
    given = {n.removeprefix("SIGNOFF_").lower(): n for n in os.environ if n.startswith("SIGNOFF_")}
    env_file = Path(".env")
    if env_file.is_file():
        from dotenv import dotenv_values

        names = [n for n in dotenv_values(env_file) if n.upper().startswith("SIGNOFF_")]
        given |= {n.upper().removeprefix("SIGNOFF_").lower(): f"{n} in .env" for n in names}
    toml = settings.home / "settings.toml"
    if toml.is_file():
        given |= {n: f"{n} in {toml}" for n in tomllib.loads(toml.read_text(encoding="utf-8"))}
    for name in sorted(set(given) - known - {"debug"}):
        near = get_close_matches(name, known, 1)
        # In the home's settings.toml names have no prefix.
        prefixed = given[name].upper().startswith("SIGNOFF_")
        wanted = (f"SIGNOFF_{near[0].upper()}" if prefixed else near[0]) if near else ""
        meant = f": did you mean {wanted}?" if wanted else "."
        yield Finding("settings", "note", f"{given[name]} is no setting and is ignored{meant}")


def _sqlite() -> Iterator[Finding]:
    with closing(sqlite3.connect(":memory:")) as db:
        try:
            db.execute("CREATE VIRTUAL TABLE t USING fts5(x)")
        except sqlite3.OperationalError:
            yield Finding(
                "sqlite", "fail", f"Python's SQLite {sqlite3.sqlite_version} has no FTS5: use a Python built with it."
            )


def _home(settings: Settings, made: bool) -> Finding:
    home = settings.home
    if made:
        if not os.access(home, os.W_OK | os.X_OK):
            return Finding("home", "fail", f"{home} cannot be written: change its permissions or set SIGNOFF_HOME.")
        return Finding("home", "ok", f"{home.absolute()}")
    above = next(p for p in (home.absolute(), *home.absolute().parents) if p.exists())
    if not above.is_dir():
        return Finding(
            "home", "fail", f"{above} is a file, so there can be no home in it: set SIGNOFF_HOME to a folder."
        )
    if not os.access(above, os.W_OK | os.X_OK):
        return Finding("home", "fail", f"{home} cannot be made, {above} cannot be written: set SIGNOFF_HOME elsewhere.")
    return Finding("home", "note", f"{home} is not made yet: `signoff init` makes it, and so does the first question.")


def _desk(settings: Settings) -> Iterator[Finding]:
    from signoff.caller import Caller
    from signoff.records import Database, Records

    path = settings.database("desk")
    if not path.exists() or not path.stat().st_size:
        yield Finding("desk", "fail", f"{path} is gone, and with it records, approvals and ledger: restore a backup.")
        return
    if (problem := _damage(path)) is not None:
        yield Finding("desk", "fail", problem)
        return
    database = Database(path, busy_timeout_s=1.0)
    try:
        with database.write():
            pass
        records = Records(database, settings.business_clock(), settings)
        rows = sum(int(str(t["rows"])) for t in records.tables())
        yield Finding("desk", "ok", f"{path.name}: {rows} rows of records")
        caller = Caller.parse(settings.caller)
        if rows and records.people.find(caller.tenant, caller.user) is None:
            yield Finding(
                "caller", "note", f"{caller.name} is not in the directory of people: set SIGNOFF_CALLER, or use --as."
            )
    except SignoffError as error:
        yield Finding("desk", "fail", str(error))
    finally:
        database.close()


def _threads(settings: Settings) -> Iterator[Finding]:
    from signoff.checkpoints import open_saver

    path = settings.database("threads")
    if not path.exists():
        yield Finding("threads", "ok", f"{path.name} is made at the first question")
        return
    if (problem := _damage(path)) is not None:
        yield Finding("threads", "fail", problem)
        return
    try:
        open_saver(settings).close()
    except SignoffError as error:
        yield Finding("threads", "fail", str(error))
    else:
        sealed = "encrypted" if settings.checkpoint_key else "not encrypted"
        yield Finding("threads", "ok", f"{path.name}: {path.stat().st_size / 1e6:.1f} MB of checkpoints, {sealed}")


def _memory(settings: Settings) -> Finding:
    path = settings.database("memory")
    if not path.exists():
        return Finding("memory", "ok", f"{path.name} is made at the first question")
    problem = _damage(path)
    return Finding("memory", "fail", problem) if problem is not None else Finding("memory", "ok", f"{path.name}: sound")


def _knowledge(settings: Settings) -> Iterator[Finding]:
    from signoff.caller import Caller
    from signoff.knowledge import Knowledge

    path = settings.database("knowledge")
    if path.exists() and (problem := _damage(path)) is not None:
        yield Finding("knowledge", "fail", problem)
        return
    if not path.exists():
        yield Finding("knowledge", "note", "no documents: `signoff knowledge add PATH` adds some")
        return
    library = Knowledge.open(settings.model_copy(update={"busy_timeout_s": 1.0}))
    try:
        caller = Caller.parse(settings.caller)
        count = len(library.documents(caller))
        if count:
            yield Finding("knowledge", "ok", f"{path.name}: {count} documents that {caller.name} may read")
        else:
            yield Finding(
                "knowledge", "note", f"no documents for {caller.name}: `signoff knowledge add PATH` adds some"
            )
    except SignoffError as error:
        yield Finding("knowledge", "fail", str(error))
    finally:
        library.close()


def _damage(path: Path) -> str | None:
    """Why a database file cannot be used, in a sentence; None when it can."""
    if not path.exists():
        return (
            f"{path} is missing although the home was made: restore it, or move the home away and run `signoff init`."
        )
    if not os.access(path, os.R_OK | os.W_OK):
        return f"{path} cannot be read and written: change its permissions."
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1.0)) as db:
            said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            return f"{path.name} is locked by another process: wait until it is done."
        return f"{path} is damaged ({error}): restore it from a backup, or move it away."
    return None if said == "ok" else f"{path} is damaged ({said}): restore it from a backup, or move it away."


def _clock(settings: Settings) -> Finding:
    now = settings.business_clock().now()
    if settings.clock is None:
        return Finding("clock", "ok", f"{now:%Y-%m-%d %H:%M} in {settings.zone}")
    return Finding(
        "clock", "ok", f"business time stands at {now:%Y-%m-%d %H:%M} in {settings.zone}, for the sample data"
    )


def _models(settings: Settings) -> Iterator[Finding]:
    from signoff.cli.models import findings

    yield from findings(settings)


def _model(settings: Settings) -> Finding:
    if settings.model == "rehearsal":
        return Finding(
            "model", "ok", "rehearsal: deterministic, not an LLM; SIGNOFF_MODEL=openai:<name> names a real one"
        )
    from langchain_core.messages import HumanMessage

    from signoff.models.models import Models

    # With a tool, as every call of the desk has one: an endpoint that takes none is of no use.
    ping = {"name": "ping", "description": "Says whether it works.", "parameters": {"type": "object", "properties": {}}}
    try:
        patience_s = min(_CALL_S, settings.model_timeout_s)
        once = settings.model_copy(update={"model_retries": 0, "model_timeout_s": patience_s})
        model = Models(once).gateway("agent")
        began = time.monotonic()
        model.call(
            [HumanMessage("Reply with the word ready.")],
            [{"type": "function", "function": ping}],
            # Longer than the silence that is given up on, which names the setting to look at.
            deadline_s=patience_s + 1,
        )
    except SignoffError as error:
        return Finding("model", "fail", str(error))
    return Finding("model", "ok", f"{model.label} answered in {time.monotonic() - began:.1f} s")


def _tracing(settings: Settings) -> Iterator[Finding]:
    from langsmith.utils import tracing_is_enabled

    content = "with redacted content" if settings.trace_content else "without content"
    file = settings.trace_file
    if file is not None and not (file.parent.is_dir() and os.access(file if file.exists() else file.parent, os.W_OK)):
        yield Finding("tracing", "fail", f"{file} cannot be written: make its folder, or set SIGNOFF_TRACE_FILE anew.")
    else:
        yield Finding("tracing", "ok", f"in desk.db{f' and {file}' if file else ''}, {content}")
    if tracing_is_enabled() is not True:
        yield Finding("langsmith", "ok", "off: nothing leaves")
    elif os.environ.get("LANGSMITH_API_KEY") or os.environ.get("LANGCHAIN_API_KEY"):
        yield Finding("langsmith", "ok", "on: redacted traces are sent")
    else:
        yield Finding("langsmith", "note", "on, but without a key: set LANGSMITH_API_KEY, or LANGSMITH_TRACING=false.")
