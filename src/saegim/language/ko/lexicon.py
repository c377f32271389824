"""Korean words by what they name: relatives, places of work, tools, events, illnesses, verbs."""

from __future__ import annotations

from typing import Final

from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/lexicon")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KIN: Final = _LISTS.words("kin")
PETS: Final = _LISTS.words("pets")
JOBS: Final = _LISTS.words("jobs")
UNEMPLOYED: Final = _words("준비생 백수 무직 취준생 구직 실업자")
SCHOOLS: Final = _LISTS.row("schools")
LESSONS: Final = _LISTS.words("lessons")
DWELLINGS: Final = _LISTS.row("dwellings")
EVENTS: Final = _LISTS.row("events")
DEADLINES: Final = _LISTS.row("deadlines")
DEVICES: Final = _LISTS.words("devices")
# A word that may close the topic of 폰 아이폰으로 바꿨어.
TOPIC_ENDS: Final = DEVICES | _words("""코드명 제목 학원 파일 사진 문서 자료 백업 빌드 테스트 할일
    일 회의록 영상 편집 사무실 본사 가게 매장 공장 지점 연구실 작업실 관리 버전 이름 닉 닉네임
    아이디 별명 버전 앱 어플 프로그램 툴 도구 팀 회의 미팅 수업 번호 전화번호 주소 메일 이메일
    비밀번호 비번 은행 통신사 요금제 회사 직장 집 학교 학원 병원 에디터 브라우저 디비 DB
    데이터베이스 프레임워크 언어 서버 배포 메모 일기 가계부 색 색깔 메뉴 장소 날짜 시간 일정
    담당자 담당 팀장 매니저 응원팀 최애 노트 캘린더 메신저 협업툴 검색엔진 클라우드 호스팅 도메인
    머리 머리색 전공 목표 예산 가격 월세 연봉 식단 운동 취미 자리 방 침대 주기 테마 폰트 글꼴 배경
    카드 보험 구독 신문 우유 커피 원두 사료""")
TOOL_ENDS: Final = _LISTS.lines("tool_ends")
WRITTEN: Final = _LISTS.words("written")
ILLNESSES: Final = _LISTS.words("illnesses")
NOT_OWNED: Final = _LISTS.words("not_owned")
FRIENDLY: Final = _words("매니아 덕후 팬 광팬 러버")

HABITS: Final = _LISTS.pairs("habits")
OWNS: Final = {
    "키우": "keeps",
    "기르": "keeps",
    "갖": "has",
    "가지": "has",
    "보유하": "has",
    "소유하": "has",
}
USES: Final = _words("쓰 사용하 이용하 활용하 돌리 애용하")
LIKES: Final = {
    "좋아하": False,
    "사랑하": False,
    "즐기": False,
    "애정하": False,
    "싫어하": True,
    "혐오하": True,
    "꺼리": True,
}
GOT: Final = _words("들이 사 구입하 구매하 장만하 지르 입양하 분양받 데려오 뽑 마련하")
ADOPTED: Final = _words("입양하 분양받 데려오")
LOST: Final = _LISTS.words("lost")
STOPS: Final = _LISTS.words("stops")
MOVES: Final = _LISTS.words("moves")
WORKS: Final = _words("근무하 일하 재직하 출근하 다니")
JOINS: Final = _words("입사하 이직하 취직하 취업하 합류하 출근하 들어가 옮기 스카웃되 복직하")
LEAVES: Final = _LISTS.words("leaves")
OPENS: Final = _words("차리 열 창업하 개업하 오픈하 운영하 시작하")
CHANGES: Final = _LISTS.words("changes")
SWITCHES: Final = _LISTS.words("switches")
RAISES: Final = _LISTS.words("raises")
DONE: Final = _LISTS.words("done")
RECORDS: Final = _LISTS.words("records")

PREMISES: Final = _LISTS.row("premises")
WORKPLACES: Final = _LISTS.row("workplaces")
OWNED_WORDS: Final = _LISTS.words("owned_words")
TEAMS: Final = _LISTS.words("teams")
KINDS_OF: Final = {"봄": "계절", "여름": "계절", "가을": "계절", "겨울": "계절"}
# Of these verbs only such things are said to be done: 비자가 나왔어, but 책이 나왔어 says nothing.
LOOSE_DONE: Final = _words("나오 따 붙 도착하 오 받 잡 되 하")
AWAITED: Final = _LISTS.row("awaited")
FIELDS: Final = _LISTS.words("fields")
VAGUE: Final = _LISTS.words("vague")
VAGUE_VALUES: Final = _words("새것 새거 다른것 다른거 것 거 이것 그것 이거 그거 그쪽 이쪽")
BROKEN: Final = _words("만료되 고장나 깨지 죽 다운되 터지 망가지 멈추 끊기 부러지")
CERTIFICATES: Final = ("면허", "자격증", "여권", "비자", "면허증")
DEEDS: Final = _LISTS.words("deeds")
SHORT_THINGS: Final = _words("차 집 폰 개 앱 팀 방")
# After these, what was said of a thing before no longer holds.
TURNS: Final = (
    CHANGES - _words("""되 가 잡 짓 줄 늘 맞추 갈 올라가 내려가""")
    | STOPS
    | LEAVES
    | LOST
    | _words("""떠나 나오 질리 물리 헤어지 낫 풀 도둑맞 취소하 취소되 복직하 제대하 전역하 퇴원하
        이직하 이사하 해결하 해결되 끝나 끝내 완료하 완료되 머지되 통과하 승인나 합격하 고치
        수리하 복구되 업데이트되 패치되 폐업하 망하 없어지 돌아오 졸업하 은퇴하 죽 싫어지 좋아지
        제출하 붙 시작하 추가하 늘어나 승진하 바뀌 파혼하 이혼하 결혼하 출산하 폐지되 중단되
        종료되 완치되 성공하""")
)
