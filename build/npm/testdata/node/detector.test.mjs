// What the package does in Node. EXPECTED is a folder with what the command says: of each
// NAME.json, a list of SMILES, it has made NAME.jsonl.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import threads from "node:worker_threads";

// Every worker is at hand, so that one can be killed.
const workers = [];
threads.Worker = class extends threads.Worker {
  constructor(...args) {
    super(...args);
    workers.push(this);
  }
};
syncBuiltinESMExports();
const { BacaError, Detector } = await import("baca-wasm");

const folder = process.env.EXPECTED;
const read = async (name) => JSON.parse(await readFile(join(folder, `${name}.json`), "utf8"));
const said = async (name) => (await readFile(join(folder, `${name}.jsonl`), "utf8")).trim().split("\n").map((line) => JSON.parse(line));

// compare compares rows with those of the command, to the last digit.
const compare = (rows, expected) => {
  assert.equal(rows.length, expected.length);
  expected.forEach((want, i) => {
    const { score, p_value, verdict, error, set_aside } = rows[i];
    const refused = Boolean(want.error);
    assert.deepEqual([score, p_value, verdict, set_aside], refused ? [null, null, null, null] : [want.score, want.p_value, want.verdict, want.set_aside], want.smiles);
    assert.equal(error !== null, refused, `${want.smiles}: ${error}`);
    if (refused) assert.ok(want.error.endsWith(error.replace(/^character \d+: /, "")), `${want.error}: ${error}`);
  });
};

const detector = await Detector.load();
after(() => detector.close());
const many = await read("many");

test("rows are those of the command", async () => {
  assert.equal(detector.about.name, "drugs");
  for (const name of ["examples", "shared"]) {
    const smiles = await read(name).catch(() => null);
    if (smiles) compare(await detector.score(smiles), await said(name));
  }
});

test("anything is a row", async () => {
  const smiles = ["", " ", "CC\nO", '"', '"\n"', "C,C", "CCO ethanol", "é", "\u0000", "\ud800", "C".repeat(100_000), "\n\n", "smiles", "<html>", "C\tx", "N#N\r\n"];
  const rows = await detector.score(smiles);
  assert.deepEqual(rows.map((row) => row.smiles), smiles);
  for (const row of rows) assert.equal(row.error === null, Number.isFinite(row.score), JSON.stringify(row));
  assert.deepEqual(await detector.score([]), []);
  assert.equal((await detector.score(["", "("])).filter((row) => row.error).length, 2);
  assert.equal((await detector.score("CCO")).length, 1);
  assert.deepEqual(await detector.score(new Set(["CCO"])), await detector.score(["CCO"]));
});

test("explain says why, and what score says", async () => {
  const smiles = (await read("examples")).slice(0, 70).concat("C(");
  const progress = [];
  const rows = await detector.explain(smiles, { onProgress: (p) => progress.push(p.done) });
  compare(rows, [...(await said("examples")).slice(0, 70), { error: "the branch is never closed", smiles: "C(" }]);
  assert.deepEqual(progress, Array.from({ length: 71 }, (_, i) => i + 1));
  for (const row of rows.slice(0, 70)) {
    if (row.error) continue;
    assert.ok(row.atoms.length > 0 && row.nearest[0].smiles !== "" && typeof row.known === "boolean", row.smiles);
    for (const reason of row.reasons) assert.ok(reason.text && reason.atoms.every((a) => a >= 0 && a < row.atoms.length), row.smiles);
  }
  assert.equal(rows[70].reasons, undefined);
  // Urea was trained on, in any way of writing it.
  const [urea] = await detector.explain("O=C(N)N");
  assert.deepEqual(urea.atoms.map((a) => a.symbol), ["O", "C", "N", "N"]);
  assert.equal(urea.nearest[0].similarity, 1);
  assert.equal(urea.known, true);
});

test("first reasons are those of the command", async () => {
  const table = (await readFile(join(folder, "first.txt"), "utf8")).trimEnd().split("\n").map((line) => line.split("\t"));
  const rows = await detector.explain(table.map(([smiles]) => smiles));
  assert.deepEqual(rows.map((row) => row.reasons[0].text), table.map(([, reason]) => reason));
});

