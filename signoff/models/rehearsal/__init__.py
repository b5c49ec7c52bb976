"""The rehearsal model: deterministic, keyless, not a language model."""

from signoff.models.rehearsal.model import RehearsalModel

__all__ = ["RehearsalModel"]
