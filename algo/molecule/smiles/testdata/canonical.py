"""Writes which SMILES are the same molecule according to RDKit, for TestSameAsRDKit.

    python3 canonical.py FOLDER/bbbp.csv.gz … | gzip -n9 > canonical.tsv.gz

takes molecules with stereocentres or symmetry out of data sets, and some made up
ones, makes their stereoisomers, and writes each several times with the atoms in
random orders, aromatic or not. A line is a class and a SMILES: the class is the same
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
    for number, text in sorted(lines):
        print(number, text, sep="\t")
