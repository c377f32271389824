"""Why something counts as used: the ledger's lines about it, told with the words that still live.

The ledger holds places and digests; once a memory is forgotten they say nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from saegim.memory.changes import Reweighed
from saegim.memory.clock import iso
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.recall.used.evidence import surfaces
from saegim.store.store import Store

# Someone said so through `feedback`, and nothing was seen of it.
REPORTED: Final = "reported"


@dataclass(frozen=True, slots=True)
class Used:
    """One use: when it was counted, why, after which trace, by which reply, by which words."""

    memory: str
    at: datetime
    because: str
    trace: str = ""
    reply: str = ""
    words: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the use ready for JSON."""
        return {
            "memory": self.memory,
            "at": iso(self.at),
            "because": self.because,
            "trace": self.trace,
            "reply": self.reply,
            "words": list(self.words),
        }


def uses_of(memory: Memory, *, scope: Scope, store: Store) -> list[Used]:
    """Return every use of a memory that the ledger saw, the oldest first."""
    found = []
    for entry in store.ledger.entries(scope, subject=memory.id):
        facts = entry.facts
        if entry.change != Reweighed.__name__ or not facts.get("used"):
            continue
        places = [int(each) for each in str(facts.get("places", "")).split()]
        found.append(
            Used(
                memory=memory.id,
                at=entry.at,
                because=str(facts.get("because", REPORTED)),
                trace=str(facts.get("trace", "")),
                reply=str(facts.get("reply", "")),
                words=tuple(surfaces(memory.text, places)) if memory.text else (),
            )
        )
    return found


def uses_after(trace: str, memories: Iterable[Memory], *, scope: Scope, store: Store) -> list[Used]:
    """Return how the memories that an answer showed were used because of it."""
    return [
        use
        for memory in memories
        for use in uses_of(memory, scope=scope, store=store)
        if use.trace == trace
    ]
