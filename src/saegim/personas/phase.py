"""The rhythm of a debate: how much feeling is in it, whether it stalls, which phase it is in.

`PhaseController` follows the amplitude of affect from answer to answer; `analyse` takes seed A's
BQI snapshot of one. Both read what `language.feelings` reads, in Korean and English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from saegim.language.word_lists import read_lists
from saegim.memory.clock import iso
from saegim.memory.memory import Emotion, Feeling, clamp

# Seed A §7.1: where nothing was measured, affect is in the middle.
START: Final = 0.5
# Each answer moves the amplitude half of the way to its own: one loud answer is not the debate.
_PULL: Final = 0.5
# Moved by less than this twice in a row, the debate stands still.
_STILL: Final = 0.07
_PATIENCE: Final = 2
# What an injection adds to the amplitude of the answer it was put before.
_KICK: Final = 0.2

INJECTIONS: Final = {
    "en": "The debate stands still. Bring up what nobody has said yet, and disagree where you "
    "honestly can.",
    "ko": "토론이 제자리에 머물러 있습니다. 아직 아무도 말하지 않은 점을 꺼내고, 생각이 다르면 "
    "솔직하게 다르다고 말하세요.",
}


@dataclass(frozen=True, slots=True)
class PhaseStep:
    """What one answer did to the amplitude of affect (seed A's `phase_meta`)."""

    affect_before: float
    affect_after: float
    injection_applied: bool


class PhaseController:
    """Follows the affect of a debate, and asks for an injection when it stalls."""

    def __init__(self, earlier: Iterable[PhaseStep] = ()) -> None:
        self.affect = START
        self._still = 0
        for step in earlier:
            self._take(step)

    @property
    def stalls(self) -> bool:
        """Say whether the next prompt needs an injection."""
        return self._still >= _PATIENCE

    def injection(self, language: str) -> str:
        """Return what the next prompt is given in addition; nothing while the debate moves."""
        return INJECTIONS["ko" if language == "ko" else "en"] if self.stalls else ""

    def integrate_response(self, felt: Emotion, *, failed: bool = False) -> PhaseStep:
        """Take an answer in, by what was read in it; a voice that failed moves nothing."""
        before, injected = self.affect, self.stalls
        heard = max(felt.intensity, abs(felt.sentiment))
        after = clamp(before + _PULL * (heard - before) + (_KICK if injected else 0.0))
        step = PhaseStep(before, before if failed else round(after, 4), injected)
        self._take(step)
        return step

    def _take(self, step: PhaseStep) -> None:
        moved = abs(step.affect_after - step.affect_before)
        self._still = 0 if step.injection_applied or moved >= _STILL else self._still + 1
        self.affect = step.affect_after


# -- rhythm ---------------------------------------------------------------------------------------

EXPLORATION, TENSION, INTEGRATION, REST = PHASES = (
    "exploration",
    "tension",
    "integration",
    "rest",
)
_TENSE: Final = frozenset((Feeling.ANGER, Feeling.FEAR, Feeling.ANXIETY, Feeling.DISGUST))
# Beyond this a text leans to one side (as for a sentiment in `memory.entities`).
_CLEAR: Final = 0.2
_GLANCE: Final = 4_000
# Where two phases are as likely, the later one of a debate is meant.
_LATEST_FIRST: Final = (INTEGRATION, TENSION, EXPLORATION)
REASON: Final = "reason"
_MOST_WORDS: Final = 8


@cache
def _cues(name: str) -> re.Pattern[str]:
    """Return one pattern of the cues of a phase, in both languages."""
    korean = "|".join(map(re.escape, read_lists("ko/rhythm").lines(name)))
    english = "|".join(map(re.escape, read_lists("en/rhythm").lines(name)))
    return re.compile(rf"(?:{korean})|\b(?:{english})\b", re.IGNORECASE)


def has_cue(name: str, text: str) -> bool:
    """Say whether a text has a cue of a phase, or gives a reason."""
    return _cues(name).search(text[:_GLANCE]) is not None


def rhythm_phase(text: str, felt: Emotion) -> str:
    """Return which phase a text is in: it looks around, it pulls apart, it joins, or it rests."""
    glance = text[:_GLANCE]
    worth = {name: len(_cues(name).findall(glance)) for name in _LATEST_FIRST}
    worth[EXPLORATION] += glance.count("?")
    worth[TENSION] += felt.sentiment <= -_CLEAR or not _TENSE.isdisjoint(felt.feelings)
    worth[INTEGRATION] += felt.sentiment >= _CLEAR or Feeling.JOY in felt.feelings
    best = max(_LATEST_FIRST, key=lambda name: worth[name])
    return best if worth[best] else REST


def analyse(
    response: str,
    *,
    asked: Emotion,
    felt: Emotion,
    at: datetime,
    space: str,
    agent: str,
    affect: float,
) -> Mapping[str, Any]:
    """Return the BQI snapshot of an answer to a question (seed A §3.3 `bqi_coordinate`).

    `asked` is what was read in the question, `felt` what was read in the answer.
    """
    words = list(dict.fromkeys((*felt.words, *asked.words)))[:_MOST_WORDS]
    return {
        "time": iso(at),
        "space": space,
        "agent": agent,
        "emotion": {"affect": affect, "keywords": words},
        "rhythm_phase": rhythm_phase(response, felt),
    }
