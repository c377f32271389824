"""Numbers, times, denials and other marks that tell a text from one that looks alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("both/same_marks")

_ONES: Final = _LISTS.numbers("ones")
_TENS: Final = {"열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50}
_SINO: Final = {digit: at for at, digit in enumerate("일이삼사오육칠팔구", 1)}
_POWERS: Final = {"십": 10, "백": 100, "천": 1000}
_COUNTERS: Final = (
    "마리|개월|시간|번째|번|살|시|명|개|달|잔|병|권|대|가지|군데|배|곳|채|사람|끼|벌|켤레|판|줄"
    "|통|그릇|조각|층|알|장|분"
)
_NATIVE: Final = re.compile(
    rf"(?<![가-힣])(?:({'|'.join(_TENS)})({'|'.join(_ONES)})?|({'|'.join(_ONES)}))"
    rf"(?= ?(?:{_COUNTERS})(?![가-힣]{{3}}))"
)
# At least two syllables: 이 분 and 일 년 are more often something else.
_SPOKEN: Final = re.compile(
    r"(?<![가-힣])([일이삼사오육칠팔구십백천만]{2,9})"
    r"(?= ?(?:원|명|년|개월|분|층|호|퍼센트|프로)(?![가-힣]{3}))"
)
_BIG: Final = re.compile(
    r"(?<![0-9.,])([0-9]+(?:\.[0-9]+)?) ?(천만|백만|억|만|천)(?= ?(?:원|명|달러|개|번|건))"
)
_BIG_POWERS: Final = {
    "천": 1000, "만": 10_000, "백만": 1_000_000, "천만": 10_000_000, "억": 100_000_000,
}  # fmt: skip
_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_UNIT: Final = re.compile(r"(?<![\w.])([-+]?[$€£₩]?[0-9][0-9.,:]*)(?!st\b|nd\b|rd\b|th\b)(?=[a-z])")
DIGITS: Final = re.compile(r"(?:(?<![\w-])-)?[0-9]+(?:[.,:/-][0-9]+)*")

_ENGLISH: Final = _LISTS.pairs("english")
_ORDINALS: Final = _LISTS.pairs("ordinals")
ENGLISH: Final = {**_ENGLISH, **_ORDINALS}

WORDS: Final = _LISTS.words("words")


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


# ---- Words that tell two texts apart, or that may be left out of both: lists only.

# -- left out -------------------------------------------------------------------------------------

# They only stress what is said; beside a denial they weigh ("not really") and stay.
STRESS: Final = frozenset("really truly honestly 정말 정말로 진짜 진짜로 좀 참".split())
# They say how much: nothing else may differ, and only what has them may take the other in.
DEGREES: Final = frozenset("very 너무 아주 매우 그냥 되게 엄청 무척 굉장히".split())
OPENERS: Final = _LISTS.words("openers")
# These do only before a new subject: "so I left", not "so many left" or "well water".
DOUBTFUL_OPENERS: Final = frozenset("so well ok okay".split())
SUBJECTS: Final = frozenset("i i'm we my he she they it you the our his her".split())
OPENING_PHRASES: Final = (("by", "the", "way"), ("아", "맞다"))
ARTICLES: Final = {"a": "a", "an": "a", "the": "the"}
# "a few" is some, "few" is hardly any.
AFTER_ARTICLE: Final = frozenset(("few", "little", "bit", "lot", "most", "only", "same", "other"))
# After these an article is never idle: agreed to plan, agreed to the plan; in front, in the front.
BEFORE_ARTICLE: Final = frozenset("to of in at by out".split())

# -- negation and opposites -----------------------------------------------------------------------

DENIALS: Final = _LISTS.words("denials")
DENYING: Final = _LISTS.row("denying")
DISLIKES: Final = _LISTS.words("dislikes")
DISLIKING: Final = ("싫",)
# Each stands against the other; Korean ones are the beginnings of words.
OPPOSITES: Final = tuple(
    (frozenset(one.split(",")), frozenset(other.split(",")))
    for one, other in (
        pair.split("/")
        for pair in """on/off before/after more/less most/least up/down left/right
        open,opened/closed,close,shut better/worse best/worst faster/slower fastest/slowest
        always/never,rarely,sometimes often/rarely,seldom,sometimes all,every/some,any
        enable,enabled/disable,disabled true/false
        love,loves,like,likes/hate,hates,dislike,dislikes happy/unhappy,sad
        passing,pass,passed/failing,fail,failed over/under,below above/below early/late
        increase,rose,rise/decrease,fell,fall buy,bought/sell,sold lend,lent/borrow,borrowed
        more/fewer same/different only/also,too
        켜,켰,켠/꺼,끄,껐,끈 열/닫 더/덜 전/후,뒤 앞/뒤 위/밑,아래 왼/오른 올라/내려 많/적 크,큰/작
        빠르,빨라,빠른/느리,느려,느린 늘/줄 샀,산다,사는/팔 좋/나쁘,싫,나빠 높/낮 길,긴/짧
        있/없 알/모르,몰라 항상,늘,자주/가끔 꼭/절대 만/도 입원/퇴원 합격/불합격 시작/끝
        """.split()
    )
)

# -- time -----------------------------------------------------------------------------------------

RELATIVE: Final = _LISTS.words("relative")
DATES: Final = RELATIVE | frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
    thursdays fridays saturdays sundays january february march april may june july august
    september october november december morning mornings afternoon afternoons evening evenings
    night nights noon midnight weekday weekdays weekend weekends spring summer autumn winter
    christmas easter thanksgiving daily weekly monthly yearly
    월요일 화요일 수요일 목요일 금요일 토요일 일요일 아침 점심 저녁 새벽 밤 낮 오전 오후 정오
    자정 평일 주말 봄 여름 가을 겨울 설날 추석 명절 크리스마스 매일 매주 매달 매월 매년
    격주 월말 월초 연말 연초""".split()
)
DAYS: Final = RELATIVE | frozenset(
    """monday tuesday wednesday thursday friday saturday sunday 월요일 화요일 수요일 목요일
    금요일 토요일 일요일""".split()
)

