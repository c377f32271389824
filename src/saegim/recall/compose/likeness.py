"""How alike two memories are by their words alone, and when one says nothing beside the other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from saegim.memory.coordinate import Kind
from saegim.memory.keys import normalise
from saegim.memory.late import late
from saegim.memory.memory import Memory

Pieces = frozenset[str]

# The beginning says what a text is about; of a long one no more is compared.
_GLANCE: Final = 300
_RUNS: Final = late(r"[가-힣]+|[^\W_가-힣]+")
# Enough of an English word to know it again in another form.
_STEM: Final = 6
# What tells two facts apart that otherwise read alike: 월요일 and 화요일 have a cosine of 0.95.
_FIGURES: Final = late(
    r"[0-9]+(?:[.,:/-][0-9]+)*|[월화수목금토일]요일|오전|오후|아침|점심|저녁"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b[ap]\.?m\b|morning|afternoon|evening"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b"
)
_DENIES: Final = late(
    r"\b(?:not?|never|none|nobody|nothing|without|cannot|stopped|quit)\b|n['’]t\b"
    r"|(?:^|\s)(?:안|못)\s|않|없|아니|아닌|말고|그만|싫|금지"
)
# What happened on two days happened twice.
_EVENTS: Final = (Kind.EXPERIENCE, Kind.EPISODE)


@dataclass(frozen=True, slots=True)
class Said:
    """What a memory says, ready to be compared."""

    memory: Memory
    plain: str
    pieces: Pieces

    @property
    def date(self) -> str:
        """Return the day it happened, on the clock of its origin."""
        return self.memory.time.happened_at.date().isoformat()

    @property
    def details(self) -> tuple[set[str], bool]:
        """Return its figures, and whether it denies something."""
        return set(_FIGURES.findall(self.plain)), _DENIES.search(self.plain) is not None

    @property
    def objects(self) -> Pieces:
        """Return what its triples are about, where it has any."""
        return _pieces(normalise(" ".join(each for _, _, each in self.memory.content.triples)))


def said(memory: Memory) -> Said:
    """Read a memory for comparing."""
    plain = normalise(memory.text[:_GLANCE])
    return Said(memory, plain, _pieces(plain))


def _pieces(plain: str) -> Pieces:
    """Return the words of a text: pairs of syllables, beginnings of other words."""
    pieces: set[str] = set()
    for run in _RUNS.findall(plain):
        if "가" <= run[0] <= "힣":
            pieces.update(map("".join, pairwise(run)) if len(run) > 1 else run)
        else:
            pieces.add(run[:_STEM])
    return frozenset(pieces)


def overlap(one: Pieces, other: Pieces) -> float:
    """Return the share of all words that both have (Jaccard)."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def inside(one: Pieces, other: Pieces) -> float:
    """Return the share of the first one's words that the other has too."""
    return len(one & other) / len(one) if one else 0.0


def are_twins(one: Said, other: Said, *, alike: bool) -> bool:
    """Say whether the two say the same: equal words, or `alike` in words or meaning.

    Another figure, another thing, another day of an event, or a no makes no twin.
    """
    if not alike and one.plain != other.plain:
        return False
    if one.memory.kind in _EVENTS and one.date != other.date:
        return False
    if one.plain == other.plain and one.memory.canonical_key == other.memory.canonical_key:
        return True
    if not alike or one.details != other.details:
        return False
    mine, theirs = one.objects, other.objects
    return not mine or not theirs or bool(mine & theirs)
