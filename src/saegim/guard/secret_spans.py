"""Spans of a text that might be a secret, and what the words around them are about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from saegim.guard.passwords import LABEL, NAME_FIRST, TECHNICAL
from saegim.guard.visible_text import FILLER, Seen
from saegim.language.word_lists import read_lists
from saegim.memory.text import lazy_pattern

# Stands between what was said before and what is said now.
BORDER: Final = "\x1e"

CATEGORIES: Final = (
    "password phrase pin lock opens typing account wifi disk wallet two_factor app_password backup "
    "answer part direction national keep_in_mind recalled share spelling changed thing about code "
    "unit function"
).split()
_AT: Final = {name: at for at, name in enumerate(CATEGORIES)}
# Words that speak of opening something; without any of them nothing is looked for.
_STRONG: Final = frozenset(
    _AT[name]
    for name in "password phrase pin lock wifi disk wallet two_factor app_password backup".split()
)
_HINTS: Final = _STRONG | {
    _AT[name] for name in ("answer", "account", "opens", "typing", "share", "national")
}
_WORDY: Final = frozenset(
    _AT[name]
    for name in "password phrase answer wallet opens disk two_factor account share".split()
)
FUNCTION, _PART = _AT["function"], _AT["part"]
_TOLD: Final = frozenset(
    _AT[name] for name in "password phrase answer wallet disk typing opens".split()
)

KINDS: Final = (
    "number group spoken mixed word name hangul joined quoted phrase korean blocks numbered digit"
).split()
# What kinds have in common.
FAMILY: Final = {
    "number": 0, "group": 0, "spoken": 0, "mixed": 1, "joined": 1, "blocks": 1,
    "word": 2, "name": 2, "hangul": 2, "quoted": 3, "phrase": 3, "korean": 3, "numbered": 3,
    "digit": 0,
}  # fmt: skip

_WORD: Final = lazy_pattern(
    r"\x00+|[가-힣]+|[ㄱ-ㅎㅏ-ㅣ]+|[a-z]+(?:['\-][a-z]+)*|[0-9]+|[^\s\w]|\w"
)
_CHUNK: Final = lazy_pattern(r"[^\s\x00\x1e,;|]+")
_CUT: Final = lazy_pattern(
    r"->|=>|[,:;.!?…\"()\[\]{}=→\n\x00\x1e]|(?<=\s)[\-~](?=\s)|(?<=\s)'|'(?=\s|$)"
)
_QUOTED: Final = lazy_pattern(r"(?P<mark>[\"'`])(?P<value>[^\"'`\n\x1e]{2,70})(?P=mark)")
_GROUP: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_.,\-/:~$₩€£+(!%&@^<>?\\|])[*#]?[0-9]{1,6}"
    r"(?:(?:[ ]|-|,[ ]|[ ]-[ ])[0-9]{1,6}){1,9}[*#]?(?![0-9A-Za-z_%°]|[.,\-/:~][0-9A-Za-z])"
)
_NUMBER: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_.,\-/:~$₩€£+(!%&@^<>?\\|])(?:[*#]?[0-9]{2,12}[*#]?|[*#][0-9][*#]?)(?![0-9A-Za-z_%°]|[.,\-/:~][0-9A-Za-z])"
)
_DATE: Final = lazy_pattern(r"(?:19|20)[0-9]{2}[ \-][01]?[0-9][ \-][0-3]?[0-9](?![0-9])")
_ONE_WORD: Final = ("mixed", "joined", "blocks", "name", "word")
_OF_A_THING: Final = lazy_pattern(
    r"모델|기종|제품|시리얼|품번|부품|버전|커밋|model|serial|part n|version|commit"
)
_DIGIT: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_.,\-/:~$₩€£+(!%&@^<>?\\|])[0-9](?![0-9A-Za-z_%°]|[.,\-/:~][0-9A-Za-z])"
)
_SPOKEN: Final = lazy_pattern(
    r"(?<![가-힣])[공영일이삼사오육륙칠팔구](?:[ ,\-]{0,2}[공영일이삼사오육륙칠팔구]){2,14}"
    r"|(?<![a-z])(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
    r"(?:[ ,\-]{1,2}(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)){1,12}(?![a-z])"
)
_BLOCKS: Final = lazy_pattern(
    r"(?<![0-9A-Za-z\-])[0-9A-Za-z]{3,6}(?:(?:[ ][0-9A-Za-z]{3,6}){1,9}"
    r"|(?:-[0-9A-Za-z]{3,6}){1,9})(?![0-9A-Za-z])"
)
FOURS: Final = lazy_pattern(
    r"(?<![0-9a-z\-])(?=([a-z]{4}(?:(?:[ ][a-z]{4}){3}|(?:-[a-z]{4}){3}))(?![0-9a-z\-]))"
)
_NUMBERED: Final = lazy_pattern(
    r"1[.):]?[ ]?[^\W\d_]{2,12}(?:[ ,]{1,2}[0-9]{1,2}[.):]?[ ]?[^\W\d_]{2,12}){5,}"
)
_LATIN_RUN: Final = lazy_pattern(r"[A-Za-z][a-z'\-]*(?:[ ,][A-Za-z][a-z'\-]*)+")
_NAMES: Final = lazy_pattern(
    r"(?<![A-Za-z])[A-Z][A-Za-z']+(?:[ ](?:of[ ]|the[ ])?[A-Z][A-Za-z']+){0,3}(?![A-Za-z0-9])"
)
_ENDING: Final = lazy_pattern(
    r"(?:이라고요|이라고|라고요|라고|이라는|라는|으로|로|이었|였|이야|야|이에요|예요|에요|입니다|임"
    r"|이고요|이고|고요|고|인데|이래|래|이요|요|은|는|이|가|을|를|도|이지|지|이다|다|이랑|랑"
    r"|까지|이네|네|이거든|거든|이었어|였어|였지)$"
)
_LEADS: Final = "\"'`([{<:=>-~→“‘"
_CLOSES: Final = "\"'`)]}>.:?…”’"
_STARTS: Final = frozenset(
    "is was be are with put say said saying as to use used using me like called says it's reads "
    "type typed".split()
)
_STOPS: Final = frozenset(
    "for and because which that so lol but spaces all in when while to if on do does".split()
)
_KOREAN_STARTS: Final = lazy_pattern(r"(?:은|는|이|가|을|를|로|요|데|서|말|면)$")
# A Korean word that says something instead of naming something.
_VERB: Final = lazy_pattern(
    r"[가-힣]{2,}(?:어요|아요|해요|네요|데요|세요|니다|는데|거든|다고|라고|어서|아서|해서|으면|하면|려고"
    r"|지만|었어|았어|했어|에서|한테|까지|부터|에게|으로)$|[0-9]"
)
_KOREAN_STOPS: Final = lazy_pattern(
    r"(?:이거|이렇게|이라고|라고|이게|요거|이야|예요|순서|로|띄어쓰기|전부|이런|하면|인데|요게|그걸로"
    r"|다)"
)
# What nobody opens anything with.
_NEVER: Final = lazy_pattern(
    r"v?[0-9]+(?:[.,][0-9]+)+[\w\-+]*|(?:https?|ftp):.*|www\..*|[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+"
    r"|[\w\-./]+\.(?:com|net|org|io|kr|py|js|ts|json|ya?ml|txt|md|pdf|png|jpe?g|env|sh|zip|html?)"
    r"|[0-9]{1,4}[\-/.][0-9]{1,2}[\-/.][0-9]{1,4}|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?|[$₩€£~+\-]?[0-9,.]+%?"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-.*|[0-9.,]+(?:st|nd|rd|th|px|[kmgt]i?b|ms|s|h|k|m|x|g|kg|cm|mm"
    r"|km|am|pm|p|d|[kmg]?hz|[kmg]?bps|w|v|in|ft|lb|oz|mg|ml|mcg|c|f|l|yo|dpi|ish)|[0-9]+[x×~][0-9]+\w{0,3}"
    r"|[a-z]+'[a-z]{1,3}|[\w.]+\(.*|[\w.]+\[.*|\$\{?.*|<.*|\{.*|-{1,2}[a-z].*"
    r"|[~^+\-*/=<>!?#&|ㅋㅎ.0-9]{1,4}|[a-z]/[a-z]|w/|your[_\-].*|.*_here|change_?me|[a-z_]*\^?\[.*"
    r"|[\w\-]+\.\w+\(.*|os\.\w+.*|process\.env.*",
    re.I,
)


class SecretSpan(NamedTuple):
    """A span that might be a secret."""

    kind: str
    start: int
    end: int


class TalkWord(NamedTuple):
    """A word of the talk: where it stands and what it is about."""

    start: int
    end: int
    text: str
    about: tuple[int, ...]


@cache
def word_subjects() -> dict[str, tuple[int, ...]]:
    """Return what each listed word is about."""
    lists = read_lists("both/soft_secret_words")
    found: dict[str, tuple[int, ...]] = {}
    for at, name in enumerate(CATEGORIES):
        for word in lists.row(name):
            found[word] = (*found.get(word, ()), at)
    return found


def subjects_of(word: str, lexicon: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return what a word is about."""
    if "가" <= word[0] <= "힣":
        found: set[int] = set()
        size = len(word)
        if size <= 3 and word[0] in lexicon:
            found.update(lexicon[word[0]])
        for start in range(size - 1):
            for end in range(start + 2, min(start + 5, size) + 1):
                if (part := word[start:end]) in lexicon:
                    found.update(lexicon[part])
        return tuple(sorted(found))
    if known := lexicon.get(word):
        return known
    if word.endswith("'s") and (known := lexicon.get(word[:-2])):
        return known
    if "-" in word:
        parts = word.split("-")
        return tuple(sorted({each for part in parts for each in lexicon.get(part, ())}))
    return ()


