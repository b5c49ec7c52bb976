"""The sections of a report: which it must have, and which a text has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from markdown_it import MarkdownIt

from signoff.tools.weeks import Week, absolute_week

SECTIONS = {
    "progress": (
        "Progress", "进展",
        r"进展|进度|完成情况|本周工作|本周完成|工作总结|progress|accomplish|achieve|status|done\b|highlights",
    ),
    "budget": ("Budget", "预算", r"预算|费用|支出|开支|花费|经费|budget|spend|cost|expens"),
    "next_week": (
        "Next week", "下周",
        r"下\s*一?\s*个?\s*(?:周|星期|礼拜)|后续|接下来|next week|coming week|week ahead|next steps?|plan",
    ),
}  # fmt: skip
"""Names in English and Chinese, and what a heading of each says."""
_MARKDOWN = MarkdownIt("commonmark")
_MARKDOWN.core.ruler.enableOnly(["normalize", "block"])


def titled_week(text: str, today: date) -> Week | None:
    """The week in the report's first heading."""
    first = next(_headings(text), None)
    return absolute_week(first[1], today) if first else None


def sections(text: str) -> set[str]:
    """The sections that have a heading of their own and text below it, or below headings under it."""
    headings = list(_headings(text))
    # A title may speak of all three, and is none of them.
    titled = len(headings) > 1 and all(level > headings[0][0] for level, *_ in headings[1:])
    found: set[str] = set()
    above: list[tuple[int, str]] = []
    for level, words, body in headings[1:] if titled else headings:
        above = [(deep, section) for deep, section in above if deep < level]
        hits = [(m.start(), s) for s, (*_, pattern) in SECTIONS.items() if (m := re.search(pattern, words, re.I))]
        if hits:
            above.append((level, min(hits)[1]))
        if above and re.search(r"\w", body):
            found.add(above[-1][1])
    return found


def _headings(text: str) -> Iterator[tuple[int, str, str]]:
    """Level, words and the text below each heading, up to the next one."""
    lines = text.split("\n")
    tokens = _MARKDOWN.parse(text)
    at = [
        (int(t.tag[1]), tokens[i + 1].content, t.map)
        for i, t in enumerate(tokens)
        if t.type == "heading_open" and t.map
    ]
    for n, (level, words, (_, end)) in enumerate(at):
        stop = at[n + 1][2][0] if n + 1 < len(at) else len(lines)
        yield level, words, "\n".join(lines[end:stop])
