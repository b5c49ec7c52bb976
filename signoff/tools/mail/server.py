"""Handing a message to an SMTP server: to all of its recipients, or to none."""

from __future__ import annotations

import ipaddress
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

from signoff.errors import ToolError
from signoff.text import shorten, terminal_safe
from signoff.tools.envelope import Code
from signoff.tools.mail.message import Letter

ANSWER_S = 8.0
"""Seconds for one answer of the server."""
TOTAL_S = 25.0
"""Seconds for all of it."""

_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_SETTING = "Say that mail cannot be sent until the operator has corrected SIGNOFF_SMTP_URL. Do not try again."


@dataclass(frozen=True)
class Server:
    """Where mail is handed in."""

    security: Literal["smtp", "smtp+starttls", "smtps"]
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, url: str) -> Server:
        """Read `smtp://host:25`, `smtp+starttls://user:password@host:587` or `smtps://…`.

        Raises `ToolError` naming the setting; the address is not repeated, since it may hold a password.
        """
        try:
            parts = urlsplit(url.strip())
            security = parts.scheme.lower()
            host, port = parts.hostname or "", parts.port or _PORTS[security]
            if not host or parts.path.strip("/") or parts.query or parts.fragment:
                raise ValueError("not an address")
        except (ValueError, KeyError):
            raise ToolError(
                Code.SERVICE_UNAVAILABLE,
                "Mail cannot be sent: SIGNOFF_SMTP_URL is not smtp://host:25, smtp+starttls://user:password@host:587 "
                "or smtps://user:password@host:465.",
                zh="无法发送邮件:SIGNOFF_SMTP_URL 的格式应为 smtp://host:25、smtp+starttls://用户:密码@host:587 "
                "或 smtps://用户:密码@host:465。",
                hint=_SETTING,
            ) from None
        server = cls(security, host, port, unquote(parts.username or ""), unquote(parts.password or ""))  # type: ignore[arg-type]
        if server.password and security == "smtp" and not _own_machine(host):
            raise ToolError(
                Code.SERVICE_UNAVAILABLE,
                "Mail cannot be sent: SIGNOFF_SMTP_URL would send its password unencrypted; use smtp+starttls:// or "
                "smtps://.",
                zh="无法发送邮件:SIGNOFF_SMTP_URL 会明文发送密码,请改用 smtp+starttls:// 或 smtps://。",
                hint=_SETTING,
            )
        return server


def _own_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def hand_in(letter: Letter, server: Server) -> str:
    """Give the message to the server, for all recipients or, when it refuses one, for none; its last word.

    Raises `ToolError`. With the code `TIMEOUT` or `INTERNAL` the message was already under way, and whether it was
    taken is not known; with any other nothing was sent.
    """
    with _session(server) as smtp:
        options = ["SMTPUTF8", "BODY=8BITMIME"] if letter.international else []
        if letter.international and not smtp.has_extn("smtputf8"):
            raise _not_sent(
                "the server does not take addresses with letters other than ASCII before the @",
                "服务器不支持 @ 前面含非 ASCII 字符的地址",
                hint="Ask for another address of the same person. Nothing was sent.",
            )
        if smtp.has_extn("size"):
            options.append(f"size={len(letter.content)}")
        _accepted(smtp.mail(letter.sender, options), f"the sender {letter.sender}", f"发件人 {letter.sender}")
        for recipient in letter.to:
            _accepted(smtp.rcpt(recipient), recipient, f"收件人 {recipient}")
        _accepted(_under_way(smtp, letter.content), "the message", "邮件内容")
        with suppress(OSError, smtplib.SMTPException):
            smtp.quit()
    return "accepted"


