// Starts the page. Its program is compiled once: it draws in the tab and computes
// in the workers that the tab starts. Names of files come from the attributes of
// this script's element, relative to the page, so that the site runs from any
// folder.
"use strict";

(() => {
  const files = document.currentScript.dataset;
  const base = new URL(".", document.currentScript.src);
  const url = (name) => new URL(name, base).href;

  // A host that does not know the type of .wasm files gets no streaming.
  const compile = async (name) => {
    const answer = await fetch(url(name));
    if (!answer.ok) throw new Error(`${name}: the server says ${answer.status}`);
    if ((answer.headers.get("Content-Type") || "").startsWith("application/wasm")) {
      return WebAssembly.compileStreaming(answer);
    }
    return WebAssembly.compile(await answer.arrayBuffer());
  };

  const program = compile(files.program); // kept, so that a worker starts quickly
  const kernel = compile(files.kernel).catch(() => null); // it only makes it faster
  baca.program = Promise.all([program, kernel]).then(([module, kernel]) => ({ module, kernel }));
  baca.program.catch(() => {}); // whoever needs it is told

  // What go-app looks for.
  const environment = {
    GOAPP_VERSION: files.version,
    GOAPP_ROOT_PREFIX: location.pathname, // the page is the only one of its site
    GOAPP_STATIC_RESOURCES_URL: new URL("web", base).href,
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

  const run = async () => {
    const go = new Go();
    // The loops in the kernel are for the workers; here nothing calls them.
    const instance = await WebAssembly.instantiate(await program, { ...go.importObject, ...bacaKernel().imports });
    const end = go.run(instance); // returns once the page is drawn and listens
    document.documentElement.dataset.state = "running";
    performance.mark("interactive");
    await end;
    throw new Error("the page's program has ended; load the page again");
  };
  run().catch((error) => {
    document.documentElement.dataset.state = "failed";
    const note = document.getElementById("failure");
    if (note) {
      note.textContent = `BaCa could not start: ${error.message}`;
      note.hidden = false;
    }
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

  // renew loads the version that waits, or else what there is.
  baca.renew = () => {
    const waiting = registration?.waiting;
    if (!waiting) return location.reload();
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    waiting.postMessage("activate");
  };
})();
