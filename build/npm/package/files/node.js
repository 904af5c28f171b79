// Runs worker.js in a worker of Node: gives it what it would find in a browser. It can read
// files and reach no network.
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { parentPort } from "node:worker_threads";
import { NodeWorker } from "./node-worker.js";

globalThis.location = { href: import.meta.url };
globalThis.Worker = NodeWorker;
globalThis.navigator ??= { hardwareConcurrency: availableParallelism() };
globalThis.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);
globalThis.fetch = async (url) => new Response(await readFile(new URL(url)));

await import("./worker.js");
parentPort.on("message", (data) => onmessage({ data }));
