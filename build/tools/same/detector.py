"""Prints what the Python package answers, to compare it with that of another commit."""

import csv
import warnings

import numpy as np

import baca

np.set_printoptions(threshold=10_000, linewidth=200)


def show(title, ask):
    """Prints the answer, or the error, and all warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            answer = ask()
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
    print(f"== {title}\n{answer}")
    for w in heard:
        if issubclass(w.category, UserWarning):
            print(f"{w.category.__name__}: {w.message}")


def columns(path):
    """The columns of a table."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


few, new, train = (columns(f"in/{name}.csv") for name in ("few", "new", "train"))
odd = [*few["smiles"], "C(", "aspirin", "", "[Na+].[Cl-]"]
numbers = {name: [float(x) for x in train[name]] for name in ("logS", "logS_pred", "sd", "fresh")}

show("models", baca.models)
for options in ({}, {"alpha": 0.2, "seed": 3}, {"by": "batch"}, {"by": "attention"}, {"model": "bbbp"}, {"model": "in/own.msgpack"}):
    detector = baca.Detector(**{"model": "drugs", **options})
    for method in ("scores", "p_values", "predict", "score_samples", "decision_function", "select", "whole"):
        show(f"{options} {method}", lambda: getattr(detector, method)(odd))
    show(f"{options} itself", lambda: detector)
    show(f"{options} offset", lambda: detector.offset_)
    show(f"{options} explain", lambda: "\n".join(map(repr, detector.explain(odd[:3] + odd[-4:]))))
show("explain html", lambda: baca.Detector("drugs").explain(odd[:3])._repr_html_())
for bad in ({"model": "none"}, {"model": "in/cut.msgpack"}, {"model": "drugs", "alpha": 3}, {"model": "drugs", "by": "luck"}, {"model": "in/trees.msgpack"}, {}):
    show(f"{bad}", lambda: baca.Detector(**bad).scores(odd))
show("no molecule", lambda: baca.Detector("drugs").scores(["C(", ""]))
show("fingerprints", lambda: [np.flatnonzero(row).tolist() for row in baca.fingerprints(odd)])
for by in ("scaffold", "cluster", "random"):
    show(f"split {by}", lambda: baca.split(odd, by=by, test=0.3, seed=2))
show("split time", lambda: baca.split(train["smiles"], by="time", values=train["date"]))
show("split property", lambda: baca.split(train["smiles"], by="property"))

fitted = baca.Detector(seed=2)
show("fit", lambda: fitted.fit(train["smiles"], observed=numbers["logS"], predicted=numbers["logS_pred"], uncertainty=numbers["sd"], new_scaffold=numbers["fresh"], keep_structures=True))
show("fitted scores", lambda: (fitted.decision_scores_, fitted.labels_, fitted.scores(odd)))
try:
    import networkx
except ImportError:
    print("without networkx")
else:
    show("graphs", lambda: baca.Detector("in/trees.msgpack").scores([networkx.cycle_graph(n) for n in range(3, 30)]))
show("save", lambda: fitted.save("fitted.msgpack"))
show("load", lambda: baca.Detector.load("fitted.msgpack", alpha=0.1).predict(odd))
show("as written", lambda: baca.Detector(epochs=2).fit(train["smiles"][:40], as_written=True).scores(odd))
show("fit few", lambda: baca.Detector().fit(odd[:3]))
show("fit half", lambda: baca.Detector().fit(odd, observed=[1.0] * len(odd)))

try:
    import pandas
except ImportError:
    print("without pandas")
else:
    pandas.set_option("display.width", 250, "display.max_columns", None, "display.max_rows", None, "display.max_colwidth", None)
    own = baca.Detector("in/own.msgpack")
    predicted = [float(x) for x in new["logS_pred"]]
    show("trust", lambda: own.trust(new["smiles"], predicted))
    show("trust of few", lambda: own.trust(odd, [1.0] * len(odd), coverage=0.8, tolerance=1, large_errors=0.1, errors_by="score"))
    show("trust unsure", lambda: fitted.trust(new["smiles"], predicted, uncertainty=[0.5] * len(predicted)))
    show("trust without", lambda: baca.Detector("drugs").trust(odd, [1.0] * len(odd)))
    frame = pandas.DataFrame({"smiles": odd, "note": range(len(odd))})
    show("score", lambda: baca.score(frame))
    show("score batch", lambda: baca.score(frame, model="bbbp", alpha=0.2, prefix="baca_", by="batch"))
    show("score none", lambda: baca.score(frame, smiles_column="none"))
    show("score_file", lambda: baca.score_file("in/odd.csv", column="structure"))
    show("score_file sheet", lambda: baca.score_file("in/exceljs.xlsx", sheet="compounds", model="in/own.msgpack"))
    show("score_file out", lambda: baca.score_file("in/few.sdf", "rows.csv", by="batch", seed=2))
    show("score_file missing", lambda: baca.score_file("in/missing.csv"))
