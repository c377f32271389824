"""The parts of an index in memory: columns that grow, what is said, ties, names, turns, times."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saegim.language.words import Term
from saegim.memory.changes import without_name
from saegim.store.rows import LONGEST_MENTION
from saegim.store.search.bm25 import K1, B, Numbers
from saegim.store.tables.entity_table import LinkEnd

Places = npt.NDArray[np.int64]

# Keys whose ties are kept as they were asked for.
_ASKED: Final = 20_000
# A session's turns are found by one number: its name's, then the turn's.
_TURNS: Final = 1 << 40


class Grown:
    """An array that grows at its end."""

    def __init__(self, kind: str, fill: float = 0) -> None:
        self._held: npt.NDArray[Any] = np.full(256, fill, dtype=kind)
        self._fill = fill
        self.count = 0

    def append(self, values: Sequence[Any]) -> None:
        """Put values behind the others."""
        need = self.count + len(values)
        if need > len(self._held):
            size = max(need, 2 * len(self._held)) - len(self._held)
            more = np.full(size, self._fill, dtype=self._held.dtype)
            self._held = np.concatenate([self._held, more])
        self._held[self.count : need] = values
        self.count = need

    @property
    def all(self) -> npt.NDArray[Any]:
        """Return what it holds; to be written to in place."""
        return self._held[: self.count]

    def held(self, places: Places) -> npt.NDArray[Any]:
        """Return the values in these places; beyond the end, the last there is room for."""
        return self._held.take(places, mode="clip")


class PlaceLists:
    """Which places hold a key: laid out at once, what comes later beside it."""

    def __init__(self) -> None:
        self._places: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._starts: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        self._later: dict[int, list[int]] = {}

    def lay_out(self) -> None:
        """Lay out what came so far, each key's places in their order."""
        keys = np.repeat(
            np.fromiter(self._later, np.int64, len(self._later)),
            [len(each) for each in self._later.values()],
        )
        flat = (place for places in self._later.values() for place in places)
        places = np.fromiter(flat, np.int32, len(keys))
        order = np.lexsort((places, keys))
        self._places = places[order]
        last = int(keys.max()) + 1 if len(keys) else 0
        self._starts = np.searchsorted(keys[order], np.arange(last + 1))
        self._later = {}

    def add(self, key: int, place: int) -> None:
        """Note that a place holds a key."""
        self._later.setdefault(key, []).append(place)

    def of(self, key: int) -> Places:
        """Return the places that hold a key, in their order."""
        later = self._later.get(key, [])
        if not 0 <= key < len(self._starts) - 1:
            return np.array(later, np.int64)
        laid = self._places[self._starts[key] : self._starts[key + 1]].astype(np.int64)
        return np.concatenate([laid, np.array(later, np.int64)]) if later else laid

    def listed(self, key: int) -> list[int]:
        """Return the same, one by one: of a few places that is quicker."""
        later = self._later.get(key, [])
        if not 0 <= key < len(self._starts) - 1:
            return later
        laid: list[int] = self._places[self._starts[key] : self._starts[key + 1]].tolist()
        return laid + later


