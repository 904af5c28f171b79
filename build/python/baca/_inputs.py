"""What may be asked about, as the program takes it: lists of SMILES or of plain graphs."""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._child import Question, child

# Bounds of one question, well below those of the program, so that memory does
# not depend on the length of a list.
_ROWS = 16384
_BYTES = 8 << 20
_NODES = 1 << 20
_BODY = 256 << 20  # which the program takes at most
# What is longer is refused by the program whatever follows.
_LONGEST = 4 << 20
_SHOWN = 3
_HEAD = 100  # rows of a frame that tell which column holds molecules


class RefusedWarning(UserWarning):
    """Some records are no molecules. They have NaN, and the others are scored."""


@dataclass(frozen=True)
class Graph:
    """A plain graph: its number of nodes, and its edges as pairs of nodes from 0."""

    nodes: int
    edges: npt.NDArray[np.uint32]  # of shape (edges, 2), "<u4"


@dataclass(frozen=True)
class Listing:
    """Records to ask about, all of one kind."""

    kind: str  # molecules or graphs
    items: Sequence[Union[str, Graph]]
    values: tuple[npt.NDArray[np.float64], ...] = ()  # columns of numbers that go with them, each (n,) float64

    def __len__(self) -> int:
        return len(self.items)

    def question(self, op: str, **header: Any) -> Question:
        """Returns one question about all of the list."""
        return self._question(0, len(self), {"op": op, **header})

    def questions(self, most: int = _ROWS, **header: Any) -> Iterator[Question]:
        """Yields questions about pieces of the list, one behind the other."""
        first, size = 0, 0.0
        for i, item in enumerate(self.items):
            weight = self._weight(item)
            if i > first and (i - first == most or size + weight > 1):
                yield self._question(first, i, header)
                first, size = i, 0.0
            size += weight
        if first < len(self):
            yield self._question(first, len(self), header)

    def _weight(self, item: Union[str, Graph]) -> float:
        """Returns the share of a question that an item may take."""
        if isinstance(item, str):
            return len(item) / _BYTES
        return max(item.nodes / _NODES, item.edges.nbytes / _BYTES)

    def _question(self, first: int, last: int, header: dict[str, Any]) -> Question:
        columns = [column[first:last].astype("<f8").tobytes() for column in self.values]
        body = b"".join([*columns, _pack(self.items[first:last])])
        if len(body) > _BODY:
            raise ValueError(f"rows {first + 1} to {last} take {len(body)} bytes: want at most {_BODY} at once")
        return Question({**header, "kind": self.kind, "rows": last - first, "first": first}, body)


def _pack(items: Sequence[Union[str, Graph]]) -> bytes:
    texts = [item for item in items if isinstance(item, str)]
    return _pack_texts(texts) if texts else _pack_graphs([item for item in items if isinstance(item, Graph)])


def _pack_texts(texts: list[str]) -> bytes:
    joined = "".join(texts)
    if joined.isascii():
        data = joined.encode()
        lengths = np.fromiter(map(len, texts), "<u4", len(texts))
    else:
        encoded = [text.encode("utf-8", "replace") for text in texts]
        data = b"".join(encoded)
        lengths = np.fromiter(map(len, encoded), "<u4", len(texts))
    return lengths.tobytes() + data


def _pack_graphs(graphs: list[Graph]) -> bytes:
    nodes = np.fromiter((g.nodes for g in graphs), "<u4", len(graphs))
    edges = np.fromiter((len(g.edges) for g in graphs), "<u4", len(graphs))
    return b"".join([nodes.tobytes(), edges.tobytes(), *(g.edges.tobytes() for g in graphs)])


