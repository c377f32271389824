"""`SharingHouse`: what one person's house gives to its swarm, and what it takes of it.

Runs where the store is open. It gives the difference between what was learned here and the model
of the swarm: clipped, noised, rounded, and paid for before it is handed to the process that sends
it. It takes the model of the swarm as a candidate, which is used only if it does better on the
person's own held-out decisions than what is in use.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from saegim.errors import Refused
from saegim.federation import swarm
from saegim.federation.aggregate import least_members
from saegim.federation.exchange import Offer, SharedModel, hand_offer, shared_in, text_of
from saegim.federation.keys import read_own, written
from saegim.federation.peer_process import START
from saegim.federation.privacy import Budget, PrivacyLedger, noised
from saegim.federation.swarm import Membership, membership_in

_NOTES: Final = "house.json"
# An envelope that waited longer than this is of a round that nobody remembers.
_KEPT_SECONDS: Final = 7 * 86_400
# The process tells how it is twice a minute.
_SILENT_SECONDS: Final = 90.0

Vector = NDArray[np.float32]


class HouseNotes(msgspec.Struct, kw_only=True):
    """What this house remembers of its swarm from one look to the next."""

    swarm: str = ""
    # The round whose model was looked at last, and how often one was used or not.
    considered: int = 0
    adopted: int = 0
    declined: int = 0
    shared: int = 0
    # Why nothing was shared the last time.
    held_back: str = ""


@dataclass(frozen=True, slots=True)
class LookResult:
    """What one look at the swarm came to."""

    round: int = 0
    adopted: bool = False
    declined: bool = False
    shared: int = 0
    held_back: str = ""


class SharingHouse:
    """The house of one store among others."""

    def __init__(self, store: Path, budget: Budget | None = None, user: str = "") -> None:
        # A store may hold several people: each has a swarm and a budget of their own.
        mark = hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        self.folder = store.with_name(f"{store.name}-{mark}.federation")
        self.ledger = PrivacyLedger(store.with_name(f"{store.name}-{mark}"))
        self.budget = budget or Budget()

    @property
    def membership(self) -> Membership | None:
        """Return the swarm this house belongs to, if any."""
        return membership_in(self.folder)

    def init(self, start: Vector, schema: str, address: str, **rules: Any) -> Membership:
        """Make a swarm that begins with these weights."""
        beginning = {"schema": schema, "shape": (start.size,), "start": _digest(start)}
        made = swarm.init(self.folder, address, **beginning, **rules)
        written(self.folder / START, text_of(start))
        return made

    def join(self, invitation: str, start: Vector, schema: str, address: str) -> Membership:
        """Join by an invitation; refuse a swarm whose policy is another or begins elsewhere."""
        made = swarm.join(self.folder, invitation, address)
        rules = made.rules
        if (rules.schema, rules.shape, rules.start) != (schema, (start.size,), _digest(start)):
            swarm.leave(self.folder)
            raise Refused("federation.other_policy", schema=rules.schema, ours=schema)
        written(self.folder / START, text_of(start))
        return made

    def leave(self) -> bool:
        """Leave the swarm; what was spent stays written beside the store."""
        return swarm.leave(self.folder)

    def look(
        self,
        current: Vector,
        now: datetime,
        wins: Callable[[Vector], bool],
        adopt: Callable[[Vector], None],
    ) -> LookResult:
        """Consider what the swarm has learned, then offer what this house has.

        `wins` says whether a candidate does better on this person's held-out decisions; only then
        `adopt` puts it in use.
        """
        membership, shared = self.membership, shared_in(self.folder)
        if membership is None or shared is None or not _fits(shared, membership.rules):
            return LookResult()
        notes = self._notes(shared.swarm)
        adopted = declined = False
        candidate = shared.vector
        if shared.round > notes.considered:
            adopted = wins(candidate)
            declined = not adopted
            notes.considered = shared.round
            notes.adopted += adopted
            notes.declined += declined
            if adopted:
                adopt(candidate)
                current = candidate
        number, held_back = self._offered(current, shared, membership, notes, now)
        notes.held_back = held_back
        notes.shared += bool(number)
        written(self.folder / _NOTES, msgspec.json.encode(notes).decode())
        return LookResult(shared.round, adopted, declined, number, held_back)

    def _offered(
        self,
        current: Vector,
        shared: SharedModel,
        membership: Membership,
        notes: HouseNotes,
        now: datetime,
    ) -> tuple[int, str]:
        """Offer an update for the round at hand, once; return its number, or why there is none."""
        rules = membership.rules
        if not shared.wants or self.ledger.has_shared(rules.swarm, shared.round):
            return 0, ""
        away = np.asarray(current, dtype=np.float64) - shared.vector
        if current.size != rules.size or not np.any(away):
            return 0, Refused("federation.nothing_learned").message
        try:
            self.ledger.refuse_loss(notes.shared)
            number = self.ledger.spend(
                rules.noise, self.budget, f"{now:%Y-%m}", rules.swarm, shared.round
            )
        except Refused as refused:
            return 0, refused.message
        update = noised(away, rules.clip, rules.noise)
        weights = (shared.vector.astype(np.float64) + update).astype(np.float32)
        expires = int(now.timestamp()) + _KEPT_SECONDS
        hand_offer(
            self.folder, Offer(shared.round, number, expires, rules.schema, text_of(weights))
        )
        return number, ""

    def _notes(self, swarm_id: str) -> HouseNotes:
        try:
            held = msgspec.json.decode(read_own(self.folder / _NOTES) or "", type=HouseNotes)
        except msgspec.DecodeError:
            held = HouseNotes()
        return held if held.swarm == swarm_id else HouseNotes(swarm=swarm_id)

    # -- what a person sees -----------------------------------------------------------------------

    def status(self, now: datetime) -> dict[str, Any]:
        """Return everything about the swarm that a person may see; no key is among it."""
        spent = self.ledger.spent(f"{now:%Y-%m}")
        epsilon = spent.epsilon(self.budget.delta)
        told: dict[str, Any] = {
            "member": False,
            "budget": asdict(self.budget),
            "shares": spent.shares,
            "shares_this_month": spent.this_month,
            # JSON has no infinity: nothing is promised any more.
            "epsilon_spent": round(epsilon, 4) if math.isfinite(epsilon) else None,
            "copied": self.ledger.is_copy(),
        }
        membership = self.membership
        if membership is None:
            return told
        rules, shared = membership.rules, shared_in(self.folder)
        notes = self._notes(rules.swarm)
        told |= {
            "member": True,
            "owner": membership.is_owner,
            "swarm": rules.swarm,
            "key": membership.key.public,
            "address": membership.address,
            "members": [each.key for each in membership.roster.members],
            "needed": least_members(rules.faulty),
            "rules": {**msgspec.to_builtins(rules), "hash": rules.hash},
            "adopted": notes.adopted,
            "declined": notes.declined,
            "held_back": notes.held_back,
            "running": False,
        }
        if shared is not None:
            told |= {
                "running": now.timestamp() - shared.at < _SILENT_SECONDS,
                "round": shared.round,
                "houses_last_round": shared.count,
                "connected": list(shared.connected),
                "taken": shared.taken,
                "refused": dict(shared.refused),
                "stopped": shared.stopped,
            }
        return told


def _digest(vector: Vector) -> str:
    return hashlib.sha256(np.asarray(vector, dtype="<f4").tobytes()).hexdigest()


def _fits(shared: SharedModel, rules: swarm.Rules) -> bool:
    """Say whether a model is one of this swarm, and numbers throughout."""
    ours = (shared.swarm, shared.schema) == (rules.swarm, rules.schema)
    vector = shared.vector
    return ours and vector.size == rules.size and bool(np.isfinite(vector).all())


def started(folder: Path, patience: float, *more: str) -> subprocess.Popen[bytes]:
    """Start the process that speaks with others; it inherits no open file and no secret setting."""
    # A membership that cannot be read is that process's to complain of.
    with contextlib.suppress(Refused):
        if (membership := membership_in(folder)) is not None:
            more = ("--transport", membership.rules.transport, *more)
    named = ("PYTHON", "PATH", "LANG", "LC_", "TZ", "SYSTEMROOT")
    kept = {name: value for name, value in os.environ.items() if name.startswith(named)}
    words = [sys.executable, "-P", "-m", "saegim.federation.peer_process", str(folder)]
    words += ["--patience", str(patience), *more]
    return subprocess.Popen(  # noqa: S603
        words, env=kept, stdin=subprocess.DEVNULL, close_fds=True, cwd=folder
    )
