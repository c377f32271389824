"""The words of a question: those that only ask, and stretches of time that no telling text means.

A text that tells says when it happened (`language.times`); who asks looks back over a whole
season, a quarter or "the last two weeks", and takes a stretch too wide rather than too narrow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from saegim.language import days as verbs
from saegim.language.days import ENGLISH, KOREAN, PAST, either
from saegim.language.en import words as english
from saegim.language.ko import words as korean
from saegim.language.ko.verbs import known_stems
from saegim.language.ko.words import Weight
from saegim.language.times import Span
from saegim.language.word_lists import read_lists
from saegim.language.words import runs
from saegim.memory.text import lazy_pattern

_LISTS: Final = read_lists("both/questions")

_LIGHT_NOUNS: Final = _LISTS.words("light_nouns")
_LIGHT_STEMS: Final = _LISTS.words("light_stems")
_LIGHT_ENGLISH: Final = _LISTS.words("light_english")
_BROAD_NOUNS: Final = _LISTS.words("broad_nouns")
_BROAD_STEMS: Final = _LISTS.words("broad_stems")
_BROAD_ENGLISH: Final = _LISTS.words("broad_english")
# Asks for the whole of something: its summary, its course, its order.
_BROAD: Final = lazy_pattern(
    r"요약(?:본|(?:을|도)?\s?(?:좀\s?)?(?:해|하|부탁)|[\s?!.]*$)|간추려|총정리|한눈에|훑어|정리해"
    r"|(?:순서|차례|시간순?)(?:대로|으로)|(?:변해|바뀌어|이어져|해)\s?왔"
    r"|(?:흐름|과정|변화|개요|진행 ?상황)(?:을|를|이|은)?\s?(?:좀\s?)?"
    r"(?:알려|말해|설명|정리|보여|어떻|뭐|얘기)"
    r"|(?i:\bsummar(?:y|i[sz]e[sd]?|ies|i[sz]ing)\b|\brecap\b|\boverview\b|\bwalk me through\b"
    r"|\bin (?:what |which |chronological )?order\b|\border (?:in which|that)\b|\bchronological"
    r"|\b(?:evolved?|progress(?:ed)?|changed) (?:over|throughout|across|during)\b|\btimeline of\b)"
)
# What an agent is asked to do again or to repeat: what it gave, made or said.
_YOU_SAID: Final = lazy_pattern(
    r"(?i)\byou (?:just |had |have |once |already )?"
    r"(?:recommend|suggest|propos|advis|t(?:ell|old) me|mention|g[ia]ve (?:me|us)|wr[io]te|ma[kd]e"
    r"|list|explain|draft|c[ao]me up with|sa(?:y|id)\b(?! (?:i|my|we|our|he|she|they)\b))"
    r"|\byour (?:own )?(?:recommend|suggest|advice|answer|repl|list|draft|plan|explan|idea)"
)
_GIVEN: Final = lazy_pattern(
    r"(?:(?P<who>[가-힣]+)(?:가|이|께서)\s(?:[가-힣]+\s)?)?"
    r"(?:(?:추천|제안|조언|설명|요약|정리|번역|계산|말|얘기)\s?(?:해\s?(?P<gave>줬|준|주신|주셨)|했|한|하신)"
    r"|(?:알려|골라|찾아|써|적어|짜|만들어|뽑아)\s?(?P<made>줬|준|주신|주셨))"
)
_YOU: Final = frozenset("네 니 너 당신 자네 새김".split())
_REQUEST: Final = lazy_pattern(
    r"(?:알려|말해|찾아|보여|정리해|요약해|설명해|얘기해|이야기해|들려|기억해|읽어)\s?"
    r"(?:줘요?|주세요|줄래요?|주라|주겠니|줄 수 있\w*|봐요?|달라\w*)"
    r"|(?i:\b(?:(?:can|could|would|will) you|please|remind me(?: of)?|let me know)\b)"
)
# "early March" and "3월 말" have no borders; a question that names them means a part of the whole.
_NAMED: Final = r"last|this|next|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d{4}\b"
_VAGUE: Final = lazy_pattern(
    r"(?:(?<=[월달년해])\s?|(?<=주)\s)(?:초반?|중반|후반|말)(?=에|엔|쯤|경|까지|부터|의|\s|[?.!,]|$)"
    r"|(?<=[월달])\s?(?:[첫둘셋넷]째|다섯째|마지막)\s?주(?:쯤|말)?(?![가-힣]{3})"
    r"|(?<![가-힣])(?:약|대략|거의|한)\s?(?=\d{1,2}\s?(?:주|달|개월|년))"
    r"|(?<=[주달월년] 전)\s?(?:쯤|정도|즈음|경)|(?<=[주달월년])쯤(?=\s?전)"
    rf"|(?i:\b(?:early|late|mid)(?:[ -]in)?[ -](?={_NAMED}))"
    r"|(?i:\b(?:the )?(?:beginning|start|end|middle|rest|(?:first|second) half|(?:first|last) week)"
    rf" of (?=(?:the )?(?:{_NAMED})))"
    r"|(?i:\b(?:about|around|roughly|almost|nearly) (?=(?:\d{1,2}|an?|[a-z]{3,6}) "
    r"(?:week|month|year)s? ago\b))"
)

# No memory is older: "before 2020" begins here.
_EARLIEST: Final = 1900
_KOREAN_COUNTS: Final = _LISTS.numbers("korean_counts")
_ENGLISH_COUNTS: Final = _LISTS.numbers("english_counts")
_NUMBERS: Final = {"": 1, **_KOREAN_COUNTS, **_ENGLISH_COUNTS}
# First month and number of months. Seasons as weather offices of the north count them; a winter
# begins in the year by which it is called.
_MONTHS: Final = {
    **dict.fromkeys(("봄", "spring"), (3, 3)),
    **dict.fromkeys(("여름", "summer"), (6, 3)),
    **dict.fromkeys(("가을", "autumn", "fall"), (9, 3)),
    **dict.fromkeys(("겨울", "winter"), (12, 3)),
    "상반기": (1, 6),
    "하반기": (7, 6),
    **{f"{at}분기": (3 * at - 2, 3) for at in range(1, 5)},
    **{f"q{at}": (3 * at - 2, 3) for at in range(1, 5)},
}
_YEARS: Final = _LISTS.numbers("years")
_TURNS: Final = _LISTS.numbers("turns")
_UNITS: Final = _LISTS.pairs("units")
_END: Final = r"(?=에|엔|의|동안|때|방학|휴가|이후|부터|까지|[^가-힣]|$)"
_STRETCH: Final = lazy_pattern(
    r"(?<![가-힣])(?:(?P<recent>최근|지난)\s?(?P<count>\d{1,3}|"
    rf"{either(_KOREAN_COUNTS)})\s?(?P<unit>주일|주간|개월|시간|일|주|달|년)"
    r"(?P<sure>\s?(?:동안|간(?![가-힣])|사이|내내|이내))?(?!\s?[전후뒤차째]|\s?월|요일)"
    r"|(?:(?P<year>\d{4})년?\s?|(?P<years>재작년|작년|지난해|올해|금년|내년|올)\s?"
    r"|(?P<turn>지난|저번|이번|다음)\s?)?"
    rf"(?P<season>봄|여름|가을|겨울|상반기|하반기|[1-4]\s?분기|분기){_END}"
    r"|(?P<weekend>주말)(?=에|엔|\s?동안))"
    rf"|(?ai:\b(?:(?:the )?(?:(?:last|past|previous) (?P<n>\d{{1,3}}|{either(_ENGLISH_COUNTS)})"
    r"|(?<!\w)(?:this )?past) (?P<units>hour|day|week|month|year)s?"
    r"|(?:(?P<which>last|this|next|past) )?"
    r"(?P<quarter>spring|summer|autumn|winter|fall|q[1-4]|quarter)"
    r"(?: (?:of )?(?:(?P<in>\d{4})|(?P<said>(?:last|this|next) year)))?"
    r"|(?:(?:over|on|at|during) the|this past) (?P<rest>weekend)"
    r"|(?<=for )(?P<whole>(?:19|20)\d\d))\b)"
)
# Each stretch, each vague word and each time that hangs on a tense holds one of these.
_HINTS: Final = (
    *str.split("""월 요일 욜 전 초 말 중반 후반 지난 최근 봄 여름 가을 겨울 반기 분기 연휴 부터 까지
    이후 이래 last past prev week day month year ago spring summer autumn winter fall quarter q1 q2
    q3 q4 since befor after until till jan feb mar apr may jun jul aug sep oct nov dec 19 20"""),
    *{name[:3] for name in KOREAN},
    *{name[:6] for name in ENGLISH},
)
_AGO: Final = lazy_pattern(
    r"(?i)(?P<clock>.*(?:시간(?:\s?반)?|분|초)\s?전|.*\b(?:hour|hr|min|minute|sec|second)s? ago)"
    r"|.*(?:(?P<week>주일?|주간)|(?P<month>달|개월)|(?P<year>년|해))(?:\s?반)?\s{0,3}전"
    r"|.*\b(?:(?P<weeks>week|fortnight)|(?P<months>month)|(?P<years>year|decade))s?"
    r"(?: and a half)? ago"
)
_AFTER_WORDS: Final = lazy_pattern(
    r"[ \u00a0]{0,4}(?:(?P<since>부터|이후|이래)|(?P<before>이전|전(?=에|까지))|(?P<until>까지))"
)
_BEFORE_WORDS: Final = lazy_pattern(
    r"(?i)\b(?:(?P<since>since)|(?P<after>after)|(?P<before>before|prior to)|(?P<until>until|till))"
    r" (?:the )?(?:last )?$"
)
_BEFORE_SEASON: Final = lazy_pattern(r"(?i:\b(?:in|over|during|since) the |\bin )$")
_ONLY_SEASON: Final = frozenset("spring summer autumn winter fall".split())


def requests_blanked(text: str) -> str:
    """Return the text with spaces where it only bids someone answer: 정리해줘, could you."""
    return _REQUEST.sub(_blank, text)


def vague_blanked(text: str) -> str:
    """Return the text with its vague parts of months and years left out, all else in its place."""
    return _VAGUE.sub(_in, text)


def with_vague(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where time words stand together with the vague words before and behind them."""
    for found in _VAGUE.finditer(text, max(0, start - 40), end + 16):
        start = found.start() if found.end() == start else start
        end = found.end() if found.start() == end else end
    return start, end


