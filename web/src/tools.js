// What the page's program asks of the browser beyond what its framework gives:
// files in and out, a store, drawings, the editor, and pictures as PNG. Nothing in
// here talks to a network other than for the page's own files.
//
// Functions that take a moment call done(value, error) once, with a text for error
// or null, so that the Go side needs no promises.
import { drawer } from "./drawer.js";
import { spring } from "./spring.js";
import { balls, paint } from "./svg.js";
import { copy, copyPicture, linked } from "./link.js";
import "./focus.js";
import "./menu.js";
import { molfile } from "./molfile.js";
import { launched, reply, served } from "./embed.js";
import { all, claim, drop, get, guard, keepInput, keptInput, lasting, put, release } from "./store.js";

const base = new URL("lib/", document.currentScript.src);
const settle = (promise, done) => {
  promise.then(
    (value) => done(value ?? null, null),
    (error) => done(null, String((error && error.message) || error)),
  );
};

// The latest list of wanted drawings replaces the one before.
const layOut = drawer(() => new Worker(new URL("draw.js", base)));
let wanted = [];
let busy = false;
let drawn = () => {};

async function draw() {
  if (busy) return;
  busy = true;
  while (wanted.length > 0) {
    const smiles = wanted.shift();
    await layOut(smiles).then(
      (text) => drawn(smiles, text, ""),
      (error) => drawn(smiles, "", error.message),
    );
  }
  busy = false;
}

const download = (name, blob) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

// A picture is drawn at twice its size, for screens and slides.
const png = async (svg) => {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.naturalWidth;
    canvas.height = 2 * image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no PNG"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(image.src);
  }
};

const loaded = {};
// load loads a script of web/lib once.
const load = (name, what) =>
  (loaded[name] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(name, base);
    script.onload = resolve;
    script.onerror = () => {
      delete loaded[name];
      reject(new Error(`${what} could not be loaded`));
    };
    document.head.append(script);
  }));

const map = () => load("map.js", "the map").then(() => globalThis.bacaMap);

// fill shows the text that an element names, with its number of held-out graphs.
const fill = async (element) => {
  const { text, holdout } = element.dataset;
  const answer = await fetch(new URL(`../texts/${text}.html`, base)).catch(() => ({}));
  element.innerHTML = answer.ok ? (await answer.text()).replace("{holdout}", holdout) : "This text could not be loaded. Load the page again.";
};

globalThis.bacaTools = {
  // draw asks for drawings of these SMILES, a text of lines, the first ones first.
  draw(lines, done) {
    wanted = lines === "" ? [] : lines.split("\n");
    drawn = done;
    draw();
  },

  // paint gives the picture of a layout that draw gave, or of a plain graph; with names as nodes and edges.
  paint({ layout, nodes, edges, ...how }) {
    return (how.names.length ? balls : paint)({ ...how, layout: layout ? JSON.parse(layout) : spring(nodes, edges) });
  },

  // read gives the bytes of a file of an input element or of a drop, for short
  // ones; hold gives the number by which a worker is told of it.
  read(file, done) {
    settle(
      file.arrayBuffer().then((b) => new Uint8Array(b)),
      done,
    );
  },
  hold: (file) => globalThis.baca.hold(file),

  // dropped gives the file of a drop event, or null.
  dropped(event) {
    return (event.dataTransfer && event.dataTransfer.files && event.dataTransfer.files[0]) || null;
  },

  save(name, type, bytes) {
    download(name, new Blob([bytes], { type }));
  },
  // Where the browser makes no PNG, the picture is saved as it is.
  savePNG(name, svg, done) {
    settle(
      png(svg).then(
        (blob) => download(`${name}.png`, blob),
        (error) => {
          download(`${name}.svg`, new Blob([svg], { type: "image/svg+xml" }));
          throw error;
        },
      ),
      done,
    );
  },

  // publish saves a zip of the page and of further files by their paths, in a folder of that name.
  publish(name, files, done) {
    const packed = new Promise((resolve, reject) => {
      const worker = new Worker(new URL("zip.js", base));
      worker.onmessage = ({ data: { zip, error } }) => (zip ? resolve(zip) : reject(new Error(error)));
      worker.onerror = () => reject(new Error("the program that packs could not be loaded"));
      worker.postMessage({ name, files });
    });
    settle(
      packed.then((zip) => download(`${name}.zip`, zip)),
      done,
    );
  },

  keep: (name, value, done) => settle(put(name, value), done),
  keepFile: (name, number, done) => settle(put(name, globalThis.baca.files.get(number)), done),
  kept: (name, done) => settle(get(name), done),
  keptAll: (prefix, done) => settle(all(prefix), done),
  forget: (name, done) => settle(drop(name), done),
  claim: (patient, done) => settle(claim(patient), done),
  release,
  lasting: () => void lasting().catch(() => {}),
  keepInput,
  keptInput,
  guard,

  copy: (text, done) => settle(copy(text), done),
  copyPNG: (svg, done) => settle(copyPicture(() => png(svg)), done),
  // molfile gives the molfile of a layout that draw gave.
  molfile: (layout, name) => molfile(JSON.parse(layout), name),

  // The map's script comes with the first map. Both calls keep their order.
  showMap: (canvas, data) => void map().then((m) => m.show(canvas, data), console.warn),
  zoomMap: (canvas, factor) => void map().then((m) => m.zoom(canvas, factor), console.warn),
  linked,
  served,
  reply,
  launched,
  renew: () => globalThis.baca.renew(),

  // Edit puts the drawing editor into an element, with a SMILES in it.
  edit(element, smiles, done) {
    settle(
      load("draw.js", "the editor").then(() => globalThis.bacaEditor.open(element, smiles)),
      done,
    );
  },
  edited: (flat) => (globalThis.bacaEditor ? globalThis.bacaEditor.smiles(flat) : ""),
  closeEditor() {
    if (globalThis.bacaEditor) globalThis.bacaEditor.close();
  },

  // Dialogs: the browser keeps the focus inside and Escape closes them.
  show(dialog) {
    for (const element of dialog.querySelectorAll("[data-text]")) fill(element);
    if (!dialog.open) dialog.showModal();
  },
  hide(dialog) {
    if (dialog.open) dialog.close();
  },

  // escaped calls take at Escape, wherever the focus is, unless that closes a menu or a dialog.
  escaped(take) {
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) take();
    });
  },
  // enter moves the focus into the lab, or back to the button that opens it.
  enter: (lab) => document.querySelector(lab ? "#lab-panel" : "#watch")?.focus(),

  // select marks a part of a text area and scrolls to it.
  select(area, from, to) {
    area.focus();
    area.setSelectionRange(from, to);
    const line = area.value.slice(0, from).split("\n").length - 1;
    const height = parseFloat(getComputedStyle(area).lineHeight);
    area.scrollTop = Math.max(0, line * height - area.clientHeight / 2);
  },

  online: () => navigator.onLine,
  // stored tells whether a service worker answers for the page, so that it works
  // without a network.
  stored: () => Boolean(navigator.serviceWorker && navigator.serviceWorker.controller),
  installed: () => matchMedia("(display-mode: standalone)").matches,
};
