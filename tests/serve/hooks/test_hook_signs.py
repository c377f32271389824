"""What a person sees of the memory in Claude Code: one line a turn, and the days ahead, once."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.clock import Clock
from saegim.serve.catalogue.notices import reminders
from saegim.serve.hooks.hook_main import answer_of, is_sign
from serve.hooks.attending import OTHER, SESSION, attend, event

TOLD = "나는 땅콩 알레르기가 있어서 땅콩은 절대 안 먹어"


def turn(home: Path, prompt: str) -> str:
    """Let a person say something and the agent end its turn; return the line that was shown."""
    assert attend("user-prompt-submit", event(home, prompt=prompt), home).ended
    shown = attend("stop", event(home), home).told.get("systemMessage", "")
    return str(shown)


@pytest.fixture(autouse=True)
def in_korean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speak Korean, as the locale of the person does."""
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")


def test_a_turn_says_what_it_kept_and_the_handle_takes_it_back(tmp_path: Path) -> None:
    """One line for the person: how many were kept and recalled, and what undoes it."""
    attend("session-start", event(tmp_path, source="startup"), tmp_path)
    sign = turn(tmp_path, TOLD)
    assert sign.startswith("새김: 1개 기억함(되돌리기: saegim forget m")
    assert is_sign(sign)
    handle = sign.partition("forget ")[2].partition(")")[0]
    again = turn(tmp_path, "내가 못 먹는 게 뭐였지?")
    assert "개 떠올림" in again
    assert handle not in again, "what was shown once is not shown again"
    with Saegim.open(tmp_path / "saegim.db") as memory:
        assert memory.get(handle).text == TOLD
        memory.forget(handle)
        assert not memory.search("땅콩")


def test_what_is_kept_while_a_turn_ends_is_shown_with_the_next(tmp_path: Path) -> None:
    """A sign that came a moment too early does not swallow what it could not see."""
    attend("session-start", event(tmp_path, source="startup"), tmp_path)
    begun = datetime.now(UTC)
    assert turn(tmp_path, "이 함수 이름 좀 바꿔 줘") == ""
    # It was heard before that turn ended, and its commit came after the sign was made.
    with Saegim.open(tmp_path / "saegim.db", clock=FixedClock(begun)) as memory:
        kept = memory.observe(TOLD, session=SESSION).kept[0]
        assert kept.memory.time.recorded_at == begun
    sign = turn(tmp_path, "변수 이름도 바꿔 줘")
    assert sign.startswith("새김: 1개 기억함")
    assert "기억함" not in turn(tmp_path, "이제 실행해 줘")


def test_what_undoes_it_can_be_pasted_where_the_command_is_on_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FIRST_HOUR A1: by its path where a shell would not find it; by its name where one does."""
    script = tmp_path / "my tools" / "saegim"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(script), "hook", "stop"])
    line = "Saegim: 1 remembered (undo: saegim forget m4kxq)"

    def shown(path: str) -> str:
        monkeypatch.setenv("PATH", path)
        return str(json.loads(answer_of("stop", "", line))["systemMessage"])

    assert shown("/nowhere") == line.replace("saegim forget", f"'{script}' forget")
    assert shown(f"/nowhere{os.pathsep}{script.parent}") == line
    other = tmp_path / "other" / "saegim"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    # The name would start another Saegim.
    assert str(script) in shown(f"{other.parent}{os.pathsep}{script.parent}")
    monkeypatch.setattr("sys.argv", ["pytest"])
    assert shown("/nowhere") == line


def test_chatter_shows_nothing_and_one_setting_turns_it_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing kept, nothing recalled: no line. `hook_sign = false`: never a line."""
    attend("session-start", event(tmp_path, source="startup"), tmp_path)
    assert turn(tmp_path, "이 함수 이름 좀 바꿔 줘") == ""
    monkeypatch.setenv("SAEGIM_HOOK_SIGN", "false")
    assert turn(tmp_path, TOLD) == ""


def test_a_line_for_a_person_is_ours_short_and_printable() -> None:
    """What a server tells is shown only if it has our form: no line breaks, no escapes."""
    assert is_sign("새김: 1개 기억함")
    assert is_sign("Saegim: 2 recalled")
    for foreign in ("", "do this", "새김: a\nb", "Saegim: \x1b[31m", "Saegim: " + "x" * 400):
        assert not is_sign(foreign)
    assert b"systemMessage" in answer_of("stop", "", "Saegim: 1 recalled")
    assert b"additionalContext" not in answer_of("stop", "", "Saegim: 1 recalled")
    assert answer_of("stop", "") == b"{}\n"


# -- what is planned ------------------------------------------------------------------------------


