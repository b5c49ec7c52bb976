"""Readers whose arguments are not only options and operands: find, sed, awk, jq, test, date, tar and others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from signoff.tools.shell.little import awk_reads, jq_reads, sed_reads
from signoff.tools.shell.options import Spec, read_arguments, unknown
from signoff.tools.shell.paths import Place
from signoff.tools.shell.verdict import Finding, Kind, ask
from signoff.tools.shell.words import Word

_FIND_TESTS = frozenset(
    "-print -print0 -ls -prune -quit -depth -d -empty -executable -readable -writable -nogroup -nouser -mount -xdev "
    "-daystart -follow -true -false -noleaf -ignore_readdir_race -a -and -o -or -not ! ( ) ,".split()
)
_FIND_VALUES = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -xtype -size "
    "-mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -printf "
    "-used -fstype -newermt -newerat -newerct".split()
)
_FIND_PATHS = frozenset("-newer -anewer -cnewer -samefile".split())
_FIND_ACTIONS = {
    "-exec": Kind.CODE, "-execdir": Kind.CODE, "-ok": Kind.CODE, "-okdir": Kind.CODE, "-delete": Kind.DESTRUCTIVE,
    "-fprint": Kind.WRITE, "-fprint0": Kind.WRITE, "-fprintf": Kind.WRITE, "-fls": Kind.WRITE,
}  # fmt: skip

_SED = Spec("-n -E -r -s -u -z -e=s --quiet --silent --regexp-extended --expression=s --separate --posix", "text")
_AWK = Spec("-F=s -v=s --field-separator=s --assign=s", "text", globs=False)
_JQ = Spec(
    "-n -r -j -a -s -c -C -M -S -e -R --null-input --raw-output --join-output --ascii-output --slurp --compact-output "
    "--color-output --monochrome-output --sort-keys --exit-status --raw-input --tab --indent=n --stream --seq",
    "pattern",
    "",
)
_DATE = Spec("-u -d=s -r=p -R -I?=w --utc --date=s --reference=p --rfc-email --iso-8601?=w --rfc-3339=w", "text")
_XXD = Spec("-a -b -C -c=n -e -g=n -i -l=n -p -s=w -u", most=1, globs=False)


def judge_spec(program: str, spec: Spec, words: Sequence[Word], place: Place) -> list[Finding]:
    """What stands against a reader that is declared by its options."""
    read = read_arguments(program, spec, words)
    found = list(read.findings)
    for option, kind, value in read.values:
        if kind == "p" or option == "--include" or option in ("-g", "--glob", "--iglob"):
            found += place.read(value) if kind == "p" else [f for f in [_secret_name(value)] if f]
    operands = list(read.operands)
    if spec.operands == "pattern" and not read.given & set(spec.patterns.split()):
        operands = operands[1:]
    if spec.operands == "none" and operands:
        found.append(ask(Kind.UNKNOWN, f"{program} takes no operands to read", f"{program} 只读时不带操作数"))
    if spec.operands in ("paths", "pattern"):
        if len(operands) > spec.most:
            found.append(
                ask(Kind.WRITE, f"{program} writes to its second file", f"{program} 会写入第二个文件")
                if spec.most == 1
                else ask(Kind.SYNTAX, f"{program} has too many files", f"{program} 的文件太多")
            )
        follow = bool(read.given & set(spec.follow.split()))
        for operand in operands:
            if operand.pattern and not spec.globs:
                found.append(_one_glob(program))
            found += place.read(operand, follow=follow)
        if follow and not operands:
            found += place.read(Word(".", "."), follow=True)
    return found


def judge_find(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """find: starting points, tests, and the actions that write or run something."""
    found: list[Finding] = []
    follow, i = False, 0
    while i < len(words) and words[i].text in ("-H", "-L", "-P"):
        follow = follow or words[i].text == "-L"
        i += 1
    starts = []
    while i < len(words) and not words[i].text.startswith(("-", "(", "!", ")", ",")):
        starts.append(words[i])
        i += 1
    follow = follow or any(w.text == "-follow" for w in words)
    for start in starts or [Word(".", ".")]:
        found += place.read(start, follow=follow)
    while i < len(words):
        word = words[i]
        i += 1
        if word.pattern or word.braces:
            found.append(ask(Kind.EXPANSION, f"find: {word.raw} is expanded first", f"find:{word.raw} 会先被展开"))
        elif word.text in _FIND_ACTIONS:
            kind = _FIND_ACTIONS[word.text]
            found.append(ask(kind, f"find {word.text} does not only read", f"find {word.text} 不是只读操作"))
            return found
        elif word.text in _FIND_TESTS:
            continue
        elif word.text in _FIND_VALUES | _FIND_PATHS and i < len(words):
            if word.text in _FIND_PATHS:
                found += place.read(words[i])
            elif words[i].pattern or words[i].braces:
                found.append(
                    ask(Kind.EXPANSION, f"find: {words[i].raw} is expanded first", f"find:{words[i].raw} 会先被展开")
                )
            i += 1
        else:
            found.append(unknown(program, word.raw))
    return found


def judge_sed(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """sed: only with programs that print, delete lines or substitute."""
    read = read_arguments(program, _SED, words)
    found = [
        ask(Kind.WRITE, f"{f.en} (sed -i changes files, -f runs a script)", f.zh) if "-i" in f.en else f
        for f in read.findings
    ]
    scripts = [v for option, _, v in read.values if option in ("-e", "--expression")]
    operands = list(read.operands)
    if not scripts and operands:
        scripts.append(operands.pop(0))
    if not scripts or any(s.pattern for s in scripts) or not all(sed_reads(s.text) for s in scripts):
        found.append(ask(Kind.CODE, "the sed program may write or run something", "sed 程序可能写文件或运行命令"))
    return found + [f for operand in operands for f in place.read(operand)]


def judge_awk(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """awk: only with programs that print what they were given."""
    read = read_arguments(program, _AWK, words)
    found = list(read.findings)
    if not read.operands or read.operands[0].pattern or not awk_reads(read.operands[0].text):
        found.append(ask(Kind.CODE, "the awk program may write or run something", "awk 程序可能写文件或运行命令"))
    for operand in read.operands[1:]:
        # An operand `name=value` sets a variable instead of naming a file.
        found += [_one_glob(program)] if operand.pattern or "=" in operand.text else place.read(operand)
    return found


def judge_jq(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """jq: only with programs that read their input."""
    read = read_arguments(program, _JQ, words)
    found = list(read.findings)
    if read.operands and (read.operands[0].pattern or not jq_reads(read.operands[0].text)):
        found.append(ask(Kind.CODE, "the jq program may read more than its input", "jq 程序可能读取输入以外的内容"))
    return found + [f for operand in read.operands[1:] for f in place.read(operand)]


def judge_test(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """test and [: file tests are reads of metadata; `-v` evaluates subscripts in a shell."""
    found: list[Finding] = []
    for before, word in zip([Word("", ""), *words], words, strict=False):
        if word.text in ("-v", "-R", "-o", "-t") or word.pattern or word.braces:
            found.append(unknown(program, word.raw))
        elif re.fullmatch(r"-[a-hkprsuwxGLNOS]|-[no]t|-ef", before.text):
            found += place.read(word)
    return found


def judge_text(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """echo: whatever it is given, it prints."""
    return []


def judge_printf(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """printf: the shell's own sets a variable with -v."""
    if words and words[0].text.startswith("-") and words[0].text != "--":
        return [ask(Kind.UNKNOWN, "printf with an option sets a variable", "printf 带选项会设置变量")]
    return []


def judge_date(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """date: an operand that is not a format sets the clock."""
    read = read_arguments(program, _DATE, words)
    found = list(read.findings)
    found += [f for _, kind, value in read.values if kind == "p" for f in place.read(value)]
    if any(not w.text.startswith("+") for w in read.operands):
        found.append(ask(Kind.WRITE, "date with a time sets the clock", "date 带时间参数会修改系统时间"))
    return found


def judge_xxd(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """xxd: a second file is written, `-r` makes a binary of text."""
    return judge_spec(program, _XXD, words, place)


def judge_tar(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """tar: only the listing of one local archive, without any long option."""
    texts = [w.text for w in words]
    listing = bool(texts) and re.fullmatch(r"-?(?=\w*t)[tvzjJ]+f", texts[0]) is not None
    if not listing or len(texts) < 2 or ":" in texts[1] or any(t.startswith("-") for t in texts[1:]):
        return [ask(Kind.WRITE, "tar does more than list an archive", "tar 不只是列出归档内容")]
    return [_one_glob(program)] if words[1].pattern else place.read(words[1])


def judge_unzip(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """unzip: only `-l` and `-v` list."""
    if len(words) < 2 or words[0].text not in ("-l", "-v") or any(w.text.startswith("-") for w in words[1:]):
        return [ask(Kind.WRITE, "unzip does more than list an archive", "unzip 不只是列出归档内容")]
    return [_one_glob(program)] if words[1].pattern else place.read(words[1])


def judge_command(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """command: `-v` and `-V` say where a program is; without them it is run."""
    if words and words[0].text in ("-v", "-V"):
        return []
    return [ask(Kind.CODE, "command runs another program", "command 会运行别的程序")]


def judge_cd(program: str, words: Sequence[Word], place: Place) -> list[Finding]:
    """cd: into a folder of the workspace."""
    if len(words) != 1 or words[0].text.startswith(("-", "+")) or words[0].pattern:
        return [ask(Kind.OUTSIDE, "cd leaves the workspace", "cd 会离开工作区")]
    return place.enter(words[0])


def _one_glob(program: str) -> Finding:
    return ask(
        Kind.EXPANSION,
        f"{program} would take what the wildcard matches as more than files to read",
        f"{program} 会把通配符匹配到的名称当作读取文件以外的参数",
    )


def _secret_name(word: Word) -> Finding | None:
    name = word.text.lstrip("!")
    if name.startswith(".") or re.fullmatch(r"\**\.?(?:env|pem|key|p12)|id_\w*", name):
        return ask(Kind.SECRET, f"{word.raw} looks for files with secrets", f"{word.raw} 在查找存放机密的文件")
    return None


SPECIAL: dict[str, Callable[[str, Sequence[Word], Place], list[Finding]]] = {
    "find": judge_find,
    "sed": judge_sed,
    "awk": judge_awk,
    "mawk": judge_awk,
    "gawk": judge_awk,
    "jq": judge_jq,
    "test": judge_test,
    "[": judge_test,
    "echo": judge_text,
    "printf": judge_printf,
    "date": judge_date,
    "xxd": judge_xxd,
    "tar": judge_tar,
    "unzip": judge_unzip,
    "command": judge_command,
    "cd": judge_cd,
}
