"""Which words say the same, which name a time, and which say nothing of their own.

A word is written as its key: `~살` a Korean verb, `거주` a Korean noun, an English word's stem.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from saegim.language.en.words import stem

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
