"""Is BaCa's score of a molecule better than what other packages say of the same molecules, and are its intervals?

python peers.py --data DIR --baca bin/baca --work WORK [--out FOLDER]

Judges the pairs "report" and "fresh" of ../paper/sets.go with BaCa and with scikit-fingerprints, PyOD, nonconform and RDKit, then the
forests of trust.py with BaCa, crepes and MAPIE. Each method runs in a process of its own on the same parents and the same split. A result
is written to peers.csv in FOLDER (../results) as soon as it is there, so a stopped run resumes; peers.md is a page of that file.
Needs requirements-peers.txt.
"""

import argparse
import csv
import importlib.metadata
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSIDE, OUTSIDE, LEARN, ALPHA = 1200, 250, 0.75, 0.05
FIELDS = ["kind", "case", "method", "version", "auroc", "found", "false_alarms", "own_found", "cover80", "cover90", "cover95", "width",
          "fit_s", "score_s", "mb"]


# Detectors. Each takes SMILES to learn from and returns a function from SMILES to scores, higher outside, and own verdicts, True outside.
# Packages are imported where they are used, so that a process holds its own only.


def ecfp4(smiles, kind=float):
    import numpy as np
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator

    morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    return np.array([morgan.GetFingerprintAsNumPy(Chem.MolFromSmiles(s)) for s in smiles], dtype=kind)


def skfp(name, kind=float):
    def learn(smiles):
        import skfp.applicability_domain as domain

        fitted = getattr(domain, name)().fit(ecfp4(smiles, kind))

        def judge(new):
            x = ecfp4(new, kind)
            return fitted.score_samples(x), ~fitted.predict(x).astype(bool)

        return judge

    return learn


def pyod_model(name, **options):
    return getattr(importlib.import_module(f"pyod.models.{name.lower()}"), name)(contamination=ALPHA, **options)


def pyod(name, kind=float, **options):
    def learn(smiles):
        fitted = pyod_model(name, **options).fit(ecfp4(smiles, kind))

        def judge(new):
            x = ecfp4(new, kind)
            return fitted.decision_function(x), fitted.predict(x) == 1

        return judge

    return learn


def conformal(name, kind=float, **options):
    def learn(smiles):
        from nonconform import ConformalDetector, Split

        detector = pyod_model(name, **options)
        fitted = ConformalDetector(detector=detector, strategy=Split(n_calib=0.25), score_polarity="higher_is_anomalous", seed=1)
        fitted.fit(ecfp4(smiles, kind))

        def judge(new):
            x = ecfp4(new, kind)
            return fitted.score_samples(x), fitted.compute_p_values(x) <= ALPHA

        return judge

    return learn


def nearest(smiles):
    """One minus the largest Tanimoto similarity. Below 0.3 a molecule is outside, a common rule of thumb."""
    import numpy as np
    from rdkit import Chem, DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    prints = lambda texts: [morgan.GetFingerprint(Chem.MolFromSmiles(s)) for s in texts]
    known = prints(smiles)

    def judge(new):
        similarity = np.array([max(DataStructs.BulkTanimotoSimilarity(p, known)) for p in prints(new)])
        return 1 - similarity, similarity < 0.3

    return judge


def size(smiles):
    """The number of heavy atoms, for comparison. Outside are those above 95 % of the training molecules."""
    import numpy as np
    from rdkit import Chem

    atoms = lambda texts: np.array([Chem.MolFromSmiles(s).GetNumHeavyAtoms() for s in texts])
    limit = np.percentile(atoms(smiles), 100 * (1 - ALPHA))
    return lambda new: (atoms(new), atoms(new) > limit)


