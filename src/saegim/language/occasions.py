"""What is true only on the day it was said, written out or taken off: "내일", "on Feb 15".

"내일" becomes "2026년 1월 6일", "last week" its Monday, "Friday the 9th" its month. A day
that can be read in two ways is not guessed ("on Friday", "9일에", "May 3" of some year), and a word
that only means something on the day it was said is not carried on: then there is no such sentence,
and None comes back. A memory is told again whole and true, or stays in its own words.
"""

from __future__ import annotations

import contextlib
import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.verbs import is_irregular
from saegim.language.ko.verbs import closing
from saegim.language.ko.word_forms import is_past
from saegim.language.times import Span, spans
from saegim.language.word_lists import read_lists
from saegim.language.words import borders, sentences
from saegim.memory.text import fold

_LISTS: Final = read_lists("both/occasions")

# ---- The occasion of a memory taken off its words: "어제", "on Feb 15", "기억해줘".

_HANGUL: Final = re.compile("[가-힣]")
_MM: Final = (16, 10)

# ---- Korean
_COUNT: Final = r"(?:[0-9]{1,3}|한두|두세|서너|한|두|세|네|다섯|여섯|일곱|몇)"
_AGO: Final = (
    rf"(?:(?:{_COUNT}\s?(?:일|주|주일|달|개월|년|해|시간|분)|하루|이틀|사흘|나흘|닷새|열흘|보름"
    r"|일주일|한참|얼마|며칠|조금|좀|바로|방금)\s전|며칠전|얼마전)"
)
_PART: Final = "(?:아침|점심|저녁|오전|오후|새벽|밤|낮|정오|자정|밤중|한밤중|늦은 밤)(?:때)?"
_CLOCK: Final = (
    r"(?:[0-9]{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시"
    r"(?:\s?[0-9]{1,2}\s?분|\s?반)?"
)
_WEEKDAY: Final = "[월화수목금토일]요일"
_LATELY: Final = (
    "어제|그저께|그제|엊그제|엊그저께|오늘|아까|방금|간밤|어젯밤|오늘밤|어제저녁|오늘아침|지난번|저번|그날|작년"
    "|재작년|지난해|올해|올봄|올여름|올가을|올겨울|지난주|저번\\s?주|이번\\s?주|지난달|저번\\s?달|이번\\s?달"
    f"|(?:지난|저번|이번)\\s(?:주말|봄|여름|가을|겨울|명절|연휴|추석|설날|학기|방학|밤|주|달|해|{_WEEKDAY})|주말"
)
_DATE: Final = (
    r"(?:(?:[0-9]{4}|[0-9]{2})년(?:\s?[0-9]{1,2}월)?(?:\s?[0-9]{1,2}일)?|[0-9]{1,2}월(?:\s?[0-9]{1,2}일)?"
    r"|[0-9]{4}[-./]\s?[0-9]{1,2}[-./]\s?[0-9]{1,2}\.?|[0-9]{1,2}/[0-9]{1,2})"
)
_MORE: Final = rf"(?:{_WEEKDAY}|{_PART}|{_CLOCK}|봄|여름|가을|겨울|말|초|중순|{_DATE})"
_KOREAN: Final = re.compile(
    rf"(?<![0-9A-Za-z가-힣(\[\"'“‘./-])(?:(?P<lately>{_AGO}|{_LATELY})|(?P<date>{_DATE}|{_WEEKDAY}))"
    rf"(?:\s?\({_WEEKDAY[:11]}(?:요일)?\))?(?:\s?{_MORE})*(?:쯤|경|무렵|께)?"
    r"(?:에는|에도|에야|에서야|에|엔|은|는|도)?(?P<after>,?\s+|,|:\s*)"
)
# Where one of these is spoken of, the date is what is remembered.
DATE_IS_IT: Final = re.compile(
    r"생일|생신|기념일|마감|기한|데드라인|만료|유효\s?기간|(?<![가-힣])(?:기일|제사)|데뷔일|출시일|개봉일|예정일|제출일|납기"
    r"|\b(?:birthdays?|anniversary|anniversaries|deadlines?|due(?! to)|expires?|expiry|born)\b",
    re.IGNORECASE,
)
_KEEPS: Final = re.compile(
    r"매주|매일|매달|매월|매년|격주|마다|항상|언제나|(?<!오)늘\s|평소|보통은"
    r"|내일|모레|글피|다음\s?(?:주|달|번|해|학기|주말|[월화수목금토일]요일)|내년|이따|예정|계획|[가-힣]\s거(?:야|다|예요)|기로\s했"
)
_FIXED: Final = re.compile(
    "예약|약속|일정|면접|시험|수술|진료|회의|미팅|결혼식|발표|출국|귀국|비행기|기차"
)
_IS_THERE: Final = re.compile("있|잡혔|잡혀|이다|이야|임|예요|입니다|간다|가야|해야|봐야")
_WORDS: Final = re.compile("[가-힣]+")

