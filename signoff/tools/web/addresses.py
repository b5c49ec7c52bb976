"""Which hosts may be read, and which addresses are public."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Literal

import idna

from signoff.errors import ConfigError, ToolError
from signoff.text import shorten
from signoff.tools.envelope import Code

Address = IPv4Address | IPv6Address

# Global unicast is all that IANA has given out (RFC 4291, section 2.4); NAT64 (RFC 6052) carries an IPv4 address.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_NOT_PUBLIC = (
    IPv6Network("2001:db8::/32"),  # documentation, RFC 3849
    IPv6Network("3fff::/20"),  # documentation, RFC 9637
    IPv6Network("2001::/23"),  # protocol assignments, Teredo among them, RFC 2928
    IPv4Network("192.0.0.0/24"),  # protocol assignments, RFC 6890
    IPv4Network("192.88.99.0/24"),  # 6to4 relays, RFC 7526
    IPv4Network("168.63.129.16/32"),  # the host's own services in Azure
)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")


@dataclass(frozen=True)
class Rule:
    """One entry of `fetch_hosts`."""

    kind: Literal["every", "below", "name", "address"]
    host: str = ""
    port: int | None = None


def public(address: Address) -> bool:
    """Whether an address is one of the public internet, by IANA's special-purpose registries (RFC 6890).

    An IPv6 address that carries an IPv4 address (mapped, 6to4, Teredo, NAT64) is public only when that one is too.
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        if address.ipv4_mapped is not None:
            return public(address.ipv4_mapped)
        if not all(public(inner) for inner in _carried(address)):
            return False
        if address in _NAT64:
            return True
        if address not in _GLOBAL_UNICAST:
            return False
    if any(address in network for network in _NOT_PUBLIC if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _NAT64:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def literal(host: str) -> Address | None:
    """The address that a URL's host is, in its one canonical form; None for a name.

    Raises `ToolError` for the forms of an IPv4 address that only some programs read: decimal, hexadecimal, octal
    and short ones.
    """
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        last = host.rstrip(".").rpartition(".")[2]
        # As the URL standard has it: a host that ends in a number is an IPv4 address, or nothing.
        if re.fullmatch(r"\d+|0x[0-9a-f]*", last, re.IGNORECASE):
            raise ToolError(
                Code.INVALID_ARGUMENTS,
                f"{shorten(host, 40)!r} is not a host: write an address as four decimal numbers.",
                zh=f"「{shorten(host, 40)}」不是有效的主机:IP 地址请写成四段十进制数字。",
                hint="Use the address of a page as it was given; do not rewrite it.",
            ) from None
        return None


def named(host: str) -> str:
    """A host name in its one form: ASCII, lower case, no dot at the end. Raises `ValueError` when it is none."""
    plain = host.strip().rstrip(".").lower()
    if not plain.isascii():
        plain = idna.encode(plain, uts46=True).decode("ascii")
    if len(plain) > 253 or not all(_LABEL.fullmatch(label) for label in plain.split(".")):
        raise ValueError("not a host name")
    return plain


def rule(entry: str) -> Rule:
    """Read one entry of `fetch_hosts`. Raises `ConfigError` when it is none of the forms."""
    text = entry.strip()
    if text == "*":
        return Rule("every")
    try:
        if match := re.fullmatch(r"\[([0-9a-fA-F:.]+)\](?::(\d{1,5}))?", text):
            return Rule("address", str(IPv6Address(match[1])), _port(match[2]))
        if text.count(":") > 1:
            return Rule("address", str(IPv6Address(text)))
        host, colon, port = text.partition(":")
        if colon and not port:
            raise ValueError("no port")
        if re.fullmatch(r"[0-9.]+", host):
            return Rule("address", str(IPv4Address(host)), _port(port))
        if host.startswith("*."):
            return Rule("below", named(host[2:]), _port(port))
        return Rule("name", named(host), _port(port))
    except ValueError:
        raise ConfigError(
            f"SIGNOFF_FETCH_HOSTS has {entry!r}, which is no host: write example.com, *.example.com, * or an address "
            "with a port such as 127.0.0.1:8000."
        ) from None


def _port(text: str | None) -> int | None:
    if not text:
        return None
    if not 0 < int(text) < 65_536:
        raise ValueError("no port")
    return int(text)


def reach(host: str, port: int, entries: Sequence[str]) -> Literal["public", "any"]:
    """How far a URL's host may lead: to public addresses, or (an address listed with its port) to that very one.

    `host` is a literal address or a name in the form of `named`. Raises `ToolError` when the list does not admit it.
    """
    admitted, address = False, literal(host) is not None
    for r in map(rule, entries):
        match r.kind:
            case "every":
                admitted = True
            case "below":
                admitted |= not address and host.endswith("." + r.host) and r.port in (None, port)
            case "name":
                admitted |= host == r.host and r.port in (None, port)
            case "address":
                if host == r.host and r.port == port:
                    return "any"
                admitted |= host == r.host and r.port is None
    if not admitted:
        raise ToolError(
            Code.FORBIDDEN,
            f"{shorten(host, 60)} is not among the hosts that may be read here.",
            zh=f"{shorten(host, 60)} 不在允许访问的主机名单里。",
            hint="Say that this site may not be read; the operator's list is SIGNOFF_FETCH_HOSTS. Do not try another.",
        )
    return "public"


def not_public(host: str) -> ToolError:
    """A host that leads into a private network."""
    return ToolError(
        Code.FORBIDDEN,
        f"{shorten(host, 60)} leads to an address that is not public, which is never read.",
        zh=f"{shorten(host, 60)} 指向非公网地址,不能访问。",
        hint="Say that this address may not be read. Do not try it in another form.",
    )
