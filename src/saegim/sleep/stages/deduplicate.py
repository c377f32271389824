"""Merging twins (seeds C and E): of two that say the same, the more recalled one stays.

Candidates come from the vectors' index; whether two may be one is decided by their words, and the
answer is no wherever a number, a date, a name, a negation or any other detail would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import combinations

from saegim.language.same import may_become
from saegim.memory.changes import Change, LifetimeSet, Linked, Reweighed, Superseded, Tiered
from saegim.memory.entities import (
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
    SIMILAR_TO,
    SUPERSEDES,
    Link,
)
from saegim.memory.memory import DEPTH, PERSON, Kind, Memory, State, Tier, longer
from saegim.sleep.night import Night, NightStep
from saegim.store.search.duplicates import Duplicate

# What was imagined twice was imagined twice; a core memory is changed by a person only.
_NEVER = (Kind.IMAGINED,)
_AT_ONCE = 200
# What has risen is not taken in by what has not: that would leave before it.


def merge(night: Night) -> Iterator[NightStep]:
    """Make one of each group of twins that is new since last time; tie those that are only near."""
    mind = night.mind
    identity, queries = mind.embedder.identity, mind.store.night_queries
    upto = queries.newest_vector(night.owner, identity)
    known, _, after = night.places.get("merge", "").partition(":")
    # After a rebuild the vectors are counted from the beginning again.
    since = int(after) if known == identity.key and int(after) <= upto else 0
    if mind.settings.evolution and upto > since:
        pairs = list(
            queries.duplicates(
                night.owner, identity, above=mind.settings.similar_from, after=since, upto=upto
            )
        )
        close = [each for each in pairs if each.cosine >= mind.settings.merge_from]
        for group in _groups(close):
            yield from _merged(group, night)
        yield from _tied([each for each in pairs if each.cosine < mind.settings.merge_from], night)
    if mind.settings.evolution:
        yield NightStep(why="looked", place=f"{identity.key}:{upto}")


def _groups(pairs: Iterable[Duplicate]) -> list[list[Duplicate]]:
    """Return the pairs in groups that touch each other, in the order of their first pair."""
    root: dict[int, int] = {}

    def find(number: int) -> int:
        while root.setdefault(number, number) != number:
            root[number] = root[root[number]]
            number = root[number]
        return number

    held = list(pairs)
    for pair in held:
        root[find(pair.newer)] = find(pair.older)
    groups: dict[int, list[Duplicate]] = {}
    for pair in held:
        groups.setdefault(find(pair.older), []).append(pair)
    return list(groups.values())


def _merged(group: list[Duplicate], night: Night) -> Iterator[NightStep]:
    """Let the best of a group take in its direct twins; then the best of those that are left."""
    twins: dict[int, set[int]] = {}
    for pair in group:
        twins.setdefault(pair.older, set()).add(pair.newer)
        twins.setdefault(pair.newer, set()).add(pair.older)
    held = {
        number: memory
        for number, memory in night.memories(sorted(twins))
        if memory.life.state is State.ACTIVE
        and memory.kind not in _NEVER
        and memory.id not in night.gone
    }
    kin = _kin(held.values(), night)
    left = sorted(held, key=lambda number: _worth(held[number]), reverse=True)
    while left:
        survivor = held[left[0]]
        near = [held[number] for number in left[1:] if number in twins[left[0]]]
        taken = [each for each in near if _may(survivor, each, kin, night)]
        yield from (_step(survivor, other, night) for other in taken)
        gone = {each.id for each in (survivor, *taken)}
        left = [number for number in left if held[number].id not in gone]


def _kin(memories: Iterable[Memory], night: Night) -> set[frozenset[str]]:
    """Return the pairs that are two by intention: made from each other, or unmerged by a person."""
    ids = [memory.id for memory in memories]
    types = (DERIVED_FROM, PROMOTED_FROM, SUPERSEDES, MERGED_FROM)
    links = night.mind.store.links.of(night.scope, ids, types)
    kin = {frozenset((link.source, link.target)) for link in links}
    # Those that were merged into the same one and are here again were all parted by a person.
    parted: dict[str, list[str]] = {}
    for link in links:
        if link.type == MERGED_FROM and link.target in ids:
            parted.setdefault(link.source, []).append(link.target)
    for group in parted.values():
        kin |= {frozenset(pair) for pair in combinations(group, 2)}
    return kin


def _worth(memory: Memory) -> tuple[bool, int, int, float, float, str]:
    """Order by who stays: the pinned, then the more recalled (seed C), used and important."""
    worth = memory.worth
    return (
        memory.life.pinned or memory.life.immutable,
        worth.recalled,
        worth.used,
        memory.provenance.trust,
        worth.importance,
        # Of equals the older one stays: its id is the one that others may hold.
        _older(memory.time.recorded_at) + memory.id,
    )


def _older(at: datetime) -> str:
    return f"{10**18 - int(at.timestamp() * 1000):019d}"


def _may(survivor: Memory, other: Memory, kin: set[frozenset[str]], night: Night) -> bool:
    life = other.life
    return (
        not (life.pinned or life.immutable or survivor.life.immutable or life.tier is Tier.M0)
        and DEPTH.index(survivor.life.tier) >= DEPTH.index(life.tier)
        and frozenset((survivor.id, other.id)) not in kin
        and set(other.content.tags) <= set(survivor.content.tags)
        and (other.space.domain, other.agent.persona)
        == (survivor.space.domain, survivor.agent.persona)
        and not night.is_waiting(other.id)
        and not may_become(survivor, other, analyser=night.mind.store.words.analyser())
    )


def _step(survivor: Memory, other: Memory, night: Night) -> NightStep:
    worth = other.worth
    # Counted when it happened: being merged is no sign of life.
    seen = [at for at in (worth.recalled_at, worth.used_at) if at is not None]
    changes: list[Change] = [
        Linked(Link(source=survivor.id, type=MERGED_FROM, target=other.id)),
        Linked(Link(source=survivor.id, type=SUPERSEDES, target=other.id)),
        Superseded(other.id, by=survivor.id, at=night.at),
        Reweighed(
            memory=survivor.id,
            at=max(seen, default=survivor.time.recorded_at),
            recalled=worth.recalled,
            used=worth.used,
            # A page that repeats itself proves nothing.
            repeat=1.0 + worth.repeat if other.provenance.origin in PERSON else 0.0,
            feedback=worth.feedback,
            importance=max(worth.importance, survivor.worth.importance),
            rating=max(filter(None, (worth.rating, survivor.worth.rating)), default=None),
        ),
    ]
    ends = (survivor.life.expires_at, other.life.expires_at)
    held, theirs = ((each.life.lifetime, each.life.last_date) for each in (survivor, other))
    if longer(held, theirs) != held:
        # One of the two was asked for, or is a plan: so is what is left of them.
        end = None if ends[0] is None or ends[1] is None else max(ends[0], ends[1])
        changes.append(LifetimeSet(survivor.id, *theirs, end))
    elif ends[0] is not None and ends[1] is not None and ends[1] > ends[0]:
        # What was said again later does not leave with its first telling.
        changes.append(Tiered(survivor.id, survivor.life.tier, ends[1]))
    return NightStep(
        changes=tuple(changes),
        why="merged",
        about=(other.id, survivor.id),
        details={"into": survivor.id},
    )


def _tied(pairs: list[Duplicate], night: Night) -> Iterator[NightStep]:
    """Tie near twins that were not tied when they were kept; they stay two (U5.2)."""
    store = night.mind.store
    for start in range(0, len(pairs), _AT_ONCE):
        part = pairs[start : start + _AT_ONCE]
        ids = store.memories.ids_of(
            night.scope, {n for pair in part for n in (pair.older, pair.newer)}
        )
        links = store.links.of(night.scope, ids.values(), (SIMILAR_TO, DERIVED_FROM, PROMOTED_FROM))
        tied = {frozenset((link.source, link.target)) for link in links}
        for pair in part:
            ends = (ids.get(pair.newer), ids.get(pair.older))
            if ends[0] is None or ends[1] is None or frozenset(ends) in tied:
                continue
            weight = round(pair.cosine, 4)
            link = Link(source=ends[0], type=SIMILAR_TO, target=ends[1], weight=weight)
            yield NightStep(changes=(Linked(link),), why="tied", about=(ends[0], ends[1]))
