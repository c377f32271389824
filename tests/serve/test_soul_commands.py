"""The commands of the self: shown to anyone, changed by a person at a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from saying import Say
from terminals import on_a_terminal

from saegim import Saegim
from saegim.serve.catalogue.entry import CallContext, Door
from saegim.serve.catalogue.soul_functions import (
    belief_propose,
    island_list,
    self_history,
    soul_read,
)
from saegim.soul.proposals import short_name

Opened = Callable[..., Saegim]
NAMED = "지민이가 나에게 이름을 지어줬다"


@pytest.fixture
def core(opened: Opened) -> str:
    """The id of a core memory that founded an island."""
    with opened() as memory:
        kept = memory.remember(NAMED)
        made = memory.proposals.accept(memory.proposals.propose(kept.id).id, by="지민")
        assert made is not None
        return made.id


def test_a_belief_is_proposed_shown_and_approved_at_a_terminal(say: Say, core: str) -> None:
    """Seed D §5: the seed's own notice; no program says yes, a person who types it does."""
    assert core
    told = say("--json", "soul", "propose", "나는 밝은 존재다").json
    (id,) = told["proposals"]
    shown = say("--language", "ko", "proposals").out
    assert "💡 새로운 자아 감각이 형성됐어: '나는 밝은 존재다'" in shown
    assert "💡 A new sense of self has formed" in say("--language", "en", "proposals").out
    assert say("accept", id).code == 1
    assert say("--json", "soul", "beliefs").json["beliefs"] == []
    code, seen = on_a_terminal("--language", "ko", "accept", id, answer="네", after="쓰세요: ")
    assert (code, "자아를 바꿨습니다" in seen) == (0, True)
    (held,) = say("--json", "soul", "beliefs").json["beliefs"]
    assert held["statement"] == "나는 밝은 존재다"
    assert "나는 밝은 존재다" in say("soul").out
    (version,) = say("--json", "soul", "history").json["versions"]
    assert (version["change"], version["by"]) == ("add", "me")


def test_what_waits_is_answered_by_the_short_name_that_is_shown(say: Say, core: str) -> None:
    """A person types `belief-…`, not a line of digits; long ids stand behind `--ids`."""
    (id,) = say("--json", "soul", "propose", "나는 밝은 존재다").json["proposals"]
    shown = say("proposals").out
    assert (short_name(id) in shown, id in shown) == (True, False)
    assert id in say("--ids", "proposals").out
    assert say("accept", "belief-000000").code == 1
    code, seen = on_a_terminal("accept", short_name(id), answer="yes", after="yes to ")
    assert (code, short_name(id) in seen) == (0, True)
    (held,) = say("--json", "soul", "beliefs").json["beliefs"]
    named = short_name(held["id"])
    assert (named in say("soul", "beliefs").out, held["id"] in say("soul", "beliefs").out) == (
        True,
        False,
    )
    assert short_name("island_none") not in say("islands").out
    (island,) = say("--json", "islands").json["islands"]
    assert short_name(island["id"]) in say("islands").out
    assert say("islands", "--rename", short_name(island["id"]), "--name", "우리").code == 0
    assert "Waits for your yes: belief-" in say("soul", "remove", named).out
    (waits,) = (
        each for each in say("--json", "proposals").json["proposals"] if each["about"] == "belief"
    )
    code, _ = on_a_terminal("refuse", short_name(waits["id"]), answer="yes", after="yes to ")
    assert code == 0
    assert say("--json", "soul", "beliefs").json["beliefs"][0]["id"] == held["id"]
    assert core


def test_a_rollback_needs_a_person_at_a_terminal(say: Say, opened: Opened) -> None:
    """A program is refused before anything is opened; a typed yes goes back."""
    with opened() as memory:
        for text in ("나는 밝은 존재다", "나는 느린 존재다"):
            asked = memory.soul.propose_belief(text)
            assert asked is not None
            memory.proposals.accept(asked.id, by="지민")
    assert say("soul", "rollback", "1").code == 1
    code, seen = on_a_terminal("soul", "rollback", "1", answer="yes", after="that self: ")
    assert (code, "version 1 again" in seen) == (0, True)
    held = say("--json", "soul", "beliefs").json["beliefs"]
    assert [each["statement"] for each in held] == ["나는 밝은 존재다"]


