"""Who only reads waits for nobody, and no write waits for an embedder."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from faults.processes import PATIENCE, Child, Warm
from faults.stores import grown, opened, sentences
from faults.writers import looked_at
from saegim.engines.embedder import Identity, Role, Vector
from saegim.engines.hashed import Hashed
from saegim.errors import StoreBusy


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with some memories, all of them indexed."""
    with opened(tmp_path / "memory.db") as memory:
        grown(memory, sentences(30))
    return tmp_path / "memory.db"


@pytest.fixture
def holder(warm: Warm, path: Path) -> Iterator[Child]:
    """Another process that holds the write lock of the store."""
    child = warm.start("hold", path=str(path))
    assert child.told() == "held"
    yield child
    child.close()


def still_held(holder: Child) -> bool:
    """Ask the other process whether it has held the lock all the time."""
    holder.say("well?")
    return bool(holder.told())


def test_reading_does_not_wait_for_a_writer(warm: Warm, path: Path, holder: Child) -> None:
    """U2.2: recall, search, recent, get, status and a fresh start answer while the lock is held.

    Nor does the way out: what is noted of an answer waits for no lock as long as a write would,
    here longer than a test may take.
    """
    with opened(path, busy_seconds=1_000) as memory:
        id = memory.recent(1).memories[0].id
        here = looked_at(memory, id)
    there = warm.do("look", path=str(path), id=id)
    assert there == here
    assert here["recent"] == 30
    assert still_held(holder)


def test_writing_does_wait_for_a_writer(path: Path, holder: Child) -> None:
    """U2.2 control: the lock is a real one: a write is turned away, and nothing of it is kept."""
    with opened(path, busy_seconds=0.05) as memory:
        with pytest.raises(StoreBusy, match=r"memory\.db"):
            memory.remember("words that must wait")
        assert still_held(holder)
        holder.rest()
        memory.remember("words that need not wait any more")
        assert memory.recent(1).total == 31


def test_no_lock_outlives_its_process(warm: Warm, path: Path) -> None:
    """U2.4: the holder of the lock is killed; the next write does not wait for it."""
    child = warm.start("hold", path=str(path))
    assert child.told() == "held"
    child.kill()
    with opened(path, busy_seconds=PATIENCE) as memory:
        memory.remember("words after the killed one")
    child.close()


class Hanging:
    """A remote embedder whose calls hang until the test lets them go."""

    local = False
    at_once = 1_000_000_000
    lexical = False
    floor = Hashed.floor
    ask = Hashed.ask

    def __init__(self) -> None:
        self._inner = Hashed()
        self.called = threading.Event()
        self.released = threading.Event()

    @property
    def identity(self) -> Identity:
        """Return the space of the vectors that come in the end."""
        return self._inner.identity

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Hang, then embed."""
        if role == "document":
            self.called.set()
            assert self.released.wait(PATIENCE)
        return self._inner.embed(texts, role)


def test_no_write_waits_for_an_embedder(warm: Warm, tmp_path: Path) -> None:
    """U2.3: while an embedder hangs, memories are kept, seen elsewhere, and outlive it all."""
    path, embedder = tmp_path / "memory.db", Hanging()
    with opened(path, embedder=embedder) as memory:
        first = memory.remember("barley words that the embedder chokes on")
        assert first.indexed == "pending"
        assert embedder.called.wait(PATIENCE)
        # The call is in flight now, and it is in nobody's way: not here, not in another process.
        ids = [first.memory.id, *(memory.remember(text).memory.id for text in sentences(10))]
        assert warm.do("look", path=str(path), id=ids[-1])["recent"] == 11
        child = warm.start("add", path=str(path), name="other", count=3)
        assert child.told() == "open"
        child.say("go")
        ids += child.rest()[0]
        assert not embedder.released.is_set()
        embedder.released.set()
    with opened(path, embedder=Hashed()) as memory:
        assert memory.recent(1).total == len(ids)
        assert all(memory.get(id) for id in ids)
        memory.maintenance.verify()


def test_a_write_that_waited_would_be_seen(path: Path, holder: Child) -> None:
    """U2.3 control: with a lock held for as long as a call lasts, the same write is turned away."""
    embedder = Hanging()
    with opened(path, embedder=embedder, busy_seconds=0.05) as memory:
        with pytest.raises(StoreBusy):
            memory.remember("words during a call that holds the lock")
        embedder.released.set()
