"""Times what RDKit offers for the work of build/tools/bench and prints lines as Go's
benchmarks do. Usage:

    anchors.py NAME BANK QUERIES

BANK and QUERIES hold fingerprints of 1 024 bits, one after the other.
"""

import sys
import time

WIDTH = 128  # bytes of a fingerprint


def fastest(run, least=3, seconds=0.2):
    """The shortest time of a run, of as many as fit."""
    begin, best, count = time.perf_counter(), float("inf"), 0
    while count < least or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
        count += 1
    return best


def line(name, seconds):
    print(f"Benchmark{name}\t1\t{seconds * 1e9:.0f} ns/op")


def rdkit(name, bank, queries):
    from rdkit import DataStructs

    def read(path):
        with open(path, "rb") as f:
            data = f.read()
        return [DataStructs.CreateFromFPSText(data[i : i + WIDTH].hex()) for i in range(0, len(data), WIDTH)]

    bank, queries = read(bank), read(queries)
    places = iter(range(1 << 30))
    line(name, fastest(lambda: max(DataStructs.BulkTanimotoSimilarity(queries[next(places) % len(queries)], bank))))


rdkit(*sys.argv[1:])
