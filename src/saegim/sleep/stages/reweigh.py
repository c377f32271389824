"""Weighing anew: what is leant on counts for more, and whoever spoke is trusted by what held.

Seed A §10.2 (references) and seed E (`trust_level`).
"""

from __future__ import annotations

from collections.abc import Iterator

import xxhash

from saegim.memory.changes import Reweighed, Trusted, Written
from saegim.memory.entities import Page
from saegim.memory.memory import clamp, importance
from saegim.perceive.known_entities import TrustRecord as Held
from saegim.perceive.known_entities import standings
from saegim.sleep.night import Night, NightStep

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
