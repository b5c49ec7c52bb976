"""One output gone through mark by mark."""

from __future__ import annotations

import re

from signoff.models.repair import loose, marks, react, thoughts, wrappers
from signoff.models.repair.quotations import WHY, Quotations, reported
from signoff.models.repair.reading import Body, FoundCall, Reading, Refused
from signoff.models.repair.schemas import Offered
from signoff.models.repair.source import Source
from signoff.models.repair.verdicts import RAW, verdict

_BLANK = re.compile(r"\s*")
_IDLE = 256
"""Marks that no call comes of; behind them nothing more is looked for."""
_MOST = 1_000
"""Marked stretches of calls that are taken from one output."""
_ACTS = 16
"""Labels behind which calls are looked for; one that is followed by none costs a look at all that follows."""
_KIND_NAMES = {"json": "json", "python": "pythonic", "tags": "qwen-coder", "pairs": "glm"}


class Scan:
    """What has been read so far: texts, thoughts, calls, and what was refused."""

    def __init__(self, offered: Offered, quotations: Quotations | None, structured: bool) -> None:
        self.offered = offered
        self._quotations = quotations
        self._structured = structured
        self._quoted: list[tuple[Refused, str]] = []
        """Calls that are only repeated, with the stretches that they stand in."""
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
        self._idle = 0
        self._past = 0
        """Where the last call ends that is only spoken of."""

    def run(self, src: Source) -> None:
        """Goes through one stretch of output, mark by mark."""
        text, at, start = src.text, 0, 0
        self._past = 0
        while self._idle <= _IDLE and len(self.bodies) < _MOST:
            if self._whole(src, at):
                return
            if not (mark := marks.find(text, at)):
                break
            end = self._mark(src, mark, start)
            if end is None:
                # Mere text: on behind it.
                at = max(mark.end(), mark.start() + 1, self._past)
                self._spoken = True
                self._idle += 1
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
        if body is None:
            return False
        if self.repeats(body, left.text):
            self.said.append(left.text)
        else:
            self.take(body)
        return True

    def _act(self, src: Source, mark: re.Match[str], start: int) -> int | None:
        """Calls behind a label, at the end of a message."""
        self._acts += 1
        if self._acts > _ACTS or self._open is not None:
            return None
        said = "".join(self.said) + src.text[start : mark.start()]
        if said.rstrip().endswith((":", "：")) and (loose.EXAMPLE.search(said[-400:]) or reported(said)):
            return None
        rest = marks.trimmed(src.text[mark.start() :])
        body = react.read(src, mark.start()) or loose.announced(said, rest, src)
        if body is None:
            return None
        if self.repeats(body, rest):
            self.said.append(src.text[start : mark.start()] + rest)
            return len(src.text)
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
                if body is None or self._told(src, start, mark.start(), body):
                    return None
                self._idle += all(d.args is None for d in body.drafts)
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

    def _told(self, src: Source, start: int, at: int, body: Body) -> bool:
        """Whether a marked call is only spoken of, or repeated from what was read."""
        text = src.text
        before = text[start:at]
        # Of calls in a row the first decides.
        told = (
            (0 < self._past <= at and not text[self._past : at].strip())
            or marks.example(text, at, body)
            or reported(before if before.strip() else "".join(self.said[-2:]))
            or (self._structured and not body.cut and marks.continued(text, body.end))
            or self.repeats(body, text[at : body.end])
        )
        if told and not body.cut:
            self._past = body.end
        return told

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
                self.refused.append(Refused("", "it stands in the reasoning", thought[begun.start() :][:RAW]))

    def _drop(self, body: Body) -> None:
        for draft in body.drafts:
            self.refused.append(Refused(draft.name, "it stands in the reasoning", draft.raw[:RAW]))

    def repeats(self, body: Body, stretch: str) -> bool:
        """Whether calls only repeat what was read; of several those that do are marked."""
        if self._quotations is None or body.cut or not body.drafts:
            return False
        theirs = [d for d in body.drafts if self._quotations.hold_call(d)]
        if len(theirs) < len(body.drafts) and not self._quotations.hold(stretch):
            for draft in theirs:
                draft.why = WHY
            return False
        first = body.drafts[0]
        raw = stretch or first.raw
        self._quoted.append((Refused(self.offered.find(first.name) or first.name, WHY, raw[:RAW]), raw.strip()))
        return True

    def take(self, body: Body) -> None:
        """Takes calls in."""
        self.bodies.append(body)
        self.cut = self.cut or body.cut

    def unmarked(self, format: str | None) -> None:
        """What is left where there are no calls: an answer, with the labels of the format the model writes."""
        src = Source("".join(self.said), self.offered)
        if draft := loose.likely(src):
            self.refused.append(Refused(draft.name, "no such tool is offered", draft.raw[:RAW]))
        if format == "react":
            if final := react.FINAL.search(src.text):
                said, thought = react.lead(src.text[: final.start()])
                said = f"{said}\n{src.text[final.end() :]}"
            else:
                said, thought = react.thought_first(src.text)
            self.said = [said]
            self.thoughts += [thought] if thought else []
        if format == "functionary-v3.2" and src.text.lstrip().startswith("all\n"):
            self.said = [src.text.lstrip().removeprefix("all\n")]

    def _worded(self) -> bool:
        """Whether anything is said round the calls that are only repeated."""
        said = "".join(self.said)
        for _, stretch in self._quoted:
            said = said.replace(stretch, "")
        return re.search(r"\w", react.lead(said)[0]) is not None

    def reading(self) -> Reading:
        """All that was found, held against the tools that were offered."""
        calls: list[FoundCall] = []
        refused: list[Refused] = []
        for draft in (d for body in self.bodies for d in body.drafts):
            found = verdict(draft, self.offered)
            if isinstance(found, FoundCall):
                calls.append(found)
                self.mends |= draft.mends
            elif found is not None:
                refused.append(found)
        kind = next((b.kind for b in self.bodies if b.kind), "") if calls else ""
        if self._quoted and not calls and not self._worded():
            self.said = []
            self.refused.append(self._quoted[0][0])
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
