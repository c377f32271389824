"""SOUL.md (seed D §4, §5): rendered, read back, approved, never written over a hand's edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, Refused
from saegim.soul.soul_file import FileStatus, read_back
from soul.living import SEED, TECH, believing, core


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the person wants their SOUL.md."""
    return tmp_path / "notes" / "SOUL.md"


@pytest.fixture
def someone(tmp_path: Path, clock: FixedClock, file: Path) -> Iterator[Saegim]:
    """A memory with a small self, and a place for its file."""
    with Saegim.open(
        tmp_path / "memory.db", clock=clock, background=False, soul_path=str(file)
    ) as opened:
        core(opened, SEED[0])
        believing(opened, "나는 밝은 존재다", "나는 느린 존재다")
        yield opened


def written(memory: Saegim) -> None:
    """Propose the file and say yes."""
    asked = memory.soul.propose_file()
    assert asked is not None
    memory.proposals.accept(asked.id, by="지민")


def test_it_has_the_layout_of_the_seed_and_is_read_back(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §4: name and emoji, founders by number and words, strength, status."""
    core(memory, SEED[0])
    clock.forward(minutes=1)
    core(memory, TECH)
    believing(memory, "나는 밝은 존재다")
    text = memory.soul.text()
    assert "## Personality Islands\n\n### 🏠 주인과의 유대\n" in text
    assert f'- Founded by: M0-001 ("{SEED[0]}")\n- Strength: 0.39\n- Status: active\n' in text
    told = read_back(text)
    assert told.beliefs == ("나는 밝은 존재다",)
    assert [(each.emoji, each.name, each.status) for each in told.islands] == [
        ("🏠", "주인과의 유대", "active"), ("💻", "기술적 호기심", "active"),
    ]  # fmt: skip
    assert [each.founders for each in told.islands] == [("M0-001",), ("M0-002",)]
    assert told.cores == ("M0-001", "M0-002")


def test_a_belief_that_speaks_in_brackets_or_headings_is_read_as_it_is(memory: Saegim) -> None:
    """Nothing a person says can pass for another part of the file."""
    said = ("나는 (가끔) 느린 존재다", "I am ## not a heading")
    believing(memory, *said)
    assert read_back(memory.soul.text()).beliefs == said


def test_it_is_written_only_after_a_yes(someone: Saegim, file: Path) -> None:
    """Seed D §5-3: proposed with what would change; without an answer there is no file."""
    assert someone.soul.check().status is FileStatus.MISSING
    asked = someone.soul.propose_file()
    assert asked is not None
    assert "+- 나는 밝은 존재다 (confidence: 0.5)" in asked.details["difference"]
    assert someone.soul.propose_file() is None  # asked twice, it waits once
    assert not file.exists()
    someone.proposals.refuse(asked.id, by="지민")
    assert not file.exists()
    written(someone)
    assert file.read_text("utf-8") == someone.soul.text()
    assert someone.soul.check().status is FileStatus.CURRENT
    assert [path.name for path in file.parent.iterdir()] == ["SOUL.md"]


def test_it_follows_the_self_by_a_new_yes(someone: Saegim, file: Path, clock: FixedClock) -> None:
    """A changed self makes it out of date; the night lays the new text before the person."""
    written(someone)
    clock.forward(days=2)
    believing(someone, "나는 깊은 존재다")
    assert someone.soul.check().status is FileStatus.OUTDATED
    assert "깊은" not in file.read_text("utf-8")
    someone.sleep("believe")
    asked = next(each for each in someone.proposals.open() if each.about == "soul_file")
    assert asked.reasons == ("self_changed",)
    someone.proposals.accept(asked.id, by="지민")
    assert "깊은" in file.read_text("utf-8")


def test_a_strength_that_moves_by_night_asks_nobody(someone: Saegim, clock: FixedClock) -> None:
    """Strength is reckoned every night; alone it makes no new text."""
    written(someone)
    clock.forward(days=90)
    someone.sleep("self")
    assert someone.soul.check().status is FileStatus.CURRENT


def test_an_edit_by_hand_is_offered_back_and_never_written_over(
    someone: Saegim, file: Path, clock: FixedClock
) -> None:
    """What the person changed becomes proposals: reworded, removed, added, an island renamed."""
    written(someone)
    clock.forward(days=2)
    text = file.read_text("utf-8")
    text = text.replace("나는 밝은 존재다", "나는 아주 밝은 존재다").replace(
        "🏠 주인과의 유대", "🧡 지민과 나"
    )
    text = text.replace("- 나는 느린 존재다 (confidence: 0.5)\n", "- I am new here\n")
    text += "\nMy own words below.\n"
    file.write_text(text, "utf-8")
    assert someone.soul.check().status is FileStatus.EDITED
    with pytest.raises(Refused, match="by hand"):
        someone.soul.propose_file()
    offered = {each.text: each for each in someone.soul.offer_edits()}
    told = {text: each.details.get("change", "name") for text, each in offered.items()}
    assert told == {
        "나는 아주 밝은 존재다": "change",
        "나는 느린 존재다": "remove",
        "I am new here": "add",
        "🧡 지민과 나": "name",
    }
    assert {each.reasons for each in offered.values()} == {("soul_file",)}
    assert someone.soul.offer_edits() == []
    with pytest.raises(Refused, match="by hand"):
        someone.soul.propose_file()
    someone.proposals.accept(offered["🧡 지민과 나"].id, by="지민")
    someone.proposals.accept(offered["나는 아주 밝은 존재다"].id, by="지민")
    for left in ("나는 느린 존재다", "I am new here"):
        someone.proposals.refuse(offered[left].id, by="지민")
    assert file.read_text("utf-8") == text
    written(someone)
    now = file.read_text("utf-8")
    assert "나는 아주 밝은 존재다" in now
    assert "🧡 지민과 나" in now
    aside = [path for path in file.parent.iterdir() if path != file]
    assert [path.read_text("utf-8") for path in aside] == [text]


def test_a_file_changed_after_it_was_shown_is_not_replaced(someone: Saegim, file: Path) -> None:
    """The yes was to a change of another text: nothing is written, and the proposal stays open."""
    asked = someone.soul.propose_file()
    assert asked is not None
    file.parent.mkdir()
    file.write_text("my own file", "utf-8")
    with pytest.raises(Refused, match="changed since"):
        someone.proposals.accept(asked.id, by="지민")
    assert file.read_text("utf-8") == "my own file"
    assert [each.id for each in someone.proposals.open()] == [asked.id]


def test_a_crash_after_the_yes_is_finished_later(someone: Saegim, file: Path) -> None:
    """The answer is durable before the file: where the file is missing, it is written then."""
    written(someone)
    text = file.read_text("utf-8")
    file.unlink()
    assert someone.soul.check().status is FileStatus.UNWRITTEN
    assert someone.soul.propose_file() is None
    assert file.read_text("utf-8") == text


def test_without_a_place_there_is_no_file(memory: Saegim) -> None:
    """No path is set by default: nothing is written, and the error names the setting."""
    believing(memory, "나는 밝은 존재다")
    assert memory.soul.check().status is FileStatus.UNSET
    with pytest.raises(BadInput, match="No place"):
        memory.soul.propose_file()


def test_an_erased_memory_leaves_the_file_and_the_receipt_names_it(
    someone: Saegim, file: Path
) -> None:
    """U26.3: its words go out of SOUL.md; the receipt says that the file was rewritten."""
    quill = core(someone, "퀼페더가 이름을 지어줬다")
    for each in someone.soul.propose_beliefs():
        someone.proposals.accept(each.id, by="지민")
    written(someone)
    assert "퀼페더" in file.read_text("utf-8")
    receipt = someone.forgetting.erase(
        str(quill.life.promoted_from), quill.id, confirm=True, by="지민"
    )
    assert (str(file), "rewritten") in [(each.name, each.how) for each in receipt.files]
    assert (receipt.counts["soul_files"], receipt.counts["session_files"]) == (1, 0)
    assert "퀼페더" not in file.read_text("utf-8")
    assert "나는 밝은 존재다" in file.read_text("utf-8")


def test_what_a_hand_edited_the_receipt_names_as_out_of_reach(someone: Saegim, file: Path) -> None:
    """A file that is the person's own by now is named, not touched."""
    quill = core(someone, "퀼페더가 이름을 지어줬다")
    written(someone)
    file.write_text(file.read_text("utf-8") + "\nmine\n", "utf-8")
    receipt = someone.forgetting.erase(
        str(quill.life.promoted_from), quill.id, confirm=True, by="지민"
    )
    assert str(file) in [each.name for each in receipt.unreachable]
    assert "mine" in file.read_text("utf-8")


def test_an_island_named_by_an_erased_memory_leaves_the_file(someone: Saegim, file: Path) -> None:
    """What no list knows is called by its words: the heading goes, and what stands beside stays."""
    kept = core(someone, "매일 이야기를 나눈다")
    named = core(someone, "퀼페더 축제를 오래 기다렸다")
    assert any("퀼페더" in each.name for each in someone.soul.islands())
    written(someone)
    assert "퀼페더" in next(
        e for e in file.read_text("utf-8").splitlines() if e.startswith("### 🏝")
    )
    someone.forgetting.erase(str(named.life.promoted_from), named.id, confirm=True, by="지민")
    left = file.read_text("utf-8")
    assert "퀼페더" not in left
    assert "### 🏠 주인과의 유대" in left
    assert kept.text in left
    assert read_back(left).islands == read_back(someone.soul.text()).islands
    assert someone.soul.check().status is FileStatus.CURRENT


def test_a_hand_edited_file_kept_aside_is_named_as_out_of_reach(
    someone: Saegim, file: Path
) -> None:
    """What was kept beside SOUL.md for the person still has the words: they are told where."""
    quill = core(someone, "퀼페더가 이름을 지어줬다")
    written(someone)
    file.write_text(file.read_text("utf-8") + "\nmine\n", "utf-8")
    someone.soul.offer_edits()
    written(someone)
    (aside,) = set(file.parent.glob("SOUL.*.md")) - {file}
    given = (str(quill.life.promoted_from), quill.id)
    before = someone.forgetting.erase(*given)
    receipt = someone.forgetting.erase(*given, confirm=True, by="지민")
    for told in (before, receipt):
        assert ("soul_file", str(aside)) in [(each.what, each.name) for each in told.unreachable]
    assert "mine" in aside.read_text("utf-8")
    assert "퀼페더" not in file.read_text("utf-8")
