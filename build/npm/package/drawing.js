// Draws molecules with the scripts of the page: files/draw.js lays them out in a worker, and
// files/svg.js writes the picture.
import { paint } from "./files/svg.js";

const patience = 5000; // ms for one molecule, as in the page

let worker = null; // started with the first molecule
let turn = Promise.resolve(); // when the molecule before is laid out

const started = () =>
  new Promise((resolve, reject) => {
    const port = new Worker(new URL("./files/draw.js", import.meta.url), { type: "module" });
    port.onmessage = () => resolve(port); // it is ready
    port.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message || "the drawing program could not be loaded"));
    };
  });

// laidOut is the layout of a molecule, and the symbols of its atoms in the order of the SMILES.
async function laidOut(smiles) {
  worker ??= await started();
  return new Promise((resolve, reject) => {
    const give = (reason) => {
      worker.terminate();
      worker = null; // the next molecule starts another
      reject(new Error(reason));
    };
    const timer = setTimeout(give, patience, "the drawing takes too long");
    worker.onmessage = ({ data: { text, error } }) => {
      clearTimeout(timer);
      if (error) return reject(new Error(error));
      const [symbols, layout] = text.split("\n");
      resolve({ symbols: symbols.split(" "), layout: JSON.parse(layout) });
    };
    worker.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      give(event.message || "the drawing could not be made");
    };
    worker.postMessage({ smiles });
  });
}

// layOut lays out a molecule when those before are laid out.
export function layOut(smiles) {
  const mine = turn.then(() => laidOut(smiles));
  turn = mine.catch(() => {});
  return mine;
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
