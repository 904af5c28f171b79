"""What can be asked about, and data frames."""

import sys
import types

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from conftest import ASPIRIN, RDX
from rdkit import Chem

import baca


def test_molecules_of_any_kind(detector):
    texts = [ASPIRIN, RDX]
    want = detector.score_samples(texts).tolist()
    for given in (
        tuple(texts),
        np.array(texts),
        np.array(texts, dtype=object),
        np.array(texts).reshape(2, 1),
        pd.Series(texts, index=[7, 3]),
        pd.Series(texts, dtype="string"),
        pd.Series(texts, dtype="category"),
        pd.DataFrame({"anything": texts}),
        pd.DataFrame({"x": [1, 2], "smiles": texts}),
        [[text] for text in texts],
        (text for text in texts),
        [Chem.MolFromSmiles(text) for text in texts],
        [texts[0], Chem.MolFromSmiles(texts[1])],
        [f" {text}\t" for text in texts],
    ):
        assert detector.score_samples(given).tolist() == want, given
    assert detector.score_samples(RDX).tolist() == want[1:]
    assert detector.score_samples(Chem.MolFromSmiles(RDX)).tolist() == want[1:]


def test_polars(detector):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"smiles": [ASPIRIN, "C(", None]})
    with pytest.warns(baca.RefusedWarning):
        out = baca.score(frame)
    assert out.columns == ["smiles", "score", "p_value", "verdict", "error", "set_aside"]
    assert out["score"][0] == detector.scores(ASPIRIN)[0] and out["verdict"][1] is None


class Series(list):
    """A polars series, as far as the package looks at it."""

    def to_list(self):
        return list(self)


def test_frames_with_columns_of_polars(detector, monkeypatch):
    stand_in = types.ModuleType("polars")
    stand_in.Float64, stand_in.String = float, str
    stand_in.Series = lambda name, values, dtype: (name, values, dtype)
    monkeypatch.setitem(sys.modules, "polars", stand_in)

    class Frame:
        columns = ["smiles"]

        def __getitem__(self, name):
            return Series([ASPIRIN, RDX])

        def with_columns(self, columns):
            return list(columns)

    out = baca.score(Frame())
    assert [name for name, _, _ in out] == ["score", "p_value", "verdict", "error", "set_aside"]
    assert out[0][1:] == (detector.scores([ASPIRIN, RDX]).tolist(), float)
    assert out[2][1:] == (["inside", "outside"], str) and out[3][1] == [None, None]


def test_what_is_no_molecule(detector):
    for given, message in (
        ([1, 2], "row 1 is int"),
        ([ASPIRIN, object()], "row 2 is object"),
        (7, "int: want SMILES"),
        ({"smiles": [ASPIRIN]}, "dict: want SMILES"),
        (np.zeros((3, 2)), r"shape \(3, 2\)"),
    ):
        with pytest.raises(TypeError, match=message):
            detector.scores(given)
    with pytest.raises(ValueError, match="1 graphs and 1 molecules"):
        detector.scores([ASPIRIN, nx.path_graph(3)])


def test_text_that_is_no_ascii(detector):
    with pytest.warns(baca.RefusedWarning, match="row 2.*row 3"):
        scores = detector.scores([ASPIRIN, "Ω", "\ud800", RDX])
    assert scores[[0, 3]].tolist() == detector.scores([ASPIRIN, RDX]).tolist()


def test_plain_graphs():
    detector = baca.Detector(model="ptc_mr")
    graphs = [nx.cycle_graph(6), nx.relabel_nodes(nx.path_graph(4), str), nx.complete_graph(9), nx.empty_graph(2)]
    want = detector.score_samples(graphs)
    assert np.isfinite(want[:3]).all()

    class Data:  # as PyTorch Geometric has it
        def __init__(self, graph):
            edges = list(nx.convert_node_labels_to_integers(graph).edges())
            both = edges + [(b, a) for a, b in edges]
            self.edge_index, self.num_nodes = np.array(both).reshape(-1, 2).T, graph.number_of_nodes()

    assert np.array_equal(detector.score_samples([Data(g) for g in graphs]), want, equal_nan=True)
    assert detector.score_samples(graphs[0]).tolist() == want[:1].tolist()
    broken = Data(nx.path_graph(3))
    broken.num_nodes = 1
    with pytest.warns(baca.RefusedWarning, match="edge 0 joins nodes"):
        detector.scores([graphs[0], broken])
    with pytest.raises(ValueError, match="molecules"):
        baca.Detector(model="bbbp").scores(graphs)


def test_pieces(monkeypatch, detector, molecules):
    """Where a list is cut does not show."""
    whole = detector.score_samples(molecules)
    monkeypatch.setattr("baca._inputs._BYTES", 50)
    assert np.array_equal(detector.score_samples(molecules), whole)
    with pytest.warns(baca.RefusedWarning, match="row 71: "):
        detector.scores([*molecules[:70], "C(", *molecules[:5]])


def test_frame(detector):
    frame = pd.DataFrame({"smiles": [ASPIRIN, "C(", None, RDX], "x": range(4)}, index=list("abca"))
    before = frame.copy()
    with pytest.warns(baca.RefusedWarning, match="2 of 4") as caught:
        out = baca.score(frame)
    assert caught[0].filename == __file__
    pd.testing.assert_frame_equal(frame, before)
    assert out.index.tolist() == list("abca") and out.columns.tolist() == ["smiles", "x", "score", "p_value", "verdict", "error", "set_aside"]
    assert out["score"].iloc[[0, 3]].tolist() == detector.scores([ASPIRIN, RDX]).tolist()
    assert out["score"].isna().tolist() == out["verdict"].isna().tolist() == out["error"].notna().tolist() == [False, True, True, False]
    assert out["error"].iloc[1] == "character 2: the branch is never closed"
    assert out["verdict"].iloc[3] == "outside"
    with pytest.raises(ValueError, match="already has the columns score, p_value"):
        baca.score(out)
    with pytest.warns(baca.RefusedWarning):
        assert "b_score" in baca.score(out, model=detector, prefix="b_").columns
    with pytest.raises(KeyError, match="no column 'SMILES'"):
        baca.score(frame, smiles_column="SMILES")
    with pytest.raises(ValueError, match="columns 1 and 3 are both called 'smiles'"):
        baca.score(pd.DataFrame([["C", 1, "N"]], columns=["smiles", "x", "smiles"]))
    assert baca.score(frame.iloc[:0]).shape == (0, 7)
    for given in ([ASPIRIN], frame["smiles"]):
        with pytest.raises(TypeError, match="(list|Series): want a data frame"):
            baca.score(given)
    with pytest.raises(KeyError, match="the frame has none"):
        baca.score(pd.DataFrame())
