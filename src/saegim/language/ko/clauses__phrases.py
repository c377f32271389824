"""`Phrase` and `Clause`: what the reader makes of a Korean sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from saegim.language.ko.forms__endings import Mood
from saegim.language.ko.verbs import closing

_PARTICLES: Final = {
    "가": ("이", "가"),
    "를": ("을", "를"),
    "로": ("으로", "로"),
    "와": ("과", "와"),
}
_LL: Final = 8


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with what belongs to it, and the particle that says its part.

    `verb` is the stem of a short clause before it (좋아하는 음식); `tangled` says that a longer one
    stands there, so that the noun alone would say too much.
    """

    text: str
    part: str
    me: bool = False
    mine: bool = False
    time: bool = False
    verb: str = ""
    tangled: bool = False


@dataclass(slots=True)
class Clause:
    """One verb, or noun with 이다, and the phrases before it."""

    phrases: list[Phrase] = field(default_factory=list)
    adverbs: set[str] = field(default_factory=set)
    stems: tuple[str, ...] = ()
    word: str = ""
    what: str = ""
    past: bool = False
    denied: bool = False
    mood: Mood = "told"
    ongoing: bool = False
    became: bool = False
    count: str = ""

    def first(self, *parts: str) -> Phrase | None:
        """Return the last phrase with one of these parts, no time and not the speaker, or None."""
        for each in reversed(self.phrases):
            if each.part in parts and each.text and not each.time:
                return each
        return None

    def time(self) -> str:
        """Return the words that say when."""
        return " ".join([each.text for each in self.phrases if each.time])


def with_particle(phrase: Phrase) -> str:
    """Write a phrase with its particle again."""
    part = phrase.part
    if part in _PARTICLES and "가" <= phrase.text[-1:] <= "힣":
        closed, opened = _PARTICLES[part]
        last = closing(phrase.text)
        part = opened if not last or (part == "로" and last == _LL) else closed
    return phrase.text + (part if part not in (",", "게") else "")
