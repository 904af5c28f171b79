// What Node imports.
import { readFile } from "node:fs/promises";
import { platform } from "./detector.js";
import { NodeWorker } from "./files/node-worker.js";

const file = (name) => new URL(`./files/${name}`, import.meta.url);

Object.assign(platform, {
  files: Object.fromEntries(["baca.wasm", "kernel.wasm", "model.msgpack", "background.smi.gz"].map((name) => [name, file(name)])),
  compile: async (url) => WebAssembly.compile(await readFile(url)),
  read: async (url) => new Uint8Array(await readFile(url)),
  start: () => new NodeWorker(file("node.js")),
});

export { BacaError, Detector } from "./detector.js";
