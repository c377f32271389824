"""The report of the year (seed D, yearly workers): how many memories rose, left and stayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from saegim.memory.changes import Written
from saegim.memory.clock import iso
from saegim.memory.pages import Page
from saegim.sleep.night import Night, Step

KIND = "year_report"


def year(night: Night) -> Iterator[Step]:
    """Count what the last year brought and took, from the ledger and from what is here."""
    if night.rehearsed:
        return
    store = night.mind.store
    key = f"year:{night.mind.here(night.at):%Y}"
    if store.pages(night.scope, key=key):
        return
    happened: Counter[str] = Counter()
    for change, reason, count in store.rounds.happened(night.owner, _a_year_before(night.at)):
        happened[f"{change}:{reason}" if reason else change] += count
    page = Page(
        key=key,
        kind=KIND,
        title=iso(night.at),
        data={"until": iso(night.at), "happened": dict(happened), "now": store.tally(night.scope)},
    )
    yield Step(changes=(Written(page),), why="year")


def _a_year_before(at: datetime) -> datetime:
    """Return the same instant of the year before; of a leap day, the day before it."""
    last = at - timedelta(days=1) if (at.month, at.day) == (2, 29) else at
    return last.replace(year=last.year - 1)
