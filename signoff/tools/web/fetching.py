"""Gets one page: every hop is checked, resolved once and connected to at that very address, within one deadline."""

from __future__ import annotations

import re
import socket
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address

import httpx

from signoff.errors import ToolError
from signoff.text import shorten
from signoff.tools.envelope import Code
from signoff.tools.executor import TimedOut, run
from signoff.tools.retries import RETRIED
from signoff.tools.web.addresses import literal, named, not_public, public, reach
from signoff.tools.web.connection import Deadline, PinnedTransport, timed_out

REDIRECTS = 5
URL_CHARS = 2_000
_REDIRECT = frozenset({301, 302, 303, 307, 308})
_READABLE = re.compile(
    r"text/[\w.+-]+|application/(?:xhtml\+xml|(?:[\w.-]+\+)?(?:json|xml)|json5|ndjson|x-ndjson|yaml|x-yaml|toml)"
)
_HEADERS = {
    "accept": "text/html, application/xhtml+xml, application/json, text/*;q=0.9, application/xml;q=0.8",
    # Only what is decompressed here, step by step: a decoder without a limit could fill the memory.
    "accept-encoding": "gzip",
    "user-agent": "signoff-fetch",
}


@dataclass(frozen=True)
class Page:
    """What was read of a page."""

    url: str
    """Where it was found in the end, after all redirects."""
    content_type: str
    """The media type, such as `text/html`; empty when the server named none."""
    charset: str | None
    """What the server said of the encoding."""
    content: bytes
    """Decompressed, at most as long as was asked for."""
    truncated: bool


def fetch(url: str, *, hosts: Sequence[str], timeout_s: float, limit: int) -> Page:
    """Read at most `limit` bytes of a page within `timeout_s` seconds, over at most 5 redirects.

    Raises `ToolError` for what will not change (a bad URL, a host that may not be read, a page that is not there, a
    type that is not text, too slow an answer). `httpx.HTTPStatusError` for the statuses of `RETRIED`, such as 429 and
    503, and `httpx.TransportError` for a connection that failed may not come when it is tried again.
    """
    deadline = Deadline(timeout_s)
    target = _checked(url)
    for _ in range(REDIRECTS + 1):
        addresses = _addresses(target, hosts, deadline)
        with (
            httpx.Client(transport=PinnedTransport(addresses, deadline), trust_env=False, timeout=None) as client,
            client.stream("GET", target, headers=_HEADERS, follow_redirects=False) as response,
        ):
            if response.status_code in _REDIRECT and "location" in response.headers:
                target = _followed(target, response.headers["location"])
                continue
            return _read(response, deadline, limit)
    raise ToolError(
        Code.SERVICE_UNAVAILABLE,
        f"The page redirects more than {REDIRECTS} times.",
        zh=f"该网页重定向超过 {REDIRECTS} 次。",
        hint="Say that the page cannot be read.",
    )


def _bad(url: str, why: str, why_zh: str) -> ToolError:
    return ToolError(
        Code.INVALID_ARGUMENTS,
        f"{shorten(url, 80)!r} cannot be read: {why}.",
        zh=f"无法读取「{shorten(url, 80)}」:{why_zh}。",
        hint="Use the address as the person or a result gave it, with http:// or https://.",
    )


def _checked(text: str) -> httpx.URL:
    """A URL that is one and has nothing it should not have."""
    if len(text) > URL_CHARS:
        raise _bad(text, f"it is longer than {URL_CHARS:,} characters", f"网址超过 {URL_CHARS} 个字符")
    if re.search(r"[\s\\\x00-\x20\x7f]", text):
        raise _bad(text, "it has a blank, a backslash or a control character", "网址里有空格、反斜杠或控制字符")
    if not re.match(r"https?://", text, re.IGNORECASE):
        raise _bad(text, "only http:// and https:// addresses are read", "只支持 http:// 和 https:// 网址")
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode("ascii").lower()
        if not host:
            raise ValueError("no host")
        if ":" not in host and literal(host) is None:
            named(host)
    except (httpx.InvalidURL, ValueError):
        raise _bad(text, "it is not a valid address", "网址无效") from None
    if url.userinfo or "@" in text.split("//", 1)[1].split("/", 1)[0]:
        # The credentials themselves are not repeated.
        raise _bad(
            f"{url.scheme}://{host}/…",
            "an address with a user name or password is not read",
            "不读取带用户名或密码的网址",
        )
    if url.port is not None and not 0 < url.port < 65_536:
        raise _bad(text, "it has no valid port", "端口无效")
    return url.copy_with(host=host.rstrip(".") if ":" not in host else host, fragment=None)


def _followed(url: httpx.URL, location: str) -> httpx.URL:
    try:
        target = _checked(str(url.join(location)))
    except httpx.InvalidURL:
        raise _bad(location, "the page redirects to what is not a valid address", "重定向的目标网址无效") from None
    if url.scheme == "https" and target.scheme == "http":
        raise _bad(str(target), "the page redirects from https to http", "网页从 https 重定向到了 http")
    return target


