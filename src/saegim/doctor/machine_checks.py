"""What can be told about a store from outside: its place, its disk, its backups, its settings."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from saegim.doctor.findings import Finding, finding
from saegim.errors import SaegimError
from saegim.filesystem import NETWORK, file_system, trouble_with
from saegim.memory.clock import SystemClock
from saegim.settings import BACKUPS, read_settings
from saegim.store.backup import newest_backup, verified
from saegim.store.database import is_safe, sqlite_version

# A few thousand memories with their indexes and the log fit into this.
LEAST_FREE = 32 * 1024 * 1024
# A copy that takes longer than this was given up (10 GB take about a minute).
_GIVEN_UP_SECONDS = 600
_OLD_DAYS = 30
_NAMED = 3


@dataclass(frozen=True, slots=True)
class StorePlace:
    """Where a store lies, and what is around it; a test may say otherwise than the machine."""

    file: Path
    home: Path
    now: datetime
    mounts: str | None = None
    least_free: int = LEAST_FREE
    free: int | None = None
    sqlite: str = field(default_factory=sqlite_version)
    environment: Mapping[str, str] | None = None
    elsewhere: Path | None = None  # where backups lie beside those of the store's own folder

    @property
    def backups(self) -> list[Path]:
        """Return the folders of the backups."""
        own = self.home / BACKUPS
        return [own] if self.elsewhere in (None, own) else [self.elsewhere, own]


def size(count: int) -> str:
    """Write a number of bytes for a person."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def bytes_of(paths: Iterable[Path]) -> int:
    """Add up how much these files take; one that is gone takes nothing."""
    return sum(path.stat().st_size for path in paths if path.is_file())


def backup_time(path: Path) -> datetime:
    """Return when a backup was made, from its name or else from the file."""
    try:
        return datetime.strptime(path.stem, "saegim-%Y%m%d-%H%M%S-%f").replace(tzinfo=UTC)
    except ValueError:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def sqlite(place: StorePlace) -> Finding:
    """Say whether this SQLite may share a file between processes."""
    case = "ok" if is_safe(place.sqlite) else "unsafe"
    return finding(f"sqlite.{case}", version=place.sqlite)


def settings(place: StorePlace) -> Finding:
    """Say whether the settings file and the environment can be read as they are now."""
    read_settings(place.home, place.environment)
    return finding("settings.ok")


def permissions(place: StorePlace) -> Finding:
    """Say whether anyone but the owner can read or replace the store."""
    if os.name != "posix":
        return finding("permissions.ok")
    folder = place.file.parent
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        return finding("permissions.folder", folder=str(folder))
    kept = (each for each in (place.file, _log(place.file)) if bytes_of([each]))
    seen = [each for each in kept if each.stat().st_mode & 0o077]
    copies = (copy for folder in place.backups for copy in folder.rglob("*.db"))
    seen += [each for each in copies if each.stat().st_mode & stat.S_IROTH and _reachable(each)]
    if not seen:
        return finding("permissions.ok")
    return finding(
        "permissions.open",
        files=_some(each.name for each in seen),
        paths=" ".join(str(each) for each in seen[:_NAMED]),
    )


def _log(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def _reachable(path: Path) -> bool:
    """Say whether strangers may walk through every folder above the file."""
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.absolute().parents)


def _some(names: Iterable[str]) -> str:
    held = list(names)
    more = f" (+{len(held) - _NAMED})" if len(held) > _NAMED else ""
    return ", ".join(held[:_NAMED]) + more


def disk(place: StorePlace) -> Finding:
    """Say whether there is room for more memories, a backup and a rebuild."""
    free = shutil.disk_usage(place.file.parent).free if place.free is None else place.free
    needed = place.least_free + 2 * bytes_of((place.file, _log(place.file)))
    case = "full" if free < place.least_free else "low" if free < needed else "ok"
    return finding(f"disk.{case}", free=size(free), needed=size(needed))


def filesystem(place: StorePlace) -> Finding:
    """Say whether several processes may share a file in this place (U35.1)."""
    kind = file_system(place.file, place.mounts)
    case = "ok"
    if trouble_with(place.file, place.mounts):
        case = "network" if kind in NETWORK else "synced"
    return finding(f"filesystem.{case}", path=str(place.file), kind=kind)


def leftovers(place: StorePlace) -> Finding:
    """Look for files that a process which was stopped could not finish."""
    latest = SystemClock().now().timestamp() - _GIVEN_UP_SECONDS
    found = [each for each in _unfinished(place) if each.stat().st_mtime < latest]
    if not found:
        return finding("leftovers.ok")
    return finding(
        "leftovers.some",
        count=len(found),
        files=_some(each.name for each in found),
        paths=" ".join(str(each) for each in found[:_NAMED]),
    )


def _unfinished(place: StorePlace) -> Iterator[Path]:
    for folder in place.backups:
        yield from folder.rglob("*.unfinished*")
    yield from place.file.parent.glob(f".{place.file.name}.*.new*")


def backup(
    place: StorePlace,
    memories: int | None = None,
    heads: Mapping[str, str] | None = None,
    *,
    on_server: bool = False,
) -> Finding:
    """Verify the newest backup; with the store's heads, say whether it has become old."""
    path = newest_backup(*place.backups)
    if path is None:
        if memories == 0:
            return finding("backup.needless")
        # What the operator of a server keeps of it is not seen from here.
        case = "unseen" if on_server else "none"
        return finding(f"backup.{case}", count="?" if memories is None else memories)
    try:
        made = verified(path)
    except SaegimError as error:
        return finding("backup.damaged", why=error.message)
    days = (place.now - backup_time(path)).days
    if heads is not None and made.heads != heads and days > _OLD_DAYS:
        return finding("backup.old", days=days)
    return finding("backup.ok", path=str(path), count=made.memories, days=days)
