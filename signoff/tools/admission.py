"""Admission: the first half of the pipeline. known → parsed → validated → allowed → limited.

What is refused here reaches nobody, neither a source nor a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, ValidationError

from signoff.settings import Settings
from signoff.skills.plan import premature
from signoff.tools.answering import RETRY_NO
from signoff.tools.coercion import coerce, explain
from signoff.tools.contract import Risk, Tool
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.invocation import Prepared, Setting, ToolCall
from signoff.tools.masks import Masks
from signoff.tools.registry import Registry


def validate(tool: Tool, args: Mapping[str, Any], language: str = "en") -> tuple[BaseModel, list[str]] | str:
    """The arguments as the tool's model and what was normalised in them; or what is wrong, so that a model can act."""
    fields = tool.args.model_fields
    # Strict schemas make optional parameters nullable: a null there means "not given".
    given = {k: v for k, v in args.items() if v is not None or k not in fields or fields[k].is_required()}
    # Without the day: what is read here is read again when it is carried out, and must then be the same.
    read, notes = coerce(given, tool.parameters)
    try:
        return tool.args.model_validate(read), notes
    except ValidationError as error:
        return explain(error, tool.parameters.get("properties", fields), language=language)


class Admission:
    """Judges calls before anything is done about them."""

    def __init__(self, registry: Registry, masks: Masks, settings: Settings) -> None:
        self._registry = registry
        self._masks = masks
        self._settings = settings

    def known(self, call: ToolCall) -> Tool | ToolResult:
        """The tool that a call names; or the refusal, with the name that was probably meant."""
        tool = self._registry.get(call.name)
        if tool is None:
            near = self._registry.nearest(call.name)
            hint = f"Did you mean {near}? " if near else ""
            return ToolResult.refused(
                Code.UNKNOWN_TOOL,
                f"There is no tool named {call.name!r}.",
                hint=f"{hint}Use only the tools you were given.",
                tool=call.name,
            )
        if call.problem is Code.DUPLICATE_CALL_ID:
            return ToolResult.refused(
                Code.DUPLICATE_CALL_ID,
                "Two calls in one message had the same id; only the first was taken.",
                hint="Make this call again in a message of its own.",
                retryable=True,
                tool=tool.name,
            )
        return tool

    def parsed(self, tool: Tool, call: ToolCall, setting: Setting, *, count: bool) -> Prepared | ToolResult:
        """The call with its arguments read and allowed; or the refusal. With `count` an invalid attempt counts
        against the tool's repairs."""
        if call.args is None:
            return self._invalid(tool, setting, count, "the arguments are not one JSON object")
        # A mark such as [phone:1] is passed on as what it stands for, which the model has never seen.
        restored, marks = self._masks.restore(setting.caller, setting.thread, dict(call.args))
        read = validate(tool, restored, setting.language)
        if not isinstance(read, str) and (lost := self._masks.unresolved(restored)):
            read = f"what {lost[0]} stood for is not kept any more: ask the person for it"
        if isinstance(read, str):
            return self._invalid(tool, setting, count, read)
        model, notes = read
        if count:
            setting.guards.repairs.pop(tool.name, None)
        if tool.roles and not tool.roles & setting.caller.roles:
            return ToolResult.refused(
                Code.FORBIDDEN,
                f"此人不能使用 {tool.name}：需要 {' 或 '.join(sorted(tool.roles))} 角色。"
                if setting.language == "zh"
                else f"This person may not use {tool.name}: it needs the role {' or '.join(sorted(tool.roles))}.",
                hint=RETRY_NO,
                tool=tool.name,
            )
        args = model.model_dump(mode="json")
        # What the conversation says is the mark, not what it stands for.
        said = {n: call.args[n] if marks and restored.get(n) != call.args.get(n) else v for n, v in args.items()}
        if nowhere := setting.sources.unsourced(said, tool.identifiers):
            return ToolResult.refused(
                Code.UNSOURCED_IDENTIFIER,
                f"{', '.join(nowhere)}: this identifier is in nothing that was said or found in this conversation.",
                hint="Never guess an identifier: ask the person for it, or look it up with another tool.",
                tool=tool.name,
            )
        return Prepared(call, tool, model, args, risk=tool.risk, said=said, marks=tuple(marks), notes=tuple(notes))

    def untimely(self, prepared: Prepared, setting: Setting) -> ToolResult | None:
        """The refusal of a change that may not be made in this turn, or not yet."""
        if prepared.risk is not Risk.READ and (step := premature(setting.plan, prepared.tool.name)) is not None:
            return ToolResult.refused(
                Code.CONFLICT,
                f"要先完成第 {step['n']} 步：{'、'.join(t for t in step['tools'] if t not in step['done'])}。"
                if setting.language == "zh"
                else f"Step {step['n']} comes first: {', '.join(t for t in step['tools'] if t not in step['done'])}.",
                hint="Do the open step, then call this again out of its results.",
                retryable=True,
                tool=prepared.tool.name,
            )
        changes = prepared.risk is not Risk.READ or prepared.tool.egress
        if self._settings.taint == "read-only" and setting.guards.tainted and changes:
            return ToolResult.refused(
                Code.FORBIDDEN,
                f"Untrusted text was read in this turn, so {prepared.tool.name} is not there until the next message.",
                hint="Say what you would do, and that the person can ask for it in a message of its own.",
                tool=prepared.tool.name,
            )
        return None

    def gated(self, prepared: Prepared, setting: Setting) -> bool:
        """Whether a call must be signed off. While the model sees untrusted text, drafts and reads whose arguments
        leave the company too; and such a read always, when it would carry out masked personal data."""
        if prepared.risk.gated or (prepared.marks and prepared.tool.egress):
            return True
        seen = bool(setting.guards.tainted or setting.carried)
        return seen and (prepared.risk is not Risk.READ or prepared.tool.egress)

    def repeated(self, prepared: Prepared, setting: Setting) -> ToolResult | None:
        """The refusal when this exact call has been made often enough in this turn; else counts it."""
        allowed = 1 if prepared.risk.gated else self._settings.max_identical_calls
        times = self.times(prepared, setting)
        if times >= allowed:
            return ToolResult.refused(
                Code.REPEATED_CALL,
                f"本轮已用完全相同的参数调用过 {prepared.tool.name}。"
                if setting.language == "zh"
                else f"{prepared.tool.name} was already called with exactly these arguments in this turn.",
                hint="Use the earlier answer. Calling it again will not be carried out.",
                tool=prepared.tool.name,
            )
        setting.guards.seen[_counted(prepared)] = times + 1
        return None

    @staticmethod
    def times(prepared: Prepared, setting: Setting) -> int:
        """How often this exact call was made in this turn so far."""
        return setting.guards.seen.get(_counted(prepared), 0)

    def _invalid(self, tool: Tool, setting: Setting, count: bool, problem: str) -> ToolResult:
        counts = count and tool.name not in setting.guards.counted
        tries = setting.guards.repairs.get(tool.name, 0) + (1 if counts else 0)
        if counts:
            setting.guards.counted.add(tool.name)
            setting.guards.repairs[tool.name] = tries
        given_up = tries > self._settings.max_argument_repairs
        return ToolResult.refused(
            Code.LIMIT_REACHED if given_up else Code.INVALID_ARGUMENTS,
            f"Call of {tool.name} not done: {problem}.",
            hint=(
                f"It was called wrongly {tries} times. {RETRY_NO}"
                if given_up
                else "Correct these arguments and call it again, or ask the person for what is missing."
            ),
            retryable=not given_up,
            tool=tool.name,
            attempt=tries,
        )


def _counted(prepared: Prepared) -> str:
    """A call's key in the counters, which the state keeps: its arguments may hold what marks stand for."""
    return f"{prepared.tool.name}:{sha256(prepared.canonical.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
