"""The detector, by the conventions of scikit-learn's outlier detectors."""

from __future__ import annotations

import hashlib
import json
import math
import os
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _estimators, _inputs
from ._child import Answer, Model, Question, child
from ._explanations import Explanations
from ._progress import Bar

try:
    from sklearn.base import BaseEstimator, OutlierMixin
    from sklearn.exceptions import NotFittedError
except ImportError:
    if TYPE_CHECKING:
        raise
    from ._plain import BaseEstimator, NotFittedError, OutlierMixin

if TYPE_CHECKING:
    import pandas

DEFAULT = "drugs"  # the model of functions that take no detector
Floats = npt.NDArray[np.float64]
_EXPLAINED = 64  # records of one question, so that progress is seen


def models() -> list[str]:
    """Returns the names of the built-in models."""
    return list(child.ask(Question({"op": "models"})).header["models"])


@dataclass(frozen=True)
class Rows:
    """What the program says of n records."""

    scores: Floats  # (n,) float64, higher is further outside, NaN for a refused record
    p_values: Floats  # (n,) float64, NaN for a refused record
    verdicts: npt.NDArray[np.object_]  # (n,) of str, None for a refused record
    alone_p: Floats  # (n,) float64, of records by themselves, where a list is judged
    batch_foreign: npt.NDArray[np.object_]  # (n,) of bool, None without a batch
    refused: list[tuple[int, str]]  # row from 0, and why
    asides: list[tuple[int, str]]  # row from 0, and what the model did not read of it
    foreign: Optional[str]  # that the model does not know such a list, None for others
    threshold: Optional[float]  # the least score that is called outside, of records by themselves
    references: int  # graphs that p-values are taken from
    whole: Optional[Whole]  # what the list is like; None where each record is judged by itself


@dataclass(frozen=True)
class Whole:
    """What a list is like as a whole.

    Attributes
    ----------
    few : bool
        Fewer than 20 records are no batch: each is judged by itself.
    auc : float or None
        How well the list is told from held-out records, None if few.
    p_value : float or None
        Of the list, None where too few are held out.
    differences : tuple of str
        In what it differs, where it does.
    notes : tuple of str
        All of it in sentences, and warnings.
    """

    few: bool
    auc: Optional[float]
    p_value: Optional[float]
    differences: tuple[str, ...]
    notes: tuple[str, ...]


