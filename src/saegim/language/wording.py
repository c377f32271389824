"""How a statement is said in Korean and in English: never a count, and every day written out."""

from __future__ import annotations

from datetime import datetime
from typing import Final

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
