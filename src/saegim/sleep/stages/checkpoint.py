"""Tidying the file: traces written, the log emptied into it, the room of the gone given back."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.sleep.night import Night, Step

# VACUUM holds the file while it runs; more than half of it free is a third of the bound of U8.6.
_TOO_EMPTY = 0.5
# A file this small is not worth it.
_SMALL = 2_000_000


def checkpoint(night: Night) -> Iterator[Step]:
    """Leave the file as small and as safe as it can be."""
    if night.rehearsed:
        return
    if night.mind.traces is not None:
        night.mind.traces.flush()
    database = night.mind.store.database
    database.empty_log()
    large = night.mind.store.path.stat().st_size > _SMALL
    if large and database.free_share() > _TOO_EMPTY:
        database.shrink()
        database.empty_log()
        yield Step(why="shrunk_file")
