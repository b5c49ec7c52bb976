"""The first two layers: the syntax tree with what each program does, and the rules about how a command is written."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from signoff.tools.shell import inner, patterns, syntax
from signoff.tools.shell.git import judge_git
from signoff.tools.shell.paths import Place, secret, system
from signoff.tools.shell.plan import ASSIGNMENT, Plan, Redirection, Simple, plan
from signoff.tools.shell.programs import INTERPRETERS, SHELLS, known_program
from signoff.tools.shell.readers import GLOB_SAFE, READERS
from signoff.tools.shell.removal import judge_removal
from signoff.tools.shell.special import SPECIAL, judge_spec
from signoff.tools.shell.targets import targets
from signoff.tools.shell.verdict import Finding, Judged, Kind, Verdict, ask, deny
from signoff.tools.shell.words import Unclear, Word

MAX_COMMANDS = 40
"""Commands in one, above which it is too complex to be judged."""
_DEPTH = 4
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*|\[|:")
_SEAMS = re.compile(r"[\n;&|(){}`]+")
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/")


def judge(
    command: str,
    *,
    allow: Collection[str] | None = None,
    root: Path | None = None,
    private_tmp: bool = True,
) -> Verdict:
    """Whether a command may run unasked, has to be asked about, or is denied. Never raises.

    With `allow` only these programs may be allowed (an empty list allows none), and only in plain commands. `root` is
    the workspace: paths are resolved in it, links followed; without it they are judged by their spelling.
    `private_tmp` says that /tmp will be the command's own.
    """
    try:
        return _Judge(allow, Place(root, private_tmp), 0).whole(command)
    except Exception as error:  # whatever goes wrong while judging, a person looks at the command
        name = type(error).__name__
        return Verdict.of((), [ask(Kind.SYNTAX, f"it could not be judged ({name})", f"无法判断({name})")])


class _Judge:
    def __init__(self, allow: Collection[str] | None, place: Place, depth: int) -> None:
        self.allow = allow
        self.place = place
        self.depth = depth
        self.compound = False

    def whole(self, command: str) -> Verdict:
        """The verdict about a whole command line."""
        general = patterns.judge_text(command)
        if self.allow is not None:
            general += patterns.judge_strictly(command)
        if not command.strip() or len(command) > patterns.MAX_CHARS:
            return Verdict.of((), general)
        tree = syntax.parse(command)
        general += tree.findings
        flat, unclear = _flat(command)
        if flat is not None:
            simples = [(s, i > 0) for p in flat for i, s in enumerate(p.commands)]
            if _names([s for s, _ in simples]) != _names(tree.commands):
                general.append(ask(Kind.SYNTAX, "two readings of it differ", "两种解析结果不一致"))
                simples += [(s, i in tree.fed) for i, s in enumerate(tree.commands)]
        else:
            self.compound = True
            simples = [(s, i in tree.fed) for i, s in enumerate(tree.commands)]
            if not general and (not tree.compound or tree.here_document):
                general.append(ask(Kind.SYNTAX, f"it cannot be read for certain: {unclear}", "无法确定它的含义"))
        if len(simples) > MAX_COMMANDS:
            general.append(ask(Kind.SYNTAX, "it has too many commands", "它包含的命令太多"))
        if not simples and not general:
            general.append(ask(Kind.SYNTAX, "there is no command", "没有命令"))
        if tree.broken and self.depth < _DEPTH:
            general += self._pieces(command)
        judged = [self.one(simple, fed) for simple, fed in simples]
        return Verdict.of(judged, [*general, *_together(judged)])

    def _pieces(self, command: str) -> list[Finding]:
        """Denials in the pieces of a text that has a syntax error: a shell may run what comes after the error."""
        found: dict[Finding, None] = {}
        for piece in _SEAMS.split(command):
            if piece != command and piece.strip():
                nested = _Judge(None, Place(self.place.root, self.place.private_tmp), self.depth + 1).whole(piece)
                found |= dict.fromkeys(f for f in nested.findings if f.decision == "deny")
        return list(found)

    def one(self, simple: Simple, fed: bool) -> Judged:
        """One command with its arguments and redirections."""
        found: list[Finding] = []
        for word in (*simple.words, *(r.target for r in simple.redirections)):
            found += _spelling(word)
        for text in simple.assignments:
            name = text.partition("=")[0]
            found.append(ask(Kind.CODE, f"it sets {name} for the program", f"它为程序设置了 {name}"))
        redirected = [f for r in simple.redirections for f in self._redirection(r)]
        if not simple.words:
            found += [*redirected, ask(Kind.SYNTAX, "there is no program in a command", "有一个命令没有程序")]
            return Judged(simple.text, "", tuple(found))
        name = self._name(simple.words[0], found)
        self._program(name, simple.words[1:], fed, found)
        written = targets(name, simple.words[1:], simple.redirections, found, self.place)
        every = tuple(dict.fromkeys([*redirected, *found]))
        return Judged(simple.text, name, every, written.paths, written.certain)

    def _name(self, word: Word, found: list[Finding]) -> str:
        """The program's name, without its folder when that is the system's."""
        name = word.text
        if self.allow is not None and (word.raw not in self.allow):
            found.append(ask(Kind.UNLISTED, f"{name} is not on the allow-list", f"{name} 不在允许清单中"))
        if word.raw != "[" and not word.expansions and (not word.exact or word.quoted or word.escapes):
            found.append(ask(Kind.HIDDEN, "the program's name is quoted or made", "程序名被引号或展开掩盖"))
        folder = next((f for f in _SYSTEM_FOLDERS if name.startswith(f)), "")
        if folder and "/" not in name[len(folder) :]:
            return name[len(folder) :]
        if "/" in name:
            found.append(ask(Kind.CODE, f"it runs the file {name}", f"它运行文件 {name}"))
            return name.rsplit("/", 1)[-1]
        if not _NAME.fullmatch(name):
            found.append(ask(Kind.UNKNOWN, f"{name!r} is not a program's name", f"{name!r} 不是程序名"))
        return name

    def _program(self, name: str, words: Sequence[Word], fed: bool, found: list[Finding]) -> None:
        reader = name in SPECIAL or name in READERS
        if reader:
            found += self._reader(name, words)
        elif name == "git":
            found += judge_git(name, words, self.place, listed=bool(self.allow and "git" in self.allow))
        else:
            found += known_program(name) or [
                ask(Kind.UNKNOWN, f"{name} is not known to only read", f"不确定 {name} 是否只读")
            ]
        if not reader or found:
            found += judge_removal(name.lower(), words)
            found += _operands(name, words, reader)
            found += self._inner(name, words)
        if name.lower() in SHELLS and (
            (fed and all(w.text.startswith("-") or w.text == "/dev/stdin" for w in words))
            or any("substitution" in w.expansions and w.raw.startswith("<(") for w in words)
        ):
            found.append(deny(Kind.CODE, "text that nobody saw is run as commands", "未经查看的内容被当作命令执行"))
        elif fed and name.lower().rstrip("0123456789.") in INTERPRETERS:
            found.append(ask(Kind.CODE, f"{name} runs what it is fed", f"{name} 会运行传入的内容"))

    def _reader(self, name: str, words: Sequence[Word]) -> list[Finding]:
        found: list[Finding] = []
        for word in words:
            if word.braces and name not in ("echo", "find"):
                found.append(ask(Kind.EXPANSION, f"braces make several words: {word.raw}", f"花括号会展开:{word.raw}"))
            if word.pattern:
                found += self.place.read(word)
                if self.compound and name not in GLOB_SAFE:
                    found.append(ask(Kind.EXPANSION, f"{word.raw} may match an option", f"{word.raw} 可能匹配成选项"))
        if name in SPECIAL:
            return found + SPECIAL[name](name, words[:-1] if name == "[" else words, self.place)
        return found + judge_spec(name, READERS[name], words, self.place)

    def _inner(self, name: str, words: Sequence[Word]) -> list[Finding]:
        found: list[Finding] = []
        if self.depth >= _DEPTH:
            return [ask(Kind.SYNTAX, "it is nested too deep", "嵌套过深")]

        def visit(command: Sequence[Word] | str) -> None:
            nested = _Judge(None, self.place, self.depth + 1)
            if isinstance(command, str):
                found.extend(nested.whole(command).findings)
            else:
                assignments = tuple(w.raw for w in command if ASSIGNMENT.match(w.raw))[:1]
                found.extend(nested.one(Simple(tuple(command), (), assignments), False).findings)

        inner.walk(name, words, visit)
        return found

    def _redirection(self, redirection: Redirection) -> list[Finding]:
        op, target = redirection.op, redirection.target
        if redirection.fd is not None and redirection.fd > 2:
            return [ask(Kind.SYNTAX, "it opens a stream of its own", "它打开了额外的文件描述符")]
        if op in ("<<", "<<-", "<<<"):
            return []
        if op in (">&", "<&") and re.fullmatch(r"[012]", target.text):
            return []
        if op == "<":
            return (
                self.place.read(target)
                if not target.pattern
                else [ask(Kind.EXPANSION, "it reads from a wildcard", "它从通配符读取")]
            )
        if target.text in ("/dev/null", "/dev/stdout", "/dev/stderr") and target.exact and op != "<>":
            return []
        found = [ask(Kind.WRITE, f"it writes to {target.text}", f"它写入 {target.text}")]
        if held := secret(target.text):
            found.append(held)
        if system(target.text):
            found.append(_system(target.text))
        return found


def _flat(command: str) -> tuple[Plan | None, str]:
    try:
        return plan(command), ""
    except Unclear as error:
        return None, str(error)


def _names(simples: Sequence[Simple]) -> list[str]:
    return [s.words[0].text if s.words else "" for s in simples]


def _spelling(word: Word) -> list[Finding]:
    found: list[Finding] = []
    if "variable" in word.expansions:
        found.append(ask(Kind.EXPANSION, "a variable's value is only known when it runs", "变量的值运行时才知道"))
    if word.expansions & {"substitution", "arithmetic"}:
        found.append(ask(Kind.EXPANSION, "a command's output becomes part of it", "命令的输出会成为它的一部分"))
    if "ansi" in word.expansions:
        found.append(ask(Kind.HIDDEN, "$'…' hides what is written", "$'…' 会掩盖真实内容"))
    if word.escapes & set(";|&<>`\n"):
        found.append(ask(Kind.HIDDEN, f"{word.raw} has an escaped operator", f"{word.raw} 含有转义的运算符"))
    return found


def _operands(name: str, words: Sequence[Word], reader: bool) -> list[Finding]:
    """Secrets and the system's files among the arguments of a program that does more than read."""
    found: list[Finding] = []
    for word in words:
        for part in {word.text, *re.split(r"[=@:,]", word.text)}:
            if held := secret(part):
                found.append(held)
        if not reader and Kind.WRITE in {f.kind for f in known_program(name)} and system(word.text):
            found.append(_system(word.text))
    return found


def _system(path: str) -> Finding:
    return deny(Kind.PRIVILEGE, f"{path} belongs to the system", f"{path} 属于系统文件")


def _together(judged: Sequence[Judged]) -> list[Finding]:
    """What follows from commands side by side."""
    kinds = {f.kind for j in judged for f in j.findings}
    found: list[Finding] = []
    if Kind.EGRESS in kinds and Kind.SECRET in kinds:
        found.append(deny(Kind.SECRET, "it could send secrets to another machine", "它可能把机密发到其他机器"))
    shells = [j for j in judged if j.program.lower() in SHELLS or j.program in ("eval", "source", ".")]
    fetched = Kind.EGRESS in kinds or any(re.fullmatch(r"base(?:64|32)|uudecode", j.program) for j in judged)
    if fetched and any(f.kind is Kind.EXPANSION for j in shells for f in j.findings):
        found.append(deny(Kind.CODE, "text that nobody saw is run as commands", "未经查看的内容被当作命令执行"))
    return found
