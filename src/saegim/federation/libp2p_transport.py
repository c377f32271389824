"""Envelopes by gossip over libp2p (py-libp2p): GossipSub, Noise, the swarm's key, invited peers.

A member's Ed25519 key is its libp2p identity as well, so the roster is the list of peers that are
let in; connections begin under the swarm's key, and every message is signed by who wrote it.
py-libp2p lets one malformed frame end its process: here each reader is guarded, a stream that says
such a thing is reset, and its peer is cut off.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import math
import queue
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import trio
from google.protobuf.message import DecodeError
from libp2p import new_host
from libp2p.abc import IHost, INetConn, INetStream, INetwork, INotifee
from libp2p.crypto.ed25519 import Ed25519PublicKey, create_new_key_pair
from libp2p.crypto.x25519 import create_new_key_pair as create_new_x25519_key_pair
from libp2p.custom_types import TProtocol
from libp2p.exceptions import BaseLibp2pError
from libp2p.network.config import ConnectionConfig
from libp2p.peer.id import ID
from libp2p.peer.peerinfo import PeerInfo
from libp2p.pubsub.gossipsub import GossipSub
from libp2p.pubsub.pb import rpc_pb2
from libp2p.pubsub.pubsub import Pubsub
from libp2p.security.noise.transport import PROTOCOL_ID as NOISE
from libp2p.security.noise.transport import Transport as NoiseTransport
from libp2p.tools.anyio_service import background_trio_service
from multiaddr import Multiaddr

from saegim.errors import BadInput
from saegim.federation.envelope import MOST_BYTES
from saegim.federation.keys import KeyPair
from saegim.federation.transport import RateLimit

if TYPE_CHECKING:
    from saegim.federation.swarm import Membership

_PROTOCOL: Final = TProtocol("/meshsub/1.1.0")
# One envelope and what gossip wraps it in.
_MOST_FRAME: Final = 2 * MOST_BYTES
_WAITING: Final = 64
_INBOX: Final = 1024
_HEARTBEAT_SECONDS: Final = 1
_CALL_SECONDS: Final = 5.0
_AGAIN_SECONDS: Final = 2.0
# Whatever a frame can make the reader of py-libp2p raise; none of it may end this process.
_HOSTILE: Final = (
    DecodeError,
    BaseLibp2pError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    trio.TrioInternalError,
    trio.ClosedResourceError,
    trio.BrokenResourceError,
)
# It tells at length of every stranger; what matters is counted here.
logging.getLogger("libp2p").setLevel(logging.CRITICAL)


class _GuardedPubsub(Pubsub):
    """Reads what peers say; what cannot be read ends a stream and not the process."""

    refused: Counter[str]

    async def continuously_read_stream(self, stream: INetStream) -> None:
        try:
            await super().continuously_read_stream(stream)
        except _HOSTILE:
            self.refused["malformed"] += 1
            with contextlib.suppress(*_HOSTILE):
                await stream.reset()

    async def push_msg(self, msg_forwarder: ID, msg: rpc_pb2.Message) -> None:
        try:
            await super().push_msg(msg_forwarder, msg)
        except _HOSTILE:
            self.refused["malformed"] += 1


class _Gate(INotifee):
    """Ends every connection of a peer that is not on the roster."""

    def __init__(self, ends: Any) -> None:
        self._ends = ends

    async def connected(self, network: INetwork, conn: INetConn) -> None:  # noqa: ARG002
        await self._ends(conn)

    async def disconnected(self, network: INetwork, conn: INetConn) -> None:
        """Nothing to do."""

    async def opened_stream(self, network: INetwork, stream: INetStream) -> None:
        """Nothing to do."""

    async def closed_stream(self, network: INetwork, stream: INetStream) -> None:
        """Nothing to do."""

    async def listen(self, network: INetwork, multiaddr: Multiaddr) -> None:
        """Nothing to do."""

    async def listen_close(self, network: INetwork, multiaddr: Multiaddr) -> None:
        """Nothing to do."""


class Libp2pTransport:
    """One member's libp2p host; a thread of its own runs it."""

    def __init__(
        self, key: KeyPair, psk: bytes, swarm: str, listen: str, members: Mapping[str, str]
    ) -> None:
        self._key, self._psk, self._topic = key, psk, f"saegim/{swarm}"
        self._listen, self._own = listen, peer_id(key.public).to_bytes()
        self._members: dict[str, str] = {}
        self._ids: dict[ID, str] = {}
        self._limits: dict[str, RateLimit] = {}
        self._inbox: queue.Queue[tuple[str, bytes]] = queue.Queue(_INBOX)
        self._connected: tuple[str, ...] = ()
        self.refused: Counter[str] = Counter()
        self._host: IHost | None = None
        self._trio: trio.lowlevel.TrioToken | None = None
        self._out, self._outbox = trio.open_memory_channel[bytes](_WAITING)
        self._over = trio.Event()
        self.port = 0
        self._trouble: OSError | None = None
        self._ready = threading.Event()
        self.allow(members)
        self._thread = threading.Thread(target=self._run, name="saegim-libp2p", daemon=True)
        self._thread.start()
        self._ready.wait(30.0)
        if self._trouble is not None:
            reason = self._trouble.strerror or str(self._trouble)
            raise BadInput("federation.cannot_listen", address=listen, reason=reason)

    def publish(self, raw: bytes) -> None:
        """Hand bytes to the gossip; so many wait."""
        self._soon(self._put, raw)

    def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return the next bytes and who wrote them, whoever passed them on."""
        try:
            return self._inbox.get(timeout=seconds)
        except queue.Empty:
            return None

    def allow(self, members: Mapping[str, str]) -> None:
        """Speak with these from now on; whoever is not among them any more is cut off."""
        others = {key: at for key, at in members.items() if key != self._key.public}
        self._members = others
        self._ids = {peer_id(each): each for each in others}
        self._limits = {each: self._limits.get(each) or RateLimit() for each in others}

    def peers(self) -> list[str]:
        """Return who is connected now."""
        return sorted(each for each in self._connected if each in self._members)

    def close(self) -> None:
        """End every connection."""
        self._soon(self._over.set)
        self._thread.join(_CALL_SECONDS)

    def _soon(self, act: Any, *given: Any) -> None:
        if self._trio is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._trio.run_sync_soon(act, *given)

    def _put(self, raw: bytes) -> None:
        with contextlib.suppress(trio.WouldBlock):
            self._out.send_nowait(raw)

    # -- the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            trio.run(self._speak)
        except* OSError as errors:
            self._trouble = next(_leaves(errors))
        finally:
            self._ready.set()

    async def _speak(self) -> None:
        self._trio = trio.lowlevel.current_trio_token()
        async with self._hosting() as (host, pubsub):
            self._host = host
            heard = await pubsub.subscribe(self._topic)
            pubsub.set_topic_validator(self._topic, self._is_member_s, False)
            self._ready.set()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read, heard)
                nursery.start_soon(self._send, pubsub)
                nursery.start_soon(self._call, host)
                await self._over.wait()
                nursery.cancel_scope.cancel()

    @contextlib.asynccontextmanager
    async def _hosting(self) -> AsyncIterator[tuple[IHost, _GuardedPubsub]]:
        pair = create_new_key_pair(self._key.secret)
        noise = NoiseTransport(pair, create_new_x25519_key_pair().private_key)
        # Whom to call is said by the roster and by nobody else.
        limits = ConnectionConfig(
            min_connections=0,
            low_watermark=0,
            inbound_upgrade_timeout=_CALL_SECONDS,
            dial_timeout=_CALL_SECONDS,
        )
        host = new_host(
            key_pair=pair,
            sec_opt={NOISE: noise},
            muxer_preference="YAMUX",
            psk=self._psk.hex(),
            connection_config=limits,
        )
        gossip = GossipSub(
            [_PROTOCOL],
            degree=6,
            degree_low=2,
            degree_high=12,
            heartbeat_interval=_HEARTBEAT_SECONDS,
            # Everybody is invited: many houses may live at one address.
            eclipse_protection_enabled=False,
        )
        pubsub = _GuardedPubsub(
            host, gossip, allowed_topics={self._topic}, max_inbound_rpc_size=_MOST_FRAME
        )
        pubsub.refused = self.refused
        host.get_network().register_notifee(_Gate(self._gate))
        at = [multiaddr_of(self._listen)] if self._listen else []
        async with (
            host.run(listen_addrs=at),
            background_trio_service(pubsub),
            background_trio_service(gossip),
        ):
            await pubsub.wait_until_ready()
            for each in host.get_addrs():
                self.port = int(each.value_for_protocol("tcp"))
            yield host, pubsub

    async def _gate(self, conn: INetConn) -> None:
        if conn.muxed_conn.peer_id not in self._ids:
            self.refused["strangers"] += 1
            with contextlib.suppress(*_HOSTILE):
                await conn.close()

    def _is_member_s(self, _: ID, message: rpc_pb2.Message) -> bool:
        # What we write ourselves goes the same way.
        known = ID(message.from_id) in self._ids or message.from_id == self._own
        self.refused["strangers"] += not known
        return known

    async def _read(self, heard: Any) -> None:
        """Take what members wrote, as often as members may."""
        while True:
            message = await heard.get()
            peer = self._ids.get(ID(message.from_id), "")
            limit = self._limits.get(peer)
            if limit is None:
                # Our own come back to us.
                continue
            if len(message.data) > MOST_BYTES or not limit.allows(time.monotonic()):
                self.refused["too_many"] += 1
                continue
            try:
                self._inbox.put_nowait((peer, message.data))
            except queue.Full:
                self.refused["inbox_full"] += 1

    async def _send(self, pubsub: Pubsub) -> None:
        async for raw in self._outbox:
            # What could not be sent still counts, and is sent again later.
            with contextlib.suppress(*_HOSTILE):
                await pubsub.publish(self._topic, raw)

    async def _call(self, host: IHost) -> None:
        """Keep connected with the members that listen somewhere, and with nobody else."""
        due: dict[str, tuple[float, float]] = {}
        while True:
            network = host.get_network()
            for peer in [each for each in network.connections if each not in self._ids]:
                with contextlib.suppress(*_HOSTILE):
                    await network.close_peer(peer)
            here = {self._ids[each] for each in network.connections if each in self._ids}
            self._connected = tuple(here)
            for each, at in self._members.items():
                when, pause = due.get(each, (-math.inf, _AGAIN_SECONDS / 2))
                if not at or trio.current_time() < when:
                    continue
                if each in here:
                    # Connected for longer than it was waited for: the next time it is called soon.
                    due.pop(each, None)
                    continue
                # One that is away is tried ever less often.
                pause = min(60.0, 2.0 * pause)
                due[each] = (trio.current_time() + pause, pause)
                with contextlib.suppress(*_HOSTILE), trio.move_on_after(_CALL_SECONDS):
                    await host.connect(PeerInfo(peer_id(each), [multiaddr_of(at)]))
            await trio.sleep(_AGAIN_SECONDS / 4)


def opened(membership: Membership) -> Libp2pTransport:
    """Return the transport of a house."""
    key, psk, at = membership.key, membership.psk, membership.address
    return Libp2pTransport(key, psk, membership.rules.swarm, at, membership.others)


def peer_id(public: str) -> ID:
    """Return the name by which libp2p knows a member."""
    return ID.from_pubkey(Ed25519PublicKey.from_bytes(bytes.fromhex(public)))


def multiaddr_of(address: str) -> Multiaddr:
    """Return host:port as libp2p writes it."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        kind = f"ip{ipaddress.ip_address(host).version}"
    except ValueError:
        kind = "dns"
    return Multiaddr(f"/{kind}/{host}/tcp/{port}")


def _leaves(group: BaseExceptionGroup[OSError]) -> Any:
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            yield from _leaves(each)
        else:
            yield each
