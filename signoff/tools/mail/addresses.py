"""Mail addresses in one form, and who may be written to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.errors import HeaderParseError
from email.headerregistry import Address

import idna

from signoff.errors import ToolError
from signoff.text import shorten, terminal_safe
from signoff.tools.envelope import Code

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
# What may stand before the @ without quotes (RFC 5321, 4.1.2; letters of other scripts by RFC 6531).
_LOCAL = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*")


def address(text: str) -> str:
    """`name@host` in its one form: the host in ASCII and lower case. Raises `ToolError` when it is no address."""
    local, at, domain = text.strip().rpartition("@")
    try:
        host = idna.encode(domain.rstrip("."), uts46=True).decode("ascii").lower() if at else ""
        labels = host.split(".")
        plain = f"{local}@{host}"
        if (
            not _LOCAL.fullmatch(local)
            or not all(_LABEL.fullmatch(x) for x in labels)
            or len(labels) < 2
            or labels[-1].isdigit()
        ):
            raise ValueError("not an address")
        # Lengths by RFC 5321, 4.5.3.1.
        if len(local.encode()) > 64 or len(plain.encode()) > 254:
            raise ValueError("too long")
        # The library knows the rules of ASCII addresses only; those of RFC 6531 are the pattern's alone.
        if local.isascii():
            Address(addr_spec=plain)
    except (ValueError, HeaderParseError, IndexError):
        shown = shorten(terminal_safe(text), 60)
        raise ToolError(
            Code.INVALID_ARGUMENTS,
            f"{shown!r} is not a mail address: write name@example.com, one address an entry and without a name.",
            zh=f"「{shown}」不是有效的邮箱地址:请写成 name@example.com,每项一个地址,不带姓名。",
            hint="Ask the person for the right address; never guess one.",
        ) from None
    return plain


def admitted(recipients: Sequence[str], entries: Sequence[str]) -> None:
    """Raises `ToolError` when one of the recipients is not on the operator's list: addresses, `*@host` or `*`."""
    allowed = {_entry(e) for e in entries}
    for recipient in recipients:
        host = recipient.rpartition("@")[2]
        if not {"*", f"*@{host}", recipient.lower()} & allowed:
            raise ToolError(
                Code.FORBIDDEN,
                f"{recipient} is not among the recipients who may be written to.",
                zh=f"{recipient} 不在允许的收件人名单里。",
                hint="Say that this address may not be written to; the operator's list is SIGNOFF_MAIL_RECIPIENTS.",
            )


def _entry(text: str) -> str:
    local, at, host = text.strip().lower().rpartition("@")
    try:
        return f"{local}@{idna.encode(host, uts46=True).decode('ascii')}" if at else host
    except idna.IDNAError:
        return ""
