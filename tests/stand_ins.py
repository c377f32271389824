"""What several tests share: embedders that do what they are told, patience, and a full shelf."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from saegim import Saegim
from saegim.engines.embedder import Dense, Identity, Role, Vector
from saegim.errors import Unavailable
from saegim.memory.changes import Saved
from saegim.memory.memory import Memory
from saegim.memory.text import normalise
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.store.commit import Batch
from saegim.store.tables.job_table import Job

# Fuzzing, kills and sizes go ten times as far at night (make nightly).
NIGHTLY = os.environ.get("SAEGIM_NIGHTLY") == "1"


def rounds(full: int, by_day: int | None = None) -> int:
    """Return how often or how much: all of it at night, by day a tenth or as much as is said."""
    return full if NIGHTLY else by_day or max(1, full // 10)


class Toy:
    """Texts that share words are near; `seed` makes a space of its own, even at one dimension."""

    provider = "toy"
    at_once = 1_000_000_000
    lexical = False
    floor = 0.05
    ask = 0.9

    def __init__(self, dimension: int = 64, *, model: str = "toy", local: bool = True) -> None:
        self.dimension = dimension
        self.model = model
        self.local = local
        self.calls: list[tuple[str, Role]] = []
        self.fails: Callable[[int], bool] = lambda _: False
        self._call = 0

    @property
    def identity(self) -> Identity:
        """Name the space."""
        return Identity(self.provider, self.model, "", self.dimension, "toy-1")

    def _direction(self, word: str) -> Dense:
        seed = int.from_bytes(hashlib.sha256(f"{self.model}:{word}".encode()).digest()[:8], "big")
        made: Dense = np.random.default_rng(seed).standard_normal(self.dimension, dtype=np.float32)
        return made

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return the sum of the directions of a text's words, or fail as it was told to."""
        self._call += 1
        if self.fails(self._call):
            raise Unavailable(f"{self.model} is out for call {self._call}.", next_step="Wait.")
        self.calls += [(text, role) for text in texts]
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Dense:
        summed = np.sum([self._direction(word) for word in normalise(text).split()], axis=0)
        unit: Dense = (summed / np.linalg.norm(summed)).astype(np.float32)
        return unit


class Blocks(np.ndarray[tuple[int], np.dtype[np.float32]]):
    """A question whose products end in another digit in every second row, as BLAS may do."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **rest: Any) -> Any:
        """Compute as always, and disturb the last digit of a product of rows."""
        plain = [np.asarray(each) for each in inputs]
        made = getattr(ufunc, method)(*plain, **rest)
        if ufunc is np.matmul:
            made[::2] = np.nextafter(made[::2], np.float32(2))
        return made


class Odd(Toy):
    """An embedder that answers with the wrong thing."""

    def __init__(self, answer: Callable[[list[Vector]], list[Vector]], **options: bool) -> None:
        super().__init__(model="odd", **options)
        self._answer = answer

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return whatever the test makes of the right vectors."""
        return self._answer(super().embed(texts, role))


def wait_until(true: Callable[[], bool], seconds: float = 120.0) -> None:
    """Look again and again until something is true; the seconds are a guard against a hang."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.01)


def shelve(memory: Saegim, texts: Sequence[str], **about: object) -> list[str]:
    """Remember many texts in one transaction, as quickly as the store can; return their ids."""
    mind = memory.mind
    made = [
        placed(moment_of(memory.scope, text, {**about, "sequence": number}), mind)
        for number, text in enumerate(texts, 1)
    ]
    vectors = {}
    if mind.embedder.local:
        found = mind.embedder.embed([each.text for each in made], "document")
        vectors = {each.id: vector for each, vector in zip(made, found, strict=True)}
    mind.store.commit(
        Batch(
            memory.scope.user,
            [Saved(each) for each in made],
            actor="test",
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
        )
    )
    return [each.id for each in made]


def waiting(memory: Saegim) -> list[Job]:
    """Return what waits for the language model, and what was parked."""
    return memory.mind.store.jobs.all(memory.scope)


def core_of(memory: Saegim, text: str, **about: Any) -> Memory:
    """Keep a text as a core memory, as a person does: kept, proposed, approved."""
    kept = memory.remember(text, **about)
    core = memory.proposals.accept(memory.proposals.propose(kept.id).id, by="me")
    memory.forget(kept.id)
    return core
