"""Whose words they are: nobody's turns come into another one's memory, whoever works them off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attending import OTHER, SESSION, attend, event, heard, journal, spooled, user, written

from saegim import Saegim
from saegim.serve.backend import LocalBackend
from saegim.serve.hooks import spool_worker
from stand_ins import wait_until

HERS = "My therapist is Dr. Seo and I decided to leave my job in May."
HIS = "I live in Busan with my cat Nabi."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that holds nothing yet."""
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def hers(tmp_path: Path) -> Path:
    """The transcript of a session in which one thing was said."""
    return written(tmp_path / "hers.jsonl", user(HERS, 1))


def texts(home: Path, who: str | None, session: str = SESSION) -> list[str]:
    """Return what a user's memory holds of a session."""
    return [each.text for each in heard(home, session, user=who)]


def waiting(home: Path, folder: Path, transcript: Path, who: str) -> None:
    """Let words of a user wait on the spool, as when the store is broken for a while."""
    (home / "saegim.db").write_bytes(b"no store at all" * 100)
    attend("stop", event(folder, transcript), home, user=who)
    (home / "saegim.db").unlink()
    assert len(spooled(home)) == 1


def without_owner(file: Path) -> str:
    """Return a sheet or a mark as it was written before its owner was noted."""
    held = json.loads(file.read_text())
    return json.dumps({name: held[name] for name in held if name not in ("user", "agent", "store")})


def test_a_transcript_of_one_user_is_not_heard_by_another(
    home: Path, tmp_path: Path, hers: Path
) -> None:
    """U21.1: a session that another user begins hears the first one's to its end, for the first."""
    attend("session-start", event(tmp_path, hers), home, user="alice")
    attend("session-start", event(tmp_path, session_id=OTHER), home, user="bob")
    assert texts(home, "bob") == []
    assert texts(home, "alice") == [HERS]


@pytest.mark.parametrize("who", ["hook", "command", "server"])
def test_what_waits_is_kept_for_whoever_said_it(
    home: Path, tmp_path: Path, hers: Path, who: str
) -> None:
    """U21.1: a hook, a command and a server of another user work the spool off for its owner."""
    waiting(home, tmp_path, hers, "alice")
    if who == "hook":
        attend("stop", event(tmp_path, session_id=OTHER), home, user="bob")
    elif who == "command":
        with Saegim.open(home / "saegim.db", user="bob", background=False) as memory:
            assert spool_worker.worked_off(home, memory).heard == 1
    else:
        house = LocalBackend(home / "saegim.db", user="bob", background=False)
        assert house.memory.scope.user == "bob"
        with spool_worker.working_off_spool(house, home):
            wait_until(lambda: not spooled(home))
        house.close()
    assert texts(home, "bob") == []
    assert texts(home, "alice") == [HERS]
    assert spooled(home) == []


@pytest.mark.parametrize("named", [True, False])
def test_a_session_that_another_user_goes_on_with_is_parted(
    home: Path, tmp_path: Path, hers: Path, named: bool
) -> None:
    """U21.1: taken up by another user, what was said before stays the first one's."""
    attend("session-start", event(tmp_path, hers if named else ""), home, user="alice")
    attend("session-start", event(tmp_path, hers, source="resume"), home, user="bob")
    written(hers, user(HIS, 2))
    attend("stop", event(tmp_path, hers), home, user="bob")
    attend("session-start", event(tmp_path, session_id=OTHER), home, user="alice")
    assert texts(home, "bob") == [HIS]
    assert texts(home, "alice") == [HERS]


def test_a_session_of_an_agent_is_kept_for_that_agent(
    home: Path, tmp_path: Path, hers: Path
) -> None:
    """The room of an agent is kept like the wall of a user."""
    attend("session-start", event(tmp_path, hers), home, agent="coder")
    attend("session-start", event(tmp_path, session_id=OTHER), home, agent="writer")
    with Saegim.open(home / "saegim.db", background=False) as memory:
        found = memory.by_session(SESSION)
    assert [(each.text, each.scope.agent) for each in found] == [(HERS, "coder")]


def test_two_stores_of_one_folder_do_not_share_what_waits(
    home: Path, tmp_path: Path, hers: Path
) -> None:
    """What belongs into another store waits for it, and keeps nobody else waiting."""
    work = home / "work.db"
    work.write_bytes(b"no store at all" * 100)
    attend("stop", event(tmp_path, hers), home, file=work)
    work.unlink()
    told = event(tmp_path, session_id=OTHER, prompt=HIS)
    attend("user-prompt-submit", told, home)
    attend("session-start", event(tmp_path, session_id="a third one"), home)
    assert texts(home, None) == []
    assert texts(home, None, OTHER) == [HIS]
    assert len(spooled(home)) == 1
    assert "handed over" not in journal(home)
    attend("stop", event(tmp_path, session_id="a fourth one"), home, file=work)
    assert [each.text for each in heard(home, store="work.db")] == [HERS]


def test_what_was_noted_before_owners_were_belongs_to_the_user_of_the_settings(
    home: Path, tmp_path: Path, hers: Path
) -> None:
    """Sheets and marks without a user are the default user's, not of whoever comes along."""
    waiting(home, tmp_path, hers, "alice")
    (sheet,) = spooled(home)
    old = without_owner(sheet)
    sheet.unlink()
    attend("session-start", event(tmp_path, tmp_path / "later.jsonl", session_id=OTHER), home)
    for mark in (home / "hooks").glob("*.json"):
        mark.write_text(without_owner(mark))
    sheet.write_text(old)
    written(tmp_path / "later.jsonl", user(HIS, 2))
    (home / "settings.toml").write_text('user = "mina"\n')
    attend("session-start", event(tmp_path, session_id="a third one"), home, user="bob")
    assert texts(home, "bob") == texts(home, "bob", OTHER) == []
    assert texts(home, "mina") == [HERS]
    assert texts(home, "mina", OTHER) == [HIS]


def test_a_sheet_of_a_user_that_cannot_be_is_set_apart(
    home: Path, tmp_path: Path, hers: Path
) -> None:
    """A name that is none is nobody's: its words are put away, not given to someone."""
    attend("stop", event(tmp_path, hers), home, user="a*b")
    assert len(spooled(home)) == 1
    attend("stop", event(tmp_path, session_id=OTHER), home)
    assert spooled(home) == []
    assert len(list((home / "spool" / "apart").iterdir())) == 1
    assert texts(home, None) == []
