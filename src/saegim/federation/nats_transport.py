"""Envelopes by way of a NATS server that an organisation runs: the hub carries, and reads nothing.

Every frame is sealed under the swarm's key (ChaCha20-Poly1305) and signed inside by who sent it, so
that the hub, and whoever else it lets in, sees only that something of some length was sent to a
subject. A hub can withhold frames and send them again; envelopes are taken once.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import secrets
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import nats.errors
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from nats.aio.client import Client

from saegim.federation.envelope import MOST_BYTES
from saegim.federation.keys import KEY_BYTES, SIGNATURE, KeyPair, is_signed, read_own
from saegim.federation.transport import RateLimit

if TYPE_CHECKING:
    from saegim.federation.swarm import Membership

# What lets this house speak with a hub that asks for it.
HUB_FILE: Final = "hub.token"
_INFO: Final = b"saegim federation nats 1"
_NONCE, _TAG = 12, 16
_MOST_FRAME: Final = _NONCE + KEY_BYTES + SIGNATURE + MOST_BYTES + _TAG
_WAITING: Final = 64
_INBOX: Final = 1024
# A frame without an envelope says that somebody is there; who was silent for longer is away.
_HERE_SECONDS: Final = 20.0
_AWAY_SECONDS: Final = 90.0
_CALL_SECONDS: Final = 5.0
_AGAIN_SECONDS: Final = 0.5


class NatsTransport:
    """One member's end of a subject on a hub; a thread of its own speaks with the server."""

    def __init__(
        self,
        key: KeyPair,
        psk: bytes,
        swarm: str,
        address: str,
        members: Mapping[str, str],
        *,
        token: str = "",
    ) -> None:
        self._key, self._swarm = key, bytes.fromhex(swarm)
        derived = HKDF(SHA256(), KEY_BYTES, self._swarm, _INFO).derive(psk)
        self._cipher = ChaCha20Poly1305(derived)
        self._address, self._token, self._subject = address, token, f"saegim.{swarm}"
        self._inbox: queue.Queue[tuple[str, bytes]] = queue.Queue(_INBOX)
        self._members: frozenset[str] = frozenset()
        self._limits: dict[str, RateLimit] = {}
        self._heard: dict[str, float] = {}
        self.refused: Counter[str] = Counter()
        self.allow(members)
        self._loop = asyncio.new_event_loop()
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue(_WAITING)
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="saegim-nats", daemon=True)
        self._thread.start()

    def publish(self, raw: bytes) -> None:
        """Hand bytes to the hub; while it cannot be reached, so many wait."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._put, raw)

    def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return the next bytes and whose they are."""
        try:
            return self._inbox.get(timeout=seconds)
        except queue.Empty:
            return None

    def allow(self, members: Mapping[str, str]) -> None:
        """Hear these from now on, and nobody else."""
        self._members = frozenset(members) - {self._key.public}
        self._limits = {each: self._limits.get(each) or RateLimit() for each in self._members}

    def peers(self) -> list[str]:
        """Return whom we heard of lately: nobody is connected but to the hub."""
        since = time.monotonic() - _AWAY_SECONDS
        heard = self._heard.copy()
        return sorted(each for each, at in heard.items() if at >= since and each in self._members)

    def close(self) -> None:
        """End the connection with the hub."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(_CALL_SECONDS)

    # -- frames -----------------------------------------------------------------------------------

    def _sealed(self, raw: bytes) -> bytes:
        nonce = secrets.token_bytes(_NONCE)
        signature = self._key.sign(_INFO + self._swarm + nonce + raw)
        said = bytes.fromhex(self._key.public) + signature + raw
        return nonce + self._cipher.encrypt(nonce, said, self._swarm)

    def _opened(self, frame: bytes) -> tuple[str, bytes] | None:
        """Return whose a frame is and what it holds; nothing where it is of no member."""
        if not _NONCE + KEY_BYTES + SIGNATURE + _TAG <= len(frame) <= _MOST_FRAME:
            return None
        nonce = frame[:_NONCE]
        try:
            said = self._cipher.decrypt(nonce, frame[_NONCE:], self._swarm)
        except InvalidTag:
            return None
        peer, raw = said[:KEY_BYTES].hex(), said[KEY_BYTES + SIGNATURE :]
        signature = said[KEY_BYTES : KEY_BYTES + SIGNATURE]
        if peer not in self._members:
            return None
        signed = is_signed(peer, _INFO + self._swarm + nonce + raw, signature)
        return (peer, raw) if signed else None

    # -- the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._speak())
        finally:
            self._loop.close()

    async def _speak(self) -> None:
        """Speak with the hub until the end; one that is away is called again and again."""
        speaking = asyncio.ensure_future(self._connected())
        over = asyncio.ensure_future(self._over.wait())
        await asyncio.wait({speaking, over}, return_when=asyncio.FIRST_COMPLETED)
        for each in (speaking, over):
            each.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await each

    async def _connected(self) -> None:
        """Begin anew whenever the client gives up, as it does where a hub lets nobody in."""
        while True:
            client = Client()
            try:
                await self._serve(client)
            except (TimeoutError, nats.errors.Error, OSError) as error:
                await self._trouble(error)
            finally:
                with contextlib.suppress(nats.errors.Error, OSError, asyncio.TimeoutError):
                    await client.close()
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _serve(self, client: Client) -> None:
        await client.connect(
            servers=[self._address],
            token=self._token or None,
            name="saegim",
            no_echo=True,
            max_reconnect_attempts=-1,
            reconnect_time_wait=1,
            connect_timeout=int(_CALL_SECONDS),
            error_cb=self._trouble,
        )
        await client.subscribe(self._subject, cb=self._came)
        while not client.is_closed:
            await self._send(client)

    async def _send(self, client: Client) -> None:
        """Send the next bytes, or after a while a sign that we are here."""
        raw = b""
        with contextlib.suppress(asyncio.TimeoutError):
            raw = await asyncio.wait_for(self._outbox.get(), _HERE_SECONDS)
        # What the hub did not take still counts, and is sent again later.
        with contextlib.suppress(nats.errors.Error):
            await client.publish(self._subject, self._sealed(raw))
            await client.flush(int(_CALL_SECONDS))

    async def _came(self, message: Any) -> None:
        """Take one frame, as often as members may."""
        found = self._opened(message.data)
        if found is None:
            self.refused["strangers"] += 1
            return
        peer, raw = found
        limit = self._limits.get(peer)
        if limit is None or not limit.allows(time.monotonic()):
            self.refused["too_many"] += 1
            return
        self._heard[peer] = time.monotonic()
        try:
            if raw:
                self._inbox.put_nowait((peer, raw))
        except queue.Full:
            self.refused["inbox_full"] += 1

    async def _trouble(self, error: Exception) -> None:
        self.refused[type(error).__name__] += 1

    def _put(self, raw: bytes) -> None:
        with contextlib.suppress(asyncio.QueueFull):
            self._outbox.put_nowait(raw)


def opened(membership: Membership) -> NatsTransport:
    """Return the transport of a house; what its hub asks for lies in a file beside its key."""
    key, psk, at = membership.key, membership.psk, membership.address
    token = (read_own(membership.folder / HUB_FILE) or "").strip()
    return NatsTransport(key, psk, membership.rules.swarm, at, membership.others, token=token)
