"""What held then, what holds now, and what happened in the time a question names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from saegim import FixedClock, Recollection, Saegim

START = datetime(2026, 1, 5, 3, 0, tzinfo=UTC)
# Twenty timelines: three values of one thing, a month apart (U20.3).
TIMELINES = [
    ("나는 {}에 산다", "어디에 살지?", ("부산", "대구", "서울")),
    ("나는 {}에 살아", "나 어디 살아?", ("제주", "춘천", "전주")),
    ("I live in {}", "Where do I live?", ("Busan", "Daegu", "Seoul")),
    ("I work at {}", "Where do I work?", ("Acme", "Globex", "Initech")),
    ("우리 회사는 {}이다", "회사 이름이 뭐지?", ("한들", "누리", "가람")),
    ("My favourite colour is {}", "favourite colour", ("blue", "green", "red")),
    ("내가 쓰는 편집기는 {}이다", "편집기 뭐 쓰지?", ("빔", "이맥스", "나노")),
    ("The server runs version {}", "server version", ("14", "15", "16")),
    ("서버 버전은 {}이다", "서버 버전이 뭐야?", ("14", "15", "16")),
    ("내 직업은 {}이다", "내 직업이 뭐지?", ("교사", "요리사", "기자")),
    ("My job is {}", "What is my job?", ("teacher", "cook", "reporter")),
    ("My phone is a {}", "Which phone do I have?", ("Nokia", "Pixel", "iPhone")),
    ("내 전화기는 {}이다", "전화기 뭐 쓰지?", ("노키아", "픽셀", "아이폰")),
    ("Our team lead is {}", "Who leads the team?", ("Dana", "Robin", "Kim")),
    ("팀장은 {}이다", "팀장이 누구야?", ("민수", "서연", "지훈")),
    ("The meeting day is {}", "meeting day", ("Monday", "Tuesday", "Friday")),
    ("회의 요일은 {}이다", "회의 요일이 언제지?", ("월요일", "화요일", "금요일")),
    ("My gym is {}", "Which gym do I go to?", ("Ironhall", "Parkgym", "Seafit")),
    ("다니는 체육관은 {}이다", "체육관 어디 다니지?", ("한강", "남산", "북한산")),
    ("The database is {}", "Which database?", ("MySQL", "MariaDB", "Postgres")),
]


def told(memory: Saegim, clock: FixedClock, sentence: str, values: tuple[str, ...]) -> None:
    """Tell a story of change: each month the thing has another value."""
    kept = memory.remember(sentence.format(values[0]))
    for value in values[1:]:
        clock.forward(days=30)
        kept = memory.update(kept.id, sentence.format(value))
    clock.forward(days=30)


def texts(found: Recollection) -> list[str]:
    """Return the texts of an answer."""
    return [hit.memory.text for hit in found.hits]


@pytest.mark.parametrize(("sentence", "question", "values"), TIMELINES)
def test_as_of_brings_what_was_valid_then_and_nothing_else(
    tmp_path: Path, sentence: str, question: str, values: tuple[str, ...]
) -> None:
    """U20.3: at each month the value of that month, and no other; now, the last one."""
    clock = FixedClock(START)
    with Saegim.open(tmp_path / "m.db", clock=clock) as memory:
        told(memory, clock, sentence, values)
        for month, value in enumerate(values):
            then = START + timedelta(days=30 * month + 10)
            assert texts(memory.recall(question, as_of=then)) == [sentence.format(value)]
        assert texts(memory.recall(question, as_of=START - timedelta(days=1))) == []
        assert texts(memory.recall(question)) == [sentence.format(values[-1])]


def test_history_brings_every_version_and_marks_what_no_longer_holds(tmp_path: Path) -> None:
    """U19.1: only when asked for, each with its state."""
    clock = FixedClock(START)
    with Saegim.open(tmp_path / "m.db", clock=clock) as memory:
        told(memory, clock, "나는 {}에 산다", ("부산", "대구", "서울"))
        found = memory.recall("어디에 살지?", history=True).hits
        states = {hit.memory.text: hit.memory.life.state.value for hit in found}
        assert states == {
            "나는 부산에 산다": "superseded",
            "나는 대구에 산다": "superseded",
            "나는 서울에 산다": "active",
        }
        assert all(hit.vector > 0 for hit in found)


ASKED = [
    ("지난달에 뭐 했지?", "Asia/Seoul"),
    ("What did I do last month?", "UTC"),
]


@pytest.mark.parametrize(("question", "zone"), ASKED)
def test_a_question_for_a_time_alone_is_answered_by_that_time(
    tmp_path: Path, question: str, zone: str
) -> None:
    """U20.2: time words are a filter then, and never "no filter"."""
    clock = FixedClock(datetime(2026, 4, 15, 3, tzinfo=UTC))
    with Saegim.open(tmp_path / "m.db", clock=clock, timezone=zone) as memory:
        memory.remember("수영을 배웠다", happened_at="2026-03-10T03:00:00+00:00", session="s")
        memory.remember("swimming again", happened_at="2026-03-20T03:00:00+00:00")
        # Beside one of them in its session, but in another month.
        memory.remember("물안경을 샀다", happened_at="2026-04-11T03:00:00+00:00", session="s")
        memory.remember("뭐 했는지 적어 두자", happened_at="2026-04-14T03:00:00+00:00")
        memory.remember("last year's trip", happened_at="2025-03-10T03:00:00+00:00")
        found = memory.recall(question)
        assert set(texts(found)) == {"수영을 배웠다", "swimming again"}
        assert all(hit.during and not hit.weak for hit in found.hits)
        (way,) = [path for path in found.paths if path.name == "time"]
        assert (way.ran, way.found) == (True, 2)


def test_a_time_in_which_nothing_lies_is_answered_with_nothing_and_its_reason(
    tmp_path: Path,
) -> None:
    """U20.2: an empty month is empty; the answer does not fall back to everything."""
    clock = FixedClock(datetime(2026, 4, 15, 3, tzinfo=UTC))
    with Saegim.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("오늘 한 일")
        found = memory.recall("작년 3월에 뭐 했지?")
        assert found.hits == ()
        assert found.searched
        assert "작년 3월" in next(path.why for path in found.paths if path.name == "time")


def test_beside_other_words_a_time_lifts_and_does_not_hide(tmp_path: Path) -> None:
    """Of two visits the one last week leads; the other stays findable."""
    clock = FixedClock(datetime(2026, 4, 15, 3, tzinfo=UTC))
    with Saegim.open(tmp_path / "m.db", clock=clock, timezone="Asia/Seoul") as memory:
        old = memory.remember("카페에서 회의했다", happened_at="2026-01-10T03:00:00+00:00")
        new = memory.remember("카페에서 회의를 했다", happened_at="2026-04-08T03:00:00+00:00")
        hits = memory.recall("지난주 카페 회의").hits
        assert [hit.memory.id for hit in hits] == [new.id, old.id]
        assert [hit.during for hit in hits] == [True, False]


def test_what_lies_in_the_time_is_not_crowded_out_by_what_does_not(tmp_path: Path) -> None:
    """U21.2 for time: one visit in May behind 200 others is found by May."""
    clock = FixedClock(datetime(2026, 6, 15, 3, tzinfo=UTC))
    with Saegim.open(tmp_path / "m.db", clock=clock, pool=10) as memory:
        kept = memory.remember("cafe visit", happened_at="2026-05-10T03:00:00+00:00")
        for at in range(200):
            memory.remember(f"cafe visit {at}", happened_at="2026-02-10T03:00:00+00:00")
        hits = memory.recall("cafe visit in May 2026", limit=3).hits
        assert kept.id in {hit.memory.id for hit in hits if hit.during}


@pytest.mark.parametrize(
    ("word", "text"), [("화요일", "배포는 화요일에만 한다"), ("May", "May brings rain")]
)
def test_a_time_word_alone_is_a_word_to_look_for(memory: Saegim, word: str, text: str) -> None:
    """U3: a keyword finds what holds it, whenever that was said."""
    kept = memory.remember(text, happened_at="2020-02-02T00:00:00+00:00")
    assert [hit.memory.id for hit in memory.recall(word).hits] == [kept.id]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("화요일에 뭐 하지?", "배포는 화요일에만 한다"),
        ("What happens on Tuesday?", "We deploy on Tuesday"),
    ],
)
def test_what_comes_every_week_is_found_by_its_day(
    memory: Saegim, question: str, text: str
) -> None:
    """A habit speaks of every Tuesday; what merely says "last month" speaks of one month only."""
    kept = memory.remember(text, happened_at="2020-02-02T00:00:00+00:00")
    memory.remember("지난달에 한 일", happened_at="2020-02-02T00:00:00+00:00")
    assert kept.id in {hit.memory.id for hit in memory.recall(question).hits}
    assert memory.recall("지난달에 뭐 했지?").hits == ()
