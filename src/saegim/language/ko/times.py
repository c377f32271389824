"""Korean time words: where they stand in a text, and what each fixes."""

from __future__ import annotations

from typing import Final

from saegim.language.days import KOREAN as HOLIDAYS
from saegim.language.days import LOST, Fixed, Reader, TimeRule, Words, either, only, starts
from saegim.language.word_lists import read_lists
from saegim.memory.text import lazy_pattern

_LISTS: Final = read_lists("ko/times")

_WEEKDAYS: Final = "월화수목금토일"
_DAYS: Final = _LISTS.numbers("days")
_FAR_DAYS: Final = lazy_pattern(
    rf"(?<![가-힣])(?:{'|'.join(word for word, days in _DAYS.items() if days > 2)})"
)
_YEARS: Final = _LISTS.numbers("years")
_TURNS: Final = _LISTS.numbers("turns")
_SINGLE: Final = {"금주": 0, "차주": 1, "내주": 1, "이달": 0, "내달": 1}
_COUNTED_DAYS: Final = _LISTS.numbers("counted_days")
_ONES: Final = _LISTS.numbers("ones")
_TENS: Final = {"열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50}
_DIGITS: Final = {digit: at for at, digit in enumerate("일이삼사오육칠팔구", 1)}
_PARTS: Final = _LISTS.pairs("parts")
_THIRDS: Final = _LISTS.numbers("thirds")
_SECONDS: Final = {"초": 1, "분": 60, "시간": 3600}
_ORDINALS: Final = {"첫": 1, "첫째": 1, "두": 2, "둘째": 2, "셋째": 3, "넷째": 4, "마지막": -1}

# In the patterns below `~` stands for a space that people write or leave out.
_NATIVE: Final = f"(?:(?:{either(_TENS)})?(?:{either(_ONES)})|{either(_TENS)})"
_SINO: Final = "(?:[일이삼사오육칠팔구]?십[일이삼사오육칠팔구]?|[일이삼사오육칠팔구]|백)"
_COUNT: Final = rf"(?<![\d.,:/가-힣\x7e∼〜-])(?<!\d, )(?<!\d \x7e )(?:\d{{1,4}}|{_NATIVE}|{_SINO})"
_TURN: Final = f"(?:{either(_TURNS)})"
_WEEKDAY: Final = f"[{_WEEKDAYS}](?:요일|욜)"
# A noun ends here: a particle or the copula follows, or no Korean letter at all.
_END: Final = (
    "(?:(?![가-힣])|(?=에|엔|의|은|는|이|가|을|를|도|만|로|와|과|랑|부터|까지|쯤|경|께|처럼|보다"
    "|마다|중|내|안|초|말|였|인|일|입|라|야|지|죠|고|면|요))"
)
_WEEK_END: Final = (
    "(?:(?![가-힣])|(?=에|엔|의|은|는|가|도|만|로|부터|까지|쯤|처럼|보다|마다|초|말|중|내내|였|입니|인데"
    f"|이[야에예었라고지면]|{_WEEKDAY}))"
)
_UNITS: Final = "시간|주일|주간|개월|초|분|일|주|달|년|해"
_AGO: Final = (
    "(?P<way>전(?!까지)|후|뒤|남(?=[았음은])|있다가?|있으면|이따가?)(?:(?![가-힣])|(?=에|엔|의|은|도|만|이|인|일|부터|까지|쯤|경|께|보다|과|로"
    "|으로|면|가)|(?<=남)[았음은])(?P<about>~(?:쯤|정도|즈음|경))?"
)
_HOUR_END: Final = _LISTS.pattern("hour_end")
_THINGS: Final = either(_LISTS.row("things"))


def _count(words: str) -> int:
    """Read a count in digits (3), native numerals (세, 열두) or Sino-Korean ones (십오)."""
    if words.isdigit():
        return int(words)
    if words in _TENS or words in _ONES:
        return _TENS.get(words) or _ONES[words]
    for ten in _TENS:
        if words.startswith(ten):
            return _TENS[ten] + _ONES[words[len(ten) :]]
    if words == "백":
        return 100
    tens, mark, ones = words.rpartition("십")
    return (_DIGITS.get(tens, 1) * 10 if mark else 0) + _DIGITS.get(ones, 0)


def _date(m: Words) -> Fixed:
    fixed = _written_year(m["year"]) if m["year"] else Fixed()
    fixed["month"] = int(m["month"])
    if m["day"]:
        fixed["day"] = int(m["day"])
    if m["last"]:
        fixed["last_day"] = int(m["last"])
    if not m["day"] and m.string.startswith(("까지", "까진"), m.end()):
        fixed["closing"] = True
    return fixed


def _sino_date(m: Words) -> Fixed:
    month = {"유": 6, "시": 10}.get(m["month"]) or _count(m["month"])
    return Fixed(month=month, day=_count(m["day"])) if m["day"] else Fixed(month=month)


def _written_year(words: str) -> Fixed:
    digits = words.lstrip("'’‘")
    return Fixed(year=int(digits)) if len(digits) == 4 else Fixed(short_year=int(digits))


def _year(m: Words) -> Fixed:
    return _written_year(m["year"])


def _ago(m: Words) -> Fixed:
    if m["about"]:
        return LOST
    sign = -1 if m["way"] == "전" else 1
    count, unit, half = sign * _count(m["count"]), m["unit"], bool(m["half"])
    more = sign * _count(m["more"]) if m["more"] else 0
    if unit in _SECONDS:
        if more and (unit, m["smaller"]) != ("시간", "분"):
            return LOST
        return Fixed(seconds=(count * 2 + sign * half) * _SECONDS[unit] // 2 + more * 60)
    if unit in ("년", "해"):
        if half or (more and m["smaller"] == "개월"):
            return Fixed(months=count * 12 + (sign * 6 if half else more), exact=True)
        return LOST if more else Fixed(years=count, exact=True)
    if half or more:
        return LOST
    if unit in ("달", "개월"):
        return Fixed(months=count, exact=True)
    return Fixed(days=count, exact=True) if unit == "일" else Fixed(weeks=count, exact=True)


def _days_ago(m: Words) -> Fixed:
    if m["about"]:
        return LOST
    return Fixed(days=_COUNTED_DAYS[m["days"]] * (-1 if m["way"] == "전" else 1), exact=True)


def _lasts(m: Words) -> Fixed:
    """Read 부터 사흘간, 부터 2주 동안 and 2박 3일: how long it lasts what begins on a day."""
    if m["days"] or m["last"]:
        return Fixed(lasts=_COUNTED_DAYS[m["days"]] if m["days"] else int(m["last"]))
    return Fixed(lasts=_count(m["count"]) * (1 if m["unit"] == "일" else 7))


def _half_year(m: Words) -> Fixed:
    if m["about"]:
        return LOST
    return Fixed(months=-6 if m["way"] == "전" else 6, exact=True)


def _night(m: Words) -> Fixed:
    return Fixed(days=0 if m["today"] else -1, part="evening" if m["evening"] else "night")


def _week(m: Words) -> Fixed:
    fixed = Fixed(weeks=_TURNS[m["turn"]] if m["turn"] else _SINGLE[m["single"]])
    if m["weekday"]:
        fixed["weekday"] = _WEEKDAYS.index(m["weekday"])
    if m["weekend"]:
        fixed["weekend"] = True
    return fixed


def _weekend(m: Words) -> Fixed:
    return Fixed(weeks=_TURNS[m["turn"]], weekend=True)


def _weekday(m: Words) -> Fixed:
    weekday = _WEEKDAYS.index(m["weekday"])
    if not m["turn"]:
        return Fixed(weekday=weekday)
    turn = _TURNS[m["turn"]]
    if not -1 <= turn <= 1:
        return LOST
    fixed = Fixed(weekday=weekday, turn=turn)
    if m["turn"] in ("다음", "담"):
        fixed["doubtful"] = True
    return fixed


def _month(m: Words) -> Fixed:
    if m["number"]:
        turn = _TURNS[m["turn"]]
        return Fixed(month=int(m["number"]), turn=turn) if -1 <= turn <= 1 else LOST
    return Fixed(months=_TURNS[m["turn"]] if m["turn"] else _SINGLE[m["single"]])


def _nth(m: Words) -> Fixed:
    weekday = _WEEKDAYS.index(m["weekday"])
    return Fixed(nth=_ORDINALS[m["nth"]], weekday=weekday)


def _holiday(m: Words) -> Fixed:
    if m["thing"]:
        return LOST
    fixed = Fixed(holiday=HOLIDAYS.get(m["name"], "seollal"))
    if m["turn"]:
        if not -1 <= _TURNS[m["turn"]] <= 1:
            return LOST
        fixed["turn"] = _TURNS[m["turn"]]
    return fixed


def _clock(m: Words) -> Fixed:
    fixed = Fixed(hour=_count(m["hour"]), minute=30 if m["half"] else int(m["minute"] or 0))
    if m["hour"].startswith("0"):
        fixed["half"] = "24"
    return fixed


def _days(m: Words) -> Fixed:
    return Fixed(days=_DAYS[m["days"]])


def _years(m: Words) -> Fixed:
    if m["years"]:
        return Fixed(years=_YEARS[m["years"]])
    return Fixed(years=-1 if m[0].startswith("지난") else 0)


def _day(m: Words) -> Fixed:
    return Fixed(day=int(m["day"]))


def _third(m: Words) -> Fixed:
    """Read 3월 말, 다음 주 초 and 연말; until the end of it (말까지) is its last day."""
    closing = m["until"] is not None or m["third"] == "말일"
    fixed = Fixed(closing=True) if closing else Fixed(third=_THIRDS[m["third"]])
    if not m["third"].endswith("순"):
        fixed["vague"] = True
    if m["month"] == "" and m["third"] != "말일":
        return LOST
    if m["year"]:
        return Fixed(month=12 if fixed.get("third", 2) else 1) | only(fixed, {"closing", "vague"})
    return Fixed(months=0) | fixed if m["month"] is not None else fixed


def _back(m: Words) -> Fixed:
    """Read 그날, 그때까지, 그 다음 날: the day that was named last, or one beside it."""
    fixed = Fixed(back=True)
    if m["before"] or m["after"]:
        fixed["step"] = -1 if m["before"] else 1
    if m["weekday"]:
        fixed["weekday"] = _WEEKDAYS.index(m["weekday"])
    return fixed


def _step(m: Words) -> Fixed:
    return Fixed(step=-1 if m["before"] else 1)


def _part(m: Words) -> Fixed:
    return Fixed(part=_PARTS[m["part"]])


def _noon(m: Words) -> Fixed:
    return Fixed(part="noon", hour=12) if m["noon"] else LOST


_0_9: Final = list("0123456789")
_QUOTES: Final = list("'’‘")
_TURN_STARTS: Final = starts(_TURNS)
_COUNT_STARTS: Final = _0_9 + starts(_ONES) + starts(_TENS) + list("일이삼사오육칠팔구십백")

READER: Final = Reader(
    # Points that only the story knows, recurrences, and counts that nobody counted.
    TimeRule(
        "며몇수얼한오",
        r"(?:며칠|몇~(?:일|주|달|개월|년|해|시간|분)|수십?~(?:일|년|개월)|얼마|한참|오래)~" + _AGO,
    ),
    TimeRule("약대거한", rf"(?<![가-힣])(?:약|대략|거의|한)~{_COUNT}~(?:{_UNITS})~{_AGO}"),
    TimeRule(
        "그같당",
        r"(?:그(?:~날(?!~?그날)|~(?P<after>다음~날|이튿날)|~(?P<before>전날)|때(?=까지|쯤|부터|는|엔)"
        rf"|~주~(?P<weekday>[{_WEEKDAYS}])(?:요일|욜))|같은~날|당일(?=에|엔|은|날|까지|[ ,.]|$))",
        _back,
    ),
    TimeRule("그같", r"(?:그~(?:주|달|해)(?=[ 에엔의밤])|그때|같은~(?:주|달|해))"),
    TimeRule("매", r"매[달월]~(?P<day>\d{1,2})일(?!간|째|치|차|동안)", _day),
    TimeRule("어이다", rf"(?:어느~날|이듬해|이맘때|다음 해{_END}|어제오늘)"),
    TimeRule(
        "매격해날오언반음",
        r"(?:매[일주달월년]|격주|[해날]마다|오늘내일|언젠가|반나절~전|음력)",
    ),
    TimeRule(
        starts(_ORDINALS),
        rf"(?P<nth>{either(_ORDINALS)})(?:~번째)?(?:~주)?~(?P<weekday>[{_WEEKDAYS}])(?:요일|욜)",
        _nth,
    ),
    TimeRule("첫둘셋넷다마", rf"(?:[첫둘셋넷]째|다섯째|마지막)~주{_END}"),
    TimeRule(_0_9, r"\d{1,2}~주차"),
    TimeRule(
        _0_9 + _QUOTES,
        r"(?<![\d.,:/])(?:(?P<year>\d{4}|['’‘]?\d\d)년도?~)?(?P<month>\d{1,2})~월"
        r"(?!요일|호|급|드컵|간|이[는가를랑네도한])달?(?:~(?P<day>\d{1,2})(?:~(?:일~(?:부터|에서)|일?~[\x7e∼-])"
        r"~(?P<last>\d{1,2}))?~일(?!간|째|치|차|동안))?",
        _date,
    ),
    TimeRule(
        "일이삼사오유칠팔구십시",
        r"(?<![가-힣])(?P<month>십일|십이|[일이삼사오유칠팔구시])월"
        rf"(?:~(?P<day>{_SINO}|\d{{1,2}})~일(?!요일|간|째|치|차)|(?=에[ 는]|달))",
        _sino_date,
    ),
    TimeRule(
        _COUNT_STARTS,
        rf"(?P<count>{_COUNT})~(?P<unit>{_UNITS})(?P<half>~반)?"
        rf"(?:~(?P<more>\d{{1,2}}|{_NATIVE}|{_SINO})~(?P<smaller>개월|분|일|주))?~{_AGO}",
        _ago,
    ),
    TimeRule(
        starts(_COUNTED_DAYS),
        rf"(?<![가-힣])(?P<days>{either(_COUNTED_DAYS)})~{_AGO}",
        _days_ago,
    ),
    TimeRule(
        ["부터", *_0_9],
        rf"부터~(?:(?P<days>{either(_COUNTED_DAYS)})|(?P<count>\d{{1,3}}|{_NATIVE}|{_SINO})~"
        r"(?P<unit>일|주일?))~(?:간(?!격)|동안|내내)"
        r"|(?:(?P<from>부터~)|(?<!\d))\d{1,2}~박~(?P<last>\d{1,2})~일(?!~[전후뒤])(?(from)|"
        rf"(?=로|~(?:{either(_LISTS.row('lasting'))}))(?!{_LISTS.pattern('no_length')}))",
        _lasts,
    ),
    TimeRule("반", rf"(?<![가-힣])반~년~{_AGO}", _half_year),
    TimeRule(
        _0_9 + _QUOTES,
        r"(?<![\d.])(?P<year>\d{4}|['’‘]\d\d)년도?"
        r"(?!생|차|째|간|짜리|산|형|식|대|~[전후뒤]|~동안)",
        _year,
    ),
    TimeRule(
        "어간지엊오", r"(?:어젯|어제~|간|지난~)밤|(?P<evening>엊저녁)|(?P<today>오늘)~밤", _night
    ),
    TimeRule(_TURN_STARTS, rf"(?P<turn>{_TURN})~주말(?!농장|부부|극|드라마)", _weekend),
    TimeRule(
        "주",
        r"(?<![가-힣])(?<!이번 )주말(?=에|엔|까지|부터|쯤|[ ,.]|$)",
        lambda _: Fixed(weeks=0, weekend=True, vague=True),
    ),
    TimeRule(
        [*_TURN_STARTS, "금", "차", "내"],
        rf"(?:(?P<turn>{_TURN})(?:주(?![문제소식택장민변자범력]|인공)| 주{_WEEK_END})"
        rf"|(?<![가-힣])(?P<single>금주|차주|내주){_END})"
        rf"(?:의?~(?P<weekday>[{_WEEKDAYS}])(?:요일|욜|(?=에|까지|부터|[^가-힣]|$))|~(?P<weekend>주말))?",
        _week,
    ),
    TimeRule(
        [*_TURN_STARTS, *_WEEKDAYS],
        rf"(?:(?P<turn>{_TURN})~)?(?P<weekday>[{_WEEKDAYS}])(?:요일|욜|(?<=\\(.)(?=\\)))",
        _weekday,
    ),
    TimeRule(
        [*_TURN_STARTS, "내"],
        rf"(?P<turn>{_TURN})~(?:달(?![러력리걀콤성])|(?P<number>\d{{1,2}})월(?!호))"
        rf"|(?<![가-힣])(?P<single>이달|내달){_END}",
        _month,
    ),
    TimeRule(
        [*_TURN_STARTS, *starts(HOLIDAYS), "설"],
        rf"(?:(?<![가-힣])|(?<=[년해]))(?:(?P<turn>{_TURN})~)?"
        rf"(?P<name>{either(HOLIDAYS)}|설(?=에|엔|~연휴|~당일|~전날|~다음~날))(?!동)(?:~당일)?(?P<thing>~(?:{_THINGS}))?",
        _holiday,
    ),
    TimeRule(
        "낼그",
        r"(?<![가-힣])(?<![을를] )"
        r"(?P<days>낼(?![가-힣]|~(?:모레|수|것|거|때|만|돈|줄))|그제(?=[ 는도부까밤의]))",
        _days,
    ),
    TimeRule(
        starts(_DAYS),
        r"(?:(?<![가-힣])|(?<=(?<![가-힣])[나난저전너넌])|(?<=우리))(?!낼(?!모레| 모레)|그제)"
        rf"(?P<days>{either(_DAYS)})(?!날|의집|배움|로부터)",
        _days,
    ),
    TimeRule(
        [*starts(_YEARS), "이"],
        rf"(?P<years>{either(_YEARS)})|지난 해{_END}|이번~해{_END}|올(?=~\d{{1,2}}~월)",
        _years,
    ),
    TimeRule(
        _0_9,
        r"(?<![\d.,:/박])(?<!박 )(?P<day>\d{1,2})일(?!간|째|치|차|동안|요일|~[전후뒤](?!까지))",
        _day,
    ),
    TimeRule(
        [*starts(_THIRDS), "연", "월"],
        rf"(?:(?<=[월달년주해])|(?<=[월달년주해] )|(?<![가-힣])(?:(?P<year>연)|(?P<month>월?)))"
        rf"(?P<third>{either(_THIRDS)})(?:{_END}|(?=까진))(?P<until>(?=까지|까진|로))?",
        _third,
    ),
    # A season has no agreed borders.
    TimeRule(
        "지이다올봄여가겨상하",
        r"(?<![가-힣])(?:지난|이번|다음|올)?~(?:봄|여름|가을|겨울|상반기|하반기)"
        rf"(?:{_END}|(?=방학|휴가|철))",
    ),
    TimeRule("전다이", r"(?P<before>전날)|다음~날|이튿날", _step),
    TimeRule(
        _0_9 + starts(_ONES) + starts(_TENS),
        rf"(?<![\d.,:/])(?:(?<=[전후벽침심낮녁밤])|(?<![가-힣]))(?P<hour>\d{{1,2}}|{_NATIVE})~시"
        rf"(?:~(?P<half>반){_HOUR_END}|~(?P<minute>\d{{1,2}})~분|{_HOUR_END}(?<!한시(?=가)))",
        _clock,
    ),
    TimeRule("정자", r"(?<![가-힣])(?:(?P<noon>정오)|자정)", _noon),
    TimeRule(
        starts(_PARTS),
        rf"(?:(?<![가-힣])|(?<=[제늘일레]))(?P<part>{either(_PARTS)})(?![밥형잠값])",
        _part,
    ),
)

# What stands between two time words of one expression.
GLUE: Final = r"(?:에는|에|엔|은|는|의|날)?,?[ \u00a0]{0,2}\(?"


def nearer_days(text: str) -> str:
    """Say 모레 for 글피: so few people write it that who learned from them knows no plan by it.

    Not for what is dated, only for what is asked of such a reader.
    """
    return _FAR_DAYS.sub("모레", text)
