"""Rows of vectors in memory: in full, and as codes that propose which of them are near."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from saegim.engines.embedder import Dense

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
    """4-bit codes of many rows (turbovec); what it finds is scored again from the originals."""

    def __init__(self, numbers: Numbers, rows: Dense) -> None:
        # Loaded here, not at import: a small store never needs it.
        from turbovec import IdMapIndex

        self._index: Any = IdMapIndex(rows.shape[1], 4)
        sample = rows[:: max(1, len(rows) // 2048)]
        self._index.calibrate(np.ascontiguousarray(sample))
        self.add(numbers, rows)
        self._index.prepare()

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, number: int) -> bool:
        return number in self._index

    def add(self, numbers: Numbers, rows: Dense) -> None:
        """Add rows; a number that is here already gets its new row."""
        for number in filter(self.__contains__, numbers.tolist()):
            self.remove(number)
        self._index.add_with_ids(np.ascontiguousarray(rows), numbers.astype(np.uint64))

    def remove(self, number: int) -> None:
        """Drop the row of a number; unknown numbers are ignored."""
        self._index.remove(number)

    def nearest(self, query: Dense, count: int, allowed: Numbers | None) -> Numbers:
        """Return about the best numbers, best first; `allowed` limits which may win."""
        limit = None
        if allowed is not None:
            here = [number for number in allowed.tolist() if number in self]
            if not here:
                return np.zeros(0, dtype=np.int64)
            limit = np.asarray(here, dtype=np.uint64)
        _, ids = self._index.search(query[None, :], count, allowlist=limit)
        return np.asarray(ids[0], dtype=np.int64)
