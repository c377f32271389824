"""Near duplicates: pairs of one owner's memories whose vectors are almost the same.

It only finds: what becomes of two duplicates is for the night, which looks at each again before it
acts. For each row of a matrix its nearest earlier rows are found, by cells where all pairs would
be too many.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from saegim.engines.embedder import Dense, Identity
from saegim.errors import WrongIdentity
from saegim.store.database import Database
from saegim.store.search.embedding_index import SKETCH, exact, known_number, read_codes, unpack

Places = npt.NDArray[np.int64]
Halves = npt.NDArray[np.float16]
# So many products of two rows are made outright, in a few seconds and without missing a pair:
# 14,000 rows with one another, or 200 new ones with a million.
DIRECT = 200_000_000
# Cells per root of the rows, and the nearest cells each row lies in. On 79,000 sentences this
# finds 99.9 % of the pairs of cosine 0.92 and 99.8 % of those of 0.85, for 8 n^1.5 products; rows
# strewn evenly, with no clusters at all, are the worst: 98 % of the pairs of 0.925.
CELLS = 3
HOMES = 4
# Seeds start as rows drawn by chance and move to the middle of their cells, so often, on a sample.
ROUNDS = 2
SAMPLE = 16
# Rows of a cell with more meet its oldest ones, by which they hang together, and each other only
# in cells of its own, where seeds can part them; they have more twins than they may name anyway.
CROWDED = 16_000
OLDEST = 2_000
# Rows and columns of a block of products: 4 MB, as much as a cache may hold.
BLOCK = 256
COLUMNS = 4096
# OpenBLAS shares a product of up to 4 x 65,536 steps among no threads. Shared ones wait for one
# another when other programs hold the cores: in tiles, on one core, 79,000 rows take half the time
# then, and the rest of the machine is left alone. (32 x 32 x 256: 29 of a core's 35 GFLOP/s.)
TILE = 4 * 65_536
# A found row as one number that sorts: how far away, then which; cosines count in steps of 1e-4,
# so that rows as near as each other come in their own order, the oldest first.
STEPS = 10_000
_SHIFT: Final = 32
_WHICH: Final = (1 << _SHIFT) - 1
NOTHING: Final = np.iinfo(np.int64).max


def keys(cosines: npt.NDArray[np.floating], places: Places) -> Places:
    """Return what sorts found rows: the nearest first, and of equally near ones the oldest."""
    away = np.rint((1.0 - np.clip(cosines, -1.0, 1.0)) * STEPS).astype(np.int64)
    made: Places = (away << _SHIFT) | places
    return made


def products(one: Dense, other: Dense) -> Dense:
    """Return the products of all rows with all others, made on this core alone."""
    side = max(1, min(64, math.isqrt(TILE // one.shape[1])))
    left, right = _tiles(one, side), _tiles(other, side)
    tiles = left[:, None] @ np.ascontiguousarray(right.swapaxes(1, 2))[None]
    flat: Dense = tiles.swapaxes(1, 2).reshape(len(left) * side, len(right) * side)
    return flat[: len(one), : len(other)]


def _tiles(rows: Dense, side: int) -> Dense:
    """Return rows in groups of so many, the last filled up with nothing."""
    missing = -len(rows) % side
    return np.pad(rows, ((0, missing), (0, 0))).reshape(-1, side, rows.shape[1])


def compare(
    rows: Rows,
    later: Places,
    earlier: Places,
    above: float,
    found: NearestRows,
    most: int | None = None,
) -> None:
    """Compare each of `later` with those of `earlier` that lie before it; both are sorted."""
    for start in range(0, len(later), BLOCK):
        block = later[start : start + BLOCK]
        wide = rows.wide(block)
        before = int(np.searchsorted(earlier, block[-1]))
        before = min(before, most or before)
        for at in range(0, before, COLUMNS):
            columns = earlier[at : min(at + COLUMNS, before)]
            cosines = products(wide, rows.wide(columns))
            if columns[-1] >= block[0]:
                cosines[columns[None, :] >= block[:, None]] = -1.0
            found.take(block, columns, cosines, above)


def meet(
    rows: Rows, places: Places, above: float, found: NearestRows, most: int | None = None
) -> None:
    """Compare all pairs of these rows of which at least one is fresh."""
    fresh = rows.fresh[places]
    new, old = places[fresh], places[~fresh]
    compare(rows, new, places, above, found, most)
    if len(new):
        compare(rows, old[old > new[0]], new, above, found, most)


def search_blocks(rows: Rows, places: Places, above: float, found: NearestRows) -> None:
    """Find the near pairs of these rows of which at least one is fresh."""
    new = int(np.count_nonzero(rows.fresh[places]))
    if new * len(places) <= DIRECT or new <= _cells(len(places)):
        meet(rows, places, above, found)
    else:
        _by_cells(rows, places, above, found, parted=False)


def _cells(count: int) -> int:
    """Return how many cells so many rows are given: the products then grow as n^1.5."""
    return max(1, CELLS * math.isqrt(count))


def _by_cells(
    rows: Rows, places: Places, above: float, found: NearestRows, *, parted: bool
) -> None:
    """Compare within cells only; `parted` says that these rows were one crowded cell."""
    seeds = _seeds(rows, places)
    # Twins that are many draw several seeds and would be parted by them: one of these is enough,
    # unless it is they that are to be parted.
    for members, nearest in _members(rows, places, seeds if parted else _apart(seeds, above)):
        if len(members) <= CROWDED:
            meet(rows, members, above, found)
            continue
        meet(rows, members, above, found, OLDEST)
        if not parted:
            _by_cells(rows, members[nearest], above, found, parted=True)


def _apart(seeds: Dense, above: float) -> Dense:
    """Return seeds of which no two are as near as twins."""
    kept = np.ones(len(seeds), dtype=np.bool_)
    for at, near in enumerate(products(seeds, seeds) >= above):
        if kept[at]:
            kept[at + 1 :] &= ~near[at + 1 :]
    apart: Dense = seeds[kept]
    return apart


def _members(
    rows: Rows, places: Places, seeds: Dense
) -> Iterator[tuple[Places, npt.NDArray[np.bool_]]]:
    """Return the rows of each cell, sorted, and which have no nearer one; a row lies in several."""
    count = min(HOMES, len(seeds))
    homes = np.concatenate(
        [
            _nearest(products(rows.wide(places[at : at + BLOCK]), seeds), count)
            for at in range(0, len(places), BLOCK)
        ]
    ).ravel()
    order = np.argsort(homes, kind="stable")
    ends = np.cumsum(np.bincount(homes, minlength=len(seeds)))
    for each in np.split(order, ends[:-1]):
        yield places[each // count], each % count == 0


def _nearest(cosines: Dense, count: int) -> npt.NDArray[np.int32]:
    """Return the columns of the highest cosines of each row; spoils them on the way."""
    found = np.empty((len(cosines), count), dtype=np.int32)
    lines = np.arange(len(cosines))
    for at in range(count):
        found[:, at] = best = np.argmax(cosines, axis=1)
        cosines[lines, best] = -np.inf
    return found


def _seeds(rows: Rows, places: Places) -> Dense:
    """Return the middles of the cells, the same for the same rows."""
    count = _cells(len(places))
    # Of a fixed beginning: the same night, asked twice, finds the same.
    drawn = np.random.default_rng(count).choice(
        len(places), min(SAMPLE * count, len(places)), replace=False
    )
    seeds = rows.wide(np.sort(places[drawn[:count]]))
    sample = np.sort(places[drawn])
    for _ in range(ROUNDS):
        homes = np.concatenate(
            [
                np.argmax(products(rows.wide(sample[at : at + BLOCK]), seeds), axis=1)
                for at in range(0, len(sample), BLOCK)
            ]
        )
        _move(seeds, homes, rows, sample)
    return seeds


def _move(seeds: Dense, homes: Places, rows: Rows, sample: Places) -> None:
    """Put each seed into the middle of the rows that are nearest to it."""
    for at in range(0, len(seeds), BLOCK):
        here = np.flatnonzero((homes >= at) & (homes < at + BLOCK))
        here = here[np.argsort(homes[here], kind="stable")]
        if not len(here):
            continue
        which, starts = np.unique(homes[here], return_index=True)
        sums = np.add.reduceat(rows.wide(sample[here]), starts, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        seeds[which] = np.where(lengths > 1e-6, sums / np.maximum(lengths, 1e-6), seeds[which])


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows at half precision, what makes each one unit long, and whether it is fresh."""

    halves: Halves
    scale: Dense
    fresh: npt.NDArray[np.bool_]

    def wide(self, places: Places) -> Dense:
        """Return some rows as unit vectors."""
        made: Dense = self.halves[places].astype(np.float32)
        made *= self.scale[places, None]
        return made


