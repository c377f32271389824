"""Which Korean sentence ends what an earlier one said, and which only stands beside it."""

from __future__ import annotations

import pytest
from reading_aloud import changes, read

from saegim.language.claims import claims, opposed

WORK_AND_LESSONS = {
    ("나는 한빛소프트 다녀", "헬스장은 북문 파워짐 다녀"): False,
    ("나는 한빛소프트 다녀", "영어학원은 에이스톡 다녀"): False,
    ("나는 한빛소프트 다녀", "피부과는 고운결 다녀"): False,
    ("나는 한빛소프트 다녀", "헬스장도 새물짐 다녀"): False,
    ("나는 한빛소프트 다녀", "헬스장 새물짐 다녀"): False,
    ("나는 한빛소프트 다녀", "이마트 본사 다녀"): True,
    ("나는 한빛소프트 다녀", "정형외과는 튼튼 다녀"): False,
    ("헬스장은 북문짐 다녀", "헬스장은 남문짐 다녀"): True,
    ("헬스장은 북문짐 다녀", "헬스장 남문짐 다녀"): True,
    ("헬스장은 북문짐 다녀", "헬스장도 남문짐 다녀"): False,
    ("헬스장은 북문짐 다녀", "미용실은 남문머리 다녀"): False,
    ("나는 한빛소프트 다녀", "최근에는 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "당분간은 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "사실은 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "실은 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "퇴사 후에는 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "서울에서는 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "나는 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "회사는 새물전자 다녀"): True,
    ("나는 한빛소프트 다녀", "지금은 새물전자 다녀"): True,
    ("누나는 한빛소프트 다녀", "누나는 새물전자 다녀"): True,
}


@pytest.mark.parametrize(("old", "new"), WORK_AND_LESSONS)
def test_lessons_by_their_topic_are_no_work(old: str, new: str) -> None:
    """Where the topic is a gym, a school or a doctor, the place is no employer (U5.3)."""
    assert changes(old, new) is WORK_AND_LESSONS[old, new]


def test_a_topic_tells_school_from_lessons() -> None:
    """대학은 … 다녀 is a school, 수영장은 … 다녀 is none (U3.7)."""
    assert read("대학은 해솔텍 다녀").triples == (("사용자", "재학함", "해솔텍"),)
    assert read("수영장은 은하공원 다녀").triples == (("사용자", "다님", "은하공원"),)


OWNERS = {
    ("내 은행은 하늘은행이야", "남편 은행을 바다은행으로 바꿨어"): False,
    ("내 통신사는 KT야", "이모 통신사는 SKT로 바꿨어"): False,
    ("내 브라우저는 크롬이야", "지민 브라우저를 엣지로 바꿨어"): False,
    ("나는 한빛소프트 다녀", "아내 회사가 새물전자로 바뀌었어"): False,
    ("내 은행은 하늘은행이야", "은행을 바다은행으로 바꿨어"): True,
    ("내 통신사는 KT야", "통신사 SKT로 바꿨어"): True,
    ("남편 은행은 하늘은행이야", "남편 은행을 바다은행으로 바꿨어"): True,
    ("아빠 폰은 아이폰이야", "아빠 폰은 갤럭시로 바꿨어"): True,
    ("와이파이 비밀번호는 산들이야", "형이 와이파이 비밀번호를 새봄으로 바꿨어"): True,
}
ADVISED = {
    ("내 통신사는 KT야", "친구 추천으로 통신사를 SKT로 바꿨어"): True,
    ("내 통신사는 KT야", "민수 따라 통신사 SKT로 바꿨어"): True,
    ("내 은행은 하늘은행이야", "남편 때문에 은행을 바다은행으로 바꿨어"): True,
    ("내 은행은 하늘은행이야", "남편 권유로 은행을 바다은행으로 바꿨어"): True,
    ("내 은행은 하늘은행이야", "남편 덕분에 은행을 바다은행으로 바꿨어"): True,
    ("내 은행은 하늘은행이야", "팀장님 지시로 은행을 바다은행으로 바꿨어"): True,
    ("내 통신사는 KT야", "엄마가 내 통신사를 SKT로 바꿔 줬어"): True,
    ("내 브라우저는 크롬이야", "아들이 내 브라우저를 엣지로 바꿨어"): True,
    ("내 통신사는 KT야", "누나는 친구 추천으로 통신사를 SKT로 바꿨어"): False,
    ("내 은행은 하늘은행이야", "남편은 은행을 바다은행으로 바꿨어"): False,
    ("내 은행은 하늘은행이야", "남편이 은행을 바다은행으로 바꿨어"): False,
    ("나는 부산 살아", "남편 직장이 새물전자로 바뀌어서 서울로 이사했어"): True,
    ("나는 한빛소프트 다녀", "엄마 집이 서울로 바뀌었어. 새물전자로 이직했어"): True,
    ("나는 한빛소프트 다녀", "엄마 집이 서울로 바뀌었어"): False,
}


@pytest.mark.parametrize(("old", "new"), OWNERS)
def test_what_changed_keeps_its_owner(old: str, new: str) -> None:
    """A relative's new bank ends the relative's old one, not the speaker's (U5.3)."""
    assert changes(old, new) is OWNERS[old, new]


@pytest.mark.parametrize(("old", "new"), ADVISED)
def test_who_advised_a_change_owns_nothing(old: str, new: str) -> None:
    """Whoever advised or made it owns it not; a relative's change says no more of the speaker."""
    assert changes(old, new) is ADVISED[old, new]


def test_a_pet_keeps_its_new_name() -> None:
    """What is renamed is whoever is named beside the name, not the speaker."""
    assert read("강아지 이름을 보리로 바꿨어").triples == (("강아지", "이름", "보리"),)


OCCASIONS = {
    ("아침 물약은 7시야", "저녁 물약은 10시야"): False,
    ("평일 수영은 6시야", "주말 수영은 11시야"): False,
    ("여름 합숙은 7월 3일이야", "겨울 합숙은 1월 8일이야"): False,
    ("다음 주 모임은 화요일이야", "다다음 주 모임은 목요일이야"): False,
    ("아침 물약은 7시야", "저녁 물약은 10시로 바뀌었어"): False,
    ("아침 물약은 7시야", "아침 물약은 8시야"): True,
    ("아침 물약은 7시야", "아침 물약은 8시로 바뀌었어"): True,
    ("다음 주 모임은 화요일이야", "모임은 수요일로 바뀌었어"): True,
    ("모임은 화요일이야", "다음 주 모임은 수요일로 바뀌었어"): True,
    ("모임은 화요일이야", "모임은 수요일이야"): True,
    ("아침 회의는 10시야", "오전 회의는 11시로 바뀌었어"): True,
    ("아침 물약은 7시야", "오전 물약은 10시야"): False,
    ("아침 회의는 10시야", "오후 회의는 3시로 바뀌었어"): False,
    ("다음 주 회의는 화요일이야", "이번 주 회의는 수요일로 바뀌었어"): False,
}
CANCELLED = {
    ("회의는 화요일 3시야", "화요일 회의 취소됐어"): True,
    ("회의는 화요일 3시야", "수요일 회의 취소됐어"): False,
    ("회의는 화요일 3시야", "화요일에 회의 취소했어"): False,
    ("송별회는 다음 주 목요일이야", "송별회 취소됐어"): True,
    ("다음 주 모임은 화요일이야", "모임 취소됐어"): True,
    ("다음 주 모임은 화요일이야", "다음 주 모임은 취소됐어"): True,
    ("다다음 주 모임은 화요일이야", "다음 주 모임은 취소됐어"): False,
    ("모임은 매주 월요일 10시야", "모임 취소됐어"): False,
    ("모임은 수요일이야", "월요일 모임 취소됐어"): False,
    ("송별회는 다음 주 목요일이야", "환영회 취소됐어"): False,
}
TRIP, DAY = "제주도 여행은 3월 10일이야", "the trip is on Friday"
STANDS = {
    (TRIP, "제주도 여행을 취소하지 않았어"): False,
    (TRIP, "제주도 여행 취소하지 못했어"): False,
    (TRIP, "제주도 여행은 안 취소됐어"): False,
    (TRIP, "제주도 여행은 취소되지 않았어"): False,
    (TRIP, "제주도 여행은 취소하지 않기로 했어"): False,
    (TRIP, "제주도 여행 취소했다가 다시 잡았어"): False,
    (TRIP, "제주도 여행 취소했었는데 다시 잡았어"): False,
    (TRIP, "제주도 여행 취소하기로 했어"): True,
    (DAY, "I almost cancelled the trip"): False,
    (DAY, "We cancelled the trip last year"): False,
    (DAY, "Two years ago we cancelled the trip"): False,
    (DAY, "I didn't cancel the trip"): False,
    (DAY, "We cancelled the trip"): True,
    (DAY, "I cancelled the trip yesterday"): True,
}


@pytest.mark.parametrize(("old", "new"), OCCASIONS)
def test_one_of_several_occasions_ends_no_other(old: str, new: str) -> None:
    """The evening dose leaves the morning one as it is; the same one moves (U5.3)."""
    assert changes(old, new) is OCCASIONS[old, new]


def test_next_week_is_this_week_in_a_week() -> None:
    """Which week a meeting is of depends on when it was told: 다음 주, a week later 이번 주."""
    [old] = claims(read("다음 주 회의는 화요일이야").triples)
    new = claims(read("이번 주 회의는 수요일로 바뀌었어").triples)[0]
    assert opposed(new, old, weeks=1)
    assert not opposed(new, old, weeks=0)
    assert not opposed(new, old, weeks=2)


@pytest.mark.parametrize(("old", "new"), CANCELLED)
def test_what_is_cancelled_ends_its_date(old: str, new: str) -> None:
    """A cancelled event has no date any more; one meeting of a weekly row is not all (U5.3)."""
    assert changes(old, new) is CANCELLED[old, new]


@pytest.mark.parametrize(("old", "new"), STANDS)
def test_what_is_not_cancelled_keeps_its_date(old: str, new: str) -> None:
    """Not cancelled, almost, long ago, or booked again: the date stands."""
    assert changes(old, new) is STANDS[old, new]
