"""Korean words where they stand: a noun with its particle, a verb with its stems, 이다."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from saegim.language.ko.verbs import closing, guessed_stem, known_stems
from saegim.language.ko.words import read, without_particle
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/word_forms")

# ---- How a Korean word ends and what that means: moods, forms of 이다, adverbs, time words.

Mood = Literal[
    "told", "and", "but", "of", "if", "asked", "heard", "ordered", "wish", "plan", "decided",
    "must", "doubt", "once", "can", "cannot", "habit", "ongoing", "since",
]  # fmt: skip
ADVERBS: Final = _LISTS.pairs("adverbs")
_COPULA_TABLE: Final = _LISTS.text("copula_table")


def _copula_table() -> dict[str, tuple[Mood, bool, bool]]:
    table: dict[str, tuple[Mood, bool, bool]] = {}
    mood, past = "told", False
    for line in _COPULA_TABLE.strip().splitlines():
        head, colon, forms = line.partition(": ")
        if colon:
            mood, _, when = head.partition(".")
            past = bool(when)
        for form in (forms or line).split():
            final = mood in ("told", "asked", "plan") or form in ("래", "래요", "이래", "이래요")
            table.setdefault(form, (_MOODS[mood], past, final))
    return dict(sorted(table.items(), key=lambda item: -len(item[0])))


_MOODS: Final[dict[str, Mood]] = {
    "told": "told", "and": "and", "but": "but", "if": "if", "asked": "asked", "heard": "heard",
    "plan": "plan", "of": "of",
}  # fmt: skip


COPULA: Final = {
    ending: how for ending, how in _copula_table().items() if how[0] not in ("of", "plan")
}


_HEARD: Final = re.compile(
    r"(?:대|대요|대서|다던데|다더라|다더라고|다더라고요|다더군|다네|다네요|다며|다면서|단다|래|래요|라던데|라더라|다고|라고|자고|냐고"
    r"|다고요|다는데|라는데|다던|다는|라는)$"
)


_IF: Final = re.compile(r"(?:면|으면|다면|라면|거든|더라도|든지|든가|거나)$")


_ASKED: Final = re.compile(
    r"(?:나요|가요|니|냐|냐고|까|까요|는지|은지|을지|던가|던가요|습니까|려나|을래|더라\?)$"
)


_ORDERED: Final = re.compile(
    r"(?:세요|십시오|자|자고|지마|지마세요|지마라|아라|어라|해라|줘|줘요|줄래|줄래요|주라|달라|렴|봐봐)$"
)


_BUT: Final = re.compile(
    r"(?:는데|은데|ㄴ데|데|데요|지만|니까|으니까|아서|어서|해서|여서|려서|서|길래|느라|느라고|다가|더니|도록|므로|는데도|아도|어도|해도|여도)$"
)


_AND: Final = re.compile(r"(?:고|고서|고는|며|으며|면서|으면서|자마자|러|으러)$")


_PLAN: Final = re.compile(
    r"(?:려고|으려고|려구|으려구|겠어|겠다|겠습니다|겠음|을게|을게요|려는데)$"
)


_TOLD: Final = re.compile(
    r"(?:다|요|어|아|해|지|네|군|구나|거든|거든요|더라|더라고|더라고요|잖아|음|함|됨|임|니다)$"
)


@lru_cache(maxsize=4096)
def mood_of(word: str) -> Mood:
    """Return how a verb is meant, by its last syllables."""
    last = closing(word) if "가" <= word[-1] <= "힣" else 0
    before = closing(word[-2]) if len(word) > 1 and "가" <= word[-2] <= "힣" else 0
    if word.endswith(("주실래요", "줄래요", "줄래", "주실래")):
        return "ordered"
    if word.endswith(("야지", "야지요", "야죠", "야겠다", "야겠어")):
        return "must"
    if word.endswith(("ㄹ게", "ㄹ래")) or (word[-1] in "게래" and before == 8):
        return "plan"
    if word.endswith(("게요", "래요")) and len(word) > 2 and closing(word[-3]) == 8:
        return "plan"
    if word.endswith("니까"):
        return "asked" if len(word) > 2 and closing(word[-3]) == 17 else "but"
    if word.endswith(("까", "까요")) and word[-1 - word.endswith("요") - 1 :]:
        return "asked"
    if word.endswith(("는데", "은데", "던데")) and not word.endswith(
        ("다는데", "라는데", "다던데")
    ):
        return "but"
    if word.endswith(("거든", "거든요", "더라", "더라고", "더라고요")):
        return "heard" if word.endswith(("다더라", "다더라고", "라더라")) else "told"
    if word.endswith("더니"):
        return "but"
    if word.endswith("면서"):
        return "heard" if word.endswith("다면서") else "and"
    for mood, pattern in _PATTERNS:
        if pattern.search(word):
            return mood
    if last in (4, 8) or word.endswith(("는", "은", "을", "던")):
        return "of"
    return "told"


_PATTERNS: Final[tuple[tuple[Mood, re.Pattern[str]], ...]] = (
    ("heard", _HEARD),
    ("if", _IF),
    ("asked", _ASKED),
    ("ordered", _ORDERED),
    ("plan", _PLAN),
    ("but", _BUT),
    ("and", _AND),
    ("told", _TOLD),
)


@lru_cache(maxsize=4096)
def is_past(word: str) -> bool:
    """Say whether a verb form carries 았/었."""
    return any(closing(each) == 20 and each not in "있겠" for each in word if "가" <= each <= "힣")


_NUMBERS: Final = "한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두|[0-9]{1,4}|몇"


_DATES: Final = [*_LISTS.row("dates")]
_UNITS: Final = "시|시간|분|월|일|년|주|달|개월|주일|살|세|월말|월초|년도|분기|박|회|번|주년"
_TIME: Final = re.compile(
    rf"{'|'.join(_DATES)}|(?:{_NUMBERS})(?:{_UNITS})(?:반|쯤|째|간|전|후|뒤|마다)?"
    r"|[월화수목금토일]요일(?:마다)?|[월화수목금토일]{2,3}"
    r"|[0-9]{1,2}:[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
)
_TIME_TAIL: Final = {
    **dict.fromkeys(("", "마다", "쯤", "경", "이나", "간", "째"), ""),
    **dict.fromkeys(("에", "에는", "엔", "쯤에", "에도", "만에"), "에"),
    **dict.fromkeys(("은", "는"), "는"),
    **dict.fromkeys(("이", "가"), "가"),
    **dict.fromkeys(("을", "를"), "를"),
    **dict.fromkeys(("로", "으로"), "로"),
    **dict.fromkeys(("부터", "부터는"), "부터"),
    **dict.fromkeys(("까지", "까지는"), "까지"),
    "에서": "에서",
    "의": "의",
    "도": "도",
    "보다": "보다",
}
_LIKED: Final = _LISTS.words("liked")


_LONE_NUMBER: Final = re.compile(rf"(?:{_NUMBERS})|말|초|반|주|달|년|전|후|뒤|동안|이후|때|중|만")


@lru_cache(maxsize=4096)
def time_word(word: str) -> tuple[str, str] | None:
    """Return a word that says when, without its particle, and the particle's part."""
    for size in range(len(word), max(0, len(word) - 3), -1):
        tail = word[size:]
        if tail in _TIME_TAIL and _TIME.fullmatch(word[:size]):
            if word[:size] in _LIKED and _TIME_TAIL[tail] in ("보다", "가", "를", "도"):
                return None
            if _LONE_NUMBER.fullmatch(word[:size]) and tail not in (
                "",
                "에",
                "로",
                "으로",
                "부터",
                "까지",
                "까지야",
            ):
                return None
            return word[:size], _TIME_TAIL[tail]
    return None


