"""Documents going in at the command line: a bar in a terminal, events for programs, a last word in any case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any

from signoff.cli.exits import DONE, ERROR, INTERRUPTED
from signoff.cli.run import Run
from signoff.errors import SignoffError

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from signoff.knowledge import Progress, Report

LISTED = 50
"""Lines of one kind that are written out; the rest is counted."""
EVENT_S = 0.5
"""Seconds between two events that say how far it is."""

_OUTCOMES = ("added", "updated", "unchanged", "removed")


class Meter:
    """How far a run has come, shown as fits whoever is looking."""

    def __init__(self, run: Run, what: str, unit: str = "files") -> None:
        self._run = run
        self._what = what
        self._start = 0.0
        self.unit = unit
        self._bar: Bar | None = None
        self._task: Any = None
        self._told = 0.0
        self.last: Progress | None = None
        """The last that was heard."""

    def __call__(self, progress: Progress) -> None:
        """Take in how far it is."""
        self.last = progress
        if self._bar is not None:
            found = f"{progress.passages} passages" + (f", {progress.skipped} skipped" if progress.skipped else "")
            self._bar.update(
                self._task,
                completed=progress.done,
                total=progress.total,
                found=found,
                file=progress.file,
                rate=self.rate,
            )
        elif self._run.json and (monotonic() - self._told >= EVENT_S or progress.done == progress.total):
            from dataclasses import asdict

            self._told = monotonic()
            self._run.output.event("progress", asdict(progress))

    @property
    def rate(self) -> str:
        """Passages a second since the start."""
        passed = monotonic() - self._start
        return f"{self.last.passages / passed:,.0f}/s" if self.last and self.last.passages and passed > 1 else ""

    @contextmanager
    def shown(self) -> Iterator[Meter]:
        """Draws the bar while it lasts, in a terminal only."""
        self._start = monotonic()
        console = self._run.output.err
        if self._run.json or not console.is_terminal:
            yield self
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column

        columns = (
            TextColumn(self._what, markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[found]}", markup=False),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeRemainingColumn(),
            TextColumn(
                "{task.fields[file]}", markup=False, style="dim", table_column=Column(no_wrap=True, overflow="ellipsis")
            ),
        )
        with Progress(*columns, console=console, transient=True) as self._bar:
            self._task = self._bar.add_task("", total=None, found="", file="", rate="")
            try:
                yield self
            finally:
                self._bar = None


def tell(run: Run, report: Report) -> None:
    """What became of each file. Of the unchanged, programs are told."""
    out = run.output
    for what in _OUTCOMES:
        names = getattr(report, what)
        for name in names:
            out.event("document", {"file": name, "outcome": what})
        if what != "unchanged":
            _list(run, what, names, "dim")
    for line in report.skipped:
        out.event("document", {"file": line, "outcome": "skipped"})
    _list(run, "skipped", report.skipped, "yellow")
    for what, lines in (("access", report.access), ("note", report.notes)):
        for line in lines:
            out.event(what, {"message": line})
        _list(run, what, lines, "yellow")


def carried_out(run: Run, meter: Meter, work: Callable[[], Report]) -> int:
    """Add, tell what came of it, and return the exit code. What ends it early is followed by how to go on."""
    try:
        with meter.shown():
            report = work()
    except KeyboardInterrupt:
        run.output.problem(f"interrupted: {so_far(meter)}", INTERRUPTED, "Interrupted")
        return INTERRUPTED
    except SignoffError:
        if meter.last is not None and meter.last.done:
            run.output.note(so_far(meter).capitalize(), "yellow")
        raise
    tell(run, report)
    run.output.event("report", {w: len(getattr(report, w)) for w in (*_OUTCOMES, "skipped")})
    run.output.say(str(report))
    return ERROR if report.skipped and not (report.added or report.updated or report.unchanged) else DONE


def watched(run: Run, meter: Meter, reports: Iterator[Report]) -> int:
    """Tell what came of each change until the person has seen enough."""
    first = True
    try:
        while True:
            with meter.shown() if first else nullcontext():
                report = next(reports, None)
            if report is None:
                return DONE
            tell(run, report)
            run.output.say(str(report))
            if first:
                run.output.note("Watching; Ctrl-C ends it.")
            first = False
    except KeyboardInterrupt:
        said = so_far(meter) if first else "no longer watching; what was indexed is kept."
        run.output.problem(f"interrupted: {said}", INTERRUPTED, "Interrupted")
        return INTERRUPTED


def reindexed(run: Run, meter: Meter, work: Callable[[], int]) -> int:
    """Embed anew and tell how many documents needed it."""
    try:
        with meter.shown():
            count = work()
    except KeyboardInterrupt:
        run.output.problem(f"interrupted: {so_far(meter)}", INTERRUPTED, "Interrupted")
        return INTERRUPTED
    except SignoffError:
        if meter.last is not None and meter.last.done:
            run.output.note(so_far(meter).capitalize(), "yellow")
        raise
    run.output.event("report", {"embedded": count})
    run.output.say(f"{count} documents embedded anew." if count else "All documents have the vectors they need.")
    return DONE


def so_far(meter: Meter) -> str:
    """What is in, and how to go on, in a sentence."""
    if meter.last is None:
        return "nothing is in yet; run the same command again."
    return f"{meter.last.done} of {meter.last.total} {meter.unit} are in; run the same command again to go on."


def _list(run: Run, what: str, lines: list[str], style: str) -> None:
    for line in lines[:LISTED]:
        run.output.note(f"{what}: {line}", style)
    if len(lines) > LISTED:
        run.output.note(f"{what}: and {len(lines) - LISTED} more", style)
