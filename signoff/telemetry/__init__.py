"""Traces of every turn, redaction, and what may leave for LangSmith. Used by all rooms, uses none of them."""

from signoff.telemetry.redaction import redact, redact_value
from signoff.telemetry.spans import Span, telemetry_metadata
from signoff.telemetry.tracer import Tracer

__all__ = ["Span", "Tracer", "redact", "redact_value", "telemetry_metadata"]
