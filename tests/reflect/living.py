"""Little lives, lived in a real store: memories of some weeks and what must be noticed in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from saegim import FixedClock, Saegim
from saegim.memory.changes import Saved
from saegim.memory.coordinate import Content, Kind, Provenance, Source, Time
from saegim.memory.memory import Memory
from saegim.reflect.flow import Reflection, reflect
from saegim.reflect.insight import Insight
from saegim.store.commit import Batch

LIVES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "lives.jsonl").read_text("utf-8").splitlines()
]
# A Monday.
BEGAN = datetime(2026, 3, 2, tzinfo=UTC)
# What each kind of statement says, to be read back and counted again.
FORMS: dict[str, tuple[str, str]] = {
    "often": (r"최근 기억 (\d+)개 중 (\d+)개에 나왔다", r"came up in (\d+) of the last (\d+)"),
    "together": (
        r"최근 기억 (\d+)개 중 (\d+)개에 .+ 함께 나왔다",
        r"came up in (\d+) recent .*, (\d+) of them together",
    ),
    "more": (
        r"늘었다: .*앞쪽 (\d+)개 중 (\d+)개, 뒤쪽 \d+개 중 (\d+)개",
        r"more than before: in (\d+) of the first (\d+) and (\d+) of",
    ),
    "less": (
        r"줄었다: .*앞쪽 (\d+)개 중 (\d+)개, 뒤쪽 \d+개 중 (\d+)개",
        r"less than before: in (\d+) of the first (\d+) and (\d+) of",
    ),
    "brighter": (r"밝아졌다", r"became brighter"),
    "darker": (r"어두워졌다", r"became darker"),
    "weekday": (r"최근 기억 (\d+)개 중 (\d+)개가 .요일", r"(\d+) of the (\d+) .* on a \w+day"),
    "hours": (r"최근 기억 (\d+)개 중 (\d+)개는", r"(\d+) of the (\d+) .* were told"),
}
# Kinds of which the English sentence names the part before the whole.
_TURNED = ("often", "more", "less", "weekday", "hours")


def lived(rows: Iterable[Mapping[str, Any]], memory: Saegim, clock: FixedClock) -> list[Memory]:
    """Remember each row on its day and hour; return the memories."""
    kept = []
    for row in rows:
        clock.at = BEGAN + timedelta(days=row["day"], hours=row["hour"])
        about = {name: row[name] for name in ("project", "agent", "origin") if name in row}
        kept.append(memory.remember(row["text"], **about).memory)
    return kept


def days(*texts: str, start: int = 0, **about: str) -> list[dict[str, Any]]:
    """Return one row for each text, a day apart."""
    return [{"day": start + at, "hour": 10, "text": text} | about for at, text in enumerate(texts)]


def thought(memory: Saegim, new: Iterable[Memory]) -> Reflection:
    """Reflect on these memories now."""
    mind = memory._mind
    return reflect(list(new), scope=memory.scope, mind=mind, at=mind.now())


def kind_and_numbers(insight: Insight) -> tuple[str, list[int]]:
    """Read a counted statement back: its kind, and its numbers, the whole before the part."""
    for kind, (korean, english) in FORMS.items():
        if found := re.search(korean if insight.language == "ko" else english, insight.text):
            numbers = [int(each) for each in found.groups()]
            if insight.language == "en" and kind in _TURNED:
                numbers[0], numbers[1] = numbers[1], numbers[0]
            return kind, numbers
    return "read", []


def kept_as_memories(memory: Saegim, insights: Iterable[Insight]) -> list[Memory]:
    """Keep insights as the night does: kind, tag and the room of their sources."""
    now = memory._mind.now()
    made = [
        Memory(
            id=memory._mind.new_id(),
            scope=each.sources[0].scope,
            text=each.text,
            kind=Kind.INSIGHT,
            time=Time(happened_at=now, recorded_at=now),
            provenance=Provenance(source=Source.REFLECTION),
            content=Content(language=each.language, tags=(each.tag,)),
        )
        for each in insights
    ]
    batch = Batch(memory.scope.user, [Saved(each) for each in made], actor="test", at=now)
    memory._mind.store.commit(batch)
    return made
