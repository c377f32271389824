"""The days in a sentence written out, so that it is as true next year as when it was said.

"내일" becomes "2026년 1월 6일", "on the 9th" gains its month, "last week" its Monday. Where a day
cannot be told, or a word is left that only means something on the day it was said, there is no
such sentence and None comes back: a memory is carried on whole and true, or in its own words.
"""

from __future__ import annotations

import contextlib
import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from saegim.engines.korean_verbs import closing
from saegim.memory.keys import fold
from saegim.memory.late import late
from saegim.perceive.place.pieces import FUTURE, OPEN, PAST, Fixed, Piece
from saegim.perceive.place.sayings import Sentence
from saegim.perceive.place.sentences import borders
from saegim.perceive.place.when import Span, spans
from saegim.sleep.distil.occasion import DATE_IS_IT

# From where to where of a text, and what is to stand there; "" where that cannot be told.
Edit = tuple[int, int, str]

_DAY: Final = timedelta(days=1)
_WEEK: Final = 7
_HANGUL: Final = late("[가-힣]")
_MONTH: Final = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKDAYS: Final = "월화수목금토일"
_ENGLISH_WEEKDAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# A date that needs nothing: it has its year, or the year is all there is.
_WHOLE: Final = late(r"(?i)(?<!\d)(?:19|20)\d\d(?!\d)")
_HAS_MONTH: Final = late(rf"(?i)\d{{1,2}}\s?월|\b{_MONTH}\b|\d{{1,2}}/\d{{1,2}}")
_COUNTED_FROM_NOW: Final = late(
    r"(?i)어제|그저께|그제|오늘|내일|모레|글피|지난|저번|이번|요번|다음|담|돌아오는|오는|작년|올해|올|내년|내달|이달|금주|차주"
    r"|전|뒤|후|\b(?:last|next|this|coming|past|previous|ago|later|yesterday|today|tomorrow)\b"
)

# -- words that mean something only on the day they are said ---------------------------------------

_KOREAN_NOW: Final = late(
    r"어제|그저께|그제|엊그|엊저녁|어젯|간밤|오늘|금일|내일|(?<![가-힣])낼|모레|글피|아까|방금|이따|조만간|(?<![가-힣])곧\s"
    r"|며칠|몇\s?(?:일|주|달|개월|년|시간)\s?(?:전|후|뒤)|(?:얼마|한참|조금|좀|바로)\s?전"
    r"|(?<![가-힣])지난|저번|지지난|이번|요번|(?<![가-힣])(?:다다?음|담)\s?(?:주|달|번|해|학기|[월화수목금토일])"
    r"|다음\s?날|돌아오는|작년|재작년|지난해|올해|올\s?(?:봄|여름|가을|겨울|초|말|\d)|내년|내달|이달|금주|차주"
    r"|금년|연말|연초|월말|월초|[0-9일이삼사오육칠팔구십한두세네]\s?(?:일|주|주일|달|개월|년|시간|분)\s?"
    r"(?:전|뒤|후)(?=[ 에의은는이도부까쯤,.!]|$)"
    r"|(?:하루|이틀|사흘|나흘|닷새|열흘|보름|일주일|한\s?달|반\s?년)\s?(?:전|뒤|후)"
    r"|요즘|요새|최근|지금|현재|이제|당분간|그날|그때|이맘때|\d\s?주차"
)
_ENGLISH_NOW: Final = late(
    r"(?i)\b(?:yesterday|today|tonight|tomorrow|tmrw?|tmw|now|nowadays|these days|lately|recently"
    r"|soon|just now|earlier|later|currently|still|at the moment|so far|any ?more|by then"
    r"|the other (?:day|night|week)|ago|(?:last|next|this|coming|past) (?:night|morning|afternoon"
    rf"|evening|week|weekend|month|year|term|time|spring|summer|autumn|fall|winter|{_WEEKDAY}"
    rf"|{_MONTH})|next|fortnight|weeks? (?:from|on)|in (?:a|an|one|two|three|four|five|six|\d+) "
    r"(?:minute|hour|day|week|month|year)s?)\b"
)
# A day of the week or the month alone says when only to whoever knows the week or the month.
_KOREAN_LOOSE: Final = late(
    r"[월화수목금토일](?:요일|욜)|주말"
    r"|(?<![\d.,:/월])(?<!월 )\d{1,2}일(?!간|째|치|차|\s?동안|\s?만|\s?씩|요일)"
    r"|(?<![\d.,:/가-힣])\d{1,2}\s?시(?![가-힣]*간|[가-힣]*도)"
)
_ENGLISH_LOOSE: Final = late(
    rf"(?i)\b(?:{_WEEKDAY}|weekend|the \d{{1,2}}(?:st|nd|rd|th)|(?:mon|tue|wed|thu|fri|sat|sun))\b"
)
_AGAIN: Final = late(
    r"(?i)매주|매일|매달|매월|매년|격주|마다|항상|언제나|늘\s|평소|보통|주로|절대|까지는|이후로는|엔\s?(?:안|못)"
    r"|\b(?:every|each|always|usually|never|often|normally|weekly|monthly|daily|on a)\b"
    rf"|\b{_WEEKDAY}s\b|\b{_WEEKDAY} (?:mornings|afternoons|evenings|nights)\b|\bweekends\b"
)
# Someone is spoken of whom only the conversation knew.
_SOMEONE: Final = late(r"(?:걔|얘|쟤|(?<![가-힣])그\s?(?:사람|분|녀|애|친구|놈))")
_HE_OR_SHE: Final = late(r"\b(?:[Hh]e|[Ss]he|[Hh]im|[Hh]ers?|[Hh]is|[Tt]hey|[Tt]hem|[Tt]heirs?)\b")
_BEFORE_HIM: Final = late(
    r"(?:\b[Mm]y|\b[Oo]ur|\b[Tt]he|\b[Aa]n?)\s+[a-z]+|(?<!^)(?<![.!?] )\b[A-Z][a-z]+|^[A-Z][a-z]+\b"
)

