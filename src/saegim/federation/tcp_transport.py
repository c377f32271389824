"""Envelopes over TCP: a full mesh of a few houses, which needs nothing but the extra for keys.

Each connection begins with an exchange of fresh
X25519 keys; the session keys come out of it and of the swarm's shared key (HKDF-SHA256), so that
who does not hold that key cannot read a byte. Under them (ChaCha20-Poly1305) both sides sign the
exchange with their Ed25519 keys, and only who stands on the roster goes on. That is the pattern of
Noise XXpsk0 with signatures in the place of static keys; it is built of vetted parts and is not
Noise itself, and nobody has audited it. What it does not hide: who speaks to whom, when, how much.
"""

from __future__ import annotations

import hashlib
import math
import queue
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from saegim.errors import BadInput
from saegim.federation.envelope import MOST_BYTES
from saegim.federation.keys import KEY_BYTES, SIGNATURE, KeyPair, is_signed
from saegim.federation.transport import RateLimit

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    from saegim.federation.swarm import Membership

_MAGIC: Final = b"SGFTCP1\x00"
_INFO: Final = b"saegim federation tcp 1"
_LENGTH: Final = struct.Struct(">I")
_TAG: Final = 16
_MOST_FRAME: Final = MOST_BYTES + _TAG
# A handshake is four short packets; who needs longer is not one of us.
_HANDSHAKE_SECONDS: Final = 5.0
_BACKLOG: Final = 32
_WAITING: Final = 64
_INBOX: Final = 1024


class HandshakeFailed(Exception):
    """Whoever is at the other end is not one of us."""


class SecureLink:
    """One connection after its handshake: frames in both directions, each read once, in order."""

    def __init__(self, wire: socket.socket, sends: bytes, reads: bytes, peer: str = "") -> None:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        self.wire, self.peer = wire, peer
        # Until when a stranger may take to show who they are; members take their time.
        self.until = math.inf
        self._out: ChaCha20Poly1305 = ChaCha20Poly1305(sends)
        self._in: ChaCha20Poly1305 = ChaCha20Poly1305(reads)
        self._sent = self._read = 0
        self._sending = threading.Lock()

    def send(self, raw: bytes) -> None:
        """Send one frame."""
        with self._sending:
            nonce = self._sent.to_bytes(12, "big")
            self._sent += 1
            sealed = self._out.encrypt(nonce, raw, None)
            self.wire.sendall(_LENGTH.pack(len(sealed)) + sealed)

    def read(self, most: int = _MOST_FRAME) -> bytes:
        """Return the next frame; its length is looked at before anything is read."""
        from cryptography.exceptions import InvalidTag

        (length,) = _LENGTH.unpack(_exactly(self.wire, _LENGTH.size, self.until))
        if not _TAG <= length <= most:
            raise HandshakeFailed("a frame of a size that no frame has")
        nonce = self._read.to_bytes(12, "big")
        self._read += 1
        try:
            return self._in.decrypt(nonce, _exactly(self.wire, length, self.until), None)
        except InvalidTag:
            raise HandshakeFailed("a frame under another key") from None

    def close(self) -> None:
        """End the connection; a reader wakes up."""
        _shut(self.wire)


