"""Writes what RDKit says about molecules, for TestReferences.

    python3 reference.py OUT.jsonl.gz < smiles.txt

reads one SMILES a line and writes one JSON object a line: row, s (the SMILES),
x (OGB's nine atom features an atom) and e ([begin, end, type] a bond), x and e
null where RDKit refuses. Then

    MOLECULE_REFERENCES=FOLDER go test -tags rdkit -run TestReferences ./algo/molecule/smiles

compares all files in a folder. RDKit 2022.09 is what the Go code follows; Debian
12 has it as python3-rdkit.
"""

import gzip
import json
import sys

from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")

CHIRALITY = [
    Chem.ChiralType.CHI_UNSPECIFIED,
    Chem.ChiralType.CHI_TETRAHEDRAL_CW,
    Chem.ChiralType.CHI_TETRAHEDRAL_CCW,
    Chem.ChiralType.CHI_OTHER,
]
HYBRIDIZATION = [
    Chem.HybridizationType.SP,
    Chem.HybridizationType.SP2,
    Chem.HybridizationType.SP3,
    Chem.HybridizationType.SP3D,
    Chem.HybridizationType.SP3D2,
]
BOND = [Chem.BondType.SINGLE, Chem.BondType.DOUBLE, Chem.BondType.TRIPLE, Chem.BondType.AROMATIC]


def place(values, value):
    return values.index(value) if value in values else len(values)


def features(atom):
    z, charge = atom.GetAtomicNum(), atom.GetFormalCharge()
    return [
        z - 1 if 1 <= z <= 118 else 118,
        place(CHIRALITY, atom.GetChiralTag()),
        min(atom.GetTotalDegree(), 11),
        charge + 5 if -5 <= charge <= 5 else 11,
        min(atom.GetTotalNumHs(), 9),
        min(atom.GetNumRadicalElectrons(), 5),
        place(HYBRIDIZATION, atom.GetHybridization()),
        int(atom.GetIsAromatic()),
        int(atom.IsInRing()),
    ]


def reference(read, text):
    """x and e of what RDKit reads from a text, None and None where it refuses."""
    try:
        mol = read(text)
    except Exception:  # a failed invariant inside RDKit
        mol = None
    if mol is None:
        return None, None
    x = [features(a) for a in mol.GetAtoms()]
    e = [[b.GetBeginAtomIdx(), b.GetEndAtomIdx(), place(BOND, b.GetBondType())] for b in mol.GetBonds()]
    return x, e


if __name__ == "__main__":
    with gzip.open(sys.argv[1], "wt", compresslevel=1) as out:
        for row, line in enumerate(sys.stdin):
            smiles = line.strip()
            x, e = reference(Chem.MolFromSmiles, smiles)
            out.write(json.dumps({"row": row, "s": smiles, "x": x, "e": e}, separators=(",", ":")) + "\n")
