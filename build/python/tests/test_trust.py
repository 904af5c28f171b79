"""What error to expect of a prediction, against the command on the same files."""

import csv
import io
import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import baca
from baca._child import program

HYDRATION = Path(__file__).parents[2] / "baca" / "testdata" / "hydration.csv"  # the example of TRUST.md
NUMBERS = ["score", "predicted", "expected_error", "interval_low", "interval_high", "interval_batch_low", "interval_batch_high"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with train.csv, new.csv and the model of the command."""
    folder = tmp_path_factory.mktemp("trust")
    lines = HYDRATION.read_text().splitlines(keepends=True)
    (folder / "train.csv").write_text("".join(lines[:501]))
    new = lines[501:]
    new[3] = "broken,C(,1,2\n"
    new[5] = "no prediction,CCO,1,\n"
    new[7] = "salt,[Na+].[Cl-],1,2\n"
    new[9] = "peptide,NCC(=O)NCC(=O)NCC(=O)NCC(=O)NCC(=O)NCC(=O)O,1,2\n"  # the farthest by its score
    (folder / "new.csv").write_text(lines[0] + "".join(new))
    values = ["--observed", "observed", "--held-out", "predicted"]
    run = ["train", "train.csv", *values, "--epochs", "3", "--seed", "5", "--out", "plain.msgpack"]
    subprocess.run([program(), *run], cwd=folder, check=True, capture_output=True)
    keep = ["model", "structures", "plain.msgpack", "--in", "train.csv", "--observed", "observed", "--predicted", "predicted", "--out", "theirs.msgpack"]
    subprocess.run([program(), *keep], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def fitted(folder):
    train = pd.read_csv(folder / "train.csv")
    return baca.Detector(alpha=0.1, epochs=3, seed=5).fit(train, observed=train.observed, predicted=train.predicted)


@pytest.mark.parametrize(
    "options, flags",
    [
        ({}, []),
        ({"coverage": 0.8, "tolerance": 0.7, "large_errors": 0.4}, ["--coverage", "0.8", "--tolerance", "0.7", "--large-errors", "0.4"]),
        ({"errors_by": "score"}, ["--errors-by", "score"]),
    ],
)
def test_trust_is_that_of_the_command(folder, fitted, options, flags):
    run = [program(), "trust", "--model", "theirs.msgpack", "--predicted", "predicted", *flags, "new.csv"]
    table = list(csv.DictReader(io.StringIO(subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stdout)))
    new = pd.read_csv(folder / "new.csv", index_col="name")
    for detector in (fitted, baca.Detector(folder / "theirs.msgpack", by="batch")):
        with pytest.warns(baca.RefusedWarning, match="2 of 142 records are refused and have no interval: row 4: character 2.*row 6: predicted is 'nan'") as caught:
            trusted = detector.trust(new, new.predicted, **options)
        assert caught[0].filename == __file__
        assert trusted.index.equals(new.index) and list(trusted) == [*NUMBERS, "trust", "trust_batch", "error", "set_aside"]
        # The same numbers, to the last digit.
        for name in NUMBERS:
            np.testing.assert_array_equal(trusted[name], [float(row[name] or "nan") for row in table], name)
        for name in ("trust", "trust_batch"):
            assert trusted[name].fillna("").tolist() == [row[name] for row in table]
    assert {"trust", "check", "do-not-use"} >= set(trusted.trust.dropna()) and trusted.trust.nunique() > 1
    assert trusted.error.notna().tolist() == [i in (3, 5) for i in range(len(new))]
    assert np.isfinite(trusted.score.iloc[5]) and np.isnan(trusted.score.iloc[3])
    if options.get("errors_by") == "score":
        farthest = trusted.loc["peptide"]
        assert farthest.trust == "do-not-use" and np.isnan(farthest.interval_low) and farthest.error is None


def test_one_answer_whatever_the_list(folder, fitted):
    new = pd.read_csv(folder / "new.csv")[10:20]
    smiles, predicted = new.smiles.tolist(), new.predicted.tolist()
    together = fitted.trust(smiles, predicted)
    assert together.index.tolist() == list(range(10))
    whole = ["interval_batch_low", "interval_batch_high", "trust_batch"]
    assert fitted.trust(smiles[4], predicted[4]).drop(columns=whole).iloc[0].to_dict() == together.drop(columns=whole).iloc[4].to_dict()
    # A list of 50 or more is also judged as a whole.
    long = fitted.trust(smiles * 500, np.array(predicted * 500).reshape(-1, 1))
    assert len(long) == 5000 and long.iloc[4990:].drop(columns=whole).to_dict("list") == together.drop(columns=whole).to_dict("list")
    assert long[whole].notna().all(axis=None) and together[whole].isna().all(axis=None)
    assert fitted.trust([], []).shape == (0, 11)


def test_classes():
    texts = ["C" * n + end for n in range(1, 80) for end in ("O", "N", "Cl")]
    observed = [int("N" in text) for text in texts]
    predicted = [0.6 if len(text) % 7 else 0.3 for text in texts]
    detector = baca.Detector(epochs=1).fit(texts, observed=observed, predicted=predicted)
    trusted = detector.trust(["CCCO", "CCN"], [0.6, 0.3])
    assert trusted.interval_low.isna().all() and trusted.expected_error.between(0.3, 0.7).all()


def test_fingerprints():
    with pytest.warns(baca.RefusedWarning, match="row 3"):
        features = baca.fingerprints(["CCO", "OCC", "C(", "CCCO"])
    assert features.shape == (4, 2048) and features.dtype == np.uint8
    # Three atoms, each with surroundings of 0, 1 and 2 bonds, in any order.
    assert features.sum(axis=1).tolist() == [9, 9, 0, 12] and np.array_equal(features[0], features[1])
    assert baca.fingerprints([]).shape == (0, 2048)


def test_estimator(folder):
    """One call gives predictions, intervals and verdicts: those of doing it by hand."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.model_selection import KFold

    train, new = pd.read_csv(folder / "train.csv"), pd.read_csv(folder / "new.csv").smiles[10:80]
    forest = RandomForestRegressor(5, random_state=0)
    observed = train.observed.astype(float)
    observed[7] = np.nan
    detector = baca.Detector(epochs=1, seed=5).fit(train, observed, estimator=forest)
    trusted = detector.trust(new)
    features, known = baca.fingerprints(train), np.flatnonzero(observed.notna())
    spread = lambda fitted, x: np.std([tree.predict(x) for tree in fitted.estimators_], axis=0)
    held_out, unsure = np.full(len(train), np.nan), np.full(len(train), np.nan)
    for rest, fold in KFold(5, shuffle=True, random_state=5).split(known):
        fitted = RandomForestRegressor(5, random_state=0).fit(features[known[rest]], observed[known[rest]])
        held_out[known[fold]], unsure[known[fold]] = fitted.predict(features[known[fold]]), spread(fitted, features[known[fold]])
    with pytest.warns(UserWarning, match="3 of 1500 values are not known: row 8"):
        by_hand = baca.Detector(epochs=1, seed=5).fit(train, observed=observed, predicted=held_out, uncertainty=unsure)
    whole = forest.fit(features[known], observed[known])
    predicted, doubt = whole.predict(baca.fingerprints(new)), spread(whole, baca.fingerprints(new))
    other = by_hand.trust(new, predicted, uncertainty=doubt)
    batch = ["interval_batch_low", "interval_batch_high"]  # for which only the first knows errors on new scaffolds
    pd.testing.assert_frame_equal(trusted.drop(columns=batch), other.drop(columns=batch), rtol=1e-9)
    assert trusted.trust.notna().all() and trusted[batch].notna().all(axis=None)
    with pytest.raises(ValueError, match="errors by uncertainty: the predictions have no uncertainty"):
        by_hand.trust(new, predicted)
    by_hand.trust(new, predicted, errors_by="neighbors")
    with pytest.raises(ValueError, match="fitted with an estimator"):
        by_hand.trust(new)
    with pytest.raises(ValueError, match="an estimator wants y"):
        baca.Detector().fit(train, estimator=forest)
    with pytest.raises(ValueError, match="without predicted"):
        baca.Detector().fit(train, uncertainty=unsure)


def test_estimator_of_classes():
    from sklearn.tree import DecisionTreeClassifier

    texts = ["C" * n + end for n in range(1, 80) for end in ("O", "N", "Cl")]
    classes = np.array([len(text) % 3 == 0 or "N" in text for text in texts], float)
    detector = baca.Detector(epochs=1).fit(texts, classes, estimator=DecisionTreeClassifier(max_depth=3))
    trusted = detector.trust(["CCCO", "CCN"])
    assert trusted.interval_low.isna().all() and trusted.predicted.between(0, 1).all() and trusted.trust.notna().all()
    with pytest.raises(ValueError, match="y of a classifier: want 0, 1 or NaN"):
        baca.Detector().fit(texts, classes + 1, estimator=DecisionTreeClassifier())


@pytest.mark.parametrize("module", ["pandas", "pandas.core.series"])  # as pandas 3 and 2 say
def test_index(fitted, monkeypatch, module):
    monkeypatch.setattr(pd.Series, "__module__", module)
    molecules = pd.Series(["CCO", "CCN"], index=["a", "b"])
    assert list(fitted.trust(molecules, [1, 2]).index) == ["a", "b"]


def test_wrong_values(folder, fitted):
    texts = ["C" * n + "O" for n in range(1, 40)]
    with pytest.raises(ValueError, match="want both or neither"):
        baca.Detector().fit(texts, observed=np.ones(39))
    with pytest.raises(ValueError, match="predicted has the shape .3,. for 39 records"):
        baca.Detector().fit(texts, observed=np.ones(39), predicted=[1, 2, 3])
    with pytest.raises(ValueError, match="4 of 4 graphs kept from training have both values: want at least 20"):
        baca.Detector(epochs=1).fit(texts, observed=np.ones(39), predicted=np.ones(39))
    with pytest.warns(UserWarning, match="2 of 78 values are not known: row 4: observed is 'None'"), pytest.raises(ValueError, match="at least 20"):
        baca.Detector(epochs=1).fit(texts, observed=[*[1] * 3, None, *[1] * 35], predicted=[*[1] * 38, "much"])
    frame = pd.DataFrame({"smiles": ["CCO", "CCN"]}, index=["a", "b"])
    with pytest.raises(ValueError, match="predicted has another index"):
        fitted.trust(frame, pd.Series([1.0, 2.0], index=["b", "a"]))
    with pytest.raises(ValueError, match="all 2 records are refused"):
        fitted.trust(frame, [None, "x"])
    with pytest.raises(ValueError, match="model drugs knows no held-out errors"):
        baca.Detector("drugs").trust("CCO", 1)
    for options in ({"coverage": 0}, {"coverage": 1}, {"coverage": float("nan")}, {"tolerance": -1}, {"tolerance": float("inf")}, {"large_errors": 0.5}):
        with pytest.raises(ValueError, match=f"^{list(options)[0]}="):
            fitted.trust("CCO", 1, **options)


def test_neighbors_have_values(folder):
    """Those of a built-in model, which were measured, and those of a model with structures in it."""
    for model in ("esol", folder / "theirs.msgpack"):
        run = [program(), "score", "--model", str(model), "--explain", "--to", "jsonl", "--format", "smi", "-"]
        row = json.loads(subprocess.run(run, input="CCCOCCO\n", check=True, capture_output=True, text=True).stdout)
        explanations = baca.Detector(model).explain("CCCOCCO")
        nearest = explanations[0].nearest
        assert [n.name for n in nearest] == row["nearest_names"] and len(nearest) == 3
        assert [n.observed for n in nearest] == row["nearest_observed"]
        assert [n.predicted for n in nearest] == (row["nearest_predicted"] or [None] * 3)
        assert (nearest[0].predicted is None) == (model == "esol")
        assert f"observed {nearest[0].observed:g}" in explanations._repr_html_()
