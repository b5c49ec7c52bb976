"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

_SIGNATURES = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip or Office file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office file of the old format"),
    (b"{\\rtf", "an RTF file"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"\x1f\x8b", "a gzip file"),
    (b"Rar!", "a RAR file"),
    (b"7z\xbc\xaf", "a 7z file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"<!DOCTYPE html", "an HTML page"),
    (b"<html", "an HTML page"),
)


def foreign(head: bytes, kind: str) -> str:
    """That a file is not of its kind, and of which if it shows: `is not a PDF but a PNG picture`."""
    found = next((what for mark, what in _SIGNATURES if head.lstrip().startswith(mark)), "")
    return f"is not a {kind}{f' but {found}' if found else ''}, whatever its name says"
