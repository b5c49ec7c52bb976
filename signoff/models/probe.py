"""What an endpoint can really do, found out by asking it: some accept `tools` and ignore them, some `tool_choice`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

from signoff.models import questions, repair
from signoff.models.context import told_context
from signoff.models.endpoint import Endpoint
from signoff.models.inquiry import Answer, Inquiry
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.report import Observation, Report, Verdict
from signoff.models.usage import count_prompt
from signoff.models.ways.schemas import by_name
from signoff.models.wording import address
from signoff.settings import Settings

Capability = Literal[
    "tools", "parallel_calls", "required", "none", "strict", "json_schema", "json_mode", "streaming",
    "usage_in_streams", "system",
]  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What a probe will ask, told before it does."""

    calls: int
    prompt_tokens: int
    """Estimated."""
    completion_tokens: int
    """At most, unless the model thinks before it answers."""
    price_yuan: Decimal
    """At most, at the profile's prices; 0 when it has none."""


def plan(profile: ModelProfile) -> Plan:
    """What a probe of this profile asks, if nothing must be asked twice."""
    asked = questions.EVERYWHERE + (questions.COMPATIBLE if profile.provider == "openai" else ())
    prompt = sum(count_prompt(r.messages, r.tools) for r in asked)
    completion = sum(min(r.output_tokens or 0, questions.OUTPUT_TOKENS) for r in asked)
    price = (prompt * profile.price_prompt_yuan + completion * profile.price_completion_yuan) / 1_000_000
    return Plan(len(asked), prompt, completion, price)


