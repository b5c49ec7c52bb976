"""Personal data and keys in results: behind marks everywhere, and in full only where a tool and its owner may."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from envelopes import bare, envelopes
from people import OTHER, REQUESTER, SUPERVISOR
from scripted import ScriptedModel, call, calls

from signoff import Caller, Change, Desk, Preview, Tool, ToolError, tool
from signoff.checkpoints.tables import file_words
from signoff.graph.turn import Turn
from signoff.state import Status

Open = Callable[..., Desk]

PERSONAL = {
    "mobile": ("phone", "13812345678"),
    "mobile_abroad": ("phone", "+1 415-555-2671"),
    "landline": ("phone", "010-62345678"),
    "london": ("phone", "+44 20 7946 0958"),
    "mail": ("email", "ann.lee@example.com"),
    "id": ("id-card", "11010519491231002X"),
    "card": ("bank-card", "6222 0212 3456 7890 128"),
    "visa": ("bank-card", "4111111111111111"),
}
SECRETS = {
    "model_key": "sk-proj-Zx81kQw93LmN0pRt5vYb7cDf2gHj4kLs6",
    "cloud_key": "AKIAQ3ZX7WLM2N5PRT8V",
    "git_token": "ghp_Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7d",
    "password": "correct-horse-9!battery",
    "session": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
}
CONTROL = "lighthouse"
"""A word beside them that nobody hides: where it is not found either, a search finds nothing at all."""

sent: list[tuple[str, str]] = []


def people_tools() -> list[Tool]:
    """A read that reveals phone numbers to its caller, one that reveals nothing, ways to fail, and a write."""

    def shown(data: Any, lang: str) -> str:
        return f"{CONTROL}: {data['mobile']}, {data['mail']}, {data['card']}, {data['password']}"

    def record() -> dict[str, Any]:
        flat = {n: v for n, (_, v) in PERSONAL.items()}
        note = "; ".join([CONTROL, *(f"{n} {v}" for n, v in flat.items()), *(f"{n}={v}" for n, v in SECRETS.items())])
        return {**flat, **SECRETS, "notes": [note], "by_mail": {"ann.lee@example.com": {"phone": 13812345678}}}

    @tool(reveals=("phone",), render=shown)
    def person() -> dict[str, Any]:
        """Shows a person's record."""
        return record()

    @tool(render=shown)
    def stranger() -> dict[str, Any]:
        """Shows a stranger's record."""
        return record()

    @tool
    def fails(how: str) -> str:
        """Fails with a person's record in its mouth."""
        said = json.dumps(record())
        raise ToolError("NOT_FOUND", said, zh=said, hint=said) if how == "told" else RuntimeError(said)

    @tool
    def many() -> list[dict[str, Any]]:
        """Shows the same record often."""
        return [record()] * 40

    def card(to: str, words: str) -> Preview:
        return Preview("Text", [Change("to", None, to), Change("words", None, words)])

    @tool(risk="write", effect="outside", preview=card)
    def text_message(to: str, words: str) -> dict[str, str]:
        """Sends a text message."""
        sent.append((to, words))
        return {"sent_to": to, "words": words}

    @tool
    def echo(words: str) -> str:
        """Says the words again."""
        sent.append(("echo", words))
        return words

    return [person, stranger, fails, many, text_message, echo]


@pytest.fixture
def open_people(open_desk: Open, tmp_path: Path) -> Callable[..., Desk]:
    sent.clear()

    def one(*lines: Any, **options: Any) -> Desk:
        model = ScriptedModel(lines=[*lines, "So it stands."])
        options = {"trace_content": True, "trace_file": tmp_path / "spans.jsonl", **options}
        return partial(open_desk, desk=bare(tmp_path))(model=model, tools=people_tools(), **options)

    return one


