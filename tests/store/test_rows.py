"""A memory as a row and back: the same memory, whatever its coordinates."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from saegim.memory.memory import (
    Agent,
    Content,
    Emotion,
    Feeling,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Reason,
    Rhythm,
    Scope,
    Source,
    Space,
    State,
    Tier,
    Time,
    Worth,
)
from saegim.store.rows import COLUMNS, from_row, instant, moment, to_row

OFFSETS = st.integers(-840, 840).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=OFFSETS)
UTCS = st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
WORDS = st.text("가나abc \"'\\\n{}", max_size=8)
LISTS = st.lists(WORDS, max_size=3).map(tuple)
SHARES = st.floats(0, 1)
NAMES = st.sampled_from(["", "a", "민호 1"])

MEMORIES = st.builds(
    Memory,
    id=st.just("mem_1"),
    scope=st.builds(Scope, st.just("me"), NAMES, NAMES, NAMES),
    text=WORDS.map(lambda text: f"x{text}"),
    kind=st.sampled_from(Kind),
    visibility=st.sampled_from(["private", "shared"]),
    time=st.builds(
        Time,
        happened_at=INSTANTS,
        recorded_at=INSTANTS,
        valid_from=UTCS,
        valid_to=UTCS,
        sequence=st.none() | st.integers(0, 2**40),
        minutes_into_session=st.none() | st.floats(0, 1e6),
    ),
    provenance=st.builds(
        Provenance,
        origin=st.sampled_from(Origin),
        source=st.sampled_from(Source),
        author=WORDS,
        turn=WORDS,
    ),
    space=st.builds(Space, domain=WORDS, files=LISTS, depth=st.none() | st.integers(0, 9)),
    agent=st.builds(
        Agent,
        persona=WORDS,
        persona_name=WORDS,
        role=WORDS,
        backend=WORDS,
        phase_injection=st.booleans(),
        error_occurred=st.booleans(),
    ),
    emotion=st.builds(
        Emotion,
        feelings=st.lists(st.sampled_from(Feeling), max_size=3).map(tuple),
        intensity=SHARES,
        affect=st.none() | SHARES,
        sentiment=st.floats(-1, 1),
        confidence=st.none() | SHARES,
        words=LISTS,
    ),
    content=st.builds(
        Content,
        type=WORDS,
        prompt_digest=WORDS,
        brief=st.none() | WORDS.filter(bool),
        triples=st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=2).map(tuple),
        language=WORDS,
        keywords=LISTS,
        tags=LISTS,
        token_count=st.none() | st.integers(0, 10**6),
    ),
    worth=st.builds(
        Worth,
        importance=SHARES,
        confidence=SHARES,
        rating=st.none() | st.integers(1, 5),
        repeat=st.floats(0, 100),
        feedback=st.floats(-100, 100),
        recalled=st.integers(0, 1000),
        recalled_at=UTCS,
        used=st.integers(0, 1000),
        used_at=UTCS,
    ),
    life=st.builds(
        Life,
        tier=st.sampled_from(Tier),
        state=st.sampled_from(State),
        expires_at=UTCS,
        promoted_from=st.none() | st.just("mem_0"),
        pinned=st.booleans(),
        immutable=st.booleans(),
        island=st.none() | st.just("tea"),
        leaving_since=UTCS,
        leaving_until=UTCS,
        leaving_reason=st.none() | st.sampled_from(Reason),
    ),
    rhythm=st.builds(
        Rhythm,
        phase=WORDS,
        words=LISTS,
        snapshot=st.dictionaries(WORDS, st.integers() | WORDS | st.lists(WORDS), max_size=2),
    ),
)


@given(MEMORIES)
def test_a_memory_is_the_same_after_being_a_row(memory: Memory) -> None:
    """U20.1 and DESIGN 3: every coordinate, and the offset of both times, survives."""
    row = to_row(memory)
    back = from_row([7, *(row[name] for name in COLUMNS)])
    assert back == memory
    for name in ("happened_at", "recorded_at"):
        assert getattr(back.time, name).utcoffset() == getattr(memory.time, name).utcoffset()
    assert set(row) == set(COLUMNS)


@given(MEMORIES)
def test_details_hold_no_empty_thing(memory: Memory) -> None:
    """What is empty is left out; a zero that means something stays."""
    held: dict[str, Any] = json.loads(to_row(memory)["details"])
    assert all(value not in ("", [], {}, None, False) or value == 0 for value in held.values())
    assert ("depth" in held) == (memory.space.depth is not None)


def test_nothing_is_nothing() -> None:
    """A time that was not given is NULL and comes back as not given."""
    assert instant(None) is None
    assert moment(None) is None
    assert moment(instant(datetime(2026, 1, 1, tzinfo=UTC))) == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_row_without_words_is_still_a_memory() -> None:
    """An archived or erased row reads as a memory with no text, never as an error."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    memory = Memory(
        id="mem_1", scope=Scope("me"), text="x", time=Time(happened_at=at, recorded_at=at)
    )
    row = to_row(memory) | {"text": None, "details": None}
    back = from_row([7, *(row[name] for name in COLUMNS)])
    assert (back.text, back.content.tags) == ("", ())


def test_the_details_of_a_memory_are_the_same_bytes_in_every_version() -> None:
    """A store that exists is read by another version and never written anew for its form."""
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    memory = Memory(
        id="mem_1",
        scope=Scope("me"),
        text="tea",
        time=Time(happened_at=at, recorded_at=at, minutes_into_session=0, said_at=at),
        space=Space(project="p", files=("a.py",), depth=0),
        emotion=Emotion(feelings=(Feeling.JOY,), affect=1e-05, words=("기쁘다",)),
        content=Content(triples=(("나", "좋아함", "차"),), tags=("tea", 'quo"te')),
        rhythm=Rhythm(snapshot={"rhythm_phase": "rest", "weights": [1, 2.5, None]}),
    )
    assert to_row(memory)["details"] == (
        '{"said_in":"p","files":["a.py"],"depth":0,"minutes":0,'
        '"said_at":"2026-01-02T03:04:05Z","feelings":["joy"],"affect":1e-05,'
        '"feeling_words":["기쁘다"],"type":"user_input","triples":[["나","좋아함","차"]],'
        '"tags":["tea","quo\\"te"],"rhythm":{"rhythm_phase":"rest","weights":[1,2.5,null]}}'
    )
