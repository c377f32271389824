"""Which place is which project, and what each project holds.

Reads take no lock; only a place that was never seen is written down, by whoever sees it first.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

from saegim.errors import StoreError
from saegim.memory.clock import from_micros
from saegim.store.database import Connection, Database

# Kinds of places, each followed by a digest. Beside a root stands the first commit of a project;
# beside a claim, whether its person has said that this is another project.
_ORIGIN, _MARK, _PATH, _ROOT, _CLAIM = "origin:", "mark:", "path:", "root:", "claim:"
_PLACE: Final = re.compile("(?:origin|mark|path|root|claim):[0-9a-f]{32}")
_UNANSWERED, _APART = "open", "apart"
# A place can be noted the next time: nobody waits for that.
_PATIENCE_SECONDS: Final = 0.2
Rows = Callable[[str, dict[str, Any]], list[Any]]


class KnownHistory(Protocol):
    """What can be asked about the commits of a repository."""

    def root(self) -> str:
        """Return its first commit; "" before there is one. Read once, as is all else here."""
        ...

    def holds(self, id: str) -> bool:
        """Say whether a commit is in it."""
        ...

    def is_clone(self) -> bool:
        """Say whether the folder it names as its source has the same beginning."""
        ...


class PlaceName(NamedTuple):
    """Which project some places are, and which one they claim to be without showing it."""

    project: str
    claimed: str = ""


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
    # Whether the first commit of the project is noted, or cannot be.
    rooted: bool = False

    def holds(self, seen: _Seen, named: PlaceName) -> bool:
        """Say whether all of it is noted like this already."""
        places = seen.places
        if any(self.projects.get(each) != named.project for each in places):
            return False
        origins = [each for each in seen.claims if each.startswith(_ORIGIN)]
        if any(each not in self.projects for each in origins):
            return False
        if not self.rooted and seen.history is not None and seen.history.root():
            return False
        mark = _mark(places)
        return not mark or self.beside.get(places[-1]) == mark

    def project_of(self, places: Sequence[str]) -> str | None:
        """Return the project that the surest known place belongs to, if any is known."""
        found = (self.projects.get(each) for each in places if each not in self.outdated)
        return next((each for each in found if each is not None), None)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is seen at a place: by what it is known, and what it claims to be."""

    owner: str
    places: Sequence[str]
    claims: Sequence[str]
    history: KnownHistory | None
    wanted: str

    def looked_up(self, rows: Rows) -> tuple[_KnownPlaces, PlaceName]:
        """Return what is known of these places, and the name of the project they are."""
        known = _known(rows, self)
        own, claimed = known.project_of(self.places), known.project_of(self.claims)
        name, asks = own, ""
        if claimed is not None and claimed != own:
            if self._is_shown(rows, claimed):
                name = claimed
            # Who was here before it claimed anything is not asked about it.
            elif own is None or known.beside.get(_claim_of(self.places)) == _UNANSWERED:
                asks = claimed
        if name is None:
            key = {"owner": self.owner}
            taken = rows("SELECT DISTINCT project FROM place WHERE owner = :owner", key)
            name = _free(self.wanted, {str(row[0]).casefold() for row in taken})
        named = PlaceName(name, asks)
        root = rows(
            "SELECT 1 FROM place WHERE owner = :owner AND project = :project AND place LIKE :root",
            {"owner": self.owner, "project": named.project, "root": f"{_ROOT}%"},
        )
        return replace(known, rooted=bool(root)), named

    def read(self, known: _KnownPlaces) -> None:
        """Read from the disk what will be noted, before anyone has to wait for it."""
        if self.history is not None:
            self.history.root()
            if any(each not in known.projects for each in self.claims):
                self.history.is_clone()

    def _is_shown(self, rows: Rows, project: str) -> bool:
        """Say whether the history belongs to a project, and not only the name of its origin."""
        if self.history is None:
            return False
        found = rows(
            "SELECT beside FROM place WHERE owner = :owner AND project = :project "
            "AND place LIKE :root",
            {"owner": self.owner, "project": project, "root": f"{_ROOT}%"},
        )
        return any(self.history.holds(str(row[0])) for row in found)