# ---- English
_NUMBER: Final = (
    "(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|[0-9]{1,3}|a few|a couple of|several)"
)
_MONTH: Final = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    "|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?"
)
_DAY: Final = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_OF_DAY: Final = "(?:morning|afternoon|evening|night|lunchtime|noon)"
_SEASON: Final = "(?:spring|summer|autumn|fall|winter)"
_ORDINAL: Final = "[0-3]?[0-9](?:st|nd|rd|th)?"
_YEAR: Final = "[12][0-9]{3}"
_UNIT: Final = "(?:minute|hour|day|night|week|weekend|month|year)s?"
_RECENT: Final = (
    rf"(?:earlier today|earlier this (?:week|month|year|{_OF_DAY})|yesterday(?: {_OF_DAY})?"
    rf"|the day before yesterday|today|tonight|just now|this (?:{_OF_DAY}|week|weekend|month|year)"
    rf"|(?:this past|last) (?:night|week|weekend|month|year|{_DAY}(?: {_OF_DAY})?|{_SEASON}"
    rf"|{_MONTH})|the other (?:day|night|week)"
    rf"|(?:about |almost |nearly )?{_NUMBER} {_UNIT} ago"
    r"|a while ago|(?:over|on|at) the weekend)"
)
_DATED: Final = (
    rf"(?:(?:on )?(?:{_DAY},? )?(?:the )?(?:{_MONTH} {_ORDINAL}(?!\w)(?:,? {_YEAR})?"
    rf"|{_ORDINAL} (?:of )?{_MONTH}(?:,? {_YEAR})?)"
    rf"|(?:back )?in (?:early |late |mid-)?(?:{_MONTH}(?: {_YEAR})?|{_YEAR})(?![\w.])"
    rf"|(?:on )?{_YEAR}-[0-9]{{2}}-[0-9]{{2}}|on {_DAY}(?: {_OF_DAY})?"
    rf"|(?:^|(?<=[.!?] )){_DAY}(?: {_OF_DAY})?)"
)
_AT: Final = (
    r"(?:,? (?:at|around|about) (?:[0-9]{1,2}(?::[0-9]{2})?(?: ?[ap]\.?m\.?)?|noon|midnight))?"
)
_ENGLISH: Final = re.compile(
    rf"(?P<sep>^|(?<=[\s(])|,\s*)(?:(?P<lately>{_RECENT})|(?P<date>{_DATED})){_AT}(?P<after>\s*[,:]\s+|(?=[\s.!?;,)]|$))",
    re.IGNORECASE,
)
_HELD: Final = re.compile(
    r"(?:\b(?:since|until|till|by|before|after|from|to|for|every|each|of|the|my|our|your|his|her|their|a|an"
    r"|next|than|is|was|are|were|be|been|born|due|spend|spent|spending|remember|remembered|love|loved"
    r"|hate|hated|enjoy|enjoyed|miss|missed|like|liked|between|through|about|called|named|version)"
    r"|[-/(\"“])\s*$",
    re.IGNORECASE,
)
_TAKEN_UP: Final = re.compile(
    r"\s*(?:['’]s\b|(?:is|was|were|are|will|has|had|went|felt|seems|seemed|turned)\b|to\b|-|through\b|until\b)",
    re.IGNORECASE,
)
_ENGLISH_KEEPS: Final = re.compile(
    r"\b(?:every|each|always|usually"
    r"|whenever|tomorrow|next|upcoming|will|going to|gonna|scheduled|planned for|plans? to"
    r"|starts? on|ends? on)\b|['’]ll\b",
    re.IGNORECASE,
)
_ENGLISH_FIXED: Final = re.compile(
    r"\b(?:appointments?|interviews?|meetings?|flights?|exams?|reservations?|bookings?|weddings?|surgery)\b",
    re.IGNORECASE,
)
_NEAR: Final = 24
_ENGLISH_WORD: Final = re.compile(r"[A-Za-z]+(?:['’]t)?")


def without_occasion(text: str, language: str) -> str:
    """Return a text without the words that only say when it happened."""
    folded = fold(text)
    if DATE_IS_IT.search(folded):
        return folded.strip()
    starts = [0, *borders(folded), len(folded)]
    drop = _korean if language == "ko" else _english
    kept = [drop(folded[one:two]) for one, two in pairwise(starts)]
    return _tidied("".join(kept), folded)


