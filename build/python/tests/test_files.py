"""Files that the command reads, and what other programs write and read."""

import gzip
import json

import numpy as np
import pytest
from conftest import ASPIRIN, RDX

import baca


def test_score_file(tmp_path, detector):
    pd = pytest.importorskip("pandas", reason="there is no pandas")
    path = tmp_path / "-in.smi.gz"
    path.write_bytes(gzip.compress(f"{ASPIRIN} 007\nC( broken\n{RDX} NA\n".encode()))
    with pytest.warns(baca.RefusedWarning, match="1 of 3"):
        rows = baca.score_file(path)
    want = detector.scores([ASPIRIN, RDX])
    assert list(rows.id) == ["007", "broken", "NA"] and list(rows.verdict.dropna()) == ["inside", "outside"]
    assert list(rows.error.isna()) == [True, False, True] == list(rows.verdict.notna())
    assert list(rows.score[[0, 2]]) == list(want) and np.isnan(rows.score[1]) and "never closed" in rows.error[1]
    (tmp_path / "ethanol.smi").write_text("CCO\n")
    assert baca.score_file(tmp_path / "ethanol.smi").score.dtype == float  # also where it is 0
    frame = pd.DataFrame({"anything": [ASPIRIN, RDX]})
    frame.to_csv(tmp_path / "in.csv", index=False)
    assert baca.score_file(tmp_path / "in.csv", tmp_path / "out.jsonl", column="anything") == tmp_path / "out.jsonl"
    assert [json.loads(line)["score"] for line in open(tmp_path / "out.jsonl")] == list(want)
    with pytest.raises(ValueError, match='sheet "a" of what is no Excel workbook'):
        baca.score_file(tmp_path / "in.csv", sheet="a")
    own = baca.Detector(alpha=0.2, epochs=2).fit(["C" * n + end for n in range(1, 13) for end in "ON"])
    assert list(baca.score_file(tmp_path / "in.csv", model=own, column="anything").score) == list(own.scores(frame.anything))
    with pytest.raises(FileNotFoundError, match="No such file"):
        baca.score_file(tmp_path / "nothing.smi")
    with pytest.raises(ValueError, match="no record can be used, 1 refused"):
        (tmp_path / "bad.smi").write_text("C(\n")
        baca.score_file(tmp_path / "bad.smi")


def networks():
    nx = pytest.importorskip("networkx", reason="there is no networkx")
    named = nx.relabel_nodes(nx.petersen_graph(), {i: f"node {i} <é&\"" for i in range(10)})
    loops = nx.Graph([(1, 2), (2, 2), (2, 3)])
    weighted = nx.Graph()
    weighted.add_edge("a", "b", weight=0.5)
    weighted.add_node("alone", colour="red")
    both = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    many = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    return nx, [nx.path_graph(1), nx.cycle_graph(6), named, loops, weighted, both, many, nx.gnp_random_graph(40, 0.1, seed=1), nx.grid_2d_graph(3, 4)]


def test_node_link_of_networkx(tmp_path):
    nx, graphs = networks()
    path = tmp_path / "graphs.jsonl"
    path.write_text("".join(json.dumps(nx.node_link_data(g)) + "\n" for g in graphs))
    assert list(baca.score_file(path, model="imdb-multi").score) == list(baca.Detector("imdb-multi").scores(graphs))


def test_graphml_of_networkx(tmp_path):
    nx, graphs = networks()
    for i, g in enumerate(graphs):
        nx.write_graphml(g, tmp_path / f"{i}.graphml")
        again = nx.read_graphml(tmp_path / f"{i}.graphml")  # what networkx itself reads of its file
        rows = baca.score_file(tmp_path / f"{i}.graphml", model="imdb-multi")
        assert list(rows.score) == list(baca.Detector("imdb-multi").scores([again])), g


def test_cxsmiles_of_rdkit(tmp_path):
    chem = pytest.importorskip("rdkit.Chem", reason="there is no RDKit")
    texts = [ASPIRIN, RDX, "C[C@H](O)[C@@H](F)Cl", "[13CH4]", "C/C=C/C", "OC1CCCCC1", "[Na+].[Cl-]", "[CH3]"]
    mols = [chem.MolFromSmiles(text) for text in texts]
    for i, mol in enumerate(mols):
        mol.SetProp("_Name", f"m{i}")
        mol.GetAtomWithIdx(0).SetProp("atomNote", "a|b, c")
        for atom in mol.GetAtoms():
            atom.SetProp("atomLabel", f"L{atom.GetIdx()}")
    extended, plain = tmp_path / "in.cxsmiles", tmp_path / "in.smi"
    extended.write_text("".join(f"{chem.MolToCXSmiles(m)} m{i}\n" for i, m in enumerate(mols)))
    plain.write_text("".join(f"{chem.MolToSmiles(m)} m{i}\n" for i, m in enumerate(mols)))
    assert "|" in extended.read_text()
    rows, want = baca.score_file(extended), baca.score_file(plain)
    assert rows.score.equals(want.score)
    for text, read in zip(extended.read_text().splitlines(), rows.smiles):
        mol = chem.MolFromSmiles(text, chem.SmilesParserParams())  # RDKit reads the extension, too
        assert [a.GetSymbol() for a in chem.MolFromSmiles(read).GetAtoms()] == [a.GetSymbol() for a in mol.GetAtoms()]


def test_tables_of_pandas(tmp_path):
    pd = pytest.importorskip("pandas", reason="there is no pandas")
    frame = pd.DataFrame({"note": ['a, "b"\nc', "", "é;"], "smiles": [ASPIRIN, RDX, "CCO"], "id": ["x", "y", "z"]})
    want = None
    for name, write in {
        "a.csv": lambda p: frame.to_csv(p, index=False),
        "b.csv": lambda p: frame.to_csv(p),  # with an index in front
        "c.csv": lambda p: frame.to_csv(p, index=False, sep=";"),
        "d.tsv": lambda p: frame.to_csv(p, index=False, sep="\t"),
        "e.jsonl": lambda p: frame.to_json(p, orient="records", lines=True),
        "f.csv.bz2": lambda p: frame.to_csv(p, index=False),
        "g.csv": lambda p: frame.to_csv(p, index=False, encoding="utf-16"),
    }.items():
        write(tmp_path / name)
        rows = baca.score_file(tmp_path / name)[["id", "smiles", "score", "p_value", "verdict"]]
        want = rows if want is None else want
        assert rows.equals(want), name
    assert list(want.id) == ["x", "y", "z"]
