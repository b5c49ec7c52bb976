"""PPTX: each slide is a page under its title, with its lists, tables and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from signoff.knowledge.convert.blocks import Block, Kind, Reading, tables
from signoff.knowledge.convert.package import Element, Package, attribute, child, local

# Shapes that hold what stands on every slide.
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_TITLES = frozenset({"title", "ctrTitle"})
NOTES = "Notes"


def slides(path: Path) -> Reading:
    """Read a PPTX file; a hidden slide is read like the others. Raises `Unreadable`."""
    with Package(path, "PPTX") as package:
        blocks: list[Block] = []
        main = package.main
        related = package.related(main)
        order = _below(package.part(main), "sldId")
        names = [related[i][1] for e in order if (i := _relation(e)) in related]
        for page, name in enumerate(names, 1):
            blocks.extend(_slide(package, name, page))
        return Reading(package.title(), tuple(blocks))


def _slide(package: Package, name: str, page: int) -> Iterator[Block]:
    root = package.part(name)
    if root is None:
        return
    tree = child(root, "cSld", "spTree")
    title = next((t for s in _below(tree, "sp") if _role(s) in _TITLES and (t := " ".join(_lines(s)))), "")
    headings: tuple[str, ...] = (" ".join(title.split()),) if title else ()
    found = list(_shapes(package, name, tree))
    for kind, text in found:
        yield Block(headings, kind, text, page)
    if title and not found:
        yield Block((), "text", headings[0], page)
    for relation, notes in package.related(name).values():
        if relation == "notesSlide":
            shapes = _below(package.part(notes), "sp")
            said = "\n\n".join(t for s in shapes if _role(s) == "body" and (t := "\n".join(_lines(s))))
            if said:
                yield Block((*headings, NOTES), "text", said, page)


def _shapes(package: Package, name: str, tree: Element | None) -> Iterator[tuple[Kind, str]]:
    for shape in tree if tree is not None else ():
        match local(shape):
            case "sp":
                if _role(shape) not in _FURNITURE | _TITLES and (lines := _lines(shape)):
                    listed = _role(shape) in ("body", "obj", "subTitle") and len(lines) > 1
                    if listed:
                        yield "list", "\n".join(_bullet(line) for line in lines)
                    else:
                        yield "text", "\n".join(line.strip() for line in lines)
            case "grpSp" | "AlternateContent" | "Choice":
                yield from _shapes(package, name, shape)
            case "graphicFrame":
                for table in _below(shape, "tbl"):
                    yield from tables(_rows(table))
                for ident in _below(shape, "relIds"):
                    yield from _diagram(package, name, attribute(ident, "dm"))


def _diagram(package: Package, name: str, ident: str) -> Iterator[tuple[Kind, str]]:
    """SmartArt keeps its words in a part of its own."""
    kind, part = package.related(name).get(ident, ("", ""))
    if kind == "diagramData":
        lines = [t for p in _below(package.part(part), "p") if (t := _text(p).strip())]
        if lines:
            yield "list", "\n".join(f"- {line}" for line in lines)


def _rows(table: Element) -> Iterator[list[str]]:
    above: list[str] = []
    for row in table:
        if local(row) == "tr":
            cells: list[str] = []
            for cell in (c for c in row if local(c) == "tc"):
                merged = attribute(cell, "vMerge") in ("1", "true") and len(cells) < len(above)
                cells.append(above[len(cells)] if merged else " ".join(line.strip() for line in _lines(cell)))
            above = cells
            yield cells


def _role(shape: Element) -> str:
    """What the layout has the shape for, `obj` where it does not say; empty for one of the slide's own."""
    mark = next(_below(child(shape, "nvSpPr"), "ph"), None)
    return "" if mark is None else attribute(mark, "type", "obj")


def _lines(shape: Element) -> list[str]:
    """The paragraphs of a shape or cell, indented by their level."""
    lines = []
    for paragraph in _below(child(shape, "txBody"), "p"):
        level = attribute(child(paragraph, "pPr"), "lvl", "0")
        if text := " ".join(_text(paragraph).split()):
            lines.append("  " * (int(level) if level.isdigit() else 0) + text)
    return lines


def _bullet(line: str) -> str:
    text = line.lstrip()
    return f"{line[: len(line) - len(text)]}- {text}"


def _text(paragraph: Element) -> str:
    return "".join(
        (part.text or "") if local(part) == "t" else " "
        for part in paragraph.iter()
        if local(part) in ("t", "br", "tab")
    )


def _below(root: Element | None, name: str) -> Iterator[Element]:
    """Elements of a name anywhere below, but for those that repeat the content for older programs."""
    for element in root if root is not None else ():
        if local(element) == name:
            yield element
        elif local(element) != "Fallback":
            yield from _below(element, name)


def _relation(element: Element) -> str:
    """The `r:id` of an element that has an `id` of its own as well."""
    return next((str(v) for k, v in element.items() if str(k).endswith("}id")), "")
