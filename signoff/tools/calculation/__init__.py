"""Arithmetic on text: a closed grammar, exact numbers where there are any, and bounds on everything."""

from __future__ import annotations

from signoff.tools.calculation.expression import evaluate
from signoff.tools.calculation.numbers import Answer

__all__ = ["Answer", "evaluate"]
