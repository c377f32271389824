"""When: the spans of time that a text names, counted from the moment in which it was said.

Korean and English; always in the anchor's own zone, never in the machine's. What is impossible,
vague or can be read in two ways is left out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from itertools import groupby, zip_longest
from typing import Final

from saegim.errors import BadInput
from saegim.language import days as verbs
from saegim.language.claims import facets
from saegim.language.days import (
    CLOCK,
    FUTURE,
    LOST,
    MONTH,
    OPEN,
    PAST,
    YEAR,
    Fixed,
    Hours,
    Reader,
    TimePiece,
    TimeRule,
    Words,
    asks_tense,
    is_clock,
    is_day,
    is_lone_day,
    joined,
    local_span,
    only,
    small,
    without_clock,
)
from saegim.language.en import times as english_dates
from saegim.language.ko import times as korean_dates
from saegim.language.word_lists import read_lists
from saegim.language.words import borders
from saegim.memory.clock import micros
from saegim.memory.text import fold, lazy_pattern

_LISTS: Final = read_lists("both/times")

# ---- The sentence around a time word: its tense, and whether the word is a title or a habit.

# A verb or an adverb farther away than this belongs to something else.
_REACH: Final = 200
_TITLE: Final = 60
_HANGUL: Final = lazy_pattern("[가-힣]")
_BRACKETS: Final = {"<": ">", "《": "》", "〈": "〉", "「": "」", "『": "』"}
_QUOTES: Final = "\"'“‘”’"
_WORKS: Final = lazy_pattern(_LISTS.pattern("works"))
# What is said goes on with 라고; what is a name goes on like a noun.
_NAMED: Final = lazy_pattern(r"[을를은는이가의]|[와과]\s|\s(?:봤|보[고러]|읽|들었|불렀)")
_CALLED: Final = lazy_pattern(_LISTS.pattern("called"))
_BEFORE: Final = lazy_pattern(r"(?i)\b(?:before|after|until|till|by) $")
_AFTER: Final = lazy_pattern(r"\s?(?:이후|이전|전|넘어|까지)")
# Where a tense stands, and which it is.
_Mark = tuple[int, int]
# Nothing but a particle follows; another clause begins; what a clause may begin with.
_NO_MORE: Final = lazy_pattern(r"(?:에|엔|에는|은|는|날)?[\s.!?~ㅋㅎㅠ]*")
_PARTS_CLAUSE: Final = lazy_pattern(_LISTS.pattern("parts_clause"))
_BEGINS_CLAUSE: Final = lazy_pattern(_LISTS.pattern("begins_clause"))
_FOR: Final = lazy_pattern(r"\bfor (?:the )?$")
_SINCE: Final = lazy_pattern(r"\b(?:since|born)(?: on| in)?(?: the)? $")
_CORRECTED: Final = lazy_pattern(r"아니(?:라|고|구|야)[\s,]*$|말고[\s,]*$")
# 화요일이 아니라, not on Friday; 아니면 and "if not" leave open which, a question asks for it.
_DENIED: Final = lazy_pattern(_LISTS.pattern("denied"))
_NOT: Final = lazy_pattern(_LISTS.pattern("not"))
_CLOSE: Final = lazy_pattern(r"(?: at \S+)?,? ?")
_USUAL: Final = lazy_pattern(_LISTS.pattern("usual"))


@dataclass(frozen=True)
class PlacedSentence:
    """A sentence and the place where it begins in its text."""

    text: str
    at: int

    ahead: bool = False

    @cached_property
    def _korean(self) -> list[tuple[int, int]]:
        known = _HANGUL.search(self.text)
        return verbs.tenses(self.text, "ko", ahead=self.ahead) if known else []

    @cached_property
    def _english(self) -> list[tuple[int, int]]:
        return verbs.tenses(self._small, "en", ahead=self.ahead)

    @cached_property
    def _small(self) -> str:
        return small(self.text)

    @cached_property
    def looks_back(self) -> int:
        """The place behind the first words that look back ("back in "), else beyond the end."""
        found = _BACK_IN.search(self.text)
        return found.end() if found else len(self.text) + 1

    def tense(self, piece: TimePiece) -> int:
        """Return the tense of the verb that a time word goes with.

        A Korean verb follows its time word, an English one stands before it if there is one.
        """
        if self.ahead:
            return FUTURE if self._is_arranged(piece) else self._tense_of_clause(piece)
        found = _nearest(self._korean, piece, after=True)
        if found == PAST and verbs.korean_moved(self.text, piece.end):
            return OPEN
        if found is not None:
            return found
        if verbs.english_moved(self._small, piece.start):
            return OPEN
        return _nearest(self._english, piece, after=False) or OPEN

    def _tense_of_clause(self, piece: TimePiece) -> int:
        """Return the tense of a time word's own clause; what another one tells is not asked."""
        marks = self._korean or self._english
        before, after = _around(marks, piece)
        first, last = (bisect_left(marks, (at, -2)) for at in (piece.start + 1, piece.end - 4))
        inside = marks[first:last]
        if inside and "남" not in self.text[piece.start : piece.end]:
            return inside[0][1]  # an hour that stands behind the verb: 금요일에 갔고 4시에
        if _SINCE.search(self._small, max(0, piece.start - 20), piece.start):
            return PAST
        if self._korean:
            inverted = after is None and _NO_MORE.fullmatch(self.text, piece.end)
            told = before if inverted else after
            if verbs.korean_moved(self.text, piece.end) or _CORRECTED.search(
                self.text, max(0, piece.start - 20), piece.start
            ):
                return OPEN
            if inverted and verbs.korean_arranged(self.text, 0):
                return FUTURE
        elif before and not _PARTS_CLAUSE.search(self._small, before[0], piece.start):
            told = before
        else:
            begins = _BEGINS_CLAUSE.search(self._small, max(0, piece.start - 60), piece.start)
            close = after and _CLOSE.fullmatch(self._small, piece.end, after[0])
            told = after if begins or close else None
        return told[1] if told else OPEN

    def _is_arranged(self, piece: TimePiece) -> bool:
        near = max(0, piece.start - 20)
        if piece.fixed.keys() & {"day", "weekday"} and _FOR.search(self._small, near, piece.start):
            return True
        return (
            verbs.korean_arranged(self.text, piece.end)
            or verbs.korean_trailed(self.text, piece.start)
            or verbs.english_arranged(self._small, piece.start)
        )

    def is_title(self, piece: TimePiece) -> bool:
        """Say whether the words are part of the title of a film, a song or a book."""
        before = self.text[max(0, piece.start - _TITLE) : piece.start]
        after = self.text[piece.end : piece.end + _TITLE]
        for opener, closer in _BRACKETS.items():
            if before.rfind(opener) > before.rfind(closer) and closer in after:
                return True
        if self.text[piece.start].isupper() and _CALLED.search(before):
            return True
        if not before or before[-1] not in _QUOTES:
            return False
        inside = min((at for at in map(after.find, _QUOTES) if at >= 0), default=_TITLE)
        if inside > _TITLE // 3:
            return False
        near = before[-16:-1] + " " + after[inside + 1 : inside + 12]
        return _WORKS.search(near) is not None or _NAMED.match(after, inside + 1) is not None

    def is_recurring(self, piece: TimePiece) -> bool:
        """Say whether the words mean every such time ("월요일마다")."""
        return self.text.startswith("마다", piece.end)

    def is_habit(self, piece: TimePiece) -> bool:
        """Say whether an hour without a day bounds a habit: "no calls before 9 am"."""
        begin = max(0, piece.start - _REACH)
        return (
            _BEFORE.search(self.text, begin, piece.start) is not None
            or _AFTER.match(self.text, piece.end) is not None
            or self.is_usual(piece)
        )

    def is_usual(self, piece: TimePiece) -> bool:
        """Say whether the words around speak of what always holds: never on a Friday."""
        begin, end = max(0, piece.start - _REACH), piece.end + _REACH
        return _USUAL.search(self.text, begin, end) is not None

    def is_denied(self, piece: TimePiece) -> bool:
        """Say whether just this time is denied: not on Friday but on Monday."""
        if _DENIED.match(self.text, piece.end):
            return True
        return _NOT.search(self._small, max(0, piece.start - 24), piece.start) is not None

    def counts_from_event(self, piece: TimePiece) -> bool:
        """Say whether a count starts at an event ("시험 3일 전") and not at the one who speaks."""
        words = self.text[piece.start : piece.end]
        if "남" in words:
            return False
        ahead = "전" not in words
        return verbs.counted_from_event(self.text, piece.start, ahead=ahead)


