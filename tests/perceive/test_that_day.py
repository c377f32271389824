"""A day that an earlier turn named: "that day" is that one, and no day where none was named."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from saegim import Saegim
from saegim.memory.clock import FixedClock

SAID = datetime(2026, 8, 5, 14, tzinfo=ZoneInfo("Asia/Seoul"))
NAMED = {"ko": "9월 19일에 사촌 결혼식이 있어", "en": "My cousin gets married on September 19"}
BACK = [
    ("ko", "그날 저녁엔 대전 친구들 만나기로 했어", "2026-09-19"),
    ("ko", "그 다음 날 아침에 부산으로 내려가기로 했어", "2026-09-20"),
    ("en", "That evening I'm meeting my old flatmates in Bath", "2026-09-19"),
    ("en", "I'm flying to Busan the day after", "2026-09-20"),
]


def days(memory: Saegim, text: str, session: str) -> list[str]:
    """Tell a turn and return the days that its memory speaks of."""
    seen = memory.observe(text, session=session)
    return [each[:10] for kept in seen.kept for each in kept.memory.time.mentions]


@pytest.mark.parametrize(("language", "text", "day"), BACK)
def test_that_day_is_the_day_named_last(tmp_path: Path, language: str, text: str, day: str) -> None:
    """In the same session, and in none where nobody named one."""
    clock = FixedClock(SAID)
    with Saegim.open(tmp_path / "s.db", clock=clock, timezone="Asia/Seoul") as memory:
        assert days(memory, NAMED[language], "one") == ["2026-09-19"]
        clock.forward(minutes=1)
        assert days(memory, text, "one") == [day]
        assert days(memory, text + "!", "two") == []