def _korean(sentence: str) -> str:
    if _KEEPS.search(sentence):
        return sentence
    ahead = _FIXED.search(sentence) and _IS_THERE.search(sentence) and not _korean_past(sentence)

    def rest(found: re.Match[str]) -> str:
        after = sentence[found.end() :]
        past = _korean_past(after)
        if not _HANGUL.search(after) or (found["date"] and not past) or ahead:
            return found[0]
        return ""

    return _KOREAN.sub(rest, sentence)


def _korean_past(sentence: str) -> bool:
    """Say whether something has happened: 갔다, and a note like 감 or 마심."""
    words = _WORDS.findall(sentence)
    noted = bool(words) and closing(words[-1]) in _MM
    return noted or any(is_past(word) for word in words)


def _english(sentence: str) -> str:
    if _ENGLISH_KEEPS.search(sentence):
        return sentence
    past = _english_past(sentence)
    if not past and _ENGLISH_FIXED.search(sentence):
        return sentence

    def rest(found: re.Match[str]) -> str:
        before = sentence[max(0, found.start() - _NEAR) : found.start()]
        after = sentence[found.end() : found.end() + _NEAR]
        if found["date"] and before.rstrip().endswith(" and"):
            return found[0]
        if _HELD.search(before) or _TAKEN_UP.match(after) or (found["date"] and not past):
            return found[0]
        if not _ENGLISH_WORD.search(before) and not _ENGLISH_WORD.search(after):
            return found[0]
        return ", " if before.strip() and found["after"].strip() else " "

    return _ENGLISH.sub(rest, sentence)


def _english_past(sentence: str) -> bool:
    for word in _ENGLISH_WORD.findall(sentence.lower()):
        form = lex.VERBS.get(word)
        if word in ("was", "were", "did", "didn't", "wasn't", "weren't", "been"):
            return True
        if word in lex.SAME_PAST or is_irregular(word):
            return True
        if (form and form.kind in ("past", "done")) or (word.endswith("ed") and len(word) > 4):
            return True
    return False


_GAPS: Final = re.compile(r"\s+")
_BEFORE_MARK: Final = re.compile(r"\s+([,.!?;])")
_LEADING: Final = re.compile(r"^[\s,;:]+")
_DOUBLE: Final = re.compile(r",\s*([.,!?])")


def _tidied(kept: str, whole: str) -> str:
    """Return what is left with single spaces and, where it began so, a capital letter."""
    if kept == whole:
        return whole.strip()
    text = _LEADING.sub(
        "", _DOUBLE.sub(r"\1", _BEFORE_MARK.sub(r"\1", _GAPS.sub(" ", kept)))
    ).strip()
    if not any(letter.isalnum() for letter in text):
        return whole.strip()
    first = whole.lstrip()[:1]
    return text[0].upper() + text[1:] if first.isupper() else text


# ---- The days in a sentence written out, so that it is as true next year as when it was said.

# From where to where of a text, and what is to stand there; "" where that cannot be told.
Edit = tuple[int, int, str]

_WRITTEN_DAY: Final = timedelta(days=1)
_WEEK: Final = 7
# So near stands what says that a day comes back.
_BESIDE: Final = 16
# A day without its year is one of the half year before or after; of that long ago nobody is sure.
_WRITTEN_NEAR: Final = timedelta(days=150)
_WRITTEN_MONTH: Final = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAYNAME: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKDAYS: Final = "월화수목금토일"
_ENGLISH_WEEKDAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_WRITTEN_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

# -- words that mean something only on the day, or in the talk, in which they are said -------------

