"""Words that decide whether two claims speak of one thing: owners, tools, properties, manners."""

from __future__ import annotations

from typing import Final

from saegim.memory.late import late


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _grouped(text: str) -> dict[str, str]:
    """Map each word of a row to the first word of the row."""
    rows = [row.split() for row in text.split("|")]
    return {form: row[0] for row in rows for form in row}


# Nouns that name a property or a role: of these, "X is Y" has one answer at a time.
_ATTRIBUTES: Final = _words("""이름 주소 번호 전화번호 연락처 사이즈 크기 색 색깔 색상 가격 금액
    요금 월세 전세 연봉 월급 예산 비용 목표 담당 담당자 책임자 팀장 사장 대표 부장 과장 상사
    매니저 리더 반장 회장 담임 코치 트레이너 주치의 원장 룸메이트 짝꿍 남자친구 여자친구 남친
    여친 애인 아내 남편 와이프 키 몸무게 체중 혈액형 시력 학년 비밀번호 아이디 이메일 메일 도메인
    포트 브랜치 호스트 주기 간격 한도 용량 인원 인원수 정원 개수 수량 배포일 출시일 장소 위치
    자리 층 방 호수 노선 은행 통신사 요금제 좌우명 취미 종교 국적 학과 직급 직책 직함 등급 순위
    점수 기온 환율 금리 비율 단계 본가 고향 태명 사명 상호 코드명 제목 명칭 테마 글꼴 폰트 시간대
    mbti 최애 차 자동차 노트북 컴퓨터 태블릿 키보드 마우스 모니터 카메라 시계 address number size
    colour color price cost rent salary budget goal target manager boss lead leader supervisor
    ceo cto coach trainer doctor dentist teacher tutor therapist roommate flatmate boyfriend
    girlfriend fiance fiancee partner wife husband height weight email domain port branch host
    interval limit capacity headcount theme font timezone bank carrier plan hobby religion
    nationality major rank title grade score rate stage location venue room floor password
    username handle url motto landlord neighbour neighbor captain owner maintainer car laptop
    computer tablet keyboard monitor camera bike surname nickname name minimum maximum threshold""")
ME: Final = _words("사용자 user i me my myself 나 저 내 제 본인 우리 저희 we us our the_user 화자")
# Who uses a tool or runs a version, when it is the speaker's own circle.
OURS: Final = _words("""팀 회사 프로젝트 서비스 앱 우리팀 우리회사 team company project service
    app codebase stack machine laptop computer pc""")
KIN: Final = _grouped("""mother mom mum mommy 엄마 어머니 어머님 모친 |father dad daddy 아빠
    아버지 아버님 부친 |wife 아내 와이프 집사람 안사람 |husband 남편 신랑 |son 아들 |daughter 딸
    |grandmother grandma 할머니 |grandfather grandpa 할아버지 |boyfriend 남자친구 남친 |girlfriend
    여자친구 여친""")
SAME: Final = _grouped("""python 파이썬 |java 자바 |javascript js 자바스크립트 |typescript ts
    타입스크립트 |rust 러스트 |golang go 고랭 |kotlin 코틀린 |react 리액트 reactjs |vue 뷰 vuejs
    |node 노드 nodejs |docker 도커 |kubernetes k8s 쿠버네티스 |postgres postgresql 포스트그레스
    포스트그레SQL |mysql 마이에스큐엘 |vscode visualstudiocode 비주얼스튜디오코드 |vim 빔 vi
    |iphone 아이폰 |galaxy 갤럭시 |mac 맥 macbook 맥북 macos |windows 윈도우 윈도우즈 |linux
    리눅스 |slack 슬랙 |discord 디스코드 |notion 노션 |obsidian 옵시디언 |evernote 에버노트 |edge
    엣지 |chrome 크롬 |firefox 파이어폭스 |safari 사파리 |figma 피그마 |jira 지라 |linear 리니어
    |github 깃허브 |gitlab 깃랩 |spotify 스포티파이 |melon 멜론 |youtubemusic 유튜브뮤직 유튭뮤직
    |applemusic 애플뮤직 |담배 흡연 |meat 고기 |coffee 커피 |알레르기 알러지 |gmail 지메일 |zoom
    줌 |trello 트렐로 |asana 아사나 |telegram 텔레그램""")
