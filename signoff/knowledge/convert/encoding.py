"""Which encoding a text file is in, found in one pass that holds no more than a piece of it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from signoff.knowledge.convert.blocks import Unreadable

PIECE = 1 << 20

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HANZI = re.compile(r"[\u3400-\u9fff]")
_SHARE = 0.9
"""Of the characters beyond ASCII, those that are in everyday use, for a text to count as GB 18030."""


def encoding_of(path: Path) -> str:
    """The Python name of a text's encoding.

    UTF-8; UTF-16 and UTF-32 with a byte order mark; and GB 18030 (GBK, GB 2312), which Chinese Windows programs
    still write, when the text decodes without an error and nearly all its characters are the 3,755 of GB 2312's
    first level: text of another encoding that is read so gives rare characters. Raises `Unreadable` with the line
    where it is something else, for binary data and for a file without text.
    """
    with path.open("rb") as file:
        head = file.read(4)
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
    try:
        _check(path, encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-8" and _is_gb18030(path):
            return "gb18030"
        name = {"utf-8-sig": "UTF-8", "utf-8": "UTF-8"}.get(encoding, encoding.upper())
        raise Unreadable(f"is not {name} ({error.reason}): save it as UTF-8 text") from None
    return encoding


def decoded(data: bytes, declared: str | None = None) -> str:
    """The text of bytes that say their encoding in themselves (`declared`) or by a byte order mark.

    Raises `Unreadable`.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "")
    if not encoding and declared:
        try:
            # A page that says GB 2312 holds, as browsers know, what its successors added.
            name = codecs.lookup(declared).name
            encoding = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "utf-8"}.get(name, name)
        except (LookupError, ValueError):
            encoding = ""
    for name in filter(None, (encoding, "utf-8")):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError):
            continue
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        text = ""
    if text and _everyday(text):
        return text
    if b"\0" in data:
        raise Unreadable("is binary or not UTF-8: save it as UTF-8 text")
    return data.decode("cp1252", "replace")


def _check(path: Path, encoding: str) -> None:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    lines, blank = 1, True
    for piece, final in _pieces(path):
        if b"\0" in piece and encoding.startswith("utf-8"):
            raise Unreadable("is binary or not UTF-8: save it as UTF-8 text")
        try:
            text = decoder.decode(piece, final)
        except UnicodeDecodeError as error:
            lines += error.object.count(b"\n", 0, error.start)
            raise UnicodeDecodeError(encoding, b"", 0, 1, f"line {lines}") from None
        lines += text.count("\n")
        blank = blank and not text.strip("\ufeff \t\r\n\x0c")
    if blank:
        raise Unreadable("is empty")


def _is_gb18030(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("gb18030")("strict")
    sample = ""
    try:
        for piece, final in _pieces(path):
            text = decoder.decode(piece, final)
            if len(sample) < PIECE:
                sample += "".join(c for c in text if not c.isascii())
    except UnicodeDecodeError:
        return False
    return _everyday(sample)


def _everyday(text: str) -> bool:
    beyond = [c for c in text if not c.isascii()]
    codes = [c.encode("gb2312", "ignore") for c in beyond]
    common = sum(0xB0 <= code[0] <= 0xD7 for code in codes if code)
    signs = sum(0xA1 <= code[0] <= 0xA3 for code in codes if code)
    return common >= 4 and common >= _SHARE * (len(beyond) - signs)


def _pieces(path: Path) -> Iterator[tuple[bytes, bool]]:
    with path.open("rb") as file:
        piece = file.read(PIECE)
        while following := file.read(PIECE):
            yield piece, False
            piece = following
        yield piece, True
