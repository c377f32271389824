"""The parts of a time as people say it: weekday, day, month, hour, rhythm; no calendar needed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from saegim.memory.keys import normalise
from saegim.memory.late import late

_KO_DAYS: Final = dict(zip("월화수목금토일", str.split("mon tue wed thu fri sat sun"), strict=True))
_DAY: Final = late(
    r"([월화수목금토일])요일|\b(mon|tue|wed|thu|fri|sat|sun)(?:s|day|sday|nesday|rsday|urday)?s?\b"
    r"|(?<![가-힣])([월화수목금토일]{2,3})(?=에|마다|로|\s|$)"
)
_MONTHS: Final = str.split("jan feb mar apr may jun jul aug sep oct nov dec")
_MONTH_NAME: Final = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_NAMED_MONTH: Final = late(rf"\b{_MONTH_NAME}")
_MONTH: Final = late(r"([0-9]{1,2})\s?월(?!요일)|\b(?:[0-9]{4}-)([0-9]{1,2})-[0-9]{1,2}\b")
_SLASHED: Final = late(r"\b([0-9]{1,2})/([0-9]{1,2})\b")
_DATE: Final = late(
    r"(?<![0-9])([0-9]{1,2})\s?일(?!\s?(?:동안|만에|간|째|전|후|뒤|에 한))"
    r"|\b([0-9]{1,2})(?:st|nd|rd|th)\b"
    r"|\b[0-9]{4}-[0-9]{1,2}-([0-9]{1,2})\b"
    rf"|\b(?:{_MONTH_NAME[1:-3]})\b\.? ([0-9]{{1,2}})\b(?!:)"
    rf"|\b([0-9]{{1,2}}) (?:of )?(?:{_MONTH_NAME[1:-3]})\b"
)
_ORDINALS: Final = dict(
    zip(
        str.split("""first second third fourth fifth sixth seventh eighth ninth tenth fifteenth
            twentieth"""),
        (*range(1, 11), 15, 20),
        strict=True,
    )
)
_ORDINAL: Final = late(rf"\bthe ({'|'.join(_ORDINALS)})\b(?! \w*day)")
_YEAR: Final = late(r"\b((?:19|20)[0-9]{2})(?=년|\b)")
_HOURS: Final = str.split("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두")
_EN_HOURS: Final = str.split("one two three four five six seven eight nine ten eleven twelve")
_TIME: Final = late(
    r"(?<![0-9])([0-9]{1,2})\s?시(?!간)\s?(?:([0-9]{1,2})\s?분|(반))?"
    r"|(?<![0-9])([0-9]{1,2}):([0-9]{2})(?![0-9])|\b([0-9]{1,2})\s?[ap]\.?m\b"
    r"|(?<![가-힣])(열두|열한|열|한|두|세|네|다섯|여섯|일곱|여덟|아홉)\s?시(?!간)\s?(반)?"
    rf"|\b(?:at |to |(?=[a-z]+ o'clock))({'|'.join(_EN_HOURS)})(?:[- ](thirty))?\b"
    r"|\bat ([0-9]{1,2})\b(?![/:.])"
    r"|(정오|\bnoon\b)|(자정|\bmidnight\b)"
)
_HALF: Final = late(
    r"오전|아침|새벽|오후|저녁|밤|[0-9]\s?a\.?m|[0-9]\s?p\.?m|morning|afternoon|evening"
)
_EARLY: Final = ("오전", "아침", "새벽", "morning")
_WEEK: Final = late(
    r"(이번|다음|다다음|지난|담)\s?(주|달)|\b(this|next|last) (week|month)\b"
    r"|(말일|월말|월초|연말|연초|주말|평일)"
    r"|\b(weekends?|weekdays?|end of the month)\b"
)
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_RHYTHM: Final = (
    (
        "biweekly",
        re.compile(
            r"격주|2주(?:에 한 번|마다)|이주에 한 번|bi-?weekly"
            rf"|every (?:other|two|second) (?:weeks?|{_WEEKDAY})"
        ),
    ),
    ("weekly", re.compile(rf"매주|주 ?1회|일주일에 한 번|\bweekly|every (?:week|{_WEEKDAY})")),
    ("monthly", re.compile(r"매달|매월|한 달에 한 번|\bmonthly|every month")),
    ("daily", re.compile(r"매일|날마다|\bdaily|every ?day|every (?:morning|evening|night)")),
)

Facets = tuple[tuple[str, str], ...]


@lru_cache(maxsize=2048)
def facets(text: str) -> Facets:
    """Return (part, value) for each part of a time that the text names, times of day modulo 12."""
    plain = normalise(text)
    found: dict[str, str] = {}
    plain = _ORDINAL.sub(lambda found: f"the {_ORDINALS[found[1]]}th", plain)
    if days := _days(plain):
        found["day"] = ",".join(days)
    found |= _calendar(plain)
    if hour := _hour(plain):
        found["time"] = hour
    if half := _HALF.search(plain):
        early = half[0] in _EARLY or half[0].replace(".", "").endswith("am")
        found["half"] = "am" if early else "pm"
    if week := _WEEK.search(plain):
        found["week"] = re.sub(r"\s", "", week[0])
    for name, rhythm in _RHYTHM:
        if rhythm.search(plain):
            found["rhythm"] = name
            break
    return tuple(found.items())


def _days(plain: str) -> list[str]:
    days: dict[str, None] = {}
    for korean, english, several in _DAY.findall(plain):
        for day in several or korean:
            days[_KO_DAYS[day]] = None
        if english:
            days[english] = None
    return sorted(days, key=list(_KO_DAYS.values()).index)


def _calendar(plain: str) -> dict[str, str]:
    """Return year, month and day of the month."""
    found: dict[str, str] = {}
    if year := _YEAR.search(plain):
        found["year"] = year[1]
    if month := _MONTH.search(plain):
        found["month"] = str(int(month[1] or month[2]))
    elif named := _NAMED_MONTH.search(plain):
        found["month"] = str(_MONTHS.index(named[1][:3]) + 1)
    if date := _DATE.search(plain):
        found["date"] = str(int(next(filter(None, date.groups()))))
    if not found and (slashed := _SLASHED.search(plain)):
        found |= {"month": str(int(slashed[1])), "date": str(int(slashed[2]))}
    return found


def _hour(plain: str) -> str:
    match = _TIME.search(plain)
    if not match:
        return ""
    ko, ko_minute, ko_half, clock, minute, twelve, word, word_half, en, en_half, at, noon, night = (
        match.groups()
    )
    if noon or night:
        return "0:00"
    if word:
        hour = _HOURS.index(word) + 1
    elif en:
        hour = _EN_HOURS.index(en) + 1
    else:
        hour = int(ko or clock or twelve or at)
    minutes = 30 if ko_half or word_half or en_half else int(ko_minute or minute or 0)
    return f"{hour % 12}:{minutes:02}"
