"""Numbers that belong to a person: cards, resident numbers, phones, accounts and documents."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from saegim.guard.visible_text import Seen, Spot
from saegim.memory.lazy_patterns import lazy_pattern

# Digits close together. A run of more than twenty is no one's number, and is passed over at once.
_ZONE: Final = lazy_pattern(
    r"(?<![0-9])[0-9]{1,20}(?![0-9])(?:[ ().\-/]{1,4}+[0-9]{1,20}(?![0-9]))*+"
)
_START: Final = r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][.\-])"
_STOP: Final = r"(?![0-9A-Za-z_]|[.\-][0-9A-Za-z])"
_CARD: Final = lazy_pattern(
    _START + r"(?:[0-9]{4}[ .\-/]{1,3}[0-9]{4}[ .\-/]{1,3}[0-9]{4}[ .\-/]{1,3}[0-9]{1,7}"
    r"|[0-9]{4}[ .\-/]{1,3}[0-9]{6}[ .\-/]{1,3}[0-9]{4,5}|[0-9]{13,19})" + _STOP
)
_RESIDENT: Final = lazy_pattern(
    r"(?<![0-9])(?<![0-9A-Za-z][.\-])(?P<birth>[0-9]{6}"
    r"|(?:[0-9][ .]){5}[0-9])(?P<gap>[ .\-/]{0,5})(?P<rest>[1-8](?:[0-9]{6}"
    r"|(?:[ .][0-9]){6}))(?![0-9]|[.\-][0-9])"
)
_END: Final = lazy_pattern(r"뒷[ ]?자리[^0-9]{0,8}(?P<rest>[1-8][0-9]{6})(?![0-9])")
_HALVES: Final = lazy_pattern(
    r"(?<![0-9])(?P<birth>[0-9]{6})(?![0-9])[^0-9]{1,24}(?P<rest>[1-8][0-9]{6})(?![0-9])"
)
_KOREAN_PHONE: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_+.])(?<![0-9]-)(?:(?P<mobile>(?:\(?01[016789]"
    r"|82[ .\-]{1,2}10)\)?[ .\-/)]{0,3}[0-9]{3,4})|(?P<land>\(?0(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]"
    r"|70|80|50[2-9]?)\)?[ .\-/)]{0,3}[0-9]{3,4}))(?P<gap>[ .\-/]{0,3})[0-9]{4}(?![0-9]"
    r"|[.\-][0-9])"
)
_FOREIGN_PHONE: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_+])(?:\+[ ]?|00)\(?[1-9][0-9]{0,2}(?:[ .\-/()]{0,3}[0-9]){6,13}(?![0-9]"
    r"|[.\-][0-9])"
)
_LOCAL_PHONE: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_+.])(?<![0-9]-)(?:1[ .\-])?\(?[0-9]{2,5}\)?[ .\-]{1,2}[0-9]{3,4}(?P<third>[ "
    r".\-]{1,2}[0-9]{3,4})?(?![0-9A-Za-z_]|[ .\-][0-9])"
)
_SPOKEN_PHONE: Final = lazy_pattern(
    r"공[ ]?일[ ]?공(?:[ ,.\-]{0,3}[공영일이삼사오육륙칠팔구]){7,8}"
)
_BUSINESS: Final = lazy_pattern(_START + r"[0-9]{3}[ \-]?[0-9]{2}[ \-]?[0-9]{5}" + _STOP)
_LICENCE: Final = lazy_pattern(
    r"(?<![0-9])(?<![0-9]-)(?:(?P<region>[0-9]{2})[ \-]?)?[0-9]{2}[ \-]?[0-9]{6}[ \-]?[0-9]{2}"
    + _STOP
)
_SOCIAL: Final = lazy_pattern(
    # Also with groups that were never given out: whoever names it may have mistyped their own.
    _START + r"[0-9]{3}[ \-]?[0-9]{2}[ \-]?[0-9]{4}" + _STOP
)
_ACCOUNT: Final = lazy_pattern(
    _START + r"(?:[0-9]{2,6}(?:[ \-]{1,3}[0-9]{1,8}){1,4}|[0-9]{8,16})" + _STOP
)
_DATE: Final = lazy_pattern(
    r"(?:19|20)[0-9]{2}[ .\-/]{1,2}[01]?[0-9][ .\-/]{1,2}[0-3]?[0-9](?![0-9])"
)
# Letters before digits: the only form the rest can have.
_LETTERED: Final = lazy_pattern(r"[A-Za-z][0-9]{2}")
_IBAN: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,4})?(?![A-Za-z0-9"
    r"])"
)
_PAPER: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:[A-Z]{1,2}[0-9]{3}[A-Z][0-9]{4}|[A-Z]{1,5}[0-9]{6,9}[A-Z0-9]{0,7}"
    r"|[A-Z][0-9]{2,3}(?:[ \-][0-9]{2,4}){2,4})(?![A-Za-z0-9])",
    re.IGNORECASE,
)

_SAYS_RESIDENT: Final = lazy_pattern(
    r"주민|민번|외국인|등록[ ]?번호|resident|\brrn\b|\barc\b|alien|foreigner|뒷[ ]?자리"
)
_SAYS_PHONE: Final = lazy_pattern(
    r"전화|연락|핸드폰|휴대폰|폰[ ]?번|핸펀|팩스|카톡|\btel\b|phone|\bcell\b|\bcall|mobile"
    r"|\btext (?:me|him|her|us|them)|\bfax|whatsapp|\breach\b|\bring (?:me|him|her|us)|\bdial|☎"
    r"|📞"
)
_SAYS_NUMBER: Final = lazy_pattern(r"번호|\bnumber|\bcontact|\btext\b|문자")
_SAYS_BANK: Final = lazy_pattern(
    r"계좌|통장|입금|송금|이체|은행|뱅크|뱅킹|예금주|account|\bacct|\bbank|\bwire\b|routing"
    r"|sort code"
)
_SAYS_ACCOUNT: Final = lazy_pattern(
    r"계좌|은행|뱅크|예금주|account (?:no|num|#)|\bacct|\bbank account|sort code"
)
_BANKS: Final = (
    r"(?:국민|신한|우리|하나|농협|기업|카뱅|카카오|토스|새마을|우체국|신협|수협|산업|제일|씨티"
    r"|부산|대구|광주|전북|경남|제주|케뱅|케이|\bkb|\bnh|\bibk|\bsc|\bkdb)"
)
_BANK: Final = lazy_pattern(rf"{_BANKS}(?:은행|뱅크|금고)?[ :,]{{0,3}}$")
_BANK_BEHIND: Final = lazy_pattern(rf"[ ]?(?:\({_BANKS}|{_BANKS}(?:은행|뱅크|금고))")
_SAYS_CARD: Final = lazy_pattern(
    r"카드|card|\bvisa|비자|master|마스터|amex|결제|\bcvv\b|\bcvc\b|\bexp\b|expir"
    r"|유효[ ]?기간|long number"
)
_IN_FOURS: Final = lazy_pattern(r"[0-9]{4}([ \-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}")
_SAYS_BUSINESS: Final = lazy_pattern(r"사업자|business (?:reg|no|num|id)|\bbrn\b|tax id|세금계산서")
_SAYS_LICENCE: Final = lazy_pattern(r"면허|driv[a-z']{1,5}s?[ ]licen|\bdl\b|licence (?:no|num)")
_SAYS_PASSPORT: Final = lazy_pattern(r"여권|passport")
_SAYS_SOCIAL: Final = lazy_pattern(
    r"\bssn\b|social security|\bsocial\b|사회[ ]?보장|\bitin\b|\bss#"
)
_SAYS_CUSTOMS: Final = lazy_pattern(r"통관|customs")
# Numbers of things: nothing near these words is a person's number unless it proves itself.
_OF_THINGS: Final = lazy_pattern(
    r"주문|송장|운송|접수|예약|상품|모델|품번|시리얼|serial|order|invoice|tracking|\bsku\b"
    r"|part n|isbn|바코드|barcode|ticket|티켓|관리[ ]?번호|문서|사건|버전|version|build|commit"
    r"|법인|타임스탬프|timestamp|epoch|택배|parcel|case n|일련|쿠폰|coupon|회차|논문|doi\b"
)
_UNIT: Final = lazy_pattern(
    r"[ ]?(?:원|만|억|달러|won\b|krw|usd|엔|위안|개|명|바이트|bytes?\b|ms\b|%)"
)
_CARD_ISSUERS: Final = lazy_pattern(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[4-9]|6|50|5[6-9]|9"
)
_BUSINESS_WEIGHTS: Final = (1, 3, 7, 1, 3, 7, 1, 3, 5)
_RESIDENT_WEIGHTS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
# From this day on new resident numbers end in random digits: the checksum proves nothing.
_RANDOM_SINCE: Final = date(2020, 10, 5)


class _Talk:
    """What the words of a text say, looked up once for each kind of word."""

    def __init__(self, seen: Seen) -> None:
        self.text, self.low = seen.text, seen.low
        self._places: dict[re.Pattern[str], tuple[list[int], list[int]]] = {}

    def says(
        self, words: re.Pattern[str], match: re.Match[str], before: int = 30, after: int = 20
    ) -> bool:
        """Say whether a word stands shortly before or after what was found."""
        if words not in self._places:
            spans = [found.span() for found in words.finditer(self.low)]
            self._places[words] = [start for start, _ in spans], [end for _, end in spans]
        starts, ends = self._places[words]
        if not starts:
            return False
        first, last = match.span()
        near = bisect_left(starts, first - before)
        if near < len(starts) and ends[near] <= first:
            return True
        near = bisect_left(starts, last)
        return near < len(starts) and ends[near] <= last + after

    def of_things(self, match: re.Match[str]) -> bool:
        """Say whether the number is said to be one of a thing."""
        return self.says(_OF_THINGS, match, before=18, after=4)

    def before(self, match: re.Match[str], length: int) -> str:
        """Return the words right before what was found."""
        return self.low[max(0, match.start() - length) : match.start()]


class _Zone(NamedTuple):
    """A stretch with digits, and the talk around it."""

    talk: _Talk
    start: int
    end: int

    def all(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Find a pattern in the stretch."""
        return pattern.finditer(self.talk.text, self.start, self.end)


