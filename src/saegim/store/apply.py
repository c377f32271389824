"""How Changes to a memory come true: its state, its decay, and its words in the live store."""

from __future__ import annotations

import json
import zlib
from datetime import datetime
from typing import Any

from saegim.errors import Refused, StoreCorrupt
from saegim.memory import changes as change_kinds
from saegim.memory.clock import micros
from saegim.memory.memory import Memory
from saegim.memory.tiers import FINDABLE, State, Tier, expiry
from saegim.store import undo_images
from saegim.store.batch import Writing
from saegim.store.erase_rows import all_erased, clear_traces, find_traces, last_erased
from saegim.store.rows import instant, memory_in, unpacked
from saegim.store.search import embedding_index, index_memory
from saegim.store.tables import job_table, project_table, session_table


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
    memory = memory_in(writing.connection, number)
    index_words(writing, number, memory)
    embedding_index.want_again(writing.connection, number, writing.at)


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
    undo_images.drop_word_images(writing, id)


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
    embedding_index.set_live(writing.connection, writing.owner, number, lives)
    return number


_NOT_LEAVING = "leaving_since = NULL, leaving_until = NULL, leaving_reason = NULL"


def doze(writing: Writing, id: str) -> None:
    """Let a memory sleep, and note since when."""
    number = settle(writing, id, State.DORMANT, _NOT_LEAVING)
    mark_decay(writing, number, dormant_since=writing.at)


def wake(writing: Writing, id: str) -> None:
    """Let a memory be active again, and young: what is over does not end it the next night."""
    number = settle(writing, id, State.ACTIVE)
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
    """End the validity of a memory, unless another version has taken its place meanwhile."""
    number = writing.number(change.memory)
    held = writing.execute("SELECT state FROM memory WHERE number = ?", (number,))[0][0]
    if held == State.SUPERSEDED.value:
        raise Refused("store.corrected_by_someone_else", memory=change.memory)
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
    state = _place_before(writing, change.memory)
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
