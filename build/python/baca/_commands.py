"""Verbs of the command for lists in memory: they run on files of a temporary folder."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from . import _inputs
from ._child import BacaError, program
from ._detector import DEFAULT, Detector

if TYPE_CHECKING:
    import pandas

_Path = Union[str, "os.PathLike[str]"]


def run(*arguments: str, stdin: bytes = b"") -> tuple[bytes, str]:
    """Runs the command, and returns what it writes to standard output and to standard error.

    Raises ValueError with what it says where it fails, and BacaError where it was killed.
    """
    done = subprocess.run([program(), *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode < 0:
        raise BacaError(f"the program that computes ended with status {done.returncode}; {said}")
    if done.returncode:
        raise ValueError(said.rpartition("baca: ")[2] or said)
    return done.stdout, said


@contextmanager
def model_flag(model: Union[_Path, Detector]) -> Iterator[str]:
    """Yields what --model names, a file of a detector's model while the context lasts."""
    if not isinstance(model, Detector):
        yield os.fspath(model)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fitted.msgpack")
        model.save(path)
        yield path


def lines_of(listing: _inputs.Listing, **columns: Any) -> bytes:
    """Writes records as JSON lines, with further columns of molecules."""
    lines: list[dict[str, Any]] = []
    for i, item in enumerate(listing.items):
        if isinstance(item, str):
            lines.append({"smiles": item, **{name: values[i] for name, values in columns.items()}})
        else:
            links = [{"source": int(a), "target": int(b)} for a, b in item.edges]
            lines.append({"nodes": [{"id": k} for k in range(item.nodes)], "links": links})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _format(listing: _inputs.Listing) -> tuple[str, str]:
    return "--format", "jsonl" if listing.kind == "molecules" else "nodelink"


def _seeded(seed: int) -> tuple[str, str]:
    return "--seed", str(_inputs.whole("seed", seed))


def compare(a: Any, b: Any, model: Union[_Path, Detector] = DEFAULT, *, fdr: float = 0.05, seed: int = 1, html: Optional[_Path] = None) -> dict[str, Any]:
    """Returns how two lists of molecules differ, and whether b tests a, as ``baca compare --json`` does.

    Parameters
    ----------
    a, b : sequences of molecules
        As of :class:`Detector`.
    model : str, path or Detector
        It says how molecules are read; what it was trained on does not matter.
    fdr : float
        The false-discovery rate of named differences.
    seed : int
        Of the samples.
    html : str or path, optional
        A file to write a report to, with the extension .html.
    """
    lists = [_inputs.read(x) for x in (a, b)]
    with tempfile.TemporaryDirectory() as folder, model_flag(model) as name:
        paths = [Path(folder) / f"{letter}.jsonl" for letter in "ab"]
        for path, listing in zip(paths, lists):
            path.write_bytes(lines_of(listing))
        flags = ["--json", "--model", name, "--fdr", str(_inputs.share("fdr", fdr)), *_seeded(seed), *_format(lists[0])]
        out, _ = run("compare", *flags, *([] if html is None else ["--html", os.fspath(html)]), *map(str, paths))
    found: dict[str, Any] = json.loads(out)
    return found


def suggest(library: Any, n: int = 50, model: Union[_Path, Detector] = DEFAULT, *, prices: Any = None, budget: Optional[float] = None, alpha: float = 0.05, seed: int = 1) -> pandas.DataFrame:
    """Returns which molecules of a library to measure next, the best first, as ``baca suggest`` does.

    Parameters
    ----------
    library : sequence of molecules
        As of :class:`Detector`.
    n : int
        The most to suggest.
    model : str, path or Detector
        As of :class:`Detector`.
    prices : one number for each, optional
        A molecule without a finite one is not suggested.
    budget : float, optional
        What those suggested may cost together.
    alpha, seed
        As of :class:`Detector`.

    Returns
    -------
    pandas.DataFrame
        With the place of each in the library as ``row``, from 0, and the columns of the command: ``rank``, ``smiles``,
        ``score``, ``p_value``, ``verdict``, ``nearest_similarity``, ``gain``, ``nearer``, ``inside``. Takes pandas.
    """
    import pandas

    listing, columns, flags = _inputs.read(library), {}, []
    if prices is not None:
        values, _ = _inputs.numbers(prices, len(listing), "prices")
        columns["price"] = [None if price != price else price for price in values.tolist()]
        flags += ["--price", "price"]
    if budget is not None:
        flags += ["--budget", str(_inputs.share("budget", budget, float("inf")))]
    with model_flag(model) as name:
        flags += ["--model", name, "--number", str(_inputs.whole("n", n, 1)), "--alpha", str(_inputs.share("alpha", alpha)), *_seeded(seed), *_format(listing)]
        out, _ = run("suggest", *flags, "-", stdin=lines_of(listing, **columns))
    picks = pandas.read_csv(io.BytesIO(out), keep_default_na=False, na_values={"p_value": [""], "price": [""]})
    picks.insert(1, "row", picks.pop("id") - 1)
    return picks


