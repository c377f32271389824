"""Leaving, and the end of it: into the forgetting queue, and out of the queue, sleep and archive.

Every reason of the life table puts a memory into the queue, no further. Under the gentle law only
what passes leaves by age; a plan whose day is a month past goes to sleep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import chain

from saegim.memory.changes import Archived, Change, Dozed, Erased, Leaving
from saegim.memory.memory import GRACE, Lifetime, Reason, State, importance
from saegim.sleep.erase import sweep_for_night
from saegim.sleep.night import Night, NightStep
from saegim.sleep.stages.reweigh import wakes, wanted_since
from saegim.store.tables.night_queries import MemoryStanding

# What a person let go, or set a limit for, is not kept asleep.
_WISHED = (Reason.MANUAL, Reason.DISPLACED)


def forget(night: Night) -> Iterator[NightStep]:
    """Take the words of what nobody called back out of the live store.

    Under the gentle law what left by itself sleeps first: it answers where nothing living
    lies as near, and its words go into the archive after half a year in which nobody asked for it.
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


_MEGABYTE = 1_000_000


def leave(night: Night) -> Iterator[NightStep]:
    """Let go of what has outlived its time, faded, never come, or found no room."""
    if not night.lets_go:
        yield NightStep(why="quiet")
        return
    for standing, reason in chain(_expired(night), _faded(night), _pruned(night), displaced(night)):
        if not night.spares(standing):
            yield parting(standing, reason, night)
    for standing in _past_plans(night):
        if not night.spares(standing):
            night.gone.add(standing.id)
            yield NightStep(changes=(Dozed(standing.id),), why="past", about=(standing.id,))


def parting(standing: MemoryStanding, reason: Reason, night: Night) -> NightStep:
    """Return the step that puts one memory into the queue."""
    change = Leaving(standing.id, reason, night.at, night.until)
    days = int(night.days_since(standing.settled_at))
    night.gone.add(standing.id)
    return NightStep(
        changes=(change,),
        # An older version leaves; what holds in its place stays, and is not spoken of.
        why="old_version" if standing.state == "superseded" else reason.value,
        about=(standing.id,),
        details={"tier": standing.tier, "days": days},
    )


def _expired(night: Night) -> Iterator[tuple[MemoryStanding, Reason]]:
    """Seed D: the time of the tier is over."""
    for standing in night.mind.store.night_queries.overdue(night.owner, night.at):
        if _ends_by_age(standing, night):
            yield standing, Reason.EXPIRED


def _ends_by_age(standing: MemoryStanding, night: Night) -> bool:
    """Say whether the end of its tier's time is the end of a memory."""
    if not night.mind.settings.is_gentle or standing.state == State.QUARANTINED:
        return True
    if standing.state == State.DORMANT:
        # It sleeps already, and is archived from there.
        return False
    if standing.lifetime == Lifetime.UNTIL:
        # An older version of a plan; the plan itself goes to sleep.
        return standing.state == State.SUPERSEDED
    if standing.state == State.ACTIVE and wanted_since(standing, night):
        return False
    return standing.lifetime == Lifetime.PASSING


def _past_plans(night: Night) -> Iterator[MemoryStanding]:
    """Return plans whose day is more than a month past, and which nobody asks about any more."""
    if not night.mind.settings.is_gentle:
        return
    for standing in night.mind.store.night_queries.overdue(night.owner, night.at):
        is_plan = standing.lifetime == Lifetime.UNTIL and standing.state == State.ACTIVE
        if is_plan and night.days_since(standing.alive_at) >= GRACE.days:
            yield standing


def _faded(night: Night) -> Iterator[tuple[MemoryStanding, Reason]]:
    """Seed C: dormant for thirty days; under the gentle law it sleeps on."""
    if night.mind.settings.is_gentle:
        return
    for standing in night.mind.store.night_queries.standings(night.owner, ("dormant",)):
        since = standing.dormant_since
        if since is not None and night.days_since(since) >= night.mind.settings.dormant_days:
            yield standing, Reason.FADED


