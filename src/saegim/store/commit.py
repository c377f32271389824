"""Apply Changes and their ledger lines in one transaction: all of them, or none."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, assert_never

from saegim.errors import BadInput, Refused, StoreCorrupt
from saegim.language.words import Analyser
from saegim.memory import changes as change_kinds
from saegim.memory.changes import Change
from saegim.memory.clock import micros
from saegim.memory.entities import PARENT, RELATED, Link
from saegim.memory.memory import (
    FINDABLE,
    PERSON,
    Kind,
    Lifetime,
    Memory,
    State,
    Tier,
    checked,
    checked_tags,
    expiry,
    longer,
)
from saegim.store import ledger
from saegim.store.database import Connection, held_by
from saegim.store.erase_rows import all_erased, clear_traces, find_traces, last_erased
from saegim.store.ledger import Batch, Committed, IdempotencyKey, Writing
from saegim.store.rows import (
    INSERT,
    INSERT_AT,
    READ_COLUMNS,
    instant,
    memory_in,
    moment,
    to_row,
    unpacked,
)
from saegim.store.search import index_memory
from saegim.store.tables import (
    entity_table,
    job_table,
    memory_table,
    night_table,
    project_table,
    session_table,
)
from saegim.store.tables.profile_table import drop_profile


def mark_decay(writing: Writing, number: int, **values: Any) -> None:
    """Set what is known of a memory's ageing."""
    names = ", ".join(values)
    holes = ", ".join(f":{name}" for name in values)
    sets = ", ".join(f"{name} = excluded.{name}" for name in values)
    writing.execute(
        f"INSERT INTO ageing (number, owner, {names}) VALUES (:number, :owner, {holes}) "
        f"ON CONFLICT (number) DO UPDATE SET {sets}",
        {"number": number, "owner": writing.owner, **values},
    )


def refresh_decay(writing: Writing, number: int) -> None:
    """Let a memory be awake and whole again: it was rated or woken."""
    mark_decay(writing, number, shrunk=0, dormant_since=None, touched_at=writing.at)


def renew_decay(writing: Writing, number: int) -> None:
    """Let the time of a memory start anew: it was called back, or settled in a tier."""
    mark_decay(writing, number, shrunk=0, dormant_since=None, settled_at=writing.at)


def drop_decay(writing: Writing, number: int) -> None:
    """Forget how a memory aged."""
    writing.execute("DELETE FROM ageing WHERE number = ?", (number,))


def index_words(writing: Writing, number: int, memory: Memory) -> None:
    """Write everything that is derived from the memory's words."""
    index_memory.index_memory(
        writing.connection,
        number,
        memory,
        analysers=writing.analysers,
        vector=writing.batch.vectors.get(memory.id),
        identity=writing.batch.identity,
        at=writing.at,
    )


def archive(writing: Writing, change: change_kinds.Archived) -> None:
    """Move the words of a memory into the compressed archive."""
    number = writing.number(change.memory)
    words = writing.words(change.memory, "details, author")
    packed = zlib.compress(json.dumps(words, ensure_ascii=False).encode(), 9)
    writing.execute(
        "INSERT INTO archive VALUES (?, ?, ?, ?)",
        (writing.owner, change.memory, micros(change.at), packed),
    )
    _unsay(writing, number, change.memory)
    writing.execute(
        "UPDATE memory SET text = NULL, details = NULL, state = ? WHERE number = ?",
        (State.FORGOTTEN.value, number),
    )


def unpack(writing: Writing, id: str) -> None:
    """Bring archived words back into the live store, if that is where they are."""
    rows = writing.execute(
        "DELETE FROM archive WHERE owner = ? AND id = ? RETURNING packed", (writing.owner, id)
    )
    if not rows:
        return
    held = unpacked(rows[0][0])
    if held is None:
        raise StoreCorrupt("store.archived_words_of_are_spoilt", id=id)
    text, details, _ = held
    number = writing.update(
        id, "text = :text, details = :details", {"text": text, "details": details}
    )
    # It may have been let go of before it was read for claims.
    drop_profile(writing.connection, number)
    memory = memory_in(writing.connection, number)
    index_words(writing, number, memory)
    index_memory.want_again(writing.connection, number, writing.at)