@dataclass(slots=True)
class NearestRows:
    """The nearest earlier rows of each row so far, at most `most` of them, as sorted keys."""

    count: int
    most: int
    held: Places = field(init=False)

    def __post_init__(self) -> None:
        self.held = np.full((self.count, self.most), NOTHING, dtype=np.int64)

    def take(self, later: Places, earlier: Places, cosines: Dense, above: float) -> None:
        """Take in the pairs of a block that are near enough."""
        worst = self.held[later, -1]
        # Who has found its share already looks for nearer ones only.
        least = 1.0 - ((worst >> _SHIFT) + 0.5) / STEPS
        limit = np.where(worst == NOTHING, above, np.maximum(least, above)).astype(np.float32)
        lines = np.flatnonzero(cosines.max(axis=1) >= limit)
        if not len(lines):
            return
        some = cosines[lines]
        made = keys(some, earlier)
        made[some < limit[lines, None]] = NOTHING
        if made.shape[1] > self.most:
            made = np.partition(made, self.most - 1, axis=1)[:, : self.most]
        self.merge(later[lines], made)

    def merge(self, later: Places, found: Places) -> None:
        """Add found keys to what is held of these rows; a row met in two cells counts once."""
        both = np.concatenate([self.held[later], found], axis=1)
        which = both & _WHICH
        order = np.argsort(which, axis=1, kind="stable")
        both, which = np.take_along_axis(both, order, 1), np.take_along_axis(which, order, 1)
        both[:, 1:][which[:, 1:] == which[:, :-1]] = NOTHING
        both.sort(axis=1)
        self.held[later] = both[:, : self.most]

    def pairs(self) -> tuple[Places, Places]:
        """Return the pairs held: the later row of each, and the earlier one."""
        later, at = np.nonzero(self.held != NOTHING)
        return later, self.held[later, at] & _WHICH


