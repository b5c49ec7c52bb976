"""The process in which foreign formats are parsed: it may crash, hang or swell, and costs its file one line.

One process serves many files; it is started at the first, ended when it has been idle, and replaced after a crash or
a time-out. It is given no environment but what a program needs to run, so no key can leave by it.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from signoff.errors import ConfigError
from signoff.knowledge.convert.blocks import Block, Unreadable
from signoff.knowledge.convert.limits import Limits

START_S = 30.0
"""Seconds for the process to start."""

# The packages above this one are not imported: they would bring the whole library into a process that only parses.
_START = """
import json, sys, types
sys.path[:], packages = json.loads(sys.argv[1])
for name, folder in packages:
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [folder]
from signoff.knowledge.convert.worker import main
main()
"""
_PACKAGES = [("signoff", str(Path(__file__).parents[2])), ("signoff.knowledge", str(Path(__file__).parents[1]))]
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "LD_LIBRARY_PATH")


class _Worker:
    """The process, for one file at a time."""

    def __init__(self, memory_mb: int) -> None:
        self.memory_mb = memory_mb
        self.served = 0
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.killed = False
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-c", _START, json.dumps([_paths(), _PACKAGES]), str(memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            # One arena: each would take its share of the address space, which is what is limited.
            env={n: os.environ[n] for n in _KEPT if n in os.environ} | {"MALLOC_ARENA_MAX": "1"},
            cwd=tempfile.gettempdir(),
            start_new_session=True,
        )

    def ask(self, request: dict[str, object], time_s: float) -> Iterator[dict[str, object]]:
        """The lines of the answer. Raises `EOFError` when the process ends before it is complete."""
        assert self.process.stdin is not None and self.process.stdout is not None
        watch = threading.Timer(time_s, self.kill)
        watch.daemon = True
        watch.start()
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            while line := self.process.stdout.readline():
                answer = json.loads(line)
                if "end" in answer:
                    return
                yield answer
            raise EOFError
        except (BrokenPipeError, ValueError):
            raise EOFError from None
        finally:
            watch.cancel()

    def kill(self) -> None:
        """End it at once."""
        self.killed = True
        with suppress(OSError):
            self.process.kill()

    def close(self) -> int:
        """End it and say how it ended."""
        with suppress(OSError):
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return self.process.wait()

    def end(self) -> tuple[int, str]:
        """How it ended, once it has said its last, and the end of what it wrote as errors."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        return self.close(), self.last_words()

    def last_words(self) -> str:
        """The end of what it wrote as errors."""
        with suppress(OSError, ValueError):
            self.errors.seek(0, os.SEEK_END)
            self.errors.seek(max(0, self.errors.tell() - 4_000))
            return self.errors.read().decode("utf-8", "replace")
        return ""


_lock = threading.Lock()
_worker: _Worker | None = None


def convert(path: Path, kind: str, limits: Limits) -> tuple[str, list[Block]]:
    """The title and blocks of a file. Raises `Unreadable`, and `ConfigError` when no process can be started."""
    global _worker
    with _lock:
        for fresh in (False, True):
            worker = _ready(limits)
            try:
                answer = _answer(worker, path, kind, limits)
                worker.served += 1
                return answer
            except EOFError:
                code, words = worker.end()
                swollen = "memory" in words.lower()
                _drop()
                # It had been idle and ended just as the file came, or kept memory of the files before.
                if not fresh and not worker.killed and (code == 0 or (swollen and worker.served)):
                    continue
                raise Unreadable(_reason(code, limits, swollen=swollen, late=worker.killed)) from None
            except _Told:
                worker.served += 1
                raise
            except BaseException:
                # Whatever is left of the answer must not be taken for the next file's.
                _drop()
                raise
    raise AssertionError


def close() -> None:
    """End the process; the next file starts another."""
    with _lock:
        _drop()


def _ready(limits: Limits) -> _Worker:
    global _worker
    if _worker is not None and (_worker.memory_mb != limits.memory_mb or _worker.process.poll() is not None):
        _drop()
    if _worker is None:
        try:
            _worker = _Worker(limits.memory_mb)
            for _ in _worker.ask({}, START_S):
                pass
        except (OSError, EOFError):
            words = _worker.last_words().strip().rpartition("\n")[2] if _worker else ""
            _drop()
            raise ConfigError(
                f"The process that reads documents cannot be started{f': {words}' if words else ''}."
            ) from None
    return _worker


def _answer(worker: _Worker, path: Path, kind: str, limits: Limits) -> tuple[str, list[Block]]:
    title, problem, length = "", "", 0
    blocks: list[Block] = []
    request: dict[str, object] = {"path": str(path.absolute()), "kind": kind, "time_s": limits.time_s}
    for answer in worker.ask(request, limits.time_s):
        match answer:
            case {"error": str(said)}:
                problem = said
            case {"title": str(title)}:
                pass
            case {"kind": "text" | "table" | "code" | "list" as form, "text": str(text), "headings": list(headings)}:
                page = answer.get("page")
                length += len(text)
                if length > limits.characters:
                    raise Unreadable(
                        f"holds more than {limits.characters / 1_000_000:.3g} million characters: split it"
                    )
                blocks.append(Block(tuple(map(str, headings)), form, text, page if isinstance(page, int) else None))
    if problem:
        raise _Told(problem)
    return title, blocks


def _reason(code: int, limits: Limits, *, swollen: bool, late: bool) -> str:
    if late or code == -24:  # SIGXCPU
        return f"took longer than {limits.time_s:g} s to read: split it, or raise SIGNOFF_DOCUMENT_TIMEOUT_S"
    if swollen:
        return f"needs more than {limits.memory_mb} MB to read: split it, or raise SIGNOFF_DOCUMENT_MEMORY_MB"
    if code == -9:  # SIGKILL, and not from here: the system had no memory left, or somebody ended it.
        return "could not be read: its reader was killed by the system; is there too little memory?"
    return "is damaged: it crashes its reader"


def _drop() -> None:
    global _worker
    if _worker is not None:
        _worker.close()
        _worker.errors.close()
        _worker = None


def _forget() -> None:
    """A forked child must not talk to its parent's process."""
    global _worker, _lock
    _worker, _lock = None, threading.Lock()


def _paths() -> list[str]:
    """Where modules are imported from; an empty entry means this process's folder, not the other's."""
    return [str(Path(p).absolute()) for p in sys.path]


class _Told(Unreadable):
    """What the process itself said; it goes on."""


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
