"""Noise on what is shared, what it costs, and a budget that ends the sharing by itself.

Each share is a Gaussian mechanism with multiplier sigma: it is clipped to C, any two updates are at
most 2C apart, and the noise has the deviation sigma * 2C. Gaussian mechanisms compose exactly: T of
them are one with mu = sqrt(sum of 1 / sigma^2), and of that the smallest epsilon for a delta has a
closed form (analytic Gaussian). zCDP would say the same with looser numbers.

What is spent stands in a file beside the store that no restore replaces, a line for each share,
synced before anything leaves. The file knows its own place: a copy of it shares nothing until a
person says that the other one stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saegim.errors import BadInput, Refused, StoreError
from saegim.federation.aggregate import clipped, is_sane
from saegim.filesystem import locked

_SUFFIX = ".shared"
_SHARE, _PLACE = "share", "place"
# Noise is rounded to so many parts of the clip: no digit below tells of the number beneath it.
_GRID = 2.0**-12
_MOST_EPSILON = 1e6
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def _tail(x: float) -> float:
    """Return how much of the normal distribution lies below x."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def _log_tail(x: float) -> float:
    """Return its logarithm; far out, where it is too small to be a number, by its expansion."""
    if x > -30.0:
        return math.log(_tail(x))
    return -0.5 * x * x - math.log(-x) - 0.5 * math.log(2 * math.pi) + math.log1p(-1.0 / (x * x))


def delta_of(epsilon: float, mu: float) -> float:
    """Return the delta that a Gaussian mechanism of this mu has at an epsilon."""
    if mu <= 0.0:
        return 0.0
    left = _tail(mu / 2.0 - epsilon / mu)
    right = math.exp(min(0.0, epsilon + _log_tail(-mu / 2.0 - epsilon / mu)))
    return max(0.0, left - right)


def epsilon_of(mu: float, delta: float) -> float:
    """Return the smallest epsilon for a delta; infinite where nothing was noised."""
    if mu <= 0.0:
        return 0.0
    if not math.isfinite(mu) or delta_of(_MOST_EPSILON, mu) > delta:
        return math.inf
    low, high = 0.0, 1.0
    if delta_of(low, mu) <= delta:
        return 0.0
    while delta_of(high, mu) > delta:
        high *= 2.0
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if delta_of(middle, mu) > delta else (low, middle)
    return high


def noise_for(epsilon: float, delta: float, shares: int) -> float:
    """Return the smallest multiplier with which so many shares cost no more than an epsilon."""
    low, high = 1e-3, 1.0
    while epsilon_of(math.sqrt(shares) / high, delta) > epsilon:
        high *= 2.0
    for _ in range(100):
        middle = (low + high) / 2.0
        over = epsilon_of(math.sqrt(shares) / middle, delta) > epsilon
        low, high = (middle, high) if over else (low, middle)
    # Rounded up to what the rules can say, so that the last share still fits.
    return math.ceil(high * 1e4) / 1e4


def noised(update: NDArray[np.floating], clip: float, multiplier: float) -> NDArray[np.float64]:
    """Return an update clipped, noised and rounded to a grid: what may leave the house.

    The noise comes from the system's own randomness: from a seed it could be taken off again.
    """
    wide = np.asarray(update, dtype=np.float64).reshape(-1)
    if not is_sane(wide):
        raise BadInput("federation.update_is_not_finite")
    held = clipped(wide, clip)
    if multiplier > 0.0:
        held = held + multiplier * 2.0 * clip * gaussian(held.size)
    return np.asarray(np.round(held / (_GRID * clip)) * (_GRID * clip), dtype=np.float64)


