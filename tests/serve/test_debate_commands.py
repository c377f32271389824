"""Voices at the command line and in the catalogue: streamed, listed, resumed, rated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from saying import Say

from personas.speakers import KOREAN, LINES, QUESTION, Speakers
from saegim import Saegim
from saegim.serve.catalogue.catalogue import CATALOGUE, shown_to
from saegim.serve.catalogue.entry import CallContext


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Speakers]:
    """A server that every command asks."""
    with Speakers() as running:
        monkeypatch.setenv("SAEGIM_MODEL", "ollama:m")
        monkeypatch.setenv("SAEGIM_MODEL_URL", running.url)
        yield running


def test_a_debate_is_told_voice_by_voice(say: Say, server: Speakers) -> None:
    """Name, role and words of each answer, in order; then what it came to and how to rate it."""
    said = say("debate", QUESTION, "--depth", "2")
    assert said.code == 0
    places = [said.out.index(each) for each in ("Thesis (Proposer)", *LINES)]
    assert places == sorted(places)
    assert "Antithesis, Thesis, Fractal Synthesiser" in said.out
    assert "--rate 1..5" in said.out
    assert "\x1b" not in said.out, "no colour where there is no terminal"
    id = said.out.split(":")[0]
    listed = say("--json", "debates").json["debates"]
    assert [(each["id"], each["state"], each["answers"]) for each in listed] == [(id, "done", 6)]
    assert QUESTION in say("debates").out
    shown = say("debate", "show", id, "--rate", "4")
    assert LINES[3] in shown.out
    assert "4" in shown.out.splitlines()[-1]
    record = say("--json", "debate", "show", "latest").json["debate"]
    assert record["history"][-1]["rating"] == 4
    assert [each["event_type"] for each in record["log_entries"]][-2:] == [
        "synthesis_report",
        "evaluation",
    ]


def test_chosen_voices_speak_korean(
    say: Say, server: Speakers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--personas` chooses who speaks and in which order, in the language of the question."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", "ko")
    said = say("debate", KOREAN, "--depth", "1", "--personas", "antithesis, synthesis")
    assert said.out.index("반 (반론자)") < said.out.index("합 (통합자)")
    assert "제안자" not in said.out
    assert "평가하기" in said.out


@pytest.mark.parametrize(("language", "says"), [("en", "No language model"), ("ko", "언어 모델")])
def test_without_a_model_the_prompts_are_shown(
    say: Say, monkeypatch: pytest.MonkeyPatch, language: str, says: str
) -> None:
    """It says so, shows what it would ask, and keeps nothing."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", language)
    said = say("debate", KOREAN)
    assert says in said.out
    assert said.out.count("Seed focus: " + KOREAN) == 3
    told = say("--json", "debate", KOREAN).json
    assert (told["status"], len(told["prompts"])) == ("no_model", 3)
    assert say("--json", "debates").json == {"debates": []}


def test_a_debate_that_the_cap_broke_off_is_resumed(
    say: Say, server: Speakers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command says how to go on, and going on finishes it."""
    monkeypatch.setenv("SAEGIM_MODEL_DAILY_CALLS", "2")
    broken = say("debate", QUESTION, "--depth", "1")
    assert broken.code != 0
    id = broken.err.split("debate resume ")[1].split()[0]
    assert "resume" in say("debate", "show", id).out
    monkeypatch.setenv("SAEGIM_MODEL_DAILY_CALLS", "200")
    said = say("debate", "resume", id)
    assert LINES[2] in said.out
    assert LINES[0] not in said.out, "only what is new is told"
    assert say("debate", "show", "debate_nothing").code == 2


def test_the_catalogue_runs_lists_reads_and_rates(tmp_path: Path, server: Speakers) -> None:
    """The same at every door; a model may read debates, and neither run nor rate them."""
    with Saegim.open(tmp_path / "c.db", background=False) as memory:
        at = CallContext(memory)
        run = CATALOGUE["debate_run"].call(at, question=QUESTION, depth=1)
        assert run["status"] == "done"
        id = run["debate"]["id"]
        assert CATALOGUE["debate_list"].call(at)["items"][0]["id"] == id
        got = CATALOGUE["debate_get"].call(at, id=id)
        assert got["debate"]["answer"] == LINES[2]
        assert CATALOGUE["debate_resume"].call(at, id=id)["debate"]["answers"] == 3
        rated = CATALOGUE["debate_rate"].call(at, id=id, rating=5, answer=1)
        assert rated["debate"]["history"][0]["rating"] == 5
    names = {each.name for each in shown_to("full")}
    assert {"debate_list", "debate_get"} <= names
    assert not {"debate_run", "debate_resume", "debate_rate"} & names
