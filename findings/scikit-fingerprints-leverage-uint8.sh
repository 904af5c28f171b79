#!/bin/sh
# scikit-fingerprints, leverage of its own fingerprints.
#
# Guess: LeverageADChecker takes what ECFPFingerprint gives, an array of 0 and 1, and the number type does not matter.
# Version: scikit-fingerprints 2.1.0 with numpy 2.4.6.
# Behaviour: ECFPFingerprint gives uint8, and fit computes X.T @ X in that type, where counts above 255 begin again at 0. Once a bit is in 256
# molecules, leverages are those of another matrix, and nothing is said. With float input they are right.
# Output seen:
#   a bit is in up to 810 molecules; leverages of uint8 are off by 8% in the median, 5113% at most
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install scikit-fingerprints==2.1.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import itertools

import numpy as np
from skfp.applicability_domain import LeverageADChecker
from skfp.fingerprints import ECFPFingerprint

ends = ["C", "CC", "CO", "C(=O)O", "C(=O)N", "C(F)(F)F", "CCO", "C#N", "CC(C)C", "CCCC", "CCl", "CF", "CN", "CBr", "CS", "C=C", "CCN", "CCS", "CCF", "COC", "CC#N"]
cores = ["c1ccc({})cc1{}", "c1cnc({})cc1{}", "C1CCC({})CC1{}", "C1CN({})CCN1{}"]
molecules = [core.format(a, b) for core, a, b in itertools.product(cores, ends, ends)]
x = ECFPFingerprint(fp_size=256).transform(molecules)
assert x.dtype == np.uint8
learn, new = x[::2], x[1::2]
by = {kind: LeverageADChecker().fit(learn.astype(kind)).score_samples(new.astype(kind)) for kind in (np.uint8, float)}
exact = np.einsum("ij,jk,ik->i", new.astype(float), np.linalg.pinv(learn.astype(float).T @ learn.astype(float)), new.astype(float))
wrong = np.abs(by[np.uint8] / exact - 1)
counts = learn.astype(int).sum(axis=0)
print(f"a bit is in up to {counts.max()} molecules; leverages of uint8 are off by {np.median(wrong):.0%} in the median, {wrong.max():.0%} at most")
assert np.allclose(by[float], exact), "float input gives leverages"
assert wrong.max() > 0.1, "the behaviour has changed"
PYTHON
