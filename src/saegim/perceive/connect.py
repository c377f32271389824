"""New memories meet what is known: twins, people and things, and what they make outdated.

It proposes; the store commits. Nothing is deleted here: what no longer holds is superseded and
kept, and what cannot be decided is marked as a contradiction for a person to see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from saegim.engines.embedder import Vector
from saegim.errors import EngineError
from saegim.language.claims import Claim, Named, claims, is_negative, opposed
from saegim.language.words import sentences
from saegim.memory.changes import Change, Linked, Met, Portrayed, Superseded
from saegim.memory.entities import (
    CONTRADICTS,
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
    REFERS_TO,
    SIMILAR_TO,
    SUPERSEDES,
    Entity,
    Link,
    label_of,
)
from saegim.memory.memory import BY_NIGHT, FINDABLE, TRUST, Memory, Scope, Source, State, Tier
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.store.rows import Where
from saegim.store.tables.memory_table import Claimed

# The person whose memory this is, in ties between entities.
SELF = Entity(name="me", type="self")
_SELF_NAMES = frozenset(("사용자", "user", "me", "나", "저", "i"))
# Slots that hold inside one project; where someone lives holds everywhere.
_OF_A_PROJECT = frozenset(("version", "uses", "schedule", "deadline"))
_OF_WORK = frozenset(("job", "works_at"))
_MOST_TWINS = 3
# Of 50 labelled changes, all of them brief, 46 are nearer than this. Of rambling turns rules read
# claims that nobody made: seven of seven in one lived-through life were wrong, none of them nearer
# than the second.
_IN_COMMON, _MUCH_IN_COMMON = 0.25, 0.5
_BRIEF = 40
_LONGEST_NAME = 60
# A turn this little longer than the fact in it says nothing else: a greeting, a sigh.
_LITTLE_MORE = 24


@dataclass(slots=True)
class Joined:
    """What joining the new to the known comes to: Changes, and ids to tell the caller."""

    changes: list[Change] = field(default_factory=list)
    supersedes: dict[str, list[str]] = field(default_factory=dict)
    contradicts: dict[str, list[str]] = field(default_factory=dict)
    similar_to: dict[str, list[str]] = field(default_factory=dict)
    # What gives way in these Changes, each once.
    ended: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Fresh:
    """A memory about to be kept, with the names found in it and its vector."""

    memory: Memory
    named: tuple[Named, ...] = ()
    vector: Vector | None = None


def connect(fresh: Sequence[Fresh], mind: Mind) -> Joined:
    """Join new memories to what is known; what is quarantined touches nothing."""
    joined = Joined()
    welcome = [each for each in fresh if each.memory.life.state is State.ACTIVE]
    for each in welcome:
        _twins(each, mind, joined)
        _outdated(each.memory, mind, joined)
    _meetings(welcome, mind, joined)
    return joined


# -- twins ----------------------------------------------------------------------------------------


def _twins(fresh: Fresh, mind: Mind, joined: Joined) -> None:
    """Tie a memory to those that nearly say the same; never merge them (U5.2)."""
    memory = fresh.memory
    if fresh.vector is None:
        return
    scope = Scope(memory.scope.user, memory.scope.agent, memory.scope.project)
    where = Where(scope=scope)
    near = mind.store.vectors.near(
        fresh.vector, mind.embedder.identity, where, limit=_MOST_TWINS + 1
    )
    close = {hit.number: hit.cosine for hit in near if hit.cosine >= mind.settings.similar_from}
    for number, other in mind.store.memories.by_numbers(scope, close).items():
        if other.canonical_key == memory.canonical_key:
            continue
        weight = round(float(close[number]), 4)
        link = Link(source=memory.id, type=SIMILAR_TO, target=other.id, weight=weight)
        joined.changes.append(Linked(link))
        joined.similar_to.setdefault(memory.id, []).append(other.id)


# -- what no longer holds -------------------------------------------------------------------------


def _outdated(memory: Memory, mind: Mind, joined: Joined) -> None:
    """Find what the memory's claims make outdated, or contradict without settling it."""
    made = {claim.slot: claim for claim in claims(memory.content.triples)}
    if not made:
        return
    seen = {memory.id}
    for held in mind.store.memories.claimed(memory.scope, made):
        if held.memory in seen or not opposed(made[held.slot], held):
            continue
        other = mind.store.memories.get(memory.scope, held.memory)
        if other is None or _elsewhere(held.slot, memory, other):
            continue
        if not _of_one_thing(memory, other, mind):
            continue
        seen.add(held.memory)
        if not _may_replace(memory, other, made, held):
            _contradiction(memory, other, joined)
        elif _said(memory) > _said(other):
            _replace(memory, other, joined, mind)
        elif _said(memory) < _said(other):
            # Heard later, but said earlier: what is known already holds in its place.
            _replace(other, memory, joined, mind)
            return
        else:
            _contradiction(memory, other, joined)


