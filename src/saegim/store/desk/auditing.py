"""`Auditing`: what an audit asks of one user's memories; it reads and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from saegim.engines.embedder import Identity
from saegim.memory.clock import micros
from saegim.memory.scope import Scope
from saegim.store.database import Database
from saegim.store.index.vectors import known_number

_CHUNK: Final = 1000
# No row of `embedder` has this number: of an embedder never met, no vector is here.
_UNMET: Final = 0

_LIVING: Final = "m.owner = :owner AND m.state IN ('active', 'dormant')"
_BY_TARGET: Final = "INDEXED BY link_by_target"
_PERSON: Final = "('user_said', 'user_confirmed')"
# Two memories that hold now, tied both ways or one, are one pair; the later one is named.
_PAIRS: Final = (
    "SELECT id, at FROM (SELECT DISTINCT CASE WHEN a.number > b.number THEN a.id ELSE b.id END "
    "AS id, max(a.number, b.number) AS at, min(a.number, b.number) AS earlier FROM link l "
    "CROSS JOIN memory a ON a.owner = l.owner AND a.id = l.source "
    "CROSS JOIN memory b ON b.owner = l.owner AND b.id = l.target "
    "WHERE l.owner = :owner AND l.type = '{type}' AND {more} "
    "AND a.state = 'active' AND b.state = 'active' AND a.number <> b.number)"
)
# A tie that leads from this memory to another one that is here, or to an entity. Here and below
# an index is named where the planner would read everything the owner has, once for each row.
_TIED: Final = (
    "EXISTS (SELECT 1 FROM link l {index} WHERE l.owner = :owner AND l.{here} = m.id "
    "AND l.{there} <> m.id AND l.type <> 'has_feedback' AND (substr(l.{there}, 1, 7) = 'entity:' "
    "OR EXISTS (SELECT 1 FROM memory o WHERE o.owner = :owner AND o.id = l.{there})))"
)
_NOWHERE: Final = (
    "(substr(l.{end}, 1, 7) <> 'entity:' AND NOT EXISTS (SELECT 1 FROM memory o "
    "WHERE o.owner = :owner AND o.id = l.{end}))"
)
_IN_STATE: Final = (
    "SELECT m.id, m.number FROM memory m WHERE m.owner = :owner AND m.state = '{state}'"
)

# Each selects the id of what is found, and a number that is the higher the later it came.
_FOUND: Final = {
    # The index of keys alone says which occur twice; only those rows are read.
    "duplicate": (
        "SELECT id, number FROM (SELECT m.id, m.number, row_number() OVER "
        "(PARTITION BY m.canonical_key, m.agent, m.project ORDER BY m.number) AS nth "
        "FROM (SELECT canonical_key FROM memory WHERE owner = :owner GROUP BY canonical_key "
        "HAVING count(*) > 1) twice CROSS JOIN memory m ON m.owner = :owner "
        "AND m.canonical_key = twice.canonical_key WHERE m.state = 'active') AS copies "
        "WHERE nth > 1"
    ),
    "near_duplicate": _PAIRS.format(type="similar_to", more="l.weight >= :similar_from"),
    "contradicting": _PAIRS.format(type="contradicts", more="true"),
    "orphan": (
        "SELECT m.id, m.number FROM memory m WHERE m.owner = :owner AND m.state = 'active' "
        f"AND NOT {_TIED.format(index='', here='source', there='target')} "
        f"AND NOT {_TIED.format(index=_BY_TARGET, here='target', there='source')}"
    ),
    "lonely_entity": (
        "SELECT e.key, e.last_seen_at FROM entity e WHERE e.owner = :owner AND NOT EXISTS ("
        f"SELECT 1 FROM link l {_BY_TARGET} "
        "CROSS JOIN memory m ON m.owner = l.owner AND m.id = l.source "
        "WHERE l.owner = :owner AND l.target = e.key AND l.type = 'refers_to' "
        "AND m.state IN ('active', 'dormant'))"
    ),
    # The end that is here is named, if one is. What a judgement leads to may be its mere label.
    "loose_tie": (
        f"SELECT CASE WHEN NOT {_NOWHERE.format(end='source')} THEN l.source "
        f"WHEN NOT {_NOWHERE.format(end='target')} THEN l.target END, "
        f"l.touched_at FROM link l WHERE l.owner = :owner AND ({_NOWHERE.format(end='source')} "
        # In the order of an index that holds both ends: no row is read but what is found.
        f"OR l.type <> 'has_feedback' AND {_NOWHERE.format(end='target')}) ORDER BY l.source"
    ),
    # Trust is never raised: what confirms is a person who says the same words in the same room.
    "unverified": (
        f"SELECT m.id, m.number FROM memory m WHERE {_LIVING} AND m.origin NOT IN {_PERSON} "
        "AND NOT EXISTS (SELECT 1 FROM memory p INDEXED BY memory_by_words WHERE p.owner = :owner "
        "AND p.canonical_key = m.canonical_key AND p.state IN ('active', 'dormant') "
        f"AND p.origin IN {_PERSON} "
        "AND p.agent IN (m.agent, '') AND p.project IN (m.project, ''))"
    ),
    "never_recalled": (
        f"SELECT m.id, m.number FROM memory m WHERE {_LIVING} "
        "AND m.recalled = 0 AND m.used = 0 AND m.recorded_at < :long_ago"
    ),
    "quarantined": _IN_STATE.format(state="quarantined"),
    "leaving": _IN_STATE.format(state="leaving"),
    "without_vector": (
        f"SELECT m.id, m.number FROM memory m WHERE {_LIVING} AND NOT EXISTS (SELECT 1 "
        "FROM vector v WHERE v.embedder = :embedder AND v.number = m.number "
        "AND v.data IS NOT NULL)"
    ),
}
_ASKED: Final = (
    "WITH found (id, at) AS MATERIALIZED ({found}) "
    "SELECT id, (SELECT count(*) FROM found) FROM found "
    "GROUP BY id ORDER BY max(at) DESC, id DESC LIMIT :most"
)


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What is measured with: when two are near twins, what is long ago, whose vectors count."""

    similar_from: float
    long_ago: datetime
    identity: Identity | None


