"""Verbs of the command for lists in memory give its answers."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import ASPIRIN, RDX

import baca


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="there is no pandas")


def ask(*arguments):
    return subprocess.run([sys.executable, "-m", "baca", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def library(tmp_path, molecules):
    path = tmp_path / "library.smi"
    path.write_text("".join(text + "\n" for text in molecules))
    return path


def test_compare(tmp_path, molecules, library):
    half = tmp_path / "half.smi"
    half.write_text("".join(text + "\n" for text in molecules[::2]))
    page = tmp_path / "difference.html"
    found = baca.compare(molecules, molecules[::2], fdr=0.1, html=page)
    want = json.loads(ask("compare", "--json", "--fdr", "0.1", library, half))
    for side in (found, want):
        for name in ("a", "b"):
            side.pop(name, None)  # they name the files
    assert found == want and len(found) > 3 and "<html" in page.read_text()
    with pytest.raises(ValueError, match="html"):
        baca.compare(molecules, molecules, html=tmp_path / "difference.pdf")


def test_suggest(pandas, molecules, library):
    picks = baca.suggest(molecules, 3)
    want = rows(ask("suggest", "-n", 3, library))
    assert [molecules[i] for i in picks.row] == list(picks.smiles) == [row["smiles"] for row in want]
    assert list(picks["rank"]) == [1, 2, 3] and list(picks.gain) == [float(row["gain"]) for row in want]
    prices = np.ones(len(molecules))
    prices[picks.row[0]] = np.nan
    cheap = baca.suggest(molecules, 3, prices=prices, budget=2)
    assert len(cheap) == 2 and picks.row[0] not in list(cheap.row)
    assert list(baca.suggest(molecules, 1, baca.Detector("esol")).smiles) == [rows(ask("suggest", "-n", 1, "--model", "esol", library))[0]["smiles"]]


def test_drift(pandas, molecules, library):
    series = pandas.Series([*molecules, "C("], index=range(100, 101 + len(molecules)))
    found = baca.drift(series, delta=0.05, seed=2)
    want = rows(ask("drift", "--delta", 0.05, "--seed", 2, library))
    assert list(found.index) == list(series.index) and "never closed" in found.error.iloc[-1] and not found.moved.iloc[0] and found.moved.iloc[-2]
    for name in ("score", "p_value", "log10"):
        assert list(found[name][:-1]) == [float(row[name]) for row in want], name


def test_report(tmp_path):
    out = baca.report([ASPIRIN, RDX], tmp_path / "report.html", baca.Detector("drugs", alpha=0.1))
    assert "RDX" not in out.read_text() and RDX in out.read_text() and "0.1" in out.read_text()
    assert "QPRF" in baca.report([ASPIRIN], tmp_path / "domain.html", qprf=True).read_text()


def test_calibrate(tmp_path, molecules, library):
    own = baca.Detector("drugs", alpha=0.1).calibrate(molecules)
    ask("model", "calibrate", "drugs", "--holdout", library, "--out", tmp_path / "own.msgpack")
    same = baca.Detector.load(tmp_path / "own.msgpack", alpha=0.1)
    assert list(own.p_values(molecules)) == list(same.p_values(molecules)) and own.alpha == 0.1
    assert list(own.scores(molecules)) == list(baca.Detector("drugs").scores(molecules)) and own.p_values(molecules).min() > 0.001
    with pytest.raises(ValueError, match="at least 20"):
        own.calibrate(molecules[:5])


def test_confidence(tmp_path, detector, molecules, library):
    """Fewer are outside, the same as of the command, and the threshold says so, too."""
    sure = baca.Detector("drugs", confidence=0.99)
    want = [row["verdict"] for row in rows(ask("score", "--confidence", 0.99, library))]
    assert list(sure.predict(molecules) == -1) == [verdict == "outside" for verdict in want]
    assert (sure.predict(molecules) == -1).sum() < (detector.predict(molecules) == -1).sum()
    assert list(sure.decision_function(molecules) <= 0) == list(sure.predict(molecules) == -1) and sure.offset_ < detector.offset_
    assert list(baca.score_file(library, model=sure).verdict) == want
    hopeless = baca.Detector("esol", alpha=0.01, confidence=0.999)
    with pytest.warns(UserWarning, match="and more for a confidence of 0.999"):
        assert not hopeless.predict(molecules).any()
    with pytest.raises(ValueError, match="confidence=2: want"):
        baca.Detector("drugs", confidence=2).predict(ASPIRIN)


def test_approximate(molecules, library):
    wide, detector = baca.Detector("esol", by="approximate"), baca.Detector("esol")
    want = rows(ask("score", "--model", "esol", "--by", "approximate", "--fdr", 0.01, library))
    assert list(wide.p_values(molecules)) == [float(row["p_value"]) for row in want]
    assert list(wide.scores(molecules)) == list(detector.scores(molecules)) and not np.array_equal(wide.p_values(molecules), detector.p_values(molecules))
    assert list(wide.select(molecules, fdr=0.01)) == [row["verdict"] == "outside" for row in want]
    with pytest.raises(ValueError, match="model drugs has the background "):
        baca.Detector("drugs", by="approximate").scores(ASPIRIN)
    with pytest.raises(ValueError, match="decision_function with by='approximate'"):
        wide.decision_function(molecules)


def test_neighbors_are_columns(pandas):
    frame = pandas.DataFrame({"smiles": ["CCCOCCO", "C(", "CCO"]}, index=list("abc"))
    with pytest.warns(baca.RefusedWarning):
        found = baca.score(frame, model="esol", neighbors=2, prefix="x_")
    nearest = baca.Detector("esol").explain(["CCCOCCO", "CCO"])
    for name, place in (("a", 0), ("c", 1)):
        for k in range(2):
            n = nearest[place].nearest[k]
            assert tuple(found.loc[name, [f"x_nearest_{k + 1}_{what}" for what in ("smiles", "similarity", "name", "observed")]]) == (n.smiles, n.similarity, n.name, n.observed)
    assert found.loc["b", "x_nearest_1_smiles"] is None and np.isnan(found.loc["b", "x_nearest_1_similarity"])
    polars = pytest.importorskip("polars", reason="there is no polars")
    assert baca.score(polars.DataFrame({"smiles": ["CCCOCCO"]}), model="esol", neighbors=1)["nearest_1_smiles"].to_list() == [nearest[0].nearest[0].smiles]


def test_column_is_found(pandas, detector):
    """As the command finds it: by its name, else by what is in it."""
    frame = pandas.DataFrame({"id": ["a1", "b2", "c3"], "activity": [1.5, 2, 3], "Canonical_Smiles": [ASPIRIN, RDX, "CCO"]})
    want = list(detector.scores(list(frame.Canonical_Smiles)))
    anything = frame.rename(columns={"Canonical_Smiles": "structure text"})
    for found in (frame, anything):
        assert list(baca.score(found).score) == want == list(detector.scores(found))
    with pytest.raises(KeyError, match="none holds SMILES: the frame has id, activity"):
        baca.score(frame[["id", "activity"]])
    with pytest.raises(KeyError, match="no column 'structure'"):
        baca.score(frame, smiles_column="structure")
    chem = pytest.importorskip("rdkit.Chem", reason="there is no RDKit")
    mols = pandas.DataFrame({"name": ["CO", "CC", "N"], "mol": [chem.MolFromSmiles(text) for text in frame.Canonical_Smiles]})
    assert list(baca.score(mols).verdict) == list(baca.score(frame).verdict)
