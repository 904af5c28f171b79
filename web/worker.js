// Starts the program that computes, in a worker. Whoever started the worker sends
// the compiled program first; messages that come before it listens are kept for it.
"use strict";

importScripts("wasm_exec.js", "kernel.js", "thread.js");

let early = [];
let receive = null;
// listen has the program receive messages, those that came before included.
globalThis.listen = (function_) => {
  receive = function_;
  for (const data of early) receive(data);
  early = null;
};

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

onmessage = ({ data: message }) => {
  if (message.module) {
    baca.program = Promise.resolve(message); // for workers that share the work
    start(message).catch((error) => postMessage(`${last.trim() || error.message}`));
    return;
  }
  if (message.file) {
    baca.files.clear(); // one input is open at a time
    baca.files.set(message.number, message.file);
  }
  if (receive) receive(message.data);
  else early.push(message.data);
};
