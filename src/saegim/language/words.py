"""Cut a text into sentences, words of the full-text index, and words a question looks for.

It works without a dictionary: Hangul by bigrams and rules, Latin by light stems, Chinese and
Japanese by bigrams, all other scripts by whole words. Any string is welcome.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from saegim.errors import BadInput
from saegim.language.en import words as english
from saegim.language.ko import words as korean
from saegim.language.ko.words import NOTHING, Weight, WordReading, bigrams
from saegim.language.word_lists import read_lists
from saegim.memory.text import fold, lazy_pattern, normalise

_LISTS: Final = read_lists("both/sentences")

# Last syllables of Korean sentences: with laughter, tears or three dots behind them they end one.
_ENDINGS: Final = "다요죠까네음함임됨지야어아해라자래게걸군데니냐나봐줘퍼파커써와워켜려쳐져겨여돼"
# Laughter, tears, emoticons and pictures belong to the sentence before them.
_PICTURES: Final = "\u2600-\u27bf\U0001f300-\U0001faff"
_MOOD: Final = f"ㅋㅎㅠㅜ~^♥♡☆★;{_PICTURES}\u2b00-\u2bff\ufe0f\u200d\U0001f1e6-\U0001f1ff"
_CLOSERS: Final = "\"'”’)\\]}」』》〉"
_END: Final = lazy_pattern(
    rf"(?P<stop>[.!?。！？]+[.!?…。！？]*)[{_CLOSERS}]*[ \t]*(?:[{_MOOD}]+(?=\s|$))?(?=\s|$)"
    r"|(?<=[가-힣])(?P<tight>[.!?]+)(?=[가-힣])"
    rf"|(?P<trail>…+|[{_MOOD}]{{2,}}|[{_PICTURES}])[{_MOOD}]*(?=\s|$)"
    r"|(?P<line>[\r\n\v\f\x85\u2028\u2029])"
)
_SHORT: Final = _LISTS.words("short")
_BLANK: Final = lazy_pattern(r"\s*")
_WORD: Final = lazy_pattern(r"[A-Za-z.]+$|\d+$")
_DATE: Final = lazy_pattern(r"\d{4}\. ?\d{1,2}\. ?\d{1,2}$")
_SPEECH: Final = lazy_pattern(r"(?:이?라고|하고|이?라며|이?라는|고|며)(?![가-힣])|[a-z]")
_PARAGRAPH: Final = lazy_pattern(r"\n[ \t\r]*(?:\n[ \t\r]*)+")
# Marks that are drawn together with the character before them.
_JOINED: Final = lazy_pattern(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1160-\u11ff\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\ud7b0-\ud7ff\udc00-\udfff"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
# A drawn character longer than this is an attack on the reader, not a letter.
_LONGEST_LETTER: Final = 32


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order; nothing is lost but the white space around them."""
    starts = [0, *borders(text), len(text)]
    found = (text[one:two].strip() for one, two in pairwise(starts))
    return [sentence for sentence in found if sentence]


def borders(text: str) -> list[int]:
    """Return the places where a sentence after the first one begins."""
    found = []
    last = 0
    for end in _END.finditer(text):
        if end.start() < last or not _closes(text, end, last):
            continue
        blank = _BLANK.match(text, end.end())
        start = blank.end() if blank else end.end()
        if start == len(text):
            break
        if last < start:
            found.append(start)
            last = start
    return found


def _closes(text: str, end: re.Match[str], last: int) -> bool:
    """Say whether the mark that was found closes a sentence."""
    at = end.start()
    if end["line"]:
        return True
    if end["tight"]:
        return text[at - 1] in _ENDINGS
    after = _BLANK.match(text, end.end())
    following = after.end() if after else end.end()
    if end["trail"] or (end["stop"].startswith("..") and not set(end["stop"]) & set("!?")):
        before = text[last:at].rstrip()
        said = len(before) > 1 and before[-1] in _ENDINGS and "가" <= before[-2] <= "힣"
        return said or text[following : following + 1].isupper()
    if any(mark in end[0] for mark in "\"'”’") and _SPEECH.match(text, following):
        return False
    return not (end["stop"] == "." and _abbreviates(text, at, last, following))


def _abbreviates(text: str, at: int, last: int, following: int) -> bool:
    """Say whether the dot at a place shortens a word (Dr.) or counts (1. or 2024. 3. 5.)."""
    word = _WORD.search(text, max(last, at - 12), at)
    if word is None:
        return False
    if word[0].isdigit():
        counts = word.start() == last or text[following : following + 1].isdigit()
        return counts or _DATE.search(text, max(last, at - 12), at) is not None
    letters = word[0].lower().rstrip(".")
    if letters in ("a.m", "p.m", "etc", "u.s", "u.k"):
        return not text[following : following + 1].isupper()
    return letters in _SHORT or (len(letters) == 1 and letters != "i" and word[0].isupper())


def parts(text: str, limit: int) -> list[str]:
    """Cut a long text into parts of at most `limit` characters; joined they are the text again.

    A part ends where a paragraph ends if it can, else where a sentence, else where a word ends.
    """
    if limit < 1:
        raise BadInput("perceive.part_cannot_hold_characters", limit=limit)
    if len(text) <= limit:
        return [text] if text else []
    paragraphs = [border.end() for border in _PARAGRAPH.finditer(text)]
    starts = borders(text)
    found, at = [], 0
    while len(text) - at > limit:
        cut = _cut(text, at, at + limit, paragraphs, starts)
        found.append(text[at:cut])
        at = cut
    return [*found, text[at:]]


