"""What a server says of one of its tools, and the hash by which a change of it is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Definition:
    """A tool in its server's own words. None of them is believed; what is shown of it is pinned."""

    server: str
    name: str
    description: str
    schema: Mapping[str, Any]
    """The JSON Schema of its arguments, as the server sent it."""
    hints: Mapping[str, bool] = field(default_factory=dict)
    """The server's `readOnlyHint`, `destructiveHint`, …: shown to people, and nothing else."""

    @cached_property
    def hash(self) -> str:
        """SHA-256 over name, description and schema: all that a model is shown."""
        shown = [self.name, self.description, self.schema]
        text = json.dumps(shown, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def record(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "name": self.name,
            "description": self.description,
            "schema": dict(self.schema),
            "hints": dict(self.hints),
        }

    @classmethod
    def of_record(cls, server: str, record: Mapping[str, Any]) -> Definition:
        """The inverse of `record`."""
        return cls(server, record["name"], record["description"], record["schema"], record.get("hints") or {})
