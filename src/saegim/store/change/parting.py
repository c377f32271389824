"""The words of a memory leave the live store: for the archive, back from it, or for good."""

from __future__ import annotations

import json
import zlib

from saegim.errors import StoreCorrupt
from saegim.memory import changes as change_kinds
from saegim.memory.clock import micros
from saegim.memory.memory import Memory
from saegim.memory.tiers import State
from saegim.store import nouns
from saegim.store.change import ageing, before, clearing
from saegim.store.change.writing import Writing
from saegim.store.desk import jobs, sessions
from saegim.store.index import keeping, stated, vectors
from saegim.store.rows import unpacked


def index(writing: Writing, number: int, memory: Memory) -> None:
    """Write everything that is derived from the memory's words."""
    keeping.keep(
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
    memory = nouns.memory(writing.connection, number)
    index(writing, number, memory)
    vectors.want_again(writing.connection, number, writing.at)


def erase(writing: Writing, id: str) -> None:
    """Leave nothing of a memory but its id, its numbers and its lines in the ledger.

    Those of one commit go together, with the last of them: what they share is looked at once.
    """
    writing.number(id)
    if id != clearing.last_erased(writing.batch):
        return
    ids = clearing.all_erased(writing.batch)
    found = clearing.traces(writing, ids)
    for each in ids:
        _take_away(writing, each)
    clearing.clear(writing, found)


def _take_away(writing: Writing, id: str) -> None:
    """Take away a memory itself, its ties, and everything derived from its words."""
    number = writing.number(id)
    _unsay(writing, number, id)
    ageing.drop(writing, number)
    jobs.drop(writing.connection, writing.owner, id)
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
    stated.settle(writing.connection, number, False, writing.at)
    keeping.drop(writing.connection, writing.owner, number)
    sessions.unsay(writing.connection, writing.owner, number)
    before.drop_words(writing, id)
