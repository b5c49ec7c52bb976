"""Arithmetic is exact, bounded, and reads what people write in both languages."""

from __future__ import annotations

from fractions import Fraction

import pytest
from general_run import JSON, call, refusal, survives, unhurried
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.tools.catalog.arithmetic import calculate
from signoff.tools.contract import Risk


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("0.1 + 0.2", "0.3"),
        ("1/8", "0.125"),
        ("-2**2", "-4"),
        ("(-2)**2", "4"),
        ("2**-1", "0.5"),
        ("2**3**2", "512"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("10 mod 3", "1"),
        ("2 + 3 * 4 - 6 / 3", "12"),
        ("15% * 200", "30"),
        ("200 * 15%", "30"),
        ("17.5% of 2,480", "434"),
        ("100 - 10%", "99.9"),
        ("50%%", "0.005"),
        ("10 % (3)", "1"),
        ("1,234,567.89 + 1", "1234568.89"),
        ("（1＋2）×3÷2", "4.5"),
        ("３．５＊２", "7"),
        ("5²", "25"),
        ("三加五", "8"),
        ("一万二千零五 乘以 2", "24010"),
        ("百分之十五 乘 200", "30"),
        ("3万 减 2千", "28000"),
        ("10 除以 4", "2.5"),
        ("帮我算一下 12 + 30 = ?", "42"),
        ("What is 3 plus 4?", "7"),
        ("5 x 3", "15"),
        ("2 ^ 10", "1024"),
        ("max(1, 2, 3) - min(4, 5)", "-1"),
        ("sum(1,2,3) / 4", "1.5"),
        ("avg(1, 2, 6)", "3"),
        ("sqrt(2**10)", "32"),
        ("abs(-3.5)", "3.5"),
        ("round(2.5)", "3"),
        ("round(-2.345, 2)", "-2.35"),
        ("round(18420.50 / 25000 * 100, 1)", "73.7"),
        ("floor(-0.5) + ceil(0.5)", "0"),
        ("5!", "120"),
        ("gcd(12, 18) + lcm(4, 6)", "18"),
        ("1e3 + 1_000", "2000"),
        ("1**99999999", "1"),
        ("(-1)**99999999", "-1"),
    ],
)
def test_exact_results(expression: str, result: str) -> None:
    data = call(calculate, expression=expression)
    assert (data["result"], data["exact"]) == (result, True)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1/3", "0.3333333333333333333333333333"),
        ("2/3", "0.6666666666666666666666666667"),
        ("sqrt(2)", "1.414213562373095048801688724"),
        ("pi", "3.141592653589793238462643383"),
        ("e", "2.718281828459045235360287471"),
        ("exp(1)", "2.718281828459045235360287471"),
        ("ln(e)", "1"),
        ("log(8, 2)", "3"),
        ("log10(1000)", "3"),
        ("log2(2**500)", "500"),
        ("8**(1/3)", "2"),
        ("sin(pi)", "0"),
        ("cos(pi)", "-1"),
        ("sin(30°)", "0.5"),
        ("tan(radians(45))", "1"),
        ("degrees(pi)", "180"),
        ("asin(1) * 2 / pi", "1.00000000000000006572938321"),
        ("exp(-10000)", "0"),
    ],
)
def test_rounded_results_say_so(expression: str, result: str) -> None:
    data = call(calculate, expression=expression)
    assert data["exact"] is False
    assert Fraction(data["result"]) == pytest.approx(Fraction(result), abs=1e-12)
    assert len(data["result"]) <= 31


def test_a_fraction_is_kept_beside_its_decimals() -> None:
    assert call(calculate, expression="1/3 + 1/6 + 1/7")["fraction"] == "9/14"
    assert calculate.render and "exactly 1/3" in calculate.render(call(calculate, expression="1/3"), "en")


