"""Signoff: a service desk that changes nothing until a person has signed off that exact change.

The names are loaded when they are first used: importing LangGraph takes a second, `signoff --help` must not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.errors import SignoffError, ToolError, UserError
    from signoff.graph.desk import Desk
    from signoff.graph.turn import Turn
    from signoff.settings import Settings
    from signoff.tools.contract import Change, Example, Preview, Risk, Stale, Tool, View
    from signoff.tools.decorator import tool
    from signoff.tools.envelope import Code

__version__ = "0.1.0"

__all__ = [
    "Caller",
    "Change",
    "Code",
    "Desk",
    "Example",
    "Preview",
    "Risk",
    "Settings",
    "SignoffError",
    "Stale",
    "Tool",
    "ToolError",
    "Turn",
    "UserError",
    "View",
    "tool",
]

_HOMES = {
    "Caller": "signoff.caller",
    "SignoffError": "signoff.errors",
    "ToolError": "signoff.errors",
    "UserError": "signoff.errors",
    "Desk": "signoff.graph.desk",
    "Turn": "signoff.graph.turn",
    "Settings": "signoff.settings",
    "Code": "signoff.tools.envelope",
    "tool": "signoff.tools.decorator",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'signoff' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "signoff.tools.contract")), name)
