"""What a probe found out, kept in the home as `models/NAME.json`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from signoff.errors import ConfigError
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.wording import address

VERSION = 1
"""Of the questions and of what is made of their answers; what an older one found is not used."""

Verdict = Literal["yes", "no", "unknown"]


class Observation(BaseModel):
    """What one question found out."""

    model_config = ConfigDict(frozen=True)

    question: str
    """Short, such as `calls a tool when asked to`."""
    verdict: Verdict
    """`unknown` when the endpoint was busy or out of time."""
    note: str = ""
    """How it behaved, where that says more."""


class Report(BaseModel):
    """One probe of one model at one endpoint."""

    model_config = ConfigDict(frozen=True)

    version: int = VERSION
    model: str
    base_url: str
    """Without user, password and query."""
    at: AwareDatetime
    can: Capabilities
    findings: tuple[Observation, ...] = ()
    reported_model: str = ""
    """The model as the endpoint calls it."""
    context_tokens: int | None = Field(None, ge=1)
    """The context that the endpoint says it has."""

    def of(self, profile: ModelProfile) -> bool:
        """Whether it is of this profile's model and endpoint, and by these questions."""
        return (self.version, self.model, self.base_url) == (VERSION, profile.model, address(profile.base_url))

    def write(self, home: Path, profile: ModelProfile) -> Path:
        """Keep it, in place of the one before. Raises `ConfigError` when the home cannot be written."""
        path = path_of(home, profile)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile("w", dir=path.parent, suffix=".part", encoding="utf-8", delete=False) as part:
                part.write(self.model_dump_json(indent=2) + "\n")
            os.replace(part.name, path)  # noqa: PTH105
        except OSError as error:
            raise ConfigError(f"{path} cannot be written: {error.strerror}.") from None
        return path

    @classmethod
    def read(cls, home: Path, profile: ModelProfile) -> Report | None:
        """What was found out of this profile; None when nothing was, or of another model, or it cannot be read."""
        report = cls.any(home, profile)
        return report if report is not None and report.of(profile) else None

    @classmethod
    def any(cls, home: Path, profile: ModelProfile) -> Report | None:
        """What lies under the profile's name, of whatever model; None when nothing does that can be read."""
        try:
            return cls.model_validate(json.loads(path_of(home, profile).read_text(encoding="utf-8")))
        except (OSError, ValueError, ValidationError):
            return None


def path_of(home: Path, profile: ModelProfile) -> Path:
    """Where a profile's report is kept."""
    return home / "models" / f"{profile.name}.json"