SKFP, PYOD, NONCONFORM, RDKIT, BACA = "scikit-fingerprints", "pyod", "nonconform", "rdkit", "baca"
DETECTORS = {
    "BaCa, alone": (BACA, "alone"),
    "BaCa, batch": (BACA, "batch"),
    "RDKit, nearest": (RDKIT, nearest),
    "scikit-fingerprints, KNN": (SKFP, skfp("KNNADChecker", "uint8")),
    "scikit-fingerprints, Leverage": (SKFP, skfp("LeverageADChecker")),
    "scikit-fingerprints, DistanceToCentroid": (SKFP, skfp("DistanceToCentroidADChecker")),
    "PyOD, KNN": (PYOD, pyod("KNN")),
    "PyOD, KNN, Jaccard": (PYOD, pyod("KNN", bool, metric="jaccard", algorithm="brute", method="mean")),
    "PyOD, ECOD": (PYOD, pyod("ECOD")),
    "PyOD, IForest": (PYOD, pyod("IForest", random_state=1)),
    "nonconform, KNN, Jaccard": (NONCONFORM, conformal("KNN", bool, metric="jaccard", algorithm="brute", method="mean")),
    "nonconform, IForest": (NONCONFORM, conformal("IForest", random_state=1)),
    "heavy atoms": (RDKIT, size),
}


# Intervals. Each takes tables of held-out and new predictions with the spread of the forest's trees, and how to have the features, and
# returns a pair of limits for each coverage.


def crepes(normalised):
    def limits(train, new, _):
        from crepes import ConformalRegressor

        sigmas = (lambda t: t.spread.to_numpy() + 1e-9) if normalised else (lambda t: None)
        fitted = ConformalRegressor().fit(residuals=(train.y - train.yhat).to_numpy(), sigmas=sigmas(train))
        return [fitted.predict_int(new.yhat.to_numpy(), sigmas=sigmas(new), confidence=c / 100).T for c in coverages()]

    return limits


def mapie(train, new, features):
    from mapie.regression import CrossConformalRegressor
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(100, max_features=0.3, random_state=0)
    fitted = CrossConformalRegressor(forest, confidence_level=[c / 100 for c in coverages()], method="plus", cv=5)
    fitted.fit_conformalize(features(train), train.y.to_numpy())
    return list(fitted.predict_interval(features(new))[1].transpose(2, 1, 0))


def coverages():
    import trust

    return trust.COVERAGES


INTERVALS = {
    "BaCa, alone": (BACA, "interval_"),
    "BaCa, list": (BACA, "interval_batch_"),
    "crepes": ("crepes", crepes(False)),
    "crepes, by spread": ("crepes", crepes(True)),
    "MAPIE, CV+": ("mapie", mapie),
}


# A process for each method. It prints its times, in seconds of processor, and its peak memory, and writes its answers to a file.


def used(who):
    u = resource.getrusage(who)
    return u.ru_utime + u.ru_stime


def one(a):
    table, answers = (DETECTORS, detect) if a.kind == "domain" else (INTERVALS, predict)
    package, method = table[a.method]
    who = resource.RUSAGE_CHILDREN if package == BACA else resource.RUSAGE_SELF
    told = answers(a, package, method, lambda: used(who))
    if a.kind == "domain":  # for intervals pandas is there before BaCa begins
        told["mb"] = resource.getrusage(who).ru_maxrss / 1024
    print(json.dumps(told))


def detect(a, package, method, clock):
    if package == BACA:
        return detect_baca(a, method, clock)
    read = lambda name: [r["smiles"] for r in csv.DictReader((a.folder / name).open())]
    learn, new = read("learn.csv"), read("new.csv")
    method(learn[:30])(new[:5])  # imports and compiles
    start = clock()
    judge = method(learn)
    fitted = clock()
    scores, outside = judge(new)
    scored = clock()
    write(a.answers, ["score", "outside"], zip(scores, map(int, outside)))
    return {"fit_s": fitted - start, "score_s": scored - fitted}


def detect_baca(a, by, clock):
    model, rows = a.folder / f"{by}.msgpack", a.folder / f"{by}.rows.csv"
    model.unlink(missing_ok=True)
    start = clock()
    run(a.baca, "train", a.folder / "learn.csv", "--out", model)
    fitted = clock()
    run(a.baca, "score", "--by", by, "--model", model, "--alpha", ALPHA, "--out", rows, a.folder / "new.csv")
    scored = clock()
    found = csv.DictReader(rows.open())
    write(a.answers, ["score", "outside"], [(r["score"], int(r["verdict"] == "outside")) for r in found])
    return {"fit_s": fitted - start, "score_s": scored - fitted}