def may_name_stretch(lowered: str) -> bool:
    """Say whether a text in small letters can hold anything of this file; most hold nothing."""
    return any(hint in lowered for hint in _HINTS)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _in(found: re.Match[str]) -> str:
    """Leave "in" before an English month: without it, March is no month."""
    size = len(found[0])
    return " " * (size - 3) + "in " if found[0].isascii() and size > 3 else " " * size


def topic_of(text: str) -> str:
    """Return what a question for the whole of something is about; "" for any other question.

    "Can you summarise everything about the move, in order?" is about the move: the rest would find
    whatever else was once summarised.
    """
    if _BROAD.search(text) is None:
        return ""
    told = [
        text[at : at + len(word)]
        for kind, word, at in runs(text)
        if not _is_light(kind, word) and not _is_frame(kind, word)
    ]
    return " ".join(told)


def _is_frame(kind: str, word: str) -> bool:
    if kind == "latin":
        return word.lower() in _BROAD_ENGLISH
    if kind not in ("hangul", "tail"):
        return word.isdigit()
    if any(f"~{stem}" in _BROAD_STEMS for stem in known_stems(word)):
        return True
    found = korean.read(word).asked
    nouns = ["".join([each[0] for each in one]) + one[-1][1:] for one in found]
    return word in _BROAD_NOUNS or (bool(nouns) and all(noun in _BROAD_NOUNS for noun in nouns))


