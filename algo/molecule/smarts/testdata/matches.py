"""Writes matches.csv: which molecules of a file hold a pattern, by RDKit: a hexadecimal digit for four of them, the first in
its lowest bit. Usage: matches.py rdkit.csv < patterns.txt > matches.csv"""

import csv
import sys

from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")
molecules = [Chem.MolFromSmiles(row["smiles"]) for row in csv.DictReader(open(sys.argv[1]))]
for line in sys.stdin:
    pattern = Chem.MolFromSmarts(line.strip())
    bits = [m.HasSubstructMatch(pattern) for m in molecules] + [False] * 3
    digits = ["%x" % sum(bits[i + k] << k for k in range(4)) for i in range(0, len(molecules), 4)]
    print(line.strip() + "\t" + "".join(digits))
