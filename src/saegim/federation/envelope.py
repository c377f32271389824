"""`Envelope`: signed weights of one house in one round, checked field by field before they count.

    "SGF1" | length of the header | header | weights, float32 little-endian | Ed25519 signature

The header is JSON in one canonical spelling: another spelling of the same fields is refused, so
that one envelope has one sequence of bytes. Sizes are bounded before anything is parsed.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from saegim.federation.aggregate import is_sane
from saegim.federation.keys import SIGNATURE, KeyPair, is_signed

MAGIC: Final = b"SGF1"
VERSION: Final = 1
_HEAD: Final = struct.Struct(">4sI")
_MOST_HEADER: Final = 1024
# The small policy has 899 numbers; nothing larger than this ever travels.
MOST_NUMBERS: Final = 16_384
MOST_BYTES: Final = _HEAD.size + _MOST_HEADER + 4 * MOST_NUMBERS + SIGNATURE
_CONTEXT: Final = b"saegim federation envelope\x00"


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an envelope says of itself; every field is signed."""

    version: int
    swarm: str
    peer: str
    round: int
    sequence: int
    rules: str
    schema: str
    shape: tuple[int, ...]
    digest: str
    expires: int


@dataclass(frozen=True, slots=True)
class Envelope:
    """A header and its weights, after the signature was found good."""

    header: Header
    weights: NDArray[np.float32]


class Refusal(StrEnum):
    """Why an envelope does not count; each is counted by its name."""

    OVERSIZED = "oversized"
    MALFORMED = "malformed"
    VERSION = "wrong_version"
    SWARM = "wrong_swarm"
    STRANGER = "not_a_member"
    SIGNATURE = "bad_signature"
    RULES = "wrong_rules"
    SHAPE = "wrong_shape"
    DIGEST = "wrong_digest"
    NUMBERS = "not_numbers"
    EXPIRED = "expired"
    STALE = "stale_round"
    EARLY = "round_too_far"
    REPLAYED = "replayed"
    REORDERED = "reordered"
    DOUBLE = "two_of_one_key"
    OWN = "own_key_elsewhere"


class EnvelopeRefused(Exception):
    """An envelope was refused for a reason; what came is not shown to anyone."""

    def __init__(self, reason: Refusal, peer: str = "") -> None:
        super().__init__(str(reason))
        self.reason, self.peer = reason, peer


def canonical(value: object) -> bytes:
    """Return the one spelling of a value as JSON: keys in order, nothing between."""
    return msgspec.json.encode(value, order="sorted")


def rule_hash(rules: object) -> str:
    """Return the SHA-256 of rules in their canonical spelling."""
    return hashlib.sha256(canonical(rules)).hexdigest()


@dataclass(frozen=True, slots=True)
class Expected:
    """What every envelope of a swarm must say."""

    swarm: str
    rules: str
    schema: str
    shape: tuple[int, ...]


def sealed(
    key: KeyPair,
    weights: NDArray[np.floating],
    said: Expected,
    *,
    round: int,
    sequence: int,
    expires: int,
) -> bytes:
    """Return the bytes of a signed envelope."""
    body = np.asarray(weights, dtype="<f4").reshape(-1).tobytes()
    header = canonical(
        Header(
            VERSION,
            said.swarm,
            key.public,
            round,
            sequence,
            said.rules,
            said.schema,
            (len(body) // 4,),
            hashlib.sha256(body).hexdigest(),
            expires,
        )
    )
    signed = _HEAD.pack(MAGIC, len(header)) + header + body
    return signed + key.sign(_CONTEXT + signed)


def opened(raw: bytes, expected: Expected, members: Mapping[str, object], now: float) -> Envelope:
    """Return what bytes hold; refuse whatever is not signed by a member under the same rules."""
    header, body, signed = _parsed(raw)
    if header.version != VERSION:
        raise EnvelopeRefused(Refusal.VERSION)
    if header.swarm != expected.swarm:
        raise EnvelopeRefused(Refusal.SWARM)
    if header.peer not in members:
        raise EnvelopeRefused(Refusal.STRANGER)
    # Only from here on a reason can be put down to a peer: before, anybody may have named it.
    if not is_signed(header.peer, _CONTEXT + signed, raw[-SIGNATURE:]):
        raise EnvelopeRefused(Refusal.SIGNATURE)
    peer = header.peer
    if header.rules != expected.rules:
        raise EnvelopeRefused(Refusal.RULES, peer)
    count = int(np.prod(expected.shape))
    if (header.schema, header.shape) != (expected.schema, expected.shape) or len(body) != 4 * count:
        raise EnvelopeRefused(Refusal.SHAPE, peer)
    if hashlib.sha256(body).hexdigest() != header.digest:
        raise EnvelopeRefused(Refusal.DIGEST, peer)
    if header.expires <= now:
        raise EnvelopeRefused(Refusal.EXPIRED, peer)
    weights = np.frombuffer(body, dtype="<f4").astype(np.float32)
    if not is_sane(weights):
        raise EnvelopeRefused(Refusal.NUMBERS, peer)
    return Envelope(header, weights)


def _parsed(raw: bytes) -> tuple[Header, bytes, bytes]:
    """Take bytes apart; return the header, the weights and everything that is signed."""
    if len(raw) > MOST_BYTES:
        raise EnvelopeRefused(Refusal.OVERSIZED)
    if len(raw) < _HEAD.size + SIGNATURE:
        raise EnvelopeRefused(Refusal.MALFORMED)
    magic, length = _HEAD.unpack_from(raw)
    end = _HEAD.size + length
    if magic != MAGIC or length > _MOST_HEADER or end + SIGNATURE > len(raw):
        raise EnvelopeRefused(Refusal.MALFORMED)
    spelled = raw[_HEAD.size : end]
    try:
        header = msgspec.json.decode(spelled, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise EnvelopeRefused(Refusal.MALFORMED) from None
    if canonical(header) != spelled or min(header.round, header.sequence) < 0:
        raise EnvelopeRefused(Refusal.MALFORMED)
    return header, raw[end:-SIGNATURE], raw[:-SIGNATURE]


class RefusalTally:
    """How much was taken, and how much was refused for which reason, of whom."""

    def __init__(self) -> None:
        self.taken = 0
        self.refused: Counter[str] = Counter()
        self.by_peer: Counter[str] = Counter()

    def refuse(self, refused: EnvelopeRefused) -> None:
        """Count a refusal."""
        self.refused[str(refused.reason)] += 1
        if refused.peer:
            self.by_peer[refused.peer] += 1