def _around(marks: list[_Mark], piece: TimePiece) -> tuple[_Mark | None, _Mark | None]:
    """Return the nearest marks of a tense before and behind a time word."""
    at, back = bisect_left(marks, (piece.end, -2)), bisect_left(marks, (piece.start, -2))
    following = marks[at] if at < len(marks) and marks[at][0] < piece.end + _REACH else None
    preceding = marks[back - 1] if back and marks[back - 1][0] > piece.start - _REACH else None
    return preceding, following


def _nearest(marks: list[_Mark], piece: TimePiece, *, after: bool) -> int | None:
    """Return the tense that is nearest on the side where a language puts its verb, else beyond."""
    preceding, following = _around(marks, piece)
    chosen = (following or preceding) if after else (preceding or following)
    return chosen[1] if chosen else None


# ---- Dates and hours in figures: 2024-03-05, 2024.3.5, 3/25/2024, 14:30; the same in every

# "PyCharm 2024.3.5" and "v 2024.3.5" are versions, "on 2024.3.5" is a date.
_VERSION: Final = lazy_pattern(_LISTS.pattern("version"))
_BACK_IN: Final = lazy_pattern(r"(?i)\bback in |그때|당시")
_DAY: Final = 24 * 60
_LONG_AGO: Final = timedelta(days=120)
_A_YEAR: Final = timedelta(days=330)
_JUST: Final = timedelta(days=15)
_AT: Final = lazy_pattern(r"(?i)\b(?:at|by|until|till|around|about|from|to|since|before|after) $")


