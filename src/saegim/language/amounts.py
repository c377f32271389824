"""Numbers with what they count, however they are written: 3시, 세 시, three, 80만 원, $2k."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from saegim.language.en import words as english
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("both/amounts")

_ONES: Final = _LISTS.numbers("ones")
_TENS: Final = _LISTS.numbers("tens")
_SINO: Final = {digit: at for at, digit in enumerate("일이삼사오육칠팔구", 1)}
_POWERS: Final = {"십": 10, "백": 100, "천": 1000, "만": 10_000, "억": 100_000_000}
_DAYS: Final = _LISTS.numbers("days")
_ENGLISH_ONES: Final = _LISTS.numbers("english_ones")
_ENGLISH_TENS: Final = _LISTS.numbers("english_tens")
_ENGLISH_POWERS: Final = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_UNITS: Final = _LISTS.pairs("units")
_NAMES: Final = frozenset(_UNITS.values())
_UNIT: Final = re.compile(
    r"[ -]?(" + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)) + r")(?![a-z])"
)
_NEXT: Final = re.compile(r"[ -]?([a-z]{2,20})")
_DIGITS: Final = re.compile(
    r"(?<![a-uw-z_0-9.])(?P<sign>[$£€₩]?)(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)*)"
    r"(?P<more>[ ]?(?:[백천만억]{1,2})(?![가-힣]{2,}하)|k(?![a-z]))?(?:st|nd|rd|th)?(?![0-9])"
)
_CLOCK: Final = re.compile(r"(?<![0-9:])([0-2]?[0-9]):([0-5][0-9])(?![0-9:])")
_COUNTERS: Final = (
    "명|마리|개|번|살|시간|시|달|잔|병|권|대|주|분|가지|군데|배|곳|채|사람|식구|째|끼|벌|켤레|판|줄|통|그릇"
    "|조각|해|층|차례"
)
_NATIVE: Final = re.compile(
    rf"(?<![가-힣])(?P<ten>{'|'.join(_TENS)})?"
    rf"(?P<one>{'|'.join(sorted(_ONES, key=len, reverse=True))})?(?= ?(?:{_COUNTERS}))"
)
_SINO_WORDS: Final = re.compile(
    r"(?<![가-힣])(?P<sino>[일이삼사오육칠팔구십백천만억]{1,9})"
    r"(?= ?(?:년|월|일|분|초|원|층|호|개월|주|프로|퍼센트|세|명|학년|박|교대|킬로|번째|시간))"
)
_DAY_WORDS: Final = re.compile(rf"(?<![가-힣])(?:{'|'.join(_DAYS)})(?![가-힣]{{3}})")
_HALVES: Final = re.compile(
    "일주일|(?<![가-힣])반년|(?:(?<=시)|(?<=시간)) ?반(?=[^가-힣]|$|에|쯤|부터|까지|으로|이)"
)
_HALF: Final = {"일주일": ("1", "week"), "반년": ("6", "month")}
_ENGLISH: Final = re.compile(
    rf"\b(?P<ten>{'|'.join(_ENGLISH_TENS)})?[ -]?(?P<one>{'|'.join(_ENGLISH_ONES)})?"
    rf"(?:[ -](?P<power>{'|'.join(_ENGLISH_POWERS)}))?\b|\b(?P<alone>twice|dozen|couple)\b"
)
_ALONE: Final = {"twice": (2, "times"), "dozen": (12, ""), "couple": (2, "")}
# Single syllables that are far more often something else: 이 분, 일 년, 오 분.
_DOUBTFUL: Final = frozenset("이일사오")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, what it counts (one name per unit, "" where none is said), and where it stands."""

    value: str
    unit: str
    at: int
    end: int
    # True: a word that may well be no number.
    doubtful: bool = False


def amounts(text: str) -> list[Amount]:
    """Return the numbers of a folded lower-case text."""
    found = [*_clock(text), *_digits(text), *_korean(text), *_english(text)]
    taken: list[Amount] = []
    for each in sorted(found, key=lambda one: one.at):
        if not taken or each.at >= taken[-1].end:
            taken.append(each)
    return taken


