"""How envelopes travel: the port that every transport fills, and the three that fill it.

Which one a swarm uses is one of its rules. TCP needs nothing more; the others are extras, and no
module of theirs is loaded before a house belongs to a swarm that names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Protocol

from saegim.errors import MissingExtra

if TYPE_CHECKING:
    from saegim.federation.swarm import Membership

TCP, NATS, LIBP2P = "tcp", "nats", "libp2p"
TRANSPORTS: Final = (TCP, NATS, LIBP2P)
# The package without which a way cannot be gone.
_NEEDS: Final = {NATS: "nats", LIBP2P: "libp2p"}
# A member sends some envelopes a minute: more than this at once is a flood, and is dropped.
RATE: Final = 20.0
BURST: Final = 60.0


class Transport(Protocol):
    """What carries bytes between the members of a swarm; it promises neither order nor arrival."""

    def publish(self, raw: bytes) -> None:
        """Send bytes to every member that can be reached."""

    def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return the next bytes and the member they came from, or nothing after so long."""

    def allow(self, members: Mapping[str, str]) -> None:
        """Speak with these members and nobody else, by key and address."""

    def peers(self) -> list[str]:
        """Return the members we are connected with now."""

    def close(self) -> None:
        """End every connection."""


class RateLimit:
    """So many at once, and so many a second after that."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst, self._left, self._at = rate, burst, burst, 0.0

    def allows(self, now: float) -> bool:
        """Take one, if there is one left."""
        self._left = min(self._burst, self._left + max(0.0, now - self._at) * self._rate)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


def refuse_missing(name: str) -> None:
    """Refuse a way whose extra is not installed, without loading it."""
    if (needs := _NEEDS.get(name)) and find_spec(needs) is None:
        raise MissingExtra("federation.transport_is_missing", name=name)


def load(name: str) -> Any:
    """Load what a transport needs, and return its module."""
    try:
        return import_module(f"saegim.federation.{name}_transport")
    except ImportError as error:
        # Not installed, or another version than the one we know.
        raise MissingExtra("federation.transport_is_missing", name=name) from error


def opened(membership: Membership) -> Transport:
    """Return the transport that the rules of a swarm name, open."""
    made: Transport = load(membership.rules.transport).opened(membership)
    return made
