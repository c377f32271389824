"""The embedding index: the vectors that a store keeps, and the nearest of them to a question."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from saegim.engines.embedder import Identity, Vector
from saegim.memory.memory import FINDABLE, Scope, checked_tags
from saegim.store.database import LASTING, Connection, Database, first, held_by, newest_of
from saegim.store.rows import Where, newest_numbers
from saegim.store.search.shards import Numbers, Shard, Shards
from saegim.store.search.vector_bytes import check_fits, exact


def embedder_number(connection: Connection, identity: Identity, at: int) -> int:
    """Return the number under which this identity's vectors are kept, making one if needed."""
    held, name = held_by(connection), f"{LASTING}{identity.key}"
    asked = "SELECT number FROM embedder WHERE key = ?"
    if (known := held.get(name) or first(connection, asked, (identity.key,))) is not None:
        return int(held.setdefault(name, known))
    number: int = first(
        connection,
        "INSERT INTO embedder (key, provider, model, digest, dimension, policy, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number",
        (
            identity.key,
            identity.provider,
            identity.model,
            identity.digest,
            identity.dimension,
            identity.policy,
            at,
        ),
    )
    connection.execute(
        "INSERT INTO house VALUES (?, '0') ON CONFLICT (name) DO UPDATE SET value = '0'",
        (f"covered:{number}",),
    )
    return number


def known_number(database: Database, identity: Identity) -> int | None:
    """Return the number of this identity if the store has met it."""
    rows = database.rows("SELECT number FROM embedder WHERE key = ?", (identity.key,))
    return int(rows[0][0]) if rows else None


def put(
    connection: Connection, owner: str, embedder: int, number: int, data: bytes, live: bool
) -> None:
    """Keep a memory's vector; readers follow by its sequence number."""
    connection.execute(
        "INSERT INTO vector (embedder, number, owner, seq, live, data) "
        f"VALUES (:e, :n, :o, coalesce({newest_of(':o', ':e')}, 0) + 1, :live, :data) "
        "ON CONFLICT (embedder, number) DO UPDATE SET seq = excluded.seq, live = excluded.live, "
        "data = excluded.data, attempts = 0, retry_at = NULL, error = NULL",
        {"e": embedder, "n": number, "o": owner, "live": int(live), "data": data},
    )


def put_next(
    connection: Connection, owner: str, embedder: int, number: int, data: bytes, live: bool
) -> None:
    """Keep the vector of a memory just born, and move the watermark if nothing before it lacks."""
    put(connection, owner, embedder, number, data, live)
    if not getattr(connection, "is_server", False):  # there upkeep moves it, and nobody waits
        connection.execute(
            "UPDATE house SET value = :n WHERE name = :name AND value = :before",
            {"n": str(number), "name": f"covered:{embedder}", "before": str(number - 1)},
        )


# By the key of the table: asked by number alone, every vector would be read.
_OF_ONE = "embedder IN (SELECT number FROM embedder) AND number = :n"


def set_live(connection: Connection, owner: str, number: int, live: bool) -> None:
    """Show or hide a memory's vectors, of every embedder."""
    connection.execute(
        f"UPDATE vector SET live = :live, seq = {newest_of(':o', 'vector.embedder')} + 1 "
        f"WHERE {_OF_ONE} AND +owner = :o",
        {"n": number, "o": owner, "live": int(live)},
    )


def want_again(connection: Connection, number: int, at: int) -> None:
    """Let the vectors of a memory whose words are back be made anew, where they are missing."""
    connection.execute(
        "UPDATE vector SET retry_at = :at, attempts = 0, error = NULL "
        f"WHERE {_OF_ONE} AND data IS NULL",
        {"n": number, "at": at},
    )
    # An embedder that came while the words were away has no row for them yet.
    connection.execute(
        "INSERT INTO vector (embedder, number, owner, seq, live, data, retry_at) "
        "SELECT e.number, m.number, m.owner, "
        f"1 + coalesce({newest_of('m.owner', 'e.number')}, 0), 1, NULL, :at "
        "FROM embedder e CROSS JOIN memory m ON m.number = :n WHERE NOT EXISTS "
        "(SELECT 1 FROM vector v WHERE v.embedder = e.number AND v.number = m.number)",
        {"n": number, "at": at},
    )


