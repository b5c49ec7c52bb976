"""The skills a desk has, and which one a request is for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from signoff.errors import ConfigError
from signoff.skills.skill import FILE, Skill, read
from signoff.text import normalise, tokens

LIKE = 0.75
"""Share of a request's words that a skill must know for likeness to choose it."""

SHIPPED = Path(__file__).parent / "shipped"
"""The skills that come with the product."""


class Skills:
    """Skills by name. Of two with one name the first stands: folders that are looked in earlier win."""

    def __init__(self, skills: Iterable[Skill] = ()) -> None:
        self._skills: dict[str, Skill] = {}
        for skill in skills:
            self._skills.setdefault(skill.name, skill)
        self._words = {s.name: _topics(f"{s.description} {' '.join(s.triggers)}") for s in self}

    def get(self, name: str) -> Skill | None:
        """The skill of that name, or None."""
        return self._skills.get(name)

    def __iter__(self) -> Iterator[Skill]:
        return iter(self._skills.values())

    def __len__(self) -> int:
        return len(self._skills)

    def only(self, names: Sequence[str]) -> Skills:
        """Those of these names, in this order. Raises `ConfigError` for one that is not there."""
        missing = [n for n in names if n not in self._skills]
        if missing:
            known = ", ".join(sorted(self._skills)) or "none"
            raise ConfigError(f"There is no skill {missing[0]!r}: there are {known}.")
        return Skills(self._skills[n] for n in names)

    def choose(self, text: str, tools: Collection[str]) -> Skill | None:
        """The skill that a request is for, among those with a tool at hand: by rule, then likeness, then keywords.

        The rule is its name or one of its triggers in the text, the longest one found; most requests are for none.
        """
        usable = [s for s in self if not s.tools or any(t in tools for t in s.tools)]
        said = f" {normalise(text)} "
        named = [(len(p), s) for s in usable for p in (s.name, *s.triggers) if _said(p, said)]
        if named:
            return max(named, key=lambda n: n[0])[1]
        words = _topics(text)
        if len(words) >= 3:
            alike = [(len(words & self._words[s.name]) / len(words), s) for s in usable]
            best = max(alike, key=lambda a: a[0], default=None)
            if best is not None and best[0] >= LIKE:
                return best[1]
        return next((s for s in usable if sum(_said(k, said) for k in s.keywords) >= 2), None)


def load(folders: Iterable[Path]) -> Skills:
    """All skills in these folders, each a folder with a `SKILL.md`. Raises `ConfigError` for one that is wrong."""
    return Skills(
        read(path.parent) for folder in folders if folder.is_dir() for path in sorted(folder.glob(f"*/{FILE}"))
    )


def _said(phrase: str, said: str) -> bool:
    """Whether a phrase is in a text; all parts of one with `…` in it, in order."""
    at = 0
    # Normalised, a gap would be three full stops.
    for part in phrase.split("…"):
        wanted = normalise(part).strip()
        # Latin words stand by themselves; Chinese ones have no edges.
        wanted = f" {wanted} " if wanted.isascii() and wanted else wanted
        padded = "".join(c if c.isalnum() or not c.isascii() or c in "_-" else " " for c in said) if wanted else said
        found = padded.find(wanted, at)
        if found < 0:
            return False
        at = found + len(wanted) - 1 if wanted else at
    return True


def _topics(text: str) -> frozenset[str]:
    return frozenset(t for t in tokens(text) if not any(c.isdigit() for c in t))
