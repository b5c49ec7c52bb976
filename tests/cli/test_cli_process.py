"""`python -m signoff` as a process: signals, pipes and odd environments."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from openai_server import Hang, OpenAIServer
from signoff_command import Cli, execute, start

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_an_interrupt_ends_it_with_130_one_line_and_a_thread_that_goes_on(
    cli: Cli, home: Path, json: list[str]
) -> None:
    with OpenAIServer(Hang()) as server:
        env = {"SIGNOFF_MODEL": "openai:some-model", "SIGNOFF_MODEL_BASE_URL": server.base_url}
        process = start("ask", "What is the status of order A1001?", *json, home=home, env=env)
        for line in process.stdout if json else process.stderr:  # type: ignore[union-attr]
            if b"route" in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.decode().splitlines()[-1] == "interrupted"
    assert b"Traceback" not in err
    assert (b'"cancelled"' in out) == bool(json)
    assert cli("resume", cli.threads()[0]["id"]).code == 0


def test_a_reader_that_goes_away_is_no_error_to_talk_about(home: Path) -> None:
    process = start("records", "rows", "shipment_events", "--limit", "1000", home=home)
    process.stdout.close()  # type: ignore[union-attr]
    err = process.stderr.read()  # type: ignore[union-attr]
    process.wait(60)
    assert err == b""


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_terminal_without_chinese_gets_escapes(home: Path, json: list[str]) -> None:
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    shown = execute("ask", "订单 A1001 什么状态?", *json, home=home, env=env)
    assert shown.code == 0
    assert shown.out.isascii() and "\\u" in shown.out
    if json:
        assert "订单" in shown.data("final")[0]["question"]


def test_nothing_is_asked_or_approved_when_stdin_is_a_pipe(cli: Cli, home: Path) -> None:
    done = execute("ask", "Refund order A1003, it arrived broken", home=home, input=b"a\na\na\n")
    assert done.code == 10
    assert "python -m signoff approvals approve ap-" in done.out
    assert cli.refunds("A1003") == 0


def test_two_processes_do_not_hinder_each_other(cli: Cli, home: Path) -> None:
    running = [start("ask", f"What is the status of order A100{n}?", home=home) for n in (1, 2)]
    codes = []
    for process in running:
        process.communicate(timeout=120)
        codes.append(process.returncode)
    assert codes == [0, 0]
    assert len(cli.threads()) == 2


def test_a_process_without_any_stdin_asks_nothing(cli: Cli, home: Path) -> None:
    process = start(
        "ask", "Refund order A1003, it arrived broken", home=home, stdin=None, preexec_fn=lambda: os.close(0)
    )
    out, err = process.communicate(timeout=120)
    assert process.returncode == 10, err
    assert b"approvals approve ap-" in out
    assert cli.refunds("A1003") == 0
