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

// The editor's tools by their places in its own bar of pictures, two columns of 17, which these buttons stand for.
const perColumn = 17;
const size = 21; // pixels of a place
const border = 2;
const bar = [
  { Undo: 17, "Tidy up": 1, "Clear all": 0 },
  { Select: 2, Erase: 4 },
  { Bond: 5, Chain: 22, Wedge: 6, Hashed: 23 },
  { "3-ring": 7, "4-ring": 24, "5-ring": 8, "6-ring": 25, "7-ring": 9, Benzene: 26 },
  { C: 11, N: 12, O: 13, F: 14, Cl: 31, Br: 15, I: 32, S: 30, P: 29, Si: 28, H: 16, "Other …": 33 },
  { "Charge +": 10, "Charge −": 27 },
];

// fill puts buttons into an element, which press the places of the editor in another.
function fill(element, area) {
  const drawn = area.firstElementChild.shadowRoot.querySelector("canvas");
  area.firstElementChild.style.position = "relative";
  drawn.style.cssText += "; position: absolute; opacity: 0; pointer-events: none";
  const press = (place) => {
    const { left, top } = drawn.getBoundingClientRect();
    const at = (n) => border + n * size + size / 2;
    const where = { clientX: left + at(Math.floor(place / perColumn)), clientY: top + at(place % perColumn), bubbles: true, composed: true, pointerId: 1 };
    for (const kind of ["pointerdown", "pointerup"]) drawn.dispatchEvent(new PointerEvent(kind, where));
  };
  element.replaceChildren(
    ...bar.map((group, g) => {
      const buttons = Object.entries(group).map(([name, place]) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "button";
        button.textContent = name;
        if (g) button.ariaPressed = String(name === "Bond"); // with which the editor begins
        button.onclick = () => {
          press(place);
          if (g) for (const other of element.querySelectorAll("[aria-pressed]")) other.ariaPressed = String(other === button);
        };
        return button;
      });
      const div = document.createElement("div");
      div.role = "group";
      div.append(...buttons);
      return div;
    }),
  );
}

const page = {
  open(element, smiles) {
    this.close();
    element.replaceChildren();
    editor = new CanvasEditor(element, { initialMode: "molecule" });
    fill(document.getElementById("editor-tools"), element);
    if (smiles) {
      try {
        editor.setMolecule(Molecule.fromSmiles(smiles));
      } catch {
        // what cannot be drawn is not: the editor begins empty
      }
    }
  },
  smiles(flat) {
    const drawn = editor?.getMolecule();
    return drawn ? (flat ? drawn.toSmiles() : drawn.toIsomericSmiles()) : "";
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
