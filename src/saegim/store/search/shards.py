"""One owner's vectors in memory, following the store: numpy while few, 4-bit codes beyond."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from saegim.engines.embedder import Dense, Vector
from saegim.store.database import Database, newest_of
from saegim.store.search.vector_bytes import code, read_codes

# Up to here a float32 matrix answers in well under a millisecond; beyond it 4-bit codes do.
SMALL = 20_000
# Beside codes, so many new rows wait in a matrix before they are laid out with the others.
RECENT = 4_000
# Owners kept in memory at once; the longest unused leaves first.
OWNERS = 64
# Rows read from the file at a time.
_CHUNK = 20_000
Numbers = npt.NDArray[np.int64]


class Matrix:
    """Rows that grow in place; a removed row becomes zero and is counted as dead."""

    def __init__(self, dimension: int, kind: str = "f4") -> None:
        self._rows: npt.NDArray[Any] = np.zeros((256, dimension), dtype=kind)
        self._numbers: Numbers = np.zeros(256, dtype=np.int64)
        self._place: dict[int, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._place)

    def add(self, numbers: Numbers, rows: Dense) -> None:
        """Append rows; a number that is here already gets its new row."""
        if self._count > 2 * len(self._place) + 256:
            self._tidy()
        need = self._count + len(numbers)
        if need > len(self._rows):
            size = max(need, 3 * len(self._rows) // 2)
            wider = np.zeros((size, self._rows.shape[1]), self._rows.dtype)
            wider[: self._count] = self._rows[: self._count]
            self._rows = wider
            self._numbers = np.concatenate(
                [self._numbers, np.zeros(size - len(self._numbers), np.int64)]
            )
        if self._place:
            for number in numbers.tolist():
                self.remove(number)
        self._rows[self._count : need] = rows
        self._numbers[self._count : need] = numbers
        self._place.update(zip(numbers.tolist(), range(self._count, need), strict=True))
        self._count = need

    def _tidy(self) -> None:
        """Close the gaps that removed rows have left."""
        numbers, rows = self.everything()
        self._numbers, self._rows, self._count = numbers, rows, len(numbers)
        self._place = dict(zip(numbers.tolist(), range(len(numbers)), strict=True))

    def remove(self, number: int) -> None:
        """Blank the row of a number; unknown numbers are ignored."""
        if (place := self._place.pop(number, None)) is not None:
            self._rows[place] = 0.0
            self._numbers[place] = -1

    def held(self, numbers: Iterable[int]) -> tuple[list[int], Dense]:
        """Return those of the numbers that are here, and their rows."""
        places = {n: place for n in numbers if (place := self._place.get(n)) is not None}
        return list(places), self._rows[list(places.values())].astype(np.float32, copy=False)

    def everything(self) -> tuple[Numbers, npt.NDArray[Any]]:
        """Return all living numbers and rows."""
        alive = self._numbers[: self._count] > 0
        return self._numbers[: self._count][alive], self._rows[: self._count][alive]

    def nearest(self, query: Dense, count: int, allowed: Numbers | None) -> Numbers:
        """Return the numbers of the best rows, best first; `allowed` limits which may win."""
        if allowed is None:
            numbers, rows = self._numbers[: self._count], self._rows[: self._count]
        else:
            places = [
                place
                for number in allowed.tolist()
                if (place := self._place.get(number)) is not None
            ]
            numbers, rows = self._numbers[places], self._rows[places]
        # Not `@`: BLAS would share this among threads, which spin for milliseconds when another
        # program holds the other cores (16 ms a question instead of 5); alone it is no faster.
        scores = np.einsum("ij,j->i", rows, query)
        # A removed row scores zero, which is more than a stranger does; it must not take its place.
        scores[numbers < 0] = -np.inf
        best = _best(scores, count)
        found = numbers[best[np.argsort(-scores[best], kind="stable")]]
        return found[found > 0]


def _best(scores: Dense, count: int) -> npt.NDArray[np.intp]:
    """Return the places of the highest scores; of the equal ones at the edge the first.

    Not `argpartition`: which of equal ones it takes is another on each kind of processor.
    """
    if len(scores) <= count:
        return np.arange(len(scores))
    edge = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > edge)
    return np.sort(np.concatenate([above, np.flatnonzero(scores == edge)[: count - len(above)]]))


class Codes:
    """4-bit codes of many rows (turbovec); what it finds is scored again from the originals.

    Those lie beside, as the store keeps them: read from a server, they were most of a recall.
    """

    def __init__(self, numbers: Numbers, rows: Dense, *, sketched: bool = False) -> None:
        # Loaded here, not at import: a small store never needs it.
        from turbovec import IdMapIndex

        self._index: Any = IdMapIndex(rows.shape[1], 4)
        sample = rows[:: max(1, len(rows) // 2048)]
        self._index.calibrate(np.ascontiguousarray(sample))
        self._originals = None if sketched else Matrix(rows.shape[1], "f2")
        self.add(numbers, rows)
        self._index.prepare()

    def __len__(self) -> int:
        return len(self._index)

    def add(self, numbers: Numbers, rows: Dense) -> None:
        """Add rows; a number that is here already gets its new row."""
        for number in numbers.tolist():
            self.remove(number)
        self._index.add_with_ids(np.ascontiguousarray(rows), numbers.astype(np.uint64))
        if self._originals is not None:
            self._originals.add(numbers, rows)

    def remove(self, number: int) -> None:
        """Drop the row of a number; unknown numbers are ignored."""
        self._index.remove(number)
        if self._originals is not None:
            self._originals.remove(number)

    def held(self, numbers: Iterable[int]) -> tuple[list[int], Dense]:
        """Return those of the numbers that are here, and their rows as they were given."""
        return (self._originals or Matrix(0)).held(numbers)

    def nearest(self, query: Dense, count: int, allowed: Numbers | None) -> Numbers:
        """Return about the best numbers, best first; `allowed` limits which may win."""
        limit = None
        if allowed is not None:
            here = [number for number in allowed.tolist() if number in self._index]
            if not here:
                return np.zeros(0, dtype=np.int64)
            limit = np.asarray(here, dtype=np.uint64)
        _, ids = self._index.search(query[None, :], count, allowlist=limit)
        return np.asarray(ids[0], dtype=np.int64)


class Shard:
    """One owner's living vectors of one embedder, brought up to date before each search.

    New rows wait in a small matrix: codes are laid out anew after every addition, which would
    cost each search after a write 20 ms at 100,000 rows.
    """

    def __init__(self, owner: str, embedder: int, dimension: int) -> None:
        self.owner, self.embedder, self.dimension = owner, embedder, dimension
        self._settled: Codes | None = None
        self._recent: Matrix | None = None
        self._seen = self._era = 0
        self.unread = 0
        self._lock = threading.Lock()

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
        """Read everything that was committed, a chunk at a time."""
        while True:
            with self._lock:
                if not self._behind(database):
                    return
                read = self._read_on(database)
            yield read

    def _behind(self, database: Database) -> int:
        newest, era = database.rows(
            f"SELECT coalesce({newest_of(':o', ':e')}, 0), schema_version "
            "FROM pragma_schema_version",
            {"o": self.owner, "e": self.embedder},
        )[0]
        # Moves on when a backup is restored or the index rebuilt: then nothing seen counts.
        if era != self._era:
            self._settled = self._recent = None
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
        self._recent.add(numbers, made)
        if len(self._recent) > (SMALL if self._settled is None else RECENT):
            self._settle()

    def _remove(self, number: int) -> None:
        if self._recent is not None:
            self._recent.remove(number)
        if self._settled is not None:
            self._settled.remove(number)

    def _settle(self) -> None:
        """Move the recent rows into the codes."""
        assert self._recent is not None
        numbers, rows = self._recent.everything()
        if self._settled is None:
            self._settled = Codes(numbers, rows, sketched=rows.shape[1] != self.dimension)
        else:
            self._settled.add(numbers, rows)
        self._recent = Matrix(rows.shape[1])

    def held(self, numbers: Iterable[int]) -> tuple[list[int], Dense]:
        """Return those of the numbers whose vectors lie here in full, and the vectors."""
        wanted, found, rows = list(numbers), list[int](), list[Dense]()
        with self._lock:
            for part in (self._settled, self._recent):
                here, held = part.held(wanted) if part is not None else ([], None)
                if here and held is not None:
                    found, rows = found + here, [*rows, held]
        return found, np.concatenate(rows) if rows else np.zeros((0, self.dimension), np.float32)

    def nearest(self, query: Vector, count: int, allowed: Numbers | None = None) -> Numbers:
        """Return candidates for the nearest memories, to be scored exactly by the caller."""
        with self._lock:
            found = [
                part.nearest(code(query), min(count, len(part)), allowed)
                for part in (self._settled, self._recent)
                if part is not None and len(part)
            ]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


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
