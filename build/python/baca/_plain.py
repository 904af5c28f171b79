"""What a detector takes from scikit-learn, for where that is not installed."""

from __future__ import annotations

import inspect
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """There is no model yet."""


class BaseEstimator:
    """Parameters by the names of those of ``__init__``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters by name."""
        return {name: getattr(self, name) for name in list(inspect.signature(type(self).__init__).parameters)[1:]}

    def set_params(self, **params: Any) -> Any:
        """Sets parameters by name. Raises ValueError for a name that is none."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"parameter {name!r}: want one of {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"


class OutlierMixin:
    """Fits and predicts at once."""

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Returns the predictions for what was trained on."""
        return self.fit(X).predict(X)  # type: ignore[attr-defined]
