"""For each row of a matrix its nearest earlier rows, by cells where all pairs would be too many.

Numbers only: which rows may meet, and what a pair means, is for the caller.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from saegim.engines.vectors import Dense

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
    rows: Rows, later: Places, earlier: Places, above: float, found: Found, most: int | None = None
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


def meet(rows: Rows, places: Places, above: float, found: Found, most: int | None = None) -> None:
    """Compare all pairs of these rows of which at least one is fresh."""
    fresh = rows.fresh[places]
    new, old = places[fresh], places[~fresh]
    compare(rows, new, places, above, found, most)
    if len(new):
        compare(rows, old[old > new[0]], new, above, found, most)


def search(rows: Rows, places: Places, above: float, found: Found) -> None:
    """Find the near pairs of these rows of which at least one is fresh."""
    new = int(np.count_nonzero(rows.fresh[places]))
    if new * len(places) <= DIRECT or new <= _cells(len(places)):
        meet(rows, places, above, found)
    else:
        _by_cells(rows, places, above, found, parted=False)


def _cells(count: int) -> int:
    """Return how many cells so many rows are given: the products then grow as n^1.5."""
    return max(1, CELLS * math.isqrt(count))


def _by_cells(rows: Rows, places: Places, above: float, found: Found, *, parted: bool) -> None:
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
class Found:
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