def private_numbers(seen: Seen) -> Iterator[Spot]:
    """Find every number of a person in the text; ranges may overlap."""
    text, low = seen.text, seen.low
    talk = _Talk(seen)
    for found in _ZONE.finditer(text):
        count = sum(map(str.isdigit, found[0]))
        if count < 7:
            continue
        zone = _Zone(talk, max(0, found.start() - 3), min(len(text), found.end() + 2))
        if count >= 13:
            yield from _residents(zone)
            yield from _cards(zone)
        yield from _phones(zone)
        yield from _papers(zone)
        yield from _accounts(zone)
    whole = _Zone(talk, 0, len(text))
    if "민번" in low or "주민" in low or "자리" in low:
        yield from _halves(whole)
        yield from _ends(whole)
    if _LETTERED.search(text):
        yield from _lettered(whole)
    if "공" in text:
        yield from (Spot("phone", *match.span()) for match in _SPOKEN_PHONE.finditer(text))


def _digits(found: str) -> str:
    return "".join(filter(str.isdigit, found))


def _residents(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_RESIDENT):
        number = _digits(match["birth"] + match["rest"])
        born = _birth(number)
        if born is None:
            continue
        of_things = zone.talk.of_things(match)
        if not (
            zone.talk.says(_SAYS_RESIDENT, match) and "법인" not in zone.talk.before(match, 14)
        ) and (
            of_things
            or born.year < 1920
            or not (_resident_checks(number) or (match["gap"] and _is_random(number, born)))
        ):
            continue
        yield Spot("foreigner" if number[6] in "5678" else "rrn", *match.span())