def _under_way(smtp: smtplib.SMTP, content: bytes) -> tuple[int, bytes]:
    """The server's answer to the message itself. Raises `ToolError` when there is none: it may have taken it."""
    try:
        code, said = smtp.data(content)
        if code > 0:
            return code, said
        timeout = False
    except smtplib.SMTPDataError as error:
        return error.smtp_code, _bytes(error.smtp_error)
    except (OSError, smtplib.SMTPException) as error:
        # smtplib turns a time-out into a lost connection.
        timeout = isinstance(error.__context__, TimeoutError)
    raise ToolError(
        Code.TIMEOUT if timeout else Code.INTERNAL,
        "The mail server did not say whether it took the message, which may have been sent.",
        zh="邮件服务器没有确认是否收下邮件,邮件可能已经发出。",
        hint="Do not send it again. Say that it may have been sent and that a person must look.",
    )


@contextmanager
def _session(server: Server) -> Iterator[smtplib.SMTP]:
    """A connection that is greeted, encrypted and logged in to, and closed when its time is over."""
    smtp: smtplib.SMTP | None = None
    watch: threading.Timer | None = None
    try:
        smtp = _greeted(server)
        # A server that drips its answer meets every single time-out; this one it does not.
        watch = threading.Timer(TOTAL_S, _hang_up, (smtp,))
        watch.daemon = True
        watch.start()
        if server.security == "smtp+starttls":
            smtp.starttls(context=ssl.create_default_context())
            smtp.ehlo_or_helo_if_needed()
        if server.user:
            smtp.login(server.user, server.password)
        else:
            smtp.ehlo_or_helo_if_needed()
        yield smtp
    except smtplib.SMTPAuthenticationError:
        raise _not_sent(
            "the server does not take the user and password", "用户名或密码不被接受", hint=_SETTING
        ) from None
    except smtplib.SMTPNotSupportedError:
        raise _not_sent(
            "the server does not offer what SIGNOFF_SMTP_URL asks for, encryption (STARTTLS) or a login",
            "服务器不支持 SIGNOFF_SMTP_URL 所要求的加密(STARTTLS)或登录",
            hint=_SETTING,
        ) from None
    except ssl.SSLError:
        raise _not_sent(
            "no encrypted connection to the server could be made, or its certificate is not valid",
            "无法与服务器建立加密连接,或其证书无效",
            hint=_SETTING,
        ) from None
    except smtplib.SMTPResponseException as error:
        _accepted((error.smtp_code, _bytes(error.smtp_error)), "the connection", "连接")
    except (OSError, UnicodeError, smtplib.SMTPException):
        raise _not_sent(
            "the server of SIGNOFF_SMTP_URL could not be reached or did not answer",
            "无法连接 SIGNOFF_SMTP_URL 所指的服务器,或它没有应答",
            hint="Say that mail cannot be sent now. Nothing was sent.",
        ) from None
    finally:
        if watch is not None:
            watch.cancel()
        if smtp is not None:
            with suppress(OSError):
                smtp.close()


def _greeted(server: Server) -> smtplib.SMTP:
    kind = smtplib.SMTP_SSL if server.security == "smtps" else smtplib.SMTP
    # The name said to the server is fixed: that of this machine is nobody's business, and looking it up can hang.
    return kind(server.host, server.port, local_hostname="localhost", timeout=ANSWER_S)


def _hang_up(smtp: smtplib.SMTP) -> None:
    # Closing alone would not wake a thread that waits for the socket.
    with suppress(OSError, AttributeError):
        smtp.sock.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _accepted(answer: tuple[int, bytes], what: str, what_zh: str) -> None:
    """Raises `ToolError` when the server refused it: for now (4xx) or for good (5xx)."""
    code, said = answer
    if 200 <= code < 300:
        return
    reason = shorten(terminal_safe(re.sub(r"\s+", " ", said.decode("utf-8", errors="replace"))), 120)
    raise _not_sent(
        f"the server refused {what}: {code} {reason}".rstrip(),
        f"服务器拒绝了{what_zh}:{code} {reason}".rstrip(),
        hint="Say that nothing was sent, and what the server said."
        + (" It may be tried later, as a new request." if 400 <= code < 500 else ""),
    )


def _not_sent(why: str, why_zh: str, *, hint: str) -> ToolError:
    return ToolError(
        Code.SERVICE_UNAVAILABLE,
        f"The message was not sent to anybody: {why}.",
        zh=f"邮件没有发给任何人:{why_zh}。",
        hint=hint,
    )
