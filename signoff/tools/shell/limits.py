"""Sets resource limits on itself and becomes another program. Run as a file, with the standard library alone.

    python -I -S limits.py MEMORY_BYTES CPU_SECONDS FILE_BYTES PROCESSES -- program argument…

A limit in a child between fork and exec would run Python code in a process that other threads' locks were copied
into; a program that limits itself does not.
"""

from __future__ import annotations

import os
import resource
import signal
import sys


def main(arguments: list[str]) -> int:
    """Never returns when the program could be started; 127 when there is none, 126 when it cannot be run."""
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)
    numbers, program = arguments[:4], arguments[5:]
    for kind, number in zip(kinds, numbers, strict=True):
        _, hard = resource.getrlimit(kind)
        value = int(number) if hard == resource.RLIM_INFINITY else min(int(number), hard)
        resource.setrlimit(kind, (value, value))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and what it ignores is inherited
        signal.signal(name, signal.SIG_DFL)
    try:
        os.execvp(program[0], program)
    except FileNotFoundError:
        print(f"{program[0]}: command not found", file=sys.stderr)
        return 127
    except OSError as error:
        print(f"{program[0]}: {error.strerror}", file=sys.stderr)
        return 126


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
