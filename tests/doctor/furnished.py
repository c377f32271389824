"""A furnished store for the doctor to examine, and ways to break it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from saegim import FixedClock, Saegim
from saegim.doctor.health import Finding, StorePlace, examine

TEXTS = (
    "우리 강아지 이름은 보리다",
    "배포는 화요일에만 하기로 정했다",
    "전세 계약은 내년 3월에 끝난다",
    "The backups are kept on the external disk",
    "My sister is allergic to peanuts",
    "We settled on PostgreSQL for the billing service",
)


@dataclass
class House:
    """A store on disk with a few memories, and a clock that stands still."""

    folder: Path
    clock: FixedClock

    @property
    def file(self) -> Path:
        return self.folder / "saegim.db"

    def open(self, **more: Any) -> Saegim:
        return Saegim.open(self.file, clock=self.clock, **more)

    def sql(self, *statements: str) -> None:
        """Do to the file what no part of the house would do."""
        with contextlib.closing(apsw.Connection(str(self.file))) as connection:
            for statement in statements:
                connection.execute(statement).fetchall()

    def examined(self, memory: Saegim | None = None, **around: Any) -> list[Finding]:
        """Examine the store, opened for it unless it is open, in its own or other surroundings."""
        with contextlib.ExitStack() as closing:
            held = memory or closing.enter_context(self.open())
            place = StorePlace(held.mind.store.path, held.home, self.clock.now(), **around)
            return examine(held.mind, held.scope, held.home, place=place)


def troubles(findings: Sequence[Finding]) -> set[str]:
    """Return what is not as it should be, as `name.case`."""
    return {f"{each.name}.{each.case}" for each in findings if each.level != "ok"}


def furnished(folder: Path) -> House:
    """Make a store with Korean and English memories of two users, and a backup of it."""
    house = House(folder, FixedClock())
    with house.open() as memory:
        for text in TEXTS:
            memory.remember(text, tags=["차", "tea"])
            house.clock.forward(minutes=5)
        memory.update(memory.recent(1).memories[0].id, "We settled on SQLite for billing")
        memory.forget(memory.search("peanuts")[0].id)
        memory.within(user="다른 사람").remember("남의 비밀")
        memory.maintenance.backup()
    return house
