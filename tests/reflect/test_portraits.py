"""Profiles by rule: what someone likes and comes up with, only from who may say so; no counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reflect.living import LIVES, days, lived, thought
from saegim import FixedClock, Saegim
from saegim.memory.changes import Met
from saegim.store.commit import Batch

LIFE = {life["id"]: life["memories"] for life in LIVES}
KOREAN = (
    "민수는 커피를 좋아한다", "민수는 오이를 싫어한다", "민수와 산책했다", "민수에게 책을 줬다",
    "우산을 샀다", "창문을 닦았다", "약을 먹었다", "의자를 고쳤다",
)  # fmt: skip
ENGLISH = (
    "Emma likes coffee", "Emma hates cucumber", "Took a walk with Emma", "Gave Emma a book",
    "Bought an umbrella", "Cleaned the window", "Took a pill", "Fixed the chair",
)  # fmt: skip


def test_a_korean_profile_tells_likes_and_dislikes(memory: Saegim, clock: FixedClock) -> None:
    """Seed E profiles: liked and disliked, in Korean, and not how often someone came up."""
    kept = lived(days(*KOREAN), memory, clock)
    (portrait,) = thought(memory, kept).portraits
    assert portrait.entity.summary == "민수는 커피를 좋아하고 오이를 싫어한다."
    assert {each.id for each in portrait.sources} == {each.id for each in kept[:4]}


def test_an_english_profile_tells_likes_and_dislikes(memory: Saegim, clock: FixedClock) -> None:
    """Seed E profiles: the same in English."""
    kept = lived(days(*ENGLISH), memory, clock)
    (portrait,) = thought(memory, kept).portraits
    assert portrait.entity.summary == "Emma likes coffee and dislikes cucumber."


def test_a_page_gives_nobody_a_taste(memory: Saegim, clock: FixedClock) -> None:
    """M1: that someone likes a thing is not taken from the web, nor from another project."""
    lived(days("Emma likes gambling", "Emma likes vodka", origin="web"), memory, clock)
    lived(days("Emma likes opera", project="elsewhere"), memory, clock)
    kept = lived(days(*ENGLISH, start=5), memory, clock)
    (portrait,) = thought(memory, kept).portraits
    for word in ("gambling", "vodka", "opera"):
        assert word not in portrait.entity.summary
    assert "likes coffee" in portrait.entity.summary


def test_the_last_word_on_a_taste_counts(memory: Saegim, clock: FixedClock) -> None:
    """Whoever no longer likes coffee is not said to like it."""
    kept = lived(days(*ENGLISH, "Emma doesn't like coffee"), memory, clock)
    (portrait,) = thought(memory, kept).portraits
    assert "likes coffee" not in portrait.entity.summary.replace("dislikes", "")


def test_what_finds_no_room_is_not_turned_round(memory: Saegim, clock: FixedClock) -> None:
    """Of four liked things three are named; the fourth, once disliked, is not called disliked."""
    lines = ("Emma hates coffee. It rained all day.", "Emma likes coffee", "Emma likes tea",
             "Emma likes jazz", "Emma likes maps", *ENGLISH[4:])  # fmt: skip
    (portrait,) = thought(memory, lived(days(*lines), memory, clock)).portraits
    assert "likes maps, jazz and tea" in portrait.entity.summary
    assert "coffee" not in portrait.entity.summary


def test_the_tone_and_the_company_are_told(memory: Saegim, clock: FixedClock) -> None:
    """What someone mostly comes up with, and how that feels, stand in a second sentence."""
    lines = (
        "Emma made me happy on our hiking trip", "Wonderful hiking day with Emma",
        "Emma and I loved the hiking path", "So glad about hiking with Emma",
    )  # fmt: skip
    kept = lived(days(*lines, *ENGLISH[4:]), memory, clock)
    (portrait,) = [each for each in thought(memory, kept).portraits if each.entity.name == "Emma"]
    assert portrait.entity.summary.endswith(
        "In March 2026 Emma came up mostly together with hiking, in a bright tone."
    )
    assert len(portrait.entity.summary) <= 300


def test_only_what_changed_is_returned(memory: Saegim, clock: FixedClock) -> None:
    """A profile that would be written the same again is not written again."""
    kept = lived(days(*ENGLISH), memory, clock)
    (portrait,) = thought(memory, kept).portraits
    now = memory.mind.now()
    batch = Batch(memory.scope.user, [Met(portrait.entity)], actor="test", at=now)
    memory.mind.store.commit(batch)
    assert thought(memory, kept).portraits == ()
    changed = replace(portrait.entity, summary="Something else.")
    memory.mind.store.commit(replace(batch, changes=[Met(changed)]))
    assert [each.entity.summary for each in thought(memory, kept).portraits] == [
        portrait.entity.summary
    ]


def test_the_person_is_not_portrayed(memory: Saegim, clock: FixedClock) -> None:
    """Who speaks is no acquaintance: the self is the soul's, not a profile."""
    texts = tuple(f"I like {thing}" for thing in "tea jazz rain bread maps clay moss".split())
    found = thought(memory, lived(days(*texts), memory, clock))
    assert not [each for each in found.portraits if each.entity.name == "me"]
    assert not [each for each in found.insights if "entity:me" in each.about]


@pytest.mark.parametrize(
    "texts",
    [
        ("민수와 산책했다", "민수에게 책을 줬다", "민수가 전화했다", *KOREAN[4:]),
        ("Took a walk with Emma", "Gave Emma a book", "Emma called", *ENGLISH[4:]),
    ],
)
def test_of_whom_nothing_is_known_nothing_is_said(
    texts: tuple[str, ...], memory: Saegim, clock: FixedClock
) -> None:
    """That someone came up three times is no profile."""
    assert thought(memory, lived(days(*texts), memory, clock)).portraits == ()


@pytest.mark.parametrize(
    ("counted", "left"),
    [
        ("Emma is a person who has come up at least 4 times since 2 March 2026.", ""),
        ("Emma is a neighbour.", None),
    ],
)
def test_a_counted_profile_is_emptied(
    counted: str, left: str | None, memory: Saegim, clock: FixedClock
) -> None:
    """What an earlier version counted goes; what a model or a person wrote stays."""
    texts = ("Took a walk with Emma", "Gave Emma a book", "Emma called", *ENGLISH[4:])
    kept = lived(days(*texts), memory, clock)
    (emma,) = memory.entities.named("Emma")
    known = replace(emma, summary=counted)
    batch = Batch(memory.scope.user, [Met(known)], actor="test", at=memory.mind.now())
    memory.mind.store.commit(batch)
    found = [each.entity.summary for each in thought(memory, kept).portraits]
    assert found == ([] if left is None else [left])
