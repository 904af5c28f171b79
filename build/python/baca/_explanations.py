"""Why records have their scores."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Any, Optional

_SHOWN = 100  # rows of a table in a notebook
_SIZE = 180, 130  # of a drawing, in pixels
_COLOURS = {"inside": "#2e7d5b", "borderline": "#b07a00", "outside": "#b3261e"}


@dataclass(frozen=True)
class Neighbor:
    """A training graph that is like a record.

    Attributes
    ----------
    row : int or None
        In the training set, from 0; None where the model does not know it.
    similarity : float
        From 0 to 1.
    smiles, name : str or None
        None where the model does not hold its structures.
    observed, predicted : float or None
        What was measured and what was predicted of it, where the model knows; in its unit.
    """

    row: Optional[int]
    similarity: float
    smiles: Optional[str]
    name: Optional[str]
    observed: Optional[float] = None
    predicted: Optional[float] = None


@dataclass(frozen=True)
class Explanation:
    """Why one record has its score. A refused record has an error and nothing else.

    Attributes
    ----------
    row : int
        In the list, from 0.
    smiles, score, p_value, verdict, error, set_aside
        As of the columns of :func:`score`.
    counted : str or None
        What the p-value counts: "3 of 205, this one included".
    reasons : tuple of str
        The most unusual first.
    atoms : tuple of float
        What each atom adds to the score, as written; they add up to how far the score is
        above the least that is called outside.
    nearest : tuple of Neighbor
        Training graphs, the most similar first.
    trained_on : bool
        Whether it is one of them, stereochemistry and the way of writing aside.
    """

    row: int
    smiles: str
    score: Optional[float] = None
    p_value: Optional[float] = None
    verdict: Optional[str] = None
    error: Optional[str] = None
    reasons: tuple[str, ...] = ()
    atoms: tuple[float, ...] = ()
    nearest: tuple[Neighbor, ...] = ()
    trained_on: bool = False
    set_aside: Optional[str] = None
    counted: Optional[str] = None

    @classmethod
    def of(cls, row: int, values: dict[str, Any]) -> Explanation:
        """Reads the columns of a row of ``baca score --explain --to jsonl``."""
        smiles = values["smiles"] or ""
        if values["error"] is not None:
            return cls(row, smiles, error=values["error"])
        rows, similarities = values["nearest"], values["nearest_similarity"]
        structures = values["nearest_smiles"] or [""] * len(rows)
        names = values["nearest_names"] or [""] * len(rows)
        observed = values["nearest_observed"] or [None] * len(rows)
        predicted = values["nearest_predicted"] or [None] * len(rows)
        return cls(
            row, smiles, values["score"], values["p_value"], values["verdict"],
            reasons=tuple(values["reasons"]),
            atoms=tuple(values["atoms"]),
            nearest=tuple(
                Neighbor(None if r is None else int(r) - 1, s, text or None, name or None, y, yhat)
                for r, s, text, name, y, yhat in zip(rows, similarities, structures, names, observed, predicted)
            ),
            trained_on=bool(values["duplicate"]),
            set_aside=values["set_aside"],
            counted=values["counted"],
        )  # fmt: skip


class Explanations(list[Explanation]):
    """Explanations in the order of the records; a table in a notebook."""

    @classmethod
    def parse(cls, lines: bytes) -> Explanations:
        """Reads rows of JSON lines."""
        return cls(Explanation.of(i, json.loads(line)) for i, line in enumerate(lines.splitlines()))

    def _repr_html_(self) -> str:
        rows = "".join(_table_row(x) for x in self[:_SHOWN])
        more = f"<p>… and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        head = "".join(f"<th style='text-align:left'>{name}</th>" for name in ("", "molecule", "score", "p", "verdict", "why", "nearest in training"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _table_row(x: Explanation) -> str:
    cells = [str(x.row), _picture(x.smiles, x.atoms)]
    if x.error is not None:
        return f"<tr>{_cell(cells[0])}{_cell(cells[1])}<td colspan='5' style='text-align:left'>refused: {escape(x.error)}</td></tr>"
    colour = _COLOURS.get(x.verdict or "", "inherit")
    cells += [
        "" if x.score is None else f"{x.score:.3g}",
        "" if x.p_value is None else f"{x.p_value:.3g}<br>{escape(x.counted or '')}",
        f"<b style='color:{colour}'>{escape(x.verdict or '')}</b>",
        "<br>".join(escape(reason) for reason in x.reasons),
        "".join(_neighbor(n) for n in x.nearest[:1]),
    ]
    return f"<tr>{''.join(map(_cell, cells))}</tr>"


def _cell(html: str) -> str:
    return f"<td style='text-align:left;vertical-align:top'>{html}</td>"


def _neighbor(n: Neighbor) -> str:
    what = _picture(n.smiles, ()) if n.smiles else f"row {n.row + 1}" if n.row is not None else "not known"
    known = "".join(f", {word} {y:g}" for word, y in (("observed", n.observed), ("predicted", n.predicted)) if y is not None)
    return f"{what}<br>{escape(n.name or '')} similarity {n.similarity:.2f}{known}"


def _picture(smiles: str, atoms: tuple[float, ...]) -> str:
    """Returns a drawing, with what the atoms add in red and take away in blue, or the SMILES."""
    if not smiles:
        return ""
    text = f"<code style='overflow-wrap:anywhere'>{escape(smiles)}</code>"
    try:
        from rdkit import Chem, RDLogger
        from rdkit.Chem.Draw import rdMolDraw2D
    except ImportError:
        return text
    blocker = RDLogger  # its messages are about drawings alone
    blocker.DisableLog("rdApp.*")
    try:
        mol = Chem.MolFromSmiles(smiles)
        if mol is None:
            return text
        drawer = rdMolDraw2D.MolDraw2DSVG(*_SIZE)
        colours = _colours(atoms) if len(atoms) == mol.GetNumAtoms() else {}
        rdMolDraw2D.PrepareAndDrawMolecule(drawer, mol, highlightAtoms=list(colours), highlightAtomColors=colours, highlightBonds=[])
        drawer.FinishDrawing()
        svg = drawer.GetDrawingText()
    finally:
        blocker.EnableLog("rdApp.*")
    return f"<div title='{escape(smiles, quote=True)}'>{svg[svg.index('<svg') :]}</div>"


def _colours(atoms: tuple[float, ...]) -> dict[int, tuple[float, float, float]]:
    """Returns a colour for each atom that matters: red for more outside, blue for more inside."""
    most = max((abs(x) for x in atoms), default=0.0)
    colours = {}
    for i, x in enumerate(atoms):
        share = abs(x) / most if most else 0.0
        if share > 0.15:
            pale = 1 - 0.6 * share
            colours[i] = (1.0, pale, pale) if x > 0 else (pale, pale, 1.0)
    return colours
