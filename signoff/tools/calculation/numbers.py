"""Numbers that know whether they are exact: a `Fraction` is, a `Decimal` was rounded on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, Underflow
from fractions import Fraction

from signoff.tools.calculation.problems import division_by_zero, too_large, undefined

Number = Fraction | Decimal

DIGITS = 1_000
"""Digits of the longest whole number, and the largest power of ten of a rounded one."""
_BITS = 20_000
"""Bits of a numerator or denominator on the way to a result."""
_SHOWN = 28
"""Significant digits of a rounded result."""
_PLACES = 40
"""Decimal places of the longest exact result that is not whole."""

CONTEXT = Context(
    prec=50, Emax=DIGITS, Emin=-DIGITS, traps=[InvalidOperation, DivisionByZero, Overflow, Underflow]
)  # fmt: skip
"""Where rounded numbers are calculated: more digits than are shown, and no infinities."""
_SETTLED = Context(prec=40, Emax=DIGITS, Emin=-DIGITS)


@dataclass(frozen=True)
class Answer:
    """A result in digits."""

    text: str
    exact: bool
    fraction: str | None = None
    """The exact value of a result whose decimals do not end, such as `1/3`."""


def rounded(value: Number) -> Decimal:
    """The value with 50 digits."""
    if isinstance(value, Decimal):
        return value
    return guarded(lambda: CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator)), "division")


def settled(value: Number) -> Fraction:
    """The value without the last digits of a rounded number, so that 2.999…9 is 3 before it is cut down to a whole."""
    return value if isinstance(value, Fraction) else Fraction(_SETTLED.plus(value))


def guarded(job: Callable[[], Decimal], what: str) -> Decimal:
    """A calculation in `CONTEXT`. Raises `ToolError` where it has no result or leaves the bounds."""
    try:
        return job()
    except DivisionByZero:
        raise division_by_zero() from None
    except InvalidOperation:
        raise undefined(what) from None
    except Overflow:
        raise too_large() from None
    except Underflow:
        return Decimal(0)


def bounded(value: Number) -> Number:
    """The value itself, when it is small enough to go on with."""
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > _BITS:
        raise too_large()
    return value


def combine(operator: str, a: Number, b: Number) -> Number:
    """`a operator b`. Raises `ToolError` where there is no result or it is too large."""
    if operator == "**":
        return bounded(power(a, b))
    if operator in ("/", "//", "%") and b == 0:
        raise division_by_zero()
    if operator in ("//", "%"):
        x, y = settled(a), settled(b)
        if y == 0:
            raise division_by_zero()
        whole = Fraction(x // y)
        result = whole if operator == "//" else x - y * whole
        exact = isinstance(a, Fraction) and isinstance(b, Fraction)
        return bounded(result) if exact else rounded(result)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        match operator:
            case "+":
                return bounded(a + b)
            case "-":
                return bounded(a - b)
            case "*":
                return bounded(a * b)
            case _:
                return bounded(a / b)
    work = {"+": CONTEXT.add, "-": CONTEXT.subtract, "*": CONTEXT.multiply, "/": CONTEXT.divide}[operator]
    return guarded(lambda: work(rounded(a), rounded(b)), "division")


def power(a: Number, b: Number) -> Number:
    """`a ** b`, exact when both are and the result fits, else with 50 digits."""
    if isinstance(a, Fraction) and isinstance(b, Fraction) and b.denominator == 1:
        if a == 0 and b < 0:
            raise division_by_zero()
        bits = max(a.numerator.bit_length(), a.denominator.bit_length())
        if abs(a) in (0, 1) and abs(b) > _BITS:
            return a * a if b.numerator % 2 == 0 else a
        if bits * abs(b.numerator) <= _BITS:
            return a**b.numerator
    if a == 0 and b < 0:
        raise division_by_zero()
    if a == 0 or b == 0:
        return Fraction(0 if b > 0 else 1)
    return guarded(lambda: CONTEXT.power(rounded(a), rounded(b)), "a power")


def answer(value: Number) -> Answer:
    """The digits of a result. Raises `ToolError` when there are too many."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            # A bit is 0.30103 digits: whether it is short enough is known before it is written out.
            if value.numerator.bit_length() > DIGITS * 3.3219280948873626 + 1:
                raise too_large()
            return Answer(str(value.numerator), True)
        places = _decimal_places(value.denominator)
        if places is not None and places <= _PLACES:
            scaled = abs(value.numerator) * (10**places // value.denominator)
            if scaled.bit_length() > DIGITS * 3.3219280948873626 + 1:
                raise too_large()
            digits = str(scaled).rjust(places + 1, "0")
            sign = "-" if value < 0 else ""
            return Answer(f"{sign}{digits[:-places]}.{digits[-places:]}", True)
        ratio = f"{value.numerator}/{value.denominator}" if _short(value) else None
        return Answer(_plain(rounded(value)), False, ratio)
    return Answer(_plain(value), False)


def _short(value: Fraction) -> bool:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) <= 64


def _decimal_places(denominator: int) -> int | None:
    """How many decimals a fraction in lowest terms has; None when they do not end."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives) if rest == 1 else None


def _plain(value: Decimal) -> str:
    shown = Context(prec=_SHOWN, Emax=2 * DIGITS, Emin=-2 * DIGITS).plus(value).normalize()
    if shown == 0:
        return "0"
    return f"{shown:f}" if -10 <= shown.adjusted() <= _SHOWN else str(shown)
