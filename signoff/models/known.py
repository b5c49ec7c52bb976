"""What is held to be true of an endpoint, and on whose word: the operator's, a probe's, or what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from signoff.models.presets import context_of, preset
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.report import Report

Source = Literal["models.toml", "probe", "preset", "default"]


@dataclass(frozen=True)
class Known:
    """A profile with what it lacks filled in, and where that came from."""

    profile: ModelProfile
    """`can` and `context_tokens` are what is used."""
    can_from: Source
    """Of the capabilities that the operator has not stated."""
    context_from: Source
    title: str = ""
    """The provider or server that the preset is of."""
    report: Report | None = None
    """The probe's, when there is one of this very model and endpoint."""
    stated: tuple[str, ...] = ()
    """The capabilities that the operator has stated."""

    @property
    def can(self) -> Capabilities:
        """The capabilities that are used."""
        return self.profile.can or Capabilities()


def known(profile: ModelProfile, home: Path) -> Known:
    """What is used of a profile: each capability that it states, then what a probe found, then the preset of its
    provider, then the default."""
    report = Report.read(home, profile)
    found = preset(profile)
    base = Capabilities()
    source: Source = "default"
    if report is not None:
        base, source = report.can, "probe"
    elif found is not None:
        base, source = found.can, "preset"
    stated = tuple(
        f for f in Capabilities.model_fields if profile.can is not None and f in profile.can.model_fields_set
    )
    can = base.model_copy(update={f: getattr(profile.can, f) for f in stated})
    if len(stated) == len(Capabilities.model_fields):
        source = "models.toml"
    context, context_from = _context(profile, report)
    return Known(
        profile.model_copy(update={"can": can, "context_tokens": context}),
        can_from=source,
        context_from=context_from,
        title=found.title if found is not None else "",
        report=report,
        stated=stated,
    )


def _context(profile: ModelProfile, report: Report | None) -> tuple[int, Source]:
    if "context_tokens" in profile.model_fields_set:
        return profile.context_tokens, "models.toml"
    if report is not None and report.context_tokens is not None and report.context_tokens >= 512:
        return report.context_tokens, "probe"
    if (usual := context_of(profile)) is not None:
        return usual, "preset"
    return profile.context_tokens, "default"
