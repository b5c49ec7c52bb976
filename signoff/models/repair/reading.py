"""What a reading of a model's output gives: text, calls, reasoning, and what was mended or refused on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FoundCall:
    """One tool call that the model wrote as text."""

    name: str
    """The tool as it was offered; as it was written, where no tools are known."""
    args: dict[str, Any]
    """The arguments as written: values are JSON values, not yet coerced or validated."""
    raw: str
    """The stretch of output it was read from."""


@dataclass(frozen=True)
class Refused:
    """Something that looks like a call and is none that may be run."""

    name: str
    """The tool it names; empty where none could be read."""
    why: str
    """A short reason for the trace and for a further try."""
    raw: str
    """The stretch of output, at most 2,000 characters of it."""


@dataclass(frozen=True)
class Reading:
    """A model's output taken apart."""

    text: str = ""
    """What remains to say to the person."""
    calls: tuple[FoundCall, ...] = ()
    """The calls, in the order in which they were written."""
    reasoning: str = ""
    """What the model said to itself; never shown as the answer."""
    format: str = ""
    """The format that was recognised, one of `FORMATS`; empty where there was no call."""
    repairs: tuple[str, ...] = ()
    """Short names of what was mended, each once, sorted."""
    refused: tuple[Refused, ...] = ()
    """Calls of tools that were not offered, and what could not be read."""
    cut_off: bool = False
    """Whether a call was begun and not ended. It is in neither `calls` nor `text`."""


@dataclass
class Draft:
    """A call as a format's reader found it, before its name is held against the tools that were offered."""

    name: str
    args: Any
    """A JSON object, or what stands in its place; None where nothing could be read."""
    raw: str
    mends: set[str] = field(default_factory=set)
    why: str = ""
    """Set where it cannot be a call."""


@dataclass
class Body:
    """What a format's reader took from the output."""

    drafts: list[Draft]
    end: int
    cut: bool = False
    """Whether the output ended inside it."""
    kind: str = ""
    """How the calls are written, such as `json` or `python`."""
