"""Taking back a source: exactly what came of it leaves, what it had replaced holds again."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, Refused
from saegim.memory.changes import Change, Leaving, Linked, Reweighed, Saved
from saegim.memory.entities import (
    CONTRADICTS,
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
    RELATED,
    SUPERSEDES,
    Link,
)
from saegim.memory.memory import (
    Life,
    Memory,
    Origin,
    Provenance,
    Reason,
    Scope,
    Source,
    State,
    Tier,
    Time,
    expiry,
)
from saegim.mind import Mind
from saegim.sleep import sources as reverting
from saegim.sleep.sources import Reverted, revert
from saegim.sleep.undo import undo
from saegim.store.commit import Batch
from saegim.store.rows import ALL_STATES, Where, where_of
from stand_ins import rounds

T0 = datetime(2025, 6, 1, 9, 0, tzinfo=UTC)
STANDING = ("active", "dormant", "superseded", "quarantined")
Tie = tuple[str, str, str]


# -- worlds: memories and ties, written straight into the store -----------------------------------


@dataclass
class World:
    """What one user remembers, as plain values that a simple model can be asked about."""

    memories: dict[str, Memory] = field(default_factory=dict)
    ties: set[Tie] = field(default_factory=set)
    user: str = "me"

    def add(self, id: str, author: str = "me", *, at: datetime = T0, **more: Any) -> str:
        """Add a memory; `turn`, `session`, `domain` and fields of its life may be given."""
        life = {each: more.pop(each) for each in tuple(more) if each in Life.__dataclass_fields__}
        tier = life.pop("tier", Tier.M90)
        self.memories[id] = Memory(
            id=id,
            scope=Scope(self.user, session=more.pop("session", "")),
            text=f"note {id} of {author}",
            time=Time(happened_at=T0, recorded_at=at),
            provenance=Provenance(
                origin=Origin.IMPORT, source=Source.OBSERVATION, author=author, **more
            ),
            life=Life(tier=tier, expires_at=expiry(tier, at), **life),
        )
        return id

    def tie(self, source: str, type: str, target: str) -> None:
        """Tie two memories; what is superseded stands as superseded."""
        self.ties.add((source, type, target))
        held = self.memories[target]
        if type == SUPERSEDES and held.life.state is State.ACTIVE:
            self.memories[target] = held.evolve(life=replace(held.life, state=State.SUPERSEDED))

    def write(self, mind: Mind) -> None:
        """Keep all of it in one commit."""
        changes: list[Change] = [Saved(each) for each in self.memories.values()]
        changes += [
            Leaving(each.id, Reason.FADED, T0, T0 + timedelta(days=7))
            for each in self.memories.values()
            if each.life.state is State.LEAVING
        ]
        changes += [Linked(Link(source=s, type=t, target=o)) for s, t, o in sorted(self.ties)]
        mind.store.commit(Batch(self.user, changes, actor="test", at=T0))

    def sourced(self, author: str, since: datetime | None) -> set[str]:
        """Return what an author brought since an instant."""
        return {
            id
            for id, each in self.memories.items()
            if each.provenance.author == author
            and (since is None or each.time.recorded_at >= since)
        }


def random_world(seed: int, user: str) -> World:
    """A few memories of three authors, each made from earlier ones in any way there is."""
    dice = random.Random(seed)
    world = World(user=user)
    states = [State.ACTIVE] * 6 + [State.DORMANT, State.QUARANTINED, State.LEAVING]
    for n in range(dice.randint(2, 9)):
        earlier = list(world.memories)
        turn = dice.choice(earlier) if earlier and dice.random() < 0.15 else ""
        id = world.add(
            f"mem_{n}",
            dice.choice(("page", "me", "peer")),
            at=T0 + timedelta(microseconds=dice.randint(0, 3)),
            state=dice.choice(states),
            tier=dice.choice([Tier.M30, Tier.M90, Tier.M365] * 3 + [Tier.M0]),
            immutable=dice.random() < 0.08,
            pinned=dice.random() < 0.1,
            turn=turn,
        )
        kinds = (DERIVED_FROM, PROMOTED_FROM, SUPERSEDES, SUPERSEDES, MERGED_FROM, RELATED,
                 CONTRADICTS)  # fmt: skip
        for other in earlier:
            if dice.random() < 0.3:
                world.tie(id, dice.choice(kinds), other)
    return world


# -- the simple model -----------------------------------------------------------------------------


def closure(world: World, found: set[str]) -> set[str]:
    """Add what was made from anything found, until nothing is added any more."""
    while True:
        more = {s for s, t, o in world.ties if t in (DERIVED_FROM, PROMOTED_FROM) and o in found}
        more |= {id for id, each in world.memories.items() if each.provenance.turn in found}
        if more <= found:
            return found
        found = found | more


def no_closure(world: World, found: set[str]) -> set[str]:
    """A wrong model: only the source itself."""
    return found


def one_step(world: World, found: set[str]) -> set[str]:
    """A wrong model: only what was made from the source directly."""
    return found | {s for s, t, o in world.ties if t == DERIVED_FROM and o in found}


def over_merges(world: World, found: set[str]) -> set[str]:
    """A wrong model: what took in a twin counts as made from it."""
    return closure(world, found | {s for s, t, o in world.ties if t == MERGED_FROM and o in found})


Closure = Callable[[World, set[str]], set[str]]


def expected(
    world: World, since: datetime | None, lineage: Closure
) -> tuple[dict[str, str], set[Tie], set[str]]:
    """Return the state of each memory afterwards, the ties that are left, and what stays back."""
    line = lineage(world, world.sourced("page", since))
    stays = {
        id
        for id in line
        if (life := world.memories[id].life).state in STANDING
        and (life.immutable or life.tier is Tier.M0)
    }
    gone = line - stays
    after = {id: each.life.state.value for id, each in world.memories.items()}
    after |= {id: "leaving" for id in gone if after[id] in STANDING}
    ties = {
        (s, t, o)
        for s, t, o in world.ties
        if not (
            s in gone and (t == CONTRADICTS or (t in (SUPERSEDES, MERGED_FROM) and o not in line))
        )
    }
    for id in {o for s, t, o in world.ties if t == SUPERSEDES and s in gone and o not in line}:
        heirs = _staying_above(world, id, gone)
        if not heirs and world.memories[id].life.state is State.SUPERSEDED:
            after[id] = "active"
        if heirs and not any((heir, SUPERSEDES, id) in ties for heir in heirs):
            ties.add((min(heirs), SUPERSEDES, id))
    return after, ties, stays


def _staying_above(world: World, id: str, gone: set[str]) -> set[str]:
    """Return the nearest memories that stay and replaced this one, over any that leave."""
    layer, seen = {id}, {id}
    while layer:
        above = {s for s, t, o in world.ties if t == SUPERSEDES and o in layer}
        if above - gone:
            return above - gone
        layer = above - seen
        seen |= layer
    return set()


def check(world: World, since: datetime | None, mind: Mind, lineage: Closure = closure) -> Reverted:
    """Take back the page and compare every memory and every tie with the model."""
    after, ties, stays = expected(world, since, lineage)
    before = held(world, mind)
    done = revert(_page(world.user), since=since, mind=mind, confirm=True)
    now = held(world, mind)
    assert {id: each.life.state.value for id, each in now.items()} == after
    found = {(each.source, each.type, each.target) for each in links(world, mind)}
    assert _unnamed(found - world.ties) == _unnamed(ties - world.ties)
    assert world.ties - found == world.ties - ties
    assert {each.id for each in done.kept_back} == stays
    moved = {each.id for each in (*done.memories, *done.derived)}
    assert moved == {id for id in now if before[id].life.state != now[id].life.state} - {
        each.id for each in done.returned
    }
    assert {each.id for each in done.memories} == moved & world.sourced("page", since)
    untouched = set(now) - moved - {each.id for each in done.returned}
    assert {id: now[id] for id in untouched} == {id: before[id] for id in untouched}
    for each in done.returned:
        life = now[each.id].life
        assert life.expires_at == expiry(life.tier, mind.now())
        assert now[each.id].time.valid_to is None
    return done


def _unnamed(ties: set[Tie]) -> set[tuple[str, str]]:
    """Forget which of several equally near heirs was chosen."""
    return {(type, target) for _, type, target in ties}


def held(world: World, mind: Mind) -> dict[str, Memory]:
    """Return everything this user has now."""
    where = Where(scope=Scope(world.user), states=ALL_STATES)
    return {each.id: each for _, each in mind.store.memories.walk(where)}


def links(world: World, mind: Mind) -> list[Link]:
    """Return every tie this user has now."""
    return mind.store.links.all(Scope(world.user))


def _page(user: str) -> Where:
    return where_of(Scope(user), {"author": "page"})


@pytest.fixture
def mind(tmp_path: Path, clock: FixedClock) -> Iterator[Mind]:
    """The parts of a fresh memory that does not wait for the disk: nobody cuts the power here."""
    with Saegim.open(tmp_path / "worlds.db", clock=clock, durability="fast") as opened:
        yield opened.mind


# -- exactness ------------------------------------------------------------------------------------


def test_what_came_of_a_source_leaves_and_nothing_else(mind: Mind) -> None:
    """M7: exact on random lineages, 500 by night; the ledgers of all others stay as they were."""
    heads: dict[str, tuple[int, str]] = {}
    lengths = []
    many = rounds(500, 60)
    for seed in range(many):
        world = random_world(seed, f"u{seed}")
        world.write(mind)
        since = None if seed % 3 else T0 + timedelta(microseconds=2)
        done = check(world, since, mind)
        heads[world.user] = mind.store.ledger.verify(Scope(world.user))
        lengths.append((len(done.derived), len(done.returned), len(done.kept_back)))
    assert {user: mind.store.ledger.verify(Scope(user)) for user in heads} == heads
    # The worlds are worth looking at: much is derived, returned and kept back in them.
    assert min(sum(each) for each in zip(*lengths, strict=True)) > many / 10


@pytest.mark.parametrize("wrong", [no_closure, one_step, over_merges])
def test_a_lineage_that_is_not_followed_to_its_end_is_noticed(mind: Mind, wrong: Closure) -> None:
    """M7, control: the same comparison fails for every wrong idea of what came of a source."""
    caught = 0
    for seed in range(60):
        world = random_world(seed, f"u{seed}")
        world.write(mind)
        try:
            check(world, None, mind, wrong)
        except AssertionError:
            caught += 1
    assert caught > 5


def test_a_long_chain_leaves_to_its_last_link(mind: Mind) -> None:
    """M7: a descendant at any distance; what stands beside the chain stays."""
    world = World()
    world.add("mem_0", "page")
    for n in range(1, 120):
        world.add(f"mem_{n}")
        world.tie(f"mem_{n}", (DERIVED_FROM, PROMOTED_FROM)[n % 2], f"mem_{n - 1}")
    world.add("mem_beside")
    world.tie("mem_119", RELATED, "mem_beside")
    world.tie("mem_119", DERIVED_FROM, "mem_beside")
    world.write(mind)
    done = check(world, None, mind)
    assert len(done.derived) == 119
    assert held(world, mind)["mem_beside"].life.state is State.ACTIVE


# -- whole and in its own words -------------------------------------------------------------------


def test_a_page_is_taken_back_with_the_facts_read_in_it(memory: Saegim) -> None:
    """FAULTS 20: source and lineage gone, restorable; another author and another user stay."""
    turn = "나는 매주 토요일에 한강에서 자전거를 타. 나는 보라색 자전거를 좋아해."
    other = memory.within(user="other")
    theirs = other.observe(turn, speaker="page", session="s")
    page = memory.observe(turn, speaker="page", session="s")
    assert page.facts, "something was derived"
    mine = memory.remember("자전거 열쇠는 둘째 칸에 있다")
    done = revert(
        where_of(memory.scope, {"session": "s"}), since=None, mind=memory.mind, confirm=True
    )
    assert {each.id for each in done.memories} == {each.id for each in page.kept}
    assert {each.id for each in done.derived} == {each.id for each in page.facts}
    assert [hit.memory.id for hit in memory.recall("자전거").hits] == [mine.id]
    assert len(other.recall("자전거").hits) == len((*theirs.kept, *theirs.facts))
    memory.restore(page.kept[0].id)
    assert memory.get(page.kept[0].id).life.state is State.ACTIVE
    memory.maintenance.verify()


def test_what_a_source_had_replaced_holds_again(memory: Saegim, clock: FixedClock) -> None:
    """M7: a correction by a false source is taken back; the older one is recalled, and young."""
    mine = memory.remember("나는 서울에 살아", happened_at=T0)
    false = memory.remember("나는 부산에 살아", happened_at=T0 + timedelta(days=9), session="s")
    assert false.supersedes == (mine.id,)
    clock.forward(days=3)
    where = where_of(memory.scope, {"session": "s"})
    done = revert(where, since=None, mind=memory.mind, confirm=True)
    assert [each.id for each in done.returned] == [mine.id]
    (hit,) = memory.recall("나는 어디에 살아").hits
    assert (hit.memory.id, hit.conflicts) == (mine.id, ())
    assert hit.memory.time.valid_to is None
    assert hit.memory.life.expires_at == expiry(hit.memory.life.tier, clock.now())
    assert memory.mind.store.memories.current(memory.scope, mine.id) == mine.id


def test_a_contradiction_by_a_source_goes_with_it(memory: Saegim) -> None:
    """M7: a stranger's claim marks mine no longer, also when the stranger is called back."""
    mine = memory.remember("나는 서울에 살아", happened_at=T0)
    page = memory.remember("나는 부산에 살아", happened_at=T0 + timedelta(days=9), origin="web")
    assert page.contradicts == (mine.id,)
    where = where_of(memory.scope, {"origin": "web"})
    revert(where, since=None, mind=memory.mind, confirm=True)
    (hit,) = memory.recall("나는 어디에 살아").hits
    assert (hit.memory.id, hit.conflicts) == (mine.id, ())
    assert memory.mind.store.links.of(memory.scope, [page.id], [CONTRADICTS]) == []