def _birth(number: str) -> date | None:
    """Read the birthday that a resident number starts with."""
    century = 1900 if number[6] in "1256" else 2000
    try:
        return date(century + int(number[:2]), int(number[2:4]), int(number[4:6]))
    except ValueError:
        return None


def _is_random(number: str, born: date) -> bool:
    return born >= _RANDOM_SINCE and number[6] in "3478"


def _resident_checks(number: str) -> bool:
    """Check the last digit, by the rule for citizens or the one for foreigners."""
    total = sum(int(d) * w for d, w in zip(number, _RESIDENT_WEIGHTS, strict=False))
    last = int(number[12])
    return last in ((11 - total % 11) % 10, (13 - total % 11) % 10)


def _halves(zone: _Zone) -> Iterator[Spot]:
    """Find a resident number that is told in two halves with words between them."""
    for match in zone.all(_HALVES):
        if _birth(match["birth"] + match["rest"]) and zone.talk.says(_SAYS_RESIDENT, match):
            yield Spot("rrn", *match.span())


def _ends(zone: _Zone) -> Iterator[Spot]:
    """Find the secret half of a resident number, told alone."""
    for match in zone.all(_END):
        if "민" in zone.talk.before(match, 20):
            yield Spot("rrn", *match.span("rest"))


def _cards(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_CARD):
        number = _digits(match[0])
        if not (13 <= len(number) <= 19 and _CARD_ISSUERS.match(number)):
            continue
        # A card that is spoken of as one is one, even with a digit mistyped.
        told = _IN_FOURS.fullmatch(match[0]) and zone.talk.says(_SAYS_CARD, match, 60, 40)
        if not _luhn(number) and not (told and not zone.talk.of_things(match)):
            continue
        # Without separators some beginnings are a day of our years, or only known in one country.
        bare = match[0].isdigit()
        doubtful = bare and (number[0] in "29" or len(number) not in (15, 16))
        if not doubtful or zone.talk.says(_SAYS_CARD, match):
            yield Spot("card", *match.span())


