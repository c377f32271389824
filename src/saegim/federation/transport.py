"""How envelopes travel: the port that every transport fills, and the three that fill it.

Which one a swarm uses is one of its rules. TCP needs nothing more; the others are extras, and no
module of theirs is loaded before a house belongs to a swarm that names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol

from saegim.errors import MissingExtra
from saegim.federation.keys import read_own

if TYPE_CHECKING:
    from saegim.federation.swarm import Membership

TCP, NATS, LIBP2P = "tcp", "nats", "libp2p"
TRANSPORTS: Final = (TCP, NATS, LIBP2P)
# The package without which a way cannot be gone.
_NEEDS: Final = {NATS: "nats", LIBP2P: "libp2p"}
# What lets this house speak with a hub that asks for it: a file beside its key.
HUB_FILE: Final = "hub.token"
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


def load(name: str) -> None:
    """Load what a transport needs."""
    refuse_missing(name)
    import_module(f"saegim.federation.{name}_transport")


def opened(membership: Membership) -> Transport:
    """Return the transport that the rules of a swarm name, open."""
    key, psk, rules = membership.key, membership.psk, membership.rules
    at, members = membership.address, membership.others
    if rules.transport == NATS:
        from saegim.federation.nats_transport import NatsTransport

        token = (read_own(membership.folder / HUB_FILE) or "").strip()
        return NatsTransport(key, psk, rules.swarm, at, members, token=token)
    if rules.transport == LIBP2P:
        from saegim.federation.libp2p_transport import Libp2pTransport

        return Libp2pTransport(key, psk, rules.swarm, at, members)
    from saegim.federation.tcp_transport import TcpTransport

    return TcpTransport(key, psk, rules.swarm, at, members)
