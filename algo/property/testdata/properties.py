"""Writes rdkit.csv: properties of molecules by RDKit. Usage: properties.py < SMILES > rdkit.csv"""

import sys

from rdkit import Chem, RDLogger
from rdkit.Chem import Crippen, Descriptors, Lipinski, rdMolDescriptors

RDLogger.DisableLog("rdApp.*")
print("smiles,weight,logp,tpsa,donors,acceptors,rotatable")
for line in sys.stdin:
    smiles = line.split()[0]
    m = Chem.MolFromSmiles(smiles)
    if m is None:
        continue
    for atom in m.GetAtoms():
        atom.SetIsotope(0)
    rotatable = rdMolDescriptors.CalcNumRotatableBonds(m, rdMolDescriptors.NumRotatableBondsOptions.NonStrict)
    print(
        f"{smiles},{Descriptors.MolWt(m):.3f},{Crippen.MolLogP(m):.4f},{rdMolDescriptors.CalcTPSA(m):.2f},"
        f"{Lipinski.NHOHCount(m)},{Lipinski.NOCount(m)},{rotatable}"
    )