# A memory names so many older twins at most, its nearest, of equally near ones the oldest:
# 2,000 copies of one sentence are 16,000 pairs instead of 2,000,000, and still hang together.
NEAREST: Final = 8
# A sketch of a sparse vector shows 99.9 % of the pairs of cosine 0.92 at most 0.015 too far apart,
# of 0.85 at most 0.053 (hashed and bag, 32,500 texts); so many of what it proposes for a memory
# are given their true cosine.
SKETCHED: Final = 0.06
PROPOSED: Final = 32
# What a product of float32 may be off by.
_SLIP: Final = 1e-4
# Rows read from the file at a time.
_CHUNK: Final = 20_000
_WHO: Final = (
    "SELECT v.seq, v.number, CAST(m.agent AS BLOB), CAST(m.project AS BLOB), "
    "CAST(m.visibility AS BLOB), CAST(m.kind AS BLOB) "
    "FROM vector v CROSS JOIN memory m ON m.number = v.number "
    "WHERE v.owner = :owner AND v.embedder = :embedder AND v.seq <= :upto "
    "AND (v.seq, v.number) > (:seq, :number) AND m.owner = :owner AND m.state = 'active' "
    "ORDER BY v.seq, v.number LIMIT :chunk"
)
_DATA: Final = (
    "SELECT v.number, v.data FROM json_each(:numbers) j "
    "CROSS JOIN vector v ON v.embedder = :embedder AND v.number = j.value "
    "WHERE v.owner = :owner AND v.seq <= :upto AND v.data IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two memories that say almost the same, by their rows, and the cosine of their vectors."""

    older: int
    newer: int
    cosine: float


def newest_seq(database: Database, owner: str, identity: Identity) -> int:
    """Return how far the owner's vectors go: where a later search_blocks takes up again."""
    rows = database.rows(
        "SELECT coalesce(max(seq), 0) FROM vector WHERE owner = ? AND embedder = ?",
        (owner, known_number(database, identity)),
    )
    return int(rows[0][0])


def duplicates(
    database: Database,
    owner: str,
    identity: Identity,
    *,
    above: float,
    after: int = 0,
    upto: int | None = None,
) -> Iterator[Duplicate]:
    """Find pairs of active memories of one agent, project, visibility and kind that are as near.

    At least one of the two has a vector written after `after`, and none later than `upto` (or
    than now). A memory names its NEAREST nearest older twins at most; where more than about 14,000
    are compared, one pair in a thousand may be missed. The pairs come by the newer row and then
    the older one. No lock is held: others may have changed a memory meanwhile.
    """
    embedder = known_number(database, identity)
    newest = newest_seq(database, owner, identity)
    # Never beyond now: a vector written anew while we read would be read twice.
    end = newest if upto is None else min(upto, newest)
    if embedder is None or end <= after:
        return
    source = _Source(database, owner, embedder, identity.dimension, end)
    found = [
        _pairs(source, numbers, seqs > after, above)
        for numbers, seqs in _circles(source)
        if len(numbers) > 1 and seqs.max() > after
    ]
    if not found:
        return
    newer, older, cosines = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((older, newer))
    for start in range(0, len(order), _CHUNK):
        some = order[start : start + _CHUNK]
        for one, other, cosine in zip(
            older[some].tolist(), newer[some].tolist(), cosines[some].tolist(), strict=True
        ):
            yield Duplicate(one, other, cosine)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where vectors are read from, and up to which."""

    database: Database
    owner: str
    embedder: int
    dimension: int
    upto: int

    def who(self, seq: int, number: int) -> list[Any]:
        """Return the next active memories that have a vector, in the order of their vectors."""
        return self.database.rows(
            _WHO,
            {
                "owner": self.owner,
                "embedder": self.embedder,
                "upto": self.upto,
                "seq": seq,
                "number": number,
                "chunk": _CHUNK,
            },
        )

    def data(self, numbers: Places) -> dict[int, bytes]:
        """Return the bytes of some vectors, as far as they are still there."""
        given = {
            "numbers": json.dumps(numbers.tolist()),
            "owner": self.owner,
            "embedder": self.embedder,
            "upto": self.upto,
        }
        rows = self.database.rows(_DATA, given)
        return {number: data for number, data in rows if isinstance(data, bytes)}


def _circles(source: _Source) -> list[tuple[Places, Places]]:
    """Return the rows, oldest first, and their places in the log, of those that may be twins."""
    known: dict[tuple[bytes, ...], int] = {}
    parts: list[Places] = []
    seq, number = 0, 0
    while rows := source.who(seq, number):
        seq, number = rows[-1][:2]
        circle = [known.setdefault(row[2:], len(known)) for row in rows]
        parts.append(
            np.array(
                [(c, row[1], row[0]) for c, row in zip(circle, rows, strict=True)], dtype=np.int64
            )
        )
    if not parts:
        return []
    everyone = np.concatenate(parts)
    everyone = everyone[np.lexsort((everyone[:, 1], everyone[:, 0]))]
    cuts = np.flatnonzero(np.diff(everyone[:, 0])) + 1
    return [(each[:, 1], each[:, 2]) for each in np.split(everyone, cuts)]


def _pairs(
    source: _Source, numbers: Places, fresh: npt.NDArray[np.bool_], above: float
) -> tuple[Places, Places, npt.NDArray[np.float64]]:
    """Return the near pairs of one circle: newer rows, older rows, true cosines."""
    read = _read(source, numbers, fresh)
    sparse = read.tag != b"D"
    found = NearestRows(len(read.numbers), PROPOSED if sparse else NEAREST)
    places = _without_copies(read, found)
    search_blocks(read.rows, places, above - (SKETCHED if sparse else _SLIP), found)
    newer, older = found.pairs()
    if sparse:
        cosines = _true_sparse(source, read.numbers, newer, older)
    else:
        cosines = _true_dense(read.rows, newer, older)
    near = cosines >= above
    newer, older, cosines = _nearest_older(newer[near], older[near], cosines[near])
    return read.numbers[newer], read.numbers[older], cosines


@dataclass(frozen=True, slots=True)
class _Read:
    """The vectors of one circle in the order of their rows; `copies` are equal where they are."""

    numbers: Places
    rows: Rows
    copies: npt.NDArray[np.uint64]
    tag: bytes


def _read(source: _Source, numbers: Places, fresh: npt.NDArray[np.bool_]) -> _Read:
    """Read vectors a chunk at a time; what is no vector of this space is left out."""
    tag = b""
    halves = np.empty((0, 0), dtype=np.float16)
    kept = np.empty(len(numbers), dtype=np.int64)
    scale = np.empty(len(numbers), dtype=np.float32)
    copies = np.empty(len(numbers), dtype=np.uint64)
    count = 0
    for start in range(0, len(numbers), _CHUNK):
        packed = source.data(numbers[start : start + _CHUNK])
        if not tag and packed:
            tag = _tag(packed)
            halves = np.empty((len(numbers), source.dimension if tag == b"D" else SKETCH), "f2")
        ours = {number: data for number, data in packed.items() if data[:1] == tag}
        if not ours:
            continue
        sound, made = read_codes(ours, source.dimension)
        squares = np.einsum("ij,ij->i", made, made)
        whole = (squares > 0.8) & (squares < 1.25)
        sound, made, squares = sound[whole], made[whole], squares[whole]
        order = np.argsort(sound)
        end = count + len(sound)
        kept[count:end], halves[count:end] = sound[order], made[order]
        scale[count:end] = 1.0 / np.sqrt(squares[order])
        copies[count:end] = [xxhash.xxh3_64_intdigest(packed[n]) for n in kept[count:end].tolist()]
        count = end
    kept = kept[:count]
    still = fresh[np.searchsorted(numbers, kept)]
    return _Read(kept, Rows(halves[:count], scale[:count], still), copies[:count], tag)


def _tag(packed: dict[int, bytes]) -> bytes:
    """Return what most rows say they are: one spoilt letter must not make strangers of all."""
    return Counter(data[:1] for data in packed.values()).most_common(1)[0][0]


def _without_copies(read: _Read, found: NearestRows) -> Places:
    """Return the places worth comparing, and hand the twins of further copies to `found`.

    A copy with as many fresh copies before it as it may name needs no search, and nobody would
    name it: there are as many older ones, all as near.
    """
    order = np.argsort(read.copies, kind="stable")
    marks = read.copies[order]
    fresh = read.rows.fresh[order]
    starts = np.flatnonzero(np.concatenate(([True], marks[1:] != marks[:-1])))[: len(marks)]
    begins = np.repeat(starts, np.diff(starts, append=len(marks)))
    before: Places = np.cumsum(fresh, dtype=np.int64) - fresh
    nth: Places = before[begins]
    further: npt.NDArray[np.bool_] = before - nth >= found.most
    if further.any():
        ahead = np.arange(found.most)
        # A fresh copy names the first of all, another one the first of the fresh.
        first_fresh = np.flatnonzero(fresh)
        last = len(first_fresh) - 1
        of_fresh = first_fresh[np.minimum(nth[further, None] + ahead, last)]
        of_all = begins[further, None] + ahead
        named = order[np.where(fresh[further, None], of_all, of_fresh)]
        found.merge(order[further], keys(np.ones(named.shape), named))
    places: Places = np.sort(order[~further])
    return places


def _true_dense(rows: Rows, newer: Places, older: Places) -> npt.NDArray[np.float64]:
    """Return the cosines of pairs of rows, however they were met."""
    cosines = np.empty(len(newer), dtype=np.float64)
    for start in range(0, len(newer), _CHUNK):
        some = slice(start, start + _CHUNK)
        cosines[some] = np.einsum("ij,ij->i", rows.wide(newer[some]), rows.wide(older[some]))
    return _rounded(cosines)


def _true_sparse(
    source: _Source, numbers: Places, newer: Places, older: Places
) -> npt.NDArray[np.float64]:
    """Return the cosines of pairs of sparse vectors, read again; NaN where one is none."""
    cosines = np.full(len(newer), np.nan)
    for start in range(0, len(newer), _CHUNK):
        some = slice(start, start + _CHUNK)
        packed = source.data(numbers[np.unique(np.concatenate([newer[some], older[some]]))])
        lengths = {number: _length(data, source.dimension) for number, data in packed.items()}
        lines, begins = np.unique(newer[some], return_index=True)
        ends = np.append(begins[1:], len(newer[some]))
        for line, begin, end in zip(lines.tolist(), begins.tolist(), ends.tolist(), strict=True):
            one = int(numbers[line])
            others = numbers[older[start + begin : start + end]].tolist()
            if one not in packed or not lengths[one] > 0:
                continue
            query = unpack(packed[one], source.dimension)
            made = exact(query, [packed.get(each, b"") for each in others], source.dimension)
            both = np.array([lengths.get(each, np.nan) for each in others]) * lengths[one]
            cosines[start + begin : start + end] = made / both
    return _rounded(cosines)


def _length(data: bytes, dimension: int) -> float:
    """Return the length of a packed sparse vector, NaN if it is none."""
    try:
        vector = unpack(data, dimension)
    except WrongIdentity:
        return float("nan")
    return float(np.linalg.norm(vector.values if not isinstance(vector, np.ndarray) else vector))


def _rounded(cosines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cut what half precision cannot know, so that every way of adding up gives the same."""
    rounded: npt.NDArray[np.float64] = np.minimum(np.round(cosines, 6), 1.0)
    return rounded


def _nearest_older(
    newer: Places, older: Places, cosines: npt.NDArray[np.float64]
) -> tuple[Places, Places, npt.NDArray[np.float64]]:
    """Keep of each newer row its nearest older ones."""
    order = np.lexsort((older, -np.round(cosines * STEPS), newer))
    newer, older, cosines = newer[order], older[order], cosines[order]
    _, starts, counts = np.unique(newer, return_index=True, return_counts=True)
    kept = np.arange(len(newer)) - np.repeat(starts, counts) < NEAREST
    return newer[kept], older[kept], cosines[kept]
