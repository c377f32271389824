"""What was decided and shown, in which state, and what followed: numbers and ids, never words.

Bookkeeping like a trace: written behind the answer, bounded, and erased with its memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from saegim.store.database import Connection, Database

TURN, SHOWN, REPLY = "turn", "shown", "reply"
# However often something is praised, one decision has earned no more than this.
_MOST: Final = 1.0
# Of a reply's memories: this one stood in it.
_CAME_BACK: Final = "used"
_COLUMNS: Final = (
    "id, kind, at, session, memory, action, ruled, decided, phase, state, meaning, reward, followed"
)
_NEXT: Final = "(SELECT coalesce(max(followed), 0) + 1 FROM experience WHERE owner = :owner)"


def _mark_of(embedder: str) -> bytes:
    """Return eight bytes that stand before what an embedder says a turn means."""
    return hashlib.blake2b(embedder.encode(), digest_size=8).digest()


def with_embedder(meaning: Sequence[float], embedder: str) -> bytes:
    """Return a meaning as it is kept: the same numbers of another embedder mean nothing."""
    return _mark_of(embedder) + np.asarray(meaning, dtype=np.float16).tobytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """One decision or one memory that was shown: its state, and the reward if one followed."""

    owner: str
    id: str
    kind: str
    at: int
    session: str = ""
    memory: str = ""
    action: str = ""
    ruled: str = ""
    decided: str = "rule"
    phase: int = 0
    state: bytes = b""
    meaning: bytes | None = None
    reward: float | None = None
    followed: int | None = None

    def vector(self) -> NDArray[np.float32]:
        """Return the state as numbers."""
        return np.frombuffer(self.state, np.float32)

    def whole(self, embedder: str) -> NDArray[np.float32] | None:
        """Return the meaning and then the state, where this embedder gave the meaning."""
        mark = _mark_of(embedder)
        if self.meaning is None or not self.meaning.startswith(mark):
            return None
        meant = np.frombuffer(self.meaning[len(mark) :], np.float16).astype(np.float32)
        return np.concatenate([meant, self.vector()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """What followed: how good, and whom to credit.

    An answer (`trace`) and those of its memories, the decisions that kept these memories, and the
    last decision of the session before an instant.
    """

    owner: str
    reward: float
    trace: str = ""
    memories: tuple[str, ...] = ()
    session: str = ""
    before: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyNote:
    """The last reply of a room, for whichever process hears how it is taken: ids, no words."""

    owner: str
    room: str
    at: int
    trace: str = ""
    ids: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    taken_up: bool = False
    # A reply that was judged leaves nothing.
    judged: bool = False


Noted = Experience | Reward | ReplyNote


class ExperienceTable:
    """The experience of each owner, the newest so many of each kind."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, entries: Sequence[Noted], most: int, *, patience: float | None = None) -> None:
        """Write what was decided and what followed, in this order, and let the oldest go."""
        for owner in sorted({each.owner for each in entries}):
            mine = [each for each in entries if each.owner == owner]
            with self._database.writing(owner, patience=patience) as connection:
                _write(connection, owner, mine, most)

    def followed(self, owner: str, kind: str, after: int = 0) -> list[Experience]:
        """Return what a reward followed, in the order the rewards came, after a place."""
        return self._read("AND followed > :after ORDER BY followed, id", owner, kind, after=after)

    def latest(self, owner: str, kind: str, most: int) -> list[Experience]:
        """Return the newest of a kind, the newest first."""
        return self._read("ORDER BY at DESC, id DESC LIMIT :most", owner, kind, most=most)

    def last_reply(self, owner: str, room: str) -> ReplyNote | None:
        """Return what the last reply of a room leaned on, as far as that is still remembered."""
        rows = self._read("AND session = :room ORDER BY id", owner, REPLY, room=room)
        if not rows:
            return None
        return ReplyNote(
            owner=owner,
            room=room,
            at=rows[0].at,
            trace=rows[0].action,
            ids=tuple(row.memory for row in rows if row.memory),
            used=tuple(row.memory for row in rows if row.ruled == _CAME_BACK),
            taken_up=bool(rows[0].phase),
        )

    def rewards(self, owner: str, kind: str, most: int) -> list[float]:
        """Return the last rewards of a kind in the order they came."""
        rows = self._database.rows(
            "SELECT reward FROM experience WHERE owner = ? AND kind = ? AND followed IS NOT NULL "
            "ORDER BY followed DESC, id DESC LIMIT ?",
            (owner, kind, most),
        )
        return [float(reward) for (reward,) in reversed(rows)]

    def beside(self, owner: str, ids: Sequence[str]) -> list[Experience]:
        """Return what was shown in these answers, by the place it had."""
        return self._read(
            "AND substr(id, 1, instr(id, ':') - 1) IN (SELECT value FROM json_each(:ids)) "
            "ORDER BY id",
            owner,
            SHOWN,
            ids=json.dumps(list(ids)),
        )

    def _read(self, rest: str, owner: str, kind: str, **more: Any) -> list[Experience]:
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM experience WHERE owner = :owner AND kind = :kind {rest}",
            {"owner": owner, "kind": kind, **more},
        )
        names = _COLUMNS.split(", ")
        return [Experience(owner=owner, **dict(zip(names, row, strict=True))) for row in rows]

    def counts(self, owner: str) -> dict[str, dict[str, int]]:
        """Return how often each action was decided, by who decided."""
        found: dict[str, dict[str, int]] = {}
        for action, decided, count in self._database.rows(
            "SELECT action, decided, count FROM decision_count WHERE owner = ? "
            "ORDER BY action, decided",
            (owner,),
        ):
            found.setdefault(str(action), {})[str(decided)] = int(count)
        return found


