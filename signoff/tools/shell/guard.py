"""The five layers together, for one process."""

from __future__ import annotations

from signoff.records.denials import Denials
from signoff.tools.shell.bounds import Bounds
from signoff.tools.shell.breaker import Breaker
from signoff.tools.shell.classifier import Cached, Classifier
from signoff.tools.shell.judgement import judge
from signoff.tools.shell.verdict import Kind, Verdict, ask, deny


class Guard:
    """Judges commands of threads: syntax and rules, then the classifier, then where it writes and what was denied
    in the thread before."""

    def __init__(self, *, classifier: Classifier | None = None, breaker: Breaker | None = None) -> None:
        self.classifier = Cached(classifier) if classifier else None
        self.breaker = breaker or Breaker()

    def review(
        self,
        command: str,
        *,
        tenant: str,
        thread: str,
        call: str,
        denials: Denials,
        bounds: Bounds | None = None,
        sandboxed: bool = False,
    ) -> Verdict:
        """The verdict on one call's command. A denial is counted for the thread, once a call.

        `bounds` are those of the workspace it runs in. Raises what `denials` raises.
        """
        verdict = judge(command, root=bounds.root if bounds else None, private_tmp=sandboxed)
        if verdict.decision == "ask" and verdict.kinds == {Kind.UNKNOWN} and self.classifier and sandboxed:
            verdict = self._classified(command, verdict)
        if bounds is not None:
            verdict = bounds.judge(verdict, sandboxed=sandboxed)
        if verdict.decision == "ask":
            closed = denials.closed(tenant, thread, but=call)
            return verdict.but(
                *(
                    deny(
                        kind,
                        f"{denials.limit} commands of this kind ({kind}) were denied in this conversation",
                        f"本次对话中已有 {denials.limit} 个同类命令({kind})被拒绝",
                    )
                    for kind in sorted(verdict.kinds)
                    if kind in closed
                )
            )
        if verdict.decision == "deny":
            denials.record(tenant, thread, verdict.kind, call)
        return verdict

    def _classified(self, command: str, verdict: Verdict) -> Verdict:
        assert self.classifier
        match self.classifier(command):
            case "read":
                return Verdict(decision="allow", reasons=(), kind=Kind.READ, commands=verdict.commands)
            case "write":
                return verdict.but(
                    ask(Kind.WRITE, "the classifier says that it changes something", "分类器判断它会改动内容")
                )
            case _:
                return verdict
