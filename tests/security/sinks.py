"""Where an attacker would listen: a web server and a mailbox on loopback that keep whatever reaches them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller


class Web:
    """Serves the pages it is given and keeps every request."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.asked: list[str] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked.append(f"{self.command} {self.path}")
                body = web.pages.get(self.path, "<p>Thank you.</p>").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_PUT = do_GET  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}"

    @contextmanager
    def open(self) -> Iterator[Web]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join(5)


class Mailbox:
    """Keeps every recipient of every message."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:  # noqa: N802
        self.taken.extend(envelope.rcpt_tos)
        return "250 Queued"

    @contextmanager
    def open(self) -> Iterator[str]:
        """The address of a real SMTP server, as the settings take it."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        controller = Controller(self, hostname="127.0.0.1", port=port, ready_timeout=20)
        controller.start()
        try:
            yield f"smtp://127.0.0.1:{port}"
        finally:
            controller.stop()
