"""Progress bars, where tqdm is installed and somebody can see one."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Optional

_DELAY = 2.0  # seconds that work takes at least before a bar is shown


class Bar:
    """A bar of tqdm in a terminal or a notebook, and nothing anywhere else."""

    def __init__(self, what: str, unit: str) -> None:
        self._bar: Any = None
        if not ("ipykernel" in sys.modules or sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()):
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(desc=what, total=None, unit=unit, delay=_DELAY, leave=False)

    def reach(self, done: int, total: int) -> None:
        """Says how much of the total is done."""
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if self._bar is not None:
            self._bar.close()