_KOREAN_NOW: Final = re.compile(
    r"어제|그저께|그제|엊그|엊저녁|어젯|간밤|오늘|금일|내일|(?<![가-힣])낼|모레|글피|아까|방금|이따|조만간"
    r"|(?<![가-힣])곧\s|며칠|몇\s?(?:일|주|달|개월|년|시간)\s?(?:전|후|뒤)|(?:얼마|한참|조금|좀|바로)\s?전"
    r"|(?<![가-힣])지난|저번|지지난|이번|요번|(?<![가-힣])(?:다다?음|담)\s?(?:주|달|날|번|해|학기|[월화수목금토일])"
    r"|돌아오는|작년|재작년|지난해|올해|올\s?(?:봄|여름|가을|겨울|초|말|\d)|내후?년|내달|이달|금주|차주|금년"
    r"|연말|연초|월말|월초|[0-9일이삼사오육칠팔구십한두세네석넉]\s?(?:일|주|주일|달|개월|년|시간|분)\s?(?:전|뒤|후)"
    r"|(?:하루|이틀|사흘|나흘|닷새|열흘|보름|일주일|한\s?달|반\s?년)\s?(?:전|뒤|후)|전날|이튿날|남았|남은|앞으로"
    r"|요즘|요새|최근|지금|현재|이제|당분간|그날|그때|이맘때|\d\s?주차|같은\s?(?:날|시간|곳|데)"
)
_ENGLISH_NOW: Final = re.compile(
    r"(?i)\b(?:yesterday|today|tonight|tomorrow|tmrw?|tmw|now|nowadays|these days|lately|recently"
    r"|soon|just now|earlier|later|currently|at the moment|so far|any ?more|by then|that day"
    r"|that morning|same (?:time|place|day|date|drill|week)|as before|the other (?:day|night|week)"
    r"|ago|(?:last|next|this|coming|past) (?:night|morning|afternoon|evening|week|weekend|month"
    rf"|year|term|time|spring|summer|autumn|fall|winter|{_DAYNAME}|{_WRITTEN_MONTH})|next|fortnight"
    r"|weeks? (?:from|on|left|to go)|in (?:a|an|one|two|three|four|five|six|\d+) "
    r"(?:minute|hour|day|week|month|year)s?)\b"
)
# A day of the week or of the month alone says when only to whoever knows the week or the month.
_KOREAN_LOOSE: Final = re.compile(
    r"[월화수목금토일](?:요일|욜)|주말"
    r"|(?<![\d.,:/월])(?<!월 )\d{1,2}일(?!간|째|치|차|\s?동안|\s?만|\s?씩|요일)"
)
_ENGLISH_LOOSE: Final = re.compile(
    rf"(?i)\b(?:{_DAYNAME}|weekend|the (?:\d{{1,2}}(?:st|nd|rd|th)|\w+(?:teenth|tieth)|twelfth)"
    r"|(?:mon|tue|wed|thu|fri|sat|sun))\b"
)
_AGAIN: Final = re.compile(
    r"(?i)매주|매일|매달|매월|매년|격주|마다|항상|언제나|늘\s|평소|보통|주로|절대"
    r"|\b(?:every|each|always|usually|never|often|normally|weekly|monthly|daily|on a)\b"
    rf"|\b{_DAYNAME}s\b|\b{_DAYNAME} (?:mornings|afternoons|evenings|nights)\b|\bweekends\b"
)
# Someone is spoken of whom only the conversation knew.
_SOMEONE: Final = re.compile(r"걔|얘(?!기)|쟤|(?<![가-힣])그\s?(?:사람|분|녀|애|친구|놈)")
_HE_OR_SHE: Final = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Hh]im|[Hh]ers?|[Hh]is|[Tt]hey|[Tt]hem|[Tt]heirs?)\b"
)
_SOMEBODY: Final = re.compile(r"(?:\b[Mm]y|\b[Oo]ur|\b[Tt]he|\b[Aa]n?)\s+[a-z]+|\b[A-Z][a-z]+")

# -- what a written day is read from ---------------------------------------------------------------

