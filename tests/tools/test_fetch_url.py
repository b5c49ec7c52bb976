"""One page is read from a real server, within its time and size, and nothing leads anywhere it may not go."""

from __future__ import annotations

import gzip
import socket
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from general_run import JSON, call, refusal, settings, survives, unhurried
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from page_server import PageServer, answer, serving

from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.tools.catalog.web import fetch_url
from signoff.tools.web.connection import Deadline, PinnedTransport
from signoff.tools.web.extraction import extract

Answers = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def server() -> Iterator[PageServer]:
    with serving() as running:
        yield running


def reading(server: PageServer, **values: Any) -> Settings:
    return settings(fetch_hosts=server.hosts, **values)


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Names are found at these addresses; the names that were asked for are kept."""
    asked: list[str] = []

    def found(host: str, port: int, *_: Any, **__: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        kinds = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(kinds[":" in a], socket.SOCK_STREAM, 6, "", (a, port)) for a in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    return asked


def test_a_page_is_read(server: PageServer) -> None:
    url = server.page("/a?b=1", "<title>Opening hours</title><h1>Hours</h1><p>We open at <b>nine</b>.</p>")
    data = call(fetch_url, reading(server), url=url + "#top")
    assert data["url"] == url + "#top" and data["final_url"] == url
    assert (data["title"], data["text"]) == ("Opening hours", "# Hours\nWe open at nine.")
    assert (data["content_type"], data["truncated"]) == ("text/html", False)
    assert data["bytes"] > 50
    path, headers = server.asked[0]
    assert (path, headers["host"]) == ("/a?b=1", f"127.0.0.1:{server.port}")
    assert not {"cookie", "authorization", "referer"} & headers.keys()


def test_what_it_says_of_itself() -> None:
    assert fetch_url.untrusted and fetch_url.egress and fetch_url.idempotent


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("plain\r\ntext", "text/plain", "plain\ntext"),
        ('{"a": "中"}', "application/json", '{"a": "中"}'),
        ("<a>1</a>", "application/xml", "<a>1</a>"),
        ("<rss>1</rss>", "application/rss+xml; charset=utf-8", "<rss>1</rss>"),
        ("a,b\n1,2", "text/csv", "a,b\n1,2"),
        ("<p>x</p>", "application/xhtml+xml", "x"),
        ("中文网页".encode("gbk"), "text/plain; charset=gb2312", "中文网页"),
        ("中文网页".encode("gbk"), "text/plain", "中文网页"),
        ("<meta charset=gbk><p>退款</p>".encode("gbk"), "text/html", "退款"),
        ("<meta charset=gbk><p>退款</p>".encode(), "text/html; charset=UTF-8", "退款"),
        ("naïve".encode("utf-16"), "text/plain", "naïve"),
        ("plain", "text/plain; charset=rot13", "plain"),
        ("plain", "text/plain; charset=no-such-thing", "plain"),
        ("a\u202eb\u200bc\x1b[31m", "text/plain", "abc"),
        ("", "text/html", ""),
    ],
)
def test_types_and_encodings(server: PageServer, body: bytes | str, kind: str, text: str) -> None:
    assert call(fetch_url, reading(server), url=server.page("/", body, kind))["text"] == text


@pytest.mark.parametrize(
    "kind", ["application/pdf", "image/png", "application/octet-stream", "video/mp4", "multipart/mixed", "nonsense"]
)
def test_a_type_that_is_not_text_is_refused(server: PageServer, kind: str) -> None:
    error = refusal(fetch_url, reading(server), url=server.page("/", "x", kind))
    assert error.code == "NOT_ELIGIBLE" and kind in error.message


def test_a_page_without_a_type_is_read_as_what_it_is(server: PageServer) -> None:
    for body, text in ((b"<!DOCTYPE html><p>hyper</p>", "hyper"), (b"just <b>text", "just <b>text")):
        url = server.raw("/", answer(200, {"Content-Length": str(len(body))}, body))
        assert call(fetch_url, reading(server), url=url)["text"] == text


HIDDEN = """<html><head><title>T</title><style>p{}</style><script>evil()</script></head><body>
<nav>menu</nav><p>seen</p><p hidden>SECRET</p><div style="display:none">SECRET<span>SECRET</span></div>
<span style="color:red; visibility : hidden">SECRET</span><span style="opacity:0">SECRET</span>
<span style="font-size:0px">SECRET</span><div style="position:absolute;left:-9999px">SECRET</div>
<template>SECRET</template><noscript>SECRET</noscript><svg><title>SECRET</title></svg><!-- SECRET -->
<div style="opacity:0.5">half</div><ul><li>one<li>two</ul><table><tr><td>a<td>b</table></body></html>"""


def test_what_a_reader_does_not_see_is_left_out(server: PageServer) -> None:
    data = call(fetch_url, reading(server), url=server.page("/", HIDDEN))
    assert (data["title"], data["text"]) == ("T", "seen\nhalf\n- one\n- two\na | b")


def test_passages_are_found(server: PageServer) -> None:
    body = "".join(f"<p>Paragraph {i} is about nothing.</p>" for i in range(300))
    url = server.page("/", body + "<p>Refunds take seven days.</p>" + "<p>退款需要七天</p>")
    assert call(fetch_url, reading(server), url=url, query="how long do refunds take")["passages"] == [
        "Refunds take seven days."
    ]
    assert call(fetch_url, reading(server), url=url, query="退款")["passages"] == ["退款需要七天"]
    assert call(fetch_url, reading(server), url=url, query="warranty")["passages"] == []


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "NOT_FOUND"),
        (401, "FORBIDDEN"),
        (403, "FORBIDDEN"),
        (404, "NOT_FOUND"),
        (410, "NOT_FOUND"),
        (501, "SERVICE_UNAVAILABLE"),
    ],
)
def test_a_page_that_is_not_given_out(server: PageServer, status: int, code: str) -> None:
    error = refusal(fetch_url, reading(server), url=server.status("/", status))
    assert error.code == code and str(status) in error.message and not error.retryable


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_what_may_pass_is_left_to_the_retry_layer_with_its_headers(server: PageServer, status: int) -> None:
    with pytest.raises(httpx.HTTPStatusError) as raised:
        call(fetch_url, reading(server), url=server.status("/", status, Retry_After="7"))
    assert raised.value.response.headers["retry-after"] == "7"
    assert len(server.asked) == 1


def test_a_connection_that_fails_is_left_to_the_retry_layer(server: PageServer) -> None:
    with pytest.raises(httpx.TransportError):
        call(fetch_url, reading(server), url=server.does("/", lambda connection, _: connection.close()))
    with pytest.raises(httpx.TransportError):
        call(fetch_url, reading(server), url=server.raw("/cut", answer(200, {"Content-Length": "50"}, b"short")))
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(httpx.ConnectError):
        call(fetch_url, settings(fetch_hosts=(f"127.0.0.1:{port}",)), url=f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("example.com", "only http"),
        ("ftp://example.com/", "only http"),
        ("file:///etc/passwd", "only http"),
        ("javascript:alert(1)", "only http"),
        ("http://", "not a valid address"),
        ("http:///etc/passwd", "not a valid address"),
        ("http://user:secret@example.com/", "user name or password"),
        ("http://example.com@127.0.0.1/", "user name or password"),
        ("http://exa mple.com/", "blank"),
        ("http://example.com\\@127.0.0.1/", "backslash"),
        ("http://example.com/\r\nX: y", "blank"),
        ("http://[::1", "not a valid address"),
        ("http://[::1]:99999/", "valid"),
        ("http://example.com:port/", "not a valid address"),
        ("http://ex%61mple.com/", "not a valid address"),
        ("http://-example.com/", "not a valid address"),
        ("http://2130706433/", "four decimal numbers"),
        ("http://0x7f000001/", "four decimal numbers"),
        ("http://0177.0.0.1/", "valid|four decimal numbers"),
        ("http://127.1/", "four decimal numbers"),
        ("http://１２７.0.0.1/", "valid|four decimal|not public"),
        ("http://127。0。0。1/", "valid|four decimal|not public"),
        ("http://①②⑦.0.0.1/", "valid|four decimal|not public"),
        ("http://example.com/" + "a" * 2_000, "longer than"),
    ],
)
def test_a_url_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, url: str, said: str) -> None:
    asked = resolving(monkeypatch, "93.184.216.34")
    error = refusal(fetch_url, url=url)
    assert any(part in error.message for part in said.split("|")), error.message
    assert "secret" not in error.message and not asked


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://10.1.2.3:8080/", "http://169.254.169.254/latest/meta-data/", "http://0.0.0.0/",
        "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/", "http://100.64.0.1/", "https://192.168.1.1/",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_refused(url: str) -> None:
    error = refusal(fetch_url, url=url)
    assert error.code == "FORBIDDEN" and "not public" in error.message


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["10.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"], ["fe80::1%eth0"], ["::ffff:10.0.0.1"], []],
)
def test_a_name_that_leads_to_any_private_address_is_refused(
    server: PageServer, monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    asked = resolving(monkeypatch, *addresses)
    error = refusal(
        fetch_url, settings(fetch_hosts=("*", *server.hosts)), url=f"http://pages.example.com:{server.port}/"
    )
    assert error.code == "FORBIDDEN" and asked == ["pages.example.com"] and not server.asked


def test_a_name_is_looked_up_once_and_what_was_judged_is_connected_to(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second answer (DNS rebinding) would be asked for by a client that resolves for itself."""
    server.page("/", "inside")
    asked = resolving(monkeypatch, "203.0.113.7")
    # Documentation addresses stand in for public ones; nothing routes to them, so the connection cannot be made.
    monkeypatch.setattr("signoff.tools.web.fetching.public", lambda _: True)
    connected: list[tuple[str, int]] = []

    def connect(_: socket.socket, address: tuple[str, int]) -> None:
        connected.append(address)
        raise OSError("nothing is there")

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(httpx.ConnectError):
        call(fetch_url, url=f"http://pages.example.com:{server.port}/")
    assert asked == ["pages.example.com"] and connected == [("203.0.113.7", server.port)] and not server.asked