class PlacesOfRows:
    """Where each row stands: laid out at once, what comes later beside it."""

    def __init__(self) -> None:
        self._rows: Numbers = np.zeros(0, np.int64)
        self._places: Places = np.zeros(0, np.int64)
        self._later: dict[int, int] = {}
        self._count = 0
        # The first of rows that stand one after the other, none missing, and how many do: nearly
        # always all, while nothing that was here is written anew.
        self._first: int | None = None
        self._straight = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, row: int) -> bool:
        return self.get(row) is not None

    def __getitem__(self, row: int) -> int:
        place = self.get(row)
        if place is None:
            raise KeyError(row)
        return place

    def get(self, row: int) -> int | None:
        """Return where a row stands, if it is here."""
        if (place := self._later.get(row)) is not None:
            return place
        at = int(self._rows.searchsorted(row))
        here = at < len(self._rows) and self._rows[at] == row
        return int(self._places[at]) if here else None

    def put(self, rows: Sequence[int], first: int) -> None:
        """Let rows stand one after the other from a place on."""
        self._count += sum(row not in self for row in rows)
        self._later.update(zip(rows, range(first, first + len(rows)), strict=True))
        if self._first is not None and first == self._straight:
            follows = all(row - self._first == at for at, row in enumerate(rows, first))
            self._straight = first + len(rows) if follows else 0
        else:
            self._straight = 0

    def lay_out(self) -> None:
        """Lay out what came so far."""
        rows = np.fromiter(self._later, np.int64, len(self._later))
        order = np.argsort(rows)
        self._rows = rows[order]
        self._places = np.fromiter(self._later.values(), np.int64, len(rows))[order]
        if len(rows) and np.array_equal(self._rows - self._rows[0], self._places):
            self._first, self._straight = int(self._rows[0]), len(rows)
        self._later = {}

    def many(self, rows: Iterable[int]) -> Places:
        """Return where those of these rows stand that are here, in their order."""
        if not isinstance(rows, np.ndarray):
            rows = np.fromiter(rows, np.int64)
        if self._first is not None and self._straight and len(rows):
            near: Places = rows - self._first
            # As unsigned numbers, those before the first are beyond the last.
            if near.view(np.uint64).max() < self._straight:
                return near
        found: Places = np.full(len(rows), -1, np.int64)
        if len(self._rows):
            at = self._rows.searchsorted(rows)
            here = self._rows.take(at, mode="clip") == rows
            found = np.where(here, self._places.take(at, mode="clip"), found)
        if self._later:
            for which, row in enumerate(rows.tolist()):
                found[which] = self._later.get(row, found[which])
        return found[found >= 0]


