"""RDKit's similarity maps on the molecules of `baca-paper bench reasons`.

python similarity_maps.py FOLDER reads FOLDER/reasons-molecules.csv and FOLDER/training-MODEL.smi, takes for each
molecule the training molecule that is most similar by ECFP4, and gives each atom the fall of similarity without it. It
counts how often the least similar atom is one of the planted group, and writes FOLDER/similarity-maps.csv. Needs rdkit
and matplotlib.
"""

import csv
import glob
import sys
from collections import Counter

from rdkit import Chem, DataStructs, RDLogger
from rdkit.Chem.Draw import SimilarityMaps
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

RDLogger.DisableLog("rdApp.*")
ecfp4 = GetMorganGenerator(radius=2, fpSize=2048)


def without(molecule, atom=-1):
    """The fingerprint of a molecule, without the bits that have the atom."""
    return SimilarityMaps.GetMorganFingerprint(molecule, atom, radius=2, fpType="bv", nBits=2048)


folder, training = sys.argv[1], {}
for path in glob.glob(f"{folder}/training-*.smi"):
    molecules = [Chem.MolFromSmiles(line) for line in open(path)]
    model = path.rsplit("training-", 1)[1].removesuffix(".smi")
    training[model] = [(m, ecfp4.GetFingerprint(m)) for m in molecules if m]
found, highest = Counter(), Counter()
for row in csv.DictReader(open(f"{folder}/reasons-molecules.csv")):
    m = Chem.MolFromSmiles(row["smiles"])
    if m is None:
        continue
    known = training[row["model"]]
    similar = DataStructs.BulkTanimotoSimilarity(ecfp4.GetFingerprint(m), [print for _, print in known])
    nearest = known[max(range(len(known)), key=similar.__getitem__)][0]
    weights = SimilarityMaps.GetAtomicWeightsForFingerprint(nearest, m, without)
    key = row["model"], row["group"]
    found[key] += 1
    highest[key] += int(row["from"]) <= min(range(len(weights)), key=weights.__getitem__) < int(row["to"])
with open(f"{folder}/similarity-maps.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["model", "group", "molecules", "highest"])
    for key in sorted(found):
        out.writerow([*key, found[key], highest[key]])