def places(desk: Desk, thread: str) -> dict[str, str]:
    """Everything that a turn leaves behind, but for the masks' own table and the approvals' cards."""
    desk.services.tracer.flush()
    model: Any = desk.services.model.endpoints[0]._model
    found = {
        "messages": str(desk.messages(thread)),
        "prompts": str(model.prompts),
        "history": str([s.values for s in desk.graph.get_state_history({"configurable": {"thread_id": thread}})]),
        "turn": str(desk.turn(thread).steps),
        "trace file": desk.settings.trace_file.read_text("utf-8") if desk.settings.trace_file else "",
        "checkpoints": checkpoints(desk),
    }
    with desk.services.database.read() as tx:
        for table in ("audit", "spans", "results"):
            # A row's own text is shortened in the middle.
            found[table] = str([tuple(r) for r in tx.exec_driver_sql(f"SELECT * FROM {table}")])
    return found


def checkpoints(desk: Desk) -> str:
    """All that `threads.db` holds, every blob unpacked."""
    path = desk.settings.database("threads")
    found: list[str] = []
    with closing(sqlite3.connect(path)) as connection:
        words = file_words(connection, path)
        tables = [r[0] for r in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f"SELECT * FROM {table}"):
                for value in row:
                    blob = value if isinstance(value, bytes) else str(value).encode()
                    with suppress(zlib.error):
                        blob = zlib.decompressobj(zdict=words).decompress(blob)
                    found.append(blob.decode("utf-8", "replace"))
    return "".join(found)


def private(*, personal: bool = True) -> list[str]:
    """Every value in the ways it may be found again."""
    values = [v for _, v in PERSONAL.values()] if personal else []
    return [*values, *(v.replace(" ", "") for v in values), *SECRETS.values()]


def leaks(found: dict[str, str], **options: bool) -> list[tuple[str, str]]:
    return [(place, value) for place, text in found.items() for value in private(**options) if value in text]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["person", "stranger", "many"])
def test_nothing_private_is_left_anywhere(name: str, language: str, open_people: Any) -> None:
    desk = open_people(call(name), "It is a [phone:1].")
    turn = desk.ask("who is it" if language == "en" else "这是谁", caller=REQUESTER)
    assert turn.status is Status.DONE
    found = places(desk, turn.thread)
    assert leaks(found) == []
    for place in ("messages", "prompts", "history", "turn", "checkpoints"):
        assert CONTROL in found[place], f"{place} is not where the result would be"
    if name == "many":
        assert CONTROL in found["results"]
    assert "[phone:1]" in found["messages"] and "[bank-card:1]" in found["messages"]


def test_no_key_is_kept_in_the_database_at_all(open_people: Any) -> None:
    desk = open_people(call("person"), call("many"))
    desk.ask("who is it", caller=REQUESTER)
    desk.services.tracer.flush()
    held = b"".join(p.read_bytes() for p in sorted(desk.settings.home.rglob("*")) if p.is_file())
    assert CONTROL.encode() in held
    assert [s for s in SECRETS.values() if s.encode() in held] == []


def test_a_value_has_one_mark_over_all_results_of_a_thread(open_people: Any) -> None:
    desk = open_people(call("person"), "So.", call("stranger"))
    first = desk.ask("who is it", caller=REQUESTER)
    desk.ask("and who is that", caller=REQUESTER, thread=first.thread)
    one, other = envelopes(desk, first)
    assert one.data["mobile"] == other.data["mobile"] == one.data["by_mail"]["[email:1]"]["phone"] == "[phone:1]"
    assert len({one.data[n] for n, (kind, _) in PERSONAL.items() if kind == "phone"}) == 4


@pytest.mark.parametrize("how", ["told", "bug"])
def test_a_failure_with_private_words_leaves_none_of_them(how: str, open_people: Any) -> None:
    desk = open_people(call("fails", how=how))
    turn = desk.ask("who is it", caller=REQUESTER)
    assert turn.steps[0].outcome == ("NOT_FOUND" if how == "told" else "INTERNAL")
    assert leaks(places(desk, turn.thread)) == []


