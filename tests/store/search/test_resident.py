"""The index in memory says what the tables say, whatever happened, in whichever process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from saegim.errors import SaegimError
from saegim.language.words import Basic
from saegim.memory import changes as kinds
from saegim.memory.changes import Change
from saegim.memory.entities import CONTRADICTS, REFERS_TO, Entity, Link
from saegim.memory.memory import (
    Content,
    Emotion,
    Feeling,
    Kind,
    Lifetime,
    Memory,
    Provenance,
    Reason,
    Scope,
    State,
    Tier,
    Time,
)
from saegim.store.commit import Batch
from saegim.store.database import lines_since
from saegim.store.rows import ALL_STATES, Where
from saegim.store.search import resident
from saegim.store.search.resident_tables import ASKED_OFTEN, ResidentTables, Tables
from saegim.store.store import Store
from stand_ins import Toy, rounds
from store.places import AT, ME

WORDS = (
    "blue kettle tea tea 녹차를 마셨다 제주도 여행 회의 배포 server 15일 milk 커피 강아지".split()
)
NAMES = ("Jane", "민호", "Tokyo")
TOY = Toy(16)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store."""
    made = Store(tmp_path / "store.db", synchronous="OFF")
    yield made
    made.close()


def commit(store: Store, *changes: Change, owner: str = "me") -> None:
    """Commit Changes, each saved memory with its vector."""
    saved = [each.memory for each in changes if isinstance(each, kinds.Saved)]
    vectors = {each.id: TOY.embed([each.text], "document")[0] for each in saved}
    store.commit(
        Batch(owner, changes, owner, AT, vectors=vectors, identity=TOY.identity, count_turns=True)
    )