def _date(m: Words) -> Fixed:
    if "." in m["sep"] and _VERSION.search(m.string, max(0, m.start() - 16), m.start()):
        return LOST
    fixed = Fixed(year=int(m["year"]), month=int(m["month"]), day=int(m["day"]))
    if m["hour"]:
        fixed["hour"], fixed["minute"], fixed["half"] = int(m["hour"]), int(m["minute"]), "24"
    if m["zone"]:
        hours, _, minutes = m["zone"][1:].partition(":")
        offset = int(hours or 0) * 60 + int(minutes or 0)
        if offset >= _DAY:
            return LOST
        fixed["offset"] = -offset if m["zone"][0] == "-" else offset
    return fixed


_DATED: Final = lazy_pattern(r"(?i)(?:^|\b(?:on|by|until|till?|from|for|due|is|starts?|before) )$")
_DAY_FIRST: Final = lazy_pattern(r"(?<![\d/])(?:1[3-9]|2\d|3[01])/\d")
_PARTED: Final = (2, 3, 4, 5, 6, 8, 10, 100)


def _slashes(m: Words) -> Fixed:
    one, two, year = int(m["one"]), int(m["two"]), int(m["year"])
    if one == two or two > 12:
        return Fixed(year=year, month=one, day=two)
    return Fixed(year=year, month=two, day=one) if one > 12 else LOST


def _month_and_day(m: Words) -> Fixed:
    """Read 7/29, 29/7, 8/3(월) and 5.30(토); "3/4" may be a part, 6.3 a number."""
    one, two = int(m["one"]), int(m["two"])
    if not 0 < min(one, two) <= 12 or (one, two) == (24, 7):
        return Fixed()
    dated = m["sure"] is not None or _DATED.search(m.string, max(0, m.start() - 9), m.start())
    if two in _PARTED and one < two and not dated:
        return Fixed()
    day_first = one > 12 or _DAY_FIRST.search(m.string) is not None
    fixed = Fixed(month=two, day=one) if day_first else Fixed(month=one, day=two)
    if not day_first and one != two <= 12 and not _HANGUL.search(m.string):
        fixed["swapped"] = True
    return fixed


