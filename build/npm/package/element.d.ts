import type { Row } from "baca-wasm";

/** `<baca-score smiles="…" alpha="0.05">`, with `no-drawing` without a drawing. It sends the event "baca-score", whose detail is `row`, when it has an answer. */
export class BacaScore extends HTMLElement {
  smiles: string;
  /** What the detector said; null before that, and where it failed. */
  readonly row: Row | null;
}

declare global {
  interface HTMLElementTagNameMap {
    "baca-score": BacaScore;
  }
  interface HTMLElementEventMap {
    "baca-score": CustomEvent<Row | null>;
  }
}
