"""A question in; a block of quoted memories out that fits its budget, or nothing at all.

Reads only. Nothing of now stands in the block and recency has no say, so that the same store gives
the same bytes to the same question, today and in three months.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from saegim.errors import BadInput
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.recall.compose.card import Card
from saegim.recall.compose.choose import Choice, choose
from saegim.recall.compose.fit import fitted
from saegim.recall.compose.recipe import recipe_of
from saegim.recall.flow import Recollection, recall
from saegim.recall.gather import Path
from saegim.recall.query import MOST, Query
from saegim.recall.used.evidence import FIRST, said_in
from saegim.store.where import Where

MOST_TOKENS: Final = 1_000_000
# Where one source fills the list, it is looked through again, so much further.
_FURTHER: Final = 4
_CROWDS: Final = ("source", "twin", "order")


@dataclass(frozen=True, slots=True)
class Context:
    """What is put into a prompt: a block or nothing, its cards, and what was left out of it.

    `tokens` is what the text costs at most, `reasons` how many were left out for what.
    """

    text: str
    cards: tuple[Card, ...]
    tokens: int
    budget: int
    left_out: int
    below_floor: int
    trace: str = ""
    reasons: Mapping[str, int] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the context ready for JSON."""
        return {
            "text": self.text,
            "tokens": self.tokens,
            "budget": self.budget,
            "left_out": self.left_out,
            "below_floor": self.below_floor,
            "reasons": dict(self.reasons),
            "trace": self.trace,
            "cards": [each.as_dict() for each in self.cards],
        }


def compose(
    question: str, where: Where, *, mind: Mind, budget: int, recipe: str = "auto_search"
) -> Context:
    """Return the memories that belong to a question, quoted, in at most `budget` tokens."""
    way = recipe_of(recipe)
    room = way.room(checked_budget(budget), mind.settings)
    where = replace(where, min_importance=max(where.min_importance, way.min_importance))
    found, choice = _look(question, where, mind)
    made = fitted(choice, found.hits, way, header=way.header(question), room=room)
    reasons = {why: count for why, count in sorted(choice.left_out.items()) if count}
    return Context(
        made.text,
        tuple(made.cards),
        made.tokens,
        budget=room,
        left_out=sum(reasons.values()),
        below_floor=found.below_floor,
        trace=_noted(question, made.cards, found, where.scope, mind),
        reasons=reasons,
        paths=found.paths,
    )


def _noted(
    question: str, cards: Sequence[Card], found: Recollection, scope: Scope, mind: Mind
) -> str:
    """Note what is shown, and which words of the first the question said itself."""
    texts = {hit.memory.id: hit.memory.text for hit in found.hits}
    said = said_in(question, [texts.get(each.id, each.words) for each in cards[:FIRST]])
    return mind.shown(scope, [each.id for each in cards], said) if cards else ""


def checked_budget(budget: int) -> int:
    """Return the budget if it is a number of tokens; refuse it otherwise."""
    whole = isinstance(budget, int) and not isinstance(budget, bool)
    if not whole or not 0 <= budget <= MOST_TOKENS:
        raise BadInput(
            f"budget cannot be {budget!r:.40}.", next_step=f"Give 0 to {MOST_TOKENS:,} tokens."
        )
    return budget


def _look(question: str, where: Where, mind: Mind) -> tuple[Recollection, Choice]:
    """Recall and choose; look further where one source fills the list and hides the others."""
    pool = mind.settings.context_pool
    for limit in (pool, min(_FURTHER * pool, MOST)):
        found = recall(Query(text=question, where=where, limit=limit, steady=True), mind=mind)
        choice = choose([hit for hit in found.hits if not hit.weak], where, mind=mind)
        crowded = sum(choice.left_out[why] for why in _CROWDS)
        if len(found.hits) < limit or 2 * crowded < limit:
            break
    return found, choice