def _clock(m: Words) -> Fixed:
    """Read 14:30; without a day beside it only "at 14:30" is an hour, "won 21:15" is a score."""
    fixed = Fixed(hour=int(m["hour"]), minute=int(m["minute"]))
    if m["hour"].startswith("0"):
        fixed["half"] = "24"
    if m["sure"] is None and not _AT.search(m.string, max(0, m.start() - 8), m.start()):
        fixed["doubtful"] = True
    return fixed


READER: Final = Reader(
    TimeRule(
        "0123456789",
        r"(?a)(?<![\d/.-])(?P<year>(?:19|20|21)\d\d)(?P<sep>[-/]|\. ?)(?P<month>\d{1,2})(?P=sep)"
        r"(?P<day>\d{1,2})(?:[Tt ](?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)"
        r"(?::[0-5]\d(?:\.\d+)?)?(?P<zone>[Zz]|[+-]\d\d:\d\d)?)?(?![\w/-]|\.\d)",
        _date,
    ),
    TimeRule(
        "0123456789",
        r"(?a)(?<![\d/.-])(?P<one>\d{1,2})(?P<sep>[/.-])(?P<two>\d{1,2})(?P=sep)"
        r"(?P<year>(?:19|20)\d\d)(?![\w/-]|\.\d)",
        _slashes,
    ),
    TimeRule(
        "0123456789",
        r"(?a)(?<![\d/.,:$₩-])(?<!in )(?P<one>\d{1,2})(?:/|\.(?=\d\d?~\())(?P<two>\d{1,2})"
        r"(?![\d/%점컵배명개]|[.,]\d|[-–](?!\d\d?/)\d| (?:of|cups?|inch|stars?|done|맞|정도)\b)"
        r"(?P<sure>(?=~\(?[월화수목금토일](?:\)|요일|욜)|(?:에|까지|부터|로|날|자)(?![가-힣]{2})|~[\x7e∼〜]~\d|~\d\d?(?::\d|시)))?",
        _month_and_day,
    ),
    TimeRule(
        "0123456789",
        r"(?a)(?<![\d:.,/-])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:/])"
        r"(?P<sure>(?= ?(?:에|까지|부터|쯤|경)))?",
        _clock,
    ),
    before="(?<![A-Za-z0-9_])",
)


# ---- When: the spans of time that a text names, counted from the moment in which it was said.

