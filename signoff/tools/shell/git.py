"""git: what its subcommands do. Even a read of it runs programs that the repository's own configuration names."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.tools.shell.options import Spec
from signoff.tools.shell.paths import Place
from signoff.tools.shell.special import judge_spec
from signoff.tools.shell.verdict import Finding, Kind, ask
from signoff.tools.shell.words import Word

_LOG = (
    "-n=n -# -p -w -b --oneline --stat --shortstat --numstat --graph --all --decorate?=w --name-only --name-status "
    "--patch --format=s --pretty?=s --since=s --until=s --after=s --before=s --author=s --grep=s --merges --no-merges "
    "--reverse --abbrev-commit --max-count=n --skip=n --cached --staged --color?=w --no-color --summary --date=w"
)
_READS = {
    "status": Spec("-s -b --short --branch --long --porcelain?=w --show-stash --ahead-behind --no-renames"),
    "log": Spec(_LOG + " -S=s -G=s -i --follow --first-parent"),
    "show": Spec(_LOG + " -s"),
    "diff": Spec(_LOG + " --check --word-diff?=w"),
    "blame": Spec("-L=s -w -e -s -l --date=w"),
    "ls-files": Spec("-c -d -m -o -s -u -z --cached --deleted --modified --others --stage --exclude-standard"),
    "ls-tree": Spec("-d -r -t -l -z --name-only --full-tree"),
    "rev-parse": Spec("--show-toplevel --abbrev-ref --short --verify --is-inside-work-tree --git-dir"),
    "rev-list": Spec("-n=n --count --all --max-count=n --reverse"),
    "shortlog": Spec("-s -n -e --summary --numbered --email"),
    "describe": Spec("--tags --always --all --long --abbrev=n"),
    "branch": Spec("-a -r -v --all --remotes --verbose --list --show-current", "none"),
    "tag": Spec("-l -n --list", "none"),
    "remote": Spec("-v --verbose", "none"),
    "version": Spec("", "none"),
}
_EGRESS = frozenset(
    "push fetch pull clone ls-remote submodule remote archive send-email request-pull svn p4 lfs daemon send-pack "
    "fetch-pack http-fetch http-push imap-send cvsimport maintenance".split()
)
_DESTRUCTIVE = frozenset(
    "reset clean checkout restore rm filter-branch gc prune reflog stash update-ref replace".split()
)


def judge_git(program: str, words: Sequence[Word], place: Place, *, listed: bool) -> list[Finding]:
    """What stands against a git command; `listed` when an allow-list names git."""
    texts = [w.text for w in words]
    sub = texts[0] if texts else ""
    if sub.startswith("-"):
        found = [
            ask(Kind.CODE, f"git {sub} before the subcommand can start programs", f"子命令前的 git {sub} 可能启动程序")
        ]
        later = next((t for t in texts if t in _EGRESS | _DESTRUCTIVE), "")
        return found + _doing(later)
    if sub not in _READS or (sub in _EGRESS and len(texts) > 2):
        return _doing(sub) or [ask(Kind.WRITE, f"git {sub} changes the repository", f"git {sub} 会改动仓库")]
    found = judge_spec(f"git {sub}", _READS[sub], words[1:], place)
    if not listed:
        found.append(
            ask(
                Kind.CODE,
                "git runs programs that the repository's configuration names",
                "git 会运行仓库配置里指定的程序",
            )
        )
    return found


def _doing(sub: str) -> list[Finding]:
    if sub in _EGRESS:
        return [ask(Kind.EGRESS, f"git {sub} talks to other machines", f"git {sub} 会与其他机器通信")]
    if sub in _DESTRUCTIVE:
        return [ask(Kind.DESTRUCTIVE, f"git {sub} can throw work away", f"git {sub} 可能丢弃改动")]
    return []
