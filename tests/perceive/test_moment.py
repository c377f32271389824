"""Plain words about a memory become its coordinates, or an error that names them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput
from saegim.memory.memory import (
    Content,
    Emotion,
    Feeling,
    Kind,
    Origin,
    Rhythm,
    Scope,
    Source,
    Tier,
)
from saegim.perceive.moment import Moment, moment_of

ME = Scope("me", "agent", "project", "session")
SEOUL = timezone(timedelta(hours=9))
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def about(**words: Any) -> Moment:
    """Make a moment of a text and words about it."""
    return moment_of(ME, "tea", words)


def test_said_with_nothing_more_it_is_a_fact_of_the_scope() -> None:
    """DESIGN 4b: what a person asks to keep is M90, private, said by the user; its kind is open."""
    moment = about()
    assert (moment.kind, moment.tier, moment.visibility) == (None, Tier.M90, "private")
    assert moment.scope == ME
    assert moment.provenance.origin is Origin.USER_SAID


@pytest.mark.parametrize(
    ("words", "path", "value"),
    [
        ({"kind": "preference"}, "kind", Kind.PREFERENCE),
        ({"kind": Kind.EMOTION}, "kind", Kind.EMOTION),
        ({"tier": "M30"}, "tier", Tier.M30),
        ({"origin": "web"}, "provenance.origin", Origin.WEB),
        ({"source": "reflection"}, "provenance.source", Source.REFLECTION),
        ({"author": "민호"}, "provenance.author", "민호"),
        ({"tags": ["a", "a", "b"]}, "content.tags", ("a", "b")),
        ({"keywords": ["k"]}, "content.tags", ("k",)),
        ({"triples": [["a", "b", "c"]]}, "content.triples", (("a", "b", "c"),)),
        ({"files": ["a.py"]}, "space.files", ("a.py",)),
        ({"domain": "kitchen"}, "space.domain", "kitchen"),
        ({"persona": "thesis"}, "agent.persona", "thesis"),
        ({"feelings": ["joy", Feeling.FEAR]}, "emotion.feelings", (Feeling.JOY, Feeling.FEAR)),
        ({"sentiment": -1}, "emotion.sentiment", -1),
        ({"words": ["기쁨"]}, "emotion.words", ("기쁨",)),
        ({"phase": "integration"}, "rhythm.phase", "integration"),
        ({"agent": "codex"}, "scope.agent", "codex"),
        ({"project": ""}, "scope.project", ""),
        ({"session": None}, "scope.session", "session"),
        ({"rating": 5}, "rating", 5),
        ({"importance": 1}, "importance", 1),
        ({"pinned": True}, "pinned", True),
        ({"happened_at": "2026-01-01T09:00:00+09:00"}, "happened_at", NEW_YEAR),
        ({"valid_from": datetime(2026, 1, 1, 9, tzinfo=SEOUL)}, "valid_from", NEW_YEAR),
        ({"content": Content(type="system_event"), "tags": ["a"]}, "content.type", "system_event"),
        ({"emotion": Emotion(intensity=0.5)}, "emotion.intensity", 0.5),
        ({"rhythm": Rhythm(words=("x",))}, "rhythm.words", ("x",)),
        ({"kind": None, "tags": None}, "kind", None),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else None,
)  # fmt: skip
def test_plain_words_find_their_place(words: dict[str, Any], path: str, value: Any) -> None:
    """DESIGN 3: names of enumerations, dates as text, lists where tuples are kept."""
    held: Any = about(**words)
    for part in path.split("."):
        held = getattr(held, part)
    assert held == value


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Saegim]:
    """Return one empty memory for all refusals: none of them may write to it."""
    with Saegim.open(tmp_path_factory.mktemp("shelf") / "m.db", clock=FixedClock()) as memory:
        yield memory


BAD: list[tuple[str, Any]] = [
    ("colour", "red"),
    ("scope", Scope("you")),
    ("user", "you"),
    ("kind", "nonsense"),
    ("kind", 5),
    ("tier", "M7"),
    ("origin", "god"),
    ("source", 5),
    ("tags", "tea"),
    ("tags", [""]),
    ("keywords", "tea"),
    ("keywords", ["\ud800"]),
    ("triples", [["a", "b"]]),
    ("triples", ["abc"]),
    ("files", "a.py"),
    ("domain", 5),
    ("domain", "a\x00b"),
    ("depth", "deep"),
    ("depth", 1.5),
    ("depth", 2**70),
    ("sequence", "first"),
    ("sequence", True),
    ("token_count", "many"),
    ("brief", 5),
    ("language", b"ko"),
    ("role", "\ud83d"),
    ("author", 5),
    ("author", "a\x00"),
    ("persona", {}),
    ("feelings", "joy"),
    ("feelings", ["gladness"]),
    ("feelings", 5),
    ("emotion", "joy"),
    ("content", 5),
    ("space", "kitchen"),
    ("provenance", {"author": "me"}),
    ("rhythm", ()),
    ("snapshot", {"a": object()}),
    ("snapshot", [1]),
    ("importance", math.nan),
    ("importance", 1.01),
    ("importance", "high"),
    ("confidence", -1),
    ("confidence", True),
    ("rating", 0),
    ("rating", 6),
    ("rating", "5"),
    ("rating", 2.5),
    ("sentiment", 2),
    ("sentiment", math.nan),
    ("intensity", 1.5),
    ("pinned", "yes"),
    ("immutable", 1),
    ("visibility", 5),
    ("happened_at", (2026, 1, 1)),
    ("happened_at", "yesterday"),
    ("happened_at", "2026-02-30"),
    ("happened_at", "9999-12-31T23:59:59-05:00"),
    ("happened_at", 1767225600),
    ("valid_from", "0001-01-01T00:00:00+09:00"),
    ("session", 5),
    ("session", "a\nb"),
    ("project", "../up"),
    ("agent", ["x"]),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=[f"{n}-{v!r:.20}" for n, v in BAD])
def test_what_cannot_be_said_about_a_memory_is_named(shelf: Saegim, name: str, value: Any) -> None:
    """Bad input: the error names the thing and what would do, and nothing is written."""
    with pytest.raises(BadInput) as caught:
        shelf.remember("tea", **{name: value})
    assert shelf.maintenance.verify()[0] == 0
    singular = {"tags": "tag", "keywords": "tag"}.get(name, name)
    assert singular in caught.value.message
    assert caught.value.next_step
