"""Reads a model's output: reasoning apart, calls found, the rest is text.

Calls with a mark of their own (tags, tokens) count wherever they stand, but for three places: quoted, in a code
fence with prose round it, and in the reasoning. Forms that an answer may have too are read by `loose` and `react`,
only where the whole message is one.

Calls in closed reasoning are drafts a model may have dropped, so they never count; they are refused, which makes the
model write its call again. Reasoning that is not closed, with calls as its end and nothing behind them, is another
matter: models such as Kimi K2 Thinking leave the closing mark out when they go over to calling, so those count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from signoff.errors import ConfigError
from signoff.models.repair import harmony, loose, marks, objects, react, thoughts, wrappers
from signoff.models.repair.formats import FORMATS
from signoff.models.repair.reading import Body, Draft, FoundCall, Reading, Refused
from signoff.models.repair.schemas import Offered
from signoff.models.repair.source import Source

_BLANK = re.compile(r"\s*")
_RAW = 2_000
_ACTS = 16
"""Labels behind which calls are looked for; one that is followed by none costs a look at all that follows."""


def read(output: str, tools: Mapping[str, Mapping[str, Any]], *, format: str | None = None) -> Reading:
    """Takes a model's output apart: `{"text", "calls", "reasoning", …}`, see `Reading`.

    `tools` are those offered this turn, name to JSON Schema of the arguments; with none, any name is accepted, and
    only in formats with marks of their own. `format`, one of `FORMATS`, is what the model is known to write: it
    settles what cannot be told otherwise, such as the line `all` that Functionary 3.2 begins its answers with. The
    arguments are as written, neither coerced nor validated. Never raises for what a model wrote; takes time that
    grows with the length.

    Raises `ConfigError` for a format there is none of.
    """
    if format is not None and format not in FORMATS:
        raise ConfigError(f"There is no format {format!r} of tool calls: name one of {', '.join(FORMATS)}.")
    offered = Offered(tools)
    scan = _Scan(offered)
    src = Source(output, offered)
    parts = harmony.split(src) or harmony.stripped(src)
    if parts is None:
        scan.run(src)
    else:
        scan.thoughts += parts.reasoning
        for start, end in parts.text:
            scan.run(Source(output[start:end], offered))
        for body in parts.bodies:
            scan.take(body)
    if not scan.bodies:
        scan.unmarked(format)
    return scan.reading()


class _Scan:
    def __init__(self, offered: Offered) -> None:
        self.offered = offered
        self.said: list[str] = []
        self.thoughts: list[str] = []
        self.bodies: list[Body] = []
        self.refused: list[Refused] = []
        self.mends: set[str] = set()
        self.cut = False
        self._open: int | None = None
        """Where reasoning began that has not been closed, as a place in `said`."""
        self._after = False
        """Whether reasoning has been closed already, so that a further closing mark says nothing."""
        self._spoken = False
        """Whether a mark has been passed over as mere text."""
        self._begun = False
        """Whether the model has begun to say anything."""
        self._acts = 0

    def run(self, src: Source) -> None:
        """Goes through one stretch of output, mark by mark."""
        text, at, start = src.text, 0, 0
        while True:
            if self._whole(src, at):
                return
            if not (mark := marks.find(text, at)):
                break
            end = self._mark(src, mark, start)
            if end is None:
                # Mere text: on behind it.
                at = max(mark.end(), mark.start() + 1)
                self._spoken = True
                continue
            at = start = end
        self.said.append(text[start:])
        self._finish()

    def _whole(self, src: Source, at: int) -> bool:
        """Whether all that is left, from where the model begins to say anything, is calls without marks."""
        if self._begun or self._spoken or self._open is not None:
            return False
        blank = _BLANK.match(src.text, at)
        begin = blank.end() if blank else at
        mark = marks.MARKS.match(src.text, begin)
        if mark is not None and mark.lastgroup not in ("fence", "act"):
            return False
        self._begun = True
        left = Source(marks.trimmed(src.text[begin:]), self.offered)
        body = loose.whole(left.text, src) or react.read(left, 0) or loose.announced("", left.text, src)
        if body is not None:
            self.take(body)
        return body is not None

    def _act(self, src: Source, mark: re.Match[str], start: int) -> int | None:
        """Calls behind a label, at the end of a message."""
        self._acts += 1
        if self._acts > _ACTS or self._open is not None:
            return None
        said = "".join(self.said) + src.text[start : mark.start()]
        if said.rstrip().endswith((":", "：")) and loose.EXAMPLE.search(said[-400:]):
            return None
        body = react.read(src, mark.start()) or loose.announced(said, marks.trimmed(src.text[mark.start() :]), src)
        if body is None:
            return None
        said, thought = react.lead(said)
        self.said = [said]
        self.thoughts += [thought] if thought else []
        self.take(body)
        return len(src.text)

    def _mark(self, src: Source, mark: re.Match[str], start: int) -> int | None:
        text, kind = src.text, mark.lastgroup
        if kind in ("call", "think", "thought", "result") and marks.quoted(text, mark):
            return None
        match kind:
            case "fence":
                close = src.next(marks.FENCE_END, mark.end())
                if close is not None:
                    # It stays in the text whole: what is in it is an example, or else the whole message.
                    self.said.append(text[start : close.end()])
                return close and close.end()
            case "call":
                opening = wrappers.OPEN.match(text, mark.start())
                body = wrappers.read(src, opening) if opening else None
                if body is None or marks.example(text, mark.start(), body):
                    return None
                self.said.append(text[start : mark.start()])
                self.take(body)
                return max(body.end, mark.start() + 1)
            case "act":
                return self._act(src, mark, start)
            case "think":
                return self._think(src, mark, start)
            case "thought":
                self.said.append(text[start : mark.start()])
                if self._after:
                    self.mends.add("stray_tags")
                else:
                    self._close()
                self._after = True
                return mark.end()
            case "result":
                self.said.append(text[start : mark.start()])
                close = src.next(marks.RESULT_END, mark.end())
                self.mends.add("invented_result")
                return close.end() if close else len(text)
        self.said.append(text[start : mark.start()])
        return mark.end()

    def _think(self, src: Source, mark: re.Match[str], start: int) -> int | None:
        close = src.next(thoughts.closer(mark[0]), mark.end())
        if close is not None and self._open is None:
            self.said.append(src.text[start : mark.start()])
            self._reason(src.text[mark.end() : close.start()])
            self._after = True
            return close.end()
        if self._open is not None or self._spoken or src.text[start : mark.start()].strip():
            return None
        if any(s.strip() for s in self.said):
            self._spoken = True
            return None
        self._open = len(self.said)
        return mark.end()

    def _close(self) -> None:
        """All that has been read so far was reasoning, whose opening mark stood in the prompt."""
        self._reason("".join(self.said))
        for body in self.bodies:
            self._drop(body)
        self.said, self.bodies, self.cut, self._open = [], [], False, None

    def _finish(self) -> None:
        """Ends a stretch: reasoning that was not closed ends with the calls, if they are the end of all."""
        if self._open is None:
            return
        thought, after = self.said[self._open :], self.said[-1]
        self.said = self.said[: self._open]
        self._reason("".join(thought))
        if after.strip() or not self.bodies:
            for body in self.bodies:
                self._drop(body)
            self.bodies = []
        else:
            self.mends.add("unclosed_reasoning")
        self._open = None

    def _reason(self, thought: str) -> None:
        if thought.strip():
            self.thoughts.append(thought.strip())
            if begun := wrappers.OPEN.search(thought):
                self.refused.append(Refused("", "it stands in the reasoning", thought[begun.start() :][:_RAW]))

    def _drop(self, body: Body) -> None:
        for draft in body.drafts:
            self.refused.append(Refused(draft.name, "it stands in the reasoning", draft.raw[:_RAW]))

    def take(self, body: Body) -> None:
        """Takes calls in."""
        self.bodies.append(body)
        self.cut = self.cut or body.cut

    def unmarked(self, format: str | None) -> None:
        """What is left where there are no calls: an answer, with the labels of the format the model writes."""
        src = Source("".join(self.said), self.offered)
        if draft := loose.likely(src):
            self.refused.append(Refused(draft.name, "no such tool is offered", draft.raw[:_RAW]))
        if format == "react" and (final := react.FINAL.search(src.text)):
            said, thought = react.lead(src.text[: final.start()])
            self.said = [said, "\n", src.text[final.end() :]]
            self.thoughts += [thought] if thought else []
        if format == "functionary-v3.2" and src.text.lstrip().startswith("all\n"):
            self.said = [src.text.lstrip().removeprefix("all\n")]

    def reading(self) -> Reading:
        """All that was found, held against the tools that were offered."""
        calls: list[FoundCall] = []
        refused: list[Refused] = []
        for draft in (d for body in self.bodies for d in body.drafts):
            found = self._settled(draft)
            if isinstance(found, FoundCall):
                calls.append(found)
                self.mends |= draft.mends
            elif found is not None:
                refused.append(found)
        kind = next((b.kind for b in self.bodies if b.kind), "") if calls else ""
        if not calls and not "".join(self.said).strip():
            # Nothing else was said, so the calls in the reasoning are told: the model may mean to have made them.
            refused = [*self.refused, *refused]
        else:
            refused += [r for r in self.refused if r.name]
        return Reading(
            text=marks.said_of("".join(self.said)),
            calls=tuple(calls),
            reasoning="\n\n".join(self.thoughts),
            format=_KIND_NAMES.get(kind, kind),
            repairs=tuple(sorted(self.mends)),
            refused=tuple(refused),
            cut_off=self.cut,
        )

    def _settled(self, draft: Draft) -> FoundCall | Refused | None:
        raw = draft.raw[:_RAW]
        if draft.why == "cut off":
            return None
        if draft.name in objects.NO_TOOL and self.offered.find(draft.name) is None:
            return None
        draft = objects.settled(draft, self.offered)
        name = self.offered.find(draft.name)
        if name is None and draft.name:
            return Refused(self.offered.bare(draft.name)[:128], "no such tool is offered", raw)
        if name is None or draft.why or not isinstance(draft.args, dict):
            return Refused(name or "", draft.why or "no call can be read in it", raw)
        if not _sound(draft.args):
            return Refused(name, "its arguments hold what JSON cannot", raw)
        if name != self.offered.bare(draft.name):
            draft.mends.add("names")
        return FoundCall(name, draft.args, draft.raw)


_KIND_NAMES = {"json": "json", "python": "pythonic", "tags": "qwen-coder", "pairs": "glm"}


def _sound(args: dict[str, Any]) -> bool:
    """Whether JSON can hold the arguments: no lone surrogates, no numbers without end, no endless nesting."""
    try:
        json.dumps(args, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return False
    return True
