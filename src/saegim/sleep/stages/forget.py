"""Forgetting: the end of the queue goes into the archive, the end of the archive is erased."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from saegim.memory.changes import Archived, Change, Erased
from saegim.sleep.night import Night, Step


def forget(night: Night) -> Iterator[Step]:
    """Take the words of what nobody called back out of the live store."""
    rounds, settings = night.mind.store.rounds, night.mind.settings
    if not night.rehearsed:
        rounds.forget_the_way_back(night.owner, night.at)
    if not night.lets_go:
        yield Step(why="quiet")
        return
    for id in rounds.ended(night.owner, night.at):
        change: Change = Archived(id, night.at) if settings.archive else Erased(id)
        yield Step(changes=(change,), why="archived" if settings.archive else "erased", about=(id,))
    for id in rounds.archived(night.owner, night.at - timedelta(days=settings.archive_days)):
        yield Step(changes=(Erased(id),), why="erased", about=(id,))