# -- what turns another sentence round ------------------------------------------------------------

TURNS: Final = _LISTS.row("turns")


# ---- A text cut into sentences and words, free of marks, stress and politeness that say nothing.

_END: Final = re.compile(r"(?<=[.!?…。])[\"'”’)\]]*\s+|\n+")
# Marks that change nothing at the edge of a word. Not among them: < = [x] * _ {id}, and tears.
_OPEN: Final = "\"'“”‘’`(「『《"
_CLOSE: Final = "\"'“”‘’`)」』》.,!?~…;:。ㅋㅎ^"
_HARMLESS: Final = re.compile(r"(?!\.\.$)[-\"'“”‘’`().,!?~…;:。ㅋㅎ^–—·]+")
_DOTTED: Final = re.compile(r"\.[a-z]")
_ASKS: Final = re.compile(r"\?[\s!?.~…ㅋㅎㅠㅜ\"'”’)]*$")
_QUOTED: Final = re.compile(r"[\"“”「『《`]|(?<!\w)['‘]")
_HANGUL: Final = re.compile("[가-힣]")
_LATIN: Final = re.compile("[a-zA-Z]")
_SPACE: Final = re.compile(r"(?<=[가-힣]) (?=[가-힣0-9])|(?<=[0-9]) (?=[가-힣])")
_IDLE: Final = STRESS | DEGREES


@dataclass(frozen=True, slots=True)
class SentenceTokens:
    """One sentence: its words in lower case, whether it asks, and whether it is Korean."""

    words: tuple[str, ...]
    asks: bool
    korean: bool
    # What was left out of its words that says how much.
    degrees: tuple[str, ...] = ()


def is_korean(text: str) -> bool:
    """Say whether a text is Korean rather than English: a name in the other script is no matter."""
    hangul = 0 if text.isascii() else len(_HANGUL.findall(text))
    return bool(hangul) and 3 * hangul >= len(_LATIN.findall(text))


def cut(text: str, denied: bool) -> list[SentenceTokens]:
    """Cut a folded text with plain figures into sentences of bare words.

    With `denied`, words of stress are kept: "I do not really like it" says less than without.
    """
    loose = not _QUOTED.search(text)
    found = []
    for piece in _END.split(text):
        words = [word for chunk in piece.split() if (word := _bare(chunk))]
        words = _unopened(words) if loose else words
        degrees: tuple[str, ...] = ()
        if loose and not denied and (rest := [word for word in words if word not in _IDLE]):
            degrees = tuple([word for word in words if word in DEGREES])
            words = rest
        if words:
            asks = _ASKS.search(piece) is not None
            found.append(SentenceTokens(tuple(words), asks, is_korean(piece), degrees))
    return found


def _bare(chunk: str) -> str:
    """Return a word without the marks around it; "" if it is nothing but marks."""
    if _HARMLESS.fullmatch(chunk):
        return ""
    word = chunk.lstrip(_OPEN).rstrip(_CLOSE)
    if word.startswith(".") and not _DOTTED.match(word):
        word = word.lstrip(".")
    return word or chunk


def _unopened(words: list[str]) -> list[str]:
    """Drop what opens a sentence and says nothing, while something else is left."""
    while len(words) > 2:
        phrase = next((p for p in OPENING_PHRASES if tuple(words[: len(p)]) == p), ())
        if phrase and len(words) > len(phrase):
            words = words[len(phrase) :]
        elif words[0] in OPENERS or (words[0] in DOUBTFUL_OPENERS and words[1] in SUBJECTS):
            words = words[1:]
        else:
            break
    return words


def squashed(words: Sequence[str]) -> str:
    """Join words without the spaces that Korean writers set as they like."""
    return _SPACE.sub("", " ".join(words))
