"""Where a store may lie: names of any letters and any length, in the platform's own place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults.stores import opened
from saegim import settings
from saegim.errors import BadInput, SaegimError
from saegim.settings import data_directory
from saegim.store.store import Store


def used(path: Path) -> None:
    """Use a store in every way that makes a file beside it, and open it again."""
    with opened(path) as memory:
        id = memory.remember("보리차 한 잔 and a walk").memory.id
        backup = memory.maintenance.backup()
        assert backup.path.exists()
        memory.maintenance.restore_backup(backup.path)
        assert memory.status()["path"] == str(path)
        assert memory.mind.store.check() == []
    with opened(path) as memory:
        assert [hit.memory.id for hit in memory.recall("보리차").hits] == [id]


@pytest.mark.parametrize(
    "name",
    [
        "나의 기억 (집)/기억 저장소.db",
        "emoji 🏡🌲/🧠.db",
        "(parentheses) [brackets] {braces}/memory.db",
        "question?mode=memory&cache=shared#part/100%25.db",
        "quotes ' and \"/it's.db",
        "file:memory.db",
        ":memory:",
        "two\nlines/memory.db",
        "C++ & C#; rm -rf $HOME `date`/memory.db",
        " leading and trailing /memory.db ",
        f"{'가' * 75}/memory.db",
        f"{'long' * 20}/{'나' * 70}.db",
    ],
    ids=lambda name: ascii(name)[:24],
)
def test_a_path_may_be_written_in_any_letters(tmp_path: Path, name: str) -> None:
    """R-34: Korean, spaces, emoji, URI and shell characters, 200 bytes and more: all work."""
    used(tmp_path / name)


@pytest.mark.parametrize("bytes_", [b"\xff\xfe", b"euc-kr \xb0\xa1\xb3\xaa", b"half \xea\xb0"])
def test_a_path_that_is_not_utf_8_is_refused_clearly(tmp_path: Path, bytes_: bytes) -> None:
    """R-34: a name in another encoding is an error of ours that can be printed."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + bytes_ + b"/memory.db"))
    with pytest.raises(BadInput) as raised:
        opened(path)
    assert str(raised.value).encode()
    assert raised.value.next_step


def test_a_path_with_a_nul_is_refused_clearly(tmp_path: Path) -> None:
    """R-34: a NUL, which would cut the name short, is refused by the store itself."""
    with pytest.raises(BadInput, match="memory"):
        Store(tmp_path / "memory\0.db")


def test_a_name_that_leaves_no_room_for_its_log_is_refused_by_name(tmp_path: Path) -> None:
    """R-34: the longest name a file can have cannot hold a store; the error is ours."""
    with pytest.raises(SaegimError):
        Store(tmp_path / ("나" * 79 + ".db"))
    assert [each for each in os.listdir(tmp_path) if each.endswith(".db")] == []


def test_a_path_longer_than_sqlite_can_take_is_an_error_of_ours(tmp_path: Path) -> None:
    """R-34: a path of more than 512 bytes is refused, and no half-made store is left there."""
    folder = tmp_path.joinpath(*["깊은 폴더 안의 폴더"] * 20)
    with pytest.raises(SaegimError, match=r"memory\.db"):
        opened(folder / "memory.db")
    assert not folder.exists() or list(folder.iterdir()) == []


def test_the_command_line_works_without_a_locale(tmp_path: Path) -> None:
    """R-34: with LC_ALL=C the command line still writes and reads Korean, in a Korean place."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LC_")},
        "LC_ALL": "C",
        "LANG": "C",
        "SAEGIM_HOME": str(tmp_path / "집"),
    }

    def said(*words: str) -> dict[str, object]:
        done = subprocess.run(
            [sys.executable, "-m", "saegim", "--json", *words],
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    said("remember", "보리차를 마시며 산책했다")
    assert "보리차를 마시며 산책했다" in json.dumps(said("recall", "보리차"), ensure_ascii=False)
    assert (tmp_path / "집" / "saegim.db").exists()


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "~/.local/share/saegim"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/saegim"),
        ("freebsd14", {}, "~/.local/share/saegim"),
        ("darwin", {}, "~/Library/Application Support/saegim"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "~/Library/Application Support/saegim"),
        ("win32", {}, "~/AppData/Local/saegim"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/saegim"),
        ("linux", {"SAEGIM_HOME": "/elsewhere"}, "/elsewhere"),
        ("darwin", {"SAEGIM_HOME": "~/elsewhere"}, "~/elsewhere"),
    ],
)
def test_data_lives_where_the_platform_keeps_data(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], expected: str
) -> None:
    """U8.5: in the user's own data directory, never beside the code, where an upgrade clears up."""
    monkeypatch.setattr(settings.sys, "platform", platform)
    found = data_directory(environment)
    assert found == Path(expected).expanduser()
    assert Path(sys.prefix) not in found.parents


def test_whatever_holds_words_is_for_its_owner_alone(tmp_path: Path) -> None:
    """M13: nothing is encrypted, so the store, its log, backups and exports have mode 0600."""
    home, before = tmp_path / "home", os.umask(0o022)
    try:
        with opened(home / "memory.db") as memory:
            memory.remember("lighthouse")
            memory.export_to(home / "export.jsonl")
            memory.maintenance.backup()
            # The control: what has no such care is open to everyone under this mask.
            (home / "careless.txt").write_text("lighthouse", encoding="utf-8")
            modes = {
                each.name: each.stat().st_mode & 0o777
                for each in home.rglob("*")
                if each.is_file() and b"lighthouse" in each.read_bytes()
            }
    finally:
        os.umask(before)
    assert modes.pop("careless.txt") == 0o644
    assert len(modes) >= 3, "the log or the store, the backup, the export"
    assert set(modes.values()) == {0o600}
    assert home.stat().st_mode & 0o777 == 0o700
