"""How much of each feeling there is: the words of a text and the small heads, weighed together.

A margin above nought says that a feeling is there; the more, the surer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from saegim.language.language import Language
from saegim.language.senses import PRESENT, Evidence
from saegim.memory.emotion import SENTIMENT, Feeling

# What each thing weighs for a feeling: its own head, the heads of sentiment and of neutral, the
# words that name it; then where it begins. Fitted by `training/feel.py`: logistic regression on
# KOTE validation and GoEmotions train, each text read by heads that were taught without it (four
# parts), and with half their weight (of English, half that of 5,000) on plain sentences of
# documentation, task dialogues and everyday notes, so that a plain statement feels nothing; a
# feeling begins at the peak of F1 on the labelled texts.
_FITTED: Final = """
ko joy      0.52  0.53 -0.23 1.83 -0.37
ko sadness  0.55 -0.30 -0.22 2.11  0.21
ko anger    0.54 -0.61 -0.27 1.83 -0.54
ko fear     0.55 -0.05 -0.09 3.46 -0.86
ko disgust  0.67 -0.31 -0.13 2.03 -0.46
ko anxiety  0.57 -0.07 -0.13 1.55 -0.01
ko ennui    0.44 -0.23 -0.16 1.89 -0.22
en joy      0.77  0.04  0.06 2.71 -0.72
en sadness  0.67 -0.20  0.01 2.79 -0.74
en anger    0.72 -0.12  0.07 2.03 -0.47
en fear     0.76 -0.44 -0.11 2.26 -1.02
en disgust  0.73 -0.29 -0.04 2.32 -1.10
en anxiety  0.51 -0.49 -0.13 3.03 -1.53
"""
# For neutral: its own head, the strongest other head, how far sentiment is from the middle, the
# strongest word, whether there is any word; then where it begins. Fitted with the others.
_NEUTRAL: Final[Mapping[Language, tuple[float, ...]]] = {
    "ko": (0.83, -0.38, -0.17, -0.20, -0.58, 1.00),
    "en": (0.75, -0.02, -0.11, -0.86, -0.20, 0.31),
}
# For sentiment: its head, what the words are worth, and that again the shorter the text. Fitted
# likewise, the bias dropped: comments on the news complain more than people who tell of themselves.
_SENTIMENT: Final[Mapping[Language, tuple[float, float, float]]] = {
    "ko": (0.78, 0.74, 0.52),
    "en": (0.56, 1.64, 0.78),
}
# What follows is ours, judged on our own sentences and on what it costs in F1 on the same texts
# (read by words 25 and 49, by the heads alone 53.3 and 52.0, as joined here 54.8 and 54.7).
# The heads see words and neighbours, hardly a denial: where the words deny a feeling, or give it to
# somebody else, the heads that saw the same words are wrong.
_DENIED, _ELSEWHERE = 2.0, 0.7
# A word that names the feeling outright, undenied and the speaker's own, settles it.
_OUTRIGHT, _SETTLED = 0.9, 1.0
# Beside words that name or deny a feeling, in a short text, what only the heads read is mostly an
# echo of the comments that they learned from.
_ECHO, _NAMED, _UNNAMED = 4.0, 0.6, 0.3
# The shorter a text, the more its plain words are all of it; at this length no more.
_SHORT: Final[Mapping[Language, int]] = {"ko": 60, "en": 120}
# Where no head reads a feeling, the words alone do: from nought at PRESENT to two at the utmost.
_WORDS_ALONE: Final = 4.0
# Where no word of feeling stands at all, neutral has this much in advance.
_WORDLESS, _WORDLESS_SHORT = 0.9, 1.6
_SHORT_SENTIMENT: Final = 60

_FEELINGS: Final[tuple[Feeling, ...]] = tuple(each for each in Feeling if each != "neutral")


def _table() -> Mapping[str, Mapping[Feeling, tuple[float, ...]]]:
    """Return the fitted numbers by language and feeling."""
    found: dict[str, dict[Feeling, tuple[float, ...]]] = {}
    for line in _FITTED.strip().splitlines():
        language, feeling, *numbers = line.split()
        found.setdefault(language, {})[Feeling(feeling)] = tuple(map(float, numbers))
    return found


_WEIGHTS: Final = _table()


def share(margin: float) -> float:
    """Return a margin as a share from 0 to 1, where 0.5 is the border."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, margin))))


def margins(
    evidence: Evidence, heads: Mapping[str, float] | None, language: Language, length: int
) -> dict[Feeling, float]:
    """Return how far each feeling is above the border, by the words and, if given, the heads."""
    plainest = max(evidence.felt.values(), default=0.0)
    named = plainest >= _NAMED or evidence.turned or evidence.elsewhere or evidence.homonym
    nearness = max(0.0, 1.0 - length / _SHORT[language])
    echo = _ECHO * nearness if named else 0.0
    heard = _heard(heads, language) if heads else {}
    found: dict[Feeling, float] = {}
    for each in _FEELINGS:
        said = evidence.felt.get(each, 0.0)
        found[each] = _margin(each, said, heard.get(each), evidence)
        if said < _UNNAMED:
            found[each] -= echo
    plain = _neutral(evidence, heads, language, plainest)
    if not evidence.words:
        plain += _WORDLESS + _WORDLESS_SHORT * nearness
    found[Feeling.NEUTRAL] = min(plain, -_SETTLED) if plainest >= _OUTRIGHT else plain
    return found


def _heard(heads: Mapping[str, float], language: Language) -> dict[Feeling, tuple[float, float]]:
    """Return, for each feeling with a head, what the heads say and what its words weigh."""
    good, plain = heads[SENTIMENT], heads["neutral"]
    return {
        feeling: (own * heads[feeling] + sentiment * good + neutral * plain + begins, word)
        for feeling, (own, sentiment, neutral, word, begins) in _WEIGHTS[language].items()
    }


def _margin(
    feeling: Feeling, said: float, heard: tuple[float, float] | None, evidence: Evidence
) -> float:
    """Return how far one feeling is above the border."""
    margin = heard[0] + heard[1] * said if heard else _WORDS_ALONE * (said - PRESENT)
    if feeling in evidence.denied:
        margin -= _DENIED
    if feeling in evidence.elsewhere:
        margin -= _ELSEWHERE
    return max(margin, _SETTLED) if said >= _OUTRIGHT else margin


def _neutral(
    evidence: Evidence, heads: Mapping[str, float] | None, language: Language, plainest: float
) -> float:
    """Return how far the text is above the border of saying nothing felt."""
    if heads is None:
        return -_SETTLED if evidence.words else _SETTLED
    own, other, aside, word, words, begins = _NEUTRAL[language]
    strongest = max(heads[each] for each in _WEIGHTS[language])
    margin = own * heads["neutral"] + other * strongest + aside * abs(heads[SENTIMENT])
    margin += word * plainest + words * bool(evidence.words) + begins
    return margin


def sentiment(
    evidence: Evidence, heads: Mapping[str, float] | None, language: Language, length: int
) -> float:
    """Return how good or bad a text sounds, from -1 to 1."""
    worth = math.tanh(evidence.worth)
    if heads is None:
        return worth
    own, words, short = _SENTIMENT[language]
    nearness = max(0.0, 1.0 - length / _SHORT_SENTIMENT)
    heard = heads[SENTIMENT]
    plainest = max(evidence.felt.values(), default=0.0)
    # In a short text plain words are right where the heads say the contrary.
    if heard * worth < 0.0 and (evidence.turned or plainest >= _OUTRIGHT):
        own *= 1.0 - nearness
    return 2.0 * share(own * heard + (words + short * nearness) * worth) - 1.0
