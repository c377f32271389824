"""`found`: what a doctor says about what surrounds a store (its words: `surroundings.toml`).

A key is `kind.case`. The findings of one kind that there are several of (clients, hooks) are told
apart by a name of their own.
"""

from __future__ import annotations

from typing import Final

from saegim.doctor.findings import Finding, Level
from saegim.doctor.findings import found as finding_of

# How bad each outcome is; what is not named here is well.
_WARNINGS: Final = frozenset(
    str.split("""
    in_force.stranger in_force.exposed client.foreign client.version client.other
    client.hooks_off hook.words spool.stuck spool.apart journal.failed journal.cut_short
    journal.overloaded server.stale server.unreadable server.version server.elsewhere
    """)
)
_FAILURES: Final = frozenset(
    str.split("""
    client.unreadable client.missing client.forbidden client.broken hook.missing hook.failed
    hook.slow hook.answer server.silent server.refuses token.open token.unusable mcp.failed
    error
    """)
)


def level_of(key: str) -> Level:
    """Return how bad an outcome is."""
    return "failure" if key in _FAILURES else "warning" if key in _WARNINGS else "ok"


def found(key: str, *, name: str = "", **blanks: object) -> Finding:
    """Make the finding of a key such as `server.stale`, its blanks filled in."""
    kind, _, case = key.partition(".")
    about = f"surroundings.{key}"
    return finding_of(about, name or kind, level_of(key), case or kind, **blanks)
