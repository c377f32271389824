"""Korean words where they stand: a noun with its particle, a verb with its stems, 이다."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from saegim.language.ko.forms__endings import ADVERBS, COPULA, Mood, is_past, mood_of
from saegim.language.ko.verbs import closing, guessed_stem, known_stems
from saegim.language.ko.words import read, without_particle
from saegim.memory.late import late

HANGUL: Final = late("[가-힣]+")
_LATIN_TAIL: Final = late(r"(.*[A-Za-z0-9+#%)\ue000])([가-힣]*)")
_BOUND: Final = frozenset(
    str.split("""의 도 만 까지 부터 처럼 밖에 마다 조차 라고 이라고 씩 쯤
    정도 야 이야""")
)
_ROLES: Final = {
    **dict.fromkeys(str.split("은 는 엔 에는 에선 에서는 이는 께서는 란 이란"), "는"),
    **dict.fromkeys(str.split("이 가 께서 들이 님이"), "가"),
    **dict.fromkeys(str.split("을 를 들을"), "를"),
    **dict.fromkeys(str.split("에 에다 에다가"), "에"),
    **dict.fromkeys(str.split("로 으로 로는 으로는 로만 으로만"), "로"),
    **dict.fromkeys(str.split("와 과 랑 이랑 하고 와는 과는 랑은"), "와"),
    **dict.fromkeys(str.split("보다 보다는 보단"), "보다"),
    **dict.fromkeys(str.split("말고 말고는"), "말고"),
    **dict.fromkeys(str.split("에게 한테 께 에게서 한테서"), "에게"),
    **dict.fromkeys(str.split("에서 에서도 에서만"), "에서"),
}
# Two syllables that end like a particle are taken apart only where the first is a word itself.
_SURE: Final = frozenset("은는을를에")
_DOUBTFUL: Final = frozenset("의과가도나이만")
_LONE: Final = frozenset(
    "차책집물술개눈비말일옷방빵떡국귤감별형딸컵펜곰팀앱웹글시곡폰키맛배약살돈꽃콩김게닭소밥코몸"
)
_ISLANDS: Final = frozenset(
    str.split("""코로나 제주도 울릉도 강화도 거제도 경기도 강원도 충청도
    경상도 전라도""")
)
_CAMERA: Final = late("카메라|콜라|나라|오페라|보라|노라|사이버|알파라")
# Verbs of two parts, by the first: 그만두다, 갈아타다.
_COMPOUNDS: Final = {
    first: frozenset(tails)
    for first, *tails in map(
        str.split,
        str.split(
            """그만 두 쓰 |갈아 타 |이사 가 오 |관 두 |때려
        치우 |넘어 가 오 |옮겨 가 오 지 |내려 가 오 |올라 가 오 |다녀 오 가 |걷어 내""",
            "|",
        ),
    )
}
_NO_VERBS: Final = frozenset(
    str.split("""보고서 냉장고 아기 본가 가지 비자 사이 이사 지지 나이 보자 부자
    하나 만나 대로 가면 사자 자리 이하 아주 나라 여자 남자""")
)
_HELPERS: Final = frozenset(str.split("있 계시 싶 않 못하 말 되 하 주 보 버리 두 놓 오 가 드리"))
_FIRM: Final = (
    "요",
    "니다",
    "더라",
    "거든",
    "없어",
    "있어",
    "잖아",
    "네",
    "기로",
    "지",
    "기",
    "게",
    "려고",
    "좋아해",
    "싫어해",
    "살아",
    "같아",
)
_SHORT_ADJECTIVES: Final = frozenset(str.split("강한 약한 편한 진한 연한 순한 독한 착한 흔한"))
_MELTED: Final = dict(zip("려져혀겨켜와워여", "리지히기키오우이", strict=True))
# 게 and 걸 after a verb stand for what is done.
THING: Final = {
    **dict.fromkeys(("게", "것이", "쪽이"), "가"),
    **dict.fromkeys(("걸", "것을", "거를"), "를"),
    **dict.fromkeys(("건", "것은", "거는"), "는"),
    **dict.fromkeys(("것도", "거도"), "도"),
    **dict.fromkeys(("것보다", "거보다", "것보다는"), "보다"),
    **dict.fromkeys(("것", "거"), ""),
    "걸로": "로",
}


def _whole(word: str) -> bool:
    """Say whether what looks like a particle belongs to the noun: 주간회의, 제주도."""
    if word[-1] == "가":
        return word.endswith(("휴가", "평가", "국가", "작가", "물가", "병가"))
    return without_particle(word[-2:]) == word[-2:] or word in _ISLANDS


@lru_cache(maxsize=8192)
def noun_and_part(word: str) -> tuple[str, str]:
    """Return the noun and its particle's part in the clause, "" for none."""
    match = _LATIN_TAIL.fullmatch(word)
    if match and not HANGUL.fullmatch(word):
        noun, tail = match[1], match[2]
        if tail in ("만", "천", "억", "백만", "천만") and noun[-1].isdigit():
            return word, ""  # 80만 원
        if tail and tail not in _ROLES:
            unit = without_particle(tail)  # 5층으로, 70만원이
            noun, tail = (noun + unit, tail[len(unit) :]) if tail not in _BOUND else (noun, tail)
        return noun, _ROLES.get(tail, tail)
    noun = without_particle(word)
    if word.endswith("대로") and len(word) == 3:
        return word[:2], "로"  # 등대로
    if _CAMERA.match(word) and word[len(noun) :].startswith("라"):
        noun = word[: len(noun) + 1]
    if word in _ISLANDS:
        return word, ""
    if len(word) == 2 and len(noun) == 1 and word[1] not in _SURE and word[0] not in _LONE:
        return word, ""
    if noun != word and not HANGUL.fullmatch(noun):
        return word, ""
    tail = word[len(noun) :]
    if tail in _DOUBTFUL and len(noun) > 1 and _whole(word):
        return word, ""
    if tail in ("들", "님", "쯤", "씩", "째", "히", "뿐", "짜리", "적인", "같은", "같이"):
        return (noun, "") if tail == "들" else (word, "")
    if tail.startswith("님"):
        return noun + "님", _ROLES.get(tail[1:], tail[1:])
    return noun, _ROLES.get(tail, tail)


