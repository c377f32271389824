"""Applies Changes and their ledger lines in one transaction: all of them, or none."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, assert_never

import apsw

from saegim.engines.embedder import Identity
from saegim.engines.vectors import Vector
from saegim.engines.words import Analyser
from saegim.errors import BadInput, NotFound, Refused
from saegim.memory import changes as change_kinds
from saegim.memory.changes import Change
from saegim.memory.clock import micros
from saegim.memory.coordinate import Origin
from saegim.memory.memory import Memory, checked
from saegim.memory.tiers import FINDABLE, State
from saegim.store import ledger, nouns
from saegim.store.desk import jobs, sessions
from saegim.store.desk.jobs import Job
from saegim.store.index import claims, keeping, stated, vectors
from saegim.store.rows import INSERT, instant, to_row

# Only what a person says again counts for more; a page that repeats itself proves nothing.
_COUNTS_AGAIN = (Origin.USER_SAID, Origin.USER_CONFIRMED)


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


@dataclass(slots=True)
class Writing:
    """The transaction while it is being written."""

    connection: apsw.Connection
    batch: Batch
    analysers: Sequence[Analyser]
    lines: list[tuple[Change, str]] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)

    def execute(self, sql: str, params: dict[str, Any] | tuple[Any, ...] = ()) -> list[Any]:
        """Run one statement inside the transaction."""
        return self.connection.execute(sql, params).fetchall()

    def number(self, id: str) -> int:
        """Return the row of a memory of this owner."""
        rows = self.execute(
            "SELECT number FROM memory WHERE owner = ? AND id = ?", (self.batch.owner, id)
        )
        if not rows:
            raise NotFound(
                f"There is no memory {id}.", next_step="`saegim recent` lists what there is."
            )
        return int(rows[0][0])

    def words(self, id: str, also: str) -> tuple[Any, ...]:
        """Return the text of a memory and other columns; refuse one whose words are gone."""
        found: tuple[Any, ...] = self.execute(
            f"SELECT text, {also} FROM memory WHERE number = ?", (self.number(id),)
        )[0]
        if found[0] is None:
            raise NotFound(
                f"The words of {id} are gone.", next_step="A backup from before may hold them."
            )
        return found

    def update(self, id: str, assignments: str, params: Mapping[str, Any]) -> int:
        """Set columns of one memory; return its row."""
        number = self.number(id)
        self.execute(
            f"UPDATE memory SET {assignments} WHERE number = :number", {**params, "number": number}
        )
        return number


def write(
    connection: apsw.Connection, batch: Batch, analysers: Sequence[Analyser]
) -> dict[str, str]:
    """Apply the Changes in order and chain their lines; the caller holds the transaction.

    Returns which memories were not stored because an identical one is here: new id to old id.
    """
    writing = Writing(connection, batch, analysers)
    if batch.finishes is not None and not jobs.finish(connection, batch.finishes):
        raise Refused(
            "This work was taken over by another process.", next_step="Nothing was written."
        )
    for change in batch.changes:
        for applied in _collapsed(writing, change) if batch.collapse else (change,):
            writing.lines.append((applied, _apply(writing, applied)))
    ledger.append(connection, batch.owner, writing.lines, actor=batch.actor, at=batch.at)
    for kind, subject in batch.wishes:
        if subject not in writing.same:
            jobs.wish(connection, batch.owner, kind, subject, micros(batch.at))
    return writing.same


def _collapsed(writing: Writing, change: Change) -> tuple[Change, ...]:
    """Turn the saving of a text that is here already into one more reason to keep it."""
    match change:
        case change_kinds.Saved(memory=memory):
            rows = writing.execute(
                "SELECT id FROM memory WHERE owner = :owner AND canonical_key = :key "
                "AND agent = :agent AND project = :project AND author = :author "
                # The same words from elsewhere lend their trust to none, and take none.
                "AND origin = :origin AND state = :state "
                # "Yesterday" said a week later is another day.
                "AND (:event IS NULL OR happened_at = :event) ORDER BY number LIMIT 1",
                {
                    "owner": memory.scope.user,
                    "key": memory.canonical_key,
                    "agent": memory.scope.agent,
                    "project": memory.scope.project,
                    "author": memory.provenance.author,
                    "origin": memory.provenance.origin.value,
                    "state": memory.life.state.value,
                    "event": micros(memory.time.happened_at) if memory.time.said_at else None,
                },
            )
            if rows:
                writing.same[memory.id] = rows[0][0]
                at = writing.batch.at
                again = 1.0 if memory.provenance.origin in _COUNTS_AGAIN else 0.0
                return (change_kinds.Reweighed(memory=rows[0][0], at=at, repeat=again),)
        case change_kinds.Linked(link=link):
            if link.source in writing.same or link.target in writing.same:
                return ()
        case change_kinds.Superseded(by=by):
            if by in writing.same:
                return ()
        case change_kinds.Met(memory=id):
            if id in writing.same:
                return (replace(change, memory=writing.same[id]),)
        case _:
            pass
    return (change,)


def _apply(writing: Writing, change: Change) -> str:
    """Make one Change true; return the digest its ledger line vouches for."""
    match change:
        case change_kinds.Saved():
            return _save(writing, change.memory)
        case change_kinds.Superseded():
            _supersede(writing, change)
        case change_kinds.Reweighed():
            _reweigh(writing, change)
        case change_kinds.Retold():
            _retell(writing, change)
        case change_kinds.Pinned():
            writing.update(change.memory, "pinned = :pinned", {"pinned": int(change.pinned)})
        case change_kinds.Tiered():
            writing.update(
                change.memory,
                "tier = :tier, expires_at = :end",
                {"tier": change.tier.value, "end": instant(change.expires_at)},
            )
        case change_kinds.Dozed():
            _settle(writing, change.memory, State.DORMANT)
        case change_kinds.Woken() | change_kinds.Released():
            _settle(writing, change.memory, State.ACTIVE)
        case change_kinds.Quarantined():
            _settle(writing, change.memory, State.QUARANTINED)
        case change_kinds.Leaving():
            _settle(
                writing,
                change.memory,
                State.LEAVING,
                "leaving_since = :since, leaving_until = :until, leaving_reason = :reason",
                since=change.since,
                until=change.until,
                reason=change.reason.value,
            )
        case change_kinds.Restored():
            _restore(writing, change)
        case change_kinds.Archived():
            _archive(writing, change)
        case change_kinds.Erased():
            _erase(writing, change.memory)
        case change_kinds.Linked() | change_kinds.Unlinked():
            nouns.tie(writing.connection, writing.batch.owner, change, writing.batch.at)
        case change_kinds.Met():
            nouns.meet(writing.connection, writing.batch.owner, change, writing.batch.at)
        case change_kinds.Written():
            nouns.write_page(writing.connection, writing.batch.owner, change.page, writing.batch.at)
        case change_kinds.Recalled():
            nouns.count_recall(writing.connection, writing.batch.owner, change, writing.batch.at)
        case _:
            assert_never(change)
    return ""


def _save(writing: Writing, memory: Memory) -> str:
    """Insert the memory, its words and, if it has one, its vector."""
    checked(memory)
    if memory.scope.user != writing.batch.owner:
        raise Refused(
            f"A memory of {memory.scope.user!r} cannot be written for {writing.batch.owner!r}.",
            next_step="Commit it under its own user.",
        )
    if writing.batch.count_turns and memory.scope.session:
        memory = _numbered(writing, memory)
    row = to_row(memory)
    salt = ledger.new_salt()
    sworn = ledger.digest(salt, row)
    try:
        number = int(writing.execute(INSERT, {**row, "salt": salt, "digest": sworn})[0][0])
    except apsw.ConstraintError as error:
        raise BadInput(
            f"There is already a memory {memory.id}.",
            next_step="Leave the id out to get a new one, or update the existing memory.",
        ) from error
    _index(writing, number, memory)
    return sworn


def _numbered(writing: Writing, memory: Memory) -> Memory:
    """Return the memory with the next number of its session."""
    ((last,),) = writing.execute(
        "SELECT coalesce(max(sequence), 0) FROM memory WHERE owner = ? AND session = ?",
        (memory.scope.user, memory.scope.session),
    )
    return memory.evolve(time=replace(memory.time, sequence=last + 1))


def _index(writing: Writing, number: int, memory: Memory) -> None:
    """Write everything that is derived from the memory's words."""
    keeping.keep(
        writing.connection,
        number,
        memory,
        analysers=writing.analysers,
        vector=writing.batch.vectors.get(memory.id),
        identity=writing.batch.identity,
        at=micros(writing.batch.at),
    )


