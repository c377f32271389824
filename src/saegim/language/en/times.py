"""English time words: where they stand in a text, and what each fixes.

Everything here reads a text in small letters (`pieces.small`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from saegim.language.days import ENGLISH as HOLIDAYS
from saegim.language.days import LOST, Fixed, Reader, TimeRule, Words, either, starts
from saegim.language.word_lists import read_lists
from saegim.memory.text import lazy_pattern

_LISTS: Final = read_lists("en/times")

_DAYS: Final = _LISTS.numbers("days")
_MONTHS: Final = _LISTS.numbers("months")
_WEEKDAYS: Final = _LISTS.numbers("weekdays")
_FULL_WEEKDAYS: Final = [name for name in _WEEKDAYS if name.endswith("day")]
_ONES: Final = [*_LISTS.row("ones")]
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_COUNTS: Final = {
    "a": 1, "an": 1, "a couple of": 2, "a couple": 2, "a hundred": 100,
    **{one: at for at, one in enumerate(_ONES, 1)},
    **{ten: at * 10 for at, ten in enumerate(_TENS, 2)},
}  # fmt: skip
_TURNS: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
_THIRDS: Final = _LISTS.numbers("thirds")
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_NTH_WORDS: Final = [*_LISTS.row("nth_words")]
_PARTS: Final = _LISTS.pairs("parts")
_SECONDS: Final = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600}

_COUNT: Final = (
    rf"(?<![.,/:$–-])(?:\d{{1,4}}|(?:{either(_TENS)})[ -](?:{either(_ONES[:9])})|{either(_COUNTS)})"
)
_UNIT: Final = "(?:second|sec|minute|min|hour|hr|day|week|wk|month|year|decade|fortnight)"
_MONTH: Final = f"(?:{either(_MONTHS)})"
_WEEKDAY: Final = f"(?:{either(_WEEKDAYS)})"
_WHOLE_WEEKDAY: Final = f"(?:{either(_FULL_WEEKDAYS)})"
_TURN: Final = f"(?:{either(_TURNS)})"
_PART: Final = f"(?:{either(_PARTS)})"
_NTH_DAY: Final = (
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    r"(?: ?(?:-|–|to|through) ?(?P<last>\d{1,2})(?:st|nd|rd|th)?(?! ?[ap]\.?m|:))?"
)
_YEAR: Final = r"(?P<year>[12]\d{3})(?![\d:])"
_THINGS: Final = either(_LISTS.row("things"))
_NOT_YEARS: Final = either(_LISTS.row("not_years"))
_HOLIDAY_NAMES: Final = [*HOLIDAYS, *(name.replace("'", "’") for name in HOLIDAYS if "'" in name)]
_0_9: Final = list("0123456789")
_WORD: Final = lazy_pattern("[a-z]+").findall


def _count(words: str) -> int:
    if words.isdigit():
        return int(words)
    return _COUNTS[words] if words in _COUNTS else sum(map(_COUNTS.__getitem__, _WORD(words)))


def _days(m: Words) -> Fixed:
    return Fixed(days=_DAYS[" ".join(m["days"].split())])


def _night(m: Words) -> Fixed:
    if m["tonight"]:
        return Fixed(days=0, part="night")
    if m["last"]:
        return Fixed(days=-1, part="night")
    return Fixed(days=0, part=_PARTS[m["part"]])


def _turned(m: Words) -> Fixed:
    turn, unit = _TURNS[m["turn"]], m["unit"]
    if unit == "weekend":
        return Fixed(weeks=turn, weekend=True)
    return LOST if m["turn"] in ("past", "previous") else _away(turn, unit)


def _third(m: Words) -> Fixed:
    """Read mid-June, early next week and the end of the month, which is its last day."""
    ends = m["third"] in (None, "end")
    fixed = Fixed(vague=True)
    if ends and m["unit"] != "week":
        fixed["closing"] = True
    else:
        fixed["third"] = _THIRDS[m["third"]]
    if m["third"] and not m["unit"]:
        return fixed
    return _away({"last": -1, "next": 1}.get(m["turn"], 0), m["unit"] or "month") | fixed


def _back(m: Words) -> Fixed:
    """Read that day, until then, the following Tuesday: the day that was named last."""
    fixed, said = Fixed(back=True), m.groupdict()
    if said["step"]:
        fixed["step"] = 1
    if said["part"]:
        fixed["part"] = _PARTS[said["part"]]
    if said["weekday"]:
        fixed["weekday"] = _WEEKDAYS[said["weekday"]]
    return fixed


def _later(m: Words) -> Fixed:
    days = {"day": 1, "week": 7, "fortnight": 14}.get(m["unit"])
    return Fixed(back=True, step=_count(m["count"]) * days) if days else LOST


def _week_on(m: Words) -> Fixed:
    """Read a week on Tuesday, Friday week, two weeks tomorrow."""
    weeks = _count(m["count"]) if m["count"] else 1
    fixed = Fixed(step=weeks * (14 if "fortnight" in m[0] else 7))
    if m["days"]:
        return Fixed(days=_DAYS[" ".join(m["days"].split())]) | fixed
    return Fixed(weekday=_WEEKDAYS[m["weekday"] or m["first"]]) | fixed


def _beyond(m: Words) -> Fixed:
    return _away(-2 if m["last"] else 2, m["unit"])


def _away(turn: int, unit: str) -> Fixed:
    if unit == "week":
        return Fixed(weeks=turn)
    return Fixed(months=turn) if unit == "month" else Fixed(years=turn)


def _ago(m: Words) -> Fixed:
    more = bool(m["and_half"] or m["more_half"])
    halves = 1 if m["half"] else _count(m["count"]) * 2 + more
    fixed = _counted(-1 if m["ago"] else 1, halves, m["unit"])
    if m["beside"] and "exact" in fixed:  # a week ago yesterday
        fixed["step"] = _DAYS[m["beside"]]
    return fixed


def _ahead(m: Words) -> Fixed:
    unit, count = m["unit"], m["count"] or ""
    if count in ("a", "an") and unit in ("second", "sec", "minute", "min"):
        return LOST
    return _counted(1, 1 if m["half"] else _count(count) * 2, unit)


def _counted(sign: int, halves: int, unit: str) -> Fixed:
    if unit in _SECONDS:
        return Fixed(seconds=sign * halves * _SECONDS[unit] // 2)
    if unit == "year" and halves % 2:
        return Fixed(months=sign * halves * 6, exact=True)
    if halves % 2:
        return LOST
    count = sign * halves // 2
    if unit == "day":
        return Fixed(days=count, exact=True)
    if unit in ("week", "wk", "fortnight"):
        return Fixed(weeks=count * (2 if unit == "fortnight" else 1), exact=True)
    if unit == "month":
        return Fixed(months=count, exact=True)
    return Fixed(years=count * (10 if unit == "decade" else 1), exact=True)


def _month(m: Words) -> Fixed:
    fixed, said = Fixed(month=_MONTHS[m["month"]]), m.groupdict()
    if said.get("turn"):
        fixed["turn"] = _TURNS[said["turn"]]
    if said.get("day"):
        fixed["day"] = int(said["day"])
    if said.get("last"):
        fixed["last_day"] = int(said["last"])
    if said.get("year"):
        fixed["year"] = int(said["year"])
    return fixed


def _day(m: Words) -> Fixed:
    fixed = Fixed(day=int(m["day"] or _NTH_WORDS.index(m["word"]) + 1))
    if m["turn"]:
        fixed["months"] = _TURNS[m["turn"]]
    return fixed


def _weekday(m: Words) -> Fixed:
    fixed = Fixed(weekday=_WEEKDAYS[m["weekday"]])
    if m["turn"] or m["gone"]:
        fixed["turn"] = -1 if m["gone"] else _TURNS[m["turn"]]
    return fixed


def _nth(m: Words) -> Fixed:
    weekday = _WEEKDAYS.get(m["weekday"], 5)
    return Fixed(nth=_ORDINALS[m["nth"]], weekday=weekday)


def _holiday(m: Words) -> Fixed:
    if m["thing"]:
        return LOST
    name = " ".join(m["name"].replace("’", "'").split())
    fixed = Fixed(holiday=HOLIDAYS[name])
    if m["year"]:
        fixed["year"] = int(m["year"])
    if m["turn"]:
        fixed["turn"] = _TURNS[m["turn"]]
    return fixed


def _clock(m: Words) -> Fixed:
    fixed = Fixed(hour=_count(m["hour"]), minute=int(m["minute"] or 0))
    if m["half"]:
        fixed["half"] = m["half"][0] + "m"
    elif m["part"]:
        fixed["part"] = _PARTS[m["part"]]
    return fixed


def _noon(_: Words) -> Fixed:
    return Fixed(hour=12, minute=0, half="pm")


def _part(m: Words) -> Fixed:
    return Fixed(part=_PARTS[m["part"]])


def _step(m: Words) -> Fixed:
    return Fixed(step=-1 if m["before"] else 1)


def _year(m: Words) -> Fixed:
    return Fixed(year=int(m["year"]))


def _behind(words: str) -> str:
    """Write a pattern of places that one of the words stands before."""
    ends = (word if word.endswith("-") else f"{word} " for word in words.split())
    return "(?:" + "|".join(rf"(?<=\b{end})" for end in ends) + ")"


def _rule(
    first: Iterable[str] | str, pattern: str, read: Callable[[Words], Fixed] | None = None
) -> TimeRule:
    if isinstance(first, str):
        first = [word.replace("_", " ") for word in first.split()]
    return TimeRule(first, "(?a)" + pattern, read)


_TURN_STARTS: Final = starts(_TURNS, 4)
_COUNT_STARTS: Final = [*_0_9, *starts(_COUNTS, 3)]
_AFTER_PREPOSITION: Final = _behind(
    "early late mid mid- for til in by of since until till during from through before after to"
)
_LONE_WEEKDAY: Final = (
    rf"(?:{_WHOLE_WEEKDAY}|tues?|weds|thu(?:rs?)?|fri"
    rf"|{_behind('on by til until for from to booked')}(?:mon|wed|sat|sun))"
)
# Friday gone is the last one; "Friday, gone five" is an hour, "on Friday gone to Leeds" neither.
_GONE: Final = (
    r"(?P<gone> (?:just )?gone\b(?! (?:\d|half|quarter|noon|mid"
    rf"|(?:to|fishing|shopping|camping|crazy|wrong|{either(_COUNTS)})\b)))?"
)
# A day named beside "ago" counts with it, an instant does not: five minutes ago tomorrow's class.
_AGO_OF_DAYS: Final = "|".join(
    f"(?<={end}{plural} ago)" for end in ("day", "eek", "nth", "ear", "ght") for plural in ("", "s")
)
# The film stands alone, or an essay is on it; the day has its preposition.
_NO_DAY: Final = (
    "(?!(?:"
    + "|".join(rf"(?<=\b{word} friday)" for word in str.split("on by till until is due"))
    + r"|(?<=\bbooked for friday))"
    + "".join(
        rf"(?<!\b{word} {link} friday)"
        for word in str.split("put essay podcast article review book video documentary film movie")
        for link in ("on", "is")
    )
    + ")"
)
_STRETCH: Final = "day|night|morning|evening|afternoon|weekend|week|month|year"

READER: Final = Reader(
    _rule(
        ["the", *starts(_ORDINALS, 3)],
        rf"(?:the )?(?P<nth>{either(_ORDINALS)}) (?P<weekday>{_WHOLE_WEEKDAY}|weekend)"
        r"(?= (?:of|in) )",
        _nth,
    ),
    # Points that only the story knows, recurrences, and counts that nobody counted.
    _rule(
        "a_few few several some many a_cou coup",
        rf"(?:(?:a )?few|several|some|many|(?:a )?couple(?: of)?) {_UNIT}s"
        r" (?:ago|later|from now|back|before|after|earlier)\b",
    ),
    _rule(
        "about around rough almost near over under more less at_least barely some",
        r"(?:about|around|roughly|almost|nearly|over|under|(?:more|less) than|at least|barely|some)"
        rf" (?:half an?|{_COUNT})(?: and a half)? {_UNIT}s?(?: and a half)? (?:ago|from now)\b",
    ),
    _rule(
        "the ash cyb pal cas tac",
        r"(?:the other (?:day|week|night|month)|ash wednesday|cyber monday|palm sunday"
        r"|casual friday|taco tuesday)\b",
    ),
    _rule("this", r"this (?:time (?=last|next|tomorrow)|past (?:day|week|month|year)\b)"),
    _rule(
        "the fir last week mon year",
        r"(?:the )?(?:first |last )?(?:week|month|year|weekend(?! of))"
        rf" (?:before|after|following|of(?! (?:the )?(?:\d|{_MONTH} \d))) (?!last\b|next\b)",
    ),
    _rule(
        "that the same on_the_d until til by_then",
        r"(?:(?:that|(?:on )?the (?:same|(?P<step>following|next))) "
        rf"(?:day|(?P<part>morning|afternoon|evening|night)|(?P<weekday>{_WHOLE_WEEKDAY}))"
        r"|(?:until|till?|by) then)\b",
        _back,
    ),
    _rule(
        "that the some",
        r"(?:that|the (?:same|next|following|previous|past|last|first)|some) (?:few )?"
        rf"(?:{_STRETCH}|{_WHOLE_WEEKDAY})s?\b",
    ),
    _rule(
        "a_ each every one most",
        rf"a {_WHOLE_WEEKDAY}\b|(?:each|every(?: other| single)?|(?<!another )one|most)"
        rf" (?:{_STRETCH}|{_WEEKDAY}|{_MONTH})s?\b",
    ),
    _rule(
        [*_COUNT_STARTS, *starts(_WEEKDAYS, 3)],
        rf"(?:(?P<count>{_COUNT}) (?P<unit>week|fortnight)s? (?:on |from |this )?"
        rf"(?:(?P<weekday>{_WHOLE_WEEKDAY})|(?P<days>today|tomorrow))"
        rf"|(?P<first>{_LONE_WEEKDAY}) (?:week(?! ?\d|-)|fortnight|after next))\b",
        _week_on,
    ),
    _rule(
        _COUNT_STARTS,
        rf"(?P<count>{_COUNT}) (?P<unit>{_UNIT})s? (?:later|after that)\b",
        _later,
    ),
    _rule(
        _COUNT_STARTS,
        rf"{_COUNT} {_UNIT}s? (?:later|earlier|before|after|prior|from (?!now|today))",
    ),
    _rule(_0_9, rf"\d+ ?[–\x7e-] ?\d+ {_UNIT}s?\b"),
    _rule(_COUNT_STARTS, rf"{_COUNT} (?:to|or) {_COUNT} {_UNIT}s?\b"),
    _rule(_COUNT_STARTS, rf"{_COUNT} {_UNIT}s?,? (?:and )?{_COUNT} {_UNIT}s? ago\b"),
    _rule(
        starts(_WEEKDAYS, 3),
        rf"{_WHOLE_WEEKDAY}(?:s\b|(?<=friday){_NO_DAY} the 13th\b| before last\b| {_PART}s\b)",
    ),
    # A season has no agreed borders.
    _rule(
        "the early late mid beg start end month",
        rf"(?:the )?(?P<third>{either(_THIRDS)})"
        r"(?:(?:(?<=early)|(?<=late)|(?<=mid))[ -](?:in )?| of )"
        r"(?:(?:the |this |(?P<turn>last|next) )(?P<unit>week|month|year)\b"
        rf"|(?={_MONTH}\b|\d{{4}}))"
        r"|month[ -]end\b",
        _third,
    ),
    _rule("most rest half week", rf"(?:most|rest|half|week) of\b(?! (?:the )?(?:\d|{_MONTH}))"),
    _rule(
        "last this next past spr sum aut win fall",
        r"(?:(?:last|this|next|past) )?(?:spring|summer|autumn|winter)\b(?! (?:roll|onion|break))"
        r"|(?:last|this|next) fall\b|fall of \d",
    ),
    _rule(
        "ton last this",
        r"(?:(?P<tonight>tonight)|(?P<last>last) night|this (?P<part>morning|afternoon|evening))\b",
        _night,
    ),
    _rule("yes tod tom tm the day", rf"(?P<days>{either(_DAYS)})\b", _days),
    _rule(
        "the day night evening",
        r"(?:the )?(?:day|night|evening) (?:(?P<before>before)|after)\b",
        _step,
    ),
    _rule(
        "the week mon year",
        r"(?:the )?(?P<unit>week|month|year) (?:before (?P<last>last)|after next)\b",
        _beyond,
    ),
    _rule(_TURN_STARTS, rf"(?P<turn>{_TURN}) (?P<unit>weekend|week|month|year)\b", _turned),
    _rule(
        "the",
        rf"{_behind('on at over for by')}the weekend\b",
        lambda _: Fixed(weeks=0, weekend=True, vague=True),
    ),
    _rule(
        [*_COUNT_STARTS, "half"],
        rf"(?:(?P<half>half an?)|(?P<count>{_COUNT})(?P<and_half> and a half)?(?: more)?)"
        rf" (?P<unit>{_UNIT})s?(?P<more_half> and a half)? (?:(?P<ago>ago)"
        rf"(?:(?:{_AGO_OF_DAYS}) (?P<beside>yesterday|tomorrow)\b(?!['’]s| (?:is|was)\b))?"
        r"|from (?:now|today)|to go"
        r"|(?:until|till?) (?:the|my|our|his|her))\b",
        _ago,
    ),
    _rule(
        "in_",
        rf"(?<!time )(?<!once )(?<!twice )in (?:(?P<half>half an?)|(?P<count>{_COUNT}))"
        rf" (?P<unit>{_UNIT})(?:s(?:['’] time)?|['’]s time)?\b(?! (?:of|after|before|or|ago))",
        _ahead,
    ),
    _rule(
        starts(_MONTHS, 3),
        rf"(?P<month>{_MONTH})\.? {_NTH_DAY}(?!\d|:\d|[ap]m| (?:people|of us|years|times))"
        rf"(?:,? {_YEAR})?",
        _month,
    ),
    _rule(
        ["the", *_0_9],
        rf"(?:the )?{_NTH_DAY}(?:-| of | )(?P<month>{_MONTH})\b(?:\.?,? {_YEAR})?",
        _month,
    ),
    _rule(
        "the",
        rf"the (?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>{either(_NTH_WORDS)})(?= ?(?:[,.;!?]|$"
        rf"|of {_TURN}|at |for |and |with )))\b(?: of (?:(?P<turn>{_TURN})|every|each) month\b)?",
        _day,
    ),
    _rule(
        _0_9,
        rf"(?:{_behind('on by til from until every ' + ' '.join(_WEEKDAYS))}|(?<=day, ))"
        r"(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?P<turn>)(?P<word>)(?! [a-z]+(?:day|s)\b)",
        _day,
    ),
    _rule(
        starts(_MONTHS, 3),
        rf"(?P<month>{_MONTH})(?:\.?,? (?:of )?{_YEAR}|(?= (?:of )?(?:last|this|next) year))",
        _month,
    ),
    _rule(starts(_MONTHS, 3), rf"{_AFTER_PREPOSITION}(?P<month>{_MONTH})\b", _month),
    _rule(
        "janu feb jul sept oct nov dec",
        r"(?<!last )(?P<month>january|february|july|september|october|november|december)\b",
        _month,
    ),
    _rule("this", r"this (?:may|march)\b(?= \w)(?! (?:i|we|he|she|they|in|on|for)\b)"),
    _rule(
        _TURN_STARTS,
        rf"(?P<turn>{_TURN}) (?P<month>{_MONTH})\b(?:\.? {_NTH_DAY}\b)?",
        _month,
    ),
    _rule(
        [*_TURN_STARTS, *starts(_HOLIDAY_NAMES, 3)],
        rf"(?<!happy )(?<!merry )(?:(?P<turn>{_TURN}) )?(?P<name>{either(_HOLIDAY_NAMES)})(?![a-z])"
        rf"(?:,? (?:of |in )?{_YEAR}|(?P<thing> (?:{_THINGS})))?",
        _holiday,
    ),
    _rule(_TURN_STARTS, rf"(?:this )?(?P<turn>{_TURN}) (?P<weekday>{_WEEKDAY})\b{_GONE}", _weekday),
    _rule(
        starts(_WEEKDAYS, 3),
        rf"(?P<turn>)(?P<weekday>{_LONE_WEEKDAY}"
        r"|(?:mon|wed|sat|sun)(?=,? (?:\d|eve|morn|aft|night|i\b|we\b|at \d)|[:@])"
        rf")\b(?!['’-][a-z]| (?:school|roast)\b){_GONE}",
        _weekday,
    ),
    _rule(
        _COUNT_STARTS,
        rf"(?<![\d:.,/-])(?P<hour>\d{{1,2}}|{either(_COUNTS)})(?:[:.](?P<minute>[0-5]\d))? ?"
        r"(?:(?P<half>[ap](?:m\b|\.m\.?))"
        r"|(?:o['’]clock )?in the (?P<part>morning|afternoon|evening)\b)",
        _clock,
    ),
    _rule("noon", r"noon\b", _noon),
    _rule("midn", r"midnight\b"),
    _rule(starts(_PARTS, 3), rf"(?P<part>{_PART})\b", _part),
    _rule(
        ["1", "2"],
        rf"{_AFTER_PREPOSITION}(?P<year>(?:19|20)\d\d)\b(?![.,]?\d|[%:-]| (?:{_NOT_YEARS}))",
        _year,
    ),
    before="(?<![A-Za-z0-9_])",
)

# What stands between two time words of one expression.
GLUE: Final = (
    r"(?:['’]s|\.(?= ))?,?[ \u00a0]{0,2}"
    r"(?:(?:at|on|in|of|in the|on the|the|around|about|by)[ \u00a0])?\(?"
)
