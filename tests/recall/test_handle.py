"""Handles: short, unique, and no slip of the pen leads to another memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim import Saegim
from saegim.errors import BadInput, NotFound
from saegim.memory.changes import Erased, Saved
from saegim.recall.handle import handle_of, number_of, resolved
from saegim.store.commit import Batch
from saegim.store.rows import ALL_STATES, Where
from stand_ins import rounds

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
# What Crockford's alphabet reads as the same digit.
SAME = {"o": "0", "i": "1", "l": "1"}
NUMBERS = st.integers(1, 2**59)
IDS = st.from_regex(r"mem_[0-9]{8}_[0-9]{6}_[0-9a-f]{16}", fullmatch=True)


def handle(memory: Saegim, id: str) -> str:
    """Return the handle of a memory in a store."""
    where = Where(scope=memory.scope, states=ALL_STATES)
    rows = memory.mind.store.memories.walk(where)
    return handle_of(next(number for number, each in rows if each.id == id), id)


def named(memory: Saegim, text: str) -> str:
    """Resolve a handle or an id in a store."""
    return resolved(text, scope=memory.scope, store=memory.mind.store)


def test_a_million_memories_have_a_million_handles() -> None:
    """U32.3: no two of a million rows share a handle, even if their ids had the same letters.

    By day every tenth is looked at, so that the highest numbers are among them.
    """
    numbers = range(1, 1_000_001, 1_000_000 // rounds(1_000_000))
    handles = {handle_of(number, "mem_one") for number in numbers}
    assert len(handles) == len(numbers) == rounds(1_000_000)
    assert max(map(len, handles)) <= 8


@given(NUMBERS, IDS)
def test_a_handle_leads_back_to_its_row(number: int, id: str) -> None:
    """U32.3: handle and number name each other, in capitals, with spaces, with O for zero."""
    made = handle_of(number, id)
    assert number_of(made) == number
    assert number_of(f" {made.upper()}\n") == number
    assert number_of("m" + made[1:].replace("0", "O").replace("1", "l")) == number
    assert number_of("m" + made[1:].replace("1", "I")) == number
    assert number_of("m0" + made[1:]) is None


@given(NUMBERS, IDS, st.data())
def test_every_slip_in_the_number_is_seen(number: int, id: str, data: st.DataObject) -> None:
    """U32.3: one wrong character, or two that changed places, is no handle any more."""
    made = handle_of(number, id)
    last = len(made) - 3
    at = data.draw(st.integers(1, last))
    other = data.draw(
        st.sampled_from([each for each in ALPHABET if SAME.get(each, each) != made[at]])
    )
    assert number_of(made[:at] + other + made[at + 1 :]) is None
    if at < last and made[at] != made[at + 1]:
        assert number_of(made[:at] + made[at + 1] + made[at] + made[at + 2 :]) is None


@pytest.mark.parametrize("text", ["", "m", "m1", "m12g", "x12gz", "m12guz", "mem_2025", "m1-2gz"])
def test_what_is_no_handle_names_no_row(text: str) -> None:
    """An id, a word or half a handle is not read as a number."""
    assert number_of(text) is None


def test_any_single_typo_finds_nothing(memory: Saegim) -> None:
    """U32.3: in a store full of neighbours, no handle with one wrong character finds a memory."""
    ids = [memory.remember(f"kettle number {n}").id for n in range(40)]
    made = handle(memory, ids[20])
    assert named(memory, made) == ids[20]
    for at in range(len(made)):
        for other in ALPHABET:
            if SAME.get(other, other) != made[at]:
                with pytest.raises(NotFound, match="There is no memory"):
                    named(memory, made[:at] + other + made[at + 1 :])


def test_a_handle_or_an_id_names_a_memory_in_any_state(memory: Saegim) -> None:
    """U32.3: what is leaving can be named to be called back; its handle stays the same."""
    id = memory.remember("찻잔은 찬장 둘째 칸에 있다").id
    made = handle(memory, id)
    assert named(memory, made.upper()) == named(memory, id) == id
    memory.forget(id)
    assert named(memory, made) == id
    memory.restore(named(memory, made))
    assert memory.get(id).id == id
    mind = memory.mind
    mind.store.commit(Batch(memory.scope.user, [Erased(id)], actor="test", at=mind.now()))
    assert named(memory, made) == id
    with pytest.raises(NotFound):
        memory.get(named(memory, made))


def test_nobody_reaches_the_memory_of_another_user(memory: Saegim) -> None:
    """U21.1: a handle of one user names nothing for another, and says so."""
    id = memory.remember("the spare key is under the pot").id
    made = handle(memory, id)
    stranger = memory.within(user="stranger")
    for text in (made, id):
        with pytest.raises(NotFound, match=text):
            named(stranger, text)


def test_a_handle_of_another_store_is_refused(memory: Saegim) -> None:
    """The letters of the id find a handle that belongs to a row of another store."""
    ours = handle(memory, memory.remember("first of this store").id)
    strangers = [handle_of(1, f"mem_20200101_000000_{n:016x}") for n in range(200)]
    others = [each for each in strangers if each != ours]
    assert len(others) > 190, "one in a thousand has the same letters by chance"
    for each in others:
        with pytest.raises(NotFound):
            named(memory, each)


def test_an_imported_id_cannot_stand_in_for_a_handle(memory: Saegim) -> None:
    """A memory whose id was chosen to look like another's handle does not take its place."""
    id = memory.remember("the true one").id
    made = handle(memory, id)
    mind = memory.mind
    planted = memory.get(id).evolve(id=made, text="the planted one")
    mind.store.commit(Batch(memory.scope.user, [Saved(planted)], actor="test", at=mind.now()))
    assert named(memory, made) == id


@pytest.mark.parametrize("text", ["", "a b", "' OR 1=1", None, 7])
def test_what_cannot_be_an_id_is_refused_as_such(memory: Saegim, text: object) -> None:
    """Nothing but a handle or an id is asked of the store."""
    with pytest.raises(BadInput, match="not a memory id"):
        named(memory, text)  # type: ignore[arg-type]
