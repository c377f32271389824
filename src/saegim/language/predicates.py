"""The predicates that rules write, in both languages, and which slot each of them speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from saegim.memory.keys import normalise
from saegim.memory.late import late

Shape = Literal["one", "each", "when", "none"]

# name | slot | shape | Korean, denied | English, denied
#   one: a subject has one such value (lives_in:me = 부산)
#   each: true or not of each object (likes:me:coffee)
#   when: a time, compared by its parts (schedule:회의 = day=mon time=10:00)
#   none: claims nothing; such events stand side by side
# A name that starts with "-" says by itself that something is not, or no longer, so.
# Beside these stand predicates that carry a word of their own: "favourite X", "가장 좋아하는 X",
# "X tool", "X 도구", "X preferred time", "X 선호 시간", and the noun of a property (신발 사이즈).
_TABLE: Final = """
likes | likes | each | 좋아함, 싫어함 | likes, dislikes
prefers | prefers | each | 선호함, 덜 선호함 | prefers, prefers less
lives_in | lives_in | one | 거주함, 더는 거주하지 않음 | lives in, no longer lives in
moved_to | lives_in | one | 이사함, 이사하지 않음 | moved to, did not move to
from | from | none | 출신, 출신 아님 | is from, is not from
born_in | born_in | none | 태어남, 태어나지 않음 | born in, not born in
works_at | works_at | one | 근무함, 퇴사함 | works at, left
job | job | one | 직업, 그만둔 직업 | job is, former job
studies_at | studies_at | one | 재학함, 졸업함 | studies at, left school
studies | does | each | 공부함, 공부하지 않음 | studies, does not study
name | name | one | 이름, 이름 아님 | name is, name is not
nickname | nickname | one | 별명, 별명 아님 | nickname is, nickname is not
age | age | one | 나이, 나이 아님 | age is, age is not
birthday | birthday | when | 생일, 생일 아님 | birthday is, birthday is not
has | has | each | 있음, 없음 | has, does not have
keeps | has | each | 키움, 키우지 않음 | keeps, no longer keeps
bought | has | each | 구입함, 구입하지 않음 | bought, did not buy
got | has | each | 생김, 생기지 않음 | got, did not get
-gave_up | has | each | 처분함, 처분하지 않음 | got rid of, kept
uses | uses | each | 사용함, 사용하지 않음 | uses, does not use
switched_to | uses | each | 갈아탐, 갈아타지 않음 | switched to, did not switch to
-stopped | does | each | 그만둠, 그만두지 않음 | stopped, did not stop
does | does | each | 함, 하지 않음 | does, does not do
drinks | does | each | 마심, 마시지 않음 | drinks, does not drink
eats | does | each | 먹음, 먹지 않음 | eats, does not eat
-cannot_eat | does | each | 못 먹음, 먹을 수 있음 | cannot eat, can eat
smokes | does | each | 피움, 피우지 않음 | smokes, does not smoke
watches | does | each | 봄, 보지 않음 | watches, does not watch
reads | does | each | 읽음, 읽지 않음 | reads, does not read
listens_to | does | each | 들음, 듣지 않음 | listens to, does not listen to
plays | does | each | 즐김, 즐기지 않음 | plays, does not play
attends | does | each | 다님, 다니지 않음 | goes to, does not go to
takes | does | each | 복용함, 복용하지 않음 | takes, does not take
rides | has | each | 탐, 타지 않음 | drives, does not drive
wears | does | each | 착용함, 착용하지 않음 | wears, does not wear
allergic | allergic | each | 알레르기 있음, 알레르기 없음 | allergic to, not allergic to
diet | diet | one | 식단, 식단 아님 | diet is, diet is not
speaks | speaks | each | 구사함, 구사하지 못함 | speaks, does not speak
status | status | one | 연애 상태, 연애 상태 아님 | relationship status, relationship status not
married_to | partner | one | 결혼함, 이혼함 | married to, divorced from
dating | partner | one | 사귐, 헤어짐 | dating, broke up with
schedule | schedule | when | 일정, 일정 취소됨 | scheduled for, not scheduled for
moved | schedule | when | 일정 변경됨, 일정 그대로임 | rescheduled to, not rescheduled to
due_moved | deadline | when | 마감 변경됨, 마감 그대로임 | deadline moved to, deadline not moved to
deadline | deadline | when | 마감, 마감 아님 | deadline is, deadline is not
located | located | one | 위치함, 위치하지 않음 | located at, not located at
version | version | one | 버전, 버전 아님 | version is, version is not
ill | ill | each | 앓음, 나음 | suffers from, recovered from
state | state | one | 상태, 상태 아님 | state is, state is not
supports | supports | one | 응원함, 응원하지 않음 | supports, no longer supports
plans | plans | each | 계획함, 취소함 | plans, cancelled
met | met | none | 만남, 만나지 않음 | met, did not meet
went_to | went_to | none | 다녀옴, 가지 않음 | went to, did not go to
learned | learned | none | 배움, 배우지 않음 | learned, did not learn
made | made | none | 만듦, 만들지 않음 | made, did not make
decided | decided | none | 결정함, 결정하지 않음 | decided, did not decide
changed_to | is | one | 바뀜, 바뀌지 않음 | changed to, did not change to
-turned | turned | each | 달라짐, 그대로임 | changed, unchanged
is | is | one | 임, 아님 | is, is not
"""
# What a model or an import may write instead, by name; with "-", denied.
_ALSO: Final = """
likes: like love loves enjoys 좋아한다 좋아해 사랑함 애호 즐겨함 선호
-likes: dislike hate hates 싫어한다 싫어해 혐오함 안_좋아함 좋아하지_않음 does_not_like doesn't_like
prefers: prefer 선호한다
lives_in: lives live_in lives_at resides_in residence home_city 거주 거주지 사는_곳 살고_있음 산다
moved_to: relocated_to 이사 이사갔음 이사옴
works_at: works_for employed_at employer company 직장 회사 근무 근무지 재직함 다니는_회사
job: works_as occupation profession role 직무
studies_at: school attends_school 학교 재학
name: is_called named is_named called 이름은 성함
age: is_aged 연세
birthday: born_on date_of_birth 생년월일 생신
has: owns own have 가짐 가지고_있음 보유함 소유함 있다
-has: lacks does_not_own 없다 no_longer_has
uses: use using 사용 씀 쓴다 이용함
-uses: stopped_using no_longer_uses does_not_use 안_씀 사용_안_함 사용_중단함
stopped: quit gave_up 끊음 중단함
allergic: has_allergy_to is_allergic_to 알레르기 알러지
diet: dietary_preference 식습관
schedule: takes_place_on is_scheduled_for held_on 일시 날짜
deadline: due due_on due_date is_due 마감일 기한
located: located_in is_in is_at based_in 소재지 장소
version: has_version 버전은
is: are was be 이다
"""


@dataclass(frozen=True, slots=True)
class Predicate:
    """One row of the table; `words` are Korean, Korean denied, English, English denied."""

    name: str
    slot: str
    shape: Shape
    denies: bool
    words: tuple[str, str, str, str]


def _rows() -> Iterator[Predicate]:
    shapes: dict[str, Shape] = {"one": "one", "each": "each", "when": "when", "none": "none"}
    for line in _TABLE.strip().splitlines():
        name, slot, shape, korean, english = [cell.strip() for cell in line.split("|")]
        ko, not_ko = korean.split(", ")
        en, not_en = english.split(", ")
        denies = name.startswith("-")
        yield Predicate(name.lstrip("-"), slot, shapes[shape], denies, (ko, not_ko, en, not_en))


PREDICATES: Final = {row.name: row for row in _rows()}


def _written() -> dict[str, tuple[Predicate, bool]]:
    """Map each way to write a predicate to its row and whether it denies."""
    known: dict[str, tuple[Predicate, bool]] = {}
    for row in PREDICATES.values():
        for at, word in enumerate(row.words):
            known.setdefault(word, (row, (at % 2 == 1) is not row.denies))
        known.setdefault(row.name.replace("_", " "), (row, row.denies))
    for line in _ALSO.strip().splitlines():
        name, words = line.split(": ")
        row, denied = PREDICATES[name.lstrip("-")], name.startswith("-")
        for word in words.split():
            known.setdefault(word.replace("_", " "), (row, denied is not row.denies))
    return known


_WRITTEN: Final = _written()


def predicate(name: str, language: str, *, denied: bool = False) -> str:
    """Return how a predicate of the table is written in Korean ("ko") or English."""
    return PREDICATES[name].words[(0 if language == "ko" else 2) + denied]


def plain(text: str) -> str:
    """Return a text in the one form in which predicates and values are compared."""
    return normalise(text).replace("_", " ").strip(" .,!?~'\"“”‘’()")


def known_predicate(written: str) -> tuple[Predicate, bool] | None:
    """Return the row of a written predicate and whether it denies, None if it is in no table."""
    return _WRITTEN.get(plain(written))


# ---- `Fact`: one thing that is said, before it is written in the words of a language.

Triple = tuple[str, str, str]

# What is longer is a clause that was not understood.
LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is said: by a predicate of the table, or in words of its own (`said`)."""

    subject: str
    name: str
    value: str
    denied: bool = False
    said: str = ""


