"""What a text feels like: the feelings of its words joined with what the small heads read.

A plain statement comes out neutral and weak: a false strong feeling would promote a memory and keep
it from fading, which is worse than a feeling that was missed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from saegim.errors import BadInput
from saegim.language import feelings__faces as faces
from saegim.language import feelings__scenes as scenes
from saegim.language.en import feelings as english_reading
from saegim.language.feelings__joining import margins, sentiment, share
from saegim.language.ko import feelings as korean_reading
from saegim.language.language import Language, language_of
from saegim.language.senses import Evidence, added_up
from saegim.memory.emotion import Emotion, Feeling
from saegim.memory.keys import fold
from saegim.memory.late import late

# Of a long text the beginning and the end say how it is meant.
_BEGINNING, _END = 1500, 500
_HANGUL: Final = late(r"[가-힣ㄱ-ㅎ]")
_LATIN: Final = late(r"[a-zA-Z]")
# The numbers from here on are judged on our own sentences, labelled by how strong people would
# call them (tests/data/intensity_tune.jsonl; the other half, intensity_held, was read once, at the
# end). One plain word of feeling makes about 0.55, with "very" 0.75, the deepest words 0.77, "to
# death" or several of them more than 0.8; what is only a little felt stays below 0.4.
_STEEPNESS, _BENT = 0.8, 1.75
# Each of the first three exclamation marks adds this share.
_EXCLAIMED: Final = 0.1
# A word of feeling in a long text is less of it: from this length on it fades, to 0.6 at the least.
_DILUTED_FROM, _DILUTED_TO = 120, 0.6
# What only the heads read is never strong; what the heads doubt is less than the words say.
_HEADS_ALONE: Final = 0.3
_DOUBTED: Final = 0.65
# Words of feeling in a plain statement, and words that do not make a feeling.
_PLAIN, _UNFELT = 0.1, 0.5
# How sure one can be of words without heads, and of a text in which nothing was found.
_WORDS_ALONE: Final = 0.8
_NOTHING: Final = 0.3
# A head that is surer than this is not surer of anything.
_BOUND: Final = 5.0
_MOST_WORDS: Final = 12


class FeelingHeads(Protocol):
    """What the small heads say of a text: one number per column."""

    @property
    def columns(self) -> Sequence[str]:
        """Return what each number is about."""
        ...

    def logits(self, text: str, language: Language) -> Any:
        """Return the numbers, as an array."""
        ...


def feel(text: str, heads: FeelingHeads | None) -> Emotion:
    """Return what a text feels like; without heads its words alone are read."""
    long = len(text) > _BEGINNING + _END
    read = fold(f"{text[:_BEGINNING]}\n{text[-_END:]}" if long else text)
    if not read.strip():
        return Emotion()
    language, evidence = language_of(read), words_of(read)
    heard = _heard(read, heads, language)
    found = margins(evidence, heard, language, len(read))
    plain = found.pop(Feeling.NEUTRAL)
    present = sorted((each for each in found if found[each] >= 0.0), key=lambda each: -found[each])
    good = sentiment(evidence, heard, language, len(read))
    sure = share(found[present[0]]) if present else _NOTHING
    if plain >= max(0.0, *found.values()):
        present, sure = [Feeling.NEUTRAL], share(plain)
        good *= 1.0 - sure
    return Emotion(
        feelings=tuple(present),
        intensity=_intensity(present, sure, _strength(evidence, read)),
        sentiment=good,
        confidence=sure if heard else sure * _WORDS_ALONE,
        words=evidence.words[:_MOST_WORDS],
    )


def words_of(text: str) -> Evidence:
    """Return what the words and signs of feeling of a text say together, in either language."""
    found = list(faces.found(text))
    if _HANGUL.search(text):
        found += korean_reading.found(text)
    if _LATIN.search(text):
        found += english_reading.found(text)
    found += scenes.found(text)
    found.sort(key=lambda each: each.at)
    return added_up(found)


def _heard(text: str, heads: FeelingHeads | None, language: Language) -> Mapping[str, float] | None:
    """Return what each head says of a text, or None where none can say anything."""
    if heads is None or not (_HANGUL.search(text) or _LATIN.search(text)):
        return None
    try:
        logits = heads.logits(text.replace("’", "'"), language)
    except BadInput:
        return None
    bounded = (max(-_BOUND, min(_BOUND, each)) for each in logits.tolist())
    return dict(zip(heads.columns, bounded, strict=True))


def _strength(evidence: Evidence, text: str) -> float:
    """Return how strong the words are in a text, from 0 to 1."""
    loud = 1.0 + _EXCLAIMED * min(3, text.count("!"))
    thin = max(_DILUTED_TO, min(1.0, (_DILUTED_FROM / len(text)) ** 0.25))
    return 1.0 - math.exp(-_STEEPNESS * (evidence.strength * loud * thin) ** _BENT)


def _intensity(present: Sequence[Feeling], sure: float, strength: float) -> float:
    """Return how strong the feelings are: as strong as the words, as far as one can be sure."""
    if not present:
        return _UNFELT * strength
    if present[0] is Feeling.NEUTRAL:
        return _PLAIN * strength
    said = strength * (_DOUBTED + (1.0 - _DOUBTED) * sure)
    return max(said, _HEADS_ALONE * max(0.0, 2.0 * sure - 1.0) ** 2)
