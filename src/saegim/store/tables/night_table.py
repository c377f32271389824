"""Nights that were slept: who holds one, how far it is, when each stage is due.

One night of an owner runs at a time. Whoever holds it renews a short lease; when the lease is over
another process takes the night up where it stands, and what the first one still writes is refused,
because every commit names the fence it was begun under.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from saegim.errors import TakenOver
from saegim.memory.clock import from_micros, micros
from saegim.memory.memory import Scope
from saegim.store.database import Connection, Database, first
from saegim.store.tables.queue import Queue

# Renewed four times in its course; a night whose holder died waits no longer than this.
LEASE = timedelta(minutes=2)
_QUEUE = Queue("night", proof="fence", length=LEASE)
DONE = "done"
# A night that was left longer ago is not taken up, but begun anew.
_STALE = timedelta(days=1)
_NIGHT = (
    "SELECT owner, id, at, state, stages, done, told, fence, leased_until, lets_go, began_at, "
    "ended_at FROM night "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NightRow:
    """One night as it is written down."""

    owner: str
    id: str
    at: datetime
    state: str
    stages: tuple[str, ...]
    done: tuple[str, ...]
    # What each stage did: {"merge": {"merged": 3}, …}.
    told: Mapping[str, Any]
    fence: int
    leased_until: datetime
    lets_go: bool
    began_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What a commit of a night proves and moves on: the fence, and what the stage has done."""

    night: str
    fence: int
    stage: str
    until: datetime
    # What was done in this commit, to be added to what the night tells.
    did: Mapping[str, Any] = field(default_factory=dict)
    # The stage ends with this commit: where it looks on from next time, and when that is.
    ends: bool = False
    place: str | None = None
    due_at: datetime | None = None
    covered: datetime | None = None


@dataclass(frozen=True, slots=True)
class StageTurn:
    """When a stage is due, the period it last covered, and up to where it had looked."""

    due_at: datetime
    covered: datetime
    place: str


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """What the watch knows: the last night it saw, until when nothing may leave, if it rests."""

    seen_at: datetime | None
    quiet_until: datetime
    paused: bool


def hold(connection: Connection, owner: str, shift: Shift) -> None:
    """Refuse to write for a night that someone else has taken over."""
    fence = first(
        connection,
        "SELECT fence FROM night WHERE owner = ? AND id = ? AND state = 'running'",
        (owner, shift.night),
    )
    if fence != shift.fence:
        raise TakenOver("store.taken_over_by_another_process", night=shift.night)


def advance(connection: Connection, owner: str, shift: Shift) -> None:
    """Note what a commit did; where the stage ends, tick it off and say when it is due again."""
    key = (owner, shift.night)
    rows: list[Any] = connection.execute(
        "SELECT done, told FROM night WHERE owner = ? AND id = ?", key
    ).fetchall()
    done, told = json.loads(rows[0][0]), json.loads(rows[0][1])
    _add(told.setdefault(shift.stage, {}), shift.did)
    if shift.ends:
        done.append(shift.stage)
        _next_turn(connection, owner, shift)
    connection.execute(
        "UPDATE night SET done = ?, told = ?, leased_until = ? WHERE owner = ? AND id = ?",
        (json.dumps(done), json.dumps(told, ensure_ascii=False), micros(shift.until), *key),
    )


# Ids beside a count are samples for the report, not a list of everything.
_MOST_SAMPLES = 20


def _add(told: dict[str, Any], did: Mapping[str, Any]) -> None:
    """Add counts to counts and samples to samples."""
    for what, value in did.items():
        if isinstance(value, int | float):
            told[what] = told.get(what, 0) + value
        elif isinstance(value, str):
            told[what] = value
        else:
            told[what] = [*told.get(what, []), *value][:_MOST_SAMPLES]


def _next_turn(connection: Connection, owner: str, shift: Shift) -> None:
    connection.execute(
        "INSERT INTO rota VALUES (:owner, :stage, :due, :covered, :place) "
        "ON CONFLICT (owner, stage) DO UPDATE SET due_at = excluded.due_at, "
        "covered = excluded.covered, place = coalesce(:moved, rota.place)",
        {
            "owner": owner,
            "stage": shift.stage,
            "due": micros(shift.due_at or shift.until),
            "covered": micros(shift.covered or shift.until),
            "place": shift.place or "",
            "moved": shift.place,
        },
    )


