"""The ledger and what stands beside it: hash chain, batch of a commit, undo images.

A chain shows tampering to anyone who holds an older head; someone who can rewrite the whole file
can also rewrite the chain. Keep a head elsewhere (every backup prints it) to close that gap.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from saegim.engines.embedder import Identity, Vector
from saegim.errors import LedgerBroken, NotFound, Refused
from saegim.language.words import Analyser
from saegim.memory import changes as change_kinds
from saegim.memory.changes import Change, Facts, Linked, of_island, of_project, subject
from saegim.memory.clock import from_micros, micros
from saegim.memory.entities import DERIVED_FROM, PROMOTED_FROM, WEIGHTS
from saegim.memory.memory import Scope, State
from saegim.store.database import Connection, Database, held_by
from saegim.store.rows import unpacked
from saegim.store.seals import FIRST_SEALED_SCHEMA, broken_seals
from saegim.store.sidecar import LastLine, mark_of
from saegim.store.tables import project_table
from saegim.store.tables.job_table import Job
from saegim.store.tables.night_table import Shift


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be committed together, for one owner."""

    owner: str
    changes: Sequence[Change]
    actor: str
    at: datetime
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    identity: Identity | None = None
    # An identical text of the same author in the same agent and project is reinforced, not
    # stored again; looked up inside the transaction, so two processes cannot both store it.
    collapse: bool = False
    # A turn takes the next number of its session inside the transaction, so that two processes
    # that write into one session cannot take the same.
    count_turns: bool = False
    # Work to be done later, written down with what it is about: (kind, memory).
    wishes: Sequence[tuple[str, str]] = ()
    # The leased work that these changes are the result of; without it nothing is written.
    finishes: Job | None = None
    # The night that makes these changes; one that was taken over writes nothing.
    shift: Shift | None = None
    # The last line of the ledger when these changes were thought out: what someone else has
    # changed since is left alone.
    seen: int | None = None
    # Memories that the changes were drawn from without naming them.
    leans_on: Sequence[str] = ()
    # Under which name, and until when, the changes can be taken back.
    maker: str = ""
    until: datetime | None = None
    # Lines of the ledger that these changes take back; each can be taken back once.
    undoes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The caller's own key for a write: the same key is carried out once."""

    key: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit did: `same` maps ids not stored to the identical memory that is here.

    `repeated` is the outcome of the first try when the receipt's key was known already.
    """

    same: dict[str, str]
    repeated: str | None = None
    # What was filed under more tags because it was said again with them.
    tagged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Writing:
    """The transaction while it is being written."""

    connection: Connection
    batch: Batch
    analysers: Sequence[Analyser]
    lines: list[tuple[Change, str]] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    # The number of the last line in the owner's ledger, once they are chained.
    last: int = 0
    head: str = ""

    @property
    def owner(self) -> str:
        """Return whose memories these are."""
        return self.batch.owner

    @property
    def at(self) -> int:
        """Return the instant of the commit, as it is stored."""
        return micros(self.batch.at)

    def execute(self, sql: str, params: dict[str, Any] | tuple[Any, ...] = ()) -> list[Any]:
        """Run one statement inside the transaction."""
        return self.connection.execute(sql, params).fetchall()

    def number(self, id: str) -> int:
        """Return the row of a memory of this owner."""
        rows = self.execute(
            "SELECT number FROM memory WHERE owner = ? AND id = ?", (self.batch.owner, id)
        )
        if not rows:
            raise NotFound("store.no_memory", id=id)
        return int(rows[0][0])

    def refuse_changed(self, change: Change) -> None:
        """Refuse a Change to a memory that someone else changed after it was thought out."""
        if (id := _leans_on(change)) is not None:
            self.refuse_newer(id)

    def refuse_newer(self, id: str) -> None:
        """Refuse to write what was thought out about a memory before someone else changed it."""
        if self.batch.seen is None:
            return
        newer = self.execute(
            "SELECT 1 FROM ledger WHERE owner = ? AND subject = ? AND seq > ? AND actor <> ? "
            "LIMIT 1",
            (self.batch.owner, id, self.batch.seen, self.batch.actor),
        )
        if newer:
            raise Refused("store.changed_meanwhile", id=id)

    def words(self, id: str, also: str) -> tuple[Any, ...]:
        """Return the text of a memory and other columns; refuse one whose words are gone."""
        found: tuple[Any, ...] = self.execute(
            f"SELECT text, {also} FROM memory WHERE number = ?", (self.number(id),)
        )[0]
        if found[0] is None:
            raise NotFound("store.words_of_are_gone", id=id)
        return found

    def update(self, id: str, assignments: str, params: Mapping[str, Any]) -> int:
        """Set columns of one memory; return its row."""
        number = self.number(id)
        self.execute(
            f"UPDATE memory SET {assignments} WHERE number = :number", {**params, "number": number}
        )
        return number


def _leans_on(change: Change) -> str | None:
    """Return the memory that a Change was thought out for: its own, or the source of a new one."""
    if isinstance(change, Linked) and change.link.type in (DERIVED_FROM, PROMOTED_FROM):
        return change.link.target
    id = getattr(change, "memory", None)
    return id if isinstance(id, str) else None


# -- The ledger: a hash chain per owner that remembers what happened

GENESIS = "0" * 64
# What a digest vouches for: everything about a memory that never changes after it is saved.
_SWORN = (
    "owner id text kind origin source author happened_at happened_offset recorded_at session "
    "sequence promoted_from"
).split()


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One line of the ledger."""

    seq: int
    at: datetime
    actor: str
    change: str
    subject: str
    facts: Facts
    digest: str
    hash: str


