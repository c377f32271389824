"""Puts a backup in place, also when the store itself cannot be opened any more."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from saegim.errors import StoreCorrupt, StoreMissing
from saegim.opening import STORE
from saegim.serve.talk import Talk
from saegim.settings import data_directory
from saegim.store.backup import Backup
from saegim.store.backup import verify as verify_backup


def inspected(path: str) -> Backup:
    """Return what a backup holds after checking every page of it."""
    return verify_backup(Path(path).expanduser().absolute())


def restored(talk: Talk, backup: Backup) -> tuple[Backup, Path | None]:
    """Put the backup in place; return it and where the store as it was is kept."""
    try:
        with talk.memory(new=True) as memory:
            put, aside = memory.restore_backup(backup.path)
            return put, aside.path
    except (StoreCorrupt, StoreMissing):
        return _replaced(talk, backup)


def _replaced(talk: Talk, backup: Backup) -> tuple[Backup, Path | None]:
    """Move what cannot be opened aside, byte for byte, and restore into a new file."""
    file = Path(talk.path).expanduser().absolute() if talk.path else data_directory() / STORE
    moved = _set_aside(file)
    mark = file.with_name(f".{file.name}.known")
    known = mark.exists()
    mark.unlink(missing_ok=True)
    try:
        with talk.memory(new=True) as memory:
            put, _ = memory.restore_backup(backup.path)
    except BaseException:
        for here, there in moved:
            there.replace(here)
        if known:
            mark.touch()
        raise
    return put, moved[0][1] if moved else None


def _set_aside(file: Path) -> list[tuple[Path, Path]]:
    """Rename the store and its log; return each old and new name."""
    stamp = f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    moved = []
    for suffix in ("", "-wal", "-shm"):
        here = file.with_name(f"{file.name}{suffix}")
        if here.exists():
            there = file.with_name(f"{file.name}.damaged-{stamp}{suffix}")
            here.rename(there)
            moved.append((here, there))
    return moved
