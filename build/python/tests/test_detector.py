"""The detector against the command, and by the conventions of scikit-learn."""

import csv
import inspect
import io
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import ASPIRIN, RDX
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import estimator_checks

import baca
from baca._child import program


def command(*arguments, text=None):
    """Runs the command of the wheel, and returns what it prints."""
    done = subprocess.run([program(), *arguments], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def rows(*arguments, text=None):
    return list(csv.DictReader(io.StringIO(command("score", *arguments, text=text))))


def test_scores_are_those_of_the_command(detector, molecules):
    table = rows("--format", "smi", "-", text="\n".join(molecules))
    assert [row["smiles"] for row in table] == molecules
    # The same numbers, to the last digit.
    assert detector.scores(molecules).tolist() == [float(row["score"]) for row in table]
    assert detector.p_values(molecules).tolist() == [float(row["p_value"]) for row in table]
    verdicts = {"inside": 1, "borderline": 1, "outside": -1}
    assert detector.predict(molecules).tolist() == [verdicts[row["verdict"]] for row in table]
    # And with all digits where they are not rounded.
    assert [f"{-x:.6g}" for x in detector.score_samples(molecules)] == [row["score"] for row in table]


# All of them are the batch, or a sample of them.
@pytest.mark.parametrize("by, times", [("batch", 1), ("batch", 30), ("attention", 1)])
def test_batch_is_that_of_the_command(tmp_path, molecules, by, times):
    texts = molecules if times == 1 else [mol + "." + "C" * n for n in range(1, times) for mol in molecules]
    texts = ["C(", *texts]
    path = tmp_path / "list.smi"
    path.write_text("\n".join(texts))
    table = rows("--by", by, "--seed", "4", str(path))
    numbers = {name: [float(row[name] or "nan") for row in table] for name in ("score", "p_value", "alone_p")}
    detector = baca.Detector("drugs", by=by, seed=4)
    with pytest.warns(baca.RefusedWarning):
        scored = baca.score(pd.DataFrame({"smiles": texts}), model=detector)
    # The same numbers, to the last digit.
    for name, values in numbers.items():
        np.testing.assert_array_equal(scored[name], values)
    assert scored["verdict"].fillna("").tolist() == [row["verdict"] for row in table]
    assert [{True: "true", False: "false"}.get(x, "") for x in scored["batch_foreign"]] == [row["batch_foreign"] for row in table]
    if times == 1:
        with pytest.warns(baca.RefusedWarning):
            assert detector.predict(texts).tolist() == [{"outside": -1, "": 0}.get(row["verdict"], 1) for row in table]
            np.testing.assert_array_equal(detector.scores(texts), numbers["score"])
            whole = detector.whole(texts)
        assert not whole.few and 0 <= whole.p_value <= 1 and whole.notes
        assert f"AUC {whole.auc:.2f}" in whole.notes[0]


def test_batch_has_no_threshold(molecules):
    detector = baca.Detector("drugs", by="batch")
    for method in (detector.decision_function, detector.select):
        with pytest.raises(ValueError, match="depends on the list.*by='alone'"):
            method(molecules)
    assert not hasattr(detector, "offset_") and hasattr(baca.Detector("drugs"), "offset_")
    with pytest.warns(UserWarning, match="fewer than 20"):
        assert detector.scores(molecules[:5]).tolist() == baca.Detector("drugs").scores(molecules[:5]).tolist()
    assert baca.Detector("drugs").whole(molecules[:5]).few and detector.whole([]).few
    with pytest.warns(UserWarning, match="empty"):
        assert detector.scores([]).shape == (0,)
    with pytest.raises(ValueError, match="nobody"):
        baca.Detector("drugs", by="nobody").scores(molecules)
    # Its answers depend on the list, and on nothing else: not on earlier lists.
    first = detector.scores(molecules).tolist()
    assert detector.scores(molecules[:40]).tolist() != first[:40]
    assert pickle.loads(pickle.dumps(detector)).scores(molecules).tolist() == first


def test_select_is_fdr_of_the_command(detector, molecules):
    few = molecules[:12]
    table = rows("--format", "smi", "--fdr", "0.1", "-", text="\n".join(few))
    selected = detector.select(few, fdr=0.1)
    assert selected.dtype == bool and selected.any() and not selected.all()
    assert selected.tolist() == [row["verdict"] == "outside" for row in table]
    with pytest.raises(ValueError, match="fdr"):
        detector.select(few, fdr=1.5)


@pytest.mark.parametrize(("flags", "options"), [(["--epochs", "2"], {"epochs": 2}), ([], {})])
def test_fit_is_train_of_the_command(tmp_path, molecules, flags, options):
    """The same bytes, if the card of the model says the same."""
    path, theirs = tmp_path / f"a list of {len(molecules)}", tmp_path / "theirs.msgpack"
    path.write_text("".join(text + "\n" for text in molecules))
    command("train", str(path), "--format", "smi", "--name", "fitted", "--out", str(theirs), *flags, "--seed", "3")
    own = baca.Detector(alpha=0.1, **options, seed=3).fit(molecules)
    assert own.model_ == theirs.read_bytes()
    table = rows("--model", str(theirs), "--format", "smi", "-", text="\n".join(molecules))
    for detector in (own, baca.Detector(theirs)):
        assert detector.scores(molecules).tolist() == [float(row["score"]) for row in table]


def test_attention_needs_a_trained_encoder(molecules):
    own = baca.Detector().fit(molecules)
    with pytest.raises(ValueError, match="the encoder of model fitted is not trained.*or elsewhere with a number of epochs"):
        own.set_params(by="attention").scores(molecules)
    few = molecules[:24]
    assert np.isfinite(baca.Detector(by="attention").fit(few).scores(few)).any()


def test_signs(detector, molecules):
    decision, prediction = detector.decision_function(molecules), detector.predict(molecules)
    assert set(prediction) == {-1, 1}
    assert np.array_equal(decision > 0, prediction == 1)
    assert np.array_equal(detector.p_values(molecules) <= 0.05, prediction == -1)
    assert np.array_equal(decision, detector.score_samples(molecules) - detector.offset_)


def test_one_molecule_has_one_answer(detector, molecules):
    alone = [detector.score_samples(text)[0] for text in molecules[:5]]
    assert alone == detector.score_samples(molecules)[:5].tolist()


def test_refused(detector):
    texts = [ASPIRIN, "c1ccccc1N(", None, float("nan"), RDX, "é"]
    with pytest.warns(baca.RefusedWarning, match="4 of 6.*row 2: character 10: the branch is never closed; row 3.*and 1 more") as caught:
        scores = detector.scores(texts)
    assert caught[0].filename == __file__
    assert np.isnan(scores).tolist() == [False, True, True, True, False, True]
    with pytest.warns(baca.RefusedWarning):
        assert detector.predict(texts).tolist() == [1, 0, 0, 0, -1, 0]
    with pytest.warns(baca.RefusedWarning):
        assert not detector.select(texts)[1]
    with pytest.raises(ValueError, match="all 2 records are refused: row 1: character 2"):
        detector.scores(["C(", "C1"])
    assert detector.scores([]).shape == (0,)


def test_wrong_parameters(molecules, tmp_path):
    with pytest.raises(ValueError, match="unknown model.*nobody"):
        baca.Detector(model="nobody").scores(molecules)
    with pytest.raises(ValueError, match="want a number between 0 and 1"):
        baca.Detector("drugs", alpha=7).scores(molecules)
    with pytest.raises(FileNotFoundError):
        baca.Detector(model=str(tmp_path / "none.msgpack")).scores(molecules)
    (tmp_path / "text.msgpack").write_text("text")
    with pytest.raises(ValueError, match="not a BaCa file"):
        baca.Detector.load(tmp_path / "text.msgpack")
    with pytest.raises(ValueError, match="plain graphs"):
        baca.Detector(model="ptc_mr").scores(molecules)
    with pytest.raises(ValueError, match="want at least 20"):
        baca.Detector(epochs=1).fit(["C", "CC"])
    few = baca.Detector(epochs=1).fit(molecules[:25])
    with pytest.warns(UserWarning, match="all are undecided: .*p-values go down to") as told:
        assert few.predict(molecules).tolist() == [0] * len(molecules)
    assert told[0].filename == __file__
    with pytest.raises(ValueError, match="p-values go down to"):
        few.decision_function(molecules)


@pytest.mark.parametrize("alpha", [0, 1, -1, float("nan"), "0.05", None, True])
def test_alpha_that_is_none(detector, alpha):
    detector.alpha = alpha
    with pytest.raises((TypeError, ValueError), match="alpha=.*want a number"):
        detector.predict(["C"])


@pytest.mark.parametrize("number", [-1, 1.5, "1", float("nan"), True, 1 << 63])
def test_numbers_that_are_not_whole(molecules, number):
    with pytest.raises((TypeError, ValueError), match="seed=.*want a whole number"):
        baca.Detector("drugs", by="batch", seed=number).predict(molecules)
    with pytest.raises((TypeError, ValueError), match="epochs=.*want a whole number"):
        baca.Detector(epochs=number).fit(molecules)
    with pytest.raises((TypeError, ValueError), match="seed=.*want a whole number"):
        baca.Detector(seed=number).fit(molecules)


def test_shares_that_are_none(detector, molecules):
    for share in (None, "x", float("nan"), 2):
        with pytest.raises((TypeError, ValueError), match="fdr=.*want a number"):
            detector.select(molecules, fdr=share)
        with pytest.raises((TypeError, ValueError), match="coverage=.*want a number"):
            detector.trust(["C"], [1], coverage=share)
    with pytest.raises(ValueError, match="tolerance=inf: want a number above 0"):
        detector.trust(["C"], [1], tolerance=float("inf"))


def test_numbers_of_numpy(molecules):
    """As a grid of parameters has them."""
    theirs = baca.Detector("drugs", alpha=np.float32(0.25), epochs=np.int64(1), seed=np.int32(3), by="batch").fit(molecules)
    ours = baca.Detector(alpha=0.25, epochs=1, seed=3, by="batch").fit(molecules)
    assert theirs.model_ == ours.model_ and theirs.predict(molecules).tolist() == ours.predict(molecules).tolist()


def test_fit_refuses_some(molecules):
    with pytest.warns(baca.RefusedWarning, match="1 of 31 records are refused and not trained on"):
        own = baca.Detector(epochs=1, alpha=0.5).fit(["C(", *molecules[:30]])
    assert own.refused_ == {0: "character 2: the branch is never closed"}


def test_needs_a_model(molecules):
    own = baca.Detector(epochs=1, alpha=0.3)
    for call in (lambda: own.predict(molecules), lambda: own.offset_, lambda: own.explain("CCO"), lambda: own.save("x"), lambda: baca.score(pd.DataFrame({"smiles": molecules}), model=own)):
        with pytest.raises(NotFittedError, match=r"call fit\(library\).*Detector\(model='drugs'\)"):
            call()
    assert repr(own.fit([*molecules, *molecules])).endswith(f" fitted on {2 * len(molecules)} records")
    own.decision_scores_ = np.arange(1015.0)
    assert repr(own) == "Detector(alpha=0.3, epochs=1) fitted on 1 015 records"


def test_training_set_has_labels_and_scores(molecules):
    """By the names of PyOD."""
    with pytest.warns(baca.RefusedWarning):
        own = baca.Detector(epochs=1, alpha=0.3).fit([*molecules, "C("])
    with pytest.warns(baca.RefusedWarning):
        np.testing.assert_array_equal(own.decision_scores_, -own.score_samples([*molecules, "C("]))
    assert own.labels_.tolist() == [*np.where(own.predict(molecules) == -1, 1, 0), 0]
    assert own.fit_predict(molecules).tolist() == np.where(own.labels_ == 1, -1, 1).tolist()


def test_grid_search_of_few(molecules):
    far = [f"[{x}+].[{y}-]" for x in ("Li", "Na", "K", "Rb") for y in ("F", "Cl", "Br", "I")]
    library, y = np.array(molecules[3:43] + far, object), [1] * 40 + [-1] * 16
    grid = GridSearchCV(baca.Detector(epochs=1), {"alpha": [0.05, 0.4]}, scoring="accuracy", cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # undecided by five graphs, and what nearly all is outside of
        grid.fit(library, y)
    assert not np.isnan(grid.cv_results_["mean_test_score"]).any()
    with pytest.raises(ValueError, match="want at least 20"):
        grid.fit(library[:24], y[:24])


def test_clone_pickle_pipeline(tmp_path, molecules):
    own = baca.Detector(alpha=0.2, epochs=1, seed=5)
    assert clone(own).get_params() == own.get_params() == {"model": None, "alpha": 0.2, "by": "alone", "epochs": 1, "seed": 5, "confidence": None}
    own.fit(molecules)
    scores = own.score_samples(molecules).tolist()
    assert pickle.loads(pickle.dumps(own)).score_samples(molecules).tolist() == scores
    with pytest.raises(NotFittedError):
        clone(own).predict(molecules)
    pipeline = Pipeline([("detector", own)])
    assert pipeline.score_samples(molecules).tolist() == scores
    assert pipeline.fit(molecules).predict(molecules).tolist() == own.predict(molecules).tolist()
    own.save(tmp_path / "own.msgpack")
    assert baca.Detector.load(tmp_path / "own.msgpack", alpha=0.2).score_samples(molecules).tolist() == scores
    baca.Detector("drugs").save(tmp_path / "bbbp.msgpack")
    assert baca.Detector.load(tmp_path / "bbbp.msgpack").explain(RDX) == baca.Detector("drugs").explain(RDX)
    # A process that never saw the detector.
    (tmp_path / "own.pickle").write_bytes(pickle.dumps(own))
    code = "import pickle, sys; d = pickle.load(open(sys.argv[1], 'rb')); print(d.score_samples(['CCO'])[0])"
    there = subprocess.run([sys.executable, "-c", code, str(tmp_path / "own.pickle")], capture_output=True, text=True, check=True)
    assert float(there.stdout) == own.score_samples(["CCO"])[0]


def test_explain(detector):
    with pytest.warns(baca.RefusedWarning):
        found = detector.explain([ASPIRIN, "C(", RDX])
    aspirin, broken, rdx = found
    assert (aspirin.verdict, rdx.verdict, broken.verdict) == ("inside", "outside", None)
    assert rdx.counted == f"{round(280 * rdx.p_value)} of 280, this one included" and broken.counted is None
    assert aspirin.score == detector.scores(ASPIRIN)[0] and aspirin.trained_on
    assert len(aspirin.atoms) == 13 and aspirin.nearest[0].smiles and aspirin.nearest[0].similarity == 1
    assert rdx.reasons and broken.error == "character 2: the branch is never closed" and broken.row == 1
    # What the atoms add is how far the score is above the least that is outside.
    assert sum(rdx.atoms) == pytest.approx(rdx.score + detector.offset_, abs=1e-4)
    html = found._repr_html_()
    assert html.count("<tr>") == 4 and html.count("<svg") == 4 and "refused: character 2" in html
    script = detector.explain(["C"]).__class__([baca.Explanation(0, "<script>alert(1)</script>", error="<b>")])
    assert "<script" not in script._repr_html_() and "<b>" not in script._repr_html_()


def test_first_reasons(detector):
    table = pathlib.Path(__file__).parents[3] / "algo" / "explain" / "testdata" / "first.txt"
    molecules, reasons = zip(*(line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()))
    assert [found.reasons[0] for found in detector.explain(list(molecules))] == list(reasons)


def test_structures_in_a_model(tmp_path, molecules):
    path, model = tmp_path / "list.smi", tmp_path / "open.msgpack"
    path.write_text("".join(f"{text} name{i}\n" for i, text in enumerate(molecules)))
    command("train", str(path), "--out", str(tmp_path / "plain.msgpack"), "--epochs", "1")
    command("model", "structures", str(tmp_path / "plain.msgpack"), "--in", str(path), "--out", str(model))
    for detector in (baca.Detector(model), baca.Detector.load(model)):
        nearest = detector.explain(RDX)[0].nearest[0]
        assert nearest.similarity <= 1 and molecules[nearest.row] == nearest.smiles and nearest.name == f"name{nearest.row}"


def test_names():
    assert [name for name in dir(baca) if not name.startswith("_")] == baca.__all__


def test_models():
    assert {"bbbp", "ptc_mr"} <= set(baca.models())
    assert baca.__version__ in command("version")


# Checks of scikit-learn that say nothing of a detector of molecules, and why.
EXEMPT = {
    "check_complex_data": "wants an error about complex numbers",
    "check_estimator_sparse_data": "there are no sparse molecules",
    "check_estimators_empty_data_messages": "wants an error about numbers of shape (0, 3)",
    "check_fit1d": "wants plain lists refused, which are what a detector takes",
    "check_fit2d_predict1d": "wants plain lists refused, which are what a detector takes",
    "check_fit_check_is_fitted": "a detector with a built-in model is ready without fit",
    "check_n_features_in": "molecules have no features to count",
    "check_outliers_train": "wants an error about the number of features",
}


def _as_molecules(x):
    """Gives rows of numbers molecules, the same for the same numbers; none for NaN."""
    firsts = [float(np.ravel(row)[0]) for row in np.asarray(x)]
    return ["" if np.isnan(v) else "C" * (1 + int(abs(v) * 997) % 30) + "ONFS"[int(abs(v) * 7) % 4] for v in firsts]


class Numeric(baca.Detector):
    """A detector that reads each row of numbers as a molecule, so that checks can be made."""

    def __init__(self, model="bbbp", alpha=0.5, *, epochs=1, seed=1):
        super().__init__(model=model, alpha=alpha, epochs=epochs, seed=seed)

    def fit(self, X, y=None):
        rows = _as_molecules(X)
        return super().fit(rows + ["C" * n for n in range(1, 21)])  # some checks have few rows

    def _more_tags(self):
        return {**super()._more_tags(), "X_types": ["2darray"]}

    def score_samples(self, X):
        return super().score_samples(_as_molecules(X))

    def decision_function(self, X):
        return super().decision_function(_as_molecules(X))

    def predict(self, X):
        return super().predict(_as_molecules(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def _checks():
    """Yields all checks that scikit-learn has for an outlier detector."""
    for estimator, check in estimator_checks.check_estimator(Numeric(), generate_only=True):
        name = check.func.__name__
        marks = [pytest.mark.xfail(reason=EXEMPT[name], strict=True)] if name in EXEMPT else []
        yield pytest.param(estimator, check, id=name, marks=marks)


@pytest.mark.parametrize("estimator, check", _checks())
@pytest.mark.filterwarnings("ignore")
def test_check_estimator(estimator, check):
    check(estimator)


def test_check_estimator_of_the_detector_itself():
    with pytest.warns(Warning):  # that it takes no numbers, so that most checks do not apply
        estimator_checks.check_estimator(baca.Detector("drugs"))


def test_everything_public_has_a_docstring():
    for name in baca.__all__:
        thing = getattr(baca, name)
        assert thing.__doc__, name
        for field in getattr(thing, "__dataclass_fields__", ()):
            assert field in thing.__doc__, f"{name}.{field}"
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            assert member.startswith("_") or not inspect.isfunction(value) or value.__doc__, f"{name}.{member}"


def test_keeps_structures_only_if_asked():
    library = ["C" * n + end for n in range(1, 13) for end in ("O", "N", "C(=O)O")]
    for keep in (False, True):
        own = baca.Detector(epochs=1).fit(library, keep_structures=keep)
        assert (own.explain("CCCCCCO")[0].nearest[0].smiles in library) is keep
    networkx = pytest.importorskip("networkx")
    with pytest.raises(ValueError, match="only molecules have structures"):
        baca.Detector(epochs=1).fit([networkx.path_graph(4)] * 20, keep_structures=True)


def test_says_what_the_model_did_not_read(tmp_path):
    library = ["C" * n + end for n in range(1, 13) for end in ("O", "N", "C(=O)O")]
    alanine = ["C[C@H](N)C(=O)[O-].[Na+]", "CC(N)C(=O)O", "C("]
    for as_written, want in ((False, ["stereo, 1 counter-ion, charge", None, None]), (True, [None, None, None])):
        own = baca.Detector(alpha=0.3, epochs=1).fit(library, as_written=as_written)
        with pytest.warns(baca.RefusedWarning):
            scored = baca.score(pd.DataFrame({"smiles": alanine}), model=own)
        assert list(scored.set_aside) == want
        assert (scored.score[0] == scored.score[1]) is np.bool_(not as_written)
        with pytest.warns(baca.RefusedWarning):
            assert [x.set_aside for x in own.explain(alanine)] == want
        (tmp_path / "alanine.smi").write_text("\n".join(alanine[:2]) + "\n")
        assert [None if pd.isna(x) else x for x in baca.score_file(tmp_path / "alanine.smi", model=own).set_aside] == want[:2]


def test_warns_once_of_a_list_that_the_model_does_not_know(detector, tmp_path):
    salts = [f"[{x}+].[{y}-]" for x in ("Li", "Na", "K", "Rb", "Cs") for y in ("F", "Cl", "Br", "I")]
    message = "20 of 20 are outside: this list is not what this model knows; train your own"
    for call in (detector.predict, detector.p_values, lambda x: baca.score(pd.DataFrame({"smiles": x}))):
        with pytest.warns(UserWarning, match=message) as told:
            call(salts)
        assert len(told) == 1 and told[0].filename == __file__
    (tmp_path / "salts.smi").write_text("\n".join(salts) + "\n")
    with pytest.warns(UserWarning, match=message):
        baca.score_file(tmp_path / "salts.smi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detector.predict(salts[:19])
        detector.predict(["C" * n + "O" for n in range(1, 41)])
