"""Which files a command writes to, where that can be read from its words.

Sources: the manuals of GNU coreutils. Options with which a program writes somewhere else (`cp -t`), takes a value, or
copies a link as a link (`cp -a`) are left out on purpose: a command that has them is not certain.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from signoff.tools.shell.paths import Place
from signoff.tools.shell.plan import Redirection
from signoff.tools.shell.verdict import Finding, Kind
from signoff.tools.shell.words import Word

_OPTIONS = {
    "mkdir": "-p -v --parents --verbose",
    "touch": "-a -c -m --no-create",
    "tee": "-a -i --append --ignore-interrupts",
    "rm": "-r -R -f -v -d -i -I --recursive --force --verbose --dir",
    "rmdir": "-p -v --parents --verbose",
    "unlink": "",
    "cp": "-p -f -n -u -v -i --force --no-clobber --update --verbose --interactive",
    "mv": "-f -n -u -v -i --force --no-clobber --update --verbose --interactive",
}
_ENTRIES = frozenset({"rm", "rmdir", "unlink"})
"""They take the name itself away, and not what a link of that name stands for."""
_DOING = frozenset({Kind.WRITE, Kind.DESTRUCTIVE})
_READING = frozenset({Kind.OUTSIDE, Kind.SECRET})


@dataclass(frozen=True)
class Targets:
    """What one command writes to."""

    paths: tuple[tuple[str, ...], ...] = ()
    """For each file the absolute paths that it may be, with links followed: several after a `cd`."""
    certain: bool = True
    """Whether it writes to nothing else."""


def targets(
    program: str,
    words: Sequence[Word],
    redirections: Sequence[Redirection],
    own: Sequence[Finding],
    place: Place,
) -> Targets:
    """What a command writes to; `own` is what was found about it without its redirections."""
    if place.root is None:
        return Targets(certain=False)
    kinds = {f.kind for f in own}
    found: list[tuple[Word, bool]] = [(r.target, False) for r in redirections if _writes(r)]
    if program in _OPTIONS:
        operands = _operands(words, frozenset(_OPTIONS[program].split()))
        certain = operands is not None and kinds <= _DOING | _READING
        found += _of(program, operands or [], place)
    else:
        certain = program != "cd" and kinds <= _READING if own else True
    plain = [(w, entry) for w, entry in found if w.exact and w.text]
    paths = tuple(_paths(w.text, entry, place) for w, entry in plain)
    certain = certain and len(plain) == len(found)
    return Targets(paths, certain and not any(_linked(p) for several in paths for p in several))


def _writes(redirection: Redirection) -> bool:
    op, text = redirection.op, redirection.target.text
    return ">" in op and text not in ("/dev/null", "/dev/stdout", "/dev/stderr") and not (op == ">&" and text.isdigit())


def _operands(words: Sequence[Word], options: frozenset[str]) -> list[Word] | None:
    """The words that are no options; None when one of those is not known."""
    found: list[Word] = []
    ended = False
    for word in words:
        text = word.text
        if ended or not text.startswith("-") or text == "-":
            found.append(word)
        elif text == "--":
            ended = True
        elif not ({text} if text.startswith("--") else {f"-{c}" for c in text[1:]}) <= options:
            return None
    return found


def _of(program: str, operands: list[Word], place: Place) -> list[tuple[Word, bool]]:
    """The words a program writes to, each with whether its name is taken away."""
    if program not in ("cp", "mv"):
        return [(w, program in _ENTRIES) for w in operands]
    if not operands:
        return []
    *sources, last = operands
    moved = [(w, True) for w in sources] if program == "mv" else []
    if not (last.exact and any(Path(p).is_dir() for p in _paths(last.text, False, place))):
        return [*moved, (last, False)]
    # Into a folder: what stands there under the same name may be a link to somewhere else.
    inside = [posixpath.join(last.text, posixpath.basename(w.text.rstrip("/"))) for w in sources if w.exact]
    return [*moved, *((Word(path, path), False) for path in inside), *((w, False) for w in sources if not w.exact)]


def _paths(text: str, entry: bool, place: Place) -> tuple[str, ...]:
    root = os.path.realpath(place.root or "/")
    found = []
    for folder in place.folders:
        path = posixpath.normpath(posixpath.join(root, folder, text)) if entry else posixpath.join(root, folder, text)
        head, tail = posixpath.split(path)
        found.append(posixpath.join(os.path.realpath(head), tail) if entry else os.path.realpath(path))
    return tuple(dict.fromkeys(found))


def _linked(path: str) -> bool:
    """Whether the file has another name, under which it would change too."""
    try:
        return Path(path).is_file() and Path(path).stat().st_nlink > 1
    except OSError:
        return True