def erase(writing: Writing, id: str) -> None:
    """Leave nothing of a memory but its id, its numbers and its lines in the ledger.

    Those of one commit go together, with the last of them: what they share is looked at once.
    """
    writing.number(id)
    if id != last_erased(writing.batch):
        return
    ids = all_erased(writing.batch)
    found = find_traces(writing, ids)
    for each in ids:
        _take_away(writing, each)
    clear_traces(writing, found)


def _take_away(writing: Writing, id: str) -> None:
    """Take away a memory itself, its ties, and everything derived from its words."""
    number = writing.number(id)
    _unsay(writing, number, id)
    drop_decay(writing, number)
    job_table.drop_jobs(writing.connection, writing.owner, id)
    writing.execute(
        "UPDATE memory SET text = NULL, details = NULL, salt = NULL, author = '', "
        "canonical_key = '', domain = NULL, persona = NULL, rhythm_phase = NULL, "
        "agent = '', project = '', session = '', island = NULL, state = :state "
        "WHERE number = :number",
        {"state": State.FORGOTTEN.value, "number": number},
    )
    writing.execute("DELETE FROM archive WHERE owner = ? AND id = ?", (writing.owner, id))
    for end in ("source", "target"):
        writing.execute(f"DELETE FROM link WHERE owner = ? AND {end} = ?", (writing.owner, id))


def _unsay(writing: Writing, number: int, id: str) -> None:
    """Take a memory's words out of everything that was derived from them."""
    index_memory.settle_stated_links(writing.connection, number, False, writing.at)
    index_memory.unindex_memory(writing.connection, writing.owner, number)
    session_table.unsay_session(writing.connection, writing.owner, number)
    ledger.drop_word_images(writing, id)


def settle(
    writing: Writing, id: str, state: State, also: str = "", **values: datetime | str
) -> int:
    """Move a memory to a state; what cannot be recalled is not searched either."""
    params = {
        name: micros(value) if isinstance(value, datetime) else value
        for name, value in values.items()
    }
    sets = "state = :state" + (f", {also}" if also else "")
    lives = state in FINDABLE
    index_memory.settle_stated_links(writing.connection, writing.number(id), lives, writing.at)
    number = writing.update(id, sets, {**params, "state": state.value})
    index_memory.set_live(writing.connection, writing.owner, number, lives)
    return number


_NOT_LEAVING = "leaving_since = NULL, leaving_until = NULL, leaving_reason = NULL"


def doze(writing: Writing, id: str) -> None:
    """Let a memory sleep, and note since when."""
    number = settle(writing, id, State.DORMANT, _NOT_LEAVING)
    mark_decay(writing, number, dormant_since=writing.at)


def wake(writing: Writing, id: str) -> None:
    """Let a memory be active again, and young: what is over does not end it the next night."""
    number = settle(writing, id, State.ACTIVE, _NOT_LEAVING)
    _, tier, end = writing.words(id, "tier, expires_at")
    fresh = instant(expiry(Tier(tier), writing.batch.at))
    if end is not None and fresh is not None and end < writing.at:
        writing.update(id, "expires_at = :end", {"end": fresh})
    refresh_decay(writing, number)


def set_lifetime(writing: Writing, change: change_kinds.LifetimeSet) -> None:
    """Keep a memory for something else; its time starts anew."""
    number = writing.update(
        change.memory,
        "lifetime = :lifetime, last_date = :last, expires_at = :end",
        {
            "lifetime": change.lifetime.value,
            "last": instant(change.last_date),
            "end": instant(change.expires_at),
        },
    )
    renew_decay(writing, number)


def leave(writing: Writing, change: change_kinds.Leaving) -> None:
    """Put a memory on its way out, with its reason and the end of the way back."""
    settle(
        writing,
        change.memory,
        State.LEAVING,
        "leaving_since = :since, leaving_until = :until, leaving_reason = :reason",
        since=change.since,
        until=change.until,
        reason=change.reason.value,
    )