def words_of(low: str) -> list[TalkWord]:
    """Cut a text into words."""
    lexicon = word_subjects()
    found: list[TalkWord] = []
    last = ""
    for match in _WORD.finditer(low):
        word = match[0]
        about = subjects_of(word, lexicon)
        if last and (pair := lexicon.get(f"{last}_{word}")):
            about = tuple(sorted({*about, *pair}))
        found.append(TalkWord(match.start(), match.end(), word, about))
        last = word
    return found


def speaks_of_parts(low: str) -> bool:
    """Say whether one text begins a secret and the last one goes on with it, or ends it."""
    *before, now = low.split(BORDER)
    goes_on = any(_PART in word.about for word in words_of(now))
    return goes_on and any(
        any(_STRONG.intersection(word.about) for word in words_of(each)) for each in before
    )


# -- Spans that might be a secret


def candidates(seen: Seen, words: Sequence[TalkWord], *, sparing: bool = True) -> list[SecretSpan]:
    """Return every span that might be a secret, in order; more of them if it need not be quick."""
    hints = {each for word in words for each in word.about}
    if not hints & _HINTS:
        return []
    # One everyday word is too little to look at plain words for.
    telling = bool(hints & _STRONG) or len(hints & _HINTS) > 1
    wordy = bool(hints & _WORDY) and (telling or not sparing)
    found: dict[tuple[int, int], str] = {}
    for candidate in _all_candidates(seen, words, wordy=wordy):
        if candidate.end > candidate.start and not _names_someone(seen.low, candidate):
            found.setdefault((candidate.start, candidate.end), candidate.kind)
    return [SecretSpan(kind, start, end) for (start, end), kind in sorted(found.items())]


