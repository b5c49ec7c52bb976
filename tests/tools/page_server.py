"""A real HTTP server on loopback, whose every path is a function of the test."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

Handler = Callable[[socket.socket, str], None]


@dataclass
class PageServer:
    """Answers raw bytes, so that slow, broken and hostile servers are as easy as good ones."""

    port: int
    pages: dict[str, Handler] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """The path and headers of every request, in order."""

    def url(self, path: str, *, scheme: str = "http", host: str = "127.0.0.1") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """What lets `fetch_url` read this server."""
        return (f"127.0.0.1:{self.port}",)

    def page(self, path: str, body: bytes | str, kind: str = "text/html; charset=utf-8", **headers: str) -> str:
        content = body.encode() if isinstance(body, str) else body
        lines = {"Content-Type": kind, "Content-Length": str(len(content)), "Connection": "close"}
        lines |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.raw(path, answer(200, lines, content))

    def status(self, path: str, status: int, **headers: str) -> str:
        lines = {"Content-Length": "0", "Connection": "close"} | {n.replace("_", "-"): v for n, v in headers.items()}
        return self.raw(path, answer(status, lines))

    def raw(self, path: str, content: bytes) -> str:
        return self.does(path, lambda connection, _: connection.sendall(content))

    def does(self, path: str, handler: Handler) -> str:
        self.pages[path] = handler
        return self.url(path)


def answer(status: int, headers: dict[str, str], body: bytes = b"") -> bytes:
    """A whole HTTP/1.1 answer."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Answer\r\n{lines}\r\n".encode() + body


@contextmanager
def serving(certificate: Path | None = None, address: str = "127.0.0.1") -> Iterator[PageServer]:
    """A server on a free port; with a certificate (and its key in one file) over TLS."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    listener = socket.create_server((address, 0))
    server = PageServer(listener.getsockname()[1])
    stopped = threading.Event()
    connections: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        try:
            with context.wrap_socket(connection, server_side=True) if context else connection as stream:
                request = b""
                while b"\r\n\r\n" not in request:
                    piece = stream.recv(65_536)
                    if not piece:
                        return
                    request += piece
                first, *lines = request.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
                path = first.split(" ")[1]
                server.asked.append((path, {k.lower(): v for k, v in (x.split(": ", 1) for x in lines)}))
                handler = server.pages.get(path)
                if handler is None:
                    stream.sendall(answer(404, {"Content-Length": "0", "Connection": "close"}))
                else:
                    handler(stream, path)
        except OSError:
            pass  # The reader hung up, as some tests have it do.

    def accept() -> None:
        while not stopped.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connections.append(connection)
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        stopped.set()
        # Closing alone does not wake an accept that waits.
        for s in (listener, *connections):
            with suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
            s.close()
        thread.join(5)
