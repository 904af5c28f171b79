// A worker that lays out molecules with smiles-drawer. It draws nothing: the page
// does, from coordinates. A request is {id, smiles}, an answer {id, text} or {id,
// error}. The text has a line of counts (atoms, bonds, circles, atoms of the SMILES)
// and then one line for each:
//
//	atom    x y symbol charge hydrogens isotope
//	bond    from to order kind     kind is 0, or 1 for aromatic, 2 for a wedge, 3 for a hash
//	circle  x y radius             inside an aromatic ring
//
// Atoms are in the order of the SMILES, without hydrogens; those that a wedge points
// to come last. Lengths are in lengths of a bond.
import DrawerBase from "../node_modules/smiles-drawer/src/DrawerBase.js";
import Parser from "../node_modules/smiles-drawer/src/Parser.js";

const unit = 30; // smiles-drawer's length of a bond

function layOut(smiles) {
  const drawer = new DrawerBase({ bondLength: unit, isomeric: true, explicitHydrogens: true, compactDrawing: false });
  drawer.initDraw(Parser.parse(smiles), "light", false, []);
  drawer.processGraph();
  const { vertices, edges } = drawer.graph;

  const number = new Map(); // of the vertices that are atoms here
  for (const v of vertices) if (v.value.idx !== null && v.value.idx !== undefined) number.set(v.id, number.size);
  const written = number.size;
  for (const e of edges) {
    if (!e.wedge) continue;
    for (const id of [e.sourceId, e.targetId]) if (!number.has(id)) number.set(id, number.size);
  }
  const hydrogens = (v) => {
    let n = v.neighbours.filter((id) => !number.has(id)).length;
    try {
      n += v.value.countImplicitHydrogens() || 0;
    } catch {
      // an element that it knows no valence of
    }
    return n;
  };
  const short = (x) => Number(x).toFixed(3);
  const atoms = [];
  for (const id of number.keys()) {
    const v = vertices[id];
    const bracket = v.value.bracket || {};
    atoms.push(
      [
        short(v.position.x / unit),
        short(v.position.y / unit),
        String(v.value.element).replace(/\s/g, "") || "*",
        bracket.charge || 0,
        hydrogens(v),
        bracket.isotope || 0,
      ].join(" "),
    );
  }

  const orders = { "-": 1, "/": 1, "\\": 1, ":": 1, "=": 2, "#": 3, $: 4 };
  const circled = new Set(); // pairs of atoms of rings that get a circle
  const circles = [];
  for (const ring of drawer.rings) {
    const members = ring.members.map((id) => vertices[id]);
    if (!drawer.isRingAromatic(ring)) continue;
    if (ring.isPartOfBridged && !drawer.isRingRegularPolygon(ring)) continue;
    const x = members.reduce((sum, v) => sum + v.position.x, 0) / members.length;
    const y = members.reduce((sum, v) => sum + v.position.y, 0) / members.length;
    const reach = Math.min(
      ...members.map((v, i) => {
        const w = members[(i + 1) % members.length];
        return Math.hypot((v.position.x + w.position.x) / 2 - x, (v.position.y + w.position.y) / 2 - y);
      }),
    );
    if (!(reach > 0.5 * unit)) continue;
    circles.push([short(x / unit), short(y / unit), short((reach / unit) * 0.68)].join(" "));
    members.forEach((v, i) => {
      const w = members[(i + 1) % members.length].id;
      circled.add(`${Math.min(v.id, w)} ${Math.max(v.id, w)}`);
    });
  }

  const bonds = [];
  for (const e of edges) {
    if (e.bondType === "." || !number.has(e.sourceId) || !number.has(e.targetId)) continue;
    const [a, b] = [vertices[e.sourceId].value, vertices[e.targetId].value];
    const aromatic = a.isPartOfAromaticRing && b.isPartOfAromaticRing && drawer.areVerticesInSameRing(vertices[e.sourceId], vertices[e.targetId]);
    let kind = 0;
    if (aromatic && !(orders[e.bondType] > 1)) {
      // Where no circle fits, the bond itself shows it.
      kind = circled.has(`${Math.min(e.sourceId, e.targetId)} ${Math.max(e.sourceId, e.targetId)}`) ? 0 : 1;
    }
    let ends = [number.get(e.sourceId), number.get(e.targetId)];
    if (e.wedge) {
      kind = e.wedge === "up" ? 2 : 3;
      // A wedge begins at its stereo centre.
      if (!a.isStereoCenter && b.isStereoCenter) ends.reverse();
    }
    bonds.push([...ends, orders[e.bondType] || 1, kind].join(" "));
  }
  return [`${atoms.length} ${bonds.length} ${circles.length} ${written}`, ...atoms, ...bonds, ...circles].join("\n");
}

onmessage = ({ data: { id, smiles } }) => {
  try {
    postMessage({ id, text: layOut(smiles) });
  } catch (error) {
    postMessage({ id, error: String((error && error.message) || error) });
  }
};
