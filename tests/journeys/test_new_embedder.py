"""A store written by one embedder is opened with another: nothing is lost, nothing is mixed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest

from readonly import read_only
from saegim import Saegim
from saegim.engines.brain.model import SHIPPED, Static, read
from saegim.engines.embedder import Embedder, Role, Vector, cosine
from saegim.engines.hashed import Hashed
from saegim.store.rows import Where
from saegim.store.search.index_memory import BATCH
from stand_ins import wait_until

MANY = 300
QUESTION = "보리차를 두는 칸"
# Opened with the new default, it dies in the middle of the third batch: no farewell, no clean-up.
DIES = """
import os, sys, time
from saegim import Saegim
from saegim.engines.brain.model import Static

class Dying(Static):
    read = 0
    def embed(self, texts, role):
        self.read += len(texts)
        if self.read > 2 * 64:
            os._exit(9)
        return super().embed(texts, role)

Saegim.open(sys.argv[1], embedder=Dying())
time.sleep(600)
"""


class Held(Static):
    """The small brain, which reads no document before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = Event()

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Wait for the word, unless a question is asked."""
        assert role == "query" or self.go.wait(30)
        return super().embed(texts, role)


class Counting(Static):
    """The small brain, which counts the documents it has read."""

    read = 0

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Count, and embed."""
        self.read += len(texts) if role == "document" else 0
        return super().embed(texts, role)


