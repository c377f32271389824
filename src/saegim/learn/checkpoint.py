"""What was learned, as a record that can be kept and checked: plain numbers, never pickled.

A checkpoint names the feature schema and the embedder it was learned with, and the digest of its
numbers. One that does not fit, or was touched, is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from saegim.errors import BadInput
from saegim.learn.network import Vector, checked_weights

VERSION: Final = 1


def packed(
    vector: NDArray[np.float32], *, schema: str, embedder: str, sizes: tuple[int, ...], **more: Any
) -> dict[str, Any]:
    """Return weights as a record of JSON, with what they belong to and their digest."""
    raw = np.ascontiguousarray(vector, dtype="<f4").tobytes()
    return {
        "checkpoint": VERSION,
        "schema": schema,
        "embedder": embedder,
        "sizes": list(sizes),
        "weights": base64.b64encode(raw).decode("ascii"),
        "sha256": hashlib.sha256(raw).hexdigest(),
        **more,
    }


def unpacked(
    record: Mapping[str, Any], *, schema: str, embedder: str, sizes: tuple[int, ...]
) -> Vector:
    """Return the weights of a record; refuse one of another kind, or whose numbers were touched."""
    if record.get("checkpoint") != VERSION or record.get("schema") != schema:
        raise BadInput("learn.other_schema", found=str(record.get("schema"))[:60], wanted=schema)
    if record.get("embedder") != embedder:
        raise BadInput("learn.other_embedder", found=str(record.get("embedder"))[:60])
    if list(record.get("sizes", ())) != list(sizes):
        raise BadInput("learn.other_schema", found=str(record.get("sizes"))[:60], wanted=schema)
    try:
        raw = base64.b64decode(str(record.get("weights", "")), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput("learn.damaged") from error
    if hashlib.sha256(raw).hexdigest() != record.get("sha256") or len(raw) % 4:
        raise BadInput("learn.damaged")
    return checked_weights(np.frombuffer(raw, "<f4").astype(np.float32), sizes)