def new_salt() -> str:
    """Return a salt without which a digest says nothing about the words under it."""
    return secrets.token_hex(16)


def digest(salt: str, row: dict[str, Any]) -> str:
    """Return the salted digest of what a memory may never change."""
    sworn = json.dumps([row[name] for name in _SWORN], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{salt}\x1f{sworn}".encode()).hexdigest()


def _hash(previous: str, line: tuple[Any, ...]) -> str:
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{previous}\x1f{text}".encode()).hexdigest()


def head(connection: Connection, owner: str) -> tuple[int, str]:
    """Return the last number and hash of the owner's chain."""
    known: tuple[int, str] | None = held_by(connection).get(f"head:{owner}")
    if known is not None:
        return known
    rows: list[Any] = connection.execute(
        "SELECT seq, hash FROM ledger WHERE owner = ? ORDER BY seq DESC LIMIT 1", (owner,)
    ).fetchall()
    return (rows[0][0], rows[0][1]) if rows else (0, GENESIS)


def birth(connection: Connection) -> str | None:
    """Return the hash of the very first line, which no other store has, if it is a whole one."""
    rows: list[Any] = connection.execute(
        "SELECT owner, seq, at, actor, change, subject, facts, digest, hash FROM ledger "
        "ORDER BY rowid LIMIT 1"
    ).fetchall()
    if not rows or rows[0][8] != _hash(GENESIS, tuple(rows[0][:8])):
        return None
    return str(rows[0][8])


def append(
    connection: Connection,
    owner: str,
    changes: list[tuple[Change, str]],
    *,
    actor: str,
    at: datetime,
) -> tuple[int, str]:
    """Chain one line per Change, each with the digest of what it vouches for; return the last.

    The last line is returned as its number and its hash.
    """
    seq, previous = head(connection, owner)
    stamp = micros(at)
    for change, sworn in changes:
        seq += 1
        facts = json.dumps(change.facts(), separators=(",", ":"), sort_keys=True)
        line = (owner, seq, stamp, actor, type(change).__name__, subject(change), facts, sworn)
        previous = _hash(previous, line)
        connection.execute(
            "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*line, previous)
        )
    held_by(connection)[f"head:{owner}"] = (seq, previous)
    return seq, previous


class LedgerTable:
    """The chains of all owners, to be read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(
        self, scope: Scope, *, since: int = 0, subject: str | None = None, page: int = 1000
    ) -> Iterator[LedgerEntry]:
        """Read the owner's lines after `since`, oldest first, a page at a time."""
        about = "" if subject is None else "AND subject = :subject"
        while True:
            rows = self._database.rows(
                "SELECT seq, at, actor, change, subject, facts, digest, hash FROM ledger "
                f"WHERE owner = :owner AND seq > :since {about} ORDER BY seq LIMIT :page",
                {"owner": scope.user, "since": since, "subject": subject, "page": page},
            )
            for seq, at, actor, change, about_key, facts, sworn, hashed in rows:
                since = seq
                yield LedgerEntry(
                    seq, from_micros(at), actor, change, about_key, json.loads(facts), sworn, hashed
                )
            if len(rows) < page:
                return

    def latest(
        self,
        scope: Scope,
        *,
        limit: int,
        before: int | None = None,
        change: str = "",
        subject: str = "",
        since: datetime | None = None,
    ) -> list[LedgerEntry]:
        """Return the owner's newest lines before one, the last first; perhaps of one kind only."""
        only = {
            "seq < :before": before,
            "change = :change": change,
            "subject = :subject": subject,
            # From the first line of that time on, by its number: the list goes by numbers.
            "seq >= (SELECT min(seq) FROM ledger WHERE owner = :owner AND at >= :since) "
            "AND at >= :since": since,
        }
        asked = " AND ".join(["owner = :owner", *(sql for sql, value in only.items() if value)])
        rows = self._database.rows(
            "SELECT seq, at, actor, change, subject, facts, digest, hash FROM ledger "
            f"WHERE {asked} ORDER BY seq DESC LIMIT :limit",
            {
                "owner": scope.user,
                "before": before,
                "change": change,
                "subject": subject,
                "since": micros(since) if since else 0,
                "limit": limit,
            },
        )
        return [
            LedgerEntry(seq, from_micros(at), actor, kind, about, json.loads(facts), sworn, hashed)
            for seq, at, actor, kind, about, facts, sworn, hashed in rows
        ]

    def between(self, scope: Scope, first: str, last: str, *, most: int = 200) -> list[LedgerEntry]:
        """Return the lines with subjects between two keys that sort by time, the last first."""
        rows = self._database.rows(
            "SELECT seq, at, actor, change, subject, facts, digest, hash FROM ledger "
            "WHERE owner = ? AND subject >= ? AND subject <= ? ORDER BY subject DESC LIMIT ?",
            (scope.user, first, last, most),
        )
        return [
            LedgerEntry(
                seq, from_micros(at), actor, change, about, json.loads(facts), sworn, hashed
            )
            for seq, at, actor, change, about, facts, sworn, hashed in rows
        ]

    def last_line(self, owner: str) -> LedgerEntry | None:
        """Return the newest line of an owner's ledger, without reading the others."""
        rows = self._database.rows(
            "SELECT seq, at, actor, change, subject, digest, hash FROM ledger WHERE owner = ? "
            "ORDER BY seq DESC LIMIT 1",
            (owner,),
        )
        for seq, at, actor, change, about, sworn, hashed in rows:
            return LedgerEntry(seq, from_micros(at), actor, change, about, {}, sworn, hashed)
        return None

    def owners(self) -> list[str]:
        """Return whose ledgers are here, without reading every line."""
        rows = self._database.rows(
            "WITH RECURSIVE each (owner) AS (SELECT min(owner) FROM ledger UNION ALL "
            "SELECT (SELECT min(l.owner) FROM ledger l WHERE l.owner > each.owner) FROM each "
            "WHERE each.owner IS NOT NULL) SELECT owner FROM each WHERE owner IS NOT NULL"
        )
        return [str(row[0]) for row in rows]

    def heads(self) -> dict[str, LastLine]:
        """Return the last line of every owner's ledger."""
        held = {owner: self.last_line(owner) for owner in self.owners()}
        return {owner: LastLine(line.seq, line.hash) for owner, line in held.items() if line}

    def cut(self) -> dict[str, LastLine]:
        """Return the lines that were the last once and are not here: cut off, or an older file.

        By the mark of their owner: of one who has lost every line, nothing else is known.
        """
        known = self._database.sidecar.as_held()
        owners = {mark_of(owner): owner for owner in self.owners()}
        moved = {mark_of(owner) for owner in self._database.elsewhere()}
        once = {**known.heads, **known.lost}
        return {
            mark: last
            for mark, last in once.items()
            if mark not in moved and (mark not in owners or not self.holds(owners[mark], last))
        }

    def holds(self, owner: str, last: LastLine) -> bool:
        """Say whether a line that was the last once still stands as it was."""
        rows = self._database.rows(
            "SELECT hash FROM ledger WHERE owner = ? AND seq = ?", (owner, last.seq)
        )
        return bool(rows) and rows[0][0] == last.hash

    def length(self, owner: str) -> int:
        """Return the number of the last line of the ledger."""
        rows = self._database.rows("SELECT max(seq) FROM ledger WHERE owner = ?", (owner,))
        return int(rows[0][0] or 0)

    def happened(self, owner: str, since: datetime) -> list[tuple[str, str, int]]:
        """Count the lines of the ledger since an instant: (change, reason or tier, how many)."""
        rows = self._database.rows(
            "SELECT change || '', CASE change WHEN 'Leaving' THEN facts ->> 'reason' "
            "WHEN 'Saved' THEN facts ->> 'tier' ELSE '' END AS what, count(*) FROM ledger "
            # Put together anew, so that the lines are found by their time and not by their kind.
            "WHERE owner = ? AND at > ? GROUP BY change || '', what ORDER BY 1, 2",
            (owner, micros(since)),
        )
        return [(str(change), str(what or ""), int(count)) for change, what, count in rows]

    def verify(self, scope: Scope) -> tuple[int, str]:
        """Walk the whole chain and compare every row with it; return its length and head.

        Raises LedgerBroken naming the first line, or the first row, that does not fit.
        """
        # The head of what was walked: a trace may be written behind the walk.
        with self._database.one_moment():
            for fault in self.faults(scope):
                raise fault
            last = self.last_line(scope.user)
        return (last.seq, last.hash) if last else (0, GENESIS)

    def faults(self, scope: Scope) -> Iterator[LedgerBroken]:
        """Yield everything in which the file is not what was written into it."""
        owner = scope.user
        with self._database.one_moment():
            lines = self._database.rows(
                "SELECT owner, seq, at, actor, change, subject, facts, digest, hash FROM ledger "
                "WHERE owner = ? ORDER BY seq",
                (owner,),
            )
            if (broken := _broken_line(lines)) is not None:
                yield LedgerBroken("store.line_of_ledger_of_does", expected=broken, owner=owner)
                return
            if (lost := self.cut().get(mark_of(owner))) is not None:
                yield LedgerBroken("store.ledger_was_cut", seq=lost.seq)
            yield from self._misfits(owner, replayed(lines))
            with self._database.reading() as connection:
                sealed = (self._database.schema or 0) >= FIRST_SEALED_SCHEMA
                if sealed and not self._database.is_server:
                    for each in broken_seals(connection, owner):
                        key = "store.row_was_changed" if each.name else "store.rows_were_changed"
                        yield LedgerBroken(key, table=each.table, name=each.name)

    def _misfits(self, owner: str, known: dict[str, Replayed]) -> Iterator[LedgerBroken]:
        """Compare the memories with what the lines of the ledger say of them."""
        columns = ", ".join(f"m.{name}" for name in (*_SWORN, *_REPLAYED))
        for salt, kept, packed, *values in self._database.rows(
            f"SELECT m.salt, m.digest, a.packed, {columns} FROM memory m "
            "LEFT JOIN archive a ON a.owner = m.owner AND a.id = m.id WHERE m.owner = ?",
            (owner,),
        ):
            row = dict(zip((*_SWORN, *_REPLAYED), values, strict=True))
            told = known.pop(row["id"], None)
            fault = "store.memory_ledger_never_saw" if told is None else ""
            if told is not None and not told.erased:
                fault = told.misfit(row, salt, kept, packed)
            if fault:
                yield LedgerBroken(fault, id=row["id"])
        for id, told in known.items():
            if not told.erased:
                yield LedgerBroken("store.memory_is_gone", id=id)


# -- What the ledger says of a memory

# Columns that Changes move, in the words of their facts.
_REPLAYED = ("state", "tier", "pinned", "immutable", "project", "island")
_STATES = {
    "Superseded": State.SUPERSEDED,
    "Dozed": State.DORMANT,
    "Woken": State.ACTIVE,
    "Released": State.ACTIVE,
    "Quarantined": State.QUARANTINED,
    "Leaving": State.LEAVING,
    "Archived": State.FORGOTTEN,
    "Erased": State.FORGOTTEN,
}


@dataclass(slots=True)
class Replayed:
    """One memory as the lines of the ledger have it; what no line says is not known."""

    digest: str
    stands: dict[str, Any]
    erased: bool = False

    def follow(self, change: str, facts: Facts) -> None:
        """Let one line happen to it."""
        if change in _STATES:
            self.stands["state"] = _STATES[change].value
        if change == "Restored":
            self.stands["state"] = facts.get("state")
        self.erased = self.erased or change == "Erased"
        self.stands |= {name: facts[name] for name in _REPLAYED if name in facts}

    def misfit(self, row: dict[str, Any], salt: str | None, kept: str, packed: Any) -> str:
        """Return the key of what is wrong with a row, or nothing."""
        if row["text"] is None and packed is not None:
            held = unpacked(packed)
            row = {**row, "text": held[0] if held else None}
        if row["text"] is None:
            return "store.words_are_gone_unexplained"
        if salt is None:
            return "store.memory_has_no_salt"
        if self.digest != kept or digest(salt, row) != kept:
            return "store.memory_is_not_what_ledger"
        named = {"project": of_project(row["project"]), "island": of_island(row["island"])}
        present = {**row, **named}
        for name, value in self.stands.items():
            if value is not None and present[name] != value:
                return "store.memory_stands_elsewhere"
        return ""


def replayed(lines: Sequence[Sequence[Any]]) -> dict[str, Replayed]:
    """Return what the lines of one ledger say of each memory."""
    known: dict[str, Replayed] = {}
    for _, _, _, _, change, about, facts, sworn, _ in lines:
        if change == "Saved":
            known[about] = Replayed(sworn, {})
        if change == "Recalled":
            # What is shown is awake again.
            for id in str(json.loads(facts)["memories"]).split():
                if (told := known.get(id)) and told.stands.get("state") == State.DORMANT.value:
                    told.stands["state"] = State.ACTIVE.value
        elif (told := known.get(about)) is not None:
            if change == "Interpreted":
                told.digest = sworn
            told.follow(change, json.loads(facts))
    return known


def _broken_line(lines: Sequence[Sequence[Any]]) -> int | None:
    """Return the number of the first line that does not follow from the one before."""
    previous = GENESIS
    for expected, row in enumerate(lines, 1):
        previous = _hash(previous, tuple(row[:8]))
        if row[1] != expected or row[8] != previous:
            return expected
    return None


# -- Undo images: what stood there before a Change, kept until the way back ends

# What the state of a memory is made of, apart from its words and its counts.
_STANDING = (
    "m.state, m.tier, m.expires_at, m.valid_to, m.pinned, m.leaving_since, m.leaving_until, "
    "m.leaving_reason, m.lifetime, m.last_date, coalesce(a.shrunk, 0), a.dormant_since, "
    "a.settled_at"
)
_NAMES = (
    "state tier expires_at valid_to pinned leaving_since leaving_until leaving_reason lifetime "
    "last_date shrunk dormant_since settled_at"
).split()


@dataclass(frozen=True, slots=True)
class UndoImage:
    """A Change that can be taken back: its line in the ledger, and what stood there."""

    seq: int
    maker: str
    change: str
    target: str
    held: Mapping[str, Any]
    until: datetime


def image_before(writing: Writing, change: Change) -> dict[str, Any]:
    """Return what the Change is about to replace."""
    match change:
        case change_kinds.Saved() | change_kinds.Met() | change_kinds.Recalled():
            return {}
        case change_kinds.Written(page=page):
            if page.kind != WEIGHTS:
                return {"kind": page.kind}
            rows = writing.execute(
                "SELECT coalesce(max(version), 0) FROM page WHERE owner = ? AND key = ?",
                (writing.owner, page.key),
            )
            return {"kind": page.kind, "version": int(rows[0][0])}
        case change_kinds.Linked(link=link) | change_kinds.Unlinked(link=link):
            rows = writing.execute(
                "SELECT weight, negative FROM link WHERE owner = ? AND source = ? AND type = ? "
                "AND target = ?",
                (writing.owner, link.source, link.type, link.target),
            )
            ends = {"source": link.source, "type": link.type, "to": link.target}
            was = {"weight": rows[0][0], "negative": rows[0][1]} if rows else {}
            return {**ends, "added": link.weight, **was}
        case change_kinds.Portrayed(entity=key):
            rows = writing.execute(
                "SELECT details FROM entity WHERE owner = ? AND key = ?", (writing.owner, key)
            )
            more = json.loads(rows[0][0]) if rows else {}
            was = {name: more.get(name, "") for name in ("summary", "personality_notes")}
            return {**was, "to": change.summary}
        case change_kinds.Trusted(entity=key):
            rows = writing.execute(
                "SELECT trust FROM entity WHERE owner = ? AND key = ?", (writing.owner, key)
            )
            return {"trust": rows[0][0] if rows else None, "to": change.trust}
        case change_kinds.Retold(memory=id):
            packed = writing.words(id, "details")[1]
            more = json.loads(packed or "{}")
            return {"brief": more.get("brief"), "triples": more.get("triples", [])}
        case change_kinds.Reweighed():
            return _worth(writing, change)
        case change_kinds.Rehomed(memory=id, project=to):
            return {"project": _home(writing, id), "to": to}
        case change_kinds.IslandSet(memory=id, island=island):
            rows = writing.execute(
                "SELECT island FROM memory WHERE number = ?", (writing.number(id),)
            )
            return {"island": rows[0][0], "to": island}
        case change_kinds.Superseded(memory=id, by=by):
            return {**_standing(writing, id), "by": by}
        case _:
            return _standing(writing, change.memory)


def _home(writing: Writing, key: str) -> str:
    """Return the project of a memory, or the one that a place is seen as."""
    if project_table.is_place(key):
        rows = writing.execute(
            "SELECT project FROM place WHERE owner = ? AND place = ?", (writing.owner, key)
        )
    else:
        rows = writing.execute(
            "SELECT project FROM memory WHERE number = ?", (writing.number(key),)
        )
    return str(rows[0][0]) if rows else ""


def _standing(writing: Writing, id: str) -> dict[str, Any]:
    rows = writing.execute(
        f"SELECT {_STANDING} FROM memory m LEFT JOIN ageing a ON a.number = m.number "
        "WHERE m.number = ?",
        (writing.number(id),),
    )
    return dict(zip(_NAMES, rows[0], strict=True))


def _worth(writing: Writing, change: change_kinds.Reweighed) -> dict[str, Any]:
    """Return the values that are set, and the counts that are added."""
    rows = writing.execute(
        "SELECT m.importance, m.confidence, m.rating, coalesce(a.lent, 0.0) FROM memory m "
        "LEFT JOIN ageing a ON a.number = m.number WHERE m.number = ?",
        (writing.number(change.memory),),
    )
    names = ("importance", "confidence", "rating", "lent")
    values = dict(zip(names, rows[0], strict=True))
    counts = {name: getattr(change, name) for name in ("recalled", "used", "repeat", "feedback")}
    return values | counts | ({"to": change.importance} if change.importance is not None else {})


def write_undo_images(writing: Writing, images: list[dict[str, Any]]) -> None:
    """Write down what stood before each line that is about to be chained, in their order."""
    batch = writing.batch
    assert batch.until is not None
    seq, _ = head(writing.connection, batch.owner)
    for step, ((change, _), image) in enumerate(zip(writing.lines, images, strict=True), 1):
        writing.execute(
            "INSERT INTO before VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                batch.owner,
                seq + step,
                batch.maker,
                type(change).__name__,
                change_kinds.subject(change),
                _target(change),
                str(image.get("to", "")) if "added" in image else "",
                json.dumps(image, ensure_ascii=False, separators=(",", ":")),
                micros(batch.until),
            ),
        )