def words(number: int) -> str:
    """Return what the memory of this number says."""
    return f"선반 {number}번 칸에는 {'보리차' if number == 7 else '못과 나사'}가 있다"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store whose vectors were all made by the hashed embedder."""
    path = tmp_path_factory.mktemp("written") / "memory.db"
    with Saegim.open(path, embedder="hashed", durability="fast") as memory:
        for number in range(MANY):
            memory.remember(words(number))
    return path.parent


@pytest.fixture
def store(written: Path, tmp_path: Path) -> Path:
    """Return a copy of that store for one test."""
    shutil.copytree(written, tmp_path / "copy")
    return tmp_path / "copy" / "memory.db"


def reach(memory: Saegim) -> tuple[int, int, int]:
    """Return what status says of the vectors: ready, pending, failed."""
    index = memory.status()["index"]
    return index["ready"], index["pending"], index["failed"]


def held_by(memory: Saegim, embedder: Embedder) -> int:
    """Count the vectors that this embedder has in the store, by asking for all neighbours."""
    [asked] = embedder.embed([QUESTION], "query")
    where = Where(scope=memory.scope)
    return len(memory.mind.store.vectors.near(asked, embedder.identity, where, limit=2 * MANY))


def test_words_answer_at_once_and_the_vectors_follow(store: Path) -> None:
    """U7.3: during the change words and the old vectors find everything; status says how far."""
    late = Held()
    with Saegim.open(store, embedder=late) as memory:
        assert memory.mind.embedder.identity == Static().identity
        found = memory.recall(QUESTION)
        assert found.hits[0].memory.text == words(7)
        # What the old embedder says of it.
        [asked], [told] = (Hashed().embed([each], "document") for each in (QUESTION, words(7)))
        assert 0.0 < found.hits[0].vector < cosine(asked, told) + 0.1 < late.floor
        assert {path.name: path.why for path in found.paths}["vector"] == (
            f"{MANY} memories are not embedded yet"
        )
        assert reach(memory) == (0, MANY, 0)
        late.go.set()
        wait_until(lambda: reach(memory) == (MANY, 0, 0))
        again = memory.recall(QUESTION)
        assert again.hits[0].memory.text == words(7)
        assert again.hits[0].vector > late.floor
        assert {path.name: path.why for path in again.paths}["vector"] == ""


def test_the_default_takes_over_a_store_of_hashed_vectors(store: Path) -> None:
    """U7.3: nobody has to ask for it; opening with the default settings is enough."""
    with Saegim.open(store) as memory:
        assert memory.mind.embedder.identity == Static().identity
        wait_until(lambda: reach(memory) == (MANY, 0, 0))
        found = memory.recall("barley tea")
        assert found.hits[0].memory.text == words(7)
        memory.maintenance.verify()
        assert memory.recent(1).total == MANY


def test_the_embedder_that_made_them_has_nothing_to_do(store: Path) -> None:
    """Control: opened as it was written, nothing waits; the old vectors stay after a change."""
    with Saegim.open(store, embedder="hashed") as memory:
        assert reach(memory) == (MANY, 0, 0)
        assert memory.recall("barley tea").hits == ()
    with Saegim.open(store) as memory:
        wait_until(lambda: reach(memory) == (MANY, 0, 0))
    with Saegim.open(store, embedder="hashed") as memory:
        assert reach(memory) == (MANY, 0, 0)


def killed_while_filling(store: Path) -> None:
    """Open the store in another process, which dies while it embeds."""
    died = subprocess.run([sys.executable, "-c", DIES, str(store)], check=False)
    assert died.returncode == 9


def test_a_filling_that_was_killed_goes_on_where_it_was(store: Path) -> None:
    """U7.3: two batches were kept; the next process reads the rest and only the rest."""
    killed_while_filling(store)
    rest = Counting()
    with Saegim.open(store, embedder=rest) as memory:
        wait_until(lambda: reach(memory) == (MANY, 0, 0))
        assert rest.read == MANY - 2 * BATCH
        assert memory.recall(QUESTION).hits[0].memory.text == words(7)


def test_without_a_beginning_everything_is_read(store: Path) -> None:
    """Control: the count of the test above is short because two batches were there already."""
    everything = Counting()
    with Saegim.open(store, embedder=everything) as memory:
        wait_until(lambda: reach(memory) == (MANY, 0, 0))
    assert everything.read == MANY


def test_two_identities_never_mix(store: Path) -> None:
    """U7.2: half-way through, each embedder sees its own vectors, all of them and no other."""
    killed_while_filling(store)
    with Saegim.open(store, embedder="hashed") as memory:
        assert held_by(memory, Hashed()) == MANY
        assert held_by(memory, Static()) == 2 * BATCH
        assert held_by(memory, Static(128)) == 0
        hit = memory.recall(QUESTION).hits[0]
        asked, kept = (Hashed().embed([text], "query")[0] for text in (QUESTION, hit.memory.text))
        assert hit.vector == pytest.approx(cosine(asked, kept), abs=0.02)


def test_a_damaged_table_leaves_the_words(store: Path, tmp_path: Path) -> None:
    """U12.1, R-11: with the model's numbers spoilt, words answer, and every answer says why."""
    spoilt = tmp_path / SHIPPED.name
    begins = read(SHIPPED).begins
    spoilt.write_bytes(SHIPPED.read_bytes()[:begins] + bytes(SHIPPED.stat().st_size - begins))
    with Saegim.open(store, embedder=Static(path=spoilt)) as memory:
        found = memory.recall(QUESTION)
        assert found.hits[0].memory.text == words(7)
        assert "damaged" in {path.name: path.why for path in found.paths}["vector"]
        [said] = [each for each in memory.doctor() if each.name == "embedder"]
        assert not said.ok
        assert "Install Saegim again" in said.fix


def test_a_damaged_table_costs_no_memory(tmp_path: Path) -> None:
    """U1.2: what is said while the model is spoilt is kept, found by its words, embedded later."""
    spoilt = tmp_path / SHIPPED.name
    begins = read(SHIPPED).begins
    spoilt.write_bytes(SHIPPED.read_bytes()[:begins] + bytes(SHIPPED.stat().st_size - begins))
    place = tmp_path / "kept.db"
    with Saegim.open(place, embedder=Static(path=spoilt)) as memory:
        kept = memory.remember("여권은 서랍 맨 아래 칸에 있다")
        assert kept.indexed == "pending"
        assert memory.recall("여권").hits[0].memory.id == kept.id
    with Saegim.open(place) as memory:
        again = memory.remember("control: with the model whole, the vector comes at once")
        assert again.indexed == "ready"
        for _ in memory.maintenance.rebuild():
            pass
        assert memory.recall("Where is my passport?").hits[0].memory.id == kept.id


def test_a_store_that_cannot_be_written_is_read_with_the_new_default(store: Path) -> None:
    """U7.3: where no vector can be added, the words answer and the reason is given."""
    with read_only(store.parent) as folder, Saegim.open(folder / store.name) as memory:
        found = memory.recall(QUESTION)
        assert found.hits[0].memory.text == words(7)
        assert reach(memory) == (0, MANY, 0)