test("10 000 molecules with progress", async () => {
  const smiles = Array.from({ length: 10_000 }, (_, i) => many[i % many.length]);
  const progress = [];
  const rows = await detector.score(smiles, { onProgress: (p) => progress.push(p) });
  const expected = await said("many");
  compare(rows, smiles.map((_, i) => expected[i % many.length]));
  assert.ok(progress.length >= 8, `${progress.length} times`);
  progress.forEach((p, i) => assert.ok(p.total === 10_000 && p.done > (progress[i - 1]?.done ?? 0)));
  assert.equal(progress.at(-1).done, 10_000);
});

test("abort in the middle", async () => {
  const smiles = Array.from({ length: 8000 }, (_, i) => many[i % many.length]);
  const stop = new AbortController();
  let told = 0;
  const first = detector.score(smiles, { signal: stop.signal, onProgress: ({ done }) => ((told = done), stop.abort()) });
  const queued = new AbortController();
  const second = detector.score("CCO", { signal: queued.signal });
  const third = detector.score("CC(=O)Oc1ccccc1C(=O)O");
  queued.abort(new Error("not wanted"));
  await assert.rejects(second, /not wanted/);
  await assert.rejects(first, { name: "AbortError" });
  assert.equal((await third)[0].verdict, "inside");
  await assert.rejects(detector.score("CCO", { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(Detector.load({ signal: AbortSignal.abort() }), { name: "AbortError" });
  const late = new AbortController();
  const load = Detector.load({ signal: late.signal });
  const before = workers.length;
  late.abort();
  await assert.rejects(load, { name: "AbortError" });
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(workers.length, before, "a worker was started for a detector that nobody has");
  assert.equal((await detector.score("CC(=O)Oc1ccccc1C(=O)O"))[0].verdict, "inside");
  assert.ok(told > 0 && told < smiles.length, `the call went on to ${told}`);
});

test("an error of onProgress is that of the call", async () => {
  await assert.rejects(detector.score("CCO", { onProgress: () => { throw new RangeError("mine"); } }), RangeError);
  assert.equal((await detector.score("CC(=O)Oc1ccccc1C(=O)O"))[0].verdict, "inside");
});

test("two detectors at once, and overlapping calls of one", async () => {
  const other = await Detector.load();
  const [a, b, c, d] = await Promise.all([detector.score(many), other.score(many), detector.score("CCO"), other.explain("CCO")]);
  const expected = await said("many");
  compare(a, expected);
  compare(b, expected);
  assert.equal(c[0].score, d[0].score);
  other.close();
  other.close();
  await assert.rejects(other.score("CCO"), { name: "BacaError", code: "closed" });
  const closing = await Detector.load();
  const call = closing.score(many);
  closing.close();
  await assert.rejects(call, { code: "closed" });
});

test("a worker that is killed is an error, and the next call works", async () => {
  const mine = await Detector.load();
  const worker = workers.at(-1);
  const call = mine.score(many, { onProgress: () => worker.terminate() });
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof BacaError);
    assert.equal(error.code, "died");
    assert.match(error.message, /^the worker died: .*; the next call starts another$/);
    return true;
  });
  compare(await mine.score(many), await said("many"));
  assert.notEqual(workers.at(-1), worker);
  // And while nobody asks.
  await workers.at(-1).terminate();
  compare(await mine.score(many), await said("many"));
  mine.close();
});