def _target(change: Change) -> str:
    """Return the key of what the words in an image belong to."""
    match change:
        case change_kinds.Saved(memory=memory):
            return memory.id
        case change_kinds.Linked(link=link) | change_kinds.Unlinked(link=link):
            return link.source
        case change_kinds.Portrayed(entity=key) | change_kinds.Trusted(entity=key):
            return key
        case change_kinds.Met(entity=entity):
            return entity.key
        case change_kinds.Written(page=page):
            return page.key
        case change_kinds.Recalled(trace=trace):
            return trace
        case _:
            return change.memory


def take_images(writing: Writing, seqs: tuple[int, ...]) -> None:
    """Take the images of lines that are being undone; each can be taken once."""
    for seq in seqs:
        gone = writing.execute(
            "DELETE FROM before WHERE owner = ? AND seq = ? RETURNING seq", (writing.owner, seq)
        )
        if not gone:
            raise Refused("store.line_of_ledger_was_taken", seq=seq)


def drop_word_images(writing: Writing, id: str) -> None:
    """Forget the older short forms of a memory whose words are leaving."""
    writing.execute(
        "DELETE FROM before WHERE owner = ? AND target = ? AND change = 'Retold'",
        (writing.owner, id),
    )


class UndoTable:
    """What can still be taken back."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def images(
        self, owner: str, *, maker: str | None = None, seq: int | None = None
    ) -> list[UndoImage]:
        """Return what can be taken back of one maker, or one line, the latest first."""
        which = "maker = :key" if seq is None else "seq = :key"
        rows = self._database.rows(
            "SELECT seq, maker, change, target, held, until FROM before "
            f"WHERE owner = :owner AND {which} ORDER BY seq DESC",
            {"owner": owner, "key": maker if seq is None else seq},
        )
        return [
            UndoImage(number, by, change, target, json.loads(image), from_micros(until))
            for number, by, change, target, image, until in rows
        ]

    def can_undo(self, owner: str, maker: str) -> bool:
        """Say whether anything of a night can still be taken back."""
        rows = self._database.rows(
            "SELECT 1 FROM before WHERE owner = ? AND maker = ? LIMIT 1", (owner, maker)
        )
        return bool(rows)

    def still(self, owner: str, lines: Sequence[int]) -> set[int]:
        """Return which of these lines of the ledger can still be taken back."""
        rows = self._database.rows(
            "SELECT b.seq FROM json_each(:lines) j "
            "CROSS JOIN before b ON b.owner = :owner AND b.seq = CAST(j.value AS INTEGER)",
            {"owner": owner, "lines": json.dumps(list(lines))},
        )
        return {int(seq) for (seq,) in rows}

    def drop_expired(self, owner: str, at: datetime) -> int:
        """Drop what stood before Changes that can no longer be taken back; return how much."""
        with self._database.writing(owner) as connection:
            rows = connection.execute(
                "DELETE FROM before WHERE owner = ? AND until <= ? RETURNING seq",
                (owner, micros(at)),
            ).fetchall()
        return len(rows)
