// Makes room in a layout: branches that come too near to others are turned about the atom that they hang on, by little,
// so that bonds keep their lengths, rings their shapes, and neighbours their order around a stereo centre.
import { neighbours } from "./svg.js";

const turns = [-45, -30, -20, -10, 10, 20, 30, 45].map((degrees) => (degrees * Math.PI) / 180);
const mostTurns = 12;
const mostTried = 8; // crowded pairs in one round
const letterRoom = 0.95; // between two atoms with letters, which need the most

export function relieve({ atoms, bonds }) {
  const near = neighbours({ atoms, bonds });
  for (const b of bonds) round(atoms, bonds, near, b);
  for (const b of bonds) equalise(atoms, near, b);
  for (let i = 0; i < atoms.length; i++) {
    straighten(atoms, bonds, near, i);
    spread(atoms, near, i);
  }
  for (let round = 0; round < mostTurns; round++) {
    const crowded = pairs(atoms, bonds, near).slice(0, mostTried);
    if (!crowded.some(({ path: [i, j] }) => turnOne(atoms, bonds, near, i, j))) return;
  }
}

const tooLong = 1.6; // of a bond in a ring

// round makes a regular polygon of a ring that was closed by a bond that is much too long, as that of some large rings
// is, with what hangs on it outside. Where neighbours then come in another order a wedge becomes the other one.
function round(atoms, bonds, near, { from, to }) {
  if (Math.hypot(atoms[to].x - atoms[from].x, atoms[to].y - atoms[from].y) < tooLong) return;
  const apart = near.map((list, i) => list.filter((j) => !(i === from && j === to) && !(i === to && j === from)));
  const ring = wayBetween(apart, from, to);
  const branches = ring.map((i) => near[i].filter((j) => !ring.includes(j)).map((j) => ({ j, branch: branchOf(near, i, j) })));
  if (ring.length < 9 || branches.flat().some((b) => !b.branch)) return;
  const n = ring.length;
  const radius = 0.5 / Math.sin(Math.PI / n);
  const centre = { x: ring.reduce((sum, i) => sum + atoms[i].x, 0) / n, y: ring.reduce((sum, i) => sum + atoms[i].y, 0) / n };
  const area = ring.reduce((sum, i, k) => sum + atoms[i].x * atoms[ring[(k + 1) % n]].y - atoms[i].y * atoms[ring[(k + 1) % n]].x, 0);
  const wedges = bonds.filter((b) => b.kind in other && ring.includes(b.from));
  const before = wedges.map((b) => inOrder(atoms, near, b));
  const first = direction(centre, atoms[ring[0]]);
  ring.forEach((i, k) => {
    const out = first + (Math.sign(area) * 2 * Math.PI * k) / n;
    const [dx, dy] = [centre.x + radius * Math.cos(out) - atoms[i].x, centre.y + radius * Math.sin(out) - atoms[i].y];
    for (const m of [i, ...branches[k].flatMap(({ branch }) => [...branch])]) Object.assign(atoms[m], { x: atoms[m].x + dx, y: atoms[m].y + dy });
    branches[k].forEach(({ j }, m) => turn(atoms, near, i, j, out + (m - (branches[k].length - 1) / 2) * 1.2));
  });
  wedges.forEach((b, k) => {
    if (inOrder(atoms, near, b) !== before[k]) b.kind = other[b.kind];
  });
}

const other = { wedge: "hash", hash: "wedge" };

// inOrder tells which way round the three neighbours lie that a wedge is seen against, itself one of them where there
// are no more.
function inOrder(atoms, near, { from, to }) {
  const three = near[from].filter((j) => near[from].length < 4 || j !== to);
  const [a, b, c] = three.map((j) => direction(atoms[from], atoms[j]));
  return a < b === b < c === a < c;
}

// equalise gives a bond outside of rings the length of the others.
function equalise(atoms, near, { from, to }) {
  const [p, q] = [atoms[from], atoms[to]];
  const length = Math.hypot(q.x - p.x, q.y - p.y);
  const branch = branchOf(near, from, to);
  if (!branch || length < 0.1 || Math.abs(length - 1) < 0.2) return;
  const [dx, dy] = [(q.x - p.x) * (1 / length - 1), (q.y - p.y) * (1 / length - 1)];
  for (const i of branch) {
    atoms[i].x += dx;
    atoms[i].y += dy;
  }
}

// straighten makes a line of the bonds of an atom that has two double ones, or a triple one.
function straighten(atoms, bonds, near, i) {
  if (near[i].length !== 2) return;
  const orders = bonds.filter((b) => b.from === i || b.to === i).map((b) => b.order);
  if (Math.max(...orders) < 3 && Math.min(...orders) < 2) return;
  const branches = near[i].map((k) => branchOf(near, i, k));
  if (branches.includes(null)) return;
  const [first, last] = branches[0].size < branches[1].size ? [near[i][1], near[i][0]] : near[i];
  turn(atoms, near, i, last, direction(atoms[i], atoms[first]) + Math.PI);
}

