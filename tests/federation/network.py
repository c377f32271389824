"""A network in memory for tests: delay, loss, doubling, other orders and partitions, by a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from saegim.federation import swarm
from saegim.federation.envelope import Expected, sealed
from saegim.federation.keys import KeyPair
from saegim.federation.swarm import Membership


class LossyNetwork:
    """Carries what members publish, as badly as it was told to; time goes on by `pass_time`."""

    def __init__(
        self, seed: int = 0, *, loss: float = 0.0, doubled: float = 0.0, delay: int = 0
    ) -> None:
        self.chance = random.Random(seed)
        self.loss, self.doubled, self.delay = loss, doubled, delay
        self.sides: list[set[str]] = []
        self.carried: list[bytes] = []
        self._ends: dict[str, MemoryTransport] = {}
        self._under_way: list[tuple[int, str, str, bytes]] = []
        self._now = 0

    def join(self, name: str) -> MemoryTransport:
        """Return the end of a member."""
        self._ends[name] = MemoryTransport(self, name)
        return self._ends[name]

    def part(self, *sides: set[str]) -> None:
        """Let only members of one side hear each other; without sides all do again."""
        self.sides = list(sides)

    def send(self, source: str, raw: bytes) -> None:
        """Take bytes for everybody else."""
        self.carried.append(raw)
        for name in self._ends:
            apart = self.sides and not any({source, name} <= side for side in self.sides)
            if name == source or apart or self.chance.random() < self.loss:
                continue
            for _ in range(2 if self.chance.random() < self.doubled else 1):
                due = self._now + self.chance.randint(0, self.delay)
                self._under_way.append((due, name, source, raw))

    def pass_time(self, ticks: int = 1) -> None:
        """Let time go on; what is due arrives, in an order of chance where there is delay."""
        for _ in range(ticks):
            self._now += 1
            due = [each for each in self._under_way if each[0] < self._now]
            self._under_way = [each for each in self._under_way if each[0] >= self._now]
            if self.delay:
                self.chance.shuffle(due)
            for _, name, source, raw in due:
                end = self._ends[name]
                if source in end.members or not end.members:
                    end.inbox.append((source, raw))


class MemoryTransport:
    """One member's end of the network: the port that every transport fills."""

    def __init__(self, network: LossyNetwork, name: str) -> None:
        self.network, self.name = network, name
        self.inbox: list[tuple[str, bytes]] = []
        self.members: dict[str, str] = {}

    def publish(self, raw: bytes) -> None:
        """Send to everybody."""
        self.network.send(self.name, raw)

    def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return what came, the oldest first."""
        return self.inbox.pop(0) if self.inbox else None

    def allow(self, members: Mapping[str, str]) -> None:
        """Hear these alone."""
        self.members = dict(members)

    def peers(self) -> list[str]:
        """Return whom it hears."""
        return sorted(self.members)

    def close(self) -> None:
        """End nothing: there is nothing to end."""


SIZE = 12
START: np.ndarray = np.zeros(SIZE, dtype=np.float32)
NO_DIGEST = "0" * 64


def swarm_of(folder: Path, count: int, *, faulty: int = 0, **rules: object) -> list[Membership]:
    """Return the members of a new swarm; the first is its owner."""
    about = {"schema": "turn-10/1", "shape": (SIZE,), "start": NO_DIGEST, "noise": 0.0, **rules}
    owner = swarm.init(folder / "0", "", faulty=faulty, **about)
    others = []
    for at in range(1, count):
        each = swarm.join(folder / str(at), owner.invitation(), "")
        owner = owner.admit(each.introduction())
        others.append(each)
    return [owner, *(each.with_roster(owner.roster) for each in others)]


def letter(member: Membership, vector: np.ndarray, round: int = 0, **other: object) -> bytes:
    """Return an envelope of a member; `other` says what it says differently."""
    given = {
        name: other.pop(name, None) or getattr(member.rules.expected, name)
        for name in ("swarm", "rules", "schema", "shape")
    }
    about = {"round": round, "sequence": round + 1, "expires": 10_000}
    key = other.pop("key", member.key)
    assert isinstance(key, KeyPair)
    return sealed(key, vector, Expected(**given), **{**about, **other})  # type: ignore[arg-type]
