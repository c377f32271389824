"""Numbers in one form, so that 세 시 and 3시, fourth and 4th, 65만 원 and 650,000원 are equal."""

from __future__ import annotations

import re
from typing import Final

from saegim.memory.late import late

_ONES: Final = {
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
_TENS: Final = {"열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50}
_SINO: Final = {digit: at for at, digit in enumerate("일이삼사오육칠팔구", 1)}
_POWERS: Final = {"십": 10, "백": 100, "천": 1000}
_COUNTERS: Final = (
    "마리|개월|시간|번째|번|살|시|명|개|달|잔|병|권|대|가지|군데|배|곳|채|사람|끼|벌|켤레|판|줄"
    "|통|그릇|조각|층|알|장|분"
)
_NATIVE: Final = late(
    rf"(?<![가-힣])(?:({'|'.join(_TENS)})({'|'.join(_ONES)})?|({'|'.join(_ONES)}))"
    rf"(?= ?(?:{_COUNTERS})(?![가-힣]{{3}}))"
)
# At least two syllables: 이 분 and 일 년 are more often something else.
_SPOKEN: Final = late(
    r"(?<![가-힣])([일이삼사오육칠팔구십백천만]{2,9})"
    r"(?= ?(?:원|명|년|개월|분|층|호|퍼센트|프로)(?![가-힣]{3}))"
)
_BIG: Final = late(
    r"(?<![0-9.,])([0-9]+(?:\.[0-9]+)?) ?(천만|백만|억|만|천)(?= ?(?:원|명|달러|개|번|건))"
)
_BIG_POWERS: Final = {
    "천": 1000, "만": 10_000, "백만": 1_000_000, "천만": 10_000_000, "억": 100_000_000,
}  # fmt: skip
_COMMA: Final = late(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_UNIT: Final = late(r"(?<![\w.])([-+]?[$€£₩]?[0-9][0-9.,:]*)(?!st\b|nd\b|rd\b|th\b)(?=[a-z])")
DIGITS: Final = late(r"(?:(?<![\w-])-)?[0-9]+(?:[.,:/-][0-9]+)*")

_ENGLISH: Final = {
    word: str(at)
    for at, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen""".split()
    )
} | {
    word: str(10 * at)
    for at, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_ORDINALS: Final = {
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
    "eleventh": "11th", "twelfth": "12th",
}  # fmt: skip
ENGLISH: Final = {**_ENGLISH, **_ORDINALS}

# Words that count without a digit; they are left as they stand.
WORDS: Final = frozenset(
    """once twice thrice dozen half quarter double triple hundred thousand million billion couple
    single both several few
    하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 스물 첫 첫째 둘째 셋째 넷째 하루 이틀 사흘 나흘
    닷새 엿새 열흘 보름 일주일 반 절반 십 백 천 만 억 천만 백만 한두 두세 서너 몇 여러
    원 달러 유로 엔 만원 천원 usd eur krw gbp jpy dollar dollars euro euros won""".split()
)


def plain(text: str) -> str:
    """Return a folded lower-case text with its Korean numbers and big figures in digits."""
    if any(map(str.isdigit, text)):
        text = _UNIT.sub(r"\1 ", _COMMA.sub("", text))
        text = _BIG.sub(_big, text)
    if text.isascii():
        return text
    return _SPOKEN.sub(_spoken, _NATIVE.sub(_native, text))


def _native(found: re.Match[str]) -> str:
    ten, one, alone = found.groups()
    return str(_TENS.get(ten or "", 0) + _ONES.get(one or alone or "", 0))


def _spoken(found: re.Match[str]) -> str:
    """Return what a number word is worth; what is no number stays as it is."""
    total = part = digit = 0
    for letter in found[1]:
        if letter in _SINO:
            if digit:
                return found[1]  # 일이: one digit after another is no number
            digit = _SINO[letter]
        elif letter == "만":
            if total:
                return found[1]
            total, part, digit = (part + digit or 1) * 10_000, 0, 0
        else:
            part, digit = part + (digit or 1) * _POWERS[letter], 0
    return str(total + part + digit)


def _big(found: re.Match[str]) -> str:
    whole = float(found[1]) * _BIG_POWERS[found[2]]
    return str(round(whole)) if whole == round(whole) and whole < 1e15 else found[0]
