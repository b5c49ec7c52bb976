"""Paragraph styles of a DOCX: which of them are headings, and which number their paragraphs."""

from __future__ import annotations

import re

from signoff.knowledge.convert.package import Element, attribute, child, local

# By the style's name, which is English in the file whatever language Word speaks; its id is not.
_HEADING = re.compile(r"(?:heading|标题|überschrift|titre) ?([1-9])", re.IGNORECASE)

_CONTENTS = re.compile(r"toc (?:\d|heading)|目录", re.IGNORECASE)


class Styles:
    """What `styles.xml` says, inheritance followed."""

    def __init__(self, root: Element | None) -> None:
        self._styles = {
            attribute(style, "styleId"): style
            for style in (root if root is not None else ())
            if local(style) == "style"
        }

    def depth(self, style: str) -> int | None:
        """The depth of a heading, from 1; 0 for the document's title, None for other text."""
        for element in self._line(style):
            name = attribute(child(element, "name"), "val")
            if found := _HEADING.fullmatch(name.strip()):
                return int(found[1])
            if name.strip().lower() in ("title", "标题"):
                return 0
            level = attribute(child(element, "pPr", "outlineLvl"), "val")
            if level.isdigit():
                return int(level) + 1 if int(level) < 9 else None
        return None

    def is_contents(self, style: str) -> bool:
        """Whether the paragraphs are of a table of contents, which says again what the headings say."""
        return any(_CONTENTS.match(attribute(child(s, "name"), "val")) for s in self._line(style))

    def numbering(self, style: str) -> tuple[str, str]:
        """The numbering's id and level that the style gives; empty without."""
        for element in self._line(style):
            own = child(element, "pPr", "numPr")
            if own is not None:
                return attribute(child(own, "numId"), "val"), attribute(child(own, "ilvl"), "val", "0")
        return "", "0"

    def _line(self, style: str) -> list[Element]:
        """A style and those that it is based on."""
        line: list[Element] = []
        while style in self._styles and len(line) < 12:
            line.append(self._styles[style])
            style = attribute(child(line[-1], "basedOn"), "val")
        return line