@dataclass(frozen=True, slots=True)
class Counted:
    """How many there are, and the ids of the latest few."""

    count: int
    ids: tuple[str, ...] = ()


class Auditing:
    """The questions; each is about everything one user has, in every room."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Let every read of this thread see the store as it is now, whoever writes meanwhile."""
        with self._database.one_moment():
            yield

    def memories(self, scope: Scope) -> int:
        """Count the memories whose words are here."""
        rows = self._database.rows(
            "SELECT count(*) FROM memory WHERE owner = ? AND state <> 'forgotten'", (scope.user,)
        )
        return int(rows[0][0])

    def counted(self, what: str, scope: Scope, by: Yardstick, *, samples: int) -> Counted:
        """Count what such a question finds, and name the latest of it."""
        number = known_number(self._database, by.identity) if by.identity else None
        rows = self._database.rows(
            _ASKED.format(found=_FOUND[what]),
            {
                "owner": scope.user,
                "similar_from": by.similar_from,
                "long_ago": micros(by.long_ago),
                "embedder": _UNMET if number is None else number,
                # One at least: the count comes with it.
                "most": max(samples, 1),
            },
        )
        if not rows:
            return Counted(0)
        ids = (str(row[0]) for row in rows[:samples] if row[0] is not None)
        return Counted(int(rows[0][1]), tuple(ids))

    def texts(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """Go through all ids whose words are here, in whatever state, and these words."""
        last = ""
        while True:
            # As bytes: a letter that is spoilt on the disk must not hide the other memories.
            rows = self._database.rows(
                "SELECT id, CAST(text AS BLOB) FROM memory WHERE owner = ? AND id > ? "
                "AND text IS NOT NULL ORDER BY id LIMIT ?",
                (scope.user, last, _CHUNK),
            )
            for id, words in rows:
                yield str(id), words.decode("utf-8", "replace")
            if len(rows) < _CHUNK:
                return
            last = str(rows[-1][0])
