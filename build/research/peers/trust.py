"""Do intervals and verdicts of `baca trust` hold for random forests on new scaffolds and later molecules?

python trust.py --data DIR --baca bin/baca --work WORK [--sets report|choose|rights]

Fits forests on ECFP4 and descriptors, gives baca their cross-validated predictions and the spread of their trees, judges a fifth of
each set that is new, and prints a page; WORK/report.csv has each set. Settings were chosen on the sets of --sets choose, and the others
looked at once; --sets rights says how many verdicts are right. A stopped run resumes: WORK keeps the fits, and judgements by the hash of baca. Needs requirements.txt.
"""

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from rdkit import Chem, RDLogger
from rdkit.Chem import Descriptors, rdFingerprintGenerator
from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GroupKFold, KFold

RDLogger.DisableLog("rdApp.*")
MOST, SPLITS, TREES, FOLDS, COVERAGES = 1500, 2, 100, 5, (80, 90, 95)
# Name, file, column of values, and the column that later molecules are known by, if new ones are the latest.
CHOOSE = [
    ("esol", "mol/esol", "measured log solubility in mols per litre", None),
    ("freesolv", "mol/freesolv", "expt", None),
    ("bace", "mol/bace", "pIC50", None),
    ("thrombin", "external/ace_CHEMBL204_Ki", "pk", None),
    ("D3", "external/ace_CHEMBL234_Ki", "pk", None),
]
REPORT = [
    ("lipo, time", "mol/lipo", "exp", "CMPD_CHEMBLID"),
    ("microsomes", "external/biogen", "HLM", None),
    ("solubility", "external/biogen", "SOL", None),
    ("VDss", "external/vdss", "VDss", None),
    ("5-HT1A", "external/ace_CHEMBL214_Ki", "pk", None),
    ("kappa", "external/ace_CHEMBL237_Ki", "pk", None),
    ("factor Xa", "external/ace_CHEMBL244_Ki", "pk", None),
    ("OX2", "external/ace_CHEMBL4792_Ki", "pk", None),
]
RIGHTS = [*CHOOSE[:2], ("lipo", *REPORT[0][1:3], None)]
DESCRIPTORS = [Descriptors.MolWt, Descriptors.MolLogP, Descriptors.TPSA, Descriptors.NumHDonors, Descriptors.NumHAcceptors,
               Descriptors.NumRotatableBonds, Descriptors.RingCount, Descriptors.NumAromaticRings, Descriptors.FractionCSP3]


def load(data, file, column, order):
    """Molecules of a set with a value: at most MOST by chance, scaffolds, features, and the order in time."""
    table = pd.read_csv(data / f"{file}.csv.gz")
    table["y"] = pd.to_numeric(table[column], errors="coerce")
    table["mol"] = table.smiles.str.strip().map(Chem.MolFromSmiles)
    table = table.dropna(subset=["y", "mol"])
    table = table.sample(min(MOST, len(table)), random_state=0)
    if order:
        table = table.sort_values(order, key=lambda x: x.str.removeprefix("CHEMBL").astype(int))
    scaffolds = table.mol.map(lambda m: MurckoScaffoldSmiles(mol=m)).to_numpy()
    return table.smiles.str.strip().to_numpy(), table.y.to_numpy(), scaffolds, features(table.mol)


def features(molecules):
    """Counts of ECFP4 and descriptors."""
    ecfp4 = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=1024)
    return np.array([[*ecfp4.GetCountFingerprintAsNumPy(m), *(d(m) for d in DESCRIPTORS)] for m in molecules])


def new_rows(scaffolds, order, split):
    """A fifth of the molecules: the latest, or whole scaffolds, in the first split the rarest ones, in the second drawn ones; in the
    third any molecules."""
    n = len(scaffolds)
    if split == 2:
        return np.random.default_rng(split).permutation(n) < n // 5
    if order:
        return np.arange(n) >= n - n // 5
    names, counts = np.unique(scaffolds, return_counts=True)
    ranks = np.random.default_rng(split).permutation(len(names))
    if split == 0:
        ranks = np.lexsort((ranks, counts))
    new, chosen = 0, []
    for k in ranks if split == 0 else np.argsort(ranks):
        if new < n // 5 and counts[k] <= n // 10:
            chosen, new = [*chosen, names[k]], new + counts[k]
    return np.isin(scaffolds, chosen)


def forest(x, y, of, seed):
    """Predictions of a forest, and the spread of those of its trees."""
    trees = RandomForestRegressor(TREES, max_features=0.3, random_state=seed, n_jobs=-1).fit(x, y).estimators_
    each = np.array([t.predict(of.astype(np.float32)) for t in trees])
    return each.mean(0), each.std(0)


