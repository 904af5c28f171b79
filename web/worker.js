// Starts the program that computes, in a worker. The page sends the compiled module
// first; messages that come before the program listens are kept for it.
"use strict";

importScripts("wasm_exec.js", "kernel.js");

globalThis.early = [];

// What a Go program says before it dies, such as that memory is out, is the reason
// that the page is told.
let last = "";
const writeSync = fs.writeSync.bind(fs);
fs.writeSync = (fd, bytes) => {
  if (fd === 2) {
    last = (last + new TextDecoder().decode(bytes)).slice(0, 2000);
    return bytes.length;
  }
  return writeSync(fd, bytes);
};

const start = async ({ module, kernel }) => {
  const go = new Go();
  let code = 0;
  go.exit = (status) => (code = status);
  const loops = bacaKernel();
  const instance = await WebAssembly.instantiate(module, { ...go.importObject, ...loops.imports });
  const reason = await loops.attach(instance, kernel);
  if (reason) console.info(`computing without SIMD: ${reason.message}`);
  await go.run(instance);
  throw new Error(`the program ended with status ${code}`);
};

onmessage = (event) => {
  if (event.data instanceof ArrayBuffer) {
    early.push(event.data);
    return;
  }
  start(event.data).catch((error) => postMessage(`${last.trim() || error.message}`));
};