def drop(connection: Connection, owner: str, number: int) -> None:
    """Take the bytes away and leave a row that tells other processes so."""
    set_live(connection, owner, number, False)
    connection.execute(
        f"UPDATE vector SET data = NULL, retry_at = NULL, error = NULL WHERE {_OF_ONE}",
        {"n": number},
    )


# So few that pass the filters that each can be given its true cosine: no search is quicker.
FEW = 128
# Superseded and leaving memories are in no shard; so many of them are compared one by one.
_MOST_HIDDEN = 2000


class NearHit(NamedTuple):
    """A memory that the vectors found, with its true cosine."""

    number: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the vectors of one embedder cover the memories."""

    memories: int
    ready: int
    pending: int
    failed: int
    error: str = ""

    @property
    def complete(self) -> bool:
        """Say whether every memory has its vector."""
        return not self.pending and not self.failed


def _passed(hits: list[NearHit], found: set[int]) -> int:
    return sum(hit.number in found for hit in hits)


class VectorSearch:
    """The nearest memories to a question, by true cosine."""

    def __init__(self, database: Database, behind: Callable[[Shard], None] | None = None) -> None:
        self._database = database
        self._shards = Shards()
        # Told of a shard that has not read all vectors yet: what it has read is searched.
        self._behind = behind

    def share_with(self, other: VectorSearch) -> None:
        """Ask the same file with the same shards."""
        self._database, self._shards, self._behind = other._database, other._shards, other._behind

    def forget_shards(self) -> None:
        """Read the vectors again: the file holds others now."""
        self._shards.forget()

    def _number_of(self, identity: Identity) -> int | None:
        """Return the number of this identity if the store has met it."""
        return known_number(self._database, identity)

    def unread(self, scope: Scope, identity: Identity) -> int:
        """Return how many vectors of this user the last search could not look at yet."""
        embedder = self._number_of(identity)
        if embedder is None:
            return 0
        return self._shards.of(scope.user, embedder, identity.dimension).unread

    def near(
        self,
        vector: Vector,
        identity: Identity,
        where: Where,
        *,
        limit: int,
        also: Iterable[int] = (),
    ) -> list[NearHit]:
        """Return the nearest memories that `where` allows, and the rows in `also`, by true cosine.

        With a limit of 0 nothing is searched: only the rows in `also` get their cosine.
        Candidates are taken in order of nearness and filtered in SQL; if too few pass, the filter
        becomes an allow-list and the search is repeated inside it: nothing is ever crowded out.
        """
        check_fits(vector, identity)
        embedder = self._number_of(identity)
        if embedder is None:
            return []
        asked = set(also) | self._not_live(where)
        shard = self._shards.of(where.scope.user, embedder, identity.dimension)
        if not limit:
            return self._scored(vector, shard, where, asked)
        if where.narrows and len(few := self._narrowed(where, most=FEW + 1)) <= FEW:
            return self._scored(vector, shard, where, {*few.tolist(), *asked})
        self._follow(shard)
        if where.tags:
            found = set(shard.nearest(vector, limit, self._narrowed(where)).tolist())
            hits = self._rescored(vector, shard, where, found | asked)
            if _passed(hits, found) >= limit:
                return hits
        found = set(shard.nearest(vector, limit).tolist())
        hits = self._rescored(vector, shard, where, found | asked)
        if _passed(hits, found) < min(limit, len(shard)) and len(shard) > len(found):
            allowed = self._allowed(where)
            found = set(shard.nearest(vector, limit, allowed).tolist())
            hits = self._rescored(vector, shard, where, found | asked)
        return hits

    def _follow(self, shard: Shard) -> int:
        """Let a shard take in what was committed; return how much it leaves for later."""
        left = shard.follow(self._database)
        if left and self._behind is not None:
            self._behind(shard)
        return left

    def _not_live(self, where: Where) -> set[int]:
        """Return the newest rows that no shard holds, where history is asked for."""
        if not (hidden := tuple(state for state in where.states if state not in FINDABLE)):
            return set()
        return set(
            newest_numbers(self._database, replace(where, states=hidden), limit=_MOST_HIDDEN)
        )

    def _narrowed(self, where: Where, most: int = -1) -> Numbers:
        """Return all rows that may pass the filters, at most so many; by tag, if there is one.

        The index of tags alone answers in a tenth of the time; what else is asked is looked at when
        the nearest of them get their cosine.
        """
        if not where.tags:
            return self._allowed(where, most)
        rows = self._database.rows(
            "SELECT number FROM tag WHERE owner = ? AND tag = ? LIMIT ?",
            (where.scope.user, checked_tags(where.tags)[0], most),
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def _allowed(self, where: Where, most: int = -1) -> Numbers:
        """Return the rows that pass the filters, at most so many."""
        sql, params = where.sql()
        rows = self._database.rows(
            f"SELECT m.number FROM memory m WHERE {sql} LIMIT :most", {**params, "most": most}
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def _rescored(
        self, vector: Vector, shard: Shard, where: Where, numbers: set[int]
    ) -> list[NearHit]:
        """Score what a shard found that has followed the file."""
        return self._scored(vector, shard, where, numbers)

    def _scored(
        self, vector: Vector, shard: Shard, where: Where, numbers: set[int]
    ) -> list[NearHit]:
        """Filter candidates in SQL and give each its true cosine, best first."""
        sql, params = where.sql()
        rows = self._database.rows(
            "SELECT m.number, v.data FROM json_each(:numbers) j "
            "CROSS JOIN memory m ON m.number = j.value "
            "CROSS JOIN vector v ON v.embedder = :embedder AND v.number = m.number "
            f"WHERE v.data IS NOT NULL AND {sql}",
            {**params, "numbers": json.dumps(list(numbers)), "embedder": shard.embedder},
        )
        if not rows:
            return []
        found = exact(vector, [row[1] for row in rows], shard.dimension).tolist()
        hits = [
            NearHit(int(row[0]), cosine)
            for row, cosine in zip(rows, found, strict=True)
            if math.isfinite(cosine)
        ]
        hits.sort(key=lambda hit: (-hit.cosine, hit.number))
        return hits

    def coverage(self, identity: Identity) -> Coverage:
        """Count what is indexed and what is not yet."""
        total = int(self._database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")[0][0])
        embedder = self._number_of(identity)
        if embedder is None:
            return Coverage(total, 0, total, 0)
        ready = int(
            self._database.rows(
                "SELECT count(*) FROM vector WHERE embedder = ? AND data IS NOT NULL", (embedder,)
            )[0][0]
        )
        failed = self._database.rows(
            "SELECT count(*), max(error) FROM vector INDEXED BY vector_waiting "
            "WHERE embedder = ? AND data IS NULL AND retry_at IS NOT NULL",
            (embedder,),
        )[0]
        pending = max(total - ready - int(failed[0]), 0)
        return Coverage(total, ready, pending, int(failed[0]), str(failed[1] or ""))

    def spaces(self) -> list[str]:
        """Return the keys of all identities whose vectors the store holds, the newest first."""
        rows = self._database.rows("SELECT key FROM embedder ORDER BY number DESC")
        return [str(row[0]) for row in rows]

    def waiting(self, identity: Identity) -> int:
        """Count quickly how many memories lack their vector; a covered store costs two look-ups."""
        embedder = self._number_of(identity)
        if embedder is None:
            counted = self._database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")
            return int(counted[0][0])
        newest, held, failed = self._database.rows(
            "SELECT (SELECT max(number) FROM memory), "
            "(SELECT value FROM house WHERE name = :mark), "
            "(SELECT count(*) FROM vector INDEXED BY vector_waiting "
            "WHERE embedder = :embedder AND data IS NULL AND retry_at IS NOT NULL)",
            {"mark": f"covered:{embedder}", "embedder": embedder},
        )[0]
        missing, mark = 0, int(held or 0)
        if mark < (newest or 0):
            missing = self._database.rows(
                "SELECT count(*) FROM memory m LEFT JOIN vector v "
                "ON v.embedder = :embedder AND v.number = m.number "
                "WHERE m.number > :mark AND m.text IS NOT NULL AND v.number IS NULL",
                {"embedder": embedder, "mark": mark},
            )[0][0]
        return int(missing) + int(failed)
