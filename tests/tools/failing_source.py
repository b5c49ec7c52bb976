"""A real HTTP source that fails as a test tells it to, and tools of every kind that ask it."""

from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from page_server import PageServer, answer

from signoff import Preview, Stale, Tool, tool

GOOD = answer(200, {"Content-Length": "4", "Connection": "close"}, b"fine")


def status(code: int, **headers: str) -> bytes:
    lines = {"Content-Length": "0", "Connection": "close"} | {n.replace("_", "-"): v for n, v in headers.items()}
    return answer(code, lines)


class Source:
    """An HTTP source on loopback that answers in order what it is told to, and afterwards always well."""

    def __init__(self, server: PageServer) -> None:
        self._server = server
        self._answers: list[Any] = []
        self._over = threading.Event()
        self.url = server.does("/data", self._answer)
        # Without certificates, which take longer to load than all the rest.
        self._client = httpx.Client(timeout=20, trust_env=False, verify=False)

    def says(self, *answers: Any) -> None:
        """Bytes are sent as they are, or what a function gives when the time has come; `drop` closes the
        connection; `hang` keeps it open and sends nothing."""
        self._answers = list(answers)
        self._server.asked.clear()

    def over(self) -> None:
        """Let go of what hangs."""
        self._over.set()
        self._client.close()

    @property
    def asked(self) -> int:
        """Requests since it was last told what to say."""
        return len(self._server.asked)

    def _answer(self, connection: socket.socket, _: str) -> None:
        said = self._answers.pop(0) if self._answers else GOOD
        if said == "hang":
            self._over.wait(30)
        elif said != "drop":
            connection.sendall(said() if callable(said) else said)

    def ask(self) -> str:
        """One request, with nothing around it that tries again."""
        response = self._client.get(self.url)
        response.raise_for_status()
        return response.text


def tools_on(source: Source) -> list[Tool]:
    """An idempotent read, one that is not, one with a fallback, a draft and two writes, all of the same source."""

    @tool(idempotent=True, timeout_s=5.0)
    def steady(n: int = 0) -> dict[str, Any]:
        """Reads the source, and may do so again."""
        return {"text": source.ask(), "n": n}

    @tool(idempotent=True, timeout_s=0.8)
    def hasty(n: int = 0) -> dict[str, Any]:
        """Reads the source, and has little patience."""
        return {"text": source.ask(), "n": n}

    @tool
    def once_only(n: int = 0) -> dict[str, Any]:
        """Reads the source; reading changes what it says the next time."""
        return {"text": source.ask(), "n": n}

    def remembered(n: int = 0) -> Stale:
        if n == 13:
            raise LookupError("nothing is remembered of it")
        return Stale({"text": "old", "n": n}, datetime.now(UTC) - timedelta(hours=3, minutes=20))

    @tool(fallback=remembered, render=lambda data, lang: f"It says {data['text']}." if lang == "en" else "有结果。")
    def cached(n: int = 0) -> dict[str, Any]:
        """Reads the source, or what it said before."""
        return {"text": source.ask(), "n": n}

    @tool(risk="draft", undo="post", effect="outside")
    def sketch(n: int = 0) -> dict[str, Any]:
        """Makes a draft at the source."""
        return {"text": source.ask(), "n": n}

    @tool(risk="write", preview=lambda **_: Preview("Post"), effect="outside")
    def post(n: int = 0) -> dict[str, Any]:
        """Posts to the source."""
        return {"text": source.ask(), "n": n}

    there: list[int] = []

    def look(n: int = 0) -> dict[str, Any] | None:
        return {"found": n} if n in there else None

    @tool(risk="write", preview=lambda **_: Preview("Put"), effect="outside", reconcile=look)
    def put(n: int = 0) -> dict[str, Any]:
        """Puts a number to the source, which keeps the odd ones before it answers."""
        if n % 2:
            there.append(n)
        return {"text": source.ask(), "n": n}

    return [steady, hasty, once_only, cached, sketch, post, put]