# What a tool is for: the names of the purpose, then tools that take each other's place.
_KINDS: Final = """\
editor ide 에디터 편집기 코드에디터: vim neovim emacs vscode cursor intellij pycharm sublime
    sublimetext zed helix atom
database db 디비 데이터베이스: postgres mysql mariadb sqlite mongodb oracle dynamodb cassandra
    cockroachdb
frontend 프론트엔드 프론트: react vue svelte angular solid
packages 패키지매니저: npm yarn pnpm bun
python-packages: pip poetry uv conda pipenv
web-framework 웹프레임워크 백엔드프레임워크: flask django fastapi
cloud 클라우드: aws gcp azure
browser 브라우저: chrome firefox safari edge arc brave 웨일
os 운영체제 컴퓨터os: mac windows linux ubuntu
phone 폰 핸드폰 휴대폰 스마트폰 전화기: iphone galaxy pixel android 안드로이드
chat messenger 메신저 협업툴 사내메신저: slack discord teams 카카오워크 잔디 telegram
notes note 메모 노트 필기: notion obsidian evernote onenote roam logseq applenotes bear
tickets issues issue 이슈 티켓 이슈트래커: jira linear asana trello
repo repository 저장소 깃: github gitlab bitbucket
design 디자인: figma sketch
ci 빌드서버: jenkins githubactions circleci gitlabci travis
shell 쉘 셸: bash zsh fish
music 음악 노래: spotify applemusic youtubemusic melon 벅스 지니 플로 tidal
carrier 통신사: skt kt lgu+ 알뜰폰 verizon t-mobile at&t
mail email 메일 이메일 이메일앱 메일앱: gmail outlook 네이버메일 다음메일 protonmail fastmail
bundler 번들러: webpack vite rollup parcel
state-library: redux zustand
test-runner: jest vitest
formatter: black ruff
search 검색 검색엔진: google bing duckduckgo kagi ecosia 구글 네이버 다음
maps 지도 내비 네비: googlemaps applemaps 네이버지도 카카오맵 티맵 waze
password-manager 비밀번호관리: lastpass bitwarden 1password keepass
calendar 캘린더: googlecalendar fantastical applecalendar 구글캘린더 네이버캘린더
video-calls 화상회의: zoom googlemeet"""


def _kinds() -> tuple[dict[str, str], dict[str, str]]:
    purposes: dict[str, str] = {}
    tools: dict[str, str] = {}
    for line in _KINDS.replace("\n    ", " ").splitlines():
        names, members = line.split(": ")
        purposes |= dict.fromkeys(names.split(), names.split()[0])
        tools |= dict.fromkeys(members.split(), names.split()[0])
    return purposes, tools


# Purpose by any of its names; purpose by tool.
PURPOSES, TOOLS = _kinds()
# Of these one prefers one, whether it is called liking or preferring.
RIVALS: Final = _grouped("""tab tabs space spaces 탭 스페이스 |darkmode lightmode 다크모드
    라이트모드 darktheme lighttheme |aisleseat windowseat aisle window 통로석 창가석 복도자리
    창가자리 통로자리 창가 통로 |존댓말 반말 경어 |문어체 구어체 |아침형인간 저녁형인간 새벽형인간
    올빼미형인간 morningperson nightowl nightperson |종이책 전자책 ebook paperbook |email
    phonecall call text textmessage 전화 문자 이메일 메일 카톡 카카오톡""")
_STYLES: Final = {
    "length": {
        "short": _words("short shorter brief concise terse 짧은 짧게 간단한 간결한"),
        "long": _words("long longer detailed thorough verbose in-depth 긴 자세한 상세한"),
    },
    "tone": {
        "formal": _words("formal polite 정중한 격식"),
        "casual": _words("casual informal friendly 편한 친근한"),
    },
    "heat": {
        "hot": _words("hot warm 뜨거운 따뜻한"),
        "cold": _words("cold iced 차가운 시원한 아이스"),
    },
}
_MANNERS: Final = frozenset().union(
    *(words for poles in _STYLES.values() for words in poles.values())
)
# Values that mean the same, by slot.
SAID_AS: Final[dict[str, dict[str, str]]] = {
    "diet": _grouped("""vegetarian veggie 채식 채식주의자 채식주의 베지테리언 |vegan 비건
        |pescatarian 페스코 |anything omnivore 잡식 일반식 육식"""),
    "status": _grouped("""single unmarried 미혼 싱글 솔로 돌싱 모태솔로 |dating taken 연애_중
        연애중 커플 in_a_relationship |engaged 약혼 |married 기혼 결혼 유부남 유부녀 |divorced
        separated 이혼"""),
    "state": _grouped("""done 완료 완료됨 해결 해결됨 끝남 fixed resolved finished complete
        completed merged closed approved |open 미완료 미해결 진행_중 진행중 대기 broken pending
        unfinished unresolved not_done not_fixed in_progress"""),
    "job": _grouped("""unemployed jobless 백수 무직 취준생 취업_준비생 구직 실업자 구직_중
        취업_준비_중 between_jobs |retired 은퇴"""),
}
# States of a person that end each other, by what they are a state of.
PHASES: Final = {
    "pregnant": "pregnancy",
    "had the baby": "pregnancy",
    "임신 중": "pregnancy",
    "출산함": "pregnancy",
    "휴학 중": "school",
    "복학함": "school",
    "on leave": "work",
    "back at work": "work",
    "휴직 중": "work",
    "복직함": "work",
}
_LAST_WORD: Final = late(r"\S+$")


def is_attribute(phrase: str) -> bool:
    """Say whether a phrase names a property or a role, of which there is one at a time."""
    last = _LAST_WORD.search(phrase.lower())
    word = last[0] if last else phrase.lower()
    if word in _ATTRIBUTES or word in PURPOSES:
        return True
    tails = (word[cut:] for cut in range(1, len(word) - 1) if "가" <= word[cut] <= "힣")
    return any(tail in _ATTRIBUTES for tail in tails)


def style_of(words: list[str]) -> tuple[list[str], str, str] | None:
    """Return (what, measure, pole) of a manner: long answers, 짧은 답변."""
    for measure, poles in _STYLES.items():
        for pole, marks in poles.items():
            if marks & set(words) and (rest := [word for word in words if word not in _MANNERS]):
                return rest, measure, pole
    return None
