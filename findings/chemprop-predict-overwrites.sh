#!/bin/sh
# Chemprop, predictions for a file that also has the measured values.
#
# Guess: `chemprop predict` adds a column, so that predictions stand beside what was measured and errors can be computed from its file.
# Version: Chemprop 2.3.1 (PyPI chemprop==2.3.1).
# Behaviour: predictions get the name of the target and replace the column of that name in the copy of the input, without a word. Whoever then
# compares "measured" with a second prediction, or trains on the file, uses predictions as measurements.
# Output seen:
#   given [-0.77, -3.3, 0.8] unchanged in the output: False
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip -q install chemprop==2.3.1
venv/bin/python - > library.csv <<'PYTHON'
print("smiles,logS\nCCO,-0.77\nCCCCCC,-3.3\nOCCO,0.8")
for n in range(2, 40):
    print("C" * n + "O," + str(1 - 0.5 * n))
PYTHON
run="--accelerator cpu --num-workers 0 --smiles-columns smiles"
venv/bin/chemprop train --data-path library.csv $run --target-columns logS --epochs 4 --output-dir models > log 2>&1
venv/bin/chemprop predict --test-path library.csv $run --model-paths models --preds-path predicted.csv >> log 2>&1
venv/bin/python - <<'PYTHON'
import pandas

given, written = (pandas.read_csv(name) for name in ("library.csv", "predicted.csv"))
assert list(written.columns) == ["smiles", "logS"], "the behaviour has changed"
kept = bool((given.logS == written.logS).any())
print("given", list(given.logS[:3]), "unchanged in the output:", kept)
assert not kept, "the behaviour has changed"
PYTHON
