"""`knowledge`: documents in, and what their readers, their owner and the operator see of them."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from signoff_command import Cli, Terminal, execute, start

WORDS = {"SIGNOFF_EMBEDDINGS": "none"}
PARTS = 3


def page(folder: Path, name: str, text: str, **front: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{k}: {v}\n" for k, v in front.items())
    path.write_text(f"---\n{head}---\n{text}" if front else text, encoding="utf-8")
    return path


def many(folder: Path, count: int) -> Path:
    for i in range(count):
        body = "\n\n".join(f"## Part {j}\n\nDocument {i} part {j} speaks of topic{i}x{j}." for j in range(PARTS))
        page(folder, f"{i:04}.md", f"# Document {i}\n\n{body}\n")
    return folder


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    page(docs, "parking.md", "# Parking\n\nZebra bays on level 3 are for visitors.\n\n## Bikes\n\nBikes are free.\n")
    page(docs, "canteen.md", "# Canteen\n\nThe canteen serves quetzal soup.\n")
    return docs


def test_adding_tells_each_file_and_counts(cli: Cli, docs: Path) -> None:
    (docs / "bad.md").write_bytes(b"\x7fELF\0")
    first = cli("knowledge", "add", str(docs))
    assert first.out == "2 added, 0 updated, 0 unchanged, 0 removed, 1 skipped\n" and first.code == 0
    assert "added: parking.md" in first.err and "skipped: bad.md is binary" in first.err
    assert "%" not in first.err and "\x1b" not in first.err
    again = cli("knowledge", "add", str(docs), "--json")
    told = {(d["file"].split()[0], d["outcome"]) for d in again.data("document")}
    assert told == {("parking.md", "unchanged"), ("canteen.md", "unchanged"), ("bad.md", "skipped")}
    assert again.data("report") == [{"added": 0, "updated": 0, "unchanged": 2, "removed": 0, "skipped": 1}]
    assert again.data("progress")[-1]["done"] == again.data("progress")[-1]["total"] == 3


def test_documents_stay_for_those_they_were_added_for(cli: Cli, docs: Path) -> None:
    cli("knowledge", "add", str(docs), "--role", "hr", "--tag", "rules")
    page(docs, "new.md", "# New\n\nThe quagga is new.\n")
    added = cli("knowledge", "add", str(docs))
    assert added.code == 0 and "access" not in added.err
    for words in ("zebra bays", "quagga new", "quetzal soup"):
        assert cli("knowledge", "search", words, "--json").data("passage") == []
        assert cli("knowledge", "search", words, "--json", "--as", "acme/h-01").data("passage")
    opened = cli("knowledge", "add", str(docs / "new.md"), "--role", "")
    assert "access: new.md: was for hr in acme, tagged rules; is for acme, tagged rules." in opened.err
    assert cli("knowledge", "search", "quagga", "new", "--json").data("passage")
    own = cli("knowledge", "add", str(docs / "new.md"), "--owner", "u-42", "--untrusted")
    assert "is for u-42 of acme, tagged rules, untrusted." in own.err
    assert cli("knowledge", "search", "quagga", "new", "--json").data("passage") == []
    listed = cli("knowledge", "list", "--as", "acme/u-42")
    assert "only u-42" in listed.out


def test_search_tells_score_reason_and_how_it_searched(cli: Cli, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("knowledge", "add", str(docs), "--tag", "site")
    found = cli("knowledge", "search", "zebra", "bays")
    assert found.code == 0 and "Zebra bays on level 3" in found.out
    assert re.search(r"^\[1\] Parking > Parking \(parking\.md, 1\)  \d+(?:\.\d+)?", found.out, re.MULTILINE)
    assert re.search(r"^parking-[0-9a-f]{12}\.[0-9a-f]{12}  words: .*zebra", found.out, re.MULTILINE)
    assert "words alone" not in found.err
    for options, hits in (
        (["--tag", "site"], 1), (["--tag", "none"], 0), (["--source", "park"], 1), (["--source", "cant"], 0),
        (["--language", "en"], 1), (["--language", "zh"], 0),
    ):  # fmt: skip
        assert bool(cli("knowledge", "search", "zebra bays", "--json", *options).data("passage")) == bool(hits), options
    monkeypatch.setenv("SIGNOFF_EMBEDDINGS", "none")
    assert "words alone" in cli("knowledge", "search", "zebra", "bays").err
    assert cli("knowledge", "search", "zebra", "bays", "--json").data("note")
    nothing = cli("knowledge", "search", "xylophone quark")
    assert nothing.out == "" and "Nothing that you may read answers that." in nothing.err


def test_a_citation_is_shown_with_its_place_its_readers_and_what_stands_around_it(cli: Cli, docs: Path) -> None:
    page(docs, "rule.md", "# Rule\n\nTen days.\n", valid_to="2027-01-01", version="2", roles="hr")
    cli("knowledge", "add", str(docs))
    ident = next(p["id"] for p in cli("knowledge", "search", "zebra bays", "--json").data("passage"))
    for citation in (ident, ident[:-5]):
        shown = cli("knowledge", "show", citation)
        assert shown.code == 0 and "Zebra bays on level 3 are for visitors." in shown.out
        for line in (
            "file      parking.md", "place     Parking", "readers   everybody of acme", "in force  yes",
            "after     Bikes are free.",
        ):  # fmt: skip
            assert line in shown.out, shown.out
        assert "before" not in shown.out
    record = cli("knowledge", "show", ident, "--json").data("passage")[0]
    assert record["document"]["title"] == "Parking" and record["after"]["place"].endswith("Bikes")
    hidden = cli("knowledge", "show", ident, "--as", "globex/u-17")
    assert hidden.code == 1 and hidden.out == "" and "There is no passage" in hidden.err and "Zebra" not in hidden.err
    rule = cli("knowledge", "search", "ten days rule", "--json", "--as", "acme/h-01").data("passage")[0]["id"]
    shown = cli("knowledge", "show", rule, "--as", "acme/h-01")
    assert "in force  yes until 2027-01-01" in shown.out and "readers   hr of acme" in shown.out
    assert cli("knowledge", "show", rule).code == 1
    assert cli("knowledge", "show", "par").code == 1


def test_a_citation_of_the_last_answer_is_shown_by_its_number(cli: Cli, docs: Path) -> None:
    none = cli("knowledge", "show", "1")
    assert none.code == 1 and "cites anything" in none.err
    asked = cli("ask", "What is the return policy?", "--json").data("final")[0]
    number = asked["citations"][0]["n"]
    cli("ask", "hello", "--json")
    for words in ([str(number)], [f"[{number}]"], [str(number), "--thread", asked["thread"]]):
        shown = cli("knowledge", "show", *words)
        assert shown.code == 0 and asked["citations"][0]["passage"] in shown.out, shown
    wrong = cli("knowledge", "show", "77", "--thread", asked["thread"])
    assert wrong.code == 1 and f"has no citation [77]: it has [{number}]" in wrong.err
    assert cli("knowledge", "show", str(number), "--thread", asked["thread"], "--as", "acme/u-42").code == 1
    source = asked["citations"][0]["passage"].rpartition(".")[0]
    assert cli("knowledge", "remove", source, "--tenant", "*").code == 0
    gone = cli("knowledge", "show", str(number), "--thread", asked["thread"])
    assert gone.code == 1 and "that passage is gone" in gone.err


def test_statistics_count_what_the_caller_may_read_and_all_for_the_operator(cli: Cli, docs: Path) -> None:
    before = cli("knowledge", "stats", "--json").data("stats")[0]["counts"]["documents"]
    everything = cli("knowledge", "stats", "--json", "--tenant", "*").data("stats")[0]["counts"]["documents"]
    page(docs, "secret.md", "# Secret\n\nFor hr.\n", roles="hr")
    cli("knowledge", "add", str(docs))
    told = cli("knowledge", "stats", "--json").data("stats")[0]
    assert told["counts"]["documents"] == before + 2 and told["counts"]["bytes"] == 0
    operator = cli("knowledge", "stats", "--json", "--tenant", "*").data("stats")[0]
    assert operator["counts"]["documents"] == everything + 3 and operator["counts"]["bytes"] > 0
    page(docs, "parking.md", "# Parking\n\nIt changed.\n")
    (docs / "canteen.md").unlink()
    shown = cli("knowledge", "stats")
    assert re.search(r"changed +1 .*\n +\S*parking\.md", shown.out), shown.out
    assert re.search(r"gone +1 .*\n +\S*canteen\.md", shown.out), shown.out
    assert "No question of the last 7 days was left without an answer." in shown.out
    assert cli("knowledge", "stats", "--tenant", "globex").code == 64


def test_documents_are_removed_by_id_key_or_file(cli: Cli, docs: Path) -> None:
    cli("knowledge", "add", str(docs))
    ident = next(d["id"] for d in cli("knowledge", "list", "--json").data("document") if d["key"] == "parking")
    for name in (ident, "parking", "parking.md"):
        assert cli("knowledge", "remove", name, "--as", "globex/u-17").code == 1
        assert cli("knowledge", "remove", name).out == f"{ident} was removed.\n"
        assert cli("knowledge", "remove", name).code == 1
        assert cli("knowledge", "search", "zebra bays", "--json").data("passage") == []
        cli("knowledge", "add", str(docs))
    page(docs.parent / "more", "parking.md", "# Parking\n\nElsewhere.\n")
    cli("knowledge", "add", str(docs.parent / "more"))
    several = cli("knowledge", "remove", "parking.md")
    assert several.code == 64 and "names 2 documents" in several.err


def test_what_was_added_for_another_tenant_is_touched_only_when_that_is_said(cli: Cli, docs: Path) -> None:
    assert cli("knowledge", "add", str(docs), "--as", "globex/u-17").code == 0
    for path in (docs, docs / "parking.md"):
        refused = cli("knowledge", "add", str(path))
        assert refused.code == 64 and "added for another tenant" in refused.err and "globex" not in refused.err
    ident = next(
        d["id"]
        for d in cli("knowledge", "list", "--json", "--as", "globex/u-17").data("document")
        if d["key"] == "parking"
    )
    for tenant in ([], ["--tenant", "globex"]):
        assert cli("knowledge", "remove", ident, *tenant).code in (1, 64)
    assert cli("knowledge", "add", str(docs), "--tenant", "acme").code == 0
    assert cli("knowledge", "search", "zebra bays", "--json").data("passage")


def test_another_model_is_told_and_reindexed(cli: Cli, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_EMBEDDINGS", "none")
    cli("knowledge", "add", str(docs))
    assert cli("knowledge", "reindex").code == 1
    monkeypatch.delenv("SIGNOFF_EMBEDDINGS")
    assert re.search(r"vectors .*`signoff knowledge reindex`", cli("knowledge", "stats").out)
    done = cli("knowledge", "reindex")
    assert done.code == 0 and re.fullmatch(r"\d+ documents embedded anew\.\n", done.out)
    assert "reindex" not in cli("knowledge", "stats").out
    assert cli("knowledge", "reindex").out == "All documents have the vectors they need.\n"


def test_own_questions_are_measured(cli: Cli, docs: Path, tmp_path: Path) -> None:
    cli("knowledge", "add", str(docs))
    questions = tmp_path / "questions.jsonl"
    lines = [
        {"question": "Where are the zebra bays?", "expected": "parking.md"},
        {"question": "What soup is served?", "expected": "no-such-file.md"},
        {"question": "Who won the chess cup in 1998?", "none": True},
    ]
    questions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = cli("knowledge", "eval", str(questions))
    assert found.code == 0 and re.search(r"Recall@5 +0\.500", found.out) and re.search(r"MRR@10 +0\.500", found.out)
    assert "missed: What soup is served?: no-such-file.md" in found.err
    assert "called 'no-such-file.md'" in found.err
    assert cli("knowledge", "eval", str(questions), "--min-recall", "0.5").code == 0
    assert cli("knowledge", "eval", str(questions), "--min-recall", "0.6").code == 1
    assert cli("knowledge", "eval", str(questions), "--json").data("evaluation")[0]["questions"] == 2
    assert cli("knowledge", "eval", str(tmp_path / "none.jsonl")).code == 64
    assert cli("knowledge", "eval", str(docs / "parking.md")).code == 64


ODD = ('it\'s "quoted".md', "two\nlines.md", "空 格.md", "%s{0}[bold].md", "\x1b[31mred.md", "a\u202egnp.md")


def test_odd_names_are_shown_safely_everywhere(cli: Cli, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for i, name in enumerate(ODD):
        page(docs, name, f"# Odd {i}\n\nOddity number {i} is here.\n")
    raw = os.fsencode(docs) + b"/caf\xe9.md"
    try:
        Path(os.fsdecode(raw)).write_text("# Cafe\n\nOddity of the cafe.\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (docs / "bad\n\x1b[31m.png").write_bytes(b"x")
    outcomes = [
        cli("knowledge", "add", str(docs)),
        cli("knowledge", "add", str(docs), "--json"),
        cli("knowledge", "list"),
        cli("knowledge", "search", "oddity", "here", "--limit", "50"),
        cli("knowledge", "search", "oddity", "here", "--limit", "50", "--json"),
        cli("knowledge", "stats"),
    ]
    for outcome in outcomes:
        assert outcome.code == 0, outcome
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", outcome.out + outcome.err), outcome
    assert outcomes[0].out.startswith("7 added") and "caf\\xe9.md" in outcomes[0].err
    assert "added: two\\nlines.md\n" in outcomes[0].err
    assert outcomes[1].data("report")[0]["unchanged"] == 7


def test_a_bar_is_drawn_at_a_terminal(home: Path, tmp_path: Path) -> None:
    docs = many(tmp_path / "docs", 5)
    (docs / "it's [red]odd\n.md").write_text("# Odd\n\nText.\n", encoding="utf-8")
    terminal = Terminal("knowledge", "add", str(docs), home=home, env=WORDS)
    assert terminal.end() == 0
    assert "adding" in terminal.seen and "6 added" in terminal.seen and "passages" in terminal.seen


def held(home: Path) -> int:
    """Documents of `many` that are in."""
    with sqlite3.connect(home / "knowledge.db") as db:
        return int(db.execute("SELECT count(*) FROM document WHERE title LIKE 'Document %'").fetchone()[0])


def adding(home: Path, docs: Path, least: int) -> subprocess.Popen[bytes]:
    """A process that adds, once it has so many documents in."""
    process = start("knowledge", "add", str(docs), "--json", home=home, env=WORDS)
    while held(home) < least and process.poll() is None:
        time.sleep(0.002)
    return process


def test_interrupted_it_says_what_is_in_and_goes_on(home: Path, tmp_path: Path) -> None:
    docs = many(tmp_path / "docs", 300)
    process = adding(home, docs, 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    said = re.search(r"interrupted: (\d+) of 300 files are in; run the same command again to go on\.", err.decode())
    assert said, err
    done = int(said[1])
    assert 0 < done < 300 and done <= held(home) <= done + 1 and b"Traceback" not in out + err
    again = execute("knowledge", "add", str(docs), "--json", home=home, env=WORDS).data("report")[0]
    assert again["unchanged"] + again["added"] == 300 and done <= again["unchanged"] <= done + 1


def test_killed_at_any_moment_what_is_in_is_found_and_the_rest_follows(home: Path, tmp_path: Path) -> None:
    docs = many(tmp_path / "docs", 150)
    for least in (0, 1, 20):
        process = adding(home, docs, least)
        process.kill()
        process.communicate()
        assert least <= held(home) < 150
    before = held(home)
    listed = execute("knowledge", "list", "--json", home=home, env=WORDS).data("document")
    assert [d["passages"] for d in listed if d["title"].startswith("Document ")] == [PARTS] * before
    report = execute("knowledge", "add", str(docs), "--json", home=home, env=WORDS).data("report")[0]
    assert (report["unchanged"], report["added"]) == (before, 150 - before)
    found = execute("knowledge", "search", "topic149x2", "--json", home=home, env=WORDS).data("passage")
    assert "Document 149 part 2" in found[0]["text"]


def test_a_watched_folder_is_followed_until_ctrl_c(home: Path, tmp_path: Path) -> None:
    docs = many(tmp_path / "docs", 2)
    process = start("knowledge", "add", str(docs), "--watch", "--json", home=home, env=WORDS)
    assert process.stdout is not None

    def told(name: str, outcome: str) -> None:
        for line in process.stdout or ():
            event = json.loads(line)
            if event["type"] == "document" and event["data"] == {"file": name, "outcome": outcome}:
                return
        raise AssertionError(f"{name} was not {outcome}")

    told("0001.md", "added")
    page(docs, "new.md", "# New\n\nThe quagga is new.\n")
    told("new.md", "added")
    (docs / "0000.md").unlink()
    told("0000.md", "removed")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and b"no longer watching" in err and b"Traceback" not in err
    assert execute("knowledge", "search", "quagga", "--json", home=home, env=WORDS).data("passage")


def test_an_endpoint_that_is_not_there_ends_it_with_one_sentence(
    cli: Cli, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_EMBEDDINGS", "openai:bge-m3")
    monkeypatch.setenv("SIGNOFF_EMBEDDINGS_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SIGNOFF_MODEL_RETRIES", "0")
    failed = cli("knowledge", "add", str(docs))
    assert failed.code == 1 and failed.out == ""
    assert len([line for line in failed.err.splitlines() if line.startswith("error: ")]) == 1
    assert "Traceback" not in failed.err
