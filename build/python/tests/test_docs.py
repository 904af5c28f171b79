"""What the documentation shows is run."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution

import pandas
import pytest

import baca


@pytest.mark.filterwarnings("ignore::baca.RefusedWarning")
def test_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    metadata = distribution("baca-ood").metadata
    text = metadata["Description"] or metadata.get_payload()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 12
    names = {}
    exec(blocks[0], names)
    assert len(blocks[0].strip().splitlines()) <= 5 and capsys.readouterr().out.strip("\n") in text
    for block in blocks[1:]:
        exec(block, names)
    assert names["whole"].p_value < 0.05 and names["explanations"][2].reasons and names["explanations"][2].nearest[0].smiles
    trusted = names["trusted"]
    assert trusted.trust.tolist() == ["trust", "do-not-use"] and trusted.interval_low.isna().tolist() == [False, True]
    assert (tmp_path / "own.msgpack").exists()


def test_types(tmp_path):
    """mypy finds nothing in the package, and what users write is checked by its types."""
    if shutil.which("mypy") is None:
        pytest.skip("no mypy: apt-get install mypy")
    (tmp_path / "mine.py").write_text("import baca\nx: str = baca.Detector().predict(['CCO'])\nbaca.Detector(alfa=1)\n")
    check = ["mypy", "--strict", "--ignore-missing-imports", "--cache-dir", os.devnull]
    out = subprocess.run([*check, os.path.dirname(baca.__file__)], capture_output=True, text=True, cwd=tmp_path)
    assert out.returncode == 0, out.stdout
    out = subprocess.run([*check, "--python-executable", sys.executable, "mine.py"], capture_output=True, text=True, cwd=tmp_path)
    assert "Incompatible types in assignment" in out.stdout and "alfa" in out.stdout, out.stdout


def test_docstring():
    out = subprocess.run([sys.executable, "-m", "doctest", baca.__file__], capture_output=True, text=True)
    assert "Failed" not in out.stdout, out.stdout


def run_notebook(name, folder, monkeypatch):
    """Runs the cells of an example in order, in a folder, and returns their names."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    notebook = json.loads((pathlib.Path(__file__).parent.parent / "examples" / name).read_text())
    names = {}
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    return names


def test_scikit_learn(tmp_path, monkeypatch):
    pytest.importorskip("rdkit")
    pytest.importorskip("matplotlib").use("Agg")
    large = run_notebook("scikit-learn.ipynb", tmp_path, monkeypatch)["summary"]["large errors"]
    assert large["trust"] < 0.25 < large["do-not-use"]
    assert "<html" in (tmp_path / "report.html").read_text()


def test_chemprop(tmp_path, monkeypatch):
    """Files like those of chemprop predict are enough, also where a user brings them."""
    monkeypatch.setitem(sys.modules, "chemprop", None)
    first = run_notebook("chemprop.ipynb", tmp_path, monkeypatch)["trusted"]
    series = first.smiles.str.startswith("c1sc(")
    shares = [(first.trust[of] == "trust").mean() for of in (~series, series)]
    assert shares[0] > 0.5 > 0.1 > shares[1], shares
    assert (pandas.read_csv(tmp_path / "new_predicted.csv").columns == ["smiles", "logS", "logS_unc"]).all()
    again = run_notebook("chemprop.ipynb", tmp_path, monkeypatch)["trusted"]
    assert again.equals(first)


def test_command():
    for command in ([sys.executable, "-m", "baca"], [sys.executable.replace("python", "baca")]):
        out = subprocess.run([*command, "version"], capture_output=True, text=True, check=True)
        assert out.stdout.startswith(f"baca {baca.__version__}")


def test_without_scikit_learn(tmp_path):
    """And without pandas and RDKit: numpy is enough."""
    code = """
import sys
for name in ("sklearn", "pandas", "rdkit", "tqdm", "networkx"):
    sys.modules[name] = None
import pickle
import baca
try:
    baca.Detector().predict("CCO")
except ValueError as e:
    assert type(e).__name__ == "NotFittedError" and isinstance(e, AttributeError)
d = baca.Detector("drugs", alpha=0.1)
assert repr(d) == "Detector(model='drugs', alpha=0.1, by='alone', epochs=None, seed=1, confidence=None)"
d.set_params(alpha=0.05, epochs=1)
assert d.predict(["CC(=O)Oc1ccccc1C(=O)O", "[Na+].[Cl-]"]).tolist() == [1, -1]
assert "<svg" not in d.explain("CCO")._repr_html_()
own = pickle.loads(pickle.dumps(baca.Detector(alpha=0.5, epochs=1)))
assert len(own.fit_predict(["C" * n for n in range(1, 30)])) == 29
try:
    d.set_params(gamma=1)
except ValueError:
    print("done")
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout == "done\n", out.stderr
