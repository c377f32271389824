"""The ties of a key, bounded: who is named in every memory costs no more than a friend."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from saegim.memory.clock import from_micros
from saegim.memory.links import Link
from saegim.memory.scope import Scope
from saegim.store.database import Database
from saegim.store.where import Where

# Predicates are words, so one key may have ties of hundreds of types; a walk needs no more.
MOST_TYPES: Final = 32

# Which types of tie a key has: the index is leapt through from one type to the next.
_LEAP: Final = (
    "WITH RECURSIVE kind (at, type, leaps) AS (SELECT j.value, (SELECT min(x.type) FROM link x "
    "WHERE x.owner = :owner AND x.{at} = j.value), 1 FROM json_each(:keys) j UNION ALL "
    "SELECT k.at, (SELECT min(x.type) FROM link x WHERE x.owner = :owner AND x.{at} = k.at "
    "AND x.type > k.type), k.leaps + 1 FROM kind k "
    "WHERE k.type IS NOT NULL AND k.leaps < :most_types) "
)
_GIVEN: Final = (
    "WITH kind (at, type) AS (SELECT j.value, t.value FROM json_each(:keys) j "
    "CROSS JOIN json_each(:only) t) "
)
# For each key and type the inner query reads an index backwards and stops at its limit: no sort.
_READ: Final = (
    "SELECT l.source, l.type, l.target, l.weight, l.negative, l.created_at, l.touched_at "
    "FROM kind k CROSS JOIN link l ON l.rowid IN (SELECT x.rowid FROM link x "
    "WHERE x.owner = :owner AND x.{at} = k.at AND x.type = k.type "
    "ORDER BY x.{newest} DESC LIMIT :most) "
    "WHERE k.type IS NOT NULL AND k.type NOT IN (SELECT value FROM json_each(:without))"
)
# Ties to a key lie in the order they were made; ties from a key in the order of what they lead
# to, and ids of memories sort by time.
_WAYS: Final = (("source", "target"), ("target", "rowid"))


# One query for a walk that passes by: so many of all types together, the index read backwards.
_STEP: Final = (
    "SELECT j.value, l.type, l.{to}, l.weight, l.negative FROM json_each(:keys) j "
    "CROSS JOIN link l ON l.rowid IN (SELECT x.rowid FROM link x WHERE x.owner = :owner "
    "AND x.{at} = j.value AND x.type NOT IN (SELECT value FROM json_each(:without)) "
    "ORDER BY x.type DESC, x.{newest} DESC LIMIT :most)"
)


@dataclass(frozen=True, slots=True)
class Tie:
    """One end of a tie, as a walker sees it: from the key it stands on to the key it may go to."""

    at: str
    type: str
    to: str
    weight: float
    negative: bool


def ties(
    database: Database, scope: Scope, keys: Iterable[str], *, without: Iterable[str], most: int
) -> list[Tie]:
    """Return the ties that lead away from these keys, at most so many each way."""
    away, back = (
        _STEP.format(at=at, to="target" if at == "source" else "source", newest=newest)
        for at, newest in _WAYS
    )
    rows = database.rows(
        f"{away} UNION ALL {back}",
        {
            "owner": scope.user,
            "keys": json.dumps(list(keys), ensure_ascii=False),
            "without": json.dumps(list(without), ensure_ascii=False),
            "most": most,
        },
    )
    return [Tie(row[0], row[1], row[2], row[3], bool(row[4])) for row in rows]


def met_often(database: Database, scope: Scope, keys: Iterable[str], *, more_than: int) -> set[str]:
    """Return which of these entities were met more often than that."""
    rows = database.rows(
        "SELECT e.key FROM json_each(:keys) j CROSS JOIN entity e ON e.owner = :owner "
        "AND e.key = j.value WHERE e.interactions > :often",
        {
            "owner": scope.user,
            "keys": json.dumps(list(keys), ensure_ascii=False),
            "often": more_than,
        },
    )
    return {str(row[0]) for row in rows}


def touching(
    database: Database,
    scope: Scope,
    keys: Iterable[str],
    *,
    only: Iterable[str] = (),
    without: Iterable[str] = (),
    most: int = 64,
) -> list[Link]:
    """Return ties of these keys: of each type and way the newest, at most so many, each once."""
    wanted = list(only)
    given = {
        "owner": scope.user,
        "keys": json.dumps(list(dict.fromkeys(keys)), ensure_ascii=False),
        "without": json.dumps(list(without), ensure_ascii=False),
        "most": most,
    } | ({"only": json.dumps(wanted, ensure_ascii=False)} if wanted else {"most_types": MOST_TYPES})
    found: dict[tuple[str, str, str], Link] = {}
    for at, newest in _WAYS:
        types = _GIVEN if wanted else _LEAP.format(at=at)
        for row in database.rows(types + _READ.format(at=at, newest=newest), given):
            found[row[0], row[1], row[2]] = Link(
                source=row[0],
                type=row[1],
                target=row[2],
                weight=row[3],
                negative=bool(row[4]),
                created_at=from_micros(row[5]),
                touched_at=from_micros(row[6]),
            )
    return list(found.values())


def ids_of(database: Database, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
    """Return the ids in these rows of this user."""
    rows = database.rows(
        "SELECT m.number, m.id FROM json_each(:numbers) j "
        "CROSS JOIN memory m ON m.number = j.value WHERE m.owner = :owner",
        {"owner": scope.user, "numbers": json.dumps(list(numbers))},
    )
    return {int(number): str(id) for number, id in rows}


def rows_of(database: Database, where: Where, ids: Iterable[str]) -> dict[str, int]:
    """Return the rows of these ids, as far as the filters allow them."""
    # By id first and by row then: asked at once, the planner may start from a filter's whole list.
    known = dict(
        database.rows(
            "SELECT m.number, m.id FROM json_each(:ids) j "
            "CROSS JOIN memory m ON m.owner = :owner AND m.id = j.value",
            {"owner": where.scope.user, "ids": json.dumps(list(ids))},
        )
    )
    sql, params = where.sql()
    rows = database.rows(
        "SELECT m.number FROM json_each(:numbers) j CROSS JOIN memory m ON m.number = j.value "
        f"WHERE {sql}",
        {**params, "numbers": json.dumps(list(known))},
    )
    return {known[number]: number for (number,) in rows}
