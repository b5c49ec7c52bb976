"""What can be wrong with an expression, in both languages."""

from __future__ import annotations

from signoff.errors import ToolError
from signoff.tools.envelope import Code


def refused(message: str, zh: str, hint: str = "Correct the expression and call calculate again.") -> ToolError:
    """The expression cannot be calculated as it is written."""
    return ToolError(Code.INVALID_ARGUMENTS, message, zh=zh, hint=hint, retryable=False)


def too_large() -> ToolError:
    """The result, or a number on the way to it, is beyond the bounds."""
    return refused(
        "The numbers get too large: results of up to 1,000 digits can be calculated.",
        "数字太大:最多只能计算 1000 位的结果。",
        "Say that the number is too large to be written out, or ask for a smaller one.",
    )


def division_by_zero() -> ToolError:
    """A divisor is 0."""
    return refused(
        "The expression divides by zero, which has no result.",
        "算式里除以了 0,没有结果。",
        "Say that it has no result; do not try it in another form.",
    )


def undefined(what: str) -> ToolError:
    """A function or power has no real value there."""
    return refused(
        f"{what} is not defined for this value: it has no real result.",
        f"{what} 在这个值上没有定义,没有实数结果。",
        "Say that it has no real result; do not try it in another form.",
    )
