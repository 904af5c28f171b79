#!/bin/sh
# OpenChemLib (JavaScript), double bonds of a ring that spans an aromatic one: the antibiotic rifamycin SV.
#
# Guess: Molecule.fromSmiles keeps the stereo bonds of a SMILES, and the coordinates that it invents
# by default, for a drawing or a molfile, show them.
# Version: openchemlib 9.25.0 (npm).
# Behaviour: the coordinates show two E bonds as Z, and what is shown wins: the same object writes another
# stereoisomer as SMILES and as molfile, without a word. With noCoordinates the bonds are right. So a drawing has to
# be read back and compared.
# Output seen:
#   read:    2 E, 0 Z
#   drawn:   0 E, 2 Z
#   molfile: 0 E, 2 Z
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save openchemlib@9.25.0 >/dev/null
cat >rifamycin.mjs <<'JS'
import assert from "node:assert";
import { Molecule } from "openchemlib";

const rifamycin = String.raw`CO[C@H]1/C=C/O[C@@]2(C)Oc3c(C)c(O)c4c(O)c(NC(=O)C(=C\C=C\[C@H](C)[C@H](O)[C@@H](C)[C@@H](O)[C@@H](C)[C@H](OC(C)=O)[C@@H]1C)/C)cc(O)c4c3C2=O`;
// Of the two bonds between CH and CH; the third double bond, beside the amide, stays as it is.
function count(molecule) {
  let e = 0;
  let z = 0;
  for (let b = 0; b < molecule.getAllBonds(); b++) {
    if ([0, 1].some((end) => molecule.getAllConnAtoms(molecule.getBondAtom(end, b)) !== 2)) continue;
    if (molecule.getBondParity(b) === Molecule.cBondParityEor1) e++;
    if (molecule.getBondParity(b) === Molecule.cBondParityZor2) z++;
  }
  return `${e} E, ${z} Z`;
}
const read = Molecule.fromSmiles(rifamycin, { noCoordinates: true });
const drawn = Molecule.fromSmiles(rifamycin);
const again = Molecule.fromMolfile(drawn.toMolfile());
for (const m of [read, drawn, again]) m.ensureHelperArrays(Molecule.cHelperParities);
console.log(`read:    ${count(read)}\ndrawn:   ${count(drawn)}\nmolfile: ${count(again)}`);
assert.equal(count(read), "2 E, 0 Z", "the SMILES has two E bonds between CH and CH");
assert.notEqual(count(again), count(read), "the behaviour has changed: the molfile is the same stereoisomer");
assert.notEqual(drawn.toIsomericSmiles(), read.toIsomericSmiles(), "the behaviour has changed: the drawing is the same stereoisomer");
JS
node rifamycin.mjs
