"""A moment in, a memory out: what becomes of it, and what is computed on the way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound
from saegim.memory.changes import Saved
from saegim.memory.memory import MAX_TAGS
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.recall.handle import handle_of
from saegim.store.commit import Batch
from saegim.store.rows import Where
from stand_ins import Toy, wait_until


def test_a_memory_is_born_with_its_coordinates(memory: Saegim, clock: FixedClock) -> None:
    """Seed A §6.2 and DESIGN 4b: importance, tier, expiry, tokens and times at birth."""
    kept = memory.remember("보리차를 마셨다", rating=5, sentiment=0.5).memory
    assert kept.worth.importance == pytest.approx(0.3 + 0.3 + 0.1)
    assert kept.life.expires_at == clock.now() + timedelta(days=90)
    assert kept.content.token_count
    assert kept.time.happened_at == kept.time.recorded_at == clock.now()
    assert memory.get(kept.id) == kept
    assert memory.remember("own", importance=0.9, token_count=3).memory.worth.importance == 0.9


def test_what_happened_long_ago_is_recorded_now(memory: Saegim, clock: FixedClock) -> None:
    """U20.1: event time and recorded time are separate, the origin's offset is kept."""
    kept = memory.remember("이사했다", happened_at="2016-03-01T10:00:00+09:00").memory
    assert kept.time.recorded_at == clock.now()
    assert kept.time.happened_at.isoformat() == "2016-03-01T10:00:00+09:00"
    assert memory.get(kept.id).time.happened_at.utcoffset() == timedelta(hours=9)


def test_moments_of_a_session_are_numbered_in_order(memory: Saegim) -> None:
    """Seed A: the sequence counts up inside a session, unless the caller counts."""
    room = memory.within(session="s")
    numbers = [room.remember(f"turn {n}").memory.time.sequence for n in range(3)]
    assert numbers == [1, 2, 3]
    assert room.remember("mine", sequence=10).memory.time.sequence == 10
    assert room.remember("next").memory.time.sequence == 11
    assert memory.remember("outside").memory.time.sequence is None
    assert [each.text for each in memory.by_session("s")][-2:] == ["mine", "next"]


def test_turns_that_come_at_once_have_numbers_of_their_own(memory: Saegim) -> None:
    """U2.1: several writers in one session never take the same number."""
    room = memory.within(session="s")

    def speak(name: int) -> list[int | None]:
        return [room.remember(f"{name} says {n}").memory.time.sequence for n in range(10)]

    with ThreadPoolExecutor(4) as threads:
        told = [number for numbers in threads.map(speak, range(4)) for number in numbers]
    assert sorted(told, key=lambda each: each or 0) == list(range(1, 41))
    assert [each.time.sequence for each in memory.by_session("s")] == list(range(1, 41))


def test_the_same_words_are_one_memory_and_it_is_said(memory: Saegim) -> None:
    """U5.2 and U1.3: an identical text is reinforced; the answer leads to the original."""
    first = memory.remember("Blue Kettle")
    again = memory.remember(" blue  kettle ")
    assert (first.status, again.status) == ("stored", "duplicate")
    assert again.duplicate_of == again.id == first.id
    assert again.memory.text == "Blue Kettle"
    assert memory.get(first.id).worth.repeat == 1.0
    later = memory.remember("Blue Kettle", happened_at="2020-01-01")
    assert later.status == "stored"


@pytest.mark.parametrize("wait", [True, False])
def test_two_secrets_are_not_one_memory(memory: Saegim, wait: bool) -> None:
    """What differs lies under the masks: nobody is told that the second is known already."""
    first, second, again = (
        memory.remember(f"엄마 전화번호는 010-{number}", wait=wait)
        for number in ("1234-5678", "9999-5678", "9999-5678")
    )
    assert first.memory.text == second.memory.text == again.memory.text
    assert [each.status for each in (first, second, again)] == ["stored"] * 3