class Numbering:
    """Words by the numbers they have here."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.words: list[str] = []

    def of(self, word: str | None) -> int:
        """Return the number of a word, a new one for a new word; -1 for none."""
        if word is None:
            return -1
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self.words)
            self.words.append(word)
        return number

    def known(self, word: str) -> int:
        """Return the number of a word; -2 for one that is not here."""
        return self._numbers.get(word, -2)


class Ties:
    """The ties of one owner, each once, found from either end."""

    def __init__(self) -> None:
        self._ends, self._types = Numbering(), Numbering()
        # Source, type, target, and where the tie stands among all.
        self._links: list[tuple[int, int, int, int] | None] = []
        self._weights = Grown("f8")
        self._negative = Grown("?")
        self._ways = (PlaceLists(), PlaceLists())
        self._between: list[int] = []
        # What was asked for lately, until a tie changes.
        self._asked: dict[tuple[str, int, frozenset[str], int], list[LinkEnd]] = {}

    def lay_out(self) -> None:
        """Lay out what came so far."""
        for way in self._ways:
            way.lay_out()

    def add(self, rows: Iterable[Any]) -> None:
        """Take in ties as `LinkTable.rows_of` gives them."""
        self._asked.clear()
        for source, type, target, weight, negative, order in rows:
            slot = len(self._links)
            ends = self._ends.of(source), self._ends.of(target)
            self._links.append((ends[0], self._types.of(type), ends[1], order))
            self._weights.append([weight])
            self._negative.append([bool(negative)])
            for way, end in zip(self._ways, ends, strict=True):
                way.add(end, slot)
            if source.startswith("entity:") and target.startswith("entity:"):
                self._between.append(slot)

    def drop(self, key: str) -> None:
        """Forget the ties that touch a key."""
        self._asked.clear()
        end = self._ends.known(key)
        for way in self._ways:
            for slot in way.listed(end):
                self._links[slot] = None

    def drop_between_entities(self) -> None:
        """Forget the ties from an entity to another."""
        self._asked.clear()
        for slot in self._between:
            self._links[slot] = None
        self._between = []

    def has(self, keys: Iterable[str], type: str) -> bool:
        """Say whether a tie of this type touches any of the keys."""
        wanted = self._types.known(type)
        return wanted >= 0 and any(
            link is not None and link[1] == wanted
            for key in keys
            for way in self._ways
            for slot in way.listed(self._ends.known(key))
            for link in [self._links[slot]]
        )

    def ends(self, keys: Iterable[str], without: Iterable[str], most: int) -> list[LinkEnd]:
        """Return the ties that lead away from the keys, as `LinkTable.ties` does."""
        unwanted, wanted = frozenset(without), list(keys)
        found: list[LinkEnd] = []
        for way in (0, 1):
            for key in wanted:
                asked = (key, way, unwanted, most)
                ends = self._asked.get(asked)
                if ends is None:
                    if len(self._asked) > _ASKED:
                        self._asked.clear()
                    ends = self._asked[asked] = self._from(*asked)
                found += ends
        return found

    def _from(self, key: str, way: int, without: Iterable[str], most: int) -> list[LinkEnd]:
        links = self._links
        slots = self._ways[way].listed(self._ends.known(key))
        if not slots:
            return []
        unwanted = set(map(self._types.known, without))
        held = ((slot, links[slot]) for slot in slots)
        found = [(slot, link) for slot, link in held if link and link[1] not in unwanted]
        words, ends = self._types.words, self._ends.words
        if len(found) > most:
            # Away: by what it leads to; back: by when it was made.
            found.sort(
                key=lambda each: (words[each[1][1]], each[1][3] if way else ends[each[1][2]]),
                reverse=True,
            )
            del found[most:]
        found.sort(key=lambda each: each[1][3])
        weights, negative = self._weights.all, self._negative.all
        return [
            LinkEnd(key, words[link[1]], ends[link[0 if way else 2]], float(weights[slot]),
                    bool(negative[slot]))
            for slot, link in found
        ]  # fmt: skip


class Entities:
    """By which names entities go, and how often each was met."""

    def __init__(self) -> None:
        self.met: dict[str, int] = {}
        self._names: dict[str, set[str]] = {}
        self._keys: dict[str, str] = {}

    def put(self, met: Iterable[Any], names: Iterable[Any]) -> None:
        """Take in who was met how often, and who goes by which name."""
        for key, often in met:
            self.met[key] = int(often)
            self._keys[without_name(key)] = key
        for name, key in names:
            self._names.setdefault(name, set()).add(key)

    def key_of(self, named: str) -> str | None:
        """Return the entity that the ledger names so."""
        return self._keys.get(named)

    def named(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return the keys that go by these names, the most met first."""
        found = {name: self._names.get(name, set()) for name in names}
        return {
            name: sorted(held, key=lambda key: (-self.met[key], key))
            for name, keys in found.items()
            if (held := [key for key in keys if key in self.met])
        }