def _settle(
    writing: Writing, id: str, state: State, also: str = "", **values: datetime | str
) -> None:
    """Move a memory to a state; what cannot be recalled is not searched either."""
    params = {
        name: micros(value) if isinstance(value, datetime) else value
        for name, value in values.items()
    }
    sets = "state = :state" + (f", {also}" if also else "")
    lives = state in FINDABLE
    stated.settle(writing.connection, writing.number(id), lives, micros(writing.batch.at))
    number = writing.update(id, sets, {**params, "state": state.value})
    vectors.set_live(writing.connection, writing.batch.owner, number, lives)


def _reweigh(writing: Writing, change: change_kinds.Reweighed) -> None:
    writing.update(
        change.memory,
        "recalled = recalled + :recalled, used = used + :used, repeated = repeated + :repeat, "
        "feedback = feedback + :feedback, importance = coalesce(:importance, importance), "
        "confidence = coalesce(:confidence, confidence), rating = coalesce(:rating, rating), "
        "recalled_at = CASE WHEN :recalled > 0 THEN max(:at, coalesce(recalled_at, 0)) "
        "ELSE recalled_at END, "
        "used_at = CASE WHEN :used > 0 THEN :at ELSE used_at END",
        {
            "recalled": change.recalled,
            "used": change.used,
            "repeat": change.repeat,
            "feedback": change.feedback,
            "importance": change.importance,
            "confidence": change.confidence,
            "rating": change.rating,
            "at": micros(change.at),
        },
    )


