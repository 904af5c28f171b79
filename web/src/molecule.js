// Lays out molecules with OpenChemLib. A layout is what package picture draws:
//
//	atoms    {x, y, symbol, charge, hydrogens, isotope, radicals}, lengths in lengths of a bond, y down
//	bonds    {from, to, order, kind, side}, kind "", "wedge", "hash", "cross" or "dative"; a wedge begins at its
//	         stereo centre, and side is where the second line of a double bond is: 1, −1, or 0 for both sides
//	written  the atoms in the order of the SMILES, without hydrogens that are not drawn by themselves
//
// A layout is read back before it is given away: one that shows another molecule is none.
import { Molecule } from "openchemlib";
import { molfile } from "./molfile.js";
import { relieve } from "./relief.js";
import { neighbours } from "./svg.js";

// mostAtoms is how many a drawing has at most: more is a blot.
const mostAtoms = 400;

// atoms finds those of a SMILES before OpenChemLib reads it, which takes 13 seconds for 100 000 atoms.
const atoms = /\[[^\]]*\]?|Br|Cl|[BCNOPSFIbcnops]/g;

// The layouts that are tried, one after the other, until one has no overlap: fewer of large molecules, which take long.
const mostTried = 600; // atoms of all tries together
const tries = [{ seed: 1 }, { seed: 2 }, { seed: 3 }, { seed: 1, skipDefaultTemplates: true }, { seed: 4 }, { seed: 5 }];

export function layOut(written) {
  const smiles = withGroups(written);
  if ((smiles.match(atoms) ?? []).length > mostAtoms) throw new Error(`it has more than ${mostAtoms} atoms`);
  const wanted = parse(smiles);
  if (smiles !== written && groupInRing(wanted)) throw new Error("an R-group is part of its ring");
  const { molecule, doubles } = numbered(smiles);
  const right = (layout) => readsAs(layout, wanted) && doubles.every((d) => lies(layout, d));
  let best = null;
  const count = Math.ceil(mostTried / molecule.getAllAtoms());
  for (const options of tries.slice(0, count)) {
    const plain = attempt(molecule, options);
    const relieved = structuredClone(plain);
    relieve(relieved);
    for (const layout of [relieved, plain]) {
      layout.overlaps = overlaps(layout);
      if ((!best || layout.overlaps < best.overlaps) && right(layout)) best = layout;
    }
    if (best?.overlaps === 0) break;
  }
  if (!best) throw new Error("its stereochemistry would read differently in the drawing");
  lay(best);
  if (smiles !== written) for (const a of best.atoms) if (a.symbol === group) a.symbol = "*";
  best.written = best.atoms.map((_, i) => i).sort((i, j) => best.atoms[i].number - best.atoms[j].number);
  return best;
}

