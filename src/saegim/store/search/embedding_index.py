"""The embedding index: vectors as bytes in the store, one owner's vectors in memory."""

from __future__ import annotations

import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saegim.engines.embedder import Dense, Identity, Sparse, Vector
from saegim.errors import WrongIdentity
from saegim.memory.memory import FINDABLE, Scope, checked_tags
from saegim.store.database import LASTING, Connection, Database, first, held_by, newest_of
from saegim.store.rows import Where, newest_numbers
from saegim.store.search.vector_rows import Codes, Matrix, Numbers

# Sparse vectors are searched through a signed count sketch of this many dimensions and then
# scored exactly: 5,000 rows take 0.2 ms instead of 5, and the final order is that of the originals.
SKETCH = 256


def pack(vector: Vector) -> bytes:
    """Write a vector as bytes: half precision, sparse ones as indices and values."""
    if isinstance(vector, Sparse):
        wide = vector.dimension > 65_536
        indices = vector.indices.astype("<u4" if wide else "<u2")
        tag = b"L" if wide else b"S"
        return tag + indices.tobytes() + vector.values.astype("<f2").tobytes()
    return b"D" + np.asarray(vector, dtype="<f2").tobytes()


def unpack(data: bytes, dimension: int) -> Vector:
    """Read what `pack` wrote; refuse bytes of another dimension."""
    if not isinstance(data, bytes):
        raise WrongIdentity("store.vector_no_bytes")
    tag, body = data[:1], memoryview(data)[1:]
    if tag == b"D":
        if len(body) != 2 * dimension:
            raise WrongIdentity("store.vector_length", numbers=len(body) // 2, dimension=dimension)
        return _widened(body)
    width = {b"L": 4, b"S": 2}.get(tag, 0)
    if not width or not body or len(body) % (width + 2):
        raise WrongIdentity("store.vector_none")
    count = len(body) // (width + 2)
    indices = np.frombuffer(body[: count * width], dtype=f"<u{width}").astype(np.uint32)
    if int(indices.max()) >= dimension:
        raise WrongIdentity("store.vector_beyond", dimension=dimension)
    return Sparse(indices, _widened(body[count * width :]), dimension)


# What a half is whose exponent is all ones: no number, whatever the rest of it says.
_EXPONENT, _NO_NUMBER = 0x7C00, 0x7E00


def _widened(halves: bytes | memoryview) -> Dense:
    """Read half precision; what is spoilt becomes the one NaN that no processor complains of.

    Noise may be a NaN that signals: some processors quiet it, others hand it to whoever adds up.
    """
    bits = np.frombuffer(halves, dtype="<u2")
    spoilt = bits & _EXPONENT == _EXPONENT
    if spoilt.any():
        bits = np.where(spoilt, np.uint16(_NO_NUMBER), bits)
    return bits.view(np.float16).astype(np.float32)


def check_fits(vector: Vector, identity: Identity) -> None:
    """Refuse a vector that is not of the identity's space, or not a direction at all."""
    dimension = vector.dimension if isinstance(vector, Sparse) else vector.shape[-1]
    values = vector.values if isinstance(vector, Sparse) else vector
    if dimension != identity.dimension:
        raise WrongIdentity(
            "store.vector_of_numbers_does",
            dimension=dimension,
            model=identity.model,
            wanted=identity.dimension,
        )
    # Before anything is cast or added up: what is no number may signal.
    is_numbers = bool(np.isfinite(values).all())
    wide = values.astype(np.float64) if is_numbers else values
    length = math.sqrt(float(wide @ wide)) if is_numbers else math.nan
    if not 0.9 < length < 1.1:
        raise WrongIdentity("store.vector_of_length_has_no", length=length)


def _buckets(indices: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Map each index to a bucket and a sign, the same in every process."""
    mixed = (indices.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bucket = ((mixed >> np.uint64(40)) % np.uint64(SKETCH)).astype(np.int64)
    sign = np.where((mixed >> np.uint64(33)) & np.uint64(1), 1.0, -1.0).astype(np.float32)
    return bucket, sign


def code(vector: Vector) -> Dense:
    """Return the dense form in which a vector is searched: itself, or its sketch."""
    if not isinstance(vector, Sparse):
        return np.asarray(vector, dtype=np.float32)
    row: Dense = codes([vector])[0]
    return row


def codes(vectors: Sequence[Vector]) -> Dense:
    """Return the dense forms of many vectors of one identity as rows."""
    if not isinstance(vectors[0], Sparse):
        return np.asarray(vectors, dtype=np.float32)
    sparse = [each for each in vectors if isinstance(each, Sparse)]
    return _sketch(
        np.concatenate([each.indices for each in sparse]),
        np.concatenate([each.values for each in sparse]),
        np.array([each.indices.shape[0] for each in sparse], dtype=np.int64),
    )


def _sketch(
    indices: npt.NDArray[Any], values: npt.NDArray[np.float32], counts: npt.NDArray[np.int64]
) -> Dense:
    """Sketch many sparse vectors that lie one after another."""
    rows = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    bucket, sign = _buckets(indices)
    flat = np.bincount(
        rows * SKETCH + bucket, weights=values * sign, minlength=len(counts) * SKETCH
    )
    made = flat.reshape(len(counts), SKETCH).astype(np.float32)
    lengths_of = np.linalg.norm(made, axis=1, keepdims=True)
    scaled: Dense = made / np.maximum(lengths_of, 1e-9)
    return scaled


def exact(query: Vector, rows: Sequence[bytes], dimension: int) -> npt.NDArray[np.float32]:
    """Return the true cosines between the query and packed vectors; NaN where there is none."""
    found = np.full(len(rows), np.nan, dtype=np.float32)
    sparse = isinstance(query, Sparse)
    whole = [at for at, data in enumerate(rows) if _whole(data, dimension, sparse=sparse)]
    if whole:
        with np.errstate(invalid="ignore", over="ignore"):
            found[whole] = _products(query, [rows[at] for at in whole], dimension)
    return found


def _whole(data: object, dimension: int, *, sparse: bool) -> bool:
    """Say whether bytes have the form of a vector of this space."""
    if not isinstance(data, bytes):
        return False
    if not sparse:
        return data[:1] == b"D" and len(data) == 1 + 2 * dimension
    tag, width = (b"L", 4) if dimension > 65_536 else (b"S", 2)
    return data[:1] == tag and len(data) > 1 and not (len(data) - 1) % (width + 2)


def _products(query: Vector, rows: Sequence[bytes], dimension: int) -> npt.NDArray[np.float32]:
    if not isinstance(query, Sparse):
        return cosines(query, _dense(rows, dimension))
    indices, scaled, counts = _sparse(rows)
    # As wide as the indices can say: one that is spoilt reaches beyond the space, not beyond this.
    spread = np.zeros(max(dimension, int(indices.max()) + 1), dtype=np.float32)
    spread[query.indices] = query.values
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    squares = np.add.reduceat(scaled * scaled, starts)
    return _true(np.add.reduceat(spread[indices] * scaled, starts), squares)


def cosines(query: Dense, rows: Dense) -> npt.NDArray[np.float32]:
    """Return the true cosines between the query and dense vectors; NaN where one is spoilt."""
    # Not `@`: BLAS adds up in blocks of rows, and equal rows in two blocks may differ in their
    # last digit; then what is equally near would come in an order of the processor's own.
    return _true(np.einsum("ij,j->i", rows, query), np.einsum("ij,ij->i", rows, rows))


def _dense(rows: Sequence[bytes], dimension: int) -> Dense:
    """Read packed dense vectors, all at once."""
    whole = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, 1 + 2 * dimension)
    return _widened(whole[:, 1:].tobytes()).reshape(-1, dimension)


def _sparse(
    rows: Sequence[bytes],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Read packed sparse vectors, all at once: indices, values, and how many each has."""
    width = 4 if rows[0][:1] == b"L" else 2
    counts = np.array([(len(each) - 1) // (width + 2) for each in rows], dtype=np.int64)
    cuts = [1 + count * width for count in counts.tolist()]
    indices = np.frombuffer(
        b"".join(each[1:cut] for each, cut in zip(rows, cuts, strict=True)), dtype=f"<u{width}"
    )
    values = _widened(b"".join(each[cut:] for each, cut in zip(rows, cuts, strict=True)))
    return indices, values, counts


def read_codes(packed: dict[int, bytes], dimension: int) -> tuple[npt.NDArray[np.int64], Dense]:
    """Return the numbers and dense forms of packed vectors; a torn one hides only itself."""
    # An owner has tens of thousands, and nearly always all of them are as they should be.
    if (rows := _all_dense(packed, dimension)) is not None:
        return np.fromiter(packed, dtype=np.int64, count=len(packed)), rows
    # What most rows say: one spoilt tag must not make strangers of all the others.
    tags = [data[:1] for data in packed.values() if isinstance(data, bytes)]
    sparse = 2 * tags.count(b"D") < len(tags)
    held = {n: data for n, data in packed.items() if _whole(data, dimension, sparse=sparse)}
    numbers = np.fromiter(held, dtype=np.int64, count=len(held))
    if not held:
        return numbers, np.zeros((0, SKETCH if sparse else dimension), dtype=np.float32)
    if sparse:
        indices, values, counts = _sparse(list(held.values()))
        with np.errstate(invalid="ignore", over="ignore"):
            rows = _sketch(indices, np.where(indices < dimension, values, np.nan), counts)
    else:
        rows = _dense(list(held.values()), dimension)
    sound = np.isfinite(rows).all(axis=1)
    return (numbers, rows) if sound.all() else (numbers[sound], rows[sound])


def _all_dense(packed: dict[int, bytes], dimension: int) -> Dense | None:
    """Return packed vectors as rows, if every one of them is dense, whole and sound."""
    every, size = packed.values(), 1 + 2 * dimension
    if set(map(type, every)) != {bytes} or set(map(len, every)) != {size}:
        return None
    whole = np.frombuffer(b"".join(every), dtype=np.uint8).reshape(-1, size)
    if (whole[:, 0] != ord("D")).any():
        return None
    halves = np.ascontiguousarray(whole[:, 1:]).view("<u2")
    # The greatest exponent is that of what is no number.
    if int((halves & _EXPONENT).max()) == _EXPONENT:
        return None
    return halves.view(np.float16).astype(np.float32)


def _true(
    products: npt.NDArray[np.float32], squares: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return the products, NaN where a vector has not the length of a direction."""
    return np.where((squares > 0.8) & (squares < 1.25), products, np.float32(np.nan))


def embedder_number(connection: Connection, identity: Identity, at: int) -> int:
    """Return the number under which this identity's vectors are kept, making one if needed."""
    held, name = held_by(connection), f"{LASTING}{identity.key}"
    asked = "SELECT number FROM embedder WHERE key = ?"
    if (known := held.get(name) or first(connection, asked, (identity.key,))) is not None:
        return int(held.setdefault(name, known))
    number: int = first(
        connection,
        "INSERT INTO embedder (key, provider, model, digest, dimension, policy, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number",
        (
            identity.key,
            identity.provider,
            identity.model,
            identity.digest,
            identity.dimension,
            identity.policy,
            at,
        ),
    )
    connection.execute(
        "INSERT INTO house VALUES (?, '0') ON CONFLICT (name) DO UPDATE SET value = '0'",
        (f"covered:{number}",),
    )
    return number


def known_number(database: Database, identity: Identity) -> int | None:
    """Return the number of this identity if the store has met it."""
    rows = database.rows("SELECT number FROM embedder WHERE key = ?", (identity.key,))
    return int(rows[0][0]) if rows else None


# -- One owner's vectors in memory, following the file: numpy while few, 4-bit codes beyond

# From so many rows on, 4-bit codes propose the nearest: a pass over all rows waits for memory.
CODED = 2_000
# But a command asks once: laying out codes takes as long as looking at all rows twenty times, so
# the first searches look at all of them, and then the codes are made behind an answer. A question
# makes one to four: under filters, and among what sleeps, it looks again.
PLAIN_SEARCHES = 8
# Up to here the rows lie in memory in full beside their codes, and are not read to be compared;
# those of a server always do, 80 MB for 100,000: reading them was most of a recall.
SMALL = 20_000
# Beside codes, so many new rows wait in a matrix before they are laid out with the others: an
# eighth of those, at least and at most so many.
RECENT = (250, 4_000)
# So many times as many as are wanted are proposed: with as many, codes miss one in twenty of the 32
# nearest of 5,000; with twice as many none in 300 questions.
PROPOSED = 2
# Owners kept in memory at once; the longest unused leaves first.
OWNERS = 64
# Rows read from the file at a time.
_CHUNK = 20_000


class Shard:
    """One owner's living vectors of one embedder, brought up to date before each search.

    New rows wait in a small matrix: codes are laid out anew after every addition, which would
    cost each search after a write 20 ms at 100,000 rows.
    """

    def __init__(self, owner: str, embedder: int, dimension: int) -> None:
        self.owner, self.embedder, self.dimension = owner, embedder, dimension
        self._settled: Codes | None = None
        self._recent: Matrix | None = None
        # The rows of the settled as they are kept, while they are few, or far away on a server.
        self._full: Matrix | None = None
        self._is_far = False
        self._seen = self._era = self._searches = 0
        self.unread = 0
        self._lock = threading.Lock()

    @property
    def wants_codes(self) -> bool:
        """Say whether it is asked so often that its rows should be laid out as codes."""
        return (
            self._settled is None
            and self._searches >= PLAIN_SEARCHES
            and self._recent is not None
            and len(self._recent) > CODED
        )

    def __len__(self) -> int:
        return sum(len(part) for part in (self._settled, self._recent) if part is not None)

    def follow(self, database: Database) -> int:
        """Take in what was committed since the last look; return how many rows are left unread.

        Only so much is read at once that a search need not wait for it: the rest is for
        `catch_up`, in the background.
        """
        with self._lock:
            self.unread = self._behind(database)
            if 0 < self.unread <= _CHUNK:
                self._read_on(database)
                self.unread = 0
            return self.unread

    def catch_up(self, database: Database) -> Iterator[int]:
        """Read everything that was committed, a chunk at a time, and lay out what is much."""
        while True:
            with self._lock:
                if not self._behind(database):
                    if self._recent is not None and len(self._recent) > self._most_recent(CODED):
                        self._settle()
                    return
                read = self._read_on(database)
            yield read

    def _behind(self, database: Database) -> int:
        self._is_far = database.is_server
        newest, era = database.rows(
            f"SELECT coalesce({newest_of(':o', ':e')}, 0), schema_version "
            "FROM pragma_schema_version",
            {"o": self.owner, "e": self.embedder},
        )[0]
        # Moves on when a backup is restored or the index rebuilt: then nothing seen counts.
        if era != self._era:
            self._settled = self._recent = self._full = None
            self._seen, self._era = 0, era
        return max(int(newest) - self._seen, 0)

    def _read_on(self, database: Database) -> int:
        rows = database.rows(
            "SELECT seq, number, live, data FROM vector "
            "WHERE owner = ? AND embedder = ? AND seq > ? ORDER BY seq LIMIT ?",
            (self.owner, self.embedder, self._seen, _CHUNK),
        )
        if rows:
            self._take(rows)
        return len(rows)

    def _take(self, rows: list[Any]) -> None:
        """Add the living rows and drop the others."""
        self._seen = int(rows[-1][0])
        living = {number: data for _, number, live, data in rows if live and data is not None}
        for _, number, live, data in rows:
            if not live or data is None:
                self._remove(number)
        if not living:
            return
        numbers, made = read_codes(living, self.dimension)
        if not len(numbers):
            return
        if self._recent is None:
            self._recent = Matrix(made.shape[1])
        if self._settled is not None:
            for number in filter(self._settled.__contains__, numbers.tolist()):
                self._remove(number)
        self._recent.add(numbers, made)
        if len(self._recent) > self._most_recent(_CHUNK):
            self._settle()

    def _most_recent(self, uncoded: int) -> int:
        """Return how many rows may wait beside the codes; so many, where there are none yet."""
        least, most = RECENT
        if self._settled is None:
            return uncoded
        return min(max(least, len(self._settled) // 8), most)

    def _remove(self, number: int) -> None:
        for part in (self._recent, self._settled, self._full):
            if part is not None:
                part.remove(number)

    def _settle(self) -> None:
        """Move the recent rows into the codes."""
        assert self._recent is not None
        numbers, rows = self._recent.everything()
        if self._settled is None:
            self._settled = Codes(numbers, rows)
            if rows.shape[1] == self.dimension:  # of a sketch the originals are elsewhere
                self._full = Matrix(rows.shape[1], "f2")
        else:
            self._settled.add(numbers, rows)
        if len(self._settled) > SMALL and not self._is_far:
            self._full = None
        if self._full is not None:
            self._full.add(numbers, rows)
        self._recent = Matrix(rows.shape[1])

    def held(self, numbers: Sequence[int]) -> tuple[list[int], Dense]:
        """Return those of the numbers whose vectors lie here in full, and the vectors."""
        with self._lock:
            parts = [part.held(numbers) for part in (self._full, self._recent) if part]
        if len(parts) < 2:
            return parts[0] if parts else ([], np.zeros((0, self.dimension), np.float32))
        return parts[0][0] + parts[1][0], np.concatenate([rows for _, rows in parts])

    def nearest(self, query: Vector, count: int, allowed: Numbers | None = None) -> Numbers:
        """Return candidates for the nearest memories, to be scored exactly by the caller."""
        asked = code(query)
        with self._lock:
            self._searches += 1
            # What is in one of them is not in the other.
            found = [
                part.nearest(asked, min(count, len(part)), allowed)
                for part in (self._settled, self._recent)
                if part is not None and len(part)
            ]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


class Shards:
    """The shards of this process, the least recently used leaving first."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str, int], Shard] = OrderedDict()
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Let go of all of them."""
        with self._lock:
            self._held.clear()

    def of(self, owner: str, embedder: int, dimension: int) -> Shard:
        """Return the owner's shard, empty at first."""
        with self._lock:
            key = (owner, embedder)
            shard = self._held.pop(key, None)
            if shard is None:
                shard = Shard(owner, embedder, dimension)
            self._held[key] = shard
            while len(self._held) > OWNERS:
                self._held.popitem(last=False)
            return shard


# So few that pass the filters that each can be given its true cosine: no search is quicker.
FEW = 128
# Superseded and leaving memories are in no shard; so many of them are compared one by one.
_MOST_HIDDEN = 2000


class NearHit(NamedTuple):
    """A memory that the vectors found, with its true cosine."""

    number: int
    cosine: float


class Nearby(NamedTuple):
    """Memories that the vectors found, the nearest first, and their true cosines."""

    numbers: list[int]
    cosines: list[float]


def in_their_order(numbers: Numbers, near: npt.NDArray[np.float32]) -> Nearby:
    """Return rows by their cosines, equal ones by their numbers; not those that have none."""
    order = np.lexsort((numbers, -near))
    if not np.isfinite(near).all():
        order = order[np.isfinite(near)[order]]
    return Nearby(numbers[order].tolist(), near[order].tolist())


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the vectors of one embedder cover the memories."""

    memories: int
    ready: int
    pending: int
    failed: int
    error: str = ""

    @property
    def complete(self) -> bool:
        """Say whether every memory has its vector."""
        return not self.pending and not self.failed


def _scored(vector: Vector, shard: Shard, rows: Sequence[Any]) -> Nearby:
    """Return rows with packed vectors by their true cosines."""
    near = exact(vector, [row[1] for row in rows], shard.dimension)
    return in_their_order(np.array([row[0] for row in rows], np.int64), near)


def _nearest(hits: Nearby, found: set[int], asked: set[int], limit: int) -> Nearby:
    """Keep the nearest of what was found, and what was asked for."""
    kept, passed = Nearby([], []), 0
    for number, cosine in zip(*hits, strict=True):
        if number in found and passed < limit:
            passed += 1
        elif number not in asked:
            continue
        kept.numbers.append(number)
        kept.cosines.append(cosine)
    return kept


class VectorSearch:
    """The nearest memories to a question, by true cosine."""

    def __init__(self, database: Database, behind: Callable[[Shard], None] | None = None) -> None:
        self._database = database
        self._shards = Shards()
        # Told of a shard that has not read all vectors yet: what it has read is searched.
        self._behind = behind

    def share_with(self, other: VectorSearch) -> None:
        """Ask the same file with the same shards."""
        self._database, self._shards, self._behind = other._database, other._shards, other._behind

    def forget_shards(self) -> None:
        """Read the vectors again: the file holds others now."""
        self._shards.forget()

    def _number_of(self, identity: Identity) -> int | None:
        """Return the number of this identity if the store has met it."""
        return known_number(self._database, identity)

    def unread(self, scope: Scope, identity: Identity) -> int:
        """Return how many vectors of this user the last search could not look at yet."""
        embedder = self._number_of(identity)
        if embedder is None:
            return 0
        return self._shards.of(scope.user, embedder, identity.dimension).unread

    def near(
        self,
        vector: Vector,
        identity: Identity,
        where: Where,
        *,
        limit: int,
        also: Iterable[int] = (),
    ) -> list[NearHit]:
        """Return what `nearby` does, one by one."""
        return list(map(NearHit, *self.nearby(vector, identity, where, limit=limit, also=also)))

    def nearby(
        self,
        vector: Vector,
        identity: Identity,
        where: Where,
        *,
        limit: int,
        also: Iterable[int] = (),
    ) -> Nearby:
        """Return the nearest memories that `where` allows, and the rows in `also`, by true cosine.

        With a limit of 0 nothing is searched: only the rows in `also` get their cosine.
        Candidates are taken in order of nearness and filtered in SQL; if too few pass, the filter
        becomes an allow-list and the search is repeated inside it: nothing is ever crowded out.
        """
        check_fits(vector, identity)
        embedder = self._number_of(identity)
        hits = Nearby([], [])
        if embedder is None:
            return hits
        asked = set(also) | self._not_live(where)
        shard = self._shards.of(where.scope.user, embedder, identity.dimension)
        if not limit:
            return self._scored(vector, shard, where, asked)
        self._follow(shard)
        if shard.wants_codes and self._behind is not None:
            self._behind(shard)
        if where.narrows and len(few := self._few(where)) <= FEW:
            return self._rescored(vector, shard, where, {*few.tolist(), *asked})
        for allowed in self._narrower(where, shard):
            found = set(shard.nearest(vector, PROPOSED * limit, allowed).tolist())
            hits = self._rescored(vector, shard, where, found | asked)
            passed = len(found.intersection(hits.numbers))
            # What the filters took of the proposals must leave more than are wanted.
            if 2 * passed >= (PROPOSED + 1) * limit or len(shard) <= len(found):
                break
        return _nearest(hits, found, asked, limit)

    def _narrower(self, where: Where, shard: Shard) -> Iterator[Numbers | None]:
        """Yield what to look among, each time more exactly; None for all there is."""
        del shard
        if where.tags:
            yield self._narrowed(where)
        yield None
        yield self._allowed(where)

    def _follow(self, shard: Shard) -> int:
        """Let a shard take in what was committed; return how much it leaves for later."""
        left = shard.follow(self._database)
        if left and self._behind is not None:
            self._behind(shard)
        return left

    def _not_live(self, where: Where) -> set[int]:
        """Return the newest rows that no shard holds, where history is asked for."""
        if not (hidden := tuple(state for state in where.states if state not in FINDABLE)):
            return set()
        return set(
            newest_numbers(self._database, replace(where, states=hidden), limit=_MOST_HIDDEN)
        )

    def _narrowed(self, where: Where, most: int = -1) -> Numbers:
        """Return all rows that may pass the filters, at most so many; by tag, if there is one.

        The index of tags alone answers in a tenth of the time; what else is asked is looked at when
        the nearest of them get their cosine.
        """
        if not where.tags:
            return self._allowed(where, most)
        rows = self._database.rows(
            "SELECT number FROM tag WHERE owner = ? AND tag = ? LIMIT ?",
            (where.scope.user, checked_tags(where.tags)[0], most),
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def _few(self, where: Where) -> Numbers:
        """Return what passes the filters, if that is little: then all of it is measured."""
        few = self._narrowed(where, most=FEW + 1)
        if not where.tags or len(few) <= FEW:
            return few
        # A tag that many bear may still leave few: whether they live, and what else was asked.
        sql, params = where.sql()
        rows = self._database.rows(
            "SELECT m.number FROM tag t CROSS JOIN memory m ON m.number = t.number "
            f"WHERE t.owner = :tag_owner AND t.tag = :first_tag AND {sql} LIMIT :most",
            {
                **params,
                "tag_owner": where.scope.user,
                "first_tag": checked_tags(where.tags)[0],
                "most": FEW + 1,
            },
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def _allowed(self, where: Where, most: int = -1) -> Numbers:
        """Return the rows that pass the filters, at most so many."""
        sql, params = where.sql()
        rows = self._database.rows(
            f"SELECT m.number FROM memory m WHERE {sql} LIMIT :most", {**params, "most": most}
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def _rescored(self, vector: Vector, shard: Shard, where: Where, numbers: set[int]) -> Nearby:
        """Score what a shard found that has followed the file."""
        return self._scored(vector, shard, where, numbers)

    def _scored(self, vector: Vector, shard: Shard, where: Where, numbers: set[int]) -> Nearby:
        """Filter candidates in SQL and give each its true cosine, best first."""
        sql, params = where.sql()
        rows = self._database.rows(
            "SELECT m.number, v.data FROM json_each(:numbers) j "
            "CROSS JOIN memory m ON m.number = j.value "
            "CROSS JOIN vector v ON v.embedder = :embedder AND v.number = m.number "
            f"WHERE v.data IS NOT NULL AND {sql}",
            {**params, "numbers": json.dumps(list(numbers)), "embedder": shard.embedder},
        )
        return _scored(vector, shard, rows)

    def _scored_here(self, vector: Vector, shard: Shard, numbers: Collection[int]) -> Nearby:
        """Give rows that passed the filters already their true cosine, best first."""
        rows = self._database.rows(
            "SELECT v.number, v.data FROM json_each(:numbers) j "
            "CROSS JOIN vector v ON v.embedder = :embedder AND v.number = j.value "
            "WHERE v.data IS NOT NULL AND v.owner = :owner",
            {
                "numbers": json.dumps(list(numbers)),
                "embedder": shard.embedder,
                "owner": shard.owner,
            },
        )
        return _scored(vector, shard, rows)

    def coverage(self, identity: Identity) -> Coverage:
        """Count what is indexed and what is not yet."""
        total = int(self._database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")[0][0])
        embedder = self._number_of(identity)
        if embedder is None:
            return Coverage(total, 0, total, 0)
        ready = int(
            self._database.rows(
                "SELECT count(*) FROM vector WHERE embedder = ? AND data IS NOT NULL", (embedder,)
            )[0][0]
        )
        failed = self._database.rows(
            "SELECT count(*), max(error) FROM vector INDEXED BY vector_waiting "
            "WHERE embedder = ? AND data IS NULL AND retry_at IS NOT NULL",
            (embedder,),
        )[0]
        pending = max(total - ready - int(failed[0]), 0)
        return Coverage(total, ready, pending, int(failed[0]), str(failed[1] or ""))

    def spaces(self) -> list[str]:
        """Return the keys of all identities whose vectors the store holds, the newest first."""
        rows = self._database.rows("SELECT key FROM embedder ORDER BY number DESC")
        return [str(row[0]) for row in rows]

    def waiting(self, identity: Identity) -> int:
        """Count quickly how many memories lack their vector; a covered store costs two look-ups."""
        embedder = self._number_of(identity)
        if embedder is None:
            counted = self._database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")
            return int(counted[0][0])
        newest, held, failed = self._database.rows(
            "SELECT (SELECT max(number) FROM memory), "
            "(SELECT value FROM house WHERE name = :mark), "
            "(SELECT count(*) FROM vector INDEXED BY vector_waiting "
            "WHERE embedder = :embedder AND data IS NULL AND retry_at IS NOT NULL)",
            {"mark": f"covered:{embedder}", "embedder": embedder},
        )[0]
        missing, mark = 0, int(held or 0)
        if mark < (newest or 0):
            missing = self._database.rows(
                "SELECT count(*) FROM memory m LEFT JOIN vector v "
                "ON v.embedder = :embedder AND v.number = m.number "
                "WHERE m.number > :mark AND m.text IS NOT NULL AND v.number IS NULL",
                {"embedder": embedder, "mark": mark},
            )[0][0]
        return int(missing) + int(failed)