def _names_someone(low: str, span: SecretSpan) -> bool:
    """Say whether a span is called a name or a model, or stands before what opens as names do."""
    return span.kind in _ONE_WORD and bool(
        LABEL.search(low, max(0, span.start - 24), span.start)
        or _OF_A_THING.search(low, max(0, span.start - 12), span.start)
        or (NAME_FIRST.match(low, span.end) and span.start)
    )


def _all_candidates(seen: Seen, words: Sequence[TalkWord], *, wordy: bool) -> Iterator[SecretSpan]:
    text, low = seen.text, seen.low
    for match in _NUMBERED.finditer(low):
        yield SecretSpan("numbered", *match.span())
    for match in _BLOCKS.finditer(text):
        if _is_blocks(match[0]):
            yield SecretSpan("blocks", *match.span())
    for match in FOURS.finditer(low):
        if strangeness(match[1]) >= STRANGE:
            yield SecretSpan("blocks", *match.span(1))
    for match in _GROUP.finditer(text):
        if not _DATE.match(match[0]):
            yield SecretSpan("group", *match.span())
    for match in _NUMBER.finditer(text):
        yield SecretSpan("number", *match.span())
    yield from _digits(text, words)
    for match in _SPOKEN.finditer(low):
        yield SecretSpan("spoken", *match.span())
    yield from _chunks(text, wordy=wordy)
    if not wordy:
        return
    for match in _QUOTED.finditer(text):
        yield SecretSpan("quoted", *match.span("value"))
    for match in _NAMES.finditer(text):
        if match.end() - match.start() >= 3:
            yield SecretSpan("name", *match.span())
    yield from _phrases(seen, words)