class NightTable:
    """The book of nights of all owners."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def owners(self) -> list[str]:
        """Return whose memories are here."""
        rows = self._database.rows("SELECT DISTINCT owner FROM ledger ORDER BY owner")
        return [str(row[0]) for row in rows]

    def under_way(self, now: datetime) -> int:
        """Count the nights that somebody holds now, of all owners."""
        rows = self._database.rows(
            "SELECT count(*) FROM night WHERE state = 'running' AND leased_until > ?",
            (micros(now),),
        )
        return int(rows[0][0])

    def begin(
        self,
        scope: Scope,
        id: str,
        stages: Sequence[str],
        now: datetime,
        *,
        vigil: ScheduleState,
        due: bool = False,
    ) -> NightRow | None:
        """Begin a night, or take up the one that was left; nothing if someone else holds it.

        With `due`, only of stages that are due inside this very transaction: whoever looked
        before may have slept them meanwhile.
        """
        with self._database.writing(scope.user) as connection:
            held = connection.execute(
                f"{_NIGHT} WHERE owner = ? AND state = 'running'", (scope.user,)
            ).fetchall()
            if held:
                night = _night(held[0])
                # A lease that reaches further than any lease can was given by a wrong clock.
                if now < night.leased_until <= now + 2 * LEASE:
                    return None
                if abs(now - night.at) <= _STALE:
                    return self._taken(connection, night, now)
                # It counted with an instant long past: what it would let go could not be called
                # back in time. What it left undone, the next night finds.
                connection.execute(
                    "UPDATE night SET state = 'done', ended_at = ?, fence = fence + 1 "
                    "WHERE owner = ? AND id = ?",
                    (micros(now), night.owner, night.id),
                )
            if due and not (stages := _still_due(connection, scope.user, stages, now)):
                return None
            connection.execute(
                "INSERT INTO night VALUES (:owner, :id, :now, 'running', :stages, '[]', '{}', 1, "
                ":until, :lease, :lets_go, :now, NULL)",
                {
                    "owner": scope.user,
                    "id": id,
                    "stages": json.dumps(list(stages)),
                    **_QUEUE.lease(now),
                    "lets_go": int(now >= vigil.quiet_until),
                },
            )
            _watch(connection, scope.user, now, vigil)
            return _found(connection, scope.user, id)

    @staticmethod
    def _taken(connection: Connection, night: NightRow, now: datetime) -> NightRow:
        _QUEUE.take(
            connection,
            "owner = :owner AND id = :id",
            "fence = fence + 1, holder = :lease",
            {"owner": night.owner, "id": night.id, **_QUEUE.lease(now)},
        )
        return _found(connection, night.owner, night.id)

    def close_running(self, owner: str) -> None:
        """Close what runs, in a copy of the store that nobody else has open."""
        with self._database.writing(owner) as connection:
            connection.execute("UPDATE night SET state = 'done' WHERE owner = ?", (owner,))

    def renew(self, owner: str, shift: Shift) -> bool:
        """Hold a night a little longer; say whether it is still ours."""
        with self._database.writing(owner) as connection:
            return _held_until(connection, owner, shift, shift.until)

    def release(self, owner: str, shift: Shift, now: datetime) -> None:
        """Let go of a night before its end, so that another process need not wait for the lease."""
        with self._database.writing(owner) as connection:
            _held_until(connection, owner, shift, now)

    def end(self, night: NightRow, now: datetime) -> NightRow:
        """Close a night that has done all its stages."""
        with self._database.writing(night.owner) as connection:
            over = "state = 'done', ended_at = :now"
            _QUEUE.change(connection, night.owner, night.id, night.fence, over, now=micros(now))
            return _found(connection, night.owner, night.id)

    def get(self, scope: Scope, id: str) -> NightRow | None:
        """Return a night of this user."""
        rows = self._database.rows(f"{_NIGHT} WHERE owner = ? AND id = ?", (scope.user, id))
        return _night(rows[0]) if rows else None

    def running(self, scope: Scope) -> NightRow | None:
        """Return the night that has begun and not ended, whoever holds it."""
        rows = self._database.rows(f"{_NIGHT} WHERE owner = ? AND state = 'running'", (scope.user,))
        return _night(rows[0]) if rows else None

    def latest(self, scope: Scope, limit: int) -> list[NightRow]:
        """Return the latest nights of this user, the last one first."""
        rows = self._database.rows(
            f"{_NIGHT} WHERE owner = ? ORDER BY began_at DESC, id DESC LIMIT ?", (scope.user, limit)
        )
        return [_night(row) for row in rows]

    def turns(self, owner: str) -> dict[str, StageTurn]:
        """Return when each stage is due; one that never ran and was never looked at is missing."""
        rows = self._database.rows(
            "SELECT stage, due_at, covered, place FROM rota WHERE owner = ?", (owner,)
        )
        return {
            str(stage): StageTurn(from_micros(due), from_micros(covered), str(place))
            for stage, due, covered, place in rows
        }

    def plan(self, owner: str, turns: Mapping[str, StageTurn]) -> None:
        """Write down when stages are due that were never planned, or planned by a wrong clock."""
        with self._database.writing(owner) as connection:
            for stage, turn in turns.items():
                connection.execute(
                    "INSERT INTO rota VALUES (?, ?, ?, ?, ?) ON CONFLICT (owner, stage) "
                    "DO UPDATE SET due_at = excluded.due_at, covered = excluded.covered",
                    (owner, stage, micros(turn.due_at), micros(turn.covered), turn.place),
                )

    def vigil(self, owner: str) -> ScheduleState:
        """Return what the watch knows of this owner's clock."""
        rows = self._database.rows(
            "SELECT seen_at, quiet_until, paused FROM watch WHERE owner = ?", (owner,)
        )
        seen, quiet, paused = rows[0] if rows else (0, 0, 0)
        if not seen:
            # Before the first night, the clock was last right when the first memory was kept.
            seen = self._database.rows(
                "SELECT at FROM ledger WHERE owner = ? ORDER BY seq LIMIT 1", (owner,)
            )
            seen = seen[0][0] if seen else 0
        return ScheduleState(from_micros(seen) if seen else None, from_micros(quiet), bool(paused))

    def pause(self, owner: str, paused: bool) -> None:
        """Let the watch rest, or keep watch again."""
        with self._database.writing(owner) as connection:
            connection.execute(
                "INSERT INTO watch VALUES (:owner, 0, 0, :paused) ON CONFLICT (owner) "
                "DO UPDATE SET paused = excluded.paused",
                {"owner": owner, "paused": int(paused)},
            )


