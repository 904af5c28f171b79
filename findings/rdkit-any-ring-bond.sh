#!/bin/sh
# RDKit, SMILES of rings whose bonds have no order (~), as metal complexes are drawn.
#
# Guess: what MolToSmiles writes, MolFromSmiles reads as the same molecule; "~" says the same before a ring number
# as between two atoms, as "=" does.
# Version: RDKit 2026.9.1 (PyPI rdkit==2026.9.1).
# Behaviour: before a ring number "~" is dropped without a word. The bond that closes the ring is read as a single
# one, or beside a metal as a dative one, and hydrogens follow: of one chelate there are three molecules, by where its text begins.
# Issues 3055 and 6602 of rdkit/rdkit, both closed, are about the bond; that RDKit's own SMILES come back as another
# molecule, and canonical SMILES depend on the text, are the surprise.
# Output seen:
#   OO bridge: [OH2]1~[Cu]~[OH2]~[Cu]~1 is read as [OH2]1~[Cu]~[OH2]->[Cu]~1
#   chelate: [Cu]~1NCCN~1 C1C[NH][Cu][NH]1 | [Cu]1~NCCN~1 C1C[NH2]~[Cu][NH]1 | N(CC1)~[Cu]~N1 C1C[NH2]~[Cu]~[NH2]1
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install rdkit==2026.9.1
"$folder/venv/bin/python" - <<'PYTHON'
from rdkit import Chem

bridge = Chem.RWMol(Chem.MolFromSmiles("[Cu]1O[Cu]O1", sanitize=False))
for bond in bridge.GetBonds():
    bond.SetBondType(Chem.BondType.UNSPECIFIED)
Chem.SanitizeMol(bridge)
written = Chem.MolToSmiles(bridge)
again = Chem.MolToSmiles(Chem.MolFromSmiles(written))
print(f"OO bridge: {written} is read as {again}")

texts = ["[Cu]~1NCCN~1", "[Cu]1~NCCN~1", "N(CC1)~[Cu]~N1"]
read = [Chem.MolToSmiles(Chem.MolFromSmiles(text)) for text in texts]
print("chelate:", " | ".join(f"{text} {smiles}" for text, smiles in zip(texts, read)))
assert written != again, "the behaviour has changed: SMILES come back"
assert len(set(read)) == 3, "the behaviour has changed: one chelate, one SMILES"
PYTHON
