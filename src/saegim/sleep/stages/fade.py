"""Fading (seed C, layer 4): what is not leant on shrinks, then dozes; nothing is lost by it."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.memory.changes import Dozed, Shrunk, Tiered, Woken
from saegim.memory.clock import micros
from saegim.memory.memory import Lifetime, Tier, expiry, strength
from saegim.sleep.night import Night, NightStep
from saegim.store.tables.night_queries import MemoryStanding


def fade(night: Night) -> Iterator[NightStep]:
    """Let the weak shrink and doze; what has grown strong again is offered whole.

    Under the gentle law only what passes grows weak: what lasts is as good as new in ten years, and
    a plan until its day.
    """
    settings, queries = night.mind.settings, night.mind.store.night_queries
    if not night.lets_go:
        yield NightStep(why="quiet")
        return
    for held in queries.standings(night.owner, ("dormant",)):
        if wakes(held, night):
            yield NightStep(changes=(Woken(held.id),), why="woken", about=(held.id,))
    ties = night.mind.store.links.counts(night.owner)
    for standing in queries.standings(night.owner, ("active",)):
        if wanted_since(standing, night):
            tier = Tier(standing.tier)
            again = Tiered(standing.id, tier, expiry(tier, night.at))
            yield NightStep(changes=(again,), why="woken", about=(standing.id,))
            continue
        lasts = settings.is_gentle and standing.lifetime != Lifetime.PASSING
        if night.spares(standing) or (lasts and not standing.shrunk):
            continue
        power = 1.0 if lasts else strength_of(standing, ties.get(standing.id, 0), night)
        if power < settings.doze_below:
            if settings.is_gentle and _is_over(standing, night):
                # It leaves tonight, where everyone can see it; it sleeps after that.
                continue
            yield _step(Dozed(standing.id), "dozed", power)
        elif power < settings.shrink_below and not standing.shrunk:
            yield _step(Shrunk(standing.id, True), "shrunk", power)
        elif power >= settings.shrink_below and standing.shrunk:
            yield _step(Shrunk(standing.id, False), "grown", power)


def _is_over(standing: MemoryStanding, night: Night) -> bool:
    return standing.expires_at is not None and standing.expires_at <= micros(night.at)


def wanted_since(standing: MemoryStanding, night: Night) -> bool:
    """Say whether a passing memory was asked for after its time was over: that starts anew."""
    end = standing.expires_at
    passes = night.mind.settings.is_gentle and standing.lifetime == Lifetime.PASSING
    return passes and end is not None and end <= micros(night.at) and standing.alive_at > end


def wakes(held: MemoryStanding, night: Night) -> bool:
    """Say whether a sleeping memory is wanted: held fast, lasting, or asked for since.

    One that was put to sleep by a clock that was ahead wakes too.
    """
    since = held.dormant_since or 0
    # By the clock, not by when the night began: a night that was killed goes on after that.
    if held.pinned or held.immutable or since > micros(max(night.at, night.mind.now())):
        return True
    return night.mind.settings.is_gentle and (
        held.lifetime == Lifetime.LASTING or held.alive_at > since
    )


def strength_of(standing: MemoryStanding, ties: int, night: Night) -> float:
    """Return how alive a memory is tonight."""
    settings = night.mind.settings
    return strength(
        recalled=standing.recalled,
        idle_days=night.days_since(standing.alive_at),
        links=ties,
        intensity=standing.intensity,
        decay=settings.fade_rate,
        boost=settings.fade_boost,
    )


def _step(change: Dozed | Shrunk, why: str, power: float) -> NightStep:
    details = {"strength": round(power, 3)}
    return NightStep(changes=(change,), why=why, about=(change.memory,), details=details)