def _luhn(number: str) -> bool:
    """Check a card number's last digit."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2])
    return len(set(number)) > 1 and (sum(doubled) + sum(map(int, number[-1::-2]))) % 10 == 0


def _phones(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_KOREAN_PHONE):
        if match["mobile"] or match["gap"] or zone.talk.says(_SAYS_PHONE, match):
            yield Spot("phone", *match.span())
    for match in zone.all(_FOREIGN_PHONE):
        number = _digits(match[0])
        apart = not match[0].lstrip("+").isdigit()
        sure = (
            apart or len(number) >= 10 if match[0][0] == "+" else zone.talk.says(_SAYS_PHONE, match)
        )
        if sure and len(number) <= 16 and not _UNIT.match(zone.talk.low, match.end()):
            yield Spot("phone", *match.span())
    for match in zone.all(_LOCAL_PHONE):
        if _is_local_phone(zone, match):
            yield Spot("phone", *match.span())


def _is_local_phone(zone: _Zone, match: re.Match[str]) -> bool:
    number = _digits(match[0])
    if _DATE.match(match[0]) or not 7 <= len(number) <= 12 or number[:2] in ("15", "16", "18"):
        return False
    if match["third"] is None and match[0][0] != "(":
        return zone.talk.says(_SAYS_PHONE, match, before=24, after=8)
    if len(number) < 9:
        return False
    if match[0][0] == "(" and ")" in match[0]:
        return True
    told = zone.talk.says(_SAYS_PHONE, match) or zone.talk.says(
        _SAYS_NUMBER, match, before=20, after=4
    )
    return told and not zone.talk.of_things(match)


def _papers(zone: _Zone) -> Iterator[Spot]:
    """Find business numbers, driving licences, social security and passport numbers."""
    for match in zone.all(_BUSINESS):
        proven = not match[0].isdigit() and _business_checks(_digits(match[0]))
        if zone.talk.says(_SAYS_BUSINESS, match) or (proven and not zone.talk.of_things(match)):
            yield Spot("business", *match.span())
    for match in zone.all(_LICENCE):
        split = len(re.split("[ -]", match[0])) == 4
        region = match["region"] is not None and 11 <= int(match["region"]) <= 28
        if zone.talk.says(_SAYS_LICENCE, match) or (
            split and region and not zone.talk.of_things(match)
        ):
            yield Spot("licence", *match.span())
    for match in zone.all(_SOCIAL):
        if zone.talk.says(_SAYS_SOCIAL, match):
            yield Spot("ssn", *match.span())
        elif match[0].isdigit() and zone.talk.says(_SAYS_PASSPORT, match):
            yield Spot("passport", *match.span())


def _business_checks(number: str) -> bool:
    """Check the last digit of a Korean business number."""
    total = sum(int(d) * w for d, w in zip(number, _BUSINESS_WEIGHTS, strict=False))
    return (10 - (total + int(number[8]) * 5 // 10) % 10) % 10 == int(number[9])


def _accounts(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_ACCOUNT):
        number = match[0]
        if not 8 <= len(_digits(number)) <= 16 or _DATE.match(number):
            continue
        if _UNIT.match(zone.talk.low, match.end()) or zone.talk.of_things(match):
            continue
        behind = _BANK_BEHIND.match(zone.talk.low, match.end())
        if behind or _BANK.search(zone.talk.before(match, 12)):
            named = True
        elif number.isdigit():
            named = zone.talk.says(_SAYS_ACCOUNT, match) or (
                len(number) >= 10 and zone.talk.says(_SAYS_BANK, match)
            )
        else:
            named = zone.talk.says(_SAYS_BANK, match)
        if named:
            yield Spot("account", *match.span())


def _lettered(zone: _Zone) -> Iterator[Spot]:
    """Find what starts with letters: IBANs, passports, foreign licences, customs codes."""
    for match in zone.all(_IBAN):
        if _iban_checks(match[0].replace(" ", "")):
            yield Spot("account", *match.span())
    if not (says := _paper_words(zone.talk.low)):
        return
    for match in zone.all(_PAPER):
        for kind, words in says:
            if zone.talk.says(words, match):
                yield Spot(kind, *match.span())


def _paper_words(low: str) -> list[tuple[str, re.Pattern[str]]]:
    kinds = (
        ("passport", _SAYS_PASSPORT),
        ("licence", _SAYS_LICENCE),
        ("customs", _SAYS_CUSTOMS),
    )
    return [(kind, words) for kind, words in kinds if words.search(low)]


def _iban_checks(number: str) -> bool:
    """Check an IBAN by the remainder its digits must leave."""
    if not 15 <= len(number) <= 34:
        return False
    turned = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1
