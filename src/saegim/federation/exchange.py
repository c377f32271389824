"""What the house and the process that speaks with others hand each other: two small files.

`offer.json` holds weights that may leave, already clipped, noised and paid for; `shared.json` the
model of the swarm and how it fares. Nothing else passes, and neither side waits for the other.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from saegim.federation.keys import read_own, written

_OFFER: Final = "offer.json"
_SHARED: Final = "shared.json"

Form = TypeVar("Form")


class Offer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights of the house for one round, as they may leave it."""

    round: int
    # The number of this share in the life of the house, and when its envelope ends.
    number: int
    expires: int
    schema: str
    weights: str

    @property
    def vector(self) -> NDArray[np.float32]:
        """Return the weights."""
        return vector_of(self.weights)


class SharedModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model of the swarm at the beginning of a round, and how the process fares."""

    swarm: str
    round: int
    schema: str
    weights: str
    # Whether an offer is wanted: not while rounds were missed or our key is used elsewhere.
    wants: bool = True
    stopped: bool = False
    # How many houses the last round came from, and which are connected.
    count: int = 0
    connected: tuple[str, ...] = ()
    taken: int = 0
    refused: Mapping[str, int] = {}
    pid: int = 0
    at: float = 0.0

    @property
    def vector(self) -> NDArray[np.float32]:
        """Return the weights."""
        return vector_of(self.weights)


def text_of(vector: NDArray[np.floating]) -> str:
    """Return weights as text."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()


def vector_of(text: str) -> NDArray[np.float32]:
    """Return the weights that a text holds; one that holds none is empty."""
    try:
        found = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    except ValueError:
        return np.empty(0, dtype=np.float32)
    return found.astype(np.float32)


def hand_offer(folder: Path, offer: Offer) -> None:
    """Hand weights to the process."""
    written(folder / _OFFER, msgspec.json.encode(offer).decode())


def offer_in(folder: Path) -> Offer | None:
    """Return what the house offers, if anything."""
    return _read(folder / _OFFER, Offer)


def hand_shared(folder: Path, shared: SharedModel) -> None:
    """Hand the model of the swarm to the house."""
    written(folder / _SHARED, msgspec.json.encode(shared).decode())


def shared_in(folder: Path) -> SharedModel | None:
    """Return the model of the swarm, if the process has written one."""
    return _read(folder / _SHARED, SharedModel)


def _read(path: Path, form: type[Form]) -> Form | None:
    text = read_own(path)
    try:
        return None if text is None else msgspec.json.decode(text, type=form)
    except msgspec.DecodeError:
        # Files are replaced whole: one that cannot be read was not written by the other side.
        return None
