"""Files reached from the descriptor of an open folder, without following links (POSIX `openat`).

Each step of a path is taken from the folder before it, so that nothing can be swapped for a link between the
check and the use.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from signoff.errors import ToolError
from signoff.text import terminal_safe

MAX_BYTES = 5_000_000
"""A larger file is not read."""
# Systems that lack these are refused when a workspace is opened, not when this is imported.
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _PLAIN
"""Flags that open a folder and follow no link."""
_LOCK_S = 5.0
_NAME_BYTES = 200
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{16}\.tmp", re.DOTALL)


@dataclass(frozen=True)
class Written:
    """A file as it was written."""

    name: str
    bytes: int
    backup: str | None
    """Where the file that was there before is kept; None when there was none."""


class Missing(ToolError):
    """A file or folder that is not there."""


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a relative name. Raises `ToolError` for every name that is not plain."""
    if not isinstance(name, str) or not name.strip() or len(name) > 500 or terminal_safe(name) != name or "\n" in name:
        raise ToolError(
            "INVALID_ARGUMENTS",
            "A file's name must be 1 to 500 visible characters.",
            zh="文件名应为 1 到 500 个可见字符。",
            hint="Write a plain relative name such as reports/2026-W42.md.",
        )
    if any("\ud800" <= c <= "\udfff" for c in name):
        raise refused(name, "it is not valid Unicode", "不是有效的 Unicode 文本")
    if name.startswith(("/", "~")) or "\\" in name or ":" in name:
        raise refused(
            name, "it must be relative to the workspace, with / between folders", "必须是工作区内以 / 分隔的相对路径"
        )
    parts = tuple(name.split("/"))
    if any(p in ("", ".", "..") for p in parts):
        raise refused(name, "it must not have empty parts, . or ..", "路径中不能有空段、. 或 ..")
    for p in parts:
        if p != p.strip() or p.endswith(".") or _RESERVED.fullmatch(p) or len(p.encode()) > _NAME_BYTES:
            raise refused(
                name,
                "a part ends in a dot or a space, is reserved, or is too long",
                "路径中有一段以点或空格结尾、为保留名或过长",
            )
    return parts


def refused(name: str, why: str, why_zh: str, *, where: tuple[str, ...] = ()) -> ToolError:
    shown = terminal_safe(name)[:120].encode("utf-8", "replace").decode()
    place = f" Files go below {', '.join(f'{w}/' for w in where)}." if where else ""
    return ToolError(
        "FORBIDDEN",
        f"The path “{shown}” is refused: {why}. Nothing was touched.",
        zh=f"路径“{shown}”被拒绝:{why_zh}。没有改动任何文件。",
        hint=f"Do not try other spellings of it; say that it is not allowed.{place}",
    )


def missing(name: str) -> ToolError:
    return Missing(
        "NOT_FOUND",
        f"There is no {name} in the workspace.",
        zh=f"工作区中没有 {name}。",
        hint="Do not call it again: say what is missing and answer with what is known.",
    )


@contextmanager
def failing(name: str, done: str, done_zh: str) -> Iterator[None]:
    """Turns the system's refusal into a sentence: a missing file, a full disk, a missing permission."""
    try:
        yield
    except FileNotFoundError:
        raise missing(name) from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ToolError(
            "SERVICE_UNAVAILABLE",
            f"{name} could not be {done}: {why}. The files are as they were.",
            zh=f"{name} 无法{done_zh}:{why}。文件保持原样。",
            hint="Say that it did not work and why; the folder's owner has to look at it.",
        ) from None


