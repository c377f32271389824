"""Vectors in memory: they follow the file, small or large, and forget what left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim import Saegim
from saegim.engines.embedder import Dense
from saegim.memory.changes import Dozed, Erased, Leaving, Restored, Saved
from saegim.memory.memory import Reason
from saegim.store.database import Database
from saegim.store.rows import Where
from saegim.store.search import embedding_index
from saegim.store.search.embedding_index import Nearby, Shard, Shards, pack, unpack
from saegim.store.search.vector_rows import Codes, Matrix
from stand_ins import Blocks, Toy, wait_until
from store.places import AT, commit, furnished, memory

TOY = Toy(16)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def keep(database: Database, *texts: str) -> list[str]:
    """Save memories with their vectors; return their ids."""
    made = [memory(text) for text in texts]
    vectors = {each.id: TOY.embed([each.text], "document")[0] for each in made}
    commit(database, *map(Saved, made), vectors=vectors, identity=TOY.identity)
    return [each.id for each in made]


def nearest(shard: Shard, text: str, count: int = 100) -> set[int]:
    """Return the rows a shard proposes."""
    return set(shard.nearest(TOY.embed([text], "query")[0], count).tolist())


def rows(count: int, dimension: int = 16) -> Dense:
    """Return unit rows of chance, the same each time."""
    made = np.random.default_rng(7).standard_normal((count, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@given(st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=60))
def test_a_matrix_holds_exactly_what_was_added_and_not_removed(
    steps: list[tuple[int, bool]],
) -> None:
    """Adding again replaces, removing twice is fine, and gaps are closed in time."""
    made, matrix = rows(13), Matrix(16)
    expected: set[int] = set()
    for number, remove in steps:
        if remove:
            matrix.remove(number)
            expected.discard(number)
        else:
            matrix.add(np.array([number]), made[[number]])
            expected.add(number)
    assert len(matrix) == len(expected)
    assert set(matrix.everything()[0].tolist()) == expected
    for number in expected:
        assert matrix.nearest(made[number], 1, None).tolist() == [number]
    assert set(matrix.nearest(made[0], 99, np.array([1, 2, 99])).tolist()) == expected & {1, 2}


def test_a_matrix_grows_and_tidies_itself() -> None:
    """Memory is bounded by what lives, not by what ever was."""
    made, matrix = rows(700), Matrix(16)
    for start in range(0, 700, 100):
        matrix.add(np.arange(start + 1, start + 101), made[start : start + 100])
    assert len(matrix) == 700
    for number in range(1, 691):
        matrix.remove(number)
    matrix.add(np.array([701]), made[:1])
    assert len(matrix._rows) < 700
    assert set(matrix.everything()[0].tolist()) == {*range(691, 702)}


def test_codes_find_what_a_matrix_finds() -> None:
    """ENGINES: 4-bit codes propose the true nearest among a few candidates."""
    made = rows(600, 64)
    numbers = np.arange(1, 601)
    held = Codes(numbers, made)
    assert len(held) == 600
    for place in (0, 17, 599):
        assert place + 1 in held.nearest(made[place], 5, None).tolist()
    assert held.nearest(made[0], 3, np.array([5, 6, 9999])).tolist() != []
    assert set(held.nearest(made[0], 2, np.array([5, 6, 9999])).tolist()) == {5, 6}
    assert held.nearest(made[0], 3, np.array([9999])).tolist() == []
    held.remove(1)
    held.remove(1)
    assert 1 not in held.nearest(made[0], 5, None).tolist()
    held.add(np.array([2]), made[[0]])
    assert held.nearest(made[0], 1, None).tolist() == [2]
    assert len(held) == 599


def test_a_shard_follows_what_others_commit(database: Database) -> None:
    """U2.1: before each search it takes in what was written, hidden, shown again or erased."""
    ids = keep(database, "blue kettle", "red kettle", "green tea")
    shard = Shard("me", 1, 16)
    shard.follow(database)
    assert nearest(shard, "kettle") == {1, 2, 3}
    commit(database, Leaving(ids[0], Reason.MANUAL, AT, AT), Dozed(ids[1]))
    keep(database, "new kettle")
    shard.follow(database)
    assert nearest(shard, "kettle") == {2, 3, 4}
    commit(database, Restored(ids[0], None), Erased(ids[2]))
    shard.follow(database)
    shard.follow(database)
    assert nearest(shard, "kettle") == {1, 2, 4}
    assert len(shard) == 3


def test_a_shard_of_nothing_finds_nothing(database: Database) -> None:
    """An owner without memories has no neighbours."""
    keep(database, "theirs")
    shard = Shard("you", 1, 16)
    shard.follow(database)
    assert nearest(shard, "theirs") == set()


@pytest.mark.parametrize(("small", "is_far"), [(50, False), (500, False), (50, True)])
def test_many_rows_settle_into_codes_and_nothing_is_lost(
    database: Database, monkeypatch: pytest.MonkeyPatch, small: int, is_far: bool
) -> None:
    """ENGINES: beyond a size rows become codes; new ones wait beside them; both can be removed.

    While they are few, or their store is a server, they lie beside their codes as they are kept.
    """
    whole = is_far or small == 500
    monkeypatch.setattr(database, "is_server", is_far)
    assert (embedding_index.CODED, embedding_index.SMALL) == (2_000, 20_000)
    monkeypatch.setattr(embedding_index, "CODED", 20)
    monkeypatch.setattr(embedding_index, "SMALL", small)
    monkeypatch.setattr(embedding_index, "_CHUNK", 40)
    monkeypatch.setattr(embedding_index, "RECENT", (10, 30))
    ids = keep(database, *(f"word{n} kettle" for n in range(120)))
    shard = Shard("me", 1, 16)
    assert shard.follow(database) == 120
    assert nearest(shard, "word7 kettle", 10) == set()
    assert list(shard.catch_up(database)) == [40, 40, 40]
    assert shard.follow(database) == 0
    assert shard._settled is not None
    assert (shard._full is not None) == whole
    assert len(shard) == 120
    assert 8 in nearest(shard, "word7 kettle", 10)
    kept = dict(database.rows("SELECT number, data FROM vector"))
    found, rows = shard.held(range(1, 200))
    assert (set(found) == set(kept)) == whole
    assert all(pack(row) == kept[number] for number, row in zip(found, rows, strict=True))
    commit(database, *(Erased(id) for id in ids[:60]))
    keep(database, *(f"late{n} kettle" for n in range(60)))
    assert sum(shard.catch_up(database)) == 120
    assert len(shard) == 120
    assert 8 not in nearest(shard, "word7 kettle", 200)
    assert 130 in nearest(shard, "late9 kettle", 20)
    living = list(range(61, 181))
    held, made = shard.held(living)
    assert (sorted(held) == living) == whole
    assert set(held) <= set(living)
    packed = dict(database.rows("SELECT number, data FROM vector"))
    assert all(
        np.array_equal(row, unpack(packed[n], 16)) for n, row in zip(held, made, strict=True)
    )


def test_who_asks_once_waits_for_no_codes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command answers from the rows as they were read; who asks on is given codes behind it."""
    monkeypatch.setattr(embedding_index, "CODED", 20)
    keep(database, *(f"word{n} kettle" for n in range(60)))
    shard = Shard("me", 1, 16)
    assert shard.follow(database) == 0
    plain = []
    for _ in range(embedding_index.PLAIN_SEARCHES):
        assert not shard.wants_codes
        plain.append(nearest(shard, "word7 kettle", 60))
    assert (shard._settled, shard.wants_codes) == (None, True)
    assert list(shard.catch_up(database)) == []
    assert (shard._settled is None, shard.wants_codes, len(shard)) == (False, False, 60)
    assert [nearest(shard, "word7 kettle", 60)] * len(plain) == plain
    few = Shard("me", 1, 16)
    monkeypatch.setattr(embedding_index, "CODED", 60)
    few.follow(database)
    for _ in range(5):
        nearest(few, "word7 kettle", 5)
    assert not few.wants_codes


