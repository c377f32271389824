"""What must work when the store itself does not open: the doctor, and putting a backup in place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from saegim.doctor.health import Finding, examine_unopened
from saegim.errors import SaegimError, StoreCorrupt, StoreMissing
from saegim.serve.commands.talk import Talk, standing_in
from saegim.serve.surroundings.flow import Around, examine
from saegim.settings import STORE
from saegim.store.backup import Backup
from saegim.store.backup import verify as verify_backup


def inspected(path: str) -> Backup:
    """Return what a backup holds after checking every page of it."""
    return verify_backup(Path(path).expanduser().absolute())


def examined(talk: Talk, *, quick: bool = False) -> list[Finding]:
    """Examine the store and, at the same time, what surrounds it on this machine."""
    around = Around(talk.home, _file(talk), standing_in())
    with ThreadPoolExecutor(max_workers=1) as pool:
        beside = pool.submit(examine, around, quick=quick)
        return [*_examined(talk), *beside.result()]


def _examined(talk: Talk) -> list[Finding]:
    """Examine the store, or say what keeps it from opening."""
    try:
        with talk.memory() as memory:
            return memory.doctor()
    except SaegimError as error:
        return examine_unopened(error, _file(talk), talk.home)


def restored(talk: Talk, backup: Backup) -> tuple[Backup, Path | None]:
    """Put the backup in place; return it and where the store as it was is kept."""
    try:
        with talk.memory(new=True) as memory:
            put, aside = memory.maintenance.restore_backup(backup.path)
            return put, aside.path
    except (StoreCorrupt, StoreMissing):
        return _replaced(talk, backup)


def _replaced(talk: Talk, backup: Backup) -> tuple[Backup, Path | None]:
    """Move what cannot be opened aside, byte for byte, and restore into a new file."""
    file = _file(talk)
    moved = _set_aside(file)
    mark = file.with_name(f".{file.name}.known")
    known = mark.exists()
    mark.unlink(missing_ok=True)
    try:
        with talk.memory(new=True) as memory:
            put, _ = memory.maintenance.restore_backup(backup.path)
    except BaseException:
        # Nothing of the new file may lie beside the old one: a foreign log would ruin it.
        for part in _parts(file):
            part.unlink(missing_ok=True)
        for here, there in moved:
            there.rename(here)
        if known:
            mark.touch()
        raise
    return put, moved[0][1] if moved else None


def _file(talk: Talk) -> Path:
    return talk.file or talk.home / STORE


def _parts(file: Path) -> list[Path]:
    """Return the file of a store and the files that SQLite keeps beside it."""
    return [file.with_name(f"{file.name}{suffix}") for suffix in ("", "-wal", "-shm")]


def _set_aside(file: Path) -> list[tuple[Path, Path]]:
    """Rename the store and its log; return each old and new name."""
    stamp = f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    aside = file.with_name(f"{file.name}.damaged-{stamp}")
    moved = []
    for here, there in zip(_parts(file), _parts(aside), strict=True):
        if here.exists():
            here.rename(there)
            moved.append((here, there))
    return moved
