"""`Imaginations`: what a caller may do with imagination: ask for one, list, answer, listen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from saegim.errors import BadInput, NotFound
from saegim.imagine.flow import ASKED, CONTEXT, TAG, Imagination, imagination_of, imagine, imagined
from saegim.imagine.places import (
    ANSWERS,
    IGNORED,
    LIKED,
    REFUSED,
    Pattern,
    answered,
    day_of,
    patterns,
    places,
)
from saegim.language.language import feelings
from saegim.memory.changes import Linked, Saved
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import Kind, Scope
from saegim.mind import Mind
from saegim.store.subscriptions import News, Subscription

# What the labels of the feedback verb say about an imagination; `used` says that it was acted on.
FROM_FEEDBACK: Final = {
    "up": LIKED,
    "used": LIKED,
    "changed_behaviour": LIKED,
    "retry": IGNORED,
    "down": REFUSED,
    "wrong": REFUSED,
}
# From so much sentiment on, words say whether it was liked.
_CLEAR: Final = 0.2


@dataclass(frozen=True, slots=True)
class ImaginationDay:
    """What was imagined on one day of the person's, and how many more may be."""

    day: str
    imaginations: tuple[Imagination, ...]
    most: int
    left: int


@dataclass(frozen=True, slots=True)
class Imaginations:
    """The imagination of one scope."""

    scope: Scope
    mind: Mind

    def make(self, *, context: str = "", trigger: str | None = None) -> Imagination:
        """Imagine one thing now, from memories and what is going on; it counts to the day's few."""
        chosen = trigger or (CONTEXT if context.strip() else ASKED)
        return imagine(chosen, scope=self.scope, mind=self.mind, context=context)

    def today(self) -> ImaginationDay:
        """Return what was imagined today, and how many more may be."""
        day = day_of(self.mind.now(), self.mind)
        taken, most = places(day, self.scope, self.mind), self.mind.settings.imagination_per_day
        made = {each.memory for each in taken}
        found = [each for each in self.latest(most + len(taken) + 1) if each.id in made]
        return ImaginationDay(day, tuple(found), most, max(0, most - len(taken)))

    def latest(self, limit: int = 30) -> list[Imagination]:
        """Return what was imagined, the newest first."""
        return imagined(self.scope, self.mind, limit=limit)

    def patterns(self) -> dict[str, Pattern]:
        """Return how each pattern was taken so far."""
        return patterns(self.scope, self.mind)

    def feedback(self, label: str, id: str = "") -> Pattern:
        """Answer to an imagination, the latest unless one is named: liked, ignored, refused.

        Words do too: "좋았어", "that was nice".
        """
        if id:
            held = self.mind.store.memories.get(self.scope, id)
            if held is not None and TAG not in held.content.tags:
                raise BadInput("imagine.not_imagined", id=id)
            found = [imagination_of(held, ())] if held is not None and held.text else []
        else:
            found = self.latest(1)
        if not found:
            raise NotFound("imagine.none_to_judge")
        answer = label if label in ANSWERS else self._read(label)
        return answered(found[0].id, found[0].pattern, answer, scope=self.scope, mind=self.mind)

    def _read(self, words: str) -> str:
        """Return what words say about an imagination; refuse those that say nothing clear."""
        if words in FROM_FEEDBACK:
            return FROM_FEEDBACK[words]
        felt = feelings(words, self.mind.heads).sentiment if words.strip() else 0.0
        if abs(felt) < _CLEAR:
            raise BadInput("imagine.no_answer", label=words, known=", ".join(ANSWERS))
        return LIKED if felt > 0 else REFUSED

    def subscribe(self, callback: Callable[[Imagination], object]) -> Subscription:
        """Call a program with each imagination after it was recorded by this process.

        It is called on a quiet thread; close the subscription to hear no more.
        """

        def hear(news: News) -> None:
            used = [
                (each.link.source, each.link.target)
                for each in news.changes
                if isinstance(each, Linked) and each.link.type == DERIVED_FROM
            ]
            for each in news.changes:
                if isinstance(each, Saved) and each.memory.kind is Kind.IMAGINED:
                    sources = [target for source, target in used if source == each.memory.id]
                    callback(imagination_of(each.memory, sources))

        return self.mind.store.subscribe(hear, Saved, Linked, owner=self.scope.user)
