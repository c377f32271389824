"""What a model said and was not believed: a person is told what it was and why, in every place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from saying import Say, kept

from engines.llm_server import LLMServer, Turn
from saegim.language.grounding import Ground
from saegim.messages import entries

SAID = "나 커피는 안 마셔, 보리차만 마셔"
FACTS = {
    "사용자는 보리차만 마신다": "",
    "사용자는 안 마셔": "incomplete",
    "The user drinks tea": "language",
    "사용자는 2019년에 결혼했다": "date",
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    """Run a server that reads one fact and invents the others; every command asks it."""
    facts = [{"fact": fact, "importance": 0.9, "confidence": 0.9} for fact in FACTS]
    with LLMServer(turn=Turn(text=json.dumps({"facts": facts}, ensure_ascii=False))) as running:
        monkeypatch.setenv("SAEGIM_MODEL", "openai:m")
        monkeypatch.setenv("SAEGIM_MODEL_URL", f"{running.url}/v1")
        monkeypatch.setenv("SAEGIM_BACKGROUND", "false")
        yield running


@pytest.mark.parametrize("language", ["en", "ko"])
def test_work_says_what_was_left_out_and_why(
    server: LLMServer, say: Say, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """U18.4: each refusal with its words and its reason, in the language of the person."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", language)
    kept(say, SAID)
    told = say("work").out
    words = entries("cli", language)
    for fact, reason in FACTS.items():
        if reason:
            assert f"{fact} ({words[f'refused {reason}'].message})" in told
        else:
            assert fact not in told, "the control: what was taken is not among them"


def test_the_reasons_are_counted_and_logged_without_the_words(
    server: LLMServer, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U18.4: how often each reason was given stands in the status and in the log, no fact does."""
    kept(say, SAID)
    assert say("--json", "status").json["model"]["left_out"] == {}
    monkeypatch.setenv("SAEGIM_LOG_LEVEL", "INFO")
    logged = say("work").err
    monkeypatch.delenv("SAEGIM_LOG_LEVEL")
    assert say("--json", "status").json["model"]["left_out"] == {
        "date": 1,
        "incomplete": 1,
        "language": 1,
    }
    assert "left out of what was read: date 1, incomplete 1, language 1" in logged
    assert not any(fact in logged for fact in FACTS)


def test_an_agent_is_told_in_the_same_words(say: Say) -> None:
    """U18.4: what a calling agent hands in is refused with the same reasons."""
    say("observe", SAID)
    (job,) = [each["job"] for each in say("--json", "distil").json["jobs"]]
    told = say("distil", job, "-", stdin=json.dumps([{"fact": each} for each in FACTS]).encode())
    assert f"The user drinks tea ({entries('cli', 'en')['refused language'].message})" in told.out


def test_every_reason_has_words_in_both_languages() -> None:
    """U18.4: no code of ours reaches a person."""
    own = re.split(r"[,.\s]+", (Ground.wrong_with.__doc__ or "").partition("Reasons: ")[2])
    later = "role echo duplicate empty too_long too_many unreadable weak known".split()
    reasons = {f"refused {reason}" for reason in (*own, *later) if reason}
    assert len(reasons) >= 20
    for language in ("en", "ko"):
        assert {name for name in entries("cli", language) if name.startswith("refused ")} == reasons