def drift(X: Any, model: Union[_Path, Detector] = DEFAULT, *, delta: float = 0.01, seed: int = 1) -> pandas.DataFrame:
    """Tests whether records, in their order, come from the distribution of the training set, as ``baca drift`` does.

    Parameters
    ----------
    X : sequence of n records
        As of :class:`Detector`, the oldest first.
    model : str, path or Detector
        As of :class:`Detector`.
    delta : float
        The chance of a false alarm, however long the list.
    seed : int
        Of the draws that break ties.

    Returns
    -------
    pandas.DataFrame of n rows
        With the index of ``X`` if it has one, and ``score``; ``p_value``, among held-out records and all before;
        ``log10``, the evidence of drift as a power of ten; ``moved``, True once that has reached 1/delta; ``error``. Takes pandas.
    """
    import pandas

    listing = _inputs.read(X)
    with model_flag(model) as name:
        out, _ = run("drift", "--model", name, "--delta", str(_inputs.share("delta", delta)), *_seeded(seed), *_format(listing), "-", stdin=lines_of(listing))
    rows = pandas.read_csv(io.BytesIO(out), keep_default_na=False, dtype={"moved": str}, na_values={name: [""] for name in ("score", "p_value", "log10", "error")})
    rows["moved"] = rows["moved"] == "true"
    index = _inputs.index_of(X)
    return rows.drop(columns="id") if index is None else rows.drop(columns="id").set_axis(index)


def report(X: Any, out: _Path, model: Union[_Path, Detector] = DEFAULT, alpha: float = 0.05, *, by: str = "alone", fdr: Optional[float] = None, seed: int = 1, qprf: bool = False) -> Path:
    """Writes an HTML report about a list, as ``baca report`` does, and returns its path.

    Parameters
    ----------
    X : sequence of records
        As of :class:`Detector`.
    out : str or path
        The file to write, with the extension .html.
    model : str, path or Detector
        As of :class:`Detector`; of a detector given here ``alpha``, ``by`` and ``seed`` are its own.
    fdr : float, optional
        A false-discovery rate among those called outside.
    qprf : bool
        Report on the applicability domain for each molecule, of at most 100, for a regulator's file.
    """
    listing = _inputs.read(X)
    if isinstance(model, Detector):
        alpha, by, seed = model.alpha, model.by, model.seed
    flags = ["--alpha", str(_inputs.share("alpha", alpha)), *_format(listing), *(["--qprf"] if qprf else _seeded(seed))]
    flags += ["--by", by] if by != "alone" else []
    flags += ["--fdr", str(_inputs.share("fdr", fdr))] if fdr else []
    with model_flag(model) as name:
        run("report", "--model", name, *flags, "--out", os.fspath(out), "-", stdin=lines_of(listing))
    return Path(out)


def calibrated(detector: Detector, X: Any) -> bytes:
    """Returns the model file of a detector that is calibrated on a list."""
    listing = _inputs.read(X)
    with tempfile.TemporaryDirectory() as folder, model_flag(detector) as name:
        held, out = Path(folder) / "holdout.jsonl", Path(folder) / "calibrated.msgpack"
        held.write_bytes(lines_of(listing))
        run("model", "calibrate", name, "--holdout", str(held), *_format(listing), "--out", str(out))
        return out.read_bytes()
