"""The occasion of a memory taken off its words: "어제", "on Feb 15", "기억해줘".

A date that is itself what is remembered (a birthday, a deadline, an appointment, "since 2019",
"every Friday", what is still to come) stays.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.verbs import is_irregular
from saegim.language.ko.forms__endings import is_past
from saegim.language.ko.verbs import closing
from saegim.language.sentences import borders
from saegim.memory.keys import fold
from saegim.memory.late import late

_HANGUL: Final = late("[가-힣]")
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
_KOREAN: Final = late(
    rf"(?<![0-9A-Za-z가-힣(\[\"'“‘./-])(?:(?P<lately>{_AGO}|{_LATELY})|(?P<date>{_DATE}|{_WEEKDAY}))"
    rf"(?:\s?\({_WEEKDAY[:11]}(?:요일)?\))?(?:\s?{_MORE})*(?:쯤|경|무렵|께)?"
    r"(?:에는|에도|에야|에서야|에|엔|은|는|도)?(?P<after>,?\s+|,|:\s*)"
)
# Where one of these is spoken of, the date is what is remembered.
DATE_IS_IT: Final = late(
    r"생일|생신|기념일|마감|기한|데드라인|만료|유효\s?기간|(?<![가-힣])(?:기일|제사)|데뷔일|출시일|개봉일|예정일|제출일|납기"
    r"|\b(?:birthdays?|anniversary|anniversaries|deadlines?|due(?! to)|expires?|expiry|born)\b",
    re.IGNORECASE,
)
_KEEPS: Final = late(
    r"매주|매일|매달|매월|매년|격주|마다|항상|언제나|(?<!오)늘\s|평소|보통은"
    r"|내일|모레|글피|다음\s?(?:주|달|번|해|학기|주말|[월화수목금토일]요일)|내년|이따|예정|계획|[가-힣]\s거(?:야|다|예요)|기로\s했"
)
_FIXED: Final = late(
    "예약|약속|일정|면접|시험|수술|진료|회의|미팅|결혼식|발표|출국|귀국|비행기|기차"
)
_IS_THERE: Final = late("있|잡혔|잡혀|이다|이야|임|예요|입니다|간다|가야|해야|봐야")
_WORDS: Final = late("[가-힣]+")

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
_ENGLISH: Final = late(
    rf"(?P<sep>^|(?<=[\s(])|,\s*)(?:(?P<lately>{_RECENT})|(?P<date>{_DATED})){_AT}(?P<after>\s*[,:]\s+|(?=[\s.!?;,)]|$))",
    re.IGNORECASE,
)
_HELD: Final = late(
    r"(?:\b(?:since|until|till|by|before|after|from|to|for|every|each|of|the|my|our|your|his|her|their|a|an"
    r"|next|than|is|was|are|were|be|been|born|due|spend|spent|spending|remember|remembered|love|loved"
    r"|hate|hated|enjoy|enjoyed|miss|missed|like|liked|between|through|about|called|named|version)"
    r"|[-/(\"“])\s*$",
    re.IGNORECASE,
)
_TAKEN_UP: Final = late(
    r"\s*(?:['’]s\b|(?:is|was|were|are|will|has|had|went|felt|seems|seemed|turned)\b|to\b|-|through\b|until\b)",
    re.IGNORECASE,
)
_ENGLISH_KEEPS: Final = late(
    r"\b(?:every|each|always|usually"
    r"|whenever|tomorrow|next|upcoming|will|going to|gonna|scheduled|planned for|plans? to"
    r"|starts? on|ends? on)\b|['’]ll\b",
    re.IGNORECASE,
)
_ENGLISH_FIXED: Final = late(
    r"\b(?:appointments?|interviews?|meetings?|flights?|exams?|reservations?|bookings?|weddings?|surgery)\b",
    re.IGNORECASE,
)
_NEAR: Final = 24
_ENGLISH_WORD: Final = late(r"[A-Za-z]+(?:['’]t)?")


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


_GAPS: Final = late(r"\s+")
_BEFORE_MARK: Final = late(r"\s+([,.!?;])")
_LEADING: Final = late(r"^[\s,;:]+")
_DOUBLE: Final = late(r",\s*([.,!?])")


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
