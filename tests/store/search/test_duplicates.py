"""Twins: what brute force finds is found, inside the walls, and never more than is bearable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from saegim.engines.embedder import Dense, Identity, Sparse, Vector
from saegim.engines.hashed import Hashed, HashedSettings
from saegim.store.database import Database
from saegim.store.search import duplicates
from saegim.store.search.duplicates import Places
from saegim.store.search.embedding_index import embedder_number, pack, unpack
from saegim.store.search.index_memory import put_vector as put
from stand_ins import rounds
from store.places import furnished, keep, tamper

SPACE = Identity("toy", "twins", "", 64, "toy-1")
HASHED = Hashed(HashedSettings(dimension=2048))
CHANCE = 20_260_101

Pairs = set[tuple[int, int]]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def shelve(database: Database, vectors: Sequence[Vector], identity: Identity = SPACE) -> None:
    """Write as many memories, all of one circle, with these vectors; the first row copied."""
    if not database.rows("SELECT 1 FROM memory"):
        keep(database)
        first = 1
    else:
        first = int(database.rows("SELECT max(number) + 1 FROM memory")[0][0])
    names = [row[0] for row in database.rows("SELECT name FROM pragma_table_info('memory')")]
    copied = ", ".join({"number": ":n", "id": "'copy' || :n"}.get(name, name) for name in names)
    with database.writing() as connection:
        connection.executemany(
            f"INSERT OR IGNORE INTO memory SELECT {copied} FROM memory WHERE number = 1",
            ({"n": number} for number in range(first, first + len(vectors))),
        )
        embedder = embedder_number(connection, identity, 1)
        for number, vector in enumerate(vectors, first):
            put(connection, "me", embedder, number, pack(vector), True)


def again(database: Database, number: int, vector: Vector, identity: Identity = SPACE) -> None:
    """Write the vector of a memory anew: it is the newest then, whatever the memory's row."""
    with database.writing() as connection:
        put(connection, "me", embedder_number(connection, identity, 1), number, pack(vector), True)


def clustered(count: int, dimension: int = 64, most: int = 6) -> list[Dense]:
    """Return unit rows of chance in small clusters of every nearness, mixed."""
    chance = np.random.default_rng(CHANCE)
    made: list[Dense] = []
    while len(made) < count:
        middle = chance.standard_normal(dimension)
        middle /= np.linalg.norm(middle)
        for width in chance.uniform(0.0, 0.6, chance.integers(1, most)):
            noise = chance.standard_normal(dimension)
            row = middle + width * noise / np.linalg.norm(noise)
            made.append((row / np.linalg.norm(row)).astype(np.float32))
    return [made[at] for at in chance.permutation(count)]


def sentences(count: int) -> list[Vector]:
    """Return sparse vectors of made-up sentences, many of which differ by a word or two."""
    chance = np.random.default_rng(CHANCE)
    words = [
        "".join(chance.choice(list("가나다라마바사아자차")) for _ in range(3)) for _ in range(400)
    ]
    texts: list[str] = []
    while len(texts) < count:
        said = list(chance.choice(words, 12))
        for _ in range(int(chance.integers(1, 6))):
            texts.append(" ".join(said))
            said[int(chance.integers(12))] = str(chance.choice(words))
    return HASHED.embed([texts[at] for at in chance.permutation(count)], "document")


def spread(vector: Vector) -> Dense:
    """Return every number of a vector as it comes back from the file, unit long."""
    dimension = vector.dimension if isinstance(vector, Sparse) else len(vector)
    back = unpack(pack(vector), dimension)
    if isinstance(back, Sparse):
        full = np.zeros(dimension, dtype=np.float32)
        full[back.indices] = back.values
        back = full
    made: Dense = back / np.linalg.norm(back)
    return made


def brute(vectors: Sequence[Vector], *thresholds: float) -> list[Pairs]:
    """Return, for each threshold, all pairs of rows that are as near; counted from 1."""
    rows = np.stack([spread(each) for each in vectors])
    cosines = np.triu(rows @ rows.T, 1)
    places = [np.argwhere(cosines >= each) + 1 for each in thresholds]
    return [{(int(older), int(newer)) for older, newer in each} for each in places]


def found(database: Database, identity: Identity = SPACE, above: float = 0.92, **how: int) -> Pairs:
    """Return the pairs that are found, having looked at their order."""
    made = list(duplicates.duplicates(database, "me", identity, above=above, **how))
    assert all(each.older < each.newer and above <= each.cosine <= 1.0 for each in made)
    places = [(each.newer, each.older) for each in made]
    assert places == sorted(set(places))
    return {(each.older, each.newer) for each in made}


