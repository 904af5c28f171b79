"""Statistics of the molecules of statistics.txt as RDKit computes them:

    python3 statistics.py > new.txt && mv new.txt statistics.txt
"""

from collections import Counter

from rdkit import Chem

for line in open("statistics.txt").readlines():
    text = line.split()[0]
    m = Chem.MolFromSmiles(text)
    atoms = list(m.GetAtoms())
    n, degrees, parts = len(atoms), [a.GetDegree() for a in atoms], len(Chem.GetMolFrags(m))

    def share(test):
        return sum(map(test, atoms)) / n

    values = {
        "size": n, "parts": parts, "rings": m.GetNumBonds() - n + parts, "highest degree": max(degrees), "mean degree": sum(degrees) / n,
        "ends": share(lambda a: a.GetDegree() == 1), "branches": share(lambda a: a.GetDegree() >= 3), "in rings": share(lambda a: a.IsInRing()),
        "carbon": share(lambda a: a.GetSymbol() == "C"), "charged": share(lambda a: a.GetFormalCharge() != 0),
    }
    elements = Counter((a.GetAtomicNum(), a.GetSymbol()) for a in atoms)
    print(text + "\t" + ", ".join([f"{k} {v:.4f}" for k, v in values.items()] + [f"{symbol} 1" for _, symbol in sorted(elements)]))
