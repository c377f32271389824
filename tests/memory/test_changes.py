"""Everything that can happen, as one line each: a subject, and facts without words."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from saegim.errors import BadInput
from saegim.memory import changes
from saegim.memory.changes import Change, subject
from saegim.memory.entities import Entity, Link, Page
from saegim.memory.memory import Lifetime, Memory, Reason, Scope, Tier, Time

AT = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "비밀CANARY"
MEMORY = Memory(
    id="mem_1", scope=Scope("me"), text=SECRET, time=Time(happened_at=AT, recorded_at=AT)
)
ALL: list[tuple[Change, str]] = [
    (changes.Saved(MEMORY), "mem_1"),
    (changes.Superseded("mem_1", by="mem_2", at=AT), "mem_1"),
    (changes.Reweighed(memory="mem_1", at=AT, recalled=1, feedback=-1.0, rating=3), "mem_1"),
    (changes.Retold("mem_1", SECRET, ((SECRET, "is", SECRET),)), "mem_1"),
    (changes.Interpreted("mem_1", MEMORY, MEMORY), "mem_1"),
    (changes.Pinned("mem_1", True), "mem_1"),
    (changes.Tiered("mem_1", Tier.M365, AT), "mem_1"),
    (changes.LifetimeSet("mem_1", Lifetime.UNTIL, AT, AT), "mem_1"),
    (changes.IslandSet("mem_1", "island_1"), "mem_1"),
    (changes.Shrunk("mem_1", True), "mem_1"),
    (changes.Tagged("mem_1", ("tea",)), "mem_1"),
    (changes.Dozed("mem_1"), "mem_1"),
    (changes.Woken("mem_1"), "mem_1"),
    (changes.Leaving("mem_1", Reason.MANUAL, AT, AT), "mem_1"),
    (changes.Restored("mem_1", None), "mem_1"),
    (changes.Quarantined("mem_1"), "mem_1"),
    (changes.Released("mem_1"), "mem_1"),
    (changes.Archived("mem_1", AT), "mem_1"),
    (changes.Erased("mem_1"), "mem_1"),
    (changes.Rehomed("mem_1", SECRET), "mem_1"),
    (changes.Linked(Link(source="a", type="related", target="b")), "a::related::b"),
    (changes.Unlinked(Link(source="a", type="related", target="b")), "a::related::b"),
    (changes.Met(Entity(name="tea", summary=SECRET)), "entity#88a9bedd84d61ced"),
    (changes.Portrayed("entity:tea", SECRET, SECRET, sources=3), "entity#88a9bedd84d61ced"),
    (changes.Trusted("entity:tea", 0.54, confirmed=1), "entity#88a9bedd84d61ced"),
    (changes.Written(Page(key="soul", kind="soul", body=SECRET)), "soul"),
    (changes.Recalled("trace_1", ("mem_1", "mem_2")), "trace_1"),
]


def test_the_list_is_closed_and_complete() -> None:
    """DESIGN 1: twenty-seven kinds of Change, each of them tried here."""
    assert {type(change) for change, _ in ALL} == set(get_args(Change))
    assert len(ALL) == 27


@pytest.mark.parametrize(("change", "about"), ALL, ids=lambda each: type(each).__name__)
def test_a_change_names_its_subject_and_tells_facts_without_words(
    change: Change, about: str
) -> None:
    """DESIGN 1: the ledger holds ids, numbers and states, so that forgetting can be real."""
    assert subject(change) == about
    facts = dict(change.facts())
    assert SECRET not in json.dumps(facts, ensure_ascii=False)
    for value in facts.values():
        assert value is None or isinstance(value, str | int | float | bool)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("importance", 1.5),
        ("importance", math.nan),
        ("confidence", -0.1),
        ("rating", 6),
        ("recalled", math.nan),
        ("used", "many"),
        ("repeat", math.inf),
        ("feedback", math.nan),
    ],
)
def test_a_worth_that_could_not_be_read_again_is_refused(field: str, value: Any) -> None:
    """Bad input: a number out of range would make the memory unreadable."""
    with pytest.raises(BadInput, match=field):
        changes.Reweighed(memory="mem_1", at=AT, **{field: value})


def test_only_the_numbers_that_moved_are_told() -> None:
    """A line of the ledger says what changed and nothing else."""
    assert dict(changes.Reweighed(memory="mem_1", at=AT, repeat=1.0).facts()) == {"repeat": 1.0}
    assert dict(changes.Restored("mem_1", AT).facts())["expires_at"] == 1767225600000000
