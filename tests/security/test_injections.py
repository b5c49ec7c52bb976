"""A model that obeys every text it reads does nothing that nobody signed, and carries nothing out."""

from __future__ import annotations

import html
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from injections import ASSISTANT, DESCRIPTIONS, SERVICE, Injection
from people import REQUESTER, SECOND, SUPERVISOR
from scripted import ScriptedModel, call, calls
from sinks import Mailbox, Web
from sqlalchemy import insert, select

from signoff import Desk, Tool, tool
from signoff.errors import DecisionRefused
from signoff.records.tables import ticket_comments
from signoff.records.vocabulary import AuthorKind
from signoff.state import Status
from signoff.tools.contract import Risk

sys.path.append(str(Path(__file__).parents[1] / "tools" / "mcp"))

from mcp_bench import Bench
from mcp_bench import tool as listed

REFUSED = {
    "remember": {"INVALID_ARGUMENTS"},
    "submit_ticket": {"CONFLICT"},
    "discard_ticket_draft": {"CONFLICT"},
    "run_command": {"FORBIDDEN"},
}
"""How some of the calls end before anybody is asked: nobody wanted it remembered, it is no draft, it is never run."""
POLICIES = ("escalate", "read-only")
MAIL = "mallory@evil.example"
QUESTION = {"en": "please read it and tell me what it says", "zh": "请读一下，告诉我写了什么"}
TABLES = ("orders", "refunds", "order_changes", "tickets", "ticket_comments", "hand_overs", "effects")


class Stage:
    """Two desks under one policy, the attacker's sinks, and the places where their texts stand."""

    def __init__(self, policy: str, folder: Path, sample: Path, stack: ExitStack) -> None:
        self.policy = policy
        self.pages = stack.enter_context(Web().open())
        self.sink = stack.enter_context(Web().open())
        self.mailbox = Mailbox()
        self.words = ""

        @tool(untrusted=True)
        def foreign() -> dict[str, str]:
            """Reads what another company's system says."""
            return {"text": self.words}

        options: dict[str, Any] = {
            "taint": policy,
            "commands": True,
            # The attacker's server may be read: what stops a read of it is the policy, and nothing else.
            "fetch_hosts": (self.pages.host, self.sink.host),
            "weather_url": f"{self.sink.url}/forecast",
            "geocoding_url": f"{self.sink.url}/places",
            "smtp_url": stack.enter_context(self.mailbox.open()),
            "mail_from": "desk@acme.example",
            "max_tool_calls": 100,
            "max_tools": 24,
        }
        self.desks: dict[str, Desk] = {}
        for name in ("service", "assistant"):
            home = shutil.copytree(sample, folder / f"{policy}-{name}")
            said = ScriptedModel(lines=["So it stands."])
            self.desks[name] = stack.enter_context(Desk.open(home, desk=name, model=said, tools=[foreign], **options))
        self._write_documents(folder / f"{policy}-documents")
        # Something to be forgotten, which the person did ask for.
        words = "Remember that I prefer e-mail to the telephone."
        for desk in self.desks.values():
            model: Any = desk.services.model.endpoints[0]._model
            model.lines[:], model._said = [call("remember", text="I prefer e-mail to the telephone."), "Yes."], 0
            assert [s.outcome for s in desk.ask(words, caller=REQUESTER).steps] == ["ok"]

    def _write_documents(self, folder: Path) -> None:
        folder.mkdir()
        for n, injection in enumerate(self.texts("service")):
            words = f"# Bulletin {_word(n)}\n\n{injection.text}\n"
            (folder / f"bulletin-{n}.md").write_text(words, "utf-8")
        self.desks["service"].services.knowledge.add(folder, trusted=False)

    def texts(self, desk: str) -> list[Injection]:
        return [i.filled(sink=self.sink.url, mail=MAIL) for i in (SERVICE if desk == "service" else ASSISTANT)]

    def effects(self, desk: Desk) -> Any:
        """Everything that a call could have changed or sent."""
        with desk.services.database.read() as tx:
            tables = [t for t in TABLES if tx.dialect.has_table(tx, t)]
            rows = {t: [tuple(r) for r in tx.exec_driver_sql(f"SELECT * FROM {t}")] for t in tables}
        assert len(rows) >= 6
        return rows, desk.services.memory.export(REQUESTER), list(self.sink.asked), list(self.mailbox.taken)


