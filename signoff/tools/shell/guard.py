"""The five layers together, for one process."""

from __future__ import annotations

from pathlib import Path

from signoff.tools.shell.breaker import Breaker
from signoff.tools.shell.classifier import Cached, Classifier
from signoff.tools.shell.denials import Denials
from signoff.tools.shell.judgement import judge
from signoff.tools.shell.verdict import Kind, Verdict, ask, deny


class Guard:
    """Judges commands of threads: syntax and rules, then the classifier, then what was denied there before."""

    def __init__(
        self,
        *,
        classifier: Classifier | None = None,
        denials: Denials | None = None,
        breaker: Breaker | None = None,
    ) -> None:
        self.classifier = Cached(classifier) if classifier else None
        self.denials = denials or Denials()
        self.breaker = breaker or Breaker()

    def review(
        self, command: str, *, tenant: str, thread: str, call: str, root: Path | None = None, sandboxed: bool = False
    ) -> Verdict:
        """The verdict on one call's command. A denial is counted for the thread, once a call."""
        verdict = judge(command, root=root, private_tmp=sandboxed)
        if verdict.decision == "ask" and verdict.kinds == {Kind.UNKNOWN} and self.classifier and sandboxed:
            verdict = self._classified(command, verdict)
        if verdict.decision == "ask" and (closed := verdict.kinds & self.denials.closed(tenant, thread, but=call)):
            kind = min(closed)
            general = [
                *verdict.findings,
                deny(
                    kind,
                    f"{self.denials.limit} commands of this kind ({kind}) were denied in this conversation",
                    f"本次对话中已有 {self.denials.limit} 个同类命令({kind})被拒绝",
                ),
            ]
            return Verdict.of(verdict.commands, general)
        if verdict.decision == "deny":
            self.denials.record(tenant, thread, verdict.kind, call)
        return verdict

    def _classified(self, command: str, verdict: Verdict) -> Verdict:
        assert self.classifier
        match self.classifier(command):
            case "read":
                return Verdict(decision="allow", reasons=(), kind=Kind.READ, commands=verdict.commands)
            case "write":
                said = ask(Kind.WRITE, "the classifier says that it changes something", "分类器判断它会改动内容")
                return Verdict.of(verdict.commands, [*verdict.findings, said])
            case _:
                return verdict