class SaidWords:
    """What each place says, by the numbers of its tokens; between words and what is beside, -1."""

    def __init__(self) -> None:
        self._tokens, self._lines = Numbering(), Grown("i4")
        self._at, self._lengths = Grown("i8"), Grown("i4")
        self._held_by, self.holding = Grown("i4"), PlaceLists()
        self._speaking = Grown("?")
        self._drawn = Grown("i8")
        self.documents = self._silent = 0
        # How often the places that were weighed last say the Terms that were asked for.
        self._weighed: tuple[tuple[Term, ...], int, dict[int, int], npt.NDArray[np.int64]] | None
        self._weighed = None

    def line_of(self, text: str, beside: str) -> list[int]:
        """Return an indexed line as numbers."""
        of = self._tokens.of
        return [*map(of, _tokens(text)), -1, *map(of, _tokens(beside))]

    def append(self, line: list[int] | None) -> None:
        """Put what the next place says behind the others; None where nothing is indexed of it."""
        place = self._at.count
        self._at.append([self._lines.count])
        self._lengths.append([len(line or ())])
        self._speaking.append([line is not None])
        self._drawn.append([0])
        self._silent += line is None
        if line is not None:
            self._lines.append(line)
            for token in self._counted(line, 1):
                self.holding.add(token, place)

    def _counted(self, line: Iterable[int], more: int) -> list[int]:
        each = list({token for token in line if token >= 0})
        self._held_by.append([0] * (len(self._tokens.words) - self._held_by.count))
        self._held_by.all[each] += more
        self.documents += more
        return each

    def drop(self, place: int) -> None:
        """Forget that a place speaks."""
        if self._speaking.all[place]:
            self._counted(self._line(place).tolist(), -1)
            self._speaking.all[place] = False
            self._silent += 1

    def says(self, place: int, line: list[int] | None) -> bool:
        """Say whether a place says just this."""
        if line is None:
            return not self._speaking.all[place]
        return bool(self._speaking.all[place]) and self._line(place).tolist() == line

    def _line(self, place: int) -> npt.NDArray[np.int32]:
        start = self._at.all[place]
        return self._lines.all[start : start + self._lengths.all[place]]

    @property
    def tokens(self) -> int:
        """Return how many tokens all places say, with the one that stands for the owner."""
        return int(self._lengths.all[self._speaking.all].sum())

    def count(self, token: str) -> int:
        """Return how many places say a token."""
        known = self._tokens.known(token)
        return int(self._held_by.all[known]) if known >= 0 else 0

    def holders(self, terms: Sequence[Term]) -> Places:
        """Return the places that say all of the Terms."""
        every = {self._tokens.known(token) for term in terms for token in term.tokens}
        # The shortest first; each list is in the order of its places.
        found, *others = sorted(map(self.holding.of, every), key=len)
        for held in others:
            if not len(found):
                break
            found = found[held.take(held.searchsorted(found), mode="clip") == found]
        found = self.speaking(found)
        phrases = [term for term in terms if len(term.tokens) > 1]
        if phrases and len(found):
            found = found[(self.occurrences(phrases, found) > 0).all(axis=0)]
        return found

    def speaking(self, places: Places) -> Places:
        """Return those of the places of which something is indexed."""
        if not self._silent:
            return places
        found: Places = places[self._speaking.all[places]]
        return found

    def distinct(self, places: Places) -> tuple[Places, Places]:
        """Return each place once, and for all of them which of these it is."""
        drawn, lots = self._drawn.all, np.arange(len(places))
        # Whoever draws last in a place stands for it.
        drawn[places] = lots
        last = drawn.take(places)
        stands = last == lots
        found: Places = places[stands]
        return found, (np.cumsum(stands) - 1).take(last)

    def occurrences(self, terms: Sequence[Term], places: Places) -> npt.NDArray[np.int64]:
        """Count how often each place says each Term: a row for a Term, a column for a place."""
        # Each line with one more number behind it, which is no token.
        lengths = self._lengths.held(places) + np.int64(1)
        ends = np.cumsum(lengths)
        line = np.repeat(np.arange(len(places)), lengths)
        source = np.arange(len(line)) + (self._at.held(places) + lengths - ends).take(line)
        said = self._lines.held(source)
        said[ends - 1] = -1
        known = self._tokens.known
        hits = said == np.array([[known(term.tokens[0])] for term in terms], np.int32)
        for row, term in enumerate(terms):
            for at, token in enumerate(term.tokens[1:], 1):
                hits[row, :-at] &= said[at:] == known(token)
                hits[row, -at:] = False
        which, where = np.nonzero(hits)
        counted = np.bincount(which * len(places) + line[where], minlength=len(terms) * len(places))
        return counted.reshape(len(terms), len(places))

    def matched(self, terms: Sequence[Term], places: Places) -> list[tuple[str, ...]]:
        """Return the Terms that each place says, as they were asked."""
        asked = tuple(term for term in terms if term.tokens)
        if not asked or not len(places):
            return [()] * len(places)
        names = [term.surface for term in asked]
        often = self._counted_before(asked, places)
        if often is None:
            often = self.occurrences(asked, places)
        return [tuple(compress(names, each)) for each in (often > 0).T.tolist()]

    def _counted_before(
        self, terms: tuple[Term, ...], places: Places
    ) -> npt.NDArray[np.int64] | None:
        """Return how often these places say the Terms, if that was just counted for all of them."""
        if self._weighed is None or self._weighed[:2] != (terms, self._lines.count):
            return None
        at = [self._weighed[2].get(place, -1) for place in places.tolist()]
        return None if min(at) < 0 else self._weighed[3][:, at]

    def bm25(
        self, places: Places, weights: Mapping[Term, float], mean: float
    ) -> npt.NDArray[np.float64]:
        """Return the BM25 of each place, as `bm25` counts it in the file."""
        # The mark between words and what is beside them counts for the owner's own token.
        norm = K1 * (1 - B + B * (self._lengths.held(places) / mean))
        if not len(places):
            return np.zeros(0)
        often = self.occurrences(list(weights), places)
        which = dict(zip(places.tolist(), range(len(places)), strict=True))
        self._weighed = tuple(weights), self._lines.count, which, often
        each = np.fromiter(weights.values(), np.float64)[:, None] * often * (K1 + 1)
        # Added up word by word, as a line in the file is.
        score: npt.NDArray[np.float64] = np.add.reduce(each / (often + norm), axis=0)
        return score


