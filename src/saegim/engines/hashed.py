"""Character n-grams hashed into a fixed space: vectors without any model, the same everywhere.

It sees spelling, not meaning: it forgives particles, spacing and typing slips, but knows no
synonyms and no second language.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt
import xxhash

from saegim.engines.embedder import Identity, Role, Sparse, Vector
from saegim.errors import BadInput, WrongIdentity
from saegim.language.words import Analyser, Basic
from saegim.memory.text import NORM_VERSION, normalise

Weighting = Literal["count", "log"]

HASH_ALGORITHM: Final = "xxh3_128"
# About 8 MB of n-grams; a new one costs 0.7 µs, a known one 0.05.
_KNOWN_PIECES: Final = 50_000
# Weights are whole numbers, so that sums and roots round alike on every machine.
_WEIGHT_UNIT: Final = 4096
_COUNTED: Final = 4096


def log_weights() -> npt.NDArray[np.int64]:
    """Return `1 + ln(count)` for each count up to a limit, in fixed point."""
    exact = [0.0, *(1.0 + math.log(count) for count in range(1, _COUNTED))]
    return np.array([round(_WEIGHT_UNIT * weight) for weight in exact], dtype=np.int64)


_LOG: Final = log_weights()


def spread(buckets: Sequence[int], dimension: int, weighting: Weighting) -> Sparse:
    """Return the unit vector of how often each bucket occurs."""
    found = np.sort(np.array(buckets, dtype=np.uint32))
    # np.unique counts too, at twice the time; this runs for every memory and every question.
    changes = np.ones(len(found) + 1, dtype=np.bool_)
    np.not_equal(found[1:], found[:-1], out=changes[1:-1])
    first = np.flatnonzero(changes)
    indices, counts = found[first[:-1]], first[1:] - first[:-1]
    weights = _LOG[np.minimum(counts, _COUNTED - 1)] if weighting == "log" else counts
    length = math.sqrt(int(weights @ weights))
    return Sparse(indices, (weights / length).astype(np.float32), dimension)


def digest(state: Mapping[str, Any]) -> str:
    """Name a state in twelve characters."""
    plain = json.dumps(state, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def check_space(dimension: int, seed: int, weighting: str) -> None:
    """Refuse a space that no hash can fill."""
    if not 2 <= dimension <= 2**31:
        raise BadInput("engine.no_usable_number_of_buckets", dimension=dimension)
    if not 0 <= seed < 2**64 or weighting not in get_args(Weighting):
        raise BadInput("engine.seed_or_weighting_cannot_be", seed=seed, weighting=weighting)


def check_origin(state: Mapping[str, Any]) -> None:
    """Refuse a state whose vectors were made by another hash or another normaliser."""
    made_by = (state.get("hash_algo"), state.get("norm_version"))
    if made_by != (HASH_ALGORITHM, NORM_VERSION):
        raise WrongIdentity(
            "engine.snapshot_was_embedded", made_by=made_by[0], normalisation=made_by[1]
        )


def unreadable(error: Exception) -> BadInput:
    """Return the error for a state that lacks a field or holds the wrong kind of value."""
    return BadInput("engine.embedder_state_of_snapshot_cannot", error=error)


def edges(data: bytes) -> Sequence[int]:
    """Return where each character of UTF-8 text begins, and where the last one ends."""
    codes = np.frombuffer(data, dtype=np.uint8)
    return [*np.flatnonzero((codes & 0xC0) != 0x80).tolist(), len(data)]


class Buckets(dict[bytes, int]):
    """Remembers which bucket each piece of text falls into, and starts afresh when full."""

    def __init__(self, dimension: int, seed: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.seed = seed

    def __missing__(self, piece: bytes) -> int:
        bucket = xxhash.xxh3_128_intdigest(piece, self.seed) % self.dimension
        if len(self) >= _KNOWN_PIECES:
            self.clear()
        self[piece] = bucket
        return bucket


@dataclass(frozen=True, slots=True)
class HashedSettings:
    """How texts become n-grams and n-grams become numbers."""

    low: int = 3
    high: int = 5
    dimension: int = 16_384
    seed: int = 0x5AE6
    # Against plain counts: question to Korean paragraph, hit@1 0.89 instead of 0.84; the cosine of
    # English strangers falls (99th percentile 0.22 to 0.19), that of answers stays.
    weighting: Weighting = "log"

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high <= 16:
            raise BadInput("engine.n_grams_from_to_characters", low=self.low, high=self.high)
        check_space(self.dimension, self.seed, self.weighting)


class Hashed:
    """Embeds a text as the hashed counts of its character n-grams."""

    local = True
    at_once = 1_000_000_000
    lexical = True
    # 99th percentile of unrelated sentences: Korean 0.07 (7,140 pairs), English 0.19 (1,431).
    floor = 0.14
    # Question with the sentence that answers it, 30 Korean and 30 English: median 0.27, upper
    # quartile 0.37.
    ask = 0.35

    def __init__(self, settings: HashedSettings | None = None) -> None:
        self.settings = settings or HashedSettings()
        self._buckets = Buckets(self.settings.dimension, self.settings.seed)
        self._identity = Identity(
            "saegim", "hashed-ngram", digest(self.export_state()), self.settings.dimension, "l2"
        )

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in."""
        return self._identity

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:  # noqa: ARG002
        """Return one unit vector per text; questions and answers are read alike."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Sparse:
        plain = normalise(text)
        if not plain:
            raise BadInput("engine.empty_text_has_no_vector")
        # A space on both sides marks where words begin and end, and lets one character be seen.
        data = f" {plain} ".encode("utf-8", "surrogatepass")
        at = edges(data)
        low, high = (min(size, len(at) - 1) for size in (self.settings.low, self.settings.high))
        sizes = range(low, high + 1)
        grams = [data[start:end] for n in sizes for start, end in zip(at, at[n:], strict=False)]
        buckets = list(map(self._buckets.__getitem__, grams))
        return spread(buckets, self.settings.dimension, self.settings.weighting)

    def export_state(self) -> dict[str, Any]:
        """Return everything a snapshot must keep to make the same vectors again."""
        return {
            "ngram_range": [self.settings.low, self.settings.high],
            "dim": self.settings.dimension,
            "seed": self.settings.seed,
            "hash_algo": HASH_ALGORITHM,
            "norm_version": NORM_VERSION,
            "weighting": self.settings.weighting,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Hashed:
        """Return the embedder that a snapshot was written with."""
        check_origin(state)
        try:
            low, high = state["ngram_range"]
            settings = HashedSettings(
                low, high, state["dim"], state["seed"], state.get("weighting", "count")
            )
        except (KeyError, TypeError) as error:
            raise unreadable(error) from error
        return cls(settings)


# -- Words hashed into a fixed space: the sparse bag of words, a stricter twin of the n-grams


@dataclass(frozen=True, slots=True)
class BagSettings:
    """How words become numbers."""

    dimension: int = 16_384
    seed: int = 0x5AE6
    weighting: Weighting = "log"

    def __post_init__(self) -> None:
        check_space(self.dimension, self.seed, self.weighting)


class Bag:
    """Embeds a text as the hashed counts of its words, as the analyser cuts them."""

    local = True
    at_once = 1_000_000_000
    lexical = True
    # 99th percentile of unrelated sentences: Korean 0.13 (7,140 pairs), English 0.20 (1,431).
    floor = 0.16
    # Question with the sentence that answers it, 30 Korean and 30 English: median 0.45, upper
    # quartile 0.52.
    ask = 0.5

    def __init__(
        self, settings: BagSettings | None = None, analyser: Analyser | None = None
    ) -> None:
        self.settings = settings or BagSettings()
        self._analyser = analyser or Basic()
        self._buckets = Buckets(self.settings.dimension, self.settings.seed)
        self._identity = Identity(
            "saegim", "bag-of-words", digest(self.export_state()), self.settings.dimension, "l2"
        )

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in."""
        return self._identity

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:  # noqa: ARG002
        """Return one unit vector per text; questions and answers are read alike."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Sparse:
        plain = normalise(text)
        if not plain:
            raise BadInput("engine.empty_text_has_no_vector")
        # A text without words (only marks or emoji) is one word of its own.
        words = self._analyser.index(text) or [plain]
        pieces = [word.encode("utf-8", "surrogatepass") for word in words]
        buckets = list(map(self._buckets.__getitem__, pieces))
        return spread(buckets, self.settings.dimension, self.settings.weighting)

    def export_state(self) -> dict[str, Any]:
        """Return everything a snapshot must keep to make the same vectors again."""
        return {
            "analyser": self._analyser.name,
            "dim": self.settings.dimension,
            "seed": self.settings.seed,
            "hash_algo": HASH_ALGORITHM,
            "norm_version": NORM_VERSION,
            "weighting": self.settings.weighting,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], analyser: Analyser | None = None) -> Bag:
        """Return the embedder that a snapshot was written with, if its analyser is at hand."""
        check_origin(state)
        try:
            settings = BagSettings(state["dim"], state["seed"], state["weighting"])
            wanted = state["analyser"]
        except (KeyError, TypeError) as error:
            raise unreadable(error) from error
        bag = cls(settings, analyser)
        if bag._analyser.name != wanted:
            raise WrongIdentity(
                "engine.snapshot_cut_words_with_bag", wanted=wanted, name=bag._analyser.name
            )
        return bag
