"""Values as plain JSON and back: complete, strict, and the same bytes for the same value."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.entities import Entity, Link, Page
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
from saegim.memory.record import from_record, to_record

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
PLAIN = Memory(
    id="mem_1", scope=Scope("me"), text="차를 마신다", time=Time(happened_at=NOW, recorded_at=NOW)
)

# Every field differs from its default, so that none can be lost unseen.
LINK = Link(
    source="a",
    type="refers_to",
    target="b",
    weight=2.5,
    negative=True,
    created_at=NOW,
    touched_at=NOW + timedelta(days=1),
)
ENTITY = Entity(
    name="민호",
    platform="chat",
    type="bot",
    display_name="Minho",
    aliases=("minho",),
    summary="동료",
    interests=("차",),
    personality_notes="calm",
    first_seen_at=NOW,
    last_seen_at=NOW + timedelta(days=1),
    interactions=3,
    sentiment="positive",
    sentiment_score=0.5,
    trust=0.25,
)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
names = st.text("abcXYZ019_새김", max_size=12)
shares = st.floats(0, 1)
counts = st.integers(0, 2**40)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=zones)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(texts, plain, max_size=3)


def many(each: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    """Return tuples of up to four of these."""
    return st.lists(each, max_size=4).map(tuple)


def maybe(each: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Return nothing or one of these."""
    return st.none() | each


memories = st.builds(
    Memory,
    id=st.from_regex(r"mem_[a-z0-9_]{1,40}", fullmatch=True),
    scope=st.builds(Scope, user=st.just("me"), agent=names, project=names, session=names),
    text=texts.filter(str.strip),
    time=st.builds(
        Time,
        happened_at=instants,
        recorded_at=instants,
        valid_from=maybe(instants),
        valid_to=maybe(instants),
        sequence=maybe(counts),
        minutes_into_session=maybe(st.floats(0, 1e6)),
    ),
    kind=st.sampled_from(Kind),
    visibility=st.sampled_from(("private", "shared")),
    provenance=st.builds(
        Provenance,
        origin=st.sampled_from(Origin),
        source=st.sampled_from(Source),
        author=texts,
        turn=texts,
    ),
    space=st.builds(Space, domain=texts, files=many(texts), depth=maybe(st.integers(0, 99))),
    agent=st.builds(
        Agent,
        persona=texts,
        persona_name=texts,
        role=texts,
        backend=texts,
        phase_injection=st.booleans(),
        error_occurred=st.booleans(),
    ),
    emotion=st.builds(
        Emotion,
        feelings=many(st.sampled_from(Feeling)),
        intensity=shares,
        affect=maybe(shares),
        sentiment=st.floats(-1, 1),
        confidence=maybe(shares),
        words=many(texts),
    ),
    content=st.builds(
        Content,
        type=texts,
        prompt_digest=texts,
        brief=maybe(texts),
        triples=many(st.tuples(texts, texts, texts)),
        language=names,
        keywords=many(texts),
        tags=many(texts.filter(str.strip)),
        token_count=maybe(counts),
    ),
    worth=st.builds(
        Worth,
        importance=shares,
        confidence=shares,
        rating=maybe(st.integers(1, 5)),
        repeat=st.floats(0, 1e3),
        feedback=st.floats(-1e3, 1e3),
        recalled=counts,
        recalled_at=maybe(instants),
        used=counts,
        used_at=maybe(instants),
    ),
    life=st.builds(
        Life,
        tier=st.sampled_from(Tier),
        state=st.sampled_from(State),
        expires_at=maybe(instants),
        promoted_from=maybe(names),
        pinned=st.booleans(),
        immutable=st.booleans(),
        island=maybe(texts),
        leaving_since=maybe(instants),
        leaving_until=maybe(instants),
        leaving_reason=maybe(st.sampled_from(Reason)),
    ),
    rhythm=st.builds(Rhythm, phase=texts, words=many(texts), snapshot=objects),
)


@settings(max_examples=60, deadline=None)
@given(memories)
def test_every_memory_comes_back_from_its_record(memory: Memory) -> None:
    """A record holds everything a memory is, zones included (U24.2)."""
    text = json.dumps(to_record(memory), ensure_ascii=False)
    again = from_record(Memory, json.loads(text))
    assert again == memory
    assert again.time.happened_at.utcoffset() == memory.time.happened_at.utcoffset()
    assert json.dumps(to_record(again), ensure_ascii=False) == text


def test_what_holds_its_default_is_left_out() -> None:
    """A plain memory is a short line (U24.2)."""
    assert to_record(PLAIN) == {
        "id": "mem_1",
        "scope": {"user": "me"},
        "text": "차를 마신다",
        "time": {"happened_at": "2026-03-01T09:30:00Z", "recorded_at": "2026-03-01T09:30:00Z"},
    }


@pytest.mark.parametrize(
    "value",
    [
        LINK,
        ENTITY,
        Page(key="k", kind="island", data={"a": [1, None]}, derived_from=("mem_1",), version=3),
    ],
)
def test_links_entities_and_pages_come_back_from_their_records(value: object) -> None:
    """The other nouns have records too (U24.2)."""
    assert from_record(type(value), json.loads(json.dumps(to_record(value)))) == value


def test_a_tie_and_someone_new_are_neutral() -> None:
    """Seeds B and E: what nothing is known of starts in the middle, as a person, with weight 1."""
    new = Entity(name="민호")
    assert (new.type, new.sentiment, new.sentiment_score, new.trust) == (
        "person",
        "neutral",
        0,
        0.5,
    )
    assert (new.interactions, new.summary, new.interests, new.first_seen_at) == (0, "", (), None)
    assert Link(source="a", type="related", target="b").weight == 1
    missing = set(Entity.__dataclass_fields__) - set(to_record(ENTITY))
    assert missing == set(Link.__dataclass_fields__) - set(to_record(LINK)) == set()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"colour": "gold"}, "'colour'"),
        ({"time": {"happened_at": "2026-01-01", "recorded_at": "yesterday"}}, "'yesterday'"),
        ({"time": {"happened_at": 5, "recorded_at": "2026-01-01"}}, "'5'"),
        ({"kind": "rumour"}, "rumour"),
        ({"text": 7}, "7"),
        ({"life": {"pinned": 1}}, "bool"),
        ({"worth": {"recalled": True}}, "int"),
        ({"worth": {"importance": 1.5}}, "importance"),
        ({"worth": []}, "Worth"),
        ({"scope": {"user": "a*"}}, "'a*'"),
        ({"content": {"tags": [1]}}, "str"),
    ],
)
def test_a_field_that_does_not_fit_is_named(change: dict[str, object], named: str) -> None:
    """Nothing unknown or of another type is read in silence (U8.4)."""
    with pytest.raises(BadInput, match=named.replace("*", r"\*")):
        from_record(Memory, {**to_record(PLAIN), **change})


def test_what_is_missing_is_named() -> None:
    """A record without its words is refused, naming them (U8.4)."""
    record = to_record(PLAIN)
    del record["text"]
    with pytest.raises(BadInput, match="'text'"):
        from_record(Memory, record)


@pytest.mark.parametrize("record", [None, [], "text", 5])
def test_what_is_not_an_object_is_refused(record: object) -> None:
    """A record is an object (U8.4)."""
    with pytest.raises(BadInput, match="must be an object"):
        from_record(Memory, record)