def cross_validated(x, y, folds, seed):
    predicted, spread = np.zeros(len(y)), np.zeros(len(y))
    for train, out in folds:
        predicted[out], spread[out] = forest(x[train], y[train], x[out], seed)
    return predicted, spread


def fit(folder, loaded, order, split):
    """Writes train.csv and new.csv of a split."""
    smiles, y, scaffolds, x = loaded
    new = new_rows(scaffolds, order, split)
    xt, yt = x[~new], y[~new]
    chance = KFold(FOLDS, shuffle=True, random_state=split).split(xt)
    grouped = GroupKFold(min(FOLDS, len(set(scaffolds[~new]))), shuffle=True, random_state=split).split(xt, groups=scaffolds[~new])
    by_chance, elsewhere = cross_validated(xt, yt, chance, split), cross_validated(xt, yt, grouped, split)
    train = {"smiles": smiles[~new], "y": yt, "yhat": by_chance[0], "spread": by_chance[1],
             "elsewhere": elsewhere[0], "elsewhere_spread": elsewhere[1], "fitted": forest(xt, yt, xt, split)[0]}
    yhat, spread = forest(xt, yt, x[new], split)
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame({"smiles": smiles[new], "y": y[new], "yhat": yhat, "spread": spread}).to_csv(folder / "new.csv", index=False)
    pd.DataFrame(train).to_csv(folder / "train.csv", index=False)


# What baca learns from, by the name of a way: columns of held-out predictions and what else is known of them.
WAYS = {
    "uncertainty": ["--held-out", "yhat", "--uncertainty", "spread"],
    "and new scaffolds": ["--held-out", "yhat", "--uncertainty", "spread", "--new-scaffold", "elsewhere"],
    "no uncertainty": ["--held-out", "yhat"],
}


def judged(baca, folder, way, number):
    """Rows of baca trust: one table for each coverage, made once for each version of baca."""
    key = hashlib.sha256(baca.read_bytes()).hexdigest()[:12]
    model, rows = folder / f"{key}-{number}.msgpack", [folder / f"{key}-{number}-{c}.csv" for c in COVERAGES]
    call = lambda *a: subprocess.run([baca, *map(str, a)], check=True, stderr=subprocess.PIPE)
    if not model.exists():
        call("train", folder / "train.csv", "--observed", "y", *WAYS[way], "--out", model)
    for coverage, out in zip(COVERAGES, rows):
        if not out.exists():
            call("trust", "--model", model, "--predicted", "yhat", "--coverage", coverage / 100, "--out", out, folder / "new.csv")
    return [pd.read_csv(out) for out in rows]


def measure(folder, tables):
    """Figures of one split. Molecules without an interval do not count for coverage."""
    train, new = pd.read_csv(folder / "train.csv"), pd.read_csv(folder / "new.csv")
    error = (new.y - new.yhat).abs()
    large = error > np.percentile((train.y - train.yhat).abs(), 80)
    r = {"spread": spearmanr(new.spread, error)[0], "order": spearmanr(tables[0].expected_error, error, nan_policy="omit")[0]}
    for name in "", "batch_":
        for coverage, t in zip(COVERAGES, tables):
            low, high = t[f"interval_{name}low"], t[f"interval_{name}high"]
            known = low.notna()
            r[f"{name}{coverage}"] = 100 * ((low <= new.y) & (new.y <= high))[known].mean()
        r[f"{name}width"] = (high - low)[known].mean() / (2 * np.percentile(error, 95))
        r[f"{name}none"] = 100 * (~known).mean()
        sure = tables[1][f"trust{'_batch' if name else ''}"] == "trust"
        r[f"{name}trusted"], r[f"{name}large"] = 100 * sure.mean(), 100 * (large & sure).sum() / max(1, sure.sum())
    return r | {"all": 100 * large.mean(), "n": len(new)}


def rights(folder, rows):
    """Share of large errors of all and by verdict, and how many verdicts are right: large ones at "do not use", none at "trust"."""
    train, new = pd.read_csv(folder / "train.csv"), pd.read_csv(folder / "new.csv")
    large = (new.y - new.yhat).abs() > np.percentile((train.y - train.yhat).abs(), 80)
    trust, not_use = large[rows.trust == "trust"], large[rows.trust == "do-not-use"]
    share = lambda x: f"{100 * np.mean(x):.0f} % of {len(x)}" if len(x) else "–"
    return [share(x) for x in (large, trust, large[rows.trust == "check"], not_use, [*~trust, *not_use])]


def row(label, cells):
    return "| " + " | ".join([label, *cells]) + " |"


def table(heads, rows):
    return [row(heads[0], heads[1:]), "|---" * len(heads) + "|", *rows, ""]


