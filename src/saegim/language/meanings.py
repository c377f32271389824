"""Which words say the same, which name a time, and which say nothing of their own.

A word is written as its key: `~살` a Korean verb, `거주` a Korean noun, an English word's stem.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from saegim.language import words
from saegim.language.en import words as english
from saegim.language.en.words import stem
from saegim.language.ko.verbs import guessed_stem, known_stems
from saegim.language.ko.words import STOP, Weight, bigrams, without_particle
from saegim.language.ko.words import read as read_korean
from saegim.memory.keys import fold
from saegim.memory.late import late

# Each line: whoever says one of these may be retold with another one. Attitudes and their denials
# stand together, because whether they are denied is judged apart (`clause.py`).
_ALIKE: Final = """
~살 거주 거주지 live reside dwell stay
좋아 ~좋 선호 사랑 ~즐기 최애 취향 팬 애정 ~아끼 ~끌리 ~싫 싫어 혐오 질색 love enjoy prefer fond
  fan favourite favorite adore preference into hate dislike loathe despise detest rather like
일 근무 재직 ~다니 직장 회사 직업 업무 담당 work employ job employer company
재학 ~다니 학생 attend student school study go
선호 무조건 항상 편 ~편하 prefer preference always rather instead
~키우 ~기르 ~가지 ~갖 보유 소유 반려동물 ~있 ~계시 own keep have raise possess pet got
~사 구매 구입 장만 주문 buy purchase get order got
~받 ~얻 수령 receive get got given
~주 선물 give gift
~먹 식사 섭취 ~드시 복용 eat have consume
~마시 음주 ~드시 drink have
~피우 흡연 담배 ~피 smoke
~가 방문 여행 ~다니 ~떠나 출국 go visit travel trip fly head went 다녀오
~오 도착 ~돌아오 귀국 come arrive return back
시작 개시 입문 start begin
~끝나 ~끝내 종료 완료 ~마치 마감 finish end complete done close
~그만두 그만 ~관두 ~끊 중단 퇴사 ~나오 사직 퇴직 quit stop leave resign cut
해고 ~잘리 lay fire
결혼 결혼식 기혼 혼인 marry wedding wed married
~사귀 연애 교제 date relationship
~헤어지 이별 결별 break split
공부 학습 ~배우 수강 study learn
~만들 제작 개발 작성 구현 ~쓰 ~짜 make build develop create write implement
~쓰 사용 이용 활용 use run
~보 시청 관람 감상 watch see
~읽 독서 read
~듣 청취 listen hear
~뛰 ~달리 달리기 조깅 러닝 run jog
~걷 산책 도보 walk
~자 취침 수면 잠 ~주무시 sleep bed
~일어나 기상 ~깨 wake
~옮기 이사 이주 이동 변경 ~바꾸 ~바뀌 전환 교체 ~갈아타 move relocate change switch shift
  replace
이직 move change
~만나 미팅 meet see
~싶 ~원하 원하 희망 ~바라 want wish hope desire like
계획 예정 목표 plan intend going aim goal target will
생각 think consider
~가르치 강의 교육 teach
~힘들 ~어렵 고생 ~버겁 hard difficult tough struggle challenging
~기쁘 기쁨 행복 ~즐겁 ~신나 뿌듯 happy glad joy delight proud pride prouder
~슬프 슬픔 우울 속상 ~가라앉 ~서럽 sad depressed upset down
피곤 ~지치 tired exhausted exhaust wear
걱정 불안 고민 ~두렵 두려움 ~무섭 무서워 공포 worry anxious concern nervous terrified afraid
  scared fear dread anxiety