def test_a_key_is_carried_out_once(memory: Saegim) -> None:
    """R-25: a retry with the same key leads to the first outcome, whatever it carries."""
    first = memory.remember("tea", key="k1")
    again = memory.remember("something else", key="k1")
    assert (again.status, again.id, again.memory.text) == ("repeated", first.id, "tea")
    assert memory.within(user="you").remember("mine", key="k1").status == "stored"
    assert memory.recent().total == 1


@pytest.mark.parametrize("key", ["", "  ", "\x00", "\ud800", 5, {}, "k" * 501])
def test_a_key_is_a_short_text(memory: Saegim, key: Any) -> None:
    """Bad input: the error names the key, and nothing is written."""
    with pytest.raises(BadInput, match="key"):
        memory.remember("tea", key=key)
    assert memory.maintenance.verify()[0] == 0


def test_what_a_remote_embedder_has_not_seen_is_pending(tmp_path: Path) -> None:
    """U1.2 and U10.1: a memory is durable and findable before a remote embedder is asked."""
    toy = Toy(local=False)
    toy.fails = lambda _: True
    clock = FixedClock()
    with Saegim.open(tmp_path / "m.db", clock=clock, embedder=toy) as memory:
        kept = memory.remember("blue kettle")
        assert kept.indexed == "pending"
        assert [each.id for each in memory.search("kettle")] == [kept.id]
        assert memory.update(kept.id, "red kettle").indexed == "pending"
    clock.forward(days=1)
    with Saegim.open(tmp_path / "m.db", clock=clock, embedder=Toy()) as memory:
        assert memory.remember("local").indexed == "ready"
        wait_until(lambda: memory.status()["index"]["ready"] == 3)


# -- relations ------------------------------------------------------------------------------------


def _tied_to(memory: Saegim, id: str) -> set[str]:
    links = memory.mind.store.links.of(memory.scope, [id], ["related"])
    return {each.target for each in links if each.source == id}


def test_what_a_memory_belongs_with_is_said_when_it_is_kept(memory: Saegim) -> None:
    """Seed C `memory_save`: relations given by id or handle are ties of the same transaction."""
    tea, cup = memory.remember("blue tea"), memory.remember("a cup")
    number = memory.mind.store.memories.rows_of(Where(scope=memory.scope), [cup.id])[cup.id]
    before = memory.maintenance.verify()[0]
    kept = memory.remember("the table", related=[tea.id, handle_of(number, cup.id), tea.id])
    assert _tied_to(memory, kept.id) == {tea.id, cup.id}
    assert memory.maintenance.verify()[0] == before + 3
    assert {each.key for each in memory.related(tea.id)} >= {kept.id}
    assert _tied_to(memory, memory.remember("alone").id) == set()


def test_an_unknown_relation_is_named_and_nothing_is_kept(memory: Saegim) -> None:
    """Seed C: a wrong id is told; no half of the wish is carried out."""
    tea = memory.remember("blue tea")
    gone = memory.remember("gone")
    memory.forgetting.erase(gone.id, confirm=True, by="me")
    mine = memory.within(user="you").remember("mine")
    before = memory.maintenance.verify()
    for wrong in ("mem_none", "mzzz", gone.id, mine.id):
        with pytest.raises(NotFound, match=wrong):
            memory.remember("the table", related=[tea.id, wrong])
    assert memory.maintenance.verify() == before
    assert memory.remember("the table", related=[tea.id]).status == "stored"


@pytest.mark.parametrize(
    "related", ["mem_1", 5, {"a": 1}, ["not an id!"], [5], [None], [f"mem_{n}" for n in range(65)]]
)
def test_relations_are_a_short_list_of_ids(memory: Saegim, related: Any) -> None:
    """Bad input: the reason is given and nothing is kept."""
    with pytest.raises(BadInput, match=r"related|not a memory id"):
        memory.remember("the table", related=related)
    assert memory.recent().total == 0
    assert memory.remember("the table", related=[]).status == "stored"