def set_tier(writing: Writing, change: change_kinds.Tiered) -> None:
    """Settle a memory in a tier, where its time starts anew."""
    number = writing.update(
        change.memory,
        "tier = :tier, expires_at = :end",
        {"tier": change.tier.value, "end": instant(change.expires_at)},
    )
    renew_decay(writing, number)


def supersede(writing: Writing, change: change_kinds.Superseded) -> None:
    """End the validity of a memory, unless it was corrected or let go of meanwhile."""
    number = writing.number(change.memory)
    held = writing.execute("SELECT state FROM memory WHERE number = ?", (number,))[0][0]
    if held == State.SUPERSEDED.value:
        raise Refused("store.corrected_by_someone_else", memory=change.memory)
    if held in (State.LEAVING.value, State.FORGOTTEN.value):
        raise Refused("store.let_go_by_someone_else", memory=change.memory)
    settle(writing, change.memory, State.SUPERSEDED, "valid_to = :to", to=change.at)


def rehome(writing: Writing, change: change_kinds.Rehomed) -> None:
    """Let a memory, or a place, belong to another project."""
    if project_table.is_place(change.memory):
        project_table.point_place(writing.connection, writing.owner, change.memory, change.project)
    else:
        writing.update(change.memory, "project = :project", {"project": change.project})


def restore(writing: Writing, change: change_kinds.Restored) -> None:
    """Call a memory back, from the queue or from the archive, to where it stood before."""
    unpack(writing, change.memory)
    _, stood = writing.words(change.memory, "state")
    assert change.state is not None
    state = change.state
    sets = _NOT_LEAVING
    if stood == State.SUPERSEDED.value and state is State.ACTIVE:
        sets += ", valid_to = NULL"
    number = settle(writing, change.memory, state, sets)
    writing.update(change.memory, "expires_at = :end", {"end": instant(change.expires_at)})
    renew_decay(writing, number)


def _place_before(writing: Writing, id: str) -> State:
    """Say where a memory belongs that comes back: leaving is no way out of quarantine."""
    key = (writing.owner, id)
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


# -- Applies Changes and their ledger lines in one transaction: all of them, or none

__all__ = ["Batch", "Committed", "IdempotencyKey", "Writing", "write", "written"]

# What happens beside the memories themselves.
_Beside = (
    change_kinds.Linked
    | change_kinds.Unlinked
    | change_kinds.Met
    | change_kinds.Portrayed
    | change_kinds.Trusted
    | change_kinds.Written
    | change_kinds.Recalled
)


def write(connection: Connection, batch: Batch, analysers: Sequence[Analyser]) -> dict[str, str]:
    """Apply the Changes in order and chain their lines; the caller holds the transaction.

    Returns which memories were not stored because an identical one is here: new id to old id.
    """
    return written(connection, batch, analysers).same


def written(connection: Connection, batch: Batch, analysers: Sequence[Analyser]) -> Writing:
    """Apply the Changes as `write` does; return which of them came of the batch, and where."""
    writing = Writing(connection, batch, analysers)
    if batch.finishes is not None and not job_table.finish_job(connection, batch.finishes):
        raise Refused("store.work_was_taken_over")
    if batch.shift is not None:
        night_table.hold(connection, batch.owner, batch.shift)
    for id in batch.leans_on:
        writing.refuse_newer(id)
    ledger.take_images(writing, tuple(batch.undoes))
    images: list[dict[str, Any]] = []
    for change in batch.changes:
        for each in _collapsed(writing, change) if batch.collapse else (change,):
            applied = _completed(writing, each)
            writing.refuse_changed(applied)
            if batch.maker:
                images.append(ledger.image_before(writing, applied))
            writing.lines.append((applied, _apply(writing, applied)))
    if batch.maker:
        ledger.write_undo_images(writing, images)
    lines = writing.lines
    writing.last, writing.head = ledger.append(
        connection, batch.owner, lines, actor=batch.actor, at=batch.at
    )
    if batch.shift is not None:
        night_table.advance(connection, batch.owner, batch.shift)
    for kind, subject in batch.wishes:
        if subject not in writing.same:
            job_table.wish(connection, batch.owner, kind, subject, micros(batch.at))
    return writing