화 짜증 분노 angry annoyed mad anger
수치 수치심 ~부끄럽 창피 ashamed humiliated
미안 죄책감 guilty guilt
~아프 통증 질환 ~앓 ~다치 부상 sick ill hurt pain injure injury
배신 배신감 betray betrayal
알레르기 알러지 allergy allergic
임신 임산부 pregnant pregnancy
채식 채식주의자 채식주의 비건 vegetarian veggie
비건 vegan
~태어나 출생 생일 생년월일 born birthday birth
~자라 성장 grow raise
고향 출신 hometown from native
~죽 사망 ~돌아가시 기일 제사 die death pass
아이 자녀 자식 애 아기 kid child
아내 와이프 집사람 부인 처 배우자 wife spouse
남편 신랑 배우자 husband spouse
엄마 어머니 어머님 모친 mom mum mother mama
아빠 아버지 아버님 부친 dad father papa
부모 부모님 parent
할머니 외할머니 grandmother grandma gran
할아버지 외할아버지 grandfather grandpa granddad
시댁 시부모
여자친구 여친 girlfriend
남자친구 남친 boyfriend
강아지 개 반려견 멍멍이 반려동물 dog puppy pet
고양이 냥이 반려묘 반려동물 cat kitten kitty pet
회의 미팅 meeting
약속 일정 예약 스케줄 appointment schedule booking reservation
기한 마감 마감일 데드라인 deadline due
수정 고침 ~고치 해결 fix solve repair resolve
배포 출시 릴리스 릴리즈 런칭 deploy release ship launch
오류 에러 버그 장애 문제 error bug failure issue problem fault
결정 ~정하 확정 합의 decide decision settle choose agree
~고르 선택 choose pick select
승인 결재 허가 허용 approve allow permit
금지 ~막 ban forbid prohibit
저장 보관 store keep save
충돌 conflict
설치 ~깔 install
~빠르 신속 fast quick
휴대폰 핸드폰 폰 스마트폰 phone
노트북 랩톱 laptop
자동차 차 car drive
~타 운전 ~몰 drive ride
운동 헬스 헬스장 exercise workout gym
수술 surgery operation
병원 진료 hospital
시험 실기 필기 test exam
면접 interview
~떨어지 불합격 탈락 fail reject
합격 ~붙 pass
~이기 우승 win
~지 패배 lose
취미 여가 hobby
~맛있 delicious tasty taste
음식 요리 메뉴 먹거리 거 것 게 food dish meal recipe
음료 drink beverage
이름 성함 ~부르 ~불리 name call
별명 닉네임 nickname
나이 살 세 age old year
새벽형 아침형
매일 날마다 daily everyday
매주 주마다 weekly
자주 종종 often frequently
항상 늘 언제나 무조건 always
요즘 요새 최근 지금 현재 currently recently now lately
이전 예전 옛날 과거 before formerly used previously
아직 여전히 still
혼자 홀로 alone
같이 함께 together
전부 모두 다 all everything
답변 대답 응답 answer reply response
설명 explain explanation description
예시 예제 보기 example
문서 자료 document doc file
규칙 원칙 룰 rule policy
방식 방법 way method
데이터베이스 디비 database db
서버 server box
컨테이너 container
은퇴 retire
교사 선생님 선생 teacher
간호사 nurse nursing
의사 닥터 doctor physician
개발자 프로그래머 developer programmer code coder
엔지니어 engineer
가게 상점 매장 shop store
식당 음식점 맛집 restaurant
~뛰어나 능숙 ~잘하 good skilled fluent
모국어 native
술 알코올 alcohol
우유 유제품 dairy milk
영화 movie film
노래 음악 곡 song music
부서 팀 department team
소속 ~속하 member belong
색맹 색약 colourblind colorblind
청각 deaf
당뇨 당뇨병 diabetes diabetic
정상 꼭대기 summit peak top
편지 letter
후 뒤 이후 after later
전 이전 before
초 초순 beginning early
공유 share
~내 제출 ~넘기 submit hand
~찾 발견 find discover
~헷갈리 혼동 confuse
~가리 allergic
이유 원인 때문 cause reason why because due
~늦 지연 delay late
~밀리 ~미루 연기 지연 delay postpone push
비용 가격 금액 요금 예산 cost price budget money
부족 lack short
충분 enough sufficient
"""
# Words a retelling adds without adding anything.
_EMPTY: Final = """
사용자 유저 이용자 화자 본인 사람 사람들 자신 자기 인물 어시스턴트 직업 취미 나이 거주지 상태 현재
요즘 최근 편 점 경우 때문 이유 내용 언급 말 표현 감정 기분 생각 경험 사실 계획 예정 목표 의향 마음
느낌 습관 성향 선호도 의견 것 거 곳 일정 지 수 줄 적 데 바 중 쪽 측 및 음식 활동 물건 도구 장소
제품 행사 상황 정보 종류 부분 대상 분야 이름 정도 매우 아주 정말 특히 주로 꽤 무척 상당히 많이
조금 다소 약간 함께 통해 위해 대해 있음 없음 또한 그리고 하지만 해당 각각 총 약 한 두 세 네 명
마리 번 원 등 씨 님 번째 시점 기준 이후 당시 스스로 ~말하 ~느끼 ~여기 ~지내 ~가지 ~지니 ~밝히
~나타내 ~보이 ~원하 ~알리 ~두 ~놓 ~오 ~가 ~주 ~보 ~내 ~나 ~지 ~대 ~드리 ~계시 관련 대신 위한 통한
대한 user speaker person people one someone something thing name job occupation profession hobby
age status currently current recently recent now also feel feeling say state mention express
indicate describe plan intend experience fact information activity item food place situation
kind type part way each both really very especially cannot mainly mostly generally
self herself himself themselves oneself identify refer consider be become have do get
would want about around
approximately since during while because due per via including include such other another their
"""
# Time words: what they say must be in the source, or be the same day.
_TIMES: Final = """
어제 그저께 그제 오늘 내일 모레 글피 작년 재작년 올해 내년 지난해 지난주 지난달 이번주 이번달
다음주 다음달 지난 이번 다음 오전 오후 아침 점심 저녁 밤 새벽 주말 평일 월요일 화요일 수요일
목요일 금요일 토요일 일요일 봄 여름 가을 겨울 연말 연초 월초 월말 하루 이틀 사흘 나흘 열흘
보름 매일 매주 매달 매년 yesterday today tomorrow tonight morning afternoon evening night noon
midnight week weekend weekday month year monday tuesday wednesday thursday friday saturday
sunday january february march april may june july august september october november december
spring summer autumn fall winter last next daily weekly monthly yearly mon tue wed thu fri sat
sun jan feb mar apr jun jul aug sep oct nov dec
"""


def key_of(word: str) -> str:
    """Return the key of a word of the lists: an English one is stemmed."""
    return stem(word) if word.isascii() else word


def _keys(words: str) -> frozenset[str]:
    return frozenset(map(key_of, words.split()))


def _classes() -> dict[str, frozenset[int]]:
    lines = _ALIKE.strip().replace("\n  ", " ").splitlines()
    found: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for key in _keys(line):
            found.setdefault(key, set()).add(number)
    return {key: frozenset(numbers) for key, numbers in found.items()}


CLASSES: Final[Mapping[str, frozenset[int]]] = _classes()
EMPTY: Final = _keys(_EMPTY)
TIMES: Final = _keys(_TIMES)


# ---- A text as the words that count: of a fact, what it says; of a source, what may be retold.

_HANGUL: Final = late("[가-힣]")
_ANALYSER: Final = words.Basic()
# 않다, 못하다 and 말다 after 지 make a verb of what stands before them.
_BEFORE_DENIAL: Final = late(r"[가-힣]+지(?:는|도)? (?:않|못|말[고아])")
_MADE: Final = late("[하해했한할합되돼됐된될됩시당스]")
_RESOLVED: Final = late("기로 ?(?:했|하|결정|합의)")
_VOWELS: Final = frozenset(map(chr, range(0x1161, 0x1176)))
# 잡히 and 잡혀 share five letters; less than four are shared by chance.
_LEAST_LETTERS: Final = 4
# Syllables: the longest word that the reading of Korean words takes apart.
_LONGEST_WORD: Final = 12
_POLITE: Final = ("님", "씨", "들", "네", "쌤")


@dataclass(frozen=True, slots=True)
class Word:
    """A word that says something: any of its keys may be what is meant."""

    text: str
    keys: tuple[str, ...]
    at: int
    # Known only of Korean.
    is_verb: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """What a text holds, ready to be asked whether a word is in it."""

    words: tuple[Word, ...]
    tokens: frozenset[str]
    keys: frozenset[str]
    written: str

    def holds(self, word: Word) -> bool:
        """Say whether one of the word's keys was said, in any form."""
        return any(map(self._has, word.keys))

    def holds_alike(self, word: Word) -> bool:
        """Say whether the word, or one that says the same, was said."""
        if self.holds(word):
            return True
        own = [CLASSES.get(key, frozenset()) for key in word.keys]
        return any(not one.isdisjoint(CLASSES.get(key, ())) for one in own for key in self.keys)

    def _has(self, key: str) -> bool:
        # A Korean noun of two syllables is also half of many others.
        if key in self.keys or (key in self.tokens and (len(key) == 1 or not _HANGUL.match(key))):
            return True
        if " " in key:
            return self.tokens.issuperset(key.split())
        if key[0] == "~":
            return _begins_like(key[1:], self.written)
        if len(key) < 2 or not _HANGUL.match(key):
            return False
        if len(key) > 2 and all(pair in self.tokens for pair in bigrams(key)):
            return True
        # Inside a word only behind two syllables: 오전회의 holds 회의, 재작년 not 작년.
        return re.search(rf"(?:(?<![가-힣])|(?<=[가-힣]{{2}})){key}", self.written) is not None


