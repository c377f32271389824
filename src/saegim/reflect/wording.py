"""How a counted statement is said in Korean and in English; it counts nothing itself."""

from __future__ import annotations

from typing import Final

# Whose memories were counted, where it is not the person's own words.
_FROM: Final = {
    "agent_inferred": ("에이전트가 남긴 ", " left by the agent"),
    "import": ("가져온 자료의 ", " that were imported"),
    "tool_output": ("도구가 낸 ", " from tools"),
    "peer": ("다른 이가 보낸 ", " from others"),
    "web": ("웹에서 온 ", " from the web"),
}
_SENTENCES: Final = {
    "often": (
        "{name} 이야기가 {ko}최근 기억 {total}개 중 {count}개에 나왔다.",
        "{Name} came up in {count} of the last {total} memories{en}.",
    ),
    "together": (
        "{name} 이야기가 나온 {ko}최근 기억 {total}개 중 {count}개에 {other} 이야기가 함께 나왔다.",
        "{Name} came up in {total} recent memories{en}, {count} of them together with {other}.",
    ),
    "more": (
        "{name} 이야기가 늘었다: {ko}최근 기억의 앞쪽 {half}개 중 {before}개, "
        "뒤쪽 {half}개 중 {after}개에 나왔다.",
        "{Name} comes up more than before: in {before} of the first {half} and {after} of the "
        "last {half} recent memories{en}.",
    ),
    "less": (
        "{name} 이야기가 줄었다: {ko}최근 기억의 앞쪽 {half}개 중 {before}개, "
        "뒤쪽 {half}개 중 {after}개에 나왔다.",
        "{Name} comes up less than before: in {before} of the first {half} and {after} of the "
        "last {half} recent memories{en}.",
    ),
    "brighter": (
        "{name} 이야기의 분위기가 밝아졌다: {ko}기억 중 앞선 {first}개의 평균 감정은 "
        "{before:+.2f}, 나중 {last}개는 {after:+.2f}이다.",
        "The tone around {name} became brighter: {before:+.2f} on average in the earlier {first} "
        "and {after:+.2f} in the later {last} memories{en}.",
    ),
    "darker": (
        "{name} 이야기의 분위기가 어두워졌다: {ko}기억 중 앞선 {first}개의 평균 감정은 "
        "{before:+.2f}, 나중 {last}개는 {after:+.2f}이다.",
        "The tone around {name} became darker: {before:+.2f} on average in the earlier {first} "
        "and {after:+.2f} in the later {last} memories{en}.",
    ),
    "weekday": (
        "{name} 이야기가 나온 {ko}최근 기억 {total}개 중 {count}개가 {day}의 일이다.",
        "{count} of the {total} recent memories{en} that mention {name} happened on a {day}.",
    ),
    "hours": (
        "{name} 이야기가 나온 {ko}최근 기억 {total}개 중 {count}개는 "
        "{part}({start}~{end}시)의 말이다.",
        "{count} of the {total} recent memories{en} that mention {name} were told {part} "
        "({start}:00 to {end}:00).",
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
    made = sentence.format(
        name=name, Name=name[:1].upper() + name[1:], ko=korean, en=english, **values
    )
    return made.replace("-0.00", "+0.00")