_TURN: Final = "(?:지지난|지난|저번|이번|요번|다다음|다음|담|돌아오는|오는)"
_WRITTEN_COUNT: Final = (
    "(?:[0-9]{1,3}|[일이삼사오육칠팔구십]{1,3}|한|두|세|석|네|넉|다섯|여섯|일곱|여덟|아홉|열)"
)
_WRITTEN_CLOCK: Final = (
    r"(?:(?:에|,)?\s?(?:새벽|오전|아침|점심|낮|오후|저녁|밤|정오|(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟"
    r"|아홉|열한|열두|열)\s?시(?:\s?\d{1,2}\s?분|\s?반)?))"
)
_WRITTEN_KOREAN: Final = re.compile(
    r"(?:(?P<night>어젯밤|간밤|지난\s?밤|어제\s?밤|오늘\s?밤)"
    r"|(?:그저께|그제|어저께|어제|오늘|금일|내일\s?모레|내일|낼모레|낼|모레|글피)"
    rf"|{_TURN}\s?주(?:의?\s?[{_WEEKDAYS}](?:요일|욜)?|\s?주말)?|{_TURN}\s?주말"
    rf"|{_TURN}\s?[{_WEEKDAYS}](?:요일|욜)|(?:{_TURN}\s?달|이달|내달)(?:\s?\d{{1,2}}일)?"
    r"|(?:재작년|작년|올해|금년|내년)(?:\s?\d{1,2}월)?(?:\s?\d{1,2}일)?"
    r"|(?:올해|금년|내년)는?\s?[가-힣]{1,2}월\s[가-힣]{1,4}일"
    rf"|(?P<long>{_WRITTEN_COUNT}\s?(?:(?P<years>년|해)|달|개월)\s?전)|{_WRITTEN_COUNT}\s?일\s?전"
    rf"|(?P<about>(?:{_WRITTEN_COUNT}\s?주일?|보름|일주일)\s?전)"
    r"|(?:하루|이틀|사흘|나흘|닷새|엿새|이레|열흘)\s?전)"
    rf"(?P<weekday>(?:에|의|,)?\s?\(?[{_WEEKDAYS}](?:요일|욜)\)?)?(?P<clock>{_WRITTEN_CLOCK}*)"
)
_KOREAN_RANGE: Final = re.compile(
    r"(?:어제|오늘|내일|모레)(?:부터)\s?(?:오늘|내일|내일모레|모레|글피)"
)
_ENGLISH_CLOCK: Final = (
    r"(?:,? (?:at |around )?(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?|o['’]clock)?|noon|midnight))"
)
_WRITTEN_ENGLISH: Final = re.compile(
    r"(?i)(?:(?:the )?day (?:before yesterday|after tomorrow)|yesterday|today|to(?P<night>night)"
    r"|tomorrow|tmrw|(?:this past|this coming|last|this|next) "
    rf"(?:night|morning|afternoon|evening|weekend|week|month|year|(?P<weekday>{_DAYNAME})|{_WRITTEN_MONTH})"
    rf"|(?P<of>{_DAYNAME}) of (?:last|this|next) week"
    r"|(?P<long>(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}) "
    r"(?:(?P<years>years?)|months?) ago)"
    r"|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}) "
    r"(?:days?|(?P<about>weeks?)) ago)"
    rf"(?: (?P<part>morning|afternoon|evening|night))?(?P<clock>{_ENGLISH_CLOCK}?)"
)
_ENGLISH_RANGE: Final = re.compile(
    rf"(?i)(?:yesterday|today|tomorrow) (?:to|until|till|through) (?:tomorrow|{_DAYNAME})"
)
_WRITTEN_PART: Final = re.compile(r"(?i)\b(night|morning|afternoon|evening)\b")
_A_DATE: Final = re.compile(
    rf"(?i)\d{{1,2}}\s?월|[가-힣]{{1,2}}월\s?[가-힣]{{1,4}}일|\b{_WRITTEN_MONTH}\b|\d{{1,2}}/\d{{1,2}}"
)
_MOVES: Final = re.compile(
    r"(?i)지난|저번|이번|요번|다음|담|오는|작년|올|내년|내달|이달|금주|차주|(?<!오)[전후]|뒤|날"
    r"|\b(?:last|next|this|coming|past|previous|ago|later|first|second|third|fourth|eve)\b"
)
# "the 9th, a Friday": the day of the week settles which month it is.
_SETTLED: Final = re.compile(
    rf"(?<![\d.,:/월])(?<!월 )(?P<ko>\d{{1,2}})일\s?\(?(?P<weekday>[{_WEEKDAYS}])(?:요일|욜|\))"
    rf"|(?i:\b(?P<named>{_DAYNAME}),? the (?P<en>\d{{1,2}})(?:st|nd|rd|th)\b(?! of))"
)
_LEADS: Final = re.compile(
    r"(?i)\b(?:on|by|until|till|since|from|before|after|for|of|to|through|in|during|around|between"
    r"|and)\s+$"
)
_ON_OR_IN: Final = re.compile(r"(?i)\b(?:on|in|at|over)\s+$")
_SUBJECT: Final = re.compile(r"(?i)\s+(?:is|was|were|will|turned|felt|went|would)\b")
# "a week today", "a fortnight on Tuesday": not the day that is named.
_COUNTS_ON: Final = re.compile(
    r"(?i)\b(?:weeks?|fortnights?|days?|months?)(?: (?:from|on|after|before))?\s+$"
)
_COUNTED_ON: Final = re.compile(r"(?i)['’]s\b|\s+week\b|전?\s?까지\s?는?\s?\S+한테")
_OPEN_PARTS: Final = _LISTS.pairs("open_parts")


@dataclass(frozen=True, slots=True)
class DatedText:
    """When a text was told, by the clock of its teller; `recurs`: a weekday in it is every one."""

    at: datetime
    recurs: bool = False


