"""The pipeline every tool call passes, from whatever model; it answers with an envelope and never raises.

known → parsed → validated → allowed → limited (`admission`) → proposed or approved (`proposals`) → claimed in the
ledger (`effects`) → run (`source`) → redacted (`masks`) → trimmed (`views`) → recorded
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from signoff.approvals import Inbox
from signoff.caller import Caller
from signoff.clock import Clock
from signoff.records.database import Database
from signoff.records.ledger import Ledger
from signoff.settings import Settings
from signoff.telemetry import Tracer
from signoff.tools.admission import Admission
from signoff.tools.ahead import Ahead, ahead_id
from signoff.tools.answering import refusal, success
from signoff.tools.audit import Audit, Event
from signoff.tools.contract import CallInfo, Risk, Tool
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.executor import run_all
from signoff.tools.invocation import Answer, Prepared, Setting, ToolCall, message_content
from signoff.tools.limits import purge_quotas, today
from signoff.tools.masks import Masks
from signoff.tools.registry import Registry
from signoff.tools.results import Kept, Results
from signoff.tools.source import Asking, age
from signoff.tools.views import only, shown

PURGE_S = 3_600.0
"""Seconds between two looks for what has expired."""
QUOTA_DAYS = 31
"""Days for which it is kept what people have used."""


class Gateway:
    """Holds what calls need, and runs the pipeline. One for a desk; safe to share between threads."""

    def __init__(
        self,
        registry: Registry,
        *,
        database: Database,
        inbox: Inbox,
        ledger: Ledger,
        results: Results,
        masks: Masks,
        audit: Audit,
        tracer: Tracer,
        clock: Clock,
        settings: Settings,
        services: Mapping[str, Any],
    ) -> None:
        self.registry = registry
        self.database = database
        self.inbox = inbox
        self.ledger = ledger
        self.results = results
        self.masks = masks
        self.audit = audit
        self.tracer = tracer
        self.clock = clock
        self.settings = settings
        self.admission = Admission(registry, masks, settings)
        self.asking = Asking(tracer, clock)
        self._ahead = Ahead(settings.parallel_reads)
        self._services = dict(services)
        self._purge_after = time.monotonic() + PURGE_S / 12

    def prepare(self, call: ToolCall, setting: Setting, *, count: bool = True) -> Prepared | ToolResult:
        """Known, parsed, validated, allowed, and judged by its tool; or the refusal the model is told.

        With `count` an invalid attempt is counted against the tool's repairs.
        """
        tool = self.admission.known(call)
        if isinstance(tool, ToolResult):
            return tool
        prepared = self.admission.parsed(tool, call, setting, count=count)
        if isinstance(prepared, ToolResult) or tool.assess is None:
            return prepared
        try:
            risk = tool.assess(**self._arguments(prepared, setting, preview=True))
        except Exception as error:
            return self.refusal(tool, error, setting.language)
        return replace(prepared, risk=Risk(risk))

    def refused(self, prepared: Prepared, setting: Setting) -> ToolResult | None:
        """The refusal of a call that may not be made in this turn, not yet, or not again; else it counts as made."""
        return self.admission.untimely(prepared, setting) or self.admission.repeated(prepared, setting)

    def purge(self) -> None:
        """Remove what has expired: results behind refs, what marks stood for, quotas of past days. Once an hour."""
        now = time.monotonic()
        if now < self._purge_after:
            return
        self._purge_after = now + PURGE_S
        with self.database.write() as tx:
            self.results.purge(tx)
            self.masks.purge(tx)
            purge_quotas(tx, today(self.clock) - timedelta(days=QUOTA_DAYS))

    def offered(self, names: Sequence[str], *, tainted: bool) -> list[str]:
        """Of the turn's tools those its model is shown: all, unless untrusted text took the changes away."""
        if not tainted or self.settings.taint == "escalate":
            return list(names)
        found = [self.registry.get(n) for n in names]
        return [t.name for t in found if t is not None and t.risk is Risk.READ and not t.egress]

    def begin(self, name: str, args: dict[str, Any], *, setting: Setting) -> None:
        """Start a read whose arguments are complete while the model is still speaking; `read` picks it up.

        What may not run unasked, or not at all, is left to the call itself.
        """
        tool = self.registry.get(name)
        # A tool that judges its calls may count them too, and must see each of them once.
        if setting.rehearsing or tool is None or tool.risk is not Risk.READ or tool.assess is not None:
            return
        try:
            prepared = self.prepare(ToolCall(ahead_id(name, args), name, args), setting, count=False)
        except Exception as error:
            # The model is still speaking; what is wrong with the call is told when it is answered.
            self.tracer.error(f"begin {name}", error)
            return
        if isinstance(prepared, ToolResult):
            return
        if tool.egress or self.admission.gated(prepared, setting) or self.admission.times(prepared, setting):
            return
        self._ahead.start(setting.turn, prepared.canonical, self._traced(prepared, setting))

    def read(self, calls: Sequence[Prepared], setting: Setting) -> list[Answer]:
        """Run read calls side by side; answers in the order of the calls, whatever finishes first."""
        turn = setting.turn
        jobs = [
            self._ahead.take(turn, p.canonical)
            # Calls of one group wait for each other, which must not keep the places of others.
            or (
                self._traced(p, setting)
                if p.tool.exclusive_group
                else self._ahead.within(turn, self._traced(p, setting))
            )
            for p in calls
        ]
        self._ahead.forget(turn)
        return [
            Answer(p.call, outcome.result, ms=outcome.ms)
            if isinstance(outcome, Answer)
            else Answer(p.call, self.refusal(p.tool, outcome, setting.language))
            for p, outcome in zip(calls, run_all(jobs), strict=True)
        ]

    def _traced(self, prepared: Prepared, setting: Setting) -> Callable[[], Answer]:
        def work() -> Answer:
            started = time.monotonic()
            with self.tracer.span(
                "tool_call",
                prepared.tool.name,
                trace=setting.turn,
                call=prepared.call.id,
                risk=prepared.risk.value,
            ) as span:
                result = self.invoke(prepared, setting)
                span.set(outcome=outcome_of(result))
                if result.error is not None:
                    span.fail(result.error.code, result.error.message)
            return Answer(prepared.call, result, ms=round((time.monotonic() - started) * 1000))

        return work

    def invoke(self, prepared: Prepared, setting: Setting, *, tx: Any = None) -> ToolResult:
        """Run the function itself, within its time unless it works in a transaction, and envelop the outcome."""
        tool = prepared.tool
        if setting.rehearsing and (tool.egress or tool.effect == "outside"):
            return ToolResult.refused(
                Code.CANCELLED,
                "重放不会访问外部系统。" if setting.language == "zh" else "A replay asks no system outside.",
                tool=tool.name,
            )
        kwargs = self._arguments(prepared, setting, tx=tx)
        try:
            if tx is not None:
                data = tool.fn(**kwargs)
                return self.envelop(tool, data, setting.language, risk=prepared.risk, notes=prepared.notes)
            reads = prepared.risk is Risk.READ
            got = self.asking.ask(tool, setting.caller.tenant, kwargs, deadline_s=setting.deadline_s, reads=reads)
            result = self.envelop(tool, got.data, setting.language, risk=prepared.risk, notes=prepared.notes)
        except Exception as error:
            return self.refusal(tool, error, setting.language)
        if got.tries > 1:
            result.metadata["tries"] = got.tries
        if got.stale_as_of:
            old = age(got.stale_as_of, self.clock)
            result.metadata["stale"] = {"as_of": got.stale_as_of, "age": old}
            note = (
                f"（数据源暂时不可用，这是 {old} 前的结果）"
                if setting.language == "zh"
                else f" (from {old} ago: the source cannot be asked now)"
            )
            result.metadata["summary"] = f"{result.metadata.get('summary', '')}{note}".strip()
        return result

    def _arguments(
        self, prepared: Prepared, setting: Setting, *, tx: Any = None, preview: bool = False
    ) -> dict[str, Any]:
        tool = prepared.tool
        injected = self.injections(tool, setting.caller, setting.info(prepared.call.id), tx=tx, preview=preview)
        return {**{n: getattr(prepared.model, n) for n in tool.args.model_fields}, **injected}

    def injections(
        self, tool: Tool, caller: Caller, call: CallInfo, *, tx: Any = None, preview: bool = False
    ) -> dict[str, Any]:
        """What the tool asked for with `injects`; identity comes from here and from nowhere else."""
        known: dict[str, Any] = {
            **self._services,
            "caller": caller,
            "clock": self.clock,
            "settings": self.settings,
            "call": call,
            "results": self.results,
            "tx": tx,
        }
        return {n: known[n] for n in tool.injects if not (preview and n == "tx")}

    def envelop(
        self, tool: Tool, data: Any, language: str, *, risk: Risk | None = None, notes: Sequence[str] = ()
    ) -> ToolResult:
        """A success as the model sees it; with the risk of the call, or else of its tool."""
        return success(tool, data, language, self.tracer, risk=risk or tool.risk, notes=notes)

    def refusal(self, tool: Tool, error: BaseException, language: str) -> ToolResult:
        """A failure as the model is told of it."""
        return refusal(tool, error, language, self.tracer)

    def record(self, answers: Sequence[Answer], setting: Setting) -> list[Answer]:
        """Mask personal data, show what each tool's view shows, keep the whole behind refs, and write the audit.

        One transaction; a rehearsal keeps nothing.
        """
        kept: list[Kept] = []
        if setting.rehearsing:
            shown = self._shown(answers, setting, kept, None)
        else:
            with self.database.write() as tx:
                shown = self._shown(answers, setting, kept, tx)
                self.results.keep(tx, setting.caller, setting.thread, kept)
                events = [e for a in shown for e in _events(a)]
                self.audit.record(tx, setting.caller, setting.thread, setting.turn, events)
        for answer in shown:
            if answer.result is not None and answer.result.metadata.get("untrusted"):
                setting.guards.tainted.append(answer.call.name)
        return shown

    def _shown(self, answers: Sequence[Answer], setting: Setting, kept: list[Kept], tx: Any) -> list[Answer]:
        found: list[Answer] = []
        for answer in answers:
            result = answer.result
            if result is None:
                found.append(answer)
                continue
            tool = self.registry.get(answer.call.name)
            if tool is not None and tool.allow and result.ok:
                result = result.model_copy(update={"data": only(result.data, tool.allow)})
            clean = self.masks.mask(
                tx,
                setting.caller,
                setting.thread,
                result.model_dump(mode="json"),
                reveals=tool.reveals if tool is not None else frozenset(),
            )
            result = ToolResult.model_validate(clean)
            if result.ok:
                view = shown(
                    result.data,
                    tool.view if tool is not None else None,
                    self.settings.result_chars,
                    language=setting.language,
                )
                if view.kept is not None:
                    kept.append(replace(view.kept, untrusted=bool(result.metadata.get("untrusted"))))
                    result.metadata["view"] = {"ratio": view.ratio}
                result = result.model_copy(update={"data": view.data})
            found.append(replace(answer, result=result))
        return found


def outcome_of(result: ToolResult) -> str:
    """`ok`, or the error's code."""
    return "ok" if result.error is None else result.error.code.value


def _events(answer: Answer) -> Iterator[Event]:
    call = answer.call
    args = {"unreadable": call.raw[:200]} if call.args is None else dict(call.args)
    if answer.result is not None and (edited := answer.result.metadata.get("edited")):
        # What ran is what was signed, not what the model had called for.
        args |= edited["arguments"]
    if answer.result is not None:
        outcome, content = outcome_of(answer.result), message_content(answer.result)
        yield Event("tool_call", outcome, call.id, call.name, args, content=content, ms=answer.ms)
        return
    yield Event("proposal", "pending", call.id, call.name, args, ms=answer.ms)
    if answer.approval is not None:
        origins = {o.argument: f"{o.source}{f': {o.where}' if o.where else ''}" for o in answer.approval.card.origins}
        yield Event("provenance", "traced", call.id, call.name, origins)
