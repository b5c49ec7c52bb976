"""When a step is done: one comparison of a field in a tool's result, such as `count_issues.total > 0`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

_FORM = re.compile(r"\s*([\w-]+)((?:\.[\w-]+)+)\s*(?:(==|!=|>=|<=|>|<)\s*(.+?)|exists)\s*")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Condition:
    """`tool.path op value`, or `tool.path exists`. Numbers compare by value, everything else as text."""

    tool: str
    path: tuple[str, ...]
    op: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read one. Raises `ValueError` saying what one looks like."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError(
                f"{text!r} is no condition: write one like `count_issues.total > 0` or `tool.field exists`."
            )
        return cls(found[1], tuple(found[2][1:].split(".")), found[3] or "exists", (found[4] or "").strip("'\""))

    def holds(self, data: Any) -> bool:
        """Whether a result of its tool meets it. What is not there meets nothing but a comparison it cannot equal."""
        there, value = _at(data, self.path)
        if self.op == "exists":
            return there and value not in (None, "", [], {})
        if not there:
            return False
        a, b = _number(value), _number(self.value)
        if a is not None and b is not None:
            return _COMPARE[self.op](a, b)
        # An order of texts says nothing about a result.
        return self.op in ("==", "!=") and _COMPARE[self.op](_plain(value), self.value)

    def __str__(self) -> str:
        return f"{self.tool}.{'.'.join(self.path)} {self.op}{f' {self.value}' if self.value else ''}"


def _at(data: Any, path: Sequence[str]) -> tuple[bool, Any]:
    for key in path:
        if not isinstance(data, Mapping) or key not in data:
            return False, None
        data = data[key]
    return True, data


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None
