// Starts the page. Its program is compiled once: it draws in the tab and computes
// in the workers that the tab starts. Names of files come from the attributes of
// this script's element, relative to the page, so that the site runs from any
// folder.
import { compile, threads } from "./thread.js";

const files = document.querySelector("script[data-program]").dataset;
const url = (name) => new URL(name, import.meta.url).href;

// A first visit sees how much of the program has come. Later ones have it here, and the browser keeps
// what it compiled of an answer that nobody counts.
const loading = document.getElementById("loading");
const told = (bytes) => {
  loading.querySelector("progress").value = bytes / files.size;
  loading.firstElementChild.textContent = bytes < files.size ? `Loading the program: ${Math.floor((100 * bytes) / files.size)} %` : "Starting the program …";
};
const program = compile(url(files.program), navigator.serviceWorker?.controller ? null : told); // kept, so that a worker starts quickly
const kernel = compile(url(files.kernel)).catch(() => null); // it only makes it faster
const both = Promise.all([program, kernel]).then(([module, kernel]) => ({ module, kernel }));
both.catch(() => {}); // whoever needs it is told
const baca = threads(() => new Worker(url("worker.js"), { type: "module" }), both);
globalThis.baca = baca;

// What go-app looks for.
const environment = {
  GOAPP_VERSION: files.version,
  GOAPP_ROOT_PREFIX: location.pathname, // the page is the only one of its site
  GOAPP_STATIC_RESOURCES_URL: url("web"),
  GOAPP_INTERNAL_URLS: "null",
};
globalThis.goappGetenv = (key) => environment[key];
let prompt = null;
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  prompt = event;
  globalThis.goappOnAppInstallChange?.();
});
addEventListener("appinstalled", () => {
  prompt = null;
  globalThis.goappOnAppInstallChange?.();
});
globalThis.goappIsAppInstallable = () => prompt !== null;
globalThis.goappShowInstallPrompt = async () => {
  prompt?.prompt();
  prompt = null;
};

// What somebody presses, chooses or drops before the program listens is done once it does. The page is drawn anew by then,
// so elements are found by their names.
const nameOf = (e) => (e.id ? `#${e.id}` : `.${[...e.classList].join(".")}`);
const held = new AbortController();
let pressed = "";
const given = {}; // files by the name of an input
const hold = (kind, f) => addEventListener(kind, f, { capture: true, signal: held.signal });
hold("click", ({ target }) => (pressed = nameOf(target.closest?.("button") ?? document.body)));
hold("change", ({ target }) => target.files && (given[nameOf(target)] = target.files));
hold("dragover", (event) => event.preventDefault());
hold("drop", (event) => {
  event.preventDefault();
  given[event.target.closest?.(".door") ? "#own-file" : "#file"] = event.dataTransfer.files;
});
const release = () => {
  held.abort();
  for (const [name, files] of Object.entries(given)) {
    const input = document.querySelector(name);
    input.files = files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if (pressed) document.querySelector(`button${pressed}`)?.click();
};

const run = async () => {
  const module = await program;
  if (!globalThis.bacaTools) throw new Error("a script of the page, web/tools.js, was not loaded");
  const go = new Go();
  // The loops in the kernel are for the workers; here nothing calls them.
  const instance = await WebAssembly.instantiate(module, { ...go.importObject, ...bacaKernel().imports });
  const area = () => document.getElementById("smiles");
  const early = bacaTools.keptInput() ? "" : area().value; // pasted before anybody listened
  const end = go.run(instance); // returns once the page is drawn and listens
  if (early) {
    area().value = early;
    area().dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
  }
  document.documentElement.dataset.state = "running";
  loading.remove();
  release();
  performance.mark("interactive");
  await end;
  throw new Error("its program has ended");
};
run().catch((error) => {
  const was = document.documentElement.dataset.state;
  document.documentElement.dataset.state = "failed";
  loading.remove();
  const note = document.getElementById("failure");
  note.textContent =
    was === "running"
      ? `BaCa has stopped: ${error.message}. Load the page again.`
      : `BaCa could not start: ${error.message}. Load the page again. If that does not help, something between the server and this tab holds back scripts or WebAssembly: a blocker, a filter of the network, or an old browser.`;
  note.hidden = false;
  for (const e of document.querySelectorAll(".model-name, #against")) e.textContent = "not loaded";
  console.error(error);
});

// Kept for use without a network. It waits for the page, so as not to compete
// for it.
let registration = null;
const offer = () => {
  if (globalThis.goappOnUpdate) globalThis.goappOnUpdate();
  else globalThis.goappUpdatedBeforeWasmLoaded = true;
};
const keep = async () => {
  try {
    registration = await navigator.serviceWorker.register(url("sw.js"));
    if (registration.waiting) offer();
    registration.addEventListener("updatefound", () => {
      if (!navigator.serviceWorker.controller) return;
      const next = registration.installing;
      next.addEventListener("statechange", () => next.state === "installed" && offer());
    });
  } catch (error) {
    // Private windows and plain http have none: the page works, but only
    // with a network.
    console.info("not kept for use without a network:", error.message);
  }
};
if ("serviceWorker" in navigator) addEventListener("load", keep);

// A domain that came before anything kept it is asked for again, so that it is there without a network, too.
const domain = /^#domain=([a-z0-9-]+)$/.exec(location.hash)?.[1];
const keepDomain = async () => {
  const card = await fetch(url(`domains/${domain}.json`));
  if (card.ok) await fetch(url(`domains/${(await card.json()).model}`));
};
if (domain) navigator.serviceWorker?.addEventListener("controllerchange", () => keepDomain().catch(() => {}), { once: true });

// renew loads the version that waits, or else what there is.
baca.renew = () => {
  const waiting = registration?.waiting;
  if (!waiting) return location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting.postMessage("activate");
};
