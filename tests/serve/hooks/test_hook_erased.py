"""What waits on the spool is erased too: worked off later, it would be kept anew."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from attending import BEGAN, SESSION, spooled

from saegim import Saegim
from saegim.serve.hooks import spool_worker
from saegim.serve.hooks.spool import Owner, Sheet, Spool, SpoolEntry
from saegim.sleep import erase as erasing

SAID = "나는 땅콩 알레르기가 있어서 땅콩은 못 먹어. My locker is behind the lanternmoth."
OTHER = "I live in Busan with my cat Nabi."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a store of its own."""
    made = tmp_path / "home"
    made.mkdir()
    return made


def opened(home: Path, **more: str) -> Saegim:
    """Open the store of the home."""
    return Saegim.open(home / "saegim.db", background=False, **more)


def waiting(home: Path, *texts: str, user: str = "", store: str = "saegim.db") -> Path:
    """Let turns wait on the spool."""
    entries = tuple(
        SpoolEntry(act="turn", role="user", text=text, at=BEGAN + timedelta(seconds=number))
        for number, text in enumerate(texts)
    )
    owner = Owner(user=user, store=store)
    return Spool(home).put(Sheet(session=SESSION, project="", entries=entries, owner=owner), BEGAN)


def everything(home: Path) -> str:
    """Return what is kept, in one text."""
    with opened(home) as memory:
        spool_worker.worked_off(home, memory)
        return "\n".join(each.text for each in memory.recent(50).memories)


def test_what_waits_is_erased_and_named_in_the_receipt(home: Path) -> None:
    """U26.3: the turn that was heard a second time is not kept when the spool is worked off."""
    with opened(home) as memory:
        id = memory.remember(SAID).id
        file = waiting(home, SAID)
        receipt = memory.forgetting.erase(id, confirm=True)
    assert [(each.name, each.how) for each in receipt.files] == [(f"spool/{file.name}", "removed")]
    assert receipt.counts["spool_files"] == 1
    assert receipt.unreachable == ()
    assert spooled(home) == []
    assert "lanternmoth" not in everything(home)


def test_what_waits_comes_back_if_nobody_looks_there(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U26.3 control: without the look at the spool the words are kept anew."""
    monkeypatch.setattr(erasing, "sweep_spool", lambda *_: None)
    with opened(home) as memory:
        id = memory.remember(SAID).id
        waiting(home, SAID)
        memory.forgetting.erase(id, confirm=True)
    assert "lanternmoth" in everything(home)


def test_only_the_turns_that_say_it_leave_a_file(home: Path) -> None:
    """What else waits is heard: nothing is lost beside what was erased."""
    with opened(home) as memory:
        id = memory.remember(SAID).id
        file = waiting(home, OTHER, f"As I said: {SAID}", "땅콩")
        receipt = memory.forgetting.erase(id, confirm=True)
    assert [each.how for each in receipt.files] == ["rewritten"]
    assert [each.text for each in Spool(home).read(file).entries] == [OTHER, "땅콩"]
    assert "Nabi" in everything(home)


def test_what_others_said_is_left_alone(home: Path) -> None:
    """U21.1: a sheet of another user, or of another store, is not touched."""
    with opened(home) as memory:
        id = memory.remember(SAID).id
        hers = waiting(home, SAID, user="alice")
        elsewhere = waiting(home, SAID, store="work.db")
        receipt = memory.forgetting.erase(id, confirm=True)
    assert receipt.files == ()
    assert {hers, elsewhere} == set(spooled(home))


def test_what_was_set_apart_or_half_written_goes_too(home: Path) -> None:
    """U26.3: words stay neither in a file that cannot be read nor in one that was put away."""
    with opened(home) as memory:
        id = memory.remember(SAID).id
        spool = Spool(home)
        spool.set_apart(waiting(home, SAID))
        torn = spool.folder / ".saegim-torn.new"
        torn.write_bytes(waiting(home, SAID, "ok").read_bytes()[:-40])
        spooled(home)[0].unlink()
        receipt = memory.forgetting.erase(id, confirm=True)
    assert sorted(each.how for each in receipt.files) == ["removed", "removed"]
    assert not list(spool.folder.rglob("*.json")) + list(spool.folder.glob(".saegim-*"))


def test_who_works_off_the_spool_just_then_is_told_of(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U26.3: another process may have the words in hand, and the receipt says so."""
    monkeypatch.setattr(erasing, "_TRIES", 2)
    with opened(home) as memory:
        id = memory.remember(SAID).id
        file = waiting(home, SAID)
        with Spool(home).held() as alone:
            assert alone
            receipt = memory.forgetting.erase(id, confirm=True)
    assert [(each.what, each.name) for each in receipt.unreachable] == [
        ("spool_file", f"spool/{file.name}")
    ]
