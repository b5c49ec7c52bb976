"""Which descriptions of MCP tools were accepted: `mcp-pins.json` in the home.

The first sight of a tool pins it, if the examination finds nothing: trust on first use. A later change, or a
tool with findings, waits until a person has approved it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from signoff.errors import ConfigError
from signoff.tools.mcp.definition import Definition
from signoff.tools.mcp.examination import Finding

FILE = "mcp-pins.json"
FIRST_SIGHT = "first sight"
_VERSION = 1


@dataclass(frozen=True)
class Pin:
    """What is known of one tool: what was accepted, and what the server says now."""

    seen: Definition
    """The newest words of the server."""
    findings: Sequence[Finding]
    """What the examination found in them."""
    accepted: Definition | None = None
    """What models are shown; None until somebody approved it."""
    by: str = ""
    """`first sight`, or `tenant/user` of whoever approved it."""
    at: str = ""
    """When it was accepted; ISO 8601, UTC."""
    gone: bool = False
    """Whether the server no longer lists it."""

    @property
    def status(self) -> Literal["pinned", "changed", "held", "gone"]:
        """`pinned` tools are offered; `changed` and `held` ones wait for a person."""
        if self.gone:
            return "gone"
        if self.accepted is None:
            return "held"
        return "pinned" if self.accepted.hash == self.seen.hash else "changed"


class Pins:
    """The file. Read anew every time, and written under a lock: several desks may share a home."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE
        self._lock = FileLock(home / f"{FILE}.lock", timeout=10)

    def of(self, server: str) -> dict[str, Pin]:
        """The pins of a server by its tools' own names, in the server's order. Raises `ConfigError`."""
        return self._read().get(server, {})

    def see(
        self,
        server: str,
        definitions: Iterable[Definition],
        examine: Callable[[Definition], Sequence[Finding]],
        now: datetime,
    ) -> dict[str, Pin]:
        """Note what a server lists now. New tools without findings are pinned. Raises `ConfigError`."""
        listed = {d.name: d for d in definitions}
        with self._lock:
            everything = self._read()
            before = everything.get(server, {})
            pins: dict[str, Pin] = {}
            for name, seen in listed.items():
                old = before.get(name)
                findings = tuple(examine(seen))
                if old is None or (old.gone and old.accepted is None):
                    clean = not findings
                    pins[name] = Pin(
                        seen,
                        findings,
                        seen if clean else None,
                        FIRST_SIGHT if clean else "",
                        _iso(now) if clean else "",
                    )
                else:
                    pins[name] = replace(old, seen=seen, findings=findings, gone=False)
            # What is gone is remembered, so that it cannot come back with other words as if it were new.
            pins |= {n: replace(p, gone=True) for n, p in before.items() if n not in listed}
            if pins != before:
                self._write({**everything, server: pins})
        return pins

    def approve(self, server: str, by: str, now: datetime, tools: Iterable[str] | None = None) -> dict[str, Pin]:
        """Accept what a server was last seen to say, of all its tools or of some; returns what was accepted anew.

        Raises `ConfigError`.
        """
        with self._lock:
            everything = self._read()
            pins = everything.get(server, {})
            wanted = set(pins) if tools is None else set(tools)
            new = {
                n: replace(p, accepted=p.seen, by=by, at=_iso(now))
                for n, p in pins.items()
                if n in wanted and p.status in ("held", "changed")
            }
            if new:
                self._write({**everything, server: {**pins, **new}})
        return new

    def _read(self) -> dict[str, dict[str, Pin]]:
        try:
            whole = json.loads(self.path.read_text(encoding="utf-8"))
            if whole["version"] != _VERSION:
                raise ConfigError(f"{self.path} is of version {whole['version']}; this Signoff knows {_VERSION}.")
            return {s: {n: _pin(s, p) for n, p in pins.items()} for s, pins in whole["servers"].items()}
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be read: {error.strerror}.") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ConfigError(
                f"{self.path} is damaged: restore it, or remove it and approve every MCP server's tools again."
            ) from None

    def _write(self, everything: Mapping[str, Mapping[str, Pin]]) -> None:
        record = {
            "version": _VERSION,
            "servers": {s: {n: _record(p) for n, p in pins.items()} for s, pins in everything.items()},
        }
        part = self.path.with_name(f"{FILE}.part")
        try:
            part.write_text(json.dumps(record, ensure_ascii=True, indent=1), encoding="utf-8")
            part.replace(self.path)
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be written: {error.strerror}.") from None


def _pin(server: str, record: Mapping[str, Any]) -> Pin:
    accepted = record["accepted"]
    return Pin(
        seen=Definition.of_record(server, record["seen"]),
        findings=tuple(Finding(**f) for f in record["findings"]),
        accepted=Definition.of_record(server, accepted) if accepted else None,
        by=record["by"],
        at=record["at"],
        gone=record["gone"],
    )


def _record(pin: Pin) -> dict[str, Any]:
    return {
        "seen": pin.seen.record(),
        "findings": [asdict(f) for f in pin.findings],
        "accepted": pin.accepted.record() if pin.accepted else None,
        "by": pin.by,
        "at": pin.at,
        "gone": pin.gone,
    }


def _iso(now: datetime) -> str:
    return now.isoformat(timespec="seconds")