_DIGIT: Final = lazy_pattern("[0-9]")
_LATIN: Final = lazy_pattern("[0-9A-Za-z]")
_GLUE: Final = lazy_pattern(f"{korean_dates.GLUE}|{english_dates.GLUE}")
_FROM: Final = lazy_pattern(r"(?:부터|에서)[ \u00a0]{0,2}")
_TO: Final = lazy_pattern(r"(?i)[ \u00a0]?(?:to|until|till?|through|thru|[~∼〜–—-])[ \u00a0]?")
# A letter and what is drawn with it: decomposed Hangul, accents, characters that are not seen.
_LETTER: Final = lazy_pattern(
    "(?s).[\u0300-\u036f\u1160-\u11ff\u00ad\u200b-\u200f\u2060-\u206f\ufe00-\ufe0f\ufeff]*"
)
_HOUR: Final = 3600
# The day after the party, 여행 전날: counted from something that has a name.
_OF_EVENT: Final = lazy_pattern(_LISTS.pattern("of_event"))
_LOOKS_BACK: Final = lazy_pattern(_LISTS.pattern("looks_back"))
_YEARLY: Final = lazy_pattern(_LISTS.pattern("yearly"))
_MONTHLY: Final = lazy_pattern(_LISTS.pattern("monthly"))
_EVERY: Final = lazy_pattern(r"[가-힣]마다|(?i:\bevery (?!one\b|body\b|thing\b))")
_LATER: Final = lazy_pattern(r"(?<![가-힣])(?:이따|좀 있다)|(?i:\blater (?:on|today)\b)")
_NO_EVENT: Final = lazy_pattern(r"(?:^|[,.]|그|고|서|데)\s*$")


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time that a text names: from `start` until just before `end`.

    Both ends are aware and in the anchor's zone; the words stand at offset `at` of the text.
    """

    start: datetime
    end: datetime
    words: str
    at: int


def spans(
    text: str, anchor: datetime, *, ahead: bool = False, last: Span | None = None
) -> list[Span]:
    """Return the spans of time that a text names, in the order in which it names them.

    With `ahead`, as for what somebody tells, a day without a year or a month that no verb puts into
    the past is the next such day: people speak of what is coming ("치과 20일 3시"). Without it, as
    for questions, it is left out. `last` is the day ahead that the talk named last ("그날").
    """
    if anchor.tzinfo is None or anchor.utcoffset() is None:
        raise BadInput("perceive.anchor_of_time_word")
    plain, offsets = _folded(text)
    found = _expressions(plain)
    result = []
    for sentence, pieces in _by_sentence(plain, found, ahead) if found else ():
        for start, end, hours in _resolved(sentence, pieces, anchor, last):
            at, after = (offsets[start], offsets[end]) if offsets else (start, end)
            result.append(Span(*hours, words=text[at:after], at=at))
            last = last_named(result[-1:], anchor) or last if ahead else None
    return result


def comes_back(text: str) -> int:
    """Return after how many months a day of a text comes again (birthday, every 15th), or 0."""
    if _YEARLY.search(text):
        return 12
    return 1 if _MONTHLY.search(text) else 0


def looks_back(text: str) -> bool:
    """Say whether a text may speak of a day that was named before it: 그날, the day after."""
    return _LOOKS_BACK.search(text) is not None


def recurs_on(text: str) -> Collection[str] | None:
    """Return the weekdays on which a text says that it comes again, () for any, None if never."""
    told = dict(facets(text))
    if "rhythm" not in told and _EVERY.search(text) is None:
        return None
    return tuple(told["day"].split(",")) if "day" in told else ()


def is_of_its_day(text: str) -> bool:
    """Say whether what names no day may be still to come on the day it is told: 3시에, 이따."""
    plain, _ = _folded(text)
    told = {
        tense for one in ("ko", "en") for _, tense in verbs.tenses(small(plain), one, ahead=True)
    }
    if PAST in told:
        return False
    clock = any(piece.fixed.keys() & CLOCK for piece in _expressions(plain))
    return clock or FUTURE in told or _LATER.search(plain) is not None


def last_named(found: Sequence[Span], anchor: datetime) -> Span | None:
    """Return the last of the days that lie ahead, None where none does."""
    return next((span for span in reversed(found) if span.start.date() > anchor.date()), None)


def event_of(found: Sequence[Span], anchor: datetime) -> Span | None:
    """Return the one span that says when it happened: past or of the anchor's day, and undisputed.

    Several may stand if they lie in each other ("last year", "3 May last year"): the finest wins.
    """
    now = micros(anchor)
    begun = [(micros(span.start), micros(span.end), span) for span in found]
    begun = [each for each in begun if each[0] <= now]
    if not begun:
        return None
    start, end, finest = min(begun, key=lambda each: each[1] - each[0])
    return finest if all(one <= start and end <= two for one, two, _ in begun) else None


def _folded(text: str) -> tuple[str, list[int] | None]:
    """Return the text in one form, and for each of its places the place in the text as it was."""
    if fold(text) == text:
        return text, None
    letters, offsets = [], []
    for letter in _LETTER.finditer(text):
        plain = fold(letter[0])
        letters.append(plain)
        offsets.extend([letter.start()] * len(plain))
    return "".join(letters), [*offsets, len(text)]


def _expressions(text: str) -> list[TimePiece]:
    """Return the time words of a text, neighbours that belong together as one."""
    pieces: list[TimePiece] = []
    if _HANGUL.search(text):
        pieces.extend(korean_dates.READER.pieces(text))
    if _DIGIT.search(text):
        pieces.extend(READER.pieces(text))
    if _LATIN.search(text):
        pieces.extend(english_dates.READER.pieces(small(text)))
    found: list[TimePiece] = []
    for piece in sorted(pieces, key=lambda each: (each.start, -each.end)):
        before = found[-1] if found else None
        if before and piece.start < before.end:
            continue
        if before and _GLUE.fullmatch(text, before.end, piece.start):
            both = joined(before.fixed, piece.fixed)
            if both is not None:
                found[-1] = TimePiece(before.start, piece.end, both)
                continue
        found.append(piece)
    return found


def _by_sentence(
    text: str, found: list[TimePiece], ahead: bool
) -> Iterator[tuple[PlacedSentence, list[TimePiece]]]:
    """Give each sentence that has time words, and those words with their places in it."""
    starts = [0, *borders(text), len(text)]
    for at, group in groupby(found, key=lambda piece: bisect_right(starts, piece.start)):
        begin, end = starts[at - 1], starts[min(at, len(starts) - 1)]
        pieces = [TimePiece(each.start - begin, each.end - begin, each.fixed) for each in group]
        yield PlacedSentence(text[begin:end], begin, ahead), pieces


def _resolved(
    sentence: PlacedSentence, found: list[TimePiece], anchor: datetime, last: Span | None
) -> Iterator[tuple[int, int, Hours]]:
    """Give the spans of one sentence, with the places of their words in the whole text."""
    expressions = _with_days(sentence.text, _with_months(sentence, found))
    expressions = _without_denied(sentence, expressions, anchor)
    told: set[Hours] = set()
    skip = False
    for piece, after in zip_longest(expressions, expressions[1:]):
        if skip:
            skip = False
            continue
        end, hours = piece.end, None
        piece = _told_before(sentence.text, piece, last)
        if after and _is_range(sentence.text, piece, after):
            skip, end = True, after.end
            hours = _range(sentence, piece, after, anchor)
        else:
            hours = _hours(sentence, piece, anchor)
        aware = _aware(hours, piece.fixed, anchor) if hours else None
        if aware and aware not in told:
            told.add(aware)
            if sentence.ahead and aware[0].date() > anchor.date():
                last = Span(*aware, words="", at=0)
            yield piece.start + sentence.at, end + sentence.at, aware


def _with_months(sentence: PlacedSentence, found: list[TimePiece]) -> list[TimePiece]:
    """Give a day the month that its sentence named before it: "in August, the 10th to the 12th"."""
    result: list[TimePiece] = []
    month, was_over = Fixed(), False
    for piece in found if sentence.ahead else ():
        fixed, is_over = piece.fixed, sentence.tense(piece) == PAST
        if is_lone_day(fixed) and fixed["day"] >= month.get("day", 1) and is_over == was_over:
            fixed = only(month, month.keys() - {"day"}) | fixed
        if fixed.keys() & MONTH and "exact" not in fixed:
            month, was_over = only(fixed, YEAR | MONTH | {"turn", "day"}), is_over
        result.append(TimePiece(piece.start, piece.end, fixed))
    return result or found


def _told_before(text: str, piece: TimePiece, last: Span | None) -> TimePiece:
    """Put the day that was named last for "그날", "the day after" and "until then"."""
    fixed = piece.fixed
    if last is None or not ("back" in fixed or _follows_last(text, piece)):
        return piece
    step = fixed.get("step", 0)
    try:
        day = last.end - timedelta(microseconds=1) if step > 0 else last.start
        day += timedelta(days=step)
        if "weekday" in fixed:
            day += timedelta(days=(fixed["weekday"] - day.weekday()) % 7)
    except OverflowError:  # outside the calendar
        return piece
    named = Fixed(year=day.year, month=day.month, day=day.day)
    return TimePiece(piece.start, piece.end, named | only(fixed, CLOCK))


def _follows_last(text: str, piece: TimePiece) -> bool:
    """Say whether "the day after" is said of no event that stands beside it."""
    if piece.fixed.keys() - CLOCK != {"step"} or _OF_EVENT.match(text, piece.end):
        return False
    near = max(0, piece.start - 20)
    return not _HANGUL.match(text, piece.start) or bool(_NO_EVENT.search(text, near, piece.start))


def _with_days(text: str, found: list[TimePiece]) -> list[TimePiece]:
    """Give each hour that stands alone the day that its sentence names elsewhere."""
    if len(found) == 1 or not any(is_clock(piece.fixed) for piece in found):
        return found
    result: list[TimePiece] = []
    day = next((piece for piece in found if is_day(piece.fixed)), None)
    for piece in found:
        if is_day(piece.fixed):
            day = piece
        if not is_clock(piece.fixed) or (result and _is_range(text, result[-1], piece)):
            result.append(piece)
            continue
        both = joined(without_clock(day.fixed), piece.fixed) if day else None
        if day is None or both is None or "hour" not in piece.fixed:
            continue
        if result and result[-1] is day and not day.fixed.keys() & CLOCK:
            result[-1] = TimePiece(day.start, piece.end, both)
        else:
            result.append(TimePiece(piece.start, piece.end, both))
    return result


def _without_denied(
    sentence: PlacedSentence, found: list[TimePiece], anchor: datetime
) -> list[TimePiece]:
    """Leave out the times that are denied; the day named in place of one is of the same week."""
    denied = [sentence.is_denied(piece) for piece in found]
    if not any(denied) or (len(found) == 1 and sentence.text.rstrip().endswith("?")):
        return found
    result = [*found]
    for at, piece in enumerate(found):
        instead = at + 1 if at + 1 < len(found) else at - 1
        hours = _hours(sentence, piece, anchor) if denied[at] and instead >= 0 else None
        fixed = found[instead].fixed
        if hours and not denied[instead] and fixed.keys() - CLOCK == {"weekday"}:
            days = timedelta(days=fixed["weekday"] - hours[0].weekday())
            day = hours[0] + days
            if sentence.ahead and day.date() > anchor.date():
                named = Fixed(year=day.year, month=day.month, day=day.day) | only(fixed, CLOCK)
                result[instead] = TimePiece(found[instead].start, found[instead].end, named)
    return [piece for piece, is_denied in zip(result, denied, strict=True) if not is_denied]


def _hours(sentence: PlacedSentence, piece: TimePiece, anchor: datetime) -> Hours | None:
    fixed, ahead = piece.fixed, sentence.ahead
    if sentence.is_title(piece) or sentence.is_recurring(piece):
        return None
    if fixed.keys() & {"exact", "seconds"} and sentence.counts_from_event(piece):
        return None
    if ahead and fixed.keys() >= {"weekday", "turn", "doubtful"}:
        fixed = Fixed(weekday=fixed["weekday"], weeks=1) | only(fixed, CLOCK)
    told = tense = sentence.tense(piece) if asks_tense(fixed) else OPEN
    if not ahead and is_lone_day(fixed):
        return None
    if ahead and tense == OPEN and not is_clock(fixed) and asks_tense(fixed):
        if fixed.keys() & {"weekday", "weekend"} and sentence.is_usual(piece):
            return None
        tense = FUTURE
    if tense == OPEN and is_clock(fixed) and sentence.is_habit(piece):
        return None
    if "seconds" in fixed:
        return None if fixed["seconds"] > 0 and tense == PAST else _ago(fixed["seconds"], anchor)
    now = anchor.replace(tzinfo=None)
    found = local_span(fixed, now, tense)
    if ahead and found is None and fixed.keys() >= {"day", "weekday"}:
        found = local_span(fixed, now, -tense)  # the day of the week settles it
    if "swapped" in fixed:
        other = local_span(Fixed(month=fixed["day"], day=fixed["month"]), now, tense)
        if not ahead or other is None or found is None:
            return None
        found = min(found, other, key=lambda each: abs(each[0] - now))
    over = (tense == PAST and "weekend" in fixed) or not (found and found[1] > now)
    if "vague" in fixed and (over or not ahead):
        return None
    if ahead and found and told != PAST and tense == FUTURE and "month" in fixed and "day" in fixed:
        # What would come in a year and was some days ago was some days ago, but for a birthday.
        gone = local_span(fixed, now, PAST)
        if gone and found[0] - now > _A_YEAR and now - gone[0] < _JUST and "turn" not in fixed:
            return gone
    told_back = sentence.looks_back <= piece.start
    if ahead and found and tense == PAST and fixed.keys() & {"month", "holiday"} and not told_back:
        # Nobody says "in October" in July of what was nine months ago: that is "last October".
        coming = local_span(fixed, now, FUTURE)
        if coming and (now - found[0]) - (coming[0] - now) > _LONG_AGO:
            return coming
    return found


def _ago(seconds: int, anchor: datetime) -> Hours | None:
    """Return the clock hour (or, under an hour, the minute) that was or will be so far away."""
    try:
        at = (anchor.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(anchor.tzinfo)
        whole = abs(seconds) >= _HOUR
        past = timedelta(minutes=at.minute if whole else 0, seconds=at.second)
        start = at.astimezone(UTC) - past - timedelta(microseconds=at.microsecond)
        return start, start + timedelta(seconds=_HOUR if whole else 60)
    except OverflowError:  # outside the calendar
        return None


def _aware(hours: Hours, fixed: Fixed, anchor: datetime) -> Hours | None:
    """Put local times into the anchor's zone; None where the clock jumped over all of them.

    A local time that exists twice is the first of the two; one that was jumped over is as late
    after the jump as it would have been before it.
    """
    zone = timezone(timedelta(minutes=fixed["offset"])) if "offset" in fixed else anchor.tzinfo
    try:
        start, end = (at.replace(tzinfo=at.tzinfo or zone).astimezone(UTC) for at in hours)
        if start >= end:
            return None
        return start.astimezone(anchor.tzinfo), end.astimezone(anchor.tzinfo)
    except OverflowError:  # outside the calendar in UTC
        return None


def _is_range(text: str, one: TimePiece, two: TimePiece) -> bool:
    """Say whether two expressions are the ends of one span: from … to, 부터 … 까지."""
    if (one.fixed.keys() | two.fixed.keys()) & {"seconds", "offset"}:
        return False  # these are instants already
    near = text[max(0, one.start - 61) : one.start].lower()
    if verbs.english_moved(near, len(near)):
        return False  # from the 18th to the 25th
    if _FROM.fullmatch(text, one.end, two.start):
        return text.startswith("까지", two.end)
    if _TO.fullmatch(text, one.end, two.start):
        return True
    return near.endswith("between ") and text[one.end : two.start] == " and "


def _range(
    sentence: PlacedSentence, one: TimePiece, two: TimePiece, anchor: datetime
) -> Hours | None:
    """Return the span from one expression to the other, which may leave out what the first said."""
    fixed = two.fixed
    if is_lone_day(one.fixed) or one.fixed.keys() == {"weekday"}:  # from the 8th to the 22nd of May
        shared = only(fixed, YEAR | MONTH | {"weeks", "turn"})
        one = TimePiece(one.start, one.end, shared | one.fixed)
    first = _hours(sentence, one, anchor)
    if first is None:
        return None
    if fixed.keys() == {"weekday"}:
        return _week_range(first, fixed["weekday"], anchor, sentence.tense(two))
    if is_clock(fixed):
        fixed = without_clock(one.fixed) | only(one.fixed, {"part", "half"}) | fixed
    elif fixed.keys() <= {"day"}:
        fixed = only(one.fixed, YEAR | MONTH | {"turn"}) | fixed
    elif "month" in fixed and not fixed.keys() & YEAR:
        fixed = only(one.fixed, YEAR) | fixed
    last = _hours(sentence, TimePiece(two.start, two.end, fixed), anchor)
    if last is None:
        return None
    end = last[0] if "hour" in fixed else last[1]
    return (first[0], end) if end > first[0] else None


def _week_range(first: Hours, weekday: int, anchor: datetime, tense: int) -> Hours | None:
    """Return the span from a weekday to the next such one; in the past it has ended."""
    start = first[0]
    try:
        end = start + timedelta(days=(weekday - start.weekday()) % 7 + 1)
        if tense == PAST and end.date() - anchor.date() > timedelta(days=1):
            return start - timedelta(days=7), end - timedelta(days=7)
    except OverflowError:  # outside the calendar
        return None
    return start, end
