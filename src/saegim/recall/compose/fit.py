"""Cards within a budget: the best memories get their fullest form that still fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from saegim.engines.tokens import estimate
from saegim.recall.compose.card import TEXT, Card, card, example, forms, is_of_a_person
from saegim.recall.compose.choose import Choice
from saegim.recall.compose.orders import LONGEST_READ
from saegim.recall.compose.quote import block, frame
from saegim.recall.compose.recipe import Recipe
from saegim.recall.handle import handle_of
from saegim.recall.score import Hit

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
    choice: Choice,
    found: Sequence[Hit],
    recipe: Recipe,
    *,
    header: str,
    room: int,
    enough: int | None = None,
) -> Fitted:
    """Take cards in the order of the choice; what finds no place is counted there.

    With `enough`, cards end where relevance does: so many tokens mostly suffice.
    Lines end where tokens end, so their prices add up to no less than the block costs.
    """
    made = Fitted(header)
    showing = _Showing(recipe, choice, found)
    left = room - estimate(frame(header) + "\n")
    longest = left // 2
    lasting = _Lasting(choice, enough)
    for hit in choice.hits:
        if len(made.cards) == recipe.most:
            choice.left_out["most"] += 1
            continue
        if not lasting.admits(hit, len(made.cards), room - left):
            choice.left_out["relevance"] += 1
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


# The first few are always shown; then what is worth so much of the best; and beyond what mostly
# suffices, only what is nearly as good. Chosen on the open lives (bench/lives.py): four cards and
# some 380 tokens held what eight cards and 500 did.
_FIRST: Final = 3
_AS_GOOD: Final = 0.3
_NEARLY_AS_GOOD: Final = 0.7


class _Lasting:
    """How far relevance lasts in one answer."""

    __slots__ = ("_best", "_enough")

    def __init__(self, choice: Choice, enough: int | None) -> None:
        self._best = max((hit.weighed.relevance for hit in choice.hits), default=0.0)
        self._enough = enough

    def admits(self, hit: Hit, shown: int, spent: int) -> bool:
        """Say whether a card is worth its tokens after so many cards and tokens."""
        if self._enough is None or shown < _FIRST:
            return True
        cost = hit.memory.content.token_count or 0
        needed = _AS_GOOD if spent + cost <= self._enough else _NEARLY_AS_GOOD
        return hit.weighed.relevance >= needed * self._best


class _Showing:
    """How the memories of one answer are shown."""

    __slots__ = ("_handles", "_newer", "_partly", "_recipe", "_shrunk")

    def __init__(self, recipe: Recipe, choice: Choice, found: Sequence[Hit]) -> None:
        self._recipe = recipe
        self._partly = choice.partly
        # Handles are named by those who contradict each other only.
        self._newer = choice.newer
        against = {id for hit in choice.hits for id in hit.conflicts} | set(self._newer.values())
        self._handles: Mapping[str, str] = {
            hit.memory.id: handle_of(hit.number, hit.memory.id)
            for hit in found
            if hit.memory.id in against
        }
        # Marked by night and not by being shown, so that showing a memory does not change the
        # bytes of the next prompt (U9.3).
        self._shrunk = choice.shrunk

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
        for form, words in forms(memory, shrunk=unread or memory.id in self._shrunk):
            if len(words) > _LETTERS_A_TOKEN * left:
                continue
            # What it costs alone was measured when it was kept.
            if form == TEXT and (memory.content.token_count or 0) > left:
                continue
            newer = self._newer.get(memory.id, "")
            yield card(hit, form, words, handles=self._handles, partly=partly, newer=newer)
