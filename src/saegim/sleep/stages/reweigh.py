"""Weighing anew: what is leant on counts for more, what is not shrinks, then dozes.

Whoever spoke is trusted by what held. Nothing is lost by it. Seed A §10.2 (references), seed C,
layer 4 (fading), seed E (`trust_level`).
"""

from __future__ import annotations

from collections.abc import Iterator

import xxhash

from saegim.memory.changes import Dozed, Reweighed, Shrunk, Tiered, Trusted, Woken, Written
from saegim.memory.clock import micros
from saegim.memory.entities import Page
from saegim.memory.memory import Lifetime, Tier, clamp, expiry, importance, strength
from saegim.perceive.known_entities import TrustRecord as Held
from saegim.perceive.known_entities import standings
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


# Less is rounding.
_LEAST = 1e-9
TRUST = "trust"
# One night moves trust no further, whatever was said in a day.
_MOST_A_NIGHT = 0.05
_LEAST_TRUST = 0.005


def reckon(night: Night) -> Iterator[NightStep]:
    """Move the importance of memories that are referred to more, or less, than last time.

    Rating and feeling were weighed when they came in, and a person's judgements since then stay:
    only the share of the references is moved.
    """
    queries = night.mind.store.night_queries
    references = night.mind.store.links.references(night.owner)
    for standing in queries.standings(night.owner, ("active", "dormant")):
        own = standing.importance - standing.lent
        after = clamp(own + _share(references.get(standing.id, 0)))
        if abs(after - standing.importance) < _LEAST or standing.id in night.gone:
            continue
        change = Reweighed(memory=standing.id, at=night.at, importance=after, lent=after - own)
        yield NightStep(
            changes=(change,),
            why="reweighed",
            about=(standing.id,),
            details={"before": round(standing.importance, 3), "after": round(after, 3)},
        )
    yield from _trusted(night)


def _share(references: int) -> float:
    return importance(start=0.0, references=references)


# -- trust ----------------------------------------------------------------------------------------


def _trusted(night: Night) -> Iterator[NightStep]:
    """Move the trust in everyone who was confirmed or contradicted, a little each night."""
    for held in standings(night.scope, night.mind):
        start = _start(held, night)
        aim = held.trust(start)
        now = held.entity.trust
        after = round(now + clamp(aim - now, -_MOST_A_NIGHT, _MOST_A_NIGHT), 3)
        if abs(after - now) < _LEAST_TRUST:
            continue
        good, bad = held.confirmed, {**held.contradicted, **held.wrong}
        page = Page(
            key=_page_of(held.entity.key),
            kind=TRUST,
            data={
                "start": start,
                "trust": after,
                "confirmed": sorted(set(good.values())),
                "contradicted": sorted(set(held.contradicted.values())),
                "wrong": sorted(held.wrong.values()),
            },
        )
        change = Trusted(held.entity.key, after, confirmed=len(good), doubted=len(bad))
        yield NightStep(
            changes=(change, Written(page)),
            why="trusted",
            details={"before": round(now, 3), "after": after},
        )


def _start(held: Held, night: Night) -> float:
    """Return where trust began; what a person or an import set since moves the beginning."""
    versions = night.mind.store.pages.of(night.scope, key=_page_of(held.entity.key))
    if not versions:
        return held.entity.trust
    last = versions[-1].data
    return clamp(float(last["start"]) + held.entity.trust - float(last["trust"]))


def _page_of(key: str) -> str:
    """Return the page of an entity; a name is a word, and stands in no key of a page."""
    return f"{TRUST}:{xxhash.xxh3_64_hexdigest(key.encode('utf-8', 'surrogatepass'))}"
