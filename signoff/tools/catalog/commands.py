"""The tool that runs a command: reads at once, everything else after a signature, nothing that the guard denies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.text import shorten
from signoff.tools.catalog.wording import card_language, chosen, paragraphs, source
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk, Tool
from signoff.tools.decorator import tool
from signoff.tools.envelope import Code
from signoff.tools.shell import Guard, Kind, Verdict
from signoff.tools.shell.outcome import OUTPUT_BYTES, SandboxFailed
from signoff.tools.shell.patterns import MAX_CHARS
from signoff.tools.shell.runner import run
from signoff.tools.shell.sandbox import kind as confinement

Command = Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
Reason = Annotated[str, Field(max_length=500)]

_SHOWN = 30
"""Commands listed on a card."""


def command_tools(guard: Guard | None = None) -> list[Tool]:
    """`run_command` with a guard of its own; give one to bring a classifier or to share its denials and breaker."""
    desk = _CommandDesk(guard or Guard())

    @tool(
        risk=Risk.WRITE,
        effect="outside",
        injects=("settings", "workspace", "call", "caller"),
        timeout_s=660.0,
        untrusted=True,
        assess=desk.assess,
        preview=desk.preview,
        render=_render,
        examples=(
            Example("Run `ls -la` in the workspace", {"command": "ls -la"}),
            Example("运行命令 wc -l *.md", {"command": "wc -l *.md"}),
            Example(
                "Which Python files mention retry? Use grep",
                {"command": "grep -rln retry --include='*.py' .", "reason": "find the files that mention retry"},
            ),
            Example("用 du 看看哪个目录最大", {"command": "du -h --max-depth=1 . | sort -h"}),
            Example("在工作区执行 mkdir reports", {"command": "mkdir reports", "reason": "建立报告目录"}),
        ),
    )
    def run_command(
        command: Command,
        settings: Settings,
        workspace: Any,
        call: CallInfo,
        caller: Caller,
        reason: Reason = "",
    ) -> dict[str, Any]:
        """Runs one shell command in the workspace and gives its exit code and output. A command that only reads the
        workspace (ls, cat, grep, find, wc, sort and the like, also in pipes) runs at once; any other waits for an
        approval of this exact command. Not for what another tool does (reading or writing workspace files,
        calculating, fetching a page, sending mail), not for commands nobody asked for, and never for passwords, keys
        or files outside the workspace: those are refused.

        Args:
            command: The command as it would be typed in bash, in plain spelling: no variables, no hidden characters.
            reason: Why it is needed, in one sentence; shown to the person who approves.
        """
        return desk.run(command, settings, workspace, call, caller)

    return [run_command]


class _CommandDesk:
    """What the tool's functions share."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def assess(
        self, command: str, settings: Settings, workspace: Any, call: CallInfo, caller: Caller, reason: str = ""
    ) -> Risk:
        """The risk of one command; raises `ToolError` when it is off, denied, or the breaker is open."""
        verdict = self._review(command, settings, workspace, call, caller)
        if resting := self.guard.breaker.rests_s(caller.tenant):
            raise _resting(resting)
        if verdict.decision == "allow":
            return Risk.READ
        return Risk.CRITICAL if verdict.critical else Risk.WRITE

    def preview(
        self, command: str, settings: Settings, workspace: Any, call: CallInfo, caller: Caller, reason: str = ""
    ) -> Preview:
        """The card: the exact command, each part of it with why it is no read, where and how it runs."""
        verdict = self._review(command, settings, workspace, call, caller)
        lang = card_language(caller, call)
        sandboxed = confinement() == "bubblewrap"
        changes = [Change(chosen(lang, "command", "命令"), None, command)]
        for i, one in enumerate(verdict.commands[:_SHOWN], 1):
            why = "; ".join(f.text(lang) for f in one.findings) or chosen(lang, "only reads", "只读")
            changes.append(Change(chosen(lang, f"part {i}", f"第 {i} 部分"), None, f"{one.text} — {why}"))
        if (more := len(verdict.commands) - _SHOWN) > 0:
            changes.append(Change(chosen(lang, "more parts", "其余部分"), None, str(more)))
        folder = workspace.root if workspace is not None else None
        changes.append(
            Change(
                chosen(lang, "folder", "目录"),
                None,
                str(folder) if folder else chosen(lang, "a new, empty one", "新建的空目录"),
            )
        )
        changes.append(Change(chosen(lang, "isolation", "隔离"), None, _isolation(verdict, sandboxed, lang)))
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

    def run(self, command: str, settings: Settings, workspace: Any, call: CallInfo, caller: Caller) -> dict[str, Any]:
        """Judge once more and run; whoever calls this has an approval when the command is no read."""
        verdict = self._review(command, settings, workspace, call, caller)
        reads = verdict.decision == "allow"
        if waiting := self.guard.breaker.waiting_s(caller.tenant):
            raise _resting(waiting)
        try:
            with _folder(workspace) as folder:
                outcome = run(
                    command,
                    folder,
                    timeout_s=settings.command_timeout_s,
                    memory_mb=settings.command_memory_mb,
                    writable=not reads,
                    network=Kind.EGRESS in verdict.kinds,
                )
        except SandboxFailed as error:
            self.guard.breaker.failed(caller.tenant)
            raise ToolError(
                Code.SERVICE_UNAVAILABLE,
                f"The command could not be started ({error}); nothing was run.",
                zh=f"命令无法启动({error}),没有执行任何操作。",
                hint="Answer without it, and say that commands do not work at the moment.",
            ) from None
        if outcome.timed_out:
            self.guard.breaker.failed(caller.tenant)
            if not reads:
                raise ToolError(
                    Code.TIMEOUT,
                    f"The command was stopped after {settings.command_timeout_s:g} s; "
                    f"a part of its work may have been done.",
                    zh=f"命令运行超过 {settings.command_timeout_s:g} 秒后被终止,可能已完成一部分。",
                    hint="Say that it was stopped, and look with a read at what it did.",
                )
        else:
            self.guard.breaker.worked(caller.tenant)
        return {
            "command": command,
            "exit_code": outcome.exit_code,
            "stdout": outcome.stdout,
            "stderr": outcome.stderr,
            "truncated": outcome.truncated,
            "timed_out": outcome.timed_out,
            "sandbox": outcome.sandbox,
            "seconds": outcome.seconds,
            "source": "run_command",
        }

    def _review(self, command: str, settings: Settings, workspace: Any, call: CallInfo, caller: Caller) -> Verdict:
        if not settings.commands:
            raise ToolError(
                Code.FORBIDDEN,
                "Commands are switched off here; the operator can switch them on with SIGNOFF_COMMANDS=true.",
                zh="此处未开启命令执行,管理员可以设置 SIGNOFF_COMMANDS=true 开启。",
                hint="Answer without it, or use another tool.",
            )
        verdict = self.guard.review(
            command,
            tenant=caller.tenant,
            thread=call.thread,
            call=call.id,
            root=Path(workspace.root) if workspace is not None else None,
            sandboxed=confinement() == "bubblewrap",
        )
        if verdict.decision == "deny":
            raise ToolError(
                Code.FORBIDDEN,
                f"This command is never run: {'; '.join(verdict.reasons[:3])}.",
                zh=f"该命令不会被执行:{'; '.join(verdict.said('zh')[:3])}。",
                hint="Do not try it in another spelling. Say that it was refused and why.",
            )
        return verdict


