"""What an answer feels like, and the mood that is left: worked out when read, never written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.memory import Emotion, Feeling
from saegim.recall.mood import Mood, blended, congruent

GLAD, SAD = "합격해서 정말 기뻐", "친구가 떠나서 너무 슬퍼"


def test_an_answer_brings_back_the_feelings_of_what_it_shows(memory: Saegim) -> None:
    """Seed D §2: recalling a memory applies its feeling; a plain answer applies none."""
    memory.remember("시험에 합격해서 정말 기뻤다")
    memory.remember("우산은 현관에 있다")
    felt = memory.recall("합격").feelings
    assert felt is not None
    assert felt.feeling is Feeling.JOY
    assert 0 < felt.intensity <= 1
    assert memory.recall("우산").feelings is None


def test_rank_and_strength_weigh_and_joy_beside_sadness_is_nostalgia() -> None:
    """The first counts most, the stronger more; the seed's one blend is read from the pair."""
    joy, sad = (Emotion(feelings=(each,), intensity=0.8) for each in (Feeling.JOY, Feeling.SADNESS))
    both = blended([(joy, 1.0), (sad, 0.9)])
    assert both is not None
    assert both.feeling is Feeling.NOSTALGIA
    first = blended([(joy, 1.0), (sad, 0.25)])
    assert first is not None
    assert first.feeling is Feeling.JOY
    faint = blended([(joy, 1.0), (Emotion(), 3.0)])
    assert faint is not None
    assert faint.intensity == pytest.approx(0.2)
    assert blended([(Emotion(feelings=(Feeling.NEUTRAL,), intensity=0.5), 1.0)]) is None


@pytest.mark.parametrize(
    ("text", "feeling"), [(GLAD, "joy"), ("I am so sad that my friend left", "sadness")]
)
def test_a_mood_comes_from_what_was_just_heard_and_fades(
    memory: Saegim, clock: FixedClock, text: str, feeling: str
) -> None:
    """A feeling sets a mood; after an hour it is half as strong, after a day there is none."""
    assert memory.mood() is None
    memory.remember(text)
    now = memory.mood()
    assert now is not None
    assert now.feeling == feeling
    clock.at += timedelta(hours=1)
    later = memory.mood()
    assert later is not None
    assert later.intensity < now.intensity
    clock.at += timedelta(days=1)
    assert memory.mood() is None


def test_recalling_brings_the_mood_back_fainter(memory: Saegim, clock: FixedClock) -> None:
    """Remembering is fainter than living through it, and sets a mood all the same."""
    memory.remember(SAD)
    lived = memory.mood()
    clock.at += timedelta(days=3)
    assert memory.mood() is None
    memory.recall("친구")
    again = memory.mood()
    assert lived is not None
    assert again is not None
    assert again.feeling is Feeling.SADNESS
    assert again.intensity < lived.intensity


def test_strangers_and_dreams_set_no_mood(memory: Saegim) -> None:
    """What a page says, or what was imagined, is nobody's feeling here."""
    memory.remember(SAD, origin="web")
    memory.remember(SAD, kind="imagined")
    assert memory.mood() is None


def test_reading_the_mood_writes_nothing(memory: Saegim) -> None:
    """Neither the ledger nor a page moves."""
    memory.remember(GLAD)
    before = memory.maintenance.verify()
    memory.mood()
    assert memory.maintenance.verify() == before
    assert memory.mind.store.pages.of(memory.scope) == []


def test_mood_congruent_recall_is_off_and_small_when_on(memory: Saegim) -> None:
    """On, what feels like the mood rises among equals; off, the order is the score's own."""
    memory.remember("강릉 바다에서 정말 기뻤어")
    memory.remember("강릉 바다에서 너무 슬펐어")
    assert memory.mind.settings.mood_share == 0.0
    hits = memory.recall("강릉 바다").hits
    sad = Mood({Feeling.SADNESS: 1.0}, 1.0)
    assert [hit.memory.id for hit in congruent(hits, None, 0.5)] == [h.memory.id for h in hits]
    assert "슬펐어" in congruent(hits, sad, 0.5)[0].memory.text
    glad = Mood({Feeling.JOY: 1.0}, 1.0)
    assert "기뻤어" in congruent(hits, glad, 0.5)[0].memory.text


def test_the_setting_turns_it_on(tmp_path: object, clock: FixedClock) -> None:
    """With a share the mood of now is asked; a prompt stays the same however it is asked for."""
    from pathlib import Path

    path = Path(str(tmp_path)) / "mood.db"
    with Saegim.open(path, clock=clock, mood_share=0.5) as memory:
        memory.remember("강릉 바다에서 정말 기뻤어")
        clock.at += timedelta(days=2)
        memory.remember("강릉 바다에서 너무 슬펐어")
        clock.at += timedelta(minutes=1)
        assert "슬펐어" in memory.recall("강릉 바다에서").hits[0].memory.text
        assert memory.context("강릉 바다").text == memory.context("강릉 바다").text