def _held_until(connection: Connection, owner: str, shift: Shift, until: datetime) -> bool:
    """Hold a night that runs until then; say whether it is still ours."""
    key, sets = (owner, shift.night, shift.fence), "leased_until = :until"
    running = "state = 'running'"
    return _QUEUE.change(connection, *key, sets, only=running, until=micros(until))


def _still_due(
    connection: Connection, owner: str, stages: Sequence[str], now: datetime
) -> list[str]:
    rows = connection.execute(
        "SELECT stage FROM rota WHERE owner = ? AND due_at <= ?", (owner, micros(now))
    ).fetchall()
    ready = {str(row[0]) for row in rows}
    left = [stage for stage in stages if stage in ready]
    # Whatever is slept is told.
    return [*left, "report"] if left and "report" not in left else left


def _watch(connection: Connection, owner: str, now: datetime, vigil: ScheduleState) -> None:
    connection.execute(
        "INSERT INTO watch VALUES (:owner, :now, :quiet, 0) ON CONFLICT (owner) DO UPDATE SET "
        "seen_at = excluded.seen_at, quiet_until = excluded.quiet_until",
        {"owner": owner, "now": micros(now), "quiet": micros(vigil.quiet_until)},
    )


def _found(connection: Connection, owner: str, id: str) -> NightRow:
    rows = connection.execute(f"{_NIGHT} WHERE owner = ? AND id = ?", (owner, id)).fetchall()
    return _night(rows[0])


def _night(row: Any) -> NightRow:
    owner, id, at, state, stages, done, told, fence, until, lets_go, began, ended = row
    return NightRow(
        owner=owner,
        id=id,
        at=from_micros(at),
        state=state,
        stages=tuple(json.loads(stages)),
        done=tuple(json.loads(done)),
        told=json.loads(told),
        fence=int(fence),
        leased_until=from_micros(until),
        lets_go=bool(lets_go),
        began_at=from_micros(began),
        ended_at=None if ended is None else from_micros(ended),
    )
