"""Which English words of feeling stand in a text, and how much each weighs where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from saegim.language.lexicons import (
    EARLIER,
    ONCE,
    SOFT,
    STRONG,
    UNREAL,
    UTMOST,
    FeelingWord,
    Sense,
    Way,
    senses,
)
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/feelings")

# ---- English words and phrases of feeling, and what each of them says.

_WORDS: Final = _LISTS.text("words")


@cache
def lexicon() -> tuple[dict[str, Sense], dict[str, list[tuple[str, ...]]]]:
    """Return what single words say, and the phrases by their first word, longest first."""
    found = senses(_WORDS, lambda word: (word.replace("_", " "),))
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(found, key=lambda each: -each.count(" ")):
        words = tuple(phrase.split())
        if len(words) > 1:
            phrases.setdefault(words[0], []).append(words)
    return found, phrases


# ---- Which English words of feeling stand in a text, and how much each weighs where it stands.

_TOKEN: Final = re.compile(r"[a-z]+(?:['-][a-z]+)*|[.!?;:,()\n…—]+")
_LONG_DRAWN: Final = re.compile(r"([a-z])\1{2,}")
# Without these letters no word needs mending.
_ODD: Final = re.compile(r"([a-z])\1\1|nt\b")
_SHORTENED: Final = re.compile(
    r"(do|does|did|is|was|are|were|wo|ca|could|would|should|has|have|had|ai)nt"
)
_NOT: Final = _LISTS.words("not")
_NOT_DENYING: Final = _LISTS.words("not_denying")
_LESS: Final = frozenset(("far from", "stopped being", "free of", "used to"))
_BREAK: Final = _LISTS.words("break")
# How many words back a denial reaches, and how many a sentence is looked at around a word.
_REACH, _WIDE = 5, 30
_LOUDEST: Final = 2.0
_STRONG: Final = _LISTS.words("strong")
_UTMOST: Final = _LISTS.words("utmost")
_STRONG_AFTER: Final = re.compile(
    r"^\W*(?:so much|a lot|(?:for )?(?:hours|days|weeks)\b|all (?:day|night|week)"
    r"|every (?:single )?(?:day|night))"
)
_UTMOST_AFTER: Final = re.compile(
    r"^\W*(?:as (?:hell|fuck|heck)|to death|out of my mind|ever\b|like crazy|beyond words"
    r"|(?:day )?of my (?:\w+ )?life|myself to sleep)"
)
_MATTER: Final = _LISTS.words("matter")
_SOFT: Final = frozenset(str.split("bit little slightly somewhat kinda sorta fairly mildly"))
_SOFT_PAIRS: Final = frozenset((("kind", "of"), ("sort", "of")))
_FIRST: Final = frozenset(str.split("""i i'm im i've i'd i'll me myself we we're we've us"""))
_OTHERS: Final = _LISTS.words("others")
_BEING: Final = _LISTS.words("being")
_NO_ONE: Final = _LISTS.words("no_one")
_UNREAL: Final = _LISTS.words("unreal")
_WORKS: Final = _LISTS.words("works")
_ONCE: Final = re.compile(r"\bat first\b|\bused to\b|\binitially\b|\boriginally\b|\bonce upon\b")
_CONTRAST: Final = frozenset(("but", "however", "yet", "nevertheless", "nonetheless"))
_CONCEDING: Final = frozenset(("although", "though", "despite"))


def found(text: str) -> Iterator[FeelingWord]:
    """Yield the English words of feeling of a text."""
    low = text.lower().replace("’", "'")
    # Lowering may change how long a text is (İ); then its places would not be ours.
    own = text if len(low) == len(text) else low
    tokens = list(_TOKEN.finditer(low))
    words = [each.group() for each in tokens]
    if _ODD.search(low):
        words = [_plain(word) for word in words]
    if "anything but" in low:
        words = ["not" if pair == ("anything", "but") else pair[1] for pair in _pairs(words)]
    for at, size, sense in _matches(words):
        begin, end = tokens[at].start(), tokens[at + size - 1].end()
        clause = _clause(words, at)
        since = tokens[at - len(clause)].start()
        denying = _denied(words, at, size)
        elsewhere = _elsewhere(sense, words, at, size, clause)
        weight = _weight(words, at, clause) * _loudness(own[begin:end], low[end : end + 20])
        weight *= ONCE if _ONCE.search(low, since, end) else 1.0
        weight *= UNREAL if elsewhere else 1.0
        words_from = tokens[denying].start() if denying >= 0 else begin
        form = own[words_from:end]
        yield FeelingWord(sense, form, begin, min(weight, _LOUDEST), denying >= 0, elsewhere)


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each word with the one before it."""
    return pairwise(("", *words))


