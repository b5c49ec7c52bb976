"""What must never be removed, overwritten or opened to everybody."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from signoff.tools.shell.paths import system
from signoff.tools.shell.verdict import Finding, Kind, deny
from signoff.tools.shell.words import Word

_EVERYTHING = re.compile(r"/+\**|/\.|(?:~|\$HOME|\$\{HOME\}|/home/[^/]+|/Users/[^/]+)(?:/\**)?|/\w+(?:/\**)?")


def judge_removal(name: str, words: Sequence[Word]) -> list[Finding]:
    """Denials for rm, chmod and their like on the root, a home or the system; for dd and shred on devices."""
    texts = [w.text for w in words]
    if name in (
        "rm",
        "rmdir",
        "shred",
        "unlink",
        "srm",
        "chmod",
        "chown",
        "chgrp",
        "mv",
        "truncate",
        "wipe",
        "setfacl",
        "chattr",
    ):
        for text in texts:
            if text.startswith("-"):
                if text == "--no-preserve-root":
                    return [_all("/")]
                continue
            plain = posixpath.normpath(text) if text else ""
            if _EVERYTHING.fullmatch(text) or _EVERYTHING.fullmatch(plain) or plain in ("..", "../..") or system(text):
                if name in ("mv", "rm", "rmdir", "unlink", "truncate", "shred") and plain.startswith("/tmp/"):
                    continue
                return [_all(text)]
    if name == "dd":
        for text in texts:
            key, _, path = text.partition("=")
            device = path.startswith("/dev/") and path not in ("/dev/null", "/dev/stdout")
            if key == "of" and (device or system(path)):
                return [_all(path)]
    if name in ("kill", "pkill", "killall") and any(t in ("-1", "1") for t in texts[-1:]) and len(texts) > 1:
        return [deny(Kind.DESTRUCTIVE, "it stops every process", "它会终止所有进程")]
    return []


def _all(path: str) -> Finding:
    return deny(Kind.DESTRUCTIVE, f"it would destroy {path}", f"它会毁掉 {path}")