def _cut(text: str, at: int, most: int, paragraphs: list[int], starts: list[int]) -> int:
    for places in (paragraphs, starts):
        if (found := bisect_right(places, most)) and places[found - 1] > at:
            return places[found - 1]
    for place in range(most, at, -1):
        if text[place - 1].isspace() and not text[place].isspace():
            return place
    for place in range(most, max(at, most - _LONGEST_LETTER), -1):
        if not _drawn_together(text, place):
            return place
    return most


def _drawn_together(text: str, place: int) -> bool:
    """Say whether the characters around a place are drawn as one (letters, flags, line ends)."""
    before, after = text[place - 1], text[place]
    if _JOINED.match(after) or before == "\u200d" or (before == "\r" and after == "\n"):
        return True
    if "\u1100" <= before <= "\u115f" and "\u1100" <= after <= "\u115f":
        return True
    if not (_is_flag(before) and _is_flag(after)):
        return False
    first = place - 1
    while first > 0 and place - first < _LONGEST_LETTER and _is_flag(text[first - 1]):
        first -= 1
    return (place - first) % 2 == 1


def _is_flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


# -- Text becomes the words of the full-text index, and a question the words to look for

_STOP_LISTS: Final = read_lists("both/words")

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

_ANY_WORD: Final = re.compile(
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
_WORD_CLOSERS: Final = frozenset(")]}\"'`”’»」』》%#+")
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

_UNITS: Final = _STOP_LISTS.row("units")


class Term(NamedTuple):
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
def _latin(word: str) -> WordReading:
    """Read a Latin word: dog's, agentic-os, getUserName, C++, .env, GPT4."""
    bare = _SHORTENED.sub("", word) or word
    plain = bare.lower()
    if plain in english.STOP and not (len(bare) > 1 and bare.isupper()):
        return NOTHING
    weight = Weight.LITTLE if plain in english.QUESTION else Weight.MUCH
    if bare[0] == "." or bare[-1] in "+#":
        whole = re.sub("['’]", "", _plain(bare))
        inner = tuple([token for token, _ in _split(bare.strip(".+#")) if len(token) > 1])
        return WordReading((whole,), inner, ((whole,),), weight)
    pieces = list(_split(bare))
    main = tuple([token for token, _ in pieces])
    extra = tuple([part for _, parts in pieces for part in parts])
    if bare.count("-") == 1 and len(main) == 2:  # e-mail is also email
        extra += ("".join(main),)
    return WordReading(main, extra, (main,) if main else (), weight if main else Weight.NOTHING)


def _number(word: str) -> tuple[str, ...]:
    """Cut 20.04 and 2026-11-15 into their numbers; 1,000 is one number."""
    whole = re.sub(r",(?=[0-9]{3}(?![0-9]))", "", word)
    return tuple([part[:_LONGEST_TOKEN] for part in re.split(r"[.,:/-]", whole)])


def _measure(word: str) -> WordReading:
    """Read a number with what it counts: 3시에, 80만 원, 12층."""
    match = _MEASURE.fullmatch(word)
    number, run = match.groups() if match else (word, "")
    numbers, run = _number(number), run.replace(" ", "")
    unit = max((unit for unit in _UNITS if run.startswith(unit)), key=len, default="")
    if not unit and korean.is_particle(run):
        return WordReading(numbers, (), (numbers[:_LONGEST_PHRASE],), Weight.MUCH)
    rest = run[len(unit) :] if unit else ""
    unit = unit or korean.without_particle(run)
    joined = ".".join(numbers)[:_LONGEST_TOKEN] + unit[:_LONGEST_TOKEN]
    more = korean.read(rest) if rest and not korean.is_particle(rest) else NOTHING
    main = numbers + (bigrams(unit) if len(unit) > 1 else ()) + more.main
    return WordReading(main, (joined, *more.extra), ((joined,), *more.asked), Weight.MUCH)


def _cjk(word: str) -> WordReading:
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
    return WordReading(bigrams(word), tuple(extra), tuple(asked or faint), weight)


def _whole(kind: str, word: str) -> WordReading:
    """Read what is one token or a few: numbers, jamo, emoji, words of other scripts."""
    if kind == "number":
        tokens = _number(word)
    elif kind == "jamo":
        tokens = (re.sub(r"(.)\1+", r"\1\1", word)[:_LONGEST_TOKEN],)  # ㅋㅋㅋㅋ laughs like ㅋㅋ
    else:
        tokens = (normalise(word)[:_LONGEST_TOKEN],)
    return WordReading(tokens, (), (tokens[:_LONGEST_PHRASE],), Weight.MUCH)


def read(kind: str, word: str) -> WordReading:
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


def _endless(word: str) -> WordReading:
    """Read Latin that is too long to be a word or to be kept in a cache."""
    tokens = tuple([token for token, _ in _split(word)])
    return WordReading(tokens, (), (tokens[:_LONGEST_PHRASE],) if tokens else (), Weight.MUCH)


def _touches(before: str) -> bool:
    return before != " " and (before in _WORD_CLOSERS or before.isalnum())


def runs(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield (script, run, where it starts) for each word-like run of a folded text.

    A `tail` is Hangul that touches the Latin, digit or bracket before it.
    """
    for match in _ANY_WORD.finditer(text):
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