def written(fact: Fact, language: str) -> Triple | None:
    """Return a fact as a triple, None if a part of it is missing."""
    subject, value = fact.subject.strip(), fact.value.strip()
    if not subject or not value or subject == value or len(value) > LONGEST:
        return None
    return subject, fact.said or predicate(fact.name, language, denied=fact.denied), value


# ---- Names that stand with a version number: Python 3.12, 노드 20, 앱 2.5, but not port 3000.

# After these a whole number is a version too.
_VERSIONED: Final = frozenset(
    str.split("""python java node nodejs node.js react vue angular postgres postgresql mysql
        ubuntu debian fedora django rails ruby php go golang rust kotlin swift ios ipados macos
        android windows spring springboot next next.js nextjs nuxt typescript javascript redis
        kafka kubernetes k8s docker cuda pytorch tensorflow unity unreal xcode gradle jdk openjdk
        .net dotnet elasticsearch mongodb sqlite numpy pandas gpt claude gemini llama flask
        fastapi bootstrap tailwind webpack vite electron flutter laravel symfony firmware kernel
        patch sdk api driver 커널 드라이버 파이썬 자바 노드 리액트 뷰 앵귤러 포스트그레스 우분투
        장고 스프링 부트 스프링부트 쿠버네티스 도커 레디스 카프카 안드로이드 윈도우 코틀린 스위프트
        타입스크립트 플러터 유니티 언리얼 앱 펌웨어 맥os 맥OS""")
)
_NUMBERED: Final = late(
    r"(?:(?P<owner>.*) )?(?P<name>[A-Za-z가-힣.][\w.+#]*?)(?: (?:version|버전|ver\.?))?"
    r"[ -]?(?P<v>v)?(?P<number>[0-9]+(?P<dot>(?:\.[0-9x]+)+)?)(?: (?:버전|기반))?"
)
_LONGEST: Final = 60
_MAC: Final = frozenset(str.split("ventura sonoma sequoia monterey tahoe"))
_OWNED: Final = late(
    r"^(?:the|our|my|a|new|to|on|우리|내|제|지금|현재|최신)\b ?|\b(?:OS|운영체제)$"
)
_WORD: Final = late(r" (?:version|버전|ver\.?) ")
_NO_NAMES: Final = frozenset(
    str.split("""port 포트 room 방 page 페이지 chapter 장 line 줄 step 단계 level 레벨 size 사이즈
        about 약 phase top 총 day week gate bus 버스 route""")
)


def version_in(text: str, *, sure: bool = False) -> tuple[str, str] | None:
    """Return (name, version) if the text ends in a name and its version, else None.

    With `sure`, the verb has told already that it is a version.
    """
    if len(text) > _LONGEST:
        return None
    match = _NUMBERED.fullmatch(_WORD.sub(" ", text.strip()))
    if not match:
        return None
    name, number = match["name"], match["number"]
    plain = name.lower()
    if plain in _NO_NAMES:
        return None
    owner = _OWNED.sub("", match["owner"] or "").strip()
    if plain in _MAC:
        name = "macOS"
    if plain in ("version", "release", "v", "버전"):
        return (owner or "release"), number
    if match["dot"] or match["v"] or plain in _VERSIONED or plain in _MAC or sure:
        return (f"{owner} {name}" if owner and owner.isascii() is name.isascii() else name), number
    return None


def is_versioned(name: str) -> bool:
    """Say whether a name is known to come in versions."""
    return name.lower() in _VERSIONED