def _pruned(night: Night) -> Iterator[tuple[MemoryStanding, Reason]]:
    """Seed E: of no importance, never recalled, sixty days old."""
    settings = night.mind.settings
    if not settings.evolution:
        return
    found = night.mind.store.night_queries.standings(
        night.owner,
        ("active", "dormant"),
        only="m.importance <= :least AND m.recalled = 0 AND m.used = 0",
        least=settings.prune_importance,
    )
    for standing in found:
        lasts = settings.is_gentle and (
            standing.lifetime != Lifetime.PASSING or standing.state == State.DORMANT
        )
        if not lasts and night.days_since(standing.settled_at) > settings.prune_days:
            yield standing, Reason.PRUNED


def displaced(night: Night) -> Iterator[tuple[MemoryStanding, Reason]]:
    """Seed A §6.1: what has no room under the limits a person has set; the newest week has."""
    settings = night.mind.settings
    if not (
        settings.max_sessions or settings.max_memories_per_session or settings.max_total_size_mb
    ):
        return
    living = [
        each
        for each in night.mind.store.night_queries.standings(night.owner, ("active", "dormant"))
        if each.id not in night.gone
    ]
    for standing in chain(
        _of_old_sessions(living, settings.max_sessions, settings.displace_importance),
        _of_full_sessions(living, settings.max_memories_per_session, night),
        _of_all(living, settings.max_total_size_mb * _MEGABYTE, night),
    ):
        if _may_go(standing, night):
            yield standing, Reason.DISPLACED


def _of_old_sessions(
    living: Iterable[MemoryStanding], most: int, worth: float
) -> Iterator[MemoryStanding]:
    """Return what is worth no more than it began with, of the sessions beyond the newest."""
    if not most:
        return
    latest: dict[str, int] = {}
    for each in living:
        if each.session:
            latest[each.session] = max(latest.get(each.session, 0), each.recorded_at)
    kept = set(sorted(latest, key=lambda name: (-latest[name], name))[:most])
    for each in living:
        if each.session and each.session not in kept and _proved(each) <= worth:
            yield each


def _proved(standing: MemoryStanding) -> float:
    """Return what a memory is worth apart from the feeling that nearly every sentence has."""
    return round(standing.importance - importance(start=0.0, sentiment=standing.sentiment), 6)


def _of_full_sessions(
    living: Iterable[MemoryStanding], most: int, night: Night
) -> Iterator[MemoryStanding]:
    """Return the least important of sessions that hold too many, of those that may go."""
    if not most:
        return
    sessions: dict[str, list[MemoryStanding]] = {}
    for each in living:
        if each.session:
            sessions.setdefault(each.session, []).append(each)
    for held in sessions.values():
        if len(held) > most:
            free = [each for each in held if _may_go(each, night)]
            yield from _least_first(free, night)[: len(held) - most]


def _of_all(
    living: Iterable[MemoryStanding], room: float, night: Night
) -> Iterator[MemoryStanding]:
    """Return the least important until the rest fits."""
    living = [each for each in living if each.id not in night.gone]
    over = sum(each.bytes for each in living) - room
    if not room or over <= 0:
        return
    for each in _least_first(living, night):
        if over <= 0:
            return
        if not _may_go(each, night):
            continue
        over -= each.bytes
        yield each


def _may_go(standing: MemoryStanding, night: Night) -> bool:
    """Say whether a limit may displace it: the newest week is protected."""
    protected = night.days_since(standing.settled_at) <= night.mind.settings.protected_days
    return not protected and not night.spares(standing)


def _least_first(found: Iterable[MemoryStanding], night: Night) -> list[MemoryStanding]:
    """Return the least important first; under the gentle law what lasts comes after the rest."""
    gentle = night.mind.settings.is_gentle

    def worth(standing: MemoryStanding) -> tuple[bool, float, int]:
        lasts = gentle and standing.lifetime == Lifetime.LASTING
        return lasts, standing.importance, standing.number

    return sorted(found, key=worth)
