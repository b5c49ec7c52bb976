"""Long-term memory: what a person explicitly asked to have remembered, per person, on LangGraph's Store."""

from __future__ import annotations

from signoff.memory.asking import asked_to_remember
from signoff.memory.fact import Fact, Kind, Source, State
from signoff.memory.memory import Memory

__all__ = ["Fact", "Kind", "Memory", "Source", "State", "asked_to_remember"]
