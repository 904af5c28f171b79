"""Writes shift.json: intervals of a list by scikit-learn, which Shift is compared with.

Usage: python3 shift.py > shift.json
"""
import json
import struct

import numpy as np
from sklearn.linear_model import LogisticRegression

FOLDS = 5
MASK = (1 << 64) - 1


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def fold(distance, atoms):
    h = (bits(distance) * 0x9E3779B97F4A7C15 & MASK) ^ bits(atoms)
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & MASK
    return (h >> 32) % FOLDS


rng = np.random.default_rng(7)


def draw(n, low, high):
    return np.c_[np.round(rng.uniform(low, high, n), 3), rng.integers(5, 30, n).astype(float)]


held, fresh = draw(120, 0.1, 0.8), draw(60, 0.35, 1.15)
errors = np.round(np.abs(rng.normal(0, held[:, 0])), 4)


def terms(p):
    d, a = p[:, 0], np.log(p[:, 1])
    return np.c_[d, d * d, a, a * a]


mean, std = terms(held).mean(0), terms(held).std(0)
x = (terms(np.r_[held, fresh]) - mean) / std
y = np.r_[np.zeros(len(held)), np.ones(len(fresh))]
of = np.array([fold(*p) for p in np.r_[held, fresh]])
weights = np.zeros(len(y))
for k in range(FOLDS):
    model = LogisticRegression(C=1, class_weight="balanced", tol=1e-12, max_iter=10000).fit(x[of != k], y[of != k])
    if (of == k).any():
        weights[of == k] = np.exp(model.decision_function(x[of == k]))
w, own = weights[: len(held)], weights[len(held) :]
order = np.argsort(errors, kind="stable")
sums = np.cumsum(w[order])
halves = []
for v in own:
    k = np.searchsorted(sums, 0.8 * (sums[-1] + v))
    halves.append(errors[order][k] if k < len(sums) else None)
print(json.dumps({"held": held.tolist(), "errors": errors.tolist(), "list": fresh.tolist(), "effective": w.sum() ** 2 / (w**2).sum(), "halves": halves}))
