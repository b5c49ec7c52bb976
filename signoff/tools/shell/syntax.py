"""The command's syntax tree (tree-sitter-bash): every command in it, wherever it is nested."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from signoff.tools.shell.plan import Redirection, Simple, plan
from signoff.tools.shell.verdict import Finding, Kind, ask, deny
from signoff.tools.shell.words import Unclear, Word, read_word

MAX_NODES = 20_000
"""Nodes of a tree above which a command is too complex to be judged."""

_TRANSPARENT = frozenset(
    "program list pipeline redirected_statement command command_name word number string string_content raw_string "
    "concatenation comment negated_command compound_statement subshell if_statement elif_clause else_clause "
    "test_command unary_expression binary_expression parenthesized_expression test_operator file_redirect "
    "file_descriptor heredoc_redirect heredoc_start heredoc_body heredoc_content heredoc_end herestring_redirect "
    "do_group case_item variable_name special_variable_name array brace_expression extglob_pattern regex".split()
)
_NAMED: dict[str, tuple[Kind, str, str]] = {
    "simple_expansion": (Kind.EXPANSION, "a variable's value is only known when it runs", "变量的值运行时才知道"),
    "expansion": (Kind.EXPANSION, "a variable's value is only known when it runs", "变量的值运行时才知道"),
    "command_substitution": (Kind.EXPANSION, "a command's output becomes part of it", "命令的输出会成为它的一部分"),
    "process_substitution": (Kind.EXPANSION, "a command's output is given as a file", "命令的输出被当作文件"),
    "arithmetic_expansion": (Kind.EXPANSION, "a part of it is computed", "其中一部分是算出来的"),
    "ansi_c_string": (Kind.HIDDEN, "$'…' hides what is written", "$'…' 会掩盖真实内容"),
    "translated_string": (Kind.HIDDEN, '$"…" is translated before it runs', '$"…" 会先被翻译再执行'),
    "variable_assignment": (Kind.CODE, "it sets a variable", "它设置了变量"),
    "variable_assignments": (Kind.CODE, "it sets variables", "它设置了变量"),
    "declaration_command": (Kind.CODE, "it declares a variable", "它声明了变量"),
    "unset_command": (Kind.CODE, "it removes a variable or a function", "它删除了变量或函数"),
    "for_statement": (Kind.CONTROL, "it is a loop", "它是循环"),
    "c_style_for_statement": (Kind.CONTROL, "it is a loop", "它是循环"),
    "while_statement": (Kind.CONTROL, "it is a loop", "它是循环"),
    "case_statement": (Kind.CONTROL, "it chooses by a pattern", "它按模式分支"),
    "function_definition": (Kind.CONTROL, "it defines a function", "它定义了函数"),
}


@dataclass(frozen=True)
class Tree:
    """What the tree holds."""

    commands: tuple[Simple, ...]
    """In the order in which they are written; `[ … ]` is the program `[`."""
    findings: tuple[Finding, ...]
    compound: bool
    """Whether commands are grouped, negated or conditional."""
    here_document: bool
    fed: frozenset[int]
    """Places in `commands` of those that are fed by a pipe."""
    broken: bool
    """Whether it has a syntax error, so that a part of the text may be in no command."""


@lru_cache(maxsize=1)
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def available() -> bool:
    """Whether tree-sitter and its bash grammar are installed."""
    try:
        _parser()
    except ImportError:
        return False
    return True


def parse(command: str) -> Tree:
    """Read the tree. What cannot be read for certain is a finding, never an exception."""
    walk = _Walk()
    if not available():
        walk.note(ask(Kind.SYNTAX, "tree-sitter-bash is not installed", "没有安装 tree-sitter-bash"))
        return walk.tree()
    # A parser of one thread is not shared with another.
    import tree_sitter

    root = tree_sitter.Parser(_parser().language).parse(command.encode("utf-8", "replace")).root_node
    if root.has_error:
        walk.broken = True
        walk.note(ask(Kind.SYNTAX, "it has a syntax error", "它有语法错误"))
    if root.descendant_count > MAX_NODES:
        walk.note(ask(Kind.SYNTAX, "it is too complex to be judged", "它太复杂,无法判断"))
    else:
        walk.visit(root)
    return walk.tree()


class _Walk:
    """Collects commands and findings; a stack stands for recursion, so that no nesting is too deep."""

    def __init__(self) -> None:
        self.commands: list[Simple] = []
        self.findings: dict[Finding, None] = {}
        self.fed: set[int] = set()
        self.kinds: set[str] = set()
        self.broken = False

    def note(self, finding: Finding) -> None:
        self.findings[finding] = None

    def tree(self) -> Tree:
        return Tree(
            tuple(self.commands),
            tuple(self.findings),
            compound=bool(self.kinds & {"subshell", "compound_statement", "negated_command", "if_statement"}),
            here_document="heredoc_redirect" in self.kinds,
            fed=frozenset(self.fed),
            broken=self.broken,
        )

    def visit(self, root: Any) -> None:
        stack: list[tuple[Any, bool, tuple[Any, ...]]] = [(root, False, ())]
        while stack:
            node, fed, around = stack.pop()
            kind = node.type
            if not node.is_named:
                if kind == "&":
                    self.note(ask(Kind.CONTROL, "a command goes to the background", "有命令在后台运行"))
                continue
            self.kinds.add(kind)
            self._classify(node)
            if kind in ("command", "test_command"):
                self._command(node, fed, around)
            elif kind == "function_definition":
                self._function(node)
            children = list(node.children)
            redirects = [c for c in children if c.type.endswith("_redirect")] if kind == "redirected_statement" else []
            first = True
            below: list[tuple[Any, bool, tuple[Any, ...]]] = []
            for child in children:
                piped = fed or (kind == "pipeline" and not first) or child.type == "process_substitution"
                passed = tuple(redirects) if child not in redirects else ()
                below.append((child, piped, (*around, *passed) if kind != "command" else ()))
                first = first and not child.is_named
            stack.extend(reversed(below))

    def _classify(self, node: Any) -> None:
        kind = node.type
        if kind in _NAMED:
            self.note(ask(*_NAMED[kind]))
        elif kind not in _TRANSPARENT:
            self.note(ask(Kind.SYNTAX, "it has a construct that is not known", "它含有不认识的语法"))
        if kind == "test_command" and _text(node).startswith(("[[", "((")):
            self.note(ask(Kind.EXPANSION, "[[ … ]] evaluates its operands", "[[ … ]] 会对操作数求值"))

    def _command(self, node: Any, fed: bool, around: tuple[Any, ...]) -> None:
        if fed:
            self.fed.add(len(self.commands))
        if node.type == "test_command":
            self.commands.append(_test(node))
            return
        words: list[Word] = []
        assignments: list[str] = []
        redirections: list[Redirection] = []
        for child in node.children:
            if child.type.endswith("_redirect"):
                redirections += self._redirection(child, words)
            elif child.type == "variable_assignment":
                assignments.append(_text(child))
            elif child.type != "comment" and (child.is_named or child.type == "$"):
                words += self._words(child)
        for redirect in around:
            redirections += self._redirection(redirect, words)
        self.commands.append(Simple(tuple(words), tuple(redirections), tuple(assignments)))

    def _words(self, node: Any) -> list[Word]:
        raw = _text(node)
        try:
            return [_substitution(raw) if raw.startswith(("<(", ">(")) else read_word(raw)]
        except Unclear as error:
            self.note(ask(Kind.SYNTAX, f"a word cannot be read: {error}", "有一个词无法确定"))
            return [Word(raw, raw, expansions=frozenset({"variable"}))]

    def _redirection(self, node: Any, words: list[Word]) -> list[Redirection]:
        op = next((c.type for c in node.children if not c.is_named), "<<")
        fd = next((_text(c) for c in node.children if c.type == "file_descriptor"), None)
        targets = [c for c in node.children if c.is_named and c.type != "file_descriptor"]
        if node.type == "heredoc_redirect":
            return []
        if not targets:
            return [Redirection(op, None, Word("-", "-"))]
        # The grammar takes every word after a target as one more target; to the shell they are arguments.
        for extra in targets[1:]:
            words += self._words(extra)
        number = int(fd[:4]) if fd and re.fullmatch(r"[0-9]+", fd) else None
        return [Redirection(op, number, w) for w in self._words(targets[0])]

    def _function(self, node: Any) -> None:
        name = next((_text(c) for c in node.children if c.type == "word"), "")
        calls = [_text(n) for n in _descendants(node) if n.type == "command_name"]
        if name in calls:
            self.note(
                deny(
                    Kind.DESTRUCTIVE,
                    "a function calls itself without end (a fork bomb)",
                    "函数无限调用自己(fork 炸弹)",
                )
            )


def _test(node: Any) -> Simple:
    """`[ … ]` as the program `[`; a test that is no simple command is taken as one that is not known."""
    raw = _text(node)
    try:
        return plan(raw)[0].commands[0]
    except (Unclear, IndexError):
        return Simple((Word(raw, "[["),))


def _descendants(node: Any) -> list[Any]:
    found, stack = [], [node]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(node.children)
    return found


def _text(node: Any) -> str:
    return str(node.text.decode("utf-8", "replace"))


def _substitution(raw: str) -> Word:
    return Word(raw, raw, expansions=frozenset({"substitution"}))
