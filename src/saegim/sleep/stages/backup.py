"""A verified backup, if anything has changed since the last one."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.sleep.night import Night, Step


def backup(night: Night) -> Iterator[Step]:
    """Make a backup beside the store."""
    store, rounds = night.mind.store, night.mind.store.rounds
    last = int(night.places.get("backup") or 0)
    length = rounds.ledger_length(night.owner)
    if night.rehearsed or not rounds.changed_since(night.owner, last):
        return
    made = store.back_up(
        store.path.parent / "backups", night.mind.now(), keep=night.mind.settings.backups_kept
    )
    yield Step(why="backed_up", details={"file": made.path.name}, place=str(length))
