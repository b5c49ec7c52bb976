"""Commands inside commands: what a wrapper, find or a shell's -c would run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from signoff.tools.shell.programs import SHELLS, WRAPPERS, known_program
from signoff.tools.shell.readers import READERS
from signoff.tools.shell.special import SPECIAL
from signoff.tools.shell.words import Word

_SKIPPED = re.compile(r"-.*|[A-Za-z_]\w*=.*|\d+(?:\.\d+)?[smhd]?|\{\}|--", re.DOTALL)


def known(name: str) -> bool:
    """Whether the name is that of a program the guard knows."""
    return name in READERS or name in SPECIAL or (name == name.lower() and bool(known_program(name.rsplit("/", 1)[-1])))


def inner_words(name: str, words: Sequence[Word]) -> list[Sequence[Word]]:
    """The commands that these arguments hold as words."""
    if name == "find":
        found, i = [], 0
        while i < len(words):
            i += 1
            if words[i - 1].text in ("-exec", "-execdir", "-ok", "-okdir"):
                end = next((j for j in range(i, len(words)) if words[j].text in (";", "+")), len(words))
                if end > i:
                    found.append(words[i:end])
                i = end
        return found
    if name not in WRAPPERS:
        return []
    places = [i for i, word in enumerate(words) if not _SKIPPED.fullmatch(word.text)][:4]
    best = next((i for i in places if known(words[i].text)), places[0] if places else None)
    return [] if best is None else [words[best:]]


def inner_text(name: str, words: Sequence[Word]) -> list[str]:
    """The commands that these arguments hold as text."""
    texts = [w.text for w in words]
    if name in SHELLS:
        for i, text in enumerate(texts):
            if re.fullmatch(r"-\w*c\w*|--command", text) and i + 1 < len(texts):
                return [next((t for t in texts[i + 1 :] if not t.startswith("-")), "")]
    if name == "eval":
        return [" ".join(texts)]
    if name in ("trap", "watch", "script", "flock", "ssh", "su", "xargs", "parallel", "env"):
        return [t for t in texts if " " in t] + [t.partition("=")[2] for t in texts if t.startswith("--split-string=")]
    return []


def walk(name: str, words: Sequence[Word], visit: Callable[[Sequence[Word] | str], None]) -> None:
    """Hand every inner command to `visit`."""
    for inner in inner_words(name, words):
        visit(inner)
    for text in inner_text(name, words):
        if text.strip():
            visit(text)
