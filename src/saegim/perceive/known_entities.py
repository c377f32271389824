"""Whom and what memories speak about: by name, by how often, how the feeling and the trust moved.

Trust moves with how what someone said has held (seed E, `trust_level`): what the person confirms or
says as well raises it, what they contradict or call wrong lowers it. It is reckoned by night from
what stands in the store, so that it can be explained line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from saegim.errors import BadInput, NotFound
from saegim.language.names import called
from saegim.memory.changes import Change, Linked, Met, Unlinked
from saegim.memory.entities import (
    PARTED_FROM,
    REFERS_TO,
    SAME_AS,
    Entity,
    Link,
    SentimentPoint,
    label_of,
)
from saegim.memory.memory import Scope, trust
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.profile.portrait import PersonProfile, portrait
from saegim.store.commit import Batch

_PEOPLE = ("person", "bot")
MOST = 1000
WRONG, CONTRADICTED, AGREED = "wrong", "contradicted", "agreed"


@dataclass(slots=True)
class TrustRecord:
    """How what someone said has held: by sign, each thing once, with the memories that said it."""

    entity: Entity
    signs: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, memory: str, sign: str, what: str) -> None:
        """Count one sign; the same claim said twice is one."""
        self.signs.setdefault(sign, {}).setdefault(what, memory)

    @property
    def confirmed(self) -> dict[str, str]:
        """Return what was confirmed, by judgement or by the person saying the same."""
        against = set(self.signs.get(WRONG, {}).values())
        found: dict[str, str] = {}
        for sign, held in self.signs.items():
            if sign not in (WRONG, CONTRADICTED):
                found |= {what: memory for what, memory in held.items() if memory not in against}
        return found

    @property
    def contradicted(self) -> dict[str, str]:
        """Return what the person said otherwise, unless it was called wrong outright."""
        against = set(self.signs.get(WRONG, {}).values())
        held = self.signs.get(CONTRADICTED, {})
        return {what: memory for what, memory in held.items() if memory not in against}

    @property
    def wrong(self) -> dict[str, str]:
        """Return what was called wrong."""
        return self.signs.get(WRONG, {})

    def trust(self, start: float) -> float:
        """Return where trust that began there leads to by now."""
        return trust(
            start=start,
            confirmed=len(self.confirmed),
            contradicted=len(self.contradicted),
            wrong=len(self.wrong),
        )


def standings(scope: Scope, mind: Mind) -> list[TrustRecord]:
    """Return how what each acquaintance said has held, of those of whom anything is known."""
    rows = mind.store.night_queries.sayings(scope.user)
    known = mind.store.entities.named(scope, {author for _, author, _, _, _ in rows})
    found: dict[str, TrustRecord] = {}
    for memory, author, platform, sign, what in rows:
        entity = _meant(known.get(normalise(author), []), platform)
        if entity is not None:
            found.setdefault(entity.key, TrustRecord(entity)).add(memory, sign, what)
    return [found[key] for key in sorted(found)]


def _meant(known: list[Entity], platform: str) -> Entity | None:
    """Return who of that name spoke: the one of the platform, or one of none."""
    there = (each for each in known if each.platform == platform)
    return next(there, None) or next((each for each in known if not each.platform), None)


@dataclass(frozen=True, slots=True)
class KnownEntities:
    """Everyone and everything that one user's memories have met (seed E, entity profiles)."""

    scope: Scope
    mind: Mind

    def all(self, n: int | None = None) -> list[Entity]:
        """Return everyone and everything, the most met first; who is the same stands there once.

        With `n` the first so many, without reading the others.
        """
        table, ties = self.mind.store.entities, self._same()
        # Each tie makes one of two, and may lift it over others.
        found = table.of(self.scope, most=None if n is None else n + len(ties))
        tied = () if n is None else table.of_keys(self.scope, {k for each in ties for k in each})
        every = {each.key: each for each in (*found, *tied)}
        for source, target in ties:
            if source in every and target in every:
                every[target] = _joined(every[target], every.pop(source))
        return sorted(every.values(), key=lambda each: (-each.interactions, each.key))[:n]

    def count(self) -> int:
        """Count everyone and everything; who is the same counts once."""
        return self.mind.store.entities.count(self.scope) - len(self._same())

    def _same(self) -> list[tuple[str, str]]:
        """Return who was said to be whom, as far as both are known."""
        ties = self.mind.store.links.of_type(self.scope, SAME_AS, limit=MOST)
        ends = {key for tie in ties for key in (tie.source, tie.target)}
        known = {each.key for each in self.mind.store.entities.of_keys(self.scope, ends)}
        return [(tie.source, tie.target) for tie in ties if {tie.source, tie.target} <= known]

    def named(self, name: str) -> list[Entity]:
        """Return who goes by this name or alias, or is called so (하린이), the most met first."""
        found = self._known_by(name)
        beside = self._beside([each.key for each in found])
        every = {each.key: each for each in found}
        for source, target in beside.items():
            if source in every and target in every:
                every[target] = _joined(every[target], every.pop(source))
        return list(every.values())

    def key_of(self, name: str) -> str:
        """Return the key of who goes by exactly this name, or else of who is found by it."""
        found = self._known_by(name)
        own = [each.key for each in found if normalise(each.name) == normalise(name)]
        if not found:
            raise NotFound("perceive.nobody_is_known", name=name)
        return (own or [found[0].key])[0]

    def _known_by(self, name: str) -> list[Entity]:
        asked = called(name)
        known = self.mind.store.entities.named(self.scope, asked)
        return next((known[each] for each in map(normalise, asked) if each in known), [])

    def known_as(self, key: str) -> list[Entity]:
        """Return who a person said to be this one, by other names."""
        ties = self.mind.store.links.of(self.scope, [key], (SAME_AS,))
        others = sorted(tie.source for tie in ties if tie.target == key)
        return [each for other in others for each in self.mind.store.entities.of(self.scope, other)]

    def about(self, name: str | None = None) -> PersonProfile:
        """Return what is known of the person, or of someone they speak of, in their own words."""
        found = portrait(self.scope, self.mind, name)
        if found is None:
            raise NotFound("profile.nobody", name=name)
        return found

    def frequent(self, n: int = 10) -> list[Entity]:
        """Return the people met most often (seed E `get_frequent_contacts`)."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST:
            raise BadInput("perceive.n_cannot_be", n=n, most=MOST)
        return [each for each in self.all() if each.type in _PEOPLE][:n]

    def trajectory(self, name: str) -> list[SentimentPoint]:
        """Return how the feeling towards someone moved, oldest first."""
        found = self.named(name)
        if not found:
            raise NotFound("perceive.nobody_is_known", name=name)
        table, key = self.mind.store.entities, found[0].key
        keys = [key, *(each.key for each in self.known_as(key))]
        points = [point for each in keys for point in table.sentiment_history(self.scope, each)]
        gone = self._given_away(keys)
        return sorted((each for each in points if each.memory not in gone), key=lambda p: p.at)

    def standing(self, name: str) -> TrustRecord:
        """Return how what someone said has held, which is what their trust rests on."""
        found = self.named(name)
        if not found:
            raise NotFound("perceive.nobody_is_known", name=name)
        every = {each.entity.key: each for each in standings(self.scope, self.mind)}
        return every.get(found[0].key, TrustRecord(found[0]))

    # -- one, or two of them ----------------------------------------------------------------------

    def merge(self, key: str, into: str) -> str:
        """Let two be one, as a person says; return the name under which that is taken back.

        Nothing of either is changed: what is known of both is told under the second's name.
        """
        one, other = self._one(key), self._one(into)
        head = self._beside([other.key]).get(other.key, other.key)
        if one.key == head:
            raise BadInput("perceive.cannot_be_one", name=one.name, other=other.name)
        ties = self.mind.store.links.of(self.scope, [one.key], (SAME_AS,))
        moved = [tie.source for tie in ties if tie.target == one.key]
        changes: list[Change] = [Unlinked(tie) for tie in ties]
        for each in (one.key, *moved):
            changes.append(Linked(Link(source=each, type=SAME_AS, target=head)))
        return self._commit(changes, "merge")

    def unmerge(self, key: str) -> str:
        """Let who was said to be somebody else be themselves again."""
        one = self._one(key)
        ties = self.mind.store.links.of(self.scope, [one.key], (SAME_AS,))
        own = [tie for tie in ties if tie.source == one.key]
        if not own:
            raise BadInput("perceive.is_nobody_else", name=one.name)
        return self._commit([Unlinked(tie) for tie in own], "merge")

    def split(self, key: str, memories: Sequence[str], name: str) -> Entity:
        """Let these memories speak of somebody else, who was taken for this one, by a new name."""
        one, name, store = self._one(key), name.strip(), self.mind.store
        made = Entity(name=name, platform=one.platform, type=one.type, trust=one.trust)
        if store.entities.of(self.scope, made.key) or self.named(name):
            raise BadInput("perceive.name_is_taken", name=name)
        ties = {tie.source: tie for tie in store.links.of(self.scope, [one.key], (REFERS_TO,))}
        given = [id for id in dict.fromkeys(memories) if id in ties]
        if not given:
            raise BadInput("perceive.no_memory_of_theirs", name=one.name)
        changes: list[Change] = []
        for id in given:
            if (memory := store.memories.get(self.scope, id)) is None:
                continue
            felt, at = memory.emotion.sentiment, memory.time.happened_at
            met = replace(
                made,
                first_seen_at=at,
                last_seen_at=at,
                sentiment_score=felt,
                sentiment=label_of(felt),
            )
            changes += [Met(met, id, again=True), Unlinked(ties[id])]
            changes.append(Linked(Link(source=id, type=REFERS_TO, target=made.key)))
        left = max(0, one.interactions - len(given))
        changes.append(Met(replace(one, interactions=left), felt=False))
        changes.append(Linked(Link(source=made.key, type=PARTED_FROM, target=one.key)))
        self._commit(changes, "split")
        return self._one(made.key)

    def _one(self, key: str) -> Entity:
        for each in self.mind.store.entities.of(self.scope, key):
            return each
        raise NotFound("perceive.nobody_is_known", name=key[:60])

    def _beside(self, keys: Sequence[str]) -> dict[str, str]:
        """Return who of these is said to be whom."""
        ties = self.mind.store.links.of(self.scope, keys, (SAME_AS,)) if keys else []
        return {tie.source: tie.target for tie in ties}

    def _given_away(self, keys: Sequence[str]) -> set[str]:
        """Return the memories that speak of somebody who was taken for one of these."""
        links = self.mind.store.links
        ties = links.of(self.scope, keys, (PARTED_FROM,))
        others = {tie.source for tie in ties if tie.target in keys} - set(keys)
        return {tie.source for tie in links.of(self.scope, others, (REFERS_TO,))}

    def _commit(self, changes: Sequence[Change], what: str) -> str:
        now, maker = self.mind.now(), self.mind.new_id(what)
        until = now + timedelta(days=self.mind.settings.forgetting_days)
        actor = self.scope.agent or self.scope.user
        self.mind.store.commit(
            Batch(self.scope.user, changes, actor=actor, at=now, maker=maker, until=until)
        )
        return maker


def _joined(one: Entity, other: Entity) -> Entity:
    """Return two as one, told under the name of the first."""
    count = one.interactions + other.interactions
    score = (
        (one.sentiment_score * one.interactions + other.sentiment_score * other.interactions)
        / count
        if count
        else one.sentiment_score
    )
    names = dict.fromkeys((*one.aliases, other.name, *other.aliases))
    return replace(
        one,
        aliases=tuple(each for each in names if each != one.name),
        summary=one.summary or other.summary,
        interests=tuple(dict.fromkeys((*one.interests, *other.interests))),
        first_seen_at=min(filter(None, (one.first_seen_at, other.first_seen_at)), default=None),
        last_seen_at=max(filter(None, (one.last_seen_at, other.last_seen_at)), default=None),
        interactions=count,
        sentiment_score=round(score, 6),
        sentiment=label_of(score),
    )
