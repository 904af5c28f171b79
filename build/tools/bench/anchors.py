"""Times what RDKit and FPSim2 offer for the work of build/tools/bench and prints lines as
Go's benchmarks do. Usage:

    anchors.py NAME BANK QUERIES        the most similar fingerprint of a bank
    anchors.py rows COUNT BANK QUERIES  the same for COUNT molecules like QUERIES: reading, ECFP4, Tanimoto
    anchors.py five NAME BANK QUERIES   the five most similar by FPSim2: ECFP4 of 2 048 bits, made before, in memory

BANK and QUERIES hold fingerprints of 1 024 bits, one after the other, or SMILES below a head.
"""

import os
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


def rows(of, bank, queries):
    from rdkit import Chem, DataStructs, RDLogger
    from rdkit.Chem import rdFingerprintGenerator

    RDLogger.DisableLog("rdApp.*")
    make = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048).GetFingerprint

    def prints(path):
        with open(path) as f:
            for text in f.read().split()[1:]:
                molecule = Chem.MolFromSmiles(text)
                if molecule is not None:
                    yield make(molecule)

    bank = list(prints(bank))
    begin = os.times().user
    count = sum(1 for p in prints(queries) if max(DataStructs.BulkTanimotoSimilarity(p, bank)) >= 0)
    line(f"Rows/{of}", (os.times().user - begin) / count * int(of))


def five(name, bank, queries):
    from FPSim2 import FPSim2Engine
    from FPSim2.io import create_db_file
    from rdkit import Chem, RDLogger
    from rdkit.Chem import rdFingerprintGenerator

    RDLogger.DisableLog("rdApp.*")
    with open(bank) as f:
        create_db_file([(s, i) for i, s in enumerate(f.read().split())], bank + ".h5", "smiles", "Morgan", {"radius": 2, "fpSize": 2048})
    engine = FPSim2Engine(bank + ".h5")
    make = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048).GetFingerprint
    with open(queries) as f:
        prints = [make(m) for m in map(Chem.MolFromSmiles, f.read().split()) if m]
    line(name, fastest(lambda: [engine.top_k(p, 5, 0.0) for p in prints]) / len(prints))


if sys.argv[1] == "rows":
    rows(*sys.argv[2:])
elif sys.argv[1] == "five":
    five(*sys.argv[2:])
else:
    rdkit(*sys.argv[1:])