def test_floors_of_rounded_numbers_are_those_of_the_exact_ones() -> None:
    assert call(calculate, expression="floor(log(1000, 10))")["result"] == "3"
    assert call(calculate, expression="log(1000, 10) // 1")["result"] == "3"


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("9**9**9", "too large"),
        ("2**5000", "too large"),
        ("10**1000000000000", "too large"),
        ("(9**9)**9**9", "too large"),
        ("1e99999999", "too large"),
        ("99999! ", "too large"),
        ("exp(100000)", "too large"),
        ("(" * 60 + "1" + ")" * 60, "nested"),
        ("-" * 60 + "1", "nested"),
        ("1" + "+1" * 400, "characters"),
        ("1/0", "divides by zero"),
        ("1 % 0", "divides by zero"),
        ("1 // (2 - 2)", "divides by zero"),
        ("0**-1", "divides by zero"),
        ("sqrt(2) / (1 - 1)", "divides by zero"),
        ("log(2, 1)", "divides by zero"),
        ("sqrt(-1)", "not defined"),
        ("(-8)**(1/3)", "not defined"),
        ("log(0)", "not defined"),
        ("asin(2)", "not defined"),
        ("tan(pi/2)", "not defined"),
        ("(-1)!", "not defined"),
        ("3.5!", "whole number"),
        ("((1", "closing bracket"),
        ("1)", "too many"),
        ("1 +", "ends where"),
        ("* 3", "missing before"),
        ("=?", "empty"),
        ("2(3+4)", "operator is missing"),
        ("2 3", "operator is missing"),
        ("1,23", "comma"),
        ("1,000,00", "comma"),
        ("foo(1)", "not a function"),
        ("sqrt", "in brackets"),
        ("min()", "values"),
        ("abs(1,234)", "takes 1"),
        ("round(1, 9999)", "places"),
        ("0x10", "not a decimal"),
        ("__import__('os').system('ls')", "cannot be read"),
        ("(lambda: 1)()", "cannot be read"),
        ("3½", "cannot be read"),
        ("10 除 4", "two ways"),
        ("1; 2", "cannot be read"),
        ("2 < 3", "cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_calculated_is_said_in_a_sentence(expression: str, said: str) -> None:
    error = refusal(calculate, expression=expression)
    assert error.code == "INVALID_ARGUMENTS"
    assert said in error.message


_SMALL = st.fractions(min_value=-1000, max_value=1000, max_denominator=64)


def _written(value: Fraction) -> str:
    return f"({value.numerator}/{value.denominator})"


@unhurried
@given(a=_SMALL, b=_SMALL, c=_SMALL)
def test_it_agrees_with_fractions(a: Fraction, b: Fraction, c: Fraction) -> None:
    data = call(calculate, expression=f"{_written(a)} * {_written(b)} - {_written(c)} + {_written(a)}**2")
    expected = a * b - c + a**2
    exact = Fraction(data.get("fraction", data["result"]))
    assert exact == expected


@unhurried
@given(st.integers(-(10**30), 10**30), st.integers(-(10**15), 10**15).filter(bool))
def test_division_and_remainder_are_pythons(a: int, b: int) -> None:
    assert call(calculate, expression=f"({a}) // ({b})")["result"] == str(a // b)
    assert call(calculate, expression=f"({a}) % ({b})")["result"] == str(a % b)


@unhurried
@given(st.text(alphabet="0123456789.,+-*/%()!^ epix×÷万亿百分之一二加减乘除sqrtlogminmax°√²", max_size=80))
@example("9" * 400 + "**2")
@example("((((((9!)!)!)!)!)!)")
@example("9**9999")
@example("0.1**9999")
@example("1e-999*1e-999")
@example("max(" + "9," * 200 + "9)")
@example("sqrt(sqrt(sqrt(1e1000)))")
@example("²²")
@example("1e1000%1e-1000")
@example("pi**pi**pi**pi")
@example("floor(exp(2000))")
def test_anything_that_looks_like_arithmetic_is_answered(expression: str) -> None:
    survives(calculate, expression=expression)


@unhurried
@given(JSON)
def test_any_json_is_answered(value: object) -> None:
    survives(calculate, expression=value)


def test_it_is_a_read() -> None:
    assert (calculate.risk, calculate.egress, calculate.untrusted) == (Risk.READ, False, False)
