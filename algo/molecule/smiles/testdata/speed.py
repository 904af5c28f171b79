"""Measures reading SMILES and making OGB's features, here and with RDKit.

    cd algo/molecule/smiles && python3 testdata/speed.py ../../../../shared/data/mol

runs BenchmarkGraph on one core and then RDKit on the same molecules (at most 5 000 a
set), features and bonds as the ogb package makes them (ogb/utils/mol.py), and prints
molecules per second of processor time of both. The shortest of several runs counts,
since other work on the machine can only slow one down.
"""

import csv
import gzip
import os
import re
import subprocess
import sys
import time

import numpy as np
from rdkit import Chem, RDLogger

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from reference import BOND, features, place

RDLogger.DisableLog("rdApp.*")


def graph(smiles):
    mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return None
    x = np.array([features(a) for a in mol.GetAtoms()], dtype=np.int64)
    edges = []
    for b in mol.GetBonds():
        i, j = b.GetBeginAtomIdx(), b.GetEndAtomIdx()
        place(BOND, b.GetBondType())
        edges += [(i, j), (j, i)]
    return x, np.array(edges, dtype=np.int64).T


def seconds(work, smiles):
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        for s in smiles:
            work(s)
        best = min(best, time.process_time() - begin)
    return best


if __name__ == "__main__":
    folder = sys.argv[1]
    out = subprocess.run(
        ["go", "test", "-run", "^$", "-bench", "BenchmarkGraph", "-cpu", "1", "-count", "10", "-benchtime", "0.3s", "."],
        check=True, capture_output=True, text=True,
    ).stdout
    print("set\tGo molecules/s\tRDKit parse + features\tratio\tRDKit parse only\tratio")
    for name in ["bbbp", "hiv", "scale-mix"]:
        go = max(float(v) for v in re.findall(rf"BenchmarkGraph/{name}\s.*?([\d.]+) molecules/s", out))
        with gzip.open(os.path.join(folder, name + ".csv.gz"), "rt") as f:
            smiles = [row["smiles"].strip() for _, row in zip(range(5000), csv.DictReader(f))]
        full = len(smiles) / seconds(graph, smiles)
        parse = len(smiles) / seconds(Chem.MolFromSmiles, smiles)
        print(f"{name}\t{go:.0f}\t{full:.0f}\t{go / full:.1f}\t{parse:.0f}\t{go / parse:.1f}")
