"""`ask` and `resume`: what goes where, and what the process ends with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedModel, call
from signoff_command import SUPERVISOR, Cli

from signoff.errors import ProviderRejected

REFUND = call("refund_order", order_id="A1003", reason="arrived broken")
Says = Callable[..., ScriptedModel]


def test_the_answer_is_on_stdout_and_the_steps_are_on_stderr(cli: Cli, says: Says) -> None:
    says(call("query_order", order_id="A1001"), "Order A1001 was delivered.")
    done = cli("ask", "What is the status of order A1001?")
    assert done.code == 0
    assert done.out == "Order A1001 was delivered.\n"
    assert 'query_order(order_id="A1001")' in done.err
    assert "route" in done.err and "ask --thread th-" in done.err


def test_words_need_no_quotes(cli: Cli, says: Says) -> None:
    model = says("Hello.")
    assert cli("ask", "hello", "there").code == 0
    assert "hello there" in str(model.prompts[0][-1].content)


@pytest.mark.parametrize("text", ["订单 A1001 什么状态?", "line one\nline two"])
def test_a_dash_reads_the_question_from_stdin(cli: Cli, says: Says, text: str) -> None:
    model = says("好的。")
    assert cli("ask", "-", input=text).code == 0
    assert text.splitlines()[0] in str(model.prompts[0][-1].content)


def test_bytes_that_are_no_text_do_not_stop_a_question(cli: Cli, says: Says) -> None:
    says("Hello.")
    assert cli("ask", "-", input=b"hello \xff\xfe").code == 0
    assert cli("ask", "hello \udcff").code == 0


def test_the_citations_are_under_the_answer(cli: Cli, says: Says) -> None:
    found = cli("knowledge", "search", "return without a reason", "--json").data("passage")[0]
    says(lambda messages: f"{found['text'].split('.')[0]}. [1]")
    done = cli("ask", "How many days do I have to return something without giving a reason?")
    assert done.code == 0
    cited = [line for line in done.out.splitlines() if re.match(r"\[\d\] .+ > .+ \(.+\.md, \d\)$", line)]
    assert cited, done.out


def test_a_change_waits_and_prints_its_id_and_a_command_that_works(cli: Cli, says: Says, home: Path) -> None:
    says(REFUND, "It was refunded.")
    asked = cli("ask", "Refund order A1003, it arrived broken", "--home", str(home))
    assert asked.code == 10
    assert "Refund order A1003: 299.00 yuan" in asked.err
    command = next(line for line in asked.out.splitlines() if " approvals approve " in line)
    assert cli.refunds("A1003") == 0
    done = cli(*shlex.split(command)[1:])
    assert done.code == 0, done
    assert "It was refunded." in done.out
    assert cli.refunds("A1003") == 1


def test_the_command_for_what_the_requester_may_not_sign_names_somebody_who_may(cli: Cli, says: Says) -> None:
    says(call("refund_order", order_id="A1004"), "It was refunded.")
    asked = cli("ask", "Refund order A1004")
    command = next(line for line in asked.out.splitlines() if " approvals approve " in line)
    assert SUPERVISOR in command
    assert cli(*shlex.split(command)[1:]).code == 0
    assert cli.refunds("A1004") == 1


def test_a_turn_that_reaches_a_limit_ends_with_2_and_names_it(
    cli: Cli, says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_MAX_ROUNDS", "1")
    says(call("query_order", order_id="A1001"), call("query_order", order_id="A1002"))
    done = cli("ask", "What about A1001 and A1002?")
    assert done.code == 2
    assert "limit of 1 tool rounds" in done.err


def test_a_failing_model_ends_with_1_and_no_traceback(cli: Cli, says: Says) -> None:
    says(ProviderRejected("The endpoint refused the key: check SIGNOFF_MODEL_API_KEY."))
    done = cli("ask", "hello")
    assert done.code == 1
    assert "check SIGNOFF_MODEL_API_KEY" in done.err
    assert "Traceback" not in done.err


def test_a_rejected_change_ends_with_11_also_when_it_is_resumed_again(cli: Cli, says: Says) -> None:
    says(REFUND, "It was not done.")
    approval = cli.waiting()
    rejected = cli("approvals", "reject", approval, "--reason", "customer already called")
    assert rejected.code == 11
    thread = cli.threads()[0]["id"]
    again = cli("resume", thread)
    assert again.code == 11
    assert "customer already called" in again.err
    assert cli.refunds("A1003") == 0


def test_an_expired_change_ends_with_12(cli: Cli, says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_APPROVAL_TTL_H", "0.0000001")
    says(REFUND, "Nobody decided in time.")
    approval = cli.waiting()
    late = cli("approvals", "approve", approval)
    assert late.code == 12
    assert "expired" in late.err
    assert cli("resume", cli.threads()[0]["id"]).code == 12
    assert cli.refunds("A1003") == 0


def test_resume_without_a_decision_still_waits(cli: Cli, says: Says) -> None:
    says(REFUND, "It was refunded.")
    approval = cli.waiting()
    again = cli("resume", cli.threads()[0]["id"])
    assert again.code == 10
    assert approval in again.out
    assert cli.refunds("A1003") == 0


def test_only_owners_and_signers_of_the_tenant_let_a_thread_go_on(cli: Cli, says: Says) -> None:
    says("Hello.")
    cli("ask", "hello")
    thread = cli.threads()[0]["id"]
    for who, code in (("acme/u-42", 1), ("globex/u-17", 1), ("globex/s-02", 1), (SUPERVISOR, 0), ("acme/u-17", 0)):
        resumed = cli("resume", thread, "--as", who)
        assert resumed.code == code
        assert ("Hello." in resumed.out) == (code == 0)


def test_a_thread_goes_on_and_may_be_named_by_how_it_begins(cli: Cli, says: Says) -> None:
    model = says("First.", "Second.")
    cli("ask", "hello")
    thread = cli.threads()[0]["id"]
    assert cli("ask", "--thread", thread[:9], "and now?").code == 0
    assert "First." in [str(m.content) for m in model.prompts[-1]]
    assert [t["id"] for t in cli.threads()] == [thread]


def test_somebody_elses_thread_is_not_found(cli: Cli, says: Says) -> None:
    says("Hello.")
    cli("ask", "hello")
    refused = cli("ask", "--thread", cli.threads()[0]["id"], "hello", "--as", "acme/u-42")
    assert refused.code == 1
    assert "There is no thread" in refused.err
    assert refused.out == ""


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["ask", ""], 64, "The question is empty"),
        (["ask"], 64, "Missing argument"),
        (["ask", "hello", "--as", "nobody"], 64, "does not name a caller"),
        (["ask", "hello", "--as", "acme/a b"], 64, "is not a user name"),
        (["ask", "hello", "--thread", "th-none"], 1, "There is no thread"),
        (["resume", "th-none"], 1, "There is no thread"),
        (["nonsense"], 64, "nonsense"),
        (["ask", "hello", "--nonsense"], 64, "--nonsense"),
        (["approvals"], 64, "approve"),
    ],
)
def test_wrong_use_gets_one_clear_sentence(cli: Cli, args: list[str], code: int, words: str) -> None:
    refused = cli(*args)
    assert refused.code == code
    assert words in refused.err
    assert refused.out == ""
    assert "Traceback" not in refused.err


@pytest.mark.parametrize("before", [True, False])
def test_shared_options_work_before_and_after_the_command(
    cli: Cli, says: Says, home: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    monkeypatch.delenv("SIGNOFF_HOME")
    says("Hello.")
    shared = ["--home", str(home), "--as", "acme/u-42", "--json"]
    done = cli(*shared, "ask", "hello") if before else cli("ask", "hello", *shared)
    assert done.code == 0
    assert done.data("final")[0]["answer"] == "Hello."
    assert cli("threads", "list", "--home", str(home), "--as", "acme/u-42", "--json").data("thread")


def test_the_callers_default_is_a_setting(cli: Cli, says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_CALLER", "acme/u-42")
    says("Hello.")
    cli("ask", "hello")
    assert cli.threads()[0]["owner"]["user"] == "u-42"


@pytest.mark.parametrize(
    ("who", "roles"),
    [(SUPERVISOR, ["supervisor"]), ("acme/s-02:", []), ("acme/s-02:hr", ["hr"]), ("acme/stranger", [])],
)
def test_roles_come_from_the_directory_unless_they_are_given(cli: Cli, says: Says, who: str, roles: list[str]) -> None:
    says("Hello.")
    cli("ask", "hello", "--as", who)
    assert cli("threads", "list", "--json", "--as", who).data("thread")[0]["owner"]["roles"] == roles


def test_json_is_one_event_a_line_and_nothing_else(cli: Cli, says: Says) -> None:
    says(call("query_order", order_id="A1001"), "Delivered \x1b[31mred\x9b1m \u202e.")
    done = cli("ask", "What is the status of order A1001?", "--json")
    assert [set(e) for e in done.events] == [{"type", "seq", "ts", "data"}] * len(done.events)
    assert [e["seq"] for e in done.events] == list(range(1, len(done.events) + 1))
    assert [e["type"] for e in done.events][-1] == "final"
    assert {"step", "tool_start", "tool_end"} <= {e["type"] for e in done.events}
    assert not set(done.out) & set("\x1b\x9b\u202e")
    assert done.err == ""


@pytest.mark.parametrize("args", [["resume", "th-none"], ["ask", ""], ["approvals", "approve", "ap-none"]])
def test_json_tells_errors_as_a_warning_too(cli: Cli, args: list[str]) -> None:
    refused = cli("--json", *args)
    warning = refused.data("warning")[0]
    assert warning["exit_code"] == refused.code != 0
    assert f"error: {warning['message']}" in refused.err


def test_what_is_not_foreseen_is_a_sentence_and_for_developers_a_traceback(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **options: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("signoff.graph.desk.Desk.threads", broken)
    refused = cli("threads", "list")
    assert refused.code == 1
    assert "SIGNOFF_DEBUG=1" in refused.err
    assert "secret detail" not in refused.err
    monkeypatch.setenv("SIGNOFF_DEBUG", "1")
    with pytest.raises(AssertionError, match="secret detail"):
        cli("threads", "list")


def test_a_home_that_is_not_there_is_made_and_told_of(cli: Cli, says: Says, tmp_path: Path) -> None:
    says("Hello.")
    made = cli("ask", "hello", "--home", str(tmp_path / "new"))
    assert made.code == 0
    assert "Made a home with sample data" in made.err
    assert made.out == "Hello.\n"
