"""The JSON shapes of seeds A and D, read and written without loss."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.entities import PARENT, RELATED
from saegim.memory.memory import Feeling, Kind, Memory, Scope, Tier, Time
from saegim.memory.seed_json import from_coordinate, from_orb, to_coordinate, to_orb

# Seed A §3.1, field by field.
COORDINATE: dict[str, Any] = {
    "memory_id": "mem_20251012_093022_a4f3",
    "timestamp": "2025-10-12T09:30:22.123456Z",
    "time": {
        "session_id": "sess_20251012_090000",
        "sequence": 15,
        "relative_time_minutes": 3.5,
    },
    "space": {
        "project": "persona_orchestration",
        "domain": "AGI_prototype",
        "file_context": ["orchestration/persona_orchestrator.py"],
        "depth_index": 1,
    },
    "agent": {
        "persona_id": "synthesis",
        "persona_name": "Fractal Synthesiser",
        "role": "Integrator",
        "backend": "local_lmstudio",
    },
    "emotion": {
        "affect_amplitude": 0.65,
        "sentiment_score": 0.12,
        "confidence": 0.8,
        "keywords": ["hope", "growth", "opportunity"],
    },
    "content": {
        "type": "persona_response",
        "prompt_digest": "System instruction: reconcile both",
        "response_full": "정과 반을 함께 놓고 보면",
        "response_summary": None,
        "token_count": 342,
    },
    "metadata": {
        "importance": 0.7,
        "tags": ["synthesis", "AGI_design", "memory_system"],
        "user_rating": None,
        "phase_injection_applied": False,
        "error_occurred": False,
        "bqi_snapshot": {"rhythm_phase": "integration", "emotion": {"keywords": ["clarity"]}},
    },
    "relations": {
        "parent_memory_id": "mem_20251012_092800_x7b2",
        "child_memory_ids": ["mem_20251012_093145_c9k1"],
        "related_memory_ids": ["mem_20251012_093200_d1e2"],
    },
}
# Seed D §1.
ORB: dict[str, Any] = {
    "id": "mem_orb_1",
    "content": "떠나기 전에 칭찬해 주었다",
    "tier": "M365",
    "emotions": ["joy", "sadness"],
    "intensity": 0.9,
    "createdAt": 1_760_261_422_123,
    "expiresAt": 1_791_797_422_123,
    "promotedFrom": "mem_orb_0",
    "referenceCount": 7,
    "lastReferencedAt": 1_760_347_822_000,
    "personalityIsland": "friendship",
    "source": "distillation",
}

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
ids = st.from_regex(r"mem_[0-9]{8}_[a-z0-9]{1,12}", fullmatch=True)
names = st.from_regex(r"[A-Za-z가-힣0-9][A-Za-z가-힣0-9_]{0,20}", fullmatch=True)
shares = st.floats(0, 1)
millis = st.integers(-2_000_000_000_000, 7_000_000_000_000)
instants = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(
    lambda at: at.isoformat() + "Z"
)


def maybe(each: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return nothing or one of these."""
    return st.none() | each


coordinates = st.fixed_dictionaries(
    {
        "memory_id": ids,
        "timestamp": instants,
        "time": st.fixed_dictionaries(
            {
                "session_id": names | st.just(""),
                "sequence": maybe(st.integers(0, 10_000)),
                "relative_time_minutes": maybe(st.floats(0, 1e5)),
            }
        ),
        "space": st.fixed_dictionaries(
            {
                "project": names | st.just(""),
                "domain": texts,
                "file_context": st.lists(texts, max_size=3),
                "depth_index": maybe(st.integers(0, 9)),
            }
        ),
        "agent": st.fixed_dictionaries(
            dict.fromkeys(("persona_id", "persona_name", "role", "backend"), texts)
        ),
        "emotion": st.fixed_dictionaries(
            {
                "affect_amplitude": maybe(shares),
                "sentiment_score": st.floats(-1, 1),
                "confidence": maybe(shares),
                "keywords": st.lists(texts, max_size=3),
            }
        ),
        "content": st.fixed_dictionaries(
            {
                "type": st.sampled_from(("user_input", "persona_response", "system_event")),
                "prompt_digest": texts,
                "response_full": texts.filter(str.strip),
                "response_summary": maybe(texts),
                "token_count": maybe(st.integers(0, 10**6)),
            }
        ),
        "metadata": st.fixed_dictionaries(
            {
                "importance": shares,
                "tags": st.lists(names, max_size=4, unique=True),
                "user_rating": maybe(st.integers(1, 5)),
                "phase_injection_applied": st.booleans(),
                "error_occurred": st.booleans(),
            },
            optional={
                "bqi_snapshot": st.fixed_dictionaries(
                    {
                        "rhythm_phase": texts,
                        "emotion": st.fixed_dictionaries({"keywords": st.lists(texts, max_size=2)}),
                    }
                )
            },
        ),
        "relations": st.fixed_dictionaries(
            {
                "parent_memory_id": maybe(ids),
                "child_memory_ids": st.lists(ids, max_size=3, unique=True),
                "related_memory_ids": st.lists(ids, max_size=3, unique=True),
            }
        ),
    }
)
orbs = st.fixed_dictionaries(
    {
        "id": ids,
        "content": texts,
        "tier": st.sampled_from([tier.value for tier in Tier]),
        "emotions": st.lists(st.sampled_from([feeling.value for feeling in Feeling]), max_size=4),
        "intensity": shares,
        "createdAt": millis,
        "expiresAt": maybe(millis),
        "promotedFrom": maybe(ids),
        "referenceCount": st.integers(0, 10**6),
        "lastReferencedAt": maybe(millis),
        "personalityIsland": maybe(texts),
        "source": st.sampled_from(("conversation", "observation", "distillation", "user")),
    }
)


