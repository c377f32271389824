"""Vectors as bytes: they come back, torn ones are refused, and sketches keep the order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.engines.embedder import Embedder, Sparse, Vector, cosine
from saegim.engines.hashed import Hashed
from saegim.errors import WrongIdentity
from saegim.store.database import Database
from saegim.store.search.embedding_index import (
    SKETCH,
    check_fits,
    code,
    codes,
    embedder_number,
    exact,
    known_number,
    pack,
    read_codes,
    unpack,
)
from stand_ins import Blocks, Toy
from store.places import furnished


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def sparse(dimension: int, *indices: int) -> Sparse:
    """Make a sparse unit vector with equal values."""
    value = 1 / np.sqrt(len(indices))
    return Sparse(
        np.array(indices, dtype=np.uint32),
        np.full(len(indices), value, dtype=np.float32),
        dimension,
    )


def numbers(vector: Vector) -> list[float]:
    """Return every number of a vector."""
    if isinstance(vector, Sparse):
        return [number for pair in vector.pairs() for number in pair]
    return [float(each) for each in vector]


@pytest.mark.parametrize("dimension", [2, 384, 768, 1024, 4096])
def test_a_dense_vector_comes_back(dimension: int) -> None:
    """U7.1: any dimension, at half precision."""
    (vector,) = Toy(dimension).embed(["blue kettle"], "document")
    back = unpack(pack(vector), dimension)
    assert numbers(back) == pytest.approx(numbers(vector), abs=2e-3)
    assert cosine(back, vector) == pytest.approx(1.0, abs=1e-3)


@given(st.sets(st.integers(0, 69_999), min_size=1, max_size=20))
def test_a_sparse_vector_comes_back(indices: set[int]) -> None:
    """Wide and narrow spaces keep every index exactly."""
    for dimension in (70_000, 65_536):
        chosen = sorted(each for each in indices if each < dimension)
        if chosen:
            vector = sparse(dimension, *chosen)
            back = unpack(pack(vector), dimension)
            assert isinstance(back, Sparse)
            assert back.indices.tolist() == chosen
            assert back.values == pytest.approx(vector.values, abs=2e-3)
            assert pack(vector)[:1] == (b"L" if dimension > 65_536 else b"S")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"D",
        b"D123",
        pack(np.ones(7, dtype=np.float32)),
        b"S",
        b"S12",
        b"L123",
        b"X1234",
        pack(sparse(65_536, 9)),
    ],
)
def test_bytes_that_are_no_vector_of_this_space_are_refused(data: bytes) -> None:
    """U8.1, FAULTS 73: torn, foreign and out-of-range bytes are told, never a direction."""
    with pytest.raises(WrongIdentity) as caught:
        unpack(data, 8)
    assert "rebuild" in caught.value.next_step


def test_torn_rows_have_no_score_and_spoil_no_other() -> None:
    """U8.1: bytes that are no direction have no score; sound rows beside them keep theirs."""
    (query,) = Toy(8).embed(["tea"], "query")
    torn = [b"", b"D123", b"D1", pack(query * 0), pack(query * np.nan), pack(sparse(8, 1))]
    scores = exact(query, [*torn, pack(query)], 8)
    assert np.isnan(scores[:-1]).all()
    assert scores[-1] == pytest.approx(1.0, abs=1e-3)
    scores = exact(sparse(8, 1), [b"S\xff\xff12", b"S", pack(query), pack(sparse(8, 1))], 8)
    assert np.isnan(scores[:-1]).all()
    assert scores[-1] == pytest.approx(1.0, abs=1e-3)
    assert exact(query, [], 8).tolist() == []


@pytest.mark.parametrize("embedder", [Toy(32), Hashed()], ids=["dense", "sparse"])
def test_noise_among_stored_rows_hides_only_itself(embedder: Embedder) -> None:
    """U8.4: whatever a spoilt row pretends to be, all the others stay in the index."""
    dimension = embedder.identity.dimension
    sound = [pack(each) for each in embedder.embed(["tea", "kettle", "garden"], "document")]
    signalling = b"\x01\x7c"
    noise = (
        b"",
        b"S",
        b"S" + b"\x00\x00" + signalling,
        b"L" + bytes(4) + signalling,
        b"S" + pack(sparse(dimension, 3, 4))[1:],
        b"D" + signalling * dimension,
        b"D" + b"\x00\x7c" * dimension,
    )
    for each in noise:
        rows = {1: sound[0], 2: each, 3: sound[1], 4: sound[2]}
        kept, made = read_codes(rows, dimension)
        assert {1, 3, 4} <= set(kept.tolist())
        assert np.isfinite(made).all()
    kept, _ = read_codes({1: b"D" + signalling * dimension}, dimension)
    assert kept.tolist() == []
    assert np.isnan(numbers(unpack(b"D" + signalling * dimension, dimension))).all()


def test_exact_scores_are_the_true_cosines() -> None:
    """U7.2: all at once gives what one by one gives, dense and sparse."""
    for embedder in (Toy(32), Hashed()):
        texts = ["blue kettle", "blue sky", "보리차 한 잔", "x"]
        vectors = embedder.embed(texts, "document")
        (query,) = embedder.embed(["blue kettle tea"], "query")
        scores = exact(query, [pack(each) for each in vectors], embedder.identity.dimension)
        assert scores == pytest.approx([cosine(query, each) for each in vectors], abs=2e-3)


def test_a_sketch_is_a_direction_that_keeps_what_is_near() -> None:
    """ENGINES: the sketch only chooses candidates, and the same text is its own nearest."""
    texts = [f"memory number {n} about kettles and gardens" for n in range(40)]
    made = codes(Hashed().embed(texts, "document"))
    assert made.shape == (40, SKETCH)
    assert np.linalg.norm(made, axis=1) == pytest.approx([1.0] * 40, abs=1e-5)
    assert np.argmax(made @ code(Hashed().embed([texts[7]], "document")[0])) == 7
    dense = Toy(16).embed(texts, "document")
    assert np.array_equal(codes(dense)[3], dense[3])


def test_what_has_no_direction_does_not_fit() -> None:
    """U7.2: another dimension, zero, NaN and infinity are refused by name."""
    toy = Toy(8)
    (good,) = toy.embed(["tea"], "document")
    check_fits(good, toy.identity)
    for bad in (good[:7], good * 0, good * np.nan, good * np.inf, good * 2, sparse(9, 1)):
        with pytest.raises(WrongIdentity):
            check_fits(bad, toy.identity)


def test_an_identity_has_one_number_for_ever(database: Database) -> None:
    """U7.2: every part of the identity counts, and the number does not change."""
    one, other = Toy(8, model="one").identity, Toy(8, model="other").identity
    with database.writing() as connection:
        first = embedder_number(connection, one, 1)
        assert embedder_number(connection, one, 2) == first
        assert embedder_number(connection, other, 3) != first
        assert embedder_number(connection, Toy(9, model="one").identity, 3) != first
    assert known_number(database, one) == first
    assert known_number(database, Toy(8, model="new").identity) is None


# Every half that is no number: both signs, both infinities, NaNs that signal and NaNs that do not.
NO_NUMBERS = [bits for bits in range(65_536) if bits & 0x7C00 == 0x7C00]


def test_noise_that_is_no_number_becomes_the_one_nan_that_does_not_signal() -> None:
    """U8.4: on some processors a cast hands a signalling NaN on, and the next sum complains."""
    spoilt = np.array(NO_NUMBERS, dtype="<u2").tobytes()
    read = unpack(b"D" + spoilt, len(NO_NUMBERS))
    assert isinstance(read, np.ndarray)
    assert set(read.view(np.uint32).tolist()) == {0x7FC00000}
    (cosine_of_it,) = exact(read, [b"D" + spoilt], len(NO_NUMBERS))
    assert np.isnan(cosine_of_it)


def test_every_half_that_is_a_number_is_read_as_it_was_written() -> None:
    """Control: nothing that is sound is touched."""
    every = np.setdiff1d(np.arange(65_536), NO_NUMBERS).astype("<u2")
    read = unpack(b"D" + every.tobytes(), len(every))
    assert isinstance(read, np.ndarray)
    assert np.array_equal(read.astype(np.float16).view(np.uint16), every)


@pytest.mark.parametrize("bits", [0x7F800001, 0x7FC00000, 0x7F800000, 0xFF800000])
def test_a_vector_of_no_numbers_is_refused_without_a_warning(bits: int) -> None:
    """U8.4: whoever asks whether it fits gets an answer, on every processor the same one."""
    vector = np.zeros(8, dtype=np.float32)
    vector[3] = np.array([bits], dtype=np.uint32).view(np.float32)[0]
    with pytest.raises(WrongIdentity, match="no usable direction"):
        check_fits(vector, Toy(8).identity)
    vector[3] = 1.0
    check_fits(vector, Toy(8).identity)


@pytest.mark.parametrize("dimension", [16, 37, 256])
@pytest.mark.parametrize("rows", [2, 3, 5, 64, 301])
def test_equal_vectors_are_equally_near_wherever_they_stand(dimension: int, rows: int) -> None:
    """U21.2: an order among equals that a processor chose would be another one elsewhere."""
    (vector,) = Toy(dimension).embed(["blue kettle"], "document")
    assert isinstance(vector, np.ndarray)
    asked = vector.view(Blocks)
    assert len(set((np.stack([vector] * rows) @ asked).tolist())) > 1
    assert len(set(exact(asked, [pack(vector)] * rows, dimension).tolist())) == 1
