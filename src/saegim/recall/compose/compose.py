"""A question in; a block of quoted memories out that fits its budget, or nothing at all.

Reads only. Nothing of now stands in the block and recency has no say, so that the same store gives
the same bytes to the same question, today and in three months.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from saegim.engines.tokens import estimate
from saegim.errors import BadInput
from saegim.memory.coordinate import Origin
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.recall.compose.card import Card
from saegim.recall.compose.choose import Choice, choose
from saegim.recall.compose.fit import fitted
from saegim.recall.compose.quote import frame, quoted, shortened
from saegim.recall.compose.recipe import recipe_of
from saegim.recall.flow import InMind, Recollection, recall
from saegim.recall.gather import Path
from saegim.recall.query import MOST, Query
from saegim.recall.used.evidence import FIRST, said_in
from saegim.store.where import Where

MOST_TOKENS: Final = 1_000_000
# Where one source fills the list, it is looked through again, so much further.
_FURTHER: Final = 4
# A thanks or a laugh is read far below this, a question or a fact of a few words above it.
_SAYS_SOMETHING: Final = 0.2
# Of what is read lower, the more a memory fits, the less it is small talk: "the house I live in" is
# a question for it, whatever it looks like.
_NAMED: Final = 0.35
# Of a turn of the session at hand, which the agent has before it, so much recalls it.
_MOST_SAID: Final = 200
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
    # What was said in the session at hand stands before the cards.
    in_mind: tuple[InMind, ...] = ()

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
            "in_mind": [each.as_dict() for each in self.in_mind],
        }


First = Callable[[Recollection], Recollection]


def compose(
    question: str,
    where: Where,
    *,
    mind: Mind,
    budget: int,
    recipe: str = "auto_search",
    first: First = lambda found: found,
    unasked: bool = True,
) -> Context:
    """Return the memories that belong to a question, quoted, in at most `budget` tokens.

    Offered `unasked`, at every turn, small talk gets nothing. `first` puts what was said in the
    session at hand before what is long remembered.
    """
    way = recipe_of(recipe)
    room = way.room(checked_budget(budget), mind.settings)
    where = replace(where, min_importance=max(where.min_importance, way.min_importance))
    found, choice = _look(question, where, mind, first)
    if way.soft and unasked and _is_small_talk(question, found, mind):
        return Context("", (), 0, budget=room, left_out=0, below_floor=0, paths=found.paths)
    header = way.header(question)
    enough = min(room, mind.settings.context_enough) if way.soft else None
    said = [] if way.examples else in_mind(found.in_mind, header, enough or room)
    spent = sum(estimate(line + "\n") for line in said)
    left = None if enough is None else enough - spent
    made = fitted(choice, found.hits, way, header=header, room=room - spent, enough=left)
    if said:
        made.lines[:0] = said
        made.tokens = spent + (made.tokens or estimate(frame(header) + "\n"))
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
        in_mind=found.in_mind[: len(said)],
    )


def _is_small_talk(question: str, found: Recollection, mind: Mind) -> bool:
    """Say whether a prompt neither asks nor tells anything, nor names what is remembered."""
    reading = mind.read_turn(question)
    if reading is None or (says := max(reading.asks, reading.keep)) >= _SAYS_SOMETHING:
        return False
    return says + max((hit.weighed.relevance for hit in found.hits), default=0.0) < _NAMED


def in_mind(said: Sequence[InMind], header: str, room: int) -> list[str]:
    """Return a line for each thing said in the session, while half of the room lasts."""
    lines: list[str] = []
    left = (room - estimate(frame(header) + "\n")) // 2
    for each in said:
        told = quoted(shortened(each.text, _MOST_SAID))
        answer = f" answered={quoted(shortened(each.answer, _MOST_SAID))}" if each.answer else ""
        whose = each.origin or Origin.USER_SAID
        line = f"this_session {each.said_at.date().isoformat()} {whose} {told}{answer}"
        left -= estimate(line + "\n")
        if left < 0:
            break
        lines.append(line)
    return lines


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
        raise BadInput("recall.budget_cannot_be", budget=budget, most=MOST_TOKENS)
    return budget


def _look(question: str, where: Where, mind: Mind, first: First) -> tuple[Recollection, Choice]:
    """Recall and choose; look further where one source fills the list and hides the others."""
    pool = mind.settings.context_pool
    for limit in (pool, min(_FURTHER * pool, MOST)):
        asked = Query(text=question, where=where, limit=limit, steady=True)
        found = first(recall(asked, mind=mind))
        choice = choose([hit for hit in found.hits if not hit.weak], where, mind=mind)
        crowded = sum(choice.left_out[why] for why in _CROWDS)
        if len(found.hits) < limit or 2 * crowded < limit:
            break
    return found, choice