// spread gives the bonds of an atom equal angles, in the order in which they are, if some are much smaller than others
// and none is in a ring.
function spread(atoms, near, i) {
  const n = near[i].length;
  if (n < 3 || near[i].some((k) => !branchOf(near, i, k))) return;
  const list = near[i].map((k) => ({ k, at: direction(atoms[i], atoms[k]) })).sort((a, b) => a.at - b.at);
  const gaps = list.map(({ at }, m) => (list[(m + 1) % n].at - at + 2 * Math.PI) % (2 * Math.PI));
  if (Math.min(...gaps) > (1.2 * Math.PI) / n) return;
  list.forEach(({ k }, m) => turn(atoms, near, i, k, list[0].at + (2 * Math.PI * m) / n));
}

const direction = (p, q) => Math.atan2(q.y - p.y, q.x - p.x);

// turn has the branch of a neighbour lie in a direction.
function turn(atoms, near, pivot, next, angle) {
  const moved = turned(atoms, branchOf(near, pivot, next), atoms[pivot], angle - direction(atoms[pivot], atoms[next]));
  moved.forEach((a, i) => Object.assign(atoms[i], a));
}

// What is drawn at a place: an atom, or the middle of a bond, with the atoms that move it.
function places(atoms, bonds) {
  return [
    ...atoms.map((a, i) => ({ x: a.x, y: a.y, of: [i], letters: atoms[i].symbol !== "C" })),
    ...bonds.map(({ from, to }) => ({ x: (atoms[from].x + atoms[to].x) / 2, y: (atoms[from].y + atoms[to].y) / 2, of: [from, to] })),
  ];
}

// crowding is how much too near two places are, 0 where they are not or where a bond joins them.
function crowding(p, q, near) {
  const least = p.letters && q.letters ? letterRoom : [0, 0, 0.7, p.letters || q.letters ? 0.6 : 0.45, 0.3][p.of.length + q.of.length];
  if (Math.abs(p.x - q.x) >= least || Math.abs(p.y - q.y) >= least) return 0; // nearly all
  const d = Math.hypot(p.x - q.x, p.y - q.y);
  if (d >= least || p.of.some((i) => q.of.includes(i) || (p.of.length + q.of.length === 2 && near[i].includes(q.of[0])))) return 0;
  return (least - d) ** 2;
}

// pairs lists what is too near to each other, the worst first.
function pairs(atoms, bonds, near) {
  const all = places(atoms, bonds);
  const list = [];
  for (let i = 0; i < all.length; i++) {
    for (let j = 0; j < i; j++) {
      const much = crowding(all[i], all[j], near);
      if (much > 0) list.push({ much, path: [all[i].of[0], all[j].of[0]] });
    }
  }
  return list.sort((a, b) => b.much - a.much);
}

// turnOne turns one branch on the way from one atom to another, if that makes room.
function turnOne(atoms, bonds, near, first, last) {
  const way = wayBetween(near, first, last);
  let best = { gain: 1e-4 };
  for (let k = 0; k + 1 < way.length; k++) {
    for (const [pivot, next] of [[way[k], way[k + 1]], [way[k + 1], way[k]]]) {
      const branch = branchOf(near, pivot, next);
      if (!branch || 2 * branch.size > atoms.length) continue;
      const isInside = (p) => p.of.some((i) => branch.has(i));
      const rest = places(atoms, bonds).filter((p) => !isInside(p)).sort((p, q) => p.x - q.x);
      const outside = (atoms) => between(places(atoms, bonds).filter(isInside), rest, near);
      const before = outside(atoms);
      for (const angle of turns) {
        const moved = turned(atoms, branch, atoms[pivot], angle);
        const gain = before - outside(moved);
        if (gain > best.gain) best = { gain, moved };
      }
    }
  }
  best.moved?.forEach((a, i) => Object.assign(atoms[i], a));
  return Boolean(best.moved);
}

// between is how crowded some places are with the rest, which are sorted from the left.
function between(some, rest, near) {
  let sum = 0;
  for (const p of some) {
    let [low, high] = [0, rest.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rest[middle].x <= p.x - letterRoom) low = middle + 1;
      else high = middle;
    }
    for (; low < rest.length && rest[low].x < p.x + letterRoom; low++) sum += crowding(p, rest[low], near);
  }
  return sum;
}

function turned(atoms, branch, pivot, angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return atoms.map((a, i) => {
    const [x, y] = [a.x - pivot.x, a.y - pivot.y];
    return branch.has(i) ? { ...a, x: pivot.x + c * x - s * y, y: pivot.y + s * x + c * y } : a;
  });
}

// wayBetween is the shortest way from one atom to another, empty where there is none.
function wayBetween(near, first, last) {
  const from = new Map([[first, -1]]);
  for (const i of from.keys()) for (const j of near[i]) if (!from.has(j)) from.set(j, i);
  const way = [];
  if (from.has(last)) for (let i = last; i >= 0; i = from.get(i)) way.push(i);
  return way;
}

// branchOf is what hangs on an atom by its bond to the next one, null where that is in a ring.
function branchOf(near, pivot, next) {
  const branch = new Set([next]);
  for (const i of branch) {
    for (const j of near[i]) {
      if (j === pivot && i !== next) return null;
      if (j !== pivot) branch.add(j);
    }
  }
  return branch;
}