# ---- Korean words where they stand: a noun with its particle, a verb with its stems, 이다.

HANGUL: Final = re.compile("[가-힣]+")
_LATIN_TAIL: Final = re.compile(r"(.*[A-Za-z0-9+#%)\ue000])([가-힣]*)")
_BOUND: Final = _LISTS.words("bound")
_ROLES: Final = _LISTS.pairs("roles")
# Two syllables that end like a particle are taken apart only where the first is a word itself.
_SURE: Final = frozenset("은는을를에")
_DOUBTFUL: Final = frozenset("의과가도나이만")
_LONE: Final = _LISTS.words("lone")
_ISLANDS: Final = _LISTS.words("islands")
_CAMERA: Final = re.compile("카메라|콜라|나라|오페라|보라|노라|사이버|알파라")
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
_NO_VERBS: Final = _LISTS.words("no_verbs")
_HELPERS: Final = frozenset(str.split("있 계시 싶 않 못하 말 되 하 주 보 버리 두 놓 오 가 드리"))
_FIRM: Final = _LISTS.row("firm")
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


# ---- A Korean sentence cut into words, titles kept whole.

_TOKEN: Final = re.compile(r"\S+")
_QUOTED: Final = re.compile("['\"‘’“”「『《]([^'\"‘’“”」』》\n]{1,60})['\"‘’“”」』》]")
_ENDLESS: Final = re.compile("[가-힣]{17}|[^가-힣]{65}")  # no word is as long
_POLITE: Final = re.compile(
    r"(?<![가-힣])([가-힣]{2,4}) (님|씨)(?=[이가은는을를도께의와과랑한]|\s|$)"
)
_GLUE: Final = "\ue000"  # holds the words of a quoted title together
_EDGE: Final = "()[]{}<>.,!?~…;:\"'`“”‘’「」『』《》ㅋㅎㅠㅜㅇㄷ^-–—*♡♥☆★·"
_DAYS: Final = re.compile(
    r"(?<![가-힣])([월화수목금토일]), ?([월화수목금토일])(?:, ?([월화수목금토일]))?(?![가-힣]?요일)"
)
_NAMED: Final = re.compile(
    r"(서비스|프로젝트|제품|팀|회사|앱|파일|브랜드|법인|채널|계정|방송|밴드|동아리|모임|상품|변수|함수)명(?=[\s은이을]|$)"
)


@dataclass(slots=True)
class Token:
    """A word without the marks around it."""

    word: str
    ends: bool  # a comma or the like follows


def tokens(text: str) -> list[Token]:
    """Cut a folded sentence into words."""
    text = _NAMED.sub(
        r"\1 이름", _DAYS.sub(lambda found: "".join(filter(None, found.groups())), text)
    )
    text = _POLITE.sub(r"\1\2", text)
    glued = _QUOTED.sub(lambda found: found[1].replace(" ", _GLUE) + _GLUE, text)
    tokens = []
    for match in _TOKEN.finditer(glued):
        word = match[0].lstrip(_EDGE)
        bare = word.rstrip(_EDGE)
        if bare and not _ENDLESS.search(bare):
            tokens.append(Token(bare, "," in word[len(bare) :] or ";" in word[len(bare) :]))
    return tokens


def shown(word: str) -> str:
    """Return a word as it was written."""
    return word.replace(_GLUE, " ").strip()
