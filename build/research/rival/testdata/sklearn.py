# Writes sklearn.json: what scikit-learn makes of a few points.
#   python3 sklearn.py > sklearn.json
import json
import sys

sys.path.pop(0)  # this folder, whose sklearn.py is not the library
import numpy as np
from sklearn.covariance import LedoitWolf
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

rng = np.random.default_rng(1)
train = np.round(rng.normal(size=(40, 3)) @ np.array([[2, 0.5, 0], [0, 1, 0.3], [0, 0, 0.4]]), 3)
test = np.round(np.vstack([rng.normal(size=(6, 3)), 4 * rng.normal(size=(6, 3))]), 3)
covariance = LedoitWolf().fit(train)
lof = LocalOutlierFactor(n_neighbors=20, novelty=True).fit(train)
kernel = lambda a, b: np.exp(-((a[:, None] - b[None]) ** 2).sum(-1) / 4)
svm = OneClassSVM(kernel="precomputed", nu=0.5, tol=1e-9).fit(kernel(train, train))
trees = [-IsolationForest(n_estimators=100, random_state=s).fit(train).score_samples(test) for s in range(200)]
components = PCA(n_components=0.9).fit(train)
inside = components.transform(train)
outside = components.transform(test)
box = ((outside < inside.min(0)) | (outside > inside.max(0))).mean(1)
gram = np.linalg.inv(train.T @ train + np.eye(3))
json.dump({
    "train": train.tolist(),
    "test": test.tolist(),
    "mahalanobis": covariance.mahalanobis(test).tolist(),
    "shrinkage": covariance.shrinkage_,
    "covariance": covariance.covariance_.tolist(),
    "lof": (-lof.score_samples(test)).tolist(),
    "svm": (-svm.decision_function(kernel(test, train))).tolist(),
    "forest": np.mean(trees, axis=0).tolist(),
    "pca_box": box.tolist(),
    "components": int(components.n_components_),
    "leverage": np.einsum("ij,jk,ik->i", test, gram, test).tolist(),
}, sys.stdout, indent=1)
print()
