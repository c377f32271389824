"""Which place is which project, and what each project holds.

Reads take no lock; only a place that was never seen is written down, by whoever sees it first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from saegim.errors import StoreError
from saegim.memory.clock import from_micros
from saegim.store.database import Connection, Database

# Kinds of places, each followed by a digest.
_ORIGIN, _MARK, _PATH = "origin:", "mark:", "path:"
_PLACE: Final = re.compile("(?:origin|mark|path):[0-9a-f]{32}")
# A place can be noted the next time: nobody waits for that.
_PATIENCE_SECONDS: Final = 0.2
Rows = Callable[[str, dict[str, Any]], list[Any]]


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """A project: how many living memories it has, and when the last of them was kept."""

    project: str
    memories: int
    changed_at: datetime | None


@dataclass(frozen=True, slots=True)
class _KnownPlaces:
    """What is known of some places: as which project each is seen, and beside which directory."""

    projects: Mapping[str, str]
    beside: Mapping[str, str]
    # Paths that say nothing any more: another repository lies there now.
    outdated: frozenset[str]

    def holds(self, places: Sequence[str], project: str) -> bool:
        """Say whether all of it is noted like this already."""
        if any(self.projects.get(each) != project for each in places):
            return False
        mark = _mark(places)
        return not mark or self.beside.get(places[-1]) == mark

    def project_of(self, places: Sequence[str]) -> str | None:
        """Return the project that the surest known place belongs to, if any is known."""
        found = (self.projects.get(each) for each in places if each not in self.outdated)
        return next((each for each in found if each is not None), None)


def is_place(key: str) -> bool:
    """Say whether a key names a place rather than a memory."""
    return bool(_PLACE.fullmatch(key))


def point_place(connection: Connection, owner: str, place: str, project: str) -> None:
    """Let a place that was noted be seen as another project from now on."""
    connection.execute(
        "UPDATE place SET project = ? WHERE owner = ? AND place = ?", (project, owner, place)
    )


class ProjectTable:
    """The book in which places are written down; every page of it belongs to one user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def name_of(self, owner: str, places: Sequence[str], wanted: str) -> str:
        """Return the project these places are, noting what is new; `wanted` if it may be named.

        The surest place comes first, the path of the project itself last. Where the store cannot
        be written now, the answer is the same and nothing is noted.
        """
        if not self._is_there():
            return wanted
        known, name = _look(self._database.rows, owner, places, wanted)
        if self._database.readonly or known.holds(places, name):
            return name
        try:
            with self._database.writing(owner, patience=_PATIENCE_SECONDS) as connection:
                rows: Rows = lambda sql, params: connection.execute(sql, params).fetchall()  # noqa: E731
                _, name = _look(rows, owner, places, wanted)
                _note(connection, owner, places, name)
        except StoreError:
            pass  # busy, full or out of reach; the next who comes here notes it
        return name

    def _is_there(self) -> bool:
        """Say whether the file has this book: one that can only be read may be of an older age."""
        if not self._database.readonly:
            return True
        return bool(self._database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'place'"))

    def seen_as(self, owner: str, place: str) -> str | None:
        """Return the project that a place is seen as."""
        rows = self._database.rows(
            "SELECT project FROM place WHERE owner = ? AND place = ?", (owner, place)
        )
        return str(rows[0][0]) if rows else None

    def places(self, owner: str, project: str) -> list[str]:
        """Return the places that are seen as a project."""
        if not self._is_there():
            return []
        rows = self._database.rows(
            "SELECT place FROM place WHERE owner = ? AND project = ? ORDER BY place",
            (owner, project),
        )
        return [str(row[0]) for row in rows]

    def all(self, owner: str) -> list[ProjectCount]:
        """Return every project that holds something or was seen, by name; "" is for all of them."""
        rows = self._database.rows(
            "SELECT project, sum(state IN ('active', 'dormant')), max(recorded_at) FROM memory "
            # What was erased belongs nowhere any more.
            "WHERE owner = ? AND salt IS NOT NULL GROUP BY project ORDER BY project",
            (owner,),
        )
        held = {
            str(project): ProjectCount(str(project), int(count), from_micros(at))
            for project, count, at in rows
        }
        seen = self._names(owner) if self._is_there() else []
        every = held | {each: ProjectCount(each, 0, None) for each in seen if each not in held}
        return [every[each] for each in sorted(every)]

    def active(self, owner: str) -> dict[str, int]:
        """Count the active memories of each project that has any, by name."""
        rows = self._database.rows(
            "SELECT project, count(*) FROM memory WHERE owner = ? AND state = 'active' "
            "GROUP BY 1 ORDER BY 1",
            (owner,),
        )
        return {str(project): int(count) for project, count in rows}

    def _names(self, owner: str) -> list[str]:
        rows = self._database.rows("SELECT DISTINCT project FROM place WHERE owner = ?", (owner,))
        return [str(row[0]) for row in rows if row[0]]

    def count(self, owner: str, project: str) -> int:
        """Count what belongs to a project, whatever state it is in."""
        rows = self._database.rows(
            "SELECT count(*) FROM memory WHERE owner = ? AND project = ?", (owner, project)
        )
        return int(rows[0][0])

    def some(self, owner: str, project: str, *, most: int) -> list[str]:
        """Return ids of what belongs to a project, whatever state it is in, the oldest first."""
        rows = self._database.rows(
            "SELECT id FROM memory WHERE owner = ? AND project = ? ORDER BY number LIMIT ?",
            (owner, project, most),
        )
        return [str(row[0]) for row in rows]


def _mark(places: Sequence[str]) -> str:
    """Return the directory on the disk among these places, if it is known."""
    return next((each for each in places if each.startswith(_MARK)), "")


def _note(connection: Connection, owner: str, places: Sequence[str], project: str) -> None:
    """Write down as what these places are seen, and what lies at the path of the project."""
    for each in places:
        beside = _mark(places) if each == places[-1] else ""
        connection.execute(
            "INSERT INTO place VALUES (:owner, :place, :project, :beside) "
            "ON CONFLICT (owner, place) DO UPDATE SET project = excluded.project, "
            "beside = CASE excluded.beside WHEN '' THEN beside ELSE excluded.beside END",
            {"owner": owner, "place": each, "project": project, "beside": beside},
        )


_AMONG: Final = "k.owner = :owner AND k.place IN (SELECT value FROM json_each(:places))"


def _look(rows: Rows, owner: str, places: Sequence[str], wanted: str) -> tuple[_KnownPlaces, str]:
    """Return what is known of these places, and the name of the project they are."""
    key = {"owner": owner, "places": json.dumps(places)}
    found = rows(f"SELECT k.place, k.project, k.beside FROM place k WHERE {_AMONG}", key)
    outdated: set[str] = set()
    if any(place.startswith(_PATH) for place, _, _ in found):
        outdated = _outdated(rows, places, key)
    known = _KnownPlaces(
        {str(place): str(project) for place, project, _ in found},
        {str(place): str(beside) for place, _, beside in found},
        frozenset(outdated),
    )
    name = known.project_of(places)
    if name is None:
        taken = rows("SELECT DISTINCT project FROM place WHERE owner = :owner", {"owner": owner})
        name = _free(wanted, {str(row[0]).casefold() for row in taken})
    return known, name


def _outdated(rows: Rows, places: Sequence[str], key: dict[str, Any]) -> set[str]:
    """Return the paths at which another repository lies now than the one that was noted there.

    It has another origin; or the one that was noted has been seen at another path since.
    """
    moved: list[Any] = []
    other: list[Any] = []
    # A worktree that points to where its main checkout was has no directory of its own.
    if mark := _mark(places):
        moved = rows(
            "SELECT DISTINCT k.place FROM place k JOIN place p ON p.owner = k.owner "
            "AND p.beside = k.beside AND p.place <> k.place "
            f"WHERE {_AMONG} AND k.beside NOT IN ('', :mark)",
            {**key, "mark": mark},
        )
    if places[0].startswith(_ORIGIN):
        other = rows(
            "SELECT DISTINCT k.place FROM place k JOIN place p ON p.owner = k.owner "
            "AND p.project = k.project AND p.place LIKE :origin "
            f"WHERE {_AMONG} AND k.place LIKE :path",
            {**key, "origin": f"{_ORIGIN}%", "path": f"{_PATH}%"},
        )
    return {str(row[0]) for row in (*moved, *other)}


def _free(wanted: str, taken: set[str]) -> str:
    """Return the name, or the first numbered one that no other place has."""
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
