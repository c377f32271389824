"""Korean sentences: which differ only in politeness, spacing, free order or a particle left out.

What is not known to be harmless counts: an ending that is in no list here is compared as written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from saegim.language import same_marks as marks
from saegim.language.ko.verbs import closed_with, closing, guessed_stem, known_stems
from saegim.language.ko.words import without_particle
from saegim.language.same_marks import squashed
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/same")

_NN, _LL, _BB, _SS = 4, 8, 17, 20
_HANGUL: Final = re.compile("[가-힣]+")
_MIXED: Final = re.compile(r"([^가-힣]*[^가-힣\s])([가-힣]*)")
_ROLES: Final = _LISTS.pairs("roles")
_SUBJECT: Final = frozenset("는가")
# A noun with one of these may stand anywhere before the verb.
_FREE: Final = frozenset(("는", "가", "를", "에게", "로", "에", "에서", "에는", "부터", "까지"))
_ONCE: Final = frozenset("는가를")
# After one syllable the others are as likely a part of the word: 아이, 아가, 파도, 나도.
_SURE: Final = frozenset("은는을를에")
_ME: Final = {
    **dict.fromkeys(str.split("나는 저는 난"), ("나", "는")),
    **dict.fromkeys(str.split("내가 제가"), ("나", "가")),
    **dict.fromkeys(str.split("나를 저를"), ("나", "를")),
    **dict.fromkeys(str.split("나도 저도"), ("나", "도")),
    **dict.fromkeys(str.split("나에게 저에게 나한테 저한테 내게 제게"), ("나", "에게")),
    **dict.fromkeys(str.split("내 제"), ("내", "")),
    "나": ("나", ""),
}
_WHEN: Final = marks.RELATIVE | frozenset(str.split("매일 매주 매달 매년 아침마다 주말마다"))
_VERBAL: Final = re.compile(
    "[이하리지되시기치우르거있없]는$|[서고며면데니까려자게지도해혀져워와던만]$"
)
# Endings that tell and nothing more.
_TELLS: Final = ("습니다", "어요", "네요", "다", "어", "음", "네")
_WILL: Final = re.compile("(?:거야|거예요|거에요|겁니다|것이다|거다|것입니다|거임|거예여)")
_GLUED_WILL: Final = re.compile("(.*[가-힣])(거야|거예요|거에요|겁니다|거다|거임)")
# Forms of 이다, and whether the noun before them ends in a consonant (None: either). 임 is not
# among them: 책임 is a duty, 책이다 is a book.
_IS: Final = (
    *(("입니다", None), ("이에요", True), ("이예요", True), ("이야", True), ("이다", True)),
    *(("예요", False), ("에요", False), ("야", False), ("다", False)),
)


_LIVE_OR_BUY: Final = frozenset("사살")


@dataclass(frozen=True, slots=True)
class KoreanWord:
    """A noun without its particle and the part it plays; "" is none."""

    noun: str
    role: str


@dataclass(frozen=True, slots=True)
class Verb:
    """How a sentence ends: as it is written, or as one of these stems in this time.

    A casual form may be an order as well (닫아), unless someone is named who does it.
    """

    written: str
    stems: frozenset[str] = frozenset()
    time: str = ""
    casual: bool = False


@dataclass(frozen=True, slots=True)
class KoreanSentence:
    """A Korean sentence as far as it can be told apart from another."""

    words: tuple[KoreanWord, ...]
    verb: Verb
    before: str
    whole: str
    asks: bool
    # The words before the verb, without order, where their order says nothing.
    loose: frozenset[tuple[KoreanWord, ...]] | None


def sentence(words: tuple[str, ...], asks: bool) -> KoreanSentence:
    """Read the bare words of one sentence."""
    words = _settled(words)
    read = tuple(map(_word, words[:-1]))
    verb = _verb(words[-1], bool(read) and read[-1].role in ("에", "에서"))
    # The dot keeps 내가 apart from 나가, "go out".
    shown = [f"{each.noun}·{each.role}" if each.role else each.noun for each in read]
    before = squashed(shown)
    loose = _loose(words[:-1], read)
    return KoreanSentence(read, verb, before, squashed([*shown, words[-1]]), asks, loose)


def same(one: KoreanSentence, other: KoreanSentence) -> bool:
    """Say whether two sentences say the same."""
    if one.asks != other.asks:
        return False
    if one.whole == other.whole:
        return True
    if not _same_verb(one, other):
        return False
    if one.before == other.before or _same_in_order(one.words, other.words):
        return True
    return one.loose is not None and one.loose == other.loose


def _settled(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with the humble 저희 as 우리, and 할거야 in two words."""
    settled = [_OUR.sub("우리", word) for word in words]
    last = settled[-1]
    glued = _GLUED_WILL.fullmatch(last)
    if glued and closing(glued[1]) == _LL:
        settled[-1:] = glued[1], glued[2]
    if len(settled) > 1 and _WILL.fullmatch(settled[-1]) and closing_of(settled[-2]) == _LL:
        settled[-1] = "거다"
    return tuple(settled)