def step(folder: int, part: str, name: str, create: bool) -> int:
    """A descriptor of a folder in a folder, made when it is missing and may be."""
    try:
        return os.open(part, FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=folder)
        return step(folder, part, name, False)
    except OSError as error:
        found = os.stat(part, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise _linked(name, part) from None
        if not stat.S_ISDIR(found.st_mode):
            raise refused(name, f"{part} is not a folder", f"{part} 不是目录") from None
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            # It was a link when it was opened and is a folder again.
            raise refused(name, f"{part} is being changed by someone else", f"{part} 正被他人改动") from None
        raise


def entry(folder: int, part: str, name: str, *, exact: bool = False) -> os.stat_result | None:
    """What is known of a plain file in a folder; None when there is none. A link or anything else is refused.

    With `exact` a file whose name differs only in case is refused too: some file systems take the two for one.
    """
    twins = [e for e in os.listdir(folder) if e.casefold() == part.casefold() and e != part] if exact else []
    if twins:
        raise refused(name, f"{twins[0]} is there and differs only in case", f"已有仅大小写不同的 {twins[0]}")
    try:
        found = os.stat(part, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise _linked(name, part)
    if not stat.S_ISREG(found.st_mode):
        raise refused(name, f"{part} is a folder or a device, not a file", f"{part} 是目录或设备,不是文件")
    return found


def content(folder: int, part: str, name: str) -> bytes:
    """A plain file's bytes. Raises `ToolError` when it is larger than `MAX_BYTES`."""
    if entry(folder, part, name) is None:
        raise missing(name)
    # A pipe put in the file's place must not hold the call up.
    fd = os.open(part, os.O_RDONLY | os.O_NONBLOCK | _PLAIN, dir_fd=folder)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise refused(name, f"{part} is not a plain file", f"{part} 不是普通文件")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ToolError(
            "CONFLICT",
            f"{name} is larger than {MAX_BYTES // 1_000_000} MB and is not read: split it.",
            zh=f"{name} 超过 {MAX_BYTES // 1_000_000} MB,不予读取:请拆分。",
            hint="Say that the file is too large; do not try again.",
        )
    return data


def walk(folder: int, name: str, depth: int) -> Iterator[str]:
    """The names of the plain files below a folder, without hidden ones, links and names that are not plain."""
    for part in sorted(os.listdir(folder)):
        inner = f"{name}/{part}"
        try:
            parts_of(inner)
            mode = os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode
        except (ToolError, OSError):
            continue
        if part.startswith("."):
            continue
        if stat.S_ISREG(mode):
            yield inner
        elif stat.S_ISDIR(mode) and depth > 0:
            fd = step(folder, part, inner, False)
            try:
                yield from walk(fd, inner, depth - 1)
            finally:
                os.close(fd)


@contextmanager
def locked(folder: int, name: str) -> Iterator[None]:
    """One writer at a time in a folder, over threads and processes; the lock leaves no file behind."""
    import fcntl

    deadline = time.monotonic() + _LOCK_S
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ToolError(
                    "CONFLICT",
                    f"{name} was not written: another process is writing in this folder.",
                    zh=f"{name} 没有写入:另一个进程正在写这个目录。",
                    hint="Say so; the person can ask again in a moment.",
                ) from None
            time.sleep(0.02)
    try:
        yield
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


def put(folder: int, part: str, name: str, data: bytes, replace: bool) -> Written:
    """Write a file in a locked folder: temporary files, synced, then renamed; the one before becomes `.bak`."""
    _sweep(folder)
    before = entry(folder, part, name, exact=True)
    if before is not None and not replace:
        raise ToolError(
            "CONFLICT",
            f"{name} is there already and was not touched.",
            zh=f"{name} 已存在,没有改动。",
            hint="Ask the person whether it may be replaced; then call with overwrite=true.",
        )
    mode = None if before is None else stat.S_IMODE(before.st_mode)
    waiting: list[str] = []
    try:
        new = _temporary(folder, part, data, mode, waiting)
        if before is not None:
            kept = _temporary(folder, f"{part}.bak", content(folder, part, name), mode, waiting)
            os.replace(kept, f"{part}.bak", src_dir_fd=folder, dst_dir_fd=folder)
        os.replace(new, part, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        for temporary in waiting:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
        raise
    # The file is in place: a file system that cannot sync a folder does not undo that.
    with suppress(OSError):
        os.fsync(folder)
    return Written(name, len(data), None if before is None else f"{name}.bak")


def _temporary(folder: int, part: str, data: bytes, mode: int | None, waiting: list[str]) -> str:
    temporary = f".{part}.{secrets.token_hex(8)}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o666, dir_fd=folder)
    waiting.append(temporary)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        file.flush()
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
    return temporary


def _sweep(folder: int) -> None:
    """Remove what a killed writer left behind; with the lock held nobody else's is there."""
    for name in os.listdir(folder):
        if _TEMPORARY.fullmatch(name):
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)


def _linked(name: str, part: str) -> ToolError:
    return refused(name, f"{part} is a link, and links are not followed", f"{part} 是符号链接,不予跟随")
