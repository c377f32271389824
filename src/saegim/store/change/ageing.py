"""What time does to a memory: shrunk, dormant since when, settled and touched when, lent what."""

from __future__ import annotations

from typing import Any

from saegim.store.change.writing import Writing


def mark(writing: Writing, number: int, **values: Any) -> None:
    """Set what is known of a memory's ageing."""
    names = ", ".join(values)
    holes = ", ".join(f":{name}" for name in values)
    sets = ", ".join(f"{name} = excluded.{name}" for name in values)
    writing.execute(
        f"INSERT INTO ageing (number, owner, {names}) VALUES (:number, :owner, {holes}) "
        f"ON CONFLICT (number) DO UPDATE SET {sets}",
        {"number": number, "owner": writing.owner, **values},
    )


def refresh(writing: Writing, number: int) -> None:
    """Let a memory be awake and whole again: it was rated or woken."""
    mark(writing, number, shrunk=0, dormant_since=None, touched_at=writing.at)


def renew(writing: Writing, number: int) -> None:
    """Let the time of a memory start anew: it was called back, or settled in a tier."""
    mark(writing, number, shrunk=0, dormant_since=None, settled_at=writing.at)


def drop(writing: Writing, number: int) -> None:
    """Forget how a memory aged."""
    writing.execute("DELETE FROM ageing WHERE number = ?", (number,))
