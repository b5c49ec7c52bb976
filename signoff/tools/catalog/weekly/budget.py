"""The tool that sums a team's budget, exactly to the cent."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any

from pydantic import Field

from signoff.errors import ToolError
from signoff.text import normalise, shorten, terminal_safe
from signoff.tools.catalog.weekly.project import named_project, same_project
from signoff.tools.catalog.wording import chosen, known, paragraphs, source
from signoff.tools.contract import Example
from signoff.tools.decorator import tool
from signoff.tools.workspace import Workspace

FILE = "budget.csv"
_COLUMNS = {
    "project": "project 项目 项目名称 项目名".split(),
    "category": "category 类别 科目 分类 item 费用类别 预算科目".split(),
    "budget": "budget budgeted planned plan allocated 预算 预算金额 计划".split(),
    "spent": "spent actual spend used cost 已花 已用 支出 实际 实际支出 花费 已支出 已花费 使用 已使用".split(),
    "currency": "currency 币种 货币".split(),
}
_AMOUNT = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,6})?")
_SIGNS = re.compile(r"^(-?)\s*(?:[¥$€£]|cny|rmb|usd|eur)?\s*(-?.*?)\s*(?:元|cny|rmb|usd|eur)?$", re.IGNORECASE)
_CENT = Decimal("0.01")
_TOLD = 8


@dataclass(frozen=True)
class _Row:
    line: int
    project: str
    category: str
    budget: Decimal
    spent: Decimal
    currency: str


def _render(data: Any, lang: str) -> str:
    whose = data.get("project")
    head = chosen(
        lang,
        f"Budget of {whose}" if whose else "Budget of all projects",
        f"{whose} 项目预算" if whose else "全部项目预算",
    )
    over = data["remaining"].startswith("-")
    left = data["remaining"].lstrip("-")
    unit = f" {data['currency']}" if "currency" in data else ""
    total = chosen(
        lang,
        f"{head}: spent {data['spent']} of {data['budget']}{unit}{_percent(data, ', {} %')}, "
        f"{left} {'over budget' if over else 'left'}.",
        f"{head}:已花 {data['spent']},预算 {data['budget']}{unit}{_percent(data, ',已用 {}%')},"
        f"{'超支' if over else '剩余'} {left}。",
    )
    parts = data["categories"] if whose else data["projects"]
    lines = [
        chosen(
            lang,
            f"- {p['name']}: {p['spent']} of {p['budget']}{_percent(p, ' ({} %)')}",
            f"- {p['name']}:已花 {p['spent']},预算 {p['budget']}{_percent(p, '({}%)')}",
        )
        for p in parts[:_TOLD]
    ]
    if more := len(parts) - len(lines):
        lines.append(chosen(lang, f"- and {more} more", f"- 另有 {more} 项"))
    return paragraphs([total, *lines, source(lang, FILE, FILE)])


def _percent(part: dict[str, Any], form: str) -> str:
    return form.format(part["percent"]) if part["percent"] is not None else ""


@tool(
    injects=("workspace",),
    render=_render,
    examples=(
        Example("apollo 项目的预算花了多少?", {"project": "apollo"}),
        Example("How much of apollo's budget is spent?", {"project": "apollo"}),
        Example("预算只算 apollo 项目", {"project": "apollo"}),
        Example("What have all projects spent so far?"),
        Example("各项目预算用了百分之几"),
        Example("Sum the budget, only for borealis", {"project": "borealis"}),
    ),
)
def sum_budget(workspace: Workspace, project: Annotated[str, Field(max_length=100)] | None = None) -> dict[str, Any]:
    """Sums the team's budget (budget.csv) in code, exact to the cent: budget, spent, what is left and the percentage,
    for one project by category or for all by project. Not for arithmetic on other numbers, not for issues
    (count_issues), and it changes no figure.

    Args:
        project: The project as the person named it, such as apollo; leave it out to sum all projects.
    """
    rows = list(_rows(workspace.read_text(FILE)))
    if not rows:
        raise _broken("has no rows below its header", "除表头外没有数据行")
    wanted = named_project(project, [r.project for r in rows], FILE)
    mine = rows if wanted is None else [r for r in rows if same_project(r.project, wanted)]
    currencies = sorted({r.currency for r in mine if r.currency})
    if len(currencies) > 1:
        raise _broken(
            f"has several currencies ({', '.join(currencies)}), which cannot be summed",
            f"含有多种货币({'、'.join(currencies)}),不能相加",
        )
    return {
        **known(project=wanted, currency=currencies[0] if currencies else None),
        **_sums(mine),
        "rows": len(mine),
        "categories": _parts(mine, [r.category or "—" for r in mine]),
        **({} if wanted is not None else {"projects": _parts(mine, [r.project or "—" for r in mine])}),
        "source": FILE,
    }


def _parts(rows: list[_Row], names: list[str]) -> list[dict[str, Any]]:
    groups: dict[str, list[_Row]] = {}
    for row, name in zip(rows, names, strict=True):
        groups.setdefault(name, []).append(row)
    return [{"name": name, **_sums(group)} for name, group in groups.items()]


def _sums(rows: Iterable[_Row]) -> dict[str, Any]:
    """Sums as decimal texts with two places; the percentage with one, None where there is no budget."""
    budget, spent = Decimal(0), Decimal(0)
    for row in rows:
        budget, spent = budget + row.budget, spent + row.spent
    share = (spent * 100 / budget).quantize(Decimal("0.1"), ROUND_HALF_UP) if budget > 0 else None
    return {
        "spent": _cents(spent),
        "budget": _cents(budget),
        "remaining": _cents(budget - spent),
        "percent": None if share is None else str(share),
    }


def _cents(amount: Decimal) -> str:
    return str(amount.quantize(_CENT, ROUND_HALF_UP) + 0)


def _rows(text: str) -> Iterator[_Row]:
    """The rows of the file. Raises `ToolError` naming the line of the first that is wrong."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    columns: dict[str, int] = {}
    width = 0
    try:
        for cells in reader:
            if not any(c.strip() for c in cells):
                continue
            if not columns:
                columns, width = _header(cells), len(cells)
                continue
            yield _row(cells, columns, width, reader.line_num)
    except csv.Error as error:
        raise _broken(
            f"cannot be read at line {reader.line_num}: {error}", f"第 {reader.line_num} 行无法读取:{error}"
        ) from None
    if not columns:
        raise _broken("is empty", "是空文件")


