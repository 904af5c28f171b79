// A detector: a model, and a worker that computes with it.
import { threads } from "./files/thread.js";
import { decode, encode, events, floats } from "./wire.js";

// platform is what index.js or node.js say of where this runs: files are URLs by name,
// compile and read get one of them, and start starts a worker.
export const platform = {};

// BacaError is why there is no result. code is one of "input", "model", "option", "memory",
// "died", "closed" and "internal".
export class BacaError extends Error {
  name = "BacaError";

  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// The most molecules that a worker has at a time, scored and explained.
const scored = 1 << 16;
const explained = 64;

// program is compiled once for all detectors.
let program = null;
const compiled = () => {
  program ??= (async () => {
    const { files, compile } = platform;
    const kernel = compile(files["kernel.wasm"]).catch(() => null); // it only makes it faster
    return {
      module: await compile(files["baca.wasm"]),
      kernel: await kernel,
      files: {
        // What the program asks for first; what it says of a site is not needed.
        "start.msgpack": encode(0, "Welcome", { Background: "background.smi.gz" }),
        "background.smi.gz": files["background.smi.gz"].href,
      },
      plain: true,
    };
  })().catch((error) => {
    program = null; // the next one tries again
    throw error;
  });
  return program;
};

// kind says in words what a value is.
const kind = (x) => (x == null ? `${x}` : `${typeof x === "object" ? "an" : "a"} ${typeof x}`);

// list makes an array of SMILES. What is missing, null or undefined, stays as it is.
const list = (smiles) => {
  const one = typeof smiles === "string" || smiles instanceof String;
  if (!one && typeof smiles?.[Symbol.iterator] !== "function") throw new TypeError(`molecules are ${kind(smiles)}, want a SMILES or a list of them`);
  const all = one ? [`${smiles}`] : [...smiles];
  all.forEach((text, i) => {
    if (text != null && typeof text !== "string") throw new TypeError(`molecule ${i + 1} is ${kind(text)}, want a SMILES`);
  });
  return all;
};

// table writes SMILES as the CSV file that a worker opens: each is a record, whatever it
// holds; a missing one is empty, and refused. A file with a zero byte would not be text.
const table = (smiles) => ({
  Name: "list", Format: "csv", Column: "smiles",
  Data: new TextEncoder().encode(`smiles\n${smiles.map((text) => `"${(text ?? "").replaceAll('"', '""').replaceAll("\0", "\ufffd")}"\n`).join("")}`),
});

// known refuses options that nothing would read.
const known = (options, names) => {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) throw new BacaError("option", `unknown option ${other}: want one of ${names.join(", ")}`);
  return options;
};

// rate checks an alpha.
const rate = (alpha) => {
  if (typeof alpha !== "number" || !(alpha > 0 && alpha < 1)) throw new BacaError("option", `alpha is ${alpha}, want a number above 0 and below 1`);
};

// whole checks an option that is a number of things.
const whole = (name, n) => {
  if (!Number.isSafeInteger(n) || n < 0) throw new BacaError("option", `${name} is ${n}, want a whole number from 0`);
  return n;
};

// six rounds to six digits, half to even, as the command writes numbers. NaN becomes null.
export const six = (x) => {
  if (Number.isNaN(x)) return null;
  if (!Number.isFinite(x) || x === 0) return x;
  const [digits, exponent] = x.toExponential(100).split("e");
  const kept = digits.slice(0, digits.indexOf(".") + 6);
  if (/^50*$/.test(digits.slice(kept.length)) && Number(kept.at(-1)) % 2 === 0) return Number(`${kept}e${exponent}`);
  return Number(x.toPrecision(6));
};

// aborted is a promise that fails when a signal does.
const aborted = (signal) => {
  let stop = () => {};
  const promise = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    signal?.addEventListener("abort", stop, { once: true });
  });
  promise.catch(() => {});
  return { promise, done: () => signal?.removeEventListener("abort", stop) };
};

export class Detector {
  #file; // of the model, null before there is one
  #about = null;
  #warnings = [];
  #port = null; // the worker, null without
  #loaded = false; // the worker has the model
  #calls = new Map(); // that wait for the worker, by number
  #number = 0;
  #turn = Promise.resolve(); // when the call before is over
  #closed = false;

  constructor(file) {
    this.#file = file;
  }

