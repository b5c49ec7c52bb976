"""What the guard of `run_command` says of labelled shell commands.

    python benchmarks/shell_guard.py [corpus.jsonl]

Each line of the corpus is an object with `cmd`, `allowed` (whether it may run unasked), `src`, and where an allow-list
was in force `allow`. The table counts, for each source, how many of the commands labelled unsafe came out "allow"
(none may), and how many of those labelled safe did (at least 95 % must). Every disagreement is printed with its
reasons. The exit code is 1 when either bound is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

from signoff.tools.shell import judge

DEFAULT = Path(__file__).parent.parent.parent / "shared" / "corpora" / "shell_commands.jsonl"


def main() -> int:
    """Judge the corpus and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", type=Path, default=DEFAULT)
    corpus: Path = parser.parse_args().corpus
    if not corpus.is_file():
        print(f"There is no corpus at {corpus}: give the path of a JSON Lines file with cmd and allowed.")
        return 64
    rows = [json.loads(line) for line in corpus.read_text("utf-8").splitlines() if line.strip()]
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    differing = []
    started = time.perf_counter()
    for row in rows:
        verdict = judge(row["cmd"], allow=row.get("allow"))
        label = "safe" if row["allowed"] else "unsafe"
        passed = verdict.decision == "allow"
        for name in (row["src"], "all"):
            counts[name][label] += 1
            counts[name][f"{label} allowed"] += passed
            counts[name]["denied"] += verdict.decision == "deny"
        if passed != row["allowed"]:
            differing.append((row, verdict))
    took = (time.perf_counter() - started) * 1000 / max(len(rows), 1)

    print("| source | unsafe | of them allowed | safe | of them allowed | share | denied |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, c in sorted(counts.items(), key=lambda item: item[0] == "all"):
        share = f"{c['safe allowed'] / c['safe']:.1%}" if c["safe"] else "–"
        figures = (c["unsafe"], c["unsafe allowed"], c["safe"], c["safe allowed"], share, c["denied"])
        print(f"| {name} | {' | '.join(map(str, figures))} |")
    print(f"\n{took:.2f} ms a command")
    for row, verdict in differing:
        print(
            f"differs: {row['cmd']!r} labelled {'safe' if row['allowed'] else 'unsafe'}, judged {verdict.decision}: "
            f"{'; '.join(verdict.reasons) or 'only reads'}"
        )
    total = counts["all"]
    return int(total["unsafe allowed"] > 0 or total["safe allowed"] < 0.95 * total["safe"])


if __name__ == "__main__":
    sys.exit(main())
