"""A single memory distilled: its own words without the occasion and without the wish to keep it."""

from __future__ import annotations

from typing import Final

from saegim.engines.korean_verbs import known_stems
from saegim.engines.words import Analyser
from saegim.memory.coordinate import Kind, Source
from saegim.memory.late import late
from saegim.memory.memory import Memory
from saegim.memory.tiers import Tier
from saegim.perceive.place.sentences import sentences
from saegim.sleep.distil.korean.forms import noun_form, present
from saegim.sleep.distil.occasion import without_occasion
from saegim.sleep.distil.wishes import without_wish

# One or two sentences fit in here; what is longer is cut down to its fullest ones.
LONGEST: Final = 200
# Of a chapter the beginning is enough to choose from.
_GLANCE: Final = 8000
# Kinds whose dates are only the occasion; of all others every word stays.
OCCASIONAL: Final = frozenset((Kind.EXPERIENCE, Kind.EPISODE, Kind.EMOTION))
_KOREAN_OFTEN: Final = late(
    r"(?P<who>\S{1,12}?)(?:은|는) (?P<rest>(?:\S+ ){0,6}?)자주 (?P<verb>[가-힣]+다)\.?"
)
_KOREAN_LIKES: Final = late(
    r"(?P<who>\S{1,12}?)(?:은|는) (?P<thing>(?:\S+ ){0,4}?\S+[을를]) (?P<verb>좋아|싫어)한다\.?"
)
_ENGLISH_GOES: Final = late(r"(?P<who>\w[\w'’ -]{0,23}) often goes to (?P<rest>[^.]{1,60})\.?")
_ENGLISH_OFTEN: Final = late(
    r"(?P<who>\w[\w'’ -]{0,23}) (?P<rest>(?:often \w+s|likes|dislikes) [^.]{1,80})\.?"
)
_COUNTED: Final = late(r" \((?:\S+ ?번 중 \S+ ?번|\w+ of \w+ times)\)")
_TIMES: Final = late(r"이야기가 \S+ ?번 나왔다")
_ENGLISH_TIMES: Final = late(r"came up \w+ times")


def alone(memory: Memory, *, to: Tier, language: str, analyser: Analyser) -> str:
    """Return the words of one memory that are worth carrying on, "" if none can be chosen."""
    text = without_wish(memory.text[:_GLANCE])
    if memory.kind in OCCASIONAL:
        text = without_occasion(text, language)
    if to is Tier.M365 and memory.provenance.source is Source.DISTILLATION:
        text = _noted(text)
    return text if len(text) <= LONGEST else _fullest(text, analyser)


def _noted(text: str) -> str:
    """Return a sentence that was distilled before as a note, and without counts."""
    if found := _KOREAN_OFTEN.fullmatch(text):
        stems = [stem for stem in known_stems(found["verb"]) if present(stem) == found["verb"]]
        stem = stems[0] if stems else _made(found["verb"])
        if stem:
            return f"{found['who']}: {found['rest']}자주 {noun_form(stem)}"
    if found := _KOREAN_LIKES.fullmatch(text):
        return f"{found['who']}: {found['thing']} {found['verb']}함"
    if found := _ENGLISH_GOES.fullmatch(text):
        return f"{found['who']}: often at {found['rest']}"
    if found := _ENGLISH_OFTEN.fullmatch(text):
        return f"{found['who']}: {found['rest']}"
    plain = _COUNTED.sub("", text)
    if plain != text:
        return _mostly(plain)
    text = _TIMES.sub("이야기가 여러 번 나왔다", text)
    return _ENGLISH_TIMES.sub("came up several times", text)


def _mostly(text: str) -> str:
    """Return a sentence of the majority, which stays told as that."""
    head, often, rest = text.partition(" 자주 ")
    if often:
        return f"{head} 대체로 {rest}"
    return text.replace(" often ", " mostly ", 1)


def _made(verb: str) -> str:
    return verb[:-2] + "하" if verb.endswith("한다") and len(verb) > 2 else ""


def _fullest(text: str, analyser: Analyser) -> str:
    """Return the one or two sentences that say most, in their order, "" if none is short enough."""
    told = [each for each in sentences(text) if not each.rstrip().endswith(("?", "？"))]
    short = [each for each in told if len(each) <= LONGEST]
    ranked = sorted(short, key=lambda each: -len(analyser.query(each)))
    for size in (2, 1):
        chosen = sorted(ranked[:size], key=told.index)
        if len(chosen) == size and len(joined := " ".join(chosen)) <= LONGEST:
            return joined
    return ""