def test_what_was_corrected_again_since_does_not_come_back(mind: Mind) -> None:
    """M7: of mine, a false one and my correction of it, only my correction holds afterwards."""
    world = World()
    for id, author in (("mem_old", "me"), ("mem_false", "page"), ("mem_new", "me")):
        world.add(id, author)
    world.tie("mem_false", SUPERSEDES, "mem_old")
    world.tie("mem_new", SUPERSEDES, "mem_false")
    world.write(mind)
    assert check(world, None, mind).returned == ()
    assert mind.store.memories.current(Scope("me"), "mem_old") == "mem_new"


def test_twins_come_back_when_their_survivor_leaves_and_not_the_other_way(mind: Mind) -> None:
    """M7: a merge is no derivation; the twin of another session is as true as before."""
    world = World()
    world.add("mem_survivor", "page")
    world.add("mem_twin")
    world.add("mem_mine")
    world.add("mem_theirs", "page")
    for survivor, twin in (("mem_survivor", "mem_twin"), ("mem_mine", "mem_theirs")):
        world.tie(survivor, MERGED_FROM, twin)
        world.tie(survivor, SUPERSEDES, twin)
    world.write(mind)
    done = check(world, None, mind)
    assert [each.id for each in done.returned] == ["mem_twin"]
    assert {each.id for each in done.memories} == {"mem_survivor", "mem_theirs"}
    assert held(world, mind)["mem_mine"].life.state is State.ACTIVE