def asks_for_the_agents_words(text: str) -> bool:
    """Say whether a question asks for what the agent said or made: 네가 추천한, you told me."""
    if _YOU_SAID.search(text):
        return True
    given = _GIVEN.search(text)
    if given is None or given["who"]:
        # What "I" or someone else recommended is a person's.
        return given is not None and given["who"] in _YOU
    return bool(given["gave"] or given["made"])


def only_asks(text: str) -> bool:
    """Say whether nothing in a text asks for anything in particular."""
    return all(_is_light(kind, word) for kind, word, _ in runs(text))


@lru_cache(maxsize=4096)
def _is_light(kind: str, word: str) -> bool:
    if kind in ("jamo", "emoji"):
        return True
    if kind == "latin":
        plain, mark, _ = word.lower().replace("’", "'").partition("'")
        plain = plain.removesuffix("n") if mark else plain  # didn't
        return plain in english.STOP or plain in english.QUESTION or plain in _LIGHT_ENGLISH
    if kind not in ("hangul", "tail"):
        return False
    found = korean.read(word)
    if found.weight is Weight.NOTHING or (kind == "tail" and korean.is_particle(word)):
        return True
    if any(f"~{stem}" in _LIGHT_STEMS for stem in known_stems(word)):
        return True
    if found.weight is Weight.LITTLE and not found.asked[0][0].startswith("~"):
        return True
    nouns = ["".join([each[0] for each in one]) + one[-1][1:] for one in found.asked]
    return bool(nouns) and all(noun in _LIGHT_NOUNS or noun in _LIGHT_STEMS for noun in nouns)


def stretches(text: str, now: datetime, *, ahead: bool) -> Iterator[Span]:
    """Give the stretches of time that a folded question names and a telling text would not."""
    for found in _STRETCH.finditer(text):
        try:
            ends = _stretch(found, now, ahead)
        except (ValueError, OverflowError):  # outside the calendar
            continue
        if ends and ends[0] < ends[1]:
            yield Span(*ends, words=found[0], at=found.start())


