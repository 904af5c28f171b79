# Writes ecfp.csv: Tanimoto similarities of Morgan fingerprints of radius 2, as sets and
# with counts, by RDKit, between molecules of the examples. Run from this folder.
import csv
from rdkit import Chem, DataStructs
from rdkit.Chem import AllChem

rows = list(csv.reader(open("../../../web/examples/molecules.csv")))[1:]
keys, counts = [], []
for r in rows:
    m = Chem.MolFromSmiles(r[2].strip())
    counts.append(None if m is None else AllChem.GetMorganFingerprint(m, 2))
    keys.append(None if m is None else set(counts[-1].GetNonzeroElements()))
with open("ecfp.csv", "w", newline="") as f:
    w = csv.writer(f, lineterminator="\n")
    w.writerow(["a", "b", "tanimoto", "with counts"])
    for i in range(len(rows)):
        for step in (1, 5, 33):
            j = (i + step) % len(rows)
            if keys[i] is not None and keys[j] is not None:
                w.writerow([rows[i][2].strip(), rows[j][2].strip(), "%.6f" % (len(keys[i] & keys[j]) / len(keys[i] | keys[j])),
                            "%.6f" % DataStructs.TanimotoSimilarity(counts[i], counts[j])])
