"""Themes of what may be imagined, feelings by any word, and scenes told without a model.

A scene by rule quotes its memories and asks: it states nothing that they do not say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import xxhash

from saegim.language.language import feelings
from saegim.memory.memory import Feeling, Kind, Memory
from saegim.messages import said
from saegim.perceive.build import last_day_ahead
from saegim.recall.compose.card import shortened

# The kinds of memories from which scenes differ; a memory has the first that fits.
THEMES: Final = ("comfort", "plan", "work", "look_back", "liking", "joy", "open")
_HEAVY: Final = frozenset(
    (Feeling.SADNESS, Feeling.ANGER, Feeling.FEAR, Feeling.DISGUST, Feeling.ANXIETY)
) | {Feeling.ENVY, Feeling.ENNUI}
# Fainter than this a feeling colours nothing.
_FELT: Final = 0.3
_LONG_AGO: Final = timedelta(days=14)
# A quotation longer than this is a document; the scene would be one too.
_LONGEST_QUOTE: Final = 80
_END: Final = re.compile(r"[\s.。!~…]+$")
_MARKS: Final = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\n": " "})
# Words for feelings that the reader of sentences does not know.
_BY_WORD: Final = {
    **{each.value: each for each in Feeling},
    **dict.fromkeys("caring care concern concerned".split(), Feeling.ANXIETY),
    **dict.fromkeys("hope excitement curiosity anticipation 희망 기대 호기심".split(), Feeling.JOY),
    **dict.fromkeys("aversion 거부감".split(), Feeling.DISGUST),
}
_WORD: Final = re.compile(r"[A-Za-z가-힣]+")
# What is refused, avoided or not borne is nothing to propose.
_DISLIKES: Final = re.compile(
    r"(?i)싫|못\s?[가-힣]|안\s?(?:먹|마|좋|해)|[가-힣]지\s?(?:않|못|마)|질색|꺼려|피하|알레르기|끊"
    r"|\b(?:hates?|dislikes?|avoids?|never|no longer|allerg\w+|quit|stopped|gave up|can(?:no|')t"
    r"|(?:do|does|is|was|did)(?: not|n['’]t))\b"
)


@dataclass(frozen=True, slots=True)
class Scene:
    """What was imagined: a scenario, perhaps an action, a feeling, and the word it was given."""

    scenario: str
    action: str | None
    feeling: Feeling
    felt: str
    sources: tuple[Memory, ...]


def feeling_of(word: str) -> Feeling:
    """Return the one of the ten feelings that a word means, or the nearest to it."""
    spoken = [each.lower() for each in _WORD.findall(word)]
    if known := [each for each in spoken if each in _BY_WORD]:
        return _BY_WORD[known[0]]
    read = feelings(word, None).feelings if spoken else ()
    return read[0] if read else Feeling.NEUTRAL


def theme_of(memory: Memory, now: datetime) -> str:
    """Return what a memory lends itself to."""
    emotion = memory.emotion
    # Plain words of praise or trouble ("너무 좋았다") are clear before they are loud.
    clear = max(emotion.intensity, abs(emotion.sentiment)) >= _FELT
    felt = set(emotion.feelings) if clear else set()
    old = now - memory.time.happened_at > _LONG_AGO
    fits = {
        # Who hates cilantro needs no comfort, and no cilantro either.
        "comfort": bool(felt & _HEAVY)
        and emotion.blend is not Feeling.NOSTALGIA
        and memory.kind is not Kind.PREFERENCE,
        "plan": last_day_ahead(memory, now) is not None,
        "work": memory.kind is Kind.TECHNICAL,
        # What is liked is liked still.
        "look_back": bool(felt)
        and (emotion.blend is Feeling.NOSTALGIA or old)
        and memory.kind is not Kind.PREFERENCE,
        "liking": memory.kind is Kind.PREFERENCE and not _DISLIKES.search(memory.text),
        "joy": Feeling.JOY in felt,
        "open": True,
    }
    return next(each for each in THEMES if fits[each])


def scene_by_rule(
    theme: str, sources: Sequence[Memory], *, trigger: str, context: str, at: str, language: str
) -> Scene:
    """Tell a scene from a template, the same for the same memories at the same instant."""
    first, second = sources[0], sources[1]
    drawn = xxhash.xxh3_64_intdigest(f"{at}|{trigger}|{first.text}|{second.text}".encode())
    given = {"context": quotation(context)}
    words = {
        "opening": said(f"scene.open_{trigger}", given, language),
        "first": quotation(first.text),
        "second": quotation(second.text),
    }
    felt = said(f"scene.{theme}_felt", {}, language)
    return Scene(
        scenario=said(f"scene.{theme}_{1 + drawn % 2}", words, language),
        action=said(f"scene.{theme}_act_{1 + drawn // 2 % 2}", words, language),
        feeling=feeling_of(felt),
        felt=felt,
        sources=(first, second),
    )


def quotation(text: str) -> str:
    """Return words as they are quoted in a scene: on one line, not too long, without their stop."""
    plain = " ".join(text.translate(_MARKS).split())
    return _END.sub("", shortened(plain, _LONGEST_QUOTE)) or plain