def _claim_of(places: Sequence[str]) -> str:
    return _CLAIM + places[-1].partition(":")[2]


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

    def name_of(
        self,
        owner: str,
        places: Sequence[str],
        wanted: str,
        *,
        claims: Sequence[str] = (),
        history: KnownHistory | None = None,
    ) -> PlaceName:
        """Return the project these places are, noting what is new; `wanted` if it may be named.

        The surest place comes first, the path of the project itself last. What they claim counts
        if the history shows it. Where the store cannot be written now, the answer is the same and
        nothing is noted.
        """
        if not self._is_there():
            return PlaceName(wanted)
        seen = _Seen(owner, places, claims, history, wanted)
        known, named = seen.looked_up(self._database.rows)
        if self._database.readonly or known.holds(seen, named):
            return named
        seen.read(known)
        try:
            with self._database.writing(owner, patience=_PATIENCE_SECONDS) as connection:
                rows: Rows = lambda sql, params: connection.execute(sql, params).fetchall()  # noqa: E731
                known, named = seen.looked_up(rows)
                _note(connection, seen, known, named)
        except StoreError:
            pass  # busy, full or out of reach; the next who comes here notes it
        return named

    def keep_apart(self, owner: str, places: Sequence[str]) -> None:
        """Note a person's no: what these places claim is not asked about any more."""
        with self._database.writing(owner) as connection:
            connection.execute(
                "UPDATE place SET beside = ? WHERE owner = ? AND place = ?",
                (_APART, owner, _claim_of(places)),
            )

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


def _note(connection: Connection, seen: _Seen, known: _KnownPlaces, named: PlaceName) -> None:
    """Write down as what these places are seen, and what lies at the path of the project."""

    def write(place: str, beside: str = "") -> None:
        connection.execute(
            "INSERT INTO place VALUES (:owner, :place, :project, :beside) "
            "ON CONFLICT (owner, place) DO UPDATE SET project = excluded.project, "
            "beside = CASE excluded.beside WHEN '' THEN place.beside ELSE excluded.beside END",
            {"owner": seen.owner, "place": place, "project": named.project, "beside": beside},
        )

    for each in seen.places:
        write(each, _mark(seen.places) if each == seen.places[-1] else "")
    if named.claimed:
        write(_claim_of(seen.places), _UNANSWERED)
    for each in seen.claims:
        # An origin belongs to who came with it first; a path to who really was cloned from there.
        if each not in known.projects and (
            each.startswith(_ORIGIN) or (seen.history is not None and seen.history.is_clone())
        ):
            write(each)
    root = seen.history.root() if seen.history is not None and not known.rooted else ""
    if root:
        digest = hashlib.blake2b(f"{root}\n{named.project}".encode(), digest_size=16)
        write(_ROOT + digest.hexdigest(), root)


_AMONG: Final = "k.owner = :owner AND k.place IN (SELECT value FROM json_each(:places))"


def _known(rows: Rows, seen: _Seen) -> _KnownPlaces:
    """Return what is known of these places and of what they claim."""
    every = [*seen.claims, *seen.places, _claim_of(seen.places)]
    key = {"owner": seen.owner, "places": json.dumps(every)}
    found = rows(f"SELECT k.place, k.project, k.beside FROM place k WHERE {_AMONG}", key)
    outdated: set[str] = set()
    if any(place.startswith(_PATH) for place, _, _ in found):
        outdated = _outdated(rows, seen, key)
    return _KnownPlaces(
        {str(place): str(project) for place, project, _ in found},
        {str(place): str(beside) for place, _, beside in found},
        frozenset(outdated),
    )


def _outdated(rows: Rows, seen: _Seen, key: dict[str, Any]) -> set[str]:
    """Return the paths at which another repository lies now than the one that was noted there.

    It has another origin; or the one that was noted has been seen at another path since.
    """
    moved: list[Any] = []
    other: list[Any] = []
    # A worktree that points to where its main checkout was has no directory of its own.
    if mark := _mark(seen.places):
        moved = rows(
            "SELECT DISTINCT k.place FROM place k JOIN place p ON p.owner = k.owner "
            "AND p.beside = k.beside AND p.place <> k.place "
            f"WHERE {_AMONG} AND k.beside NOT IN ('', :mark)",
            {**key, "mark": mark},
        )
    if seen.claims and seen.claims[0].startswith(_ORIGIN):
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