def test_a_host_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    monkeypatch.setattr(socket, "getaddrinfo", missing)
    assert refusal(fetch_url, url="https://nowhere.example.com/").code == "NOT_FOUND"

    def later(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    monkeypatch.setattr(socket, "getaddrinfo", later)
    with pytest.raises(httpx.ConnectError):
        call(fetch_url, url="https://nowhere.example.com/")


def test_a_lookup_that_hangs_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(3))
    assert refusal(fetch_url, settings(fetch_timeout_s=0.2), url="https://slow.example.com/").code == "TIMEOUT"


def test_only_listed_hosts_are_read(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = resolving(monkeypatch, "93.184.216.34")
    error = refusal(fetch_url, settings(fetch_hosts=("example.org",)), url="https://example.com/")
    assert error.code == "FORBIDDEN" and not asked


def test_redirects_are_followed_and_judged_each(server: PageServer) -> None:
    server.page("/end", "<p>arrived</p>")
    url = server.status("/start", 302, Location="/middle", Set_Cookie="session=1")
    server.status("/middle", 308, Location=server.url("/end"))
    data = call(fetch_url, reading(server), url=url)
    assert (data["text"], data["final_url"]) == ("arrived", server.url("/end"))
    assert [path for path, _ in server.asked] == ["/start", "/middle", "/end"]
    assert not any("cookie" in headers or "referer" in headers for _, headers in server.asked)


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://127.0.0.1:1/", "FORBIDDEN"),
        ("http://169.254.169.254/latest/", "FORBIDDEN"),
        ("http://[::1]/", "FORBIDDEN"),
        ("//10.0.0.1/", "FORBIDDEN"),
        ("http://2130706433/", "INVALID_ARGUMENTS"),
        ("file:///etc/passwd", "INVALID_ARGUMENTS"),
        ("gopher://127.0.0.1/", "INVALID_ARGUMENTS"),
        ("http://user:pass@example.com/", "INVALID_ARGUMENTS"),
        ("http://[", "INVALID_ARGUMENTS"),
    ],
)
def test_a_redirect_to_where_nothing_is_read_is_refused(server: PageServer, location: str, code: str) -> None:
    url = server.status("/", 301, Location=location)
    assert refusal(fetch_url, settings(fetch_hosts=("*", *server.hosts)), url=url).code == code
    assert len(server.asked) == 1