def dated(text: str, told: DatedText) -> str | None:
    """Return a text with its days written out, None where it cannot be told whole and true."""
    plain = fold(text).strip()
    found = [(each.at, each.at + len(each.words), each) for each in spans(plain, told.at)]
    edits = list(_settled(plain, found, told.at.date()))
    taken = [(start, end) for start, end, _ in edits]
    edits += [
        (start, end, _written(plain, start, end, span, told))
        for start, end, span in found
        if not any(start < last and first < end for first, last in taken)
    ]
    edits.sort()
    if not all(new for _, _, new in edits) or _depends_on_whom(plain):
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
    loose = [*_KOREAN_LOOSE.finditer(rest), *_ENGLISH_LOOSE.finditer(rest)]
    return not recurs and not all(_again(rest, *each.span()) for each in loose)


def _again(text: str, start: int, end: int) -> bool:
    """Say whether a day comes back: every Friday, 매달 9일."""
    return _AGAIN.search(text, max(0, start - _BESIDE), end + _BESIDE) is not None


def _depends_on_whom(text: str) -> bool:
    """Say whether someone is spoken of who is not named."""
    if _SOMEONE.search(text):
        return True
    found = _HE_OR_SHE.search(text)
    return found is not None and not _SOMEBODY.search(text[: found.start()])


def _edited(text: str, edits: Sequence[Edit]) -> str:
    made, at = "", 0
    for start, end, new in edits:
        made += text[at:start] + new
        at = end
        if "가" <= new[-1] <= "힣" and closing(new[-1]) and not closing(text[end - 1]):
            # 어제는, but 4일은.
            for open, closed in _OPEN_PARTS.items():
                if text.startswith(open, end):
                    made, at = made + closed, end + len(open)
                    break
    return made + text[at:]


# -- one expression -------------------------------------------------------------------------------


def _written(text: str, start: int, end: int, span: Span, told: DatedText) -> str:
    """Return the words of one span written out; the words themselves where they need nothing."""
    words, before, after = text[start:end], text[:start], text[end:]
    if _COUNTS_ON.search(before) or _COUNTED_ON.match(after):
        return ""
    moves = _MOVES.search(words)
    if _WRITTEN_YEAR.search(words) and not moves:
        return words
    if found := _WRITTEN_KOREAN.fullmatch(words):
        # "심사 2주 전까지" counts from what is to come.
        return (
            "" if words.endswith("전") and after.startswith("까지") else _korean_dates(found, span)
        )
    if found := _WRITTEN_ENGLISH.fullmatch(words):
        return _english_dates(found, span, before, after, told)
    if _KOREAN_RANGE.fullmatch(words):
        return f"{_korean_day(span.start)}부터 {_korean_day(span.end - _WRITTEN_DAY)}"
    if _ENGLISH_RANGE.fullmatch(words):
        made = f"{_english_day(span.start)} to {_english_day(span.end - _WRITTEN_DAY)}"
        return made if _LEADS.search(before) else f"from {made}"
    if moves or len(words) > 40 or "\n" in words:
        return ""
    if _A_DATE.search(words):
        return _with_year(words, span, text, told)
    # A holiday has a name, and needs no day; an hour or a weekday alone does.
    return "" if re.search(r"\d|요일|욜|시|am|pm|day\b|주|오[전후]", words) else words


def _with_year(words: str, span: Span, text: str, told: DatedText) -> str:
    """Return a date with its year, where that is plain; a birthday has none."""
    if abs(span.start - told.at) > _WRITTEN_NEAR or DATE_IS_IT.search(text):
        return words
    year = span.start.year
    if _HANGUL.search(words):
        return f"{year}년 {words}"
    if "/" in words:
        return words
    day_last = rf"(?i)({_WRITTEN_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?)(?!\d)"
    if re.search(day_last, words):
        return re.sub(day_last, rf"\1, {year}", words, count=1)
    return re.sub(rf"(?i)\b({_WRITTEN_MONTH})\b", rf"\1 {year}", words, count=1)


def _korean_dates(found: re.Match[str], span: Span) -> str:
    if found["long"]:
        month = "" if found["years"] else f" {span.start.month}월"
        return f"{span.start.year}년{month}"
    clock = " 밤" if found["night"] else found["clock"].removeprefix("에")
    if clock and not clock.startswith((" ", ",")):
        clock = f" {clock}"
    if span.end - span.start > _WRITTEN_DAY:
        return _korean_span(span) if not clock else ""
    if found["about"]:
        return f"{_korean_day(span.start)}쯤{clock}"
    named = re.search("요일|욜", found[0]) or re.search(
        f"주의?\\s?[{_WEEKDAYS}](?![가-힣])", found[0]
    )
    weekday = f" {_WEEKDAYS[span.start.weekday()]}요일" if named else ""
    return f"{_korean_day(span.start)}{weekday}{clock}"


