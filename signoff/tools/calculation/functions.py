"""The functions and constants an expression may use; there are no others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from signoff.tools.calculation.numbers import (
    CONTEXT,
    Number,
    bounded,
    combine,
    guarded,
    rounded,
    settled,
)
from signoff.tools.calculation.problems import division_by_zero, refused, too_large, undefined

CONSTANTS: dict[str, Decimal] = {
    "pi": Decimal("3.1415926535897932384626433832795028841971693993751"),
    "e": Decimal("2.7182818284590452353602874713526624977572470937000"),
}
_FACTORIAL = 450
"""The largest factorial of no more than 1,000 digits is that of 449."""


@dataclass(frozen=True)
class Function:
    """A function of an expression: how many values it takes, and what it gives."""

    least: int
    most: int
    work: Callable[[Sequence[Number]], Number]


def _whole(value: Number, what: str) -> int:
    number = settled(value)
    if number.denominator != 1:
        raise refused(f"{what} needs a whole number.", f"{what} 需要整数。")
    return number.numerator


def square_root(value: Number) -> Number:
    """The root, exact when it is a fraction of whole numbers."""
    if value < 0:
        raise undefined("sqrt")
    if isinstance(value, Fraction):
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return Fraction(top, bottom)
    return guarded(lambda: CONTEXT.sqrt(rounded(value)), "sqrt")


def factorial(value: Number) -> Number:
    """The product of the whole numbers up to `value`."""
    n = _whole(value, "factorial")
    if n < 0:
        raise undefined("factorial")
    if n >= _FACTORIAL:
        raise too_large()
    return Fraction(math.factorial(n))


def _round(values: Sequence[Number]) -> Number:
    """Half away from zero, as amounts of money are rounded; Python's own `round` takes halves to even."""
    places = _whole(values[1], "round") if len(values) > 1 else 0
    if abs(places) > 400:
        raise refused("round takes at most 400 places.", "round 最多保留 400 位。")
    scale = Fraction(10) ** places
    value = settled(values[0])
    nearest = Fraction(math.floor(abs(value) * scale + Fraction(1, 2)))
    return (nearest if value >= 0 else -nearest) / scale


def _logarithm(values: Sequence[Number]) -> Number:
    value = values[0]
    if value <= 0:
        raise undefined("log")
    if len(values) == 1:
        return guarded(lambda: CONTEXT.ln(rounded(value)), "log")
    base = values[1]
    if base <= 0:
        raise undefined("log")
    if base == 1:
        raise division_by_zero()
    work = guarded(lambda: CONTEXT.ln(rounded(value)), "log"), guarded(lambda: CONTEXT.ln(rounded(base)), "log")
    return guarded(lambda: CONTEXT.divide(*work), "log")


def _floating(name: str, work: Callable[[float], float]) -> Function:
    """A function of the C library: 15 decimals, so that sin(pi) is 0."""

    def compute(values: Sequence[Number]) -> Number:
        try:
            result = work(float(settled(values[0])))
        except (ValueError, OverflowError):
            raise undefined(name) from None
        if not math.isfinite(result):
            raise undefined(name)
        return Decimal(repr(round(result, 15)))

    return Function(1, 1, compute)


def _tangent(angle: float) -> float:
    if abs(math.cos(angle)) < 1e-15:
        raise ValueError("the tangent has a pole here")
    return math.tan(angle)


def _sum(values: Sequence[Number]) -> Number:
    total: Number = Fraction(0)
    for value in values:
        total = combine("+", total, value)
    return total


def _gcd(values: Sequence[Number]) -> Number:
    return Fraction(math.gcd(*(_whole(v, "gcd") for v in values)))


def _lcm(values: Sequence[Number]) -> Number:
    total = 1
    for value in values:
        total = math.lcm(total, _whole(value, "lcm"))
        bounded(Fraction(total))
    return Fraction(total)


FUNCTIONS: dict[str, Function] = {
    "abs": Function(1, 1, lambda v: -v[0] if v[0] < 0 else v[0]),
    "sqrt": Function(1, 1, lambda v: square_root(v[0])),
    "round": Function(1, 2, _round),
    "floor": Function(1, 1, lambda v: Fraction(math.floor(settled(v[0])))),
    "ceil": Function(1, 1, lambda v: Fraction(math.ceil(settled(v[0])))),
    "trunc": Function(1, 1, lambda v: Fraction(math.trunc(settled(v[0])))),
    "min": Function(1, 64, min),
    "max": Function(1, 64, max),
    "sum": Function(1, 64, _sum),
    "avg": Function(1, 64, lambda v: combine("/", _sum(v), Fraction(len(v)))),
    "mean": Function(1, 64, lambda v: combine("/", _sum(v), Fraction(len(v)))),
    "pow": Function(2, 2, lambda v: combine("**", v[0], v[1])),
    "exp": Function(1, 1, lambda v: guarded(lambda: CONTEXT.exp(rounded(v[0])), "exp")),
    "ln": Function(1, 1, _logarithm),
    "log": Function(1, 2, _logarithm),
    "log2": Function(1, 1, lambda v: _logarithm((v[0], Fraction(2)))),
    "log10": Function(1, 1, lambda v: _logarithm((v[0], Fraction(10)))),
    "factorial": Function(1, 1, lambda v: factorial(v[0])),
    "gcd": Function(1, 64, _gcd),
    "lcm": Function(1, 64, _lcm),
    "radians": Function(1, 1, lambda v: in_radians(v[0])),
    "degrees": Function(1, 1, lambda v: combine("/", combine("*", v[0], Fraction(180)), CONSTANTS["pi"])),
    "sin": _floating("sin", math.sin),
    "cos": _floating("cos", math.cos),
    "tan": _floating("tan", _tangent),
    "asin": _floating("asin", math.asin),
    "acos": _floating("acos", math.acos),
    "atan": _floating("atan", math.atan),
    "sinh": _floating("sinh", math.sinh),
    "cosh": _floating("cosh", math.cosh),
    "tanh": _floating("tanh", math.tanh),
}


def in_radians(angle: Number) -> Number:
    """An angle given in degrees."""
    return combine("/", combine("*", angle, CONSTANTS["pi"]), Fraction(180))