test("a model of one's own", async () => {
  const library = await read("library");
  const epochs = [];
  const own = await Detector.train(library, { name: "own", epochs: 3, seed: 7, onProgress: (p) => epochs.push(p) });
  assert.deepEqual(epochs.map((e) => [e.epoch, e.of, e.refused]), [0, 1, 2, 3].map((i) => [i, 3, 1]));
  assert.ok(own.warnings.length > 0 && own.about.name === "own" && own.about.train + own.about.references === library.length - 1);
  const rows = await own.score(many, { alpha: 0.3 });
  await writeFile(join(folder, "own.msgpack"), own.model);
  await writeFile(join(folder, "own.rows.json"), JSON.stringify(rows));
  for (const model of [own.model, own.model.slice().buffer, new Blob([own.model])]) {
    const same = await Detector.load({ model });
    assert.deepEqual(await same.score(many, { alpha: 0.3 }), rows);
    assert.equal(same.about.sha256, own.about.sha256);
    same.close();
  }
  // Structures are kept only where they are asked for.
  const nearest = async (of) => (await of.explain(library[0]))[0].nearest[0].smiles;
  assert.equal(await nearest(own), "");
  const salt = "C[C@H](N)C(=O)[O-].[Na+]";
  assert.equal((await own.score(salt))[0].set_aside, "stereo, 1 counter-ion, charge");
  own.close();
  const written = await Detector.train(library, { epochs: 1, asWritten: true, keepStructures: true });
  assert.notEqual(await nearest(written), "");
  assert.deepEqual([own.about.reads, written.about.reads, (await written.score(salt))[0].set_aside], ["the parent compound", "molecules as written", null]);
  written.close();
  await assert.rejects(Detector.train(library, { asWritten: 1 }), { code: "option" });
  await assert.rejects(Detector.train(library, { keepStructures: "yes" }), { code: "option", message: "keepStructures is a string, want true or false" });
  const stop = new AbortController();
  await assert.rejects(Detector.train(library, { epochs: 1000, signal: stop.signal, onProgress: (p) => p.epoch === 2 && stop.abort() }), { name: "AbortError" });
  await assert.rejects(Detector.train(["C"]), { code: "input" });
});

test("what is missing is refused", async () => {
  const [missing, molecule, hole] = await detector.explain([null, "CC(=O)Oc1ccccc1C(=O)O", , "C"]);
  for (const row of [missing, hole]) {
    assert.deepEqual([row.smiles, row.score, row.p_value, row.verdict, row.reasons], [null, null, null, null, undefined]);
    assert.equal(row.error, "no SMILES: want a molecule");
  }
  assert.deepEqual(molecule.verdict, "inside");
});

test("mistakes are told", async () => {
  await assert.rejects(detector.score(["C", 3]), /molecule 2 is a number, want a SMILES/);
  await assert.rejects(detector.score([{}]), /molecule 1 is an object/);
  for (const none of [undefined, null, 5, {}]) await assert.rejects(detector.explain(none), /^TypeError: molecules are .*, want a SMILES or a list/);
  await assert.rejects(detector.score([], { alpha: 7 }), { code: "option" });
  await assert.rejects(Detector.train(["C"], { name: 5 }), { code: "option", message: "name is a number, want a text" });
  assert.deepEqual(await detector.score(new String("CCO")), await detector.score("CCO"));
  for (const alpha of [0, -1, 1, 7, NaN, "x"]) await assert.rejects(detector.score("C", { alpha }), { code: "option" }, `alpha ${alpha}`);
  for (const [options, message] of [
    [{ alhpa: 0.01 }, "unknown option alhpa: want one of alpha, signal, onProgress"],
    [{ by: "batch" }, "unknown option by: want one of alpha, signal, onProgress"],
  ]) {
    for (const asked of [detector.score("C", options), detector.explain("C", options)]) await assert.rejects(asked, { name: "BacaError", code: "option", message });
  }
  await assert.rejects(Detector.load({ file: new Uint8Array() }), { code: "option", message: "unknown option file: want one of model, signal" });
  await assert.rejects(Detector.train(["C"], { keepStructure: true }), { code: "option", message: /^unknown option keepStructure: want one of name, epochs, seed, / });
  await assert.rejects(Detector.load({ model: "bbbp" }), TypeError);
  await assert.rejects(Detector.load({ model: new Uint8Array(100) }), { code: "model" });
  await assert.rejects(Detector.load({ model: new Uint8Array() }), { code: "model", message: /^model file: truncated/ });
  const plain = new Uint8Array(await readFile(join(folder, "plain.msgpack")));
  await assert.rejects(Detector.load({ model: plain }), /reads plain graphs/);
  const damaged = detector.model;
  damaged[damaged.length >> 1] ^= 1;
  await assert.rejects(Detector.load({ model: damaged }), { code: "model" });
});
