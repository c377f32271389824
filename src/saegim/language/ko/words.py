"""Korean words: what a word asks for once its particles and endings are taken off.

A word is kept as character bigrams, so every part of a compound can be found. Beside them stand
nouns of one syllable, and the stems of verbs (`~마시`) that the written form may hide.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from typing import Final

from saegim.language.ko.verbs import (
    EMPTY,
    FAINT,
    MAKERS,
    closing,
    guessed_stem,
    known_stems,
    melted_stems,
)

# Never asked for and never indexed: particles, endings and connectives that stand alone.
STOP: Final = frozenset(
    str.split("""은 는 이 가 을 를 의 에 도 만 로 와 과 나 랑 께 및 등 또 더 좀 잘 그 저 것
    거 게 걸 건 수 때 중 후 전 뒤 그리고 그런데 그래서 그러나 하지만 그러면 그럼 그래 그래도
    그런 이런 저런 그게 이게 저게 그건 이건 그것 이것 저것 그것은 이것은 그거 이거 저거 그걸
    이걸 여기 거기 저기 에서 에게 한테 께서 으로 부터 까지 처럼 보다 마다 조차 마저 밖에 에는
    에도 에서는 에서도 까지는 까지도 부터는 으로는 으로도 라고 이라고 라는 이라는 라도 이라도
    이나 이랑 하고 같은 같이 대해 대해서 대한 위해 위해서 위한 통해 통해서 따라 따라서 때문에
    때문 관련 관해 관한 의한 의해 인한 인해 정말 진짜 너무 아주 매우 그냥 혹시 제발 바로 만약
    만일 또는 혹은 즉 해 돼 봐 줘 함 됨 한 할 된 될 적 적이 적은 채 듯 뿐 만큼 대로 동안 것이
    것은 것을 것도 것에 거야 거지 거예요 수가 수도 수는 안 못 않고 네 응 예 아니요 아니 요 죠
    번째 정도 다 참 근데 걍 거라 거죠 거고 거라고 걸까 걸로 저기요""")
)
# Dropped from a question while anything else is left of it.
QUESTION: Final = frozenset(
    str.split("""뭐 뭘 뭔 뭔가 뭐가 뭐를 뭐야 뭐지 뭐냐 뭐니 뭐예요 뭐에요 뭐였지 뭐였더라
    뭐더라 뭐라고 뭐라 뭐랑 뭐로 무엇 무엇을 무엇이 무엇인지 무엇인가요 무엇이었지 무슨 어디
    어디서 어디에 어디에서 어디야 어디로 어디지 어디였지 어디까지 어디예요 언제 언제야 언제지
    언제였지 언제였더라 언제부터 언제까지 언제쯤 언제인지 누구 누구야 누구지 누가 누구랑
    누구와 누구한테 누구에게 누구를 누구였지 왜 어떻게 어떤 어느 몇 몇번 얼마 얼마나 얼마야
    얼마지 얼마였지 얼마예요 얼마까지 얼마인지 알려줘 알려줄래 알려주세요 알려 말해줘 말해봐
    말해 찾아줘 찾아봐 보여줘 기억나 기억나니 기억해 기억하니 기억하고 기억나요 기억하나요
    기억 궁금 궁금해 궁금하다 궁금한데 뭔지 뭘까 어때 어때요 어떡해 어떨까 어떨까요 나 나는
    난 내 내가 나의 나를 나한테 나랑 저 저는 제 제가 저의 저를 저한테 너 너는 넌 네가 너의
    당신 당신은 우리 우리가 우리는 우리의 제일 가장""")
)
# Nouns that end like a noun with a particle or a verb with an ending, but are whole.
_NOUNS: Final = frozenset(
    str.split("""고양이 호랑이 원숭이 어린이 떡볶이 목걸이 귀걸이 손잡이 놀이 길이 높이 깊이
    넓이 종이 나이 아이 오이 차이 사이 먹이 벌이 구이 볶이 옷걸이 개구리 휴가 평가 국가 작가
    허가 추가 주가 여가 시가 증가 참가 병가 물가 온도 속도 지도 제도 포도 파도 정도 태도 강도
    기도 밀도 각도 효도 시도 의도 보도 별도 철도 한도 약도 차도 감도 절도 전도 고도 습도 농도
    빈도 수도 인도 년도 용도 구도 불만 비만 자만 대만 낭만 오만 진로 도로 경로 피로 가로 세로
    미로 통로 서로 따로 별로 회로 활로 선로 항로 회의 주의 강의 논의 합의 동의 정의 문의 건의
    예의 호의 상의 하의 창의 열의 물의 거의 편의 결과 효과 치과 학과 성과 경과 통과 안과 내과
    외과 사과 약과 한과 일과 교과 하나 누나 바나나 사랑 자랑 노랑 파랑 아들 기와 보고 사고
    차고 서고 재고 참고 신고 광고 경고 창고 최고 냉장고 사료 라면 화면 장면 표면 반면 측면
    냉면 가면 서면 평면 전면 정면 내면 외면 편지 휴지 바지 강아지 아버지 할아버지 돼지 먼지
    반지 잡지 거지 가지 차지 토지 의지 유지 방지 금지 정지 복지 기지 메시지 이미지 페이지
    소시지 패키지 어머니 할머니 주머니 언니 가게 무게 어깨 의자 과자 여자 남자 부자 모자 상자
    피자 글자 숫자 감자 나라 보라 소라 노래 그림 모임 얼음 느낌 걸음 웃음 마음 처음 다음 얼굴
    감기 사기 보기 크기 자기 세기 대기 차기 내기 서기 주기 경기 일기 고기 이야기 연기 전기
    공기 위기 용기 무기 시기 인기 사서 도서 부서 순서 베란다 판다 바다 캐나다 침대 아빠 오빠
    영어 언어 단어 용어 한국어 일본어 중국어 스페인어 문어 연어 장어 육아 소녀 참여 콜라 달러
    컬러 배려 고려 염려 우려 격려 시간 사진 인간 기간 공간 순간 약간 주간 야간 연간 출신 자신
    확신 통신 대신 임신 당신 사실 현실 거실 교실 화장실 사무실 회의실 과일 휴일 매일 내일
    파일 메일 생일 요일 평일 제일 이불 선물 동물 식물 건물 인물 음식물 겨울 서울 거울 하늘
    오늘 마을 가을 노을 여름 이름 구름 기름 아침 점심 저녁 게임 책임 마지막 제대로 짝사랑
    첫사랑 새우 단지 알림 도움 슬픔 기쁨 일수""")
)
# One syllable that is more often a noun than the stem of a verb.
_SHORT_NOUNS: Final = frozenset(
    str.split("""책 약 차 꽃 집 물 밥 술 돈 개 눈 비 길 말 일 옷 몸 손 발 입 코 귀 목 배 방
    문 산 강 빵 떡 국 죽 쌀 콩 귤 감 땅 별 달 해 봄 밤 낮 형 딸 컵 펜 공 춤 꿈 잠 힘 병 암 열
    뼈 피 땀 털 새 소 닭 곰 뱀 쥐 벌 벽 칼 총 불 빛 색 금 돌 흙 풀 숲 섬 밭 빚 값 표 역 팀 앱
    웹 글 시 곡 북 껌 잼 햄 캔 꿀 줄 실 천 신 띠 칩 폰 키 맛 멋 옆 앞 위 밑 밖 곳 뜰 절 탑 뇌
    간 폐 살 등 턱 혀 짐 톱 못 뜻 법 죄 벗 남 왕 끝 점 선 면 뿔 알 씨 잎 틀 창 상 복 탓 짝 쪽
    편 층 칸 판 핀 끈 잔 굴 게 김 무 파 팬 샘 룸 볼 골 컷 톡 램 뷰 룰 캠 랩 탭 툴 록 팝 랜 댐
    날 번 둘 셋 넷""")
)
# Words before a noun that do not build a compound with it.
_LOOSE_WORDS: Final = frozenset(
    str.split("""오늘 내일 어제 매일 요즘 지금 아까 이미 벌써 아직 항상 자주 가끔 다시 먼저
    함께 조금 많이 빨리 계속 따로 서로 거의 모두 전부 다음 이번 지난 모든 매주 매달 매년 오전
    오후 아침 점심 저녁 주말 작년 올해 내년""")
)

_ANY: Final = str.split("""의 에 도 만 께 에서 에게 한테 께서 까지 부터 처럼 보다 마다 조차
마저 밖에 하고 에다 에다가 에게서 한테서 만큼 대로 쯤 씩 짜리 째 커녕 마저도 조차도 치고 뿐
들 같은 같이 께는 말고 더러 보고 히 님 적인 적으로 엔 에선""")
_CLOSED: Final = str.split("""은 이 을 과 으로 이나 이랑 이라도 이란 이든 이든지 이며 이라
이라고 이라서 이라는 이라면 으로서 으로써 으로부터""")
_OPEN: Final = str.split("는 가 를 와 나 랑 라도 란 든지 며 야 라고 라서 라는 라면")
_OPEN_OR_L: Final = str.split("로 로서 로써 로부터")
_STACKED: Final = str.split("""에 에서 에게 한테 께 까지 부터 처럼 보다 만 하고 으로 로 와 과
이랑 랑 들 만큼 대로 에게서 한테서 으로부터 로부터 으로서 로서 님""")
_UPON: Final = str.split("""는 은 도 만 의 이 가 을 를 까지 부터 나 라도 이라도 이나 밖에
조차 마저 요 에 에서 에게 한테 께 과 와 랑 로 으로""")
_UPON_PLURAL: Final = str.split("이 은 을 의 과 도 만 에게 에게는 한테 이나 이랑 끼리")
# Second syllables that a noun of two syllables may end in as well.
_DOUBTFUL: Final = frozenset(
    str.split("""이 가 도 만 로 의 과 와 나 랑 들 며 야 보다 하고 째 쯤 뿐 란 라 히 님 적인
    같이 같은""")
)
_COPULA_HEADS: Final = frozenset("이인일입였예라여")
_MAKER_HEADS: Final = _COPULA_HEADS | frozenset("하해했한할합되돼됐된될됩시당스받드")
_LONGEST: Final = 12  # syllables; what is longer is no word, and is only cut into bigrams
_LL, _SS = 8, 20


class Weight(IntEnum):
    """How much a word of a question asks for."""

    NOTHING = 0
    LITTLE = 1
    MUCH = 2


@dataclass(frozen=True, slots=True)
class Reading:
    """What one word leaves in the index, and what it asks for in a question.

    `main` are tokens in order, `extra` tokens beside them, `asked` phrases of tokens. `bare` marks
    a noun without a particle, which may be the first half of a compound.
    """

    main: tuple[str, ...]
    extra: tuple[str, ...]
    asked: tuple[tuple[str, ...], ...]
    weight: Weight
    bare: bool = False


NOTHING: Final = Reading((), (), (), Weight.NOTHING)


def bigrams(word: str) -> tuple[str, ...]:
    """Cut a word into pairs of neighbouring characters; one character stays as it is."""
    if len(word) < 2:
        return (word,) if word else ()
    return tuple([word[i : i + 2] for i in range(len(word) - 1)])


@cache
def _particles() -> dict[str, str]:
    """Build, once, particle -> what the word before it must end in."""
    known = dict.fromkeys(_ANY, "any")
    known.update((particle, "closed") for particle in _CLOSED)
    known.update((particle, "open") for particle in _OPEN)
    known.update((particle, "open or l") for particle in _OPEN_OR_L)
    for first in _STACKED:
        for second in _UPON:
            known.setdefault(first + second, known[first])
    for second in _UPON_PLURAL:
        known["들" + second] = "any"
    for particle in list(known):  # the end of a particle leads nowhere, but on to the particle
        for start in range(1, len(particle)):
            known.setdefault(particle[start:], "")
    return known


def is_particle(word: str) -> bool:
    """Say whether the whole word can only hang on another one: 에서, 입니다, 했다."""
    return word in STOP or bool(_particles().get(word)) or not EMPTY.isdisjoint(known_stems(word))


def _fits(word: str, ending: str) -> bool:
    last = closing(word)
    if ending == "closed":
        return last != 0
    if ending == "open":
        return last == 0
    return ending == "any" or last in (0, _LL)


def without_particle(word: str) -> str:
    """Return the word before its particles; the word itself if it has none."""
    known = _particles()
    shortest = word
    if word in _NOUNS:
        return word
    for cut in range(len(word) - 1, 0, -1):
        ending = known.get(word[cut:])
        if ending is None:
            break
        if ending and _fits(word[:cut], ending):
            shortest = word[:cut]
            if shortest in _NOUNS:
                break
    return shortest


def _made_of(word: str) -> str:
    """Return the noun inside 공부했다, 시작된, 학생입니다; "" if it is no such word."""
    for cut in range(1, len(word)):
        if word[cut] not in _MAKER_HEADS:
            continue
        tail = word[cut:]
        if len(tail) == 1:
            return word[:cut] if tail in "한할해된될돼" and cut > 1 else ""
        stems = known_stems(tail)
        if not MAKERS.isdisjoint(stems) and not (cut == 1 and "하" not in stems):
            return word[:cut]
        if "이" in stems and tail[0] in _COPULA_HEADS and _copula_fits(word[:cut], tail):
            return word[:cut]
    return ""


def _copula_fits(noun: str, tail: str) -> bool:
    """Say whether the noun may take this form of 이다: 친구였다, but 움직였다 is a verb."""
    if tail[0] not in "였예라여":
        return not tail.startswith("이기")  # 받아들이기 is a verb
    return closing(noun) == 0 and (len(noun) > 1 or tail[0] != "였")


def _verb(stems: tuple[str, ...], word: str, noun: str) -> Reading:
    """Read a form of common verbs."""
    tokens = tuple("~" + stem for stem in stems)
    short = (noun,) if len(noun) == 1 else ()
    if not EMPTY.isdisjoint(stems):
        return NOTHING
    weight = Weight.MUCH if FAINT.isdisjoint(stems) else Weight.LITTLE
    return Reading(bigrams(word), short + tokens, tuple((token,) for token in tokens), weight)


def _is_noun(word: str, noun: str) -> bool:
    """Say whether what stands before the particle is surely a noun."""
    if len(noun) == 1:
        return noun in _SHORT_NOUNS and noun != word
    return noun in _NOUNS


def _from_noun(word: str, noun: str) -> Reading:
    """Read a noun with or without particles."""
    particle = word[len(noun) :]
    if len(noun) == 1 and particle in _DOUBTFUL and noun not in _SHORT_NOUNS:
        return Reading(bigrams(word), (noun,), (bigrams(word),), Weight.MUCH)
    extra = (noun,) if len(noun) == 1 and particle else ()
    bare = not particle and len(word) > 1 and word not in _LOOSE_WORDS
    return Reading(bigrams(word), extra, (bigrams(noun),), Weight.MUCH, bare)


def _from_maker(word: str, noun: str) -> Reading:
    """Read a verb made of a noun: the noun counts."""
    if noun in STOP or (noun not in _SHORT_NOUNS and not EMPTY.isdisjoint(known_stems(noun))):
        return NOTHING
    extra: tuple[str, ...] = (noun,) if len(noun) == 1 else ()
    extra += tuple("~" + stem for stem in melted_stems(noun))
    weight = Weight.LITTLE if noun in QUESTION else Weight.MUCH
    return Reading(bigrams(word), extra, (bigrams(noun),), weight)


def _from_guess(word: str, stem: str) -> Reading:
    """Read a verb that is in no list."""
    tokens = bigrams(stem) if len(stem) > 1 else ("~" + stem,)
    extra = () if word.startswith(stem) and len(stem) > 1 else tokens
    for cut in range(1, len(word) - 2):  # 돌려보냈다 is also 보내다
        if inner := [verb for verb in known_stems(word[cut:]) if len(verb) > 1]:
            extra += tuple("~" + verb for verb in inner)
            break
    return Reading(bigrams(word), extra, (tokens,), Weight.MUCH)


@lru_cache(maxsize=32768)
def _read(word: str) -> Reading:
    if word in STOP:
        return NOTHING
    if word in QUESTION:
        return Reading(bigrams(word), (), (bigrams(word),), Weight.LITTLE)
    if word in _NOUNS or word in _SHORT_NOUNS:
        return _from_noun(word, word)
    if len(word) == 1:
        stems = known_stems(word)
        return _verb(stems, word, "") if stems else _from_noun(word, word)
    noun = without_particle(word)
    if noun in STOP:
        stems = known_stems(word)
        return _verb(stems, word, "") if stems else NOTHING
    if noun in QUESTION:
        return Reading(bigrams(word), (), (bigrams(noun),), Weight.LITTLE)
    if _is_noun(word, noun):
        return _from_noun(word, noun)
    if stems := known_stems(word):
        return _verb(stems, word, noun)
    if made_of := _made_of(word):
        return _from_maker(word, without_particle(made_of) if len(made_of) > 2 else made_of)
    if (noun == word or closing(noun) == _SS) and (stem := guessed_stem(word)):
        return _from_guess(word, stem)
    return _from_noun(word, noun)


def read(word: str) -> Reading:
    """Read one unbroken run of Hangul syllables."""
    if len(word) <= _LONGEST:
        return _read(word)
    pairs = bigrams(word)
    return Reading(pairs, (), tuple([(pair,) for pair in pairs]), Weight.MUCH)
