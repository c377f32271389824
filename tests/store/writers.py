"""Somebody who writes while a store is moved, and a move that lets them."""

from __future__ import annotations

import threading

import pytest

from conformance.store_parts import AT, commit, keep
from saegim.errors import SaegimError
from saegim.memory.changes import Linked, Reweighed
from saegim.memory.entities import Link
from saegim.memory.memory import Scope
from saegim.store import row_copy
from saegim.store.store import Store
from stand_ins import wait_until


class Writer:
    """Somebody who keeps on writing until the store refuses; what was confirmed is listed."""

    def __init__(self, store: Store, owner: str = "me") -> None:
        self.store, self.owner, self.confirmed = store, owner, []  # type: ignore[var-annotated]
        self.refused = ""
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        for number in range(100_000):
            if self._enough.is_set():
                return
            name = f"mem_{self.owner}_{number:06}"
            try:
                made = keep(self.store, f"kettle {number}", id=name, scope=Scope(self.owner))
                if number % 3 == 0:
                    tie = Link(source=made.id, type="similar", target="mem_first")
                    commit(self.store, Linked(tie), owner=self.owner)
                if number % 7 == 6:
                    commit(self.store, Reweighed(memory=name, at=AT, used=1), owner=self.owner)
            except SaegimError as error:
                self.refused = error.message
                return
            self.confirmed.append(name)

    def written(self, count: int) -> None:
        wait_until(lambda: len(self.confirmed) >= count or bool(self.refused))

    def end(self) -> list[str]:
        self._enough.set()
        self._thread.join()
        return self.confirmed


def passes_that_wait(
    monkeypatch: pytest.MonkeyPatch, writer: Writer, more: int, *, stop_at: int = 0
) -> list[int]:
    """Let somebody write between any two passes, and interrupt at one; return what each wrote."""
    plain, seen = row_copy.RowCopy.follow, []

    def follow(self: row_copy.RowCopy, here: object) -> int:
        made = plain(self, here)  # type: ignore[arg-type]
        seen.append(made)
        if len(seen) == stop_at:
            raise KeyboardInterrupt
        if len(seen) < 3:
            writer.written(len(writer.confirmed) + more)
        return made

    monkeypatch.setattr(row_copy.RowCopy, "follow", follow)
    return seen
