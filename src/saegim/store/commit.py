"""Applies Changes and their ledger lines in one transaction: all of them, or none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, assert_never

from saegim.errors import BadInput, Refused
from saegim.language.words import Analyser
from saegim.memory import changes as change_kinds
from saegim.memory.changes import Change
from saegim.memory.clock import micros
from saegim.memory.coordinate import PERSON
from saegim.memory.links import PARENT, RELATED, Link
from saegim.memory.memory import Memory, checked
from saegim.memory.tiers import Lifetime, State, Tier, expiry, longer
from saegim.store import apply, ledger, undo_images
from saegim.store.batch import Batch, Committed, Receipt, Writing
from saegim.store.database import Connection
from saegim.store.rows import INSERT, memory_in, moment, to_row
from saegim.store.search import index_memory
from saegim.store.tables import entity_table, job_table, link_table, memory_table, night_table

__all__ = ["Batch", "Committed", "Receipt", "Writing", "write", "written"]

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
    undo_images.take_images(writing, tuple(batch.undoes))
    images: list[dict[str, Any]] = []
    for change in batch.changes:
        for each in _collapsed(writing, change) if batch.collapse else (change,):
            applied = _in_session(writing, each)
            writing.refuse_changed(applied)
            if batch.maker:
                images.append(undo_images.image_before(writing, applied))
            writing.lines.append((applied, _apply(writing, applied)))
    if batch.maker:
        undo_images.keep_images(writing, images)
    lines = writing.lines
    writing.last = ledger.append(connection, batch.owner, lines, actor=batch.actor, at=batch.at)
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
                return _said_again(writing, memory, *rows[0])
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
            apply.supersede(writing, change)
        case change_kinds.Reweighed():
            _reweigh(writing, change)
        case change_kinds.Retold():
            _retell(writing, change)
        case change_kinds.Pinned():
            writing.update(change.memory, "pinned = :pinned", {"pinned": int(change.pinned)})
        case change_kinds.Tiered():
            apply.set_tier(writing, change)
        case change_kinds.LifetimeSet():
            apply.set_lifetime(writing, change)
        case change_kinds.Shrunk():
            apply.mark_decay(writing, writing.number(change.memory), shrunk=int(change.shrunk))
        case change_kinds.Dozed():
            apply.doze(writing, change.memory)
        case change_kinds.Woken() | change_kinds.Released():
            apply.wake(writing, change.memory)
        case change_kinds.Quarantined():
            apply.settle(writing, change.memory, State.QUARANTINED)
        case change_kinds.Leaving():
            apply.leave(writing, change)
        case change_kinds.Restored():
            apply.restore(writing, change)
        case change_kinds.Archived():
            apply.archive(writing, change)
        case change_kinds.Erased():
            apply.erase(writing, change.memory)
        case change_kinds.Rehomed():
            apply.rehome(writing, change)
        case _:
            _apply_beside(writing, change)
    return ""


def _apply_beside(writing: Writing, change: _Beside) -> None:
    """Make a Change to links, entities, pages or traces true."""
    connection, owner, at = writing.connection, writing.owner, writing.batch.at
    match change:
        case change_kinds.Linked() | change_kinds.Unlinked():
            link_table.tie(connection, owner, change, at)
        case change_kinds.Met():
            entity_table.meet(connection, owner, change, at)
        case change_kinds.Portrayed():
            entity_table.portray(connection, owner, change)
        case change_kinds.Trusted():
            entity_table.trust(connection, owner, change)
        case change_kinds.Written():
            entity_table.write_page(connection, owner, change.page, at)
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
    rows = writing.execute(INSERT, {**row, "salt": salt, "digest": sworn})
    if not rows:
        raise BadInput("store.already_memory", id=memory.id)
    apply.index_words(writing, int(rows[0][0]), memory)
    return sworn


def _in_session(writing: Writing, change: Change) -> Change:
    """Give a turn that is saved the next number of its session."""
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
        apply.refresh_decay(writing, number)
    if change.lent is not None:
        apply.mark_decay(writing, number, lent=change.lent)


def _retell(writing: Writing, change: change_kinds.Retold) -> None:
    number = writing.number(change.memory)
    held = writing.execute("SELECT details FROM memory WHERE number = ?", (number,))[0][0]
    more = json.loads(held or "{}")
    more["brief"], more["triples"] = change.brief, change.triples
    packed = json.dumps(more, ensure_ascii=False, separators=(",", ":"))
    writing.execute("UPDATE memory SET details = ? WHERE number = ?", (packed, number))
    index_memory.drop_claims(writing.connection, number)
    index_memory.put_claims(writing.connection, number, memory_in(writing.connection, number))
