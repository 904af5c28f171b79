"""Writes which SMILES are the same molecule according to RDKit, for TestSameAsRDKit.

    python3 canonical.py FOLDER/bbbp.csv.gz … | gzip -n9 > canonical.tsv.gz

takes molecules with stereocentres or symmetry out of data sets, and some made up
ones, makes their stereoisomers, and writes each several times with the atoms in
random orders, aromatic or not, and some by hand. A line is a class and a SMILES: the class is the same
for what RDKit 2022.09 gives the same canonical SMILES.
"""

import csv
import gzip
import random
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem.EnumerateStereoisomers import EnumerateStereoisomers, StereoEnumerationOptions

RDLogger.DisableLog("rdApp.*")

MADE_UP = """
C1CC1 C12C3C4C1C5C2C3C45 C1C2CC3CC1CC(C2)C3 CC(O)C(O)C CC(O)C(O)C(O)C OC1C(O)C(O)C(O)C(O)C1O
CC1CCC(C)CC1 CC1CCC1C C1CC2CCC1C2 C1CC2CCC1CC2 C1CCC2CCCCC2C1 CC=CC CC=CC=CC CC=CC=CC=CC FC=C(Cl)C=CBr
CC1CCCC(C)C1 C[N+](C)(C)CC(O)C=C CS(=O)c1ccccc1 CP(=O)(O)c1ccccc1 O=P(C)(CC)c1ccccc1 C1CN1C N1(C)CC1C
OC(C(O)C(O)=O)C(O)=O FC(Cl)C(F)Cl FC(Cl)CC(F)Cl FC(Cl)C(C(F)Cl)C(F)Cl CC(F)C(Cl)C(F)C C/C=C1/CCC(C)CC1
c1cc2ccc3cccc4ccc(c1)c2c34 c1ccc2c(c1)[nH]c1ccccc12 [nH]1cccc1 c1c[nH]cn1 Cn1cnc2c1c(=O)n(C)c(=O)n2C
[Na+].[Cl-] [Na+].[Na+].[O-]C(=O)C(O)C(O)C([O-])=O CC(N)C(=O)NC(C)C(=O)NC(C)C(O)=O [2H]C([3H])F [13CH3]C
C[C]C [CH3] [O-][n+]1ccccc1 CN(=O)=O C[N+](=O)[O-] CC#N N#[N+][N-]C [Fe+2].c1cc[cH-]c1.c1cc[cH-]c1 *C* [H][H]
FC=CC(C=CF)C=CF CC=NO C1CCCCCCCC=CCC1 CC(C)=C(C)C FC(F)=CCl N->[Cu] C[Si](C)(C)O[Si](C)(C)C OB(O)c1ccccc1
""".split()

# Ways to write some molecules, atom classes left out.
WRITINGS = r"""
CCO OCC C(O)C [CH3][CH2][OH] [H]C([H])([H])C([H])([H])O[H] C-C-O C2.C2O [CH3:3]C[OH:1] c1ccccc1 C1=CC=CC=C1
C=1C=CC=CC=1 [cH]1[cH][cH][cH][cH][cH]1 c:1:c:c:c:c:c1 c%10ccccc%10 Cc1ccccc1 CC1=CC=CC=C1 CC=1C=CC=CC1
c1ccc(C)cc1 c1c[nH]cc1 N1C=CC=C1 [nH]1cccc1 [H]n1cccc1 Cc1nc[nH]c1 Cc1c[nH]cn1 CC1=CNC=N1 Cc1c[nH]nc1
Cc1cn[nH]c1 CC1=CNN=C1 C[N+](=O)[O-] CN(=O)=O [O-][N+](=O)C C[N+]([O-])=O CC(=O)[O-].[Na+] [Na+].CC([O-])=O
[O-]C(C)=O.[Na+] C1(=O)[O-].[Na+].C1 C[C@H](N)C(=O)O N[C@@H](C)C(=O)O OC(=O)[C@@H](N)C [C@@H](C)(N)C(O)=O
[C@H](N)(C)C(O)=O [C@@]([H])(C(O)=O)(C)N C[C@@H](N)C(=O)O N[C@H](C)C(=O)O CC(N)C(=O)O NC(C)C(=O)O F/C=C/F
F\C=C\F C(\F)=C/F F/C([H])=C/F F/C=C\F F\C=C/F C(/F)=C/F FC=CF F/C=CF FC=C/F CC=C(C)C C/C=C(/C)C C\C=C(C)\C
CC(C)F C[C@H](C)F C[C@@H](C)F [CH3:1][C@H]([CH3:2])F [2H]C C[2H] [2H][CH3] [CH3] [H][C]([H])[H]
C[C@H](O)[C@H](O)C C[C@@H](O)[C@@H](O)C O[C@H](C)[C@H](C)O O[C@@H](C)[C@@H](C)O C[C@H](O)[C@@H](O)C
O[C@@H](C)[C@H](C)O C[C@@H](O)[C@H](O)C O[C@H](C)[C@@H](C)O CC1CCC1 C1CCC1C N->[Cu] [Cu]<-N [Fe+2].[Cl-].[Cl-]
[Cl-].[Fe+2].[Cl-] CC(O)=Nc1ccccc1 c1ccccc1N=C(O)C C/C=C/C=C\C C\C=C/C=C/C C\C=C\C=C/C
C1C[C@H]2CC[C@@H]1C2.F/C=C/Cl Cl/C=C/F.C1C[C@@H]2C[C@H]1CC2
""".split()

if __name__ == "__main__":
    shuffle = random.Random(1)
    picked = list(MADE_UP)
    for name in sys.argv[1:]:
        with gzip.open(name, "rt") as f:
            rows = [row["smiles"].strip() for row in csv.DictReader(f)]
        rows = [s for s in rows if len(s) < 90 and ("@" in s or "/" in s or "." in s)]
        picked += shuffle.sample(rows, min(25, len(rows)))
    options = StereoEnumerationOptions(maxIsomers=6, onlyUnassigned=False, unique=True, rand=1)
    classes, lines = {}, set()
    for smiles in picked:
        mol = Chem.MolFromSmiles(smiles)
        if mol is None:
            continue
        for isomer in [mol, *EnumerateStereoisomers(mol, options)]:
            isomer = Chem.MolFromSmiles(Chem.MolToSmiles(isomer))
            name = Chem.MolToSmiles(isomer)
            if Chem.MolToSmiles(Chem.MolFromSmiles(name)) != name:
                continue  # RDKit is of two minds
            number = classes.setdefault(name, len(classes))
            for seed in range(3):
                text = Chem.MolToSmiles(isomer, canonical=False, doRandom=True, kekuleSmiles=False)
                if seed == 2:
                    kekule = Chem.Mol(isomer)
                    Chem.Kekulize(kekule, clearAromaticFlags=True)
                    text = Chem.MolToSmiles(kekule, canonical=False, doRandom=True, kekuleSmiles=True, allHsExplicit=True)
                back = Chem.MolFromSmiles(text)
                if back is not None and Chem.MolToSmiles(back) == name:
                    lines.add((number, text))
    for text in WRITINGS:
        mol = Chem.MolFromSmiles(text)
        for atom in mol.GetAtoms():
            atom.SetAtomMapNum(0)
        name = Chem.MolToSmiles(Chem.MolFromSmiles(Chem.MolToSmiles(mol)))
        lines.add((classes.setdefault(name, len(classes)), text))
    for number, text in sorted(lines):
        print(number, text, sep="\t")
