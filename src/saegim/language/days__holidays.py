"""Holidays by name: on which day each of them falls in a year.

Days that move with the moon are known for the years 1990 to 2060; outside them nothing is said.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

FIRST_LUNAR_YEAR: Final = 1990

# Month and day per year from 1990 on, counted in Korean time. Generated from the Dangi calendar of
# ICU 72; equal to `korean_lunar_calendar` 0.4.0 (tables of the Korea Astronomy and Space Science
# Institute) for every year it knows (to 2050) and to `holidays` 0.108 for all 71 years.
_LUNAR: Final = {
    "seollal": """0127 0215 0204 0123 0210 0131 0219 0208 0128 0216 0205 0124 0212 0201 0122 0209
        0129 0218 0207 0126 0214 0203 0123 0210 0131 0219 0208 0128 0216 0205 0125 0212 0201 0122
        0210 0129 0217 0207 0127 0213 0203 0123 0211 0131 0219 0208 0128 0215 0204 0124 0212 0201
        0122 0210 0130 0217 0206 0126 0214 0202 0123 0211 0201 0219 0208 0128 0215 0204 0124 0212
        0202""".split(),
    "chuseok": """1003 0922 0911 0930 0920 0909 0927 0916 1005 0924 0912 1001 0921 0911 0928 0918
        1006 0925 0914 1003 0922 0912 0930 0919 0908 0927 0915 1004 0924 0913 1001 0921 0910 0929
        0917 1006 0925 0915 1003 0922 0912 1001 0919 0908 0927 0916 1004 0924 0913 1002 0921 0910
        0928 0917 1005 0925 0915 1004 0922 0911 0930 0919 0907 0926 0916 1005 0924 0913 1002 0921
        0909""".split(),
    "buddha": """0502 0521 0510 0528 0518 0507 0524 0514 0503 0522 0511 0501 0519 0508 0526 0515
        0505 0524 0512 0502 0521 0510 0528 0517 0506 0525 0514 0503 0522 0512 0430 0519 0508 0527
        0515 0505 0524 0513 0502 0520 0509 0528 0516 0506 0525 0515 0503 0522 0511 0430 0518 0507
        0526 0516 0505 0524 0513 0502 0520 0509 0528 0517 0506 0525 0515 0504 0522 0511 0430 0519
        0507""".split(),
}
# Days that never move, as month and day.
_FIXED: Final = {
    "new_year": "0101",
    "valentine": "0214",
    "independence_movement": "0301",
    "white_day": "0314",
    "st_patrick": "0317",
    "april_fools": "0401",
    "arbor": "0405",
    "labour_kr": "0501",
    "children": "0505",
    "parents": "0508",
    "teachers": "0515",
    "memorial_kr": "0606",
    "july_fourth": "0704",
    "constitution": "0717",
    "liberation": "0815",
    "foundation": "1003",
    "hangul": "1009",
    "halloween": "1031",
    "pepero": "1111",
    "christmas_eve": "1224",
    "christmas": "1225",
    "boxing": "1226",
    "new_year_eve": "1231",
}
# Month, weekday (Monday is 0) and which one of the month; the United States' reckoning.
_WEEKDAYS: Final = {
    "mothers": (5, 6, 2),
    "memorial_us": (5, 0, -1),
    "fathers": (6, 6, 3),
    "labor_us": (9, 0, 1),
    "thanksgiving": (11, 3, 4),
}

# As they are written in a text; a longer name stands before a shorter one that it begins with.
KOREAN: Final = {
    "음력설": "seollal",
    "설날": "seollal",
    "구정": "seollal",
    "추석": "chuseok",
    "한가위": "chuseok",
    "부처님오신날": "buddha",
    "부처님 오신 날": "buddha",
    "석가탄신일": "buddha",
    "크리스마스이브": "christmas_eve",
    "크리스마스 이브": "christmas_eve",
    "성탄 전야": "christmas_eve",
    "크리스마스": "christmas",
    "성탄절": "christmas",
    "새해 첫날": "new_year",
    "새해": "new_year",
    "신정": "new_year",
    "삼일절": "independence_movement",
    "3.1절": "independence_movement",
    "3·1절": "independence_movement",
    "식목일": "arbor",
    "만우절": "april_fools",
    "근로자의 날": "labour_kr",
    "노동절": "labour_kr",
    "어린이날": "children",
    "어버이날": "parents",
    "스승의 날": "teachers",
    "스승의날": "teachers",
    "현충일": "memorial_kr",
    "제헌절": "constitution",
    "광복절": "liberation",
    "개천절": "foundation",
    "한글날": "hangul",
    "밸런타인데이": "valentine",
    "발렌타인데이": "valentine",
    "화이트데이": "white_day",
    "빼빼로데이": "pepero",
    "핼러윈": "halloween",
    "할로윈": "halloween",
    "추수감사절": "thanksgiving",
}
ENGLISH: Final = {
    "christmas eve": "christmas_eve",
    "xmas eve": "christmas_eve",
    "christmas day": "christmas",
    "christmas": "christmas",
    "xmas": "christmas",
    "boxing day": "boxing",
    "new year's eve": "new_year_eve",
    "new years eve": "new_year_eve",
    "new year's day": "new_year",
    "new years day": "new_year",
    "new year's": "new_year",
    "halloween": "halloween",
    "valentine's day": "valentine",
    "valentines day": "valentine",
    "valentine's": "valentine",
    "thanksgiving day": "thanksgiving",
    "thanksgiving": "thanksgiving",
    "black friday": "black_friday",
    "easter sunday": "easter",
    "easter": "easter",
    "good friday": "good_friday",
    "independence day": "july_fourth",
    "the fourth of july": "july_fourth",
    "mother's day": "mothers",
    "father's day": "fathers",
    "memorial day": "memorial_us",
    "labor day": "labor_us",
    "st. patrick's day": "st_patrick",
    "st patrick's day": "st_patrick",
    "april fools' day": "april_fools",
    "april fools day": "april_fools",
    "seollal": "seollal",
    "chuseok": "chuseok",
}


def holiday_on(name: str, year: int) -> date | None:
    """Return the day on which a holiday falls in a year, or None where it is not known."""
    if fixed := _FIXED.get(name):
        return date(year, int(fixed[:2]), int(fixed[2:]))
    if table := _LUNAR.get(name):
        at = year - FIRST_LUNAR_YEAR
        if not 0 <= at < len(table):
            return None
        return date(year, int(table[at][:2]), int(table[at][2:]))
    if rule := _WEEKDAYS.get(name):
        return nth_weekday(year, *rule)
    if name == "black_friday":
        return nth_weekday(year, *_WEEKDAYS["thanksgiving"]) + timedelta(days=1)
    if name == "easter":
        return _easter(year)
    if name == "good_friday":
        return _easter(year) - timedelta(days=2)
    return None


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """Return the first, second … (or, with -1, last) such weekday of a month."""
    if nth < 0:
        following = date(year + month // 12, month % 12 + 1, 1)
        back = (following.weekday() - weekday - 1) % 7 + 1
        return following - timedelta(days=back)
    first = date(year, month, 1)
    day = 1 + (weekday - first.weekday()) % 7 + 7 * (nth - 1)
    return date(year, month, day)


def _easter(year: int) -> date:
    """Western Easter by the Gregorian computus (golden number, epact, Sunday)."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leaps, odd = divmod(century, 4)
    lunar = (8 * century + 13) // 25
    epact = (19 * golden + century - leaps - lunar + 15) % 30
    quads, left = divmod(rest, 4)
    sunday = (32 + 2 * odd + 2 * quads - epact - left) % 7
    late = (golden + 11 * epact + 22 * sunday) // 451
    month, day = divmod(epact + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
