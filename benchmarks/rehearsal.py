"""How well the rehearsal model serves the three desks: tools, arguments, rounds, and changes that nobody asked for.

    python benchmarks/rehearsal.py [--cases FILE …] [--desk service|weekly|assistant] [--show] [--json]

Labelled requests (see `rehearsal_cases`; all of benchmarks/rehearsal_data when none is named) are put to the real
desk: route, retrieval, gateway and validation, with the rehearsal model in it. Each case has a home of its own, copied
from a new one, so that nothing a case makes is seen by another; a proposal waits and nobody signs it. The assistant's
weather and mail servers are on this machine and serve nothing, and no page may be fetched: calls are judged, and what
they would bring is not. What the public Berkeley Function-Calling Leaderboard asks, one tool or none:

    pip download --no-deps bfcl-eval && unzip -q bfcl_eval-*.whl -d bfcl
    python benchmarks/rehearsal.py --bfcl bfcl/bfcl_eval/data [--sample N]

`tools` is the share of cases whose calls are of the right tools in the right number and order, `arguments` of those
with calls whose every argument is right, `both` of all. A changing call (draft, write or critical) is wrong when no
label has it, or has it with another value.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from rehearsal_cases import DESKS, Case, Made, Verdict, judge, read

import signoff.desks
from signoff import Caller, Desk
from signoff.errors import SignoffError, UsageError
from signoff.tools.contract import Risk

DATA = Path(__file__).parent / "rehearsal_data"
FOLDER = Path(signoff.desks.__file__).parent / "sample" / "weekly"
CALLER = Caller("acme", "u-17")
FINDING = "find_tools"
"""Looking for a tool among those not offered is no call of a tool."""
Judged = list[tuple[Case, Made, Verdict]]


class Homes:
    """A new home for every case: copies of one that was made once for each desk."""

    def __init__(self, root: Path, base: str, *, models: str = "") -> None:
        """`models` is a `models.toml` whose agent answers instead of the rehearsal model."""
        self.root = root
        self.models = models
        self.options: dict[str, Any] = {
            "weather_url": f"{base}/forecast",
            "geocoding_url": f"{base}/search",
            "fetch_hosts": (),
            "smtp_url": "smtp://127.0.0.1:9",
            "mail_from": "desk@example.com",
            "commands": True,
        }
        self.made = 0

    @contextmanager
    def desk(self, name: str) -> Iterator[Desk]:
        """A desk on a home where nothing has happened."""
        source, copy = self.root / name, self.root / f"{name}-{self.made}"
        self.made += 1
        if not source.exists():
            self._open(name, source).close()
        shutil.copytree(source, copy)
        try:
            with self._open(name, copy) as desk:
                yield desk
        finally:
            shutil.rmtree(copy)

    def _open(self, name: str, home: Path) -> Desk:
        options = dict(self.options)
        if name == "weekly":
            folder = home / "team"
            if not folder.exists():
                shutil.copytree(FOLDER, folder)
            options["workspace"] = folder
        if self.models and home.exists():
            (home / "models.toml").write_text(self.models, encoding="utf-8")
            return Desk.open(home, desk=name, **options)
        return Desk.open(home, desk=name, model="rehearsal", **options)


@contextmanager
def nothing_served() -> Iterator[str]:
    """The address of a server on this machine that has no page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def conversation(desk: Desk, case: Case) -> Made:
    """Say what the case says, on one thread; what the last turn did."""
    thread: str | None = None
    for words in case.said:
        turn = desk.ask(words, caller=CALLER, thread=thread)
        thread = turn.thread
    named = any(name == FINDING for name, _ in case.calls or ())
    calls = [(s.tool, dict(s.args)) for s in turn.steps if named or s.tool != FINDING]
    return Made(
        calls=calls,
        status=str(turn.status),
        answer=turn.answer,
        rounds=int(turn.usage.get("rounds", 0)) - (len(calls) < len(turn.steps)),
        usage=turn.usage,
        changing=frozenset(t.name for t in desk.services.gateway.registry if t.risk is not Risk.READ),
    )


def run(cases: Sequence[Case]) -> Judged:
    """All cases, each on a home of its own."""
    judged: Judged = []
    with tempfile.TemporaryDirectory(prefix="signoff-rehearsal-") as folder, nothing_served() as base:
        homes = Homes(Path(folder), base)
        for case in cases:
            with homes.desk(case.desk) as desk:
                made = conversation(desk, case)
            judged.append((case, made, judge(case, made)))
    return judged


