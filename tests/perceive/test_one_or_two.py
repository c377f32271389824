"""Two names that are one person, and one name that is two: told so, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim import Saegim
from saegim.errors import BadInput, NotFound
from saegim.memory.entities import REFERS_TO


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Saegim]:
    """A memory that met a few people."""
    with Saegim.open(tmp_path / "memory.db", embedder="hashed", background=False) as opened:
        opened.remember("My sister Hana lives in Berlin.")
        opened.remember("Hana made me very happy today!")
        opened.remember("Haneul works as a nurse. I was sad to hear that Haneul is ill.")
        opened.remember("Haneul likes green tea.")
        opened.remember("Minsu plays the cello.")
        yield opened


def _key(memory: Saegim, name: str) -> str:
    return memory.entities.key_of(name)


def _told(memory: Saegim, name: str) -> set[str]:
    return {each.text for each in memory.entities.about(name).traits}


def test_two_are_one_under_one_name_and_two_again(memory: Saegim) -> None:
    """Counts, names, feeling, portrait and what comes later; nothing of either is changed by it."""
    people = memory.entities
    before = {each.name: each for each in people.all()}
    told = {name: _told(memory, name) for name in ("Hana", "Haneul")}
    assert told["Haneul"]
    felt = {name: len(people.trajectory(name)) for name in ("Hana", "Haneul")}
    maker = people.merge(_key(memory, "Haneul"), _key(memory, "Hana"))
    (found,) = people.named("Haneul")
    assert found.name == "Hana"
    assert found.interactions == before["Hana"].interactions + before["Haneul"].interactions
    assert "Haneul" in found.aliases
    assert [each.name for each in people.all()].count("Hana") == 1
    assert "Haneul" not in {each.name for each in people.all()}
    assert len(people.trajectory("Hana")) == sum(felt.values())
    assert _told(memory, "Hana") >= told["Hana"] | told["Haneul"]
    kept = memory.remember("Haneul lives in Suwon.")
    ties = memory.mind.store.links.of(memory.scope, [kept.id], (REFERS_TO,))
    assert _key(memory, "Hana") in {each.target for each in ties}
    memory.nights.undo(maker)
    assert {"Hana", "Haneul"} <= {each.name for each in people.all()}
    assert len(people.trajectory("Haneul")) == felt["Haneul"] > 0


def test_who_was_made_one_may_be_parted_and_chains_have_one_head(memory: Saegim) -> None:
    """A of B, and B of C: all are C; one of them may leave again. Control: others stay."""
    people = memory.entities
    one, two, three = (_key(memory, name) for name in ("Haneul", "Hana", "Minsu"))
    people.merge(one, two)
    people.merge(two, three)
    assert {each.key for each in people.known_as(three)} == {one, two}
    assert [each.name for each in people.named("Haneul")] == ["Minsu"]
    people.unmerge(one)
    assert {each.key for each in people.known_as(three)} == {two}
    assert [each.name for each in people.named("Haneul")] == ["Haneul"]
    with pytest.raises(BadInput):
        people.unmerge(one)
    with pytest.raises(BadInput):
        people.merge(three, two)
    with pytest.raises(NotFound):
        people.merge("entity:nobody", two)


def test_one_name_is_two_people(memory: Saegim) -> None:
    """What is given to the other leaves the first: ties, counts, feeling, what is known."""
    people = memory.entities
    at_work = memory.remember("Minsu lives in Busan and I was furious at Minsu.")
    key, before = _key(memory, "Minsu"), people.named("Minsu")[0].interactions
    made = people.split(key, [at_work.id], "Minsu from work")
    assert (made.interactions, people.named("Minsu")[0].interactions) == (1, before - 1)
    assert [each.memory for each in people.trajectory("Minsu from work")] == [at_work.id]
    assert at_work.id not in {each.memory for each in people.trajectory("Minsu")}
    homes = {
        name: [each.value for each in people.about(name).traits if each.slot == "home"]
        for name in ("Minsu", "Minsu from work")
    }
    assert homes["Minsu"] == []
    assert homes["Minsu from work"] != []
    with pytest.raises(BadInput):
        people.split(key, [at_work.id], "somebody new")
    with pytest.raises(BadInput):
        people.split(key, [memory.search("cello")[0].id], "Hana")
    people.merge(made.key, key)
    assert people.named("Minsu")[0].interactions == before
    assert at_work.id in {each.memory for each in people.trajectory("Minsu")}
    memory.maintenance.verify()
