"""The guard of `run_command`, and the sandbox it runs in."""

from __future__ import annotations

from signoff.tools.shell.assessments import Assessments
from signoff.tools.shell.bounds import Bounds
from signoff.tools.shell.breaker import Breaker
from signoff.tools.shell.classifier import Cached, Classifier, ModelClassifier
from signoff.tools.shell.guard import Guard
from signoff.tools.shell.judgement import judge
from signoff.tools.shell.verdict import Decision, Finding, Judged, Kind, Verdict

__all__ = [
    "Assessments",
    "Bounds",
    "Breaker",
    "Cached",
    "Classifier",
    "Decision",
    "Finding",
    "Guard",
    "Judged",
    "Kind",
    "ModelClassifier",
    "Verdict",
    "judge",
]