_OUR: Final = re.compile("^저희(?=$|[는가를도의랑와]|한테|에게)")


def closing_of(word: str) -> int:
    """Return the consonant a word ends in, 0 for a vowel or another script."""
    return closing(word) if "가" <= word[-1] <= "힣" else 0


@lru_cache(maxsize=16384)
def _word(word: str) -> KoreanWord:
    if word in _ME:
        return KoreanWord(*_ME[word])
    mixed = _MIXED.fullmatch(word)
    if mixed:
        head, tail = mixed.groups()
        unit = "" if tail in _ROLES else without_particle(tail) if tail else ""
        role = tail[len(unit) :]
        return KoreanWord(head + unit, _ROLES[role]) if role in _ROLES else KoreanWord(word, "")
    noun = without_particle(word)
    tail = word[len(noun) :]
    if tail not in _ROLES or (len(noun) == 1 and len(tail) == 1 and tail not in _SURE):
        return KoreanWord(word, "")
    return KoreanWord(noun, _ROLES[tail])


# -- the words before the verb --------------------------------------------------------------------


def _loose(
    written: tuple[str, ...], read: tuple[KoreanWord, ...]
) -> frozenset[tuple[KoreanWord, ...]] | None:
    """Return the groups of words that may change places; None where their order counts."""
    groups: list[tuple[KoreanWord, ...]] = []
    group: list[KoreanWord] = []
    roles = []
    for word, each in zip(written, read, strict=True):
        group.append(KoreanWord(each.noun, "가") if each.role == "는" else each)
        if _may_be_verb(word):
            return None
        if each.role in _FREE or word in _WHEN:
            groups.append(tuple(group))
            roles.append("가" if each.role == "는" else each.role)
            group = []
    if group or any(roles.count(role) > 1 for role in _ONCE):
        return None
    loose = frozenset(groups)
    return loose if len(loose) == len(groups) else None


@lru_cache(maxsize=16384)
def _may_be_verb(word: str) -> bool:
    """Say whether a word may be a verb, so that what stands before it belongs to it."""
    if word in _ME or word in _WHEN or not _HANGUL.fullmatch(word):
        return False
    noun = without_particle(word)
    tail = word[len(noun) :]
    if len(noun) > 1 and _ROLES.get(tail, "는") != "는" and tail != "을":
        return noun[-1] == "기"
    return bool(len(noun) < 2 or _VERBAL.search(word) or known_stems(word) or guessed_stem(word))


def _same_in_order(one: tuple[KoreanWord, ...], other: tuple[KoreanWord, ...]) -> bool:
    """Say whether two rows of words are equal but for particles that may be left out."""
    if len(one) != len(other):
        return False
    subject = False
    for at, (mine, yours) in enumerate(zip(one, other, strict=True)):
        if mine.noun != yours.noun:
            return False
        if mine.role != yours.role and not _may_differ(
            mine, yours, first=at == 0, last=subject and at == len(one) - 1
        ):
            return False
        subject = subject or mine.role in _SUBJECT or mine == KoreanWord("나", "")
    return True