def _stretch(found: re.Match[str], now: datetime, ahead: bool) -> tuple[datetime, datetime] | None:
    if found["recent"] or found["units"]:
        return _recent(found, now)
    if found["weekend"] or found["rest"]:
        today = midnight(now)
        saturday = today - timedelta(days=(today.weekday() - 5) % 7)
        saturday += timedelta(days=7 * ahead if today.weekday() < 5 else 0)
        return saturday, saturday + timedelta(days=2)
    if found["whole"]:
        return months(now, int(found["whole"]), 1, 12)
    name = "".join((found["season"] or found["quarter"]).lower().split())
    turn = _TURNS.get((found["turn"] or found["which"] or "").lower())
    if name in ("분기", "quarter"):
        if turn is None:
            return None
        return months(now, now.year, (now.month - 1) // 3 * 3 + 1 + 3 * turn, 3)
    year = found["year"] or found["in"]
    said = (found["years"] or found["said"] or "").lower()
    if year or said:
        return months(now, int(year) if year else now.year + _YEARS[said], *_MONTHS[name])
    if turn is None and not _meant(found, name):
        return None
    return _nearest(now, name, turn if turn is not None else 1 if ahead else None)


def _recent(found: re.Match[str], now: datetime) -> tuple[datetime, datetime] | None:
    """Return the last so many days, weeks, months or years, today included."""
    said = (found["count"] or found["n"] or "").lower()
    count = int(said) if said.isdecimal() else _NUMBERS[said]
    unit = _UNITS.get(found["unit"] or "") or found["units"].lower()
    if found["recent"] == "지난" and unit == "day" and not found["sure"]:
        return None  # 지난 3일 is also the third of the month
    if unit == "hour":
        return now - timedelta(hours=count), now
    today = midnight(now)
    if unit in ("day", "week"):
        start = today - timedelta(days=count * (7 if unit == "week" else 1))
    else:
        start = months(now, now.year, now.month - count * (12 if unit == "year" else 1), 1)[0]
        start += timedelta(days=min(now.day, 28) - 1)
    return start, today + timedelta(days=1)


def _meant(found: re.Match[str], name: str) -> bool:
    """Say whether a season without a year is one that was, and not a name or a habit."""
    text, at = found.string, found.start()
    if name not in _ONLY_SEASON:
        lasts = text.startswith(("에", "엔", "동안"), found.end())
        return lasts or name not in ("봄", "여름", "가을", "겨울")
    if not _BEFORE_SEASON.search(text, max(0, at - 12), at):
        return False
    return any(tense == PAST for _, tense in verbs.tenses(text.lower(), "en"))


def _nearest(now: datetime, name: str, turn: int | None) -> tuple[datetime, datetime] | None:
    """Return the season or quarter that "last", "this" or "next" means, else the last begun."""
    near = [months(now, now.year + away, *_MONTHS[name]) for away in (-2, -1, 0, 1, 2)]
    if turn == 1:
        return next(each for each in near if each[0] > now)
    if turn == 0:
        inside = [each for each in near if each[0] <= now < each[1]]
        return inside[0] if inside else near[2]
    return [each for each in near if (each[1] if turn else each[0]) <= now][-1]


def widened(span: Span, text: str, now: datetime) -> Span:
    """Return a span as a question means it: a count as its whole unit, "since" until today."""
    try:
        start, end = _unit(span, now)
        if start > now:
            return span
        after = _AFTER_WORDS.match(text, span.at + len(span.words))
        if after and "부터" in span.words:  # it has both its ends
            return span
        found = after or _BEFORE_WORDS.search(text, max(0, span.at - 20), span.at)
        said = found.lastgroup if found else None
        if said in ("since", "after"):
            start, end = (start if said == "since" else end), midnight(now) + timedelta(days=1)
        elif said in ("before", "until") and (said == "before" or end <= now):
            end = start if said == "before" else end
            start = midnight(now).replace(year=_EARLIEST, month=1, day=1)
        return replace(span, start=start, end=end) if start < end else span
    except (ValueError, OverflowError):  # outside the calendar
        return span


def _unit(span: Span, now: datetime) -> tuple[datetime, datetime]:
    """Return the week, month or year of "two … ago"; for hours, twice as long ago until now."""
    start = span.start
    counted = _AGO.fullmatch(span.words)
    if counted is None or start >= now:
        return start, span.end
    if counted["clock"]:
        return start - (now - start), now
    if counted["week"] or counted["weeks"]:
        monday = start - timedelta(days=start.weekday())
        return monday, monday + timedelta(days=7)
    if counted["month"] or counted["months"]:
        return months(start, start.year, start.month, 1)
    return months(start, start.year, 1, 12)


def midnight(now: datetime) -> datetime:
    """Return the beginning of the day."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def months(now: datetime, year: int, month: int, count: int) -> tuple[datetime, datetime]:
    """Return so many whole months from one on, in the zone of `now`; month 0 is last December."""
    first, after = (divmod(year * 12 + month - 1 + step, 12) for step in (0, count))
    one, two = (midnight(now).replace(year=y, month=m + 1, day=1) for y, m in (first, after))
    return one, two