def predict(a, package, method, clock):
    import pandas as pd
    import trust

    if package == BACA:
        start = clock()
        tables = trust.judged(a.baca, a.folder, next(iter(trust.WAYS)), a.method.removeprefix("BaCa, "))
        limits = [(t[f"{method}low"], t[f"{method}high"]) for t in tables]
    else:
        train, new = pd.read_csv(a.folder / "train.csv"), pd.read_csv(a.folder / "new.csv")
        start = clock()
        limits = method(train, new, trust_features)
    write(a.answers, [f"{end}{c}" for c in trust.COVERAGES for end in ("low", "high")], zip(*(end for pair in limits for end in pair)))
    return {"fit_s": clock() - start}


def trust_features(table):
    import trust

    return trust.features([trust.Chem.MolFromSmiles(s) for s in table.smiles])


def write(path, heads, rows):
    with path.open("w", newline="") as f:
        csv.writer(f).writerows([heads, *rows])


def run(*args):
    return subprocess.run([*map(str, args)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


# Splits.


def pairs(kind):
    text = (HERE.parent / "paper" / "sets.go").read_text()
    return re.search(rf"{kind}Pairs\s*=\s*pairsOf\(`([^`]*)`\)", text)[1].split()


def parents(a, name):
    """Parents of a set by BaCa, each once and in the file's order; those that RDKit cannot read are left out."""
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    file = a.work / "parents" / f"{name}.csv"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        source = next(p for p in (a.data / "mol" / f"{name}.csv.gz", a.data / "external" / f"{name}.csv.gz") if p.exists())
        run(a.baca, "score", "--structures", "parent", "--drop-columns", "--column", "smiles", "--out", file, source)
    texts = dict.fromkeys(r["scored_smiles"] for r in csv.DictReader(file.open()))
    return [s for s in texts if s and Chem.MolFromSmiles(s)]


def split(a, pair):
    """Writes what a pair learns from, the list to judge, and apart from it the truth."""
    import numpy as np

    folder = a.work / "pairs" / pair.replace("/", "-")
    if not (folder / "truth.csv").exists():
        rng = np.random.default_rng(1)
        inside, other = (parents(a, name) for name in pair.split("/"))
        known = set(inside)
        draw = lambda texts, n: [texts[k] for k in rng.permutation(len(texts))[:n]]
        inside = draw(inside, INSIDE)
        learn, held = inside[: int(LEARN * len(inside))], inside[int(LEARN * len(inside)) :]
        outside = draw([s for s in other if s not in known], OUTSIDE)
        new = draw([(s, 0) for s in held] + [(s, 1) for s in outside], None)
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "learn.csv", ["smiles"], [(s,) for s in learn])
        write(folder / "new.csv", ["smiles"], [(s,) for s, _ in new])
        write(folder / "truth.csv", ["outside"], [(o,) for _, o in new])
    return folder


def forests(a, case):
    """Writes held-out and new predictions of a forest, by trust.py: the first split of a set."""
    import trust

    name, file, column, order = next(s for s in trust.REPORT if s[0] == case)
    folder = a.work / "forests" / name.replace(" ", "")
    if not (folder / "train.csv").exists():
        trust.fit(folder, trust.load(a.data, file, column, order), order, 0)
    return folder


# Measures. Only these see the truth.


def measure_domain(folder, answers):
    import pandas as pd
    from sklearn.metrics import roc_auc_score

    outside, told = pd.read_csv(folder / "truth.csv").outside == 1, pd.read_csv(answers)
    inside = told.score[~outside].sort_values(ascending=False)
    limit = inside.iloc[int(ALPHA * len(inside))]
    return {
        "auroc": 100 * roc_auc_score(outside, told.score), "found": 100 * (told.score[outside] > limit).mean(),
        "false_alarms": 100 * told.outside[~outside].mean(), "own_found": 100 * told.outside[outside].mean(),
    }


def measure_intervals(folder, answers):
    import numpy as np
    import pandas as pd

    new, told = pd.read_csv(folder / "new.csv"), pd.read_csv(answers)
    known = told.low90.notna()
    inside = lambda c: 100 * ((told[f"low{c}"] <= new.y) & (new.y <= told[f"high{c}"]))[known].mean()
    exact = 2 * np.percentile((new.y - new.yhat).abs(), 90)
    return {**{f"cover{c}": inside(c) for c in coverages()}, "width": (told.high90 - told.low90)[known].mean() / exact}


def version(a, package):
    return run(a.baca, "version").split("\n")[0] if package == BACA else f"{package} {importlib.metadata.version(package)}"


def cases():
    import trust

    for kind in "report", "fresh":
        yield from (("domain", pair, DETECTORS, split, measure_domain) for pair in pairs(kind))
    yield from (("interval", s[0], INTERVALS, forests, measure_intervals) for s in trust.REPORT)


def measure(a):
    file = a.out / "peers.csv"
    done = {tuple(r[k] for k in FIELDS[:4]) for r in csv.DictReader(file.open())} if file.exists() else set()
    with file.open("a", newline="") as f:
        rows = csv.DictWriter(f, FIELDS)
        if not done:
            rows.writeheader()
        for kind, case, methods, prepare, measured in cases():
            for method, (package, _) in methods.items():
                key = dict(zip(FIELDS, (kind, case, method, version(a, package))))
                if tuple(key.values()) in done:
                    continue
                folder = prepare(a, case)
                answers = folder / f"{re.sub('[^A-Za-z0-9]+', '-', method)}.answers.csv"
                call = [sys.executable, "-W", "ignore", __file__, "--baca", a.baca, "--kind", kind, "--method", method, "--folder", folder]
                alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
                start = time.time()
                told = subprocess.run([*map(str, call), "--answers", str(answers)], check=True, stdout=subprocess.PIPE, text=True, env=alone)
                found = {**json.loads(told.stdout.strip().split("\n")[-1]), **measured(folder, answers)}
                rows.writerow(key | {k: f"{v:.4g}" for k, v in found.items()})
                f.flush()
                print(f"{case}: {method}, {time.time() - start:.0f} s", file=sys.stderr)


# The page.


def table(heads, rows):
    line = lambda cells: f"|{'|'.join(cells)}|"
    return "\n".join([line(heads), "|---" * len(heads) + "|", *map(line, rows)])


def detectors(sets):
    """Means of the methods over the pairs of each of two sets; times and memory over all."""
    both = lambda method, k: "/".join(f"{t[t.method == method][k].mean():.1f}" for t in sets)
    mean = lambda method, k, digits: f"{sum(t[t.method == method][k].mean() for t in sets) / len(sets):.{digits}f}"
    for method in DETECTORS:
        yield [method, *(both(method, k) for k in FIELDS[4:8]), *(mean(method, k, 1) for k in ("fit_s", "score_s")), mean(method, "mb", 0)]


def ahead(t):
    """Pairs on which another package has a higher AUROC than BaCa alone; the best one, and BaCa's by the list."""
    for case, of in t.groupby("case", sort=False):
        of = of.set_index("method").auroc
        peers = of[~of.index.str.startswith("BaCa") & (of.index != "heavy atoms")]
        if peers.max() > of["BaCa, alone"]:
            yield f"{case} {peers.max():.1f} ({peers.idxmax()}; {of['BaCa, alone']:.1f}, {of['BaCa, batch']:.1f})"


def interval_rows(t):
    for method in INTERVALS:
        of = t[t.method == method]
        asked = [(of[f"cover{c}"], c) for c in coverages()]
        mean = "/".join(f"{x.mean():.1f}" for x, _ in asked)
        worst = "/".join(f"{x.iloc[(x - c).abs().argmax()]:.1f}" for x, c in asked)
        yield [method, mean, worst, f"{of.width.mean():.2f}", f"{of.fit_s.mean():.2f}"]


def page(file):
    import pandas as pd

    t = pd.read_csv(file)
    heads = ["", "AUROC", "found at 5 %", "false alarms", "found so", "learn, s", "judge, s", "MB"]
    sets = [t[(t.kind == "domain") & t.case.isin(pairs(kind))] for kind in ("report", "fresh")]
    both = pd.concat(sets)
    behind, atoms = list(ahead(both)), both[both.method == "heavy atoms"].set_index("case").auroc
    return TEXT.format(
        detectors=table(heads, detectors(sets)), ahead="; ".join(behind), atoms=atoms.round().astype(int), first=both.case.nunique() - len(behind), pairs=both.case.nunique(),
        intervals=table(["", "coverage", "worst set", "width", "s"], interval_rows(t[t.kind == "interval"])),
        versions=", ".join(t.version.unique()), python=sys.version.split()[0], cores=os.cpu_count(),
        older=OLDER if sys.version_info < (3, 12) else "")


TEXT = """# BaCa beside other packages

Each method learns three quarters of at most 1200 molecules and judges the others among 250 of another set, none of them known: ten pairs of
[other sources](external/report.md)/ten [fresh](fresh/report.md) ones. All get BaCa's parents, fingerprints are ECFP4 with 2048 bits, settings the packages' own.
Percent: AUROC; found where 5 % from inside are called; false alarms and found by the package's verdict at 5 % (RDKit: similarity below 0.3). Seconds of
processor to learn and to judge; peak memory.

{detectors}

nonconform calibrates PyOD's detectors with a quarter of the set.

## Where BaCa is not first

Of what judges molecules by themselves *alone* is best on {first} of {pairs} pairs. The best elsewhere, with *alone* and *batch*: {ahead}.

- **Series for one target** (ACE) share their chemistry at large, so only the nearest molecule tells.
- **Larger molecules** (biogen/ace_CHEMBL214_Ki, esol/bbbp, toxcast/bace): Euclidean distance and leverage of bits grow with size; the number of heavy
  atoms alone has {atoms[biogen/ace_CHEMBL214_Ki]}, {atoms[esol/bbbp]} and {atoms[toxcast/bace]}. For smaller ones (sider/esol: {atoms[sider/esol]}) they are below chance.
- **Diverse drugs** (sider, clintox, bbbp): the others are small and plain, with few new parts, but far from the nearest drug.
- **Found by the verdict**: a rule of thumb finds more by more false alarms. *batch* asks for more than its p-value.
- **Time**: RDKit's neighbours learn nothing; BaCa learns a ratio to a background.

## Intervals

Forests of [trust.py](forests.md), first split; 80/90/95 % asked; width of 90 % beside a constant one exact in hindsight; seconds besides the forests, but MAPIE fits its own.

{intervals}

crepes by spread and BaCa scale the same errors. Not tried: Chemprop's uncertainty, and ADMET-AI's percentiles, which are of predicted properties.

`python build/research/peers/peers.py --data DIR --baca bin/baca --work WORK`, [requirements](../peers/requirements-peers.txt): {versions}, Python {python}, {cores} cores.{older}
"""

# What nonconform 2.0.0 needs on older versions of Python.
OLDER = " nonconform asks for Python 3.12; for this one the type parameters of one function were removed (`_internal/log_utils.py`)."


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in "data", "baca", "work", "folder", "answers":
        p.add_argument(f"--{name}", type=Path)
    p.add_argument("--out", type=Path, default=HERE.parent / "results")
    p.add_argument("--kind")
    p.add_argument("--method")
    a = p.parse_args()
    if a.method:
        return one(a)
    measure(a)
    (a.out / "peers.md").write_text(page(a.out / "peers.csv"))


if __name__ == "__main__":
    main()
