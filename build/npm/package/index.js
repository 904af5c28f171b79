// What browsers and bundlers import. Each file is named by its own new URL, which bundlers
// look for.
import { platform } from "./detector.js";
import { compile } from "./files/thread.js";

Object.assign(platform, {
  files: {
    "baca.wasm": new URL("./files/baca.wasm", import.meta.url),
    "kernel.wasm": new URL("./files/kernel.wasm", import.meta.url),
    "model.msgpack": new URL("./files/model.msgpack", import.meta.url),
    "background.smi.gz": new URL("./files/background.smi.gz", import.meta.url),
  },
  compile,
  async read(url) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: the server says ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  },
  start: () => new Worker(new URL("./files/worker.js", import.meta.url), { type: "module" }),
});

export { BacaError, Detector } from "./detector.js";