def _header(cells: list[str]) -> dict[str, int]:
    names = [re.sub(r"[\s_]+|[((].*", "", normalise(c)) for c in cells]
    columns = {
        column: names.index(word) for column, words in _COLUMNS.items() for word in reversed(words) if word in names
    }
    if lacking := [c for c in ("project", "budget", "spent") if c not in columns]:
        raise _broken(
            f"lacks the column {', '.join(lacking)} in its header (it has: {', '.join(c.strip() for c in cells)})",
            f"表头缺少 {'、'.join(lacking)} 列(现有:{'、'.join(c.strip() for c in cells)})",
        )
    return columns


def _row(cells: list[str], columns: dict[str, int], width: int, line: int) -> _Row:
    while len(cells) > width and not cells[-1].strip():
        cells = cells[:-1]
    if len(cells) != width:
        hint = "; amounts with commas must be quoted" if len(cells) > width else ""
        hint_zh = ";含逗号的金额要加引号" if len(cells) > width else ""
        raise _broken(
            f"has {len(cells)} fields in line {line} where its header has {width}{hint}",
            f"第 {line} 行有 {len(cells)} 个字段,而表头有 {width} 个{hint_zh}",
        )
    said = {c: cells[i].strip() for c, i in columns.items()}
    if not said["budget"] and not said["spent"]:
        raise _broken(f"has no amount in line {line}", f"第 {line} 行没有金额")
    return _Row(
        line,
        terminal_safe(said["project"]),
        shorten(terminal_safe(said.get("category", "")), 60),
        _amount(said["budget"], "budget", line),
        _amount(said["spent"], "spent", line),
        said.get("currency", "").upper(),
    )


def _amount(said: str, column: str, line: int) -> Decimal:
    """An amount such as 1,234.50, ¥1234.5 or -3; an empty field is nothing."""
    if not said:
        return Decimal(0)
    signs = _SIGNS.match(unicodedata.normalize("NFKC", said).strip())
    plain = f"{signs[1]}{signs[2]}" if signs else said
    if not _AMOUNT.fullmatch(plain):
        raise _broken(
            f"has “{shorten(said, 40)}” as {column} in line {line}, which is not an amount such as 1234.50",
            f"第 {line} 行的 {column}“{shorten(said, 40)}”不是金额(例如 1234.50)",
        )
    return Decimal(plain.replace(",", ""))


def _broken(en: str, zh: str) -> ToolError:
    return ToolError(
        "CONFLICT",
        f"{FILE} {en}: nothing was summed.",
        zh=f"{FILE} {zh}:没有求和。",
        hint="Do not call it again: say what is wrong with the file, and give no figure of your own.",
    )
