"""Names under which MCP tools are offered: the same every time, whatever the order of the servers."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

LONGEST = 64

Key = tuple[str, str]
"""A server and its own name of a tool."""


def tool_names(tools: Iterable[Key], *, prefixes: Mapping[str, str], taken: Iterable[str] = ()) -> dict[Key, str]:
    """A name for each tool, unique among them and those that are `taken`.

    A server's own prefix always stands before its tools' names. Where two tools would then share a name, or
    one is taken, each is named `server__tool`. What a name may not hold becomes `_`; what is longer than 64
    characters, or still the same, ends in a hash.
    """
    keys = list(dict.fromkeys(tools))
    used = {t.casefold() for t in taken}
    first = {k: _plain(prefixes.get(k[0], "") + k[1]) for k in keys}
    times = Counter(n.casefold() for n in first.values())
    names = {
        k: n if times[n.casefold()] == 1 and n.casefold() not in used else _plain(f"{k[0]}__{k[1]}")
        for k, n in first.items()
    }
    # A name that a prefix made may be another tool's plain one.
    times = Counter(n.casefold() for n in names.values())
    return {
        k: n if times[n.casefold()] == 1 and n.casefold() not in used and len(n) <= LONGEST else _hashed(n, k)
        for k, n in names.items()
    }


def _plain(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}"


def _hashed(name: str, key: Key) -> str:
    mark = hashlib.sha256("\0".join(key).encode()).hexdigest()[:8]
    return f"{name[: LONGEST - 9]}_{mark}"
