"""`Rounds`: the model that a swarm shares, as one member sees it, round by round.

Each member sends its weights of a round once. When all came, or enough and long enough ago, one
model is made of them by the swarm's rule, and the next round begins. The model is made of nothing
but what was sent, so that it tells no more of a house than its own noised envelope did.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from saegim.federation.aggregate import RULES, least_members, stacked
from saegim.federation.envelope import Envelope, EnvelopeRefused, Refusal, RefusalTally, opened
from saegim.federation.swarm import Rules

Weights = NDArray[np.float64]
# A round further away than this is nobody's; of one peer so many rounds ahead are held.
_HORIZON: Final = 10_000
_AHEAD: Final = 4


class RoundState(msgspec.Struct, kw_only=True):
    """What outlives the process: the round, the model, and how far each peer has come."""

    round: int = 0
    model: str = ""
    # The last sequence that counted, by peer; what is not above it comes again.
    floors: dict[str, int] = {}
    # Keys that said two things in one round, and whether our own is used elsewhere.
    doubles: list[str] = []
    stopped: bool = False
    # What we sent ourselves, by round: the same key with other words is not us.
    sent: dict[int, str] = {}
    # Whether rounds were missed: the model is then taken over whole.
    behind: bool = False


class Rounds:
    """One member's rounds; time is given by the caller."""

    def __init__(self, rules: Rules, own: str, start: NDArray[np.floating]) -> None:
        self.rules, self.own = rules, own
        self.model: Weights = np.asarray(start, dtype=np.float64).reshape(-1)
        self.state = RoundState()
        self.tally = RefusalTally()
        self.last_count = 0
        self._held: dict[int, dict[str, Envelope]] = {}
        self._since: dict[int, float] = {}
        # Digests of what was taken: the same bytes again cost no second look at a signature.
        self._marks: dict[bytes, tuple[int, str]] = {}

    @property
    def round(self) -> int:
        """Return the round at hand."""
        return self.state.round

    def packed(self) -> str:
        """Return the state as text, for the next process."""
        self.state.model = base64.b64encode(self.model.astype("<f8").tobytes()).decode()
        return msgspec.json.encode(self.state).decode()

    def resume(self, text: str) -> None:
        """Go on from a state that was written; one that does not fit is not taken."""
        try:
            state = msgspec.json.decode(text, type=RoundState)
            model = np.frombuffer(base64.b64decode(state.model), dtype="<f8")
        except (msgspec.DecodeError, ValueError):
            return
        if model.size == self.model.size and np.isfinite(model).all():
            self.state, self.model = state, model.copy()

    def note_sent(self, round: int, digest: str) -> None:
        """Note what we are about to send, before it leaves."""
        self.state.sent[round] = digest

    def take(self, raw: bytes, members: Mapping[str, object], now: float) -> Envelope:
        """Count an envelope of a member for its round, or refuse it with its reason."""
        mark = hashlib.sha256(raw).digest()
        try:
            if mark in self._marks:
                raise EnvelopeRefused(Refusal.REPLAYED, self._marks[mark][1])
            envelope = opened(raw, self.rules.expected, members, now)
            self._check(envelope)
        except EnvelopeRefused as refused:
            self.tally.refuse(refused)
            raise
        header = envelope.header
        self._held.setdefault(header.round, {})[header.peer] = envelope
        self._since.setdefault(header.round, now)
        self._marks[mark] = (header.round, header.peer)
        self.tally.taken += 1
        return envelope

    def _check(self, envelope: Envelope) -> None:
        header = envelope.header
        peer = header.peer
        if peer in self.state.doubles:
            raise EnvelopeRefused(Refusal.DOUBLE, peer)
        # Before our own key is looked at: anyone may send us an old envelope of ours again.
        if header.round < self.round:
            raise EnvelopeRefused(Refusal.STALE, peer)
        if peer == self.own and self.state.sent.get(header.round) != header.digest:
            self.state.stopped = True
            raise EnvelopeRefused(Refusal.OWN, peer)
        ahead = [each for each in self._held if each > self.round and peer in self._held[each]]
        if header.round > self.round + _HORIZON:
            raise EnvelopeRefused(Refusal.EARLY, peer)
        if header.round not in ahead and header.round > self.round and len(ahead) >= _AHEAD:
            raise EnvelopeRefused(Refusal.EARLY, peer)
        if (known := self._held.get(header.round, {}).get(peer)) is not None:
            if known.header == header:
                raise EnvelopeRefused(Refusal.REPLAYED, peer)
            self._drop(peer)
            self.state.doubles.append(peer)
            raise EnvelopeRefused(Refusal.DOUBLE, peer)
        if header.sequence <= self.state.floors.get(peer, -1):
            raise EnvelopeRefused(Refusal.REPLAYED, peer)
        for round, held in self._held.items():
            other = held.get(peer)
            if other and (other.header.sequence < header.sequence) != (round < header.round):
                raise EnvelopeRefused(Refusal.REORDERED, peer)

    def _drop(self, peer: str) -> None:
        for held in self._held.values():
            held.pop(peer, None)
        self._marks = {mark: held for mark, held in self._marks.items() if held[1] != peer}

    def forgive(self, members: Mapping[str, object]) -> None:
        """Forget whoever left the roster; who is admitted again begins anew."""
        self.state.doubles = [each for each in self.state.doubles if each in members]
        for peer in {peer for held in self._held.values() for peer in held} - set(members):
            self._drop(peer)

    @property
    def came(self) -> list[str]:
        """Return whose weights of this round are here, in the order of their keys."""
        return sorted(self._held.get(self.round, {}))

    def is_ripe(self, members: Mapping[str, object], now: float, patience: float) -> bool:
        """Say whether the round can end: all came, or enough and long enough ago."""
        here = self.came
        if len(here) < least_members(self.rules.faulty):
            return False
        honest = [each for each in members if each not in self.state.doubles]
        waited = now - self._since.get(self.round, now)
        return len(here) >= len(honest) or waited >= patience

    def close(self) -> Weights:
        """Make one model of what came, and begin the next round."""
        held = self._held.pop(self.round)
        rows = [held[peer].weights.astype(np.float64) - self.model for peer in sorted(held)]
        # Who missed rounds has nothing to lose by a long step; the rule alone guards it.
        most = 0.0 if self.state.behind else self.rules.reach
        step = RULES[self.rules.aggregator](stacked(rows, most), self.rules.faulty)
        self.model = self.model + step
        for peer, envelope in held.items():
            self.state.floors[peer] = envelope.header.sequence
        self.last_count = len(held)
        self._begin(self.round + 1)
        self.state.behind = False
        return self.model

    def catch_up(self, now: float, patience: float) -> bool:
        """Go to a round in which more than `faulty` others have been for long; say whether."""
        there = [
            each
            for each, held in self._held.items()
            if each > self.round
            and len(held) >= least_members(self.rules.faulty)
            and now - self._since[each] >= patience
        ]
        if not there:
            return False
        self._begin(min(there))
        self.state.behind = True
        return True

    def _begin(self, round: int) -> None:
        self.state.round = round
        for old in [each for each in self._held if each < round]:
            del self._held[old]
        self._marks = {mark: held for mark, held in self._marks.items() if held[0] >= round}
        self._since = {each: at for each, at in self._since.items() if each >= round}
        self.state.sent = {at: said for at, said in self.state.sent.items() if at >= round}
