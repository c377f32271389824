"""What an answer is worth by rule, what a model may say of a round, and what that may change."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from engines.llm_server import JSON, PROTOCOLS, Answer, Seen
from personas.speakers import KOREAN, QUESTION, Speakers, opened
from saegim import FixedClock
from saegim.language.words import Basic
from saegim.personas.debate import DebateScores, DebateStep
from saegim.personas.evaluate import DraftedAnswer, judge_by_rule, plan_of, score_by_rule

VERDICT = {
    "impact_score": 0.9,
    "transparency": 0.4,
    "verifiability": 0.3,
    "new_order": ["synthesis", "antithesis", "thesis"],
}


@dataclass
class Judging(Speakers):
    """Answers a question with a schema by a verdict, and all others by the next line."""

    verdict: Any = field(default_factory=lambda: dict(VERDICT))

    def answer(self, request: Seen) -> Answer:
        """Judge, or speak."""
        if "format" not in request.body:
            return super().answer(request)
        if self.verdict is None:
            return 500, JSON, b"{}"
        text = self.verdict if isinstance(self.verdict, str) else json.dumps(self.verdict)
        made = PROTOCOLS[request.path](replace(self.turn, text=text))
        return 200, JSON, json.dumps(made).encode()


def scored(text: str, **about: Any) -> DebateScores:
    """Score an answer to the question."""
    given = {"seed_prompt": QUESTION, "earlier": (), "sources": (), "moved": 0.0,
             "finished": True, "digest_whole": True, **about}  # fmt: skip
    return score_by_rule(DraftedAnswer(text=text, **given), Basic().index)


def step(persona: str, impact: float, *, failed: bool = False) -> DebateStep:
    """One answer of a round."""
    place = {"number": 1, "depth_index": 1, "step_index": 1, "memory": f"mem_{persona}"}
    told = {"persona_name": persona, "role": "", "backend": "", "persona": persona}
    scores = DebateScores(impact_score=impact)
    felt = {"affect_before": 0.5, "affect_after": 0.5, "error_occurred": failed}
    return DebateStep(**place, **told, **felt, scores=scores)  # type: ignore[arg-type]


def test_what_brings_more_that_is_new_has_more_impact() -> None:
    """impact: new words, and how far the debate was moved."""
    same, new = scored(QUESTION), scored("Trains, customers and the sea decide about tomorrow.")
    assert same.impact_score == 0.0
    assert new.impact_score > 0.5
    assert scored(QUESTION, moved=0.5).impact_score == 0.3


@pytest.mark.parametrize(
    ("plain", "reasoned", "seed"),
    [
        ("The rent is lower.", "The rent is lower because of the harbour.", QUESTION),
        ("임대료가 싸다.", "항구가 가깝기 때문에 임대료가 싸다.", KOREAN),
    ],
)
def test_a_reason_makes_an_answer_more_transparent(plain: str, reasoned: str, seed: str) -> None:
    """transparency: in both languages it takes something up, and says why."""
    assert scored(plain, seed_prompt=seed).transparency == 0.7
    assert scored(reasoned, seed_prompt=seed).transparency == 1.0


def test_what_is_cut_off_is_harder_to_have_again() -> None:
    """reproducibility: whole at temperature nought is 1."""
    assert scored("The rent.").reproducibility == 1.0
    assert scored("The rent.", finished=False).reproducibility == 0.7
    assert scored("The rent.", finished=False, digest_whole=False).reproducibility == 0.6


def test_what_stands_in_the_sources_can_be_verified() -> None:
    """verifiability: the share of the words that were shown."""
    text = "The harbour office closes."
    assert scored(text).verifiability < 0.5
    assert scored(text, sources=["The harbour office closes at nine"]).verifiability == 1.0


def test_a_failed_voice_is_worth_nothing() -> None:
    """A §7.1: what went wrong is said openly, and brings nothing."""
    assert scored("[error: x]", failed=True) == DebateScores(transparency=1.0)


def test_who_brings_clearly_more_speaks_earlier_and_who_failed_later() -> None:
    """Rune feedback by rule; the last voice stays the last, and a small difference moves nobody."""
    swapped = judge_by_rule([step("a", 0.2), step("b", 0.5), step("c", 0.9)])
    assert swapped.order == ("b", "a", "c")
    same = judge_by_rule([step("a", 0.45), step("b", 0.5), step("c", 0.1)])
    assert plan_of(same, ("a", "b", "c")) is None
    failed = judge_by_rule([step("a", 0.0, failed=True), step("b", 0.4), step("c", 0.4)])
    assert failed.order == ("b", "a", "c")
    assert failed.scores.impact_score == 0.4


@pytest.mark.parametrize(
    ("verdict", "by", "order"),
    [
        (VERDICT, "model", ("synthesis", "antithesis", "thesis")),
        ({**VERDICT, "new_order": ["thesis", "stranger", "synthesis"]}, "model", ()),
        ({**VERDICT, "new_order": "thesis"}, "model", ()),
        ({**VERDICT, "impact_score": 7}, "rule", ("antithesis", "thesis", "synthesis")),
        ("I like them all.", "rule", ("antithesis", "thesis", "synthesis")),
        ("[" * 5000, "rule", ("antithesis", "thesis", "synthesis")),
        (None, "rule", ("antithesis", "thesis", "synthesis")),
    ],
)
def test_a_model_may_judge_a_round_and_only_a_whole_verdict_counts(
    tmp_path: Path, clock: FixedClock, verdict: Any, by: str, order: tuple[str, ...]
) -> None:
    """`debate_judge`: it may reorder, never lift; what cannot be used is judged by rule."""
    with (
        Judging(verdict=verdict) as server,
        opened(tmp_path, clock, server, debate_judge="model") as memory,
    ):
        record = memory.debates.run(QUESTION, depth=2)
        first = record.debate.rounds[0]
        assert (first.judged_by, first.new_order) == (by, order)
        for each in record.debate.steps:
            worth = memory.get(each.memory).worth.importance
            assert worth == pytest.approx(0.5 + 0.25 * each.scores.impact_score)
        spent = {each.purpose: each.calls for each in memory.mind.store.usage.spent()}
        assert spent == {"debate": 6, "debate_judge": 2}
        asked = next(each for each in server.seen if "format" in each.body)
        assert "<saegim-memory" in asked.prompt