def summaries(t):
    """Rows of all ways, alone and as a list: means and worst sets; none twice."""
    seen = []
    for way in WAYS:
        of = t[t.way == way]
        for name, title in ("", "alone"), ("batch_", "list"):
            covers = [of[f"{name}{c}"] for c in COVERAGES]
            worst = [c[(c - asked).abs().idxmax()] for c, asked in zip(covers, COVERAGES)]
            trusted = (of[f"{name}large"] <= 0.7 * of["all"]) & (of[f"{name}trusted"] >= 20)
            cells = ["/".join(f"{c.mean():.1f}" for c in covers), "/".join(f"{w:.1f}" for w in worst), f"{of[f'{name}width'].mean():.2f}",
                     f"{of[f'{name}none'].mean():.1f}", f"{of.order.mean():.2f}", f"{of.spread.mean():.2f}", f"{trusted.sum()} of {len(of)}"]
            if cells not in seen:
                yield row(f"{way}, {title}", cells)
            seen.append(cells)


def sets(t):
    """Rows of sets, by uncertainty, as a list."""
    for _, r in t[t.way == next(iter(WAYS))].iterrows():
        yield row(r.set, ["/".join(f"{r[f'batch_{c}']:.1f}" for c in COVERAGES), f"{r.order:.2f}", f"{r.spread:.2f}", f"{r['all']:.0f}",
                          f"{r.trusted:.0f}, {r.large:.0f}", f"{r.batch_trusted:.0f}, {r.batch_large:.0f}"])


def chosen_on(t):
    """A sentence on the sets that settings were chosen on."""
    cell = lambda x: f"{x.mean():.1f} ({x.min():.1f})"
    said = [f"{way} " + " / ".join(cell(of[f"batch_{c}"]) for c in COVERAGES) for way, of in t.groupby("way", sort=False)]
    return f"Settings were chosen on {', '.join(t.set.unique())}. There intervals of the list hold, and in the least: {'; '.join(said)}.\n"


def page(t):
    return "\n".join([
        "# Trust in random forests", "",
        f"Forests predict {t.set.nunique()} sets of up to {MOST} molecules. A fifth is new: the latest, or whole scaffolds, the rarest and drawn ones.",
        "baca knows their cross-validated errors and perhaps the spread of their trees, or errors on other scaffolds. In percent.", "",
        "Coverage where 80, 90 and 95 % are asked, mean and worst set; width of 95 % intervals beside a constant one exact in hindsight; molecules",
        "without an interval; rank correlation with the error; sets where 20 % or more are trusted with at most 0.7 of the share of large errors:", "",
        *table(["known", "mean", "worst", "width", "none", "expected error", "spread", "trusted"], summaries(t)),
        "By uncertainty, the list; share of large errors; share of trusted molecules and their large errors, alone and by the list:", "",
        *table(["set", "coverage", "expected error", "spread", "large", "alone", "list"], sets(t))])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", type=Path, required=True)
    p.add_argument("--work", type=Path, required=True)
    p.add_argument("--baca", type=Path, required=True)
    p.add_argument("--sets", choices=["report", "choose", "rights"], default="report")
    a = p.parse_args()
    found, right = [], []
    for name, file, column, order in {"report": REPORT, "choose": CHOOSE, "rights": RIGHTS}[a.sets]:
        loaded, splits = None, range(1 if order else SPLITS + (a.sets == "rights"))
        for split in splits:
            folder = a.work / f"{name}-{split}".replace(" ", "")
            if not (folder / "train.csv").exists():
                loaded = loaded or load(a.data, file, column, order)
                fit(folder, loaded, order, split)
                print(folder, file=sys.stderr)
            for number, way in enumerate(WAYS):
                tables = judged(a.baca, folder, way, number)
                found.append({"set": name, "way": way} | measure(folder, tables))
                new = ["rarest scaffolds", "drawn scaffolds", "any molecules"][split]
                if way != "and new scaffolds":  # its verdicts are those without
                    right.append(row(f"{name}, {new}", [way, *rights(folder, tables[1])]))
    if a.sets == "rights":
        print(*table(["set, new molecules", "known", "large errors", "trust", "check", "do not use", "right"], right), sep="\n")
        return
    means = pd.DataFrame(found).groupby(["way", "set"], sort=False).mean().reset_index()
    means.round(3).to_csv(a.work / f"{a.sets}.csv", index=False)
    print(page(means))
    if a.sets == "report" and (a.work / "choose.csv").exists():
        print(chosen_on(pd.read_csv(a.work / "choose.csv")))
    version = subprocess.run([a.baca, "version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")[0]
    print(f"`python build/research/peers/trust.py --data DIR --baca bin/baca --work WORK --sets {a.sets}`, {version}, scikit-learn {sklearn.__version__}.")


if __name__ == "__main__":
    main()
