"""Writes what RDKit says about molecules, for TestReferences.

    python3 reference.py OUT.jsonl.gz < smiles.txt

reads one SMILES a line and writes one JSON object a line: row, s (the SMILES),
x (OGB's nine atom features an atom), e ([begin, end, type] a bond) and g
([bond, geometry] a double bond: 1 if the first other neighbours of its ends are on
one side, 2 if not, 0 if that is unknown, without those whose ends have equal
neighbours), all null where RDKit refuses. Then

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


def beside(bond, atom):
    """The other neighbours of an end of a bond, in the order of their bonds."""
    others = [b for b in atom.GetBonds() if b.GetIdx() != bond.GetIdx()]
    return [b.GetOtherAtomIdx(atom.GetIdx()) for b in sorted(others, key=lambda b: b.GetIdx())]


def geometry(bond, ranks):
    sides = [beside(bond, bond.GetBeginAtom()), beside(bond, bond.GetEndAtom())]
    if bond.GetStereo() in (Chem.BondStereo.STEREOZ, Chem.BondStereo.STEREOE):
        same = bond.GetStereo() == Chem.BondStereo.STEREOZ
        for side, atom in zip(sides, bond.GetStereoAtoms()):
            same = same != (side[0] != atom)
        return 1 if same else 2
    return 0 if all(len({ranks[i] for i in side}) == len(side) > 0 for side in sides) else None


def reference(read, text):
    """x, e and g of what RDKit reads from a text, None where it refuses."""
    try:
        mol = read(text)
    except Exception:  # a failed invariant inside RDKit
        mol = None
    if mol is None:
        return {"x": None, "e": None, "g": None}
    x = [features(a) for a in mol.GetAtoms()]
    e = [[b.GetBeginAtomIdx(), b.GetEndAtomIdx(), place(BOND, b.GetBondType())] for b in mol.GetBonds()]
    ranks = Chem.CanonicalRankAtoms(mol, breakTies=False)
    doubles = [b for b in mol.GetBonds() if b.GetBondType() == Chem.BondType.DOUBLE]
    g = [[b.GetIdx(), geometry(b, ranks)] for b in doubles]
    return {"x": x, "e": e, "g": [pair for pair in g if pair[1] is not None]}


if __name__ == "__main__":
    with gzip.open(sys.argv[1], "wt", compresslevel=1) as out:
        for row, line in enumerate(sys.stdin):
            smiles = line.strip()
            found = reference(Chem.MolFromSmiles, smiles)
            out.write(json.dumps({"row": row, "s": smiles, **found}, separators=(",", ":")) + "\n")
