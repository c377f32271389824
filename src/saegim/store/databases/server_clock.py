"""The clock of a server: replicas of one store measure leases and nights by it, and by no other.

Between two looks at it the time that passes here is added; what this machine takes for the hour is
never asked, so a wrong clock on one machine takes nobody's work away.
"""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta
from typing import Final

from saegim.errors import StoreError
from saegim.memory.clock import Clock, SystemClock, from_micros
from saegim.store.database import Database

# Machines whose seconds differ by more than a thousandth are rare; leases are minutes.
_ASK_SECONDS: Final = 60.0
_NOW: Final = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"


class ServerClock(SystemClock):
    """Tells the time of the server under a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._at: datetime | None = None
        self._looked = 0.0

    def now(self) -> datetime:
        """Return the present instant by the server's clock; while it is away, as it went on."""
        with self._lock:
            here = time.monotonic()
            if self._at is None or here - self._looked > _ASK_SECONDS:
                self._look(here)
            if self._at is None:
                return super().now()
            return self._at + timedelta(seconds=time.monotonic() - self._looked)

    def _look(self, begun: float) -> None:
        try:
            ((told,),) = self._database.rows(_NOW)
        except StoreError:
            return
        ended = time.monotonic()
        self._at = from_micros(int(told)) + timedelta(seconds=(ended - begun) / 2)
        self._looked = ended


def clock_of(database: Database, clock: Clock) -> Clock:
    """Return the clock that counts for a store: the server's, in the place of this machine's."""
    return ServerClock(database) if database.is_server and type(clock) is SystemClock else clock
