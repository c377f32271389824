"""A spoilt index: the store opens, the doctor sees it, rebuild restores it, the text is whole."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from faults.processes import Warm
from faults.stores import answers, digests, grown, on_disk, questions, sentences, steady, tampered
from saegim import FixedClock, Saegim
from saegim.engines.embedder import Identity, Role, Vector
from saegim.engines.hashed import Hashed
from saegim.errors import StoreError, Unavailable
from saegim.memory.changes import Erased
from saegim.store.commit import Batch
from saegim.store.rows import Where
from stand_ins import rounds, wait_until

ASKED = questions(rounds(200, 60))
ROWS = 150


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[str]]]:
    """A store and its answers to many questions; tests spoil copies of it."""
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    with steady(path) as memory:
        grown(memory, sentences(ROWS))
        return path, answers(memory, ASKED)


SPOILS = {
    "noise in the words": "UPDATE words_basic_data SET block = randomblob(length(block))",
    "no words at all": "DELETE FROM words_basic_data",
    "no sizes of the words": "DELETE FROM words_basic_docsize",
    "no settings of the words": "DELETE FROM words_basic_config",
    "other words": "UPDATE words_basic_content SET c1 = 'nothing of this was said'",
    "a table of the words missing": "DROP TABLE words_basic_data",
    "noise in the vectors": "UPDATE vector SET data = randomblob(length(data))",
    "torn vectors": "UPDATE vector SET data = substr(data, 1, length(data) / 2 + 1)",
    "no vectors": "UPDATE vector SET data = NULL",
}


@pytest.fixture
def copy(sound: tuple[Path, list[list[str]]], tmp_path: Path) -> Path:
    """A copy of the sound store."""
    return Path(shutil.copy(sound[0], tmp_path / "memory.db"))


@pytest.fixture
def spoilt(
    request: pytest.FixtureRequest, sound: tuple[Path, list[list[str]]], tmp_path: Path
) -> Path:
    """A copy of the sound store whose index is spoilt."""
    path = Path(shutil.copy(sound[0], tmp_path / "memory.db"))
    tampered(path, SPOILS[request.param])
    return path


each_spoil = pytest.mark.parametrize("spoilt", SPOILS, indirect=True)


def complaints(memory: Saegim) -> int:
    """Count what the checks of a doctor find wrong with the indexes."""
    store, identity = memory.mind.store, memory.mind.embedder.identity
    try:
        broken = len(store.check())
    except StoreError:
        broken = 1
    return broken + store.survey.unusable(identity) + store.survey.gaps(identity)


@pytest.mark.parametrize(
    "spoilt", ["noise in the words", "other words", "noise in the vectors"], indirect=True
)
def test_the_doctor_sees_a_spoilt_index(spoilt: Path) -> None:
    """R-19: the doctor says which index is spoilt, and that the text is not."""
    with steady(spoilt) as memory:
        found = {each.name: each.ok for each in memory.doctor()}
        assert not (found["integrity"] and found["vectors"])
        assert found["ledger"]
        assert found["memories"]


@each_spoil
def test_a_spoilt_index_is_seen_and_rebuilt(
    spoilt: Path, sound: tuple[Path, list[list[str]]]
) -> None:
    """R-19, U8.1: it opens, lists and gets; the checks see it; rebuild gives the same answers."""
    before = digests(spoilt)
    with steady(spoilt) as memory:
        listed = memory.recent(5)
        assert listed.total == ROWS
        assert all(memory.get(each.id).text == each.text for each in listed.memories)
        memory.maintenance.verify()
        assert complaints(memory)
        for _ in memory.maintenance.rebuild():
            pass
        assert answers(memory, ASKED[:40]) == sound[1][:40]
        assert complaints(memory) == 0
    assert digests(spoilt) == before == digests(sound[0])


def test_both_indexes_are_rebuilt_from_the_text_alone(
    sound: tuple[Path, list[list[str]]], copy: Path
) -> None:
    """R-19, U8.1: with words and vectors spoilt together, rebuild gives the same 200 answers."""
    tampered(copy, SPOILS["noise in the words"], SPOILS["noise in the vectors"])
    with steady(copy) as memory:
        assert memory.recent(1).total == ROWS
        for _ in memory.maintenance.rebuild():
            pass
        assert answers(memory, ASKED) == sound[1]
        assert [each.name for each in memory.doctor() if not each.ok] == []


def test_a_sound_index_is_not_complained_about(
    sound: tuple[Path, list[list[str]]], tmp_path: Path
) -> None:
    """R-19 control: the doctor finds nothing in the store that was not spoilt."""
    path = Path(shutil.copy(sound[0], tmp_path / "memory.db"))
    with steady(path) as memory:
        assert [each.name for each in memory.doctor() if not each.ok] == []
        assert answers(memory, ASKED) == sound[1]


@each_spoil
def test_recall_goes_on_with_the_other_index(spoilt: Path) -> None:
    """U8.1, R-19: recall answers from the other index; what needs the spoilt one fails by name."""
    with steady(spoilt) as memory:
        found = memory.recall("barley kettle garden")
        assert found.hits
        assert found.searched
        for act in (
            lambda: memory.search("barley"),
            lambda: memory.remember("new words for an index that is spoilt"),
            lambda: memory.status(),
        ):
            with contextlib.suppress(StoreError):
                act()


class Failing:
    """The built-in embedder, which fails after a number of texts."""

    local = True
    at_once = 1_000_000_000
    lexical = False
    floor = Hashed.floor
    ask = Hashed.ask

    def __init__(self, after: int) -> None:
        self._inner = Hashed()
        self._left = after

    @property
    def identity(self) -> Identity:
        """Return the space of the built-in embedder."""
        return self._inner.identity

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Embed while it lasts."""
        if role == "document":
            self._left -= len(texts)
            if self._left < 0:
                raise Unavailable("the embedder went away", next_step="Try again.")
        return self._inner.embed(texts, role)


