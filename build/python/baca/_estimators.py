"""Estimators of scikit-learn on fingerprints, and how unsure they are."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _inputs
from ._child import Answer, child

Floats = npt.NDArray[np.float64]
FEATURES = 2048
_FOLDS = 5


class Features(NamedTuple):
    """What is learnt from, of n records."""

    counts: npt.NDArray[np.uint8]  # (n, FEATURES), zeros for a refused record
    scaffolds: npt.NDArray[np.uint32]  # (n,), a number of each scaffold
    refused: list[tuple[int, str]]  # row from 0, and why


class Predictions(NamedTuple):
    """What an estimator predicts of n records, NaN where it does not."""

    predicted: Floats
    uncertainty: Optional[Floats]  # the standard deviation of members; None of an estimator that does not average
    new_scaffold: Optional[Floats] = None  # predicted without all records of the same scaffold


def fingerprints(X: Any) -> npt.NDArray[np.uint8]:
    """Returns features to learn from, of shape (n, 2048): how often atoms occur in each surrounding of up to two bonds.

    Surroundings that share a column by their hash are counted together, and 255 stands for more. These are what a model
    compares molecules by. A record that is refused has zeros, with a :class:`RefusedWarning`.
    """
    listing = _inputs.read(X)
    found = features_of(listing)
    _inputs.warn_of(found.refused, len(listing), "have zeros", stacklevel=2)
    return found.counts


def features_of(listing: _inputs.Listing) -> Features:
    """Returns the fingerprints of records."""
    counts, scaffolds = [np.zeros((0, FEATURES), np.uint8)], [np.zeros(0, np.uint32)]
    refused: list[tuple[int, str]] = []

    def take(answer: Answer) -> None:
        counts.append(np.frombuffer(answer.body, np.uint8).reshape(-1, FEATURES))
        scaffolds.append(np.array(answer.header["scaffolds"], np.uint32))
        refused.extend((row, why) for row, why in answer.header.get("refused", []))

    child.stream(listing.questions(op="fingerprints"), take)
    return Features(np.concatenate(counts), np.concatenate(scaffolds), refused)


def cross_validated(estimator: Any, listing: _inputs.Listing, y: Floats, seed: int) -> tuple[Any, Predictions]:
    """Returns an estimator that was fitted to all records with a value, and what others predict of each without it."""
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import GroupKFold, KFold

    features = features_of(listing)
    usable = np.isfinite(y)
    usable[[row for row, _ in features.refused]] = False
    rows = np.flatnonzero(usable)
    if is_classifier(estimator) and not np.isin(y[rows], (0, 1)).all():
        raise ValueError("y of a classifier: want 0, 1 or NaN")
    if len(rows) < _FOLDS:
        raise ValueError(f"{len(rows)} readable records with a value: want at least {_FOLDS} to cross-validate, and some 200 to calibrate")

    def without(folds: Iterable[tuple[Any, Any]]) -> Predictions:
        """Predicts each fold from the others."""
        predicted, uncertainty = np.full(len(y), np.nan), np.full(len(y), np.nan)
        for train, test in folds:
            fitted = clone(estimator).fit(features.counts[rows[train]], y[rows[train]])
            of = predictions(fitted, features.counts[rows[test]])
            predicted[rows[test]] = of.predicted
            if of.uncertainty is not None:
                uncertainty[rows[test]] = of.uncertainty
        return Predictions(predicted, uncertainty if np.isfinite(uncertainty).any() else None)

    held_out = without(KFold(_FOLDS, shuffle=True, random_state=seed % 2**32).split(rows))
    scaffolds = features.scaffolds[rows]
    if len(np.unique(scaffolds)) >= _FOLDS:
        held_out = held_out._replace(new_scaffold=without(GroupKFold(_FOLDS).split(rows, groups=scaffolds)).predicted)
    return clone(estimator).fit(features.counts[rows], y[rows]), held_out


def predictions(fitted: Any, counts: npt.NDArray[np.uint8]) -> Predictions:
    """Returns what an estimator predicts: numbers, or of a classifier the probabilities of class 1."""
    from sklearn.base import is_classifier

    if is_classifier(fitted):
        classes = list(fitted.classes_)
        return Predictions(fitted.predict_proba(counts)[:, classes.index(1)] if 1 in classes else np.zeros(len(counts)), None)
    predicted = np.asarray(fitted.predict(counts), np.float64).reshape(len(counts))
    members = getattr(fitted, "estimators_", None)
    if not isinstance(members, list) or hasattr(fitted, "estimators_features_"):
        return Predictions(predicted, None)
    return Predictions(predicted, np.std([member.predict(counts) for member in members], axis=0))