def _write(connection: Connection, owner: str, entries: Sequence[Noted], most: int) -> None:
    for each in entries:
        if isinstance(each, Reward):
            _credit(connection, each)
        elif isinstance(each, ReplyNote):
            _note_reply(connection, each)
        else:
            _insert(connection, each)
    for kind in sorted({_kind_of(each) for each in entries}):
        connection.execute(
            "DELETE FROM experience WHERE owner = :owner AND kind = :kind AND id IN "
            "(SELECT id FROM experience WHERE owner = :owner AND kind = :kind "
            "ORDER BY at DESC, id DESC LIMIT -1 OFFSET :most)",
            {"owner": owner, "kind": kind, "most": most},
        )


def _kind_of(entry: Noted) -> str:
    return entry.kind if isinstance(entry, Experience) else REPLY


def _note_reply(connection: Connection, given: ReplyNote) -> None:
    """Put a reply in the place of the one before it; a row for each memory it leaned on."""
    connection.execute(
        "DELETE FROM experience WHERE owner = ? AND kind = ? AND session = ?",
        (given.owner, REPLY, given.room),
    )
    for place, id in enumerate(() if given.judged else given.ids or ("",)):
        row = Experience(
            owner=given.owner,
            id=f"reply:{given.room}:{place:02}",
            kind=REPLY,
            at=given.at,
            session=given.room,
            memory=id,
            action=given.trace,
            ruled=_CAME_BACK if id in given.used else "",
            phase=int(given.taken_up),
        )
        _insert(connection, row)


def _insert(connection: Connection, each: Experience) -> None:
    # What was erased between the answer and this line leaves nothing.
    gone = (
        connection.execute(
            "SELECT 1 FROM memory WHERE owner = ? AND id = ? AND text IS NULL",
            (each.owner, each.memory),
        ).fetchall()
        if each.memory
        else []
    )
    if gone:
        return
    written = connection.execute(
        f"INSERT INTO experience (owner, {_COLUMNS}) VALUES (:owner, :id, :kind, :at, :session, "
        ":memory, :action, :ruled, :decided, :phase, :state, :meaning, NULL, NULL) "
        "ON CONFLICT (owner, id) DO NOTHING RETURNING 1",
        {
            "owner": each.owner,
            "id": each.id,
            "kind": each.kind,
            "at": each.at,
            "session": each.session,
            "memory": each.memory,
            "action": each.action,
            "ruled": each.ruled,
            "decided": each.decided,
            "phase": each.phase,
            "state": each.state,
            "meaning": each.meaning,
        },
    ).fetchall()
    if written and each.kind == TURN:
        connection.execute(
            "INSERT INTO decision_count VALUES (?, ?, ?, 1) "
            "ON CONFLICT (owner, action, decided) "
            "DO UPDATE SET count = decision_count.count + 1",
            (each.owner, each.action, each.decided),
        )


def _credit(connection: Connection, given: Reward) -> None:
    key = {
        "owner": given.owner,
        "reward": given.reward,
        "most": _MOST,
        "trace": f"{given.trace}:",
        "size": len(given.trace) + 1,
        "memories": json.dumps(given.memories),
        "session": given.session,
        "before": given.before,
        "turn": TURN,
        "shown": SHOWN,
    }
    among = "memory IN (SELECT value FROM json_each(:memories))"
    whom = []
    if given.trace:
        whom.append(f"(kind = :shown AND substr(id, 1, :size) = :trace AND {among})")
    if given.memories:
        whom.append(f"(kind = :turn AND memory <> '' AND {among})")
    if given.before:
        whom.append(
            "id = (SELECT id FROM experience WHERE owner = :owner AND kind = :turn "
            "AND session = :session AND at < :before ORDER BY at DESC, id DESC LIMIT 1)"
        )
    if whom:
        connection.execute(
            f"UPDATE experience SET followed = {_NEXT}, "
            "reward = max(-:most, min(:most, coalesce(reward, 0) + :reward)) "
            f"WHERE owner = :owner AND ({' OR '.join(whom)})",
            key,
        )


def drop_experience(connection: Connection, owner: str, ids: Sequence[str]) -> None:
    """Forget what was decided about memories, and where they were shown.

    What a turn meant that was not kept belongs to no memory: of those the meaning goes as well.
    """
    connection.execute(
        "UPDATE experience SET meaning = NULL WHERE owner = ? AND memory = ''", (owner,)
    )
    connection.execute(
        "DELETE FROM experience WHERE owner = ? AND memory <> '' "
        "AND memory IN (SELECT value FROM json_each(?))",
        (owner, json.dumps(list(ids))),
    )
