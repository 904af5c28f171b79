// Checks what is painted, for the test in ../draw_test.go: it ends with an error where something is not as it should be.
import assert from "node:assert/strict";
import { layOut } from "./molecule.js";
import { spring } from "./spring.js";
import { balls, escape, paint, roles } from "./svg.js";

const frame = { width: 200, height: 120, bond: 30 };
const parts = (svg, pattern) => [...svg.matchAll(pattern)];

// A wedge begins at its stereo centre and widens towards the other end: its four corners are two and two.
for (const [smiles, kind] of [["C[C@H](F)Cl", /class="wedge" d="M(\S+) (\S+)L(\S+) (\S+)L(\S+) (\S+)L(\S+) (\S+)Z"/g], ["C[C@@H](F)Cl", /class="bond"/g]]) {
  const layout = layOut(smiles);
  const bond = layout.bonds.find((b) => b.kind);
  assert.equal(layout.atoms[bond.from].hydrogens, 1, `${smiles}: the bond begins at the centre`);
  assert.ok(parts(paint({ layout, ...frame }), kind).length > 0, `${smiles}: ${bond.kind}`);
}
const [, ...corners] = parts(paint({ layout: { atoms: [{ x: 0, y: 0, symbol: "C" }, { x: 1, y: 0, symbol: "C" }], bonds: [{ from: 0, to: 1, order: 1, kind: "wedge" }], written: [0, 1] }, ...frame }), /class="wedge" d="M(\S+) (\S+)L(\S+) (\S+)L(\S+) (\S+)L(\S+) (\S+)Z"/g)[0].map(Number);
assert.ok(Math.abs(corners[1] - corners[7]) < 1 && Math.abs(corners[3] - corners[5]) > 5, `a wedge with the corners ${corners}`);

// The letters are those that a chemist expects, of molecules that were drawn wrong once.
for (const [smiles, letters] of [
  ["[C@@H]1(C2=C(CC1)C=CC=C2)NCC#C", "NH"],
  ["[Fe+2]", "Fe2+"],
  ["O=C=[Ni](=C=O)(=C=O)=C=O", "OCNiCOCOCO"],
  ["C1CC2CCC1C2", ""],
  ["CN1CC[C@]23[C@H]4Oc5c(O)ccc(C[C@@H]1[C@]2(O)CCC4=O)c35", "NOHOOHO"],
  ["[2H]C([2H])([2H])O", "2H2H2HHO"],
  ["[H]OC([H])([H])c1ccc(Cl)cc1", "OHCl"],
  ["CC(C)(C)c1ccc(cc1)C#CC#Cc1ccc(cc1)C(C)(C)C", ""],
  ["*c1ccccc1", "R"],
]) assert.equal(parts(paint({ layout: layOut(smiles), ...frame }), /<text [^>]*>([^<]*)/g).map(([, text]) => text).join(""), letters, smiles);

// The lines of a bond are as many as its order.
for (const [smiles, lines] of [["CC", 1], ["C=C", 2], ["C#C", 3]]) assert.equal(parts(paint({ layout: layOut(smiles), ...frame }), /M[^M"]+/g).length, lines, smiles);

// Colours and rings are those of the atoms of the SMILES, in its order, whatever the order of OpenChemLib.
for (const smiles of ["OCC[Sn]", "[H]OCC[Sn]", "[Sn]CCO", "[Sn]CC([H])([H])O[H]"]) {
  const layout = layOut(smiles);
  const symbols = layout.written.map((i) => layout.atoms[i].symbol);
  assert.deepEqual(symbols, smiles.startsWith("[Sn") ? ["Sn", "C", "C", "O"] : ["O", "C", "C", "Sn"], smiles);
  const svg = paint({ layout, ...frame, share: symbols.map((s) => (s === "Sn" ? 1 : 0)), marked: [symbols.indexOf("Sn")] });
  const [[, x, y]] = parts(svg, /class="towards"[^>]* cx="(\S+)" cy="(\S+)"/g);
  const [[, left, base]] = parts(svg, /<text [^>]*x="(\S+)" y="(\S+)">Sn</g);
  assert.ok(Math.abs(x - left) < 1 && Math.abs(y - base) < 10, `${smiles}: the colour is at ${x}, ${y}, the tin at ${left}, ${base}`);
  assert.equal(parts(svg, /class="mark-ring"/g).length, 1, smiles);
}

// Everything is within the frame, of tall ones too, and texts are only texts.
for (const smiles of ["CC(C)(C)c1ccc(cc1)C#CC#Cc1ccc(cc1)C(C)(C)C", "OCC(O)C(O)C(O)C(O)CO", "[NH4+].[O-]Cl(=O)(=O)=O"]) {
  for (const [, x, y] of parts(paint({ layout: layOut(smiles), width: 92, height: 54, bond: 22 }), /[ML"](-?[\d.]+) (-?[\d.]+)/g)) {
    assert.ok(x >= 0 && x <= 92 && y >= 0 && y <= 54, `${smiles}: a line goes to ${x}, ${y}`);
  }
}
assert.match(paint({ layout: layOut("C"), ...frame, title: `"><script>&\u0001` }), /aria-label="&quot;&gt;&lt;script&gt;&amp;\?"/);
assert.equal(escape("\ud800a\u0000"), "?a?");

// What cannot be drawn says why, at once.
assert.throws(() => layOut("C".repeat(100_000)), /more than 400 atoms/);
assert.throws(() => layOut("C1CC("), /cannot read it/);
assert.throws(() => layOut("Cp1c2ccccc2c2ccccc21"), /cannot place its double bonds/);

// A file has colours of its own, and neither it nor the page has styles, which the page forbids.
for (const saved of [false, true]) {
  const svg = paint({ layout: layOut("C[C@H](N)C(=O)O"), ...frame, share: [1, -1], marked: [0], saved });
  assert.equal(/class=/.test(svg), !saved);
  assert.ok(!/style=|NaN|Infinity/.test(svg), svg);
}

// A graph has a node for each atom as it was written, and the lit one with its edges.
const graph = { layout: layOut("[H]OCC[Sn]"), ...frame, names: ["O", "C", "C", "<"], lit: 1, title: "A & B" };
const drawn = balls(graph);
assert.deepEqual(parts(drawn, /<circle class="(\S+)" data-atom="(\d)"/g).map(([, is, k]) => is + k), ["ball0", "ball-lit1", "ball2", "ball3"]);
assert.deepEqual(parts(drawn, /<text class="(\S+)"[^>]*>([^<]+)</g).map(([, is, name]) => is + name), ["ball-nameO", "lit-nameC", "ball-nameC", "ball-name&lt;"]);
assert.deepEqual(parts(drawn, /<path class="(\S+)"/g).map(([, is]) => is).sort(), ["edge", "edge-lit", "edge-lit"]);
assert.ok(!/class=|NaN/.test(balls({ ...graph, layout: spring(4, [0, 1, 1, 2]), saved: true })));

// A ring of six nodes is drawn without crossings, twice in the same way.
const ring = () => spring(6, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0]).atoms;
assert.deepEqual(ring(), ring());
const apart = (i, j) => Math.hypot(ring()[i].x - ring()[j].x, ring()[i].y - ring()[j].y);
for (let i = 0; i < 6; i++) assert.ok(apart(i, (i + 1) % 6) < apart(i, (i + 3) % 6), `node ${i} of a ring`);
assert.deepEqual(spring(0, []).atoms, []);
assert.equal(spring(2, [0, 9, 1, 1, 0, 1]).bonds.length, 1, "edges to nodes that are not there");

console.log(Object.keys(roles).join(" "));
