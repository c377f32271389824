"""`difference`: what tells two near-identical memories apart, and which of them says it all.

It is careful rather than clever: what is not known to be harmless is a difference, because a
wrong merge loses something that was said, and a missed one costs a line.
"""

from __future__ import annotations

from typing import Final

from saegim.language.same import MOST, Reading, holds, opposed, read
from saegim.language.words import Analyser
from saegim.memory.coordinate import Kind
from saegim.memory.keys import normalise
from saegim.memory.memory import Memory

# They happen on a day; told of another day they are another time.
_EVENTS: Final = frozenset((Kind.EXPERIENCE, Kind.EPISODE, Kind.EMOTION))


def difference(one: Memory, other: Memory, *, analyser: Analyser) -> str:
    """Return the name of the first difference between two memories, "" if they say the same.

    The names: scope, kind, author, origin, day, language, number, date, negation, name, words, and
    form where the same words are said in another way (who helped whom, went or will go, or asks).
    """
    if apart := _around(one, other):
        return apart
    if one.text == other.text:
        return ""
    if len(one.text) > MOST or len(other.text) > MOST:
        return "" if normalise(one.text) == normalise(other.text) else "words"
    mine, yours = read(one.text), read(other.text)
    if marked := _marked(mine, yours):
        return marked
    if holds(mine, yours) or holds(yours, mine):
        return ""
    if opposed(mine.words, yours.words):
        return "negation"
    return "form" if _content(one.text, analyser) == _content(other.text, analyser) else "words"


def fuller(one: Memory, other: Memory, *, analyser: Analyser) -> Memory | None:
    """Return which of two memories says everything the other says, None if neither does.

    Where they say equally much, it is the first.
    """
    if one.text == other.text:
        return one
    if len(one.text) <= MOST and len(other.text) <= MOST:
        mine, yours = read(one.text), read(other.text)
        if holds(mine, yours):
            return one
        if holds(yours, mine):
            return other
    has, had = _content(one.text, analyser), _content(other.text, analyser)
    if has >= had:
        return one
    return other if had > has else None


def may_become(survivor: Memory, other: Memory, *, analyser: Analyser) -> str:
    """Return why the other memory may not be merged into the survivor, "" if it may."""
    if reason := difference(survivor, other, analyser=analyser):
        return reason
    return "" if fuller(survivor, other, analyser=analyser) is survivor else "words"


def _around(one: Memory, other: Memory) -> str:
    """Return what differs around the words."""
    mine, yours = one.scope, other.scope
    if (mine.user, mine.agent, mine.project) != (yours.user, yours.agent, yours.project):
        return "scope"
    if one.visibility != other.visibility:
        return "scope"
    if one.kind != other.kind:
        return "kind"
    if one.provenance.author != other.provenance.author:
        return "author"
    if one.provenance.origin != other.provenance.origin:
        return "origin"
    return "day" if _other_day(one, other) else ""


def _other_day(one: Memory, other: Memory) -> bool:
    """Say whether two memories tell of different days, or hold until different times."""
    mine, yours = one.time, other.time
    if set(mine.mentions) != set(yours.mentions) or mine.valid_to != yours.valid_to:
        return True
    if mine.happened_at.date() != yours.happened_at.date() and (
        one.kind in _EVENTS or mine.said_at or yours.said_at
    ):
        return True
    said = (mine.said_at or mine.happened_at).date(), (yours.said_at or yours.happened_at).date()
    return said[0] != said[1] and (_floats(one.text) or _floats(other.text))


def _floats(text: str) -> bool:
    """Say whether a text names a day by the day on which it is said: tomorrow, 어제."""
    return read(text[:MOST]).floats


def _marked(one: Reading, other: Reading) -> str:
    """Return which of the marks differ that tell near texts apart."""
    if one.in_korean != other.in_korean:
        return "language"
    if one.numbers != other.numbers:
        return "number"
    if one.dates != other.dates:
        return "date"
    if one.denials != other.denials:
        return "negation"
    return "name" if _strange(one, other) or _strange(other, one) else ""


def _strange(one: Reading, other: Reading) -> bool:
    """Say whether one names what the other does not hold."""
    return any(name not in other.words and name not in other.joined for name in one.names)


def _content(text: str, analyser: Analyser) -> frozenset[tuple[str, ...]]:
    return frozenset([term.tokens for term in analyser.query(text)])
