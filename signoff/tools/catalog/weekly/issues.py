"""The tool that counts a team's issues by their status."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import Field

from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.text import normalise, shorten, terminal_safe
from signoff.tools.catalog.weekly.project import named_project, same_project
from signoff.tools.catalog.wording import chosen, known, paragraphs, source
from signoff.tools.contract import Example
from signoff.tools.decorator import tool
from signoff.tools.weeks import Week, absolute_week, required_week
from signoff.tools.workspace import Workspace

FILE = "issues.json"
_STATUSES = {
    "done": "done closed resolved fixed complete completed finished merged shipped released verified "
    "已完成 完成 已关闭 关闭 已解决 解决 已修复 已上线 已发布 已合并 结束 已结束",
    "in_progress": "inprogress doing wip started active ongoing review inreview testing assigned "
    "进行中 处理中 开发中 评审中 测试中 修复中 已开始 跟进中",
    "blocked": "blocked onhold hold paused waiting stuck 阻塞 受阻 已阻塞 搁置 挂起 暂停 等待中 卡住",
    "open": "open opened new todo backlog planned pending reopened ready triage "
    "待办 未开始 新建 打开 待处理 未完成 待开始 计划中 重新打开 已打开",
    "cancelled": "cancelled canceled wontfix wontdo duplicate rejected invalid obsolete notplanned 取消 已取消 不做 "
    "重复 已拒绝 作废",
}
_KNOWN = {word: status for status, words in _STATUSES.items() for word in words.split()}
_ZH = {"done": "已完成", "in_progress": "进行中", "blocked": "受阻", "open": "未开始", "cancelled": "已取消"}
_EN = {"done": "done", "in_progress": "in progress", "blocked": "blocked", "open": "not started"}
_TOLD = 8


@dataclass(frozen=True)
class _Issue:
    id: str
    title: str
    project: str
    status: str
    said: str
    """The status as the file has it."""
    created: date | None
    closed: date | None
    week: Week | None


def _word(status: str, lang: str) -> str:
    return chosen(lang, _EN.get(status, status), _ZH.get(status, status))


def _render(data: Any, lang: str) -> str:
    whose = chosen(lang, f" of {data['project']}", f" {data['project']} 项目") if "project" in data else ""
    counts = data["by_status"]
    parts = [
        chosen(lang, f"{n} {_word(s, lang)}", f"{n} 个{_word(s, lang)}")
        for s, n in counts.items()
        if s not in ("done", "cancelled")
    ]
    until = chosen(lang, f" by the end of {data['week']}", f"截至 {data['week']} 周末,") if "week" in data else ""
    dropped = counts.get("cancelled", 0)
    head = chosen(
        lang,
        f"{data['total']} issues{whose}{until}: {data['done']} done, {data['open']} open"
        f"{' (' + ', '.join(parts) + ')' if parts else ''}{f', {dropped} cancelled' if dropped else ''}.",
        f"{until}{whose.strip()}共 {data['total']} 个议题:已完成 {data['done']} 个,未完成 {data['open']} 个"
        f"{'(' + '、'.join(parts) + ')' if parts else ''}{f',已取消 {dropped} 个' if dropped else ''}。",
    )
    week = ""
    if data.get("done_in_week"):
        titles = _titles([i for i in data["issues"] if i["id"] in data["done_in_week"]], lang)
        n = len(data["done_in_week"])
        week = chosen(lang, f"Done in {data['week']} ({n}): {titles}.", f"{data['week']} 内完成 {n} 个:{titles}。")
    still = [i for i in data["issues"] if i["status"] not in ("done", "cancelled")]
    left = [i for i in data["issues"] if i["status"] == "done"] if "week" not in data else []
    odd = ", ".join(data["unknown_statuses"])
    return paragraphs(
        [
            head,
            week,
            chosen(lang, f"Done: {_titles(left, lang)}.", f"已完成:{_titles(left, lang)}。") if left else "",
            chosen(lang, f"Open: {_titles(still, lang)}.", f"未完成:{_titles(still, lang)}。") if still else "",
            chosen(lang, f"Counted as open, since unknown: {odd}.", f"以下状态无法识别,按未完成计:{odd}。")
            if odd
            else "",
            source(lang, FILE, FILE),
        ]
    )


def _titles(found: list[dict[str, Any]], lang: str) -> str:
    told = [f"{i['id']} {shorten(i['title'], 60)}".strip() for i in found[:_TOLD]]
    more = len(found) - len(told)
    end = chosen(lang, f"; and {more} more", f";另有 {more} 个") if more else ""
    return chosen(lang, "; ", ";").join(told) + end


@tool(
    injects=("workspace", "clock"),
    untrusted=True,
    render=_render,
    examples=(
        Example("一共有多少个议题,完成了几个?"),
        Example("How many issues are done and how many are still open?"),
        Example("apollo 项目还有哪些 issue 没完成", {"project": "apollo"}),
        Example("Count the issues for the report of 2026-W42", {"week": "2026-W42"}),
        Example("统计上周的 issue", {"week": "上周"}),
        Example("Write last week's report", {"week": "last week"}),
    ),
)
def count_issues(
    workspace: Workspace,
    clock: Clock,
    week: Annotated[str, Field(max_length=100)] | None = None,
    project: Annotated[str, Field(max_length=100)] | None = None,
) -> dict[str, Any]:
    """Counts the team's issues (issues.json) by status, in code: how many there are, how many are done and open,
    with their numbers and titles. With a week: as they stood at its end, and which were done in it. Not for what
    the notes say (search_notes), not for money (sum_budget), and it changes no issue.

    Args:
        week: The week as the person named it, such as 2026-W42 or 上周; leave it out for how things stand now.
        project: Only the issues of this project; leave it out unless the issues of one project are wanted.
    """
    today = clock.now().date()
    wanted = required_week(week, today) if week and week.strip() else None
    found = _issues(workspace, clock)
    chosen_project = named_project(project, [i.project for i in found], FILE)
    if chosen_project is not None:
        found = [i for i in found if same_project(i.project, chosen_project)]
    if wanted is not None:
        found = [i for i in found if _there(i, wanted)]
    stood = [(i, i.status if wanted is None else _stood(i, wanted)) for i in found]
    counts = Counter(status for _, status in stood)
    unknown = sorted({i.said or "—" for i in found if i.said == "" or normalise_status(i.said) is None})
    total, done, dropped = len(stood), counts["done"], counts["cancelled"]
    return {
        **known(week=wanted and str(wanted), as_of=wanted and wanted.sunday.isoformat(), project=chosen_project),
        "total": total,
        "done": done,
        "open": total - done - dropped,
        "by_status": {s: counts[s] for s in _STATUSES if counts[s]},
        **(
            {}
            if wanted is None
            else {"done_in_week": [i.id for i, s in stood if s == "done" and i.closed and i.closed in wanted]}
        ),
        "issues": [
            {"id": i.id, "title": i.title, "status": s, **({"project": i.project} if i.project else {})}
            for i, s in stood
        ],
        "unknown_statuses": unknown,
        "source": FILE,
    }


def normalise_status(said: str) -> str | None:
    """One of the five statuses for a word in Chinese or English; None for a word that is not known."""
    return _KNOWN.get(re.sub(r"[\W_]+", "", normalise(said)))


def _there(issue: _Issue, week: Week) -> bool:
    """An issue that names its week counts in it alone; others from the week in which they were made."""
    if issue.week is not None:
        return issue.week == week
    return issue.created is None or issue.created <= week.sunday


def _stood(issue: _Issue, week: Week) -> str:
    later = issue.status == "done" and issue.closed is not None and issue.closed > week.sunday
    return "open" if later else issue.status


def _issues(workspace: Workspace, clock: Clock) -> list[_Issue]:
    text = workspace.read_text(FILE)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise _broken(
            f"is not valid JSON at line {error.lineno}, column {error.colno}",
            f"第 {error.lineno} 行第 {error.colno} 列不是有效的 JSON",
        ) from None
    except (RecursionError, ValueError):
        raise _broken("is nested too deeply or holds a number that is too long", "嵌套过深或数字过长") from None
    if isinstance(data, dict):
        data = next((data[k] for k in ("issues", "items", "data", "议题") if isinstance(data.get(k), list)), data)
    if not isinstance(data, list):
        raise _broken("must be a list of issues, or an object with `issues`", "应为议题列表,或含有 issues 的对象")
    return [_issue(entry, n, clock) for n, entry in enumerate(data, 1)]


def _issue(entry: Any, n: int, clock: Clock) -> _Issue:
    if not isinstance(entry, dict):
        raise _broken(f"has an entry that is not an object: number {n}", f"第 {n} 项不是对象")
    fields = {normalise(str(k)): v for k, v in entry.items()}
    said = _text(fields, "status", "state", "状态")
    if not said and isinstance(fields.get("done"), bool):
        said = "done" if fields["done"] else "open"
    created = _day(
        fields, clock, "created", "created_at", "opened", "opened_at", "date", "创建", "创建时间", "创建日期"
    )
    closed = _day(
        fields, clock, "closed", "closed_at", "done_at", "resolved", "resolved_at", "completed", "completed_at",
        "finished", "finished_at", "关闭", "完成", "完成时间", "完成日期", "关闭时间",
    )  # fmt: skip
    return _Issue(
        id=_text(fields, "id", "key", "number", "iid", "编号") or f"{n}",
        title=_text(fields, "title", "name", "summary", "subject", "标题"),
        project=_text(fields, "project", "项目"),
        status=normalise_status(said) or "open",
        said=said,
        created=created,
        closed=closed,
        week=absolute_week(_text(fields, "week", "周", "周次"), clock.now().date()),
    )


def _text(fields: dict[str, Any], *names: str) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, dict):
            value = value.get("name") or value.get("key")
        if isinstance(value, str | int) and not isinstance(value, bool):
            return shorten(terminal_safe(str(value)), 200)
    return ""


def _day(fields: dict[str, Any], clock: Clock, *names: str) -> date | None:
    """A day, or a moment's day in the business time zone; what is neither is not known."""
    for name in names:
        value = fields.get(name)
        if not isinstance(value, str):
            continue
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            continue
        return moment.astimezone(clock.now().tzinfo).date() if moment.tzinfo else moment.date()
    return None


def _broken(en: str, zh: str) -> ToolError:
    return ToolError(
        "CONFLICT",
        f"{FILE} {en}: the issues cannot be counted until it is corrected.",
        zh=f"{FILE} {zh}:更正之前无法统计议题。",
        hint="Do not call it again: say what is wrong with the file and answer without the issues.",
    )