def _korean_span(span: Span) -> str:
    first, last = span.start, span.end - _WRITTEN_DAY
    days = (span.end - span.start).days
    if (first.day, span.end.day) == (1, 1):
        if (first.month, days) in ((1, 365), (1, 366)):
            return f"{first.year}년"
        return f"{first.year}년 {first.month}월" if last.month == first.month else ""
    if days == _WEEK and first.weekday() == 0:
        return f"{_korean_day(first)} 주"
    if first.weekday() == 5 and days == 2:
        return f"{_korean_day(first)} 주말"
    return ""


def _korean_day(at: datetime | date) -> str:
    return f"{at.year}년 {at.month}월 {at.day}일"


def _english_dates(
    found: re.Match[str], span: Span, before: str, after: str, told: DatedText
) -> str:
    same_week = span.start.isocalendar()[:2] == told.at.isocalendar()[:2]
    if found[0].lower().startswith("next ") and found["weekday"] and same_week:
        return ""  # of this week or of the next: people mean both
    lead, made = _on_or_in(found, span)
    if not made or (found["clock"] and lead != "on"):
        return ""
    made += found["clock"]
    at_start = not before.strip() or before.rstrip()[-1:] in ".!?"
    led = _LEADS.search(before)
    if (led and not (_ON_OR_IN.search(before) and lead == "in")) or (
        at_start and _SUBJECT.match(after)
    ):
        return made
    return f"{lead.capitalize() if at_start and found[0][:1].isupper() else lead} {made}"


def _on_or_in(found: re.Match[str], span: Span) -> tuple[str, str]:
    """Return the preposition and the words of a span, "" for one that has no plain words."""
    first, last = span.start, span.end - _WRITTEN_DAY
    days = (span.end - span.start).days
    if found["long"]:
        month = "" if found["years"] else f"{month_name[first.month]} "
        return "in", f"{month}{first.year}"
    if days > 1:
        if (first.day, span.end.day) == (1, 1):
            if (first.month, days) in ((1, 365), (1, 366)):
                return "in", f"{first.year}"
            same = last.month == first.month
            return "in", f"{month_name[first.month]} {first.year}" if same else ""
        if days == _WEEK and first.weekday() == 0:
            return "in", f"the week of {_english_day(first)}"
        if first.weekday() == 5 and days == 2:
            return "on", f"the weekend of {_english_day(first)}"
        return "", ""
    day = _english_day(first)
    if found["about"]:
        return "around", day
    if found["weekday"] or found["of"]:
        day = f"{_ENGLISH_WEEKDAYS[first.weekday()]} {day}"
    if part := found["part"] or found["night"] or _WRITTEN_PART.search(found[0]):
        name = part if isinstance(part, str) else part[0]
        return "on", f"the {name.lower()} of {day}"
    return "on", day


def _english_day(at: datetime | date) -> str:
    return f"{at.day} {month_name[at.month]} {at.year}"


# -- "30일 토요일", "Thursday the 12th" ------------------------------------------------------------


def _settled(text: str, found: Sequence[tuple[int, int, Span]], today: date) -> Iterator[Edit]:
    """Give a day of a month its month, where a day of the week settles which one it is."""
    dates = [(start, end) for start, end, _ in found if _A_DATE.search(text[start:end])]
    for match in _SETTLED.finditer(text):
        at, after = match.span()
        if any(at < end and start < after for start, end in dates) or _again(text, at, after):
            continue
        near = _nearest(int(match["ko"] or match["en"]), match["weekday"] or match["named"], today)
        if near is None:
            yield at, after, ""
        elif match["ko"]:
            yield at, after, f"{_korean_day(near)} {_WEEKDAYS[near.weekday()]}요일"
        else:
            yield at, after, f"{_ENGLISH_WEEKDAYS[near.weekday()]} {_english_day(near)}"


def _nearest(day: int, weekday: str, today: date) -> date | None:
    """Return the nearest such day of a month that falls on such a day of the week."""
    names = _WEEKDAYS if weekday in _WEEKDAYS else [each.lower() for each in _ENGLISH_WEEKDAYS]
    wanted = names.index(weekday.lower())
    here = today.year * 12 + today.month - 1
    days = []
    for year, at in (divmod(here + step, 12) for step in (-1, 0, 1, 2)):
        with contextlib.suppress(ValueError):  # not every month has a 31st
            days.append(date(year, at + 1, day))
    fitting = [each for each in days if each.weekday() == wanted]
    return min(fitting, key=lambda each: abs(each - today), default=None)


