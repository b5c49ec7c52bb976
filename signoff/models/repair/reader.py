"""Reads a model's output: reasoning apart, calls found, the rest is text.

Calls with a mark of their own (tags, tokens) count wherever they stand, but for four places: quoted, behind a line
that leads up to somebody else's words, in a code fence with prose round it, and in the reasoning. Forms that an
answer may have too are read by `loose` and `react`, only where the whole message is one.

Calls in closed reasoning are drafts a model may have dropped, so they never count; they are refused, which makes the
model write its call again. Reasoning that is not closed, with calls as its end and nothing behind them, is another
matter: models such as Kimi K2 Thinking leave the closing mark out when they go over to calling, so those count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.errors import ConfigError
from signoff.models.repair import harmony
from signoff.models.repair.formats import FORMATS
from signoff.models.repair.quotations import Quotations
from signoff.models.repair.reading import Reading
from signoff.models.repair.scan import Scan
from signoff.models.repair.schemas import Offered
from signoff.models.repair.source import Source

LONGEST = 1_000_000
"""Characters of an output in which calls are looked for: more than any model writes in one."""


def read(
    output: str,
    tools: Mapping[str, Mapping[str, Any]],
    *,
    format: str | None = None,
    quotations: Quotations | None = None,
    structured: bool = False,
) -> Reading:
    """Takes a model's output apart: `{"text", "calls", "reasoning", …}`, see `Reading`.

    `tools` are those offered this turn, name to JSON Schema of the arguments; with none, any name is accepted, and
    only in formats with marks of their own. `format`, one of `FORMATS`, is what the model is known to write: it
    settles what cannot be told otherwise, such as the line `all` that Functionary 3.2 begins its answers with. The
    arguments are as written, neither coerced nor validated. `quotations` are the texts that the model was given to
    read: a call that stands in one of them is no call. It stays in the text as a quotation, or is refused where
    nothing else is said. With `structured` the endpoint makes its calls apart from the text, so that one with prose
    behind it on its line is spoken of.

    Never raises for what a model wrote; takes time that grows with the length. An output longer than 1,000,000
    characters is text, and so is what stands behind 256 marks that no call came of, or behind 1,000 stretches of
    calls.

    Raises `ConfigError` for a format there is none of.
    """
    if format is not None and format not in FORMATS:
        raise ConfigError(f"There is no format {format!r} of tool calls: name one of {', '.join(FORMATS)}.")
    offered = Offered(tools)
    if len(output) > LONGEST:
        return Reading(output.strip())
    scan = Scan(offered, quotations, structured)
    src = Source(output, offered)
    parts = harmony.split(src) or harmony.stripped(src)
    if parts is None:
        scan.run(src)
    else:
        scan.thoughts += parts.reasoning
        for start, end in parts.text:
            scan.run(Source(output[start:end], offered))
        for body in parts.bodies:
            if not scan.repeats(body, ""):
                scan.take(body)
    if not scan.bodies:
        scan.unmarked(format)
    return scan.reading()
