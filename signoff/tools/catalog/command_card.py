"""How `run_command` is put into words: the card of a command that waits, and the result of one that ran."""

from __future__ import annotations

from typing import Any

from signoff.text import shorten
from signoff.tools.catalog.wording import chosen, paragraphs, source
from signoff.tools.contract import Change, Preview, Risk
from signoff.tools.shell import Bounds, Kind, Verdict
from signoff.tools.shell.outcome import OUTPUT_BYTES

_SHOWN = 30
"""Commands listed on a card."""


def card(command: str, verdict: Verdict, bounds: Bounds | None, *, sandboxed: bool, reason: str, lang: str) -> Preview:
    """The exact command, each part of it with why it is no read, where and how it runs."""
    changes = [Change(chosen(lang, "command", "命令"), None, command)]
    for i, one in enumerate(verdict.commands[:_SHOWN], 1):
        why = "; ".join(f.text(lang) for f in one.findings) or chosen(lang, "only reads", "只读")
        changes.append(Change(chosen(lang, f"part {i}", f"第 {i} 部分"), None, f"{one.text} — {why}"))
    if (more := len(verdict.commands) - _SHOWN) > 0:
        changes.append(Change(chosen(lang, "more parts", "其余部分"), None, str(more)))
    folder = str(bounds.root) if bounds else chosen(lang, "a new, empty one", "新建的空目录")
    changes.append(Change(chosen(lang, "folder", "目录"), None, folder))
    changes.append(Change(chosen(lang, "isolation", "隔离"), None, _isolation(verdict, bounds, sandboxed, lang)))
    return Preview(
        title=chosen(lang, f"Run: {shorten(command, 80)}", f"运行命令:{shorten(command, 80)}"),
        changes=changes,
        reversible=False,
        risk=Risk.CRITICAL if verdict.critical else None,
        why=chosen(lang, "It is no read: ", "它不是只读命令:")
        + "; ".join(verdict.said(lang)[:5])
        + chosen(lang, ".", "。"),
        evidence=(chosen(lang, f"Reason given: {reason}", f"给出的理由:{reason}"),) if reason else (),
    )


def _isolation(verdict: Verdict, bounds: Bounds | None, sandboxed: bool, lang: str) -> str:
    if not sandboxed:
        said = chosen(
            lang,
            "none (bubblewrap is not available): it can use the network and whatever files this service can",
            "无(没有可用的 bubblewrap):可以使用网络,以及本服务能访问的一切文件",
        )
        if bounds is None:
            return said
        if bounds.certain(verdict):
            return said + chosen(
                lang, f"; by its words it writes below {bounds.places} only", f";按命令的字面,它只写入 {bounds.places}"
            )
        return said + chosen(
            lang,
            "; where it writes is not certain, so somebody else must approve",
            ";无法确定它会写入哪里,因此须由申请人以外的人批准",
        )
    if bounds is None:
        sees = chosen(lang, "it sees and can change a new, empty folder only", "只能看到并改动一个新建的空目录")
    elif bounds.writable:
        sees = chosen(
            lang,
            f"it sees the workspace only, and can change {bounds.places} only",
            f"只能看到工作区,并且只能改动 {bounds.places}",
        )
    else:
        sees = chosen(lang, "it sees the workspace only, and can change nothing", "只能看到工作区,不能改动任何文件")
    if Kind.EGRESS in verdict.kinds:
        return chosen(lang, f"bubblewrap: {sees}, but CAN use the network", f"bubblewrap:{sees},但可以使用网络")
    return chosen(lang, f"bubblewrap: {sees}, without network", f"bubblewrap:{sees},没有网络")


def render(data: Any, lang: str) -> str:
    """What became of a command, in a paragraph for each stream."""
    code = data["exit_code"]
    if data["timed_out"]:
        head = chosen(lang, "The command was stopped when its time was up.", "命令超时,已被终止。")
    elif code == 0:
        head = chosen(lang, "The command ended without error.", "命令执行成功。")
    else:
        head = chosen(lang, f"The command ended with exit code {code}.", f"命令结束,退出码 {code}。")
    if not data["stdout"] and not data["stderr"]:
        head += chosen(lang, " It printed nothing.", "没有输出。")
    cut = chosen(
        lang,
        f"The output is longer; its first {OUTPUT_BYTES:,} bytes are here.",
        f"输出过长,只保留前 {OUTPUT_BYTES:,} 字节。",
    )
    errors = chosen(lang, "Errors:", "错误输出:")
    return paragraphs(
        [
            head,
            data["stdout"].rstrip(),
            f"{errors}\n{data['stderr'].rstrip()}" if data["stderr"].strip() else "",
            cut if data["truncated"] else "",
            source(lang, f"the command {shorten(data['command'], 80)}", f"命令 {shorten(data['command'], 80)}"),
        ]
    )
