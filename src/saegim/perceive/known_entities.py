"""Whom and what memories speak about: by name, by how often, how the feeling and the trust moved.

Trust moves with how what someone said has held (seed E, `trust_level`): what the person confirms or
says as well raises it, what they contradict or call wrong lowers it. It is reckoned by night from
what stands in the store, so that it can be explained line by line.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from saegim.errors import BadInput, NotFound
from saegim.memory.entities import Entity, SentimentPoint
from saegim.memory.memory import Scope, trust
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.profile.portrait import PersonProfile, portrait

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

    def all(self) -> list[Entity]:
        """Return everyone and everything, the most met first."""
        return self.mind.store.entities.of(self.scope)

    def named(self, name: str) -> list[Entity]:
        """Return who goes by this name or alias, the most met first."""
        return self.mind.store.entities.named(self.scope, [name]).get(normalise(name), [])

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
        return self.mind.store.entities.sentiment_history(self.scope, found[0].key)

    def standing(self, name: str) -> TrustRecord:
        """Return how what someone said has held, which is what their trust rests on."""
        found = self.named(name)
        if not found:
            raise NotFound("perceive.nobody_is_known", name=name)
        every = {each.entity.key: each for each in standings(self.scope, self.mind)}
        return every.get(found[0].key, TrustRecord(found[0]))
