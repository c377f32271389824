"""A night is held by one process: a quiet thread renews its lease while the stages work."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from saegim.errors import StoreError
from saegim.mind import Mind
from saegim.store.tables.nights import LEASE, NightRow, Shift

_BEATS = 4
_PATIENCE_SECONDS = 5.0


class Holding:
    """Keeps a night ours while it is slept, and names it to every commit."""

    def __init__(self, row: NightRow, mind: Mind) -> None:
        self.row = row
        self.mind = mind
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="saegim-night", daemon=True)

    def shift(self, stage: str, **progress: Any) -> Shift:
        """Return what the next commit of a stage proves and moves on."""
        return Shift(
            night=self.row.id, fence=self.row.fence, stage=stage, until=self._until(), **progress
        )

    def _until(self) -> datetime:
        return self.mind.now() + LEASE

    def _beat(self) -> None:
        while not self._stop.wait(LEASE.total_seconds() / _BEATS):
            # A busy store is tried again at the next beat; one that took the night over shows
            # itself at the next commit.
            with suppress(StoreError):
                self.mind.store.nights.renew(self.row.owner, self.shift(""))

    def __enter__(self) -> Self:
        # Without a thread to spare the commits alone renew the lease.
        with suppress(RuntimeError):
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_SECONDS)
        if error is not None:
            with suppress(StoreError):
                self.mind.store.nights.release(self.row.owner, self.shift(""), self.mind.now())
