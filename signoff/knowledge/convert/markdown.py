"""Markdown and plain text in blocks, a bounded part of the file at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from signoff.knowledge.convert.blocks import Block, Kind, Outline
from signoff.text import terminal_safe

PART_CHARS = 200_000
"""A longer text is parsed in parts that begin at headings: the parser's tokens take many times the text's size."""
PARAGRAPH_CHARS = 1_000_000
"""A longer run of lines without an empty one is cut at a line's end."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BREAK = re.compile(r"\n[ \t]*\n")
# The structure of blocks is all that is needed: the inline rules are slow on one huge line.
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_MARKDOWN.core.ruler.enableOnly(["normalize", "block"])


def markdown(text: str) -> Iterator[Block]:
    """The blocks of a Markdown text, comments left out."""
    outline = Outline()
    for part in _parts(_COMMENT.sub("", text) if "<!--" in text else text):
        part = terminal_safe(part)
        lines = part.split("\n")
        tokens = _MARKDOWN.parse(part)
        for i, token in enumerate(tokens):
            if token.level != 0 or token.map is None or token.nesting < 0:
                continue
            if token.type == "heading_open":
                outline.enter(int(token.tag[1:]), tokens[i + 1].content.strip().strip("*_`# "))
            elif token.type != "hr":
                block = "\n".join(lines[token.map[0] : token.map[1]]).strip("\n")
                if block.strip():
                    yield Block(outline.headings, _kind(token), block)


def plain(pieces: Iterable[str]) -> Iterator[Block]:
    """The paragraphs of a text that comes in pieces."""
    held = ""
    for piece in pieces:
        *paragraphs, held = _BREAK.split(held + piece)
        yield from (Block((), "text", p.strip("\n")) for p in paragraphs if p.strip())
        if len(held) > PARAGRAPH_CHARS:
            cut = held.rfind("\n") + 1 or len(held)
            yield Block((), "text", held[:cut].strip("\n"))
            held = held[cut:]
    if held.strip():
        yield Block((), "text", held.strip("\n"))


def _parts(text: str) -> Iterator[str]:
    if len(text) <= PART_CHARS:
        yield text
        return
    start = at = 0
    fence = ""
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        if at - start >= PART_CHARS and not fence and text[at] == "#" and _HEADING.match(text, at):
            yield text[start:at]
            start = at
        if mark := _FENCE.match(text, at):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not text[mark.end() : end].strip():
                fence = ""
        at = end
    yield text[start:]


def _kind(token: Token) -> Kind:
    match token.type:
        case "table_open":
            return "table"
        case "fence" | "code_block":
            return "code"
        case "bullet_list_open" | "ordered_list_open":
            return "list"
        case _:
            return "text"