class Life:
    """Memories to which things happen by chance, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.ids: list[str] = []
        self.first: dict[str, Memory] = {}

    def born(self, owner: str = "me") -> Memory:
        """Return a memory that says something, somewhere, of someone."""
        one, at = self.chance, AT + timedelta(hours=self.chance.randint(-2000, 2000))
        day = f"{at:%Y-%m-%dT00:00:00+00:00}/{at + timedelta(days=1):%Y-%m-%dT00:00:00+00:00}"
        self.ids.append(f"mem_{len(self.ids):05}")
        room = {"project": one.choice(["", "", "alpha"]), "session": one.choice(["", "a", "b"])}
        made = Memory(
            id=self.ids[-1],
            scope=Scope(owner, one.choice(["", "bot"]), **room),
            text=" ".join(one.choices(WORDS, k=one.randint(1, 9))) + one.choice(["", "?", " ㅋㅋ"]),
            time=Time(
                happened_at=at, recorded_at=at, mentions=(day,) if one.random() < 0.3 else ()
            ),
            kind=one.choice(list(Kind)),
            provenance=Provenance(author=one.choice(["", *NAMES])),
            emotion=Emotion(feelings=(Feeling.JOY,) if one.random() < 0.3 else (), intensity=0.4),
            content=Content(tags=tuple(one.sample(["t1", "t2"], one.randint(0, 2)))),
        )
        self.first[made.id] = made
        return made

    def understood(self, id: str) -> Change:
        """Return what reading a memory after it was kept may add."""
        one, before = self.chance, self.first[id]
        triples = (("Jane", "lives in", "Tokyo"),) if one.random() < 0.5 else ()
        feelings = (Feeling.JOY,) if one.random() < 0.5 else ()
        after = before.evolve(
            kind=one.choice(list(Kind)),
            emotion=Emotion(feelings=feelings, intensity=one.random()),
            content=replace(before.content, keywords=(one.choice(WORDS),), triples=triples),
            worth=replace(before.worth, importance=one.random()),
            life=replace(before.life, lifetime=Lifetime.LASTING),
        )
        return kinds.Interpreted(id, before, after)

    def happens(self) -> Change:
        """Return a Change that may come true, or may be refused."""
        one = self.chance
        if not self.ids or one.random() < 0.25:
            return kinds.Saved(self.born())
        id, other, at = one.choice(self.ids), one.choice(self.ids), AT + timedelta(days=1)
        person, place = (Entity(name=name) for name in one.sample(NAMES, 2))
        until = at + timedelta(days=7)
        return one.choice(
            [
                lambda: kinds.Superseded(id, other, at),
                lambda: kinds.Reweighed(memory=id, at=at, recalled=1, importance=one.random()),
                lambda: kinds.Reweighed(memory=id, at=at, confidence=one.random()),
                lambda: kinds.Retold(id, "brief", (("Jane", "likes", "민호"),)),
                lambda: self.understood(id),
                lambda: kinds.Pinned(id, one.random() < 0.5),
                lambda: kinds.Tiered(id, one.choice(list(Tier)), until),
                lambda: kinds.LifetimeSet(id, Lifetime.LASTING, None, None),
                lambda: kinds.Shrunk(id, True),
                lambda: kinds.IslandSet(id, "island_1"),
                lambda: kinds.Tagged(id, (f"tag{one.randint(0, 3)}",)),
                lambda: kinds.Dozed(id),
                lambda: kinds.Woken(id),
                lambda: kinds.Leaving(id, Reason.MANUAL, at, until),
                lambda: kinds.Restored(id, until),
                lambda: kinds.Quarantined(id),
                lambda: kinds.Released(id),
                lambda: kinds.Rehomed(id, one.choice(["", "beta"])),
                lambda: kinds.Linked(Link(source=id, type=CONTRADICTS, target=other)),
                lambda: kinds.Linked(Link(source=id, type=REFERS_TO, target=person.key)),
                lambda: kinds.Linked(Link(source=person.key, type="likes", target=place.key)),
                lambda: kinds.Unlinked(Link(source=id, type=CONTRADICTS, target=other)),
                lambda: kinds.Unlinked(Link(source=person.key, type="likes", target=place.key)),
                lambda: kinds.Met(replace(person, aliases=(f"{person.name}님",)), again=True),
                lambda: kinds.Portrayed(person.key, "friend", ""),
                lambda: kinds.Trusted(person.key, 0.7),
                lambda: kinds.Recalled(f"rec_{one.random()}", (id, other)),
                lambda: kinds.Archived(id, at) if one.random() < 0.1 else kinds.Woken(id),
                lambda: kinds.Erased(id) if one.random() < 0.1 else kinds.Pinned(id, True),
            ]
        )()


def lived(store: Store, life: Life, often: int) -> None:
    """Let things happen; what is refused does not."""
    for _ in range(often):
        with suppress(SaegimError):
            commit(store, life.happens())


WHERES = [
    Where(scope=ME),
    Where(scope=ME, states=ALL_STATES),
    Where(scope=ME, states=(State.DORMANT,)),
    Where(scope=ME, kinds=(Kind.FACT, Kind.EPISODE)),
    Where(scope=ME, tiers=(Tier.M90,)),
    Where(scope=ME, imagined=True),
    Where(scope=ME, lifetimes=(Lifetime.LASTING,)),
    Where(scope=ME, tags=("t1",)),
    Where(scope=ME, tags=("t1", "t2"), pinned=True),
    Where(scope=ME, emotion=("joy",)),
    Where(scope=ME, author="Jane", min_importance=0.3),
    Where(scope=ME, since=AT, until=AT + timedelta(days=40)),
    Where(scope=ME, during=(AT, AT + timedelta(days=20))),
    Where(scope=ME, states=(State.ACTIVE, State.SUPERSEDED), as_of=AT + timedelta(days=2)),
    Where(scope=Scope("me", "bot", "alpha")),
    Where(scope=Scope("me", "bot", "alpha"), everywhere=True, session="a"),
]


def told(tables: Tables, numbers: list[int], ids: list[str]) -> Iterator[Any]:
    """Yield everything that a recall may be told."""
    memories, links, entities = tables.memories, tables.links, tables.entities
    keys = [*ids, *(Entity(name=name).key for name in NAMES)]
    facts = memories.facts(ME, numbers)
    yield {each.name: list(getattr(facts, each.name)) for each in fields(facts)[:-1]}
    yield memories.sessions_of(ME, numbers)
    yield memories.ids_of(ME, numbers)
    yield {number: each.worth for number, each in memories.by_numbers(ME, numbers).items()}
    yield links.ties(ME, keys), links.ties(ME, keys, without=[REFERS_TO], most=2)
    yield links.of(ME, ids, [CONTRADICTS])
    yield entities.keys_named(ME, ["jane", "민호", "민호님", "jane님", "tokyo"])
    yield [entities.met_often(ME, keys, more_than=most) for most in (0, 2)]
    for where in WHERES:
        yield memories.rows_of(where, ids)
        yield memories.neighbours(where, numbers, before=-2, after=3)
        yield memories.latest(where, limit=7)
        for asked in ("blue kettle", "제주도 여행 tea", "녹차 마셨어?", "server"):
            terms = Basic().query(asked)
            yield tables.words.matching(terms, where, limit=5)
            yield tables.words.matched(ME, numbers, terms)
            vector = TOY.embed([asked], "query")[0]
            yield tables.vectors.near(vector, TOY.identity, where, limit=4, also=numbers[:3])


def differences(store: Store, life: Life) -> list[tuple[int, Any, Any]]:
    """Compare what is at hand with what the tables say."""
    rows = store.database.rows("SELECT number FROM memory WHERE owner = 'me' ORDER BY number")
    numbers, ids = [row[0] for row in rows], list(life.ids)
    at_hand = store.at_hand(ME)
    if at_hand is store:
        assert store.prepare(ME)
        at_hand = store.at_hand(ME)
    assert isinstance(at_hand, ResidentTables)
    pairs = zip(told(at_hand, numbers, ids), told(store, numbers, ids), strict=True)
    return [(at, one, two) for at, (one, two) in enumerate(pairs) if one != two]


# Seed 34 shows what was forgotten, and looks at it whole.
@pytest.mark.parametrize("seed", [34, *range(rounds(60, 2))])
def test_it_says_what_the_tables_say_after_whatever_happened(store: Store, seed: int) -> None:
    """Issue 20: a scan of the tables and the index agree after random Changes of two processes."""
    life = Life(seed)
    lived(store, life, 30)
    assert store.prepare(ME)
    other = Store(store.path, synchronous="OFF")
    for turn in range(6):
        lived(other if turn % 2 else store, life, 12)
        if turn == 3:
            commit(other, kinds.Saved(replace(life.born(), scope=Scope("you"))), owner="you")
        assert differences(store, life) == []
    other.close()


def test_without_following_it_would_say_something_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison notices an index that does not follow."""
    life = Life(1)
    lived(store, life, 40)
    assert store.prepare(ME)
    assert differences(store, life) == []
    monkeypatch.setattr(resident.ResidentIndex, "_follow", lambda _: None)
    lived(store, life, 40)
    assert differences(store, life) != []


