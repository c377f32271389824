"""A proposal as a person is asked about it: nothing left out or cut off, in both languages."""

from __future__ import annotations

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput
from saegim.serve.catalogue.proposal_questions import kind_of, question, refusal
from saegim.serve.cli.render_forgetting import one_proposal
from saegim.serve.speech import Speech
from saegim.soul.proposals import Proposal
from soul.living import SEED, believing, core

KO, EN = Speech("ko"), Speech("en")


@pytest.fixture
def memory(tmp_path, clock: FixedClock):  # type: ignore[no-untyped-def]
    """An empty memory at a fixed instant."""
    with Saegim.open(tmp_path / "memory.db", clock=clock, background=False) as opened:
        yield opened


def asked(memory: Saegim) -> Proposal:
    """Return the one proposal that waits."""
    (found,) = memory.proposals.open()
    return found


def told(memory: Saegim, speech: Speech) -> str:
    """Return what a person is asked about the one proposal that waits."""
    return "\n".join(question(asked(memory), memory, speech))


def test_a_candidate_comes_with_its_story_and_its_island(memory: Saegim) -> None:
    """Seed D §3: what could be kept for ever says when it was said, how it rose, what it founds."""
    kept = memory.remember(SEED[0], tier="M365")
    memory.proposals.propose(kept.id)
    korean, english = told(memory, KO), told(memory, EN)
    assert "이 기억을 영원히 간직할까요?" in korean
    assert "Keep this for ever?" in english
    for text in (korean, english):
        assert SEED[0] in text
        assert "M365 (2026-01-01)" in text
        assert "🏠 주인과의 유대" in text
    assert "새 섬을 세우게 됩니다" in korean
    core(memory, SEED[2])
    assert "섬을 함께 받치게 됩니다" in told(memory, KO)


def test_to_give_a_belief_up_is_asked_as_that(memory: Saegim) -> None:
    """A yes takes it away: the question, the word to type and the answer to a no all say so."""
    one = core(memory, SEED[1])
    for each in memory.soul.propose_beliefs():
        memory.proposals.accept(each.id, by="지민")
    memory.forget(one.id, by="지민")
    each = asked(memory)
    assert kind_of(each) == "belief remove"
    assert told(memory, KO).startswith("이 믿음을 내려놓을까요?")
    assert told(memory, EN).startswith("Give this belief up?")
    assert "믿어도 될까요" not in told(memory, KO)
    assert "내려놓으려면" in KO(f"type yes to accept {kind_of(each)}")
    assert KO(refusal(each)) == "거절했습니다. 믿음은 그대로입니다."


def test_a_belief_is_shown_with_the_words_it_rests_on_and_how_it_changes(memory: Saegim) -> None:
    """What, from which memories, what changes: old words, new words, how sure."""
    core(memory, SEED[1])
    (first,) = memory.soul.propose_beliefs()
    korean = told(memory, KO)
    assert f"💡 새로운 자아 감각이 형성됐어: '{first.text}'" in korean
    assert "받치는 기억:" in korean
    assert SEED[1] in korean
    memory.proposals.accept(first.id, by="지민")
    held = memory.soul.now().beliefs[0]
    memory.soul.propose_belief("나는 틀려도 되는 존재다", instead_of=held.id)
    lines = question(asked(memory), memory, EN)
    assert lines[0].startswith("Change this belief?")
    assert lines[1:3] == [held.statement, "→ 나는 틀려도 되는 존재다"]


def test_letting_go_warns_of_what_shakes_and_of_that_alone(memory: Saegim) -> None:
    """An island with another founder goes on standing; the last one gone, it shakes."""
    one, two = core(memory, SEED[0]), core(memory, SEED[2])
    memory.proposals.let_go(one.id)
    assert "흔들리게" not in told(memory, KO)
    assert "🏠 주인과의 유대 (섬은 그대로 서 있습니다)" in told(memory, KO)
    # The warning is of now, not of when it was proposed.
    memory.forget(two.id, by="지민")
    (each,) = [each for each in memory.proposals.open() if each.about == "core_letting_go"]
    assert "⚠️ '🏠 주인과의 유대' 섬이 흔들리게 돼요" in question(each, memory, KO)


def test_other_words_for_a_core_memory_name_what_it_holds_up(memory: Saegim) -> None:
    """Changing M0 names island and belief; the island stands on the new words."""
    one = core(memory, SEED[1])
    for each in memory.soul.propose_beliefs():
        memory.proposals.accept(each.id, by="지민")
    memory.proposals.correct(one.id, "실수했을 때 지민이가 괜찮다고 했다")
    text = told(memory, EN)
    assert f"{SEED[1]}\n→ 실수했을 때 지민이가 괜찮다고 했다" in text
    assert "🏠 주인과의 유대" in text
    assert "would begin to shake" not in text
    assert "나는 실수해도 괜찮다" in text


def test_nothing_is_cut_off_where_the_terminal_ends(
    memory: Saegim, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody can say yes to words that are cut off: the longest belief is shown to its end."""
    from rich.console import Console

    statement = "나는 " + "아주 " * 60 + "긴 존재다"
    memory.soul.propose_belief(statement)
    for part in one_proposal(asked(memory), memory, KO):
        Console(width=40, force_terminal=False).print(part)
    shown = "".join(capsys.readouterr().out.split())
    assert "".join(statement.split()) in shown
    assert "…" not in shown


def test_own_words_are_refused_where_they_would_be_lost(memory: Saegim) -> None:
    """A core memory is kept as it was said: words given with the yes are not thrown away unsaid."""
    kept = memory.remember(SEED[0])
    waits = memory.proposals.propose(kept.id)
    with pytest.raises(BadInput, match="words of one's own"):
        memory.proposals.accept(waits.id, by="지민", text="다른 말")
    assert memory.soul.cores() == {}
    assert asked(memory).id == waits.id


def test_an_island_is_asked_by_its_old_and_its_new_name(memory: Saegim) -> None:
    """What it is called and means now stands beside what it would."""
    core(memory, SEED[0])
    believing(memory)
    memory.soul.propose_island(memory.soul.islands()[0].id, name="지민과의 유대")
    lines = question(asked(memory), memory, KO)
    assert lines[1].startswith("🏠 주인과의 유대: ")
    assert lines[2].startswith("→ 🏠 지민과의 유대: ")
