"""The ten feelings: their colours, how they blend, how strong they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from saegim.errors import BadInput

SENTIMENT: Final = "sentiment"
# A feeling is present from here on; training moves each head so that this holds.
PRESENT: Final = 0.5


class Feeling(StrEnum):
    """What a memory feels like (seed D §2)."""

    JOY = "joy"
    SADNESS = "sadness"
    ANGER = "anger"
    FEAR = "fear"
    DISGUST = "disgust"
    ANXIETY = "anxiety"
    ENVY = "envy"
    ENNUI = "ennui"
    NOSTALGIA = "nostalgia"
    NEUTRAL = "neutral"


COLOURS: dict[Feeling, str] = {
    Feeling.JOY: "gold",
    Feeling.SADNESS: "blue",
    Feeling.ANGER: "red",
    Feeling.FEAR: "purple",
    Feeling.DISGUST: "green",
    Feeling.ANXIETY: "orange",
    Feeling.ENVY: "teal",
    Feeling.ENNUI: "indigo",
    Feeling.NOSTALGIA: "pink and blue",
    Feeling.NEUTRAL: "grey",
}

# The one blend seed D names; a blend is read from the pair, never stored in its place.
BLENDS: dict[frozenset[Feeling], Feeling] = {
    frozenset({Feeling.JOY, Feeling.SADNESS}): Feeling.NOSTALGIA,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """The emotion coordinate: feelings, how strong, and what the words said."""

    feelings: tuple[Feeling, ...] = ()
    intensity: float = 0.0
    affect: float | None = None
    sentiment: float = 0.0
    confidence: float | None = None
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_share("intensity", self.intensity)
        checked_number("sentiment", self.sentiment, low=-1.0, high=1.0)
        for what in ("affect", "confidence"):
            if (value := getattr(self, what)) is not None:
                checked_share(what, value)

    @property
    def blend(self) -> Feeling:
        """Return the one feeling that these feelings amount to."""
        held = frozenset(self.feelings)
        for pair, blended in BLENDS.items():
            if pair <= held:
                return blended
        return self.feelings[0] if self.feelings else Feeling.NEUTRAL


def checked_number(what: str, value: float, *, low: float, high: float) -> float:
    """Return the number if it lies between low and high; refuse NaN and everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadInput("memory.must_lie_between", what=what, low=low, high=high, value=value)
    return float(value)


def checked_share(what: str, value: float) -> float:
    """Return the number if it lies between 0 and 1."""
    return checked_number(what, value, low=0.0, high=1.0)


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """What the heads read in one text; shares from 0 to 1, sentiment from -1 to 1."""

    sentiment: float
    intensity: float
    feelings: dict[Feeling, float]
    question: float
    # None in a language where no head beats the plain rule.
    keeping: float | None

    @property
    def felt(self) -> tuple[Feeling, ...]:
        """Return the feelings that are present, the strongest first."""
        found = [each for each, share in self.feelings.items() if share >= PRESENT]
        return tuple(sorted(found, key=lambda each: -self.feelings[each]))
