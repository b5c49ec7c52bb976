"""What the nodes work with. One object, made when a home is opened, handed to every node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.checkpoints import ThreadLocks, Threads
from signoff.clock import Clock
from signoff.desks import Profile
from signoff.knowledge import Knowledge
from signoff.memory import Memory
from signoff.models import ModelGateway
from signoff.models.models import Models
from signoff.models.profile import Role
from signoff.nodes.stops import Stops
from signoff.records.database import Database
from signoff.settings import Settings
from signoff.skills import Skills
from signoff.telemetry import Tracer
from signoff.tools.effects import Effects
from signoff.tools.gateway import Gateway
from signoff.tools.proposals import Proposals
from signoff.tools.selection import Selector

if TYPE_CHECKING:
    from signoff.tools.mcp import Connections

Identify = Callable[[Runtime[Caller]], Caller]
"""Says who is asking, from what the authenticated edge put into the run. Raises `Forbidden`."""


@dataclass(frozen=True)
class Services:
    """A desk's parts."""

    profile: Profile
    """The desk: what it is told, which tools and skills it has."""
    skills: Skills
    settings: Settings
    clock: Clock
    database: Database
    threads: Threads
    knowledge: Knowledge
    memory: Memory
    model: ModelGateway
    """The agent's."""
    models: Models
    gateway: Gateway
    proposals: Proposals
    effects: Effects
    selector: Selector
    tracer: Tracer
    identify: Identify
    locks: ThreadLocks
    stops: Stops = field(default_factory=Stops)
    connections: Connections | None = None
    """The MCP servers whose tools the desk has."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """How the desk was opened, as far as a thread must be gone on with in the same way: its workspace."""
    rehearsing: bool = False
    """A replay on a scratch copy: effects are answered from the ledger, and nothing new is proposed."""

    def model_of(self, role: Role) -> ModelGateway | None:
        """The model that a role has beside the agent's; None where it has none, or all is answered from the record."""
        return None if self.model.recorded else self.models.beside(role)