def _addresses(url: httpx.URL, hosts: Sequence[str], deadline: Deadline) -> list[str]:
    """Where to connect: every address of the host, all of them public unless this very one was listed."""
    host = url.raw_host.decode("ascii")
    port = url.port or (443 if url.scheme == "https" else 80)
    own = literal(host)
    far = reach(str(own) if own else named(host), port, hosts)
    if own is not None:
        if far == "public" and not public(own):
            raise not_public(host)
        return [str(own)]
    found = _resolved(host, port, deadline)
    if not found or not all(public(ip_address(a)) for a in found):
        raise not_public(host)
    return found


def _resolved(host: str, port: int, deadline: Deadline) -> list[str]:
    try:
        answers = run(partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM), deadline.left())
    except TimedOut:
        raise timed_out() from None
    except socket.gaierror as error:
        if error.errno == socket.EAI_AGAIN:
            raise httpx.ConnectError(f"{host} could not be looked up now") from None
        raise ToolError(
            Code.NOT_FOUND,
            f"There is no host {shorten(host, 60)}.",
            zh=f"找不到主机 {shorten(host, 60)}。",
            hint="Check the address with the person; do not guess another.",
        ) from None
    except (UnicodeError, OSError):
        raise _bad(host, "the name cannot be looked up", "域名无法解析") from None
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))


def _read(response: httpx.Response, deadline: Deadline, limit: int) -> Page:
    status, where = response.status_code, shorten(str(response.url), 80)
    if status in RETRIED:
        response.raise_for_status()
    if status >= 500:
        raise ToolError(
            Code.SERVICE_UNAVAILABLE,
            f"The server cannot give out {where}: it answered {status}.",
            zh=f"服务器无法给出 {where}:返回 {status}。",
            hint="Say that the page could not be read, with this number.",
        )
    if not 200 <= status < 300:
        denied = status in (401, 402, 403, 407, 451)
        raise ToolError(
            Code.FORBIDDEN if denied else Code.NOT_FOUND,
            f"The server does not give out {where}: it answered {status}.",
            zh=f"服务器没有给出 {where}:返回 {status}。",
            hint="Say that the page could not be read, with this number.",
        )
    media, _, parameters = response.headers.get("content-type", "").partition(";")
    media = media.strip().lower()
    if media and not _READABLE.fullmatch(media):
        raise ToolError(
            Code.NOT_ELIGIBLE,
            f"{where} is {shorten(media, 60)}, which is not read: only HTML, text, JSON and XML are.",
            zh=f"{where} 的类型是 {shorten(media, 60)},不支持读取:只支持 HTML、文本、JSON 和 XML。",
            hint="Say that this kind of file cannot be read here.",
        )
    content, truncated = _content(response, deadline, limit)
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:+-]+)", parameters, re.IGNORECASE)
    return Page(str(response.url), media, charset[1] if charset else None, content, truncated)


def _content(response: httpx.Response, deadline: Deadline, limit: int) -> tuple[bytes, bool]:
    """At most `limit` decompressed bytes, and whether there were more."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise ToolError(
            Code.NOT_ELIGIBLE,
            f"The page is compressed as {shorten(encoding, 40)}, which was not asked for and is not read.",
            zh=f"该网页使用了不支持的压缩方式 {shorten(encoding, 40)}。",
            hint="Say that the page could not be read.",
        )
    unpacker = _Gunzip() if encoding.endswith("gzip") else None
    content, raw = bytearray(), 0
    for piece in response.iter_raw():
        raw += len(piece)
        for part in unpacker.parts(piece, limit + 1) if unpacker else (piece,):
            content += part
            if len(content) > limit:
                return bytes(content[:limit]), True
            deadline.left()
        # What decompresses to nothing must not be read for ever.
        if raw > limit:
            return bytes(content), True
    return bytes(content), False


class _Gunzip:
    """Decompresses gzip in steps of a bounded size; several members may follow one another (RFC 1952)."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(wbits=31)
        self._ended = False

    def parts(self, piece: bytes, most: int) -> Iterator[bytes]:
        """What comes out of a piece, in parts of at most `most` bytes. Raises `ToolError` when it is damaged."""
        while piece and not self._ended:
            try:
                part = self._decoder.decompress(piece, most)
            except zlib.error:
                raise ToolError(
                    Code.SERVICE_UNAVAILABLE,
                    "The page's compressed content is damaged.",
                    zh="该网页的压缩内容已损坏。",
                    hint="Say that the page could not be read.",
                ) from None
            yield part
            piece = self._decoder.unconsumed_tail
            if self._decoder.eof:
                piece = self._decoder.unused_data
                self._decoder = zlib.decompressobj(wbits=31)
                # Padding after the last member is no member.
                self._ended = bool(piece) and not piece.startswith(b"\x1f\x8b")
