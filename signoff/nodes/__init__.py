"""The graph's six nodes, one a file. Each is a plain function of state, runtime and services."""

from signoff.nodes.agent import agent
from signoff.nodes.retrieve import retrieve
from signoff.nodes.route import route
from signoff.nodes.services import Services
from signoff.nodes.tools import tools
from signoff.nodes.validate import validate
from signoff.nodes.write_tools import write_tools

__all__ = ["Services", "agent", "retrieve", "route", "tools", "validate", "write_tools"]
