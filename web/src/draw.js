// OpenChemLib and what draws with it, in one file that is loaded when first molecules are drawn:
//
//   - in a worker it lays out molecules for drawer.js. A request is {smiles}, an answer {text} or {error},
//     and {ready} comes first. The text has a line with the symbols of the atoms in the order of the SMILES, and then
//     the layout as JSON;
//   - in the page it is the editor;
//   - in a report it draws the molecules.
import { CanvasEditor, Molecule } from "openchemlib";
import { layOut } from "./molecule.js";
import { spring } from "./spring.js";
import { paint } from "./svg.js";

function answer({ data: { smiles } }) {
  try {
    const layout = layOut(smiles);
    const symbols = layout.written.map((i) => layout.atoms[i].symbol);
    postMessage({ text: `${symbols.join(" ")}\n${JSON.stringify(layout)}` });
  } catch (error) {
    postMessage({ error: String((error && error.message) || error) });
  }
}

let editor = null;

const page = {
  open(element, smiles) {
    this.close();
    element.replaceChildren();
    editor = new CanvasEditor(element, { initialMode: "molecule" });
    if (smiles) {
      try {
        editor.setMolecule(Molecule.fromSmiles(smiles));
      } catch {
        // what cannot be drawn is not: the editor begins empty
      }
    }
  },
  smiles() {
    return editor ? editor.getMolecule().toIsomericSmiles() : "";
  },
  close() {
    if (editor) editor.destroy();
    editor = null;
  },
};

// drawReport draws what the elements of a report describe. What cannot be drawn says so, and stays.
function drawReport() {
  for (const element of document.querySelectorAll("[data-drawing]")) {
    const { smiles, nodes, edges, share, marked, title } = element.dataset;
    const numbers = (text) => (text ? text.split(" ").map(Number) : []);
    try {
      const layout = smiles ? layOut(smiles) : spring(Number(nodes), numbers(edges));
      if (!smiles && !layout.atoms.length) throw new Error("it has no nodes");
      element.innerHTML = paint({ layout, width: 380, height: 260, bond: 40, share: numbers(share), marked: numbers(marked), title, saved: true });
    } catch (error) {
      const line = document.createElement("p");
      line.className = "none";
      line.textContent = `Not drawn: ${error.message}.`;
      element.append(line);
    }
  }
}

if (typeof document === "undefined") {
  layOut("C"); // the first one takes a second more than all others
  onmessage = answer;
  postMessage({ ready: true });
} else if (document.querySelector("[data-drawing]")) {
  drawReport();
} else {
  globalThis.bacaEditor = page;
}
