// Starts workers, for the page and for the workers among themselves, and hands them
// files of the browser, which are read where they lie. Loaded by both.
"use strict";

globalThis.baca = (() => {
  const base = globalThis.document ? document.currentScript.src : location.href;
  const files = new Map(); // by number
  let count = 0;
  return {
    // program is a promise of the compiled program and its kernel, set by whoever
    // loads this script: a worker is sent both, and starts quickly.
    program: null,
    files,

    // hold gives a file a number, by which messages speak of it.
    hold(file) {
      files.set(++count, file);
      return count;
    },

    // spawn starts a worker. What it says goes to receive as a Uint8Array; died is
    // called once if it ends by itself.
    spawn(receive, died) {
      const worker = new Worker(new URL("worker.js", base));
      let over = false;
      const end = (reason) => {
        if (over) return;
        over = true;
        worker.terminate();
        died(reason);
      };
      worker.onmessage = (event) => {
        if (over) return;
        if (typeof event.data === "string") end(event.data);
        else receive(new Uint8Array(event.data));
      };
      worker.onerror = (event) => end(event.message || "the worker could not be started");
      globalThis.baca.program.then(
        (program) => over || worker.postMessage(program),
        (error) => end(`the program could not be loaded: ${error.message}`),
      );
      return {
        // post sends a message, an ArrayBuffer, and the file of that number if
        // there is one.
        post(data, number) {
          const file = files.get(number);
          worker.postMessage(file ? { data, number, file } : { data }, [data]);
        },
        terminate() {
          over = true;
          worker.terminate();
        },
      };
    },
  };
})();
