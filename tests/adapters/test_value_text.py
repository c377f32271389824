"""JSON values as text: read by people and found by words, and back to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saegim import Saegim
from saegim.adapters import values as adapting
from saegim.adapters.documents import Documents, worded
from saegim.adapters.value_text import value_of, value_text
from saegim.adapters.values import Values, tag_of
from saegim.memory.memory import MAX_TEXT
from saegim.memory.record import storable

# Letters of our own notation among others, so that every doubtful case comes up.
TEXTS = st.text() | st.text(alphabet=' ":›#•—\n\\{}[]12truenul.,-a가', max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
PARTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, PARTS, min_size=1, max_size=5)
FOOD = {"food": {"likes": ["mango"]}, "n": 3}


@given(OBJECTS)
@example({"a": [1, "1", 1.0, True, "true", None, "null"]})
@example({"text": "a: b"})
@example({"text": "plain"})
@example({"a": [["x"], []], "b": {}, "c": [{}], "#1": "#1", "a › b": "c: d"})
def test_any_object_comes_back_from_its_text(value: dict[str, Any]) -> None:
    """Types, order, empty parts, line breaks and odd letters are what they were."""
    text = value_text(value)
    assert storable(text)
    assert json.dumps(value_of(text)) == json.dumps(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (FOOD, "food › likes: • mango\nn: 3"),
        ({"말": [True, {"새": "까치가 운다"}]}, "말 › #1: true\n말 › #2 › 새: 까치가 운다"),
        ({"n": "3", "t": [], "o": {}}, 'n: "3"\nt: •\no: —'),
        ({"text": "나는 고기를 안 먹어"}, "나는 고기를 안 먹어"),
        ({"text": "diet: none"}, "text: diet: none"),
        ({"text": "3"}, 'text: "3"'),
        ({"text": "x", "n": 1}, "text: x\nn: 1"),
        ({"note": "first\nsecond: no label"}, "note: first\n  second: no label"),
    ],
)
def test_the_text_is_for_reading(value: dict[str, Any], text: str) -> None:
    """No braces, and quotes only where a string would be taken for something else."""
    assert value_text(value) == text


@pytest.mark.parametrize(
    "text", ["two\nlines", "a: 1\na: 2", '{"a": 1}', "a: {}", "a › #2: x", "#1: x\n#2 › a: 1", ""]
)
def test_what_nobody_wrote_like_this_is_no_object(text: str) -> None:
    """Control: another spelling, two things in one place, and lines without labels are refused."""
    assert value_of(text) is None


def test_a_value_is_found_and_shown_as_words(memory: Saegim) -> None:
    """Recall, a prompt and a list show it without braces; the store gives the value back."""
    values = Values(memory)
    values.put(("users", "mina"), "taste", FOOD)
    (hit,) = memory.recall("who likes mango?").hits
    assert hit.memory.text == "food › likes: • mango\nn: 3"
    shown = [hit.memory.text, memory.context("who likes mango?").text]
    shown += [each.text for each in (*memory.recent().memories, *memory.search("mango"))]
    assert len(shown) == 4
    assert all("mango" in each and not set("{}[]") & set(each) for each in shown)
    found = values.get(("users", "mina"), "taste")
    assert found is not None
    assert found.value == FOOD


def test_what_stands_beside_a_value_is_no_part_of_it(memory: Saegim) -> None:
    """Index and time to live come back; a value that bears our own names does too."""
    values = Values(memory)
    odd = {"saegim:beside": {"ttl": 9}, "saegim:value": {"x": 1}}
    for at, value in enumerate([FOOD, odd, {"saegim:beside": 1}, {"saegim:value": 2}, {}]):
        values.put(("n",), f"plain{at}", value)
        values.put(("n",), f"told{at}", value, index=["food"], ttl=5)
        for name, beside in ((f"plain{at}", (None, None)), (f"told{at}", (["food"], 5))):
            found = values.get(("n",), name)
            assert found is not None
            assert (found.value, (found.index, found.ttl)) == (value, beside)


def test_a_value_written_as_json_is_still_read(memory: Saegim) -> None:
    """What an earlier version, or another program, has put there as JSON is the same value."""
    documents, values = Documents(memory, "langgraph"), Values(memory)
    documents.put('["n", "k"]', json.dumps(FOOD), tags=[tag_of(("n",))])
    wrapped = {"saegim:value": FOOD, "saegim:beside": {"index": False}}
    documents.put('["n", "w"]', json.dumps(wrapped), tags=[tag_of(("n",))])
    found = {each.key: (each.value, each.index) for each in values.within(("n",))}
    assert found == {"k": (FOOD, None), "w": (FOOD, False)}


@pytest.mark.parametrize(
    ("value", "longest"),
    [({"system": "you are a bird"}, MAX_TEXT), ({"a b c": {"x": 1, "y": 2}}, 22)],
)
def test_what_the_text_would_change_is_kept_as_json(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch, value: dict[str, Any], longest: int
) -> None:
    """A harmless value is neither kept apart nor refused for the looks or length of its text."""
    monkeypatch.setattr(adapting, "MAX_TEXT", longest)
    values = Values(memory)
    values.put(("n",), "k", value)
    values.put(("n",), "other", FOOD)
    other, held = memory.recent().memories
    assert held.text.startswith("{")
    assert other.text.startswith("{") is (longest < MAX_TEXT)
    found = values.get(("n",), "k")
    assert found is not None
    assert found.value == value


def test_odd_letters_hide_no_others() -> None:
    """A text that can only be held behind our mark keeps its words, in any script."""
    assert "까치가" in worded("까치가 운다\x00")
    assert storable(worded("까치가 \ud800 운다"))
    assert "까치가" in worded("까치가 \ud800 운다")


QUERIES = ("what does Mina drink?", "버스는 언제 떠나?", "zebra")
TINY = {
    "tea": {"who": "Mina", "drinks": ["barley tea"]},
    "bus": {"말": {"버스": "아홉 시에 떠난다"}},
    "odd": {"n": 3},
}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_scores_are_there_and_in_order_in_a_tiny_store(
    memory: Saegim, query: str, count: int
) -> None:
    """Every value that may be found has a score, however few there are; the others have none."""
    values = Values(memory)
    for key in list(TINY)[:count]:
        values.put(("n",), key, TINY[key])
    values.put(("n",), "off", {"who": "Mina"}, index=False)
    within = values.within(("n",))
    names = {each.document.memory.id: each.key for each in within}
    scores = values.ranked(within, ("n",), query)
    assert {names[id] for id in scores} == set(list(TINY)[:count])
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    best = {QUERIES[0]: "tea", QUERIES[1]: "bus"}.get(query)
    if best in list(TINY)[:count]:
        assert names[next(iter(scores))] == best
        assert max(scores.values()) > 0.0