@pytest.mark.parametrize("above", [0.85, 0.92, 0.99])
def test_dense_twins_are_those_of_brute_force(database: Database, above: float) -> None:
    """U4.5: of 3,000 memories by night each near pair is found, no other, with its cosine."""
    vectors = clustered(rounds(3000, 1500))
    shelve(database, vectors)
    (expected,) = brute(vectors, above)
    assert len(expected) > rounds(100, 20)
    assert found(database, above=above) == expected
    for each in duplicates.duplicates(database, "me", SPACE, above=above):
        true = spread(vectors[each.older - 1]) @ spread(vectors[each.newer - 1])
        assert each.cosine == pytest.approx(float(true), abs=2e-6)


def test_sparse_twins_are_those_of_brute_force(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U4.5: sketches only propose; what they show too far apart is found all the same."""
    vectors = sentences(1500)
    shelve(database, vectors, HASHED.identity)
    loose, close = brute(vectors, 0.85, 0.92)
    assert len(close) > 100
    assert found(database, HASHED.identity, 0.85) == loose
    assert found(database, HASHED.identity, 0.92) == close
    monkeypatch.setattr(duplicates, "SKETCHED", 0.0)
    assert found(database, HASHED.identity, 0.85) < loose


@pytest.mark.parametrize("identity", [SPACE, HASHED.identity], ids=["dense", "sparse"])
def test_cells_find_what_all_pairs_would(
    database: Database, monkeypatch: pytest.MonkeyPatch, identity: Identity
) -> None:
    """U4.5: beyond a size rows meet in cells only; 99 of 100 pairs are found, and none invented."""
    vectors: Sequence[Vector] = clustered(3000) if identity is SPACE else sentences(1500)
    shelve(database, vectors, identity)
    monkeypatch.setattr(duplicates, "DIRECT", 0)
    loose, close = brute(vectors, 0.85, 0.92)
    for above, expected in ((0.85, loose), (0.92, close)):
        got = found(database, identity, above)
        assert got <= expected
        assert len(got) >= 0.99 * len(expected)
    # Were each row in its nearest cell alone, many a pair would be parted: it is cells we look at.
    monkeypatch.setattr(duplicates, "HOMES", 1)
    assert len(found(database, identity, 0.85)) < 0.97 * len(loose)


def test_a_crowd_that_cannot_be_parted_is_bounded(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U11.2: many vectors that differ by a rounding cost no square; each still names the oldest."""
    one, *others = clustered(400)
    crowd = np.repeat(np.array([one], dtype=np.float16), 1000, axis=0)
    for at, each in enumerate(np.triu_indices(64, 1)):
        # Two numbers a rounding further on, each time two others.
        crowd[np.arange(1000), each[:1000]] += np.float16(0.0005 * (at + 1))
    assert len(np.unique(crowd, axis=0)) == 1000
    shelve(database, [*crowd.astype(np.float32), *others])
    for name, value in (("DIRECT", 0), ("CROWDED", 100), ("OLDEST", 40)):
        monkeypatch.setattr(duplicates, name, value)
    looked: list[int] = []
    real = duplicates.NearestRows.take

    def counted(
        self: duplicates.NearestRows, a: Places, b: Places, cosines: Dense, above: float
    ) -> None:
        looked.append(cosines.size)
        real(self, a, b, cosines, above)

    monkeypatch.setattr(duplicates.NearestRows, "take", counted)
    got = found(database)
    assert {newer for _, newer in got} >= set(range(2, 1001))
    assert len(got) <= duplicates.NEAREST * 1400
    bounded = sum(looked)
    looked.clear()
    monkeypatch.setattr(duplicates, "CROWDED", 10_000)
    found(database)
    assert 2 * bounded < sum(looked)


def test_a_crowd_that_can_be_parted_is(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """U4.5: rows of a crowded cell meet in smaller cells too, and not the oldest alone."""
    vectors = clustered(2000)
    shelve(database, vectors)
    (expected,) = brute(vectors, 0.92)
    for name, value in (("DIRECT", 0), ("CROWDED", 40), ("OLDEST", 1)):
        monkeypatch.setattr(duplicates, name, value)
    got = found(database)
    assert got <= expected
    assert len(got) >= 0.9 * len(expected)


@pytest.mark.parametrize("direct", [0, duplicates.DIRECT], ids=["cells", "direct"])
@pytest.mark.parametrize("identity", [SPACE, HASHED.identity], ids=["dense", "sparse"])
def test_many_copies_are_few_pairs(
    database: Database, monkeypatch: pytest.MonkeyPatch, direct: int, identity: Identity
) -> None:
    """U11.2: of 2,000 equal vectors by night each names the eight oldest before it."""
    half = rounds(1000, 300)
    monkeypatch.setattr(duplicates, "DIRECT", direct)
    some: Sequence[Vector] = clustered(2) if identity is SPACE else sentences(2)
    one, other = some
    shelve(database, [*[one] * half, other, *[one] * half], identity)
    copies = [number for number in range(1, 2 * half + 2) if number != half + 1]
    expected = {(older, newer) for newer in copies for older in copies[:8] if older < newer}
    assert found(database, identity) == expected


def test_a_memory_names_its_nearest(database: Database) -> None:
    """U11.2: the bound keeps the nearest, not the first that come."""
    one, away = clustered(200, most=2)[:2]
    wide = np.linspace(0.3, 0.0, 31)
    rows = [np.cos(each) * one + np.sin(each) * (away - (away @ one) * one) for each in wide]
    shelve(database, [(each / np.linalg.norm(each)).astype(np.float32) for each in rows])
    assert {older for older, newer in found(database) if newer == 31} == set(range(23, 31))


def test_only_pairs_with_a_fresh_one_come_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U4.5: a later night brings exactly the pairs that touch what was written since."""
    vectors = clustered(1500)
    shelve(database, vectors[:1200])
    until = duplicates.newest_seq(database, "me", SPACE)
    everything = found(database)
    assert everything == brute(vectors[:1200], 0.92)[0]
    assert found(database, after=until) == set()
    # New memories, and an old one whose vector was made anew.
    shelve(database, vectors[1200:])
    anew = min(older for older, _ in everything)
    again(database, anew, vectors[anew - 1])
    assert duplicates.newest_seq(database, "me", SPACE) == 1501
    fresh = {anew, *range(1201, 1501)}
    (whole,) = brute(vectors, 0.92)
    expected = {pair for pair in whole if fresh & set(pair)}
    assert 0 < len(expected) < len(whole)
    assert found(database, after=until) == expected
    assert found(database) == whole
    left = found(database, upto=until)
    assert left == {pair for pair in everything if anew not in pair}
    assert found(database, upto=10**9) == whole
    for name in ("DIRECT", "CELLS"):
        monkeypatch.setattr(duplicates, name, name == "CELLS")
    assert len(found(database, after=until) ^ expected) <= 0.01 * len(expected)


def test_fresh_copies_of_old_ones_are_bounded_too(database: Database) -> None:
    """U11.2: 500 copies written on one day name the eight oldest; untouched pairs stay away."""
    one, other = clustered(2)
    shelve(database, [one] * 20)
    until = duplicates.newest_seq(database, "me", SPACE)
    shelve(database, [*[one] * 500, other])
    fresh = range(21, 521)
    assert found(database, after=until) == {(old, new) for new in fresh for old in range(1, 9)}
    # Old rows made anew: those between them name the eight oldest of these.
    until = duplicates.newest_seq(database, "me", SPACE)
    for number in range(101, 151):
        again(database, number, one)
    got = found(database, after=until)
    assert {old for old, new in got if new == 500} == set(range(101, 109))
    assert {old for old, new in got if new == 120} == set(range(1, 9))
    assert {old for old, new in got if new == 103} == set(range(1, 9))
    assert all(old > 100 or 101 <= new <= 150 for old, new in got)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("agent", "other"),
        ("project", "other"),
        ("visibility", "shared"),
        ("kind", "event"),
        ("owner", "you"),
        *(("state", state) for state in ("dormant", "superseded", "leaving", "archived")),
    ],
)
def test_walls_hold(database: Database, column: str, value: str) -> None:
    """U13: what may not be seen together, or does not live, is no twin, however alike."""
    one = clustered(1)[0]
    shelve(database, [one, one, one])
    assert found(database) == {(1, 2), (1, 3), (2, 3)}
    assert database.rows(f"SELECT {column} FROM memory")[1][0] != value
    tamper(database.path, f"UPDATE memory SET {column} = ? WHERE number = 2", value)
    assert found(database) == {(1, 3)}


def test_other_embedders_and_owners_see_nothing(database: Database) -> None:
    """U7.2: vectors of another identity are never compared, and an unknown one has none."""
    one = clustered(1)[0]
    shelve(database, [one, one])
    other = Identity("toy", "other", "", 64, "toy-1")
    assert found(database, other) == set()
    assert duplicates.newest_seq(database, "me", other) == 0
    assert list(duplicates.duplicates(database, "you", SPACE, above=0.9)) == []
    shelve(database, [one], other)
    assert found(database, other) == set()
    assert found(database) == {(1, 2)}


@pytest.mark.parametrize(
    "noise",
    [b"", b"D", b"D123", b"X" * 129, "words", 7, None, b"D" + b"\x01\x7c" * 64]
    + [pack(clustered(1)[0] * factor) for factor in (0, 3)],
    ids=range(10),
)
def test_a_spoilt_vector_hides_only_itself(database: Database, noise: object) -> None:
    """U8.4: bytes that are no vector have no twin, and every other pair is found."""
    vectors = clustered(60)
    shelve(database, vectors)
    (whole,) = brute(vectors, 0.85)
    hit = min(older for older, _ in whole)
    tamper(database.path, "UPDATE vector SET data = ? WHERE number = ?", noise, hit)
    left = {pair for pair in whole if hit not in pair}
    assert left
    assert left != whole
    assert found(database, above=0.85) == left


def test_a_stretch_of_spoilt_vectors_hides_only_itself(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U8.4: rows read together that all pretend to be something else change nothing beside them."""
    one = clustered(1)[0]
    shelve(database, [one] * 8)
    noise = pack(sentences(1)[0])
    tamper(database.path, "UPDATE vector SET data = ? WHERE number BETWEEN 3 AND 6", noise)
    monkeypatch.setattr(duplicates, "_CHUNK", 2)
    assert found(database) == {(1, 2), (1, 7), (1, 8), (2, 7), (2, 8), (7, 8)}


@pytest.mark.parametrize("noise", [b"S", b"S\xff\xff\x00\x3c", b"S\x01\x00\x01\x7c", b"D1"])
def test_a_spoilt_sparse_vector_hides_only_itself(database: Database, noise: bytes) -> None:
    """U8.4: the same where vectors are sparse."""
    one, other = sentences(2)
    shelve(database, [one, one, other, one], HASHED.identity)
    tamper(database.path, "UPDATE vector SET data = ? WHERE number = 2", noise)
    assert found(database, HASHED.identity) == {(1, 4)}


def test_the_same_night_asked_twice_finds_the_same(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the chunks it is read in, and by cells too, the answer is one."""
    shelve(database, clustered(500))
    once = list(duplicates.duplicates(database, "me", SPACE, above=0.9))
    monkeypatch.setattr(duplicates, "_CHUNK", 7)
    assert list(duplicates.duplicates(database, "me", SPACE, above=0.9)) == once
    monkeypatch.setattr(duplicates, "DIRECT", 0)
    # Each row in one cell alone: which pairs are parted depends on where the seeds fell.
    monkeypatch.setattr(duplicates, "HOMES", 1)
    by_cells = [list(duplicates.duplicates(database, "me", SPACE, above=0.9)) for _ in range(2)]
    assert by_cells[0] == by_cells[1]
    assert set(by_cells[0]) < set(once)


def test_others_may_write_while_pairs_are_read(database: Database) -> None:
    """U2.1: the search holds no lock; what is written meanwhile comes the next time."""
    one = clustered(1)[0]
    shelve(database, [one, one, one])
    until = duplicates.newest_seq(database, "me", SPACE)
    going = duplicates.duplicates(database, "me", SPACE, above=0.9)
    first = next(going)
    shelve(database, [one])
    assert {(each.older, each.newer) for each in (first, *going)} == {(1, 2), (1, 3), (2, 3)}
    assert found(database, after=until) == {(1, 4), (2, 4), (3, 4)}


@pytest.mark.parametrize("dimension", [1, 3, 64, 300, 5000])
def test_products_in_tiles_are_products(dimension: int) -> None:
    """Cut so small that no threads share them, they are the same numbers."""
    chance = np.random.default_rng(CHANCE)
    for left, right in ((1, 1), (33, 65), (70, 2)):
        one = chance.standard_normal((left, dimension)).astype(np.float32)
        other = chance.standard_normal((right, dimension)).astype(np.float32)
        assert duplicates.products(one, other) == pytest.approx(one @ other.T, rel=1e-3, abs=1e-3)