# -- since, preview, refusals ---------------------------------------------------------------------


def test_since_counts_from_the_recording_to_the_microsecond(mind: Mind) -> None:
    """M7: what was recorded a microsecond earlier stays, however late it is said to happen."""
    world = World()
    for n in (-1, 0, 1):
        world.add(f"mem_{n + 1}", "page", at=T0 + timedelta(microseconds=n))
    world.write(mind)
    done = check(world, T0, mind)
    assert [each.id for each in done.memories] == ["mem_1", "mem_2"]


def test_a_preview_says_what_would_happen_and_changes_nothing(mind: Mind) -> None:
    """M7 and U26.2: preview and deed name the same memories; only the deed writes."""
    world = random_world(11, "me")
    world.add("mem_page", "page")
    world.add("mem_made")
    world.tie("mem_made", DERIVED_FROM, "mem_page")
    world.write(mind)
    before = mind.store.ledger.verify(Scope("me")), held(world, mind), links(world, mind)
    seen = revert(_page("me"), since=None, mind=mind, confirm=False)
    assert (mind.store.ledger.verify(Scope("me")), held(world, mind), links(world, mind)) == before
    assert (seen.done, seen.maker, "mem_made" in {e.id for e in seen.derived}) == (False, "", True)
    done = revert(_page("me"), since=None, mind=mind, confirm=True)
    assert replace(done, done=False, maker="") == seen
    assert done.until == mind.now() + timedelta(days=7)
    (entry,) = [e for e in mind.store.ledger.entries(Scope("me")) if e.subject == "mem_made"][-1:]
    assert (entry.change, entry.facts["reason"]) == ("Leaving", "manual")
    assert revert(_page("me"), since=None, mind=mind, confirm=True).maker == ""


