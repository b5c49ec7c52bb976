"""A folder kept in step with a store: what changes on disk is indexed when it has come to rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

from signoff.errors import ConfigError

TICK_MS = 500
"""How often changes are looked for; a file is indexed when it has not changed from one look to the next."""
FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 60.0
"""Seconds until what failed is tried again; twice as long each time."""

_Stamp = tuple[int, int, int] | None


class Changes:
    """The files and folders below a path that have changed and come to rest.

    Raises `ConfigError` when the package that watches is not installed.
    """

    def __init__(self, path: Path, *, stop: Callable[[], bool] | None = None) -> None:
        try:
            import watchfiles
        except ImportError:
            raise ConfigError(
                "Watching a folder needs the extra `documents`: pip install 'signoff[documents]'."
            ) from None
        self._path = path
        self._pending: dict[Path, _Stamp] = {}
        self._later: set[Path] = set()
        self._due = 0.0
        self._wait_s = FIRST_WAIT_S
        # A file that is replaced by another is seen in its folder only.
        folder = path if path.is_dir() else path.parent
        self._raw = watchfiles.watch(
            folder,
            watch_filter=None,
            debounce=TICK_MS,
            step=50,
            rust_timeout=TICK_MS,
            yield_on_timeout=True,
            recursive=path.is_dir(),
            stop_event=_Event(stop or (lambda: False)),
        )
        # From here on nothing is missed.
        next(self._raw, None)

    def __iter__(self) -> Iterator[list[Path]]:
        for seen in self._raw:
            settled = [p for p, stamp in self._pending.items() if stamp == _stamp(p)]
            for _, name in seen:
                path = Path(name)
                if self._of_interest(path):
                    self._pending[path] = _stamp(path)
                    settled = [p for p in settled if p != path]
            for path in settled:
                del self._pending[path]
            for path in self._pending:
                self._pending[path] = _stamp(path)
            if self._later and monotonic() >= self._due:
                settled = [*self._later.union(settled)]
            if settled:
                yield sorted(settled)
                if monotonic() >= self._due:
                    self._later.clear()

    def again(self, paths: list[Path]) -> float:
        """Hand these out once more, later: they could not be dealt with. Returns in how many seconds."""
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S) if self._later else FIRST_WAIT_S
        self._later.update(paths)
        self._due = monotonic() + self._wait_s
        return self._wait_s

    def close(self) -> None:
        """Stop watching."""
        self._raw.close()

    def _of_interest(self, path: Path) -> bool:
        if self._path.is_file() or not path.is_relative_to(self._path):
            return path == self._path
        return not any(part.startswith(".") for part in path.relative_to(self._path).parts)


class _Event:
    """A question to the caller in the form that watchfiles asks it."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        self.is_set = stop


def _stamp(path: Path) -> _Stamp:
    """What changes with a file; None when it is not there, and for a folder only that it is."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (0, 0, found.st_ino) if path.is_dir() else (found.st_size, found.st_mtime_ns, found.st_ino)