class Turns:
    """The turns of every session in their order."""

    def __init__(self) -> None:
        self._keys: Numbers = np.zeros(0, np.int64)
        self._places: Places = np.zeros(0, np.int64)
        self._later: list[tuple[int, int]] = []
        self._laid_out = False

    def add(self, session: int, turn: int, place: int) -> None:
        """Note which turn of a session stands in a place."""
        if self._laid_out:
            insort(self._later, (session * _TURNS + turn, place))
        else:
            self._later.append((session * _TURNS + turn, place))

    def lay_out(self) -> None:
        """Lay out what came so far."""
        keys = np.array(self._later, np.int64).reshape(-1, 2)
        keys = keys[np.lexsort(keys.T[::-1])]
        self._keys, self._places = keys[:, 0], keys[:, 1]
        self._later, self._laid_out = [], True

    def beside(self, session: int, turn: int, before: int, after: int) -> list[int]:
        """Return the places of the turns from so far before one to so far after it."""
        low, high = session * _TURNS + turn + before, session * _TURNS + turn + after
        cut = slice(self._keys.searchsorted(low), self._keys.searchsorted(high, "right"))
        late = slice(bisect_left(self._later, (low, -1)), bisect_left(self._later, (high + 1, -1)))
        found: list[int] = self._places[cut].tolist()
        return found + [place for _, place in self._later[late]]


class Mentions:
    """Which places speak of which stretches of time."""

    def __init__(self) -> None:
        self._starts, self._ends, self._places = Grown("i8"), Grown("i8"), Grown("i8")

    def add(self, place: int, starts: int, ends: int) -> None:
        """Note that a place speaks of a stretch of time."""
        for column, value in ((self._starts, starts), (self._ends, ends), (self._places, place)):
            column.append([value])

    def within(self, start: int, end: int) -> Places:
        """Return the places that speak of a time in this stretch, and of none too long."""
        starts, ends = self._starts.all, self._ends.all
        named = (starts >= start - LONGEST_MENTION) & (starts < end) & (ends > start)
        found: Places = self._places.all[named & (ends - starts <= LONGEST_MENTION)]
        return found


def _tokens(column: str) -> list[str]:
    return column.split(" ") if column else []
