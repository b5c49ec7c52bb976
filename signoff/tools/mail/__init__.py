"""One message: who it may go to, how it is written, and handing it to the server."""

from __future__ import annotations

from signoff.tools.mail.message import Letter, compose
from signoff.tools.mail.server import Server, hand_in

__all__ = ["Letter", "Server", "compose", "hand_in"]