def _of_one_thing(memory: Memory, other: Memory, mind: Mind) -> bool:
    """Say whether two overheard sentences have anything in common but a claim read in both.

    Rules read a slot into talk that has nothing to do with it; what then took another's place hid
    it. A person's explicit words are taken as they are.
    """
    if memory.provenance.source is Source.USER or not mind.embedder.local:
        return True
    try:
        one, two = mind.embedder.embed([memory.text, other.text], "document")
    except EngineError:
        return True
    if not isinstance(one, np.ndarray) or not isinstance(two, np.ndarray):
        return True
    brief = max(len(memory.text), len(other.text)) <= _BRIEF
    return float(np.dot(one, two)) >= (_IN_COMMON if brief else _MUCH_IN_COMMON)


def _elsewhere(slot: str, memory: Memory, other: Memory) -> bool:
    """Say whether a slot means another thing there: the version of another project's database."""
    bound = slot.partition(":")[0] in _OF_A_PROJECT
    return bound and memory.scope.project != other.scope.project


def _may_replace(memory: Memory, other: Memory, made: Mapping[str, Claim], held: Claimed) -> bool:
    """Say whether one may take the other's place: trusted as much, and all of it is answered.

    A text of several sentences says more than it claims, and what else a sentence claims must be
    answered too, or be the same thing said another way: otherwise it would vanish from recall
    together with what is outdated.
    """
    answered = len(sentences(other.text)) == 1 and all(
        claim.slot in made or _same_thing(claim, held) for claim in claims(other.content.triples)
    )
    trusted = TRUST[memory.provenance.origin] >= TRUST[other.provenance.origin]
    return trusted and answered and not _made_to_stay(other)


def _same_thing(claim: Claim, held: Claimed) -> bool:
    """Say whether two claims of one memory speak of one thing: who uses it, what it is used for."""
    families = {claim.slot.partition(":")[0], held.slot.partition(":")[0]}
    return families <= _OF_WORK or bool(_about(claim) & _about(held))


def _about(claim: Claim | Claimed) -> set[str]:
    return {*claim.slot.split(":")[1:], claim.value} - {"me", ""}


def _said(memory: Memory) -> datetime:
    """Return when a memory was said: of two claims, the one said last holds."""
    return memory.time.said_at or memory.time.happened_at


def _replace(new: Memory, old: Memory, joined: Joined, mind: Mind) -> None:
    # "I moved last week" ends what was said before, but not before that was said.
    at = max(new.time.valid_from or new.time.happened_at, _said(old))
    outdated = {each.id: each for each in (old, *_only_sources(old, mind))}
    made = {each.id: each for one in outdated.values() for each in followers(one, mind)}
    for id in [id for id in outdated | made if id not in joined.ended]:
        joined.ended.add(id)
        joined.changes.append(Linked(Link(source=new.id, type=SUPERSEDES, target=id)))
        joined.changes.append(Superseded(id, by=new.id, at=at))
    joined.supersedes.setdefault(new.id, []).extend(outdated)
    joined.changes += blanked([*outdated], old.scope, mind)


def _only_sources(old: Memory, mind: Mind) -> Iterable[Memory]:
    """Return the turns that said nothing but what is outdated now (U19.1)."""
    for up in mind.store.links.of(old.scope, [old.id], [DERIVED_FROM]):
        if up.source != old.id or (source := mind.store.memories.get(old.scope, up.target)) is None:
            continue
        siblings = mind.store.links.of(old.scope, [source.id], [DERIVED_FROM])
        others = {each.source for each in siblings} - {old.id, source.id}
        more = len(normalise(source.text)) - len(normalise(old.text))
        if source.life.state is State.ACTIVE and not others and more < _LITTLE_MORE:
            yield source


def followers(memory: Memory, mind: Mind, *, states: Sequence[State] = FINDABLE) -> list[Memory]:
    """Return what stands and falls with a memory: what nights made of it, at any distance.

    What was distilled from one memory alone is that memory told again: its source goes along. What
    was made to stay is not among them.
    """
    found: dict[str, Memory] = {}
    seen, fresh = {memory.id}, {memory.id: memory}
    while fresh:
        near = _made_with(fresh, mind) - seen
        seen |= near
        held = {id: mind.store.memories.get(memory.scope, id) for id in sorted(near)}
        fresh = {
            id: each
            for id, each in held.items()
            if each is not None
            and not _made_to_stay(each)
            # A merged twin is gone itself; what was made of it goes on from here.
            and each.life.state in (*states, State.SUPERSEDED)
        }
        found |= {id: each for id, each in fresh.items() if each.life.state in states}
    return list(found.values())


def _made_to_stay(memory: Memory) -> bool:
    return memory.life.immutable or memory.life.tier is Tier.M0


