// Starts the program that computes, in a worker. Whoever started the worker sends
// the compiled program first; messages that come before it listens are kept for it.
import "./wasm_exec.js";
import "./kernel.js";
import { threads } from "./thread.js";

// The workers that share the work run this script, too.
let begin;
const program = new Promise((resolve) => (begin = resolve));
const baca = threads(() => new Worker(location.href, { type: "module" }), program);
globalThis.baca = baca;

let early = [];
let receive = null;
// listen has the program receive messages, those that came before included.
globalThis.listen = (function_) => {
  receive = function_;
  for (const data of early) receive(data);
  early = null;
};

// read reads a file of the program.
baca.read = async (name) => {
  const file = (await program).files?.[name] ?? name;
  if (file instanceof Uint8Array) return file;
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
};

// run loads a script of the page.
baca.run = (name) => import(/* @vite-ignore */ new URL(name, location.href).href);

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

const start = async ({ module, kernel, plain }) => {
  if (plain && navigator.gpu) Object.defineProperty(navigator, "gpu", { value: undefined });
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

globalThis.onmessage = ({ data: message }) => {
  if (message.module) {
    begin(message); // for workers that share the work
    start(message).catch((error) => postMessage(`${last.trim() || error.message}`));
    return;
  }
  if (message.file) baca.files.set(message.number, message.file); // the page keeps it, too
  if (receive) receive(message.data);
  else early.push(message.data);
};
