"""Text becomes the words of the full-text index, and a question the words to look for.

It works without a dictionary: Hangul by bigrams and rules, Latin by light stems, Chinese and
Japanese by bigrams, all other scripts by whole words. Any string is welcome.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from saegim.language.en import words as english
from saegim.language.ko import words as korean
from saegim.language.ko.words import NOTHING, Reading, Weight, bigrams
from saegim.language.word_lists import read_lists
from saegim.memory.keys import fold, normalise

_LISTS: Final = read_lists("both/words")

_MOST_TERMS: Final = 64  # FTS5 scores every posting of every term; a question has about eight
_LONGEST_TOKEN: Final = 64
_LONGEST_PHRASE: Final = 16
_LONGEST_COMPOUND: Final = 4  # of Chinese characters without a space: beyond it, a sentence

# Marks of Hebrew, Arabic, Indic and South-East Asian words count as letters; \w leaves them out.
_LETTER: Final = r"[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0e4e\u0f00-\u109f]"
_LATIN: Final = r"[A-Za-z0-9\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]"
_NUMBER: Final = r"(?>[0-9]++(?:[.,:/-][0-9]++)*+)"
_CJK: Final = (
    r"[\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)

_WORD: Final = re.compile(
    rf"""
    [\s?!,;()]{{0,4}}+  # skipping these here is twice as quick as failing on each of them
    (?:(?P<hangul>[가-힣]+)
    |(?P<measure>{_NUMBER}(?:[백천만억]{{1,3}}\ (?=원))?[가-힣]+)
    |(?P<number>{_NUMBER}(?!{_LATIN}|[_+\#]))
    |(?P<latin>(?:(?<![\w.])\.(?=[A-Za-z]))?{_LATIN}++(?:[-_.'’]{_LATIN}++)*+(?:\+\+|\#)?)
    |(?P<cjk>{_CJK}+)
    |(?P<jamo>[\u3131-\u318e]+)
    |(?P<emoji>[\u2600-\u27bf\U0001f000-\U0001f3fa\U0001f400-\U0001faff])
    |(?P<other>(?:(?![가-힣\u3131-\u318e]|{_CJK})(?:{_LETTER}))+))
    """,
    re.VERBOSE,
)
# After these, a particle hangs on what they close.
_CLOSERS: Final = frozenset(")]}\"'`”’»」』》%#+")
_CJK_PART: Final = re.compile(
    r"(?P<kana>[\u3040-\u309f]+)|(?P<katakana>[\u30a0-\u30ff\u31f0-\u31ff]+)|.+?(?=[\u3040-\u30ff]|$)",
    re.S,
)
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IS_CAMEL: Final = re.compile(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*|[A-Z]{2,}[a-z]{2,}")
_PLURAL_CAPITALS: Final = re.compile(r"[A-Z]{2,}s")
_LETTERS_DIGITS: Final = re.compile(r"([^\W\d_]+)([0-9]+)|([0-9]+)([^\W\d_]+)")
_SHORTENED: Final = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m|t))$", re.IGNORECASE)
_MEASURE: Final = re.compile(rf"({_NUMBER})(.+)", re.S)

_UNITS: Final = _LISTS.row("units")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a question asks for.

    `tokens` stand one after another in the index; `surface` is the word as it was written;
    with `prefix`, the last token may be the beginning of a longer one.
    """

    tokens: tuple[str, ...]
    surface: str
    prefix: bool = False


class Analyser(Protocol):
    """Decides what is a word, for what is written and for what is asked; `name` tags its index."""

    name: str

    def index(self, text: str) -> list[str]:
        """Return the tokens of a document, in order, without white space or quotes in them."""
        ...

    def query(self, text: str) -> list[Term]:
        """Return what a question asks for; nothing, if only endings and particles were given."""
        ...


def _plain(word: str) -> str:
    """Return a Latin word in lower case, without accents, not endlessly long."""
    word = normalise(word)[:_LONGEST_TOKEN]
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return "".join([char for char in decomposed if not unicodedata.combining(char)])


def _split(word: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (token, parts beside it) for each piece between dots, dashes and underscores."""
    for piece in re.split(r"[-_.'’]", word):
        boundary = _LETTERS_DIGITS.fullmatch(piece)
        for run in filter(None, boundary.groups()) if boundary else (piece,):
            plain = _plain(run[:-1] if _PLURAL_CAPITALS.fullmatch(run) else run)
            camel = _CAMEL.findall(run) if _IS_CAMEL.fullmatch(run[:_LONGEST_TOKEN]) else ()
            if plain:
                parts = [english.stem(part.lower()) for part in camel if len(part) > 1]
                yield english.stem(plain), tuple(parts)


@lru_cache(maxsize=16384)
def _latin(word: str) -> Reading:
    """Read a Latin word: dog's, agentic-os, getUserName, C++, .env, GPT4."""
    bare = _SHORTENED.sub("", word) or word
    plain = bare.lower()
    if plain in english.STOP and not (len(bare) > 1 and bare.isupper()):
        return NOTHING
    weight = Weight.LITTLE if plain in english.QUESTION else Weight.MUCH
    if bare[0] == "." or bare[-1] in "+#":
        whole = re.sub("['’]", "", _plain(bare))
        inner = tuple([token for token, _ in _split(bare.strip(".+#")) if len(token) > 1])
        return Reading((whole,), inner, ((whole,),), weight)
    pieces = list(_split(bare))
    main = tuple([token for token, _ in pieces])
    extra = tuple([part for _, parts in pieces for part in parts])
    if bare.count("-") == 1 and len(main) == 2:  # e-mail is also email
        extra += ("".join(main),)
    return Reading(main, extra, (main,) if main else (), weight if main else Weight.NOTHING)


def _number(word: str) -> tuple[str, ...]:
    """Cut 20.04 and 2026-11-15 into their numbers; 1,000 is one number."""
    whole = re.sub(r",(?=[0-9]{3}(?![0-9]))", "", word)
    return tuple([part[:_LONGEST_TOKEN] for part in re.split(r"[.,:/-]", whole)])


def _measure(word: str) -> Reading:
    """Read a number with what it counts: 3시에, 80만 원, 12층."""
    match = _MEASURE.fullmatch(word)
    number, run = match.groups() if match else (word, "")
    numbers, run = _number(number), run.replace(" ", "")
    unit = max((unit for unit in _UNITS if run.startswith(unit)), key=len, default="")
    if not unit and korean.is_particle(run):
        return Reading(numbers, (), (numbers[:_LONGEST_PHRASE],), Weight.MUCH)
    rest = run[len(unit) :] if unit else ""
    unit = unit or korean.without_particle(run)
    joined = ".".join(numbers)[:_LONGEST_TOKEN] + unit[:_LONGEST_TOKEN]
    more = korean.read(rest) if rest and not korean.is_particle(rest) else NOTHING
    main = numbers + (bigrams(unit) if len(unit) > 1 else ()) + more.main
    return Reading(main, (joined, *more.extra), ((joined,), *more.asked), Weight.MUCH)


def _cjk(word: str) -> Reading:
    """Read Chinese or Japanese: bigrams; of what is asked, hiragana between words is dropped."""
    extra: list[str] = []
    asked: list[tuple[str, ...]] = []
    faint: list[tuple[str, ...]] = []
    for match in _CJK_PART.finditer(word):
        part = match.group()
        if match.lastgroup == "kana":
            faint.append(bigrams(part)[:_LONGEST_PHRASE])
            continue
        if len(part) == 1 and len(word) > 1:
            extra.append(part)
        if len(part) > _LONGEST_COMPOUND and match.lastgroup is None:
            asked.extend([(pair,) for pair in bigrams(part)])
        else:
            asked.append(bigrams(part)[:_LONGEST_PHRASE])
    weight = Weight.MUCH if asked else Weight.LITTLE
    return Reading(bigrams(word), tuple(extra), tuple(asked or faint), weight)


def _whole(kind: str, word: str) -> Reading:
    """Read what is one token or a few: numbers, jamo, emoji, words of other scripts."""
    if kind == "number":
        tokens = _number(word)
    elif kind == "jamo":
        tokens = (re.sub(r"(.)\1+", r"\1\1", word)[:_LONGEST_TOKEN],)  # ㅋㅋㅋㅋ laughs like ㅋㅋ
    else:
        tokens = (normalise(word)[:_LONGEST_TOKEN],)
    return Reading(tokens, (), (tokens[:_LONGEST_PHRASE],), Weight.MUCH)


def read(kind: str, word: str) -> Reading:
    """Read one run of one script."""
    if kind == "hangul":
        return korean.read(word)
    if kind == "tail":
        return NOTHING if korean.is_particle(word) else korean.read(word)
    if kind == "latin":
        return _latin(word) if len(word) <= _LONGEST_TOKEN else _endless(word)
    if kind == "measure":
        return _measure(word)
    return _cjk(word) if kind == "cjk" else _whole(kind, word)


def _endless(word: str) -> Reading:
    """Read Latin that is too long to be a word or to be kept in a cache."""
    tokens = tuple([token for token, _ in _split(word)])
    return Reading(tokens, (), (tokens[:_LONGEST_PHRASE],) if tokens else (), Weight.MUCH)


def _touches(before: str) -> bool:
    return before != " " and (before in _CLOSERS or before.isalnum())


def runs(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield (script, run, where it starts) for each word-like run of a folded text.

    A `tail` is Hangul that touches the Latin, digit or bracket before it.
    """
    for match in _WORD.finditer(text):
        group = match.lastindex or 0
        kind, start = match.lastgroup or "", match.start(group)
        if kind == "hangul" and start and _touches(text[start - 1]):
            kind = "tail"
        yield kind, match[group], start


def chosen(weighed: Iterable[tuple[Weight, Term]]) -> list[Term]:
    """Return the terms that matter, each once, no more than an index should be asked for."""
    much: dict[Term, None] = {}
    little: dict[Term, None] = {}
    seen: set[tuple[str, ...]] = set()
    for weight, term in weighed:
        if weight and term.tokens not in seen:
            seen.add(term.tokens)
            (much if weight is Weight.MUCH else little)[term] = None
    terms = list(much or little)
    if len(terms) > _MOST_TERMS:
        half = _MOST_TERMS // 2
        return terms[:half] + terms[-half:]
    return terms


class Basic:
    """Word analysis by rules alone: no dictionary, nothing to load."""

    name = "basic-1"

    def index(self, text: str) -> list[str]:
        """Return the tokens of a document: words in order, then what else they may be found by."""
        text = fold(text)
        main: list[str] = []
        extra: list[str] = []
        bridge = -2  # where a bare noun ended that may go on after the space: 데이터 베이스
        for kind, word, start in runs(text):
            found = read(kind, word)
            if bridge == start - 1 and len(word) > 1 and kind == "hangul" and text[bridge] == " ":
                main.append(text[bridge - 1] + word[0])
            main += found.main
            extra += found.extra
            bridge = start + len(word) if found.bare else -2
        return main + extra

    def query(self, text: str) -> list[Term]:
        """Return one term for each word of the question that asks for something."""
        weighed: list[tuple[Weight, Term]] = []
        for kind, word, _ in runs(fold(text)):
            found = read(kind, word)
            weighed += [(found.weight, Term(tokens, word)) for tokens in found.asked]
        return chosen(weighed)