def test_a_redirect_to_a_name_with_a_private_address_is_refused(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = resolving(monkeypatch, "192.168.0.9")
    url = server.status("/", 302, Location="https://inside.example.com/")
    assert refusal(fetch_url, settings(fetch_hosts=("*", *server.hosts)), url=url).code == "FORBIDDEN"
    assert asked == ["inside.example.com"]


def test_redirects_without_end_are_given_up(server: PageServer) -> None:
    error = refusal(fetch_url, reading(server), url=server.status("/", 302, Location="/"))
    assert "more than 5" in error.message and len(server.asked) == 6


def test_only_so_much_is_read(server: PageServer) -> None:
    def endless(connection: socket.socket, _: str) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65_536)

    data = call(fetch_url, reading(server, fetch_bytes=100_000), url=server.does("/", endless))
    assert (data["bytes"], len(data["text"]), data["truncated"]) == (100_000, 100_000, True)


def test_a_cut_character_is_no_damage(server: PageServer) -> None:
    data = call(fetch_url, reading(server, fetch_bytes=1_000), url=server.page("/", "中" * 500, "text/plain"))
    assert set(data["text"]) <= {"中", "\ufffd"} and data["text"].startswith("中" * 333)


def test_compressed_pages_are_read(server: PageServer) -> None:
    packed = gzip.compress(b"<p>one</p>") + gzip.compress(b"<p>two</p>") + b"\0" * 20
    data = call(fetch_url, reading(server), url=server.page("/", packed, Content_Encoding="gzip"))
    assert data["text"] == "one\ntwo"


