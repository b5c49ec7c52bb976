"""A desk's profile: instructions, tools, skills, knowledge, limits and roles, as a TOML says them.

Changing the scenario changes only a profile and its tools, never the graph.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from signoff.caller import Caller
from signoff.errors import ConfigError, Forbidden
from signoff.settings import Settings

LIMITS = frozenset(
    {
        "max_rounds", "max_idle_rounds", "max_model_calls", "max_tool_calls", "max_prompt_tokens",
        "max_completion_tokens", "max_cost_yuan", "max_work_s", "max_identical_calls", "max_argument_repairs",
        "max_validation_repairs", "max_tools", "parallel_reads", "result_chars", "result_ttl_h", "approval_ttl_h",
        "critical_ttl_h", "critical_above_yuan", "two_person_above_yuan", "self_approval", "daily_calls",
        "daily_tokens", "taint",
    }
)  # fmt: skip
"""Settings that a profile may set for its desk; the environment still wins over it."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class WorkspaceProfile(BaseModel):
    """The folder that a desk works on; which one is said when the desk is opened."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["readonly", "write"] = "readonly"
    """Whether tools that write into it are there at all."""
    writable: tuple[str, ...] = ("reports",)
    """The folders in it that may be written to."""


class Profile(BaseModel):
    """A desk, as its TOML says. Paths in it are relative to the TOML."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    """The file's name without its ending."""
    title: str
    """One line, for lists."""
    description: str = ""
    """What the desk is for and when to use another."""
    instructions: str = ""
    """Added to what every desk tells its model; never a boundary."""
    tools: tuple[str, ...] = ()
    """Names from the catalogue, in the order they are offered."""
    python: tuple[Path, ...] = ()
    """Python files with `@tool` functions; all of them belong to the desk."""
    plugins: bool = True
    """Whether tools of installed packages (entry points `signoff.tools`) belong to the desk."""
    mcp: bool | tuple[str, ...] = False
    """Whether tools of the servers in `mcp.json` belong to it; or the servers' names."""
    skills: tuple[str, ...] = ()
    """Names of the skills it may choose from."""
    knowledge: bool | Path = True
    """Whether it searches the home's documents; or a folder of documents of its own."""
    roles: tuple[str, ...] = ()
    """Who may ask: people with one of these roles; empty admits everybody."""
    examples: tuple[str, ...] = ()
    """Questions it can serve, for `desks show` and for whoever tries it."""
    workspace: WorkspaceProfile | None = None
    """Set when the desk works on a folder."""
    trace: bool = False
    """Whether every thread has a `trace.jsonl`, a line a step, in the home's `runs/<thread>`."""
    limits: dict[str, Any] = Field(default_factory=dict)
    """Settings for this desk, by name (of `LIMITS`)."""
    folder: Path = Path()
    """Where the TOML lies."""

    @field_validator("name")
    @classmethod
    def _known_form(cls, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ValueError("a desk's name is a letter and up to 39 small letters, digits, - and _")
        return name

    @field_validator("limits")
    @classmethod
    def _known_limits(cls, limits: dict[str, Any]) -> dict[str, Any]:
        if unknown := sorted(set(limits) - LIMITS):
            raise ValueError(f"{unknown[0]} is not a limit of a desk: there are {', '.join(sorted(LIMITS))}")
        return limits

    def admit(self, caller: Caller) -> None:
        """Raises `Forbidden` for somebody who may not use the desk."""
        if self.roles and not caller.roles & set(self.roles):
            raise Forbidden(f"The desk {self.name} is for people with the role {' or '.join(self.roles)}.")

    def applied(self, settings: Settings) -> Settings:
        """The settings of this desk: what was set on purpose, then the profile's, then the defaults.

        Raises `ConfigError` when a limit has a wrong value.
        """
        mine = {k: v for k, v in self.limits.items() if k not in settings.model_fields_set}
        if not mine:
            return settings
        given = settings.model_dump(exclude_unset=True)
        return Settings.load(**given, **mine)


def read(path: Path) -> Profile:
    """Read a profile. Raises `ConfigError` naming the file and each field that is wrong."""
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The desk {path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The desk {path} is not TOML: {error}.") from None
    try:
        profile = Profile(**{"name": path.stem, **fields, "folder": path.parent})
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'the file'}: {e['msg'].removeprefix('Value error, ').rstrip('.')}"
            for e in error.errors(include_url=False)
        )
        raise ConfigError(f"The desk {path} is wrong: {wrong}.") from None
    if profile.name != path.stem:
        raise ConfigError(f"The desk {path} calls itself {profile.name!r}: rename the file or leave the name out.")
    return profile