def test_a_relation_of_what_is_known_already_goes_to_the_memory_that_is_here(
    memory: Saegim,
) -> None:
    """Seed C and U5.2: the same words again are one memory, and it gains the tie."""
    tea = memory.remember("blue tea")
    table = memory.remember("the table")
    again = memory.remember("The  table", related=[tea.id])
    assert (again.status, again.id) == ("duplicate", table.id)
    assert _tied_to(memory, table.id) == {tea.id}
    assert memory.remember("the table", related=[table.id]).status == "duplicate"
    assert _tied_to(memory, table.id) == {tea.id}, "nothing is tied to itself"
    assert len(memory.mind.store.links.all(memory.scope)) == 1


def test_a_relation_leads_to_what_holds_now(memory: Saegim) -> None:
    """DESIGN 4b: an id that was corrected stands for its new version here too."""
    old = memory.remember("the meeting is at four")
    new = memory.update(old.id, "the meeting is at five")
    kept = memory.remember("the red room", related=[old.id, new.id])
    assert _tied_to(memory, kept.id) == {new.id}


def test_a_retry_that_names_what_is_gone_since_leads_to_the_first_outcome(memory: Saegim) -> None:
    """R-25: the same key again does nothing, whatever became of the relation."""
    tea = memory.remember("blue tea")
    first = memory.remember("the table", related=[tea.id], key="k1")
    memory.forgetting.erase(tea.id, confirm=True, by="me")
    again = memory.remember("the table", related=[tea.id], key="k1")
    assert (again.status, again.id) == ("repeated", first.id)
    with pytest.raises(NotFound, match=tea.id):
        memory.remember("the table", related=[tea.id], key="k2")


def test_no_id_is_taken_for_a_secret(memory: Saegim) -> None:
    """M8: an id whose digits look like a number of somebody's is still that id."""
    id = "010-1234-5678"
    moment = moment_of(memory.scope, "blue tea", {})
    made = placed(moment, memory.mind).evolve(id=id)
    at = memory.mind.now()
    memory.mind.store.commit(Batch(memory.scope.user, [Saved(made)], actor="test", at=at))
    kept = memory.remember("the table", related=[id])
    assert (_tied_to(memory, kept.id), kept.masked) == ({id}, 0)
    assert memory.remember(f"call {id}").masked == 1


def test_words_that_come_again_with_new_tags_get_them(memory: Saegim) -> None:
    """A duplicate is filed under its new tags too, and the answer says which those were."""
    text = "보리차는 아침에 끓인다"
    first = memory.remember(text, tags=["tea"])
    assert first.added_tags == ()
    again = memory.remember(text, tags=["tea", "morning", "부엌"])
    assert (again.status, again.id, again.added_tags) == (
        "duplicate",
        first.id,
        ("morning", "부엌"),
    )
    assert again.memory.content.tags == ("tea", "morning", "부엌")
    assert memory.remember(text, tags=["부엌"]).added_tags == ()
    for found in (memory.search(tags=["morning"]), memory.search("부엌"), memory.search("morning")):
        assert [each.id for each in found] == [first.id]
    assert [hit.memory.id for hit in memory.recall("아침 부엌").hits] == [first.id]
    assert [each.change for each in memory.history(first.id).entries].count("Tagged") == 1
    assert memory.mind.store.check() == []
    memory.maintenance.verify()
    memory.forgetting.erase(first.id, confirm=True)
    assert memory.search(tags=["morning"]) == []


def test_a_known_memory_gets_no_more_tags_than_any_may_have(memory: Saegim) -> None:
    """What would be one tag too many is refused, with nothing changed; what is immutable stays."""
    text = "the desk is oak"
    kept = memory.remember(text, tags=[f"tag{number}" for number in range(MAX_TAGS)])
    before = memory.maintenance.verify()
    with pytest.raises(BadInput, match="tags"):
        memory.remember(text, tags=["one more"])
    assert memory.maintenance.verify() == before
    assert len(memory.get(kept.id).content.tags) == MAX_TAGS
    fixed = memory.remember("the door is blue", immutable=True, tags=["door"])
    assert memory.remember("the door is blue", tags=["colour"]).added_tags == ()
    assert memory.get(fixed.id).content.tags == ("door",)