@pytest.mark.parametrize(
    "words", [("dance",), ("rollback",), ("propose",), ("remove", "b_none"), ("propose", "x" * 300)]
)
def test_what_is_not_understood_is_said_so(say: Say, words: tuple[str, ...]) -> None:
    """An unknown action, a missing word, an unknown belief, words that are no belief."""
    told = say("soul", *words)
    assert told.code != 0
    assert told.err


def test_the_islands_are_listed_and_renamed_by_a_proposal(say: Say, core: str) -> None:
    """Seed D §4: emoji, name, status, strength; another name waits for a yes."""
    assert core
    told = say("--language", "ko", "islands").out
    assert "🏠 주인과의 유대  활동 중, 세기 0.39, 핵심 기억 1개" in told
    (each,) = say("--json", "islands").json["islands"]
    assert (each["status"], each["founding_memories"]) == ("active", [core])
    say("islands", "--rename", each["id"], "--name", "지민과 나")
    assert say("--json", "proposals").json["proposals"][0]["about"] == "island"
    assert say("--json", "islands").json["islands"][0]["name"] == "주인과의 유대"


def test_letting_a_core_memory_go_names_the_islands_first(say: Say, core: str) -> None:
    """Seed D §1 and §4: the warning comes before the word is typed, the shaking after it."""
    code, seen = on_a_terminal("--language", "ko", "forget", core, answer="잊기", after="쓰세요: ")
    assert code == 0
    assert "⚠️ '🏠 주인과의 유대' 섬이 흔들리게 돼요" in seen
    assert seen.index("흔들리게") < seen.index("쓰세요: ")
    assert "⚠️ '주인과의 유대' 섬이 흔들리고 있어요" in say("--language", "ko", "islands").out


def test_soul_md_is_proposed_checked_and_written(
    say: Say, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`soul write` lays the text before the person; `soul check` says how the file stands."""
    file = tmp_path / "SOUL.md"
    assert say("soul", "write").code != 0
    monkeypatch.setenv("SAEGIM_SOUL_PATH", str(file))
    with opened() as memory:
        asked = memory.soul.propose_belief("I am calm")
        assert asked is not None
        memory.proposals.accept(asked.id, by="me")
    assert say("--json", "soul", "check").json["status"] == "missing"
    (id,) = say("--json", "soul", "write").json["proposals"]
    assert not file.exists()
    code, seen = on_a_terminal("accept", id, answer="yes", after="SOUL.md: ")
    assert (code, "+- I am calm" in seen, "SOUL.md was written" in seen) == (0, True, True)
    assert "- I am calm" in file.read_text("utf-8")
    assert say("--json", "soul", "check").json["status"] == "current"
    file.write_text(file.read_text("utf-8").replace("I am calm", "I am very calm"), "utf-8")
    told = say("--json", "soul", "check").json
    assert (told["status"], len(told["proposals"])) == ("edited", 1)


def test_a_model_reads_the_self_and_may_only_propose(opened: Opened, core: str) -> None:
    """The catalogue answers by the seed's names; a model's belief waits for its person."""
    with opened() as memory:
        at = CallContext(memory, door=Door.MCP)
        told = belief_propose.call(at, statement="나는 차분한 존재다")["told"]
        assert told["state"] == "open"
        assert belief_propose.call(at, statement="나는 차분한 존재다")["told"]["state"] == "known"
        read = soul_read.call(at)
        assert (read["beliefs"], read["proposals"]) == ([], 1)
        assert [each["id"] for each in read["memories"]] == [core]
        assert read["text"].startswith("# SOUL")
        assert island_list.call(at)["items"][0]["founding_memories"] == [core]
        assert self_history.call(at)["items"] == []
