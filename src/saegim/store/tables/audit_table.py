"""What an audit, status and doctor ask of a store: reads that change nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from saegim.engines.embedder import Identity, Sparse
from saegim.errors import SaegimError
from saegim.language.words import Analyser
from saegim.memory.clock import from_micros, micros
from saegim.memory.memory import Scope
from saegim.store.database import Database
from saegim.store.rows import SELECT, from_row
from saegim.store.search import embedding_index
from saegim.store.search.bm25 import table_of
from saegim.store.search.embedding_index import known_number
from saegim.store.tables.queue import FREE

_CHUNK: Final = 1000
_DAY: Final = 86_400_000_000
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
    "AND a.state = 'active' AND b.state = 'active' AND a.number <> b.number) AS pairs"
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
        "AND m.kind <> 'imagined' "
        "AND NOT EXISTS (SELECT 1 FROM memory p INDEXED BY memory_by_words WHERE p.owner = :owner "
        "AND p.canonical_key = m.canonical_key AND p.state IN ('active', 'dormant') "
        f"AND p.origin IN {_PERSON} "
        "AND p.agent IN (m.agent, '') AND p.project IN (m.project, ''))"
    ),
    "never_recalled": (
        f"SELECT m.id, m.number FROM memory m WHERE {_LIVING} AND m.kind <> 'imagined' "
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


class AuditTable:
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


# A cold interpreter on a busy laptop takes a few seconds to answer.
_PATIENCE_SECONDS = 30
_CHILD = (
    "import sys; from pathlib import Path; from saegim.store.database import Database; "
    "base = Database(Path(sys.argv[1]), busy_seconds=2.0); "
    "print(base.rows('SELECT count(*) FROM memory')[0][0], *[row[0] for row in "
    "base.rows('SELECT hash FROM ledger WHERE owner = ? AND seq = ?', "
    "(sys.argv[2], int(sys.argv[3])))])"
)


@dataclass(frozen=True, slots=True)
class OtherView:
    """What another process sees of the file: how many rows, whether they are ours, or why not."""

    memories: int = 0
    same: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerView:
    """What a server says of itself."""

    version: str
    encoding: str
    collation: str
    syncs: bool
    synchronous_commit: str
    standbys: int
    connections: int
    most_connections: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SlowStatement:
    """A statement of ours as the server counted it, without what it was asked with."""

    text: str
    calls: int
    mean_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptView:
    """What is gone and still takes room on a server, and which tables nobody sweeps."""

    dead: int
    # The table with the most of it: how many rows are gone, and how many live.
    table: str
    table_dead: int
    table_live: int
    # Of the whole server ("*"), or of tables by name.
    never: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much should have been done by now, and since when the first of it waits."""

    count: int
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WallView:
    """What stands between the owners of a store on a server, beside what every query says."""

    role: str
    # It sees past every wall, or owns tables and could take theirs down.
    sees_past: bool
    owns: bool
    # Tables with owners that have no wall, or one that their own owner passes.
    open_tables: tuple[str, ...]
    # The match of words may be looked up in its index before the wall.
    marked: bool


def _usable(data: bytes, dimension: int) -> bool:
    """Say whether stored bytes are a direction of this space."""
    try:
        vector = embedding_index.unpack(data, dimension)
        inside = not isinstance(vector, Sparse) or bool(np.all(vector.indices < dimension))
        identity = Identity("", "", "", dimension, "")
        embedding_index.check_fits(vector, identity)
    except (SaegimError, ValueError):
        return False
    return inside


