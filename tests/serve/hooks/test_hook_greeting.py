"""The block a session opens with: the person's words and the agent's, and no stranger's."""

from __future__ import annotations

import pytest

from saegim import FixedClock, Origin, Saegim
from saegim.memory.memory import STRANGERS
from saegim.serve.hooks import flow
from saegim.serve.hooks.flow import greeting
from sleep.stages.ageing import used

WORDS = {
    Origin.WEB: "The harbour museum closes at six",
    Origin.PEER: "The ferry to the island leaves at nine",
    Origin.TOOL_OUTPUT: "The build took four minutes on the new machine",
}
MAIL = "From: Rob\nSubject: keys\n\nThe spare keys are under the blue pot."


def strangers(memory: Saegim) -> list[str]:
    """Keep what strangers said: plainly, pinned, and quoted by the person in a turn."""
    for origin, words in WORDS.items():
        memory.remember(words, origin=origin.value)
        memory.remember(f"{words}, they say", origin=origin.value, pinned=True)
    memory.observe(f"이 메일 꼭 기억해 줘.\n\n{MAIL}", session="before")
    return [*WORDS.values(), "spare keys"]


def test_a_session_opens_with_no_strangers_words(memory: Saegim) -> None:
    """Pinned or newest, quoted or brought: what nobody vouches for waits to be asked."""
    memory.remember("나는 서울에 살아")
    theirs = strangers(memory)
    told = greeting(memory, session="now")
    assert "나는 서울에 살아" in told
    assert [words for words in theirs if words in told] == []
    assert memory.recall("where are the spare keys?").hits, "asked about, it is there"


def test_without_the_rule_a_session_opens_with_them(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: they are the newest and the pinned, and would stand there."""
    monkeypatch.setattr(flow, "_VOUCHED_FOR", tuple(Origin))
    theirs = strangers(memory)
    told = greeting(memory, session="now")
    assert [words for words in theirs if words in told] != []


@pytest.mark.parametrize("guarded", [True, False])
def test_what_a_stranger_said_is_no_news_when_it_rises(
    memory: Saegim, clock: FixedClock, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    """Used often, a page rises (seed D §3); the start of a session does not read it out."""
    if not guarded:
        monkeypatch.setattr(flow, "STRANGERS", ())
    kept = memory.remember(WORDS[Origin.WEB], origin="web", tier="M30")
    used(memory, kept.id, 3)
    clock.forward(days=7)
    memory.sleep()
    assert len(memory.nights.promotions()) == 1
    assert (WORDS[Origin.WEB] in greeting(memory, session="now")) is not guarded


def test_a_session_was_about_what_the_person_said(memory: Saegim) -> None:
    """The topic of the last session holds no word that was only quoted in it."""
    memory.sessions.start("before")
    memory.observe(f"나는 매주 수요일에 수영을 다녀.\n\n{MAIL}", session="before")
    memory.observe("이 메일 꼭 기억해 줘.\n\n" + MAIL, session="before")
    memory.sessions.end("before")
    (line,) = [each for each in greeting(memory, session="now").splitlines() if "topic=" in each]
    assert "수영" in line
    assert not any(word in line for word in ("keys", "spare", "Rob", "pot"))


def test_strangers_are_those_nobody_vouches_for() -> None:
    """The greeting leaves out exactly the origins that recall holds to one hit each."""
    assert set(flow._VOUCHED_FOR) == set(Origin) - set(STRANGERS)