def foreign(fact: Sequence[Amount], source: Sequence[Amount]) -> Amount | None:
    """Return the first number of a fact that its source does not hold, or None."""
    for each in fact:
        # Where the source counts the same thing, it must be by this number: not 3 dogs for 2.
        alike = [said for said in source if each.unit and said.unit == each.unit] or source
        if not each.doubtful and not any(_same(each, said) for said in alike):
            return each
    return None


def _same(one: Amount, other: Amount) -> bool:
    """Say whether two numbers are equal and may count the same."""
    if one.value != other.value:
        return one.unit == other.unit == "clock" and _apart_by_twelve(one.value, other.value)
    if one.unit == other.unit or not (one.unit and other.unit):
        return True
    return not (one.unit in _NAMES and other.unit in _NAMES)


def _apart_by_twelve(one: str, other: str) -> bool:
    return one.isdigit() and other.isdigit() and abs(int(one) - int(other)) == 12


def _clock(text: str) -> Iterator[Amount]:
    for match in _CLOCK.finditer(text):
        yield Amount(str(int(match[1])), "clock", match.start(), match.end(1))
        if int(match[2]):
            yield Amount(str(int(match[2])), "minute", match.start(2), match.end())
        else:
            yield Amount("0", "minute", match.start(2), match.end(), doubtful=True)


def _digits(text: str) -> Iterator[Amount]:
    for match in _DIGITS.finditer(text):
        number = match["number"].replace(",", "")
        more = (match["more"] or "").strip()
        if number.isdigit() or (more and number.count(".") == 1):
            times = _times(more)
            number = str(round(float(number) * times)) if more else str(int(number))
        unit, end = _unit(text, match.end())
        yield Amount(number, _UNITS.get(match["sign"], unit), match.start(), end)


def _times(more: str) -> int:
    if more == "k":
        return 1000
    product = 1
    for letter in more:
        product *= _POWERS[letter]
    return product


def _unit(text: str, at: int) -> tuple[str, int]:
    """Return the unit after a number and where it ends; in English, the stem of what is counted."""
    if match := _UNIT.match(text, at):
        return _UNITS[match[1]], match.end()
    if (match := _NEXT.match(text, at)) and match[1] not in english.STOP:
        stem = english.stem(match[1])
        return _UNITS.get(stem, stem), at
    return "", at


def _korean(text: str) -> Iterator[Amount]:
    for match in _HALVES.finditer(text):
        value, unit = _HALF.get(match[0], ("30", "minute"))
        yield Amount(value, unit, match.start(), match.end())
    for match in _DAY_WORDS.finditer(text):
        yield Amount(str(_DAYS[match[0]]), "day", match.start(), match.end())
    for match in _NATIVE.finditer(text):
        if match[0]:
            count = _TENS.get(match["ten"] or "", 0) + _ONES.get(match["one"] or "", 0)
            unit, end = _unit(text, match.end())
            yield Amount(str(count), unit, match.start(), end, doubtful=match[0] == "한")
    for match in _SINO_WORDS.finditer(text):
        unit, end = _unit(text, match.end())
        doubtful = match[0] in _DOUBTFUL
        yield Amount(str(_sino(match["sino"])), unit, match.start(), end, doubtful=doubtful)


def _sino(word: str) -> int:
    total = part = digit = 0
    for letter in word:
        if letter in _SINO:
            digit = _SINO[letter]
        elif letter in "만억":
            total += (part + digit or 1) * _POWERS[letter]
            part = digit = 0
        else:
            part += (digit or 1) * _POWERS[letter]
            digit = 0
    return total + part + digit


def _english(text: str) -> Iterator[Amount]:
    for match in _ENGLISH.finditer(text):
        if match["alone"]:
            number, unit = _ALONE[match["alone"]]
            yield Amount(str(number), unit, match.start(), match.end(), doubtful=True)
        elif match["ten"] or match["one"]:
            value = _ENGLISH_TENS.get(match["ten"] or "", 0) + _ENGLISH_ONES.get(
                match["one"] or "", 0
            )
            value *= _ENGLISH_POWERS.get(match["power"] or "", 1)
            unit, end = _unit(text, match.end())
            yield Amount(str(value), unit, match.start(), end, doubtful=match[0] == "one")