def _made_with(memories: Mapping[str, Memory], mind: Mind) -> set[str]:
    """Return the ids of what nights made of these, of their twins, and of their only sources."""
    scope = next(iter(memories.values())).scope
    links = mind.store.links.of(scope, memories, (DERIVED_FROM, PROMOTED_FROM, MERGED_FROM))
    down = {each.source for each in links if each.type != MERGED_FROM and each.target in memories}
    made = (mind.store.memories.get(scope, id) for id in sorted(down))
    found = {each.id for each in made if each and each.provenance.source in BY_NIGHT}
    risen: dict[str, set[str]] = {}
    for link in links:
        if link.type == MERGED_FROM and link.source in memories:
            found.add(link.target)
        elif link.type == PROMOTED_FROM and link.source in memories:
            risen.setdefault(link.source, set()).add(link.target)
    return found.union(*(each for each in risen.values() if len(each) == 1))


def blanked(ids: Sequence[str], scope: Scope, mind: Mind) -> Iterator[Portrayed]:
    """Empty the portraits of whom these memories speak of; a later night draws them anew."""
    for key in sorted({link.target for link in mind.store.links.of(scope, ids, (REFERS_TO,))}):
        for entity in mind.store.entities.of(scope, key):
            if entity.summary or entity.personality_notes:
                yield Portrayed(key, "", "")


def _contradiction(memory: Memory, other: Memory, joined: Joined) -> None:
    joined.changes.append(Linked(Link(source=memory.id, type=CONTRADICTS, target=other.id)))
    joined.contradicts.setdefault(memory.id, []).append(other.id)


# -- people and things ----------------------------------------------------------------------------


def _meetings(fresh: Sequence[Fresh], mind: Mind, joined: Joined) -> None:
    """Meet everyone who is named, under the name they are known by; tie the memory to them."""
    said = [name for each in fresh for found in _everyone(each) for name in _names(found)]
    if not said:
        return
    known = mind.store.entities.named(fresh[0].memory.scope, said)
    met: set[str] = set()
    for each in fresh:
        keys = {normalise(name): SELF.key for name in _SELF_NAMES}
        for found in _everyone(each):
            entity = _recognised(found, known)
            known.setdefault(normalise(entity.name), [entity])
            keys |= {normalise(name): entity.key for name in _names(found)}
            # A fact is part of the turn it was said in: nobody is met twice in one turn.
            if entity.key not in met and not (each.memory.provenance.turn and entity.interactions):
                joined.changes.append(_met(entity, each.memory))
            met.add(entity.key)
            link = Link(source=each.memory.id, type=REFERS_TO, target=entity.key)
            joined.changes.append(Linked(link))
        joined.changes += _ties(each.memory, keys)


def _everyone(fresh: Fresh) -> list[Named]:
    """Return who and what is named, and the things the ties are about, each once."""
    found = {normalise(each.name): each for each in fresh.named if each.type != "self"}
    for subject, _, object in fresh.memory.content.triples:
        for name in (subject, object):
            if _is_name(name) and normalise(name) not in found:
                found[normalise(name)] = Named(name=name, type="topic")
    return list(found.values())


def _is_name(text: str) -> bool:
    plain = normalise(text)
    return (
        bool(plain)
        and plain not in _SELF_NAMES
        and len(text) <= _LONGEST_NAME
        and not any(letter.isdigit() for letter in plain)
    )


def _names(found: Named) -> tuple[str, ...]:
    return found.name, *found.aliases


def _recognised(found: Named, known: Mapping[str, list[Entity]]) -> Entity:
    """Return the entity that is known by this name or alias, or a new one."""
    for name in _names(found):
        for entity in known.get(normalise(name), ()):
            return entity
    return Entity(name=found.name, type=found.type, aliases=found.aliases)


def _met(entity: Entity, memory: Memory) -> Met:
    now = Entity(
        name=entity.name,
        platform=entity.platform,
        type=entity.type,
        aliases=entity.aliases,
        interests=_liked_by(entity, memory),
        first_seen_at=memory.time.happened_at,
        last_seen_at=memory.time.happened_at,
        sentiment_score=memory.emotion.sentiment,
        sentiment=label_of(memory.emotion.sentiment),
        trust=entity.trust,
    )
    return Met(now, memory.id, again=True)


def _liked_by(entity: Entity, memory: Memory) -> tuple[str, ...]:
    """Return what the memory says that someone likes (seed E, interests)."""
    return tuple(
        object
        for subject, predicate, object in memory.content.triples
        if normalise(subject) in entity.names
        and any(
            claim.slot.startswith("likes:") and not claim.negative
            for claim in claims([(subject, predicate, object)])
        )
    )


def _ties(memory: Memory, keys: Mapping[str, str]) -> list[Change]:
    """Return the triples of a memory as ties between entities, negative ones marked."""
    made: list[Change] = []
    for subject, predicate, object in memory.content.triples:
        source, target = keys.get(normalise(subject)), keys.get(normalise(object))
        kind = normalise(predicate).replace(":", " ").strip()
        if source and target and source != target and kind:
            link = Link(source=source, type=kind, target=target, negative=is_negative(predicate))
            made.append(Linked(link))
    return made
