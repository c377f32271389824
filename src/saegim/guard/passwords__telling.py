"""Is a value told as a password? What ties it to the word that announces it, before or behind."""

from __future__ import annotations

from bisect import bisect_left
from enum import IntEnum
from typing import Final, NamedTuple

from saegim.guard import password_words as words
from saegim.memory.late import late

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
