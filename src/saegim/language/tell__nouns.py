"""The nouns of a source, by which sources are said to speak of the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.forms__words import DETERMINERS
from saegim.language.en.verbs import is_irregular
from saegim.language.ko.forms import noun_and_part
from saegim.language.ko.forms__endings import ADVERBS, mood_of, time_word
from saegim.language.sentences import sentences
from saegim.language.words import Analyser, Term
from saegim.memory.keys import fold
from saegim.memory.late import late

# What is said of anything, and so says nothing of what a memory is about.
PALE: Final = frozenset(
    str.split("""오늘 어제 내일 모레 지금 아까 방금 요즘 요새 이번 다음 지난 매일 매주 항상 자주
    가끔 아직 벌써 이제 처음 결국 드디어 계속 다시 조금 많이 제일 가장 훨씬 거의 특히 사실 솔직히
    정도 생각 얘기 이야기 말 일 것 거 때 사람 하나 우리 나 저 너 내 제 네 안녕 반가 고마 감사 미안
    죄송 아침 점심 저녁 밤 새벽 오전 오후 주말 평일 작년 올해 내년 하루 며칠 기억 정말 진짜 너무
    번 번째 몇 그때 그날 느낌 기분 마음 문제 경우 부분 관련 정리 시간 시작 응 네 그래 좋은 아주
    사용자 유저 어시스턴트 대체로 이상 때문 생일
    new old good bad very more most much many now then today yesterday tomorrow tonight thing things
    day days week weeks month months year years time times morning afternoon evening night weekend
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december hi hello hey thanks thank okay ok yes no yeah
    please sorry bye later lot lots bit way stuff something anything everything nothing someone
    people person user assistant
    one two three first last next own same other another again too really
    quite long full fine great nice late early""")
)
_ENGLISH: Final = late(r"[A-Za-z][\w'’-]*")
_LATIN: Final = late("[A-Za-z]")
_ARTICLES: Final = {
    **dict.fromkeys(("the", "this", "that", "these", "those"), "the "),
    **dict.fromkeys(("my", "our"), "the user's "),
    **dict.fromkeys(("a", "an"), "a "),
}
_BEFORE_NOUN: Final = DETERMINERS | lex.PREPOSITIONS | frozenset(("another", "some", "no", "any"))


def nouns(text: str, language: str, analyser: Analyser) -> dict[str, str]:
    """Return key -> how it is shown, for each noun that tells what a text is about."""
    folded = " ".join([each for each in sentences(fold(text)) if not _asks(each)])
    written = _in_english(folded) if language != "ko" else {}
    found: dict[str, str] = {}
    for term in analyser.query(folded):
        key = shown(term)
        if not key or is_pale(key, term.surface):
            continue
        if language == "ko":
            found.setdefault(_bare(key), key)
        elif (noun := written.get(term.surface.lower())) is not None:
            found.setdefault("".join(term.tokens), noun)
    return found


def _asks(sentence: str) -> bool:
    """Say whether a sentence asks; what one asks about, one does not tell."""
    last = sentence.rstrip(" .!~…").split()[-1:] or [""]
    return sentence.rstrip().endswith(("?", "？")) or (
        "가" <= last[0][-1:] <= "힣" and mood_of(last[0]) == "asked"
    )


def shown(term: Term) -> str:
    """Return a noun as one reads it, without particles; "" for verbs, sighs and faces."""
    first, surface = term.tokens[0], term.surface
    if not first[0].isalnum() or "ㄱ" <= first[0] <= "ㆎ":
        return ""
    if "가" <= surface[0] <= "힣":
        return first + "".join([token[-1] for token in term.tokens[1:]])
    return first if surface[0].isdigit() else surface


def is_pale(noun: str, surface: str) -> bool:
    """Say whether a noun says only when, or nothing in particular."""
    low = noun.lower()
    if low in PALE or low in ADVERBS or surface.lower() in PALE or noun[0].isdigit():
        return True
    if _LATIN.match(noun):
        return low in lex.TIME_WORDS or low in lex.ADVERBS
    return time_word(noun) is not None or time_word(surface) is not None


def _bare(noun: str) -> str:
    """Return a name without the 이 of 서연이; the same for any noun."""
    name, _ = noun_and_part(noun + "가") if len(noun) > 2 and noun.endswith("이") else (noun, "")
    return noun[:-1] if name == noun and len(noun) > 2 and noun.endswith("이") else noun


def _in_english(text: str) -> dict[str, str]:
    """Return the words that stand where nouns stand, and how each is shown."""
    return dict(_noun_places(text))


def _noun_places(text: str) -> Iterator[tuple[str, str]]:
    words = _ENGLISH.findall(text)
    for at, word in enumerate(words):
        low, before = word.lower(), words[at - 1].lower() if at else ""
        named = word[0].isupper() and (at > 0 or low in lex.FIRST_NAMES)
        if named and low not in lex.COMMON:
            yield low, re.sub(r"['’]s$", "", word)
        elif before in _BEFORE_NOUN and not (before == "to" and _is_verb(low)):
            yield low, _ARTICLES.get(before, "") + low
        elif _is_verb(low) or low in lex.COMMON or low.endswith(("ly", "ed")):
            continue
        elif not at or before in lex.VERBS or (at > 1 and words[at - 2].lower() in _BEFORE_NOUN):
            yield low, low


def _is_verb(word: str) -> bool:
    return word in lex.VERBS or is_irregular(word)
