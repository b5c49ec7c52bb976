"""Whether what a skill promises to produce has the sections it promises."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from signoff.nodes.checks.grounds import Finding
from signoff.skills import Section
from signoff.text import normalise


def check_shape(answer: str, sections: Sequence[Section], answered: Collection[str]) -> list[Finding]:
    """A finding for each section that the answer lacks. One whose tools gave nothing has nothing to say."""
    said = normalise(answer)
    return [
        Finding("shape", "", f"The section {' / '.join(s.titles)} is missing: write it under that heading.")
        for s in sections
        if (not s.tools or any(t in answered for t in s.tools)) and not any(normalise(t) in said for t in s.titles)
    ]
