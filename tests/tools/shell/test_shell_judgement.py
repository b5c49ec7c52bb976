"""The guard allows what only reads the workspace, asks about the rest, and denies what nobody should approve."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell_cases import DENIED, NOT_READS, READS

from signoff.tools.shell import Kind, judge
from signoff.tools.shell import syntax as syntax_module


@pytest.mark.parametrize("command", READS)
def test_a_command_that_only_reads_the_workspace_is_allowed(command: str) -> None:
    verdict = judge(command)
    assert verdict.decision == "allow", verdict.reasons
    assert verdict.kind is Kind.READ and verdict.commands and not verdict.reasons


@pytest.mark.parametrize("command", NOT_READS)
def test_a_command_that_may_do_more_is_never_allowed(command: str) -> None:
    verdict = judge(command)
    assert verdict.decision in ("ask", "deny")
    assert verdict.reasons and len(verdict.said("zh")) == len(verdict.reasons)


@pytest.mark.parametrize("command", DENIED)
def test_a_command_nobody_should_approve_is_denied(command: str) -> None:
    assert judge(command).decision == "deny"


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("curl https://example.com", Kind.EGRESS),
        ("git push origin main", Kind.EGRESS),
        ("rm -r build", Kind.DESTRUCTIVE),
        ("git reset --hard", Kind.DESTRUCTIVE),
        ("find . -name '*.pyc' -delete", Kind.DESTRUCTIVE),
        ("ls | xargs rm", Kind.DESTRUCTIVE),
        ("timeout 5 wget http://x", Kind.EGRESS),
        ("sh -c 'scp a host:'", Kind.EGRESS),
    ],
)
def test_what_destroys_or_goes_outward_is_critical(command: str, kind: Kind) -> None:
    verdict = judge(command)
    assert verdict.decision == "ask"
    assert kind in verdict.kinds and verdict.critical


@pytest.mark.parametrize("command", ["mkdir x", "touch a", "python3 x.py", "make test", "cp a b"])
def test_an_ordinary_change_is_asked_about_without_being_critical(command: str) -> None:
    verdict = judge(command)
    assert verdict.decision == "ask" and not verdict.critical


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("ls | grep x; cat a && pwd", ["ls", "grep", "cat", "pwd"]),
        ("if ls; then cat a; else pwd; fi", ["ls", "cat", "pwd"]),
        ("echo $(rm x) `mv a b`", ["echo", "rm", "mv"]),
        ("f() { touch a; }; for i in 1; do rm b; done", ["touch", "rm"]),
        ("(cd src; { ls; }) | wc", ["cd", "ls", "wc"]),
        ("case $x in a) rm y;; *) ls;; esac", ["rm", "ls"]),
        ("cat <(id) >(tee a)", ["cat", "id", "tee"]),
        ("while read l; do echo x; done < f", ["read", "echo"]),
    ],
)
def test_every_command_is_found_wherever_it_is_nested(command: str, programs: list[str]) -> None:
    assert [c.program for c in judge(command).commands] == programs


@pytest.mark.parametrize("allow", [[], ["cat"], ["grep", "wc"]])
def test_an_allow_list_admits_only_what_it_names(allow: list[str]) -> None:
    assert judge("ls -la", allow=allow).decision == "ask"
    assert judge("ls -la", allow=[*allow, "ls"]).decision == "allow"
    assert judge("ls | sort", allow=[*allow, "ls"]).decision == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "ls $HOME",
        "ls > a",
        "ls < a",
        "ls\nls",
        "ls & ls",
        "echo 'a$B'",
        "cat <<< x",
        "ls `ls`",
        "/bin/ls",
        "'ls'",
    ],
)
def test_under_an_allow_list_only_plain_commands_pass(command: str) -> None:
    assert judge(command, allow=["ls", "cat", "rm", "echo"]).decision != "allow"


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("git status --short", "allow"),
        ("git log --oneline -5", "allow"),
        ("git diff HEAD~1", "allow"),
        ("git branch -a", "allow"),
        ("git branch new", "ask"),
        ("git diff --ext-diff", "ask"),
        ("git diff --output=x", "ask"),
        ("git -c core.pager=id log", "ask"),
        ("git grep -Oid x", "ask"),
        ("git remote add x y", "ask"),
        ("git push", "ask"),
    ],
)
def test_git_reads_only_where_the_allow_list_names_it(command: str, decision: str) -> None:
    assert judge(command, allow=["git"]).decision == decision
    assert judge(command).decision == "ask"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "notes.txt").write_text("private", "utf-8")
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "a.txt").write_text("a", "utf-8")
    (root / "src" / "b.txt").write_text("b", "utf-8")
    (root / "src" / "back").symlink_to(root / "a.txt")
    (root / "link.txt").symlink_to(outside / "notes.txt")
    (root / "folder").symlink_to(outside)
    return root


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("cat a.txt", "allow"),
        ("cat {root}/a.txt", "allow"),
        ("cat src/back", "allow"),
        ("cat src/../a.txt", "allow"),
        ("ls {root}", "allow"),
        ("cat {root}/src/*.txt", "allow"),
        ("cat link.txt", "ask"),
        ("cat ./src/../link.txt", "ask"),
        ("cat folder/notes.txt", "ask"),
        ("cat folder/../secret", "ask"),
        ("cat *.txt", "ask"),
        ("cat a*.txt", "allow"),
        ("cat fold*/notes.txt", "ask"),
        ("cat < link.txt", "ask"),
        ("cd folder && ls", "ask"),
        ("cd src && cat back", "allow"),
        ("cd src && cat b.txt", "allow"),
        ("cd src; cat ../link.txt", "ask"),
        ("cat {root}/../outside/notes.txt", "ask"),
        ("ls {root}/..", "ask"),
        ("grep -r x .", "allow"),
        ("grep -R x .", "ask"),
        ("grep -R x src", "allow"),
        ("find -L . -name x", "ask"),
        ("rg -L x", "ask"),
        ("grep -f link.txt a.txt", "ask"),
        ("grep --file=link.txt a.txt", "ask"),
        ("grep -rf/etc/hosts .", "ask"),
        ("[ -f link.txt ]", "ask"),
        ("cat nosuch.txt", "allow"),
    ],
)
def test_paths_are_resolved_in_the_workspace_with_their_links(root: Path, command: str, decision: str) -> None:
    verdict = judge(command.replace("{root}", str(root)), root=root, private_tmp=False)
    assert verdict.decision == decision, verdict.reasons


def test_the_machines_own_tmp_is_outside_unless_the_command_has_one_of_its_own(tmp_path: Path) -> None:
    assert judge("cat /tmp/x.txt", root=tmp_path).decision == "allow"
    assert judge("cat /tmp/x.txt", root=tmp_path, private_tmp=False).decision == "ask"
    assert judge("cat /tmp/../etc/hosts", root=tmp_path).decision == "ask"


def test_a_wildcard_that_finds_a_secret_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "deploy.key").write_text("k", "utf-8")
    assert judge("cat dep*", root=tmp_path).decision == "ask"
    assert judge("cat dep*").decision == "allow"


@pytest.mark.parametrize(
    "padding", ["ls; " * 600, "(ls; " * 30 + ")" * 30 + "; " + "echo [a] [b]; " * 100, "echo a >&2; " * 200]
)
def test_a_denial_is_found_however_much_stands_before_it(padding: str) -> None:
    assert judge(f"{padding}rm -rf /").decision == "deny"
    assert judge(f"{padding}cp {'x ' * 300} ~/.ssh/id_rsa y").decision == "deny"


@pytest.mark.parametrize(
    "command",
    [
        'echo "$((cat a.txt))"\nrm -rf /',
        "echo $((cat a.txt)) && rm -rf /",
        "echo $((1 +)) | sh -c 'rm -rf /'",
        "echo $((1 +)); (ls; { rm -rf /; })",
        'echo "a\nrm -rf /',
    ],
)
def test_a_denial_is_found_after_a_syntax_error(command: str) -> None:
    verdict = judge(command)
    assert verdict.decision == "deny" and verdict.denials == verdict.findings[: len(verdict.denials)]


def test_without_a_parser_everything_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError("tree_sitter")

    monkeypatch.setattr(syntax_module, "_parser", missing)
    assert judge("ls").decision == "ask"
    assert judge("rm -rf /").decision == "deny"


def test_a_failure_while_judging_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise RecursionError

    monkeypatch.setattr(syntax_module, "parse", broken)
    verdict = judge("ls")
    assert verdict.decision == "ask" and verdict.kind is Kind.SYNTAX


def test_a_reason_is_one_line_of_bounded_length() -> None:
    for command in ("x" * 3_000, "'a\nb'", "cat /" + "y/" * 1_000, "ls --" + "z" * 900):
        assert all(len(r) <= 160 and "\n" not in r for r in judge(command).reasons)


def test_every_command_that_find_would_run_is_looked_at() -> None:
    assert judge("find . -exec cat {} \\; -exec rm -rf / \\;").decision == "deny"
    assert judge("find . -exec echo {} + -ok curl http://x \\;").critical