def share(found: Sequence[bool | None]) -> str:
    """A percentage of those that are not None, or a dash."""
    told = [f for f in found if f is not None]
    return f"{100 * sum(told) / len(told):.1f}" if told else "-"


def rows(judged: Judged) -> Iterator[tuple[str, ...]]:
    """A row a desk and language, a desk, and all."""
    for desk in DESKS:
        for language in ("zh", "en", ""):
            chosen = [j for j in judged if j[0].desk == desk and language in ("", j[0].language)]
            if chosen:
                yield _row(desk, language or "both", chosen)
    yield _row("all", "both", judged)


def _row(desk: str, language: str, judged: Judged) -> tuple[str, ...]:
    verdicts = [v for _, _, v in judged]
    return (
        desk,
        language,
        str(len(verdicts)),
        share([v.tools for v in verdicts]),
        share([v.arguments for v in verdicts]),
        share([v.both for v in verdicts]),
        f"{sum(v.rounds for v in verdicts) / len(verdicts):.2f}",
        str(sum(v.too_many for v in verdicts)),
        share([v.asked for v in verdicts]),
        share([v.answer for v in verdicts]),
        share([v.right for v in verdicts]),
        str(sum(len(v.wrong) for v in verdicts)),
    )


HEAD = ("desk", "language", "cases", "tools %", "arguments %", "both %", "rounds", "too many rounds", "asked %",
        "answer %", "all right %", "wrong changes")  # fmt: skip


def table(judged: Judged) -> None:
    """Print the figures, and every change that was wrong."""
    print("| " + " | ".join(HEAD) + " |")
    print("|---|---|" + "---:|" * (len(HEAD) - 2))
    for row in rows(judged):
        print("| " + " | ".join(row) + " |")
    for case, _, verdict in judged:
        for name, args in verdict.wrong:
            print(f"wrong change: {case.id} {' / '.join(case.said)!r} -> {name} {_short(args)}")


def failures(judged: Judged) -> None:
    """Print what was not right, with what was wanted."""
    for case, made, verdict in judged:
        if verdict.right:
            continue
        faults = [
            name
            for name, wrong in (
                ("tools", not verdict.tools),
                ("arguments", verdict.arguments is False),
                ("asks", verdict.asked is False),
                ("refuses", verdict.refused is False),
                ("status", verdict.status is False),
                ("answer", verdict.answer is False),
                ("wrong change", bool(verdict.wrong)),
            )
            if wrong
        ]
        print(f"\n{case.id} [{case.desk}] {', '.join(faults)}: {' / '.join(case.said)}")
        print(f"  wanted {_calls(case.calls or ())} {case.status} {list(case.answer) or ''}")
        print(f"  found  {_calls(made.calls)} {made.status} {made.answer[:240]!r}")


def _calls(calls: Any) -> str:
    return "; ".join(f"{n} {_short(a)}" for n, a in calls) or "no call"


def _short(args: Any) -> str:
    text = json.dumps(args, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"


def measured(options: argparse.Namespace) -> None:
    """The desks' part."""
    paths = options.cases if options.cases is not None else sorted(DATA.glob("*.jsonl"))
    cases = [c for c in read(paths) if options.desk in (None, c.desk)]
    if not cases:
        raise UsageError("There is no case: name a file with --cases, or put some into benchmarks/rehearsal_data.")
    started = time.monotonic()
    judged = run(cases)
    if options.json:
        print(json.dumps([dict(zip(HEAD, row, strict=True)) for row in rows(judged)], ensure_ascii=False))
    else:
        table(judged)
    if options.show:
        failures(judged)
    print(f"{len(cases)} cases in {time.monotonic() - started:.0f} s", file=sys.stderr)


def main() -> int:
    """Print the tables; 64 for a wrong command line, 1 for a bad case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, nargs="+", metavar="FILE", help="files of cases, one JSON object a line")
    parser.add_argument("--desk", choices=DESKS, help="only the cases of one desk")
    parser.add_argument("--show", action="store_true", help="list what was not right")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON list")
    parser.add_argument("--bfcl", type=Path, metavar="FOLDER", help="the data folder of the package bfcl-eval")
    parser.add_argument("--sample", type=int, default=200, metavar="N", help="questions a category of --bfcl")
    try:
        options = parser.parse_args()
    except SystemExit as stop:
        return 64 if stop.code else 0
    try:
        if options.bfcl is not None:
            from rehearsal_public import measured as public

            public(options.bfcl, options.sample, show=options.show)
        else:
            measured(options)
    except SignoffError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
