// Reads drawings back with RDKit, for the test in ../draw_test.go. Each line of the input is a SMILES; each line of the
// output is JSON: {smiles, reason} of one that is not drawn, else {smiles, want, got, overlaps, longest, blank}, where want and
// got are RDKit's canonical SMILES of what was written and of what is drawn, and longest is the length of a bond.
import initRDKit from "@rdkit/rdkit";
import { createInterface } from "node:readline";
import { layOut } from "./molecule.js";
import { molfile } from "./molfile.js";
import { paint } from "./svg.js";

const rdkit = await initRDKit();

const canonical = (text) => {
  const molecule = rdkit.get_mol(text);
  if (!molecule) return "";
  const smiles = molecule.get_smiles();
  molecule.delete();
  return smiles;
};

// pinned is a layout whose hydrogens are all said, so that RDKit adds none to metals.
function pinned(layout) {
  const valence = layout.atoms.map((a) => a.hydrogens);
  for (const b of layout.bonds) for (const i of [b.from, b.to]) valence[i] += b.order;
  return { ...layout, atoms: layout.atoms.map((a, i) => ({ ...a, valence: valence[i] > 14 ? -1 : valence[i] })) };
}

for await (const smiles of createInterface({ input: process.stdin })) {
  const said = { smiles };
  try {
    const layout = layOut(smiles);
    const svg = paint({ layout, width: 380, height: 260, bond: 40 });
    const longest = Math.max(0, ...layout.bonds.map(({ from, to }) => Math.hypot(layout.atoms[from].x - layout.atoms[to].x, layout.atoms[from].y - layout.atoms[to].y)));
    Object.assign(said, { longest, want: canonical(smiles), got: canonical(molfile(pinned(layout))), overlaps: layout.overlaps, blank: !/<path|<text/.test(svg) });
  } catch (error) {
    said.reason = error.message;
  }
  console.log(JSON.stringify(said));
}
