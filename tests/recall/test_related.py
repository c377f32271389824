"""What a memory is tied to, how far away, and along which ties."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound
from saegim.memory.changes import (
    Change,
    Dozed,
    Leaving,
    Linked,
    Met,
    Quarantined,
    Superseded,
    Unlinked,
)
from saegim.memory.entities import (
    CONTRADICTS,
    DERIVED_FROM,
    HAS_FEEDBACK,
    REFERS_TO,
    RELATED,
    SIMILAR_TO,
    Entity,
    Link,
)
from saegim.memory.memory import Reason, Scope
from saegim.recall import related as relating
from saegim.recall.related import Relation, carried, connected, neighbours, related
from saegim.store.commit import Batch
from saegim.store.rows import Where
from stand_ins import shelve

CHEOLSU = Entity(name="김철수")


def commit(memory: Saegim, *changes: Change) -> None:
    """Make Changes true for the user of this memory."""
    mind = memory.mind
    mind.store.commit(Batch(memory.scope.user, changes, actor="test", at=mind.now()))


def tied(
    source: str, type: str, target: str, weight: float = 1.0, negative: bool = False
) -> Linked:
    """Return the making of a tie."""
    return Linked(Link(source=source, type=type, target=target, weight=weight, negative=negative))


def around(memory: Saegim, id: str, depth: int = 1, limit: int = 50) -> list[Relation]:
    """Return what is related to a memory."""
    return related(id, scope=memory.scope, mind=memory.mind, depth=depth, limit=limit)


def reach(found: Iterable[Relation]) -> dict[str, int]:
    """Return each key with its distance."""
    return {each.key: each.hops for each in found}


@pytest.fixture
def chain(memory: Saegim) -> list[str]:
    """Five memories, each tied to the next."""
    ids = shelve(memory, [f"link {n} of a chain" for n in range(5)])
    commit(memory, *(tied(a, RELATED, b) for a, b in pairwise(ids)))
    return ids


def test_the_walk_is_breadth_first_with_the_way_it_took(memory: Saegim, chain: list[str]) -> None:
    """Seed C `memory_get_related`: depth 1 to 3, both ways along a tie, each with its path."""
    assert reach(around(memory, chain[0], 1)) == {chain[1]: 1}
    found = around(memory, chain[1], 3)
    assert reach(found) == {chain[0]: 1, chain[2]: 1, chain[3]: 2, chain[4]: 3}
    ways = {each.key: each.path for each in found}
    last = found[-1]
    assert last.path == tuple((chain[n], RELATED, chain[n + 1]) for n in (1, 2, 3))
    assert ways[chain[0]] == ((chain[0], RELATED, chain[1]),)
    assert last.memory is not None
    assert last.memory.text == "link 4 of a chain"


def test_the_shortest_way_counts_and_of_those_the_strongest(memory: Saegim) -> None:
    """A far but strong way never takes the place of a near one; equals are told by weight."""
    a, b, c, d = shelve(memory, ["a", "b", "c", "d"])
    commit(memory, tied(a, RELATED, b, 2.0), tied(b, RELATED, d, 0.01), tied(a, RELATED, c))
    commit(memory, tied(c, RELATED, d, 3.0))
    far = next(each for each in around(memory, a, 2) if each.key == d)
    assert far.path == ((a, RELATED, c), (c, RELATED, d))
    commit(memory, tied(a, SIMILAR_TO, d, 0.01))
    near = next(each for each in around(memory, a, 2) if each.key == d)
    assert (near.hops, near.path) == (1, ((a, SIMILAR_TO, d),))


def test_someone_both_speak_of_is_on_the_way(memory: Saegim) -> None:
    """DESIGN §3: memory, entity, memory are two ties; the entity is a relation of its own."""
    a, b = shelve(memory, ["철수와 점심", "철수의 전화번호"])
    commit(memory, Met(CHEOLSU), tied(a, REFERS_TO, CHEOLSU.key), tied(b, REFERS_TO, CHEOLSU.key))
    met, other = around(memory, a, 2)
    assert (met.key, met.hops, met.memory) == (CHEOLSU.key, 1, None)
    assert met.entity is not None
    assert met.entity.name == "김철수"
    assert (other.key, other.hops) == (b, 2)
    assert other.path == ((a, REFERS_TO, CHEOLSU.key), (b, REFERS_TO, CHEOLSU.key))
    back = related(CHEOLSU.key, scope=memory.scope, mind=memory.mind)
    assert reach(back) == {a: 1, b: 1}


def test_a_negative_tie_marks_everything_behind_it(memory: Saegim) -> None:
    """DESIGN §3: 싫어함 on the way is said of whatever lies beyond it, and of nothing else."""
    a, b = shelve(memory, ["커피", "홍차"])
    coffee, me, tea = (Entity(name=name) for name in ("커피", "me", "홍차"))
    commit(memory, *map(Met, (coffee, me, tea)))
    commit(memory, tied(a, REFERS_TO, coffee.key), tied(b, REFERS_TO, tea.key))
    commit(memory, tied(me.key, "싫어함", coffee.key, negative=True))
    commit(memory, tied(me.key, "좋아함", tea.key))
    found = {each.key: each.negative for each in around(memory, a, 3)}
    assert found == {coffee.key: False, me.key: True, tea.key: True}
    assert not any(each.negative for each in around(memory, b, 2))


def test_what_may_not_be_shown_is_neither_shown_nor_walked_through(
    memory: Saegim, clock: FixedClock
) -> None:
    """U19.1, U23.1: superseded, quarantined and leaving memories are no relations and no way."""
    now = clock.now()
    hide: list[Callable[[str], Change]] = [
        lambda id: Superseded(id, by="mem_newer", at=now),
        Quarantined,
        lambda id: Leaving(id, Reason.MANUAL, now, now),
    ]
    for hidden in hide:
        a, b, c = shelve(memory, ["near", "hidden", "behind it"])
        commit(memory, tied(a, RELATED, b), tied(b, RELATED, c))
        assert reach(around(memory, a, 2)) == {b: 1, c: 2}
        commit(memory, hidden(b))
        assert around(memory, a, 3) == []
    a, b = shelve(memory, ["awake", "asleep"])
    commit(memory, tied(a, RELATED, b), Dozed(b))
    assert reach(around(memory, a)) == {b: 1}


def test_ties_of_another_user_never_appear(memory: Saegim, chain: list[str]) -> None:
    """U13.1: not their memories, not their entities, not even through the same key."""
    other = memory.within(user="jimin")
    theirs = shelve(other, ["their secret", "another of theirs"])
    commit(other, Met(CHEOLSU), *(tied(id, REFERS_TO, CHEOLSU.key) for id in theirs))
    commit(other, tied(chain[0], RELATED, theirs[0]), tied(theirs[0], RELATED, chain[4]))
    commit(memory, tied(chain[0], RELATED, theirs[0]), tied(chain[0], REFERS_TO, CHEOLSU.key))
    assert set(reach(around(memory, chain[0], 3))) == set(chain[1:4])
    with pytest.raises(NotFound):
        around(memory, theirs[0])
    with pytest.raises(NotFound):
        related(CHEOLSU.key, scope=memory.scope, mind=memory.mind)
    assert set(reach(around(other, theirs[0], 2))) == {CHEOLSU.key, theirs[1]}


def test_another_project_is_another_room(memory: Saegim) -> None:
    """U13.1: asked inside a project, relations stay in it, as recall does."""
    alpha = memory.within(project="alpha")
    (here,) = shelve(alpha, ["alpha note"])
    (there,) = shelve(memory.within(project="beta"), ["beta note"])
    (nowhere,) = shelve(memory, ["note of no project"])
    (behind,) = shelve(alpha, ["alpha note behind a beta note"])
    commit(memory, tied(here, RELATED, there), tied(here, RELATED, nowhere))
    commit(memory, tied(there, RELATED, behind))
    assert reach(around(alpha, here, 2)) == {nowhere: 1}
    assert reach(around(memory, here, 2)) == {there: 1, nowhere: 1, behind: 2}


def test_weight_fades_with_each_tie_and_with_how_many_share(memory: Saegim) -> None:
    """The product of what the ties carry; a rare common friend says more than a city."""
    a, b, c = shelve(memory, ["a", "b", "c"])
    crowd = shelve(memory, [f"someone {n}" for n in range(30)])
    rare, city = Entity(name="rare"), Entity(name="city")
    commit(memory, Met(rare), Met(city), *(tied(id, REFERS_TO, city.key) for id in crowd))
    commit(memory, tied(a, REFERS_TO, rare.key), tied(b, REFERS_TO, rare.key))
    commit(memory, tied(a, REFERS_TO, city.key), tied(c, REFERS_TO, city.key))
    commit(memory, tied(a, RELATED, crowd[0]))
    found = {each.key: each.weight for each in around(memory, a, 2)}
    assert found[rare.key] == pytest.approx(carried(1.0))
    assert found[b] == pytest.approx(carried(1.0) ** 2)
    assert found[c] == pytest.approx(carried(1.0) ** 2 / 31**0.5)
    assert 0 == carried(-1.0) == carried(0.0) < carried(0.5) < carried(1.0) < carried(9.0) < 1


def test_what_was_judged_alike_is_no_kin(memory: Saegim) -> None:
    """Two memories that were both praised are not related by that; a contradiction is a tie."""
    a, b, c, note = shelve(memory, ["a", "b", "c", "what was said about a"])
    commit(
        memory, *(tied(id, HAS_FEEDBACK, f"feedback:{how}") for id in (a, b, note) for how in "xyz")
    )
    assert around(memory, a, 3) == []
    commit(memory, tied(a, HAS_FEEDBACK, note), tied(note, RELATED, b))
    said, behind = around(memory, a, 2)
    assert (said.key, behind.key) == (note, b)
    assert behind.weight == pytest.approx(said.weight * carried(1.0))
    commit(memory, Unlinked(Link(source=a, type=HAS_FEEDBACK, target=note)))
    commit(memory, tied(a, CONTRADICTS, c), tied(a, DERIVED_FROM, "session:none"))
    assert reach(around(memory, a, 3)) == {c: 1}


def test_a_hub_leads_to_its_newest_only(memory: Saegim, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entity in 5,000 memories: what is read is bounded by the walk, not by the store."""
    hub = Entity(name="everyone knows it")
    ids = shelve(memory.within(user="crowd"), [f"n{n}" for n in range(200)])
    crowd = memory.within(user="crowd")
    many = [f"mem_old_{n:05}" for n in range(4800)]
    commit(crowd, Met(hub), *(tied(id, REFERS_TO, hub.key) for id in [*many, *ids]))
    (start,) = shelve(crowd, ["start"])
    commit(crowd, tied(start, REFERS_TO, hub.key))
    store, read = crowd.mind.store, {"ties": 0, "rows": 0}
    touching, rows_of = store.links.touching, store.memories.rows_of

    def counted_ties(*given: object, **more: object) -> list[Link]:
        found = touching(*given, **more)  # type: ignore[arg-type]
        read["ties"] += len(found)
        return found

    def counted_rows(where: Where, wanted: Iterable[str]) -> dict[str, int]:
        asked = list(wanted)
        read["rows"] += len(asked)
        return rows_of(where, asked)

    monkeypatch.setattr(store.links, "touching", counted_ties)
    monkeypatch.setattr(store.memories, "rows_of", counted_rows)
    found = around(crowd, start, 2, limit=1000)
    assert {each.key for each in found} == {hub.key, *ids[-63:]}
    assert read["ties"] <= 2 * relating.MOST_TIES + 1
    assert read["rows"] <= 4 * relating.MOST_TIES