def gaussian(count: int) -> NDArray[np.float64]:
    """Return normal numbers out of the system's randomness (Box-Muller over 53 bits)."""
    half = (count + 1) // 2
    raw = np.frombuffer(secrets.token_bytes(16 * half), dtype="<u8").reshape(2, half)
    first, second = ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    radius, angle = np.sqrt(-2.0 * np.log(first)), 2.0 * np.pi * second
    return np.concatenate((radius * np.cos(angle), radius * np.sin(angle)))[:count]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a house gives away in its whole life; 0 promises nothing and counts shares alone."""

    epsilon: float = 8.0
    delta: float = 1e-5
    shares_a_month: int = 5


@dataclass(frozen=True, slots=True)
class Spent:
    """What was given away so far: shares, and what they come to."""

    shares: int
    mu: float
    this_month: int = 0

    def epsilon(self, delta: float) -> float:
        """Return the epsilon of everything that was shared."""
        return epsilon_of(self.mu, delta)


class PrivacyLedger:
    """The file beside a store that says what was shared; it only grows."""

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(f"{store.name}{_SUFFIX}")

    def spent(self, month: str = "") -> Spent:
        """Return what was given away, and how often in a month such as 2026-11."""
        lines = [each for each in self._lines() if each.get("what") == _SHARE]
        total = sum(math.inf if each["sigma"] <= 0 else each["sigma"] ** -2.0 for each in lines)
        return Spent(len(lines), math.sqrt(total), sum(each["month"] == month for each in lines))

    def spend(self, sigma: float, budget: Budget, month: str, swarm: str, round: int) -> int:
        """Count one share before it leaves; return its number. Refuse it where it would cost more.

        A crash after this has paid for nothing: that way round nothing is shared unpaid.
        """
        with self._alone():
            self._refuse_copy()
            spent = self.spent(month)
            if budget.epsilon > 0.0:
                if sigma <= 0.0:
                    raise Refused("federation.no_noise_no_promise", epsilon=budget.epsilon)
                after = epsilon_of(math.sqrt(spent.mu**2 + sigma**-2.0), budget.delta)
                if after > budget.epsilon:
                    raise Refused(
                        "federation.budget_is_spent",
                        spent=f"{spent.epsilon(budget.delta):.2f}",
                        epsilon=budget.epsilon,
                    )
            if spent.this_month >= budget.shares_a_month:
                raise Refused("federation.month_is_spent", most=budget.shares_a_month)
            number = spent.shares + 1
            line = {"what": _SHARE, "number": number, "sigma": sigma, "month": month}
            self._append({**line, "swarm": swarm, "round": round})
            return number

    def has_shared(self, swarm: str, round: int) -> bool:
        """Say whether a share of this round was paid for: one round has one."""
        return any(
            (each.get("swarm"), each.get("round")) == (swarm, round) for each in self._lines()
        )

    def moved(self) -> None:
        """Take this place for the only one: a person says that no other copy shares any more."""
        with self._alone():
            self._append({"what": _PLACE, "place": self._place()})

    def is_copy(self) -> bool:
        """Say whether this file was copied here from where it was written."""
        places = [each["place"] for each in self._lines() if each.get("what") == _PLACE]
        return bool(places) and places[-1] != self._place()

    def refuse_loss(self, shared: int) -> None:
        """Refuse to go on where less is written here than was shared."""
        if self.spent().shares < shared:
            raise Refused("federation.ledger_is_behind", path=self.path, shared=shared)

    def _refuse_copy(self) -> None:
        if self.is_copy():
            raise Refused("federation.ledger_was_copied", path=self.path)
        if not any(each.get("what") == _PLACE for each in self._lines()):
            self._append({"what": _PLACE, "place": self._place()})

    def _place(self) -> str:
        """Return a mark of this machine and this very file, which a copy does not have."""
        machine = socket.gethostname()
        with contextlib.suppress(OSError):
            machine += Path("/etc/machine-id").read_text("ascii", "replace")
        with contextlib.suppress(OSError):
            machine += str(os.stat(self.path).st_ino)
        return hashlib.sha256(machine.encode()).hexdigest()[:32]

    def _lines(self) -> list[dict[str, Any]]:
        """Return every line that can be read; a cut-off one was never acknowledged."""
        try:
            handle = os.open(self.path, os.O_RDONLY | _NO_FOLLOW)
            with os.fdopen(handle, "rb") as file:
                raw = file.read().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unusable(error) from error
        held = []
        for each in raw:
            with contextlib.suppress(ValueError):
                line = json.loads(each)
                if isinstance(line, dict):
                    held.append(line)
        return held

    def _append(self, line: dict[str, Any]) -> None:
        raw = b"\n" + json.dumps(line, sort_keys=True).encode("ascii") + b"\n"
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_FOLLOW, 0o600)
            try:
                if os.write(handle, raw) != len(raw):
                    raise OSError("no room left")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise self._unusable(error) from error

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the file against other processes of this house; it exists from then on."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            if not locked(handle):
                raise Refused("federation.shared_by_another", path=self.path)
            yield
        finally:
            os.close(handle)

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            "federation.ledger_failed", path=self.path, reason=error.strerror or str(error)
        )
