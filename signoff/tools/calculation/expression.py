"""Reads an expression by precedence and calculates as it reads; there is no `eval` and no tree to build."""

from __future__ import annotations

from fractions import Fraction

from signoff.text import shorten
from signoff.tools.calculation.functions import CONSTANTS, FUNCTIONS, factorial, in_radians
from signoff.tools.calculation.numbers import Answer, Number, answer, bounded, combine
from signoff.tools.calculation.problems import refused
from signoff.tools.calculation.tokens import Token, tokens

LENGTH = 500
"""Characters of an expression."""
DEPTH = 40
"""Brackets, signs and powers inside one another."""

# As in Python: a sign binds weaker than a power, -2**2 is -4.
_SUM, _PRODUCT, _SIGN, _POWER = 1, 2, 3, 4
_BINARY = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT, "**": _POWER}


def evaluate(expression: str) -> Answer:
    """The result of an expression of at most 500 characters.

    Raises `ToolError` with `INVALID_ARGUMENTS` when it cannot be read, has no real result or is too large.
    """
    if len(expression) > LENGTH:
        raise refused(
            f"The expression has {len(expression)} characters; at most {LENGTH} can be calculated.",
            f"算式有 {len(expression)} 个字符,最多 {LENGTH} 个。",
            "Split it into several calls.",
        )
    reader = _Reader(tokens(expression))
    value = reader.value(0, 0)
    left = reader.here
    if left.kind != "end":
        if left.text == ")":
            raise refused("There is a closing bracket too many.", "多了一个右括号。")
        if left.text == ",":
            raise refused(
                "A comma stands where none can: it groups thousands (1,234) or separates the values of a function.",
                "逗号的位置不对:逗号只能用作千位分隔(1,234)或分隔函数的参数。",
            )
        raise refused(
            f"An operator is missing before {shorten(left.text, 20)!r}: write 2*(3+4), not 2(3+4).",
            f"「{shorten(left.text, 20)}」前面缺少运算符:请写 2*(3+4),不要写 2(3+4)。",
        )
    return answer(value)


class _Reader:
    def __init__(self, pieces: list[Token]) -> None:
        self._pieces = pieces
        self._at = 0

    @property
    def here(self) -> Token:
        return self._pieces[self._at]

    def _is(self, text: str) -> bool:
        return self.here.kind == "operator" and self.here.text == text

    def value(self, floor: int, depth: int) -> Number:
        """Everything that binds tighter than `floor`."""
        if depth > DEPTH:
            raise refused(
                f"The expression is nested more than {DEPTH} deep.", f"算式嵌套超过 {DEPTH} 层。", "Split it up."
            )
        left = self._operand(depth)
        while self.here.kind == "operator":
            operator = self.here.text
            binding = _BINARY.get(operator, 0)
            if binding <= floor:
                break
            self._at += 1
            # To the right of a power stands another power (2**3**2 is 2**9) or a sign (2**-1).
            right = self.value(_SIGN if operator == "**" else binding, depth + 1)
            left = combine(operator, left, right)
        return left

    def _operand(self, depth: int) -> Number:
        if self._is("-") or self._is("+"):
            negative = self._is("-")
            self._at += 1
            inner = self.value(_SIGN, depth + 1)
            return -inner if negative else inner
        return self._suffixed(self._atom(depth))

    def _suffixed(self, value: Number) -> Number:
        """With the marks behind it: `%` where no value follows (or it would be a remainder), `!` and `°`."""
        while self.here.kind == "operator":
            if self._is("!"):
                value = factorial(value)
            elif self._is("°"):
                value = in_radians(value)
            elif self._is("%") and not self._starts_value(self._pieces[self._at + 1]):
                value = combine("/", value, Fraction(100))
            else:
                break
            self._at += 1
        return value

    @staticmethod
    def _starts_value(token: Token) -> bool:
        return token.kind in ("number", "name") or token.text == "("

    def _atom(self, depth: int) -> Number:
        token = self.here
        self._at += 1
        if token.kind == "number":
            return bounded(token.value)
        if token.kind == "name":
            return self._named(token.text, depth)
        if token.text == "(":
            inner = self.value(0, depth + 1)
            self._close()
            return inner
        self._at -= 1
        if token.kind == "end":
            raise refused(
                "The expression ends where a number should follow." if self._at else "The expression is empty.",
                "算式不完整,末尾缺少数字。" if self._at else "算式是空的。",
            )
        raise refused(
            f"A number is missing before {token.text!r}.",
            f"「{token.text}」前面缺少数字。",
        )

    def _close(self) -> None:
        if not self._is(")"):
            if self.here.kind == "end":
                raise refused("A closing bracket is missing.", "缺少右括号。")
            raise refused(
                f"A closing bracket or an operator is missing before {shorten(self.here.text, 20)!r}.",
                f"「{shorten(self.here.text, 20)}」前面缺少右括号或运算符。",
            )
        self._at += 1

    def _named(self, name: str, depth: int) -> Number:
        if name in CONSTANTS:
            return CONSTANTS[name]
        function = FUNCTIONS.get(name)
        if function is None:
            known = ", ".join([*FUNCTIONS, *CONSTANTS])
            raise refused(
                f"{shorten(name, 20)!r} is not a function or constant that can be calculated; there are: {known}.",
                f"没有「{shorten(name, 20)}」这个函数或常数,可用的有:{known}。",
            )
        if not self._is("("):
            if name == "sqrt" and self.here.kind == "number":  # √2
                return function.work([self._atom(depth)])
            raise refused(f"{name} needs its values in brackets: {name}(…).", f"{name} 的参数要写在括号里:{name}(…)。")
        self._at += 1
        values = [] if self._is(")") else [self.value(0, depth + 1)]
        while values and self._is(","):
            self._at += 1
            values.append(self.value(0, depth + 1))
        self._close()
        if not function.least <= len(values) <= function.most:
            takes = str(function.least) if function.least == function.most else f"{function.least} to {function.most}"
            raise refused(
                f"{name} takes {takes} values, not {len(values)}.",
                f"{name} 需要 {takes.replace(' to ', ' 到 ')} 个参数,给了 {len(values)} 个。",
            )
        return bounded(function.work(values))