def _retell(writing: Writing, change: change_kinds.Retold) -> None:
    number = writing.number(change.memory)
    held = writing.execute("SELECT details FROM memory WHERE number = ?", (number,))[0][0]
    more = json.loads(held or "{}")
    more["brief"], more["triples"] = change.brief, change.triples
    packed = json.dumps(more, ensure_ascii=False, separators=(",", ":"))
    writing.execute("UPDATE memory SET details = ? WHERE number = ?", (packed, number))
    claims.drop(writing.connection, number)
    claims.put(writing.connection, number, nouns.memory(writing.connection, number))


def _supersede(writing: Writing, change: change_kinds.Superseded) -> None:
    """End the validity of a memory, unless another version has taken its place meanwhile."""
    number = writing.number(change.memory)
    held = writing.execute("SELECT state FROM memory WHERE number = ?", (number,))[0][0]
    if held == State.SUPERSEDED.value:
        raise Refused(
            f"{change.memory} was corrected by someone else at the same time.",
            next_step="Read it again and correct the version that holds now.",
        )
    _settle(writing, change.memory, State.SUPERSEDED, "valid_to = :to", to=change.at)


def _restore(writing: Writing, change: change_kinds.Restored) -> None:
    """Call a memory back, from the queue or from the archive, to where it stood before."""
    _unpack(writing, change.memory)
    _, stood = writing.words(change.memory, "state")
    state = _place_before(writing, change.memory)
    sets = "leaving_since = NULL, leaving_until = NULL, leaving_reason = NULL"
    if stood == State.SUPERSEDED.value and state is State.ACTIVE:
        sets += ", valid_to = NULL"
    _settle(writing, change.memory, state, sets)
    writing.update(change.memory, "expires_at = :end", {"end": instant(change.expires_at)})


def _place_before(writing: Writing, id: str) -> State:
    """Say where a memory belongs that comes back: leaving is no way out of quarantine."""
    key = (writing.batch.owner, id)
    held = writing.execute(
        "SELECT change, facts FROM ledger WHERE owner = ? AND subject = ? "
        "AND change IN ('Saved', 'Quarantined', 'Released') ORDER BY seq DESC LIMIT 1",
        key,
    )
    if held and (held[0][0] == "Quarantined" or '"state":"quarantined"' in held[0][1]):
        return State.QUARANTINED
    newer = writing.execute(
        "SELECT 1 FROM link WHERE owner = ? AND target = ? AND type = 'supersedes' LIMIT 1", key
    )
    return State.SUPERSEDED if newer else State.ACTIVE


def _archive(writing: Writing, change: change_kinds.Archived) -> None:
    """Move the words of a memory into the compressed archive."""
    number = writing.number(change.memory)
    words = writing.words(change.memory, "details, author")
    packed = zlib.compress(json.dumps(words, ensure_ascii=False).encode(), 9)
    writing.execute(
        "INSERT INTO archive VALUES (?, ?, ?, ?)",
        (writing.batch.owner, change.memory, micros(change.at), packed),
    )
    _settle(writing, change.memory, State.FORGOTTEN)
    sessions.unsay(writing.connection, writing.batch.owner, number)
    writing.execute("UPDATE memory SET text = NULL, details = NULL WHERE number = ?", (number,))
    keeping.drop(writing.connection, writing.batch.owner, number)


def _unpack(writing: Writing, id: str) -> None:
    """Bring archived words back into the live store, if that is where they are."""
    rows = writing.execute(
        "DELETE FROM archive WHERE owner = ? AND id = ? RETURNING packed", (writing.batch.owner, id)
    )
    if not rows:
        return
    text, details, _ = json.loads(zlib.decompress(rows[0][0]))
    number = writing.update(
        id, "text = :text, details = :details", {"text": text, "details": details}
    )
    memory = nouns.memory(writing.connection, number)
    _index(writing, number, memory)
    vectors.want_again(writing.connection, number, micros(writing.batch.at))


def _erase(writing: Writing, id: str) -> None:
    """Leave nothing of a memory but its id, its numbers and its lines in the ledger."""
    number = writing.number(id)
    stated.settle(writing.connection, number, False, micros(writing.batch.at))
    keeping.drop(writing.connection, writing.batch.owner, number)
    sessions.unsay(writing.connection, writing.batch.owner, number)
    writing.execute(
        "UPDATE memory SET text = NULL, details = NULL, salt = NULL, author = '', "
        "canonical_key = '', domain = NULL, persona = NULL, rhythm_phase = NULL, "
        "agent = '', project = '', session = '', island = NULL, state = :state "
        "WHERE number = :number",
        {"state": State.FORGOTTEN.value, "number": number},
    )
    owner = writing.batch.owner
    writing.execute("DELETE FROM archive WHERE owner = ? AND id = ?", (owner, id))
    jobs.drop(writing.connection, owner, id)
    writing.execute("DELETE FROM link WHERE owner = ? AND ? IN (source, target)", (owner, id))
