"""A loopback endpoint that reads requests as strictly as its provider does, with a chat model for a brain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

KEY = "test-key-of-nobody"

Event = tuple[str | None, dict[str, Any] | str]
"""The name of a server-sent event, if it has one, and its data."""


class Fault(Exception):
    """What is wrong with a request, as its provider would say it."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Sent:
    """A request as it came."""

    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A request as LangChain's messages and OpenAI's tools."""

    model: str
    messages: list[BaseMessage]
    tools: list[dict[str, Any]]
    choice: str = "auto"
    stream: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


class Wire(Protocol):
    """One provider's format."""

    name: str
    prefix: str
    """What stands before the paths in the address that a client is given."""

    def read(self, sent: Sent) -> Asked:
        """The request. Raises `Fault` for anything that the provider would refuse."""
        ...

    def refusal(self, fault: Fault) -> dict[str, Any]:
        """The body of a refusal."""
        ...

    def whole(self, answer: AIMessage, asked: Asked) -> dict[str, Any]:
        """An answer in one piece."""
        ...

    def events(self, answer: AIMessage, asked: Asked) -> Iterable[Event]:
        """An answer as a stream."""
        ...


class WireServer:
    """Serves one format on a port of its own. `faults` holds what was wrong with any request."""

    def __init__(self, wire: Wire, brain: BaseChatModel | Callable[[Asked], AIMessage]) -> None:
        self.wire = wire
        self.brain = brain
        self.faults: list[str] = []
        self.sent: list[Sent] = []
        self.asked: list[Asked] = []
        self._lock = Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                owner._post(self)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                """A client that hangs up."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> WireServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers["content-length"] or 0))
        url = urlsplit(handler.path)
        headers = {k.lower(): v for k, v in handler.headers.items()}
        handler.close_connection = True
        try:
            body = json.loads(raw.decode("utf-8"), parse_constant=no_constant)
            sent = Sent(url.path, parse_qs(url.query), headers, body)
            with self._lock:
                self.sent.append(sent)
            asked = self.wire.read(sent)
            answer = self._answer(asked)
        except Fault as fault:
            with self._lock:
                self.faults.append(str(fault))
            self._whole(handler, fault.status, self.wire.refusal(fault))
            return
        except Exception as error:
            with self._lock:
                self.faults.append(f"{type(error).__name__}: {error}")
            self._whole(handler, 500, self.wire.refusal(Fault("internal", 500)))
            raise
        with self._lock:
            self.asked.append(asked)
        if asked.stream:
            self._stream(handler, self.wire.events(answer, asked))
        else:
            self._whole(handler, 200, self.wire.whole(answer, asked))

    def _answer(self, asked: Asked) -> AIMessage:
        if not isinstance(self.brain, BaseChatModel):
            return self.brain(asked)
        said = self.brain.bind_tools(asked.tools, tool_choice=asked.choice).invoke(asked.messages)
        assert isinstance(said, AIMessage)
        return said

    @staticmethod
    def _whole(handler: BaseHTTPRequestHandler, status: int, body: dict[str, Any]) -> None:
        raw = json.dumps(body, ensure_ascii=False).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json; charset=utf-8")
        handler.send_header("content-length", str(len(raw)))
        handler.send_header("connection", "close")
        handler.end_headers()
        handler.wfile.write(raw)

    @staticmethod
    def _stream(handler: BaseHTTPRequestHandler, events: Iterable[Event]) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream; charset=utf-8")
        handler.send_header("transfer-encoding", "chunked")
        handler.send_header("connection", "close")
        handler.end_headers()
        for name, data in events:
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
            raw = f"event: {name}\ndata: {text}\n\n".encode() if name else f"data: {text}\n\n".encode()
            # A character of several bytes may come in two pieces.
            for part in (raw[: len(raw) // 2], raw[len(raw) // 2 :]):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                handler.wfile.flush()
        handler.wfile.write(b"0\r\n\r\n")


def no_constant(name: str) -> Any:
    """Refuses NaN and the infinities, which Python reads as JSON."""
    raise Fault(f"{name} is not JSON")
