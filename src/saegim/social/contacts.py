"""`Contacts`: whom one met on a platform, how often, and how it felt."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Final

from saegim.errors import BadInput
from saegim.memory.changes import Change, Linked, Met
from saegim.memory.entities import Entity, SentimentPoint, label_of
from saegim.memory.keys import normalise
from saegim.memory.links import REFERS_TO, Link
from saegim.memory.memory import Memory
from saegim.memory.tiers import State
from saegim.perceive.acquaintance import MOST, Acquaintances
from saegim.perceive.moment import Kept
from saegim.store.commit import Batch
from saegim.store.store import Receipt

BOT: Final = "bot"


@dataclass(frozen=True, slots=True)
class Contact:
    """What is known of someone: the profile, what they said last, how the feeling moved."""

    entity: Entity
    said: tuple[Memory, ...] = ()
    feelings: tuple[SentimentPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Contacts:
    """The acquaintances of one user on one platform."""

    people: Acquaintances
    place: str
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def known(self, name: str) -> Entity | None:
        """Return who goes by this name here, or is spoken of by it without a platform."""
        if (here := self._here(name)) is not None:
            return here
        named = self.people.named(name)
        return next((each for each in named if each.platform in ("", self.place)), None)

    def frequent(self, limit: int, *, me: str) -> list[Entity]:
        """Return those met most often on this platform, without oneself."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
            raise BadInput("social.limit_cannot_be", limit=limit, most=MOST)
        everyone = (each for each in self.people.all() if each.platform == self.place)
        return [each for each in everyone if each.interactions and each.name != me][:limit]

    def feelings(self, entity: Entity) -> tuple[SentimentPoint, ...]:
        """Return how the feeling towards someone moved, oldest first."""
        store = self.people.mind.store
        return tuple(store.sentiment_history(self.people.scope, entity.key))

    def introduce(self, name: str) -> Entity | None:
        """Return who this is, noted before anything is read in their words; nobody for no name.

        Otherwise whoever says "I like tea" would be kept as a topic of that name.
        """
        if not normalise(name):
            return None
        with self._one_at_a_time:
            if (known := self._here(name)) is not None:
                return known
            made = Entity(name=name, platform=self.place, type=BOT)
            self._commit([Met(made)])
            return made

    def meet(self, before: Entity | None, kept: Kept, key: str | None) -> None:
        """Count one meeting for what was kept, once, whether its words name the other or not.

        `before` is who was known before it was kept; `key` names the event.
        """
        alive = kept.memory.life.state is State.ACTIVE
        if before is None or not alive or self._counted(before, kept):
            return
        memory = kept.memory
        met = Entity(
            name=before.name,
            platform=before.platform,
            type=before.type,
            first_seen_at=memory.time.happened_at,
            last_seen_at=memory.time.happened_at,
            sentiment_score=memory.emotion.sentiment,
            sentiment=label_of(memory.emotion.sentiment),
            trust=before.trust,
        )
        changes: list[Change] = [Met(met, kept.id, again=True)]
        if not self._tied(before, kept):
            tie = Link(source=kept.id, type=REFERS_TO, target=before.key)
            changes.append(Linked(tie))
        self._commit(changes, Receipt(f"{key} met", kept.id) if key else None)

    def _counted(self, before: Entity, kept: Kept) -> bool:
        """Say whether keeping the words has counted the meeting already."""
        if kept.status != "duplicate":
            return self._tied(before, kept)
        now = self._here(before.name)
        return now is not None and now.interactions > before.interactions

    def _tied(self, entity: Entity, kept: Kept) -> bool:
        ties = self.people.mind.store.links(self.people.scope, [kept.id], [REFERS_TO])
        return any(each.target == entity.key for each in ties)

    def _here(self, name: str) -> Entity | None:
        if not normalise(name):
            return None
        key = Entity(name=name, platform=self.place).key
        return next(iter(self.people.mind.store.entities(self.people.scope, key)), None)

    def _commit(self, changes: list[Change], receipt: Receipt | None = None) -> None:
        scope, mind = self.people.scope, self.people.mind
        batch = Batch(scope.user, changes, actor=scope.agent or scope.user, at=mind.now())
        mind.store.commit(batch, receipt=receipt)