def wait_until_indexed(memory: Saegim) -> None:
    """Let the background finish what is unfinished."""
    mind = memory.mind
    mind.store.keep_indexed(mind.embedder, mind.now)

    def filled() -> bool:
        # Closing waits for the piece of work in hand; asking again finds what is left of it.
        mind.store._upkeep._wake.set()
        return not mind.store.vectors.waiting(mind.embedder.identity)

    wait_until(filled, pause=0.02)


def test_a_rebuild_whose_embedder_fails_leaves_words_that_find(
    sound: tuple[Path, list[list[str]]], copy: Path
) -> None:
    """U8.3: half-way through, the embedder fails: words find everything, and later it resumes."""
    clock = FixedClock()
    with Saegim.open(copy, user="owner", clock=clock, embedder=Failing(ROWS // 2)) as memory:
        for _ in memory.maintenance.rebuild():
            pass
        covered = memory.mind.store.vectors.coverage(memory.mind.embedder.identity)
        assert 0 < covered.ready < ROWS
        assert covered.failed
        assert all(len(memory.search(f"mark1n{number}end")) == 1 for number in range(ROWS))
        assert [each.name for each in memory.doctor() if not each.ok]
    clock.forward(hours=2)
    with Saegim.open(copy, user="owner", clock=clock) as memory:
        wait_until_indexed(memory)
    with steady(copy) as memory:
        assert memory.mind.store.vectors.coverage(memory.mind.embedder.identity).complete
        assert answers(memory, ASKED[:50]) == sound[1][:50]


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_rebuild_that_is_abandoned_resumes(
    sound: tuple[Path, list[list[str]]], copy: Path, steps: int
) -> None:
    """U8.3: a rebuild that stops anywhere loses no text, and running it again completes it."""
    with steady(copy) as memory:
        work = memory.maintenance.rebuild()
        for _ in range(steps):
            next(work)
        work.close()
        assert memory.recent(1).total == ROWS
    with steady(copy) as memory:
        for _ in memory.maintenance.rebuild():
            pass
        assert answers(memory, ASKED[:50]) == sound[1][:50]
        assert memory.mind.store.check() == []
    assert digests(copy) == digests(sound[0])


def test_a_killed_rebuild_is_taken_up_by_the_next_start(
    warm: Warm, sound: tuple[Path, list[list[str]]], copy: Path
) -> None:
    """U8.3: killed after its first step, a rebuild is finished by whoever opens the store next."""
    child = warm.start("rebuild_on", path=str(copy))
    assert child.told() == "step"
    child.kill()
    child.rest()
    with steady(copy) as memory:
        wait_until_indexed(memory)
        store = memory.mind.store

        def findable() -> bool:
            store._upkeep._wake.set()
            return not store.survey.unfindable("basic-1", all_read=True)

        wait_until(findable, pause=0.02)
        assert all(len(memory.search(f"mark1n{number}end")) == 1 for number in range(ROWS))
    with steady(copy) as memory:
        assert answers(memory, ASKED[:50]) == sound[1][:50]


def test_another_process_follows_a_rebuild(copy: Path) -> None:
    """U8.3: who has the old vectors in memory finds what is written after a rebuild elsewhere."""
    with steady(copy) as memory, steady(copy) as other:
        # Each farewell moves the old count of vectors on; the new one begins anew.
        memory.forget(*(each.id for each in memory.recent(9).memories))
        assert other.recall("barley kettle").hits
        for _ in memory.maintenance.rebuild():
            pass
        new = memory.remember("a lighthouse on a cliff").memory.id
        mind = other.mind
        (vector,) = mind.embedder.embed(["a lighthouse on a cliff"], "query")
        near = mind.store.vectors.near(
            vector, mind.embedder.identity, Where(scope=other.scope), limit=5
        )
        found = mind.store.memories.by_numbers(other.scope, [hit.number for hit in near])
        assert new in {each.id for each in found.values()}


def test_counts_that_shrink_do_not_stop_a_question(tmp_path: Path) -> None:
    """U8.4: after most memories with a word are erased, asking for that word still answers."""
    with on_disk(tmp_path / "memory.db") as memory:
        ids = grown(memory, [f"barley number{number}end" for number in range(16)])
        assert memory.recall("barley").hits
        mind = memory.mind
        gone = [Erased(id) for id in ids[:14]]
        mind.store.commit(Batch("owner", gone, actor="owner", at=mind.now()))
        assert {hit.memory.id for hit in memory.recall("barley").hits} == set(ids[14:])
