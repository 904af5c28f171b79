"""Files of molecules, which the command reads itself."""

from __future__ import annotations

import errno
import io
import os
import re
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union, overload

from ._commands import model_flag, run
from ._detector import DEFAULT, Detector
from ._inputs import RefusedWarning, share, whole

if TYPE_CHECKING:
    import pandas

_TALLY = re.compile(r"^(\d+) read, (\d+) refused", re.MULTILINE)
_FOREIGN = re.compile(r"^note: (.* this list is not what .*)$", re.MULTILINE)


_Path = Union[str, "os.PathLike[str]"]


@overload
def score_file(path: _Path, out: None = None, model: Union[_Path, Detector] = ..., alpha: float = ..., *, by: str = ..., column: Optional[str] = ..., sheet: Optional[str] = ..., seed: int = ...) -> pandas.DataFrame: ...
@overload
def score_file(path: _Path, out: _Path, model: Union[_Path, Detector] = ..., alpha: float = ..., *, by: str = ..., column: Optional[str] = ..., sheet: Optional[str] = ..., seed: int = ...) -> Path: ...
def score_file(
    path: _Path,
    out: Optional[_Path] = None,
    model: Union[_Path, Detector] = DEFAULT,
    alpha: float = 0.05,
    *,
    by: str = "alone",
    column: Optional[str] = None,
    sheet: Optional[str] = None,
    seed: int = 1,
) -> Union[pandas.DataFrame, Path]:
    """Scores the molecules or graphs of a file, as ``baca score`` does; the file is never in memory.

    Parameters
    ----------
    path : str or path
        Any file that the command reads: SMILES, CSV, TSV, Excel, JSONL, SDF, Parquet, GraphML, also compressed.
    out : str or path, optional
        The file to write; its extension says whether it is CSV, TSV, JSONL, Parquet or SDF. Without it
        the rows are returned as a data frame, which takes pandas.
    model : str, path or Detector
        As of :class:`Detector`; of a detector given here ``alpha``, ``by`` and ``seed`` are its own.
    alpha, by, seed
        As of :class:`Detector`.
    column : str, optional
        The column with the SMILES, where its name or its cells do not tell.
    sheet : str, optional
        The sheet of a workbook, instead of the first visible one with structures.

    Returns
    -------
    pandas.DataFrame or pathlib.Path
        The rows of ``baca score``, with NaN for what a row has none of, or the path of ``out``.

    Raises FileNotFoundError, or ValueError with what the command says of a file that it cannot read, and warns of
    refused records with a :class:`RefusedWarning`, and of a list that the model does not know.
    """
    if out is None:
        import pandas
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    flags: list[str] = []
    if isinstance(model, Detector):
        alpha, by, seed = model.alpha, model.by, model.seed
        flags += ["--confidence", str(model.confidence)] if model.confidence else []
    flags += ["--column", column] if column is not None else []
    flags += ["--sheet", sheet] if sheet is not None else []
    flags += ["--alpha", str(share("alpha", alpha)), "--by", by, "--seed", str(whole("seed", seed))]
    with tempfile.TemporaryDirectory() as folder, model_flag(model) as name:
        rows = Path(folder) / "rows.csv" if out is None else Path(out)
        # A path that begins with a dash is no flag.
        _, said = run("score", "--model", name, *flags, "--out", os.fspath(rows), "--", os.fspath(path))
        tally = _TALLY.search(said)
        if tally and int(tally[2]):
            warnings.warn(f"{tally[2]} of {tally[1]} records have no score: see the column error", RefusedWarning, stacklevel=2)
        foreign = _FOREIGN.search(said)
        if foreign:
            warnings.warn(foreign[1], UserWarning, stacklevel=2)
        if out is not None:
            return Path(out)
        return pandas.read_csv(io.BytesIO(rows.read_bytes()), keep_default_na=False, na_values={name: [""] for name in _MISSING}, dtype=_TYPES)


_MISSING = ("score", "p_value", "s_pre", "s_attn", "s_baca", "baca_p", "alone", "alone_p", "batch", "batch_p", "alpha", "verdict", "error", "set_aside")
_TYPES = {"id": str, "smiles": str, "score": float, "verdict": str, "error": str, "set_aside": str, "model_sha256": str}