// OpenChemLib takes * for an atom of a query, so an R-group is laid out as the element of this name.
const group = "Og";
const withGroups = (smiles) => smiles.replace(/\[(\d*)\*/g, `[$1${group}`).replaceAll("*", `[${group}]`);

// groupInRing finds a group that might be aromatic, which its element cannot be.
function groupInRing(molecule) {
  for (let i = 0; i < molecule.getAllAtoms(); i++) if (molecule.getAtomLabel(i) === group && molecule.isRingAtom(i)) return true;
  return false;
}

function parse(smiles, options) {
  let molecule;
  try {
    molecule = Molecule.fromSmiles(smiles, options);
  } catch {
    throw new Error("the drawing program cannot read it");
  }
  placeDoubles(molecule, smiles.match(atoms) ?? []);
  return molecule;
}

// unmeant tells whether OpenChemLib made a radical of an atom that it found no double bond for. Brackets without hydrogens may
// mean a radical.
const unmeant = (molecule, i, token) => molecule.getAtomRadical(i) !== 0 && !/^\[(?![^\]]*H)/.test(token ?? "");

// placeDoubles gives aromatic atoms double bonds where OpenChemLib left pairs of radicals, as in porphyrins. From one radical a path of
// single and double bonds in turn leads to another, and their orders change places.
function placeDoubles(molecule, tokens) {
  const aromatic = (i) => /^\[?\d*[a-z]/.test(tokens[i] ?? "");
  const bare = (i) => aromatic(i) && !tokens[i].includes("H") && unmeant(molecule, i, tokens[i]);
  const bonds = (atom, order, seen) =>
    Array.from({ length: molecule.getConnAtoms(atom) }, (_, n) => [molecule.getConnAtom(atom, n), molecule.getConnBond(atom, n)]).filter(
      ([other, bond]) => aromatic(other) && !seen.has(other) && molecule.getBondOrder(bond) === order,
    );
  let left = 10000; // steps of the search
  const path = (from, seen) => {
    if (left-- <= 0) return null;
    for (const [next, single] of bonds(from, 1, seen)) {
      if (bare(next)) return [[single], next];
      for (const [beyond, double] of bonds(next, 2, seen)) {
        const rest = path(beyond, new Set([...seen, next, beyond]));
        if (rest) return [[single, double, ...rest[0]], rest[1]];
      }
    }
    return null;
  };
  for (let i = 0; i < molecule.getAllAtoms(); i++) {
    const found = bare(i) && path(i, new Set([i]));
    if (!found) continue;
    for (const bond of found[0]) molecule.setBondOrder(bond, 3 - molecule.getBondOrder(bond));
    for (const atom of [i, found[1]]) molecule.setAtomRadical(atom, 0);
  }
}

// numbered is the molecule with its atoms numbered from 1 in the order of the SMILES. Hydrogens are isotopes while it
// is read, which keep their places.
function numbered(smiles) {
  const text = smiles.replaceAll("[H]", "[1H]");
  const molecule = parse(text);
  const tokens = text.match(atoms);
  for (let i = 0; i < molecule.getAllAtoms(); i++) {
    if (unmeant(molecule, i, tokens[i])) throw new Error("the drawing program cannot place its double bonds");
    molecule.setAtomMapNo(i, i + 1, false);
    if (molecule.getAtomicNo(i) === 1 && molecule.getAtomMass(i) === 1) molecule.setAtomMass(i, 0);
  }
  return { molecule, doubles: doublesOf(text) };
}

// doublesOf lists the double bonds whose neighbours lie on one side or on both, as the SMILES says: OpenChemLib may forget
// that when it lays out large rings. Ends and neighbours are numbers of atoms.
function doublesOf(text) {
  const molecule = parse(text, { noCoordinates: true });
  const list = [];
  for (let i = 0; i < molecule.getAllBonds(); i++) {
    const parity = molecule.getBondParity(i);
    if (parity !== Molecule.cBondParityEor1 && parity !== Molecule.cBondParityZor2) continue;
    if (molecule.isSmallRingBond(i)) continue;
    const ends = [molecule.getBondAtom(0, i), molecule.getBondAtom(1, i)];
    const others = ends.map((a, k) =>
      Array.from({ length: molecule.getAllConnAtoms(a) }, (_, n) => molecule.getConnAtom(a, n))
        .filter((n) => n !== ends[1 - k])
        .sort((x, y) => x - y),
    );
    list.push({ ends: ends.map((a) => a + 1), others: others.map((o) => o.map((a) => a + 1)), across: parity === Molecule.cBondParityEor1 });
  }
  return list;
}

// lies tells whether a double bond is drawn as it is meant. The first neighbours of both ends count.
function lies({ atoms }, { ends, others, across }) {
  const at = (number) => atoms.find((a) => a.number === number);
  const [p, q] = ends.map(at);
  const sides = others.map((list) => {
    const first = at(list[0]);
    const a = first || at(list[1]);
    const side = a ? (q.x - p.x) * (a.y - p.y) - (q.y - p.y) * (a.x - p.x) : 0;
    return first ? side : -side;
  });
  return across ? sides[0] * sides[1] < 0 : sides[0] * sides[1] > 0;
}

const kinds = { 257: "wedge", 129: "hash", 386: "cross", 16: "dative" };
const orders = { 1: 1, 2: 2, 4: 3, 8: 1, 16: 1, 32: 4, 64: 5 };

// attempt is one layout of a molecule, its atoms with the numbers that they have in it.
function attempt(original, options) {
  const molecule = original.getCompactCopy();
  molecule.inventCoordinates(options);
  const atoms = [];
  for (let i = 0; i < molecule.getAllAtoms(); i++) {
    atoms.push({
      number: molecule.getAtomMapNo(i),
      x: molecule.getAtomX(i),
      y: molecule.getAtomY(i),
      symbol: molecule.getAtomLabel(i),
      charge: molecule.getAtomCharge(i),
      hydrogens: molecule.getImplicitHydrogens(i),
      valence: molecule.getAtomAbnormalValence(i), // where it is not the usual one, else −1
      isotope: molecule.getAtomMass(i),
      radicals: [0, 2, 1, 2][molecule.getAtomRadical(i) / Molecule.cAtomRadicalStateS],
    });
  }
  const bonds = [];
  for (let i = 0; i < molecule.getAllBonds(); i++) {
    const type = molecule.getBondType(i);
    bonds.push({
      from: molecule.getBondAtom(0, i),
      to: molecule.getBondAtom(1, i),
      order: orders[type & Molecule.cBondTypeMaskSimple] || 1,
      kind: kinds[type] || "",
      side: 0,
    });
  }
  const layout = { atoms, bonds };
  scale(layout);
  placeSecondLines(layout, molecule);
  return layout;
}

// scale makes the median bond one long.
function scale({ atoms, bonds }) {
  const lengths = bonds.map((b) => distance(atoms[b.from], atoms[b.to])).sort((x, y) => x - y);
  const unit = lengths[lengths.length >> 1] || 1;
  for (const a of atoms) {
    a.x /= unit;
    a.y /= unit;
  }
}

// lay turns a layout that is much higher than wide by a right angle: frames are wider than high.
function lay({ atoms }) {
  const extent = (list) => Math.max(...list) - Math.min(...list);
  if (extent(atoms.map((a) => a.y)) < 1.2 * extent(atoms.map((a) => a.x)) + 0.5) return;
  for (const a of atoms) [a.x, a.y] = [a.y, -a.x];
}

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

// placeSecondLines puts the second lines of double bonds inside of rings, of the aromatic and small ones first, and
// else where more neighbours are.
function placeSecondLines({ atoms, bonds }, molecule) {
  const rings = molecule.getRingSet();
  const ringOf = new Map();
  for (let r = 0; r < rings.getSize(); r++) {
    const rank = rings.getRingSize(r) - (rings.isAromatic(r) ? 100 : 0);
    for (const b of rings.getRingBonds(r)) {
      if (!ringOf.has(b) || rank < ringOf.get(b).rank) ringOf.set(b, { rank, members: Array.from(rings.getRingAtoms(r)) });
    }
  }
  const near = neighbours({ atoms, bonds });
  bonds.forEach((b, i) => {
    if (b.order !== 2 || b.kind) return;
    const ring = ringOf.get(i);
    const others = ring ? ring.members : [...near[b.from], ...near[b.to]];
    const inner = near[b.from].length > 1 && near[b.to].length > 1;
    if (ring || inner) b.side = Math.sign(sideOf(atoms, b, others)) || 1;
  });
}

// sideOf is positive where most of the others lie to one side of a bond.
function sideOf(atoms, b, others) {
  const from = atoms[b.from];
  const to = atoms[b.to];
  let sum = 0;
  for (const k of others) {
    const cross = (to.x - from.x) * (atoms[k].y - from.y) - (to.y - from.y) * (atoms[k].x - from.x);
    if (Math.abs(cross) > 1e-3) sum += Math.sign(cross);
  }
  return sum;
}

// overlaps counts what cannot be told apart: atoms on each other, and atoms on bonds of others.
export function overlaps({ atoms, bonds }) {
  let count = 0;
  for (let i = 0; i < atoms.length; i++) {
    for (let j = 0; j < i; j++) if (distance(atoms[i], atoms[j]) < 0.35) count++;
  }
  for (const { from, to } of bonds) {
    const a = atoms[from];
    const b = atoms[to];
    const square = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
    for (let k = 0; k < atoms.length; k++) {
      if (k === from || k === to || square === 0) continue;
      const c = atoms[k];
      const t = ((c.x - a.x) * (b.x - a.x) + (c.y - a.y) * (b.y - a.y)) / square;
      if (t > 0 && t < 1 && distance(c, { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) }) < 0.15) count++;
    }
  }
  return count;
}

// readsAs tells whether a chemist would read the drawing as that molecule.
function readsAs(layout, wanted) {
  try {
    return Molecule.fromMolfile(molfile(layout)).getIDCode() === wanted.getIDCode();
  } catch {
    return false;
  }
}
