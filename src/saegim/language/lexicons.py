"""Lists of phrases and of words of feeling: how they are written, found and summed up.

A phrase is a small pattern: ( | ) [ ] and ? mean what they mean in a regular expression; _ is a
space, … a few words, $ the end of the sentence. What else a sign means, each language says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

from saegim.memory.memory import Feeling

_JOINT: Final = re.compile(r"([|(])\s+")
# Opening an alternative copies what follows it; beyond this, the phrase is a pattern of its own.
_MOST_COPIED: Final = 200
_OPENERS: Final = {"(": ")", "[": "]"}


@dataclass(frozen=True)
class Spelling:
    """How a language writes phrases: signs that begin one, and signs within one."""

    heads: Mapping[str, str]
    within: Mapping[int, str]
    # What stands around each phrase that has no sign at its beginning.
    before: str = ""
    after: str = ""


class Phrases:
    """Some phrases of one language; a text must be prepared as that language asks."""

    def __init__(self, spelling: Callable[[], Spelling], text: str) -> None:
        self._spelling = spelling
        self._text = text

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        """Compile the phrases: a dear step, so not before the first turn is read."""
        return [re.compile(each, re.MULTILINE) for each in patterns(self._text, self._spelling())]

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile("|".join([each.pattern for each in self._patterns]), re.MULTILINE)

    def within(self, text: str) -> bool:
        """Say whether one of the phrases stands in the text."""
        return any(each.search(text) for each in self._patterns)

    def all(self, text: str) -> set[str]:
        """Return the different phrases that stand in the text."""
        return set(self._whole.findall(text))

    def without(self, text: str) -> str:
        """Return the text with a space in place of each phrase."""
        return self._whole.sub(" ", text)


def words_of(text: str) -> list[str]:
    """Return the phrases of a list: white space parts them, but not behind ( or |."""
    return _JOINT.sub(r"\1", text).split()


def patterns(text: str, spelling: Spelling) -> list[str]:
    """Return few patterns that together find any of the phrases.

    Phrases are sorted by how they begin: where all of a pattern's phrases begin with a plain
    letter, a search skips to that letter, which is many times quicker than trying each.
    """
    sorted_by: dict[str, list[str]] = {}
    alone: list[tuple[str, list[str]]] = []
    for phrase in words_of(text):
        sign = spelling.heads.get(phrase[0])
        head, bare = (spelling.before, phrase) if sign is None else (sign, phrase[1:])
        opened = list(_opened(bare))
        if sum(map(len, opened)) > _MOST_COPIED + len(bare):
            alone.append((head, [bare]))
        else:
            sorted_by.setdefault(head, []).extend(opened)
    return [
        f"{head}{_grouped(tails, spelling)}{spelling.after}"
        for head, tails in (*sorted_by.items(), *alone)
    ]


def _grouped(phrases: list[str], spelling: Spelling) -> str:
    """Return an alternation in which each first letter stands once."""
    tails: dict[str, list[str]] = {}
    for phrase in dict.fromkeys(phrases):
        plain = phrase[:1].isalnum() and phrase[1:2] not in ("?", "*", "+")
        first = phrase[0] if plain else ""
        tails.setdefault(first, []).append(phrase.removeprefix(first).translate(spelling.within))
    return "(?:" + "|".join([f"{each}(?:{'|'.join(rest)})" for each, rest in tails.items()]) + ")"


def _opened(phrase: str) -> Iterator[str]:
    """Yield the phrases that a phrase with an alternative at its beginning stands for."""
    closer = _OPENERS.get(phrase[:1])
    if closer is None:
        yield phrase
        return
    inner, rest = _parted(phrase, closer)
    if rest[:1] == "?":
        rest = rest[1:]
        yield from _opened(rest)
    for each in inner:
        yield from _opened(each + rest)


def _parted(phrase: str, closer: str) -> tuple[list[str], str]:
    """Return the alternatives of the group or class that opens a phrase, and what follows it."""
    if closer == "]":
        inner, _, rest = phrase[1:].partition("]")
        return list(inner), rest
    parts, depth = [""], 0
    for at, char in enumerate(phrase[1:], 1):
        if char == ")" and not depth:
            return parts, phrase[at + 1 :]
        depth += (char in "(~") - (char == ")")
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    raise ValueError(f"the phrase {phrase!r} is not closed")


# -- What a lexicon of feelings is made of: senses, the words found in a text

# From here on a feeling is there, for a lexicon that stands alone.
PRESENT: Final = 0.5
# How much a word weighs by what stands around it; judged on our own sentences, not fitted.
STRONG: Final = 1.35
UTMOST: Final = 1.65  # to death, 죽을 만큼
SOFT: Final = 0.65
EARLIER: Final = 0.6  # before a "but"
ONCE: Final = 0.5  # at first, it used to be
UNREAL: Final = 0.4  # if, would, a question, somebody else's
# Laughter and tears in letters beside a word that says the contrary: a manner, not a feeling.
_BESIDE_WORDS: Final = 0.4
# Not sad is a little good; not bad is rather good; not good is bad.
_DENIED_PAIN: Final = 0.25
_DENIED_BLAME: Final = -0.6
_DENIED_PRAISE: Final = -0.8
# What is left when a person denies being happy, or having fun.
_LOST: Final = 0.7
# Thanks and apologies are felt, but seldom deeply.
_POLITE: Final = 0.5
# A second and a third word of feeling add to the first, but less and less.
_NEXT: Final = 0.35


class Way(StrEnum):
    """How a word speaks of a feeling."""

    INNER = "inner"  # the state of whoever has it: happy, 슬프다
    LIKING = "liking"  # of whoever has it, towards a thing: love, 좋아하다
    VIEW = "view"  # of a thing, in the eyes of the speaker: boring, 예쁘다
    FUN = "fun"  # a view whose denial is boredom
    MANNER = "manner"  # what politeness says: thanks, 죄송합니다
    SIGN = "sign"  # ㅋㅋ, ㅠㅠ, a face
    HOMONYM = "homonym"  # looks like a word of feeling: stress test, 분노 조절


@dataclass(frozen=True, slots=True)
class Sense:
    """What a word says: feelings and how plainly, and how good or bad that is (-1 to 1)."""

    feelings: tuple[tuple[Feeling, float], ...]
    worth: float
    way: Way
    # Only at the start of a Korean word: 화나다, but not 문화나.
    first: bool = False
    # What it takes away, as a denial would: a fault that was forgiven is no anger.
    eases: tuple[Feeling, ...] = ()


@dataclass(frozen=True, slots=True)
class FeelingWord:
    """One word of feeling in a text, in the text's own form, and how much it weighs there."""

    sense: Sense
    words: str
    at: int
    weight: float
    denied: bool = False
    # Supposed, asked about, or somebody else's.
    elsewhere: bool = False


@dataclass(slots=True)
class FeelingEvidence:
    """What the words of a text say together."""

    felt: dict[Feeling, float] = field(default_factory=dict)
    denied: set[Feeling] = field(default_factory=set)
    elsewhere: set[Feeling] = field(default_factory=set)
    # Whether a word was denied, and whether something only looks like a word of feeling.
    turned: bool = False
    homonym: bool = False
    worth: float = 0.0
    # How strong the strongest words are, before anything is bounded.
    strength: float = 0.0
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The forms of all words; of two that begin at one place the longest is meant."""

    senses: dict[str, Sense]
    # For each first letter how long the words are, longest first.
    lengths: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, senses: dict[str, Sense]) -> Lexicon:
        """Return the lexicon of these forms."""
        found: dict[str, set[int]] = {}
        for word in senses:
            found.setdefault(word[0], set()).add(len(word))
        lengths = {letter: tuple(sorted(each, reverse=True)) for letter, each in found.items()}
        return cls(senses, lengths)

    def matches(self, text: str, starts: Callable[[int], bool]) -> Iterator[tuple[int, int, Sense]]:
        """Yield begin, end and sense of each word; `starts` says where a word may begin."""
        at, end, known = 0, len(text), self.lengths
        while at < end:
            for size in known.get(text[at], ()):
                sense = self.senses.get(text[at : at + size]) if at + size <= end else None
                if sense is not None and (not sense.first or starts(at)):
                    yield at, at + size, sense
                    at += size - 1
                    break
            at += 1


def senses(text: str, forms: Callable[[str], Iterable[str]]) -> dict[str, Sense]:
    """Return each form of each word of a list and what it says; the first mention wins.

    The list has heads ("[inner -0.5 sadness .7 anger .4]": way, worth, feelings and how plainly)
    and under each head the words that say this.
    """
    found: dict[str, Sense] = {}
    for block in text.split("[")[1:]:
        head, _, words = block.partition("]")
        way, worth, *rest = head.split()
        pairs = zip(rest[::2], rest[1::2], strict=True)
        feelings = tuple((Feeling(name), float(share)) for name, share in pairs)
        for word in words.split():
            sense = Sense(feelings, float(worth), Way(way), word.startswith("^"))
            for form in forms(word.removeprefix("^")):
                found.setdefault(form, sense)
    return found


def _said(found: FeelingWord) -> tuple[tuple[tuple[Feeling, float], ...], float]:
    """Return the feelings and the worth of one word; a denial turns both."""
    sense = found.sense
    if not found.denied:
        return sense.feelings, sense.worth
    if sense.worth <= 0:
        return (), _DENIED_PAIN if sense.feelings else sense.worth * _DENIED_BLAME
    lost: tuple[tuple[Feeling, float], ...] = ()
    if sense.way is Way.INNER:
        lost = ((Feeling.SADNESS, _LOST),)
    elif sense.way is Way.FUN:
        lost = ((Feeling.ENNUI, _LOST),)
    return lost, sense.worth * _DENIED_PRAISE


def added_up(found: Sequence[FeelingWord]) -> FeelingEvidence:
    """Return what the words of a text say together."""
    evidence, strengths, mine = FeelingEvidence(), [], set[Feeling]()
    if not found:
        return evidence
    evidence.homonym = any(each.sense.way is Way.HOMONYM for each in found)
    found = [each for each in found if each.sense.way is not Way.HOMONYM]
    turned = [each.sense for each in found if each.denied]
    evidence.denied = {feeling for sense in turned for feeling, _ in sense.feelings}
    evidence.denied |= {feeling for each in found for feeling in each.sense.eases}
    evidence.turned = bool(turned or evidence.denied)
    spoken = [_said(each)[1] for each in found if each.sense.way is not Way.SIGN]
    for each in found:
        feelings, worth = _said(each)
        weight = each.weight
        if each.sense.way is Way.SIGN and any(other * worth < 0 for other in spoken):
            weight *= _BESIDE_WORDS
        for feeling, plain in feelings:
            if each.denied and feeling in evidence.denied:  # neither happy nor sad
                continue
            # The deepest words are no plainer than plain; they are only stronger.
            share = min(1.0, min(1.0, plain) * weight)
            before = evidence.felt.get(feeling, 0.0)
            evidence.felt[feeling] = 1.0 - (1.0 - before) * (1.0 - share)
            quiet = _POLITE if each.sense.way is Way.MANNER else 1.0
            strengths.append(plain * weight * quiet)
            if share >= PRESENT and not each.elsewhere:
                mine.add(feeling)
        if each.elsewhere and not each.denied:
            evidence.elsewhere.update(feeling for feeling, _ in feelings)
        evidence.worth += worth * weight
    evidence.denied -= mine
    evidence.elsewhere -= mine
    strengths.sort(reverse=True)
    evidence.strength = sum(each * _NEXT**at for at, each in enumerate(strengths[:4]))
    evidence.words = tuple(dict.fromkeys(each.words for each in found))
    return evidence