def test_every_kind_of_change_is_known() -> None:
    """A new kind of Change must say what it means for what is held in memory."""
    known = [
        resident.TAKES_WORDS_AWAY, resident.TOUCHES_TIES, resident.TOUCHES_ENTITY,
        resident.TOUCHES_NOTHING, resident.SHOWS, resident.TOUCHES_MEMORY,
        resident.REWRITES_MEMORY, resident.MOVES_MEMORY,
    ]  # fmt: skip
    assert frozenset().union(*known) == {kind.__name__ for kind in get_args(Change)}


@pytest.mark.parametrize("kind", [kinds.Erased, kinds.Archived])
def test_words_that_are_taken_away_leave_memory_with_the_next_question(
    store: Store, kind: type
) -> None:
    """U26.3: after an erasure, by whatever process, nothing in memory holds the words."""
    life = Life(2)
    kept = replace(life.born(), text="zqxv kettle")
    commit(store, kinds.Saved(kept), kinds.Saved(life.born()))
    store.prepare(ME)
    tables = store.at_hand(ME)
    assert isinstance(tables, ResidentTables)
    assert tables.memories.by_numbers(ME, [1])[1].text == "zqxv kettle"
    other = Store(store.path, synchronous="OFF")
    commit(other, kind(kept.id) if kind is kinds.Erased else kind(kept.id, AT))
    other.close()
    assert store.at_hand(ME) is store
    assert store.prepare(ME)
    (word,) = Basic().query("zqxv")
    assert store.at_hand(ME).words.matching([word], WHERES[1], limit=5).hits == []
    assert differences(store, life) == []


