"""Vectors in files: as `[[i, v], …]`, with everything needed to make the same ones again.

Vectors of two spaces are never compared: the embedder that made them is made again, or the texts
are embedded anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any, Final

import numpy as np

from saegim.engines.bag import Bag
from saegim.engines.brain.static import Static
from saegim.engines.embedder import Embedder, Identity
from saegim.engines.hashed import HASH_ALGORITHM, Hashed
from saegim.engines.vectors import Sparse, Vector
from saegim.errors import BadInput, EngineError
from saegim.memory.keys import NORM_VERSION

# The canonical keys are xxh3-128 without a seed.
CANONICAL: Final = {"normVersion": NORM_VERSION, "hashAlgo": HASH_ALGORITHM, "seed": 0}
# Vectors are of unit length; single precision and nine digits leave this much.
_SLACK: Final = 1e-3

# Makes the embedder of an identity and its exported settings, or nothing if it cannot.
Recreate = Callable[[Identity, Mapping[str, Any]], Embedder | None]


def recreated(identity: Identity, state: Mapping[str, Any]) -> Embedder | None:
    """Return the embedder that made these vectors if it is one that needs no server."""
    try:
        if identity.provider != "saegim":
            return None
        if identity.model == "hashed-ngram":
            made: Embedder = Hashed.from_state(state)
        elif identity.model == "bag-of-words":
            made = Bag.from_state(state)
        else:
            made = Static(identity.dimension)
    except (BadInput, EngineError):
        return None
    # Another table of meanings, or other settings: not the same space after all.
    return made if made.identity == identity else None


def state_of(embedder: Embedder) -> dict[str, Any]:
    """Return what a file says of the embedder: its identity and, if it has any, its settings."""
    export = getattr(embedder, "export_state", None)
    return {"identity": asdict(embedder.identity), "settings": export() if export else {}}


def identity_of(record: object) -> tuple[Identity, Mapping[str, Any]] | None:
    """Read what a file says of its embedder; nothing if it says nothing; refuse nonsense."""
    if record is None:
        return None
    if not isinstance(record, Mapping) or not isinstance(record.get("identity"), Mapping):
        raise ValueError("its embedderState has no identity")
    held, settings = record["identity"], record.get("settings", {})
    texts = [held.get(name) for name in ("provider", "model", "digest", "policy")]
    dimension = held.get("dimension")
    whole = isinstance(dimension, int) and not isinstance(dimension, bool)
    if not all(isinstance(each, str) for each in texts) or not whole or dimension < 1:
        raise ValueError("the identity in its embedderState is not whole")
    if not isinstance(settings, Mapping):
        raise ValueError("the settings in its embedderState are not an object")
    provider, model, digest, policy = texts
    return Identity(provider, model, digest, dimension, policy), settings


def pairs(vector: Vector) -> list[list[float]]:
    """Return `[[i, v], …]`; nine digits bring single precision back bit by bit."""
    if isinstance(vector, Sparse):
        indices, values = vector.indices.tolist(), vector.values
    else:
        indices = np.flatnonzero(vector).tolist()
        values = vector[indices]
    return [[i, float(f"{v:.9g}")] for i, v in zip(indices, values.tolist(), strict=True)]


def vector_of(held: object, dimension: int, *, sparse: bool) -> Vector:
    """Read `[[i, v], …]`; refuse what is no vector of unit length in this space."""
    try:
        if not isinstance(held, list) or not held:
            raise ValueError("it is empty")
        indices = [int(i) for i, _ in held]
        values = np.array([float(v) for _, v in held], dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"an embedding is no list of pairs ({error})") from error
    rising = all(a < b for a, b in pairwise(indices))
    if not rising or indices[0] < 0 or indices[-1] >= dimension:
        raise ValueError(f"an embedding does not fit into {dimension} numbers")
    if abs(math.sqrt(float(values @ values)) - 1.0) > _SLACK:
        raise ValueError("an embedding is not of unit length")
    if sparse:
        return Sparse(np.array(indices, dtype=np.uint32), values, dimension)
    dense = np.zeros(dimension, dtype=np.float32)
    dense[indices] = values
    return dense
