"""Which paths a command may read unasked, and which nobody may read."""

from __future__ import annotations

import fnmatch
import glob
import os
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

from signoff.tools.shell.verdict import Finding, Kind, ask, deny
from signoff.tools.shell.words import Word

_NEVER = re.compile(
    r"(?:^|[/=@:,{ ])(?:"
    r"etc/(?:shadow|gshadow|master\.passwd|sudoers|security/opasswd|ssl/private|krb5\.keytab)"
    r"|\.(?:ssh|aws|gnupg|kube|azure|signoff|password-store)(?:/|$)|\.docker/config|\.config/(?:gcloud|gh)(?:/|$)"
    r"|\.(?:netrc|pgpass|git-credentials|my\.cnf|vault-token|s3cfg|boto)$|authorized_keys"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|ssh_host_\w+_key$"
    r"|proc/[^/]+/(?:task/[^/]+/)?(?:environ|mem|maps|fd|root|cwd|cmdline|exe|auxv)|proc/kcore|dev/k?mem(?:$|/)"
    r"|run/secrets|(?:dev/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|disk|mapper|dm-\d|loop\d|port)))",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"(?:^|/)(?:\.env(?!\.(?:example|sample|template|dist)$)(?:\.[\w.-]+)?|\.envrc|\.npmrc|\.pypirc|\.htpasswd"
    r"|\.\w*_history|\.dockercfg|\.git/config|terraform\.tfstate(?:\.backup)?|[\w.-]*\.(?:pem|key|p12|pfx|kdbx|jks|keystore|ppk)"
    r"|[\w.-]*(?:credential|secret|passwd|password|token)s?(?:\.(?:ya?ml|json|toml|env|ini|txt|cfg|xml|properties))?)$",
    re.IGNORECASE,
)
_PRIVATE_NAMES = (
    ".env", ".env.local", ".env.production", ".envrc", ".npmrc", ".pypirc", ".netrc", ".pgpass", ".htpasswd", ".ssh",
    ".aws", ".gnupg", ".kube", ".docker", ".signoff", ".bash_history", ".git-credentials", "id_rsa", "id_ed25519",
    "server.key", "server.pem", "credentials", "credentials.json", "secrets.yaml", "secrets.json", "shadow",
)  # fmt: skip
_KEY_FILES = frozenset({"env", "pem", "key", "p12", "pfx", "kdbx", "jks", "ppk"})
_STREAMS = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"})
_SYSTEM = re.compile(
    r"^(?:/(?:etc|usr|bin|sbin|lib\w*|boot|sys|proc|root|opt|var/(?:spool|lib|www)|Library|System)(?:/|$)|/dev/(?!null$|std|tty$|fd/))"
    r"|(?:^|/)\.(?:bashrc|bash_profile|profile|zshrc|zshenv|ssh|gitconfig|config/autostart)(?:/|$)|(?:^|/)\.git/hooks(?:/|$)"
)
_GLOB_LIMIT = 1_000
_LINK_LIMIT = 20_000


