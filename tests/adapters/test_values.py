"""JSON values by namespace and key: exact, found, with a time to live."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saegim import FixedClock, Saegim
from saegim.adapters.values import Values, is_like, matches, tag_of
from saegim.errors import BadInput

NAMESPACES = st.lists(st.text(min_size=1), min_size=1, max_size=4)


@pytest.fixture
def values(memory: Saegim) -> Values:
    """The values of a memory."""
    return Values(memory)


def keys(values: Values, *prefix: str) -> list[str]:
    """Return the keys within a namespace."""
    return [each.key for each in values.within(prefix)]


def held(values: Values, *names: str) -> dict[str, Any]:
    """Return a value that must be there."""
    *namespace, key = names
    found = values.get(tuple(namespace), key)
    assert found is not None
    return found.value


def test_a_value_comes_back_equal_and_is_recalled(values: Values, memory: Saegim) -> None:
    """U1.1: numbers, nothing, Korean and nested parts are what they were; recall finds them."""
    value = {"a": 1, "b": 1.0, "c": None, "d": [True, {"말": "까치가 운다"}], "e": 2**70, "": ""}
    values.put(("users", "a b"), "k/1", value)
    assert held(values, "users", "a b", "k/1") == value
    assert isinstance(held(values, "users", "a b", "k/1")["b"], float)
    assert memory.recall("까치").hits[0].memory.space.domain == 'langgraph:["users", "a b", "k/1"]'


def test_names_are_told_apart_exactly(values: Values) -> None:
    """Names that look alike, run together or hold odd letters are different names."""
    labels = ["a/b", "A", "a%2Fb", " a ", "가", unicodedata.normalize("NFD", "가")]
    names = [("a", "b"), ("a", "b", "c"), *((each,) for each in labels)]
    for at, namespace in enumerate(names):
        values.put(namespace, "k", {"at": at})
    assert [held(values, *namespace, "k")["at"] for namespace in names] == list(range(len(names)))
    assert [each.namespace for each in values.within()] == names
    assert [each.namespace for each in values.within(("a",))] == [("a", "b"), ("a", "b", "c")]


@given(NAMESPACES, NAMESPACES)
@example(["a/b"], ["a", "b"])
@example(["a%2Fb"], ["a/b"])
@example([" a"], ["a"])
def test_two_namespaces_have_two_tags(one: list[str], other: list[str]) -> None:
    """The tag of a namespace belongs to it alone and can be one."""
    assert (tag_of(tuple(one)) == tag_of(tuple(other))) is (one == other)
    assert len(tag_of((*one, "x" * 300))) <= 200


def test_a_deep_namespace_is_found_by_every_prefix(values: Values) -> None:
    """More levels than a memory has tags are still told apart."""
    deep = tuple(f"n{at}" for at in range(80))
    values.put(deep, "k", {"v": 1})
    values.put((*deep[:79], "other"), "k2", {"v": 2})
    assert keys(values, *deep) == ["k"]
    assert keys(values, *deep[:70]) == ["k", "k2"]


def test_a_value_is_overwritten_and_deleted(values: Values, clock: FixedClock) -> None:
    """The first time stays, the last time moves; a deleted value is gone and can be put again."""
    values.put(("n",), "k", {"v": 1})
    clock.forward(minutes=1)
    values.put(("n",), "k", {"v": 2})
    found = values.get(("n",), "k")
    assert found is not None
    assert found.value == {"v": 2}
    assert (found.updated_at - found.created_at).total_seconds() == 60
    assert values.delete(("n",), "k")
    assert not values.delete(("n",), "k")
    assert values.get(("n",), "k") is None
    values.put(("n",), "k", {"v": 3})
    assert held(values, "n", "k") == {"v": 3}


def test_what_was_said_beside_a_value_stays_beside_it(values: Values) -> None:
    """A value that looks like our own wrapper is a value; index and time are no part of it."""
    odd = {"saegim:value": {"x": 1}, "saegim:beside": {"ttl": 1}}
    values.put(("n",), "odd", odd)
    values.put(("n",), "some", {"x": 1}, index=["x"])
    found = {each.key: (each.value, each.index, each.ttl) for each in values.within(("n",))}
    assert found == {"odd": (odd, None, None), "some": ({"x": 1}, ["x"], None)}


def test_a_value_lives_as_long_as_it_was_told(
    values: Values, memory: Saegim, clock: FixedClock
) -> None:
    """U26.1: reading renews its time if asked to; then it is gone, and `sweep` lets it go."""
    values.put(("n",), "k", {"word": "wren"}, ttl=10)
    values.put(("n",), "for ever", {"word": "owl"})
    clock.forward(minutes=9)
    assert values.get(("n",), "k", refresh=True) is not None
    clock.forward(minutes=9)
    assert values.get(("n",), "k") is not None
    clock.forward(minutes=1)
    assert values.get(("n",), "k") is None
    assert keys(values, "n") == ["for ever"]
    assert [each.text for each in memory.search("wren")] != []
    assert values.sweep() == 1
    assert memory.search("wren") == []
    clock.forward(days=400)
    assert keys(values, "n") == ["for ever"]


def test_reading_often_writes_seldom(values: Values, memory: Saegim, clock: FixedClock) -> None:
    """A read that would move the end by next to nothing writes nothing."""
    values.put(("n",), "k", {"v": 1}, ttl=1000)
    store, scope = memory.forgetting.mind.store, memory.scope
    before = sum(1 for _ in store.ledger.entries(scope))
    for _ in range(5):
        clock.forward(seconds=10)
        values.get(("n",), "k", refresh=True)
    assert sum(1 for _ in store.ledger.entries(scope)) == before
    clock.forward(minutes=20)
    values.get(("n",), "k", refresh=True)
    assert sum(1 for _ in store.ledger.entries(scope)) == before + 1


def test_values_are_ranked_by_recall(values: Values) -> None:
    """A question is answered from the namespace alone; what is not to be found has no score."""
    values.put(("a",), "tea", {"text": "Mina drinks barley tea"})
    values.put(("a",), "bus", {"text": "The bus leaves at nine"})
    values.put(("a",), "off", {"text": "Mina drinks green tea"}, index=False)
    values.put(("b",), "tea", {"text": "Mina drinks black tea"})
    within = values.within(("a",))
    ranked = values.ranked(within, ("a",), "what does Mina drink?")
    names = {each.document.memory.id: each.key for each in within}
    assert next(names[id] for id in ranked) == "tea"
    assert "off" not in [names[id] for id in ranked]


def test_secrets_are_masked_and_names_with_secrets_refused(values: Values, memory: Saegim) -> None:
    """U22.1: a value stays JSON with a placeholder in it; a name could not be found again."""
    assert values.put(("n",), "k", {"card": 4111111111111111, "n": 1}) == 1
    assert held(values, "n", "k") == {"card": "[private:card#1]", "n": 1}
    with pytest.raises(BadInput, match="looks like a secret"):
        values.put(("010-1234-5678",), "k", {"v": 1})
    assert memory.recent().total == 1
    Values(memory, keep_private=True).put(("010-1234-5678",), "k", {"card": 4111111111111111})
    assert held(values, "010-1234-5678", "k") == {"card": 4111111111111111}


def test_what_a_person_made_of_a_value_is_no_value(values: Values, memory: Saegim) -> None:
    """A correction by hand that is no JSON object hides the value and breaks nothing."""
    values.put(("n",), "k", {"v": 1})
    memory.update(memory.recent(1).memories[0].id, "just words now,\nin two lines")
    assert values.get(("n",), "k") is None
    assert keys(values) == []
    values.put(("n",), "k", {"v": 2})
    assert held(values, "n", "k") == {"v": 2}


def test_a_text_corrected_by_hand_stays_a_value(values: Values, memory: Saegim) -> None:
    """A value that is only a text is shown as it, and the words written in its place are its."""
    values.put(("n",), "k", {"text": "나는 고기를 안 먹어"})
    (shown,) = memory.recent(1).memories
    assert shown.text == "나는 고기를 안 먹어"
    memory.update(shown.id, "나는 고기를 먹어")
    assert held(values, "n", "k") == {"text": "나는 고기를 먹어"}


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (None, True),
        ({"n": 3}, True),
        ({"n": 4}, False),
        ({"none": None}, True),
        ({"n": {"$gt": 2, "$lte": 3}}, True),
        ({"n": {"$lt": 3}}, False),
        ({"n": {"$gte": "3"}}, True),
        ({"s": {"$gt": 1}}, False),
        ({"none": {"$lt": 1}}, False),
        ({"s": {"$ne": "y"}}, True),
        ({"s": {"$eq": "y"}}, False),
        ({"d": {"x": {"y": [1, 2]}}}, True),
        ({"d": {"x": {"y": [1]}}}, False),
        ({"s": {"x": 1}}, False),
    ],
)
def test_filters(wanted: dict[str, Any] | None, fits: bool) -> None:
    """Equal, more, less, and parts of parts; what is no number is neither more nor less."""
    assert matches({"n": 3, "s": "x", "d": {"x": {"y": [1, 2], "z": 0}}}, wanted) is fits


def test_an_unknown_filter_and_a_wrong_time_are_refused(values: Values) -> None:
    """A misspelt operator, or a time that is over before it begins, is not taken for something."""
    with pytest.raises(BadInput, match=r"\$like"):
        matches({"n": 1}, {"n": {"$like": 1}})
    with pytest.raises(BadInput, match="ttl"):
        values.put(("n",), "k", {}, ttl=0)


def test_paths_with_stars() -> None:
    """A path fits at the beginning or at the end, a star any one label."""
    namespace = ("a", "b", "c")
    assert is_like(namespace, ("a", "*"), at_end=False)
    assert is_like(namespace, ("*", "c"), at_end=True)
    assert is_like(namespace, (), at_end=True)
    assert not is_like(namespace, ("b",), at_end=False)
    assert not is_like(namespace, ("*", "*", "*", "*"), at_end=False)
