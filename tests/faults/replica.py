"""A replica of its own process, to be killed in the middle of something.

    python tests/faults/replica.py DSN HOME commit|night|hold|migrate

`commit` keeps one memory after another and prints the id of each that was confirmed; `night` begins
a night of one stage and stops inside its transaction; `hold` stops with a transaction open;
`migrate` makes the tables and stops inside its fifth step. Each prints `here` when it is at the
place where it is to be killed.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.store_parts import memory
from saegim.memory.changes import Reweighed, Saved
from saegim.memory.memory import Scope
from saegim.store.commit import Batch, written
from saegim.store.databases.postgres import PostgresDatabase, ServerConnection
from saegim.store.databases.server_clock import ServerClock
from saegim.store.store import Store
from saegim.store.tables.night_table import LEASE, ScheduleState, Shift

AT = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
ME = Scope("me")


def say(word: str) -> None:
    """Tell whoever watches."""
    print(word, flush=True)


def commit(store: Store) -> None:
    """Keep memories until the end."""
    number = 0
    while True:
        made = memory(f"kettle {number}", id=f"mem_killed_{number}")
        store.commit(Batch("me", [Saved(made)], "me", AT))
        say(made.id)
        number += 1


def night(store: Store) -> None:
    """Begin a night and stop in the middle of what its stage writes."""
    now = ServerClock(store.database).now()
    vigil = ScheduleState(None, now - timedelta(days=1), False)
    row = store.nights.begin(ME, "night_killed", ["importance"], now, vigil=vigil)
    assert row is not None
    shift = Shift(night=row.id, fence=row.fence, stage="importance", until=now + LEASE, ends=True)
    with store.database.writing("me") as connection:
        change = Reweighed(memory="mem_kept", at=AT, used=1)
        written(connection, Batch("me", [change], row.id, AT, shift=shift), store.words.ready())
        connection.execute("SELECT 1").fetchall()
        say("here")
        time.sleep(600)


def hold(store: Store) -> None:
    """Stop with everything written but the end."""
    with store.database.writing("me") as connection:
        made = memory("never confirmed", id="mem_unconfirmed")
        written(connection, Batch("me", [Saved(made)], "me", AT), store.words.ready())
        connection.execute("SELECT 1").fetchall()
        say("here")
        time.sleep(600)


def stop_in_a_step() -> None:
    """Stop where the fifth step of the schema is written and not yet true."""
    usual, steps = ServerConnection.run, count(1)

    def run(self: ServerConnection, text: str) -> None:
        usual(self, text)
        if next(steps) == 5:
            say("here")
            time.sleep(600)

    ServerConnection.run = run  # type: ignore[method-assign]


if __name__ == "__main__":
    dsn, home, what = sys.argv[1:]
    if what == "migrate":
        stop_in_a_step()
    path = PostgresDatabase.beside(dsn, Path(home))
    opened = Store(path, server=PostgresDatabase(dsn, path))
    {"commit": commit, "night": night, "hold": hold}[what](opened)