# ---- The wish to keep something taken off what is to be kept: "기억해줘", "remember this:".

# ---- Korean
_KEEP: Final = (
    r"(?:기억해|기억\s해|외워|적어|메모해|저장해|명심해|기록해|새겨)\s?(?:줘요?|주세요|주라|달라|둬요?|두세요|놔요?|놓아|줄래요?|줘라)"
    r"|기억하고\s있어\s?(?:줘요?|주세요)?|명심해요?|잊지\s?(?:마요?|마라|마세요|말아\s?(?:줘요?|주세요)?|말아요?)|까먹지\s?(?:마요?|마세요)"
)
_THIS: Final = (
    r"(?:(?:꼭|제발|부디|이거|이건|이것|이것만은?|이\s말|이\s사실(?:은|을)?|이걸|그거|그건"
    r"|이\s점)\s*)*"
)
_ONLY: Final = re.compile(rf"{_THIS}(?:{_KEEP}|기억해요?)[\s.!~]*")
_LEAD: Final = re.compile(rf"^{_THIS}(?:{_KEEP}|기억해요?)\s*[.,:!~–-]+\s*")
_CLAIM: Final = re.compile(
    rf"(?P<head>.*(?:다|라))(?:는|고)\s?(?:거|걸|것을?|점을?|사실을?)?[,\s]*{_THIS}(?:{_KEEP}|기억해요?)[\s.!~]*"
)
_TAIL: Final = re.compile(
    rf"(?P<head>.*[,;.!]|.*[가-힣](?:다|어|아|야|요|해|지|임|음))\s*{_THIS}(?:{_KEEP})[\s.!~]*"
)
_WISHES_SUBJECT: Final = re.compile(r"[가-힣]+(?:은|는|이|가)\s")

# ---- English
_THAT: Final = r"(?:this|that|it|the following|these things)"
_ASK: Final = (
    r"(?:please |pls |always |and |so |just |make sure (?:to |you )|i (?:want|need) you to"
    r" |can you )*"
    r"(?:remember|keep in mind|bear in mind|note|don['’]?t (?:ever )?forget|never forget"
    r"|make a note|memori[sz]e)"
)
_ENGLISH_ONLY: Final = re.compile(
    rf"{_ASK}(?: {_THAT})?(?:,? (?:please|ok|okay|for me|for later))*[\s.!]*", re.IGNORECASE
)
_ENGLISH_LEAD: Final = re.compile(
    rf"^{_ASK}(?: {_THAT})?(?: for me| for later)?\s*(?::|,|–|-| that\b|(?<=this)\s)\s*(?=\S)",
    re.IGNORECASE,
)
_ENGLISH_TAIL: Final = re.compile(
    rf"(?P<head>.*?\w)\s*[,;–-]+\s*{_ASK}(?: {_THAT})?(?:,? (?:please|ok|okay))?[\s.!]*",
    re.IGNORECASE,
)


def without_wish(text: str) -> str:
    """Return a text without the words that only ask to keep it; the text itself if none do."""
    folded = fold(text).strip()
    kept = [bare for each in sentences(folded) if (bare := _bare(each))]
    joined = " ".join(kept)
    if joined == " ".join(folded.split()) or not any(letter.isalnum() for letter in joined):
        return folded
    return joined


def _bare(sentence: str) -> str:
    if _HANGUL.search(sentence):
        return _without_korean_wish(sentence)
    if _ENGLISH_ONLY.fullmatch(sentence):
        return ""
    bare = _ENGLISH_LEAD.sub("", sentence)
    if found := _ENGLISH_TAIL.fullmatch(bare):
        return found["head"]
    return bare[0].upper() + bare[1:] if bare != sentence and sentence[0].isupper() else bare


def _without_korean_wish(sentence: str) -> str:
    if _ONLY.fullmatch(sentence):
        return ""
    bare = _LEAD.sub("", sentence)
    if found := _CLAIM.fullmatch(bare):
        return _told(found["head"])
    if (found := _TAIL.fullmatch(bare)) and len(found["head"]) > 3:
        return found["head"].rstrip(" ,;")
    return bare


def _told(head: str) -> str:
    """Return a clause that was quoted as one that is told: 왼손잡이라(는 거) becomes 왼손잡이다."""
    if head.endswith("이라") and len(head) > 2 and closing(head[:-2] or "가") != 0:
        return head[:-1] + "다"
    return head[:-1] + "다" if head.endswith("라") else head
