# Writes sklearn.json: what scikit-learn fits to a few rows of bits.
#   python3 sklearn.py > sklearn.json
import json
import sys

sys.path.pop(0)  # this folder, whose sklearn.py is not the library
import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

rng = np.random.default_rng(1)
width = 24
rows = (rng.random((260, width)) < rng.uniform(0.1, 0.6, width)).astype(float)
weights = rng.normal(size=width)
values = np.round(rows @ weights + 2 * rows[:, 0] * rows[:, 1] + 0.5 * rng.normal(size=260), 3)
train, test, y = rows[:200], rows[200:], values[:200]
classes = (y > np.median(y)).astype(int)
ridge = Ridge(alpha=3).fit(train, y)
logit = LogisticRegression(C=1 / 3, tol=1e-10, solver="newton-cholesky").fit(train, classes)
tree = DecisionTreeRegressor(min_samples_leaf=10, random_state=1).fit(train, y)


def leverage(weights):
    """x'(X'WX + penalty)^-1 x of the test rows, with an intercept."""
    x, z = (np.hstack([a, np.ones((len(a), 1))]) for a in (train, test))
    penalty = np.diag([3.0] * width + [0.0])
    return np.einsum("ij,jk,ik->i", z, np.linalg.inv(x.T @ (weights[:, None] * x) + penalty), z)


p = logit.predict_proba(train)[:, 1]
q = logit.predict_proba(test)[:, 1]
ridge_left_out = lambda: left_out(lambda: Ridge(alpha=3), y, lambda m, x, v: (m.predict(x)[0] - v) ** 2 / 2)


def left_out(model, target, loss):
    keep = lambda i: np.arange(200) != i
    return np.mean([loss(model().fit(train[keep(i)], target[keep(i)]), train[i:i + 1], target[i]) for i in range(200)])


def forests(kind, target, predict, **options):
    out = []
    for seed in range(4):
        f = kind(n_estimators=400, random_state=seed, **options).fit(train, target)
        each = np.array([predict(t, test) for t in f.estimators_])
        out.append({"value": each.mean(0).tolist(), "spread": each.std(0).tolist()})
    return out


json.dump({
    "width": width,
    "rows": [np.flatnonzero(r).tolist() for r in rows],
    "values": y.tolist(),
    "classes": classes.tolist(),
    "ridge": ridge.predict(test).tolist(),
    "ridge_left_out": ridge_left_out(),
    "ridge_spread": np.sqrt(2 * ridge_left_out() * (1 + leverage(np.ones(200)))).tolist(),
    "logistic": logit.predict_proba(test)[:, 1].tolist(),
    "logistic_spread": (q * (1 - q) * np.sqrt(leverage(p * (1 - p)))).tolist(),
    "logistic_left_out": left_out(lambda: LogisticRegression(C=1 / 3, tol=1e-10, solver="newton-cholesky"), classes,
                                  lambda m, x, v: -m.predict_log_proba(x)[0, v]),
    "tree": tree.predict(test).tolist(),
    "regression": forests(RandomForestRegressor, y, lambda t, x: t.predict(x), max_features=1 / 3),
    "classification": forests(RandomForestClassifier, classes, lambda t, x: t.predict_proba(x)[:, 1], max_features="sqrt"),
}, sys.stdout, indent=None)
print()
