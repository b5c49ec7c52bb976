"""Bubblewrap: a view of the machine in which a command sees its programs, the workspace and nothing else."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
"""Where programs are looked for, in the sandbox and without it."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
_FILES = (
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/magic",
    "/etc/mime.types", "/etc/nsswitch.conf", "/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki/tls",
)  # fmt: skip
_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/services", "/etc/protocols")


@dataclass(frozen=True)
class Sandbox:
    """How one command is confined."""

    folder: Path
    """The workspace, absolute and resolved."""
    tmp: Path
    """The folder that is /tmp inside."""
    writable: tuple[Path, ...] = ()
    """Folders that can be written to: below the workspace, or itself; there, and reached without links."""
    network: bool = False
    """Whether the machine's network is there; only ever for a command whose approval said so."""

    def wrap(self, argv: list[str], cwd: Path) -> list[str]:
        """The command line that runs `argv` inside, in the folder `cwd` of the workspace."""
        command = ["bwrap", "--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL"]
        if self.network:
            command.append("--share-net")
        for path in _SYSTEM:
            if Path(path).is_symlink():
                command += ["--symlink", str(Path(path).readlink()), path]
            elif Path(path).is_dir():
                command += ["--ro-bind", path, path]
        for path in (*_FILES, *(_NETWORK if self.network else ())):
            command += ["--ro-bind-try", path, path]
        command += ["--proc", "/proc", "--dev", "/dev", "--bind", str(self.tmp), "/tmp"]
        command += ["--ro-bind", str(self.folder), str(self.folder)]
        for folder in self.writable:
            command += ["--bind", str(folder), str(folder)]
        return [*command, "--chdir", str(cwd), "--", *argv]


def kind() -> Literal["bubblewrap", "none"]:
    """What confines commands on this machine, besides their limits."""
    found = shutil.which("bwrap", path=PATH)
    return "bubblewrap" if found and _works(found) else "none"


@lru_cache(maxsize=4)
def _works(bwrap: str) -> bool:
    """Whether it may make namespaces here, which containers and hardened kernels can forbid."""
    trial = Sandbox(Path("/usr"), Path("/usr")).wrap(["true"], Path("/usr"))
    try:
        done = subprocess.run(
            [bwrap, *trial[1:]], stdin=subprocess.DEVNULL, capture_output=True, timeout=10, env={"PATH": PATH}
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
