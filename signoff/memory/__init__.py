"""Long-term memory: what a person explicitly asked to have remembered, per person, on LangGraph's Store."""

from __future__ import annotations

from signoff.memory.fact import Fact, Kind, Source, State
from signoff.memory.memory import Memory
from signoff.memory.spoken import asked_to_remember

__all__ = ["Fact", "Kind", "Memory", "Source", "State", "asked_to_remember"]