def test_a_restored_backup_is_followed(store: Store, tmp_path: Path) -> None:
    """Issue 16: what was read of the file before it was replaced counts no more."""
    life = Life(3)
    lived(store, life, 25)
    made = store.back_up(tmp_path / "backups", AT)
    lived(store, life, 25)
    store.prepare(ME)
    other = Store(store.path, synchronous="OFF")
    other.restore_backup(made.path, tmp_path / "backups", AT)
    other.close()
    assert differences(store, life) == []
    store.restore_backup(made.path, tmp_path / "backups", AT)
    assert differences(store, life) == []


def test_a_store_that_was_replaced_or_rebuilt_is_read_anew(store: Store, tmp_path: Path) -> None:
    """Another file of the same name, or words written anew: nothing of before is answered."""
    life = Life(4)
    lived(store, life, 25)
    store.prepare(ME)
    for _ in store.rebuild(TOY, lambda: AT):
        pass
    assert store.at_hand(ME) is store
    assert differences(store, life) == []
    fresh = Store(tmp_path / "fresh.db", synchronous="OFF")
    commit(fresh, kinds.Saved(Life(5).born()))
    fresh.close()
    fresh.path.rename(store.path)
    life.ids = life.ids[:1]
    assert differences(store, life) == []


def test_inside_a_transaction_the_tables_themselves_are_asked(store: Store) -> None:
    """A rehearsal sees what it would write; the index holds only what is committed."""
    life = Life(6)
    commit(store, kinds.Saved(life.born()))
    store.prepare(ME)
    batch = Batch("me", [kinds.Dozed(life.ids[0])], "me", AT)
    (inside,) = store.rehearse((batch, lambda: store.at_hand(ME) is store))
    assert inside
    assert differences(store, life) == []


def test_a_writer_that_is_killed_leaves_nothing_half_seen(store: Store) -> None:
    """What a killed process had committed is seen, and what it had not is not."""
    life = Life(7)
    lived(store, life, 20)
    store.prepare(ME)
    killed = (
        "import os, sys; from pathlib import Path; from saegim.store.store import Store;"
        "from saegim.store.commit import Batch; from saegim.memory.changes import Pinned;"
        "from store.places import AT; s = Store(Path(sys.argv[1]));"
        "s.commit(Batch('me', [Pinned(sys.argv[2], True)], 'me', AT));"
        "w = s.database.writing(); c = w.__enter__();"
        "c.execute('UPDATE memory SET importance = 0.123'); os.kill(os.getpid(), 9)"
    )
    tests = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", killed, str(store.path), life.ids[0]], cwd=tests, check=False
    )
    assert done.returncode != 0
    assert differences(store, life) == []


def test_it_is_made_behind_the_answers_of_whoever_asks_often(store: Store) -> None:
    """One question, as a command asks, makes no index; a conversation has one soon."""
    commit(store, kinds.Saved(Life(8).born()))
    work: list[Any] = []
    store._resident._behind = lambda _, made: work.append(made)
    for _ in range(ASKED_OFTEN - 1):
        assert store.at_hand(ME) is store
    assert work == []
    for _ in range(3):
        assert store.at_hand(ME) is store
    assert len(work) == 1
    for _ in work[0]():
        pass
    assert isinstance(store.at_hand(ME), ResidentTables)


