"""The amplitude of affect and the phases of a debate, in Korean and English."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saegim import Saegim
from saegim.memory.memory import Emotion, Feeling
from saegim.perceive.build import hear
from saegim.personas.phase import (
    INJECTIONS,
    PhaseController,
    analyse,
    rhythm_phase,
)

FLAT, LOUD = Emotion(), Emotion(intensity=0.9, feelings=(Feeling.JOY,))


def test_affect_follows_what_is_felt() -> None:
    """Seed A §7.1 `integrate_response`: before, after, and whether an injection was applied."""
    phase = PhaseController()
    up = phase.integrate_response(LOUD)
    assert (up.affect_before, up.affect_after, up.injection_applied) == (0.5, 0.7, False)
    down = phase.integrate_response(FLAT)
    assert (down.affect_before, down.affect_after) == (0.7, 0.35)


def test_a_debate_that_stalls_gets_one_injection() -> None:
    """Two answers that move nothing call for something new; then it may move again."""
    phase = PhaseController()
    steps = [phase.integrate_response(FLAT) for _ in range(4)]
    assert phase.stalls
    assert phase.injection("ko") == INJECTIONS["ko"]
    assert phase.injection("en") == INJECTIONS["en"]
    assert not any(each.injection_applied for each in steps)
    kicked = phase.integrate_response(FLAT)
    assert kicked.injection_applied
    assert kicked.affect_after > kicked.affect_before
    assert not phase.stalls
    assert phase.injection("en") == ""


def test_a_debate_that_moves_gets_none() -> None:
    """Control: while feelings go up and down nothing is injected."""
    phase = PhaseController()
    for _ in range(6):
        assert not phase.integrate_response(LOUD).injection_applied
        assert not phase.integrate_response(FLAT).injection_applied


def test_a_voice_that_failed_moves_nothing_and_a_run_goes_on_where_it_was() -> None:
    """The controller of a resumed run stands where the broken one stood."""
    phase = PhaseController()
    steps = [phase.integrate_response(LOUD), phase.integrate_response(FLAT, failed=True)]
    assert steps[1].affect_after == steps[1].affect_before
    again = PhaseController(steps)
    assert (again.affect, again.stalls) == (phase.affect, phase.stalls)
    assert again.integrate_response(FLAT) == phase.integrate_response(FLAT)


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("What if we tried it for a month? Perhaps it works.", "exploration"),
        ("만약 한 달만 해 보면 어떨까?", "exploration"),
        ("However, this overlooks the risk.", "tension"),
        ("하지만 그건 위험을 놓치고 있어.", "tension"),
        ("Therefore we combine both.", "integration"),
        ("따라서 결국 둘 다 함께 하면 된다.", "integration"),
        ("The meeting is at three.", "rest"),
        ("회의는 세 시다.", "rest"),
    ],
)
def test_the_phase_is_read_in_both_languages(memory: Saegim, text: str, phase: str) -> None:
    """Seed A §3.3 `rhythm_phase`: by what leads the sentence and by how it feels."""
    assert rhythm_phase(text, hear(text, memory.mind).emotion) == phase


@pytest.mark.parametrize(
    ("asked", "said", "words"),
    [
        ("I am afraid of moving", "You will be happy there", ["happy", "afraid"]),
        ("이사가 무서워", "거기서 행복할 거야", ["행복", "무서"]),
    ],
)
def test_a_snapshot_holds_the_emotion_words_of_question_and_answer(
    memory: Saegim, asked: str, said: str, words: list[str]
) -> None:
    """Seed A §3.3 `bqi_coordinate`: time, space, agent, emotion, rhythm phase."""
    made = analyse(
        said,
        asked=hear(asked, memory.mind).emotion,
        felt=hear(said, memory.mind).emotion,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        space="debate",
        agent="thesis",
        affect=0.4,
    )
    assert list(made) == ["time", "space", "agent", "emotion", "rhythm_phase"]
    assert made["time"] == "2026-01-01T00:00:00Z"
    assert made["emotion"]["affect"] == 0.4
    told = " ".join(made["emotion"]["keywords"])
    assert all(word in told for word in words)
