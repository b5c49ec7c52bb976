"""Runs a command: as programs joined by pipes of our own where that is possible, else by `bash -c`."""

from __future__ import annotations

import glob
import os
import posixpath
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from signoff.tools.shell import limits
from signoff.tools.shell.outcome import OUTPUT_BYTES, Outcome, SandboxFailed, Stream
from signoff.tools.shell.plan import Pipeline, Plan, Simple, plan
from signoff.tools.shell.readers import BUILTINS
from signoff.tools.shell.sandbox import PATH, Sandbox, kind
from signoff.tools.shell.words import Unclear

_FILE_BYTES = 100_000_000
_PROCESSES = 4_096
_BUILTINS = BUILTINS | frozenset(
    ". : alias bg bind break builtin caller compgen complete compopt continue declare dirs disown enable eval exec "
    "exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly "
    "return set shift shopt source suspend times trap typeset ulimit umask unalias unset wait".split()
)


def run(
    command: str,
    folder: Path,
    *,
    timeout_s: float,
    memory_mb: int,
    writable: Sequence[Path] = (),
    network: bool = False,
    sandboxed: bool | None = None,
) -> Outcome:
    """Run `command` in `folder`, confined and limited. `sandboxed` None takes bubblewrap when it works here; in it
    only the folders in `writable` can be written to.

    Raises `SandboxFailed` when nothing could be started.
    """
    confined = kind() == "bubblewrap" if sandboxed is None else sandboxed
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="signoff-command-", ignore_cleanup_errors=True) as tmp:
        place = Sandbox(folder.resolve(), Path(tmp), tuple(writable), network) if confined else None
        runs = _Run(folder.resolve(), Path(tmp), place, started + timeout_s, memory_mb, timeout_s)
        steps = _without_shell(command)
        if steps is None:
            runs.pipeline([["bash", "--norc", "--noprofile", "-c", command]], [False], None)
        else:
            runs.all(steps)
        return Outcome(
            exit_code=124 if runs.timed_out else runs.status,
            stdout=runs.out.text(),
            stderr=runs.err.text(),
            truncated=max(runs.out.total, runs.err.total) > OUTPUT_BYTES,
            timed_out=runs.timed_out,
            sandbox="bubblewrap" if confined else "none",
            shell=steps is None,
            seconds=round(time.monotonic() - started, 3),
        )


def _without_shell(command: str) -> Plan | None:
    """The pipelines, when every word is known and no stream goes to a file."""
    try:
        steps = plan(command)
    except Unclear:
        return None
    for simple in (s for p in steps for s in p.commands):
        words = [*simple.words, *(r.target for r in simple.redirections)]
        if simple.assignments or not simple.words or any(w.braces or w.tilde or w.expansions for w in words):
            return None
        if simple.words[0].text in _BUILTINS - {":"} or simple.words[0].pattern:
            return None
        for i, r in enumerate(simple.redirections):
            last = i + 1 == len(simple.redirections)
            to_null = r.op in (">", ">>", "&>", "&>>") and r.target.text == "/dev/null" and r.fd in (None, 1, 2)
            joined = r.op == ">&" and r.fd == 2 and r.target.text == "1" and last
            given = r.op in ("<<", "<<-", "<<<") and r.fd in (None, 0) and r.target.exact
            if not (to_null or joined or given):
                return None
    if any(s.words[0].text == "cd" for p in steps if len(p.commands) > 1 for s in p.commands):
        return None
    return steps


