"""`saegim migrate`: offered at the terminal, done once, told in both languages (seed E)."""

from __future__ import annotations

from pathlib import Path

import pytest
from saying import Say, kept
from terminals import on_a_terminal, plain

from elsewhere import as_sqlite

TABLE = "CREATE TABLE collected_info (id INTEGER PRIMARY KEY, content TEXT)"


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in the folder of an old system; return its database."""
    folder = tmp_path / "bot"
    folder.mkdir()
    monkeypatch.chdir(folder)
    rows = [("INSERT INTO collected_info VALUES (?, ?)", (1, "홍차는 산화차다"))]
    return as_sqlite(folder / "bara.db", TABLE, rows=rows)


def test_it_is_taken_over_once_and_then_skipped(say: Say, bot: Path) -> None:
    """With a yes it comes in; the second time it is known and nothing is done."""
    assert say("migrate").code != 0, "without a terminal it needs a yes"
    assert "this needs a yes" in say("migrate").err
    would = say("--json", "migrate", "--dry-run").json
    assert (would["added"], would["dry_run"], would["skipped"]) == (1, True, False)
    assert say("--json", "recent").json["total"] == 0
    done = say("--json", "migrate", str(bot), "--yes").json
    assert (done["added"], done["skipped"]) == (1, False)
    again = say("--json", "migrate", "--yes").json
    assert (again["skipped"], again["added"]) == (True, 1)
    assert "already; nothing was done" in say("migrate").out
    assert "이미 이어받았습니다" in say("--language", "ko", "migrate").out
    assert say("--json", "recent").json["total"] == 1


@pytest.mark.usefixtures("bot")
def test_a_person_at_the_terminal_is_asked() -> None:
    """No is no: nothing comes in, and the question comes again; yes takes it over."""
    code, refused = on_a_terminal("migrate", answer="n")
    assert code != 0
    assert "Take it over now?" in plain(refused)
    code, told = on_a_terminal("migrate", answer="y")
    assert code == 0
    assert "Taken over from" in plain(told)


def test_what_is_not_there_is_named(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No old database, two of them, and a path that leads nowhere: each says what to do."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert "No old database lies here." in say("migrate").err
    assert "옛 데이터베이스가 없습니다" in say("--language", "ko", "migrate").err
    for name in ("a.db", "b.db"):
        as_sqlite(folder / name, TABLE)
    assert "2 old databases lie here." in say("migrate").err
    assert "There is no file" in say("migrate", "nowhere.db", "--yes").err


def test_status_tells_of_a_named_one(say: Say, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a host names one, status says whether it was taken over; the control says nothing.

    Also where nothing is kept yet, and looking makes no store.
    """
    assert "not taken over" not in say("status").err
    monkeypatch.setenv("SAEGIM_LEGACY_PATH", str(bot))
    told = say("status")
    assert (told.code, "not taken over yet" in told.err) == (3, True)
    kept(say, "tea")
    assert "not taken over yet" in say("status").out
    assert say("migrate", "--yes").code == 0
    assert "taken over on" in say("status").out
    assert "이어받음" in say("--language", "ko", "status").out


@pytest.mark.usefixtures("bot")
def test_whoever_installs_beside_an_old_system_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The offer comes with the first connection made in that folder; once taken up, no more."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    (tmp_path / "person").mkdir()
    code, told = on_a_terminal("install", "cursor", "--yes", answer="y")
    assert code == 0
    assert "Take it over now?" in plain(told)
    assert "Taken over from" in plain(told)
    code, again = on_a_terminal("install", "cursor", "--yes", answer="y")
    assert code == 0
    assert "Take it over now?" not in plain(again)
