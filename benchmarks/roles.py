"""What a division of roles between models costs and is worth: quality, tokens, money and time on labelled cases.

    python benchmarks/roles.py [--models FILE] [--setup NAME=ROLE:PROFILE,… …] [--cases FILE …] [--desk D] [--most N]

Each set-up answers the same cases (those of `rehearsal`, which are described in `rehearsal_cases`) on the real desk.
`--models` is a `models.toml` with the profiles; a set-up gives them roles, such as

    --models models.toml --setup large=agent:big --setup divided=agent:small,router:small,writer:big

Without set-ups: the rehearsal model alone, and with the local model (extra `local`), which this command serves, as its
writer. Every figure is of one run; money is by the profiles' prices. `calls right` are the right tools with the right
arguments, `all right` is all that a case asks for, words of the answer included.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from rehearsal import DATA, DESKS, Homes, conversation, nothing_served, share
from rehearsal_cases import Case, Verdict, judge, read

from signoff.errors import ConfigError, SignoffError, UsageError
from signoff.models.profiles import ROLES
from signoff.models.serving import LocalModel

LOCAL = """\
[models.plain]
model = "rehearsal"

[models.local]
model = "openai:smollm2"
base_url = "{address}"
context_tokens = 8192
output_tokens = 200
can = {{ tools = false, json_schema = true, parallel_calls = false, required = false, none = false }}
"""
"""What is measured without a file: code that decides, and a small real model that writes."""


@dataclass
class Setup:
    """Roles with their profiles, and what came of them."""

    name: str
    roles: Mapping[str, str]
    verdicts: list[Verdict] = field(default_factory=list)
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_yuan: Decimal = Decimal(0)
    seconds: float = 0.0

    @classmethod
    def of(cls, text: str) -> Setup:
        """Read `NAME=ROLE:PROFILE,…`. Raises `UsageError`."""
        name, equals, rest = text.partition("=")
        pairs = [pair.partition(":") for pair in rest.split(",")]
        if not (name and equals) or not all(role in ROLES and profile for role, _, profile in pairs):
            raise UsageError(f"{text!r} is no set-up: write NAME=ROLE:PROFILE,… with roles of {', '.join(ROLES)}.")
        return cls(name, {role: profile for role, _, profile in pairs})

    def run(self, profiles: str, cases: Sequence[Case]) -> None:
        """Answer the cases, each on a home of its own."""
        roles = "".join(f"{role} = {json.dumps(profile)}\n" for role, profile in self.roles.items())
        with tempfile.TemporaryDirectory(prefix="signoff-roles-") as folder, nothing_served() as base:
            homes = Homes(Path(folder), base, models=f"{profiles}\n[roles]\n{roles}")
            for case in cases:
                with homes.desk(case.desk) as desk:
                    started = time.monotonic()
                    made = conversation(desk, case)
                    self.seconds += time.monotonic() - started
                self.verdicts.append(judge(case, made))
                self.calls += int(made.usage["model_calls"])
                self.prompt_tokens += int(made.usage["prompt_tokens"])
                self.completion_tokens += int(made.usage["completion_tokens"])
                self.cost_yuan += Decimal(made.usage["cost_yuan"])

    def row(self, first: Setup) -> tuple[str, ...]:
        """Its line of the table, with tokens and time against those of the first set-up."""
        cases = len(self.verdicts)
        tokens, firsts = (s.prompt_tokens + s.completion_tokens for s in (self, first))
        return (
            self.name,
            share([v.both for v in self.verdicts]),
            share([v.right for v in self.verdicts]),
            str(sum(len(v.wrong) for v in self.verdicts)),
            f"{self.calls / cases:.2f}",
            f"{self.prompt_tokens / cases:.0f} + {self.completion_tokens / cases:.0f}",
            f"{tokens / max(1, firsts):.2f}",
            f"{self.cost_yuan * 100 / cases:.4f}",
            f"{self.seconds / max(1e-9, first.seconds):.2f}",
        )


HEAD = ("set-up", "calls right %", "all right %", "wrong changes", "model calls a turn", "tokens a turn",
        "tokens, to the first", "yuan for 100 turns", "time, to the first")  # fmt: skip


@contextmanager
def profiles_of(models: Path | None) -> Iterator[tuple[str, list[Setup]]]:
    """The profiles as TOML, and the set-ups that are measured where none is asked for."""
    if models is not None:
        try:
            yield models.read_text(encoding="utf-8"), []
        except OSError as error:
            raise UsageError(f"{models} cannot be read: {error.strerror}.") from None
        return
    with ExitStack() as stack:
        setups = [Setup("rehearsal", {"agent": "plain"})]
        try:
            address = stack.enter_context(LocalModel(port=0)).base_url
        except ConfigError as error:
            print(f"Without the local model: {error}", file=sys.stderr)
            address = "http://127.0.0.1:9/v1"
        else:
            setups.append(Setup("rehearsal, local writer", {"agent": "plain", "writer": "local"}))
        yield LOCAL.format(address=address), setups


def measured(options: argparse.Namespace) -> None:
    """Run every set-up and print the table."""
    cases = [c for c in read(options.cases or sorted(DATA.glob("*.jsonl"))) if options.desk in (None, c.desk)]
    # Evenly over the file, so that every kind of case is among them.
    chosen = cases[:: max(1, len(cases) // options.most)][: options.most]
    if not chosen:
        raise UsageError("There is no case: name a file with --cases.")
    with profiles_of(options.models) as (profiles, usual):
        setups = [Setup.of(text) for text in options.setup] or usual
        if not setups:
            raise UsageError("Name a set-up of these models: --setup NAME=ROLE:PROFILE,….")
        for setup in setups:
            setup.run(profiles, chosen)
            print(f"{setup.name}: {len(chosen)} cases in {setup.seconds:.0f} s", file=sys.stderr)
    print("| " + " | ".join(HEAD) + " |")
    print("|---|" + "---:|" * (len(HEAD) - 1))
    for setup in setups:
        print("| " + " | ".join(setup.row(setups[0])) + " |")


def main() -> int:
    """Print the table; 64 for a wrong command line, 1 for a model or a file that cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, metavar="FILE", help="a models.toml with the profiles")
    parser.add_argument("--setup", action="append", default=[], metavar="NAME=ROLE:PROFILE,…", help="may be repeated")
    parser.add_argument("--cases", type=Path, nargs="+", metavar="FILE", help="files of cases, one JSON object a line")
    parser.add_argument("--desk", choices=DESKS, help="only the cases of one desk")
    parser.add_argument("--most", type=int, default=40, metavar="N", help="cases, evenly over the files")
    try:
        options = parser.parse_args()
        measured(options)
    except SystemExit as stop:
        return 64 if stop.code else 0
    except SignoffError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
