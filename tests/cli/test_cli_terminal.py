"""At a terminal: a real process on a pseudo-terminal, with the rehearsal model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from signoff_command import Cli, Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix"),
]

ASK = "Refund order A1003, it arrived broken"
CHOICE = "later [Enter]?"


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    """Terminals that are ended with the test."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()


def test_ask_shows_the_card_and_later_is_the_default(cli: Cli, home: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("ask", ASK, home=home)
    opened.append(terminal)
    terminal.until(CHOICE)
    assert "Signature needed" in terminal.seen
    terminal.type("")
    assert terminal.end() == 10
    assert cli.refunds("A1003") == 0


def test_an_edit_and_then_an_approval_carry_out_what_was_approved(cli: Cli, home: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("ask", ASK, home=home)
    opened.append(terminal)
    terminal.until(CHOICE)
    terminal.type("nonsense words")
    terminal.until(CHOICE)
    terminal.type("e")
    terminal.until("order_id [A1003]: ")
    terminal.type("")
    terminal.until("]: ")
    terminal.type("screen cracked")
    terminal.until("Reason")
    terminal.type("")
    terminal.until(CHOICE)
    assert 'reason="screen cracked"' in terminal.seen
    terminal.type("a")
    assert terminal.end() == 0
    assert cli.refunds("A1003") == 1
    [refund] = [r for r in cli("records", "rows", "refunds", "--json").data("record") if r["order_id"] == "A1003"]
    assert refund["reason"] == "screen cracked"


def test_whoever_may_not_decide_is_told_who_may_and_is_not_asked(cli: Cli, home: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("ask", "A1004 收到就碎了，给我退款", home=home)
    opened.append(terminal)
    assert terminal.end() == 10
    assert "acme/s-02, acme/s-03" in terminal.seen
    assert "[回车]" not in terminal.seen
    assert cli.refunds("A1004") == 0


def test_chat_decides_later_and_ctrl_c_twice_ends_it(cli: Cli, home: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("chat", home=home)
    opened.append(terminal)
    terminal.until("you> ")
    terminal.interrupt("you> ")
    terminal.type(ASK)
    terminal.until(CHOICE)
    terminal.type("l")
    terminal.until("you> ")
    terminal.type("/reject customer already called")
    terminal.until("you> ", after="rejected ap-")
    terminal.interrupt("you> ")
    terminal.interrupt()
    assert terminal.end() == 130
    assert "Traceback" not in terminal.seen
    assert cli.refunds("A1003") == 0
    assert cli("approvals", "list", "--status", "rejected", "--json").data("approval")


def test_the_demo_asks_the_entitled_person(cli: Cli, home: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("demo", "--fast", home=home)
    opened.append(terminal)
    terminal.until(CHOICE)
    assert "You are acme/s-02 now." in terminal.seen
    terminal.type("a")
    assert terminal.end() == 0
    assert "1 before the replay, 1 after it" in terminal.seen
    assert cli.refunds("A1003") == 1


def test_an_answer_stands_there_once_and_whole_while_steps_go_on_around_it(home: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("ask", "What is the status of order A1001?", home=home)
    opened.append(terminal)
    assert terminal.end() == 0
    lines = [line.strip() for line in terminal.seen.splitlines()]
    begin = next(n for n, line in enumerate(lines) if line.startswith("Order A1001: delivered"))
    assert lines[begin + 3] == "Source: order records."
    assert terminal.seen.count("Order A1001: delivered") == terminal.seen.count("Source: order records.") == 1
