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
_KOREAN: Final = re.compile(_LISTS.pattern("korean"))
# Where one of these is spoken of, the date is what is remembered.
DATE_IS_IT: Final = re.compile(_LISTS.pattern("date_is_it"), re.IGNORECASE)
_KEEPS: Final = re.compile(_LISTS.pattern("keeps"))
_FIXED: Final = re.compile(_LISTS.pattern("fixed"))
_IS_THERE: Final = re.compile("있|잡혔|잡혀|이다|이야|임|예요|입니다|간다|가야|해야|봐야")
_WORDS: Final = re.compile("[가-힣]+")

# ---- English
_ENGLISH: Final = re.compile(_LISTS.pattern("english"), re.IGNORECASE)
_HELD: Final = re.compile(_LISTS.pattern("held"), re.IGNORECASE)
_TAKEN_UP: Final = re.compile(_LISTS.pattern("taken_up"), re.IGNORECASE)
_ENGLISH_KEEPS: Final = re.compile(_LISTS.pattern("english_keeps"), re.IGNORECASE)
_ENGLISH_FIXED: Final = re.compile(_LISTS.pattern("english_fixed"), re.IGNORECASE)
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
_WRITTEN_MONTH: Final = _LISTS.pattern("written_month")
_WEEKDAYS: Final = _LISTS.pattern("weekdays")
_ENGLISH_WEEKDAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_WRITTEN_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

# -- words that mean something only on the day, or in the talk, in which they are said -------------

_KOREAN_NOW: Final = re.compile(_LISTS.pattern("korean_now"))
_ENGLISH_NOW: Final = re.compile(_LISTS.pattern("english_now"))
# A day of the week or of the month alone says when only to whoever knows the week or the month.
_KOREAN_LOOSE: Final = re.compile(_LISTS.pattern("korean_loose"))
_ENGLISH_LOOSE: Final = re.compile(_LISTS.pattern("english_loose"))
_AGAIN: Final = re.compile(_LISTS.pattern("again"))
# Someone is spoken of whom only the conversation knew.
_SOMEONE: Final = re.compile(r"걔|얘(?!기)|쟤|(?<![가-힣])그\s?(?:사람|분|녀|애|친구|놈)")
_HE_OR_SHE: Final = re.compile(_LISTS.pattern("he_or_she"))
_SOMEBODY: Final = re.compile(r"(?:\b[Mm]y|\b[Oo]ur|\b[Tt]he|\b[Aa]n?)\s+[a-z]+|\b[A-Z][a-z]+")

# -- what a written day is read from ---------------------------------------------------------------

_WRITTEN_KOREAN: Final = re.compile(_LISTS.pattern("written_korean"))
_KOREAN_RANGE: Final = re.compile(_LISTS.pattern("korean_range"))
_WRITTEN_ENGLISH: Final = re.compile(_LISTS.pattern("written_english"))
_ENGLISH_RANGE: Final = re.compile(_LISTS.pattern("english_range"))
_WRITTEN_PART: Final = re.compile(r"(?i)\b(night|morning|afternoon|evening)\b")
_A_DATE: Final = re.compile(_LISTS.pattern("a_date"))
_MOVES: Final = re.compile(_LISTS.pattern("moves"))
# "the 9th, a Friday": the day of the week settles which month it is.
_SETTLED: Final = re.compile(_LISTS.pattern("settled"))
_LEADS: Final = re.compile(_LISTS.pattern("leads"))
_ON_OR_IN: Final = re.compile(r"(?i)\b(?:on|in|at|over)\s+$")
_SUBJECT: Final = re.compile(r"(?i)\s+(?:is|was|were|will|turned|felt|went|would)\b")
# "a week today", "a fortnight on Tuesday": not the day that is named.
_COUNTS_ON: Final = re.compile(_LISTS.pattern("counts_on"))
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
_KEEP: Final = _LISTS.pattern("keep")
_THIS: Final = _LISTS.pattern("this")
_ONLY: Final = re.compile(rf"{_THIS}(?:{_KEEP}|기억해요?)[\s.!~]*")
_LEAD: Final = re.compile(rf"^{_THIS}(?:{_KEEP}|기억해요?)\s*[.,:!~–-]+\s*")
_CLAIM: Final = re.compile(_LISTS.pattern("claim"))
_TAIL: Final = re.compile(_LISTS.pattern("tail"))
_WISHES_SUBJECT: Final = re.compile(r"[가-힣]+(?:은|는|이|가)\s")

# ---- English
_ENGLISH_ONLY: Final = re.compile(_LISTS.pattern("english_only"), re.IGNORECASE)
_ENGLISH_LEAD: Final = re.compile(_LISTS.pattern("english_lead"), re.IGNORECASE)
_ENGLISH_TAIL: Final = re.compile(_LISTS.pattern("english_tail"), re.IGNORECASE)


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
