// A worker of Node with the face of a browser's.
import { Worker } from "node:worker_threads";

export class NodeWorker {
  #worker;

  constructor(url) {
    this.#worker = new Worker(new URL(url));
    this.#worker.on("message", (data) => this.onmessage?.({ data }));
    this.#worker.on("error", (error) => this.onerror?.({ message: error.message }));
    this.#worker.on("exit", (status) => this.onerror?.({ message: `it ended with status ${status}` }));
  }

  postMessage(data, transfer) {
    this.#worker.postMessage(data, transfer);
  }

  terminate() {
    this.#worker.terminate();
  }

  ref() {
    this.#worker.ref();
  }

  unref() {
    this.#worker.unref();
  }
}
