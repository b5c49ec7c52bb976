"""A connection that goes to given addresses and nowhere else, and ends when its time is over."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx

from signoff.errors import ToolError
from signoff.tools.envelope import Code

CONNECT_S = 5.0
"""Seconds for one address to take the connection."""


def timed_out() -> ToolError:
    """The page did not come within the time for all of it."""
    return ToolError(
        Code.TIMEOUT,
        "The page did not arrive within its time.",
        zh="网页没有在限定时间内返回。",
        # Not to be tried again by the gateway: the time was for all tries.
        hint="Say that the page is too slow to be read now.",
    )


class Deadline:
    """A moment after which nothing more is waited for."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left. Raises `ToolError` when there are none."""
        seconds = self._ends - time.monotonic()
        if seconds <= 0:
            raise timed_out()
        return seconds

    @property
    def over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() >= self._ends


class _Stream(httpcore.NetworkStream):
    """A socket whose every wait ends at the deadline, however slowly the other side drips."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = sock, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _mapped(httpcore.ReadTimeout, httpcore.ReadError):
            self._socket.settimeout(self._deadline.left())
            return self._socket.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _mapped(httpcore.WriteTimeout, httpcore.WriteError):
            self._socket.settimeout(self._deadline.left())
            self._socket.sendall(buffer)

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            with _mapped(httpcore.ConnectTimeout, httpcore.ConnectError):
                self._socket.settimeout(self._deadline.left())
                sock = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except httpcore.ConnectError as error:
            self.close()
            if isinstance(error.__cause__, ssl.SSLCertVerificationError):
                raise ToolError(
                    Code.SERVICE_UNAVAILABLE,
                    "The server's certificate is not valid, so the page was not read.",
                    zh="服务器的证书无效,未读取该网页。",
                    hint="Say that the site's certificate is not valid. Do not try it over http.",
                ) from None
            raise
        return _Stream(sock, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object":
            return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
        return self._socket if info == "socket" else None


@contextmanager
def _mapped(timeout: type[Exception], other: type[Exception]) -> Iterator[None]:
    """A socket's errors as httpcore's."""
    try:
        yield
    except TimeoutError as error:
        raise timeout(str(error)) from error
    except OSError as error:
        raise other(str(error)) from error


class _Backend(httpcore.NetworkBackend):
    """Connects to the addresses that were judged, whatever name the request has; nothing is looked up again."""

    def __init__(self, addresses: Sequence[str], deadline: Deadline) -> None:
        self._addresses, self._deadline = addresses, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failed: Exception = httpcore.ConnectError("there is no address to connect to")
        for address in self._addresses:
            try:
                with _mapped(httpcore.ConnectTimeout, httpcore.ConnectError):
                    return _Stream(self._connected(address, port), self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed

    def _connected(self, address: str, port: int) -> socket.socket:
        sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.settimeout(min(CONNECT_S, self._deadline.left()))
            sock.connect((address, port))
        except BaseException:
            sock.close()
            raise
        return sock


@contextmanager
def _translated(deadline: Deadline) -> Iterator[None]:
    """httpcore's errors as httpx's of the same name, but when the time is over, that is said."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        if deadline.over:
            raise timed_out() from None
        if isinstance(error, httpcore.LocalProtocolError):
            raise ToolError(
                Code.INVALID_ARGUMENTS,
                "The address cannot be asked for over HTTP.",
                zh="该网址无法通过 HTTP 请求。",
                hint="Use the address as the person or a result gave it.",
            ) from None
        kind: type[httpx.TransportError] = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise kind(str(error)) from error


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def __iter__(self) -> Iterator[bytes]:
        with _translated(self._deadline):
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


class PinnedTransport(httpx.BaseTransport):
    """Sends requests to the given addresses only; the request's host is kept for TLS and the Host header."""

    def __init__(self, addresses: Sequence[str], deadline: Deadline) -> None:
        self._deadline = deadline
        self._pool = httpcore.ConnectionPool(
            ssl_context=None, max_connections=1, network_backend=_Backend(addresses, deadline)
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with _translated(self._deadline):
            response = self._pool.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                )
            )
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream, self._deadline),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()
