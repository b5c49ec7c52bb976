"""The retrieval benchmark runs, on its own data and on folders in BEIR form; no figure is asserted."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "retrieval.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The benchmark's program."""
    pytest.importorskip("bm25s")
    spec = importlib.util.spec_from_file_location("retrieval", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["retrieval"] = module
    spec.loader.exec_module(module)
    return module


def beir(folder: Path, **changes: str) -> Path:
    """A folder in BEIR form, with other contents for the files named in `changes`."""
    corpus = [
        {"_id": "d1", "title": "Kestrel", "text": "# The kestrel hovers.\n---\nIt eats voles."},
        {"_id": "d2", "title": "Kestrel", "text": "Kestrels nest in towers."},
        {"_id": "d3", "title": "", "text": "苍鹭在河边等鱼。"},
    ]
    queries = [{"_id": "q1", "text": "what does the kestrel eat"}, {"_id": "q2", "text": "苍鹭等什么"}]
    files = {
        "corpus": "".join(json.dumps(r) + "\n" for r in corpus),
        "queries": "".join(json.dumps(r) + "\n" for r in queries),
        "qrels": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td3\t1\n",
    } | changes
    (folder / "qrels").mkdir(parents=True)
    for name, content in files.items():
        path = folder / ("qrels/test.tsv" if name == "qrels" else f"{name}.jsonl")
        path.write_text(content, encoding="utf-8")
    return folder


def test_its_own_data_has_both_languages_and_all_four_directions(bench: ModuleType) -> None:
    collection = bench.read(bench.DATA)
    assert Counter(e.language for e in collection.entries) == {"zh": 120, "en": 120}
    assert all(250 <= len(e.text) <= 600 for e in collection.entries)
    asked = Counter(a.direction for a in collection.asked)
    assert sum(asked.values()) >= 300 and min(asked[d] for d in ("zh-zh", "en-en", "zh-en", "en-zh")) >= 60
    assert len(collection.unanswerable) == 30
    assert len({a.text for a in collection.asked} | set(collection.unanswerable)) == len(collection.asked) + 30


def test_what_fills_up_is_the_same_for_a_seed_and_never_twice(bench: ModuleType) -> None:
    entries = list(bench.filler(503))
    assert entries == list(bench.filler(503)) != list(bench.filler(503, seed=8))
    assert len({e.text for e in entries}) == len({e.id for e in entries}) == 503
    assert {e.language for e in entries} == {"zh", "en"}


def test_a_run_measures_every_system_and_finds_nothing_for_another_tenant(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    assert (
        bench.main(["--embeddings", "none", "--passages", "260", "--queries", "40", "--json", "--home", str(home)]) == 0
    )
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (report["passages"], report["questions"], report["found_by_another_tenant"]) == (260, 40, 0)
    assert set(report["systems"]) == {"lexical", "search", "bm25s"}
    for row in report["systems"].values():
        assert set(row["quality"]) == {"all", "zh-zh", "en-en", "zh-en", "en-zh"}
        # An answer in the question's own language is found by every system at times: ids are mapped rightly.
        assert row["quality"]["zh-zh"]["recall@10"] > 0 and row["quality"]["en-en"]["recall@10"] > 0
    assert bench.main(["--embeddings", "none", "--home", str(home)]) == 1
    assert "is not an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_foreign_folder_is_measured_by_its_own_ids(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], bom: str
) -> None:
    folder = beir(tmp_path / "birds")
    corpus = folder / "corpus.jsonl"
    corpus.write_text(bom + corpus.read_text(encoding="utf-8"), encoding="utf-8")
    assert bench.main(["--embeddings", "none", "--folder", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "birds: 3 passages, 2 questions" in shown and "zh-zh" in shown and "en-en" in shown


GONE = "q1\td9\t1\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"corpus": "{}\n"}, "birds/corpus.jsonl, line 1 has no `_id` and `text`"),
        ({"corpus": "[]\n"}, "birds/corpus.jsonl, line 1 has no `_id` and `text`"),
        ({"queries": '{"_id": "q1", "text": "a"}\n\n{"_id"'}, "birds/queries.jsonl, line 3 is not JSON"),
        ({"queries": '{"_id": "q1", "text": "a"}\n' * 2}, "line 2 has the `_id` 'q1' of an earlier line"),
        ({"queries": '{"_id": "q9", "text": "a"}\n'}, "judges the query 'q1', which is not in queries.jsonl"),
        ({"corpus": ""}, "birds/corpus.jsonl is empty"),
        ({"qrels": "query-id\tcorpus-id\tscore\n"}, "holds no judgement with a score above 0"),
        ({"qrels": "query-id\tcorpus-id\tscore\n" + GONE}, "names the passage 'd9', which is not in corpus.jsonl"),
        ({"qrels": "query-id\tcorpus-id\tscore\nq1 d1 1\n"}, "birds/qrels/test.tsv, line 2 is not"),
        ({"qrels": "query-id\tcorpus-id\tscore\nq1\td1\tyes\n"}, "birds/qrels/test.tsv, line 2 is not"),
    ],
)
def test_a_folder_that_is_not_in_beir_form_is_told_in_one_sentence(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, str], said: str
) -> None:
    folder = beir(tmp_path / "birds", **changes)
    assert bench.main(["--embeddings", "none", "--folder", str(folder)]) == 1
    shown = capsys.readouterr()
    assert said in shown.err and shown.out == "" and shown.err.count("\n") == 1


def test_a_folder_that_is_not_there_is_told(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(["--folder", str(tmp_path / "none")]) == 1
    assert "none/corpus.jsonl cannot be read" in capsys.readouterr().err
