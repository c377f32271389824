"""What time does to a memory: shrunk, dormant since when, settled when, referenced how often."""

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
    """Let a memory be young again: it was called back, rated or settled anew."""
    mark(writing, number, shrunk=0, dormant_since=None, settled_at=writing.at)


def drop(writing: Writing, number: int) -> None:
    """Forget how a memory aged."""
    writing.execute("DELETE FROM ageing WHERE number = ?", (number,))