@pytest.mark.parametrize(
    "filters",
    [{}, {"tags": ["x"]}, {"author": ""}, {"session": "  "}, {"domain": ""}, {"everywhere": True}],
)
def test_a_source_must_be_named(memory: Saegim, filters: dict[str, Any]) -> None:
    """U5.4: nothing named never means everything."""
    memory.remember("보리차는 둘째 칸에 있다", tags=["x"])
    where = where_of(memory.scope, filters)
    with pytest.raises(BadInput, match="which source") as caught:
        revert(where, since=None, mind=memory.mind, confirm=True)
    assert caught.value.next_step
    assert memory.recent(5).total == 1


def test_an_instant_without_a_zone_is_refused(mind: Mind) -> None:
    """U1.3: a naive `since` is named, not guessed."""
    with pytest.raises(BadInput, match="since"):
        revert(_page("me"), since=datetime(2025, 6, 1), mind=mind, confirm=True)


def test_core_and_immutable_memories_wait_for_a_person(mind: Mind) -> None:
    """DESIGN 4b: they are listed, they stay, what came of them goes; a pin holds nothing here."""
    world = World()
    world.add("mem_page", "page", pinned=True)
    world.add("mem_core", tier=Tier.M0)
    world.add("mem_fixed", immutable=True)
    world.add("mem_last")
    world.add("mem_old")
    world.tie("mem_core", DERIVED_FROM, "mem_page")
    world.tie("mem_fixed", DERIVED_FROM, "mem_core")
    world.tie("mem_last", DERIVED_FROM, "mem_fixed")
    world.tie("mem_fixed", SUPERSEDES, "mem_old")
    world.write(mind)
    done = check(world, None, mind)
    assert [each.id for each in done.kept_back] == ["mem_core", "mem_fixed"]
    assert [each.id for each in done.derived] == ["mem_last"]
    assert done.returned == ()


