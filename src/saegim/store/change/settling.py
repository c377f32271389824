"""A memory moves to another state, and back to where it stood before."""

from __future__ import annotations

from datetime import datetime

from saegim.errors import Refused
from saegim.memory import changes as change_kinds
from saegim.memory.clock import micros
from saegim.memory.tiers import FINDABLE, State, Tier, expiry
from saegim.store.change import ageing, parting
from saegim.store.change.writing import Writing
from saegim.store.desk import projects
from saegim.store.index import stated, vectors
from saegim.store.rows import instant


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
    stated.settle(writing.connection, writing.number(id), lives, writing.at)
    number = writing.update(id, sets, {**params, "state": state.value})
    vectors.set_live(writing.connection, writing.owner, number, lives)
    return number


_NOT_LEAVING = "leaving_since = NULL, leaving_until = NULL, leaving_reason = NULL"


def doze(writing: Writing, id: str) -> None:
    """Let a memory sleep, and note since when."""
    number = settle(writing, id, State.DORMANT, _NOT_LEAVING)
    ageing.mark(writing, number, dormant_since=writing.at)


def wake(writing: Writing, id: str) -> None:
    """Let a memory be active again, and young: what is over does not end it the next night."""
    number = settle(writing, id, State.ACTIVE)
    _, tier, end = writing.words(id, "tier, expires_at")
    fresh = instant(expiry(Tier(tier), writing.batch.at))
    if end is not None and fresh is not None and end < writing.at:
        writing.update(id, "expires_at = :end", {"end": fresh})
    ageing.refresh(writing, number)


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
    ageing.renew(writing, number)


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


def tier(writing: Writing, change: change_kinds.Tiered) -> None:
    """Settle a memory in a tier, where its time starts anew."""
    number = writing.update(
        change.memory,
        "tier = :tier, expires_at = :end",
        {"tier": change.tier.value, "end": instant(change.expires_at)},
    )
    ageing.renew(writing, number)


def supersede(writing: Writing, change: change_kinds.Superseded) -> None:
    """End the validity of a memory, unless another version has taken its place meanwhile."""
    number = writing.number(change.memory)
    held = writing.execute("SELECT state FROM memory WHERE number = ?", (number,))[0][0]
    if held == State.SUPERSEDED.value:
        raise Refused("store.corrected_by_someone_else", memory=change.memory)
    settle(writing, change.memory, State.SUPERSEDED, "valid_to = :to", to=change.at)


def rehome(writing: Writing, change: change_kinds.Rehomed) -> None:
    """Let a memory, or a place, belong to another project."""
    if projects.is_place(change.memory):
        projects.point(writing.connection, writing.owner, change.memory, change.project)
    else:
        writing.update(change.memory, "project = :project", {"project": change.project})


def restore(writing: Writing, change: change_kinds.Restored) -> None:
    """Call a memory back, from the queue or from the archive, to where it stood before."""
    parting.unpack(writing, change.memory)
    _, stood = writing.words(change.memory, "state")
    state = _place_before(writing, change.memory)
    sets = _NOT_LEAVING
    if stood == State.SUPERSEDED.value and state is State.ACTIVE:
        sets += ", valid_to = NULL"
    number = settle(writing, change.memory, state, sets)
    writing.update(change.memory, "expires_at = :end", {"end": instant(change.expires_at)})
    ageing.renew(writing, number)


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
