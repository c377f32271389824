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
from saegim.memory.memory import Content, Kind, Memory, Provenance, Source, Time
from saegim.sleep.reflect.flow import Reflection, reflect
from saegim.sleep.reflect.insight import Insight
from saegim.store.commit import Batch

LIVES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "lives.jsonl").read_text("utf-8").splitlines()
]
# A Monday.
BEGAN = datetime(2026, 3, 2, tzinfo=UTC)
# What each kind of statement says, to be read back.
FORMS: dict[str, tuple[str, str]] = {
    "interest": ("관심이 많다", "is interested in"),
    "together": ("함께 나온다", "mostly together with"),
    "more": ("부터 늘었다", "has come up more"),
    "less": ("부터 줄었다", "has come up less"),
    "brighter": ("밝아졌다", "become brighter"),
    "darker": ("어두워졌다", "become darker"),
    "weekday": ("요일의 일이다", "mostly happens on a"),
    "hours": ("에 나온다(", "is mostly spoken of"),
}
# A number that is no day and no hour.
COUNTED = re.compile(r"\d+\s?(?:번|개|건|회|차례)|\d+ (?:times|of the)|(?:came|come) up in \d")


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
    mind = memory.mind
    return reflect(list(new), scope=memory.scope, mind=mind, at=mind.now())


def kind_of(insight: Insight) -> str:
    """Read a statement back: what kind it is."""
    at = 0 if insight.language == "ko" else 1
    return next((kind for kind, forms in FORMS.items() if forms[at] in insight.text), "read")


def kept_as_memories(memory: Saegim, insights: Iterable[Insight]) -> list[Memory]:
    """Keep insights as the night does: kind, tag and the room of their sources."""
    now = memory.mind.now()
    made = [
        Memory(
            id=memory.mind.new_id(),
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
    memory.mind.store.commit(batch)
    return made