class Survey:
    """The questions; each is answered from the file as it is now."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Let every read of this thread see the store as it is now, whoever writes meanwhile."""
        with self._database.one_moment():
            yield

    def server(self) -> ServerView:
        """Return what the server under a store says of itself."""
        ((version, encoding, collation, *rest),) = self._database.rows(
            "SELECT current_setting('server_version'), current_setting('server_encoding'), "
            "(SELECT datcollate FROM pg_database WHERE datname = current_database()), "
            "current_setting('fsync'), current_setting('full_page_writes'), "
            "current_setting('synchronous_commit'), current_setting('max_connections'), "
            "pg_database_size(current_database()), "
            "(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())"
        )
        fsync, pages, commit, most, held, connections = rest
        standbys = self._database.rows("SELECT count(*) FROM pg_stat_replication")[0][0]
        return ServerView(
            version=str(version),
            encoding=str(encoding),
            collation=str(collation),
            syncs=fsync == "on" and pages == "on",
            synchronous_commit=str(commit),
            standbys=int(standbys),
            connections=int(connections),
            most_connections=int(most),
            bytes=int(held),
        )

    def walls(self) -> WallView:
        """Return what stands between the owners of a store on a server."""
        ((role, sees_past, marked),) = self._database.rows(
            "SELECT r.rolname, CASE WHEN r.rolsuper OR r.rolbypassrls THEN 1 ELSE 0 END, "
            "(SELECT CASE WHEN proleakproof THEN 1 ELSE 0 END FROM pg_proc "
            "WHERE oid = 'ts_match_vq(tsvector,tsquery)'::regprocedure) "
            "FROM pg_roles r WHERE r.rolname = current_user"
        )
        tables = self._database.rows(
            "SELECT c.relname, CASE WHEN c.relrowsecurity AND c.relforcerowsecurity THEN 1 ELSE 0 "
            "END, CASE WHEN pg_has_role(c.relowner, 'MEMBER') THEN 1 ELSE 0 END "
            "FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace "
            "AND c.relkind = 'r' AND (c.relname LIKE 'words%' OR EXISTS (SELECT 1 FROM "
            "pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'owner')) ORDER BY c.relname"
        )
        return WallView(
            role=str(role),
            sees_past=bool(sees_past),
            owns=any(owned for _, _, owned in tables),
            open_tables=tuple(str(name) for name, walled, _ in tables if not walled),
            marked=bool(marked),
        )

    def slowest(self, calls: int, most: int = 3) -> list[SlowStatement] | None:
        """Return our slowest statements of so many calls; nothing where the server counts none."""
        # The setting is known only where the library was loaded with the server.
        places = self._database.rows(
            "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n "
            "ON n.oid = e.extnamespace JOIN pg_class c ON c.relnamespace = n.oid "
            "AND c.relname = e.extname WHERE e.extname = 'pg_stat_statements' "
            "AND current_setting('pg_stat_statements.track', true) IS NOT NULL "
            "AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
        )
        if not places:
            return None
        rows = self._database.rows(
            f"SELECT query, calls, mean_exec_time FROM {places[0][0]}.pg_stat_statements s "
            "JOIN pg_database d ON d.oid = s.dbid JOIN pg_roles r ON r.oid = s.userid "
            "WHERE d.datname = current_database() AND r.rolname = current_user AND calls >= ? "
            "ORDER BY mean_exec_time DESC LIMIT ?",
            (calls, most),
        )
        return [SlowStatement(" ".join(text.split()), int(n), float(ms)) for text, n, ms in rows]

    def unswept(self) -> SweptView:
        """Return what is gone and still takes room on a server, by the server's own counts."""
        rows = self._database.rows(
            "SELECT s.relname, s.n_dead_tup, s.n_live_tup, CASE WHEN array_to_string(c.reloptions, "
            "',') ~ 'autovacuum_enabled=(false|off|no|0)' THEN 1 ELSE 0 END "
            "FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid "
            "WHERE s.schemaname = current_schema() ORDER BY s.n_dead_tup DESC, s.relname"
        )
        sweeps = self._database.rows("SELECT current_setting('autovacuum')")[0][0] == "on"
        table, dead, live = rows[0][:3] if rows else ("", 0, 0)
        return SweptView(
            dead=sum(int(row[1]) for row in rows),
            table=str(table),
            table_dead=int(dead),
            table_live=int(live),
            never=tuple(str(row[0]) for row in rows if row[3]) if sweeps else ("*",),
        )

    def largest(self, most: int) -> list[tuple[str, int]]:
        """Return who has the most memories, and how many."""
        rows = self._database.rows(
            "SELECT owner, count(*) FROM memory WHERE state <> 'forgotten' GROUP BY owner "
            "ORDER BY count(*) DESC, owner LIMIT ?",
            (most,),
        )
        return [(str(owner), int(count)) for owner, count in rows]

    def waiting(self, now: datetime) -> Backlog:
        """Count the work of everyone that could be done now and that nobody has in hand."""
        ((count, since),) = self._database.rows(
            "SELECT count(*), min(due_at) FROM job "
            f"WHERE state = 'waiting' AND due_at <= :now AND {FREE}",
            {"now": micros(now)},
        )
        return Backlog(int(count), from_micros(since) if count else None)

    def behind(self, stages: Sequence[str], late: datetime) -> Backlog:
        """Count who should have slept before an instant; whom nobody planned, a day after birth."""
        marks = ", ".join(f":stage{at}" for at in range(len(stages)))
        ((count, since),) = self._database.rows(
            "SELECT count(*), min(due) FROM (SELECT coalesce((SELECT min(r.due_at) FROM rota r "
            f"WHERE r.owner = l.owner AND r.stage IN ({marks})), l.at + {_DAY}) AS due "
            "FROM ledger l WHERE l.seq = 1 AND NOT EXISTS (SELECT 1 FROM watch w "
            "WHERE w.owner = l.owner AND w.paused = 1)) AS nights WHERE due < :late",
            {f"stage{at}": name for at, name in enumerate(stages)} | {"late": micros(late)},
        )
        return Backlog(int(count), from_micros(since) if count else None)

    def owners(self) -> list[str]:
        """Return whose memories lie in the file."""
        rows = self._database.rows(
            "SELECT DISTINCT owner FROM ledger UNION SELECT DISTINCT owner FROM memory"
        )
        return [str(row[0]) for row in rows]

    def memories(self) -> int:
        """Count the memories that have their words, of all owners."""
        return int(self._database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")[0][0])

    def lost(self) -> list[str]:
        """Return memories that the ledger saw being saved and nothing let go, yet are not whole."""
        rows = self._database.rows(
            "SELECT l.subject FROM ledger l LEFT JOIN memory m "
            "ON m.owner = l.owner AND m.id = l.subject WHERE l.change = 'Saved' AND "
            "(m.number IS NULL OR (m.text IS NULL AND m.state <> 'forgotten')) ORDER BY l.at"
        )
        return [str(row[0]) for row in rows]

    def unsworn(self) -> list[str]:
        """Return memories whose words no line of the ledger vouches for any more."""
        rows = self._database.rows(
            "SELECT m.id FROM memory m LEFT JOIN ledger l ON l.owner = m.owner "
            "AND l.subject = m.id AND l.change = 'Saved' "
            "WHERE m.text IS NOT NULL AND (m.salt IS NULL OR l.seq IS NULL) ORDER BY m.number"
        )
        return [str(row[0]) for row in rows]

    def unfindable(self, analyser: str, *, all_read: bool) -> int:
        """Count memories that the word index should hold and does not."""
        table = table_of(analyser)
        rows = self._database.rows(
            f"SELECT count(*) FROM memory m LEFT JOIN {table} f ON f.rowid = m.number "
            "LEFT JOIN analysed a ON a.analyser = :a AND a.number = m.number "
            "WHERE m.text IS NOT NULL AND (f.rowid IS NULL OR a.number IS NULL) "
            "AND (:all = 1 OR a.number IS NOT NULL)",
            {"a": analyser, "all": int(all_read)},
        )
        return int(rows[0][0])

    def misread(self, analyser: Analyser, most: int = 200) -> int:
        """Count, among the newest memories, those whose index entry is not of their words."""
        table = table_of(analyser.name)
        found = 0
        for row in self._database.rows(
            f"{SELECT} WHERE m.text IS NOT NULL ORDER BY m.number DESC LIMIT ?", (most,)
        ):
            memory = from_row(row)
            held = self._database.rows(f"SELECT text FROM {table} WHERE rowid = ?", (row[0],))
            found += bool(held) and held[0][0] != " ".join(analyser.index(memory.text))
        return found

    def embedders(self) -> list[Identity]:
        """Return the embedders whose vectors lie here, the latest met first."""
        rows = self._database.rows(
            "SELECT provider, model, digest, dimension, policy FROM embedder "
            "ORDER BY created_at DESC, number DESC"
        )
        return [Identity(*row) for row in rows]

    def gaps(self, identity: Identity) -> int:
        """Count memories whose vector is missing, or hidden, though it was made once."""
        number = embedding_index.known_number(self._database, identity)
        rows = self._database.rows(
            "SELECT count(*) FROM memory m LEFT JOIN vector v "
            "ON v.embedder = :embedder AND v.number = m.number WHERE m.text IS NOT NULL "
            "AND ((v.number IS NULL AND m.number <= CAST(coalesce("
            "(SELECT value FROM house WHERE name = :mark), '0') AS INTEGER)) "
            "OR (v.data IS NULL AND v.number IS NOT NULL AND v.retry_at IS NULL) "
            "OR (v.data IS NOT NULL AND v.live <> "
            "CASE WHEN m.state IN ('active', 'dormant') THEN 1 ELSE 0 END))",
            {"embedder": number, "mark": f"covered:{number}"},
        )
        return int(rows[0][0])

    def unusable(self, identity: Identity) -> int:
        """Count stored vectors that are no direction: NaN, zero, torn, or of another space."""
        number = embedding_index.known_number(self._database, identity)
        last = found = 0
        while True:
            rows = self._database.rows(
                "SELECT number, data FROM vector WHERE embedder = ? AND number > ? "
                "AND data IS NOT NULL ORDER BY number LIMIT ?",
                (number, last, _CHUNK),
            )
            found += sum(not _usable(data, identity.dimension) for _, data in rows)
            if len(rows) < _CHUNK:
                return found
            last = int(rows[-1][0])

    def from_another_process(self) -> OtherView:
        """Let a second process read the file while this one holds a read, and compare."""
        with self.one_moment():
            rows = self._database.rows(
                "SELECT owner, seq, hash FROM ledger ORDER BY rowid DESC LIMIT 1"
            )
            return self._seen_by_child(*(map(str, rows[0]) if rows else ("", "0", "")))

    def _seen_by_child(self, owner: str, seq: str, head: str) -> OtherView:
        # The child finds the same packages as this process, and nothing in the working folder.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            child = subprocess.run(  # noqa: S603 - our own interpreter and our own words
                [sys.executable, "-P", "-c", _CHILD, str(self._database.path), owner, seq],
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=environment,
                stdin=subprocess.DEVNULL,
                timeout=_PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return OtherView(why=f"no answer within {_PATIENCE_SECONDS} s")
        if child.returncode:
            return OtherView(why=(child.stderr.strip().splitlines() or ["no reason given"])[-1])
        count, *heads = child.stdout.split()
        return OtherView(int(count), same=heads == ([head] if head else []))