def test_a_bomb_is_read_no_further_than_the_limit(server: PageServer) -> None:
    bomb = gzip.compress(b"0" * 200_000_000, 9)
    assert len(bomb) < 250_000
    url = server.page("/", bomb, "text/plain", Content_Encoding="gzip")
    data = call(fetch_url, reading(server, fetch_bytes=50_000, fetch_timeout_s=60), url=url)
    assert (data["bytes"], data["truncated"]) == (50_000, True)


def test_what_unpacks_to_nothing_is_not_read_for_ever(server: PageServer) -> None:
    empty = gzip.compress(b"") * 2_000
    url = server.page("/", gzip.compress(b"x") + empty, "text/plain", Content_Encoding="gzip")
    data = call(fetch_url, reading(server, fetch_bytes=10_000), url=url)
    assert (data["text"], data["truncated"]) == ("x", True)


@pytest.mark.parametrize(
    ("encoding", "body", "code"),
    [
        ("gzip", b"this is not gzip", "SERVICE_UNAVAILABLE"),
        ("br", b"\x00", "NOT_ELIGIBLE"),
        ("zstd", b"\x28\xb5\x2f\xfd", "NOT_ELIGIBLE"),
        ("deflate", zlib.compress(b"x"), "NOT_ELIGIBLE"),
        ("gzip, gzip", b"\x1f\x8b", "NOT_ELIGIBLE"),
    ],
)
def test_compression_that_was_not_asked_for_is_refused(
    server: PageServer, encoding: str, body: bytes, code: str
) -> None:
    assert refusal(fetch_url, reading(server), url=server.page("/", body, Content_Encoding=encoding)).code == code