def test_events_of_a_turn_show_marks(open_people: Any) -> None:
    desk = open_people(call("person"), "Their number is [phone:1].")
    *events, turn = desk.ask_events("who is it", caller=REQUESTER)
    told = {e.type: str(e.data) for e in events}
    # The answer's text is for its reader, as in the turn itself.
    assert leaks({k: v for k, v in told.items() if k not in ("final", "text_delta")}) == []
    assert isinstance(turn, Turn)


def test_events_for_a_program_show_marks_only(open_people: Any) -> None:
    desk = open_people(call("person"), "Their number is [phone:1].")
    *events, turn = desk.ask_events("who is it", caller=REQUESTER, program=True)
    assert "text_delta" in {e.type for e in events} and isinstance(turn, Turn)
    assert leaks({str(e.seq): str(e.data) for e in events}) == []


ANSWER = "Call [phone:1] or ［Phone：2］, write to [email:1], card [bank-card:1]."


def test_its_owner_sees_what_the_tool_reveals_and_no_more(open_people: Any) -> None:
    desk = open_people(call("person"), ANSWER)
    turn = desk.ask("how can I reach them", caller=REQUESTER)
    assert "13812345678" in turn.answer and "+1 415-555-2671" in turn.answer
    assert "[email:1]" in turn.answer and "[bank-card:1]" in turn.answer
    # The thread itself, and whoever reads it there, has the marks.
    assert "13812345678" not in desk.turn(turn.thread).answer
    assert leaks(places(desk, turn.thread)) == []


def test_what_no_tool_reveals_stays_behind_its_mark(open_people: Any) -> None:
    desk = open_people(call("stranger"), ANSWER)
    assert leaks({"answer": desk.ask("how can I reach them", caller=REQUESTER).answer}) == []


def parked(open_people: Any, **args: str) -> tuple[Desk, Turn]:
    """A turn that waits for a signature on a message to somebody whose number only a mark stands for."""
    write = call("text_message", **{"to": "[phone:1]", "words": "We call [phone:2] at noon.", **args})
    desk = open_people(call("person"), write, "A message went to [phone:1].")
    return desk, desk.ask("text them that we call at noon", caller=REQUESTER)


def test_a_mark_that_is_passed_on_is_the_real_value_on_the_card_and_in_the_effect(open_people: Any) -> None:
    desk, turn = parked(open_people)
    [approval] = turn.approvals
    assert approval.args["to"] == "13812345678"
    assert approval.args["words"] == "We call +1 415-555-2671 at noon."
    assert [c["after"] for c in approval.card.changes] == ["13812345678", approval.args["words"]]
    assert {o.argument: o.source for o in approval.card.origins}["to"] == "result"
    desk.decide(approval.id, "approve", by=REQUESTER)
    turn = desk.resume(turn.thread, caller=REQUESTER)
    assert sent == [("13812345678", "We call +1 415-555-2671 at noon.")]
    assert "13812345678" in turn.answer
    # And everywhere else it is the mark, also of what the write answered and of the decision.
    assert envelopes(desk, turn)[-1].data == {"sent_to": "[phone:1]", "words": "We call [phone:2] at noon."}
    assert leaks(places(desk, turn.thread)) == []


def read_by(desk: Desk, thread: str, viewer: Caller | None) -> str:
    """The answer as a reader gets it."""
    *_, turn = desk.resume_events(thread, viewer=viewer)
    assert isinstance(turn, Turn)
    return turn.answer


def test_an_approver_who_resumes_is_not_shown_what_only_the_owner_may_see(open_people: Any) -> None:
    desk, turn = parked(open_people)
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    seen = desk.resume(turn.thread, caller=SUPERVISOR)
    assert seen.status is Status.DONE
    assert "[phone:1]" in seen.answer and leaks({"answer": seen.answer}) == []
    for viewer in (SUPERVISOR, OTHER, None):
        assert leaks({"answer": read_by(desk, turn.thread, viewer)}) == []
    assert "13812345678" in read_by(desk, turn.thread, REQUESTER)