def _digits(text: str, words: Sequence[TalkWord]) -> Iterator[SecretSpan]:
    """Find single digits that are said to be a part of something longer."""
    ends = [word.end for word in words]
    for match in _DIGIT.finditer(text):
        at = bisect_right(ends, match.start())
        if any(_PART in word.about for word in words[max(0, at - 4) : at]):
            yield SecretSpan("digit", *match.span())


def _is_blocks(value: str) -> bool:
    """Say whether groups of signs are as nobody writes words."""
    groups = re.split("[ -]", value.lower())
    if len({*map(len, groups)}) > 1:
        return False
    if "".join(groups).isdigit():
        return len(groups) >= 3
    if any(map(str.isdigit, value)):
        return 2 * sum(map(str.isdigit, groups)) <= len(groups)
    return len(groups) >= 3 and strangeness("".join(groups)) >= STRANGE


# How often two letters stand together in English, in tenths of nats below chance or above it.
STRANGE: Final = 3.6


@cache
def _letter_pairs() -> str:
    return "".join(read_lists("both/soft_secret_words").lines("letter_pairs"))


def strangeness(word: str) -> float:
    """Return how unlike English the letters of a word follow each other, in nats for a letter."""
    letters = [ord(each) - 97 for each in word if "a" <= each <= "z"]
    if len(letters) < 2:
        return 0.0
    known = _letter_pairs()
    tenths = sum(ord(known[26 * one + two]) - 48 for one, two in pairwise(letters))
    return tenths / (len(letters) - 1) / 10


def _chunks(text: str, *, wordy: bool) -> Iterator[SecretSpan]:
    """Find what stands between spaces, without marks around it and Korean endings behind it."""
    for match in _CHUNK.finditer(text):
        if FILLER in text[max(0, match.start() - 1) : match.end() + 1]:
            continue  # the rest of what was masked before
        bare = match[0].lstrip(_LEADS)
        start = match.end() - len(bare)
        bare = bare.rstrip(_CLOSES)
        if len(bare) < 2:
            continue
        if bare.isascii():
            yield from _latin(bare, start, wordy=wordy)
            continue
        latin = re.match(r"[!-~]+", bare)
        if latin and len(latin[0]) >= 2:
            yield from _latin(latin[0].rstrip(_CLOSES), start, wordy=wordy)
        mixed = None if "=" in bare else re.match(r".*[0-9A-Za-z!@#$%^&*_]", bare)
        if mixed and (latin is None or len(mixed[0]) > len(latin[0])):
            yield SecretSpan("joined", start, start + len(mixed[0]))
        if latin is None or len(latin[0]) < len(bare) - 1:
            kind = "joined" if mixed else "hangul"
            if mixed or (wordy and latin is None and "=" not in bare):
                ending = _ENDING.search(bare)
                if ending and ending.start() >= 2:
                    yield SecretSpan(kind, start, start + ending.start())
                yield SecretSpan(kind, start, start + len(bare))


