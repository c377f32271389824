"""What people do with debates: rehearse without a model, list, read, rate, export, forget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personas.speakers import KOREAN, LINES, QUESTION, Speakers, opened
from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.memory import Origin


@pytest.mark.parametrize(("question", "names"), [(QUESTION, "Thesis"), (KOREAN, "정")])
def test_without_a_model_it_says_so_and_shows_what_it_would_ask(
    memory: Saegim, question: str, names: str
) -> None:
    """Nothing is kept and nobody is asked; every prompt of the first round is there."""
    with pytest.raises(Refused, match=names):
        memory.debates.run(question)
    asked = memory.debates.rehearse(question)
    assert [each.persona for each in asked] == ["thesis", "antithesis", "synthesis"]
    for at, each in enumerate(asked, 1):
        assert each.prompt.startswith("System instruction: ")
        assert f"Seed focus: {question}" in each.prompt
        assert f"This is cycle step {at}." in each.prompt
        assert each.backend == ""
    assert '- antithesis: "…"' in asked[2].prompt
    assert memory.recent(5).total == 0
    assert memory.debates.all() == []


def test_debates_are_listed_and_read_by_their_owner_alone(
    voices: Saegim, clock: FixedClock
) -> None:
    """The newest first; another user of the store sees none of them."""
    one = voices.debates.run(QUESTION, depth=1)
    clock.forward(hours=1)
    two = voices.debates.run(KOREAN, depth=1, personas=["antithesis", "thesis"])
    assert [(run.id, asked) for run, asked in voices.debates.all()] == [
        (two.debate.id, KOREAN),
        (one.debate.id, QUESTION),
    ]
    assert voices.debates.get("latest") == two
    assert [each["persona"] for each in two.history] == ["antithesis", "thesis"]
    other = voices.within(user="other")
    assert other.debates.all() == []
    for id in (one.debate.id, "latest", "debate_nothing"):
        with pytest.raises(NotFound):
            other.debates.get(id)


def test_a_run_and_each_answer_can_be_rated(voices: Saegim, server: Speakers) -> None:
    """A §10.3: 1 to 5 stars, for what the run came to or one answer; logged as `user_rating`."""
    server.out = {1}
    run = voices.debates.run(QUESTION, depth=1).debate
    before = voices.get(run.final).worth.importance
    assert voices.debates.rate(run.id, 5).memory.id == run.final
    assert voices.get(run.final).worth.rating == 5
    assert voices.get(run.final).worth.importance > before
    voices.debates.rate(run.id, 2, answer=2)
    record = voices.debates.get(run.id)
    assert record.ratings == {run.final: 5, run.steps[1].memory: 2}
    told = [each["evaluation"] for each in record.log_entries[-2:]]
    assert told == [{"user_rating": 5}, {"user_rating": 2}]
    for rating, answer in ((0, None), (6, None), (3, 1), (3, 9)):
        with pytest.raises(BadInput):
            voices.debates.rate(run.id, rating, answer=answer)
    assert len(voices.debates.get(run.id).log_entries) == len(record.log_entries)


def test_the_ledger_of_a_run_is_exported_line_by_line_and_verifies(
    tmp_path: Path, clock: FixedClock, server: Speakers
) -> None:
    """A §3.3, §4.1: `ledger-YYYYMMDD.jsonl` as it is logged and as it is exported; one chain."""
    with opened(tmp_path, clock, server, log_path="ledger") as memory:
        memory.debates.rate(memory.debates.run(QUESTION, depth=2).debate.id, 4)
        record = memory.debates.get("latest")
        logged = tmp_path / "ledger" / "ledger-20260101.jsonl"
        lines = [json.loads(each) for each in logged.read_text("utf-8").splitlines()]
        assert lines == list(record.log_entries)
        for each in lines:
            assert {"timestamp", "session_id", "event_type", "bqi_coordinate", "impact_score",
                    "transparency", "reproducibility", "verifiability", "memory_refs",
                    "plan_adjustment"} <= each.keys()  # fmt: skip
            assert {"time", "space", "agent", "emotion", "rhythm_phase"} == each[
                "bqi_coordinate"
            ].keys()
        # Nobody has judged a question; everything else is judged.
        assert [each["impact_score"] is None for each in lines] == [True] + [False] * 10
        memory.export_to(tmp_path / "out", form="coordinates")
        out = tmp_path / "out" / "resonance_ledger" / "ledger-20260101.jsonl"
        assert [json.loads(each) for each in out.read_text("utf-8").splitlines()] == lines
        assert memory.maintenance.verify()[0] > 0
    with Saegim.open(tmp_path / "there.db", clock=clock, background=False) as there:
        there.import_from(tmp_path / "out", form="coordinates")
        assert there.search(persona="synthesis", limit=9)[0].text == LINES[-1]
        assert len(there.maintenance.resonance.recent(50)) == len(lines)


def test_an_erased_answer_leaves_no_words_in_its_debate(voices: Saegim) -> None:
    """The page holds ids and numbers: what is erased is gone from it, and the run still reads."""
    record = voices.debates.run(QUESTION, depth=1)
    first = record.debate.steps[0].memory
    voices.forgetting.erase(first, confirm=True, by="me")
    after = voices.debates.get(record.debate.id)
    assert after.history[0]["content"] == ""
    assert [each["content"] for each in after.history[1:]] == list(LINES[1:3])
    pages = voices.mind.store.pages.of(voices.scope, kind="debate")
    assert LINES[0] not in json.dumps([dict(each.data) for each in pages], ensure_ascii=False)


def test_answers_are_erased_with_their_question(voices: Saegim) -> None:
    """They quote it in their digests: nothing of it stays, and it is not asked again."""
    record = voices.debates.run(QUESTION, depth=1)
    begun = voices.debates.begin(QUESTION)
    voices.forgetting.erase(record.debate.question, begun.question, confirm=True, by="me")
    assert [each["content"] for each in voices.debates.get(record.debate.id).history] == [""] * 3
    assert voices.recent(5).total == 0
    with pytest.raises(NotFound, match="forgotten"):
        voices.debates.resume(begun.id)
    assert voices.maintenance.verify()[0] > 0


def test_a_run_stays_in_its_project_and_its_question_with_whoever_asked(voices: Saegim) -> None:
    """Gone on with from elsewhere, its answers belong where it was begun."""
    begun = voices.within(project="shed").debates.begin(QUESTION, origin=Origin.AGENT_INFERRED)
    assert voices.get(begun.question).provenance.origin is Origin.AGENT_INFERRED
    voices.debates.resume(begun.id)
    assert {each.scope.project for each in voices.by_session(begun.session)} == {"shed"}


def test_what_voices_say_changes_no_fact(voices: Saegim, server: Speakers) -> None:
    """A voice that claims something about the person makes nothing outdated and meets nobody."""
    kept = voices.remember("I live in Seoul")
    server.lines = ("I live in Busan now. My name is Minho and I work at Hanbit.",)
    voices.debates.run(QUESTION, depth=1)
    held = voices.get(kept.id)
    assert held.life.state.value == "active"
    assert held.time.valid_to is None
    names = {each.name for each in voices.mind.store.entities.of(voices.scope)}
    assert not {"Minho", "Hanbit", "Busan"} & names
