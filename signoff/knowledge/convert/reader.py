"""Which reader reads which kind of file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from signoff.knowledge.convert.blocks import Block, Reading, Unreadable
from signoff.knowledge.convert.characters import repaired
from signoff.knowledge.convert.limits import Limits

KINDS = {
    ".md": "markdown", ".markdown": "markdown", ".txt": "text", ".text": "text", ".csv": "csv", ".tsv": "tsv",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf", ".docx": "docx", ".pptx": "pptx",
    ".xlsx": "xlsx",
}  # fmt: skip
"""Kind by the ending of the name, in lower case."""

_PIECE = 1 << 20


def read(path: Path, limits: Limits, *, start: int = 0) -> Reading:
    """The blocks of a file; of a text those from the character `start` on. Raises `Unreadable`, `OSError`."""
    kind = KINDS[path.suffix.lower()]
    if not path.stat().st_size:
        raise Unreadable("is empty")
    match kind:
        case "markdown" | "text" | "csv" | "tsv":
            return Reading("", tuple(_bounded(_text(path, kind, start), limits)))
        case _:
            from signoff.knowledge.convert.sandbox import convert

            title, blocks = convert(path, kind, limits)
            return Reading(title, tuple(blocks))


def _text(path: Path, kind: str, start: int) -> Iterator[Block]:
    from signoff.knowledge.convert.encoding import encoding_of

    encoding = encoding_of(path)
    with path.open(encoding=encoding, newline="" if kind in ("csv", "tsv") else None) as file:
        if kind in ("csv", "tsv"):
            from signoff.knowledge.convert.delimited import delimited

            yield from delimited(map(repaired, file), "\t" if kind == "tsv" else None)
            return
        from signoff.knowledge.convert.markdown import markdown, plain

        file.read(start)
        if kind == "markdown":
            yield from markdown(repaired(file.read()))
        else:
            yield from plain(_pieces(file))


def _pieces(file: IO[str]) -> Iterator[str]:
    while piece := file.read(_PIECE):
        yield repaired(piece)


def _bounded(blocks: Iterable[Block], limits: Limits) -> Iterator[Block]:
    length = 0
    for block in blocks:
        length += len(block.text)
        if length > limits.characters:
            raise Unreadable(f"holds more than {limits.characters / 1_000_000:.3g} million characters: split it")
        yield block
