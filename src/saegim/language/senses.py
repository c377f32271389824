"""What a lexicon of feelings is made of: senses, the words found in a text, what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from saegim.memory.emotion import Feeling

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
class Found:
    """One word of feeling in a text, in the text's own form, and how much it weighs there."""

    sense: Sense
    words: str
    at: int
    weight: float
    denied: bool = False
    # Supposed, asked about, or somebody else's.
    elsewhere: bool = False


@dataclass(slots=True)
class Evidence:
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


def _said(found: Found) -> tuple[tuple[tuple[Feeling, float], ...], float]:
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


def added_up(found: Sequence[Found]) -> Evidence:
    """Return what the words of a text say together."""
    evidence, strengths, mine = Evidence(), [], set[Feeling]()
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
