"""A tool that runs a small Python program where it can do no harm."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic_core import to_jsonable_python

from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.tools.catalog.wording import chosen, paragraphs
from signoff.tools.contract import Example
from signoff.tools.decorator import tool
from signoff.tools.envelope import Code

OUTPUT_CHARS = 20_000
"""Characters of what a program prints, and of the result it ends with, each."""
_INTEGER_BITS = 10_000
_GRACE_S = 2.0
"""Seconds after a program's own time in which its process must end, before it is killed."""


@dataclass
class _Printed:
    """Keeps the beginning of what is printed; the rest is only counted."""

    parts: list[str] = field(default_factory=list)
    length: int = 0

    def __call__(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        if self.length < OUTPUT_CHARS:
            self.parts.append(text[: OUTPUT_CHARS - self.length])
        self.length += len(text)

    @property
    def fields(self) -> dict[str, Any]:
        cut = {"output_chars": self.length, "output_truncated": True} if self.length > OUTPUT_CHARS else {}
        return {"output": "".join(self.parts), **cut}


def _render(data: Any, lang: str) -> str:
    lines = []
    if error := data.get("error"):
        at = chosen(lang, f" on line {error['line']}", f"(第 {error['line']} 行)") if "line" in error else ""
        said = chosen(lang, f"The program failed{at}", f"程序出错{at}")
        lines.append(f"{said}: {error['type']}: {error['message']}")
    if data["output"]:
        lines.append(chosen(lang, "It printed:", "程序输出:") + "\n" + data["output"].rstrip("\n"))
    if "result" in data:
        lines.append(chosen(lang, f"Its result is {data['result']}.", f"结果是 {data['result']}。"))
    return paragraphs(lines) or chosen(lang, "The program ran and printed nothing.", "程序已运行,没有输出。")


@tool(
    injects=("settings", "clock"),
    timeout_s=70.0,
    render=_render,
    examples=(
        Example("用 Python 算 1 到 100 里所有质数的和", {
            "code": "sum(n for n in range(2, 101) if all(n % d for d in range(2, int(n**0.5) + 1)))"}),
        Example("Run this Python code: print(sorted([3, 1, 2]))", {"code": "print(sorted([3, 1, 2]))"}),
        Example("How many of these words are longer than five letters? Count it with a program", {
            "code": "words = ['printer', 'badge', 'laptop']\nlen([w for w in words if len(w) > 5])"}),
        Example("运行这段代码:print('a'.join(['x', 'y']))", {"code": "print('a'.join(['x', 'y']))"}),
    ),
)  # fmt: skip
def run_python(
    code: Annotated[str, Field(min_length=1, max_length=20_000)], settings: Settings, clock: Clock
) -> dict[str, Any]:
    """Runs one short Python program and gives what it prints and the value of its last line. It has no files, no
    network, no packages and nothing of the desk's data, only what is written into it; math, re, json, datetime,
    collections, itertools, decimal, random and csv can be imported. A program that fails gives its error and line.
    Not for plain arithmetic (calculate), and never for reading or changing records, files or web pages.

    Args:
        code: The whole program, with the data it works on written into it.
    """
    try:
        from pydantic_monty import Monty, MontyCrashedError, MontyRuntimeError, MontySyntaxError
    except ImportError:
        raise ToolError(
            Code.SERVICE_UNAVAILABLE,
            "Programs cannot be run here: the package pydantic-monty is not installed.",
            zh="这里不能运行程序:没有安装 pydantic-monty。",
            hint="Say that the operator can install it; work without a program.",
        ) from None
    printed = _Printed()
    limit_s = settings.python_timeout_s
    try:
        # A process of its own for each program: whatever it does to its interpreter ends with it.
        with (
            Monty(min_processes=1, max_processes=1, request_timeout=limit_s + _GRACE_S) as pool,
            pool.checkout(
                script_name="program.py",
                limits={
                    "max_feed_duration_secs": limit_s,
                    "max_memory": settings.python_memory_mb * 1_048_576,
                    "max_recursion_depth": 500,
                    "max_suspensions": 1_000,
                },
                os_policy={"datetime": clock.now(), "timezone": clock.zone, "sleep": "zero"},
            ) as session,
        ):
            value = session.feed_run(code, print_callback=printed)
    except MontySyntaxError as error:
        return {**printed.fields, "error": _told(error, "SyntaxError")}
    except MontyRuntimeError as error:
        return {**printed.fields, "error": _limited(_told(error, "Error"), settings)}
    except MontyCrashedError:
        return {**printed.fields, "error": _limited({"type": "TimeoutError", "message": ""}, settings)}
    except (ValueError, RecursionError, OverflowError, MemoryError) as error:
        message = f"the result cannot be given back ({type(error).__name__}): print what is needed of it"
        return {**printed.fields, "error": {"type": "ValueError", "message": message}}
    return {**printed.fields, **({} if value is None else _result(value))}


def _told(error: Any, kind: str) -> dict[str, Any]:
    """An error of the program: its type, its message, and the line where it happened."""
    name, _, message = error.display("type-msg").partition(": ")
    told: dict[str, Any] = {"type": name or kind, "message": message[:500]}
    frames = error.traceback()
    if frames:
        told |= {"line": frames[-1].line, "source": (frames[-1].source_line or "").strip()[:200]}
    return told


def _limited(told: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """A limit that was reached, in words that say what the limit is."""
    match told["type"]:
        case "TimeoutError":
            told["message"] = f"the program ran longer than {settings.python_timeout_s:g} seconds and was stopped"
        case "MemoryError":
            told["message"] = f"the program needed more than {settings.python_memory_mb} MB of memory"
        case "PermissionError":
            told["message"] = "programs have no files: write the data into the program"
        case "ModuleNotFoundError" | "ImportError":
            told["message"] += "; math, re, json, datetime, collections, itertools, decimal, random and csv can be used"
    return told


def _result(value: Any) -> dict[str, Any]:
    """The value of the last line, as JSON where it has a form there, else as Python writes it."""
    ready = _ready(value, 0)
    text = ready if isinstance(ready, str) else repr(ready)
    if len(text) > OUTPUT_CHARS:
        return {"result": text[:OUTPUT_CHARS], "result_truncated": True}
    return {"result": ready}


def _ready(value: Any, depth: int) -> Any:
    if depth > 20:
        return "…"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _INTEGER_BITS else f"a whole number of {value.bit_length()} bits"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {k if isinstance(k, str) else str(_ready(k, depth + 1)): _ready(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_ready(v, depth + 1) for v in value]
    try:
        plain = to_jsonable_python(value)
    except (ValueError, RecursionError):
        return repr(value)[:1_000]
    return plain if isinstance(plain, str) else repr(value)[:1_000]
