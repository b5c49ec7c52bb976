"""Which addresses are public, and which hosts the operator's list admits."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from general_run import unhurried
from hypothesis import given
from hypothesis import strategies as st

from signoff.errors import ConfigError, ToolError
from signoff.tools.web.addresses import literal, named, public, reach, rule


@pytest.mark.parametrize(
    "address",
    "8.8.8.8 1.1.1.1 93.184.216.34 223.5.5.5 2606:4700::1111 2001:4860:4860::8888 64:ff9b::808:808 ::ffff:8.8.8.8 "
    "2400:3200::1".split(),
)
def test_public_addresses(address: str) -> None:
    assert public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    # Loopback, private, link-local, metadata, shared, unspecified, broadcast, multicast, reserved, documentation.
    "127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.1.1 169.254.169.254 "
    "100.64.0.1 100.100.100.200 0.0.0.0 0.1.2.3 255.255.255.255 224.0.0.1 239.1.1.1 240.0.0.1 192.0.0.192 192.0.2.1 "
    "198.18.0.1 198.51.100.1 203.0.113.1 192.88.99.1 168.63.129.16 "
    ":: ::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1 2001:db8::1 3fff::1 5f00::1 "
    # Carrying one of them: mapped, compatible, 6to4, Teredo, NAT64 and its local-use prefix.
    "::ffff:127.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 2002:7f00:1:: 2002:a9fe:a9fe:: 2002:c0a8:101::1 "
    "2001:0:4136:e378:8000:63bf:3fff:fdd2 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::a00:1 64:ff9b:1::808:808".split(),
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not public(ip_address(address))


@unhurried
@given(st.ip_addresses(v=4))
def test_an_address_is_as_public_in_any_wrapping(address: IPv4Address) -> None:
    number = int(address)
    mapped = IPv6Address((0xFFFF << 32) | number)
    nat64 = IPv6Address((0x64FF9B << 96) | number)
    assert public(mapped) == public(nat64) == public(address)
    sixtofour = IPv6Address((0x2002 << 112) | (number << 80) | 1)
    assert not public(sixtofour) or public(address)


@unhurried
@given(st.ip_addresses(v=6))
def test_nothing_beyond_global_unicast_is_public(address: IPv6Address) -> None:
    if int(address) >> 125 != 1 and address.ipv4_mapped is None and int(address) >> 32 != 0x64FF9B << 64:
        assert not public(address)


@pytest.mark.parametrize(
    "host",
    "2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 127.1 127.0.1 017700000001 127.0.0.1. 127.000.000.001 1.2.3.4.5 "
    "256.1.1.1 0 0x 1.2.3.0x4 example.123".split(),
)
def test_other_forms_of_an_address_are_refused(host: str) -> None:
    with pytest.raises(ToolError) as refused:
        literal(host)
    assert refused.value.code == "INVALID_ARGUMENTS"


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("example.com", None), ("1e100.net", None), ("a.b-1", None)],
)
def test_a_host_is_an_address_or_a_name(host: str, address: str | None) -> None:
    assert (str(found) if (found := literal(host)) else None) == address


def test_names_have_one_form() -> None:
    assert named("Example.COM.") == "example.com"
    assert named("例子.中国") == named("xn--fsqu00a.xn--fiqs8s") == "xn--fsqu00a.xn--fiqs8s"
    assert named("ＥＸＡＭＰＬＥ。com") == "example.com"
    for bad in ("", "a..b", "-a.com", "a b.com", "a/b", "x" * 64 + ".com", "a." * 127 + "com", "ex%61mple.com"):
        with pytest.raises(ValueError):
            named(bad)


@pytest.mark.parametrize(
    ("host", "port", "entries", "far"),
    [
        ("example.com", 443, ["*"], "public"),
        ("example.com", 443, ["example.com"], "public"),
        ("example.com", 443, ["EXAMPLE.com"], "public"),
        ("www.example.com", 443, ["*.example.com"], "public"),
        ("a.b.example.com", 80, ["*.example.com"], "public"),
        ("xn--fsqu00a.xn--fiqs8s", 80, ["例子.中国"], "public"),
        ("example.com", 8443, ["example.com:8443"], "public"),
        ("8.8.8.8", 80, ["*"], "public"),
        ("8.8.8.8", 80, ["8.8.8.8"], "public"),
        ("127.0.0.1", 80, ["127.0.0.1"], "public"),
        ("127.0.0.1", 8000, ["127.0.0.1:8000"], "any"),
        ("127.0.0.1", 8000, ["*", "127.0.0.1:8000"], "any"),
        ("127.0.0.1", 8001, ["*", "127.0.0.1:8000"], "public"),
        ("::1", 8000, ["[::1]:8000"], "any"),
        ("::1", 8000, ["[0:0:0:0:0:0:0:1]:8000"], "any"),
    ],
)
def test_the_list_admits(host: str, port: int, entries: list[str], far: str) -> None:
    assert reach(host, port, entries) == far


@pytest.mark.parametrize(
    ("host", "port", "entries"),
    [
        ("example.com", 443, []),
        ("example.com", 443, ["example.org"]),
        ("example.com", 443, ["*.example.com"]),
        ("notexample.com", 443, ["*.example.com", "example.com"]),
        ("example.com.evil.com", 443, ["*.example.com", "example.com"]),
        ("example.com", 443, ["example.com:8443"]),
        ("127.0.0.1", 8001, ["127.0.0.1:8000"]),
        ("localhost", 8000, ["127.0.0.1:8000"]),
        ("1.2.3.4", 80, ["example.com", "*.4"]),
    ],
)
def test_the_list_refuses(host: str, port: int, entries: list[str]) -> None:
    with pytest.raises(ToolError) as refused:
        reach(host, port, entries)
    assert refused.value.code == "FORBIDDEN" and "SIGNOFF_FETCH_HOSTS" in refused.value.hint


@pytest.mark.parametrize("entry", ["", "http://example.com", "a b", "*example.com", "example.com:", "example.com:0",
                                   "example.com:99999", "127.1:80", "[::1", "exa*mple.com", "*.", "a:b:c"])  # fmt: skip
def test_an_entry_that_is_no_host_is_the_operators_to_correct(entry: str) -> None:
    with pytest.raises(ConfigError, match="SIGNOFF_FETCH_HOSTS"):
        rule(entry)
