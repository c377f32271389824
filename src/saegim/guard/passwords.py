"""Passwords, PINs and codes that people tell each other: a word that announces, a value that fits.

Nothing here is certain, so what is found is held for a person to confirm instead of being dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from saegim.guard import password_words as words
from saegim.guard.passwords__telling import END, LIGHT, REACH, Key, Strength, Value, kind_of
from saegim.guard.seen import Seen, Spot
from saegim.memory.late import late

_LONGEST: Final = 80
_ANY_VALUE: Final = late(
    r"[!-~]{3}|[0-9]{2}|[\"'`]"
    r"|[공영일이삼사오육륙칠팔구](?:[ ,\-]{0,2}[공영일이삼사오육륙칠팔구]){3}"
)
_VALUES: Final = late(
    r"(?<![0-9A-Za-z])(?P<apart>[*#]?[0-9](?:[ \-,][0-9]){3,7}[*#]?"
    r"|[*#]?[0-9]{2,4}[ \-][0-9]{2,4}[*#]?|[0-9]{1,2}(?:[ ]?-[ ]?[0-9]{1,2}){2})(?![0-9A-Za-z]"
    r"|[ .\-/:,][0-9])"
    r"|(?P<spoken>(?<![가-힣])[공영일이삼사오육륙칠팔구](?:[ ,\-]{0,2}[공영일이삼사오육륙칠팔구])"
    r"{3,7}|(?<![A-Za-z])(?:zero|oh|one|two|three|four|five|six|seven|eight"
    r"|nine)(?:[ ,\-]{1,2}(?:zero|oh|one|two|three|four|five|six|seven|eight"
    r"|nine)){3,7}(?![A-Za-z]))|(?P<hangul>[가-힣]{2,10}[0-9]{2,8}[!@#$%^&*]{0,3})"
    r"|(?P<run>[!-~]{3,80})"
)
_QUOTED: Final = late(r"(?P<mark>[\"'`])(?P<value>[^\"'`\n]{3,60})(?P=mark)")
_PHRASE: Final = late(r"[a-z]{2,12}(?:[ \-][a-z]{2,12}){2,11}(?![a-z])")
_MODEL: Final = late(
    r"[A-Z]{1,5}-?[0-9]{2,5}[A-Z]{0,3}[0-9]?|[a-z]+(?:[_\-][a-z]+)+[_\-]?[0-9]{1,2}"
    r"|[A-Za-z]+[0-9]{1,2}|[0-9a-fA-F]{32,}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-.*"
)
_ASSIGNED_NAME: Final = late(r"[a-z0-9_]{1,40}(?=[ ]?[:=])")
# Signs between letters and digits that people write every day.
_ORDINARY: Final = late(
    r"[A-Za-z]+[#@][0-9]+|[A-Za-z]&[A-Za-z][0-9A-Za-z]*|[a-z0-9.]+@[a-z0-9.\-]+|\w+=.*"
    r"|[A-Za-z]+(?:\+[A-Za-z0-9]+)+|[0-9]+[%$+*~?]+[A-Za-z]+|.*\?.*=.*|[A-Za-z][+*^][0-9]+"
)
_PHRASE_INTRO: Final = late(r"[ ]?(?:is|was|=|:|은|는)?[ \"']{1,2}")
# Said in so many words, without any word that announces it.
_OUTRIGHT: Final = late(
    r"(?:gate|door|alarm|padlock|keypad|garage|shed|safe|lock[ ]?box|locker)(?:'s|[ ]is(?:[ ]now)?)"
    r"[ ](?P<pin>[0-9]{3,8})(?![0-9.:/]|[ ]?(?:[mck]m|m|ft|feet|foot|inch|years?|kg|x)(?![a-z]))"
    r"|(?:key[ ]?safe|lock[ ]?box|padlock|combo)[^.\n]{0,30}?[ ]"
    r"(?P<apart>[0-9](?:-[0-9]){3,7})(?![0-9\-])"
    r"|safe[ ]is[ ](?P<turned>(?:left|right)[ ][0-9]{1,2}(?:[, ]{1,2}(?:then[ ])?(?:left|right)[ ]"
    r"[0-9]{1,2}){1,4})"
    r"|(?:texted|sent|emailed)[ ]me[ ](?:a[ ]|the[ ])?(?:code[ ])?(?P<otp>[0-9]{4,8})(?![0-9])"
    r"|(?<![a-z])use[ ](?P<same>(?=[^\s]{0,30}[a-z])(?=[^\s]{0,30}[0-9])[^\s]{6,30})[ ]"
    r"(?:for|on)[ ](?:every|all(?![a-z]))"
    r"|log[ \-]?in[^.\n]{0,30}?[ ]is[ ](?P<login>[a-z]{3,20}[0-9]{2,8})(?![a-z0-9@.])"
)
_OUTRIGHT_KIND: Final = {"same": "password", "login": "password", "otp": "otp"}
_SIGNS: Final = frozenset("!@#$%^&*?+=~")


def passwords(seen: Seen) -> Iterator[Spot]:
    """Find what looks like a password, a PIN or a code that somebody tells."""
    if not _ANY_VALUE.search(seen.low):
        return
    found = list(_announced(seen))
    yield from found
    for match in _OUTRIGHT.finditer(seen.low):
        named = match.lastgroup or ""
        start, end = match.span(named)
        known = any(spot.start < end and start < spot.end for spot in found)
        if not known and not words.UNIT.match(seen.low, end):
            yield Spot(_OUTRIGHT_KIND.get(named, "pin"), start, end)


def _announced(seen: Seen) -> Iterator[Spot]:
    """Find what stands near a word that announces it."""
    text, low = seen.text, seen.low
    if not any(stem in low for stem in words.STEMS) and not words.SPREAD.search(low):
        return
    keys = list(_keys(low))
    strong = [key for key in keys if key.kind not in LIGHT]
    groups = (strong, *([key for key in keys if key.kind == kind] for kind in LIGHT))
    for first, last in _windows(keys, len(text)):
        for value in _values(text, keys, first, last):
            kind = next(filter(None, (kind_of(low, group, value) for group in groups)), "")
            if kind:
                yield Spot(kind, value.start, value.end)
    yield from _phrases(low, strong)


def _keys(low: str) -> Iterator[Key]:
    """Find the words that announce a password."""
    for match in words.KEYWORD.finditer(low):
        start, end = match.span()
        kind = match.lastgroup or ""
        before = low[start - 1 : start]
        if before.isascii() and before.isalnum() and low[start].isascii():
            continue
        if low[end : end + 1] == "_":
            # Part of a name in code: it announces a value only where one is assigned to it.
            name = _ASSIGNED_NAME.match(low, end)
            if name is None:
                continue
            end = name.end()
        if kind == "code" and words.OTHER_CODE.search(low[max(0, start - 12) : start]):
            continue
        if kind == "password" and words.MENTION.match(low, end):
            kind = "weak"
        yield Key(kind, start, end)


def _windows(keys: list[Key], length: int) -> Iterator[tuple[int, int]]:
    """Join what the keywords reach into stretches that do not overlap."""
    first = last = -1
    for key in keys:
        start = max(0, key.start - REACH - _LONGEST)
        if start > last:
            if last > 0:
                yield first, last
            first = start
        last = min(length, key.end + REACH + _LONGEST)
    if last > 0:
        yield first, last


def _values(text: str, keys: list[Key], first: int, last: int) -> Iterator[Value]:
    """Find everything in a stretch that might be a value."""
    ends = [key.end for key in keys]
    for match in _VALUES.finditer(text, first, last):
        start, end = match.span()
        if match.lastgroup == "run":
            if "://" in match[0]:
                continue
            # A run may begin with its keyword ("pw:abc"), and it may be a keyword.
            inside = bisect_right(ends, end) - 1
            if inside >= 0 and ends[inside] > start:
                if keys[inside].start <= start and end - ends[inside] <= 1:
                    continue
                if end - ends[inside] >= 3 and text[ends[inside]] in ":=>/'\"`([<{-~":
                    start = ends[inside]
            yield from _pieces(text, start, end)
        else:
            yield Value(match[0], start, end, Strength.FAIR)
    for match in _QUOTED.finditer(text, first, last):
        start, end = match.span("value")
        if bisect_right(ends, end) == bisect_right(ends, start):
            spaced = " " in match["value"].strip()
            strength = (
                Strength.SLIGHT
                if spaced
                else max(_strength(match["value"].strip()), Strength.SLIGHT)
            )
            yield Value(match["value"], start, end, strength, quoted=True)


def _pieces(text: str, start: int, end: int) -> Iterator[Value]:
    """Cut a run of signs where people cut: after an id, at commas, before closing marks."""
    for match in re.finditer(r"[^,;|]+", text[start:end]):
        first, piece = start + match.start(), match[0]
        bare = piece.lstrip("\"'`([{<:=>-~→")
        first += len(piece) - len(bare)
        if cut := re.match(r"[A-Za-z0-9_.@\-]{2,40}[/:](?=.{4})", bare):
            first += cut.end()
            bare = bare[cut.end() :]
        bare = bare.rstrip("\"'`)]}>.:?")
        if len(bare) >= 3:
            last = first + len(bare)
            ended = END.match(text, last) is not None
            yield Value(bare, first, last, _strength(bare.rstrip("!") if ended else bare))


def _strength(value: str) -> Strength:
    """Weigh how much a value looks like a password."""
    if value.strip("*#").isdigit():
        return Strength.FAIR if 3 <= len(value.strip("*#")) <= 12 else Strength.NONE
    if words.TECHNICAL.fullmatch(value.lower()):
        return Strength.NONE
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    signs = len(_SIGNS.intersection(value.lstrip("#@")))
    if letters and digits:
        if len(value) < 5 or _MODEL.fullmatch(value):
            return Strength.FAIR
        return Strength.STRONGEST if signs and not _ORDINARY.fullmatch(value) else Strength.STRONG
    telling = _SIGNS.intersection(value.rstrip("!?")) - {"!", "?"}
    if signs and len(value) >= 6 and (digits >= 3 or telling):
        return Strength.STRONG
    return Strength.SLIGHT if letters >= 3 else Strength.NONE


def _phrases(low: str, keys: list[Key]) -> Iterator[Spot]:
    """Find a passphrase of several words right behind its keyword."""
    for key in keys:
        intro = _PHRASE_INTRO.match(low, key.end)
        if intro and low.startswith("phrase", key.end - 6):
            phrase = _PHRASE.match(low, intro.end())
            sure = phrase and ("-" in phrase[0] or ":" in intro[0] or "=" in intro[0])
            if phrase and (sure or not words.FUNCTION.intersection(phrase[0].split())):
                yield Spot("password", *phrase.span())
