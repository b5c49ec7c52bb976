"""A tool that calculates."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signoff.tools.calculation import evaluate
from signoff.tools.catalog.wording import chosen
from signoff.tools.contract import Example
from signoff.tools.decorator import tool


def _render(data: Any, lang: str) -> str:
    sign = "=" if data["exact"] else "≈"
    ratio = chosen(lang, f" (exactly {data['fraction']})", f"(精确值 {data['fraction']})") if "fraction" in data else ""
    return f"{data['expression']} {sign} {data['result']}{ratio}"


@tool(
    render=_render,
    examples=(
        Example("0.1 加 0.2 等于多少?", {"expression": "0.1 + 0.2"}),
        Example("What is 17.5% of 2,480?", {"expression": "17.5% * 2480"}),
        Example("帮我算一下 (128 + 299) × 3 ÷ 2", {"expression": "(128 + 299) * 3 / 2"}),
        Example("Calculate the square root of 2 to the power of 10", {"expression": "sqrt(2**10)"}),
        Example("18420.50 占 25000 的百分之几,保留一位小数", {"expression": "round(18420.50 / 25000 * 100, 1)"}),
    ),
)
def calculate(expression: Annotated[str, Field(min_length=1, max_length=2_000)]) -> dict[str, Any]:
    """Calculates one arithmetic expression exactly, without rounding errors: + - * / // % ** and brackets, percent
    (15% is 0.15), functions (abs, sqrt, round, floor, ceil, min, max, sum, avg, exp, ln, log, log10, sin and the
    like) and pi, e. Use it for every number that is not written in a result. Not for dates and time zones
    (convert_time), not for programs, tables or text (run_python), and not for sums over records that another tool
    already gives.

    Args:
        expression: Numbers and operators only, at most 500 characters, such as 1,299 * 3 - 15% * 200; no thousands
            separators between the values of a function. `round` takes halves away from zero; `log(x)` is natural,
            `log(x, base)` has a base.
    """
    answer = evaluate(expression)
    fraction = {"fraction": answer.fraction} if answer.fraction else {}
    return {"expression": " ".join(expression.split()), "result": answer.text, "exact": answer.exact, **fraction}