def names_itself(shape: dict[str, Any]) -> bool:
    """Say whether a coordinate is its own parent or child, which no memory can be."""
    relations = shape["relations"]
    others = {relations["parent_memory_id"], *relations["child_memory_ids"]}
    return shape["memory_id"] in others


def test_the_example_of_seed_a_comes_back_field_by_field() -> None:
    """Seed A §3.1 is read and written without loss."""
    memory, ties = from_coordinate(COORDINATE, "me")
    assert to_coordinate(memory, ties) == COORDINATE
    assert memory.scope == Scope("me", "", "persona_orchestration", "sess_20251012_090000")
    assert memory.rhythm.phase == "integration"
    assert memory.rhythm.words == ("clarity",)
    assert [(tie.source, tie.type, tie.target) for tie in ties] == [
        (memory.id, PARENT, "mem_20251012_092800_x7b2"),
        ("mem_20251012_093145_c9k1", PARENT, memory.id),
        (memory.id, RELATED, "mem_20251012_093200_d1e2"),
    ]


@settings(max_examples=60, deadline=None)
@given(coordinates)
def test_every_coordinate_comes_back(shape: dict[str, Any]) -> None:
    """Any MemoryCoordinate of seed A §3.1 is read and written without loss."""
    if names_itself(shape):
        return
    memory, ties = from_coordinate(shape, "me")
    assert json.loads(json.dumps(to_coordinate(memory, ties))) == shape


def test_the_example_of_seed_d_comes_back_field_by_field() -> None:
    """Seed D §1 is read and written without loss."""
    memory = from_orb(ORB, "me")
    assert to_orb(memory) == ORB
    assert memory.emotion.blend is Feeling.NOSTALGIA
    assert memory.life.tier is Tier.M365


@settings(max_examples=60, deadline=None)
@given(orbs)
def test_every_orb_comes_back(shape: dict[str, Any]) -> None:
    """Any entry of seed D §1 is read and written without loss."""
    assert json.loads(json.dumps(to_orb(from_orb(shape, "me")))) == shape


def test_a_memory_of_ours_can_be_told_in_both_shapes() -> None:
    """A memory that knows more than a seed is still told in the seed's shape, key by key."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    memory = Memory(
        id="mem_1",
        scope=Scope("me", agent="cli"),
        text="차",
        time=Time(happened_at=at, recorded_at=at),
        kind=Kind.PREFERENCE,
    )
    coordinate, orb = to_coordinate(memory), to_orb(memory)
    expected = {key: value for key, value in COORDINATE.items() if isinstance(value, dict)}
    for part, fields in expected.items():
        assert set(coordinate[part]) == set(fields) - {"bqi_snapshot"}
    assert set(orb) == set(ORB)


@pytest.mark.parametrize("part", [None, "time", "space", "content", "metadata", "relations"])
def test_a_misspelt_field_of_a_coordinate_is_named(part: str | None) -> None:
    """A field that seed A does not know must not vanish (U8.4)."""
    shape = json.loads(json.dumps(COORDINATE))
    (shape[part] if part else shape)["colour"] = "gold"
    with pytest.raises(BadInput, match="'colour'"):
        from_coordinate(shape, "me")


def test_a_misspelt_field_of_an_orb_is_named() -> None:
    """A field that seed D does not know must not vanish (U8.4)."""
    with pytest.raises(BadInput, match="'colour'"):
        from_orb({**ORB, "colour": "gold"}, "me")


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("emotion", "sentiment_score", 2),
        ("emotion", "affect_amplitude", "much"),
        ("metadata", "importance", None),
        ("metadata", "user_rating", 9),
        ("space", "project", "../up"),
    ],
)
def test_a_value_out_of_bounds_is_refused(part: str, name: str, value: object) -> None:
    """Numbers and names keep their bounds, wherever they come from (U8.4)."""
    shape = json.loads(json.dumps(COORDINATE))
    shape[part][name] = value
    with pytest.raises(BadInput):
        from_coordinate(shape, "me")