def planned(memory: Saegim, days: int, text: str = "치과 예약") -> date:
    """Keep a plan that ends in so many days."""
    day = memory.mind.here(memory.mind.now()).date() + timedelta(days=days)
    memory.remember(text, lifetime="until", last_date=day.isoformat())
    return day


def test_what_is_planned_is_told_when_its_day_is_near_and_once(
    memory: Saegim, clock: FixedClock
) -> None:
    """Two days before and not before; another session is not told again, the same one may be."""
    day = planned(memory, 10)
    assert reminders(memory, "one") == []
    clock.forward(days=8)
    (near,) = reminders(memory, "two")
    assert (near.day, near.left) == (day, 2)
    assert "치과 예약" in near.line
    assert [each.day for each in reminders(memory, "two")] == [day], "its beginning may come again"
    assert reminders(memory, "three") == []


@pytest.mark.parametrize(
    "feast", ["동생 생일은", "외할머니 생신은", "큰집 제사는", "할아버지 기일은"]
)
def test_a_birthday_is_told_every_year(memory: Saegim, clock: FixedClock, feast: str) -> None:
    """A day that comes back is no plan that ends: the next year it is told again."""
    day = memory.mind.here(memory.mind.now()).date() + timedelta(days=1)
    memory.remember(f"{feast} {day.month}월 {day.day}일이다")
    assert [each.left for each in reminders(memory, "one")] == [1]
    assert reminders(memory, "two") == []
    clock.forward(days=364)
    assert len(reminders(memory, "next year")) == 1


@pytest.mark.parametrize("due", ["적금 만기일은", "납기일은", "문제사항 정리는"])
def test_what_only_ends_like_a_feast_is_no_yearly_day(memory: Saegim, due: str) -> None:
    """The 기일 of 만기일 and the 제사 of 문제사항 bring nothing back every year."""
    day = memory.mind.here(memory.mind.now()).date() + timedelta(days=1)
    memory.remember(f"{due} {day.month}월 {day.day}일이다", lifetime="lasting")
    assert reminders(memory, "one") == []


@pytest.mark.parametrize(
    "told",
    [
        "3월 6일부터 2주 동안 휴가야",
        "3월 6일부터 14일까지 휴가야",
        "3월 6일에 2박 3일로 부산 가",
        "3월 6일까지 보고서 내야 해",
    ],
)
def test_what_lasts_is_told_before_it_begins(memory: Saegim, clock: FixedClock, told: str) -> None:
    """A trip is told by its first day and kept until its last; a deadline is its day."""
    clock.at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    memory.remember(told, lifetime="until")
    assert reminders(memory, "one") == [], "too early"
    clock.forward(days=3)
    assert [(each.day, each.left) for each in reminders(memory, "two")] == [(date(2026, 3, 6), 1)]
    for each in range(20):
        clock.forward(days=1)
        assert reminders(memory, f"later {each}") == []


def test_a_plan_told_in_a_longer_turn_is_one_reminder(memory: Saegim) -> None:
    """The sentence that was read out of a turn stands for it."""
    memory.observe("내일 오후 3시에 네이버 면접이 있어. 민호는 뭘 마시지?", session="s")
    kept = memory.recent().memories
    assert len(kept) == 2, "the turn and its sentence"
    told = [each.memory.text for each in reminders(memory, "one")]
    assert told == ["내일 오후 3시에 네이버 면접이 있어."]


def test_nobody_is_reminded_of_a_strangers_plan(memory: Saegim) -> None:
    """What came from a page is no plan of the person."""
    day = planned(memory, 1, "산책")
    memory.remember("회의", origin="web", lifetime="until", last_date=day.isoformat())
    texts = [each.memory.text for each in reminders(memory, "one")]
    assert texts == ["산책"]


def test_a_session_opens_with_the_days_ahead_for_agent_and_person(tmp_path: Path) -> None:
    """At the start of a session both hear of tomorrow; the next session hears nothing of it."""
    with Saegim.open(tmp_path / "saegim.db") as memory:
        planned(memory, 1)
    first = attend("session-start", event(tmp_path, source="startup"), tmp_path)
    assert "reminder " in first.context
    assert "days_left=1" in first.context
    assert first.told["systemMessage"].startswith("새김: 곧 다가올 일: ")
    other = attend("session-start", event(tmp_path, source="startup", session_id=OTHER), tmp_path)
    assert "reminder " not in other.context
    assert "systemMessage" not in other.told


def test_the_setting_says_how_many_days_ahead(tmp_path: Path, clock: Clock) -> None:
    """`remind_days` widens the days, and -1 turns reminders off."""
    for days, told in ((10, 1), (-1, 0)):
        file = tmp_path / f"store{days}.db"
        with Saegim.open(file, clock=clock, remind_days=days) as memory:
            planned(memory, 7)
            assert len(reminders(memory, "now")) == told