def _latin(bare: str, start: int, *, wordy: bool) -> Iterator[SecretSpan]:
    if not any(map(str.isalnum, bare)) or bare.isdigit():
        return
    plain = bare.rstrip("!~")
    if "://" in bare:
        if secret := re.search(r"[?&]secret=([A-Za-z2-7]{8,})", bare):
            yield SecretSpan("blocks", start + secret.start(1), start + secret.end(1))
        return
    if _NEVER.fullmatch(plain) or TECHNICAL.fullmatch(plain.lower()):
        return
    if plain.isalpha():
        if wordy and len(plain) >= 3:
            yield SecretSpan("word", start, start + len(plain))
        return
    if cut := re.match(r"[A-Za-z0-9_.@\-]{2,40}[/:=](?=.{3})", bare):
        yield SecretSpan("mixed", start + cut.end(), start + len(bare))
        if bare[cut.end() - 1] == "=":
            return
    yield SecretSpan("mixed", start, start + len(bare))


def _phrases(seen: Seen, words: Sequence[TalkWord]) -> Iterator[SecretSpan]:
    """Find runs of words between marks, and where a verb or a word for a secret hands them over."""
    text, at = seen.text, 0
    about = {word.start: word.about for word in words if word.about}
    for cut in [*_CUT.finditer(text), None]:
        first, last = at, cut.start() if cut else len(text)
        at = cut.end() if cut else at
        pieces = [match.span() for match in re.finditer(r"\S+", text[first:last])]
        if not 1 < len(pieces) <= 60:
            continue
        spans = [(first + start, first + end) for start, end in pieces]
        yield from _runs(text, spans, [frozenset(about.get(start, ())) for start, _ in spans])
        for match in _LATIN_RUN.finditer(text, first, last):
            if any(not text[start:end].isascii() for start, end in spans):
                yield SecretSpan("phrase", *match.span())


def _runs(
    text: str, spans: Sequence[tuple[int, int]], about: Sequence[frozenset[int]]
) -> Iterator[SecretSpan]:
    """Find where a run of words may begin and end."""
    pieces = [text[start:end].lower() for start, end in spans]
    korean = any("가" <= piece[0] <= "힣" for piece in pieces)
    starts, ends = {0}, {len(spans)}
    for place, piece in enumerate(pieces):
        if about[place] & _TOLD or (_KOREAN_STARTS.search(piece) if korean else piece in _STARTS):
            starts.add(place + 1)
        if place and (_KOREAN_STOPS.match(piece) if korean else piece in _STOPS):
            ends.add(place)
    found = {(begin, finish) for begin in sorted(starts)[-10:] for finish in sorted(ends)[:8]}
    found |= set(_plain_runs(pieces, about))
    for begin, finish in sorted(found):
        if 2 <= finish - begin <= 26:
            start, end = spans[begin][0], spans[finish - 1][1]
            value = text[start:end]
            bare = value.strip("'\" ")
            start += value.find(bare) if bare else 0
            value, end = bare, start + len(bare)
            if any(map(str.isdigit, value)):
                continue  # a number or a mixed word is a span of its own
            if value.isascii():
                yield SecretSpan("phrase", start, end)
                continue
            if finish - begin > 14:
                continue
            ending = _ENDING.search(value)
            if ending:
                yield SecretSpan("korean", start, start + ending.start())
            yield SecretSpan("korean", start, end)


def _plain_runs(
    pieces: Sequence[str], about: Sequence[frozenset[int]]
) -> Iterator[tuple[int, int]]:
    """Find three and more words in a row that no small word holds together."""
    begin = 0
    for place in range(len(pieces) + 1):
        ended = place == len(pieces)
        if ended or about[place] & {FUNCTION, *_TOLD} or _VERB.search(pieces[place]):
            if place - begin >= 3:
                yield begin, place
            begin = place + 1
