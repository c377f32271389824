"""What the night asks of the store: how memories stand, a chunk at a time and without their words.

Reads only; nothing here holds the write lock, and others may write meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from saegim.engines.embedder import Identity
from saegim.memory.clock import micros
from saegim.memory.entities import PROMOTED_FROM, SUPERSEDES
from saegim.memory.memory import BOOKKEEPING
from saegim.store.database import Database
from saegim.store.rows import KEEPS_BOOKS
from saegim.store.search import duplicates

_CHUNK = 2000


@dataclass(frozen=True, slots=True)
class MemoryStanding:
    """How one memory stands: its numbers, none of its words. Times are microseconds."""

    number: int
    id: str
    kind: str
    origin: str
    state: str
    tier: str
    session: str
    importance: float
    sentiment: float
    intensity: float
    recalled: int
    used: int
    recorded_at: int
    # The last sign of life: recalled, used, rated, restored or promoted; else when it was kept.
    alive_at: int
    # Since when its time in the tier runs.
    settled_at: int
    expires_at: int | None
    lifetime: str
    dormant_since: int | None
    shrunk: bool
    # How much of its importance references lend it, and how often it was said again.
    lent: float
    repeated: float
    pinned: bool
    immutable: bool
    island: str | None
    bytes: int


_STANDING = (
    "SELECT m.number, m.id, m.kind, m.origin, m.state, m.tier, m.session, m.importance, "
    "m.sentiment, m.intensity, m.recalled, m.used, m.recorded_at, "
    "max(m.recorded_at, coalesce(m.recalled_at, 0), coalesce(m.used_at, 0), "
    "coalesce(a.settled_at, 0), coalesce(a.touched_at, 0)), "
    "max(m.recorded_at, coalesce(a.settled_at, 0)), m.expires_at, m.lifetime, "
    "a.dormant_since, coalesce(a.shrunk, 0), coalesce(a.lent, 0.0), m.repeated, m.pinned, "
    "m.immutable, m.island, length(CAST(m.text AS BLOB)) + length(CAST(m.details AS BLOB)) "
    "FROM json_each(?) j CROSS JOIN memory m ON m.number = j.value "
    "LEFT JOIN ageing a ON a.number = m.number"
)
# What someone else said, by whom and where.
_THEIRS = "m.owner = :owner AND m.author <> '' AND m.origin NOT IN ('user_said', 'user_confirmed')"
_OURS = "o.origin IN ('user_said', 'user_confirmed') AND o.state IN ('active', 'dormant')"
_SAID = "SELECT m.id, m.author, coalesce(m.domain, '')"
_SAYINGS = (
    f"{_SAID}, substr(l.target, 10) AS sign, m.id AS what FROM link l "
    "INDEXED BY link_by_target "
    f"JOIN memory m ON m.id = l.source AND {_THEIRS} WHERE l.owner = :owner "
    "AND l.target IN ('feedback:up', 'feedback:changed_behaviour', 'feedback:wrong') "
    "AND l.type = 'has_feedback' "
    f"UNION {_SAID}, 'contradicted', o.id FROM memory m "
    "JOIN link l INDEXED BY link_by_type ON l.owner = :owner AND l.target = m.id "
    "AND l.type IN ('contradicts', 'supersedes') "
    f"JOIN memory o ON o.owner = :owner AND o.id = l.source AND {_OURS} WHERE {_THEIRS} "
    f"UNION {_SAID}, 'contradicted', o.id FROM memory m "
    "JOIN link l INDEXED BY link_by_type ON l.owner = :owner AND l.source = m.id "
    "AND l.type = 'contradicts' "
    f"JOIN memory o ON o.owner = :owner AND o.id = l.target AND {_OURS} WHERE {_THEIRS} "
    f"UNION {_SAID}, 'agreed', c.slot || '=' || c.value FROM memory m "
    "INDEXED BY memory_of_others JOIN claim c ON c.number = m.number "
    "JOIN claim d ON d.owner = :owner AND d.slot = c.slot AND d.value = c.value "
    "AND d.negative = c.negative AND d.number <> c.number "
    f"JOIN memory o ON o.number = d.number AND {_OURS} WHERE {_THEIRS} "
    "AND m.state IN ('active', 'dormant') ORDER BY 1, 4, 5"
)
# A distillate ended with a source if both left by one wish, or gave way to one correction.
_RISEN = f"""
SELECT DISTINCT l.target FROM link l
JOIN memory made ON made.owner = l.owner AND made.id = l.source
WHERE l.owner = :owner AND l.type = '{PROMOTED_FROM}' AND NOT EXISTS (
    SELECT 1 FROM link o
    JOIN memory source ON source.owner = o.owner AND source.id = o.target
    LEFT JOIN link newer
        ON newer.owner = o.owner AND newer.target = source.id AND newer.type = '{SUPERSEDES}'
    WHERE o.owner = l.owner AND o.source = l.source AND o.type = '{PROMOTED_FROM}'
        AND made.state NOT IN ('active', 'dormant')
        AND (source.leaving_reason = 'manual' AND source.leaving_since = made.leaving_since
            OR EXISTS (
                SELECT 1 FROM link same WHERE same.owner = o.owner AND same.target = made.id
                    AND same.type = '{SUPERSEDES}' AND same.source = newer.source)))
