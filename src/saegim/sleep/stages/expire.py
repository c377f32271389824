"""Forgetting: the end of the queue, of a long sleep, and of the archive."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from saegim.memory.changes import Archived, Change, Dozed, Erased
from saegim.memory.memory import Reason
from saegim.sleep.erase import sweep_for_night
from saegim.sleep.night import Night, NightStep
from saegim.sleep.stages.fade import wakes

# What a person let go, or set a limit for, is not kept asleep.
_WISHED = (Reason.MANUAL, Reason.DISPLACED)


def forget(night: Night) -> Iterator[NightStep]:
    """Take the words of what nobody called back out of the live store.

    Under the gentle law what left by itself sleeps first: it is searched when nothing living
    answers, and its words go into the archive after half a year in which nobody asked for it.
    """
    if not night.rehearsed:
        night.mind.store.undo.drop_expired(night.owner, night.at)
    if not night.lets_go:
        yield NightStep(why="quiet")
        return
    steps = list(_ended(night))
    if not night.rehearsed:
        gone = [id for each in steps if each.why != "dozed" for id in each.about]
        # Before the store forgets the words: nobody could look for them afterwards.
        if left := sweep_for_night(gone, night.scope, night.mind).failed:
            yield NightStep(why="not_swept", details={"trouble": ", ".join(sorted(left))})
    yield from steps


def _ended(night: Night) -> Iterator[NightStep]:
    """Return what becomes of everything whose time in the queue, asleep or archived is over."""
    store, settings = night.mind.store, night.mind.settings
    for id, reason, held in store.night_queries.ended(night.owner, night.at):
        if settings.is_gentle and held and reason not in _WISHED:
            yield NightStep(changes=(Dozed(id),), why="dozed", about=(id,))
        else:
            yield _gone(id, night)
    if settings.is_gentle:
        for standing in store.night_queries.standings(night.owner, ("dormant",)):
            since = max(standing.dormant_since or 0, standing.alive_at)
            slept = night.days_since(since) >= settings.dormant_keep_days
            # What wakes tonight is awake, also in a rehearsal, which wakes nothing.
            if slept and not night.spares(standing) and not wakes(standing, night):
                yield _gone(standing.id, night)
    for id in store.memories.archived(
        night.owner, night.at - timedelta(days=settings.archive_days)
    ):
        yield NightStep(changes=(Erased(id),), why="erased", about=(id,))


def _gone(id: str, night: Night) -> NightStep:
    """Return the step that takes the words away: into the archive, if there is one."""
    archive = night.mind.settings.archive
    change: Change = Archived(id, night.at) if archive else Erased(id)
    return NightStep(changes=(change,), why="archived" if archive else "erased", about=(id,))