# -- bare days of a month --------------------------------------------------------------------------

_NO_COUNT: Final = r"(?!간|째|치|차|\s?동안|\s?만|\s?씩|요일|\s?[전후뒤])"
_BARE_DAY: Final = late(
    r"(?<![\d.,:/년])(?<!년 )(?:(?P<month>\d{1,2})월\s?|(?<!월)(?<!월 ))"
    rf"(?P<ko>\d{{1,2}})일{_NO_COUNT}(?:\s?\(?(?P<weekday>[{_WEEKDAYS}])(?:요일|욜|\)))?"
    rf"|(?i:(?:(?P<named>{_WEEKDAY}),? )?\b(?:the (?P<en>\d{{1,2}})(?:st|nd|rd|th)\b"
    r"(?! (?:floor|grade|time|century|birthday|anniversary|of))"
    rf"|(?P<of>{_MONTH})\.? (?P<nth>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|,? \d{{4}})))"
)
_CLOCK: Final = late(
    r"(?:(?:[,\s]|에)*(?:(?:이른|늦은)\s)?(?:새벽|오전|아침|점심|한낮|대낮|낮|오후|저녁|한밤중?|밤|정오"
    r"|(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열한|열두|열)\s?시(?:\s?\d{1,2}\s?분|\s?반)?))+$"
)
_ENGLISH_CLOCK: Final = late(
    r"(?i)(?:,? (?:at |around |about |by )?(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?|o['’]clock)?"
    r"|noon|midnight))+$"
)
_PART: Final = late(r"(?i)\b(?:to)?(?P<part>night|morning|afternoon|evening)\b")
_NEXT_WEEKDAY: Final = late(rf"(?i)next {_WEEKDAY}")
_NIGHT: Final = late(r"어젯밤|간밤|지난\s?밤|오늘\s?밤|어제\s?밤")
_LONG_AGO: Final = late(r"(?:년|해|달|개월)\s?(?:반\s?)?(?:전|뒤|후)|(?i:\b(?:month|year)s? ago)")
_YEARS_AGO: Final = late(r"(?:년|해)\s?(?:반\s?)?(?:전|뒤|후)|(?i:\byears? ago)")
_RANGE: Final = late(r"(?i)부터|에서|[~∼〜–—]|\b(?:to|until|till|through|and)\b")
_LEADS: Final = late(
    r"(?i)\b(?:on|by|until|till|since|from|before|after|for|of|to|through|in|during|around|between"
    r"|and)\s+$"
)
_ON_OR_IN: Final = late(r"(?i)\b(?:on|in|at|over)\s+$")
_SUBJECT: Final = late(r"(?i)\s+(?:is|was|were|will|turned|felt|went|would)\b")
_MISREAD: Final = late(r"(?i)\b(?:weeks?|fortnights?|days?|months?) (?:from|on|after|before)\s+$")
_OPEN_PARTS: Final = {
    "는": "은", "가": "이", "를": "을", "와": "과", "랑": "이랑", "야": "이야", "였": "이었",
    "예요": "이에요", "라": "이라",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """How a text was told: when, by the clock of its teller, and of which sort of day it speaks.

    `plan`: of days to come; `over`: of days gone by; `recurs`: a day of the week means every one.
    """

    at: datetime
    plan: bool = False
    over: bool = False
    recurs: bool = False

    def tense(self, found: int) -> int:
        """Return the tense of a sentence, where its verb leaves that open."""
        return found or (FUTURE if self.plan else PAST if self.over else OPEN)


def dated(text: str, told: Told) -> str | None:
    """Return a text with its days written out, None where it cannot be told whole and true."""
    plain = fold(text).strip()
    found = [(each.at, each.at + len(each.words), each) for each in spans(plain, told.at)]
    written = [(start, end, _written(plain, start, end, span, told)) for start, end, span in found]
    written += _bare_days(plain, found, told)
    edits = [(start, end, new) for start, end, new in sorted(written) if new]
    if len(edits) < len(written) or _depends_on_whom(plain):
        return None
    return None if _depends_on_the_day(plain, edits, told.recurs) else _edited(plain, edits)


def speaks_of_now(text: str) -> bool:
    """Say whether words are left that mean something only on the day they are said."""
    return bool(_KOREAN_NOW.search(text) or _ENGLISH_NOW.search(text))


def _depends_on_the_day(text: str, edits: Sequence[Edit], recurs: bool) -> bool:
    """Say whether anything besides the written days would be untrue on another day."""
    rest = text
    for start, end, _ in edits:
        rest = rest[:start] + "#" * (end - start) + rest[end:]
    if speaks_of_now(rest):
        return True
    loose = _KOREAN_LOOSE.search(rest) or _ENGLISH_LOOSE.search(rest)
    return bool(loose) and not recurs and not _AGAIN.search(rest)


def _depends_on_whom(text: str) -> bool:
    """Say whether someone is spoken of who is not named."""
    if _SOMEONE.search(text):
        return True
    found = _HE_OR_SHE.search(text)
    return found is not None and not _BEFORE_HIM.search(text[: found.start()])


def _edited(text: str, edits: Sequence[Edit]) -> str | None:
    made, at = "", 0
    for start, end, new in edits:
        if start < at:
            return None
        made += text[at:start] + new
        at = end
        if "가" <= new[-1] <= "힣" and closing(new[-1]) and not closing(text[end - 1]):
            # 어제는, but 4일은.
            for open, closed in _OPEN_PARTS.items():
                if text.startswith(open, end):
                    made, at = made + closed, end + len(open)
                    break
    return made + text[at:]


# -- one expression --------------------------------------------------------------------------------


def _written(text: str, start: int, end: int, span: Span, told: Told) -> str:
    """Return the words of one span written out; the words themselves where they need nothing."""
    words = text[start:end]
    relative = _COUNTED_FROM_NOW.search(words)
    if _WHOLE.search(words) and not relative:
        return words
    if _HANGUL.search(words):
        if _HAS_MONTH.search(words) and not relative:
            return f"{span.start.year}년 {words}"
        return _korean(words, span)
    before, after = text[:start], text[end:]
    if _MISREAD.search(before) or re.match(r"['’]s\b|\s+week\b", after):
        return ""
    same_week = span.start.isocalendar()[:2] == told.at.isocalendar()[:2]
    if _NEXT_WEEKDAY.match(words) and same_week:
        return ""  # of this week or of the next: people mean both
    if _HAS_MONTH.search(words) and not relative:
        return _with_year(words, span)
    return _english(words, span, before, after)


def _korean(words: str, span: Span) -> str:
    if _RANGE.search(words):
        return f"{_korean_day(span.start)}부터 {_korean_day(span.end - _DAY)}"
    clock = _CLOCK.search(words)
    tail = " 밤" if _NIGHT.match(words) else clock[0].removeprefix("에") if clock else ""
    if clock and not words[: clock.start()].strip() and not _NIGHT.match(words):
        return f"{_korean_day(span.start)} {words}"
    if tail and not tail.startswith((" ", ",")):
        tail = f" {tail}"
    days = (span.end - span.start).days
    if _YEARS_AGO.search(words):
        return f"{span.start.year}년"
    if _LONG_AGO.search(words):
        return f"{span.start.year}년 {span.start.month}월"
    if days <= 1:
        named = re.search(f"([{_WEEKDAYS}])(?:요일|욜)", words)
        weekday = f" {_WEEKDAYS[span.start.weekday()]}요일" if named else ""
        return f"{_korean_day(span.start)}{weekday}{tail}"
    return _korean_span(span)


def _korean_span(span: Span) -> str:
    first, last = span.start, span.end - _DAY
    days = (span.end - span.start).days
    if (first.day, span.end.day) == (1, 1):
        if (first.month, days) in ((1, 365), (1, 366)):
            return f"{first.year}년"
        return f"{first.year}년 {first.month}월" if last.month == first.month else ""
    if days == _WEEK and first.weekday() == 0:
        return f"{_korean_day(first)} 주"
    if first.weekday() == 5 and days == 2:
        return f"{_korean_day(first)} 주말"
    return f"{_korean_day(first)}부터 {_korean_day(last)}까지"


def _korean_day(at: datetime | date) -> str:
    return f"{at.year}년 {at.month}월 {at.day}일"


def _with_year(words: str, span: Span) -> str:
    """Return an English date with its year behind the day and the month."""
    year = span.start.year
    day_last = rf"(?i)({_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?)(?!\d)"
    if re.search(day_last, words):
        return re.sub(day_last, rf"\1, {year}", words, count=1)
    return re.sub(rf"(?i)\b({_MONTH})\b", rf"\1 {year}", words, count=1)


def _english(words: str, span: Span, before: str, after: str) -> str:
    led = bool(_LEADS.search(before))
    at_start = not before.strip() or before.rstrip()[-1:] in ".!?"
    if _RANGE.search(words):
        made = f"{_english_day(span.start)} to {_english_day(span.end - _DAY)}"
        return made if led else f"from {made}"
    part, clock = _PART.search(words), _ENGLISH_CLOCK.search(words)
    days = (span.end - span.start).days
    weekday = re.search(rf"(?i){_WEEKDAY}|\b(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b", words)
    day = _english_day(span.start)
    if weekday:
        day = f"{_ENGLISH_WEEKDAYS[span.start.weekday()]} {day}"
    if _YEARS_AGO.search(words):
        lead, made = "in", f"{span.start.year}"
    elif _LONG_AGO.search(words):
        lead, made = "in", f"{month_name[span.start.month]} {span.start.year}"
    elif days > 1:
        lead, made = _english_span(span)
    elif part:
        lead, made = "on", f"the {part['part'].lower()} of {day}"
    else:
        lead, made = "on", day
    if not made:
        return ""
    if clock and days <= 1:
        tail = clock[0]
        made = made + (tail if tail.startswith((" ", ",")) else f" at {tail}")
    if led and not (_ON_OR_IN.search(before) and days > 1):
        return made
    if at_start and _SUBJECT.match(after):
        return made
    return f"{lead.capitalize() if at_start and words[:1].isupper() else lead} {made}"


def _english_span(span: Span) -> tuple[str, str]:
    """Return the preposition and the words of a span of several days, "" for an odd one."""
    first, last = span.start, span.end - _DAY
    days = (span.end - span.start).days
    if (first.day, span.end.day) == (1, 1):
        if (first.month, days) in ((1, 365), (1, 366)):
            return "in", f"{first.year}"
        return "in", f"{month_name[first.month]} {first.year}" if last.month == first.month else ""
    if days == _WEEK and first.weekday() == 0:
        return "in", f"the week of {_english_day(first)}"
    if first.weekday() == 5 and days == 2:
        return "on", f"the weekend of {_english_day(first)}"
    return "from", f"{_english_day(first)} to {_english_day(last)}"


def _english_day(at: datetime | date) -> str:
    return f"{at.day} {month_name[at.month]} {at.year}"


# -- "on the 9th", "9일에" -------------------------------------------------------------------------


def _bare_days(text: str, found: Sequence[tuple[int, int, Span]], told: Told) -> Iterator[Edit]:
    """Give each day that stands without its month, or its year, what it lacks."""
    starts = [0, *borders(text), len(text)]
    for match in _BARE_DAY.finditer(text):
        if any(start < match.end() and match.start() < end for start, end, _ in found):
            continue
        begin = max(each for each in starts if each <= match.start())
        end = min(each for each in starts if each > match.start())
        sentence = Sentence(text[begin:end], begin)
        # A birthday has no year, and what comes back every month no month.
        if DATE_IS_IT.search(sentence.text) or _AGAIN.search(sentence.text):
            continue
        piece = Piece(match.start() - begin, match.end() - begin, Fixed())
        yield match.start(), match.end(), _completed(match, sentence.tense(piece), told)


def _completed(match: re.Match[str], tense: int, told: Told) -> str:
    """Return one day with all that it lacks; as it stands where that is only a year."""
    korean, named = bool(match["ko"]), match["weekday"] or match["named"]
    month = match["month"] or match["of"]
    near = _nearest(
        int(match["ko"] or match["en"] or match["nth"]),
        _month(month) if month else None,
        _weekday(named) if named else None,
        told.at.date(),
        told.tense(tense),
    )
    if near is None:
        return match[0] if month else ""
    name = ""
    if named:
        name = f" {_WEEKDAYS[near.weekday()]}요일" if korean else _ENGLISH_WEEKDAYS[near.weekday()]
    return f"{_korean_day(near)}{name}" if korean else f"{name} {_english_day(near)}".strip()


def _month(name: str) -> int:
    if name.isdigit():
        return int(name)
    return next(at for at, each in enumerate(month_name) if each[:3].lower() == name[:3].lower())


def _weekday(name: str) -> int:
    if name in _WEEKDAYS:
        return _WEEKDAYS.index(name)
    return [each.lower() for each in _ENGLISH_WEEKDAYS].index(name.lower())


def _nearest(
    day: int, month: int | None, weekday: int | None, today: date, tense: int
) -> date | None:
    """Return the day that is meant: the last one, the next one, or the one that fits."""
    here = today.year * 12 + today.month - 1
    days = []
    for year, at in (divmod(here + step, 12) for step in range(-12, 13)):
        with contextlib.suppress(ValueError):  # not every month has a 31st
            days += [date(year, at + 1, day)] if month in (None, at + 1) else []
    days.sort(key=lambda each: abs(each - today))
    if tense == PAST:
        days = [each for each in days if each <= today]
    elif tense == FUTURE:
        days = [each for each in days if each >= today]
    elif weekday is None:
        return None
    fitting = [each for each in days if weekday is None or each.weekday() == weekday]
    # "the 9th, a Thursday": where no tense says which, only one of the nearest two may fit.
    if not fitting or fitting[0] not in days[: 1 if tense != OPEN else 2]:
        return None
    return fitting[0]
