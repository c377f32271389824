"""Undo images: what stood there before a Change, kept until the way back ends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from saegim.errors import Refused
from saegim.memory import changes as change_kinds
from saegim.memory.changes import Change
from saegim.memory.clock import from_micros, micros
from saegim.store.batch import Writing
from saegim.store.database import Database
from saegim.store.ledger import head
from saegim.store.tables import project_table

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
            return {"kind": page.kind}
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


def keep_images(writing: Writing, images: list[dict[str, Any]]) -> None:
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

    def drop_expired(self, owner: str, at: datetime) -> int:
        """Drop what stood before Changes that can no longer be taken back; return how much."""
        with self._database.writing(owner) as connection:
            rows = connection.execute(
                "DELETE FROM before WHERE owner = ? AND until <= ? RETURNING seq",
                (owner, micros(at)),
            ).fetchall()
        return len(rows)
