"""Runs the command that comes with the package: ``baca`` and ``python -m baca``."""

import os
import subprocess
import sys

from ._child import program


def main() -> int:
    """Replaces this process by the command, with the same arguments."""
    arguments = [program(), *sys.argv[1:]]
    if os.name == "nt":  # where a process cannot be replaced
        return subprocess.call(arguments)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    sys.exit(main())
