"""Training and test sets, as ``baca split`` makes them."""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _inputs
from ._commands import lines_of, run

_WAYS = ("scaffold", "cluster", "time", "property", "random")


def split(
    X: Any, by: str = "scaffold", *, test: float = 0.2, seed: int = 1, values: Any = None
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Divides molecules into a training and a test set.

    Parameters
    ----------
    X : sequence of n molecules
        As of :class:`Detector`. Copies of a molecule, salts and stereoisomers among them, stay together.
    by : str
        ``scaffold`` and ``cluster`` draw whole scaffolds or clusters, ``random`` molecules. ``time`` and
        ``property`` take the molecules with the highest ``values``.
    test : float
        The share of the molecules to test, at most.
    seed : int
        Of the draws.
    values : sequence of n, optional
        Numbers or dates for ``time`` and ``property``: datetimes, or texts such as 2024-05-31.

    Returns
    -------
    train, test : arrays of int
        Places in X, which ascend, such as scikit-learn's splitters give. A molecule that is refused is in
        neither, and a :class:`RefusedWarning` counts these.
    """
    if by not in _WAYS:
        raise ValueError(f"by={by!r}: want one of {', '.join(_WAYS)}")
    if (values is None) == (by in ("time", "property")):
        raise ValueError(f"by={by!r} {'needs' if values is None else 'takes no'} values")
    listing = _inputs.read(X)
    if listing.kind != "molecules":
        raise ValueError("plain graphs have no scaffolds and clusters: want molecules")
    flags = ["--by", by, "--test", str(_inputs.share("test", test)), "--seed", str(_inputs.whole("seed", seed)), *(["--values", "value"] if values is not None else [])]
    cells: list[Optional[str]] = [None] * len(listing) if values is None else _texts(values, len(listing))
    out, _ = run("split", *flags, "--no-compare", "--format", "jsonl", "--to", "jsonl", "-", stdin=lines_of(listing, value=cells))
    rows = [json.loads(line) for line in out.splitlines()]
    _inputs.warn_of([(i, row["error"]) for i, row in enumerate(rows) if row["error"]], len(rows), "in neither set", 2)
    parts = np.array([row["split"] for row in rows])
    return np.flatnonzero(parts == "train"), np.flatnonzero(parts == "test")


def _texts(values: Any, n: int) -> list[Optional[str]]:
    """Reads n numbers or dates as the texts that the command reads. What is missing is None."""
    items = list(values)
    if len(items) != n:
        raise ValueError(f"{len(items)} values for {n} molecules: want one for each")
    return [None if item is None or item != item else item.isoformat() if hasattr(item, "isoformat") else str(item) for item in items]
