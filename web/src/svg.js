// Writes a layout as SVG, in the proportions of the ACS: for the page's table and inspector, for files, and for
// reports. There is no other place that draws a molecule.
//
// Its parts have roles. On the page a role is a class, so that the style sheet colours it for light and dark; in a
// file it is spelled out in the colours of print.
const letters = 'font-family="Helvetica, Arial, sans-serif" text-anchor="middle"';
export const roles = {
  paper: 'fill="#ffffff"',
  bond: 'stroke="#1b1d1f" stroke-linecap="round" fill="none"',
  wedge: 'fill="#1b1d1f"',
  atom: `fill="#1b1d1f" ${letters}`,
  "atom-n": `fill="#2a52be" ${letters}`,
  "atom-o": `fill="#b3261e" ${letters}`,
  "atom-s": `fill="#7a6000" ${letters}`,
  "atom-p": `fill="#8a4b00" ${letters}`,
  "atom-x": `fill="#0a7040" ${letters}`,
  node: 'fill="#5c636b"',
  towards: 'fill="#d55e00"',
  away: 'fill="#0072b2"',
  "mark-ring": 'fill="none" stroke="#1b1d1f"',
  edge: 'stroke="#8a9199" fill="none"',
  "edge-lit": 'stroke="#1b1d1f" fill="none"',
  ball: 'fill="#ffffff" stroke="#8a9199"',
  "ball-lit": 'fill="#e69f00" stroke="#1b1d1f"',
  "ball-name": `fill="#1b1d1f" ${letters}`,
  "lit-name": `fill="#1b1d1f" ${letters}`,
};
const colours = { N: "atom-n", O: "atom-o", S: "atom-s", P: "atom-p", F: "atom-x", Cl: "atom-x", Br: "atom-x", I: "atom-x" };

// Lengths in lengths of a bond.
const letterSize = 0.54;
const lineWidth = 0.048;
const apart = 0.17; // the lines of a double bond
const wedgeHalf = 0.1;

// paint draws a layout into a frame. share is, for each atom as it was written, how much it makes the whole look
// outside, from −1 to 1, and marked are the numbers of those with a ring around them; bond is the longest that a bond
// is drawn. Without a title the picture only repeats what stands beside it.
export function paint({ layout, width, height, bond, share = [], marked = [], title = "", saved = false }) {
  const role = (name) => (saved ? roles[name] : `class="${name}"`);
  const near = neighbours(layout);
  const { scale, points, labels } = frame(layout, near, width, height, bond, share.length + marked.length > 0 ? 1 : 0.3);
  const out = [begin(width, height, title, saved)];
  const shares = sharesOf(layout, share);
  out.push(...halos(layout, points, shares, marked, scale, role));
  const pen = { lines: [], shapes: [], dashed: [] };
  for (const b of layout.bonds) drawBond(pen, b, layout, points, labels, near, scale);
  const stroke = num(Math.max(scale * lineWidth, 0.9));
  if (pen.lines.length) out.push(`<path ${role("bond")} stroke-width="${stroke}" d="${pen.lines.join("")}"/>`);
  if (pen.dashed.length) out.push(`<path ${role("bond")} stroke-width="${stroke}" stroke-dasharray="${num(0.1 * scale)} ${num(0.12 * scale)}" d="${pen.dashed.join("")}"/>`);
  if (pen.shapes.length) out.push(`<path ${role("wedge")} d="${pen.shapes.join("")}"/>`);
  layout.atoms.forEach((a, i) => {
    if (layout.plain) out.push(`<circle ${role("node")} cx="${num(points[i].x)}" cy="${num(points[i].y)}" r="${num(Math.max(scale * 0.16, 1.5))}"/>`);
    // On a strong colour letters are in ink.
    const letter = role(Math.abs(shares[i]) > 0.3 ? "atom" : colours[a.symbol] || "atom");
    for (const run of labels[i]) {
      const at = `x="${num(points[i].x + run.x)}" y="${num(points[i].y + run.y + 0.36 * run.size)}"`;
      out.push(`<text ${letter} font-size="${num(run.size)}" ${at}>${escape(run.text)}</text>`);
    }
  });
  out.push("</svg>");
  return out.join("");
}

