"""`memory`: a person's own hand on what is remembered about them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from signoff_command import Cli, Outcome, Terminal

from signoff.caller import Caller
from signoff.memory import Memory
from signoff.settings import Settings

ME = Caller("acme", "u-17")


class Called:
    def __init__(self, id: str) -> None:
        self.thread, self.id = "th-1", id


@pytest.fixture
def remembered(home: Path) -> Callable[..., list[str]]:
    """Has things remembered for a person; gives their ids."""

    def keep(*texts: str, caller: Caller = ME) -> list[str]:
        memory = Memory(home / "memory.db", Settings.load(home=home).business_clock())
        try:
            return [memory.remember(caller, t, source=[t], call=Called(uuid4().hex)).id for t in texts]
        finally:
            memory.close()

    return keep


def texts(outcome: Outcome) -> list[str]:
    assert outcome.code == 0, outcome
    return [f["text"] for f in outcome.data("fact")]


def traces(home: Path, *words: str) -> Iterator[str]:
    """Words that stand in a file of the memory."""
    for path in home.glob("memory.db*"):
        content = path.read_bytes()
        yield from (w for w in words if w.encode() in content)


def test_the_list_is_the_callers_own_and_finds_by_words(cli: Cli, remembered: Callable[..., list[str]]) -> None:
    remembered("I prefer email", "我的工位在五楼")
    assert texts(cli("memory", "list", "--json")) == ["我的工位在五楼", "I prefer email"]
    assert texts(cli("memory", "list", "联系方式", "--json")) == ["I prefer email"]
    shown = cli("memory", "list")
    assert "I prefer email" in shown.out and "current" in shown.out and "holds until" in shown.out
    for who in ("acme/u-42", "globex/u-17", "acme/s-02"):
        other = cli("memory", "list", "--as", who)
        assert other.out == "" and "Nothing is remembered" in other.err


def test_a_fact_is_shown_with_its_source_and_how_long_it_holds(cli: Cli, remembered: Callable[..., list[str]]) -> None:
    (fact,) = remembered("I prefer email")
    shown = cli("memory", "show", fact[4:9])
    for part in (fact, "I prefer email", "confidence: 1.0", "kind: semantic", "where: th-1", "state: current"):
        assert part in shown.out
    assert cli("memory", "show", fact, "--json").data("fact")[0]["source"]["words"] == "I prefer email"


def test_a_correction_takes_the_place_and_the_history_keeps_what_was(
    cli: Cli, remembered: Callable[..., list[str]]
) -> None:
    (fact,) = remembered("I live in Berlin")
    corrected = cli("memory", "correct", fact, "I", "live", "in", "Hamburg")
    assert corrected.code == 0 and "I live in Hamburg" in corrected.out and fact in corrected.err
    assert texts(cli("memory", "list", "--json")) == ["I live in Hamburg"]
    past = cli("memory", "history", "--json").data("fact")
    assert [(f["text"], f["state"]) for f in past] == [
        ("I live in Hamburg", "current"),
        ("I live in Berlin", "superseded"),
    ]
    assert past[0]["supersedes"] == fact
    again = cli("memory", "correct", past[0]["id"], "I live in Hamburg", "--kind", "episodic", "--json").data("fact")
    assert (again[0]["id"], again[0]["kind"]) == (past[0]["id"], "episodic")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("show", "mem-00000000"), 1, "no fact"),
        (("show", "mem-"), 1, "no fact"),
        (("correct", "mem-00000000", "x y"), 1, "no fact"),
        (("correct", "{id}", "my password is hunter22"), 1, "never kept"),
        (("correct", "{id}", "remember this"), 1, "not said what"),
        (("correct", "{id}", "I prefer phone", "--kind", "secret"), 64, "semantic, episodic, procedural"),
        (("forget", "mem-00000000"), 1, "mem-00000000"),
        (("forget", "my shoe size"), 1, "Which one"),
        (("forget", "everything"), 64, "memory delete"),
        (("delete",), 64, "--yes"),
        (("delete", "--json"), 64, "--yes"),
        (("export", "--to", "/nonexistent/x.json"), 64, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(
    args: tuple[str, ...], code: int, said: str, cli: Cli, remembered: Callable[..., list[str]]
) -> None:
    fact, _ = remembered("I prefer email", "I like green tea")
    failed = cli("memory", *(a.format(id=fact) for a in args))
    assert failed.code == code
    assert said in failed.err and failed.err.count("\n") == 1 and "Traceback" not in failed.err
    assert "hunter22" not in failed.err
    assert sorted(texts(cli("memory", "list", "--json"))) == ["I like green tea", "I prefer email"]


@pytest.mark.parametrize("by", ["id", "words"])
def test_forgetting_one_leaves_the_others_and_no_trace_of_it(
    by: str, home: Path, cli: Cli, remembered: Callable[..., list[str]]
) -> None:
    fact, _ = remembered("I prefer zebrafax letters", "my office is on floor 5")
    assert cli("memory", "forget", fact if by == "id" else "zebrafax letters").code == 0
    assert texts(cli("memory", "list", "--json")) == ["my office is on floor 5"]
    assert list(traces(home, "zebrafax")) == []
    assert [f["state"] for f in cli("memory", "history", "--json").data("fact")] == ["current", "forgotten"]


def test_nobody_shows_corrects_or_forgets_what_is_somebody_elses(
    cli: Cli, remembered: Callable[..., list[str]]
) -> None:
    (fact,) = remembered("I prefer email")
    for who in ("acme/u-42", "globex/u-17", "acme/s-02:supervisor"):
        for args in (("show", fact), ("correct", fact, "I prefer phone"), ("forget", fact)):
            assert cli("memory", *args, "--as", who).code == 1
        assert cli("memory", "delete", "--yes", "--as", who, "--json").data("memory") == [{"deleted": 0}]
    assert texts(cli("memory", "list", "--json")) == ["I prefer email"]


def test_the_export_is_one_json_document_with_everything(
    cli: Cli, remembered: Callable[..., list[str]], tmp_path: Path
) -> None:
    remembered("I prefer email", "I prefer phone")
    document = json.loads(cli("memory", "export").out)
    assert (document["tenant"], document["user"]) == ("acme", "u-17")
    assert [(f["text"], f["state"]) for f in document["facts"]] == [
        ("I prefer phone", "current"),
        ("I prefer email", "superseded"),
    ]
    assert cli("memory", "export", "--json").data("export")[0]["facts"] == document["facts"]
    file = tmp_path / "mine.json"
    assert cli("memory", "export", "--to", str(file)).code == 0
    assert json.loads(file.read_text())["facts"] == document["facts"]
    assert file.stat().st_mode & 0o077 == 0
    assert cli("memory", "export", "--to", str(file)).code == 64


def test_deleting_everything_leaves_no_byte_of_it_and_touches_nobody_else(
    home: Path, cli: Cli, remembered: Callable[..., list[str]]
) -> None:
    remembered(*(f"shelf {n} holds zebrafax {n} of 斑马先生" for n in range(60)))
    remembered("I prefer zebrafax email", "I prefer zebrafax phone")
    remembered("my office is on floor 5", caller=Caller("acme", "u-42"))
    assert set(traces(home, "zebrafax", "斑马先生", "shelf")) == {"zebrafax", "斑马先生", "shelf"}
    gone = cli("memory", "delete", "--yes")
    assert gone.code == 0 and "(62)" in gone.out and "threads delete" in gone.err
    assert list(traces(home, "zebrafax", "斑马先生", "shelf", "I prefer")) == []
    assert cli("memory", "history", "--json").events == []
    assert texts(cli("memory", "list", "--json", "--as", "acme/u-42")) == ["my office is on floor 5"]
    assert cli("memory", "delete", "--yes", "--json").data("memory") == [{"deleted": 0}]


@pytest.mark.parametrize(("typed", "left"), [("n", 1), ("", 1), ("y", 0), ("是", 0)])
def test_at_a_terminal_deleting_asks_first(
    typed: str, left: int, home: Path, cli: Cli, remembered: Callable[..., list[str]]
) -> None:
    remembered("I prefer email")
    terminal = Terminal("memory", "delete", home=home)
    terminal.until("Delete all that is remembered about acme/u-17 (1) for good?")
    terminal.type(typed)
    assert terminal.end() == (1 if left else 0)
    assert len(cli("memory", "list", "--json").events) == left


def test_the_options_stand_before_or_after_the_command(cli: Cli, remembered: Callable[..., list[str]]) -> None:
    remembered("I prefer email")
    assert texts(cli("memory", "--json", "list")) == texts(cli("memory", "list", "--json")) == ["I prefer email"]
