"""The connections of one call, so that another thread can end a wait that no time-out of the HTTP client ends."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from threading import Lock
from typing import Any

_current: ContextVar[Connection | None] = ContextVar("signoff_connection", default=None)


class Connection:
    """What a call's requests are sent over, from the time it is connected until its answer has been read.

    A generator that runs in one thread cannot be closed from another, and closing a socket there would not wake who
    reads it; shutting it down does. A connection that went back to its pool is another call's and is left alone.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._sockets: list[socket.socket] = []
        self._closed = False

    def follow(self) -> None:
        """Follow all requests that this thread's context makes from now on, through clients with `HOOKS`."""
        _current.set(self)

    def close(self) -> None:
        """End what is being sent or awaited, and whatever is connected later. May be called from any thread."""
        with self._lock:
            self._closed = True
            for found in self._sockets:
                _shut(found)
            self._sockets.clear()

    def met(self, stream: Any) -> None:
        """A network stream of httpcore is the call's."""
        found = stream.get_extra_info("socket") if hasattr(stream, "get_extra_info") else None
        if not isinstance(found, socket.socket):
            return
        with self._lock:
            if self._closed:
                _shut(found)
            elif found not in self._sockets:
                self._sockets.append(found)

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """httpcore's `trace` extension (https://www.encode.io/httpcore/extensions/#trace)."""
        if event.endswith(".response_closed.started"):
            # Directly before the connection may be another call's.
            with self._lock:
                self._sockets.clear()
        elif event.endswith((".connect_tcp.complete", ".connect_unix_socket.complete", ".start_tls.complete")):
            self.met(info.get("return_value"))


def _on_request(request: Any) -> None:
    connection = _current.get()
    if connection is not None:
        request.extensions["trace"] = connection.trace


def _on_response(response: Any) -> None:
    connection = _current.get()
    if connection is not None:
        # One that was connected for an earlier call shows itself only here.
        connection.met(response.extensions.get("network_stream"))


HOOKS: Mapping[str, list[Any]] = {"request": [_on_request], "response": [_on_response]}
"""`event_hooks` of a client of httpx, or of httpx2, that is followed."""


def followed(client: Any) -> None:
    """Put the hooks into a client that somebody else made, once."""
    hooks = {name: list(hooks) for name, hooks in client.event_hooks.items()}
    for name, ours in HOOKS.items():
        hooks[name] = [*ours, *(h for h in hooks.get(name, ()) if h not in ours)]
    client.event_hooks = hooks


def _shut(found: socket.socket) -> None:
    with suppress(OSError):
        # Not the method of `ssl.SSLSocket`, which would take the TLS away from under whoever reads.
        socket.socket.shutdown(found, socket.SHUT_RDWR)
