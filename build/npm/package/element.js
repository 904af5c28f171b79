// Defines <baca-score smiles="…">: the verdict of a molecule in words, its drawing, and a
// button that says why. All elements of a page share a detector.
import { layOut, picture, shares } from "./drawing.js";
import { Detector } from "./index.js";

let shared = null;
const detector = () => {
  shared ??= Detector.load().catch((error) => {
    shared = null; // the next one tries again
    throw error;
  });
  return shared;
};

const style = new CSSStyleSheet();
style.replaceSync(`
  :host { display: inline-block; vertical-align: top; font: inherit; }
  :host([hidden]) { display: none; }
  .mark { font-weight: bold; }
  .inside .mark { color: #0072b2; }
  .outside .mark { color: #d55e00; }
  code { overflow-wrap: anywhere; }
  figure { margin: 0.25em 0; }
  svg { display: block; max-inline-size: 100%; block-size: auto; border-radius: 4px; }
  figcaption { font-size: smaller; }
  ul { margin: 0.25em 0 0; padding-inline-start: 1.5em; }
`);

// Never colour alone: shapes, which screen readers pass over, and words.
const marks = { inside: "●", borderline: "◆", outside: "▲", undecided: "○" };

const make = (name, attributes, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
const code = (text) => make("code", {}, text);

const digits = (p) => (p === null ? "" : p < 0.001 ? ", p < 0.001" : `, p = ${Number(p.toPrecision(3))}`);

export class BacaScore extends HTMLElement {
  static observedAttributes = ["smiles", "alpha", "no-drawing"];

  #row = null;
  #said; // the status
  #drawing;
  #why; // details, hidden without a verdict
  #summary;
  #reasons;
  #explained = null; // a promise, once somebody needs it
  #begun = 0; // numbers what was asked: later answers win

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style];
    this.#said = make("span", { role: "status" });
    this.#drawing = make("div", {});
    this.#reasons = make("div", {});
    this.#summary = make("summary", {});
    this.#why = make("details", { hidden: "" }, this.#summary, this.#reasons);
    this.#why.addEventListener("toggle", () => this.#explain());
    root.append(this.#said, this.#drawing, this.#why);
  }

  // row is what the detector said of the molecule, null before that.
  get row() {
    return this.#row;
  }

  get smiles() {
    return this.getAttribute("smiles") ?? "";
  }

  set smiles(text) {
    this.setAttribute("smiles", text);
  }

  connectedCallback() {
    this.#score();
  }

  attributeChangedCallback(name, before, now) {
    if (!this.isConnected || before === now) return;
    if (name === "no-drawing") this.#draw();
    else this.#score();
  }

  get #options() {
    return this.hasAttribute("alpha") ? { alpha: Number(this.getAttribute("alpha")) } : {};
  }

  async #score() {
    const mine = ++this.#begun;
    this.#row = this.#explained = null;
    this.#drawing.replaceChildren();
    this.#why.hidden = true;
    this.#why.open = false;
    this.#reasons.replaceChildren();
    if (this.smiles.trim() === "") {
      this.#said.replaceChildren();
      return;
    }
    this.#said.setAttribute("aria-busy", "true");
    this.#said.replaceChildren("Scoring ", code(this.smiles), " …");
    try {
      const [row] = await (await detector()).score(this.smiles, this.#options);
      if (mine !== this.#begun) return;
      this.#row = row;
      this.#show(row);
    } catch (error) {
      if (mine !== this.#begun) return;
      this.#said.className = "";
      this.#said.replaceChildren(code(this.smiles), ` was not scored: ${error.message}`);
    }
    this.#said.setAttribute("aria-busy", "false");
    this.dispatchEvent(new CustomEvent("baca-score", { bubbles: true, composed: true, detail: this.#row }));
    this.#draw();
  }

  #show(row) {
    const molecule = code(row.smiles);
    if (row.error !== null) {
      this.#said.className = "";
      this.#said.replaceChildren(molecule, ` cannot be read: ${row.error}`);
      return;
    }
    const mark = make("span", { class: "mark", "aria-hidden": "true" }, `${marks[row.verdict]} `);
    this.#said.className = row.verdict;
    this.#said.replaceChildren(mark, molecule, ` is ${row.verdict}${digits(row.p_value)}`);
    this.#summary.textContent = `Why ${row.verdict}?`;
    this.#why.hidden = false;
  }

  // explanation asks why once, for the drawing and for who wants to read it.
  #explanation() {
    this.#explained ??= detector().then((d) => d.explain(this.smiles, this.#options)).then(([row]) => row);
    return this.#explained;
  }

  // draw draws what has a verdict, its atoms coloured by what they add to the score.
  async #draw() {
    const mine = this.#begun;
    const wanted = () => mine === this.#begun && !this.hasAttribute("no-drawing");
    this.#drawing.replaceChildren();
    if (!wanted() || !this.#row?.verdict) return;
    let content;
    try {
      const why = this.#explanation().catch(() => ({ atoms: [] })); // then it has no colours
      const { symbols, layout } = await layOut(this.smiles.trim());
      const share = shares(symbols, (await why).atoms);
      const coloured = share.length > 0; // in the words of the page
      content = make("figure", {}, picture(layout, share, `Structure of ${this.smiles}${coloured ? ", atoms coloured by what they add to its score" : ""}`));
      if (coloured) content.append(make("figcaption", {}, "orange pushes it outside, blue holds it inside"));
    } catch (error) {
      content = make("small", {}, `Not drawn: ${error.message}.`);
    }
    if (wanted()) this.#drawing.replaceChildren(content);
  }

  // explain fills in the reasons when somebody asks for them.
  async #explain() {
    if (!this.#why.open || this.#reasons.hasChildNodes()) return;
    const mine = this.#begun;
    this.#reasons.replaceChildren("Looking …");
    let content;
    try {
      const row = await this.#explanation();
      const [nearest] = row.nearest;
      content = row.reasons.map((reason) => make("li", {}, reason.text));
      if (nearest?.smiles) content.push(make("li", {}, "the most similar training molecule is ", code(nearest.smiles)));
      if (content.length === 0) content.push(make("li", {}, "nothing about it is unusual"));
      content = make("ul", {}, ...content);
    } catch (error) {
      content = `It was not explained: ${error.message}`;
    }
    if (mine === this.#begun) this.#reasons.replaceChildren(content);
  }
}

if (!customElements.get("baca-score")) customElements.define("baca-score", BacaScore);