@contextmanager
def _folder(workspace: Any) -> Iterator[Path]:
    """The workspace, or an empty folder that is gone afterwards."""
    if workspace is not None:
        root = Path(workspace.root)
        if not root.is_dir():
            raise ToolError(
                Code.NOT_FOUND,
                "The workspace's folder is not there; the operator has to set SIGNOFF_WORKSPACE to one that is.",
                zh="工作区目录不存在,管理员需要把 SIGNOFF_WORKSPACE 设为存在的目录。",
            )
        yield root
        return
    with tempfile.TemporaryDirectory(prefix="signoff-workspace-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _isolation(verdict: Verdict, sandboxed: bool, lang: str) -> str:
    if not sandboxed:
        return chosen(
            lang,
            "none (bubblewrap is not available): it can use the network and whatever files this service can",
            "无(没有可用的 bubblewrap):可以使用网络,以及本服务能访问的一切文件",
        )
    if Kind.EGRESS in verdict.kinds:
        return chosen(
            lang,
            "bubblewrap: it sees and can change the workspace only, and CAN use the network",
            "bubblewrap:只能看到并改动工作区,但可以使用网络",
        )
    return chosen(
        lang,
        "bubblewrap: it sees and can change the workspace only, without network",
        "bubblewrap:只能看到并改动工作区,没有网络",
    )


def _resting(waiting: float) -> ToolError:
    seconds = max(1, round(waiting))
    return ToolError(
        Code.SERVICE_UNAVAILABLE,
        f"Commands failed several times in a row and rest for {seconds} s.",
        zh=f"命令连续多次失败,暂停 {seconds} 秒。",
        hint="Answer without it, or try again later.",
        retryable=True,
    )


def _render(data: Any, lang: str) -> str:
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


run_command = command_tools()[0]
"""The tool with the process's own guard."""
