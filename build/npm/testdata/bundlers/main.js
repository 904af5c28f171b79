import "./spy.js";
import "baca-wasm/element";
import { BacaError, Detector } from "baca-wasm";

const check = (ok, what) => {
  if (!ok) throw new Error(what);
};
const fails = async (promise, test, what) => {
  const error = await promise.then(() => null, (error) => error);
  check(error && test(error), `${what}: ${error}`);
};
const same = (rows, expected) => {
  check(rows.length === expected.length, `${rows.length} rows, want ${expected.length}`);
  rows.forEach((row, i) => {
    const want = expected[i];
    const ok = want.error ? row.error && row.score === null : row.error === null && row.score === want.score && row.p_value === want.p_value && row.verdict === want.verdict;
    check(ok, `${JSON.stringify(row)}, want ${JSON.stringify(want)}`);
  });
};

// suite does in this page what a program would, as far as pages differ from Node.
globalThis.suite = async () => {
  const smiles = await (await fetch("expected.json")).json();
  const expected = (await (await fetch("expected.jsonl")).text()).trim().split("\n").map((line) => JSON.parse(line));

  const detector = await Detector.load();
  same(await detector.score(smiles), expected);
  const thousand = Array.from({ length: 1000 }, (_, i) => smiles[i % smiles.length]);
  const progress = [];
  await detector.score(thousand, { onProgress: (p) => progress.push(p.done) });
  check(progress.at(-1) === 1000, `progress ${progress}`);

  // Two detectors at once, one with a model of one's own.
  const own = await Detector.train(smiles, { epochs: 1, seed: 3 });
  const loaded = await Detector.load({ model: own.model });
  const [a, b, c] = await Promise.all([own.score(smiles), loaded.score(smiles), detector.score(smiles)]);
  same(c, expected);
  check(JSON.stringify(a) === JSON.stringify(b) && JSON.stringify(a) !== JSON.stringify(c), "the model of one's own");

  // A worker dies while it works: by what is no program, and for want of memory.
  const mortal = await Detector.load();
  const kill = () => spied.workers.at(-1).postMessage({ module: "no program" });
  await fails(mortal.score(thousand, { onProgress: kill }), (e) => e instanceof BacaError && e.code === "died" && /the next call starts another/.test(e.message), "a worker that died");
  same(await mortal.score(smiles), expected);
  const starve = () => spied.workers.at(-1).onmessage({ data: "fatal error: runtime: out of memory" });
  await fails(mortal.score(thousand, { onProgress: starve }), (e) => e.code === "memory", "memory");
  same(await mortal.score(smiles), expected);
  for (const d of [own, loaded, mortal, detector]) d.close();
  check(spied.violations.length === 0, spied.violations.join("\n"));
};
