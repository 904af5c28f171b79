#!/bin/sh
# OpenChemLib (JavaScript), aromatic SMILES of porphyrins, the rings of heme and chlorophyll.
#
# Guess: Molecule.fromSmiles gives lower-case atoms their double bonds, or throws, as it says for others
# that it cannot assign them; a SMILES that RDKit wrote is read as what RDKit read.
# Version: openchemlib 9.25.0 (npm), rdkit 2026.9.1 (PyPI).
# Behaviour: porphine as RDKit writes it comes out as a diradical, and with all atoms in lower case with six radicals. Nothing is thrown,
# and the formula is right. The same molecule with its double bonds written out is read well.
# Output seen:
#   0 radicals: C1=CC2=CC3=CC=C(N3)C=C4C=CC(=N4)C=C5C=CC(=CC1=N2)N5
#   2 radicals: C1=Cc2cc3ccc(cc4nc(cc5ccc(cc1n2)[nH]5)C=C4)[nH]3
#   6 radicals: c1cc2cc3ccc(cc4ccc(cc5ccc(cc1n2)[nH]5)n4)[nH]3
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip -q install rdkit==2026.9.1
npm install --silent --no-save openchemlib@9.25.0 >/dev/null
cat >texts.py <<'PYTHON'
import json
from rdkit import Chem

double = "C1=CC2=CC3=CC=C(N3)C=C4C=CC(=N4)C=C5C=CC(=CC1=N2)N5"
lower = "c1cc2cc3ccc(cc4ccc(cc5ccc(cc1n2)[nH]5)n4)[nH]3"
same = {Chem.MolToSmiles(Chem.MolFromSmiles(text)) for text in (double, lower)}
assert len(same) == 1, "RDKit reads both as one molecule"
assert sum(a.GetNumRadicalElectrons() for a in Chem.MolFromSmiles(lower).GetAtoms()) == 0
print(json.dumps([double, *same, lower]))
PYTHON
cat >porphine.mjs <<'JS'
import assert from "node:assert";
import { Molecule } from "openchemlib";

const radicals = JSON.parse(process.argv[2]).map((text) => {
  const molecule = Molecule.fromSmiles(text, { noCoordinates: true });
  const count = Array.from({ length: molecule.getAllAtoms() }, (_, i) => molecule.getAtomRadical(i)).filter(Boolean).length;
  console.log(`${count} radicals: ${text}`);
  assert.equal(molecule.getMolecularFormula().formula, "C20H14N4");
  return count;
});
assert.equal(radicals[0], 0, "with double bonds porphine has no radical");
assert(radicals[1] > 0 && radicals[2] > 0, "the behaviour has changed: porphine is read as porphine");
JS
node porphine.mjs "$(venv/bin/python texts.py)"