// begin is the begin of a picture.
function begin(width, height, title, saved) {
  const said = title ? `role="img" aria-label="${escape(title)}"` : 'aria-hidden="true"';
  const paper = saved ? `<rect ${roles.paper} width="${width}" height="${height}"/>` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ${said}>${paper}`;
}

// balls draws a layout as the model reads it: all nodes and edges alike, but for the one that is lit, −1 for none. Nodes
// and their names are in the order in which the atoms were written.
export function balls({ layout, width, height, bond, names, lit = -1, title = "", saved = false }) {
  const role = (name) => (saved ? roles[name] : `class="${name}"`);
  const { scale, points } = frame({ ...layout, plain: true }, [], width, height, bond, 1.2);
  const out = [begin(width, height, title, saved)];
  const chosen = layout.written[lit];
  for (const { from, to } of layout.bonds) {
    const is = from === chosen || to === chosen ? "edge-lit" : "edge";
    out.push(`<path ${role(is)} stroke-width="${num(Math.max(scale * 0.06, 1.5))}" d="M${num(points[from].x)} ${num(points[from].y)}L${num(points[to].x)} ${num(points[to].y)}"/>`);
  }
  const r = Math.min(Math.max(scale * 0.3, 3), 15);
  layout.written.forEach((i, k) => {
    const [x, y] = [num(points[i].x), points[i].y];
    out.push(`<circle ${role(k === lit ? "ball-lit" : "ball")} data-atom="${k}" cx="${x}" cy="${num(y)}" r="${num(r)}"/>`);
    if (names[k] && r >= 5) out.push(`<text ${role(k === lit ? "lit-name" : "ball-name")} font-size="${num(r)}" x="${x}" y="${num(y + 0.36 * r)}">${escape(names[k])}</text>`);
  });
  return out.join("") + "</svg>";
}

// num is short: two digits behind the point are more than a screen shows.
const num = (x) => String(Math.round(x * 100) / 100 || 0);

// escape makes a text safe in a picture. What XML has no way to write becomes a question mark.
export const escape = (text) =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "?")
    .replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// neighbours are those of each atom.
export function neighbours({ atoms, bonds }) {
  const near = atoms.map(() => []);
  for (const { from, to } of bonds) {
    near[from].push(to);
    near[to].push(from);
  }
  return near;
}

// frame finds the largest scale at which atoms, their letters and discs of that diameter fit, and where they are then.
function frame(layout, near, width, height, bond, disc) {
  let scale = bond;
  for (let round = 0; ; round++) {
    const size = Math.max(letterSize * scale, Math.min(6.5, 0.95 * scale));
    const labels = layout.atoms.map((_, i) => (layout.plain ? [] : labelOf(layout, i, near, size)));
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    layout.atoms.forEach((a, i) => {
      for (const r of [{ x: 0, y: 0, w: disc * scale, h: disc * scale }, ...labels[i]]) {
        left = Math.min(left, scale * a.x + r.x - r.w / 2);
        right = Math.max(right, scale * a.x + r.x + r.w / 2);
        top = Math.min(top, scale * a.y + r.y - r.h / 2);
        bottom = Math.max(bottom, scale * a.y + r.y + r.h / 2);
      }
    });
    const fit = Math.min((width - 4) / (right - left), (height - 4) / (bottom - top));
    if (fit >= 1 || round === 8) {
      const [dx, dy] = [(width - left - right) / 2, (height - top - bottom) / 2];
      return { scale, labels, points: layout.atoms.map((a) => ({ x: scale * a.x + dx, y: scale * a.y + dy })) };
    }
    scale *= Math.min(fit, 0.995);
  }
}

// sharesOf gives each atom that is drawn its share.
function sharesOf({ atoms, written }, share) {
  const list = atoms.map(() => 0);
  share.forEach((s, k) => (list[written[k]] = s || 0));
  return list;
}

// halos are discs below the atoms, and the rings of those that are marked.
function halos({ written }, points, shares, marked, scale, role) {
  const out = [];
  shares.forEach((s, i) => {
    const much = Math.min(Math.abs(s), 1);
    if (much < 0.05) return;
    out.push(`<circle ${role(s > 0 ? "towards" : "away")} fill-opacity="${num(0.12 + 0.55 * much)}" cx="${num(points[i].x)}" cy="${num(points[i].y)}" r="${num(Math.max(scale * (0.28 + 0.2 * much), 2.5))}"/>`);
  });
  for (const i of marked.map((k) => written[k])) {
    if (i in points) out.push(`<circle ${role("mark-ring")} stroke-width="1.2" stroke-dasharray="2.5 2" cx="${num(points[i].x)}" cy="${num(points[i].y)}" r="${num(Math.max(scale * 0.48, 4))}"/>`);
  }
  return out;
}

// Widths of letters in Helvetica, in ems.
const widths = { I: 0.28, l: 0.22, i: 0.22, r: 0.33, t: 0.28, f: 0.28, s: 0.5, c: 0.5, k: 0.5, m: 0.83, M: 0.83, W: 0.94, C: 0.72, N: 0.72, H: 0.72, O: 0.78, F: 0.61, "•": 0.35, "+": 0.58, "−": 0.58 };
const widthOf = (text) => [...text].reduce((sum, c) => sum + (widths[c] ?? (c < "A" || c > "Z" ? 0.556 : 0.667)), 0);

// labelOf is what stands for an atom: runs of letters, each with the place of its middle beside the atom's, its width
// and its height. Carbons are corners and have none.
function labelOf(layout, i, near, size) {
  const a = layout.atoms[i];
  if (a.symbol === "C" && !a.charge && !a.isotope && !a.radicals && near[i].length && !straight(layout, i)) return [];
  const runs = [];
  const small = 0.7 * size;
  const symbol = a.symbol === "*" ? "R" : a.symbol;
  const half = (widthOf(symbol) * size) / 2;
  const edge = { left: -half, right: half };
  const put = (text, x, y, letter) => runs.push({ text, x, y, size: letter, w: widthOf(text) * letter, h: 0.74 * letter, small: letter < size });
  const after = (text, y, letter) => {
    const w = widthOf(text) * letter;
    put(text, edge.right + w / 2, y, letter);
    edge.right += w;
  };
  const before = (text, y, letter) => {
    const w = widthOf(text) * letter;
    put(text, edge.left - w / 2, y, letter);
    edge.left -= w;
  };
  put(symbol, 0, 0, size);
  if (a.isotope) before(String(a.isotope), -0.34 * size, small);
  const count = a.hydrogens > 1 ? String(a.hydrogens) : "";
  const side = a.hydrogens > 0 ? freeSide(layout, i, near) : "";
  if (side === "right") {
    after("H", 0, size);
    after(count, 0.3 * size, small);
  } else if (side === "left") {
    before(count, 0.3 * size, small);
    before("H", 0, size);
  } else if (side) {
    const y = side === "above" ? -(count ? 1.05 : 0.88) * size : 0.88 * size;
    put("H", 0, y, size);
    put(count, (0.72 * size + widthOf(count) * small) / 2, y + 0.3 * size, small);
  }
  if (a.charge) after((Math.abs(a.charge) > 1 ? Math.abs(a.charge) : "") + (a.charge > 0 ? "+" : "−"), -0.38 * size, small);
  if (a.radicals) after("•".repeat(a.radicals), -0.3 * size, small);
  return runs.filter((r) => r.text).sort((r, s) => r.x - s.x); // read from the left
}

// straight tells whether both bonds of an atom are one line, so that it would not be seen.
function straight({ atoms, bonds }, i) {
  const own = bonds.filter((b) => b.from === i || b.to === i);
  if (own.length !== 2 || own[0].order !== own[1].order) return false;
  const [p, q] = own.map((b) => atoms[b.from === i ? b.to : b.from]);
  const cross = (p.x - atoms[i].x) * (q.y - atoms[i].y) - (p.y - atoms[i].y) * (q.x - atoms[i].x);
  return Math.abs(cross) < 0.09;
}

// freeSide is where hydrogens stand: on the right if there is room, else on the left, above or below. Where nothing is
// around it is as usual: H2O and HCl, but NH3 and CH4.
function freeSide({ atoms }, i, near) {
  const a = atoms[i];
  if (near[i].length === 0) return /^(O|S|Se|Te|F|Cl|Br|I)$/.test(a.symbol) ? "left" : "right";
  const sides = { right: [1, 0], left: [-1, 0], below: [0, 1], above: [0, -1] };
  let [best, least] = ["right", Infinity];
  for (const [name, [x, y]] of Object.entries(sides)) {
    // The cosine of the nearest neighbour's angle; letters are wider than high.
    let worst = name === "right" ? -0.35 : name === "left" ? -0.3 : 0;
    for (const k of near[i]) {
      const [dx, dy] = [atoms[k].x - a.x, atoms[k].y - a.y];
      worst = Math.max(worst, (x * dx + y * dy) / (Math.hypot(dx, dy) || 1));
    }
    if (worst < least - 0.01) [best, least] = [name, worst];
  }
  return best;
}

// within is the part of a line from p to q, as two shares of it, that lies in a box around p that is wider by a margin.
function within(p, q, centre, run, margin) {
  let [low, high] = [0, 1];
  for (const [from, to, middle, half] of [
    [p.x, q.x, centre.x + run.x, run.w / 2 + margin],
    [p.y, q.y, centre.y + run.y, run.h / 2 + margin],
  ]) {
    const d = to - from;
    if (Math.abs(d) < 1e-9) {
      if (Math.abs(from - middle) > half) return 0;
      continue;
    }
    const [s, t] = [(middle - half - from) / d, (middle + half - from) / d].sort((x, y) => x - y);
    low = Math.max(low, s);
    high = Math.min(high, t);
  }
  return low <= high ? high : 0;
}

// trimmed is a line from p to q without what lies in the letters of its ends.
function trimmed(p, q, ends, scale) {
  const margin = Math.max(0.07 * scale, 0.5);
  const cut = (from, to, { centre, runs }) => Math.min(0.7, Math.max(0, ...runs.map((r) => within(from, to, centre, r, r.small ? 0 : margin))));
  const [s, t] = [cut(p, q, ends[0]), 1 - cut(q, p, ends[1])];
  return s < t ? [along(p, q, s), along(p, q, t)] : null;
}

const along = (p, q, t) => ({ x: p.x + t * (q.x - p.x), y: p.y + t * (q.y - p.y) });

// drawBond adds the strokes of a bond.
function drawBond(pen, b, layout, points, labels, near, scale) {
  const [p, q] = [points[b.from], points[b.to]];
  const length = Math.hypot(q.x - p.x, q.y - p.y);
  if (length < 1e-6) return;
  const ends = [b.from, b.to].map((i) => ({ centre: points[i], runs: labels[i] }));
  const aside = { x: ((p.y - q.y) / length) * scale, y: ((q.x - p.x) / length) * scale };
  // A line that is moved aside by so much, and shorter by that at ends without letters.
  const line = (list, shift, shorter = 0) => {
    const move = (c) => ({ x: c.x + shift * aside.x, y: c.y + shift * aside.y });
    const cut = (i) => (labels[i].length || near[i].length < 2 ? 0 : shorter);
    const piece = trimmed(move(along(p, q, cut(b.from))), move(along(q, p, cut(b.to))), ends, scale);
    if (piece) list.push(`M${num(piece[0].x)} ${num(piece[0].y)}L${num(piece[1].x)} ${num(piece[1].y)}`);
  };
  const [u, v] = trimmed(p, q, ends, scale) || [p, q];
  const beside = (c, half) => `${num(c.x + half * aside.x)} ${num(c.y + half * aside.y)}`;
  if (b.kind === "wedge") {
    pen.shapes.push(`M${beside(u, 0.012)}L${beside(v, wedgeHalf)}L${beside(v, -wedgeHalf)}L${beside(u, -0.012)}Z`);
  } else if (b.kind === "hash") {
    const n = Math.max(4, Math.round(Math.hypot(v.x - u.x, v.y - u.y) / Math.max(0.115 * scale, 1.9)));
    for (let k = 0; k <= n; k++) pen.lines.push(`M${beside(along(u, v, k / n), 0.02 + (wedgeHalf * k) / n)}L${beside(along(u, v, k / n), -0.02 - (wedgeHalf * k) / n)}`);
  } else if (b.kind === "cross") {
    for (const o of [apart / 2, -apart / 2]) pen.lines.push(`M${beside(u, o)}L${beside(v, -o)}`);
  } else if (b.kind === "dative") {
    line(pen.dashed, 0);
  } else if (b.order === 2 && b.side) {
    line(pen.lines, 0);
    line(pen.lines, b.side * apart, 0.13);
  } else {
    const n = b.order || 1;
    for (let k = 0; k < n; k++) line(pen.lines, (k - (n - 1) / 2) * (n === 2 ? apart : 0.15));
  }
}
