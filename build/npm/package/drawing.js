// Draws molecules with the scripts of the page: files/drawer.js has files/draw.js lay them out in a worker, and
// files/svg.js writes the picture.
import { drawer } from "./files/drawer.js";
import { paint } from "./files/svg.js";

const textOf = drawer(() => new Worker(new URL("./files/draw.js", import.meta.url), { type: "module" }));

// layOut gives the layout of a molecule, and the symbols of its atoms in the order of the SMILES.
export async function layOut(smiles) {
  const [symbols, layout] = (await textOf(smiles)).split("\n");
  return { symbols: symbols.split(" "), layout: JSON.parse(layout) };
}

// shares are what atoms add to the score, from −1 to 1 by the largest of them; none where the
// drawing does not have the same atoms.
export function shares(symbols, atoms) {
  const fits = atoms.length === symbols.length && atoms.every(({ symbol }, i) => symbol.toLowerCase() === symbols[i].toLowerCase());
  const most = Math.max(0, ...atoms.map(({ adds }) => Math.abs(adds ?? 0)));
  return fits && most > 0 ? atoms.map(({ adds }) => (adds ?? 0) / most) : [];
}

// picture is an element with a drawing, in the colours of print on white, so that it can be
// read on whatever the page is.
export function picture(layout, share, title) {
  const svg = paint({ layout, share, title, width: 260, height: 170, bond: 30, saved: true });
  return document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
}