def read(x: Any) -> Listing:
    """Reads a list of molecules or plain graphs.

    Takes a SMILES or another single record, or any sequence of n records: a list, a numpy array of
    shape (n,) or (n, 1), a pandas or polars Series, a data frame with one column, a column called
    smiles or one that holds them. A record is a SMILES, an RDKit Mol, a networkx graph, a PyTorch Geometric Data, or None
    or NaN for a missing molecule, which is refused like one that cannot be read.

    Raises TypeError for anything else, and ValueError for a mixture of molecules and graphs.
    """
    items = _items(x)
    if all(type(item) is str for item in items):
        return Listing("molecules", _cut(items))
    read_items = [_record(item, i) for i, item in enumerate(items)]
    graphs = [item for item in read_items if isinstance(item, Graph)]
    texts = [item for item in read_items if isinstance(item, str)]
    if graphs and texts:
        raise ValueError(f"{len(graphs)} graphs and {len(texts)} molecules in one list: want one kind")
    return Listing("graphs", graphs) if graphs else Listing("molecules", _cut(texts))


def _cut(texts: list[str]) -> list[str]:
    if max(map(len, texts), default=0) <= _LONGEST:
        return texts
    return [text[:_LONGEST] for text in texts]


def _items(x: Any) -> list[Any]:
    """Returns the records of a sequence, or of a single record."""
    if isinstance(x, (str, bytes)) or _is_graph(x) or _is_mol(x):
        return [x]
    columns = getattr(x, "columns", None)
    if columns is not None:  # a data frame of pandas or polars
        place = column_of(x, None)
        x = x.iloc[:, place] if hasattr(x, "iloc") else x[columns[place]]
    if hasattr(x, "to_list"):
        return list(x.to_list())
    if isinstance(x, np.ndarray):
        if x.ndim == 2 and x.shape[1] == 1:
            x = x[:, 0]
        if x.ndim != 1:
            raise TypeError(f"an array of shape {x.shape}: want molecules in the shape (n,) or (n, 1)")
        return list(x.tolist())
    try:
        if isinstance(x, Mapping):  # it would be its keys
            raise TypeError
        return list(x)
    except TypeError:
        raise TypeError(f"{type(x).__name__}: want SMILES, RDKit molecules or graphs, or a sequence of them") from None


def column_of(frame: Any, name: Optional[str]) -> int:
    """Returns the place of a frame's column of molecules: the one of that name, else the one that the command finds.

    Raises KeyError where there is none, and ValueError where several have the name.
    """
    names = list(frame.columns)
    places = [i for i, known in enumerate(names) if known == (name or "smiles")]
    if len(places) > 1:
        raise ValueError(f"columns {places[0] + 1} and {places[1] + 1} are both called {names[places[0]]!r}: want one of that name")
    if places:
        return places[0]
    if name is None and len(names) == 1:
        return 0
    if name is None and names:
        head = frame.head(_HEAD)
        cells = [list((head.iloc[:, i] if hasattr(head, "iloc") else head[known]).to_list()) for i, known in enumerate(names)]
        for i, column in enumerate(cells):
            if any(_is_mol(cell) for cell in column):
                return i
        text = io.StringIO()
        csv.writer(text).writerows([names, *zip(*cells)])
        place = child.ask(Question({"op": "column"}, text.getvalue().encode())).header["column"]
        if place >= 0:
            return int(place)
    wanted = f"no column {name!r}" if name else "no column is called smiles, and none holds SMILES"
    raise KeyError(f"{wanted}: the frame has {', '.join(map(str, names)) or 'none'}")


def _record(item: Any, row: int) -> Union[str, Graph]:
    if isinstance(item, str):
        return str(item)
    if item is None or isinstance(item, (float, np.floating)) and np.isnan(item) or type(item).__name__ == "NAType":
        return ""
    if _is_mol(item):
        from rdkit import Chem

        return str(Chem.MolToSmiles(item))
    if _is_graph(item):
        return _graph(item)
    if isinstance(item, (list, np.ndarray)) and len(item) == 1:  # a row of one column
        return _record(item[0], row)
    raise TypeError(f"row {row + 1} is {type(item).__name__} {str(item)[:40]!r}: want a SMILES, an RDKit molecule or a graph")


