"""What a server does while nobody asks: it hears what hooks had no time for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saegim.errors import SaegimError
from saegim.serve.hooks import standing
from saegim.serve.house import AtHome

LOOK_SECONDS = 30.0
# So much of a look may go into the spool before others are let in again.
_AT_ONCE_SECONDS = 10.0


@contextmanager
def doing_chores(house: AtHome, home: Path, *, every: float = LOOK_SECONDS) -> Iterator[None]:
    """Do the chores in a quiet thread as long as this lasts."""
    stop = threading.Event()
    worker = threading.Thread(
        target=_work, args=(house, home, every, stop), name="saegim-chores", daemon=True
    )
    worker.start()
    try:
        yield
    finally:
        stop.set()


def _work(house: AtHome, home: Path, every: float, stop: threading.Event) -> None:
    while not stop.is_set():
        # What is wrong with the store is told to whoever asks, and by doctor.
        with contextlib.suppress(SaegimError, OSError):
            if house.is_open:
                standing.worked_off(home, house.memory, _AT_ONCE_SECONDS)
        stop.wait(every)
