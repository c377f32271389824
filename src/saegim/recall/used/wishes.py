"""Wishes about how to be answered that can be checked on a reply: few kinds, each honestly.

Length, number of points, pictures, language, politeness, units. For every other wish nothing is
said: whether a reply was "warm" is no business of a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from saegim.language.sentences import sentences

Check = Callable[[str], bool]

_NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "열": 10, "하나": 1,
}  # fmt: skip
_N: Final = rf"(\d{{1,2}}|{'|'.join(_NUMBERS)})"
# What is said of others is no wish to us: "my boss always answers in English".
_OF_OTHERS: Final = re.compile(
    r"^\s*(?:(?:my|our|his|her|their) (?!answers?|replies)|(?:he|she|they|we|it)\b)|"
    r"(?:이|가|은|는|께서)\s.*(?:말한대|쓴대|답한대|했대|했어|하셔|더라)[.!~]*\s*$",
    re.IGNORECASE,
)
# A wish speaks of answering, or to the one who answers.
_ANSWERING: Final = re.compile(
    r"\b(?:answer|answers|reply|replies|respond|responses?|explain|explanations?|talk|speak|write|"
    r"use|using|give|tell|keep|avoid|want|prefer|like|please|always|never|don'?t|do not|no)\b|"
    r"답|대답|말해|말하|말투|설명|얘기|이야기|써\s?줘|써줘|쓰지|쓰|알려|해\s?줘|해라|하지\s?마|줘|마|로\s?해",
    re.IGNORECASE,
)
# A letter may be in English too, and an essay in three points: these must be of answers.
_ANSWERS: Final = re.compile(
    r"\b(?:answer|answers|reply|replies|respond|responses?|explain|explanations?|talk|speak|"
    r"summari[sz]e|tell me|give me|keep it)\b|답|대답|말해|말하|설명|얘기|이야기|알려|정리",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\b(?:no|never|don'?t|do not|without|avoid|stop|hate|dislike)\b|"
    r"없이|말고|쓰지|하지|빼|싫|금지|마\b",
    re.IGNORECASE,
)
_EMOJI: Final = re.compile(r"[\u2600-\u27bf\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff]")
_EMOJI_WISH: Final = re.compile(r"\bemojis?\b|\bemoticons?\b|이모지|이모티콘", re.IGNORECASE)
_SHORT_WISH: Final = re.compile(
    r"\b(?:short|brief|concise|terse)\b[\w ,]*\b(?:answers?|repl(?:y|ies)|responses?)|"
    r"\b(?:answers?|repl(?:y|ies)|responses?|respond|explain)\b[\w ,]*\b(?:short|brief(?:ly)?|"
    r"concise(?:ly)?|shortly)\b|(?:짧게|간단(?:히|하게)|간결(?:히|하게))[^.!?]*(?:답|대답|말해|설명|알려)|"
    r"(?:답|대답|설명)[은는을를]?\s?(?:항상|늘|좀)?\s?(?:짧게|간단|간결)",
    re.IGNORECASE,
)
_SENTENCES_WISH: Final = re.compile(
    rf"\bin (?:at most |no more than )?{_N} sentences?\b|{_N}\s?문장(?:으로|만|이내)", re.IGNORECASE
)
_POINTS_WISH: Final = re.compile(
    rf"\bin {_N} (?:bullet )?(?:points?|bullets?|items?|steps?)\b|"
    rf"{_N}\s?(?:가지|개)(?:\s?(?:항목|포인트|요점))?(?:으로|로)|{_N}\s?줄로",
    re.IGNORECASE,
)
_KOREAN_WISH: Final = re.compile(r"\bin korean\b|한국어로|한국말로|우리말로", re.IGNORECASE)
_ENGLISH_WISH: Final = re.compile(r"\bin english\b|영어로", re.IGNORECASE)
_POLITE_WISH: Final = re.compile(
    r"존댓말|존대말|높임말|경어|\bhonorifics?\b|\bpolite korean\b", re.IGNORECASE
)
_PLAIN_WISH: Final = re.compile(r"반말|말\s?(?:놓|편하게)|\bbanmal\b", re.IGNORECASE)
_METRIC_WISH: Final = re.compile(
    r"\bmetric\b|\bcelsius\b|\bkilomet(?:er|re)s\b|미터법|섭씨|킬로미터", re.IGNORECASE
)
_IMPERIAL_WISH: Final = re.compile(
    r"\bimperial units\b|\bfahrenheit\b|화씨|야드파운드", re.IGNORECASE
)
_METRIC: Final = re.compile(
    r"\d\s?(?:km|cm|mm|kg|g|ml|l|m|°\s?c|℃)\b|\d\s?(?:kilomet|met(?:er|re)s?|kilogram|grams?|"
    r"lit(?:er|re)s?|degrees celsius|celsius|킬로|미터|센티|그램|리터|도\b)|℃|섭씨",
    re.IGNORECASE,
)
_IMPERIAL: Final = re.compile(
    r"\d\s?(?:miles?|mi|feet|foot|ft|inch(?:es)?|pounds?|lbs?|ounces?|oz|gallons?|°\s?f|"
    r"fahrenheit|마일|피트|인치|파운드|온스|갤런)\b|화씨|℉",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"^\s*(?:[-*•‣]|\(?\d{1,2}[.)]|[①-⑳])\s+\S", re.MULTILINE)
_CODE: Final = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_HANGUL, _LATIN = re.compile(r"[가-힣]"), re.compile(r"[A-Za-z]")
_POLITE_END: Final = re.compile(
    r"(?:요|니다|니까|시오|세요|죠|까요|습니다|ㅂ니다)[.!?~…\s\"'”’)]*$"
)
_SHORT_SENTENCES, _SHORT_LETTERS = 3, 300


@dataclass(frozen=True, slots=True)
class Wish:
    """One checkable wish: its kind, and whether a reply follows it."""

    kind: str
    is_followed: Check


def wishes(text: str) -> list[Wish]:
    """Return the wishes about answering that a memory states and that can be checked."""
    return [
        wish
        for sentence in sentences(text)
        if _ANSWERING.search(sentence) and not _OF_OTHERS.search(sentence)
        for wish in (*_forms(sentence), *_manners(sentence))
    ]


def follows(memory: str, reply: str) -> bool:
    """Say whether a reply follows every checkable wish of a memory; without one it follows none."""
    told = _CODE.sub(" ", reply).strip()
    found = wishes(memory)
    return bool(found and told) and all(wish.is_followed(told) for wish in found)


def _forms(sentence: str) -> Iterator[Wish]:
    """Yield wishes about the shape of a reply."""
    if _EMOJI_WISH.search(sentence):
        unwanted = bool(_NO.search(sentence))
        yield Wish("emoji", lambda reply: bool(_EMOJI.search(reply)) is not unwanted)
    if not _ANSWERS.search(sentence):
        return
    if found := _SENTENCES_WISH.search(sentence):
        most = _count(found)
        yield Wish("length", lambda reply: len(sentences(reply)) <= most)
    elif _SHORT_WISH.search(sentence) and not _NO.search(sentence):
        yield Wish("length", _is_short)
    if found := _POINTS_WISH.search(sentence):
        wanted = _count(found)
        yield Wish("points", lambda reply: len(_ITEM.findall(reply)) == wanted)


def _manners(sentence: str) -> Iterator[Wish]:
    """Yield wishes about the tongue of a reply."""
    denied = bool(_NO.search(sentence))
    if _POLITE_WISH.search(sentence):
        yield Wish("politeness", lambda reply: _is_polite(reply) is (not denied))
    elif _PLAIN_WISH.search(sentence):
        yield Wish("politeness", lambda reply: _is_polite(reply) is denied)
    korean, english = _KOREAN_WISH.search(sentence), _ENGLISH_WISH.search(sentence)
    if _ANSWERS.search(sentence) and bool(korean) is not bool(english) and not denied:
        yield Wish("language", lambda reply: _is_korean(reply) is bool(korean))
    metric, imperial = _METRIC_WISH.search(sentence), _IMPERIAL_WISH.search(sentence)
    if bool(metric) is not bool(imperial) and not denied:
        wanted, other = (_METRIC, _IMPERIAL) if metric else (_IMPERIAL, _METRIC)
        yield Wish("units", lambda reply: bool(wanted.search(reply)) and not other.search(reply))


def _count(found: re.Match[str]) -> int:
    said = next(each for each in found.groups() if each)
    return int(said) if said.isdigit() else _NUMBERS[said.lower()]


def _is_short(reply: str) -> bool:
    return len(reply) <= _SHORT_LETTERS and len(sentences(reply)) <= _SHORT_SENTENCES


def _is_korean(reply: str) -> bool:
    return 2 * len(_HANGUL.findall(reply)) > len(_LATIN.findall(reply))


def _is_polite(reply: str) -> bool | None:
    """Say how the Korean sentences of a reply end; None where none is Korean or they differ."""
    ends = [
        bool(_POLITE_END.search(each))
        for each in sentences(reply)
        if _HANGUL.search(each) and not _ITEM.match(each)
    ]
    return ends[0] if ends and len(set(ends)) == 1 else None
