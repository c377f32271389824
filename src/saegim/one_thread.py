"""`ALONE`: while anybody is inside, numpy's products use one thread."""

from __future__ import annotations

from threading import Lock
from typing import Any, Final


class _Alone:
    """One thread for the small products of our networks.

    Shared among threads they take three times as long on a machine that has something else to
    do. What was set before is set again when the last one leaves.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limit: Any = None
        self._pools: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._limit = self._limited()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._limit is not None:
                self._limit.restore_original_limits()

    def _limited(self) -> Any:
        """Limit the pools; where no file can be opened they are not found."""
        if self._pools is None:
            from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

            try:
                self._pools = ThreadpoolController()
            except OSError:
                return None
        return self._pools.limit(limits=1, user_api="blas")


ALONE: Final = _Alone()
