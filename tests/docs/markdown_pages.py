"""The project's pages as tests read them: their code blocks, links, headings and inline code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    page: str
    line: int
    """Of its first line of content, counted from 1."""
    language: str
    text: str
    output: str | None
    """The `text` block that directly follows it: what it prints."""


class Page:
    """One Markdown file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = ROOT / name
        self.text = self.path.read_text(encoding="utf-8")

    @cached_property
    def _tokens(self) -> list[Token]:
        return MarkdownIt("commonmark").enable("table").parse(self.text)

    @property
    def blocks(self) -> list[Block]:
        """The fenced blocks, in order; a block's output is not a block of its own."""
        found: list[Block] = []
        tokens = [t for t in self._tokens if not t.hidden]
        for i, token in enumerate(tokens):
            if token.type != "fence" or token.map is None:
                continue
            before = tokens[i - 1] if i else None
            if token.info == "text" and before is not None and before.type == "fence" and before.info == "python":
                continue
            after = tokens[i + 1] if i + 1 < len(tokens) else None
            follows = token.info == "python" and after is not None and after.type == "fence" and after.info == "text"
            output = after.content if follows and after is not None else None
            found.append(Block(self.name, token.map[0] + 2, token.info, token.content, output))
        return found

    @property
    def links(self) -> list[str]:
        """Targets of the links that stay within the project."""
        targets = [str(t.attrs["href"]) for t in self._inline() if t.type == "link_open"]
        return [unquote(t) for t in targets if not re.match(r"[a-z]+:", t)]

    @property
    def inline_code(self) -> list[str]:
        """What stands between backticks in running text."""
        return [t.content for t in self._inline() if t.type == "code_inline"]

    @property
    def anchors(self) -> list[str]:
        """The headings' anchors, as GitHub makes them."""
        heads = [self._tokens[i + 1].content for i, t in enumerate(self._tokens) if t.type == "heading_open"]
        return [re.sub(r"[^\w\- ]", "", h.lower().replace("`", "")).replace(" ", "-") for h in heads]

    def rows(self, heading: str) -> list[list[str]]:
        """The cells of the first table under a heading, without its head."""
        _, _, rest = self.text.partition(f"\n{heading}\n")
        assert rest, f"{self.name} has no heading {heading!r}"
        table: list[list[str]] = []
        for line in rest.splitlines():
            if line.startswith("|"):
                table.append([c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
            elif table:
                break
        return table[2:]

    def _inline(self) -> Iterator[Token]:
        for token in self._tokens:
            yield from token.children or ()