def _collapsed(writing: Writing, change: Change) -> tuple[Change, ...]:
    """Turn the saving of a text that is here already into one more reason to keep it."""
    match change:
        case change_kinds.Saved(memory=memory):
            rows = writing.execute(
                "SELECT id, tier, lifetime, last_date FROM memory WHERE owner = :owner "
                "AND canonical_key = :key AND agent = :agent "
                "AND project = :project AND author = :author "
                # The same words from elsewhere lend their trust to none, and take none.
                "AND origin = :origin AND state = :state "
                # What was imagined is not said by being said, nor the other way round.
                "AND CASE WHEN kind = 'imagined' THEN 1 ELSE 0 END = :imagined "
                # "Yesterday" said a week later is another day.
                "AND happened_at = coalesce(:event, happened_at) ORDER BY number LIMIT 1",
                {
                    "owner": memory.scope.user,
                    "key": memory.canonical_key,
                    "agent": memory.scope.agent,
                    "project": memory.scope.project,
                    "author": memory.provenance.author,
                    "origin": memory.provenance.origin.value,
                    "state": memory.life.state.value,
                    "imagined": int(memory.kind is Kind.IMAGINED),
                    "event": micros(memory.time.happened_at) if memory.time.said_at else None,
                },
            )
            if rows:
                writing.same[memory.id] = rows[0][0]
                again = _said_again(writing, memory, *rows[0])
                return (*again, *_tagged_again(writing, memory, rows[0][0]))
        case change_kinds.Linked(link=link):
            if link.source in writing.same or link.target in writing.same:
                return _tied_instead(writing, change)
        case change_kinds.Superseded(by=by):
            if by in writing.same:
                return ()
        case change_kinds.Met(memory=id):
            if id in writing.same:
                return (replace(change, memory=writing.same[id]),)
        case _:
            pass
    return (change,)


def _tagged_again(writing: Writing, memory: Memory, id: str) -> tuple[Change, ...]:
    """File what is said again under the tags it comes with; what was made to stay, stays."""
    if not memory.content.tags:
        return ()
    _, details, immutable = writing.words(id, "details, immutable")
    here = json.loads(details or "{}").get("tags", ())
    new = tuple(each for each in memory.content.tags if each not in here)
    if immutable or not new:
        return ()
    checked_tags([*here, *new])
    return (change_kinds.Tagged(id, new),)


def _tied_instead(writing: Writing, change: change_kinds.Linked) -> tuple[Change, ...]:
    """Tie what someone asked to tie to the memory that is here; what was only found, not again."""
    link = change.link
    source = writing.same.get(link.source, link.source)
    if link.type not in (PARENT, RELATED) or source == link.target:
        return ()
    if link.type == PARENT and (_is_new(writing, link.target) or _follows(writing, link, source)):
        # A part of a long turn that is here already, or a memory that would follow from itself.
        return ()
    return (replace(change, link=replace(link, source=source)),)


def _is_new(writing: Writing, id: str) -> bool:
    """Say whether a memory is saved by this very transaction."""
    changes = writing.batch.changes
    return any(isinstance(each, change_kinds.Saved) and each.memory.id == id for each in changes)


def _follows(writing: Writing, link: Link, source: str) -> bool:
    """Say whether the end of a tie follows, at any distance, from the memory it would lead from."""
    rows = writing.execute(
        "WITH RECURSIVE above (id) AS (SELECT :end UNION SELECT l.target FROM link l "
        "JOIN above ON l.source = above.id WHERE l.owner = :owner AND l.type = :parent) "
        "SELECT 1 FROM above WHERE id = :source",
        {"end": link.target, "source": source, "owner": writing.owner, "parent": PARENT},
    )
    return bool(rows)


