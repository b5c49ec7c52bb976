"""What runs in the process apart: requests come in as lines of JSON, blocks go out as lines of JSON."""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from signoff.knowledge.convert.blocks import Reading, Unreadable

IDLE_S = 60.0
"""Seconds without a request after which the process ends."""
ERROR_BYTES = 16_000_000
"""The most that it may write to any file."""


def main() -> None:
    """Serve requests until there are no more, or none has come for a while."""
    # What a library prints must not get between the answers.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_memory(int(sys.argv[2]))
    idle = _Idle()
    for line in sys.stdin.buffer:
        idle.stop()
        request = json.loads(line)
        if request:
            _limit_time(request["time_s"])
            _serve(request, out.write)
        out.write(b'{"end": true}\n')
        out.flush()
        idle.start()


def limit_memory(memory_mb: int) -> None:
    """No more than this beyond what is taken now, no core file, and no large file; where the system can."""
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (ERROR_BYTES, ERROR_BYTES))
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory_mb * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _limit_time(time_s: float) -> None:
    """Processor time ends it also when nobody watches any more."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime + 2 * time_s + 5)
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _serve(request: dict[str, Any], write: Callable[[bytes], object]) -> None:
    try:
        reading = _reader(request["kind"])(Path(request["path"]))
        _line(write, {"title": reading.title})
        for block in reading.blocks:
            _line(write, {"headings": block.headings, "kind": block.kind, "text": block.text, "page": block.page})
    except Unreadable as problem:
        _line(write, {"error": str(problem)})
    except OSError as problem:
        _line(write, {"error": f"cannot be read: {problem.strerror or problem}"})
    except RecursionError:
        _line(write, {"error": "is damaged: it is nested too deeply"})
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, ArithmeticError):
        # What a damaged file makes of a reader that takes it for whole.
        traceback.print_exc(file=sys.stderr)
        _line(write, {"error": "is damaged, or of a form that cannot be read"})
    except MemoryError:
        # There may not be enough left to go on with: the parent knows what the end of the process means.
        os.write(2, b"MemoryError\n")
        os._exit(1)


def _reader(kind: str) -> Callable[[Path], Reading]:
    match kind:
        case "html":
            from signoff.knowledge.convert.html import html

            return html
        case "pdf":
            from signoff.knowledge.convert.pdf import pdf

            return pdf
        case "docx":
            from signoff.knowledge.convert.word import word

            return word
        case "pptx":
            from signoff.knowledge.convert.slides import slides

            return slides
        case _:
            from signoff.knowledge.convert.workbook import workbook

            return workbook


def _line(write: Callable[[bytes], object], answer: dict[str, Any]) -> None:
    # Lone surrogates, which a broken file may give, are no text.
    write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


class _Idle:
    """Ends the process when it has not been asked for anything."""

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None
        self.start()

    def start(self) -> None:
        self._timer = threading.Timer(IDLE_S, os._exit, (0,))
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