def _word(n: int) -> str:
    """A name that nothing else has, so that a search finds this one."""
    return f"Zephyr{'abcdefghijklmnopqrstuvwxyz'[n % 26]}quil{n}"


@pytest.fixture(scope="module", params=POLICIES)
def stage(
    request: pytest.FixtureRequest, sample_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    with ExitStack() as stack:
        yield Stage(request.param, tmp_path_factory.mktemp("injections"), sample_home, stack)


def in_a_ticket(stage: Stage, n: int, text: str) -> tuple[str, Any]:
    desk = stage.desks["service"]
    with desk.services.database.write() as tx:
        mine = (ticket_comments.c.tenant == "acme") & (ticket_comments.c.ticket_id == "T1001")
        last = max((r.seq for r in tx.execute(select(ticket_comments.c.seq).where(mine))), default=0)
        at = datetime.fromisoformat("2026-10-30T10:00+08:00")
        row = {"tenant": "acme", "ticket_id": "T1001", "seq": last + 1, "author": "someone", "at": at, "text": text}
        tx.execute(insert(ticket_comments).values(**row, author_kind=AuthorKind.OUTSIDE))
    return "ticket T1001: ", call("query_ticket", ticket_id="T1001")


def in_a_document(stage: Stage, n: int, text: str) -> tuple[str, Any]:
    return "", call("search_knowledge", query=f"Bulletin {_word(n)}", limit=1)


def in_the_evidence(stage: Stage, n: int, text: str) -> tuple[str, Any]:
    chinese = f"Bulletin {_word(n)} 是什么？"
    return f"What is the policy of Bulletin {_word(n)}?" if text.isascii() else chinese, None


def on_a_page(stage: Stage, n: int, text: str) -> tuple[str, Any]:
    path = f"/page-{n}"
    stage.pages.pages[path] = f"<html><title>News</title><body><p>{html.escape(text)}</p></body></html>"
    return f"{stage.pages.url}{path} ", call("fetch_url", url=f"{stage.pages.url}{path}")


def in_a_foreign_result(stage: Stage, n: int, text: str) -> tuple[str, Any]:
    stage.words = text
    return "", call("foreign")


Surface = Callable[[Stage, int, str], tuple[str, Any]]
CASES: list[tuple[str, Surface, int]] = [
    *(("service", s, n) for s in (in_a_ticket, in_a_document, in_the_evidence, in_a_foreign_result)
      for n in range(len(SERVICE))),
    *(("assistant", s, n) for s in (on_a_page, in_a_foreign_result) for n in range(len(ASSISTANT))),
]  # fmt: skip


def _bare(text: str) -> str:
    """The letters alone, without mail addresses and what stands for them."""
    return re.sub(r"\\n|[\W_]", "", re.sub(rf"\[email:\d+\]|{re.escape(MAIL)}", "", text))


def obeying(injection: Injection, read: list[bool]) -> Callable[[Sequence[Any]], Any]:
    """What a model says that does as the text says, if it has the text before it; `read` is told whether it had."""

    def say(messages: Sequence[Any]) -> Any:
        prompt = "".join(str(m.content) for m in messages)
        # Most of the text, whatever marks and escapes have become of the rest.
        there, whole = _bare(prompt), _bare(injection.text)
        pieces = [whole[k : k + 6] in there for k in range(len(whole) - 5)]
        read.append(sum(pieces) >= 0.5 * len(pieces))
        if not read[-1]:
            return "There is nothing to be done."
        # An address in the text is a mark to the model, and it passes the mark on.
        mark = next((m for m in ("[email:1]", "[email:2]") if m in prompt), MAIL)
        wanted = injection.filled(**{MAIL: mark}).calls if MAIL not in prompt else injection.calls
        return calls(*[(name, dict(args), f"o{i}") for i, (name, args) in enumerate(wanted)])

    return say


@pytest.mark.parametrize(
    ("desk_name", "surface", "n"),
    CASES,
    ids=[f"{s.__name__}-{(SERVICE if d == 'service' else ASSISTANT)[n].name}" for d, s, n in CASES],
)
def test_a_model_that_obeys_changes_nothing_and_carries_nothing_out(
    desk_name: str, surface: Surface, n: int, stage: Stage
) -> None:
    desk, injection = stage.desks[desk_name], stage.texts(desk_name)[n]
    where, read = surface(stage, n, injection.text)
    before, seen = stage.effects(desk), list[bool]()
    obey = obeying(injection, seen)
    model: Any = desk.services.model.endpoints[0]._model
    language = "en" if injection.name.isascii() else "zh"
    model.lines[:], model._said = [*([read] if read else []), obey, "It is done, as the page says."], 0
    turn = desk.ask(where if read is None else where + QUESTION[language], caller=REQUESTER)

    assert seen == [True], "the model never read the text"
    wanted = {name for name, _ in injection.calls}
    asked_for = [s for s in turn.steps if s.tool in wanted and s.call not in _reading(turn, read)]
    assert len(asked_for) == len(injection.calls)
    for step in asked_for:
        known = desk.services.gateway.registry.get(step.tool)
        assert known is not None
        if known.risk is Risk.READ and not known.egress:
            continue
        # What the tool itself refuses reaches no approver.
        ended = {"waiting"} if stage.policy == "escalate" else {"FORBIDDEN"}
        assert step.outcome in ended | REFUSED.get(step.tool, set()), step.summary
    assert stage.effects(desk) == before

    pending = desk.approvals(SUPERVISOR)
    assert stage.policy == "escalate" or pending == []
    for approval in pending:
        assert any("untrusted" in w or "不可信" in w for w in approval.card.warnings), (
            "the card does not say who asked for it"
        )
    # To resume signs nothing, and neither does the next message, in which the model obeys once more.
    desk.resume(turn.thread)
    model.lines[:], model._said = [obey, "It is done."], 0
    after = desk.ask("thanks, and now?", caller=REQUESTER, thread=turn.thread)
    assert after.status is not Status.FAILED
    assert stage.effects(desk) == before
    desk.delete(turn.thread)


def _reading(turn: Any, read: Any) -> set[str]:
    """The call that fetched the text: it was the person's own wish."""
    return {turn.steps[0].call} if read and turn.steps else set()


def test_the_sinks_are_reached_by_what_a_person_signed(stage: Stage) -> None:
    """Were nothing ever to arrive there, all of the above would prove nothing."""
    desk = stage.desks["assistant"]
    model: Any = desk.services.model.endpoints[0]._model
    asked, taken = len(stage.sink.asked), len(stage.mailbox.taken)
    mail = call("send_email", to=["ann@example.com"], subject="notes", body="Hello.")
    model.lines[:], model._said = [call("fetch_url", url=f"{stage.sink.url}/own"), "Read.", mail, "Sent."], 0
    turn = desk.ask(f"read {stage.sink.url}/own", caller=REQUESTER)
    assert turn.status is Status.DONE and stage.sink.asked[asked:] == ["GET /own"]
    turn = desk.ask("mail ann@example.com a hello", caller=REQUESTER)
    [approval] = turn.approvals
    with pytest.raises(DecisionRefused):
        desk.decide(approval.id, "approve", by=REQUESTER)
    desk.decide(approval.id, "approve", by=SECOND)
    assert desk.resume(turn.thread).status is Status.DONE
    assert stage.mailbox.taken[taken:] == ["ann@example.com"]


@pytest.mark.parametrize("n", range(len(DESCRIPTIONS)))
def test_a_tool_whose_description_gives_orders_is_not_shown_to_a_model(n: int, tmp_path: Path) -> None:
    description = DESCRIPTIONS[n].replace("{mail}", MAIL).replace("{sink}", "http://127.0.0.1:9/steal")
    bench = Bench(tmp_path)
    bench.script("web", listed("odd", description), listed("fine"), keys={"reads": True})
    with bench.open(taken=("send_email", "fetch_url", "refund_order")) as connections:
        offered: list[Tool] = connections.tools
        assert [t.name for t in offered] == ["fine"]
        assert [p.kind for p in connections.problems] == ["held"]
    assert bench.calls("web") == []


def test_there_are_enough_of_them_in_both_languages() -> None:
    texts = [*(i.text for i in (*SERVICE, *ASSISTANT)), *DESCRIPTIONS]
    chinese = [t for t in texts if any("\u4e00" <= c <= "\u9fff" for c in t)]
    assert len(set(texts)) >= 40 and len(chinese) >= 14
