"""Data frames of pandas and polars."""

from __future__ import annotations

import os
from typing import Any, TypeVar, Union

import numpy as np

from ._detector import DEFAULT, Detector, rows_of, six_digits, warn_of

_COLUMNS = ("score", "p_value", "verdict", "error", "set_aside")


Frame = TypeVar("Frame")  # a data frame of pandas or polars


def score(
    frame: Frame,
    smiles_column: str = "smiles",
    model: Union[str, os.PathLike[str], Detector] = DEFAULT,
    alpha: float = 0.05,
    prefix: str = "",
    by: str = "alone",
) -> Frame:
    """Returns a copy of a pandas or polars data frame with columns about its molecules.

    Parameters
    ----------
    frame : data frame of n rows
        Its index stays as it is.
    smiles_column : str
        The column with SMILES or RDKit molecules.
    model : str, path or Detector
        As of :class:`Detector`; of a detector given here ``alpha`` and ``by`` are its own.
    alpha : float
        The share of molecules from inside that may be called outside.
    prefix : str
        Begins the names of the new columns, where the frame has others of these names.
    by : str
        What decides, as of :class:`Detector`: by ``batch`` and ``attention`` the frame is the batch.

    Returns
    -------
    data frame of n rows
        With ``score`` (higher is further outside), ``p_value``, ``verdict`` (inside, borderline,
        outside or undecided), ``error``, which says why a row was refused, and ``set_aside``,
        what the model did not read of it, such as "stereo, 1 counter-ion"; both are None
        elsewhere. A refused row has NaN for numbers and None for its verdict. The
        numbers are those that ``baca score`` writes.
    """
    table: Any = frame
    if not hasattr(table, "columns"):
        raise TypeError(f"{type(table).__name__}: want a data frame of pandas or polars; the methods of a Detector take lists")
    places = [i + 1 for i, name in enumerate(table.columns) if name == smiles_column]
    if not places:
        raise KeyError(f"no column {smiles_column!r}: the frame has {', '.join(map(str, table.columns)) or 'none'}")
    if len(places) > 1:
        raise ValueError(f"columns {places[0]} and {places[1]} are both called {smiles_column!r}: want one of that name")
    names = [prefix + name for name in _COLUMNS]
    taken = [name for name in names if name in list(table.columns)]
    if taken:
        raise ValueError(f"the frame already has the columns {', '.join(taken)}: give a prefix for the new ones")
    detector = model if isinstance(model, Detector) else Detector(model=model, alpha=alpha, by=by)
    rows = rows_of(detector, table[smiles_column], detector.by)
    warn_of(rows, "have NaN", stacklevel=2)
    errors = np.full(len(rows.scores), None, object)
    for row, why in rows.refused:
        errors[row] = why
    asides = np.full(len(rows.scores), None, object)
    for row, what in rows.asides:
        asides[row] = what
    columns = dict(zip(names, [six_digits(rows.scores), six_digits(rows.p_values), rows.verdicts, errors, asides]))
    if hasattr(table, "with_columns"):
        import polars

        added: Frame = table.with_columns(
            polars.Series(name, column.tolist(), dtype=polars.Float64 if column.dtype == np.float64 else polars.String)
            for name, column in columns.items()
        )
    else:
        added = table.assign(**columns)
    return added
