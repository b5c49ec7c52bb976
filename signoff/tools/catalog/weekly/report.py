"""The tool that writes a week's report: its path, sections and numbers are decided and checked in code."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from hashlib import sha256
from typing import Annotated, Any

from pydantic import Field

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.text import terminal_safe
from signoff.tools.catalog.weekly.numbers import check_numbers
from signoff.tools.catalog.weekly.sections import SECTIONS, sections, titled_week
from signoff.tools.catalog.wording import card_language, chosen, paragraphs
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk, Tool
from signoff.tools.decorator import tool
from signoff.tools.weeks import Week, absolute_week, is_relative, required_week
from signoff.tools.workspace import Workspace

CARD_CHARS = 3_000
"""Characters of a report on a card; the middle of a longer one is left out, and the card says so."""


def report_tool(workspace: Workspace) -> Tool:
    """`write_report` for one workspace: an approval for one folder does not write into another."""
    return replace(write_report, version=f"1+{workspace.id}")


def _preview(
    week: str, content: str, overwrite: bool, path: str | None,
    workspace: Workspace, clock: Clock, caller: Caller, call: CallInfo,
) -> Preview:  # fmt: skip
    lang = card_language(caller, call)
    about, name, text = _checked(week, content, path, workspace, clock)
    found = call.found
    if found and (unsourced := check_numbers(text, found, about)):
        raise ToolError(
            "INVALID_ARGUMENTS",
            f"These are in no result of this turn: {', '.join(unsourced[:12])}. The report was not proposed.",
            zh=f"以下数字不在本轮任何结果中:{'、'.join(unsourced[:12])}。没有提交周报。",
            hint="Use the numbers exactly as the tools gave them, or leave them out, and call write_report again.",
            retryable=True,
        )
    before = workspace.read_bytes(name).decode("utf-8", "replace") if workspace.has(name) else None
    if before is not None and not overwrite:
        raise _there(name)
    backup = f"{name}.bak"
    older = before is not None and workspace.has(backup)
    size = len(text.encode())
    return Preview(
        title=chosen(lang, f"Write the report of {about} to {name}", f"将 {about} 的周报写入 {name}")
        if before is None
        else chosen(lang, f"Replace the report of {about} in {name}", f"用新内容覆盖 {name}({about} 周报)"),
        changes=(
            Change(chosen(lang, "path", "路径"), None if before is None else name, name),
            Change(chosen(lang, "bytes", "字节数"), None if before is None else str(workspace.size(name)), str(size)),
            Change(
                chosen(lang, "overwrites", "是否覆盖"),
                None,
                chosen(lang, "no, it is a new file", "否,新文件")
                if before is None
                else chosen(lang, f"yes, the present one is kept as {backup}", f"是,现有内容保留为 {backup}"),
            ),
            Change(chosen(lang, "content", "内容"), None if before is None else _cut(before, lang), _cut(text, lang)),
        ),
        reversible=True,
        why=chosen(lang, "It is a new file, which can be deleted.", "这是新文件,可以删除。")
        if before is None
        else chosen(lang, f"The present report is kept as {backup}.", f"现有周报会保留为 {backup}。"),
        evidence=tuple(
            line
            for line in (
                chosen(
                    lang,
                    "Every number in it is in a result of this turn.",
                    "其中每个数字都出自本轮的工具结果。",
                )
                if found
                else "",
                chosen(lang, f"The older {backup} will be replaced.", f"更早的 {backup} 会被替换。") if older else "",
            )
            if line
        ),
    )


def _render(data: Any, lang: str) -> str:
    kept = data["backup"]
    return paragraphs(
        [
            chosen(
                lang,
                f"The report of {data['week']} was written to {data['path']} ({data['bytes']} bytes).",
                f"{data['week']} 的周报已写入 {data['path']}({data['bytes']} 字节)。",
            ),
            chosen(lang, f"The one before is kept as {kept}.", f"之前的内容保留为 {kept}。") if kept else "",
        ]
    )


def _reconcile(
    week: str, content: str, overwrite: bool, path: str | None,
    workspace: Workspace, clock: Clock, caller: Caller, call: CallInfo,
) -> dict[str, Any] | None:  # fmt: skip
    """What a claimed call has written: its data when the file holds exactly this content, else None."""
    about, name, text = _checked(week, content, path, workspace, clock)
    if not workspace.has(name) or workspace.read_bytes(name) != text.encode():
        return None
    backup = f"{name}.bak"
    return _data(about, name, text, backup if workspace.has(backup) else None)


def _shape(week: str, lang: str) -> str:
    """The form of a report, for examples."""
    title = chosen(lang, f"# Weekly report {week}", f"# {week} 周报")
    return "\n\n".join([title, *(f"## {chosen(lang, en, zh)}\n\n…" for en, zh, _ in SECTIONS.values())])


@tool(
    risk=Risk.WRITE,
    effect="outside",
    injects=("workspace", "clock", "caller", "call"),
    preview=_preview,
    render=_render,
    reconcile=_reconcile,
    examples=(
        Example("写 2026-W42 的周报,预算只算 apollo 项目", {"week": "2026-W42", "content": _shape("2026-W42", "zh")}),
        Example("Write the weekly report of 2026-W42", {"week": "2026-W42", "content": _shape("2026-W42", "en")}),
        Example("把上周的周报写好存起来", {"week": "上周", "content": _shape("2026-W43", "zh")}),
        Example("Write last week's report", {"week": "last week", "content": _shape("2026-W43", "en")}),
    ),
)
def write_report(
    week: Annotated[str, Field(min_length=1, max_length=100)],
    content: Annotated[str, Field(min_length=1, max_length=60_000)],
    workspace: Workspace,
    clock: Clock,
    caller: Caller,
    call: CallInfo,
    overwrite: bool = True,
    path: Annotated[str, Field(max_length=500)] | None = None,
) -> dict[str, Any]:
    """Writes a week's report into the workspace's reports folder, after a person has approved the exact text. Call it
    last, when the notes, the issues and the budget have been looked up: every number must come from their results.
    Not for any other file, not for drafts that are only to be shown, and not when it was rejected before.

    Args:
        week: The week as the person named it: an ISO week such as 2026-W42, or 上周, last week, 第42周.
        content: The whole report in Markdown: a title with the ISO week, then headings for progress (进展),
            budget (预算) and next week (下周), each with text below it.
        overwrite: False when a report that is there already must not be replaced; a replaced one is kept as .bak.
        path: Leave it out: the file is reports/<week>.md. Only when the person named another file in reports/.
    """
    about, name, text = _checked(week, content, path, workspace, clock)
    written = workspace.write_text(name, text, replace=overwrite)
    return _data(about, name, text, written.backup)


def _data(about: Week, name: str, text: str, backup: str | None) -> dict[str, Any]:
    data = text.encode()
    return {
        "week": str(about),
        "path": name,
        "bytes": len(data),
        "sha256": sha256(data).hexdigest(),
        "overwrote": backup is not None,
        "backup": backup,
    }


def _checked(week: str, content: str, path: str | None, workspace: Workspace, clock: Clock) -> tuple[Week, str, str]:
    """The week, the file and its text. Raises `ToolError`; the path is judged first, and nothing is touched."""
    today = clock.now().date()
    path = path or None
    if path is not None:
        workspace.write_path(path)
    about = required_week(week, today)
    name = _file(about, path, workspace, today)
    text = _text(content)
    titled = titled_week(text, today)
    if is_relative(week, today) and titled is None:
        titled = absolute_week(text, today)
    if titled != about and (titled is not None or is_relative(week, today)):
        # A signed "last week" must not be another one by the time it runs: the text says which was signed.
        names = _spoken(titled)
        raise ToolError(
            "INVALID_ARGUMENTS",
            f"The report is for {about}, but its text names {names[0]}.",
            zh=f"周报属于 {about},但正文写的是{names[1]}。",
            hint=f"Write {about} in the report's title, or give the week that is meant, and call it again.",
            retryable=True,
        )
    if lacking := [s for s in SECTIONS if s not in sections(text)]:
        raise ToolError(
            "INVALID_ARGUMENTS",
            f"The report lacks these sections, or they are empty: {', '.join(SECTIONS[s][0] for s in lacking)}.",
            zh=f"周报缺少以下部分,或内容为空:{'、'.join(SECTIONS[s][1] for s in lacking)}。",
            hint="Add a Markdown heading for each with text below it, such as "
            + ", ".join(f"“## {SECTIONS[s][0]}” or “## {SECTIONS[s][1]}”" for s in lacking)
            + ", and call write_report again.",
            retryable=True,
        )
    return about, name, text


def _file(about: Week, path: str | None, workspace: Workspace, today: date) -> str:
    name = path if path is not None else f"{workspace.writable[0] if workspace.writable else 'reports'}/{about}.md"
    workspace.write_path(name)
    other = absolute_week(name.rpartition("/")[2], today)
    if not name.endswith(".md") or (other is not None and other != about):
        raise ToolError(
            "INVALID_ARGUMENTS",
            f"{name} is not a file for the report of {about}: it must end in .md and name no other week.",
            zh=f"{name} 不能用作 {about} 的周报:文件名应以 .md 结尾,且不能是别的周。",
            hint="Leave path out: the file is then named after the week.",
            retryable=True,
        )
    return name


def _spoken(week: Week | None) -> tuple[str, str]:
    """A week in both languages, or that there is none."""
    return (str(week), f" {week}") if week else ("no week", "没有周次")


def _text(content: str) -> str:
    text = content.replace("\r\n", "\n").replace("\r", "\n")
    if terminal_safe(text) != text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ToolError(
            "INVALID_ARGUMENTS",
            "The report holds control or invisible characters, which an approver cannot see.",
            zh="周报中有控制字符或不可见字符,审批人看不到它们。",
            hint="Write it in plain text and Markdown, and call write_report again.",
            retryable=True,
        )
    return text.rstrip() + "\n"


def _cut(text: str, lang: str) -> str:
    if len(text) <= CARD_CHARS:
        return text
    head, tail = text[: CARD_CHARS * 3 // 4], text[-CARD_CHARS // 4 :]
    left = len(text) - len(head) - len(tail)
    return f"{head}\n{chosen(lang, f'… {left} characters left out …', f'……省略 {left} 个字符……')}\n{tail}"


def _there(name: str) -> ToolError:
    return ToolError(
        "CONFLICT",
        f"{name} is there already and was not touched.",
        zh=f"{name} 已存在,没有改动。",
        hint="Ask the person whether it may be replaced; then call with overwrite=true.",
    )