def _said_again(
    writing: Writing, memory: Memory, id: str, tier: str, lifetime: str, last: int | None
) -> tuple[Change, ...]:
    """Count what was said again; what a person says again does not leave with its first telling.

    Of the two lifetimes the longer one holds: asked for now, or spoken of as a plan, what was
    overheard in passing before is kept for that.
    """
    at, held = writing.batch.at, Tier(tier)
    if memory.provenance.origin not in PERSON:
        return (change_kinds.Reweighed(memory=id, at=at),)
    again = change_kinds.Reweighed(memory=id, at=at, repeat=1.0)
    if memory.life.state is not State.ACTIVE:
        return (again,)
    before = Lifetime(lifetime), moment(last)
    after = longer(before, (memory.life.lifetime, memory.life.last_date))
    end = expiry(held, at, after[1])
    if after == before:
        return again, change_kinds.Tiered(id, held, end)
    return again, change_kinds.Tiered(id, held, end), change_kinds.LifetimeSet(id, *after, end)


def _apply(writing: Writing, change: Change) -> str:
    """Make one Change true; return the digest its ledger line vouches for."""
    match change:
        case change_kinds.Saved():
            return _save(writing, change.memory)
        case change_kinds.Superseded():
            supersede(writing, change)
        case change_kinds.Reweighed():
            _reweigh(writing, change)
        case change_kinds.Retold():
            _retell(writing, change)
        case change_kinds.Interpreted():
            return _understand(writing, change)
        case change_kinds.Pinned():
            writing.update(change.memory, "pinned = :pinned", {"pinned": int(change.pinned)})
        case change_kinds.Tiered():
            set_tier(writing, change)
        case change_kinds.LifetimeSet():
            set_lifetime(writing, change)
        case change_kinds.Shrunk():
            mark_decay(writing, writing.number(change.memory), shrunk=int(change.shrunk))
        case change_kinds.Tagged():
            _tag(writing, change)
        case change_kinds.IslandSet():
            writing.update(change.memory, "island = :island", {"island": change.island})
        case change_kinds.Dozed():
            doze(writing, change.memory)
        case change_kinds.Woken() | change_kinds.Released():
            wake(writing, change.memory)
        case change_kinds.Quarantined():
            settle(writing, change.memory, State.QUARANTINED)
        case change_kinds.Leaving():
            leave(writing, change)
        case change_kinds.Restored():
            restore(writing, change)
        case change_kinds.Archived():
            archive(writing, change)
        case change_kinds.Erased():
            erase(writing, change.memory)
        case change_kinds.Rehomed():
            rehome(writing, change)
        case _:
            _apply_beside(writing, change)
    return ""


def _apply_beside(writing: Writing, change: _Beside) -> None:
    """Make a Change to links, entities, pages or traces true."""
    connection, owner, at = writing.connection, writing.owner, writing.batch.at
    match change:
        case change_kinds.Linked() | change_kinds.Unlinked():
            entity_table.tie(connection, owner, change, at)
        case change_kinds.Met():
            entity_table.meet(connection, owner, change, at)
        case change_kinds.Portrayed():
            entity_table.portray(connection, owner, change)
        case change_kinds.Trusted():
            entity_table.trust(connection, owner, change)
        case change_kinds.Written():
            entity_table.write_page(connection, owner, change.page, at, after=change.after)
        case change_kinds.Recalled():
            memory_table.count_recall(connection, owner, change, at)
        case _:
            assert_never(change)


def _save(writing: Writing, memory: Memory) -> str:
    """Insert the memory, its words and, if it has one, its vector."""
    checked(memory)
    if memory.scope.user != writing.batch.owner:
        raise Refused(
            "store.memory_of_cannot_be_written", user=memory.scope.user, owner=writing.batch.owner
        )
    row = to_row(memory)
    salt = ledger.new_salt()
    sworn = ledger.digest(salt, row)
    values = {**row, "salt": salt, "digest": sworn}
    if drawn := held_by(writing.connection).get("numbers"):
        number = drawn.pop()
        writing.execute(INSERT_AT, {**values, "number": number})
    else:
        rows = writing.execute(INSERT, values)
        if not rows:
            raise BadInput("store.already_memory", id=memory.id)
        number = int(rows[0][0])
    index_words(writing, number, memory)
    return sworn


# What reading adds to a memory that was kept before it was read: part of it, and the fields.
_READ = {
    "content": ("brief", "triples", "keywords", "language"),
    "worth": ("importance",),
    "life": ("lifetime", "last_date", "expires_at"),
}