def handshake(
    wire: socket.socket,
    key: KeyPair,
    psk: bytes,
    swarm: str,
    members: Mapping[str, object],
    *,
    calls: bool,
) -> SecureLink:
    """Agree on keys with whoever is at the other end, and refuse whoever is no member."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    wire.settimeout(_HANDSHAKE_SECONDS)
    until = time.monotonic() + _HANDSHAKE_SECONDS
    fresh = X25519PrivateKey.generate()
    mine = fresh.public_key().public_bytes_raw()
    if calls:
        wire.sendall(_MAGIC + mine)
        theirs = _exactly(wire, KEY_BYTES, until)
    else:
        if _exactly(wire, len(_MAGIC), until) != _MAGIC:
            raise HandshakeFailed("another protocol")
        theirs = _exactly(wire, KEY_BYTES, until)
        wire.sendall(mine)
    first, second = (mine, theirs) if calls else (theirs, mine)
    transcript = hashlib.sha256(_MAGIC + bytes.fromhex(swarm) + first + second).digest()
    try:
        shared = fresh.exchange(X25519PublicKey.from_public_bytes(theirs))
    except ValueError:
        raise HandshakeFailed("a key that is none") from None
    derived = HKDF(SHA256(), 64, psk, _INFO + transcript).derive(shared)
    calling, answering = derived[:32], derived[32:]
    link = SecureLink(wire, *((calling, answering) if calls else (answering, calling)))
    link.until = until
    says, hears = (b"calls", b"answers") if calls else (b"answers", b"calls")
    proof = bytes.fromhex(key.public) + key.sign(_INFO + says + transcript)
    if calls:
        link.send(proof)
    said = link.read(KEY_BYTES + SIGNATURE + _TAG)
    peer = said[:KEY_BYTES].hex()
    signed = is_signed(peer, _INFO + hears + transcript, said[KEY_BYTES:])
    if not signed or peer not in members or peer == key.public:
        raise HandshakeFailed("no member of this swarm")
    if not calls:
        link.send(proof)
    link.peer, link.until = peer, math.inf
    wire.settimeout(None)
    return link


def _exactly(wire: socket.socket, count: int, until: float) -> bytes:
    held = bytearray()
    while len(held) < count:
        if time.monotonic() > until:
            raise HandshakeFailed("too slow")
        part = wire.recv(min(65_536, count - len(held)))
        if not part:
            raise HandshakeFailed("the other end closed")
        held += part
    return bytes(held)


class TcpTransport:
    """A mesh of TCP connections between members; those without an address call the others."""

    def __init__(
        self,
        key: KeyPair,
        psk: bytes,
        swarm: str,
        listen: str,
        members: Mapping[str, str],
    ) -> None:
        self._key, self._psk, self._swarm = key, psk, swarm
        self._members = dict(members)
        self._limits: dict[str, RateLimit] = {}
        self._inbox: queue.Queue[tuple[str, bytes]] = queue.Queue(_INBOX)
        self._links: dict[str, SecureLink] = {}
        self._queues: dict[str, queue.Queue[bytes]] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._open = threading.BoundedSemaphore(_BACKLOG)
        self.refused: Counter[str] = Counter()
        self._door = _bound(listen) if listen else None
        if self._door is not None:
            _started(self._answer_calls, self._door)
        self.allow(members)

    @property
    def port(self) -> int:
        """Return where it listens, or 0."""
        return int(self._door.getsockname()[1]) if self._door is not None else 0

    def publish(self, raw: bytes) -> None:
        """Send bytes to every member; for one that cannot be reached, so many wait."""
        with self._lock:
            waiting = list(self._queues.values())
        for each in waiting:
            # Whatever still counts is sent again later.
            with suppress(queue.Full):
                each.put_nowait(raw)

    def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return the next bytes and whose they are."""
        try:
            return self._inbox.get(timeout=seconds)
        except queue.Empty:
            return None

    def peers(self) -> list[str]:
        """Return who is connected now."""
        with self._lock:
            return sorted(self._links)

    def allow(self, members: Mapping[str, str]) -> None:
        """Speak with these from now on; whoever is not among them any more is cut off."""
        others = {key: at for key, at in members.items() if key != self._key.public}
        with self._lock:
            self._members = others
            gone = [each for each in self._links if each not in others]
            cut = [self._links.pop(each) for each in gone]
            for each in [each for each in self._queues if each not in others]:
                del self._queues[each]
            new = [each for each in others if each not in self._queues]
            for each in new:
                self._queues[each] = queue.Queue(_WAITING)
                self._limits[each] = RateLimit()
        for link in cut:
            link.close()
        for each in new:
            _started(self._deliver, each)

    def close(self) -> None:
        """End every connection and stop listening."""
        self._over.set()
        with self._lock:
            links, self._links, self._queues = list(self._links.values()), {}, {}
        if self._door is not None:
            _shut(self._door)
        for each in links:
            each.close()

    # -- threads ----------------------------------------------------------------------------------

    def _answer_calls(self, door: socket.socket) -> None:
        while not self._over.is_set():
            try:
                wire, _ = door.accept()
            except OSError:
                return
            if self._open.acquire(blocking=False):
                _started(self._answer, wire)
            else:
                self.refused["too_many_calls"] += 1
                wire.close()

    def _answer(self, wire: socket.socket) -> None:
        """Greet one caller; so many at once may be strangers, members count no more."""
        try:
            link = self._met(wire, calls=False)
        finally:
            self._open.release()
        if link is not None:
            self._read(link)

    def _met(self, wire: socket.socket, *, calls: bool, wanted: str = "") -> SecureLink | None:
        """Carry out a handshake and keep the link; nothing where the other is not one of us."""
        members = {wanted: ""} if wanted else dict(self._members)
        try:
            link = handshake(wire, self._key, self._psk, self._swarm, members, calls=calls)
        except (HandshakeFailed, OSError):
            self.refused["strangers"] += 1
            wire.close()
            return None
        with self._lock:
            if self._over.is_set() or link.peer not in self._members:
                link.close()
                return None
            self._links[link.peer] = link
        return link

    def _read(self, link: SecureLink) -> None:
        """Take what a member sends, as often as members may."""
        limit = self._limits.get(link.peer) or RateLimit()
        try:
            while not self._over.is_set():
                raw = link.read()
                if not limit.allows(time.monotonic()):
                    self.refused["too_many"] += 1
                    continue
                try:
                    self._inbox.put_nowait((link.peer, raw))
                except queue.Full:
                    self.refused["inbox_full"] += 1
        except (HandshakeFailed, OSError):
            self._lost(link)

    def _lost(self, link: SecureLink) -> None:
        link.close()
        with self._lock:
            if self._links.get(link.peer) is link:
                del self._links[link.peer]

    def _deliver(self, peer: str) -> None:
        """Send what waits for one member, over whichever connection there is."""
        pause = 0.05
        while not self._over.is_set():
            waiting = self._queues.get(peer)
            if waiting is None:
                return
            try:
                raw = waiting.get(timeout=0.5)
            except queue.Empty:
                continue
            link = self._links.get(peer) or self._called(peer)
            if link is None:
                # It may be away for days: it is tried ever less often.
                with suppress(queue.Full):
                    waiting.put_nowait(raw)
                self._over.wait(pause)
                pause = min(5.0, pause * 2)
                continue
            pause = 0.05
            try:
                link.send(raw)
            except (OSError, ValueError):
                self._lost(link)

    def _called(self, peer: str) -> SecureLink | None:
        address = self._members.get(peer, "")
        if not address:
            return None
        host, _, port = address.rpartition(":")
        try:
            wire = socket.create_connection((host.strip("[]"), int(port)), _HANDSHAKE_SECONDS)
        except OSError:
            return None
        link = self._met(wire, calls=True, wanted=peer)
        if link is not None:
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _started(self._read, link)
        return link


def opened(membership: Membership) -> TcpTransport:
    """Return the transport of a house."""
    key, psk, at = membership.key, membership.psk, membership.address
    return TcpTransport(key, psk, membership.rules.swarm, at, membership.others)


def _shut(wire: socket.socket) -> None:
    """Close a socket; whoever is blocked on it wakes up only by the first of the two."""
    with suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)
    wire.close()


def _started(work: object, *given: object) -> None:
    threading.Thread(target=work, args=given, daemon=True).start()  # type: ignore[arg-type]


def _bound(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        door = socket.socket(found[0], socket.SOCK_STREAM)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(found[4])
        door.listen(_BACKLOG)
    except OSError as error:
        raise BadInput(
            "federation.cannot_listen", address=listen, reason=error.strerror or str(error)
        ) from error
    return door