@pytest.mark.parametrize("resident", [False, True])
def test_a_store_lays_out_codes_behind_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resident: bool
) -> None:
    """Nobody waits for codes: the upkeep of a store makes them once somebody asks on.

    From the file and from memory alike, where nobody writes in between.
    """
    monkeypatch.setattr(embedding_index, "CODED", 20)
    with Saegim.open(tmp_path / "memory.db") as memory:
        for number in range(30):
            memory.remember(f"The kettle number {number} stands in room {number}.")
        embedder, scope, store = memory.mind.embedder, memory.scope, memory.mind.store
        # Other questions were asked on the way: the vectors are read anew, as by a process.
        store.vectors.forget_shards()
        assert not resident or store.prepare(scope)
        search = store.at_hand(scope).vectors if resident else store.vectors
        [asked] = embedder.embed(["kettle"], "query")
        where = Where(scope=scope)

        def found() -> Nearby:
            return search.nearby(asked, embedder.identity, where, limit=10)

        first = found()
        known = embedding_index.known_number(store.database, embedder.identity)
        assert known is not None
        shard = search._shards.of(scope.user, known, embedder.identity.dimension)
        assert shard._settled is None
        for _ in range(embedding_index.PLAIN_SEARCHES):
            assert found() == first
        wait_until(lambda: shard._settled is not None)
        assert found() == first


def test_only_so_many_owners_are_held_at_once() -> None:
    """U11.2: memory is bounded; the owner unused for longest leaves first."""
    held = Shards()
    first = held.of("user0", 1, 16)
    for n in range(1, embedding_index.OWNERS):
        held.of(f"user{n}", 1, 16)
    assert held.of("user0", 1, 16) is first
    held.of("one more", 1, 16)
    assert held.of("user0", 1, 16) is first
    assert held.of("user0", 2, 16) is not first
    assert len(held._held) == embedding_index.OWNERS


@pytest.mark.parametrize("count", [1, 2, 7, 16, 17, 299])
def test_of_equally_near_rows_the_oldest_are_proposed(count: int) -> None:
    """U21.2: which of three hundred equal ones are looked at is no matter of the processor."""
    matrix, (far, near) = Matrix(16), rows(2)
    matrix.add(np.arange(1, 301), np.stack([near] * 300))
    matrix.add(np.array([500]), far[None])
    assert matrix.nearest(near, count, None).tolist() == list(range(1, count + 1))
    # Even if products of rows end in another digit; by them every second row would come first.
    asked = near.view(Blocks)
    assert len(set((np.stack([near] * 300) @ asked).tolist())) > 1
    assert matrix.nearest(asked, count, None).tolist() == list(range(1, count + 1))
    matrix.remove(1)
    assert matrix.nearest(near, count, None).tolist() == list(range(2, count + 2))
