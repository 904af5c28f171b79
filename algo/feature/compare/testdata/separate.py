"""Writes how well logistic regression on ECFP4 tells two lists apart: the AUC of five folds, of the
better of two penalties, for molecules as written and for their neutral parents.

    python separate.py DATA A/B...

A list is a set of DATA/mol, or NAME:COLUMN=VALUE for the molecules of a set with that value."""

import sys

import numpy as np
import pandas as pd
from rdkit import Chem, RDLogger
from rdkit.Chem import rdFingerprintGenerator
from rdkit.Chem.MolStandardize import rdMolStandardize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

RDLogger.DisableLog("rdApp.*")
MOST = 3000
ecfp = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
largest, neutral = rdMolStandardize.LargestFragmentChooser(), rdMolStandardize.Uncharger()


def read(data, name):
    name, _, condition = name.partition(":")
    table = pd.read_csv(f"{data}/mol/{name}.csv.gz")
    if condition:
        column, value = condition.split("=")
        table = table[table[column] == float(value)]
    smiles = next(c for c in table.columns if "smiles" in c.lower())
    molecules = [Chem.MolFromSmiles(s) for s in table[smiles].sample(frac=1, random_state=1)]
    return [m for m in molecules if m is not None]


def bits(molecules):
    different = {Chem.MolToSmiles(m, isomericSmiles=False): m for m in molecules}
    return np.array([ecfp.GetFingerprintAsNumPy(m) for m in list(different.values())[:MOST]], dtype=float)


def separate(a, b):
    x, y = np.vstack([a, b]), np.repeat([0, 1], [len(a), len(b)])
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    models = [LogisticRegression(C=c, max_iter=1000, class_weight="balanced") for c in (0.1, 1)]
    return max(roc_auc_score(y, cross_val_predict(m, x, y, cv=folds, method="decision_function")) for m in models)


for pair in sys.argv[2:]:
    lists = [read(sys.argv[1], name) for name in pair.split("/")]
    parents = [[neutral.uncharge(largest.choose(m)) for m in l] for l in lists]
    print(f"{pair}\t{separate(*map(bits, lists)):.3f}\t{separate(*map(bits, parents)):.3f}", flush=True)