def stems_of(word: str) -> tuple[str, ...]:
    """Return the common stems a word may be a form of; none of what is too long to be a word."""
    return known_stems(word) if len(word) <= _LONGEST_WORD else ()


def _begins_like(stem: str, written: str) -> bool:
    """Say whether a word begins with a stem that is in no list, its last vowel aside."""
    letters = unicodedata.normalize("NFD", stem)
    if len(letters) < _LEAST_LETTERS or stem in stems_of(f"{stem}다"):
        return False
    head = letters[:-1] if letters[-1] in _VOWELS else letters
    return any(unicodedata.normalize("NFD", each).startswith(head) for each in written.split())


def said(text: str) -> Said:
    """Read a text once."""
    plain = fold(text)
    found = tuple(words_of(plain))
    keys = {key for word in found for key in word.keys}
    for kind, run, _ in words.runs(plain):
        if kind == "hangul":
            keys.update(f"~{stem}" for stem in stems_of(run))
            keys.add(without_particle(run))
        elif kind == "latin":
            keys.add(english.stem(run.lower()))
    if _RESOLVED.search(plain):
        keys.add("결정")
    return Said(found, frozenset(_ANALYSER.index(plain)), frozenset(keys), plain.casefold())


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a folded text that say something of their own."""
    for kind, run, at in words.runs(text):
        if run == "A" and at == 0:
            continue
        denied = kind == "hangul" and _BEFORE_DENIAL.match(text, at)
        keys = tuple(_denied_keys(run)) if denied else tuple(filter(None, _word_keys(kind, run)))
        if keys and not any(key in EMPTY for key in keys):
            yield Word(run, keys, at, is_verb=_is_verb(run, keys))


def _is_verb(run: str, keys: Iterable[str]) -> bool:
    """Say whether a word is a verb or adjective, made of a noun (이사했다) or not."""
    return all(key[0] == "~" or _MADE.match(run[len(key) :]) for key in keys)


def _word_keys(kind: str, run: str) -> Iterable[str]:
    if kind in ("measure", "number", "jamo", "emoji"):
        return ()
    if kind == "latin" and len(run) == 1 and run.isupper() and run != "I":
        return (f"={run}",)  # a blood type, a grade
    found = words.read(kind, run)
    if found.weight is not Weight.MUCH:
        return ()
    if kind in ("hangul", "tail"):
        return _korean_keys(run)
    return (" ".join(phrase) for phrase in found.asked) if kind == "latin" else found.main


def _denied_keys(run: str) -> Iterator[str]:
    """Read a word before 않다 or 못하다: it can only be a verb."""
    if asked := [key for key in _korean_keys(run) if 1 < len(key) < len(run) - 1]:
        yield from asked  # 좋아하지: the noun counts
    else:
        yield from (f"~{stem}" for stem in stems_of(run) or (run[:-1],))


def _korean_keys(run: str) -> Iterator[str]:
    noun = without_particle(run)
    if noun in STOP or noun in EMPTY or _bare(noun) in EMPTY:
        return
    if len(run) > _LONGEST_WORD:
        yield run
        return
    if len(run) > 1 and run[-1] in "함됨해":
        yield run[:-1]  # 근무함, 일해
    asked = read_korean(run).asked
    guess = guessed_stem(run) if run.endswith("다") else ""
    if guess and asked[:1] == (bigrams(guess),):
        yield f"~{guess}"
        return
    for phrase in asked:
        if phrase[0].startswith("~"):
            yield phrase[0]
        else:
            yield _bare(phrase[0] + "".join(pair[1:] for pair in phrase[1:]))


def _bare(noun: str) -> str:
    """Return a noun without 님, 씨 and 들."""
    for ending in _POLITE:
        if noun.endswith(ending) and len(noun) > 2:
            return noun.removesuffix(ending)
    return noun


# ---- Who does, or does not do, what: a text cut into the clauses that each say one thing.

# told: it is so; asked: it may be so; if: it would be so; wish and plan: it is not yet so.
Mood = Literal["told", "asked", "if", "wish", "plan"]

ME: Final = "\x00me"
_QUOTED: Final = late(r"[\"“「『](.{2,200}?)[\"”」』]|(?<![\w'])'([^'\n]{4,200})'(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about.

    `owner` is whose it is (ME, a name, or ""). A `loose` subject has no particle, so it may be
    something else. `topic` says that the clauses after it may be about it too.
    """

    name: str
    person: bool
    owner: str = ""
    loose: bool = False
    topic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One thing a text says."""

    text: str
    said: Said
    subjects: tuple[Subject, ...] = ()
    # The speaker does it, says so or leaves it to be understood.
    me: bool = False
    # The speaker is the one it is done to.
    to_me: bool = False
    # Others who do the same: 동생이랑 나는, "my brother and I".
    partners: frozenset[str] = frozenset()
    # Whose is what: ("이름", "애").
    owned: frozenset[tuple[str, str]] = frozenset()
    # What is left out, replaced or found worse: 설탕 없이, "than tea"; as keys.
    without: frozenset[str] = frozenset()
    denied: bool = False
    mood: Mood = "told"
    # It asks for something, or says what the speaker likes: from it a wish may be told.
    asks_for: bool = False
    # None where nothing shows the time: 면접 봄, "dark mode, always".
    past: bool | None = None
    # Which way: ("수원", "to"); only where both ends are named.
    ways: frozenset[tuple[str, str]] = frozenset()
    # What a verbless clause says was so, and may be so no more: 교사였다, "was a teacher".
    was: bool = False
    # The subject is that of a clause before.
    inherited: bool = False
    # It only tells which one is meant: 언니가 추천한 (미용실).
    embedded: bool = False
    # The thing that a clause before it in the sentence was about.
    about: str = ""


def without_strangers(text: str, first_person: re.Pattern[str], stranger: str) -> str:
    """Return the text with the I of quoted speech made someone else's, where someone speaks."""
    if not _QUOTED.sub("", text).strip(" .,!?"):
        return text
    return _QUOTED.sub(lambda found: first_person.sub(stranger, found[0]), text)


def inherit(
    found: Sequence[Clause], before: Subject | None, *, starts_open: bool, things: bool
) -> tuple[list[Clause], Subject | None]:
    """Give each clause that names no one the person before it, else the speaker; return the topic.

    Inside a sentence any person is carried on (with `things`, any subject: English leaves out only
    the same one), between sentences only a topic, and not past a word like 그래서, after which a
    speaker often comes back to himself.
    """
    told: list[Clause] = []
    person = None if starts_open else before
    topic = person
    thing = ""
    for clause in found:
        people = [each for each in clause.subjects if each.person or things]
        if clause.embedded:
            people = [each for each in people if each.topic]
        if clause.me:
            person = topic = None
            thing = ""
        elif people:
            first = people[0]
            # 동생 만나서 밥 먹었어: whom I met is not who ate.
            person = first if first.topic or not first.loose else None
            topic = first if first.topic and first.person else topic
        elif person and not clause.embedded:
            clause = replace(clause, subjects=(*clause.subjects, person), inherited=True)
        elif not clause.subjects:
            clause = replace(clause, me=True)
        topical = [each.name for each in clause.subjects if each.topic and not each.person]
        thing = topical[0] if topical else thing
        told.append(replace(clause, about=thing))
    return told, topic
