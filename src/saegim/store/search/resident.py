"""One owner's memories in memory: columns, ties, names and words, following the ledger.

What a recall asks of many rows is answered from here without a query: disposable, made in the
background from the tables, brought up to date by the lines of the ledger before each question. What
takes words away (an erasure, the archive) takes the whole index away; it is made anew.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from saegim.memory.clock import from_micros, micros
from saegim.memory.memory import BOOKKEEPING, Kind, Memory, State, checked_tags
from saegim.memory.text import normalise
from saegim.store.database import Database, Line, lines_since
from saegim.store.rows import Where, ends_asking
from saegim.store.search.bm25 import WordSearch
from saegim.store.search.resident_parts import (
    Entities,
    Grown,
    Mentions,
    Numbering,
    PlaceLists,
    Places,
    PlacesOfRows,
    SaidWords,
    Ties,
    Turns,
)
from saegim.store.tables.entity_table import LinkTable

Mask = npt.NDArray[np.bool_]
Asked = TypeVar("Asked")

# Rows read at a time while an index is made: others may write and ask in between.
_CHUNK: Final = 500
# So many lines are followed before a question; beyond them the index is made anew behind it.
MOST_LINES: Final = 2_000
# Each thread has a pulse of its own.
_PULSES: Final = 64
# Memories kept whole, as they were shown last.
_WHOLE: Final = 2048
# Rows that came later than the index was made are found more slowly: from this part of it on it is
# made anew, and not before so many.
_LATE_SHARE, _LATE_LEAST = 0.25, 2_000
_NEVER, _ALWAYS = np.iinfo(np.int64).min, np.iinfo(np.int64).max

# What the lines of the ledger mean for what is held here. Every kind of Change is in one of these.
TAKES_WORDS_AWAY: Final = frozenset({"Erased", "Archived"})
TOUCHES_TIES: Final = frozenset({"Linked", "Unlinked"})
TOUCHES_ENTITY: Final = frozenset({"Met"})
TOUCHES_NOTHING: Final = frozenset({"Written", "Portrayed", "Trusted"})
SHOWS: Final = frozenset({"Recalled"})
# The memory itself; what it states of entities goes and comes with its state.
TOUCHES_MEMORY: Final = frozenset(
    {
        "Saved",
        "Reweighed",
        "Retold",
        "Pinned",
        "Tiered",
        "LifetimeSet",
        "Shrunk",
        "Rehomed",
        "IslandSet",
    }
)
REWRITES_MEMORY: Final = frozenset({"Tagged", "Restored", "Interpreted"})
MOVES_MEMORY: Final = frozenset(
    {"Superseded", "Dozed", "Woken", "Released", "Quarantined", "Leaving", "Restored"}
)

# Columns that hold a word, by the number it has here.
_NAMES: Final = (
    "agent project session visibility kind origin source author domain persona rhythm_phase tier "
    "lifetime state"
).split()
_INSTANTS: Final = "happened_at last_at valid_from valid_to sequence".split()
_SHARES: Final = "intensity importance confidence".split()
_MARKS: Final = "pinned mentions asks alive".split()
_HELD: Final = (*_NAMES, *_INSTANTS, *_SHARES, *_MARKS)
_SELECT: Final = (
    "SELECT m.number, m.id, "
    + ", ".join(f"m.{name}" for name in _NAMES)
    + ", m.happened_at, max(m.recorded_at, coalesce(m.recalled_at, 0)), "
    "coalesce(m.valid_from, m.happened_at), m.valid_to, m.sequence, m.intensity, m.importance, "
    "m.confidence, m.pinned, EXISTS (SELECT 1 FROM mention t WHERE t.number = m.number), "
    # As bytes: where a letter is spoilt on disk, the others still count.
    "substr(CAST(coalesce(m.text, '') AS BLOB), -48) FROM "
)
_NUMBERED: Final = "FROM json_each(:numbers) j CROSS JOIN {0} t ON t.number = j.value"


class Outdated(Exception):
    """What is held here cannot follow the file any more."""


class ResidentIndex:
    """One owner's memories in memory."""

    def __init__(self, database: Database, words: WordSearch, owner: str, analyser: str) -> None:
        self.owner, self.analyser = owner, analyser
        self.lock = threading.RLock()
        self.columns = (
            {name: Grown("i4") for name in _NAMES}
            | {name: Grown("i8") for name in ("number", *_INSTANTS)}
            | {name: Grown("f8") for name in _SHARES}
            | {name: Grown("?") for name in _MARKS}
        )
        self.codes, self.ids = Numbering(), list[str]()
        self.place_of = PlacesOfRows()
        # Which places a question without filters looks among; none while that is not worked out.
        self._plain: Mask | None = None
        # The same of the last filters that were asked for.
        self._last: tuple[Where, Mask] | None = None
        self.number_of: dict[str, int] = {}
        self.ties, self.entities = Ties(), Entities()
        self.said = SaidWords()
        self._marks, self._marked = Numbering(), PlaceLists()
        self._turns, self._mentions = Turns(), Mentions()
        self.whole: OrderedDict[int, Memory] = OrderedDict()
        # How often, and when last, they were shown since they were read.
        self._shown: dict[int, tuple[int, int]] = {}
        # What was asked of the file, by the pulse that it had: nobody has written since.
        self.known: dict[str, dict[str, Any]] = {}
        self._felt = threading.local()
        self.laid_out = 0
        self._database, self._words, self._links = database, words, LinkTable(database)
        self._seen, self._hash, self._era = 0, "", ""
        # Rows whose words are not indexed yet: no line of the ledger will tell.
        self._unread: set[int] = set()

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.columns[name].all

    def column(self, name: str, places: Places) -> npt.NDArray[Any]:
        """Return one column of these places."""
        return self.columns[name].held(places)

    def __len__(self) -> int:
        return len(self.place_of)

    # -- making and following ----------------------------------------------------------------------

    def make(self) -> Iterator[int]:
        """Read everything, a chunk at a time; what is written meanwhile is followed afterwards."""
        self._era, last_line = lines_since(self._database, self.owner, 0, 1, newest=True)
        self._seen, self._hash = last_line[0][:2] if last_line else (0, "")
        last = 0
        while True:
            rows = self._database.rows(
                f"{_SELECT} memory m WHERE m.owner = ? AND m.number > ? ORDER BY m.number LIMIT ?",
                (self.owner, last, _CHUNK),
            )
            if not rows:
                break
            last = int(rows[-1][0])
            self._take(rows)
            yield len(rows)
        self.ties.add(self._links.rows_of(self.owner))
        self._read_entities()
        yield 1
        for each in (self.place_of, self.said.holding, self._marked, self.ties, self._turns):
            each.lay_out()
        self.laid_out = len(self.ids)

    @property
    def is_late(self) -> bool:
        """Say whether so much came after it was made that it should be made anew."""
        late = len(self.ids) - self.laid_out
        return late > max(_LATE_LEAST, int(_LATE_SHARE * self.laid_out))

    def follow(self) -> None:
        """Take in what the ledger tells since the last look; raise where that cannot be."""
        pulse = self._felt.pulse = self._database.pulse(self.owner)
        if pulse in self.known:
            return
        if len(self.known) > _PULSES:
            self.known.clear()
        self._follow()
        self.known[pulse] = {}

    def remembered(self, name: str, ask: Callable[[], Asked]) -> Asked:
        """Return what was asked of the file since it was last written to; else ask."""
        held = self.known.get(self._felt.pulse, {})
        if name not in held:
            held[name] = ask()
        answer: Asked = held[name]
        return answer

    def _follow(self) -> None:
        era, lines = lines_since(self._database, self.owner, self._seen, MOST_LINES + 2)
        if era != self._era or len(lines) > MOST_LINES:
            raise Outdated
        if self._seen:
            if not lines or lines[0][:2] != (self._seen, self._hash):
                raise Outdated
            lines = lines[1:]
        if lines:
            self._take_in(lines)
            self._seen, self._hash = lines[-1][:2]
        if self._unread and (late := self._words.lines_of(self.analyser, self._unread)):
            self._read(sorted(late))

    def _take_in(self, lines: Sequence[Line]) -> None:
        """Read again what these lines happened to."""
        kinds = {line[2] for line in lines}
        if kinds & TAKES_WORDS_AWAY:
            raise Outdated
        ids: dict[str, bool] = {}
        tied: dict[str, None] = {}
        shown: dict[str, tuple[int, int]] = {}
        between = bool(kinds & MOVES_MEMORY)
        for _, _, change, subject, facts, at in lines:
            if change in TOUCHES_TIES:
                ends = subject.split("::")
                here = [end for end in (ends[0], ends[-1]) if not end.startswith("entity#")]
                tied |= dict.fromkeys(here)
                between = between or not here
            elif change in SHOWS:
                # The table counts a memory once a line, however often the line names it.
                for id in dict.fromkeys(str(json.loads(facts)["memories"]).split()):
                    often, last = shown.get(id, (0, 0))
                    shown[id] = often + 1, max(last, at)
            elif change not in TOUCHES_ENTITY | TOUCHES_NOTHING:
                ids[subject] = ids.get(subject, False) or change in REWRITES_MEMORY
        if shown:
            self._show({self.number_of[id]: shown[id] for id in shown if id in self.number_of})
        if ids:
            rows = self._database.rows(
                f"{_SELECT} json_each(:ids) j CROSS JOIN memory m ON m.owner = :owner "
                "AND m.id = j.value ORDER BY m.number",
                {"owner": self.owner, "ids": json.dumps(list(ids))},
            )
            self._take(rows, rewritten={id for id, again in ids.items() if again})
        self._read_ties(list(tied), between=between)
        met = {line[3] for line in lines if line[2] in TOUCHES_ENTITY}
        if met:
            known = [self.entities.key_of(each) for each in met]
            self._read_entities([key for key in known if key] if all(known) else None)

    def _show(self, shown: Mapping[int, tuple[int, int]]) -> None:
        """Count what was shown, as the table does: it is as recent as that, and awake."""
        places = self.places(shown)
        state, numbers = self.column("state", places), self.column("number", places).tolist()
        last = np.fromiter((shown[number][1] for number in numbers), np.int64)
        here = state != self.codes.of(State.FORGOTTEN.value)
        self["last_at"][places[here]] = np.maximum(self["last_at"][places[here]], last[here])
        asleep = state == self.codes.of(State.DORMANT.value)
        self._last = None  # it may ask for what changed
        if asleep.any():
            self._plain = None
        self["state"][places[asleep]] = self.codes.of(State.ACTIVE.value)
        for number in self.column("number", places[asleep]).tolist():
            self.whole.pop(number, None)
        # What has lost its words is counted no more.
        for number in self.whole.keys() & set(self.column("number", places[here]).tolist()):
            often, at = self._shown.get(number, (0, 0))
            self._shown[number] = often + shown[number][0], max(at, shown[number][1])

    def _read(self, numbers: Sequence[int]) -> None:
        rows = self._database.rows(
            f"{_SELECT} json_each(:numbers) j CROSS JOIN memory m ON m.number = j.value "
            "WHERE m.owner = :owner",
            {"owner": self.owner, "numbers": json.dumps(numbers)},
        )
        self._take(rows, rewritten=[row[1] for row in rows])

    def _read_ties(self, keys: Sequence[str], *, between: bool) -> None:
        for key in keys:
            self.ties.drop(key)
        if keys:
            self.ties.add(self._links.rows_of(self.owner, keys))
        if between:
            self.ties.drop_between_entities()
            self.ties.add(self._links.rows_between_entities(self.owner))

    def _read_entities(self, keys: Sequence[str] | None = None) -> None:
        only = "AND {0} IN (SELECT value FROM json_each(:keys))" if keys is not None else ""
        params = {"owner": self.owner, "keys": json.dumps(keys, ensure_ascii=False)}
        self.entities.put(
            self._database.rows(
                f"SELECT key, interactions FROM entity WHERE owner = :owner {only.format('key')}",
                params,
            ),
            self._database.rows(
                f"SELECT name, entity FROM alias WHERE owner = :owner {only.format('entity')}",
                params,
            ),
        )

    # -- rows --------------------------------------------------------------------------------------

    def _take(self, rows: Sequence[Any], rewritten: Iterable[str] = ()) -> None:
        """Put rows where they were; those that are new, or say something else now, at the end."""
        self._plain = self._last = None
        again = set(rewritten)
        spoken = [row for row in rows if row[0] not in self.place_of or row[1] in again]
        lines = self._words.lines_of(self.analyser, [row[0] for row in spoken])
        for row in rows:
            self.whole.pop(row[0], None)
            place = self.place_of.get(row[0])
            if place is not None and row[1] in again:
                self._drop(place)
            elif place is not None:
                for name, value in zip(_HELD, self._values(row), strict=True):
                    self[name][place] = value
        if spoken:
            held = (lines.get(row[0]) for row in spoken)
            said = [None if line is None else self.said.line_of(*line) for line in held]
            self._append(list(zip(spoken, said, strict=True)))

    def _marks_of(self, numbers: Sequence[int]) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        asked = {"numbers": json.dumps(numbers)}
        for table, column in (("tag", "tag"), ("felt", "word")):
            for number, word in self._database.rows(
                f"SELECT t.number, t.{column} {_NUMBERED.format(table)}", asked
            ):
                found.setdefault(int(number), []).append(f"{table}:{word}")
        return found

    def _add_times(self, numbers: Sequence[int]) -> None:
        for number, starts, ends in self._database.rows(
            f"SELECT t.number, t.starts, t.ends {_NUMBERED.format('mention')}",
            {"numbers": json.dumps(numbers)},
        ):
            self._mentions.add(self.place_of[number], starts, ends)

    def _values(self, row: Any) -> tuple[Any, ...]:
        """Return the values of `_HELD` in a row of `_SELECT`."""
        names, rest = row[2 : 2 + len(_NAMES)], row[2 + len(_NAMES) :]
        happened, last, since, until, turn, *shares, pinned, mentions, ending = rest
        until, turn = _ALWAYS if until is None else until, _NEVER if turn is None else turn
        instants = (happened, last, since, until, turn)
        marks = (bool(pinned), bool(mentions), ends_asking(ending), True)
        return *map(self.codes.of, names), *instants, *shares, *marks

    def _append(self, new: Sequence[tuple[Any, list[int] | None]]) -> None:
        first, numbers = len(self.ids), [int(row[0]) for row, _ in new]
        values = zip(*(self._values(row) for row, _ in new), strict=True)
        for name, column in zip(_HELD, values, strict=True):
            self.columns[name].append(column)
        self.columns["number"].append(numbers)
        self.ids += [row[1] for row, _ in new]
        self.number_of.update(zip(self.ids[first:], numbers, strict=True))
        self.place_of.put(numbers, first)
        for place, (_, line) in enumerate(new, first):
            (self._unread.add if line is None else self._unread.discard)(numbers[place - first])
            self.said.append(line)
            self._add_turn(place)
        for number, marks in self._marks_of(numbers).items():
            for mark in marks:
                self._marked.add(self._marks.of(mark), self.place_of[number])
        self._add_times(numbers)

    def _add_turn(self, place: int) -> None:
        session, turn = int(self["session"][place]), int(self["sequence"][place])
        if turn != _NEVER and self.codes.words[session]:
            self._turns.add(session, turn, place)

    def _drop(self, place: int) -> None:
        """Forget a place: its memory says something else now, and stands elsewhere."""
        self["alive"][place] = False
        self.said.drop(place)

    # -- asking ------------------------------------------------------------------------------------

    def places(self, numbers: Iterable[int]) -> Places:
        """Return where these rows stand, as far as they are here, in their order."""
        return self.place_of.many(numbers)

    def passes(self, where: Where, places: Places) -> Mask:
        """Say which of these places the filters allow."""
        return self.allowed(where).take(places)

    def allowed(self, where: Where) -> Mask:
        """Say of every place whether the filters allow it: worked out once for a question."""
        if where.narrows or where.bookkeeping or not where.only_true:
            if self._last is None or self._last[0] != where:
                self._last = where, self._everywhere(where)
            return self._last[1]
        if self._plain is None:
            # What nearly every question asks among: worked out once, until a row changes.
            self._plain = self._everywhere(where)
        return self._plain

    def _everywhere(self, where: Where) -> Mask:
        if not where.tags:
            return self._passes(where, np.arange(len(self.ids)))
        # Few carry a tag: the other filters are asked of those alone.
        tagged = np.unique(self.marked(f"tag:{checked_tags(where.tags)[0]}"))
        found = np.zeros(len(self.ids), np.bool_)
        found[tagged] = self._passes(where, tagged)
        return found

    def _passes(self, where: Where, places: Places) -> Mask:
        found = self.column("alive", places)
        for name, values in _named(where):
            wanted = [self.codes.known(value) for value in values]
            held = self.column(name, places)
            found &= held == wanted[0] if len(wanted) == 1 else np.isin(held, wanted)
        if where.since is not None:
            found &= self.column("happened_at", places) >= micros(where.since)
        if where.until is not None:
            found &= self.column("happened_at", places) < micros(where.until)
        if where.min_importance > 0:
            found &= self.column("importance", places) >= where.min_importance
        if where.pinned is not None:
            found &= self.column("pinned", places) == where.pinned
        if where.as_of is not None:
            at = micros(where.as_of)
            found &= (self.column("valid_from", places) <= at) & (
                self.column("valid_to", places) > at
            )
        if where.during is not None:
            start, end = where.during
            happened = self.column("happened_at", places)
            inside = (happened >= micros(start)) & (happened < micros(end))
            found &= inside | np.isin(places, self._mentions.within(micros(start), micros(end)))
        if where.emotion:
            felt = [self.marked(f"felt:{normalise(word)}") for word in where.emotion]
            found &= np.isin(places, np.concatenate(felt))
        for tag in checked_tags(where.tags):
            found &= np.isin(places, self.marked(f"tag:{tag}"))
        if where.only_true:
            found &= self.column("kind", places) != self.codes.known(Kind.IMAGINED.value)
        if not where.bookkeeping and len(books := self.marked(f"tag:{BOOKKEEPING}")):
            found &= ~np.isin(places, books)
        return found

    def marked(self, mark: str) -> Places:
        """Return the places that carry a tag or a feeling."""
        return self._marked.of(self._marks.known(mark))

    def has_any(self, states: Iterable[str]) -> bool:
        """Say whether any memory is in one of these states."""
        held, wanted = self["state"], tuple(map(str, states))
        return self.remembered(
            f"any:{wanted}",
            lambda: any(bool((held == self.codes.known(each)).any()) for each in wanted),
        )

    def keep_whole(self, memories: Mapping[int, Memory]) -> None:
        """Keep memories as they were read just now, until a line tells of them."""
        self.whole.update(memories)
        for number in memories:
            self._shown.pop(number, None)
        while len(self.whole) > _WHOLE:
            self.whole.popitem(last=False)

    def kept(self, number: int) -> Memory | None:
        """Return a memory that is kept, as often recalled as it was shown since."""
        memory = self.whole.get(number)
        if memory is not None and (shown := self._shown.pop(number, None)):
            worth, when = memory.worth, from_micros(shown[1])
            last = max(worth.recalled_at or when, when)
            worth = replace(worth, recalled=worth.recalled + shown[0], recalled_at=last)
            memory = self.whole[number] = memory.evolve(worth=worth)
        return memory

    def everywhere(self, where: Where) -> Places:
        """Return all places that the filters allow."""
        return np.flatnonzero(self.allowed(where))

    def in_turn(self, places: Places) -> Places:
        """Return those of the places that are turns of a session."""
        nowhere = self.codes.known("")
        turns = self.column("sequence", places) != _NEVER
        found: Places = places[turns & (self.column("session", places) != nowhere)]
        return found

    def turns_beside(self, place: int, before: int, after: int) -> list[tuple[int, int, int]]:
        """Return (turn, row, place) of what stands so far before or after in the same session."""
        session, turn = int(self["session"][place]), int(self["sequence"][place])
        near = self._turns.beside(session, turn, before, after)
        turn_of, number, alive = self["sequence"], self["number"], self["alive"]
        held = (each for each in near if each != place and alive[each])
        return sorted((int(turn_of[each]), int(number[each]), each) for each in held)


def _named(where: Where) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each column of words that the filters ask for, with the words."""
    yield "state", tuple(map(str, where.states))
    asked = (where.kinds, where.origins, where.tiers, where.lifetimes)
    for name, values in zip(("kind", "origin", "tier", "lifetime"), asked, strict=True):
        if values:
            yield name, tuple(map(str, values))
    if not where.everywhere:
        for name in ("project", "agent"):
            if value := getattr(where.scope, name):
                yield name, (value, "")
    for name in ("session", "persona", "domain", "author", "rhythm_phase", "visibility"):
        if (value := getattr(where, name)) is not None:
            yield name, (value,)
