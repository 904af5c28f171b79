"""Is this molecule like anything the model has seen?

>>> import baca
>>> detector = baca.Detector(model="drugs", alpha=0.05)
>>> detector.predict(["CC(=O)Oc1ccccc1C(=O)O", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"])
array([ 1, -1])
"""

from importlib import metadata as _metadata

from ._child import BacaError
from ._commands import compare, drift, report, suggest
from ._detector import Detector, Whole, models
from ._estimators import fingerprints
from ._explanations import Explanation, Explanations
from ._files import score_file
from ._frames import score
from ._inputs import RefusedWarning
from ._split import split

try:
    __version__ = _metadata.version("baca-ood")
except _metadata.PackageNotFoundError:  # a copy of the folder that was not installed
    __version__ = "unknown"

__all__ = [
    "BacaError", "Detector", "Explanation", "Explanations", "RefusedWarning", "Whole", "compare", "drift", "fingerprints", "models", "report", "score", "score_file", "split", "suggest",
]  # fmt: skip


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
