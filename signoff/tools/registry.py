"""The tools a desk has, by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from signoff.approvals import canonical
from signoff.errors import ConfigError
from signoff.models.view import estimate_text
from signoff.tools.contract import Tool
from signoff.tools.names import nearest


class Registry:
    """Tools by name, in the order they were given. Raises `ConfigError` for a name given twice."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._tokens: dict[str, int] = {}
        self._schemas: dict[tuple[str, bool], dict[str, Any]] = {}
        self._versions: dict[tuple[str, ...], str] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool) -> None:
        """Register one more tool. Raises `ConfigError` when it is not a `Tool` or its name is taken."""
        if not isinstance(tool, Tool):
            raise ConfigError(f"{tool!r} is not a tool: decorate the function with @tool.")
        if tool.name in self._tools:
            raise ConfigError(f"Two tools are named {tool.name!r}: rename one of them.")
        self._tools[tool.name] = tool
        self._versions.clear()

    def get(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        return self._tools.get(name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def names(self) -> list[str]:
        """All names, in order."""
        return list(self._tools)

    def schemas(self, names: Iterable[str], *, strict: bool = False) -> list[dict[str, Any]]:
        """The OpenAI `tools` block for these names, in their order; unknown names are left out.

        The entries are made once and shared: do not change them.
        """
        return [self._schema(t, strict) for n in names if (t := self._tools.get(n))]

    def _schema(self, tool: Tool, strict: bool) -> dict[str, Any]:
        key = (tool.name, strict)
        if key not in self._schemas:
            self._schemas[key] = tool.schema(strict=strict)
        return self._schemas[key]

    def version(self, names: Iterable[str]) -> str:
        """Twelve hex digits that stand for the schemas of these tools in their order; empty for none."""
        key = tuple(names)
        if key not in self._versions:
            self._versions[key] = version_of(self.schemas(key))
        return self._versions[key]

    def tokens(self, names: Sequence[str]) -> int:
        """Estimated tokens of the `tools` block for these names."""
        for n in names:
            if n not in self._tokens and (t := self._tools.get(n)) is not None:
                self._tokens[n] = estimate_text(json.dumps(self._schema(t, False), ensure_ascii=False))
        return sum(self._tokens.get(n, 0) for n in names)

    def nearest(self, name: str) -> str | None:
        """The registered name that a mistaken one is most likely meant for, if any is near."""
        return nearest(name, self._tools)


def version_of(schemas: Sequence[dict[str, Any]]) -> str:
    """Twelve hex digits that stand for these entries in their order; empty for none."""
    whole = hashlib.sha256(canonical(list(schemas)).encode("utf-8", "replace")).hexdigest()
    return whole[:12] if schemas else ""
