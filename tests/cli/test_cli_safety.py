"""Nothing that a model, a tool, a document or another person wrote reaches a terminal as more than text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import ScriptedModel, call
from signoff_command import SUPERVISOR, Cli

from signoff.cli.output import Output

Says = Callable[..., ScriptedModel]

HOSTILE = [
    "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1b]0;title\x07\x1b[2J\x1b[31mred",
    "\x9b31mC1\x9dosc\x9c",
    "[bold red]markup[/bold red] [link=https://evil.example]x[/link] [/nonsense]",
    "\u202eright to left\u2066 zero\u200bwidth",
    ":smile: \r overwritten",
]

ALL = " ".join(HOSTILE)


def harmless(text: str) -> bool:
    """Whether a terminal does nothing but show it."""
    return all(c.isprintable() or c in "\n\t\u3000" for c in text)


def test_a_models_answer_is_text(cli: Cli, says: Says) -> None:
    says(f"Hello {ALL} there.")
    done = cli("ask", "hello")
    assert done.code == 0
    assert harmless(done.out) and harmless(done.err)


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_is_said_is_text(capsys: pytest.CaptureFixture[str], text: str) -> None:
    output = Output()
    output.say(f"before {text} after")
    output.note(f"before {text} after")
    output.problem(f"before {text} after", 1, "UserError")
    Output(json=True).problem(f"before {text} after", 1, "UserError")
    shown = capsys.readouterr()
    assert harmless(shown.out) and harmless(shown.err)
    assert shown.out.startswith("before ") and " after" in shown.out
    assert shown.err.count("before ") == 3
    # What looks like markup is words as well.
    assert ("[bold red]markup[/bold red]" in text) <= ("[bold red]markup[/bold red]" in shown.out)


def test_a_models_call_is_text(cli: Cli, says: Says) -> None:
    says(call("query_order", order_id=ALL), call(f"query{ALL}", **{ALL: ALL}), "Sorry.")
    done = cli("ask", "hello")
    assert harmless(done.out) and harmless(done.err)


def test_a_persons_words_are_text_wherever_they_come_back(cli: Cli, says: Says) -> None:
    says(call("refund_order", order_id="A1003", reason=ALL), "It was not done.")
    asked = cli("ask", f"Refund order A1003, {ALL}")
    assert asked.code == 10
    approval = cli("approvals", "list", "--json").data("approval")[0]["id"]
    rejected = cli("approvals", "reject", approval, "--reason", ALL, "--as", SUPERVISOR)
    thread = cli.threads()[0]["id"]
    shown = [
        asked,
        rejected,
        cli("approvals", "list", "--status", "all"),
        cli("approvals", "show", approval),
        cli("threads", "list"),
        cli("threads", "show", thread),
        cli("threads", "history", thread),
        cli("threads", "diff", thread, cli("threads", "history", thread).out.splitlines()[-1].split()[0]),
        cli("trace", "show"),
        cli("audit"),
    ]
    assert all(s.code in (0, 10, 11) for s in shown)
    assert all(harmless(s.out) and harmless(s.err) for s in shown)
    as_json = [
        cli("approvals", "list", "--status", "all", "--json"),
        cli("audit", "--json"),
        cli("threads", "list", "--json"),
    ]
    assert all(harmless(s.out) and s.events for s in as_json)


def test_a_documents_words_are_text(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(f"# Zebra {ALL}\n\nQuagga {ALL} stripes.\n", encoding="utf-8")
    assert cli("knowledge", "add", str(tmp_path / "note.md")).code == 0
    for shown in (
        cli("knowledge", "list"),
        cli("knowledge", "search", "quagga"),
        cli("knowledge", "search", "quagga", "--json"),
    ):
        assert shown.code == 0 and "Zebra" in shown.out
        assert harmless(shown.out) and harmless(shown.err)


def test_what_a_person_mistypes_is_text(cli: Cli) -> None:
    for args in (["resume", ALL], ["approvals", "show", ALL], ["trace", "show", ALL], ["ask", "hi", "--as", ALL]):
        refused = cli(*args)
        assert refused.code in (1, 64)
        assert harmless(refused.out) and harmless(refused.err)


def test_a_row_of_a_table_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Output().table(("a", "b"), [("one\ntwo", "x\r\ny"), ("中文", None)])
    assert capsys.readouterr().out == "a        b\none two  x y\n中文\n"
