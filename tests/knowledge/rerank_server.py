"""A reranker on loopback that is strict about what it is sent, and answers as a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

KEY = "sk-secret-4711"
Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


class RerankServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1/rerank"


class _Handler(BaseHTTPRequestHandler):
    server: RerankServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wrong = _wrong(self.path, self.headers.get("Content-Type", ""), self.headers.get("Authorization"), body)
        self.server.asked.append(body)
        status, content = (400, wrong.encode()) if wrong else self.server.answer(body)
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The client did not wait.

    def log_message(self, format: str, *args: Any) -> None:
        return


def _wrong(path: str, kind: str, key: str | None, body: dict[str, Any]) -> str:
    if path != "/v1/rerank" or not kind.startswith("application/json") or key != f"Bearer {KEY}":
        return "path, type or key"
    if set(body) != {"model", "query", "documents", "top_n", "return_documents"} or body["model"] != "judge-1":
        return "fields"
    texts = body["documents"]
    if not texts or not all(isinstance(t, str) and t for t in texts) or not isinstance(body["query"], str):
        return "documents"
    return "" if body["top_n"] == len(texts) and body["return_documents"] is False else "top_n"


def results(*pairs: tuple[Any, Any], score: str = "relevance_score") -> Answer:
    """An answer with these indices and scores."""
    found = [{"index": i, score: s} for i, s in pairs]
    return lambda body: (200, json.dumps({"model": body["model"], "results": found}).encode())


@contextmanager
def serving(answer: Answer) -> Iterator[RerankServer]:
    server = RerankServer(answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
