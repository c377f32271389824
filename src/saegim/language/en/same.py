"""English sentences: which differ only in articles, contractions, spelling or a phrase moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from saegim.language import same_marks as figures
from saegim.language import same_marks as marks
from saegim.language.en.words import stem
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/same")

_SHORT: Final = re.compile(r"([a-z]+)'(m|re|ve|ll|s)")
_NOT: Final = re.compile(r"([a-z]+)n't")
_LONG: Final = {"m": "am", "re": "are", "ve": "have", "ll": "will", "s": "is"}
_ODD_NOT: Final = {"ca": "can", "wo": "will", "sha": "shall", "ai": "ain't"}
# After these 's is "is", unless a participle follows: "it's been" is "it has been".
_IS: Final = frozenset("he she it that there here what who where".split())
_PARTICIPLE: Final = re.compile(r"been|got|had|gone|done|become|[a-z]+(?:ed|en|wn)")
_VERB_OR_ING: Final = _LISTS.words("verb_or_ing")
_SPELLING: Final = _LISTS.pairs("spelling")
_ISE: Final = re.compile(r"([a-z]{3,}i)s(e|es|ed|ing|ation)")
_MOVES: Final = _LISTS.words("moves")
_HOLDS: Final = _LISTS.words("holds")


@dataclass(frozen=True, slots=True)
class EnglishSentence:
    """An English sentence: its words, and the article before each."""

    words: tuple[str, ...]
    articles: tuple[str, ...]
    asks: bool


def sentence(words: tuple[str, ...], asks: bool) -> EnglishSentence:
    """Read the bare words of one sentence."""
    kept: list[str] = []
    articles: list[str] = []
    article = ""
    for word, following in _with_next(list(_expanded(words))):
        if word in marks.ARTICLES and following and following not in marks.AFTER_ARTICLE:
            article = marks.ARTICLES[word]
            continue
        before = kept[-1] if kept else ""
        if before == "to" and len(kept) > 1 and kept[-2] in _VERB_OR_ING:
            kept[-1], word = stem(word) + "+", ""
        elif before in _VERB_OR_ING and word.endswith("ing") and len(word) > 5:
            word = stem(word) + "+"
        if word:
            kept.append(word)
            articles.append(article)
        article = ""
    return EnglishSentence(tuple(kept), tuple(articles), asks)


def same(one: EnglishSentence, other: EnglishSentence) -> bool:
    """Say whether two sentences say the same."""
    if one.asks != other.asks or len(one.words) != len(other.words):
        return False
    if one.words == other.words:
        return _articles_fit(one, other)
    at = _moved(one.words, other.words)
    if at == 0:
        return False
    turned = EnglishSentence(other.words, one.articles[at:] + one.articles[:at], one.asks)
    return _articles_fit(turned, other)


def _with_next(words: list[str]) -> Iterator[tuple[str, str]]:
    return zip(words, [*words[1:], ""], strict=True)


def _expanded(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words with contractions written out, numbers in digits and one spelling."""
    for word, following in _with_next([word.replace("’", "'") for word in words]):
        if word in figures.ENGLISH:
            yield figures.ENGLISH[word]
        elif "'" in word:
            yield from _long(word, following)
        elif word in _SPELLING:
            yield from _SPELLING[word].split()
        elif len(word) > 6 and (found := _ISE.fullmatch(word)):
            yield f"{found[1]}z{found[2]}"
        else:
            yield word


def _long(word: str, following: str) -> Iterator[str]:
    if found := _NOT.fullmatch(word):
        yield from (_ODD_NOT.get(found[1], found[1]), "not")
    elif word == "let's":
        yield from ("let", "us")
    elif not (found := _SHORT.fullmatch(word)):
        yield word
    elif found[2] != "s" or (found[1] in _IS and not _PARTICIPLE.fullmatch(following)):
        yield from (found[1], _LONG[found[2]])
    else:
        yield word


def _articles_fit(one: EnglishSentence, other: EnglishSentence) -> bool:
    """Say whether one has the articles of the other, or leaves some out where that is idle."""
    pairs = [
        (mine, yours, at)
        for at, (mine, yours) in enumerate(zip(one.articles, other.articles, strict=True))
        if mine != yours
    ]
    if any(mine and yours for mine, yours, _ in pairs):
        return False
    if any(mine for mine, _, _ in pairs) and any(yours for _, yours, _ in pairs):
        return False  # "have finished the report", "have the finished report"
    return all(at == 0 or one.words[at - 1] not in marks.BEFORE_ARTICLE for _, _, at in pairs)


def _moved(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many words stand before what has moved to the front, 0 if nothing has."""
    if not _HOLDS.isdisjoint(one):
        return 0
    for at in range(1, len(one)):
        if (one[at] in _MOVES or one[0] in _MOVES) and one[at:] + one[:at] == other:
            return at
    return 0