  // load makes a detector of the model that comes with this package, or of the bytes of a
  // model file.
  static async load(options = {}) {
    const { model, signal } = known(options, ["model", "signal"]);
    const detector = new Detector(null);
    await detector.#exclusive(signal, async () => {
      if (model === undefined) detector.#file = await platform.read(platform.files["model.msgpack"]);
      else if (model instanceof Blob) detector.#file = new Uint8Array(await model.arrayBuffer());
      else if (ArrayBuffer.isView(model)) detector.#file = new Uint8Array(model.buffer, model.byteOffset, model.byteLength).slice();
      else if (model instanceof ArrayBuffer) detector.#file = new Uint8Array(model).slice();
      else throw new TypeError("model: want the bytes of a model file, as an ArrayBuffer, a view of one or a Blob");
      await detector.#ready();
    }).catch((error) => {
      detector.close();
      throw error;
    });
    return detector;
  }

  // train makes a detector of a model that it trains on molecules.
  static async train(smiles, options = {}) {
    const { name = "", epochs = 0, seed = 1, asWritten = false, keepStructures = false, signal, onProgress } =
      known(options, ["name", "epochs", "seed", "asWritten", "keepStructures", "signal", "onProgress"]);
    const all = list(smiles);
    for (const [key, value] of Object.entries({ asWritten, keepStructures })) {
      if (typeof value !== "boolean") throw new BacaError("option", `${key} is ${kind(value)}, want true or false`);
    }
    if (typeof name !== "string") throw new BacaError("option", `name is ${kind(name)}, want a text`);
    // Nothing would go on from a checkpoint.
    const request = { Name: name, Epochs: whole("epochs", epochs), Seed: whole("seed", seed), AsWritten: asWritten, Structures: keepStructures, Seconds: 1e9 };
    const detector = new Detector(null);
    await detector.#exclusive(signal, async () => {
      detector.#spawn();
      await detector.#send("Open", table(all));
      const trained = await detector.#send("Train", request, (kind, event) => {
        if (kind === "Epoch") onProgress?.({ epoch: event.Epoch, of: event.Of, loss: event.Loss, refused: event.Refused });
      });
      detector.#file = trained.Data.slice();
      detector.#warnings = trained.Warnings ?? [];
      await detector.#ready();
    }).catch((error) => {
      detector.close();
      throw error;
    });
    return detector;
  }

  // about is what is known of the model.
  get about() {
    return this.#about;
  }

  // model is the model file, which load and the command read.
  get model() {
    return this.#file.slice();
  }

  // warnings say where a training set was too small for something.
  get warnings() {
    return [...this.#warnings];
  }

  // score scores molecules, and returns a row for each, in their order.
  async score(smiles, options) {
    return this.#judge(smiles, options, scored, false);
  }

  // explain scores molecules, and says why.
  async explain(smiles, options) {
    return this.#judge(smiles, options, explained, true);
  }

  // judge scores molecules, so many at a time, and says why where that is asked for.
  async #judge(smiles, options = {}, most, why) {
    const { alpha = 0.05, signal, onProgress } = known(options, ["alpha", "signal", "onProgress"]);
    const all = list(smiles);
    rate(alpha);
    const told = (done) => onProgress?.({ done, total: all.length });
    return this.#exclusive(signal, async () => {
      await this.#ready();
      const rows = [];
      for (let from = 0; from < all.length; from += most) {
        await this.#rows(all.slice(from, from + most), alpha, rows, () => why || told(rows.length));
        for (let i = from; why && i < rows.length; i++) {
          if (rows[i].error === null) Object.assign(rows[i], explanation(await this.#send("Detail", { Record: i - from })));
          told(i + 1);
        }
      }
      return rows;
    });
  }

  // close ends the worker. Calls under way fail, and so do later ones.
  close() {
    this.#closed = true;
    this.#end(closed());
  }

  // rows scores a chunk of molecules and appends their rows.
  async #rows(smiles, alpha, rows, told) {
    const errors = new Map();
    const from = rows.length;
    await this.#send("Open", table(smiles), (kind, event) => {
      if (kind === "Records") for (const p of event.Problems ?? []) errors.set(p.Record, p.At < 0 ? p.Reason : `character ${p.At + 1}: ${p.Reason}`);
    });
    await this.#send("Score", { Alpha: alpha }, (kind, event) => {
      if (kind !== "Rows") return;
      const column = (name) => event.Rows.find((c) => c.Name === name);
      const texts = (name) => column(name).Texts ?? [], numbers = (name) => floats(column(name).Numbers);
      const verdicts = texts("verdict"), said = texts("error"), asides = texts("set_aside"), scores = numbers("score"), ps = numbers("p_value");
      for (let i = 0; i < said.length; i++) {
        const at = rows.length - from;
        const error = said[i] === "" ? null : (errors.get(at) ?? said[i]);
        rows.push({ smiles: smiles[at] ?? null, score: six(scores[i]), p_value: six(ps[i]), verdict: error === null ? verdicts[i] : null, error, set_aside: asides[i] || null });
      }
      told();
    });
    if (rows.length - from !== smiles.length) throw new BacaError("internal", `${rows.length - from} rows for ${smiles.length} molecules`);
  }

  // exclusive does some work when the calls before are over. When the signal says so, the
  // worker is ended, whatever it does; another one starts with the next call.
  async #exclusive(signal, work) {
    signal?.throwIfAborted();
    const before = this.#turn;
    let over;
    this.#turn = new Promise((resolve) => (over = resolve));
    const abort = aborted(signal);
    let mine = false;
    try {
      await Promise.race([before, abort.promise]);
      mine = true;
      if (this.#closed) throw closed();
      this.#port?.keep(true);
      return await Promise.race([work().then((value) => { signal?.throwIfAborted(); return value; }), abort.promise]);
    } catch (error) {
      if (mine && signal?.aborted && error === signal.reason) this.#end(error);
      throw error;
    } finally {
      abort.done();
      if (mine) this.#port?.keep(false);
      before.then(over);
    }
  }

  // ready has a worker that has the model.
  async #ready() {
    if (!this.#port) this.#spawn();
    if (this.#loaded) return;
    const model = await this.#send("LoadModel", { Name: "file", Data: this.#file });
    if (!model.Molecules) throw new BacaError("model", `model ${model.Name} reads plain graphs, and this package scores molecules`);
    this.#loaded = true;
    this.#about ??= {
      name: model.Name, description: model.Description, sha256: model.SHA256, program: model.Program,
      train: model.Train, references: model.Holdout, smallestP: model.SmallestP, reads: model.Reads,
    };
  }

  #spawn() {
    if (this.#closed) throw closed();
    const port = threads(platform.start, compiled()).spawn(
      (bytes) => port === this.#port && this.#receive(bytes),
      (reason) => port === this.#port && this.#end(new BacaError(/out of memory|memory\.grow/i.test(reason) ? "memory" : "died", `the worker died: ${reason}; the next call starts another`)),
    );
    port.keep(true);
    this.#port = port;
    this.#loaded = false;
  }

  // send sends a request to the worker, and returns the reply.
  #send(kind, fields, on) {
    return new Promise((resolve, reject) => {
      if (!this.#port) throw new BacaError("died", "the worker died; the next call starts another");
      this.#calls.set(++this.#number, { resolve, reject, on });
      this.#port.post(encode(this.#number, kind, fields).buffer, 0);
    });
  }

  #receive(bytes) {
    let message;
    try {
      message = decode(bytes);
    } catch (error) {
      this.#end(new BacaError("internal", `the worker was not understood: ${error.message}`));
      return;
    }
    const { number, kind, fields } = message;
    const call = this.#calls.get(number);
    if (!call) return;
    if (events.has(kind)) {
      try {
        call.on?.(kind, fields);
      } catch (error) {
        this.#end(error); // of onProgress
      }
      return;
    }
    this.#calls.delete(number);
    if (kind === "Failed") call.reject(new BacaError(fields.Code, fields.Text));
    else call.resolve(fields);
  }

  // end ends the worker and all that waits for it.
  #end(error) {
    this.#port?.terminate();
    this.#port = null;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.reject(error);
  }
}

const closed = () => new BacaError("closed", "the detector is closed");

// explanation is what a reply to Detail says.
const explanation = (d) => ({
  atoms: (d.Atoms ?? []).map((symbol, i) => ({ symbol, adds: six(d.Contributions[i] ?? NaN) })),
  reasons: (d.Reasons ?? []).map((r) => ({ text: r.Text, about: r.About, atoms: r.Nodes ?? [], unseen: r.Weight >= unseen })),
  nearest: (d.Nearest ?? []).map((n) => ({ row: n.Row < 0 ? null : n.Row, name: n.Name, smiles: n.SMILES, similarity: six(n.Similarity) })),
  known: d.Duplicate,
});

// unseen is the least weight of a reason that no training graph had: explain.Unseen.
const unseen = 3;