class _Run:
    """One command while it runs."""

    def __init__(
        self, folder: Path, tmp: Path, place: Sandbox | None, deadline: float, memory_mb: int, timeout_s: float
    ) -> None:
        self.root = folder
        self.cwd = folder
        self.tmp = tmp
        self.place = place
        self.deadline = deadline
        self.memory = memory_mb * 1_048_576
        self.cpu = max(1, int(timeout_s) + 1)
        self.out, self.err = Stream(), Stream()
        self.status = 0
        self.timed_out = False
        self._too_much = threading.Event()

    def all(self, steps: Plan) -> None:
        """Run pipelines in a list, as `;`, `&&` and `||` say."""
        for step in steps:
            if self.timed_out or self._too_much.is_set():
                return
            if (step.after == "&&" and self.status != 0) or (step.after == "||" and self.status == 0):
                continue
            if step.commands[0].words[0].text == "cd":
                self._change_folder(step.commands[0])
            else:
                self._run(step)

    def _change_folder(self, simple: Simple) -> None:
        target = Path(
            os.path.realpath(posixpath.join(self.cwd, simple.words[1].text if len(simple.words) == 2 else ""))
        )
        inside = target == self.root or self.root in target.parents
        if len(simple.words) == 2 and inside and target.is_dir():
            self.cwd, self.status = target, 0
            return
        self.status = 1
        self.err.kept += f"cd: not a folder of the workspace: {' '.join(w.text for w in simple.words[1:])}\n".encode()

    def _run(self, step: Pipeline) -> None:
        argvs = []
        for simple in step.commands:
            argv = [w for word in simple.words for w in _expanded(word.text, word.pattern, self.cwd)]
            argvs.append(["true", *argv[1:]] if argv[0] == ":" else argv)
        given = None
        for r in step.commands[0].redirections:
            if r.op in ("<<", "<<-"):
                given = r.body.encode()
            elif r.op == "<<<":
                given = f"{r.target.text}\n".encode()
        self.pipeline(argvs, [*step.joined, False], given, step)

    def pipeline(
        self, argvs: list[list[str]], joined: list[bool], given: bytes | None, step: Pipeline | None = None
    ) -> None:
        """Start every program, feed the first, read the last, and wait until all have ended or time is out."""
        started: list[subprocess.Popen[bytes]] = []
        readers: list[threading.Thread] = []
        try:
            with self._given(given) as source:
                feed: IO[bytes] | int = source
                for i, argv in enumerate(argvs):
                    out, err = self._streams(step.commands[i] if step else None, joined[i])
                    process = self._start(argv, feed, out, err)
                    started.append(process)
                    if process.stderr is not None:
                        readers.append(self._read(process.stderr, self.err))
                    if not isinstance(feed, int) and i > 0:
                        feed.close()
                    if process.stdout is None:
                        feed = subprocess.DEVNULL
                    elif i + 1 < len(argvs):
                        feed = process.stdout
                    else:
                        readers.append(self._read(process.stdout, self.out))
            self._wait(started)
        except OSError as error:
            raise SandboxFailed(error.strerror or type(error).__name__) from None
        finally:
            for process in started:
                _kill(process)
            for reader in readers:
                reader.join(2)
        code = started[-1].returncode
        self.status = 128 - code if code < 0 else code
        said = bytes(self.err.kept[:200])
        if self.place and code == 1 and said.startswith(b"bwrap: "):
            if not said.startswith(b"bwrap: execvp "):
                raise SandboxFailed(said.decode("utf-8", "replace").strip())
            self.status = 127
            self.err.kept = bytearray(f"{argvs[-1][0]}: command not found\n".encode())

    @contextmanager
    def _given(self, given: bytes | None) -> Iterator[IO[bytes] | int]:
        if given is None:
            yield subprocess.DEVNULL
            return
        with tempfile.TemporaryFile() as file:
            file.write(given)
            file.seek(0)
            yield file

    def _start(self, argv: list[str], feed: IO[bytes] | int, out: int, err: int) -> subprocess.Popen[bytes]:
        numbers = [str(n) for n in (self.memory, self.cpu, _FILE_BYTES, _PROCESSES)]
        inside = self.place.wrap(argv, self.cwd) if self.place else argv
        home = "/tmp" if self.place else str(self.tmp)
        return subprocess.Popen(
            [sys.executable, "-I", "-S", limits.__file__, *numbers, "--", *inside],
            stdin=feed,
            stdout=out,
            stderr=err,
            cwd=self.cwd,
            start_new_session=True,
            env={
                "PATH": PATH,
                "HOME": home,
                "TMPDIR": home,
                "PWD": str(self.cwd),
                "LANG": "C.UTF-8",
                "TERM": "dumb",
                "PAGER": "cat",
                "GIT_PAGER": "cat",
                "GIT_TERMINAL_PROMPT": "0",
            },
        )

    @staticmethod
    def _streams(simple: Simple | None, joined: bool) -> tuple[int, int]:
        """Where the two outputs go: redirections are followed from left to right, after the pipe is laid."""
        out, err = subprocess.PIPE, subprocess.PIPE
        for r in simple.redirections if simple else ():
            if r.op.startswith("&>"):
                out = err = subprocess.DEVNULL
            elif r.op in (">", ">>"):
                out, err = (out, subprocess.DEVNULL) if r.fd == 2 else (subprocess.DEVNULL, err)
            elif r.op == ">&" and r.fd == 2 and r.target.text == "1":
                err = subprocess.DEVNULL if out == subprocess.DEVNULL else subprocess.STDOUT
        if joined and out == subprocess.PIPE:
            err = subprocess.STDOUT
        return out, err

    def _read(self, pipe: IO[bytes], stream: Stream) -> threading.Thread:
        reader = threading.Thread(target=stream.drain, args=(pipe, self._too_much), daemon=True)
        reader.start()
        return reader

    def _wait(self, started: list[subprocess.Popen[bytes]]) -> None:
        pause = 0.002
        while any(p.poll() is None for p in started):
            if time.monotonic() >= self.deadline:
                self.timed_out = True
                return
            if self._too_much.is_set():
                return
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)


def _expanded(text: str, pattern: str, cwd: Path) -> list[str]:
    """What a wildcard matches, in order; itself when nothing does. A name is never taken for an option."""
    if not pattern:
        return [text]
    found = sorted(glob.glob(pattern, root_dir=cwd))  # noqa: PTH207 - pathlib's `*` matches dot files
    return [f"./{name}" if name.startswith("-") else name for name in found] or [text]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process with everything in its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
