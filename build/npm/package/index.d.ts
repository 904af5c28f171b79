/** What a molecule is, at the share `alpha` of false alarms; "undecided" where the model holds too few molecules to tell. */
export type Verdict = "inside" | "borderline" | "outside" | "undecided";

/** What the detector says of a molecule. Numbers are those that `baca score` writes, which have six digits. */
export interface Row {
  /** As it was given; null where it is missing. */
  smiles: string | null;
  /** Higher is further outside; null for what is no molecule. */
  score: number | null;
  /** How often a molecule from inside scores as high, in (0, 1]; null for what is no molecule, and where the model kept none to compare with. */
  p_value: number | null;
  verdict: Verdict | null;
  /** Why this is no molecule, such as "character 10: the branch is never closed"; else null. */
  error: string | null;
  /** What of the molecule the model did not read, such as "stereo, 1 counter-ion"; null for nothing. */
  set_aside: string | null;
}

export interface Atom {
  /** Such as "C"; "*" for a wildcard. */
  symbol: string;
  /** What the atom adds to the score: all together, the score less the least one that is outside. Null for an atom that the model does not read. */
  adds: number | null;
}

export interface Reason {
  /** In plain words, without a full stop. */
  text: string;
  /** What `atoms` are, such as "its 2 nitro groups". */
  about: string;
  /** Numbers of atoms, from 0, in the order of the SMILES; empty where the reason is about all of them. */
  atoms: number[];
  /** Whether no training molecule has it. */
  unseen: boolean;
}

/** A training molecule that is similar. */
export interface Neighbor {
  /** Of the training set, from 0; null where the model does not know it. */
  row: number | null;
  name: string;
  /** Empty where the model keeps no structures. */
  smiles: string;
  /** From 0 to 1. */
  similarity: number | null;
}

/** A row and why it is so. What is no molecule has only the row. */
export interface Explanation extends Row {
  /** In the order of the SMILES. */
  atoms?: Atom[];
  /** The most unusual first. */
  reasons?: Reason[];
  /** The most similar first. */
  nearest?: Neighbor[];
  /** Whether the molecule was trained on. */
  known?: boolean;
}

/** What is known of a model. */
export interface About {
  name: string;
  description: string;
  /** Of the model file, hex. */
  sha256: string;
  /** Version that trained it. */
  program: string;
  /** Molecules that it was trained on. */
  train: number;
  /** Molecules that were kept from training, which p-values are taken from. */
  references: number;
  /** The least p-value that they allow. */
  smallestP: number;
  /** "the parent compound" or "molecules as written". */
  reads: string;
}

/** A SMILES, or a list of them. What is null or undefined in a list is refused, like what cannot be read. */
export type Molecules = string | Iterable<string | null | undefined>;

export interface Abort {
  /** Ends the call at once; it then fails with the signal's reason. */
  signal?: AbortSignal;
}

export interface LoadOptions extends Abort {
  /** The bytes of a model file, of `Detector.model` or of `baca train`. The built-in model drugs if left out. */
  model?: ArrayBuffer | ArrayBufferView | Blob;
}

export interface ScoreOptions extends Abort {
  /** Share of molecules from inside that may be called outside, above 0 and below 1; 0.05 if left out. */
  alpha?: number;
  /** Called as rows are done. */
  onProgress?(progress: { done: number; total: number }): void;
}

export interface TrainOptions extends Abort {
  /** Of the model. */
  name?: string;
  /** Times that the encoder is trained on each molecule; it is not trained if left out, which only the command's score --by attention needs. */
  epochs?: number;
  /** Of everything random; 1 if left out. */
  seed?: number;
  /** Reads stereo marks, isotopes, salts and charges as written, and not the parent compound; false if left out. */
  asWritten?: boolean;
  /** Keeps the molecules in the model, so that neighbours are shown: whoever has its file has them; false if left out. */
  keepStructures?: boolean;
  /** Called after each epoch, and before the first. */
  onProgress?(progress: { epoch: number; of: number; loss: number; refused: number }): void;
}

/** A model, and a worker that computes with it. Calls may overlap: they are answered one after the other. */
export class Detector {
  private constructor();
  /** Loads a model into a worker of its own. */
  static load(options?: LoadOptions): Promise<Detector>;
  /** Trains a model on at least 20 molecules, as `baca train` does. What is no molecule is left out. */
  static train(smiles: Molecules, options?: TrainOptions): Promise<Detector>;
  readonly about: About;
  /** The model file. */
  readonly model: Uint8Array;
  /** What a training set was too small for. */
  readonly warnings: string[];
  /** Returns a row for each molecule, in their order. */
  score(smiles: Molecules, options?: ScoreOptions): Promise<Row[]>;
  /** Returns a row for each molecule, in their order, and why it is so. */
  explain(smiles: Molecules, options?: ScoreOptions): Promise<Explanation[]>;
  /** Ends the worker. Calls under way fail, and so do later ones. */
  close(): void;
}

/** Why there is no result. */
export class BacaError extends Error {
  readonly code: "input" | "model" | "option" | "memory" | "died" | "closed" | "not ready" | "internal";
}
