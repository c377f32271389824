"""Seed A §4.2: whether the night makes backups, and where (`backup_enabled`, `backup_path`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim


def night_of(path: Path, **settings: Any) -> Saegim:
    """A memory that holds something and has slept."""
    memory = Saegim.open(path / "m.db", clock=FixedClock(), **settings)
    memory.remember("보리차는 둘째 칸에 있다")
    assert memory.sleep("backup") is not None
    return memory


def made_in(folder: Path) -> list[str]:
    """The backups in a folder."""
    return sorted(each.name for each in folder.glob("saegim-*.db"))


def test_the_night_backs_up_beside_the_store_by_default(tmp_path: Path) -> None:
    """The control of the two below."""
    with night_of(tmp_path) as memory:
        assert len(made_in(tmp_path / "backups")) == 1
        assert memory.status()["backup"]["path"].startswith(str(tmp_path / "backups"))


def test_a_night_without_backups_makes_none_and_a_hand_still_can(tmp_path: Path) -> None:
    """A5: false turns the night's off, nothing else; nights go on."""
    with night_of(tmp_path, backup_enabled=False) as memory:
        assert not (tmp_path / "backups").exists()
        assert memory.maintenance.backup().path.parent == tmp_path / "backups"


@pytest.mark.parametrize("relative", [True, False])
def test_backups_go_where_the_setting_says(relative: bool, tmp_path: Path) -> None:
    """A5: by night and by hand; a relative path begins beside the store. Each can be restored."""
    folder = tmp_path / "nas" / "memory_backup"
    home = tmp_path / "home2"
    given = "../nas/memory_backup" if relative else str(folder)
    with night_of(home, backup_path=given, backups_kept=2) as memory:
        assert len(made_in(folder)) == 1
        assert not (home / "backups").exists()
        made = memory.maintenance.backup()
        assert made.path.parent.resolve() == folder.resolve()
        assert Path(memory.status()["backup"]["path"]).name == made.path.name
        assert memory.status()["bytes"]["backups"] > 0
        assert next(each for each in memory.doctor() if each.name == "backup").level == "ok"
        memory.maintenance.backup()
        # The oldest leave there too.
        assert len(made_in(folder)) == 2
        memory.remember("나중 것")
        memory.maintenance.restore_backup(made.path)
        assert memory.recent(5).total == 1


def test_what_is_erased_is_named_in_a_backup_elsewhere(tmp_path: Path) -> None:
    """U26.3: the receipt names every backup that may still hold the words, in whole where far."""
    far = tmp_path / "far"
    with night_of(tmp_path / "h", backup_path=str(far)) as memory:
        near = memory.maintenance.backup(tmp_path / "h" / "backups").path
        id = memory.recent(1).memories[0].id
        told = memory.forgetting.erase(id, confirm=True, by="me")
        names = {each.name for each in told.unreachable if each.what == "backup"}
        assert names == {near.name, str(far / made_in(far)[0])}


def test_a_folder_that_cannot_be_written_is_the_nights_trouble(tmp_path: Path) -> None:
    """U12.2: no backup is made in another place without a word."""
    (tmp_path / "taken").write_text("in the way", encoding="utf-8")
    with Saegim.open(tmp_path / "m.db", backup_path=str(tmp_path / "taken")) as memory:
        memory.remember("보리차")
        night = memory.sleep("backup")
        assert night is not None
        assert str(tmp_path / "taken") in str(night.told)
        assert not (tmp_path / "backups").exists()