def _plain(word: str) -> str:
    """Return a word without drawn-out letters, and with the apostrophe people leave out."""
    known, _ = lexicon()
    if word not in known and _LONG_DRAWN.search(word):
        for letters in (r"\1\1", r"\1"):
            shorter = _LONG_DRAWN.sub(letters, word)
            if shorter in known or shorter in _STRONG or shorter in _UTMOST:
                return shorter
    return f"{word[:-1]}'t" if _SHORTENED.fullmatch(word) else word


def _loudness(form: str, after: str) -> float:
    """Return how much louder than usual a word is written or followed."""
    loud = form.isupper() and len(form) > 2
    if _UTMOST_AFTER.match(after):
        return UTMOST
    return STRONG if loud or _LONG_DRAWN.search(form) or _STRONG_AFTER.match(after) else 1.0


def _matches(words: Sequence[str]) -> Iterator[tuple[int, int, Sense]]:
    """Yield place, length and sense of each word and phrase, the longest first."""
    known, phrases = lexicon()
    at = 0
    while at < len(words):
        size, sense = 1, known.get(words[at])
        for phrase in phrases.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                size, sense = len(phrase), known[" ".join(phrase)]
                break
        if sense is not None:
            yield at, size, sense
        at += size


def _clause(words: Sequence[str], at: int) -> list[str]:
    """Return the words before a place, back to where its clause begins."""
    since, earliest = at, max(0, at - _WIDE)
    while since > earliest and words[since - 1][0].isalpha() and words[since - 1] not in _CONTRAST:
        since -= 1
    return list(words[since:at])


def _denied(words: Sequence[str], at: int, size: int) -> int:
    """Return the place of what denies a word, or -1."""
    if size > 1 and ("'t" in words[at] or words[at] in _NOT):
        return -1
    for back in range(1, min(_REACH, at) + 1):
        word = words[at - back]
        if not word[0].isalpha() or word in _BREAK:
            return -1
        following = words[at - back + 1]
        if word in _NOT or word.endswith("n't"):
            if following in _NOT_DENYING:
                return -1
            if word == "never" and following == "been" and _more(words, at):
                return -1
            return at - back
        if word == "less" or f"{word} {following}" in _LESS:
            return at - back
    return -1


def _more(words: Sequence[str], at: int) -> bool:
    """Say whether a word is compared: never been happier, never been so proud."""
    return words[at].endswith("er") or words[at - 1] in ("so", "more", "this")


def _weight(words: Sequence[str], at: int, clause: list[str]) -> float:
    """Return how much a word weighs by its degree and by its place in the sentence."""
    near = words[max(0, at - 3) : at]
    degree = 1.0
    if not _UTMOST.isdisjoint(near) or near.count("so") > 1:
        degree = UTMOST
    elif not _STRONG.isdisjoint(near):
        degree = STRONG
    elif not _SOFT.isdisjoint(near) or tuple(near[-2:]) in _SOFT_PAIRS:
        degree = SOFT
    turns = sum(word in _CONTRAST for word in words[at : at + _WIDE])
    return degree * EARLIER ** min(2, turns + (not _CONCEDING.isdisjoint(clause)))


def _elsewhere(sense: Sense, words: Sequence[str], at: int, size: int, clause: list[str]) -> bool:
    """Say whether a feeling is supposed, asked about, told of, or somebody else's."""
    if not _UNREAL.isdisjoint(clause) or _asked(words, at):
        return True
    following = words[at + size] if at + size < len(words) else "."
    if _FIRST.isdisjoint(clause) and not _MATTER.isdisjoint((*clause, following)):
        return True
    if sense.way is Way.INNER and following in _WORKS:
        return True
    return sense.way in (Way.INNER, Way.LIKING) and _of_others(clause, following)


def _of_others(clause: list[str], following: str) -> bool:
    """Say whether somebody else than the speaker has the feeling that follows the clause."""
    for word in reversed(clause):
        if word in _FIRST:
            return False
        if word in _OTHERS:
            return True
    for before, word in pairwise(clause):
        if word in _BEING and before not in _NO_ONE:
            return True
    return clause[-1:] in (["a"], ["an"], ["the"]) and following[0].isalpha()


def _asked(words: Sequence[str], at: int) -> bool:
    """Say whether the sentence of a word is a question."""
    for word in words[at : at + _WIDE]:
        if word[0] in ".!?\n":
            return "?" in word
    return False
