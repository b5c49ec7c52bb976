"""Commands run as bash would run them, confined and limited, and leave nothing behind."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from signoff.tools.shell.outcome import OUTPUT_BYTES, Outcome
from signoff.tools.shell.runner import run
from signoff.tools.shell.sandbox import PATH, kind

needs_bubblewrap = pytest.mark.skipif(kind() == "none", reason="bubblewrap is missing or may not make namespaces here")

_SECONDS = itertools.count(3_000)


@pytest.fixture(params=[pytest.param(True, marks=needs_bubblewrap), False], ids=["bubblewrap", "plain"])
def confined(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("b\na\nc\n", "utf-8")
    (folder / "-n").write_text("dash\n", "utf-8")
    (folder / "sub" / "in.txt").write_text("内容\n", "utf-8")
    return folder


def go(
    command: str, folder: Path, confined: bool, *, timeout_s: float = 20, memory_mb: int = 512, writable: bool = False
) -> Outcome:
    open_for = (folder,) if writable else ()
    return run(command, folder, timeout_s=timeout_s, memory_mb=memory_mb, writable=open_for, sandboxed=confined)


ALIKE = [
    "cat a.txt | sort | head -2",
    "cat *",
    "cat sub/*.txt nosuch*",
    "ls nosuch 2>/dev/null || echo none",
    "ls nosuch 2>&1 | wc -l",
    "false && echo a; true || echo b; echo c",
    "false || echo no && echo yes",
    "cd sub && cat in.txt; cat in.txt",
    "cd nosuch || echo stays",
    "cat <<'EOF' | tr a-z A-Z\n$HOME text\nEOF",
    "cat <<< 'one  line'",
    "yes | head -3",
    'echo a\\ b \'c "d"\' "e\\"f" \'\'',
    "echo {a,b}{1..3}",
    "(cd sub; ls); ls",
    "! false",
    "if [ -f a.txt ]; then echo there; fi",
    "wc -l < a.txt",
    "printf '%s|' a 'b c' ''",
    "grep -c . a.txt nosuch",
    ": ; echo after",
    "exit 3",
    "echo out; echo err >&2",
    "true # comment",
    "sort a.txt >/dev/null 2>&1",
    "sort nosuch 2>&1 >/dev/null",
    "echo x &>/dev/null",
    "cat a.txt |& sort -r",
    "echo '中文' | cat",
]


@pytest.mark.parametrize("command", ALIKE)
def test_a_command_gives_what_bash_gives(folder: Path, confined: bool, command: str) -> None:
    outcome = go(command, folder, confined)
    bash = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", command],
        cwd=folder,
        env={"PATH": PATH, "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    # A name that looks like an option is given as a path, which bash does not do.
    expected = bash.stdout if command != "cat *" else "dash\nb\na\nc\n"
    assert outcome.stdout == expected
    assert outcome.exit_code == bash.returncode
    assert bool(outcome.stderr) == bool(bash.stderr) or command == "cat *"


@pytest.mark.parametrize(
    ("command", "shell"),
    [
        ("ls -la", False),
        ("cat a.txt | sort | uniq -c", False),
        ("ls; pwd && echo 'x'", False),
        ("cat *.txt 2>/dev/null", False),
        ("cat <<E\nx\nE", False),
        ("echo $HOME", True),
        ("echo {a,b}", True),
        ("type ls", True),
        ("echo x > f", True),
    ],
)
def test_a_shell_is_used_only_where_the_syntax_needs_one(
    folder: Path, confined: bool, command: str, shell: bool
) -> None:
    assert go(command, folder, confined, writable=True).shell is shell


def test_a_program_that_is_not_there_is_told_like_a_shell_does(folder: Path, confined: bool) -> None:
    outcome = go("nosuchprogram --x", folder, confined)
    assert outcome.exit_code == 127 and outcome.stderr == "nosuchprogram: command not found\n"


def test_the_services_environment_is_not_handed_on(
    folder: Path, confined: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-service")
    monkeypatch.setenv("BASH_ENV", str(folder / "a.txt"))
    outcome = go("env; echo $OPENAI_API_KEY", folder, confined)
    assert "sk-of-the-service" not in outcome.stdout and "BASH_ENV" not in outcome.stdout
    assert f"PATH={PATH}" in outcome.stdout


def test_a_command_that_runs_out_of_time_is_ended_with_all_it_started(folder: Path, confined: bool) -> None:
    seconds = _own_seconds(confined)
    outcome = go(f"sleep {seconds} & sleep {seconds}; echo late", folder, confined, timeout_s=0.5)
    assert outcome.timed_out and outcome.exit_code == 124 and "late" not in outcome.stdout
    assert _gone(seconds)


def test_what_was_printed_before_the_time_was_up_is_kept(folder: Path, confined: bool) -> None:
    outcome = go("tail -f a.txt", folder, confined, timeout_s=1)
    assert outcome.timed_out and outcome.stdout == "b\na\nc\n"


def test_nothing_that_went_to_the_background_outlives_the_command(folder: Path, confined: bool) -> None:
    seconds = _own_seconds(confined)
    assert go(f"sleep {seconds} & echo done", folder, confined, timeout_s=10).stdout == "done\n"
    assert _gone(seconds)


def test_output_is_kept_up_to_a_limit_and_endless_output_is_ended(folder: Path, confined: bool) -> None:
    outcome = go("yes", folder, confined)
    assert outcome.truncated and len(outcome.stdout) == OUTPUT_BYTES
    assert not outcome.timed_out and outcome.exit_code != 0
    assert not go("cat a.txt", folder, confined).truncated


def test_memory_is_limited(folder: Path, confined: bool) -> None:
    program = "a = bytearray(600 * 1024 * 1024); print(len(a))"
    (folder / "big.py").write_text(program, "utf-8")
    python = "python3" if confined else sys.executable
    outcome = go(f"{python} -S big.py", folder, confined, memory_mb=256)
    assert outcome.exit_code != 0 and "629145600" not in outcome.stdout


def test_output_that_is_no_text_is_told_as_text(folder: Path, confined: bool) -> None:
    (folder / "raw.bin").write_bytes(b"ok\xff\xfe\n")
    assert go("cat raw.bin", folder, confined).stdout == "ok\ufffd\ufffd\n"


@needs_bubblewrap
def test_a_read_cannot_write_and_an_approved_write_can_only_in_the_workspace(folder: Path) -> None:
    assert go("touch new.txt", folder, True).exit_code != 0
    assert not (folder / "new.txt").exists()
    assert go("touch new.txt", folder, True, writable=True).exit_code == 0
    assert (folder / "new.txt").exists()
    outside = folder.parent / "outside.txt"
    go(f"echo x > {outside}", folder, True, writable=True)
    assert not outside.exists()
    assert go("touch /usr/x /etc/x", folder, True, writable=True).exit_code != 0


@needs_bubblewrap
@pytest.mark.parametrize("path", ["/etc/passwd", "/etc/shadow", "/root", "/home", "/var", "{outside}"])
def test_the_sandbox_shows_nothing_outside_the_workspace(folder: Path, path: str) -> None:
    outside = folder.parent / "private.txt"
    outside.write_text("private", "utf-8")
    (folder / "link").symlink_to(outside)
    outcome = go(f"ls {path.replace('{outside}', str(outside))}; cat link", folder, True)
    assert outcome.stdout == "" and outcome.exit_code != 0


@needs_bubblewrap
def test_the_sandbox_has_its_own_processes_tmp_and_no_network(folder: Path) -> None:
    assert str(os.getpid()) not in go("ls /proc", folder, True).stdout.split()
    assert go("ls /sys/class/net", folder, True).exit_code != 0
    assert go("cat /proc/net/dev", folder, True).stdout.count(":") == 1, "the loopback device only"
    first = go("echo x > /tmp/mine; ls /tmp; id -u > /tmp/u", folder, True)
    assert "mine" in first.stdout
    assert "mine" not in go("ls /tmp", folder, True).stdout
    assert not Path("/tmp/mine").exists()


@needs_bubblewrap
def test_commands_of_one_list_share_their_tmp(folder: Path) -> None:
    assert go("cp a.txt /tmp/b && cat /tmp/b", folder, True).stdout == "b\na\nc\n"


def _own_seconds(confined: bool) -> str:
    """A time to sleep by which a test's processes are told from those of other tests."""
    return f"{next(_SECONDS)}.{os.getpid() % 1_000:03}{1 if confined else 2}"


def _gone(seconds: str) -> bool:
    """Whether no process sleeps so long, now or soon: the kernel takes a moment to end those that were killed."""
    for _ in range(50):
        if seconds not in _processes():
            return True
        time.sleep(0.1)
    return False


def _processes() -> str:
    lines = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                lines.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
            except OSError:
                continue
    return "\n".join(line for line in lines if line.startswith("sleep"))