def _dripping(head: bytes, drop: bytes) -> Callable[[socket.socket, str], None]:
    def drip(connection: socket.socket, _: str) -> None:
        connection.sendall(head)
        for _drop in range(200):
            connection.sendall(drop)
            time.sleep(0.05)

    return drip


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    ],
    ids=["status", "headers", "body", "chunks"],
)
def test_a_server_that_drips_ends_with_its_time(server: PageServer, head: bytes, drop: bytes) -> None:
    error_or_not = server.does("/", _dripping(head, drop))
    with pytest.raises((ToolError, httpx.TransportError)) as raised:
        call(fetch_url, reading(server, fetch_timeout_s=0.5), url=error_or_not)
    if drop != b"H":  # A status line of nothing but H is a broken answer at once.
        assert isinstance(raised.value, ToolError) and raised.value.code == "TIMEOUT"


def test_the_time_is_for_all_redirects_together(server: PageServer) -> None:
    def slow(connection: socket.socket, _: str) -> None:
        time.sleep(0.3)
        connection.sendall(answer(302, {"Location": "/", "Content-Length": "0"}))

    assert refusal(fetch_url, reading(server, fetch_timeout_s=0.7), url=server.does("/", slow)).code == "TIMEOUT"
    assert len(server.asked) < 5


def test_a_server_that_says_nothing_ends_with_its_time(server: PageServer) -> None:
    url = server.does("/", lambda *_: time.sleep(2))
    assert refusal(fetch_url, reading(server, fetch_timeout_s=0.3), url=url).code == "TIMEOUT"


def test_the_environments_proxies_are_not_asked(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert call(fetch_url, reading(server), url=server.page("/", "<p>direct</p>"))["text"] == "direct"


def _certificate(folder: Path, name: str) -> Path:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_over_tls_the_name_is_kept_though_the_address_is_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = _certificate(tmp_path, "pages.example.com")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(certificate) as server:
        server.page("/", "secret", "text/plain")
        with httpx.Client(transport=PinnedTransport(["127.0.0.1"], Deadline(20)), trust_env=False) as client:
            assert client.get(server.url("/", scheme="https", host="pages.example.com")).text == "secret"
        assert server.asked[0][1]["host"] == f"pages.example.com:{server.port}"
        with (
            httpx.Client(transport=PinnedTransport(["127.0.0.1"], Deadline(20)), trust_env=False) as client,
            pytest.raises(ToolError, match="certificate"),
        ):
            client.get(server.url("/", scheme="https", host="other.example.com"))
        error = refusal(fetch_url, reading(server), url=server.url("/", scheme="https"))
        assert "certificate" in error.message and len(server.asked) == 1


def test_https_is_not_left_for_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from signoff.tools.web import fetching

    with pytest.raises(ToolError, match="from https to http"):
        fetching._followed(httpx.URL("https://example.com/a"), "http://example.com/b")
    assert str(fetching._followed(httpx.URL("https://example.com/a"), "/b")) == "https://example.com/b"


@pytest.mark.parametrize(
    "piece", ["<div>", "<b>", "<!--", "<a x='", "</", "<table><tr><td>", "<p>word ", "&#", "<![CDATA["]
)
def test_hostile_markup_takes_no_more_than_it_is_long(piece: str) -> None:
    """What is quadratic in other parsers; a megabyte of it would take them minutes."""
    extract((piece * 1_000_000)[:1_000_000].encode(), "text/html")


@unhurried
@given(
    st.binary(max_size=400),
    st.sampled_from(["text/html", "text/plain", ""]),
    st.sampled_from([None, "utf-8", "gbk", "x", "utf-16"]),
)
def test_any_bytes_have_a_text(content: bytes, kind: str, charset: str | None) -> None:
    said = extract(content, kind, charset)
    assert isinstance(said.text, str) and "\0" not in said.text + said.title
    said.text.encode("utf-8")


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(url=JSON | st.from_regex(r"https?://[\w.:@\[\]%/?#\\-]{0,40}", fullmatch=True), query=JSON)
def test_any_json_is_answered(monkeypatch: pytest.MonkeyPatch, url: object, query: object) -> None:
    with monkeypatch.context() as patch:
        resolving(patch, "127.0.0.1")
        survives(fetch_url, url=url, query=query)
        survives(fetch_url, url="http://127.0.0.1/", query=query)
