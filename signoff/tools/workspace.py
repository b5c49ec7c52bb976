"""A folder that a desk works on: all of it may be read, and a part of it written to."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

from signoff.errors import ConfigError, ToolError
from signoff.tools import descriptors
from signoff.tools.descriptors import Missing, Written, failing, missing, parts_of, refused

Mode = Literal["readonly", "write"]

MAX_FILES = 1_000
"""Files listed of one folder; the rest is left out."""
_DEPTH = 6
"""Levels of folders that are listed."""


class Workspace:
    """A folder, opened. Names in it are relative, with `/`, such as `reports/2026-W42.md`.

    Raises `ConfigError` when `root` is not a folder that can be read, or `writable` names no folder inside it.
    All methods raise `ToolError`, in both languages, for a name that is refused or a file that cannot be used.
    """

    def __init__(self, root: Path, mode: Mode = "readonly", writable: tuple[str, ...] = ("reports",)) -> None:
        if mode not in ("readonly", "write"):
            raise ConfigError(f"A workspace's mode is readonly or write, not {mode!r}.")
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            raise ConfigError("A workspace needs a POSIX system: this one cannot open files relative to a folder.")
        try:
            self.root = Path(root).expanduser().resolve(strict=True)
            next(self.root.iterdir(), None)
        except (OSError, RuntimeError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ConfigError(f"The workspace {root} cannot be opened: {why}. Name a folder that exists.") from None
        for folder in writable:
            try:
                parts_of(folder)
            except ToolError as error:
                raise ConfigError(f"A workspace's writable folder is wrong: {error.message}") from None
        self.mode: Mode = mode
        self.writable = tuple(writable)

    @property
    def id(self) -> str:
        """Twelve hex digits that stand for this folder: an approval for one folder is good for no other."""
        return hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r}, {self.mode!r}, {self.writable!r})"

    def read_path(self, name: str) -> Path:
        """The path of a file that may be read. It is a real file, reached without links."""
        parts = parts_of(name)
        with self._folder(name, parts[:-1]) as folder:
            if descriptors.entry(folder, parts[-1], name) is None:
                raise missing(name)
        return self.root.joinpath(*parts)

    def write_path(self, name: str) -> Path:
        """The path of a file that may be written: below a writable folder, and no link on the way there."""
        parts = self._writable(name)
        with suppress(Missing), self._folder(name, parts[:-1]) as folder:
            descriptors.entry(folder, parts[-1], name, exact=True)
        return self.root.joinpath(*parts)

    def size(self, name: str) -> int | None:
        """A file's size in bytes; None when there is no such file."""
        parts = parts_of(name)
        try:
            with self._folder(name, parts[:-1]) as folder:
                found = descriptors.entry(folder, parts[-1], name)
        except Missing:
            return None
        return None if found is None else found.st_size

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return self.size(name) is not None

    def read_bytes(self, name: str) -> bytes:
        """A file's content, at most `MAX_BYTES`."""
        parts = parts_of(name)
        with self._folder(name, parts[:-1]) as folder:
            return descriptors.content(folder, parts[-1], name)

    def read_text(self, name: str) -> str:
        """A file's text: UTF-8, or UTF-16 with its mark; line ends become newlines."""
        content = self.read_bytes(name)
        marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        try:
            text = content.decode("utf-16" if marked else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise ToolError(
                "CONFLICT",
                f"{name} is not UTF-8 text (byte {error.start + 1}): save it as UTF-8.",
                zh=f"{name} 不是 UTF-8 文本(第 {error.start + 1} 个字节):请另存为 UTF-8。",
                hint="Say that the file must be saved as UTF-8; do not try again.",
            ) from None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def files(self, folder: str, suffixes: tuple[str, ...] = ()) -> list[str]:
        """The names of the files below a folder, in order; hidden ones and links are left out."""
        parts = parts_of(folder)
        found: list[str] = []
        with self._folder(folder, parts) as fd:
            for name in descriptors.walk(fd, folder, _DEPTH):
                if not suffixes or name.lower().endswith(suffixes):
                    found.append(name)
                if len(found) >= MAX_FILES:
                    break
        return sorted(found)

    def write_text(self, name: str, text: str, *, replace: bool = True) -> Written:
        """Write a file whole, or not at all: to a temporary file beside it, synced, then put in its place.

        A file that is there is first kept as `<name>.bak`, or with `replace=False` left alone (`CONFLICT`). A file
        with further hard links is replaced, not written into: what the other names hold does not change. Its
        permissions are kept.
        """
        parts = self._writable(name)
        data = text.encode("utf-8")
        self.write_path(name)
        with self._folder(name, parts[:-1], create=True) as folder, descriptors.locked(folder, name):
            return descriptors.put(folder, parts[-1], name, data, replace)

    def _writable(self, name: str) -> tuple[str, ...]:
        parts = parts_of(name)
        if self.mode != "write":
            raise refused(
                name, "this workspace is open for reading only", "这个工作区以只读方式打开", where=self.writable
            )
        inside = [f for f in self.writable if parts[: f.count("/") + 1] == tuple(f.split("/"))]
        if not inside or all(len(parts) == f.count("/") + 1 for f in inside):
            places = ", ".join(f"{f}/" for f in self.writable) or "no folder"
            raise refused(
                name, f"only {places} may be written to", f"只能写入 {places} 目录下的文件", where=self.writable
            )
        if any(p.startswith(".") or unicodedata.normalize("NFKC", p) != p for p in parts):
            raise refused(name, "its name is hidden or has look-alike characters", "文件名是隐藏文件或含有易混淆字符")
        if parts[-1].lower().endswith(".bak"):
            raise refused(name, "names ending in .bak are kept for earlier versions", ".bak 文件名留给旧版本")
        return parts

    @contextmanager
    def _folder(self, name: str, parts: tuple[str, ...], *, create: bool = False) -> Iterator[int]:
        """A descriptor of a folder below the root; no link on the way is followed."""
        with failing(name, *(("written", "写入") if create else ("read", "读取"))), ExitStack() as opened:
            fd = os.open(self.root, descriptors.FOLDER)
            opened.callback(os.close, fd)
            for part in parts:
                fd = descriptors.step(fd, part, name, create)
                opened.callback(os.close, fd)
            yield fd
