"""A verified backup, if anything has changed since the last one."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.sleep.night import Night, Step


def backup(night: Night) -> Iterator[Step]:
    """Make a backup beside the store, or where `backup_path` says, unless none is wanted."""
    settings = night.mind.settings
    store = night.mind.store
    if not settings.backup_enabled:
        return
    last = int(night.places.get("backup") or 0)
    length = store.ledger.length(night.owner)
    if night.rehearsed or not store.database.changed_since(night.owner, last):
        return
    folder = settings.backup_folder(store.path.parent)
    made = store.back_up(folder, night.mind.now(), keep=settings.backups_kept)
    yield Step(why="backed_up", details={"file": made.path.name}, place=str(length))
