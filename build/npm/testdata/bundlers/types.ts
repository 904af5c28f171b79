// What the types allow, and what they do not. Compiled, not run.
import { BacaError, Detector, type Explanation, type Row } from "baca-wasm";
import type { BacaScore } from "baca-wasm/element";
import "baca-wasm/element";

export async function use(signal: AbortSignal, file: Blob) {
  const detector: Detector = await Detector.load();
  const rows: Row[] = await detector.score(["CCO"], { alpha: 0.1, signal, onProgress: ({ done, total }) => done / total });
  const outside = rows.filter((row) => row.verdict === "outside").map((row) => row.smiles);
  await detector.score([null, "C", undefined]);
  const why: Explanation[] = await detector.explain(new Set(outside), { signal });
  const texts: string[] = why.flatMap((row) => row.reasons?.map((reason) => reason.text) ?? []);
  const own = await Detector.train(texts, { name: "own", epochs: 3, seed: 1, signal, onProgress: ({ epoch, of, loss }) => epoch / of + loss });
  await Detector.load({ model: own.model, signal });
  await Detector.load({ model: file });
  const element: BacaScore = document.createElement("baca-score");
  element.smiles = "CCO";
  element.addEventListener("baca-score", (event) => event.detail?.verdict);
  // @ts-expect-error: there is no such detail
  element.addEventListener("baca-score", (event) => event.detail.colour);
  const p: number | null | undefined = element.row?.p_value;

  // @ts-expect-error: a score may be null
  const score: number = rows[0].score;
  // @ts-expect-error: no such verdict
  rows[0].verdict === "safe";
  // @ts-expect-error: a model is bytes
  await Detector.load({ model: "bbbp" });
  // @ts-expect-error: molecules are texts
  await detector.score([1]);
  // @ts-expect-error: load makes detectors
  new Detector();
  own.close();
  try {
    await own.score("C");
  } catch (error) {
    if (error instanceof BacaError && error.code === "closed") return { p, score };
  }
}