def test_a_wide_walk_goes_on_from_the_weightiest(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of keys a walk stands on is bounded; what it stands on is not left to chance."""
    monkeypatch.setattr(relating, "MOST_KEYS", 2)
    start, *near = shelve(memory, [f"near {n}" for n in range(6)])
    far = shelve(memory, [f"far {n}" for n in range(5)])
    commit(memory, *(tied(start, RELATED, id, n + 1.0) for n, id in enumerate(near)))
    commit(memory, *(tied(a, RELATED, b) for a, b in zip(near, far, strict=True)))
    found = around(memory, start, 2)
    assert {each.key for each in found if each.hops == 2} == set(far[-2:])


def test_the_order_does_not_depend_on_chance(memory: Saegim) -> None:
    """Nearest first, then the weightiest, then by key; the limit cuts the same list."""
    start, *ids = shelve(memory, [f"n{n}" for n in range(9)])
    weak = shelve(memory, ["hardly tied at all"])
    commit(memory, *(tied(start, RELATED, id) for id in reversed(ids[:6])))
    commit(memory, tied(start, RELATED, ids[6], 5.0), tied(ids[6], RELATED, ids[7], 9.0))
    commit(memory, *(tied(start, RELATED, each, 0.01) for each in weak))
    found = [each.key for each in around(memory, start, 2)]
    assert found == [ids[6], *sorted(ids[:6]), *weak, ids[7]]
    assert [each.key for each in around(memory, start, 2, limit=3)] == found[:3]
    commit(memory, Unlinked(Link(source=start, type=RELATED, target=ids[6])))
    commit(memory, tied(start, RELATED, ids[6], 5.0))
    assert [each.key for each in around(memory, start, 2)] == found


def test_neighbours_and_what_is_connected(memory: Saegim, chain: list[str]) -> None:
    """Seed E `get_neighbors` and `get_connected_nodes`: direct ties, and reach from several."""
    mind, scope = memory.mind, memory.scope
    assert reach(neighbours(chain[2], scope=scope, mind=mind)) == {chain[1]: 1, chain[3]: 1}
    both = connected([chain[0], chain[4]], scope=scope, mind=mind, hops=1)
    assert reach(both) == {chain[1]: 1, chain[3]: 1}
    all_of_it = connected([chain[0], chain[4]], scope=scope, mind=mind)
    assert reach(all_of_it) == {chain[1]: 1, chain[3]: 1, chain[2]: 2}


def test_a_corrected_id_leads_to_what_holds_now(memory: Saegim) -> None:
    """U19.1: asked by the id of an old version, the relations of the new one are shown."""
    old = memory.remember("the meeting is at four")
    new = memory.update(old.id, "the meeting is at five")
    (note,) = shelve(memory, ["about the meeting"])
    commit(memory, tied(note, RELATED, new.id))
    assert note in reach(around(memory, old.id))
    assert old.id not in reach(around(memory, new.id, 3))


@pytest.mark.parametrize(
    ("depth", "limit"), [(0, 10), (4, 10), (True, 10), (1, 0), (1, 10**6), ("2", 10)]
)
def test_a_depth_or_limit_that_is_none_is_refused(
    memory: Saegim, chain: list[str], depth: int, limit: int
) -> None:
    """U30.1: depth is 1 to 3, and the limit is a number."""
    with pytest.raises(BadInput):
        around(memory, chain[0], depth, limit)


@pytest.mark.parametrize("id", ["mem_of_nobody", "entity:nobody"])
def test_what_is_not_there_has_no_relations(memory: Saegim, id: str) -> None:
    """U1.3: an unknown id is named, not answered with an empty list."""
    with pytest.raises(NotFound, match=id):
        around(memory, id)
    with pytest.raises(BadInput):
        around(memory, "no id at all!")
    with pytest.raises(BadInput):
        connected([], scope=Scope("me"), mind=memory.mind)
