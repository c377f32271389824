"""Passwords, PINs and codes that people tell each other: a word that announces, a value that fits.

Nothing here is certain, so what is found is held for a person to confirm instead of being dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from saegim.guard import password_words as words
from saegim.guard.seen import Seen, Spot
from saegim.memory.late import late

# ---- Is a value told as a password? What ties it to the word that announces it, before or behind.

# How far a keyword reaches to either side, in characters (the width that was measured best).
REACH: Final = 45
# Keywords that announce little by themselves.
LIGHT: Final = ("weak", "press", "loose")
_LENGTHS: Final = (
    dict.fromkeys(("pin", "press", "loose"), (3, 8))
    | {"otp": (4, 8), "code": (4, 8)}
    | {"cvc": (3, 4)}
)
_STOP: Final = late(r"[.!?…][ \n]|\n")
_CLAUSE_END: Final = late(r"[\"'`)\]]?[ ]?(?:$|[\n,;.!|)]|(?:and|but|so|for|if|on)(?![a-z]))")
_SIGN: Final = late(r"[:=→⇒]|->")
_CODED: Final = late(r"번호|코드|code|pin|핀|puk|number")
_CHANGE: Final = late(r"chang|set|reset|updat|switch|rotat|바꿨|바꾸|변경")
# "비번 새로 바꿨는데 …": what follows is the new one.
_SET_ANEW: Final = late(
    r"(?:바꿨|바꿔[ ]?놨|변경했|설정했|해[ ]?놨|만들었)(?:는데|고|어|음|거든)?[ ,]{1,2}[\"'`]?$"
)
# "jane / secret": who comes first is not what opens.
_NAME_FIRST: Final = late(r"[ ]?/[ ]?[!-~\x00]")
# Words joined by signs, as a password that one can remember.
_JOINED: Final = late(r"[A-Za-z]{2,}(?:[\-_.][A-Za-z0-9]+)+")
_IS: Final = late(r"\b(?:is|was|it's)\b")
_SAID_OF: Final = late(r"[\"'`]?[ ](?:is|was|as)[ ]")
_IS_SAID: Final = late(r"\b(?:is|was)\b|^[ ]?(?:은|는|:)")
# What a dial is turned to.
_TURNED: Final = late(r"[0-9]{1,2}(?:[ ]?-[ ]?[0-9]{1,2}){2,3}")
_YEAR: Final = late(r"(?:19[0-9]|20[0-4])[0-9]")
_USED: Final = late(r"[ ]?(?:으로|로|를|을)[ ]?|[ ]to[ ]")
# The value is the last thing that is said.
END: Final = late(r"[\"'`)\]*]{0,2}[.!~]*\s*(?:$|\n)")


class Strength(IntEnum):
    """How much a value looks like a password, by itself."""

    NONE = 0
    SLIGHT = 1  # letters alone
    FAIR = 2  # digits, or a word with a number behind it
    STRONG = 3  # letters and digits as nobody writes them elsewhere
    STRONGEST = 4  # signs among them, too


class Key(NamedTuple):
    """A keyword: what it announces and where it stands."""

    kind: str
    start: int
    end: int


class Tie(NamedTuple):
    """What ties a value to the keyword before it."""

    direct: bool  # nothing stands between them but particles, signs and small words
    said: bool  # the value is followed by "is", or by what one does with a code
    handed: bool  # right before the value stands a sign or a verb that hands it over
    same: bool  # both stand in one sentence


class Value(NamedTuple):
    """What might be a password: where it stands and how much it looks like one."""

    text: str
    start: int
    end: int
    strength: Strength
    quoted: bool = False

    @property
    def digits(self) -> int:
        """Count the digits of a value that is nothing else; 0 when it is more than digits."""
        bare = self.text.strip("*#").replace(" ", "").replace("-", "").replace(",", "")
        return len(bare) if bare.isdigit() else 0


def kind_of(low: str, keys: list[Key], value: Value) -> str:
    """Return what the value is, judged by the nearest keyword on either side; empty for nothing."""
    labelled = words.LABEL.search(low, max(0, value.start - 24), value.start)
    if value.strength == Strength.NONE or not keys or labelled:
        return ""
    at = bisect_left(keys, value.start, key=lambda key: key.start)
    past = bisect_left(keys, value.end, at, key=lambda key: key.start)
    if at and _told_after(low, keys[at - 1], value):
        return _named(keys[at - 1], value)
    if past < len(keys) and _told_before(low, keys[past], value):
        return _named(keys[past], value)
    return ""


def _named(key: Key, value: Value) -> str:
    if key.kind in ("password", "weak") or not value.digits:
        return "password"
    return "pin" if key.kind in ("code", "press", "loose") else key.kind


def _counts(low: str, value: Value) -> bool:
    """Say whether digits count something or name a year instead of opening anything."""
    return bool(value.digits and words.UNIT.match(low, value.end))


def _fits(key: Key, value: Value) -> bool:
    """Say whether a value made of digits has a length that its keyword may have."""
    least, most = _LENGTHS.get(key.kind, (3, 12))
    return not value.digits or least <= value.digits <= most


def _told_after(low: str, key: Key, value: Value) -> bool:
    """Judge a value that stands behind its keyword."""
    gap = low[key.end : value.start]
    if len(gap) > REACH or not _fits(key, value) or _counts(low, value):
        return False
    if key.kind == "code" and not value.digits:
        return False
    tie = _tie(low, key, gap, value)
    if words.ABOUT.search(gap) and not (tie.said and key.kind == "password"):
        return False
    if key.kind == "press":
        return tie.direct and _opens(low, value)
    if key.kind == "loose":
        return _told_loosely(low, gap, value, tie)
    if key.kind == "weak":
        named_first = _NAME_FIRST.match(low, value.end) is not None
        return not named_first and _told_by_login(gap, value, tie)
    if value.strength == Strength.SLIGHT:
        return key.kind == "password" and _is_word(low, gap, value, tie)
    if key.kind == "password" and tie.same and not value.digits and _SET_ANEW.search(gap):
        return True
    if value.digits == 3 and key.kind != "cvc":
        return tie.direct and (tie.said or _CLAUSE_END.match(low, value.end) is not None)
    if tie.direct or ((tie.said or tie.handed) and (value.digits or key.kind == "password")):
        return True
    if value.strength >= Strength.STRONG and key.kind == "password":
        alone = _STOP.search(gap[-2:]) and _CLAUSE_END.match(low, value.end)
        return tie.same or bool(alone)
    return _ends_the_talk(low, key, gap, value, tie)


def _tie(low: str, key: Key, gap: str, value: Value) -> Tie:
    """Look at what ties a value to the keyword before it."""
    changed = gap.endswith((" to ", " from ")) and _CHANGE.search(
        low, max(0, key.start - 30), value.start
    )
    return Tie(
        direct=words.DIRECT.match(gap) is not None,
        said=words.COPULA.match(low, value.end) is not None,
        handed=bool(changed) or words.HANDED.search(gap) is not None,
        same=not _STOP.search(gap),
    )


def _ends_the_talk(low: str, key: Key, gap: str, value: Value, tie: Tie) -> bool:
    """Judge a value that nothing but its place ties to the keyword."""
    if not tie.same or key.kind == "code":
        return False
    told = _IS_SAID.search(gap) and not words.PREPOSITION.search(gap)
    if _YEAR.fullmatch(value.text) and not told:
        return False
    if words.PREPOSITION.search(gap) and not value.digits:
        return False
    coded = key.kind in ("password", "otp", "cvc") or _CODED.search(low, key.start, key.end)
    turned = key.kind == "pin" and _TURNED.fullmatch(value.text) is not None
    if (coded or turned) and len(gap) <= 30 and END.match(low, value.end):
        return value.digits > 0 or key.kind == "password"
    if coded and value.digits > 3 and len(gap) <= 12 and _CLAUSE_END.match(low, value.end):
        return True
    near = len(gap) <= 20 and not words.FAILED.search(gap)
    return bool(value.digits and coded and near and key.kind != "password")


def _told_loosely(low: str, gap: str, value: Value, tie: Tie) -> bool:
    """Judge a value near a word that hardly announces anything."""
    if value.strength == Strength.STRONGEST:
        return tie.same
    given = (
        tie.said
        or tie.handed
        or any(tying.search(gap) for tying in (words.TYPED, words.WITH, _SIGN))
    )
    if value.digits:
        return given and not _YEAR.fullmatch(value.text) and _opens(low, value)
    return value.strength == Strength.STRONG and tie.same


def _told_by_login(gap: str, value: Value, tie: Tie) -> bool:
    """Judge a value behind a word that only sometimes announces a password."""
    if value.strength >= Strength.STRONG:
        return tie.same
    if value.strength == Strength.SLIGHT:
        return "/" in gap[-3:] and _JOINED.fullmatch(value.text) is not None
    told = _SIGN.search(gap) or _IS.search(gap)
    near = tie.direct or (tie.handed and len(gap) <= 30)
    return value.strength == Strength.FAIR and not value.digits and near and told is not None


def _is_word(low: str, gap: str, value: Value, tie: Tie) -> bool:
    """Judge a value of letters alone: only a clear hand-over makes it a password."""
    plain = value.text.lower()
    if plain in words.PLAIN or not tie.direct:
        return False
    if value.quoted:
        return True
    if words.PLAIN_ENDING.fullmatch(plain):
        return False
    told = _SIGN.search(gap) or _IS.search(gap)
    return tie.said or bool(told and _CLAUSE_END.match(low, value.end))


def _opens(low: str, value: Value) -> bool:
    """Say whether digits that are pressed open something."""
    if not value.digits:
        return False
    start, end = max(0, value.start - 24), min(len(low), value.end + 20)
    return value.text.strip("*#") != value.text or bool(words.OPENED.search(low, start, end))


def _told_before(low: str, key: Key, value: Value) -> bool:
    """Judge a value that stands before its keyword."""
    gap = low[value.end : key.start]
    typed = words.TYPED.search(low, max(0, value.start - 14), value.start) is not None
    # "I'm putting heron-Lamp-88, same as ever, and it says: wrong password": what is typed in and
    # looks like nothing else is meant, however long the tale.
    reach = 2 * REACH if typed and value.strength >= Strength.STRONG else REACH
    if len(gap) > reach or not _fits(key, value) or _STOP.search(gap) or _counts(low, value):
        return False
    if key.kind == "press":
        typed_in = (
            value.strength >= Strength.FAIR and not value.digits and low[key.start] in "치입찍"
        )
        return len(gap) <= 6 and (_opens(low, value) or typed_in)
    if key.kind == "loose":
        return _used_for(low, gap, value, typed=typed)
    if key.kind == "weak":
        used = _USED.fullmatch(gap) is not None
        return used and (value.strength >= Strength.STRONG or (typed and value.digits in (0, 6)))
    if value.strength == Strength.SLIGHT:
        said = words.COPULA.match(low, key.end) or _SAID_OF.match(gap)
        return value.quoted and said is not None and words.BEHIND.match(gap) is not None
    if typed or words.BEHIND.match(gap):
        return True
    if len(gap) > 2:
        return key.kind == "otp" and value.digits == 6 and len(gap) <= 16
    return low[key.start] in "누눌치입찍" or words.COPULA.match(low, key.end) is not None


def _used_for(low: str, gap: str, value: Value, *, typed: bool) -> bool:
    """Judge a value that is used for what is named behind it."""
    if value.strength == Strength.STRONGEST:
        return True
    used = _USED.match(gap) is not None and len(gap) <= 12
    return used and (_opens(low, value) or (typed and value.strength >= Strength.STRONG))


# ---- Passwords, PINs and codes that people tell each other: a word that announces, a value that

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
