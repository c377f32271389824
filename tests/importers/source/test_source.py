"""What every foreign form shares: ids that stay, times, names."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from elsewhere import AT, SECRET, opened
from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.importers.source.source import (
    ImportedItem,
    entity_name,
    found,
    identified,
    kept,
    moment,
    name,
    relation,
    session,
    tags,
)
from saegim.memory.clock import checked_id
from saegim.memory.memory import Memory, Tier

NOTHINGS: tuple[Any, ...] = (
    *(None, "", "soon", "2024-02-30", "9999-99-99"),
    *(True, [], {}, 0, -1, math.nan, math.inf, 1e300),
)


def told(path: Path, **about: Any) -> Memory:
    """The memory that something told becomes."""
    made = found(
        ImportedItem(**{"where": "x", "key": "k", "text": "tea", **about}), opened(None, path, "f")
    )
    assert isinstance(made.value, Memory)
    return made.value


def test_an_id_is_made_of_form_key_and_words_alone(tmp_path: Path) -> None:
    """The same thing has the same id on every run; another thing has another (U24.3)."""
    one = told(tmp_path)
    assert one.id == told(tmp_path, author="kim", tags=["x"], sequence=3).id
    others = [told(tmp_path, text="coffee"), told(tmp_path, key="l"), told(tmp_path, at=AT)]
    assert len({one.id, *(each.id for each in others)}) == 4
    assert identified("a", "bc", "d", None) != identified("ab", "c", "d", None)
    assert all(checked_id(each.id) for each in (one, *others))
    assert others[2].id.startswith("mem_20240305_093000_")


def test_an_id_tells_nothing_about_a_secret(tmp_path: Path) -> None:
    """Two texts that differ in a masked secret alone are the same memory (M4)."""
    other = SECRET.replace("QYLP", "ZZZY")
    assert screen(other).masked == 1
    one, two = (told(tmp_path, text=f"the key is {key}") for key in (SECRET, other))
    assert (one.id, one.text) == (two.id, two.text)
    assert SECRET not in one.text


def test_what_comes_is_young_here(tmp_path: Path) -> None:
    """An old thing happened then, and is let go in its time from now on (DESIGN 4b)."""
    memory = told(tmp_path, at=AT)
    assert memory.time.happened_at == AT
    assert memory.life.tier is Tier.M90
    assert memory.life.expires_at is not None
    assert memory.life.expires_at > memory.time.recorded_at > AT


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("2024-03-05T09:30:00Z", AT),
        ("2024-03-05T18:30:00+09:00", AT),
        ("2024-03-05 09:30:00", AT),
        ("2024-03-05 09:30:00 UTC", AT),
        ("2024/3/5 9:30", AT),
        ("2024.03.05", datetime(2024, 3, 5, tzinfo=UTC)),
        (1709631000, AT),
        (1709631000.0, AT),
        (1709631000000, AT),
        ("1709631000", AT),
        (" 2024-03-05T09:30Z ", AT),
        *((nothing, None) for nothing in NOTHINGS),
        ("0001-01-01T00:00+09:00", None),
    ],
)
def test_a_time_is_read_or_unknown(value: Any, at: datetime | None) -> None:
    """Every way of writing an instant is understood; anything else is no time, never a guess."""
    assert moment(value) == at


def test_names_and_tags_are_never_cut() -> None:
    """Half of a secret would pass; what is too long is left out (M4)."""
    assert name(" ｋｉｍ ") == "kim"
    assert (name("x" * 201), name(7), name(None)) == ("", "", "")
    assert tags(["a", " a ", "", 7, "x" * 201, "b"]) == ("a", "b")
    assert len(tags([str(n) for n in range(200)])) == 64
    with pytest.raises(BadInput, match="secret"):
        entity_name(SECRET)
    with pytest.raises(BadInput, match="needs a name"):
        entity_name("")


def test_a_session_is_a_name_that_no_system_reads_as_a_path() -> None:
    """An odd id becomes a digest, always the same one (attack 60)."""
    assert session("x", "6f1c0a52-9f1d-4c8e-8a55-0d9c5e1b7a11").startswith("6f1c0a52-")
    for odd in (
        "../../etc/passwd",
        "a/b",
        "a\\b",
        "%2e%2e",
        "a" * 65,
        "a\x00b",
        "한글",
        SECRET,
        " ",
    ):
        made = session("x", odd)
        assert made == session("x", odd)
        assert made.startswith("x-")
        assert len(made) == 18
    assert (session("x", None), session("x", "")) == ("", "")


def test_a_relation_needs_two_names_and_a_type() -> None:
    """A tie is what it says, or nothing; colons cannot forge another key (U24.3)."""
    tie = relation("A:B", "works::at", "C")
    assert (tie.source, tie.type, tie.target) == ("entity:a%3ab", "works  at", "entity:c")
    for bad in (("", "likes", "b"), ("a", "", "b"), ("a", ":", "b"), ("a", "likes", None)):
        with pytest.raises(BadInput):
            relation(*bad)


def test_what_cannot_be_kept_is_a_problem_with_its_place(tmp_path: Path) -> None:
    """A text that is none is named where it stands (U8.4)."""
    source = opened(None, tmp_path, "f")
    for bad in (None, 7, "", " \n", "a\x00b", "x" * 1_000_001):
        problem = kept(ImportedItem(where="there", key="", text=bad), source)
        assert problem.where == "there"
        assert not hasattr(problem, "value")