def test_too_many_at_once_are_refused_before_anything_happens(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U5.4: a source as large as the memory is asked for in parts."""
    world = World()
    for n in range(3):
        world.add(f"mem_{n}", "page", at=T0 + timedelta(seconds=n))
    world.write(mind)
    monkeypatch.setattr(reverting, "MOST_AT_ONCE", 2)
    before = mind.store.ledger.verify(Scope("me"))
    with pytest.raises(Refused, match="too many"):
        revert(_page("me"), since=None, mind=mind, confirm=True)
    assert mind.store.ledger.verify(Scope("me")) == before
    assert len(check(world, T0 + timedelta(seconds=1), mind).memories) == 2


# -- in parts, interrupted, again, and undone -----------------------------------------------------


def woven() -> World:
    """A source with descendants, versions and twins, larger than a small commit."""
    world = World()
    for n in range(6):
        world.add(f"mem_page{n}", "page")
        world.add(f"mem_made{n}")
        world.add(f"mem_old{n}")
        world.tie(f"mem_made{n}", DERIVED_FROM, f"mem_page{n}")
        world.tie(f"mem_page{n}", SUPERSEDES, f"mem_old{n}")
        world.tie(f"mem_page{n}", MERGED_FROM, f"mem_old{n}")
        world.tie(f"mem_made{n}", CONTRADICTS, f"mem_old{n // 2}")
    return world


def test_many_commits_do_what_one_would(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    """M7: cut into small commits, the end is the same and has one name."""
    monkeypatch.setattr(reverting, "_AT_ONCE", 2)
    world = woven()
    world.write(mind)
    done = check(world, None, mind)
    lines = mind.store.undo.images("me", maker=done.maker)
    assert len(lines) == 6 + 6 + 6 * 4


@pytest.mark.parametrize("after", range(9))
def test_an_interrupted_one_is_finished_by_asking_again(
    mind: Mind, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """R1: stopped between any two commits, the second time brings the same end."""
    world = woven()
    world.write(mind)
    monkeypatch.setattr(reverting, "_AT_ONCE", 4)
    commit, count = type(mind.store).commit, iter(range(100))

    def stopping(store: Any, batch: Batch, **more: Any) -> Any:
        if next(count) == after:
            raise KeyboardInterrupt
        return commit(store, batch, **more)

    with monkeypatch.context() as patched:
        patched.setattr(type(mind.store), "commit", stopping)
        with pytest.raises(KeyboardInterrupt):
            revert(_page("me"), since=None, mind=mind, confirm=True)
    revert(_page("me"), since=None, mind=mind, confirm=True)
    states, ties, _ = expected(world, None, closure)
    assert {id: each.life.state.value for id, each in held(world, mind).items()} == states
    assert {(e.source, e.type, e.target) for e in links(world, mind)} == ties


def test_what_is_made_of_a_source_after_it_left_is_found_later(mind: Mind) -> None:
    """M7: a night that was at work meanwhile hides nothing; asked again, lineage goes on."""
    world = World()
    world.add("mem_page", "page")
    world.write(mind)
    check(world, None, mind)
    late = World()
    late.add("mem_late")
    changes: list[Change] = [
        Saved(late.memories["mem_late"]),
        Linked(Link(source="mem_late", type=DERIVED_FROM, target="mem_page")),
    ]
    mind.store.commit(Batch("me", changes, actor="night", at=mind.now()))
    done = revert(_page("me"), since=None, mind=mind, confirm=True)
    assert (done.memories, [each.id for each in done.derived]) == ((), ["mem_late"])


def test_a_change_of_someone_else_meanwhile_stops_it(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1: what it was thought out for no longer stands; nothing is written, asking again works."""
    world = woven()
    world.write(mind)
    planned = reverting._planned

    def meanwhile(*args: Any) -> Any:
        plan = planned(*args)
        change = Reweighed(memory="mem_made3", at=T0, used=1)
        mind.store.commit(Batch("me", [change], actor="someone", at=T0))
        return plan

    with monkeypatch.context() as patched:
        patched.setattr(reverting, "_planned", meanwhile)
        with pytest.raises(Refused, match="mem_made3") as caught:
            revert(_page("me"), since=None, mind=mind, confirm=True)
    assert caught.value.next_step
    assert held(world, mind)["mem_page0"].life.state is State.ACTIVE
    assert revert(_page("me"), since=None, mind=mind, confirm=True).done


def test_taking_back_can_be_taken_back(mind: Mind) -> None:
    """M7: under the name it returns, every state and every tie is as it was."""
    world = woven()
    world.write(mind)
    done = revert(_page("me"), since=None, mind=mind, confirm=True)
    assert done.maker.startswith("revert_")
    undo(done.maker, scope=Scope("me"), mind=mind)
    states = {id: each.life.state for id, each in held(world, mind).items()}
    assert states == {id: each.life.state for id, each in world.memories.items()}
    assert {(e.source, e.type, e.target) for e in links(world, mind)} == world.ties
