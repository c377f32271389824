"""Korean verbs and adjectives: which stem a conjugated word belongs to.

Common stems are conjugated forwards, so that irregular ones come out right; any other verb is read
backwards, and only where its ending leaves no doubt that it is a verb.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from functools import cache, lru_cache
from typing import Final

from saegim.korean_particles import with_particle
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/verbs")

EMPTY: Final = _LISTS.words("empty")
FAINT: Final = _LISTS.words("faint")
# What turns a noun into a verb or adjective: the noun is what counts.
MAKERS: Final = frozenset(str.split("하 되 시키 당하 스럽 받 드리"))
_HELPERS: Final = frozenset(str.split("주 보 버리 놓 두 드리 내 지 있 가 오 대 싶 계시 다니 달"))
_MUST: Final = frozenset(str.split("하 되"))  # 가야 한다
# Those that also follow a verb of one syllable (사줬어): the others would read 캐나다 as a verb.
_CLOSE_HELPERS: Final = frozenset(str.split("주 보 버리 드리"))

_RARE: Final = _LISTS.words("rare")

_REGULAR: Final = [*_LISTS.row("regular")]
_B: Final = [*_LISTS.row("b")]
_D: Final = str.split("듣 걷 묻 싣 깨닫 일컫 긷")
_S: Final = str.split("짓 낫 붓 잇 긋 젓 퍼붓")
_H: Final = str.split("빨갛 파랗 노랗 하얗 까맣 커다랗 동그랗 그렇 이렇 저렇 어떻")
_PLAIN_REU: Final = frozenset(str.split("따르 치르 들르"))  # 따라, not 딸라

_FINITE: Final = [*_LISTS.row("finite")]
_ENDINGS: Final[dict[str, list[str]]] = {
    "P": [*_FINITE, *_LISTS.row("after_stem")],
    "U": [*_LISTS.row("after_eu")],
    "A": ["", *_LISTS.row("after_a")],
    "S": [*_FINITE, *_LISTS.row("after_past")],
    "N": ["", *_LISTS.row("after_n")],
    "L": ["", *_LISTS.row("after_l")],
    "M": ["", *_LISTS.row("after_m")],
    "B": [*_LISTS.row("after_b")],
}
_LOOSE: Final = _LISTS.words("loose")
_PAST: Final = frozenset(_ENDINGS["S"])

# Forms that no rule makes.
_ODD: Final = (
    *(("S", "이었", "이"), ("S", "였", "이"), ("A", "여", "이"), ("A", "이에", "이")),
    *(("A", "예", "이"), ("A", "이야", "이"), ("A", "아니에", "아니"), ("A", "아니야", "아니")),
    *(("U", "주무", "주무시"), ("U", "계", "계시")),
)
_BEFORE_YO: Final = frozenset("까서지고데면나네군봐걸")  # 요 makes these polite
Table = dict[str, tuple[str, ...]]

_A, _AE, _EO, _E, _YEO, _O, _WA, _WAE, _OE, _U, _WEO, _EU, _I = (
    *(0, 1, 4, 5, 6, 8, 9),
    *(10, 11, 13, 14, 18, 20),
)
_NN, _LL, _LM, _MM, _BB, _SS = 4, 8, 10, 16, 17, 20
_BRIGHT: Final = frozenset((_A, _O, 2))
_MELTED: Final = {_YEO: _I, _WA: _O, _WEO: _U, _WAE: _OE}


def parts(syllable: str) -> tuple[int, int, int]:
    """Return the numbers of the first consonant, the vowel and the last consonant."""
    code = ord(syllable) - 0xAC00
    return code // 588, code // 28 % 21, code % 28


def _join(first: int, vowel: int, last: int = 0) -> str:
    return chr(0xAC00 + first * 588 + vowel * 28 + last)


def closing(word: str) -> int:
    """Return the number of the consonant a Hangul word ends in, 0 if it ends in a vowel."""
    return (ord(word[-1]) - 0xAC00) % 28


def closed_with(word: str, last: int) -> str:
    """Return the word with this consonant, or none, at its end."""
    code = ord(word[-1]) - 0xAC00
    return word[:-1] + chr(0xAC00 + code - code % 28 + last)


def _melted(stem: str) -> Iterable[str]:
    """Yield a vowel-final stem together with 아/어."""
    first, vowel, _ = parts(stem[-1])
    head = stem[:-1]
    if stem[-1] == "하":
        yield from (head + "해", head + "하여")
    elif stem[-1] == "르" and head and stem not in _PLAIN_REU:
        before = parts(head[-1])
        yield closed_with(head, _LL) + ("라" if before[1] in _BRIGHT else "러")
    elif vowel == _EU:
        bright = bool(head) and parts(head[-1])[1] in _BRIGHT
        yield head + _join(first, _A if bright else _EO)
    elif vowel in (_O, _U, _I, _OE):
        yield head + _join(first, {_O: _WA, _U: _WEO, _I: _YEO, _OE: _WAE}[vowel])
        if stem != "이":  # 이어 is 잇다, not the copula
            yield stem + ("아" if vowel == _O else "어")
    else:
        yield stem
        if vowel not in (_A, _EO):
            yield stem + "어"


def _forms(stem: str) -> Iterable[tuple[str, str]]:
    """Yield (class, form) for every form of one stem."""
    last = closing(stem)
    if last in (0, _LL):
        bare = closed_with(stem, 0)
        yield from (("P", stem), ("P", bare), ("U", stem), ("U", bare))
        yield from (("N", closed_with(bare, _NN)), ("L", closed_with(bare, _LL)))
        yield from (("M", closed_with(bare, _LM if last else _MM)), ("B", closed_with(bare, _BB)))
        melted: Iterable[str] = _melted(stem) if not last else (stem + _vowel_after(stem),)
    else:
        melted = yield from _closed_forms(stem)
    for form in melted:
        yield ("A", form)
        if closing(form) == 0:
            yield ("S", closed_with(form, _SS))


def _vowel_after(stem: str) -> str:
    return "아" if parts(stem[-1])[1] in _BRIGHT else "어"


def _closed_forms(stem: str) -> Generator[tuple[str, str], None, tuple[str, ...]]:
    """Yield the forms of a stem that ends in a consonant, and return those with 아/어."""
    yield ("P", stem)
    bare = closed_with(stem, 0)
    if stem in _B:
        yield from (("U", bare + "우"), ("N", bare + "운"), ("L", bare + "울"), ("M", bare + "움"))
        return (bare + ("와" if stem in ("돕", "곱") else "워"),)
    if stem in _H:
        yield from (("U", bare), ("N", closed_with(bare, _NN)), ("L", closed_with(bare, _LL)))
        first, vowel, _ = parts(bare[-1])
        return (bare[:-1] + _join(first, 3 if vowel == 2 else _AE),)
    soft = closed_with(stem, _LL) if stem in _D else bare if stem in _S else stem
    yield from (("U", soft + "으"), ("N", soft + "은"), ("L", soft + "을"), ("M", soft + "음"))
    return (soft + _vowel_after(stem),)


@cache
def _tables() -> tuple[dict[str, Table], dict[str, tuple[Table, ...]]]:
    """Build, once, form -> stems for each class, and ending -> the tables it may follow."""
    forms: dict[str, Table] = {kind: {} for kind in _ENDINGS}
    for stem in dict.fromkeys(["이", *_REGULAR, *_B, *_D, *_S, *_H]):
        for kind, form in _forms(stem):
            known = forms[kind].get(form, ())
            if stem not in known:
                forms[kind][form] = (*known, stem)
    for kind, form, stem in _ODD:
        forms[kind][form] = (stem, *forms[kind].get(form, ()))
    endings: dict[str, tuple[Table, ...]] = {}
    polite = (("시", "P"), ("셔", "A"), ("셨", "S"), ("신", "N"), ("실", "L"), ("십", "B"))
    stacks = [("", kind, kind) for kind in _ENDINGS]
    stacks += [(syllable, kind, "U") for syllable, kind in polite] + [
        ("겠", "S", "P"),
        ("었", "S", "S"),
    ]
    for prefix, kind, after in stacks:
        for tail in _ENDINGS[kind]:
            for ending in (tail, tail + "요") if tail[-1:] in _BEFORE_YO else (tail,):
                endings[prefix + ending] = (*endings.get(prefix + ending, ()), forms[after])
    for ending in list(endings):  # the end of an ending leads nowhere, but on to the ending
        for start in range(1, len(ending)):
            endings.setdefault(ending[start:], ())
    return forms, endings


@lru_cache(maxsize=4096)
def known_stems(word: str) -> tuple[str, ...]:
    """Return the common stems the word is a form of, likeliest first; none if it is of none."""
    _, endings = _tables()
    size = len(word)
    for cut in range(size, 0, -1):
        tables = endings.get(word[cut:])
        if tables is None:
            break
        head = word[:cut]
        for table in tables:
            if head in table:
                return _usual([stem for table in tables for stem in table.get(head, ())])
    return _helped(word)


def _usual(stems: Iterable[str]) -> tuple[str, ...]:
    """Drop the stems that are hardly meant while another one may be."""
    found = tuple(dict.fromkeys(stems))
    return tuple([stem for stem in found if stem not in _RARE]) or found


def _helped(word: str) -> tuple[str, ...]:
    """Read a verb written together with the one that helps it: 도와줬어, 먹고싶다."""
    forms, _ = _tables()
    melted = forms["A"]
    for cut in range(1, len(word)):
        stems = melted.get(word[:cut], ())
        helpers = _HELPERS if cut > 1 or word[0] in "해돼" else _CLOSE_HELPERS
        if not stems and word[cut - 1] == "고":
            stems = forms["P"].get(word[: cut - 1], ())
        elif not stems and word[cut - 1] == "야":
            stems, helpers = melted.get(word[: cut - 1], ()), _MUST
        if stems and not helpers.isdisjoint(known_stems(word[cut:])):
            return _usual(stems)
    return ()


def melted_stems(word: str) -> tuple[str, ...]:
    """Return the common stems whose 아/어 form is exactly this word: 좋아, 싫어."""
    return _tables()[0]["A"].get(word, ())


def _unmelted(form: str) -> str:
    """Return the stem of a form that ends in 아/어, read by the regular rules."""
    first, vowel, _ = parts(form[-1])
    if form[-1] in "아어" and len(form) > 1:
        return form[:-1]
    if vowel in _MELTED and form not in ("켜", "펴"):
        return form[:-1] + _join(first, _MELTED[vowel])
    return form


def _past_stem(head: str) -> str:
    """Return the stem before a past ending: 던졌 -> 던지, 웃었 -> 웃, 움직였 -> 움직이."""
    if head[-1] == "였" and len(head) > 1:
        return head[:-1] + "이" if len(head) == 2 or closing(head[:-1]) else head[:-1]
    return _unmelted(closed_with(head, 0))


def _before(head: str, tail: str) -> str:
    """Return the stem that this head of a verb must have before this ending, "" in doubt."""
    last = closing(head)
    if last == _SS and head[-1] not in "있겠" and tail in _PAST:
        return _past_stem(head)
    if last == _BB and tail in ("니다", "니까", "니다만"):
        return closed_with(head, 0)
    if last == _NN and tail in ("다", "다고", "다는", "다면"):
        return closed_with(head, 0)
    if tail in ("요", "서") and not last and parts(head[-1])[1] in _MELTED:
        return _unmelted(head)
    if tail[0] == "겠" or (tail[0] == "는" and last):
        return head
    return head if tail in _LOOSE and len(head) > 1 else ""


def guessed_stem(word: str) -> str:
    """Return the stem of a verb that is in no list, or "" where the ending leaves a doubt."""
    _, endings = _tables()
    for cut in range(max(1, len(word) - 6), len(word)):
        tail = word[cut:]
        if endings.get(tail) and (stem := _before(word[:cut], tail)):
            return _canonical(stem)
    return ""


def _canonical(stem: str) -> str:
    """Drop the ㄹ that a stem loses in half of its forms: 이끌었다 and 이끄는 are one verb."""
    return closed_with(stem, 0) if len(stem) > 1 and closing(stem) == _LL else stem


# ---- Korean word forms that a sentence needs: 간다, 갔다, 감, and the particle that fits a word.

_TOLD_NN, _TOLD_LL, _TOLD_LM, _TOLD_MM, _TOLD_SS = 4, 8, 10, 16, 20
_TOLD_BRIGHT: Final = frozenset((0, 2, 8))
# The form after a vowel names its pair.
_PAIRS: Final = {
    pair.partition("/")[2]: pair for pair in "은/는 이/가 을/를 과/와 으로/로 이다/다".split()
}

_DESCRIBED: Final = _LISTS.words("described")
_DESCRIBING: Final = _LISTS.words("describing")
# The same letters are a verb and an adjective, and the verb is the likelier one of the two.
_VERBS_FIRST: Final = frozenset(str.split("차 짜 쓰 시 달 싸 늦"))


def describes(stem: str) -> bool:
    """Say whether a stem says how something is, and not what one does."""
    if stem in _VERBS_FIRST:
        return False
    if stem.endswith("하") and len(stem) > 1:
        return stem[:-1] in _DESCRIBED or stem[:-1].endswith("스러")
    return stem in _DESCRIBING or stem.endswith(("스럽", "롭", "답", "있", "없"))


def present(stem: str) -> str:
    """Return the plain present: 간다, 먹는다, 만든다, and of what describes 춥다, 피곤하다."""
    if describes(stem):
        return stem + "다"
    if closing(stem) in (0, _TOLD_LL):
        return closed_with(stem, _TOLD_NN) + "다"
    return stem + "는다"


def past(stem: str) -> str:
    """Return the plain past: 갔다, 먹었다, 마셨다, 구웠다, 공부했다."""
    return closed_with(_melted_form(stem), _TOLD_SS) + "다"


def noun_form(stem: str) -> str:
    """Return the form that notes are written in: 감, 먹음, 만듦."""
    last = closing(stem)
    if not last:
        return closed_with(stem, _TOLD_MM)
    if last == _TOLD_LL:
        return closed_with(stem, _TOLD_LM)
    melted = _melted_form(stem)
    if melted == stem + _vowel(stem):
        return stem + "음"
    return melted[:-1] + ("움" if melted[-1] in "와워" else "음")


def _vowel(stem: str) -> str:
    return "아" if parts(stem[-1])[1] in _TOLD_BRIGHT else "어"


def _melted_form(stem: str) -> str:
    """Return the stem with 아/어; of irregular stems the form that the verb table knows."""
    if stem.endswith("하"):
        return stem[:-1] + "해"
    for form in _candidates(stem):
        if stem in melted_stems(form):
            return form
    return next(_candidates(stem))


def _candidates(stem: str) -> Iterator[str]:
    """Yield how the stem may look before 았/었, the regular form first."""
    first, vowel, last = parts(stem[-1])
    head = stem[:-1]
    if last:
        bare = closed_with(stem, 0)
        yield stem + _vowel(stem)
        yield bare + ("와" if stem in ("돕", "곱") else "워")
        yield closed_with(stem, _TOLD_LL) + _vowel(stem)
        yield bare + _vowel(stem)
        return
    if stem.endswith("르") and head:
        bright = parts(head[-1])[1] in _TOLD_BRIGHT
        yield closed_with(head, _TOLD_LL) + ("라" if bright else "러")
        yield head + ("라" if bright else "러")
    elif vowel == 18:
        bright = bool(head) and parts(head[-1])[1] in _TOLD_BRIGHT
        yield head + chr(0xAC00 + first * 588 + (0 if bright else 4) * 28)
    elif vowel in (8, 13, 20, 11):
        yield head + chr(0xAC00 + first * 588 + {8: 9, 13: 14, 20: 6, 11: 10}[vowel] * 28)
    else:
        # ㅟ and ㅢ stay whole: 쉬었다.
        yield stem + "어" if vowel in (16, 19) else stem


def with_part(word: str, part: str) -> str:
    """Return a word with a particle in the form that fits its last sound: 카페를, 책을, API는."""
    pair = _PAIRS.get(part)
    return with_particle(word, pair) if pair else word + part
