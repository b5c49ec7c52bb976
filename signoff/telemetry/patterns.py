r"""How a rule finds what is private in running text, Chinese or English; and what no rule may touch.

Every pattern is matched on text in half-width characters. None uses `\b`: between a Chinese character and a digit
there is no word boundary, so neighbours are looked at one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Check = Callable[[re.Match[str]], int | None]
"""Given a candidate: where the find ends, or None when it is something else."""

MARKS = ("phone", "email", "id-card", "bank-card", "api-key", "token", "private-key", "secret")


@dataclass(frozen=True)
class Rule:
    """One kind of find. The group `find` of the pattern, or all of it, is replaced by the mark."""

    mark: str
    pattern: re.Pattern[str]
    check: Check | None = None
    needs: tuple[str, ...] = ()
    """In small letters: without one of these in the text the pattern need not be tried."""

    def spans(self, text: str, folded: str) -> Iterator[tuple[int, int]]:
        """Start and end of each find, in order; `folded` is the text in small letters."""
        if self.needs and not any(word in folded for word in self.needs):
            return
        group: str | int = "find" if "find" in self.pattern.groupindex else 0
        at = 0
        while found := self.pattern.search(text, at):
            end = self.check(found) if self.check else found.end(group)
            if end is None:
                at = found.start() + 1
            else:
                yield found.start(group), end
                at = max(end, found.start() + 1)


MARK = rf"\[(?:{'|'.join(MARKS)})(?::[0-9]{{1,6}})?\]"
ALONE_LEFT = r"(?<![0-9A-Za-z_])"
ALONE_RIGHT = r"(?![0-9A-Za-z_])"

KEPT = re.compile(
    rf"{MARK}"
    r"|(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"
    r"|(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![0-9])"
)
"""What no shape may be found in: marks, UUIDs, dates and timestamps."""
