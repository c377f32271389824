"""The labelled set of word search: questions, the one memory each should find, and what must not.

It was written before the rules that are measured on it. `held_out` cases were never looked at
while the rules were made; the figures are reported for both halves.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Case:
    """One question and the memory that answers it."""

    query: str
    memory: str
    kind: str
    language: str
    held_out: bool


def _nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


Pairs = tuple[tuple[str, str], ...]
Groups = tuple[tuple[str, Pairs, Pairs], ...]  # kind, open cases, held-out cases

_KOREAN: Final[Groups] = (
    (
        "bare noun",
        (
            ("두유", "아침에는 우유 대신 두유를 마셔서 속이 편하다"),
            ("양자역학", "주말에 양자역학 강의를 몰아서 들었다"),
            ("치과", "다음 주 화요일 오후에 치과에 가기로 예약했다"),
            ("보증금", "새 집 보증금은 오천만 원이고 월세는 육십이다"),
            ("기타", "퇴근 후에 기타를 배우고 있다"),
        ),
        (
            ("알레르기", "복숭아 알레르기가 있어서 여름 디저트는 조심해야 한다"),
            ("고양이", "우리 집 고양이는 세 살이고 털이 회색이다"),
            ("면접", "금요일 면접은 화상으로 진행된다고 한다"),
            ("자전거", "출근길에 자전거를 타면 이십 분이 걸린다"),
            ("나이", "강아지의 나이가 벌써 열두 살이다"),
        ),
    ),
    (
        "other particle",
        (
            ("도서관에서", "도서관은 월요일마다 문을 닫는다"),
            ("할머니께", "할머니가 담근 김치를 제일 좋아한다"),
            ("이사를", "이사는 11월 말로 미뤄졌다"),
            ("냉장고에는", "냉장고가 고장 나서 수리 기사를 불렀다"),
            ("아이들의", "아이는 밤 아홉 시에 재운다"),
        ),
        (
            ("남동생한테", "남동생과 함께 부산 여행을 다녀왔다"),
            ("여권은", "여권이 내년 3월에 만료된다"),
            ("회사까지", "회사에서 버스로 세 정거장 거리에 산다"),
            ("피아노부터", "피아노를 조율할 사람을 찾는 중이다"),
            ("헬스장으로", "헬스장은 새벽 여섯 시에 문을 연다"),
        ),
    ),
    (
        "one syllable",
        (
            ("책", "생일 선물로 책을 세 권 받았다"),
            ("약은", "저녁 식사 뒤에 약을 꼭 챙겨야 한다"),
            ("차", "차는 지하 주차장 기둥 옆에 세워 두었다"),
            ("꽃이", "베란다에 심은 꽃에 물을 주는 걸 잊지 말 것"),
        ),
        (
            ("돈", "다음 달까지 돈을 모아 노트북을 바꾼다"),
            ("개가", "옆집 개는 밤마다 짖는다"),
            ("술을", "건강 때문에 술과 담배를 끊었다"),
            ("키", "딸의 키가 일 년 새 10센티 자랐다"),
        ),
    ),
    (
        "two syllables",
        (
            ("회의", "월요일 회의는 오전 열 시에 시작한다"),
            ("온도", "거실 온도는 22도로 맞춰 둔다"),
            ("광고", "광고 문구는 짧을수록 반응이 좋았다"),
        ),
        (
            ("강의", "강의는 녹화해서 다시 본다"),
            ("지도", "종이 지도를 벽에 붙여 놓았다"),
            ("바지", "검은 바지는 세탁소에 맡겼다"),
        ),
    ),
    (
        "compound part",
        (
            ("정보", "개인정보는 반드시 암호화해서 저장한다"),
            ("공항", "인천국제공항까지 리무진을 타고 간다"),
            ("청소", "로봇청소기가 소파 밑에 자주 낀다"),
            ("보험", "자동차보험을 시월에 갱신해야 한다"),
        ),
        (
            ("관리", "프로젝트관리 도구는 하나만 쓰기로 결정"),
            ("연구소", "기초과학연구소에서 인턴으로 일한 적이 있다"),
            ("요금", "전기요금은 매달 25일에 자동이체로 나간다"),
            ("검진", "건강검진 결과에서 비타민이 부족하다고 나왔다"),
        ),
    ),
    (
        "inflected verb",
        (
            ("마셨어", "물 대신 보리차만 마신다"),
            ("이끄는", "작은 팀을 이끌었다"),
            ("좋아해?", "매운 음식을 좋아하는 편이다"),
            ("가르쳤어요", "중학교에서 수학을 가르치고 있다"),
            ("떠났다", "새벽 기차로 떠나기로 했다"),
            ("공부합니다", "스페인어를 독학으로 공부했다"),
            ("싫어하는", "오이가 든 샌드위치는 싫어한다"),
            ("보낸", "초대장을 열 명에게 보냈다"),
        ),
        (
            ("던졌어", "공을 멀리 던지는 연습이 필요하다"),
            ("결혼했어요", "언니는 오월에 결혼한다"),
            ("헤어졌다", "공항에서 헤어지면서 선물을 주고받았다"),
            ("빌렸어", "카메라를 빌려서 쓰고 돌려줄 예정"),
            ("잃어버린", "지갑을 잃어버려서 카드를 정지했다"),
            ("졸업한", "디자인 대학원을 졸업했다"),
            ("웃었다", "농담에 크게 웃는 사람이 드물다"),
            ("숨기고", "비밀번호를 메모지에 적어 숨겼다"),
        ),
    ),
    (
        "irregular verb",
        (
            ("추워", "사무실이 춥다고 계속 말했다"),
            ("걸었어", "하루에 만 보를 걷는다"),
            ("빨라서", "손이 빠른 사람과 일하고 싶다"),
            ("아팠어", "허리가 아프면 수영을 쉰다"),
            ("만든", "직접 만들었던 책장이 흔들린다"),
        ),
        (
            ("도와줬어", "짐 옮기는 것을 돕기로 약속"),
            ("깨달았다", "혼자서는 어렵다는 것을 깨닫고 사과했다"),
            ("몰랐던", "운전하는 법을 모른다"),
            ("바빠", "연말에는 바쁘니까 약속을 줄인다"),
            ("무거웠다", "가방이 무거우면 어깨가 뭉친다"),
        ),
    ),
    (
        "question",
        (
            ("내 생일이 언제야?", "생일은 음력 칠월 칠석이다"),
            ("어디에서 태어났어?", "제주 서귀포에서 태어나 열 살까지 살았다"),
            ("제일 좋아하는 색이 뭐야", "좋아하는 색은 짙은 초록이다"),
            ("혈액형이 뭐라고 했지?", "혈액형은 O형이고 헌혈을 자주 한다"),
            ("주말 등산 모임은 어떻게 됐어", "등산 모임은 비 때문에 취소됐다"),
            ("내가 쓰는 은행 계좌 알려줘", "월급 계좌는 은행 앱에서 자동으로 나뉜다"),
        ),
        (
            ("우리 사무실 와이파이 비밀번호가 뭐였지?", "사무실 와이파이 이름은 세 글자다"),
            ("어떤 언어를 배우고 싶다고 했어?", "언어를 하나 더 배운다면 핀란드어다"),
            ("마지막으로 이발한 게 언제였더라", "이발은 두 달에 한 번 한다"),
            ("결혼기념일에 뭘 하기로 했는지 기억나?", "결혼기념일 저녁은 집에서 요리하기로 했다"),
            ("건강 때문에 못 먹는 음식이 있나요?", "먹지 못하는 음식은 새우와 게다"),
            ("누구랑 같이 창업하려고 하나요", "창업은 대학 동기와 같이 준비한다"),
        ),
    ),
    (
        "word order",
        (
            ("꺼 두세요 알림을 밤에는", "밤에는 알림을 모두 꺼 둔다"),
            ("계약서 서명 전에 검토", "변호사가 검토한 다음 계약서에 서명한다"),
        ),
        (
            ("보고서를 금요일 퇴근 전에", "퇴근 전 금요일마다 보고서를 제출한다"),
            ("화분 물 창가", "창가 화분은 열흘에 한 번 물을 준다"),
        ),
    ),
    (
        "decomposed",
        (
            (_nfd("한글날"), "한글날에 광화문 행사에 갔다"),
            ("세종대왕", _nfd("세종대왕 동상을 그려 본 적이 있다")),
        ),
        (
            (_nfd("훈민정음을"), "훈민정음 해례본 복제본을 샀다"),
            ("가야금", _nfd("가야금 연주회 표를 예매했다")),
        ),
    ),
    (
        "spacing",
        (
            ("데이터베이스", "데이터 베이스 백업은 새벽에 돈다"),
            ("재택 근무", "재택근무는 수요일과 목요일이다"),
        ),
        (
            ("여름휴가", "여름 휴가는 팔월 첫 주로 잡았다"),
            ("버스 정류장", "버스정류장 앞 분식집이 맛있다"),
        ),
    ),
    (
        "number and unit",
        (
            ("3시에", "보고는 오후 3시까지 끝낸다"),
            ("12층", "치료실은 12층 엘리베이터 옆이다"),
            ("2019년", "2019년에 입사해서 지금까지 다닌다"),
        ),
        (
            ("7호선", "7호선을 타고 고속터미널에서 내린다"),
            ("45분", "통학에 45분쯤 걸린다"),
            ("80만원", "중고 모니터를 80만원에 팔았다"),
        ),
    ),
)

_MIXED: Final[Groups] = (
    (
        "latin and particle",
        (
            ("Notion", "회의록은 Notion에 정리한다"),
            ("slack으로", "급한 일은 Slack에서 먼저 알린다"),
            ("Figma를 쓰는", "시안은 figma로 공유받는다"),
            ("docker", "배포는 우리docker이미지로만 한다"),
            ("pytest했어", "커밋하기 전에 pytest부터 돌린다"),
        ),
        (
            ("Obsidian은", "일기는 Obsidian에다가 쓴다"),
            ("kubernetes", "스테이징은 Kubernetes에서는 안 돌리고 로컬에서 확인한다"),
            ("Zoom 링크", "zoom링크는 초대장 아래에 있다"),
            ("VSCode에서", "편집기는 VSCode이고 테마는 어둡게"),
            ("redis까지", "캐시는 Redis입니다"),
        ),
    ),
    (
        "special string",
        (
            ("agentic-os", "agentic-os 저장소는 비공개다"),
            ("C++", "게임 엔진은 C++로 작성했다"),
            (".env", "비밀 값은 .env에만 둔다"),
            ("ubuntu 20.04", "서버는 Ubuntu 20.04 LTS"),
            ("user_id", "테이블 기본 키는 user_id와 날짜의 조합"),
            ("src/app/router.ts", "라우팅 버그는 src/app/router.ts 88번째 줄에 있었다"),
            ("ops@example.org", "장애 연락처는 ops@example.org"),
        ),
        (
            ("C#", "유니티 스크립트는 C#이다"),
            ("getUserProfile", "getUserProfile() 호출이 두 번 일어난다"),
            ("/etc/nginx/nginx.conf", "프록시 설정은 /etc/nginx/nginx.conf 에서 바꾼다"),
            ("next.js", "홈페이지는 Next.js 14로 옮긴다"),
            ("v2.7.1", "v2.7.1에서 메모리 누수가 고쳐졌다"),
            ("GPT-4", "요약은 GPT4를 쓴다"),
            (
                "Traceback: File \"/srv/job.py\", line 12, KeyError: 'tenant'",
                "job.py에서 KeyError: 'tenant'가 나면 환경 변수를 다시 읽는다",
            ),
        ),
    ),
    (
        "mixed sentence",
        (
            ("API 키는 어디에 저장해?", "API키는 금고 앱에 저장한다"),
            ("내 MacBook 사양 알려줘", "MacBook은 램 32GB 모델"),
            ("React 상태 관리 뭐 쓰기로 했지", "React 상태 관리는 Zustand로 통일"),
            ("ＧＰＵ 서버", "GPU 서버는 주말에 꺼 둔다"),
        ),
        (
            ("AWS 비용 얼마까지 괜찮다고 했지?", "AWS 비용은 한 달에 십만 원을 넘기지 않는다"),
            ("iPhone 배터리 교체", "iPhone의 배터리를 교체한 지 반년 됐다"),
            ("ＰＤＦ 파일 이름 규칙", "PDF 파일의 이름은 날짜로 시작하는 게 규칙"),
            ("pull request 리뷰는 몇 명이 해야 돼?", "Pull request는 두 명이 리뷰한다"),
        ),
    ),
)

_ENGLISH: Final[Groups] = (
    (
        "english",
        (
            ("What is my favourite breakfast?", "My favourite breakfast is oatmeal with figs"),
            ("When did the roof start leaking", "The roof leaks whenever it rains from the east"),
            ("allergies", "Allergy to penicillin since childhood"),
            ("running shoes", "I run in the grey shoes with the wide toe box"),
            ("Who fixed the boiler?", "The boiler was fixed by a plumber from Leeds"),
            ("planned trip to Lisbon", "Planning a trip to Lisbon for the tram museum"),
            ("the dog's vet", "Our dogs see the vet on Hill Street"),
            ("stopped drinking coffee", "I stop coffee after noon, it ruins sleep"),
            ("database migration", "The database migrations run before every deploy"),
            ("hates cilantro", "She hated the cilantro in every dish"),
            ("Which libraries are we using?", "We use the smallest library that passes the tests"),
            ("wedding date", "Our wedding took place on a rainy Tuesday"),
        ),
        (
            ("What instruments do I play?", "The only instrument I ever learned is the cello"),
            ("parking permits", "The parking permit has to be renewed in April"),
            ("Did the invoice get paid?", "Invoices are paid on the last Friday of a month"),
            ("swimming lessons", "Swim lesson for the twins is on Saturday"),
            ("Where do we store passwords?", "Passwords are stored in the shared vault only"),
            ("who's babysitting", "The babysitter comes at seven and takes the bus"),
            ("studies biology", "He is studying marine biology abroad"),
            ("the car's tyres", "Car tyre pressure should be 2.4 bar"),
            ("Is the heating broken?", "Heat pump broke twice this winter, heating went off"),
            ("cancelled subscriptions", "Cancel the magazine subscription before renewal"),
            ("marathon training plan", "Training for the marathon follows a 16 week plan"),
            ("What time zone does the team use?", "All teams write times in the UTC time zone"),
        ),
    ),
)


def _cases(language: str, groups: Groups) -> tuple[Case, ...]:
    return tuple(
        Case(query, memory, kind, language, held_out)
        for kind, opened, held in groups
        for held_out, pairs in ((False, opened), (True, held))
        for query, memory in pairs
    )


CASES: Final = _cases("ko", _KOREAN) + _cases("mixed", _MIXED) + _cases("en", _ENGLISH)

# Nothing in any memory is about these; only endings, particles and function words are shared.
NEGATIVES: Final = (
    *("한다", "에서", "합니다", "있어", "했어요", "에게", "하고", "입니다", "이라고", "까지는"),
    *("있습니다", "했다", "으로", "부터", "이다", "하는", "된다", "있었다", "없다", "그리고"),
    *("기린을 한다", "화산에서", "잠수함이 있다", "오로라는 합니다", "발레를 했다"),
    *("요트까지", "낙타한테는", "펭귄이라고 한다", "선인장으로", "피라미드였다"),
    *("용암에 있어요", "해적이 되었다", "운석이 떨어졌다", "망원경으로만", "체스를 할까"),
    *("로켓에서부터", "사막이었습니다", "악어처럼", "투우사가 됩니다", "북극곰은 있나요"),
    *("the of and", "is it", "the giraffe is in the volcano", "a submarine was there"),
    *("did they have a penguin", "with an aurora", "to the pyramid", "어떻게 합니까"),
)

_WHO: Final = (
    "친구는",
    "동료가",
    "이웃이",
    "삼촌은",
    "이모가",
    "조카는",
    "후배가",
    "선배는",
    "사촌이",
)
_WHEN: Final = ("어제", "지난주에", "오늘 아침", "작년에", "요즘", "매일 저녁", "봄에", "점심때")
_WHERE: Final = (
    "시장에서",
    "공원에서",
    "학교에서",
    "식당에서",
    "강가에서",
    "광장에서",
    "백화점에서",
)
_DOES: Final = (
    *("국수를 먹었다", "우산을 샀다", "사진을 찍었다", "노래를 부른다", "신문을 읽었다"),
    *("옷을 골랐다", "영화를 봤다", "전화를 받았다", "그림을 그렸다", "운동을 한다"),
    *("낮잠을 잔다", "친척을 만났다", "숙제를 끝냈다", "구두를 닦는다", "창문을 열었다"),
    *("상자를 옮겼다", "편지를 썼다", "산책을 한다", "라디오를 듣는다", "빵을 굽는다"),
    *("커피를 주문했다", "시계를 고쳤다", "모자를 벗었다", "춤을 췄다", "과자를 나눠 줬다"),
    *("가위를 찾고 있다", "배를 깎았다", "수박을 잘랐다", "안경을 닦았다", "버섯을 말렸다"),
)
_EN_WHO: Final = (
    "My neighbour",
    "A colleague",
    "Our cousin",
    "The landlord",
    "A friend",
    "My aunt",
)
_EN_DOES: Final = (
    *("bought a lamp", "painted the fence", "lost an umbrella", "sold the piano", "cooked rice"),
    *("found a wallet", "called the bank", "watched a film", "repaired a clock", "wrote a letter"),
    *("baked bread", "cleaned the windows", "borrowed a ladder", "planted tulips", "ate soup"),
    *("read the newspaper", "took photographs", "opened a shop", "carried boxes", "sang a song"),
)
_EN_WHERE: Final = ("at the market", "in the park", "near the river", "at school", "downtown")
_EN_WHEN: Final = ("yesterday", "last week", "this morning", "every evening", "in spring")


def _mixed_radix(number: int, lists: tuple[tuple[str, ...], ...]) -> str:
    """Pick one word of each list, so that different numbers give different sentences."""
    words = []
    for choices in lists:
        number, position = divmod(number, len(choices))
        words.append(choices[position])
    return " ".join(words)


# The strides have no factor in common with the lists, so the sentences spread over all of them.
DISTRACTORS: Final = tuple(
    _mixed_radix(n * 37 % 15120, (_WHO, _WHEN, _WHERE, _DOES)) for n in range(480)
) + tuple(_mixed_radix(n * 13 % 3000, (_EN_WHO, _EN_DOES, _EN_WHERE, _EN_WHEN)) for n in range(220))
