"""A real OpenAI-compatible endpoint on loopback, answering from a script."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Stream:
    """A streamed answer: each piece is one `data:` line, JSON or raw."""

    pieces: Sequence[dict[str, Any] | str]
    done: bool = True
    """End with `data: [DONE]`."""
    then: str = "close"
    """`close` ends the stream; `cut` breaks it within a chunk; `hang` is silent; `keepalive` sends comments."""


@dataclass(frozen=True)
class Status:
    """A refusal with a status."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """Takes the request and never answers."""


@dataclass(frozen=True)
class Whole:
    """An endpoint that ignores `stream` and answers with one JSON body."""

    body: dict[str, Any]


@dataclass(frozen=True)
class Says:
    """A scripted model: what it answers depends on what it is asked, and how on whether a stream is asked for."""

    say: Callable[[dict[str, Any]], dict[str, Any] | Status]
    """Request to message, such as `{"content": "hi"}` or `{"tool_calls": […]}`; or to a refusal."""


Response = Stream | Status | Hang | Whole | Says


class OpenAIServer:
    """Answers the n-th request with the n-th response; the last one answers all further requests."""

    def __init__(self, *script: Response) -> None:
        self.script = list(script)
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self._lock = Lock()
        self._stopped = Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with owner._lock:
                    response = owner.script[min(len(owner.bodies), len(owner.script) - 1)]
                    owner.bodies.append(body)
                    owner.headers.append({k.lower(): v for k, v in self.headers.items()})
                    owner.paths.append(self.path)
                owner._answer(self, response, body)

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

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler, response: Response, asked: dict[str, Any]) -> None:
        handler.close_connection = True
        match response:
            case Hang():
                self._stopped.wait(30)
            case Status(status, body, headers):
                self._send(handler, status, body if body is not None else {"error": {"message": "scripted"}}, headers)
            case Says(say):
                said = say(asked)
                self._answer(handler, said if isinstance(said, Status) else _worded(said, asked), asked)
            case Whole(body):
                self._send(handler, 200, body, {})
            case Stream():
                self._stream(handler, response)

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: dict[str, str]) -> None:
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {
            "content-type": "application/json",
            "content-length": str(len(raw)),
            "connection": "close",
            **headers,
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(raw)

    def _stream(self, handler: BaseHTTPRequestHandler, stream: Stream) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.send_header("connection", "close")
        handler.end_headers()

        def line(text: str) -> None:
            raw = text.encode()
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
            handler.wfile.flush()

        for piece in stream.pieces:
            line(f"data: {piece if isinstance(piece, str) else json.dumps(piece)}\n\n")
        match stream.then:
            case "cut":
                handler.wfile.write(b'40\r\ndata: {"cho')
                handler.wfile.flush()
                handler.connection.shutdown(socket.SHUT_RDWR)
                return
            case "hang":
                self._stopped.wait(30)
                return
            case "keepalive":
                until = time.monotonic() + 30
                while time.monotonic() < until and not self._stopped.wait(0.02):
                    line(": keep-alive\n\n")
                return
        if stream.done:
            line("data: [DONE]\n\n")
        handler.wfile.write(b"0\r\n\r\n")


def piece(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of a streamed chat completion."""
    choices = [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "served-model",
        "choices": choices,
        **more,
    }


def says(*texts: str) -> list[dict[str, Any]]:
    """Chunks of text."""
    return [piece({"role": "assistant", "content": t}) for t in texts]


def fragment(
    arguments: str | None = None, *, index: int | None = None, id: str | None = None, name: str | None = None
) -> dict[str, Any]:
    """A fragment of a tool call; what is None is left out, as endpoints do."""
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    call = {"index": index, "id": id, "type": "function" if id else None, "function": function}
    return piece({"tool_calls": [{k: v for k, v in call.items() if v is not None}]})


def usage(prompt: int, completion: int) -> dict[str, Any]:
    """The last chunk: no choices, the usage."""
    total = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return piece(choices=[], usage=total)


def answer(*texts: str, prompt: int = 11, completion: int = 7) -> Stream:
    """A plain good answer with usage."""
    return Stream([*says(*texts), piece(finish="stop"), usage(prompt, completion)])


def _worded(message: dict[str, Any], asked: dict[str, Any]) -> Response:
    """A message as the endpoint sends it: in pieces of a few letters, or whole."""
    reason = message.get("finish_reason") or ("tool_calls" if message.get("tool_calls") else "stop")
    said = {k: v for k, v in message.items() if k != "finish_reason"}
    total = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    if not asked.get("stream"):
        choice = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": reason}
        return Whole({"id": "x", "model": "served-model", "choices": [choice], "usage": total})
    text = str(said.pop("content", None) or "")
    pieces = [piece({"content": text[i : i + 5]}) for i in range(0, len(text), 5)]
    calls = said.pop("tool_calls", None) or []
    pieces += [piece({"tool_calls": [{"index": i, **c}]}) for i, c in enumerate(calls)]
    pieces = [*([piece(said)] if said else []), *pieces, piece(finish=reason)]
    return Stream([*pieces, *([usage(20, 5)] if "stream_options" in asked else [])])


def called(name: str, arguments: str, id: str = "call_1") -> dict[str, Any]:
    """A structured tool call."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
