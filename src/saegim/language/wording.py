"""How a statement is said in Korean and in English: never a count, and every day written out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from saegim.korean_particles import with_particle
from saegim.language.en.lexicon import ADVERBS, COMMON, VERBS
from saegim.language.meanings import TIMES, key_of
from saegim.language.word_lists import read_lists
from saegim.memory.text import normalise


def listed(words: Sequence[str], language: str) -> str:
    """Return words as a list one reads: 등산과 커피, hiking and coffee."""
    if len(words) < 2:
        return "".join(words)
    if language != "ko":
        return f"{', '.join(words[:-1])} and {words[-1]}"
    return f"{', '.join((*words[:-2], with_particle(words[-2], '과/와')))} {words[-1]}"


# -- How a statement is said in Korean and in English: never a count

_LISTS: Final = read_lists("both/wording")

# Whose memories it was seen in, where it is not the person's own words.
_FROM: Final = {
    "agent_inferred": ("에이전트가 남긴 기억에서 ", " in what the agent left"),
    "import": ("가져온 자료에서 ", " in what was imported"),
    "tool_output": ("도구가 낸 자료에서 ", " in what tools gave"),
    "peer": ("다른 이가 보낸 자료에서 ", " in what others sent"),
    "web": ("웹에서 온 자료에서 ", " in pages from the web"),
}
_SENTENCES: Final = {
    "interest": ("{me} {name}에 관심이 많다.", "{Me} is interested in {name}."),
    "together": (
        "{ko}{name} 이야기는 주로 {other} 이야기와 함께 나온다.",
        "{Name} comes up mostly together with {other}{en}.",
    ),
    "more": (
        "{ko}{name} 이야기가 {day}부터 늘었다.",
        "Since {day} {name} has come up more than before{en}.",
    ),
    "less": (
        "{ko}{name} 이야기가 {day}부터 줄었다.",
        "Since {day} {name} has come up less than before{en}.",
    ),
    "brighter": (
        "{ko}{name} 이야기의 분위기가 {day}부터 밝아졌다.",
        "Since {day} the tone around {name} has become brighter{en}.",
    ),
    "darker": (
        "{ko}{name} 이야기의 분위기가 {day}부터 어두워졌다.",
        "Since {day} the tone around {name} has become darker{en}.",
    ),
    "weekday": (
        "{ko}{name} 이야기는 주로 {weekday}의 일이다.",
        "What is told of {name} mostly happens on a {weekday}{en}.",
    ),
    "hours": (
        "{ko}{name} 이야기는 주로 {part}에 나온다({start}~{end}시).",
        "{Name} is mostly spoken of {part} ({start}:00 to {end}:00){en}.",
    ),
}
WEEKDAYS: Final = {
    "ko": tuple(f"{day}요일" for day in "월화수목금토일"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
# From which hour until before which: in Korean and in English.
PARTS: Final = (
    (0, 6, "새벽", "before dawn"),
    (6, 11, "아침", "in the morning"),
    (11, 17, "낮", "around midday"),
    (17, 21, "저녁", "in the evening"),
    (21, 24, "밤", "at night"),
)


def said(kind: str, *, language: str, voice: str, name: str, **values: object) -> str:
    """Return one statement in Korean or, for every other language, in English."""
    korean, english = _FROM.get(voice, ("", ""))
    sentence = _SENTENCES[kind][0 if language == "ko" else 1]
    return sentence.format(
        name=name,
        Name=name[:1].upper() + name[1:],
        me="사용자는",
        Me="The user",
        ko=korean,
        en=english,
        **values,
    )


def day_of(at: datetime, language: str) -> str:
    """Return a day as one writes it out."""
    if language == "ko":
        return f"{at.year}년 {at.month}월 {at.day}일"
    return f"{at.day} {at:%B} {at.year}"


# ---- Which words can be a theme: not time, not feelings, not verbs, not what every day is made of.

_PALE: Final = _LISTS.words("pale")
_WEEKDAYS: Final = re.compile(r"[월화수목금토일](?:욜|요일)")
_FAINT: Final = _LISTS.words("faint")
_VERBAL: Final = ("거리", "하기", "하는", "했던", "되는", "습니다", "어요", "아요", "네요", "한다")
_SHORTEST: Final = {True: 3, False: 2}


def is_theme(word: str, feelings: Iterable[str] = ()) -> bool:
    """Say whether a keyword names something that memories can be about."""
    plain = normalise(word)
    if len(plain) < _SHORTEST[plain.isascii()] or plain[0].isdigit() or not plain[0].isalnum():
        return False
    if plain in _PALE or key_of(plain) in TIMES or plain in COMMON or plain in ADVERBS:
        return False
    if _WEEKDAYS.fullmatch(plain) or any(plain in normalise(each) for each in feelings):
        return False
    return not (_is_verb(plain) if plain.isascii() else plain.endswith(_VERBAL))


def _is_verb(word: str) -> bool:
    """Say whether an English word is surely a verb, or a faint one: bought, makes, coming, put."""
    form = VERBS.get(word)
    stem = word.removesuffix("ing")
    faint = {word, stem, f"{stem}e", stem[:-1]} & _FAINT if word != stem else {word} & _FAINT
    return bool(faint) or word.endswith("ed") or (form is not None and form.kind in ("past", "s"))