def _may_differ(one: KoreanWord, other: KoreanWord, *, first: bool, last: bool) -> bool:
    """Say whether two particles of one noun come to the same.

    Left out are only 나 before anything else, and what is done to after who does it.
    """
    roles = {one.role, other.role}
    if roles == {"는", "가"}:
        return True
    if "" not in roles:
        return False
    if first:
        return one.noun == "나" and bool(roles & _SUBJECT)
    return last and "를" in roles


# -- the verb -------------------------------------------------------------------------------------


def _same_verb(one: KoreanSentence, other: KoreanSentence) -> bool:
    mine, yours = one.verb, other.verb
    if mine.written == yours.written:
        return True
    if not mine.time or mine.time != yours.time or mine.stems.isdisjoint(yours.stems):
        return False
    return mine.casual == yours.casual or (_has_subject(one) and _has_subject(other))


def _has_subject(read: KoreanSentence) -> bool:
    return any(word.role in _SUBJECT or word == KoreanWord("나", "") for word in read.words)


@lru_cache(maxsize=16384)
def _verb(word: str, placed: bool) -> Verb:
    """Read the last word of a sentence; a form that is not known to tell stays as written.

    What is `placed` stands after a place: 산다 is then to live, not to buy.
    """
    if not "가" <= word[-1] <= "힣":
        return Verb(word)
    for ending in _TELLS:
        head = word.removesuffix(ending)
        if head and head != word and closing_of(head) == _SS:
            casual = ending[0] == "어" and head[-1] == "있"
            return Verb(word, frozenset((head,)), "settled", casual)
    stems, casual = _present(word)
    if stems >= _LIVE_OR_BUY:
        stems = stems - {"사"} if placed else frozenset()
    return Verb(word, stems, "now", casual) if stems else Verb(word)


def _present(word: str) -> tuple[frozenset[str], bool]:
    """Return what a present form may be a form of, and whether it is a casual one."""
    stems = {f"={noun}" for noun in _nouns(word)}
    for ending, last in (("니다", _BB), ("다", _NN)):
        head = word.removesuffix(ending)
        if head not in ("", word) and closing_of(head) == last:
            open_or_l = {closed_with(head, 0), closed_with(head, _LL)}
            stems |= open_or_l.intersection(known_stems(word)) or open_or_l
    if word[-1] in "함됨" and len(word) > 1:
        stems.add(closed_with(word, 0))
    for ending in ("습니다", "는다", "다"):
        head = word.removesuffix(ending)
        if head not in ("", word) and (closing_of(head) or ending == "다"):
            stems.add(head)
    if word.endswith("없음"):
        stems.add(word[:-1])
    if stems:
        return frozenset(stems), False
    return frozenset(_melted(word.removesuffix("요") or word)), True


def _nouns(word: str) -> set[str]:
    """Return the nouns that a word may be, with 이다 after them; 바다 is no form of 바."""
    found = set()
    for ending, closed in _IS:
        noun = word.removesuffix(ending)
        if noun in ("", word) or closed not in (None, closing_of(noun) != 0):
            continue
        if len(noun) > 1 or len(ending) > 1:
            found.add(noun)
    return found


def _melted(form: str) -> set[str]:
    """Return the known stems of a form that ends in 아 or 어, seen or melted."""
    if not _HANGUL.fullmatch(form):
        return set()
    if form[-1] == "해":
        return {form[:-1] + "하"}
    return {stem for stem in known_stems(form) if _fits(stem, form)}


def _fits(stem: str, form: str) -> bool:
    """Say whether a form is no longer than its stem makes it: 빌려줘 is not 빌리다."""
    if form[-1] in "아어" or (form[-1] in "와워" and closing(stem) == _BB):
        return len(stem) == len(form) - 1
    return len(stem) == len(form) and closing(form) == 0
