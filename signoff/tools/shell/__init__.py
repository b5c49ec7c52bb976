"""The guard of `run_command`, and the sandbox it runs in."""

from __future__ import annotations

from signoff.tools.shell.breaker import Breaker
from signoff.tools.shell.classifier import Cached, Classifier
from signoff.tools.shell.denials import Denials
from signoff.tools.shell.guard import Guard
from signoff.tools.shell.judgement import judge
from signoff.tools.shell.verdict import Decision, Finding, Judged, Kind, Verdict

__all__ = [
    "Breaker",
    "Cached",
    "Classifier",
    "Decision",
    "Denials",
    "Finding",
    "Guard",
    "Judged",
    "Kind",
    "Verdict",
    "judge",
]
