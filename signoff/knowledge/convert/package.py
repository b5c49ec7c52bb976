"""Office files (ECMA-376 part 2, Open Packaging Conventions): a zip of XML parts that name one another.

Nothing in the file is believed: sizes are checked before and while unpacking, links out of the package are not
followed, and XML with a document type, and so with entities, is refused.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, TypeAlias
from zipfile import BadZipFile, ZipFile, ZipInfo

from lxml import etree  # type: ignore[import-untyped]

from signoff.knowledge.convert.blocks import Unreadable
from signoff.knowledge.convert.signature import foreign

Element: TypeAlias = etree._Element
MAX_PARTS = 10_000
MAX_UNPACKED = 500_000_000
"""Bytes of all parts together."""
MAX_RATIO = 200
"""Unpacked to packed, of a part above `SMALL_PART`; real sheets reach some 50."""
SMALL_PART = 5_000_000

_SAFELY = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "remove_comments": True, "remove_pis": True
}  # fmt: skip
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_DOCTYPE = re.compile(rb"<!DOCTYPE|<!ENTITY|<\0!\0D\0O\0C\0|\0<\0!\0D\0O\0C")


class Package:
    """An open Office file of a kind: DOCX, PPTX or XLSX. Raises `Unreadable`, `OSError`."""

    def __init__(self, path: Path, kind: str) -> None:
        self._damaged = f"is damaged: it is not a whole {kind}"
        self._budget = MAX_UNPACKED
        with path.open("rb") as file:
            head = file.read(512)
            if head.startswith(_COMPOUND):
                # An encrypted Office file is a stream of this name in a file of the older format ([MS-OFFCRYPTO]
                # 1.3.3); the names are in the sector that the header gives ([MS-CFB] 2.2).
                file.seek((int.from_bytes(head[48:52], "little") + 1) << min(head[30], 12))
                if _ENCRYPTED in head + file.read(1 << 16):
                    raise Unreadable("is encrypted: save it without a password")
                raise Unreadable(f"is an Office file of the old format: save it as .{kind.lower()}")
        if head[:2] != b"PK":
            raise Unreadable(foreign(head[:64], kind))
        try:
            self._zip = ZipFile(path)
        except (BadZipFile, NotImplementedError, ValueError, EOFError):
            raise Unreadable(self._damaged) from None
        self._names = {i.filename.lstrip("/").lower(): i for i in self._zip.infolist()}
        self._weigh()

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return name.lower() in self._names

    def part(self, name: str) -> Element | None:
        """The root of a part; None when there is none. Raises `Unreadable` when it is damaged."""
        if not self.has(name):
            return None
        data = bytearray()
        with self._open(name) as file:
            while piece := self._read(file):
                data += piece
        if _DOCTYPE.search(data[:65_536]):
            raise Unreadable("is damaged: it defines XML entities, which no Office file does")
        parser = etree.XMLParser(**_SAFELY)
        try:
            return etree.fromstring(bytes(data), parser)
        except etree.XMLSyntaxError as error:
            raise self._broken(error) from None

    def elements(self, name: str, *tags: str) -> Iterator[Element]:
        """The elements of a part with these local names, one at a time; each is emptied when the next is asked for.

        What has none of the names stays in memory until the end.
        """
        if not self.has(name):
            return
        wanted = [f"{{*}}{tag}" for tag in tags]
        parser = etree.XMLPullParser(events=("end",), tag=wanted, **_SAFELY)
        first = True
        try:
            with self._open(name) as file:
                while piece := self._read(file):
                    if first and _DOCTYPE.search(piece[:65_536]):
                        raise Unreadable("is damaged: it defines XML entities, which no Office file does")
                    first = False
                    parser.feed(piece)
                    for _, element in parser.read_events():
                        yield element
                        _empty(element)
            parser.close()
        except etree.XMLSyntaxError as error:
            raise self._broken(error) from None

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """What a part refers to, by id: the last word of the relation's type, and the part's name."""
        folder, base = posixpath.split(name)
        root = self.part(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for relation in root if root is not None else ():
            if relation.get("TargetMode") != "External":
                target = relation.get("Target", "")
                path = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
                kind = relation.get("Type", "").rpartition("/")[2]
                found[relation.get("Id", "")] = (kind, posixpath.normpath(path))
        return found

    @cached_property
    def main(self) -> str:
        """The name of the part that is the document. Raises `Unreadable`."""
        for kind, name in self.related("").values():
            if kind == "officeDocument" and self.has(name):
                return name
        raise Unreadable(self._damaged)

    def title(self) -> str:
        """The title among the document's properties."""
        for kind, name in self.related("").values():
            if kind == "core-properties":
                root = self.part(name)
                for element in root if root is not None else ():
                    if local(element) == "title":
                        return " ".join((element.text or "").split())
        return ""

    def _weigh(self) -> None:
        infos = self._zip.infolist()
        total = sum(i.file_size for i in infos)
        if len(infos) > MAX_PARTS or total > MAX_UNPACKED:
            what = f"{len(infos)} parts" if len(infos) > MAX_PARTS else f"{total // 1_000_000} MB"
            raise Unreadable(f"would unpack to {what}, which is too much")
        for info in infos:
            if info.file_size > SMALL_PART and info.file_size > MAX_RATIO * max(info.compress_size, 1):
                times = info.file_size // max(info.compress_size, 1)
                raise Unreadable(f"looks like a zip bomb: a part would unpack to {times} times its size")

    def _broken(self, error: etree.XMLSyntaxError) -> Exception:
        return MemoryError() if error.code == etree.ErrorTypes.ERR_NO_MEMORY else Unreadable(self._damaged)

    def _open(self, name: str) -> IO[bytes]:
        info: ZipInfo = self._names[name.lower()]
        if info.flag_bits & 0x1:
            raise Unreadable("is encrypted: save it without a password")
        try:
            return self._zip.open(info)
        except (BadZipFile, NotImplementedError, ValueError, EOFError, OSError):
            raise Unreadable(self._damaged) from None

    def _read(self, file: IO[bytes]) -> bytes:
        """The next piece of a part, counted against what the file may unpack to, whatever it declares."""
        try:
            piece = file.read(1 << 18)
        except (BadZipFile, zlib.error, EOFError, ValueError, OSError):
            raise Unreadable(self._damaged) from None
        self._budget -= len(piece)
        if self._budget < 0:
            raise Unreadable("looks like a zip bomb: it unpacks to more than it declares")
        return piece


def local(element: Element) -> str:
    """An element's name without its namespace, which differs between the standard's two editions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str, default: str = "") -> str:
    """An attribute by its local name."""
    if element is None:
        return default
    for key, value in element.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return default


def child(element: Element | None, *names: str) -> Element | None:
    """The first child with the first name, its first child with the second name, and so on."""
    for name in names:
        element = next((e for e in element if local(e) == name), None) if element is not None else None
    return element


def _empty(element: Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