def test_it_is_bounded_and_the_longest_unasked_leaves_first(tmp_path: Path) -> None:
    """No more memories are held than the setting says; with 0 none are."""
    store = Store(tmp_path / "store.db", synchronous="OFF", resident=3)
    life = Life(9)
    for owner in ("me", "you", "them"):
        for _ in range(3 if owner == "them" else 1):
            commit(store, kinds.Saved(life.born(owner)), owner=owner)
    assert store.prepare(ME)
    assert store.prepare(Scope("you"))
    assert isinstance(store.at_hand(ME), ResidentTables)
    assert store.prepare(Scope("them"))
    assert store.at_hand(ME) is store
    commit(store, kinds.Saved(life.born("them")), owner="them")
    assert not Store(tmp_path / "store.db", resident=3).prepare(Scope("them"))
    store.close()
    off = Store(tmp_path / "store.db", resident=0)
    assert [off.at_hand(ME) is off for _ in range(5)] == [True] * 5
    off.close()


def test_an_index_answers_its_owner_alone(store: Store) -> None:
    """U21.1: whoever holds the tables of one user and asks for another learns nothing of either."""
    life = Life(14)
    commit(store, kinds.Saved(life.born()))
    commit(store, kinds.Saved(life.born("you")), owner="you")
    store.prepare(ME)
    tables, you = store.at_hand(ME), Scope("you")
    theirs, terms = Where(scope=you, states=ALL_STATES), Basic().query(" ".join(WORDS))
    assert tables.memories.by_numbers(ME, [1]).keys() == {1}
    assert tables.memories.by_numbers(you, [1, 2]).keys() == {2}
    assert tables.memories.facts(you, [1, 2]).number.tolist() == [2]
    assert tables.memories.rows_of(theirs, life.ids) == {life.ids[1]: 2}
    assert tables.memories.latest(theirs, limit=5) == [2]
    assert [hit.number for hit in tables.words.matching(terms, theirs, limit=5).hits] == [2]
    with pytest.raises(ValueError, match="its owner alone"):
        tables.vectors.near(TOY.embed(["tea"], "query")[0], TOY.identity, theirs, limit=3)


def test_what_came_late_is_laid_out_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index to which much was added is made anew behind the answers, and answers meanwhile."""
    life = Life(10)
    lived(store, life, 10)
    store.prepare(ME)
    monkeypatch.setattr(resident, "_LATE_LEAST", 3)
    work: list[Any] = []
    store._resident._behind = lambda _, made: work.append(made)
    for _ in range(12):
        commit(store, kinds.Saved(life.born()))
    assert isinstance(store.at_hand(ME), ResidentTables)
    assert len(work) == 1


def test_too_many_lines_are_not_followed_but_read_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question does not wait for a night's work of another process to be read line by line."""
    life = Life(11)
    lived(store, life, 10)
    store.prepare(ME)
    monkeypatch.setattr(resident, "MOST_LINES", 5)
    lived(store, life, 20)
    assert store.at_hand(ME) is store
    assert differences(store, life) == []


def test_words_that_are_indexed_later_are_found_then(store: Store) -> None:
    """An analyser may read a memory after it was kept: no line of the ledger tells of that."""
    life = Life(12)
    lived(store, life, 10)
    late = life.born()
    store.prepare(ME)
    analysers, store.words._analysers[:] = list(store.words._analysers), []
    commit(store, kinds.Saved(replace(late, text="zqxv kettle")))
    store.words._analysers[:] = analysers
    asked = Basic().query("zqxv")
    assert store.at_hand(ME).words.matching(asked, WHERES[0], limit=5).hits == []
    for _ in store._read_with(analysers[0]):
        pass
    assert len(store.at_hand(ME).words.matching(asked, WHERES[1], limit=5).hits) == 1
    assert differences(store, life) == []


def test_the_seam_tells_which_lines_came_and_when_nothing_was_written(store: Store) -> None:
    """The index asks the database for lines and a pulse, never for what SQLite alone knows."""
    database = store.database
    commit(store, kinds.Saved(Life(13).born()))
    era, ((last, hash, *_),) = lines_since(database, "me", 0, 1, newest=True)
    assert lines_since(database, "me", last, 5)[0] == era
    (line,) = lines_since(database, "me", last, 5)[1]
    assert line[:4] == (last, hash, "Saved", "mem_00000")
    assert lines_since(database, "nobody", 0, 5) == (era, [])
    before = database.pulse()
    assert database.pulse() == before
    commit(store, kinds.Pinned("mem_00000", True))
    assert database.pulse() != before
