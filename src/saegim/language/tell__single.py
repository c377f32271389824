"""A single memory distilled: its own words, whole, with their days written out.

The wish to keep it is taken off. What cannot be told whole and true so is not distilled: the
memory itself rises.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from saegim.language.ko.verbs import known_stems
from saegim.language.ko.verbs__forms import noun_form, present
from saegim.language.occasions import Told, dated
from saegim.language.occasions__wishes import without_wish
from saegim.memory.coordinate import Kind, Source
from saegim.memory.late import late
from saegim.memory.memory import Memory
from saegim.memory.tiers import Tier

Here = Callable[[datetime], datetime]

# One or two sentences fit in here; what is longer is not cut, it rises itself.
LONGEST: Final = 200
# Kinds that tell of an occasion.
OCCASIONAL: Final = frozenset((Kind.EXPERIENCE, Kind.EPISODE, Kind.EMOTION))
# Kinds in which a day of the week means every one.
_RECURRING: Final = frozenset((Kind.PREFERENCE, Kind.PRINCIPLE))
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
_MOSTLY: Final = late(r"(?:은|는) 대체로 |\bmostly\b")
# What earlier versions of this house made of memories that only had a word in common.
_COUNT: Final = late(
    r".{1,80} 이야기가 (?:\S+|여러) ?번 나왔다\.?"
    r"|.{1,80}최근 기억 \d+개 중 \d+개(?:에|가|는) .{1,60}"
    r"|.{1,80}(?:늘었다|줄었다|밝아졌다|어두워졌다): .{1,40}\d+개.{1,60}"
    r"|.{1,80}: in \d+ of the first \d+ and .{1,80}|\d+ of the \d+ recent memories.{1,120}"
    r"|The tone around .{1,80}: [-+]\d.{1,80}"
    r"|.{1,80} came up (?:\w+|several) times\.?|.{1,80} came up in \d+ (?:of|recent) .{1,80}"
)


def is_count(memory: Memory) -> bool:
    """Say whether a night once wrote down how often something came up, and nothing else."""
    made = memory.provenance.source in (Source.DISTILLATION, Source.REFLECTION)
    return made and _COUNT.fullmatch(memory.text) is not None


def alone(memory: Memory, *, to: Tier, here: Here) -> str:
    """Return one memory told whole and true on any day, "" where that cannot be done."""
    text = whole(memory, here=here)
    if to is Tier.M365 and memory.provenance.source is Source.DISTILLATION:
        text = _noted(text)
    return text if len(text) <= LONGEST else ""


def whole(memory: Memory, *, here: Here) -> str:
    """Return all words of a memory with their days written out, "" where one cannot be told."""
    if is_count(memory):
        return ""
    at = here(memory.time.said_at or memory.time.happened_at)
    text = dated(without_wish(memory.text), Told(at, recurs=memory.kind in _RECURRING)) or ""
    # Nothing to write out: its own lines and spaces, too.
    return memory.text if text.split() == memory.text.split() else text


def _noted(text: str) -> str:
    """Return a sentence that was distilled before as a note, where that cannot be misread."""
    if _MOSTLY.search(text):
        return text
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
    return _mostly(plain) if plain != text else text


def _mostly(text: str) -> str:
    """Return a sentence of the majority, which stays told as that."""
    head, often, rest = text.partition(" 자주 ")
    if often:
        return f"{head} 대체로 {rest}"
    return text.replace(" often ", " mostly ", 1)


def _made(verb: str) -> str:
    return verb[:-2] + "하" if verb.endswith("한다") and len(verb) > 2 else ""