@lru_cache(maxsize=8192)
def verb_stems(word: str) -> tuple[str, ...]:
    """Return the stems a word may be a form of; 좋아하, 이사하 and 그만두 count as whole stems."""
    for cut in range(1, len(word)):
        tail = word[cut:]
        if tail[0] in "하해했한할합함되돼됐된될됩됨" and (len(word) > 2 or tail[0] in "해함"):
            made = known_stems(tail)
            for maker in ("하", "되"):
                if maker in made:
                    return (word[:cut] + maker,)
        tails = _COMPOUNDS.get(word[:cut], ())
        if tails and (stems := [stem for stem in known_stems(tail) if stem in tails]):
            return tuple(word[:cut] + stem for stem in stems)
    return known_stems(word)


def is_verb(word: str, last: bool, following: str) -> tuple[str, ...]:
    """Return the stems if the word is read as a verb where it stands."""
    if not HANGUL.fullmatch(word) or word in ADVERBS or word in _NO_VERBS:
        return ()
    stands = (
        word[-1] in "려져혀겨켜와워아어여해" and len(word) > 1 and "있" in known_stems(following)
    )
    if stands and not verb_stems(word):
        return (word[:-1] + _MELTED.get(word[-1], word[-1]),)
    if word.endswith("으로") and not word.endswith("기로"):
        return ()  # 줌으로
    if not last and not _may_close(word, following):
        return ()
    if word.startswith("아니") and len(word) > 2:
        return ("아니",)
    stems = verb_stems(word)
    if word in _SHORT_ADJECTIVES:
        return (word[0] + "하",)
    if not stems and word.endswith("고") and "다니" in known_stems(following):
        return (word[:-1],)
    if not stems and following in THING and word.endswith("는") and len(word) > 2:
        return (word[:-1],)
    if stems and following in ("지", "지가", "적이", "적", "적도") and mood_of(word) == "of":
        return stems
    if stems:
        known = known_stems(word)
        noun = read(word)
        if known and not last and noun.asked and not noun.asked[0][0].startswith("~"):
            return ()  # 사고, 차는: a noun before it is a verb
        return stems
    if last or mood_of(word) in ("and", "but", "if"):
        guess = guessed_stem(word) or _unknown(word, last)
        return (guess,) if guess else ()
    return ()


def _unknown(word: str, last: bool) -> str:
    """Return a stand-in for a verb that is only known to be one: 충돌나서, 깔아요."""
    if last and len(word) > 2 and word[-1] == "요" and word[-2] not in "예에죠":
        return word
    firm = word.endswith(("니까", "는데", "지만", "면서", "다가", "더니")) and len(word) > 3
    if word.endswith(("이라서", "라서")):
        return ""
    open_vowel = (
        len(word) > 2 and word[-1] == "서" and word[-2] in "나라려져해와워겨쳐아어여켜혀돼봐줘둬"
    )
    return word if firm or open_vowel else ""


def _may_close(word: str, following: str) -> bool:
    """Say whether a word inside a sentence may be a verb: by an ending that nouns hardly have."""
    mood = mood_of(word)
    if mood in ("told", "ordered", "asked"):
        helped = bool(_HELPERS & set(known_stems(following))) or following.startswith(
            ("싶", "않", "못", "말")
        )
        return is_past(word) or word.endswith(_FIRM) or (helped and not read(word).bare)
    return True


def is_melted(word: str) -> bool:
    """Say whether a verb form ends in 아/어 that a helping verb may follow."""
    return closing(word) == 0 and mood_of(word) == "told"


@lru_cache(maxsize=8192)
def copular(word: str, last: bool) -> tuple[str, str, Mood, bool] | None:
    """Return the noun of a word with 이다, the word, its mood and whether it is past."""
    for ending, (mood, past, final) in COPULA.items():
        if not word.endswith(ending) or len(word) == len(ending) or (final and not last):
            continue
        if mood == "if" and (last or word.endswith("라면")):
            continue  # 신라면
        noun = word[: -len(ending)]
        hangul = "가" <= noun[-1] <= "힣"
        closed = hangul and closing(noun) != 0
        if ending[0] == "이" and hangul and not closed:
            continue
        if ending[0] not in "이인임입일" and closed:
            continue
        if (
            ending in ("고", "지", "다", "네", "며", "던", "면", "니까", "지만")
            and hangul
            and not _plain_noun(noun)
        ):
            continue
        if noun.endswith("이") and len(noun) > 2 and closing(noun[-2]) and hangul:
            noun = without_particle(noun)
        whole = noun.endswith(("잡", "둥", "쟁")) or without_particle(noun + "이") == noun + "이"
        if whole and ending.startswith("이"):
            noun += "이"  # 왼손잡이라서, 떡볶이야
        return noun, word, mood, past
    return None


def _plain_noun(noun: str) -> bool:
    return len(noun) > 1 and without_particle(noun) == noun and not verb_stems(noun + "다")
