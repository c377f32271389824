"""Settings: a file, then the environment, then arguments; each value checked by name."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from saegim.errors import SettingsError
from saegim.serve.hooks import ask_server
from saegim.serve.surroundings.flow import examine_settings
from saegim.settings import FILE, Settings, data_directory, read_settings


def written(place: Path, text: str) -> Path:
    """Write a settings file and return its folder."""
    (place / FILE).write_text(text, encoding="utf-8")
    return place


def test_every_setting_has_a_reason() -> None:
    """DESIGN 4: every number is a setting with its reason."""
    assert [each.name for each in fields(Settings) if not each.metadata["reason"]] == []


def test_a_later_source_wins(tmp_path: Path) -> None:
    """The file, then SAEGIM_… variables, then arguments; None says nothing."""
    home = written(tmp_path, 'user = "민호"\nrecall_limit = 5\nbusy_seconds = 3\n')
    assert read_settings(home, {}).user == "민호"
    read = read_settings(home, {"SAEGIM_USER": "지민", "SAEGIM_POOL": "9"}, user=None, pool=12)
    assert (read.user, read.recall_limit, read.pool, read.busy_seconds) == ("지민", 5, 12, 3.0)
    assert read_settings(tmp_path / "none", {}) == Settings()
    assert read_settings(home, {"SAEGIM_BUSY_SECONDS": "0.5"}).busy_seconds == 0.5


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("colour = 1", "colour"),
        ("user = 5", "user"),
        ("recall_limit = 0", "recall_limit"),
        ("recall_limit = 1.5", "recall_limit"),
        ("recall_limit = true", "recall_limit"),
        ("busy_seconds = true", "busy_seconds"),
        ("busy_seconds = nan", "busy_seconds"),
        ("words_share = 1.1", "words_share"),
        ("forgetting_days = -1", "forgetting_days"),
        ('words = "other"', "words"),
        ('durability = "maybe"', "durability"),
        ('language = "fr"', "language"),
        ("user = ", FILE),
        ("not toml at all", FILE),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, text: str, named: str) -> None:
    """Bad input: a misspelt or impossible setting is an error with what would do."""
    with pytest.raises(SettingsError, match=named) as caught:
        read_settings(written(tmp_path, text), {})
    assert caught.value.next_step


def test_a_mark_before_the_first_setting_is_read_over(tmp_path: Path) -> None:
    """Editors of Windows begin a file with a mark of its encoding: the settings hold all the same.

    So do they for the hooks, which read for themselves whose memory it is, and for the doctor.
    """
    (tmp_path / FILE).write_text('user = "민호"\n', encoding="utf-8-sig")
    assert read_settings(tmp_path, {}).user == "민호"
    assert ask_server._person(str(tmp_path)) == "민호"
    (told,) = examine_settings(tmp_path, {})
    assert (told.ok, "민호" in told.detail) == (True, True)


def test_a_misspelt_setting_is_told_the_one_that_was_meant(tmp_path: Path) -> None:
    """The name that is near comes first and alone; the control: where none is near, all do."""
    with pytest.raises(SettingsError, match="langage") as caught:
        read_settings(written(tmp_path, 'langage = "ko"'), {})
    assert str(caught.value.next_step).startswith("Did you mean 'language'?")
    assert "busy_seconds" not in str(caught.value.next_step)
    with pytest.raises(SettingsError, match="zzzzz") as caught:
        read_settings(written(tmp_path, "zzzzz = 1"), {})
    assert "busy_seconds" in str(caught.value.next_step)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    """U15.1: a settings file in another encoding is told, not guessed."""
    (tmp_path / FILE).write_bytes('user = "민호"'.encode("cp949"))
    with pytest.raises(SettingsError, match=FILE):
        read_settings(tmp_path, {})


@pytest.mark.parametrize(
    ("name", "text"),
    [("SAEGIM_POOL", "many"), ("SAEGIM_BUSY_SECONDS", "soon"), ("SAEGIM_WORDS_SHARE", "inf")],
)
def test_a_variable_that_is_no_number_is_named(tmp_path: Path, name: str, text: str) -> None:
    """Bad input: the variable is named as it was set."""
    with pytest.raises(SettingsError, match=name.removeprefix("SAEGIM_").lower()[:4] + "|" + name):
        read_settings(tmp_path, {name: text})


def test_the_key_is_never_shown() -> None:
    """U22: neither printing nor status tells a secret."""
    settings = Settings(embedder_key="sk-secret")
    assert "sk-secret" not in repr(settings)
    assert settings.shown()["embedder_key"] == "…"
    assert Settings().shown()["embedder_key"] == ""


@pytest.mark.parametrize(
    ("platform", "environment", "ending"),
    [
        ("linux", {"SAEGIM_HOME": "/data/x"}, "/data/x"),
        ("linux", {"XDG_DATA_HOME": "/xdg"}, "/xdg/saegim"),
        ("linux", {}, ".local/share/saegim"),
        ("darwin", {}, "Library/Application Support/saegim"),
        ("win32", {"LOCALAPPDATA": "/appdata"}, "/appdata/saegim"),
        ("win32", {}, "AppData/Local/saegim"),
    ],
)
def test_data_lies_where_each_platform_keeps_it(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], ending: str
) -> None:
    """U8.5: data lives in the platform's own place, never inside the package."""
    monkeypatch.setattr(sys, "platform", platform)
    assert data_directory(environment).as_posix().endswith(ending)


def test_without_an_environment_the_real_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process environment is the default, and a home may begin with a tilde."""
    monkeypatch.setenv("SAEGIM_HOME", "~/memories")
    monkeypatch.setenv("SAEGIM_USER", "지민")
    assert data_directory() == Path.home() / "memories"
    assert read_settings(tmp_path).user == "지민"


def test_values_are_checked_also_without_a_file() -> None:
    """Settings made in code obey the same rules."""
    wrong: dict[str, Any] = {"backups_kept": "ten"}
    with pytest.raises(SettingsError, match="backups_kept"):
        Settings(**wrong)
