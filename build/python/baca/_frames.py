"""Data frames of pandas and polars."""

from __future__ import annotations

import os
from typing import Any, Optional, TypeVar, Union

import numpy as np

from . import _inputs
from ._detector import _SINGLE, DEFAULT, Detector, neighbors_of, rows_of, six_digits, warn_of

_COLUMNS = ("score", "p_value", "verdict", "error", "set_aside")
_NEAREST = ("smiles", "similarity", "name", "observed")
_OF_LISTS = ("alone_p", "batch_foreign")


Frame = TypeVar("Frame")  # a data frame of pandas or polars


def score(
    frame: Frame,
    smiles_column: Optional[str] = None,
    model: Union[str, os.PathLike[str], Detector] = DEFAULT,
    alpha: float = 0.05,
    prefix: str = "",
    by: str = "alone",
    neighbors: int = 0,
) -> Frame:
    """Returns a copy of a pandas or polars data frame with columns about its molecules.

    Parameters
    ----------
    frame : data frame of n rows
        Its index stays as it is.
    smiles_column : str, optional
        The column with SMILES or RDKit molecules. Without it the one called smiles, else the one that holds them.
    model : str, path or Detector
        As of :class:`Detector`; of a detector given here ``alpha`` and ``by`` are its own.
    alpha : float
        The share of molecules from inside that may be called outside.
    prefix : str
        Begins the names of the new columns, where the frame has others of these names.
    by : str
        What decides, as of :class:`Detector`: by ``batch`` and ``attention`` the frame is the batch.
    neighbors : int
        How many of the most similar training graphs get columns, such as ``nearest_1_smiles``, ``nearest_1_similarity``,
        ``nearest_1_name`` and ``nearest_1_observed``, what was measured; NaN or None for what the model does not hold.

    Returns
    -------
    data frame of n rows
        With ``score`` (higher is further outside), ``p_value``, ``verdict`` (inside, borderline,
        outside or undecided), ``error``, which says why a row was refused, and ``set_aside``,
        what the model did not read of it, such as "stereo, 1 counter-ion"; both are None
        elsewhere. Where a list is judged also ``alone_p``, the p-value of the molecule by itself, and ``batch_foreign``, whether
        hardly any training molecule is as much like the list. A refused row has NaN for numbers and None for its verdict. The
        numbers are those that ``baca score`` writes.
    """
    table: Any = frame
    if not hasattr(table, "columns"):
        raise TypeError(f"{type(table).__name__}: want a data frame of pandas or polars; the methods of a Detector take lists")
    place = _inputs.column_of(table, smiles_column)
    molecules = table.iloc[:, place] if hasattr(table, "iloc") else table[table.columns[place]]
    kept = _inputs.whole("neighbors", neighbors)
    detector = model if isinstance(model, Detector) else Detector(model=model, alpha=alpha, by=by)
    of_lists = detector.by not in _SINGLE
    names = [prefix + name for name in _COLUMNS + (_OF_LISTS if of_lists else ())] + [f"{prefix}nearest_{k + 1}_{what}" for k in range(kept) for what in _NEAREST]
    taken = [name for name in names if name in list(table.columns)]
    if taken:
        raise ValueError(f"the frame already has the columns {', '.join(taken)}: give a prefix for the new ones")
    listing = _inputs.read(molecules)
    rows = rows_of(detector, listing, detector.by)
    warn_of(rows, "have NaN", stacklevel=2)
    errors = np.full(len(rows.scores), None, object)
    for row, why in rows.refused:
        errors[row] = why
    asides = np.full(len(rows.scores), None, object)
    for row, what in rows.asides:
        asides[row] = what
    of_list = [six_digits(rows.alone_p), rows.batch_foreign] if of_lists else []
    columns = dict(zip(names, [six_digits(rows.scores), six_digits(rows.p_values), rows.verdicts, errors, asides, *of_list, *neighbors_of(detector, listing, kept)]))
    if hasattr(table, "with_columns"):
        import polars

        added: Frame = table.with_columns(
            polars.Series(name, column.tolist(), dtype=_kind_of(polars, name, column)) for name, column in columns.items()
        )
    else:
        added = table.assign(**columns)
    return added


def _kind_of(polars: Any, name: str, column: Any) -> Any:
    if name.endswith("batch_foreign"):
        return polars.Boolean
    return polars.Float64 if column.dtype == np.float64 else polars.String
