"""Faults around the file: place, permissions, disk, settings, backups, other processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doctor.furnished import House, furnished, troubles
from readonly import read_only
from saegim import FixedClock

Around = dict[str, Any]
Inject = Callable[[House], Around | None]

FAULTS: list[tuple[Inject, str]] = []


def found_as(finding: str) -> Callable[[Inject], Inject]:
    """Note by which finding a fault must be found."""

    def noted(inject: Inject) -> Inject:
        FAULTS.append((inject, finding))
        return inject

    return noted


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A furnished store in which a test may break things."""
    return furnished(tmp_path / "house")


def leave(path: Path, text: str = "half", *, minutes: int = 60) -> None:
    """Put a file there that was last written some time ago."""
    path.write_text(text, encoding="utf-8")
    then = path.stat().st_mtime - 60 * minutes
    os.utime(path, (then, then))


def newest(house: House) -> Path:
    """Return the newest backup."""
    return max((house.folder / "backups").glob("*.db"))


@found_as("permissions.open")
def the_file_can_be_read_by_all(house: House) -> None:
    """Open the file to everyone."""
    house.file.chmod(0o644)


@found_as("permissions.folder")
def the_folder_can_be_written_by_all(house: House) -> None:
    """Open the folder to everyone."""
    house.folder.chmod(0o777)


@found_as("disk.full")
def the_disk_is_full(house: House) -> Around:
    """Ask for more room than any disk has."""
    return {"least_free": 2**60}


@found_as("disk.low")
def the_disk_is_nearly_full(house: House) -> Around:
    """Leave room for the next memories, but not for a backup."""
    return {"free": 40_000_000, "least_free": 39_999_000}


@found_as("filesystem.network")
def the_folder_is_mounted_from_another_machine(house: House) -> Around:
    """Tell of an NFS mount."""
    return {"mounts": f"36 35 98:0 / {house.folder} rw shared:1 - nfs4 server:/export rw"}


@found_as("sqlite.unsafe")
def sqlite_has_the_wal_reset_race(house: House) -> Around:
    """Tell of a SQLite before the repair."""
    return {"sqlite": "3.51.2"}


@found_as("settings.error")
def a_setting_of_the_environment_is_no_number(house: House) -> Around:
    """Set what cannot be read."""
    return {"environment": {"SAEGIM_POOL": "many"}}


@found_as("settings.error")
def the_settings_file_is_no_toml(house: House) -> None:
    """Write half a line."""
    leave(house.folder / "settings.toml", "user = ")


@found_as("settings.error")
def the_settings_file_has_a_misspelt_name(house: House) -> None:
    """Write a name that no setting has."""
    leave(house.folder / "settings.toml", 'usr = "me"')


@found_as("backup.damaged")
def the_newest_backup_is_torn(house: House) -> None:
    """Overwrite the pages in the middle."""
    size = newest(house).stat().st_size
    with newest(house).open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 8192))


@found_as("backup.damaged")
def the_newest_backup_is_empty(house: House) -> None:
    """Leave nothing of it but its name."""
    leave(newest(house), "")


@found_as("backup.none")
def there_is_no_backup(house: House) -> None:
    """Remove the only one."""
    newest(house).unlink()


@found_as("backup.old")
def the_newest_backup_is_from_last_season(house: House) -> None:
    """Let a season pass, in which something was remembered."""
    house.clock.forward(days=90)
    with house.open() as memory:
        memory.remember("오늘 새로 생긴 일")


@found_as("leftovers.some")
def a_backup_was_never_finished(house: House) -> None:
    """Leave what a killed backup leaves."""
    leave(house.folder / "backups" / "saegim-1.db.unfinished")


@found_as("leftovers.some")
def a_store_was_never_finished(house: House) -> None:
    """Leave what a killed first opening leaves."""
    leave(house.folder / ".saegim.db.123.new-wal")


@found_as("clock.future")
def the_clock_was_set_back(house: House) -> None:
    """Set the clock back behind the newest memory."""
    house.clock.forward(days=-2)


@pytest.mark.parametrize(
    ("inject", "expected"), FAULTS, ids=[inject.__name__ for inject, _ in FAULTS]
)
def test_a_fault_around_the_file_is_found_by_the_finding_of_its_name(
    house: House, inject: Inject, expected: str
) -> None:
    """Permissions, disk, mount, settings, backups and leftovers are looked at (U12.2, U35.1)."""
    with house.open() as memory:
        findings = house.examined(memory, **(inject(house) or {}))
    assert troubles(findings) == {expected}
    assert all(each.fix and each.fix_ko for each in findings if each.level != "ok")


def test_a_copy_in_progress_is_no_leftover(house: House) -> None:
    """The control: a file that is being written right now raises no alarm."""
    leave(house.folder / "backups" / "saegim-1.db.unfinished", minutes=0)
    assert troubles(house.examined()) == set()


