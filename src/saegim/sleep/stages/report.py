"""The report of the night: a page of counts and ids; its words are made when a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from saegim.memory.changes import Written
from saegim.memory.clock import iso
from saegim.memory.pages import Page
from saegim.sleep.night import Night, Step

KIND = "night_report"
# What is done every time says nothing about this night.
ROUTINE = frozenset(("looked", "by_rule", "reported", "reflected", "marked", "core"))


def report(night: Night) -> Iterator[Step]:
    """Write down what this night did, if it did anything."""
    row = None if night.rehearsed else night.mind.store.nights.get(night.scope, night.id)
    if row is None or not eventful(row.told):
        return
    page = Page(
        key=f"night:{night.id}",
        kind=KIND,
        title=iso(night.at),
        data={"night": night.id, "at": iso(night.at), "told": dict(row.told)},
    )
    yield Step(changes=(Written(page),), why="reported")


def eventful(told: Mapping[str, Any]) -> bool:
    """Say whether anything happened that a person might want to know."""
    return any(what.partition(":")[0] not in ROUTINE for did in told.values() for what in did)