"""


class NightQueries:
    """The questions of the stages, each for one owner."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def standings(
        self, owner: str, states: Iterable[str], *, only: str = "", **params: object
    ) -> Iterator[MemoryStanding]:
        """Go through the memories in these states, in the order they were kept."""
        among = ", ".join(f"'{state}'" for state in states)
        more = f"AND ({only})" if only else ""
        found = self._database.rows(
            f"SELECT m.number FROM memory m WHERE m.owner = :owner AND m.state IN ({among}) "
            f"AND m.text IS NOT NULL {more}",
            {**params, "owner": owner},
        )
        # Their numbers first: asked page by page in this order, each page would sort them all.
        numbers = sorted(row[0] for row in found)
        for start in range(0, len(numbers), _CHUNK):
            part = json.dumps(numbers[start : start + _CHUNK])
            yield from (MemoryStanding(*row) for row in self._database.rows(_STANDING, (part,)))

    def overdue(self, owner: str, at: datetime) -> Iterator[MemoryStanding]:
        """Return what has outlived the time of its tier, whatever state it is in."""
        states = ("active", "dormant", "superseded", "quarantined")
        return self.standings(owner, states, only="m.expires_at <= :at", at=micros(at))

    def risen(self, owner: str) -> set[str]:
        """Return the memories that something was distilled from before, kept or taken back.

        What ended because one of its sources was corrected or let go does not hold back the others.
        """
        rows = self._database.rows(_RISEN, {"owner": owner})
        return {str(row[0]) for row in rows}

    def ended(self, owner: str, at: datetime) -> list[tuple[str, str, bool]]:
        """Return what has been in the forgetting queue to its end, what came first first.

        Each with the reason it left for, and whether it held until then: an older version, or what
        was in quarantine when it left, did not.
        """
        rows = self._database.rows(
            "SELECT m.id, coalesce(m.leaving_reason, ''), NOT EXISTS (SELECT 1 FROM link l "
            "WHERE l.owner = m.owner AND l.target = m.id AND l.type = 'supersedes') "
            "AND NOT coalesce((SELECT g.change = 'Quarantined' "
            "OR coalesce(g.facts ->> 'state', '') = 'quarantined' FROM ledger g "
            "WHERE g.owner = m.owner AND g.subject = m.id "
            "AND g.change IN ('Saved', 'Quarantined', 'Released') ORDER BY g.seq DESC LIMIT 1), "
            "false) "
            "FROM memory m WHERE m.leaving_until <= ? AND m.owner = ? AND m.state = 'leaving' "
            "ORDER BY m.leaving_until, m.number",
            (micros(at), owner),
        )
        return [(str(id), str(reason), bool(held)) for id, reason, held in rows]

    def sayings(self, owner: str) -> list[tuple[str, str, str, str, str]]:
        """Return how what others said has held: (memory, author, platform, sign, by what).

        Signs: a judgement (`up`, `changed_behaviour`, `wrong`), `agreed` where the person claims
        the same, `contradicted` where the person says otherwise.
        """
        rows = self._database.rows(_SAYINGS, {"owner": owner})
        return [
            (str(id), str(by), str(at), str(sign), str(what)) for id, by, at, sign, what in rows
        ]

    def newest(self, owner: str) -> int:
        """Return the number of the newest memory."""
        rows = self._database.rows("SELECT max(number) FROM memory WHERE owner = ?", (owner,))
        return int(rows[0][0] or 0)

    def since(self, owner: str, number: int, *, most: int) -> list[int]:
        """Return the active memories kept after one, the oldest first, at most so many."""
        rows = self._database.rows(
            # By the row numbers: through the owner's index, each page would sort all of it.
            "SELECT number FROM memory WHERE +owner = :owner AND number > :after "
            "AND +state = 'active' AND text IS NOT NULL "
            f"AND number NOT IN ({KEEPS_BOOKS}) ORDER BY number LIMIT :most",
            {"owner": owner, "after": number, "most": most, "bookkeeping": BOOKKEEPING},
        )
        return [int(row[0]) for row in rows]

    def duplicates(
        self, owner: str, identity: Identity, *, above: float, after: int, upto: int
    ) -> Iterator[duplicates.Duplicate]:
        """Return pairs of memories that nearly say the same, one of them new since `after`."""
        return duplicates.duplicates(
            self._database, owner, identity, above=above, after=after, upto=upto
        )

    def newest_vector(self, owner: str, identity: Identity) -> int:
        """Return up to where vectors were made, for the next look at twins."""
        return duplicates.newest_seq(self._database, owner, identity)