class Detector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Tells which molecules or graphs lie outside what a model was trained on.

    The answer about each record is the same whatever else is in the list, unless ``by`` says
    otherwise. With a built-in model or a model file a detector is ready as it is made. Without one
    :meth:`fit` trains a model of your own, and what needs a model raises NotFittedError before.

    Methods that take ``X`` take a SMILES or a sequence of n of them, as a list, a numpy array, a
    pandas or polars Series or a data frame with a column ``smiles``; RDKit molecules; and for a
    model of plain graphs networkx graphs or PyTorch Geometric Data. A record that
    cannot be read has NaN, and a :class:`RefusedWarning` says why. If all are
    refused, that is a ValueError.

    Parameters
    ----------
    model : str or path, optional
        A built-in model by name, see :func:`models`, or a model file. After :meth:`fit`
        the trained model takes its place.
    alpha : float
        The share of records from inside that may be called outside.
    by : str
        What decides: ``alone``, each record by itself; ``approximate``, the same with p-values that
        compare with training graphs, too, so that they reach further down, for :meth:`select`; ``batch``, the record and the list that
        is passed to the method; ``attention``, the score of the paper, of the same list. By
        the last two the answer about a record depends on the list, which takes 20 records, and
        has no threshold: ``decision_function``, ``select`` and ``offset_`` are of ``alone`` only.
    epochs : int, optional
        How often :meth:`fit` trains the encoder on each record. Without it the encoder of molecules is not trained, which
        only the score of the paper needs: ``by="attention"`` trains it 400 times, and on more than 7 680 records less often,
        as ``baca train`` does.
    seed : int
        Of the training, and of what is drawn at random for a batch.
    confidence : float, optional
        That the share of false alarms is at most ``alpha`` over the choice of held-out records, such as 0.95. Without it that holds
        on average.

    Attributes
    ----------
    model_ : bytes
        The model file that :meth:`fit` trained.
    decision_scores_ : array of shape (n,)
        How far each record of the training set lies outside, NaN for a refused one.
    labels_ : array of shape (n,)
        1 for each record of the training set that is outside by itself at ``alpha``, 0 for others, as in PyOD.
    refused_ : dict
        Why :meth:`fit` refused records, by row from 0.
    offset_ : float
        ``decision_function(X)`` is ``score_samples(X) - offset_``.
    """

    def __init__(self, model: Union[str, os.PathLike[str], None] = None, alpha: float = 0.05, *, by: str = "alone", epochs: Optional[int] = None, seed: int = 1, confidence: Optional[float] = None) -> None:
        self.model = model
        self.alpha = alpha
        self.by = by
        self.epochs = epochs
        self.seed = seed
        self.confidence = confidence

    def fit(self, X: Any, y: Any = None, *, estimator: Any = None, observed: Any = None, predicted: Any = None, uncertainty: Any = None, new_scaffold: Any = None, as_written: bool = False, keep_structures: bool = False) -> Detector:
        """Trains a model on at least 20 molecules or plain graphs; ``y`` is used with an estimator only.

        The model is that of ``baca train`` on a file with the same records.

        Parameters
        ----------
        estimator : a regressor or classifier of scikit-learn, optional
            It predicts ``y``, the measured values, from :func:`fingerprints`: new records from all, for :meth:`trust`, and for
            ``predicted`` and ``new_scaffold`` each record by five-fold cross-validation. ``y`` has a number of each record, NaN where there
            is none, for a classifier 0 or 1. A forest also gives ``uncertainty``, the standard deviation of its trees.
        observed : n numbers, optional
            The measured value of each record, in any unit; NaN where there is none. Values that are
            all 0 or 1 are classes.
        predicted : n numbers, optional
            What a model of yours predicts of each, in the same unit, or the probability of class 1.
            Each prediction must have been made without its record: held out or cross-validated. Errors
            on records that a model was fitted to are too small, and so would be all that follows.
        uncertainty : n numbers, optional
            How unsure your model was of each of these predictions, in any unit, such as the standard deviation of an ensemble. Then
            :meth:`trust` needs that of new records, too.
        new_scaffold : n numbers, optional
            What your model predicts of each when all records of its scaffold are left out. In :meth:`trust` intervals of a list that lies
            farther than held-out records are at least as wide as these errors say.
        as_written : bool
            Read stereo marks, isotopes, salts and charges as written. Without it the model reads the parent
            compound, which is the same for all of these.
        keep_structures : bool
            Keep the molecules in the model, so that :meth:`explain` shows neighbours. Whoever has its file then
            has them.

        With observed and predicted values, both or neither, the model keeps the errors of the records that it keeps from its own
        training, a tenth of them, for :meth:`trust`. At least 20 of those must have both values, so that
        it takes some 200 records.
        """
        if (observed is None) != (predicted is None):
            raise ValueError("observed without predicted, or predicted without observed: want both or neither")
        if predicted is None and (uncertainty is not None or new_scaffold is not None):
            raise ValueError("uncertainty or new_scaffold without predicted: want both, or neither")
        listing = _inputs.read(X)
        self.estimator_ = None
        if estimator is not None:
            if predicted is not None or y is None:
                raise ValueError("an estimator wants y, the measured values, and makes the predictions itself")
            _inputs.index_of(X, y=y)
            observed, _ = _inputs.numbers(y, len(listing), "y")
            self.estimator_, (predicted, uncertainty, new_scaffold) = _estimators.cross_validated(estimator, listing, observed, _inputs.whole("seed", self.seed))
        given = {"observed": observed, "predicted": predicted, "uncertainty": uncertainty, "new_scaffold": new_scaffold}
        columns = {name: values for name, values in given.items() if values is not None}
        if columns:
            listing = _valued(listing, X, quiet=estimator is not None, **columns)
        epochs = 0 if self.epochs is None else _inputs.whole("epochs", self.epochs, 1)
        question = listing.question("train", epochs=epochs, seed=_inputs.whole("seed", self.seed), name="fitted", values=list(columns), as_written=bool(as_written), keep_structures=bool(keep_structures),
                                    **{"for": "attention" if self.by == "attention" else ""})
        with Bar("training", "epoch") as bar:
            answer = child.ask(question, lambda progress: bar.reach(progress["epoch"], progress["epochs"]), again=False)
        refused = _notes(answer, "refused")
        self.model_ = bytes(answer.body)
        self.refused_ = dict(refused)
        rows = rows_of(self, replace(listing, values=()), "alone")
        self.decision_scores_ = rows.scores
        self.labels_ = np.where(rows.verdicts == "outside", 1, 0)
        _inputs.warn_of(refused, len(listing), "not trained on", stacklevel=2)
        return self

    def scores(self, X: Any) -> Floats:
        """Returns how far each record lies outside, of shape (n,): higher is further.

        The numbers are those that ``baca score`` writes, which have six digits.
        """
        return six_digits(self._rows(X).scores)

    def p_values(self, X: Any) -> Floats:
        """Returns how often a record from inside scores as high, of shape (n,).

        The numbers are those that ``baca score`` writes, which have six digits.
        """
        return six_digits(self._rows(X).p_values)

    def score_samples(self, X: Any) -> Floats:
        """Returns minus the score with all its digits, of shape (n,): higher is more inside."""
        return -self._rows(X).scores

    def decision_function(self, X: Any) -> Floats:
        """Returns how far each score is below the least that is called outside, of shape (n,).

        It is positive inside, and zero or negative outside. Raises ValueError where the model holds
        too few graphs to call any outside at ``alpha``, and where not ``by="alone"``.
        """
        self._need_alone("decision_function")
        rows = self._rows(X)
        return _limit(rows.threshold, rows.references, self.confidence) - rows.scores

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Returns 1 inside, -1 outside and 0 for a refused or undecided record, of shape (n,), integers.

        Outside is ``p_values(X) <= alpha``; by ``batch`` only where the p-value of the record by itself is also low, at most
        n/1000 in a list of n, but ``alpha`` at least and 0.15 at most, or hardly any training molecule is as much like the list.
        Where the model holds too few graphs to call any outside at ``alpha``, all are undecided, with a warning.
        """
        rows = self._rows(X)
        undecided = rows.verdicts == "undecided"
        if undecided.any():
            warnings.warn(f"all are undecided: {_too_few(rows.references, self.confidence)}", UserWarning, stacklevel=2)
        return np.where(np.isnan(rows.scores) | undecided, 0, np.where(rows.verdicts == "outside", -1, 1))

    def select(self, X: Any, fdr: float = 0.1) -> npt.NDArray[np.bool_]:
        """Returns which records are outside at a false-discovery rate, of shape (n,), bool.

        Of those selected, a share of at most ``fdr`` is from inside in expectation
        (Benjamini and Hochberg). Refused records are not selected. It rests on the p-values of
        records by themselves, and raises ValueError where not ``by="alone"`` or ``"approximate"``.
        """
        if self.by != "approximate":
            self._need_alone("select")
        fdr = _inputs.share("fdr", fdr)
        p = self._rows(X).p_values
        answer = child.ask(Question({"op": "q_values"}, p.astype("<f8").tobytes()))
        return np.frombuffer(answer.body, "<f8") <= fdr

    def whole(self, X: Any) -> Whole:
        """Returns what the list is like as a whole: does it differ from the training set, and in what?

        By ``alone`` and ``approximate`` it is that of ``batch``.
        """
        by = "batch" if self.by in _SINGLE else self.by
        rows = rows_of(self, X, by)
        _inputs.warn_of(rows.refused, len(rows.scores), "left out", stacklevel=2)
        assert rows.whole is not None
        return rows.whole

    def explain(self, X: Any) -> Explanations:
        """Returns why each record has the score that it gets by itself: reasons, atoms, nearest training graphs.

        In a notebook the result is a table, with drawings where RDKit is installed.
        """
        listing = _inputs.read(X)
        texts: list[bytes] = []
        with Bar("explaining", "graph") as bar:

            def take(answer: Answer) -> None:
                texts.append(bytes(answer.body))
                bar.reach(min(len(listing), len(texts) * _EXPLAINED), len(listing))

            model = self._model()
            child.stream(listing.questions(_EXPLAINED, op="explain", model=model.name, alpha=model.alpha), take, model)
        found = Explanations.parse(b"".join(texts))
        _inputs.warn_of([(x.row, x.error) for x in found if x.error is not None], len(listing), "not explained", stacklevel=2)
        return found

    def trust(self, X: Any, predicted: Any = None, coverage: float = 0.9, *, uncertainty: Any = None, tolerance: Optional[float] = None, large_errors: float = 0.25, errors_by: Optional[str] = None) -> pandas.DataFrame:
        """Returns how wrong to expect predictions to be, as ``baca trust`` does.

        It rests on the errors of records that were held out when the model was trained, see :meth:`fit`, and of
        these on those that ``errors_by`` puts beside the prediction. The promise of the intervals is for
        records like those held out.

        Parameters
        ----------
        predicted : n numbers, optional
            The prediction for each record, in the unit of the observed values. Without it those of the estimator that :meth:`fit` got,
            and their ``uncertainty``.
        coverage : float
            The share of observed values that intervals should hold.
        uncertainty : n numbers, optional
            How unsure your model is of each prediction, as in :meth:`fit`.
        tolerance : float, optional
            Errors above it are large, in the same unit. Without it, errors above what four of five held-out
            errors stay within, or for classes above 0.5.
        large_errors : float
            The share of large errors up to which ``trust`` is ``trust``, up to half ``check``. Without it three quarters of
            their share among all held-out errors, 0.25 at most.
        errors_by : str, optional
            What tells large errors from small ones: "score", the score that each record gets by itself, whatever
            ``by`` is; "neighbors", how unlike the five nearest training records are; "margin", for classes, how near
            the prediction is to ½; "uncertainty", that of predictions; "combined", the ranks by neighbors and by uncertainty together.
            Without it margin for classes, and for numbers uncertainty if the model was fitted with it, else neighbors.

        Returns
        -------
        pandas.DataFrame of n rows
            With the index of ``X`` if it has one, and ``score``; ``predicted``; ``expected_error``, the mean
            absolute error of held-out records that stand there; ``interval_low`` and ``interval_high``, NaN for
            classes; ``trust``: trust, check or do-not-use; the same for the list as a whole, ``interval_batch_low``, ``interval_batch_high``
            and ``trust_batch``, of 50 records or more and 1 048 576 at most; ``error``; and ``set_aside``, what the model did not read of the record. Beyond the farthest held-out
            record nothing is known: NaN and do-not-use. A record that is refused or has no finite prediction has
            NaN and None, and ``error`` says why. The numbers are those that the command writes.

        Raises ValueError where the model knows no held-out errors. Takes pandas.
        """
        import pandas

        coverage, large_errors = _inputs.share("coverage", coverage), _inputs.share("large_errors", large_errors, 0.5)
        if tolerance is not None:
            tolerance = _inputs.share("tolerance", tolerance, math.inf)
        listing, index = _inputs.read(X), _inputs.index_of(X, predicted=predicted, uncertainty=uncertainty)
        if predicted is None:
            if getattr(self, "estimator_", None) is None:
                raise ValueError("trust without predicted: want the predictions, or a detector that was fitted with an estimator")
            predicted, uncertainty, _ = _estimators.predictions(self.estimator_, _estimators.features_of(listing).counts)
        columns = {name: _inputs.numbers(x, len(listing), name) for name, x in (("predicted", predicted), ("uncertainty", uncertainty)) if x is not None}
        bad = [found for _, some in columns.values() for found in some]
        listing = replace(listing, values=tuple(values for values, _ in columns.values()))
        rows: list[dict[str, Any]] = []
        model = self._model()
        asked: dict[str, Any] = {"model": model.name, "alpha": model.alpha, "coverage": coverage, "tolerance": tolerance or 0, "large_errors": large_errors, "errors_by": errors_by or ""}

        def take(answer: Answer) -> None:
            rows.extend(map(json.loads, answer.body.splitlines()))

        # The list of one question is judged as a whole.
        child.stream(iter([listing.question("trust", values=list(columns), **asked)] if len(listing) else []), take, model)
        for row, why in bad:
            rows[row]["error"] = rows[row]["error"] or why
        _inputs.warn_of([(i, row["error"]) for i, row in enumerate(rows) if row["error"] is not None], len(rows), "have no interval", stacklevel=2)
        numbers = {name: np.array([row[name] for row in rows], np.float64) for name in _TRUSTED}
        texts = {name: np.array([row[name] for row in rows], object) for name in ("trust", "trust_batch", "error", "set_aside")}
        return pandas.DataFrame({**numbers, **texts}, index=index)

    def calibrate(self, X: Any) -> Detector:
        """Returns a detector that takes its p-values from a list of your own, which counts as inside, as ``baca model calibrate`` does.

        At least 20 records must be new to the model. Scores stay as they are.
        """
        from ._commands import calibrated

        file = calibrated(self, X)
        detector = Detector(**self.get_params())
        detector.model_ = file
        return detector

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model as a file, which ``load`` and the command read."""
        model = self._model()
        file = model.file
        if file is None:
            file = bytes(child.ask(Question({"op": "file", "model": model.name})).body)
        Path(path).write_bytes(file)

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], alpha: float = 0.05) -> Detector:
        """Returns a detector with the model of a file, which is not needed afterwards."""
        detector = cls(model=os.fspath(path), alpha=alpha)
        detector.model_ = _read(path)
        child.stream([], _ignore, detector._model())
        return detector

    @property
    def offset_(self) -> float:
        if self.by != "alone":
            raise AttributeError(f"by={self.by!r} has no offset_: the answer depends on the list")
        about = child.stream([], _ignore, self._model())
        return -_limit(about["threshold"], about["references"], self.confidence)

    def _model(self) -> Model:
        """Returns what questions are about."""
        file: Optional[bytes] = getattr(self, "model_", None)
        alpha = _inputs.share("alpha", self.alpha)
        confidence = 0 if self.confidence is None else _inputs.share("confidence", self.confidence)
        if file is not None:
            return Model(hashlib.sha256(file).hexdigest(), file, alpha, confidence)
        if self.model is None:
            raise NotFittedError("this Detector has no model: call fit(library) to train one, or name one, such as Detector(model='drugs')")
        if not _is_file(self.model):
            return Model(str(self.model), None, alpha, confidence)
        file = _read(self.model)
        return Model(hashlib.sha256(file).hexdigest(), file, alpha, confidence)

    def _need_alone(self, method: str) -> None:
        if self.by != "alone":
            raise ValueError(f"{method} with by={self.by!r}: the answer depends on the list, so that there is no threshold; want by='alone'")

    def _rows(self, X: Any) -> Rows:
        """Scores records, and warns where the caller of the method is."""
        rows = rows_of(self, X, self.by)
        warn_of(rows, "have no score", stacklevel=3)
        return rows

    def __repr__(self, **kwargs: Any) -> str:
        text = str(super().__repr__(**kwargs))
        if hasattr(self, "decision_scores_"):
            text += f" fitted on {np.count_nonzero(~np.isnan(self.decision_scores_)):_} records".replace("_", " ")
        return text

    def __sklearn_is_fitted__(self) -> bool:
        return self.model is not None or hasattr(self, "model_")

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"X_types": ["string"], "requires_fit": self.model is None, "non_deterministic": False, "allow_nan": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.requires_fit = self.model is None
        return tags


def warn_of(rows: Rows, what: str, stacklevel: int) -> None:
    """Warns of refused records, of a list that is too short for a batch, and of one that the model does not know."""
    _inputs.warn_of(rows.refused, len(rows.scores), what, stacklevel + 1)
    if rows.whole is not None and rows.whole.few:
        warnings.warn(rows.whole.notes[-1], UserWarning, stacklevel=stacklevel + 1)
    if rows.foreign is not None:
        warnings.warn(f"{rows.foreign}; train your own: Detector().fit(library), or baca train LIBRARY --out my.msgpack", UserWarning, stacklevel=stacklevel + 1)


def rows_of(detector: Detector, X: Any, by: str) -> Rows:
    """Scores records, and warns of none."""
    listing = X if isinstance(X, _inputs.Listing) else _inputs.read(X)
    n = len(listing)
    scores, p_values, codes = np.full(n, np.nan), np.full(n, np.nan), np.full(n, 255, np.uint8)
    alone_p, batch_foreign = np.full(n, np.nan), np.full(n, None, object)
    size = 17 if by in _SINGLE else 26  # bytes of a row: two float64 and a byte, of a list another float64 and byte
    words: list[str] = []
    refused: list[tuple[int, str]] = []
    asides: list[tuple[int, str]] = []
    whole: Optional[Whole] = None
    done = 0
    with Bar("scoring", "graph") as bar:

        def take(answer: Answer) -> None:
            nonlocal done, whole
            count = len(answer.body) // size
            to = slice(done, done + count)
            scores[to] = np.frombuffer(answer.body, "<f8", count)
            p_values[to] = np.frombuffer(answer.body, "<f8", count, 8 * count)
            codes[to] = np.frombuffer(answer.body, np.uint8, count, 16 * count)
            if by not in _SINGLE:
                alone_p[to] = np.frombuffer(answer.body, "<f8", count, 17 * count)
                batch_foreign[to] = [_TRUTHS.get(x) for x in answer.body[25 * count :]]
            words[:] = answer.header["verdicts"]
            refused.extend(_notes(answer, "refused"))
            asides.extend(_notes(answer, "set_aside"))
            if "whole" in answer.header:
                found = answer.header["whole"]
                whole = Whole(found["few"], found["auc"], found["p_value"], tuple(found["differences"] or ()), tuple(found["notes"] or ()))
            done += count
            bar.reach(done, n)

        model = detector._model()
        asked: dict[str, Any] = {"model": model.name, "alpha": model.alpha, "confidence": model.confidence, "by": by, "seed": _inputs.whole("seed", detector.seed)}
        # The list of one question is the batch.
        questions = listing.questions(op="score", **asked) if by in _SINGLE else iter([listing.question("score", **asked)] if n else [])
        about = child.stream(questions, take, model)
    verdicts = np.full(n, None, object)
    for code, word in enumerate(words):
        verdicts[codes == code] = word
    counts = {word: int(np.count_nonzero(codes == code)) for code, word in enumerate(words)}
    foreign = child.ask(Question({"op": "foreign", **counts})).header.get("warning")
    return Rows(scores, p_values, verdicts, alone_p, batch_foreign, refused, asides, foreign, about["threshold"], about["references"], whole or _NO_BATCH if by not in _SINGLE else None)


def neighbors_of(detector: Detector, listing: _inputs.Listing, count: int) -> list[npt.NDArray[Any]]:
    """Returns columns of each of so many neighbours of records: SMILES, similarity, name and what was measured."""
    rows: list[dict[str, Any]] = []
    if count:
        model = detector._model()
        questions = listing.questions(op="neighbors", model=model.name, alpha=model.alpha, neighbors=count)
        child.stream(questions, lambda answer: rows.extend(map(json.loads, answer.body.splitlines())), model)
    columns: list[npt.NDArray[Any]] = []
    for k in range(count):
        for name, kind in (("nearest_smiles", object), ("nearest_similarity", np.float64), ("nearest_names", object), ("nearest_observed", np.float64)):
            cells = [row[name][k] if row.get(name) and len(row[name]) > k else None for row in rows]
            columns.append(np.array([cell if cell != "" else None for cell in cells], kind))
    return columns


def _valued(listing: _inputs.Listing, X: Any, *, quiet: bool, **columns: Any) -> _inputs.Listing:
    """Returns a list to train on with values, and unless quiet warns of those that are none."""
    _inputs.index_of(X, **columns)
    read = [_inputs.numbers(x, len(listing), name) for name, x in columns.items()]
    bad = sorted(found for _, some in read for found in some)
    if bad and not quiet:
        row, why = bad[0]
        warnings.warn(f"{len(bad)} of {len(read) * len(listing)} values are not known: row {row + 1}: {why}", UserWarning, stacklevel=3)
    return replace(listing, values=tuple(values for values, _ in read))


_TRUSTED = ("score", "predicted", "expected_error", "interval_low", "interval_high", "interval_batch_low", "interval_batch_high")
_SINGLE = ("alone", "approximate")  # by which a record has the same answer in any list
_TRUTHS = {0: False, 1: True}
_NO_BATCH = Whole(True, None, None, (), ("an empty list is no batch",))


def six_digits(x: Floats) -> Floats:
    """Rounds numbers to the six digits that the command writes."""
    values, places = np.unique(x, return_inverse=True)
    return np.fromiter((float(f"{v:.6g}") for v in values.tolist()), np.float64, len(values))[places]


def _notes(answer: Answer, name: str) -> list[tuple[int, str]]:
    return [(row, text) for row, text in answer.header.get(name, [])]


def _limit(threshold: Optional[float], references: int, confidence: Optional[float]) -> float:
    if threshold is None:
        raise ValueError(_too_few(references, confidence))
    return threshold


def _too_few(references: int, confidence: Optional[float]) -> str:
    least = f"want alpha of that or more{'' if confidence is None else f', and more for a confidence of {confidence}'}"
    return f"the model holds {references} graphs to compare with, so that p-values go down to {1 / (1 + references):.3g}: {least}, or more graphs to train on"


def _is_file(model: Union[str, os.PathLike[str]]) -> bool:
    """Tells a model file from the name of a built-in model."""
    text = os.fspath(model)
    return not isinstance(model, str) or any(c in text for c in "/\\.")


def _read(path: Union[str, os.PathLike[str]]) -> bytes:
    """Reads a model file."""
    return Path(path).read_bytes()


def _ignore(answer: Answer) -> None:
    """Takes no answers."""
