"""Measures what a data frame costs beside the command on the same CSV: processor seconds, in turns.

    python cost.py molecules.csv [rounds]

The file needs a column called smiles. The package must be installed; not for Windows.
"""

import resource
import statistics
import subprocess
import sys
import warnings

import pandas as pd

import baca
from baca._child import child, program


def spent(who: int) -> float:
    """Returns the processor seconds of this process, or of its children that have ended."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def of_command(path: str) -> float:
    """Returns the seconds of ``baca score``."""
    before = spent(resource.RUSAGE_CHILDREN)
    subprocess.run([program(), "score", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return spent(resource.RUSAGE_CHILDREN) - before


def of_frame(frame: pd.DataFrame) -> float:
    """Returns the seconds of ``baca.score``, with those of a child that it starts."""
    before = spent(resource.RUSAGE_CHILDREN) + spent(resource.RUSAGE_SELF)
    baca.score(frame)
    child.close()
    return spent(resource.RUSAGE_CHILDREN) + spent(resource.RUSAGE_SELF) - before


def main(path: str, rounds: int = 5) -> None:
    """Prints each round and the median ratio."""
    warnings.simplefilter("ignore", baca.RefusedWarning)
    frame = pd.read_csv(path)
    ratios = []
    for _ in range(rounds):
        command, scored = of_command(path), of_frame(frame)
        ratios.append(scored / command)
        print(f"{len(frame)} rows: command {command:.2f} s, frame {scored:.2f} s, {100 * ratios[-1] - 100:+.0f} %", flush=True)
    print(f"median {100 * statistics.median(ratios) - 100:+.1f} %")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
