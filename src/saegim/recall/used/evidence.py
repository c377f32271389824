"""Does a memory come back in a reply? By the words that tell it apart, beyond the prompt's own.

Numbers, names and rare words speak; what everybody says does not. The verdict names its words by
their place in the memory, so that it can be kept without a word of them and read while they live.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from saegim.language.ko import words as korean
from saegim.language.ko.words import Weight
from saegim.language.sentences import sentences
from saegim.language.words import Basic, read, runs
from saegim.memory.keys import fold

Surprise = Callable[[str], float]

# A reply leans on what stands first; what stands further down it has perhaps not even read.
FIRST: Final = 3
# Beyond this a reply is a document: what it leans on stands in its first screens.
MOST_LETTERS: Final = 20_000
# What is told about one thing stands together; words a page apart are a coincidence.
_TOGETHER: Final = 3
# Nats: friend, coffee and work lie at 8.5, Boston at 10.6, peanuts at 11.9.
_COMMON, _RARE = 8.0, 11.0
# A word may be common and still be what the memory is about, so it is not quite nothing.
_LEAST: Final = 0.1
# Figures tell by their length: 3 is everywhere, 1,250 is one rent.
_NAME, _LONG_FIGURE, _FIGURE, _DIGIT = 1.0, 1.0, 0.8, 0.4
# A verb is bent too many ways, and one syllable means too many things, to tell much.
_VERB: Final = 0.3
# Common words alone are nothing, however many: one of them must tell something.
_TELLING: Final = 0.5
# So much must come back, and so large a share of what the prompt did not say itself; where the
# prompt speaks of the same thing, less of it is an answer.
_ENOUGH: Final = 0.55
_SHARE, _ASKED_SHARE = 0.5, 0.3
# Of a long memory so much alone is enough, if it is more than a passing word of it.
_PLENTY, _PART = 1.6, 0.15
_FIGURES: Final = ("number", "measure")
# "This year" stands in half of all replies and means another year in each.
_SOMETIME: Final = frozenset(
    str.split("""오늘 어제 그제 내일 모레 올해 작년 내년 재작년 이번 지난 다음 지난달 지난주 다음주
    이번주 주말 요즘 최근 아침 점심 저녁 오전 오후 today yesterday tomorrow tonight morning
    afternoon evening week weekend month year recently lately am pm""")
)
_BASIC: Final = Basic()


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a memory: where it stands among its words, and how much it tells."""

    place: int
    surface: str
    tokens: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What came back: the places of the words in the memory, and how much they tell together."""

    places: tuple[int, ...]
    weight: float
    share: float


NONE: Final = Evidence((), 0.0, 0.0)


def words_of(text: str, surprise: Surprise) -> list[Word]:
    """Return the words of a memory that say something, each once, with what they tell."""
    folded = fold(text)
    found = []
    for place, kind, run, start, tokens in _telling(folded):
        first = not folded[:start].strip() or folded[:start].rstrip()[-1:] in ".!?\n"
        weight = _weight(kind, run, tokens, surprise, first=first)
        found.append(Word(place, run, tokens, weight))
    return found


def said_in(question: str, texts: Iterable[str]) -> list[tuple[int, ...]]:
    """Return for each text the places of those of its words that a question says itself."""
    asked = _line(question)
    return [
        tuple(
            dict.fromkeys(
                place
                for place, _, _, _, tokens in _telling(fold(text[:MOST_LETTERS]))
                if _is_in(tokens, asked)
            )
        )
        for text in texts
    ]


def _telling(folded: str) -> Iterator[tuple[int, str, str, int, tuple[str, ...]]]:
    """Yield each word that says something once: its place, script, form, start and tokens."""
    seen: set[tuple[str, ...]] = set()
    for place, (kind, run, start) in enumerate(runs(folded)):
        reading = read(kind, run)
        if reading.weight is not Weight.MUCH:
            continue
        for tokens in reading.asked:
            if tokens not in seen:
                seen.add(tokens)
                yield place, kind, run, start, tokens


def surfaces(text: str, places: Sequence[int]) -> list[str]:
    """Return the words at these places of a text, as they are written, without particles."""
    held = {place: _spelled(kind, run) for place, (kind, run, _) in enumerate(runs(fold(text)))}
    return [held[place] for place in places if place in held]


def came_back(
    memory: str, prompt: str, reply: str, surprise: Surprise, said: Collection[int] = ()
) -> Evidence | None:
    """Return what of a memory stands in a reply beyond the prompt; None if it is not enough.

    `said` are the places of words that were asked for when the memory was shown.
    """
    words = words_of(memory[:MOST_LETTERS], surprise)
    asked = _line(prompt)
    fresh = [word for word in words if word.place not in said and not _stands(word, asked)]
    topical = len(fresh) < len(words)
    best = NONE
    for part in _windows(reply[:MOST_LETTERS]):
        best = max(best, _held(fresh, _line(part)), key=lambda each: each.weight)
    needed = _ASKED_SHARE if topical else _SHARE
    enough = best.weight >= _ENOUGH and best.share >= needed
    plenty = best.weight >= _PLENTY and best.share >= _PART
    return best if enough or plenty else None


def _windows(reply: str) -> list[str]:
    said = sentences(reply)
    return [" ".join(said[at : at + _TOGETHER]) for at in range(max(len(said) - _TOGETHER + 1, 1))]


def _held(fresh: Sequence[Word], line: str) -> Evidence:
    hit = [word for word in fresh if _stands(word, line)]
    if not any(word.weight >= _TELLING for word in hit):
        return NONE
    weight = sum(word.weight for word in hit)
    total = sum(word.weight for word in fresh)
    return Evidence(tuple(word.place for word in hit), weight, weight / total if total else 0.0)


def _line(text: str) -> str:
    return f" {' '.join(_BASIC.index(text))} "


def _stands(word: Word, line: str) -> bool:
    return _is_in(word.tokens, line)


def _is_in(tokens: tuple[str, ...], line: str) -> bool:
    return f" {' '.join(tokens)} " in line


def _weight(
    kind: str, run: str, tokens: tuple[str, ...], surprise: Surprise, *, first: bool
) -> float:
    """Return how much a word tells: a figure, a name, or by how rarely it is said."""
    if kind in _FIGURES:
        digits = sum(map(str.isdigit, run))
        return _DIGIT if len(run) == 1 else _LONG_FIGURE if digits > 2 else _FIGURE
    told = (surprise(_bare(kind, run)) - _COMMON) / (_RARE - _COMMON)
    weight = min(max(told, _LEAST), 1.0)
    if _bare(kind, run).lower() in _SOMETIME:
        return _LEAST
    if tokens[0].startswith("~") or (kind == "hangul" and len(run) <= 2 and len(tokens[0]) == 1):
        return min(weight, _VERB)
    if kind == "latin" and not first and run[:1].isupper():
        return max(weight, _NAME if told > 0 else _LEAST)
    return weight


def _spelled(kind: str, run: str) -> str:
    """Return a word as it was looked for: of Hangul the noun, put together from its pairs."""
    asked = read(kind, run).asked if kind in ("hangul", "tail") else ()
    noun = asked[0][0] + "".join(pair[-1] for pair in asked[0][1:]) if asked else ""
    return noun if noun and run.startswith(noun) else run


def _bare(kind: str, run: str) -> str:
    return korean.without_particle(run) if kind in ("hangul", "tail") else run
