// Lays out a plain graph by springs along its edges and a push between all nodes. Equal graphs get equal places. The
// edges are pairs of nodes, one after the other.
export function spring(n, edges) {
  const atoms = [];
  for (let i = 0; i < n; i++) {
    // A circle in an order that is no symmetry of it.
    const angle = 2 * Math.PI * i * 0.381966;
    const r = Math.sqrt(i + 0.5) * 0.9;
    atoms.push({ x: r * Math.cos(angle), y: r * Math.sin(angle) });
  }
  const bonds = [];
  for (let i = 0; i + 1 < edges.length; i += 2) {
    const [from, to] = [edges[i], edges[i + 1]];
    if (from !== to && from in atoms && to in atoms) bonds.push({ from, to });
  }
  const rounds = Math.min(Math.max(Math.floor(60000 / (n * n + 1)), 20), 400);
  for (let round = 0; round < rounds; round++) move(atoms, bonds, 0.6 * (1 - round / rounds));
  return { atoms, bonds, written: atoms.map((_, i) => i), plain: true };
}

// move takes each node one step, at most so far.
function move(atoms, bonds, most) {
  const force = atoms.map(() => ({ x: 0, y: 0 }));
  const push = (i, j, f) => {
    const x = f * (atoms[i].x - atoms[j].x);
    const y = f * (atoms[i].y - atoms[j].y);
    force[i].x += x;
    force[i].y += y;
    force[j].x -= x;
    force[j].y -= y;
  };
  for (let i = 0; i < atoms.length; i++) {
    for (let j = 0; j < i; j++) push(i, j, 0.9 / Math.max((atoms[i].x - atoms[j].x) ** 2 + (atoms[i].y - atoms[j].y) ** 2, 1e-4));
  }
  for (const { from, to } of bonds) push(from, to, 0.6 - Math.hypot(atoms[from].x - atoms[to].x, atoms[from].y - atoms[to].y));
  atoms.forEach((a, i) => {
    // Parts that nothing joins must not drift away.
    const x = force[i].x - 0.12 * a.x;
    const y = force[i].y - 0.12 * a.y;
    const less = Math.min(1, most / (Math.hypot(x, y) || 1));
    a.x += less * x;
    a.y += less * y;
  });
}
