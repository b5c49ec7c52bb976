"""What one file may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signoff.settings import Settings


@dataclass(frozen=True)
class Limits:
    """Bounds on the reading of one file."""

    bytes: int = 50_000_000
    """A larger file is left out."""
    time_s: float = 60.0
    """Seconds for a file that is converted in a process apart."""
    memory_mb: int = 1_024
    """Memory of that process for one file, beyond what it needs to start."""
    characters: int = 60_000_000
    """A file with more text is left out."""

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """What the settings say."""
        return cls(
            bytes=settings.document_bytes, time_s=settings.document_timeout_s, memory_mb=settings.document_memory_mb
        )