def test_an_old_backup_that_lacks_nothing_is_not_old(house: House) -> None:
    """The control: when nothing happened since, the age of a backup does not matter."""
    house.clock.forward(days=90)
    assert troubles(house.examined()) == set()


def test_a_backup_is_private_behind_a_closed_door_only(house: House) -> None:
    """A backup holds every memory: one that others can reach and read is found."""
    newest(house).chmod(0o644)
    assert troubles(house.examined()) == set()
    # Folders above the house are the system's and pytest's; only those of pytest are closed.
    doors = [each for each in newest(house).parents if not each.stat().st_mode & 0o001]
    modes = {each: each.stat().st_mode for each in doors}
    try:
        for each, mode in modes.items():
            each.chmod(mode | 0o001)
        findings = house.examined()
    finally:
        for each, mode in modes.items():
            each.chmod(mode)
    assert troubles(findings) == {"permissions.open"}


def test_a_synced_folder_is_found(tmp_path: Path) -> None:
    """A store in a folder that another program copies is named in doctor and status (U35.1)."""
    synced = furnished(tmp_path / "Dropbox" / "notes")
    assert troubles(synced.examined()) == {"filesystem.synced"}
    with synced.open() as memory:
        assert "synchronised" in memory.status()["warnings"][0]


def test_a_read_only_store_is_found_and_still_examined(house: House) -> None:
    """What can be read is examined; that nothing new is remembered is a failure (U12.2)."""
    with read_only(house.folder) as folder:
        barred = House(folder, house.clock)
        findings = barred.examined()
        with barred.open() as memory:
            assert memory.status()["readonly"] is True
    assert troubles(findings) == {"writable.readonly", "roundtrip.error"}
    assert not any(each.ok for each in findings if each.level != "ok")


def test_a_store_that_another_process_holds_is_found(house: House) -> None:
    """A write lock that is never given back fails the round trip, and says that it is busy."""
    holding = "import apsw, sys; c = apsw.Connection(sys.argv[1]); c.execute('BEGIN IMMEDIATE')"
    waiting = "; print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holding + waiting, str(house.file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"held"
        with house.open(busy_seconds=0.05) as memory:
            findings = house.examined(memory)
        other.communicate()
    assert troubles(findings) == {"roundtrip.error"}
    assert "busy" in next(each.detail for each in findings if each.name == "roundtrip")


def test_a_file_that_vanished_is_found(house: House) -> None:
    """SQLite goes on writing into a deleted file; the doctor says that it is gone."""
    with house.open() as memory:
        memory.recent()
        house.file.unlink()
        assert "file.missing" in troubles(house.examined(memory))


def test_a_file_that_was_replaced_is_found(house: House, tmp_path: Path) -> None:
    """Another store under the same name is told, with where the words of the first one lie."""
    other = furnished(tmp_path / "other")
    with house.open() as memory:
        memory.recent()
        for suffix in ("-wal", "-shm"):
            house.file.with_name(f"saegim.db{suffix}").unlink(missing_ok=True)
        os.replace(other.file, house.file)
        findings = house.examined(memory)
        assert troubles(findings) == {"ledger.broken", "upkeep.trouble"}
        assert "replaced-" in next(each.detail for each in findings if each.name == "upkeep")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [("PRAGMA application_id = 7", "file.error"), ("PRAGMA user_version = 99", "file.schema")],
)
def test_a_header_that_was_changed_is_found(house: House, statement: str, expected: str) -> None:
    """A foreign mark or an unknown schema in an open file is found."""
    with house.open() as memory:
        house.sql(statement)
        assert expected in troubles(house.examined(memory))


def test_a_second_process_that_cannot_read_is_found(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When another process fails, its last words are in the finding."""
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert troubles(house.examined()) == {"second_process.failed"}
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert troubles(house.examined()) == {"second_process.error"}


def test_an_examination_beside_a_busy_writer_raises_no_alarm(tmp_path: Path) -> None:
    """Memories that arrive during the examination are not taken for damage (U12.2)."""
    house = furnished(tmp_path / "busy")
    writing = (
        "import sys; from saegim import Saegim\n"
        "with Saegim.open(sys.argv[1]) as memory:\n"
        "    memory.remember('시작'); print('started', flush=True); at = 0\n"
        "    while True:\n"
        "        at += 1; memory.remember(f'기억 {at}')\n"
    )
    house.clock = FixedClock(house.clock.at.replace(year=2999))
    with subprocess.Popen(
        [sys.executable, "-c", writing, str(house.file)], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with house.open() as memory:
            seen = [troubles(house.examined(memory)) - {"backup.old"} for _ in range(3)]
        other.kill()
    assert seen == [set()] * 3