@pytest.mark.parametrize("decision", ["approve", "reject", "edit"])
def test_the_audit_of_a_decision_has_the_marks(decision: str, open_people: Any) -> None:
    desk, turn = parked(open_people)
    args = {"words": "Never mind, 13812345678."} if decision == "edit" else None
    decided = desk.decide(turn.approvals[0].id, decision, by=SUPERVISOR, args=args)
    if decision == "edit":
        desk.decide(decided.id, "approve", by=SUPERVISOR)
    desk.resume(turn.thread)
    found = places(desk, turn.thread)
    assert "decision" in found["audit"]
    assert leaks(found) == []


def test_the_marks_of_one_person_or_thread_mean_nothing_to_another(open_people: Any) -> None:
    desk = open_people(call("person"), "So.", call("echo", words="[phone:1]"), "So.", call("echo", words="[phone:1]"))
    desk.ask("who is it", caller=REQUESTER)
    for caller in (REQUESTER, OTHER):
        turn = desk.ask("say [phone:1]", caller=caller)
        [result] = envelopes(desk, turn)
        # What a mark stood for elsewhere is not known here; to go on with the mark itself would be nonsense.
        assert result.error is not None and "what [phone] stood for" in result.error.message
        assert leaks(places(desk, turn.thread)) == []
    assert sent == []


def test_a_mark_that_a_result_made_up_never_becomes_a_value(open_people: Any) -> None:
    @tool
    def forged() -> str:
        """Says what stands on a page."""
        return "The number is [phone:1], and [phone:2]."

    desk = open_people()
    desk.services.gateway.registry.add(forged)
    model: Any = desk.services.model.endpoints[0]._model
    model.lines[:] = [call("forged"), call("person"), call("echo", words="[phone:1] [phone:2]"), "So."]
    turn = desk.ask("read the page", caller=REQUESTER)
    assert envelopes(desk, turn)[0].data == "The number is [phone], and [phone]."
    assert sent == [("echo", "13812345678 +1 415-555-2671")]


def test_a_read_that_is_given_a_mark_works_with_the_value(open_people: Any) -> None:
    both = calls(("echo", {"words": "[phone:1]"}, "a"), ("echo", {"words": "[Phone: 1]"}, "b"))
    desk = open_people(call("person"), both)
    turn = desk.ask("who is it", caller=REQUESTER)
    assert sent == [("echo", "13812345678")] * 2
    assert [r.data for r in envelopes(desk, turn)][1:] == ["[phone:1]"] * 2
    assert leaks(places(desk, turn.thread)) == []


def test_a_read_that_would_carry_masked_data_out_of_the_company_waits(open_people: Any) -> None:
    @tool(egress=True)
    def web_search(words: str) -> str:
        """Searches the web."""
        sent.append(("web", words))
        return "nothing"

    desk = open_people(call("person"), call("web_search", words="who has [phone:1]"))
    desk.services.gateway.registry.add(web_search)
    turn = desk.ask("who is it", caller=REQUESTER)
    assert (turn.status, sent) == (Status.WAITING, [])
    assert turn.approvals[0].args["words"] == "who has 13812345678"
    desk.decide(turn.approvals[0].id, "reject", by=REQUESTER)
    desk.resume(turn.thread)
    assert sent == []


def test_after_the_thread_is_deleted_its_values_are_gone(open_people: Any) -> None:
    desk = open_people(call("person"))
    turn = desk.ask("who is it", caller=REQUESTER)
    desk.delete(turn.thread, caller=REQUESTER)
    with desk.services.database.read() as tx:
        assert tx.exec_driver_sql("SELECT count(*) FROM masks").scalar() == 0


@pytest.mark.parametrize("caller", [Caller("acme", "u-17", frozenset({"hr"})), REQUESTER])
def test_an_order_number_a_date_and_an_amount_are_nobodys_number(caller: Caller, open_desk: Open) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("query_order", order_id="A1001"), "Signed for."]))
    [result] = envelopes(desk, desk.ask("where is order A1001", caller=caller))
    assert result.ok and not [m for m in ("[phone", "[bank-card", "[id-card") if m in str(result.data)]