def _understand(writing: Writing, change: change_kinds.Interpreted) -> str:
    """Add to a memory what was read in it, and index it; return the digest that holds from now."""
    number = writing.number(change.memory)
    writing.words(change.memory, "id")
    held = memory_in(writing.connection, number)
    memory = _read_into(held, change.before, change.after)
    row = to_row(checked(memory))
    salt = writing.words(change.memory, "salt")[1]
    sworn = ledger.digest(salt, row)
    moved = {name: row[name] for name in READ_COLUMNS}
    sets = ", ".join(f"{name} = :{name}" for name in moved)
    writing.update(change.memory, f"{sets}, digest = :digest", {**moved, "digest": sworn})
    index_memory.index_reading(
        writing.connection,
        number,
        memory,
        analysers=writing.analysers,
        vector=writing.batch.vectors.get(memory.id),
        identity=writing.batch.identity,
        at=writing.at,
    )
    return sworn


def _read_into(held: Memory, before: Memory, after: Memory) -> Memory:
    """Return a memory with what was read in it, where nobody has moved that since."""
    moved: dict[str, Any] = {
        name: getattr(after, name)
        for name in ("kind", "emotion")
        if getattr(held, name) == getattr(before, name)
    }
    for part, names in _READ.items():
        here, was, read = (getattr(each, part) for each in (held, before, after))
        fresh = {
            name: getattr(read, name) for name in names if getattr(here, name) == getattr(was, name)
        }
        moved[part] = replace(here, **fresh)
    return held.evolve(**moved)


def _completed(writing: Writing, change: Change) -> Change:
    """Add what only the store knows: the place of a turn in its session, where one returns to."""
    if isinstance(change, change_kinds.Restored):
        return replace(change, state=_place_before(writing, change.memory))
    if not isinstance(change, change_kinds.Saved) or not writing.batch.count_turns:
        return change
    memory = change.memory
    if not memory.scope.session:
        return change
    ((last,),) = writing.execute(
        "SELECT coalesce(max(sequence), 0) FROM memory WHERE owner = ? AND session = ?",
        (memory.scope.user, memory.scope.session),
    )
    numbered = memory.evolve(time=replace(memory.time, sequence=last + 1))
    return change_kinds.Saved(numbered)


def _reweigh(writing: Writing, change: change_kinds.Reweighed) -> None:
    number = writing.update(
        change.memory,
        "recalled = recalled + :recalled, used = used + :used, repeated = repeated + :repeat, "
        "feedback = feedback + :feedback, importance = coalesce(:importance, importance), "
        "confidence = coalesce(:confidence, confidence), rating = coalesce(:rating, rating), "
        "recalled_at = CASE WHEN :recalled > 0 THEN max(:at, coalesce(recalled_at, 0)) "
        "ELSE recalled_at END, "
        "used_at = CASE WHEN :used > 0 THEN max(:at, coalesce(used_at, 0)) ELSE used_at END",
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
    if change.rating is not None:
        refresh_decay(writing, number)
    if change.lent is not None:
        mark_decay(writing, number, lent=change.lent)


def _tag(writing: Writing, change: change_kinds.Tagged) -> None:
    number = writing.number(change.memory)
    more = json.loads(writing.words(change.memory, "details")[1] or "{}")
    more["tags"] = [*more.get("tags", ()), *change.tags]
    packed = json.dumps(more, ensure_ascii=False, separators=(",", ":"))
    writing.execute("UPDATE memory SET details = ? WHERE number = ?", (packed, number))
    memory = memory_in(writing.connection, number)
    index_memory.add_tags(writing.connection, number, memory, change.tags, writing.analysers)


def _retell(writing: Writing, change: change_kinds.Retold) -> None:
    number = writing.number(change.memory)
    held = writing.execute("SELECT details FROM memory WHERE number = ?", (number,))[0][0]
    more = json.loads(held or "{}")
    more["brief"], more["triples"] = change.brief, change.triples
    packed = json.dumps(more, ensure_ascii=False, separators=(",", ":"))
    writing.execute("UPDATE memory SET details = ? WHERE number = ?", (packed, number))
    index_memory.drop_claims(writing.connection, number)
    index_memory.put_claims(writing.connection, number, memory_in(writing.connection, number))
