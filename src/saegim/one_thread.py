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
                if self._pools is None:
                    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

                    self._pools = ThreadpoolController()
                self._limit = self._pools.limit(limits=1, user_api="blas")

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.restore_original_limits()


ALONE: Final = _Alone()
