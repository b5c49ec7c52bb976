"""The small languages some readers take as an argument: sed, awk and jq programs that only read."""

from __future__ import annotations

import re

_SED_ADDRESS = re.compile(r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n\[]|\\[^\n])*/I?|\+\d+|~\d+)")
_SED_FLAGS = re.compile(r"[gpiIm0-9]*")
_AWK_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_AWK_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?[^\]\n]*\])*/")
_AWK_NAME = re.compile(r"[A-Za-z_]\w*")
_AWK_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_AWK_NOT = frozenset(
    "system getline close fflush ENVIRON PROCINFO ARGV ARGC ARGIND SYMTAB FUNCTAB function func load include "
    "namespace eval extension while for do BEGINFILE ENDFILE nextfile".split()
)
_JQ_NOT = re.compile(r"\b(?:import|include|env|modulemeta|get_search_list)\b|\$ENV")


def sed_reads(program: str) -> bool:
    """Whether a sed program is nothing but addresses with p, d, q, =, l, n, s/…/…/ or y/…/…/."""
    i = 0
    while i < len(program):
        while i < len(program) and program[i] in " \t;\n":
            i += 1
        if i >= len(program):
            return True
        for _ in range(2):
            if match := _SED_ADDRESS.match(program, i):
                i = match.end()
            if program[i : i + 1] != ",":
                break
            i += 1
        while program[i : i + 1] in (" ", "!"):
            i += 1
        command = program[i : i + 1]
        i += 1
        if command in ("s", "y"):
            end = _sed_parts(program, i)
            if end < 0:
                return False
            flags = _SED_FLAGS.match(program, end) if command == "s" else None
            i = flags.end() if flags else end
        elif command in ("q", "Q"):
            while program[i : i + 1].isdigit():
                i += 1
        elif command not in tuple("pPdDn=lNgGhHxF"):
            return False
        while program[i : i + 1] in (" ", "\t"):
            i += 1
        if i < len(program) and program[i] not in ";\n":
            return False
    return True


def _sed_parts(program: str, i: int) -> int:
    """Where the flags of `s` or `y` start; -1 when its parts are not closed."""
    delimiter = program[i : i + 1]
    if not delimiter or delimiter.isalnum() or delimiter in " \\\n;[]{}":
        return -1
    closed, i = 0, i + 1
    while i < len(program):
        char = program[i]
        if char == "\n" or (char == "[" and closed == 0 and delimiter in program[i : program.find("]", i) + 1]):
            return -1
        if char == "\\":
            i += 2
            continue
        i += 1
        if char == delimiter:
            closed += 1
            if closed == 2:
                return i
    return -1


def awk_reads(program: str) -> bool:
    """Whether an awk program has no output redirection, pipe, getline, system, environment, loop or function."""
    i, depth, braces, before = 0, 0, 0, "{"
    while i < len(program):
        char = program[i]
        if char in " \t":
            i += 1
            continue
        if char == '"':
            match = _AWK_STRING.match(program, i)
        elif char == "/" and before in "{(,~!&|;\n}":
            match = _AWK_REGEX.match(program, i)
        elif char.isalpha() or char == "_":
            match = _AWK_NAME.match(program, i)
            if match and match[0] in _AWK_NOT:
                return False
        elif char.isdigit():
            match = _AWK_NUMBER.match(program, i)
        else:
            if program.startswith(("&&", "||", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "*=", "/="), i):
                before = program[i + 1] if program[i] in "&|" else "="
                i += 2
                continue
            if char not in "{}(),;$~!=<>+-*/%?:[]\n^.&|" or char in "&|":
                return False
            # In a pattern it compares; in an action it may name a file to write to.
            if char == ">" and braces and not depth:
                return False
            braces += (char == "{") - (char == "}")
            depth += (char in "([") - (char in ")]")
            before = char
            i += 1
            continue
        if match is None:
            return False
        before = "a"
        i = match.end()
    return depth == 0 and braces == 0


def jq_reads(program: str) -> bool:
    """Whether a jq program reads nothing but its input: no modules and no environment."""
    return not _JQ_NOT.search(program)