def _is_mol(x: Any) -> bool:
    return type(x).__module__.startswith("rdkit.") and hasattr(x, "GetNumAtoms")


def _is_graph(x: Any) -> bool:
    return hasattr(x, "edge_index") or hasattr(x, "number_of_nodes") and hasattr(x, "edges")


def _graph(x: Any) -> Graph:
    """Reads a networkx graph or a PyTorch Geometric Data, whose features are not looked at."""
    if hasattr(x, "edge_index"):
        ends = x.edge_index
        if hasattr(ends, "detach"):
            ends = ends.detach().cpu().numpy()
        edges = np.asarray(ends).reshape(2, -1).T
        return Graph(int(x.num_nodes), np.ascontiguousarray(edges, dtype="<u4"))
    places = {node: i for i, node in enumerate(x.nodes)}
    edges = np.array([(places[a], places[b]) for a, b in x.edges()], dtype="<u4").reshape(-1, 2)
    return Graph(x.number_of_nodes(), edges)


def share(name: str, x: Any, most: float = 1) -> float:
    """Reads a number between 0 and most, both excluded. Raises TypeError for no number, and ValueError for another."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name}={x!r}: want a number")
    if not 0 < x < most:
        raise ValueError(f"{name}={x}: want a number {f'between 0 and {most}' if np.isfinite(most) else 'above 0'}")
    return float(x)


def whole(name: str, x: Any, least: int = 0) -> int:
    """Reads a whole number. Raises TypeError for none, and ValueError for one that is too small or takes more than 63 bits."""
    if isinstance(x, bool) or not isinstance(x, (int, np.integer)):
        raise TypeError(f"{name}={x!r}: want a whole number")
    if not least <= x < 1 << 63:
        raise ValueError(f"{name}={x}: want a whole number of at least {least} and below 2**63")
    return int(x)


def numbers(x: Any, n: int, name: str) -> tuple[npt.NDArray[np.float64], list[tuple[int, str]]]:
    """Reads n numbers: a float64 array of shape (n,), and the rows without a finite one, with why.

    Takes any sequence of n, an array of shape (n,) or (n, 1), or for one record a number. What is no
    finite number is NaN. Raises ValueError for another shape.
    """
    items = np.asarray(x, object)
    if items.ndim == 0 or items.ndim == 2 and items.shape[1] == 1:
        items = items.reshape(-1)
    if items.shape != (n,):
        raise ValueError(f"{name} has the shape {items.shape} for {n} records: want a number for each")
    values, bad = np.full(n, np.nan), []
    for row, item in enumerate(items):
        try:
            number = float(item)
        except (TypeError, ValueError):
            number = np.nan
        if np.isfinite(number):
            values[row] = number
        else:
            bad.append((row, f"{name} is {str(item)[:40]!r}: want a finite number"))
    return values, bad


def _of_pandas(x: Any) -> bool:
    return type(x).__module__.split(".")[0] == "pandas"  # pandas 3 says "pandas", earlier ones "pandas.core.series"


def index_of(x: Any, **others: Any) -> Any:
    """Returns the index of a pandas Series or data frame, or None.

    Raises ValueError where one of the others has another index: its values would go to wrong records.
    """
    index = x.index if _of_pandas(x) else None
    for name, other in others.items():
        if index is not None and _of_pandas(other) and not index.equals(other.index):
            raise ValueError(f"{name} has another index than the records: want the same, in the same order")
    return index


def warn_of(refused: Sequence[tuple[int, str]], total: int, what: str, stacklevel: int) -> None:
    """Warns of refused records; if all of some are refused, raises ValueError."""
    if not refused:
        return
    shown = "; ".join(f"row {row + 1}: {why}" for row, why in refused[:_SHOWN])
    more = f"; and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
    text = f"{len(refused)} of {total} records are refused and {what}: {shown}{more}"
    if len(refused) == total:
        raise ValueError(f"all {total} records are refused: {shown}{more}")
    warnings.warn(text, RefusedWarning, stacklevel=stacklevel + 1)
