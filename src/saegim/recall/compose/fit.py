"""Cards within a budget: the best memories get their fullest form that still fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from saegim.engines.tokens import estimate
from saegim.memory.memory import Memory
from saegim.memory.tiers import Tier
from saegim.memory.weighing import SECONDS_A_DAY, strength
from saegim.recall.compose.card import TEXT, Card, card, example, forms, is_of_a_person
from saegim.recall.compose.choose import Choice
from saegim.recall.compose.orders import LONGEST_READ
from saegim.recall.compose.quote import block, frame
from saegim.recall.compose.recipe import Recipe
from saegim.recall.handle import handle_of
from saegim.recall.score import Hit

# Seed C: below this strength a memory is shown in short.
_SHRUNK: Final = 0.3
# No card is cheaper: below this the rest of a budget is not worth another look.
_LEAST: Final = 14
# A text of more letters than this to a token of room is turned down without being measured.
_LETTERS_A_TOKEN: Final = 8


@dataclass(slots=True)
class Fitted:
    """The cards that fit, their lines, and what the block of them costs at most."""

    header: str
    cards: list[Card] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    tokens: int = 0

    @property
    def text(self) -> str:
        """Return the block, or nothing where no card fits."""
        return block(self.header, self.lines)


def fitted(
    choice: Choice, found: Sequence[Hit], recipe: Recipe, *, header: str, room: int
) -> Fitted:
    """Take cards in the order of the choice; what finds no place is counted there.

    Lines end where tokens end, so their prices add up to no less than the block costs.
    """
    made = Fitted(header)
    showing = _Showing(recipe, choice, found)
    left = room - estimate(frame(header) + "\n")
    longest = left // 2
    for hit in choice.hits:
        if len(made.cards) == recipe.most:
            choice.left_out["most"] += 1
            continue
        forms = list(showing.forms(hit, left))
        for each in forms:
            line = each.line
            price = estimate(line + "\n")
            # Half for one in full; what has no shorter form may fill what there is.
            half = each.form == TEXT and len(forms) > 1
            if price <= (min(left, longest) if half else left):
                made.cards.append(each)
                made.lines.append(line)
                left -= price
                break
        else:
            choice.left_out["budget"] += 1
    made.tokens = room - left if made.cards else 0
    return made


class _Showing:
    """How the memories of one answer are shown."""

    __slots__ = ("_handles", "_partly", "_present", "_recipe")

    def __init__(self, recipe: Recipe, choice: Choice, found: Sequence[Hit]) -> None:
        self._recipe = recipe
        self._partly = choice.partly
        # Handles are named by those who contradict each other only.
        against = {id for hit in choice.hits for id in hit.conflicts}
        self._handles: Mapping[str, str] = {
            hit.memory.id: handle_of(hit.number, hit.memory.id)
            for hit in found
            if hit.memory.id in against
        }
        self._present = max((hit.memory.time.recorded_at for hit in choice.hits), default=None)

    def forms(self, hit: Hit, left: int) -> Iterator[Card]:
        """Yield the cards that could stand for a memory in the room left, the fullest first."""
        memory = hit.memory
        if left < _LEAST:
            return
        partly = memory.id in self._partly
        if self._recipe.examples:
            asked, answer = example(memory)
            shown = card(hit, TEXT, answer, handles=self._handles, partly=partly)
            yield replace(shown, asked=asked)
            return
        unread = len(memory.text) > LONGEST_READ and not is_of_a_person(memory)
        for form, words in forms(memory, shrunk=unread or is_shrunk(hit, self._present)):
            if len(words) > _LETTERS_A_TOKEN * left:
                continue
            # What it costs alone was measured when it was kept.
            if form == TEXT and (memory.content.token_count or 0) > left:
                continue
            yield card(hit, form, words, handles=self._handles, partly=partly)


def is_shrunk(hit: Hit, present: datetime | None) -> bool:
    """Say whether a memory has faded so far that its brief is enough.

    By the store's own time, not by the clock: idle until the newest memory of this answer was
    written. And by use, not by being shown, so that showing a memory does not change the bytes of
    the next prompt (U9.3).
    """
    memory = hit.memory
    if present is None or _held_fast(memory):
        return False
    since = memory.worth.used_at or memory.time.recorded_at
    left = strength(
        recalled=memory.worth.used,
        idle_days=(present - since).total_seconds() / SECONDS_A_DAY,
        intensity=memory.emotion.intensity,
    )
    return left < _SHRUNK


def _held_fast(memory: Memory) -> bool:
    life = memory.life
    return life.pinned or life.immutable or life.tier is Tier.M0
