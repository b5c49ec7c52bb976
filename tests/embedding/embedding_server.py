"""A real OpenAI-compatible embeddings endpoint on loopback: strict about what it is sent, answering from a script."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any

DIMENSION = 8
KEY = "sk-loopback"


def vector_of(text: str) -> list[float]:
    """Its vector, not of length 1."""
    return [b / 16 + 0.5 for b in hashlib.sha256(text.encode()).digest()[:DIMENSION]]


@dataclass(frozen=True)
class Status:
    """A refusal."""

    status: int
    error: dict[str, Any] = field(default_factory=lambda: {"message": "scripted"})
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """A body as it is."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Changed:
    """The right entries, changed."""

    change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


class Hang:
    """Takes the request and never answers."""


class Trickle:
    """Sends a byte now and then, for ever."""


class Drop:
    """Closes the connection without an answer."""


class Good:
    """Answers as OpenAI does."""


Response = Status | Raw | Changed | Hang | Trickle | Drop | Good


class EmbeddingServer:
    """Answers the n-th request with the n-th response, and all further ones well. Texts longer than `longest` and
    requests with more characters than `most` are refused as too long."""

    def __init__(self, *script: Response, longest: int = 10_000, most: int = 1_000_000, key: str | None = KEY) -> None:
        self.script = list(script)
        self.inputs: list[list[str]] = []
        self.headers: list[dict[str, str]] = []
        self.faults: list[str] = []
        """What a strict endpoint would refuse."""
        self._longest, self._most, self._key = longest, most, key
        self._lock = Lock()
        self._stopped = Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                owner._answer(self, raw)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                """A client that gives up is part of the script."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> EmbeddingServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def _check(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        expected = f"Bearer {self._key}" if self._key else "Bearer not-needed"
        texts = body.get("input")
        rules = {
            "path": handler.path == "/v1/embeddings",
            "content type": handler.headers["content-type"] == "application/json",
            "key": handler.headers["authorization"] == expected,
            "fields": set(body) == {"model", "input", "encoding_format"},
            "model": body.get("model") == "served",
            "format": body.get("encoding_format") == "float",
            "input": isinstance(texts, list) and 1 <= len(texts) <= 64,
            "texts": all(isinstance(t, str) and t.strip() and "\0" not in t for t in texts or ()),
        }
        self.faults += [name for name, kept in rules.items() if not kept]

    def _answer(self, handler: BaseHTTPRequestHandler, raw: bytes) -> None:
        handler.close_connection = True
        body = json.loads(raw)
        with self._lock:
            self._check(handler, body)
            texts: list[str] = body["input"]
            response = self.script.pop(0) if self.script else Good()
            self.inputs.append(texts)
            self.headers.append({k.lower(): v for k, v in handler.headers.items()})
        if any(len(t) > self._longest for t in texts) or sum(map(len, texts)) > self._most:
            response = Status(400, {"message": "This model's maximum context length is 10 tokens.", "code": None})
        entries = [{"object": "embedding", "index": i, "embedding": vector_of(t)} for i, t in enumerate(texts)]
        match response:
            case Hang():
                self._stopped.wait(30)
            case Drop():
                return
            case Trickle():
                handler.send_response(200)
                handler.send_header("content-type", "application/json")
                handler.send_header("content-length", "1000000")
                handler.send_header("connection", "close")
                handler.end_headers()
                while not self._stopped.wait(0.05):
                    handler.wfile.write(b" ")
                    handler.wfile.flush()
            case Status(status, error, headers):
                self._send(handler, status, json.dumps({"error": error}), "application/json", headers)
            case Raw(text, content_type):
                self._send(handler, 200, text, content_type, {})
            case Changed(change):
                self._send(handler, 200, _answered(change(entries)), "application/json", {})
            case Good():
                self._send(handler, 200, _answered(entries), "application/json", {})

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, status: int, body: str, kind: str, more: dict[str, str]) -> None:
        data = body.encode()
        handler.send_response(status)
        # A connection that is closed must say so: a client that takes it up again loses a try.
        always = {"content-type": kind, "content-length": str(len(data)), "connection": "close"}
        for name, value in {**always, **more}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)


def _answered(entries: list[dict[str, Any]]) -> str:
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return json.dumps({"object": "list", "data": entries, "model": "served", "usage": usage})
