"""A command writes where the workspace lets it, and runs as no more than it was judged to be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from command_bench import Bench, needs_bubblewrap

from signoff.errors import ToolError
from signoff.tools.contract import Risk
from signoff.tools.envelope import Code
from signoff.tools.shell import Assessments, Cached, Guard
from signoff.tools.shell import sandbox as sandbox_module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "reports").mkdir(parents=True)
    (folder / "README.md").write_text("read me\n", "utf-8")
    (folder / "reports" / "old.md").write_text("old\n", "utf-8")
    (folder / "reports" / "out.md").symlink_to(folder / "README.md")
    os.link(folder / "README.md", folder / "reports" / "twin.md")
    return folder


@pytest.fixture
def unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "_works", lambda _: False)


def refusal(what: Any) -> ToolError:
    with pytest.raises(ToolError) as refused:
        what()
    return refused.value


def state(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text("utf-8") for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        "cp README.md OWNED.md", "mkdir reports/x", "touch reports/x", "echo x > reports/x", "python3 x.py",
        "git status", "eza", "curl http://example.com", "cat ../x", "for i in a b; do ls; done", "ls $HOME",
    ],
)  # fmt: skip
def test_in_a_workspace_open_for_reading_only_reads_run(folder: Path, command: str) -> None:
    bench = Bench(folder, mode="readonly")
    before = state(folder)
    for way in (bench.assess, bench.preview, bench.run, lambda c: bench.perform(c, call="never-judged")):
        error = refusal(lambda way=way: way(command))
        assert error.code == Code.FORBIDDEN
        assert "open for reading only" in error.message and "只读方式打开" in error.message_zh
    assert state(folder) == before
    assert bench.run("cat README.md")["stdout"] == "read me\n"


@pytest.mark.parametrize(
    "command",
    [
        "cp README.md OWNED.md",
        "cp README.md ./reports/../OWNED.md",
        "mv reports/old.md .",
        "mv README.md reports/",
        "touch x",
        "mkdir -p x/y",
        "echo x > x",
        "echo x >> README.md",
        "ls | tee x",
        "ls && touch x",
        "rm README.md",
        "rm -r .",
        "echo x > reports/out.md",
        "tee reports/out.md",
        "touch /var/x",
        "touch /home/x",
        "cp README.md reports/ok.md; cp README.md bad.md",
    ],
)
@pytest.mark.parametrize("sandboxed", [True, False])
def test_what_is_known_to_write_elsewhere_is_denied(
    folder: Path, command: str, sandboxed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_module, "_works", lambda _: sandboxed)
    error = refusal(lambda: Bench(folder).assess(command))
    assert error.code == Code.FORBIDDEN
    assert "only reports/ may be written to" in error.message and "只能写入 reports/" in error.message_zh


@pytest.mark.parametrize("command", ["touch /tmp/x", "touch ../x", "cp README.md /tmp"])
def test_without_a_sandbox_the_machines_own_tmp_is_elsewhere(folder: Path, command: str, unconfined: None) -> None:
    assert refusal(lambda: Bench(folder).assess(command)).code == Code.FORBIDDEN


INSIDE = [
    "cp README.md reports/x.md",
    "cp README.md reports",
    "cp -f README.md reports/old.md",
    "mv reports/old.md reports/new.md",
    "mkdir -p reports/a/b",
    "touch reports/x {root}/reports/y",
    "echo x > reports/x",
    "cat README.md | tee -a reports/old.md > /dev/null",
    "echo x 2>/dev/null >> 'reports/a b.md'",
    "cat README.md > reports/copy.md && ls",
]
UNSURE = [
    "python3 -c 'print(1)'",
    "sed -i s/a/b/ reports/old.md",
    "sort -o reports/x README.md",
    "cp -t reports README.md",
    "cp -a reports/out.md reports/x",
    "ln -s ../README.md reports/l",
    "cd reports && touch x",
    "cd .. && ls",
    "touch reports/$USER",
    "touch reports/*",
    "touch reports/{a,b}",
    "for i in a b; do touch reports/$i; done",
    "touch reports/x &",
    "LC_ALL=C touch reports/x",
    "find . -exec touch {} +",
    "xargs touch",
    "eza > reports/x",
    "echo x > reports/twin.md",
    "date -s 2020-01-01",
    "uniq README.md reports/x",
    "git status",
]


@pytest.mark.parametrize("command", INSIDE)
def test_without_a_sandbox_a_write_that_is_known_to_stay_inside_is_an_ordinary_one(
    folder: Path, command: str, unconfined: None
) -> None:
    bench = Bench(folder)
    command = command.replace("{root}", str(folder))
    assert bench.assess(command) is Risk.WRITE
    card = bench.preview(command)
    assert card.risk is None and (card.changes[-1].after or "").endswith("; by its words it writes below reports/ only")
    before = state(folder)
    assert bench.run(command)["exit_code"] == 0
    after = state(folder)
    assert {n: t for n, t in after.items() if not n.startswith("reports")} == {"README.md": before["README.md"]}


@pytest.mark.parametrize("command", UNSURE)
def test_without_a_sandbox_a_write_that_may_go_anywhere_is_critical_and_the_card_says_why(
    folder: Path, command: str, unconfined: None
) -> None:
    bench = Bench(folder)
    assert bench.assess(command) is Risk.CRITICAL
    for language, words in (("en", "somebody else must approve"), ("zh", "须由申请人以外的人批准")):
        card = bench.preview(command, language)
        assert card.risk is Risk.CRITICAL and words in (card.changes[-1].after or "")


@needs_bubblewrap
@pytest.mark.parametrize(
    "command",
    [
        'python3 -c \'open("OWNED.md", "w")\'',
        "for i in OWNED.md; do touch $i; done",
        "sort -o README.md reports/old.md",
        "cd reports && touch ../OWNED.md",
        "ln reports/old.md OWNED.md",
    ],
)
def test_in_the_sandbox_an_approved_write_changes_the_writable_folders_only(folder: Path, command: str) -> None:
    bench = Bench(folder)
    assert bench.assess(command) in (Risk.WRITE, Risk.CRITICAL)
    before = state(folder)
    data = bench.run(command)
    assert data["sandbox"] == "bubblewrap" and data["exit_code"] != 0
    assert state(folder) == before


@needs_bubblewrap
def test_in_the_sandbox_several_folders_can_be_writable_and_the_card_names_them(folder: Path) -> None:
    bench = Bench(folder, writable=("reports", "out/drafts"))
    card = bench.preview("python3 x.py")
    assert "can change reports/, out/drafts/ only, without network" in (card.changes[-1].after or "")
    assert bench.run("cp README.md out/drafts/a.md && cp README.md reports/a.md")["exit_code"] == 0
    assert (folder / "out" / "drafts" / "a.md").is_file() and (folder / "reports" / "a.md").is_file()
    assert bench.run("cp README.md /tmp/a && cat /tmp/a")["stdout"] == "read me\n"


@needs_bubblewrap
def test_with_no_writable_folder_nothing_can_be_changed(folder: Path) -> None:
    bench = Bench(folder, writable=())
    assert "no folder may be written to" in refusal(lambda: bench.assess("touch x")).message
    assert "can change nothing" in (bench.preview("python3 x.py").changes[-1].after or "")
    assert bench.run("sh -c 'touch reports/x'")["exit_code"] != 0
    assert not (folder / "reports" / "x").exists()


def test_a_writable_folder_that_is_a_link_is_not_written_to(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    error = refusal(lambda: Bench(folder, writable=("linked",)).run("sh -c 'touch linked/x'"))
    assert error.code == Code.FORBIDDEN and error.message_zh != error.message
    assert list((tmp_path / "elsewhere").iterdir()) == []


def swapped(folder: Path, name: str, target: Path) -> None:
    (folder / name).unlink()
    (folder / name).symlink_to(target)


@pytest.mark.parametrize("sandboxed", [pytest.param(True, marks=needs_bubblewrap), False])
def test_a_read_that_has_become_more_since_it_was_judged_is_not_run(
    folder: Path, tmp_path: Path, sandboxed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not sandboxed:
        monkeypatch.setattr(sandbox_module, "_works", lambda _: False)
    (tmp_path / "private.txt").write_text("private", "utf-8")
    bench = Bench(folder)
    assert bench.assess("cat reports/old.md", call="c") is Risk.READ
    swapped(folder, "reports/old.md", tmp_path / "private.txt")
    error = refusal(lambda: bench.perform("cat reports/old.md", call="c"))
    assert error.code == Code.CONFLICT and "judged again" in error.message and "重新判断" in error.message_zh
    # Judged once more under the same id it is still the call that nobody has to approve.
    assert bench.assess("cat reports/old.md", call="c") in (Risk.WRITE, Risk.CRITICAL)
    assert refusal(lambda: bench.perform("cat reports/old.md", call="c")).code == Code.CONFLICT


@needs_bubblewrap
def test_a_read_runs_without_write_access_whatever_was_judged_before(folder: Path) -> None:
    labels = ["read"]
    bench = Bench(folder, classifier=lambda command: labels[0])
    (folder / "reports" / "eza").write_text("touch reports/x\n", "utf-8")
    assert bench.assess("eza", call="a") is Risk.READ
    assert bench.perform("eza", call="a")["exit_code"] == 127
    assert bench.assess("touch reports/x", call="b") is Risk.WRITE
    assert bench.perform("touch reports/x", call="b")["exit_code"] == 0


@needs_bubblewrap
def test_a_read_whose_label_was_forgotten_is_not_run_when_the_classifier_says_otherwise(folder: Path) -> None:
    labels = {"eza": "read", "lsd": "read"}
    guard = Guard(classifier=lambda command: labels[command])  # type: ignore[arg-type, return-value]
    guard.classifier = Cached(lambda command: labels[command], entries=1)  # type: ignore[arg-type, return-value]
    bench = Bench(folder, guard=guard)
    assert bench.assess("eza", call="a") is Risk.READ
    assert bench.assess("lsd", call="b") is Risk.READ
    labels["eza"] = "unsure"
    assert refusal(lambda: bench.perform("eza", call="a")).code == Code.CONFLICT


def test_a_call_that_was_never_judged_here_is_not_run(folder: Path) -> None:
    bench = Bench(folder)
    for command in ("ls", "touch reports/x"):
        assert refusal(lambda command=command: bench.perform(command, call="unknown")).code == Code.CONFLICT
    bench.assess("touch reports/x", call="c")
    assert refusal(lambda: bench.again().perform("touch reports/x", call="c")).code == Code.CONFLICT
    assert not (folder / "reports" / "x").exists()


def test_a_write_that_has_become_critical_since_it_was_judged_is_not_run(folder: Path, unconfined: None) -> None:
    bench = Bench(folder)
    assert bench.assess("echo x > reports/old.md", call="c") is Risk.WRITE
    (folder / "reports" / "old.md").unlink()
    os.link(folder / "README.md", folder / "reports" / "old.md")
    assert refusal(lambda: bench.perform("echo x > reports/old.md", call="c")).code == Code.CONFLICT
    assert (folder / "README.md").read_text("utf-8") == "read me\n"


def test_a_command_that_was_edited_before_it_was_signed_runs_only_in_place_of_a_write(folder: Path) -> None:
    bench = Bench(folder)
    assert bench.assess("touch reports/x", call="c") is Risk.WRITE
    assert bench.perform("rm reports/old.md", call="c")["exit_code"] == 0
    assert bench.assess("ls", call="d") is Risk.READ
    assert refusal(lambda: bench.perform("rm reports/out.md", call="d")).code == Code.CONFLICT
    assert bench.perform("cat README.md", call="d")["stdout"] == "read me\n"


def test_a_call_stays_a_read_and_the_oldest_calls_are_forgotten() -> None:
    known = Assessments(entries=4)
    a, b, c = (("acme", "t", call) for call in "abc")
    known.note(a, "ls", Risk.READ)
    known.note(a, "ls", Risk.WRITE)
    assert known.of(a, "ls") is Risk.READ and known.of(a, "rm x") is Risk.READ
    known.note(b, "mkdir x", Risk.WRITE)
    assert known.of(b, "mkdir x") is Risk.WRITE and known.of(b, "mkdir y") is Risk.CRITICAL
    assert known.of(("acme", "other", "b"), "mkdir x") is None
    assert known.of(("globex", "t", "b"), "mkdir x") is None
    known.note(c, "mkdir x", Risk.CRITICAL)
    assert known.of(a, "ls") is None and known.of(c, "mkdir x") is Risk.CRITICAL
