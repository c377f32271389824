"""Which Korean words of feeling stand in a text, and how much each weighs where it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import Final

from saegim.language.ko.verbs import closed_with, parts
from saegim.language.lexicons import (
    EARLIER,
    ONCE,
    SOFT,
    STRONG,
    UNREAL,
    UTMOST,
    FeelingWord,
    Lexicon,
    Sense,
    Way,
    senses,
)
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/feelings")

# ---- Korean words of feeling: stems, what each of them says, and the forms they take.

_WORDS: Final = _LISTS.text("words")

# Final consonants: ㄴ ㄹ ㅁ ㅂ ㅆ.
_CLOSINGS: Final = (4, 8, 16, 17)
_SS: Final = 20
# Vowels that melt with 아/어: ㅣ, ㅜ, ㅗ, ㅚ.
_MELTED: Final = {20: 6, 13: 14, 8: 9, 11: 10}
_EU, _A, _EO = 18, 0, 4


def _conjugated(stem: str) -> Iterator[str]:
    """Yield what a stem that ends in a vowel or in ㅂ becomes before its endings."""
    head, (first, vowel, last) = stem[:-1], parts(stem[-1])
    yield stem
    if last:
        bare = closed_with(stem, 0)
        yield from (bare + each for each in "워웠운울움우웁")
        return
    yield from (closed_with(stem, each) for each in _CLOSINGS)
    if stem[-1] == "하":
        yield from (head + "해", head + "했")
        return
    if vowel == _EU:
        vowel = _A if head and parts(head[-1])[1] in (_A, 8) else _EO
    open_form = head + chr(0xAC00 + first * 588 + _MELTED.get(vowel, vowel) * 28)
    yield from (open_form, closed_with(open_form, _SS))


def _forms(word: str) -> Iterator[str]:
    """Yield the forms of a word of the list."""
    for stem in _conjugated(word[:-1]) if word.endswith("+") else (word,):
        yield stem.replace("_", " ")
        if "_" in stem:
            yield stem.replace("_", "")


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, built once."""
    return Lexicon.of(senses(_WORDS, _forms))


# ---- Which Korean words of feeling stand in a text, and how much each weighs where it stands.

_STRONG: Final = re.compile(
    r"너무|(?:^|\s)넘(?= )|정말|진짜|진심|완전|엄청|굉장히|매우|아주|몹시|무척|되게|대단히|겁나"
    r"|졸라|존나|(?:^|\s)[개핵]$|세상|가장|제일|얼마나|어찌나|하루 ?종일|온종일|밤새|한참|며칠"
    r"|매일 ?밤|밤마다|심하게|도저히|영영|절대로?"
)
_STRONG_AFTER: Final = re.compile(r"^[가-힣]{0,3} ?(?:진짜|정말|너무)(?=$|[.!~ㅠㅜ])")
# Degrees beyond which people know no other.
_UTMOST: Final = re.compile(
    r"미치도록|미칠 ?(?:듯|만큼)|죽을 ?만큼|죽도록|한없이|더없이|극도로|뼈저리게|펑펑|온몸"
    r"|(너무|정말|진짜)[ ,]?\1|태어나서 ?(?:처음|제일|가장|이렇게|오늘)|난생 ?처음|평생"
    r"|인생에?서? ?(?:가장|제일|최고|최악)"
)
_UTMOST_AFTER: Final = re.compile(
    r"^[가-힣]{0,3} ?(?:[나난] ?)?(?:죽겠|미치겠|미칠|돌아버리|죽을 ?[것거]|짝이 ?없|그지 ?없)"
)
_SOFT: Final = re.compile(r"좀|조금|약간|살짝|다소|은근|왠지|그럭저럭|슬슬|어느 ?정도|그나마")
_DENIED_BEFORE: Final = re.compile(r"(?:^|[\s,.!?])(안|못)\s?$")
_DENIED_AFTER: Final = re.compile(
    # 좋지 않다, 슬프진 않다, 걱정하지 마
    r"^[가-힣]{0,3}?(?:지(?:는|도|가|를|만은)?|진|질) ?(?:않(?!을까|나)|못|안 |마(?!음)|말)"
    # 기쁘지도 슬프지도 않다
    r"|^[가-힣]{0,2}지도 [가-힣]{1,6} ?(?:않|못)"
    # 좋은 건 아니다, 짜증 난 게 아니라
    r"|^ ?[가-힣]{0,3} ?(?:건|것은|것도|것만은|게|거는|거|것이|것|정도는|편은|줄은) ?"
    r"(?:전혀 |절대 |또 )?(?:아니|아닌|아냐|아님|아녜)"
    # 걱정 없다, 불안감은 없다, 걱정은 안 돼
    r"|^(?:감|심|함|움)?(?:은|는|이|가|도|란)? ?(?:전혀 |하나도 |별로 )?"
    r"(?:없[다어는이을지고네음었습]|없$|안 ?[되돼됐들느해했나난])"
    # 무서워할 필요 없다, 두려울 게 없다
    r"|^[가-힣]{0,2} ?(?:필요|이유|것|거|게|일)(?:는|가|도|이|은)? ?(?:전혀 |하나도 )?없"
    r"|^(?:은|는)? ?(?:말고 |말아|마세요|마라|마요|마(?=$|[ .!~]))"
)
# 안 좋아할 수 없다, 슬프지 않은 건 아니다: a denial denied.
_DOUBLY: Final = re.compile(
    r"(?:을|ㄹ|할|플|쁠|울) ?수(?:가|는|밖에)? ?없|않은 ?(?:건|것은|게) ?아니"
)
_UNREAL: Final = re.compile(
    r"^[가-힣]{0,3}(?:으면|다면|면)(?=\s|$|[,.])"
    r"|^[가-힣]{0,2} (?:거야|거예요|거다|것이다|텐데)"
    # 지루할 수 있다
    r"|^[가-힣]{0,2} ?수(?:도|가)? ?있"
    # hearsay
    r"|^[가-힣]{0,4}(?:대|대요|래|래요|다더라|다네요?|다던데)(?=\s|$|[.!?~,])"
    r"|^[가-힣]{0,5}(?:다고|라고) ?(?:한다|했다|하더|합니다|했어|한대|하네|들었|전했|말했|밝혔)"
    # the class "anger" of a model
    r"|^(?:이나|과|와|의|,)? ?[가-힣]{0,4} ?(?:클래스|라벨|레이블|지수|점수|모델|분류|감정)"
    # a sad film
    r"|^(?:은|는)? ?(?:영화|이야기|얘기|노래|음악|소설|책|드라마|만화|게임|장면|동화|사연|웹툰)"
)
# 슬퍼하다, 무서워한다: what somebody else feels, unless I say that it is me.
_OTHERS: Final = re.compile(r"[워퍼뻐][하했한할함해합]")
_MINE: Final = re.compile(
    r"(?:^|\s)(?:나|난|나는|나도|내|내가|저|저는|저도|제|제가|전|우리|우린)(?=\s)"
)
_SUPPOSED: Final = re.compile(r"만약|만일|혹시|가령|[었했았]다면")
_ONCE: Final = re.compile(
    r"처음(?:엔|에는|에)|예전(?:엔|에는)|원래는?|한때는?|전에는|아까(?:는|만 해도)"
)
_CONTRAST: Final = re.compile(
    r"(?<=[가-힣])(?:지만|는데도?|은데도?|던데|(?<=[인한된쁜픈운])데도?|더니|으나|건만)"
    r"(?=[\s,.…~요]|$)"
    r"|하지만|그렇지만|그런데|근데|그러나|그래도|반면|그치만"
)
_ASKED: Final = re.compile(r"^[^.!\n]*\?")
_NO: Final = re.compile(r"않|안 |못|없|아니")
_BORDER: Final = re.compile(r"[.!?…,;\n]")
_WORD_END: Final = re.compile(r"[가-힣]{0,3}(?![가-힣])")
# How far before a word its degree may stand, and how far behind it its denial.
_BEFORE, _BEHIND, _CLAUSE = 14, 18, 60