@dataclass
class Place:
    """Where a command would run, as far as its paths are concerned."""

    root: Path | None = None
    """The workspace; without it paths are judged by their spelling alone."""
    private_tmp: bool = True
    """Whether /tmp is the command's own."""
    folders: list[str] = field(default_factory=lambda: ["."])
    """The folders it may be in when a `cd` came before, relative to the workspace."""

    def enter(self, word: Word) -> list[Finding]:
        """Judge a `cd` and follow it."""
        found = self.read(word)
        if len(self.folders) > 8:
            found.append(ask(Kind.SYNTAX, "it changes its folder too often", "它切换目录的次数太多"))
        if not found:
            self.folders = list(dict.fromkeys([*self.folders, *(posixpath.join(f, word.text) for f in self.folders)]))
        return found

    def read(self, word: Word, *, follow: bool = False) -> list[Finding]:
        """What stands against reading the path; `follow` when symbolic links below it are followed."""
        if word.expansions:
            return []  # found where words are judged
        if word.tilde:
            return [secret(word.text) or ask(Kind.OUTSIDE, "it reads a home folder", "它读取主目录")]
        if word.braces:
            return [ask(Kind.EXPANSION, f"braces make several paths: {word.raw}", f"花括号会展开成多个路径:{word.raw}")]
        if word.text in ("", "-") or word.text in _STREAMS:
            return []
        if found := secret(word.text) or (_hidden_by_glob(word) if word.pattern else None):
            return [found]
        for folder in self.folders:
            if found := self._outside(folder, word) or (self._links(folder, word.text) if follow else None):
                return [found]
        return []

    def _outside(self, folder: str, word: Word) -> Finding | None:
        path = word.text
        outside = ask(Kind.OUTSIDE, f"it reads outside the workspace: {path}", f"它读取工作区以外的路径:{path}")
        absolute = path.startswith("/")
        plain = posixpath.normpath(path if absolute else posixpath.join(folder, path))
        if absolute and (plain == "/tmp" or plain.startswith("/tmp/")) and self.private_tmp and not word.pattern:
            return None
        if self.root is None:
            return outside if absolute or plain == ".." or plain.startswith("../") else None
        root = os.path.realpath(self.root)
        base = path if absolute else posixpath.join(root, folder, path)
        names = [base]
        if word.pattern:
            pattern = (
                word.pattern if absolute else posixpath.join(glob.escape(posixpath.join(root, folder)), word.pattern)
            )
            if not within(posixpath.normpath(base[: re.search(r"[*?[]|$", base).start()]), root):  # type: ignore[union-attr]
                return outside
            names = []
            for match in glob.iglob(pattern):  # noqa: PTH207 - pathlib's `*` matches dot files, a shell's does not
                names.append(match)
                if len(names) > _GLOB_LIMIT:
                    return ask(Kind.SYNTAX, f"{path} matches too many files", f"{path} 匹配的文件太多")
        for name in names:
            if not within(os.path.realpath(name), root):
                return outside
            if found := secret(os.path.realpath(name)[len(root) :]):
                return found
        return None

    def _links(self, folder: str, path: str) -> Finding | None:
        if self.root is None:
            return None
        root, seen = os.path.realpath(self.root), 0
        for top, folders, files in os.walk(posixpath.join(root, folder, path)):
            for name in (*folders, *files):
                seen += 1
                whole = posixpath.join(top, name)
                if seen > _LINK_LIMIT:
                    return ask(Kind.OUTSIDE, "it follows links below a large folder", "它会跟随大目录下的链接")
                if Path(whole).is_symlink() and not within(os.path.realpath(whole), root):
                    return ask(Kind.OUTSIDE, "it follows a link out of the workspace", "它会沿链接读到工作区以外")
        return None


def secret(path: str) -> Finding | None:
    """What stands against any use of a path that holds keys, passwords or another program's memory."""
    for spelled in (path, posixpath.normpath(path)):
        if _NEVER.search(spelled):
            return deny(Kind.SECRET, f"{path} holds secrets or is a device", f"{path} 存放机密或是设备")
    if _PRIVATE.search(path.rstrip("/")):
        return ask(Kind.SECRET, f"{path} may hold secrets", f"{path} 可能存放机密")
    return None


def system(path: str) -> bool:
    """Whether the path belongs to the system or starts programs for a person, so that nothing may be written to it."""
    return bool(_SYSTEM.search(posixpath.normpath(path))) if path else False


def _hidden_by_glob(word: Word) -> Finding | None:
    """A pattern that is made to find a file with secrets is as good as its name."""
    for part in word.pattern.split("/"):
        if suffix := re.fullmatch(r"\*+\.(\w+)", part):
            names = [part] if suffix[1].lower() in _KEY_FILES else []
        elif part.startswith(".") or len(re.sub(r"\[[^\]]*\]|[*?]", "", part)) >= 3:
            names = [n for n in _PRIVATE_NAMES if n.startswith(".") == part.startswith(".")]
        else:
            continue
        if found := next((n for n in names if fnmatch.fnmatch(n, part)), ""):
            return ask(Kind.SECRET, f"{word.raw} may match {found}", f"{word.raw} 可能匹配 {found}")
    return None


def within(path: str, root: str) -> bool:
    """Whether a resolved path is a folder or something below it."""
    return path == root or path.startswith(root.rstrip("/") + "/")