class Probe:
    """Asks one endpoint, one question after the other, past the retries and the breaker of desks."""

    def __init__(
        self, profile: ModelProfile, settings: Settings, *, on_finding: Callable[[Observation], None] | None = None
    ) -> None:
        """`on_finding` is told each finding as it is made."""
        self._profile = profile
        self._settings = settings
        self._on_finding = on_finding or (lambda _: None)
        self._findings: list[Observation] = []
        self._can: dict[str, bool] = {}
        self._model = ""
        self._inquiry = Inquiry(self._made(streaming=True, usage=True))

    def run(self, base: Capabilities | None = None) -> Report:
        """Ask all questions. `base` says what holds of what stays unknown; everything's default when left out.

        Raises `ProviderError` when the endpoint answers nothing at all or refuses key or model, `ConfigError` when it
        cannot be asked.
        """
        self._inquiry.endpoint.check()
        self._plain()
        self._system()
        self._tools()
        if self._profile.provider == "openai":
            self._formats()
        else:
            self._can |= {"strict": False, "json_schema": False, "json_mode": False}
        context = self._context()
        return Report(
            model=self._profile.model,
            base_url=address(self._profile.base_url),
            at=datetime.now(UTC),
            can=(base or Capabilities()).model_copy(update=self._can),
            findings=tuple(self._findings),
            reported_model=self._model[:200],
            context_tokens=context,
        )

    def _made(self, *, streaming: bool, usage: bool) -> Endpoint:
        can = Capabilities(streaming=streaming, usage_in_streams=usage)
        return Endpoint(self._profile.model_copy(update={"can": can}), self._settings)

    def _plain(self) -> None:
        """Streaming and usage, by whichever way it answers a plain question at all."""
        answer = self._inquiry.ask(questions.COUNT, first=True)
        if answer.refused and not answer.silent:
            self._inquiry.endpoint = self._made(streaming=True, usage=False)
            answer = self._inquiry.ask(questions.COUNT, first=True)
        if answer.refused and not answer.silent:
            self._inquiry.endpoint = self._made(streaming=False, usage=False)
            answer = self._inquiry.ask(questions.COUNT, first=True)
        if answer.failure is not None:
            raise answer.failure.error from None
        self._model = answer.deltas.model
        self._found("answers a plain question", "yes", None)
        streams = answer.pieces > 1
        told = answer.deltas.usage is not None
        if streams:
            self._found("streams in several pieces", "yes", "streaming")
            self._found("tells the tokens used in a stream", "yes" if told else "no", "usage_in_streams")
            return
        self._found("streams in several pieces", "no", "streaming", "answers come whole")
        self._can["usage_in_streams"] = False
        self._inquiry.endpoint = self._made(streaming=False, usage=False)

    def _system(self) -> None:
        answer = self._inquiry.ask(questions.SYSTEM)
        what = "obeys a system message"
        if questions.SIGN in answer.text.lower():
            self._found(what, "yes", "system")
        elif answer.refused:
            self._found(what, "no", "system", "refuses it")
        elif questions.SIGN in self._inquiry.ask(questions.MERGED).text.lower():
            self._found(what, "no", "system", "ignores it, and obeys the same words in the question")
        else:
            self._found(what, "unknown", "system", "does not follow such an order wherever it stands")

    def _tools(self) -> None:
        answer = self._inquiry.ask(questions.CALL)
        called = _called(answer)
        if not called and not answer.late and self._can.get("streaming"):
            whole = self._made(streaming=False, usage=False)
            again = self._inquiry.ask(questions.CALL, endpoint=whole)
            if _called(again):
                self._found("streams tool calls", "no", "streaming", "calls come in whole answers only")
                self._inquiry.endpoint, answer, called = whole, again, True
        what = "calls a tool when asked to"
        if answer.late:
            self._found(what, "unknown", "tools")
            return
        if not called:
            self._found(what, "no", "tools", self._without(answer))
            self._can |= {"parallel_calls": False, "required": False, "none": False, "strict": False}
            return
        self._found(what, "yes", "tools")
        result = self._inquiry.ask(questions.RESULT)
        told = "reads a tool's result"
        if result.refused:
            # Without results native calling is of no use, however well it calls.
            self._found(told, "no", "tools", "refuses the result of a call")
            self._can |= {"parallel_calls": False, "required": False, "none": False, "strict": False}
            return
        self._found(told, _verdict(questions.FOUND in result.text.replace(",", ""), result), None)
        self._parallel()
        answer = self._inquiry.ask(questions.REQUIRED)
        note = _how(answer, "`tool_choice: required`", bool(answer.calls))
        self._found("calls when it must", _verdict(bool(answer.calls), answer), "required", note)
        answer = self._inquiry.ask(questions.NONE)
        kept = answer.failure is None and not answer.calls
        note = _how(answer, "`tool_choice: none`", kept)
        self._found("does not call when it must not", _verdict(kept, answer), "none", note)

    def _parallel(self) -> None:
        answer = self._inquiry.ask(questions.PARALLEL)
        several = len(answer.calls) > 1
        what = "calls twice in one message"
        if not several and not answer.late and self._inquiry.ask(questions.SINGLE).refused:
            # It is then never told not to; each message has one call anyhow.
            self._found(what, "no", None, "and refuses `parallel_tool_calls`")
            self._can["parallel_calls"] = True
            return
        self._found(what, _verdict(several, answer), "parallel_calls")

    def _formats(self) -> None:
        if self._can.get("tools"):
            answer = self._inquiry.ask(questions.STRICT)
            kept = any(n == "paint" and a.get("shade") in questions.SHADES for n, a in answer.calls)
            self._found(
                "keeps to a strict tool schema", _verdict(kept, answer), "strict", _how(answer, "`strict`", kept)
            )
        answer = self._inquiry.ask(questions.SCHEMA)
        kept = _fits(_object(answer.text))
        note = _how(answer, "`response_format: json_schema`", kept)
        self._found("keeps to a JSON schema", _verdict(kept, answer), "json_schema", note)
        answer = self._inquiry.ask(questions.JSON)
        kept = _object(answer.text) is not None
        note = _how(answer, "`response_format: json_object`", kept)
        if not kept and answer.text.startswith("{") and answer.deltas.finish_reason == "length":
            note = "does not end what it begins"
        self._found("writes JSON in JSON mode", _verdict(kept, answer), "json_mode", note)

    def _context(self) -> int | None:
        if self._profile.provider != "openai":
            return None
        tokens = told_context(self._profile, self._settings) or self._inquiry.limit()
        said = f"{tokens:,} tokens" if tokens else ""
        self._found("tells its context length", "yes" if tokens else "no", None, said)
        return tokens

    def _found(self, question: str, verdict: Verdict, capability: Capability | None, note: str = "") -> None:
        if capability is not None and verdict != "unknown":
            self._can[capability] = verdict == "yes"
        finding = Observation(question=question, verdict=verdict, note=note)
        self._findings.append(finding)
        self._on_finding(finding)

    @staticmethod
    def _without(answer: Answer) -> str:
        """How it did not call."""
        if answer.failure is not None:
            return "does not answer in time with `tools`" if answer.silent else "refuses `tools`"
        if repair.read(answer.text, by_name([questions.STOCK])).calls:
            return "writes its calls as text"
        return "accepts `tools` and ignores them"


def _called(answer: Answer) -> bool:
    return any(name == questions.TOOL for name, _ in answer.calls)


def _verdict(does: bool, answer: Answer) -> Verdict:
    return "yes" if does else "unknown" if answer.late else "no"


def _how(answer: Answer, field: str, does: bool) -> str:
    if does or answer.late:
        return ""
    if answer.silent:
        return f"does not answer in time with {field}"
    return f"refuses {field}" if answer.refused else f"accepts {field} and ignores it"


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _fits(found: dict[str, Any] | None) -> bool:
    return (
        found is not None
        and set(found) == {"reference", "kind"}
        and found["reference"] == questions.REFERENCE
        and found["kind"] in questions.KINDS
    )
