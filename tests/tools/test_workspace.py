"""A workspace is read and written only where it may be, whole or not at all."""

from __future__ import annotations

import itertools
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.desks.workspace_sample import make_sample
from signoff.errors import ConfigError, ToolError, UserError
from signoff.tools.workspace import Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a secret beside it, and links that lead out of it."""
    root = tmp_path / "team"
    for name in ("docs", "reports/team", "empty"):
        (root / name).mkdir(parents=True)
    (root / "README.md").write_text("read me")
    (root / "docs/a.md").write_text("说明")
    (root / "reports/old.md").write_text("old")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / "reports/link.md").symlink_to(outside / "secret.md")
    (root / "reports/dangling.md").symlink_to(outside / "new.md")
    (root / "reports/out").symlink_to(outside)
    (root / "reports/up").symlink_to(root)
    (root / "docs/link.md").symlink_to(outside / "secret.md")
    os.mkfifo(root / "reports/pipe.md")
    return root


def state(folder: Path) -> dict[str, str]:
    """Everything that lies beside and in the workspace."""
    found = {}
    for path in sorted(folder.parent.rglob("*")):
        kind = f"-> {path.readlink()}" if path.is_symlink() else path.read_text() if path.is_file() else "folder"
        found[str(path.relative_to(folder.parent))] = kind
    return found


REFUSED = [
    "../README.md", "../../etc/passwd", "/etc/passwd", "/tmp/x.md", "~/x.md", "reports/../README.md", "reports/../x",
    "reports/./x.md", "./reports/x.md", "reports//x.md", "reports/", "reports", "README.md", "docs/a.md", "x.md",
    "reports/link.md", "reports/dangling.md", "reports/out/x.md", "reports/up/README.md", "reports/team",
    "reports/pipe.md", "reports/x\0.md", "\0", "", "   ", "C:\\x.md", "C:/x.md", "reports\\..\\x.md", "\\\\host\\x",
    "reports/x.md:stream", "reports/x.md.", "reports/x.md ", " reports/x.md", "reports /x.md", "reports./x.md",
    "Reports/x.md", "REPORTS/x.md", "reports/OLD.md", "reports/.hidden.md", "reports/.git/config", "reports/con",
    "reports/NUL.md", "reports/x\n.md", "reports/x\u202e.md", "reports/x\u200b.md", "reports/．．/x.md",
    "reports／x.md", "reports/ｘ.md", "reports/old.md.bak", "reports/" + "x" * 300, "reports/old.md/x.md",
    "reports/\ud800.md", "reports/x.md/", "file:///etc/passwd", "%2e%2e/x.md", "..", ".", "reports/..",
    "re\u0301ports/x",
]  # fmt: skip


@pytest.mark.parametrize("name", REFUSED, ids=ascii)
def test_a_name_outside_the_writable_folder_is_refused_and_nothing_is_touched(folder: Path, name: str) -> None:
    workspace = Workspace(folder, "write")
    before = state(folder)
    for refuse in (workspace.write_path, lambda n: workspace.write_text(n, "x")):
        with pytest.raises(ToolError) as refused:
            refuse(name)
        assert refused.value.code in ("FORBIDDEN", "INVALID_ARGUMENTS")
        assert not refused.value.retryable and refused.value.hint and refused.value.message_zh
    assert state(folder) == before


@pytest.mark.parametrize("name", ["reports/2026-W42.md", "reports/team/周报.md", "reports/new/deep/x.md"])
def test_a_plain_name_below_the_writable_folder_is_written_whole(folder: Path, name: str) -> None:
    workspace = Workspace(folder, "write")
    written = workspace.write_text(name, "进展\n")
    assert (written.bytes, written.backup) == (7, None)
    assert workspace.write_path(name).read_text() == workspace.read_text(name) == "进展\n"
    assert not [n for n in state(folder) if n.endswith(".tmp")]


def test_a_file_that_is_replaced_is_kept_as_bak_with_its_permissions(folder: Path) -> None:
    workspace = Workspace(folder, "write")
    old = folder / "reports/old.md"
    old.chmod(0o640)
    for n in range(3):
        assert workspace.write_text("reports/old.md", f"new {n}").backup == "reports/old.md.bak"
    kept = folder / "reports/old.md.bak"
    assert (old.read_text(), kept.read_text()) == ("new 2", "new 1")
    assert (old.stat().st_mode & 0o777, kept.stat().st_mode & 0o777) == (0o640, 0o640)
    with pytest.raises(ToolError, match="there already"):
        workspace.write_text("reports/old.md", "x", replace=False)
    assert old.read_text() == "new 2"


def test_another_name_of_a_replaced_file_keeps_its_content(folder: Path, tmp_path: Path) -> None:
    os.link(folder / "reports/old.md", tmp_path / "other-name.md")
    Workspace(folder, "write").write_text("reports/old.md", "new")
    assert (tmp_path / "other-name.md").read_text() == "old"


def test_a_backup_that_is_a_link_is_replaced_and_not_followed(folder: Path) -> None:
    (folder / "reports/old.md.bak").symlink_to(folder.parent / "outside/secret.md")
    Workspace(folder, "write").write_text("reports/old.md", "new")
    assert (folder.parent / "outside/secret.md").read_text() == "secret"
    assert (folder / "reports/old.md.bak").read_text() == "old"


def test_a_reports_folder_that_is_a_link_is_refused(folder: Path) -> None:
    (folder / "reports").rename(folder / "was-reports")
    (folder / "reports").symlink_to(folder.parent / "outside")
    before = state(folder)
    with pytest.raises(ToolError, match="link"):
        Workspace(folder, "write").write_text("reports/x.md", "x")
    assert state(folder) == before


def test_a_folder_swapped_for_a_link_while_it_is_written_leads_nowhere(folder: Path) -> None:
    workspace = Workspace(folder, "write")
    reports, outside = folder / "reports", folder.parent / "outside"
    stop = threading.Event()

    def swap() -> None:
        for n in itertools.count():
            if stop.is_set():
                return
            reports.rename(folder / f"aside-{n}")
            # The writer may have made the folder anew in between: then it is set aside in the next round.
            with suppress(FileExistsError):
                reports.symlink_to(outside)
                reports.unlink()
                reports.mkdir(exist_ok=True)

    thread = threading.Thread(target=swap)
    thread.start()
    outcomes = set()
    try:
        for n in range(400):
            try:
                workspace.write_text(f"reports/{n}.md", "x")
                outcomes.add("written")
            except ToolError as refused:
                outcomes.add(refused.code)
    finally:
        stop.set()
        thread.join()
    assert outcomes <= {"written", "FORBIDDEN", "NOT_FOUND"} and "written" in outcomes
    assert sorted(p.name for p in outside.iterdir()) == ["secret.md"]


PIECES = st.sampled_from(
    ["reports", "Reports", "docs", "README.md", "..", ".", "", "out", "up", "link.md", "old.md", "x.md", "~", "C:",
     "\0",      "reports\\x", "．．", "a b", "x.", "周报.md", "/", "team", "pipe.md"]
)  # fmt: skip
NAMES = st.lists(PIECES, min_size=1, max_size=5).map("/".join) | st.text(max_size=30)


@given(st.lists(NAMES | NAMES.map("reports/".__add__), min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_no_name_ever_writes_outside_the_writable_folder(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        root, outside = base / "team", base / "outside"
        (root / "reports/team").mkdir(parents=True)
        (root / "docs").mkdir()
        outside.mkdir()
        (root / "README.md").write_text("read me")
        (root / "reports/old.md").write_text("old")
        (root / "reports/out").symlink_to(outside)
        (root / "reports/up").symlink_to(root)
        (root / "reports/link.md").symlink_to(root / "README.md")
        before = {p for p in base.rglob("*") if (root / "reports") not in p.parents}
        workspace = Workspace(root, "write")
        for name in names:
            try:
                workspace.write_text(name, "written")
            except ToolError:
                continue
            assert name.startswith("reports/")
        after = {p for p in base.rglob("*") if (root / "reports") not in p.parents}
        assert after == before and (root / "README.md").read_text() == "read me"
        assert not list(base.rglob("*.tmp"))


@pytest.mark.parametrize(
    "name", ["../outside/secret.md", "docs/link.md", "reports/out/secret.md", "reports/pipe.md", "docs"]
)
def test_what_lies_outside_is_not_read_either(folder: Path, name: str) -> None:
    workspace = Workspace(folder)
    for read in (workspace.read_path, workspace.read_text, workspace.size):
        with pytest.raises(ToolError) as refused:
            read(name)
        assert refused.value.code == "FORBIDDEN" and "secret" not in str(refused.value).replace(name, "")


def test_files_are_listed_in_order_without_links_and_hidden_ones(folder: Path) -> None:
    (folder / "docs/.draft.md").write_text("x")
    (folder / "docs/sub").mkdir()
    (folder / "docs/sub/b.MD").write_text("x")
    (folder / "docs/c.txt").write_text("x")
    workspace = Workspace(folder)
    assert workspace.files("docs", (".md",)) == ["docs/a.md", "docs/sub/b.MD"]
    assert workspace.files("empty") == []
    with pytest.raises(ToolError) as missing:
        workspace.files("nowhere")
    assert (missing.value.code, missing.value.retryable) == ("NOT_FOUND", False)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfa\r\nb\rc", "a\nb\nc"),
        ("周报".encode("utf-16"), "周报"),
        ("周报".encode("gbk"), None),
        (b"x" * 5_000_001, None),
    ],
    ids=["bom", "utf-16", "gbk", "too-large"],
)
def test_text_is_read_as_unicode_or_refused_with_the_reason(folder: Path, content: bytes, text: str | None) -> None:
    (folder / "docs/x.md").write_bytes(content)
    workspace = Workspace(folder)
    if text is not None:
        assert workspace.read_text("docs/x.md") == text
        return
    with pytest.raises(ToolError, match=r"UTF-8|larger than"):
        workspace.read_text("docs/x.md")


def test_a_read_only_workspace_writes_nothing(folder: Path) -> None:
    workspace = Workspace(folder)
    before = state(folder)
    with pytest.raises(ToolError, match="reading only"):
        workspace.write_text("reports/x.md", "x")
    assert state(folder) == before


@pytest.mark.parametrize("writable", [("out/reports",), ("reports", "drafts")])
def test_the_writable_folders_are_those_that_were_named(folder: Path, writable: tuple[str, ...]) -> None:
    workspace = Workspace(folder, "write", writable)
    for place in writable:
        workspace.write_text(f"{place}/x.md", "x")
    with pytest.raises(ToolError):
        workspace.write_text("out/x.md", "x")


@pytest.mark.parametrize("writable", [("..",), ("/tmp",), ("",), ("a/../b",)])
def test_a_writable_folder_outside_is_a_wrong_setting(folder: Path, writable: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="writable"):
        Workspace(folder, "write", writable)


def test_a_root_that_is_no_folder_is_a_wrong_setting(folder: Path) -> None:
    for root in (folder / "nowhere", folder / "README.md"):
        with pytest.raises(ConfigError, match="cannot be opened"):
            Workspace(root)
    with pytest.raises(ConfigError, match="readonly or write"):
        Workspace(folder, "rw")  # type: ignore[arg-type]


def test_the_id_stands_for_the_folder_however_it_is_spelled(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    assert Workspace(folder).id == Workspace(tmp_path / "alias", "write").id == Workspace(folder / "docs/..").id
    assert Workspace(folder).id != Workspace(folder / "docs").id and len(Workspace(folder).id) == 12


def test_a_failed_backup_leaves_the_file_and_no_temporary_file(folder: Path) -> None:
    (folder / "reports/old.md.bak").mkdir()
    before = state(folder)
    with pytest.raises(ToolError, match="as they were"):
        Workspace(folder, "write").write_text("reports/old.md", "new")
    assert state(folder) == before


def run(folder: Path, program: str, **options: Any) -> subprocess.Popen[str]:
    head = (
        "from pathlib import Path\nfrom signoff.tools.workspace import Workspace\n"
        f"w = Workspace(Path({str(folder)!r}), 'write')\n"
    )
    command = [sys.executable, "-c", head + program]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, **options)


def test_a_disk_that_takes_no_more_leaves_the_file_and_no_temporary_file(folder: Path) -> None:
    before = state(folder)
    program = (
        "from signoff.errors import ToolError\n"
        "try:\n    w.write_text('reports/old.md', 'x' * 100_000)\n"
        "except ToolError as error:\n    print(error.code, error.message)\n"
    )
    child = run(folder, program, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)))
    said, _ = child.communicate(timeout=60)
    assert said.startswith("SERVICE_UNAVAILABLE reports/old.md could not be written: File too large")
    assert state(folder) == before


def test_a_killed_writer_leaves_a_whole_file_and_the_next_one_tidies_up(folder: Path) -> None:
    program = (
        "print('go', flush=True)\nfor n in range(10**9):\n    w.write_text('reports/old.md', str(n % 10) * 200_000)\n"
    )
    for delay in (0.0, 0.013, 0.029):
        child = run(folder, program)
        assert child.stdout and child.stdout.readline() == "go\n"
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        text = (folder / "reports/old.md").read_text()
        assert text == "old" or (len(text) == 200_000 and len(set(text)) == 1)
    (folder / "reports/.old.md.0123456789abcdef.tmp").write_text("left behind")
    Workspace(folder, "write").write_text("reports/old.md", "new")
    assert not list((folder / "reports").glob(".*"))


def test_writers_side_by_side_each_write_whole_files(folder: Path) -> None:
    workspace = Workspace(folder, "write")
    failed: list[BaseException] = []

    def write(letter: str) -> None:
        try:
            for _ in range(10):
                workspace.write_text("reports/old.md", letter * 50_000)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(c,)) for c in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for name in ("old.md", "old.md.bak"):
        text = (folder / "reports" / name).read_text()
        assert len(text) == 50_000 and len(set(text)) == 1
    assert not list((folder / "reports").glob(".*"))


def test_the_sample_is_copied_into_a_new_or_empty_folder_only(tmp_path: Path) -> None:
    target = tmp_path / "a/team"
    assert make_sample(target) == target
    assert {"README.md", "issues.json", "budget.csv", "docs", "reports"} == {p.name for p in target.iterdir()}
    assert (target / "reports/2026-W41.md").is_file() and len(list((target / "docs").glob("*.md"))) >= 8
    (target / "README.md").write_text("mine")
    for taken in (target, target / "README.md"):
        with pytest.raises(UserError, match="new or empty"):
            make_sample(taken)
    assert (target / "README.md").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert (make_sample(tmp_path / "empty") / "budget.csv").is_file()
