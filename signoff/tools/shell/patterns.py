"""Rules about how a command is written: what hides something, and what is known to be an attack."""

from __future__ import annotations

import re
import unicodedata

from signoff.tools.shell.verdict import Finding, Kind, ask, deny

MAX_CHARS = 4_000
"""A longer command is not judged but asked about."""

_STRICT = re.compile(r"""[`<>\n\r\t]|\$[\w({'"\[@*#?!$-]|(?<!&)&(?!&)""")


def judge_text(command: str) -> list[Finding]:
    """Findings about the command as it is written, before it is parsed."""
    found: list[Finding] = []
    if not command.strip():
        return [ask(Kind.SYNTAX, "there is no command", "没有命令")]
    if len(command) > MAX_CHARS:
        found.append(ask(Kind.SYNTAX, f"it is longer than {MAX_CHARS} characters", f"它超过 {MAX_CHARS} 个字符"))
    if hidden := next((c for c in command if _invisible(c)), None):
        found.append(
            deny(
                Kind.HIDDEN,
                f"it has a character that cannot be seen (U+{ord(hidden):04X})",
                f"它含有不可见字符(U+{ord(hidden):04X})",
            )
        )
    if blank := next((c for c in command if c != " " and unicodedata.category(c) == "Zs"), None):
        found.append(
            ask(
                Kind.HIDDEN,
                f"it has a blank that is no space to a shell (U+{ord(blank):04X})",
                f"它含有看似空格的字符(U+{ord(blank):04X})",
            )
        )
    if re.search(r"\$\{?IFS\b|\bIFS\s*=", command):
        found.append(deny(Kind.HIDDEN, "it uses IFS to hide spaces", "它用 IFS 掩盖空格"))
    if re.search(r"/dev/(?:tcp|udp)/", command):
        found.append(deny(Kind.EGRESS, "it opens a connection through /dev/tcp", "它通过 /dev/tcp 打开网络连接"))
    if "\\\n" in command:
        found.append(ask(Kind.HIDDEN, "a backslash joins two lines", "反斜杠连接了两行"))
    return found


def judge_strictly(command: str) -> list[Finding]:
    """Under an allow-list a command has no expansion, redirection, background job or second line, even in quotes:
    a program that was let through by its name may hand its arguments to another shell."""
    if _STRICT.search(command):
        return [
            ask(
                Kind.UNLISTED,
                "under an allow-list a command has no expansion, redirection, background job or second line",
                "使用允许清单时,命令不能有展开、重定向、后台运行或换行",
            )
        ]
    return []


def _invisible(char: str) -> bool:
    """Controls but tab and newline, format characters (bidi, zero width), line separators, unpaired halves."""
    if char in " \t\n":
        return False
    if char in "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5" or "\ufe00" <= char <= "\ufe0f":
        return True
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
