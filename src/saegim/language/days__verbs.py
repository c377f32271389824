"""Verbs around a time word: which tense they show, and what makes a count start elsewhere."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from saegim.language.days__pieces import FUTURE, OPEN, PAST, either
from saegim.memory.late import late

# Every syllable that closes with ㅆ marks the past, except 있 and 겠.
_PAST: Final = "".join(
    chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28) if chr(code) not in "있겠"
)
_WILL: Final = "".join(chr(code) for code in range(0xAC00 + 8, 0xD7A4, 28))  # closes with ㄹ
_STOP: Final = r"(?=[\s.!?~,ㅋㅎㅠ]|$)"
_KOREAN: Final = (
    rf"(?P<future>[{_PAST}]으면\s?(?:좋|하|해)|기로\s?(?:하|했|한|함|할|정|약속|결정|합의)|려고(?!\s?했)|려면|겠"
    rf"|[{_WILL}](?:게요?{_STOP}(?!\s?[되됐된했하만])|께요?{_STOP}|래요?{_STOP}|까요?{_STOP})(?<![알길멀]게)(?<!빨래)"
    rf"|[{_WILL}]\s?(?:거(?:야|예|에|고|니|라|지|죠|임|같|다|{_STOP})|것\s?(?:이|입|같)|겁니|건데|텐데)"
    rf"|[{_WILL}]\s?(?:예정|계획|생각|작정)|예정(?!이었)|계획(?!이었)"
    rf"|[가-힣]야\s?(?:해|돼|하|한|할|함|됩|되|됨|겠)"
    r"|[가-힣](?<![남여의피과부사모숫감상혼글환기학타])자(?=[\s.!?~ㅋㅎ]*$)"
    r"|세요|십시오|시다(?![가-힣])|[아어해]\s?(?:줘|주라|다오))"
    rf"|(?P<past>[{_PAST}]|더라|던데|던\s)"
)


# Moved to Tuesday: the verb tells when it was moved, not when it will be.
_KOREAN_MOVED: Final = late(
    r"(?:으로|로|에서)\s?(?:[가-힣]+(?:으로|로)\s?)?"
    r"(?:옮|미뤄|미루|밀[렸려]|연기|변경|바뀌|바뀐|바꾸|바꿔|바꿨|당[겨겼]|앞당|조정|잡[았혔히])"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile one of the two large patterns, not before a text needs it."""
    return re.compile(pattern)


def korean_tenses(sentence: str) -> list[tuple[int, int]]:
    """Return where the verbs of a sentence show their tense, and which it is."""
    return [
        (found.start(), FUTURE if found["future"] else PAST)
        for found in _compiled(_KOREAN).finditer(sentence)
    ]


def korean_moved(sentence: str, at: int) -> bool:
    """Say whether the words from a place on tell that something was moved to or from it."""
    return _KOREAN_MOVED.match(sentence, at) is not None


_AND_THEN: Final = late(r"(?<!그리)고[ \u00a0]{1,2}$")
# A count before or after an event counts from that event, not from the one who tells it.
_EVENT: Final = late(
    r"(?:[하가오되나보먹내들치르리지]기|[은는한된진난간온] 지|시험|수술|결혼식?|출근|퇴근|출발|마감"
    r"|졸업식?|입학|출산|출국|면접|발표|회의|생일|입사|퇴사|개강|방학|공연|대회|경기|계약|만기|도착"
    r"|식사|취침|출시|개봉|선거|사고|기한|시간)[ \u00a0]{1,2}$"
)


def counted_from_event(text: str, at: int, *, ahead: bool) -> bool:
    """Say whether the words before a count ("시험 | 3일 전") make it count from an event."""
    begin = max(0, at - 8)
    if ahead and _AND_THEN.search(text, begin, at):
        return True
    return _EVENT.search(text, begin, at) is not None


# Past forms that the ending does not show.
_PASTS: Final = either(
    str.split("""was were wasn't weren't did didn't had hadn't went met saw got bought came took
    made said told left ate gave found began knew thought broke lost won sent paid felt ran
    wrote spoke slept drove flew drank became kept held heard built sold taught caught fell
    fought forgot grew led meant rang rose sang sat shot stood stole swam threw understood
    woke wore spent rode""")
)
_ENGLISH: Final = (
    r"(?a)\b(?:(?P<future>(?:will|shall|gonna|going to|won['’]t|plan(?:s|ning)? to|needs? to"
    r"|ha(?:ve|s) to|must|should|let['’]?s|wants? to|hop(?:e|es|ing) to|remind me|due|deadline"
    r"|(?:is|are|am) (?:scheduled|planned|expected|set|supposed|booked|slated)"
    r"|(?:am|is|are) (?:not )?(?!being|having)\w+ing|see you|can you|could you|please"
    r")(?: (?:not |also )?be \w+ed)?\b)"
    r"|(?P<open>(?:am|is|are|be|being)(?: (?:so|very|really|not|too|a bit))? \w+ed\b)"
    r"|(?P<past>(?:(?:have|has|had)(?:n['’]t| not| never| already| just| only| also)?"
    r" (?:been|had|done|gone|seen|met|made|taken|got|gotten|lost|left|found|known|heard|\w+ed)"
    rf"|{_PASTS}|(?<!to )(?:quit|cut|hurt|read)"
    r"|(?!need|feed|seed|speed|exceed|indeed|hundred|proceed|embed|shed|breed|bleed)\w{2,}ed)\b))"
    r"|(?<=[a-z])['’](?:(?P<soon>ll\b|(?:m|s|re) (?:not )?(?!being|having)\w+ing\b)"
    r"|(?P<adjective>(?:m|s|re)(?: (?:so|very|really|not|too))? \w+ed\b)"
    r"|(?P<perfect>ve \w+(?:ed|en|ne)\b))"
    r"|^(?P<going>\w{3,}ing\b)"
)
# Moved to Tuesday: the verb tells when it was moved, not when it will be.
_ENGLISH_MOVED: Final = late(
    r"(?a)\b(?:moved|pushed|postponed|rescheduled|changed|delayed|switched|shifted|bumped)"
    r"(?: \w+){0,3} (?:to|from|until|till) (?:the )?$"
)


def english_tenses(sentence: str) -> list[tuple[int, int]]:
    """Return where the verbs of a sentence show their tense, and which it is."""
    result = []
    for found in _compiled(_ENGLISH).finditer(sentence):
        if found["open"] or found["adjective"]:
            tense = OPEN
        else:
            tense = PAST if found["past"] or found["perfect"] else FUTURE
        result.append((found.start(), tense))
    return result


def english_moved(sentence: str, at: int) -> bool:
    """Say whether the words before a place tell that something was moved to or from it."""
    return _ENGLISH_MOVED.search(sentence, max(0, at - 60), at) is not None