def found(text: str) -> Iterator[FeelingWord]:
    """Yield the Korean words of feeling of a text."""
    matches = list(lexicon().matches(text, lambda at: at == 0 or not "가" <= text[at - 1] <= "힣"))
    if not matches:
        return
    turns = [each.end() for each in _CONTRAST.finditer(text)]
    for begin, end, sense in matches:
        # 별로 only strengthens a denial that follows.
        if text[begin:end] == "별로" and _NO.search(text, end, end + _BEHIND):
            continue
        behind = text[end : end + _BEHIND]
        turn = bisect_right(turns, begin)
        since = max(turns[turn - 1] if turn else 0, begin - _CLAUSE)
        clause = _BORDER.split(text[since:begin])[-1]
        denied = _denied(text[max(0, begin - 4) : begin], text[end - 1], behind)
        elsewhere = _elsewhere(sense, text[begin:end], clause, behind)
        weight = _weight(clause, behind) * EARLIER ** min(2, len(turns) - turn)
        weight *= UNREAL if elsewhere else 1.0
        yield FeelingWord(
            sense, _own_form(text, begin, end, denied), begin, weight, denied, elsewhere
        )


def _denied(before: str, last: str, behind: str) -> bool:
    """Say whether a word is denied, and the denial not denied in turn."""
    once = _DENIED_BEFORE.search(before) or _DENIED_AFTER.search(behind)
    return bool(once) and not _DOUBLY.search(last + behind)


def _weight(clause: str, behind: str) -> float:
    """Return how much a word weighs by its degree and by when it was so."""
    near = clause[-_BEFORE:]
    degree = 1.0
    if _UTMOST.search(near) or _UTMOST_AFTER.search(behind):
        degree = UTMOST
    elif _STRONG.search(near) or _STRONG_AFTER.search(behind):
        degree = STRONG
    elif _SOFT.search(near):
        degree = SOFT
    return degree * ONCE if _ONCE.search(clause) else degree


def _elsewhere(sense: Sense, word: str, clause: str, behind: str) -> bool:
    """Say whether a feeling is supposed, told of, asked about, or somebody else's."""
    if _SUPPOSED.search(clause) or _UNREAL.search(behind) or _ASKED.search(behind):
        return True
    theirs = sense.way is Way.INNER and _OTHERS.match(word[-1] + behind[:1])
    return bool(theirs) and not _MINE.search(clause)


def _own_form(text: str, begin: int, end: int, denied: bool) -> str:
    """Return a word as the text has it: with its ending, and with what denies it."""
    if not denied:
        closing = _WORD_END.match(text, end)
        return text[begin : closing.end() if closing else end]
    before = _DENIED_BEFORE.search(text[max(0, begin - 4) : begin])
    after = _DENIED_AFTER.search(text[end : end + _BEHIND])
    if before:
        begin = text.rindex(before.group(1), 0, begin)
    end = end + after.end() if after else end
    closing = _WORD_END.match(text, end)
    return text[begin : closing.end() if closing else end].strip()
