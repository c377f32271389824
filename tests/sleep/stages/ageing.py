"""Time goes by in a store, and what became of its memories is read back beside the ledger."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.changes import Change, Linked, Pinned, Recalled, Saved
from saegim.memory.entities import Link
from saegim.memory.memory import Memory
from saegim.perceive.build import embedded, placed
from saegim.perceive.moment import moment_of
from saegim.store.commit import Batch
from saegim.store.ledger import LedgerEntry
from saegim.store.rows import ALL_STATES, Where
from saegim.store.tables.night_table import NightRow


def open_at(path: Path, clock: FixedClock, **settings: Any) -> Saegim:
    """Open a quick store whose days begin at midnight UTC; days may be skipped without alarm."""
    chosen = {
        "durability": "fast",
        "timezone": "UTC",
        "away_days": 100_000.0,
        # The bare clocks; tests/sleep/stages/test_lifetimes.py lives by the gentle law.
        "forgetting": "seed",
        **settings,
    }
    return Saegim.open(path, clock=clock, background=False, **chosen)


def without_settings(patch: pytest.MonkeyPatch) -> None:
    """Take away what the person who runs the tests has set, for stores that many tests share."""
    for name in list(os.environ):
        if name.startswith("SAEGIM_") and name not in ("SAEGIM_NIGHTLY", "SAEGIM_EMBEDDER"):
            patch.delenv(name)


# -- what happens ---------------------------------------------------------------------------------


def commit(memory: Saegim, *changes: Change, vectors_of: Iterable[Memory] = ()) -> None:
    """Let Changes happen now, as the person's own act."""
    mind = memory.mind
    vectors = embedded(list(vectors_of), mind)
    identity = mind.embedder.identity if vectors else None
    mind.store.commit(
        Batch(
            memory.scope.user,
            changes,
            actor="me",
            at=mind.now(),
            vectors=vectors,
            identity=identity,
        )
    )


def kept(memory: Saegim, text: str, **about: Any) -> str:
    """Keep a text with exactly these coordinates, nothing read in its words; return its id."""
    island = about.pop("island", None)
    made = placed(moment_of(memory.scope, text, about), memory.mind)
    made = made.evolve(life=replace(made.life, island=island))
    commit(memory, Saved(made), vectors_of=[made])
    return made.id


def tie(memory: Saegim, source: str, type: str, target: str) -> None:
    """Tie one memory to another."""
    commit(memory, Linked(Link(source=source, type=type, target=target)))


def pin(memory: Saegim, id: str, pinned: bool = True) -> None:
    """Hold a memory fast, or let it loose."""
    commit(memory, Pinned(id, pinned))


def recalled(memory: Saegim, id: str, times: int = 1) -> None:
    """Let a memory be shown so many times."""
    for _ in range(times):
        commit(memory, Recalled(memory.mind.new_id("rec"), (id,)))


def used(memory: Saegim, id: str, times: int) -> None:
    """Let an answer lean on a memory so many times."""
    for _ in range(times):
        memory.feedback(id, "used")


def night(memory: Saegim, *stages: str) -> dict[str, int]:
    """Sleep these stages now; return what was done, as counts for each reason."""
    row = memory.sleep(*stages)
    assert row is not None
    return counts(row)


def counts(row: NightRow) -> dict[str, int]:
    """Return what a night counts, all stages together and without what every night does."""
    found: Counter[str] = Counter()
    for told in row.told.values():
        found.update({what: n for what, n in told.items() if isinstance(n, int)})
    routine = ("looked", "by_rule", "reported", "reflected", "backed_up", "year")
    return {what: n for what, n in found.items() if what not in routine}


# -- how it stands --------------------------------------------------------------------------------


def stands(memory: Saegim, id: str) -> Memory:
    """Return a memory as it stands, in whatever state."""
    found = memory.mind.store.memories.get(memory.scope, id)
    assert found is not None
    return found


def state(memory: Saegim, id: str) -> str:
    """Return the state of a memory."""
    return stands(memory, id).life.state.value


def why(memory: Saegim, id: str) -> str:
    """Return why a memory is leaving, or its state where it is not."""
    life = stands(memory, id).life
    return life.leaving_reason.value if life.leaving_reason else life.state.value


def shrunk(memory: Saegim, id: str) -> bool:
    """Say whether prompts are offered the short form."""
    return id in memory.mind.store.memories.shrunk(memory.scope, [id])


def everything(memory: Saegim) -> dict[str, Memory]:
    """Return every memory there ever was, by its id; of the forgotten the words are gone."""
    where = Where(scope=memory.scope, states=ALL_STATES, everywhere=True)
    return {each.id: each for _, each in memory.mind.store.memories.walk(where)}


def made_by_night(memory: Saegim, tier: str) -> list[Memory]:
    """Return what was distilled into a tier, the oldest first."""
    found = (each for each in everything(memory).values() if each.life.tier.value == tier)
    made = [each for each in found if each.provenance.source.value == "distillation"]
    return sorted(made, key=lambda each: each.id)


def ties(memory: Saegim, id: str, *types: str) -> set[tuple[str, str, str]]:
    """Return the ties of a memory."""
    links = memory.mind.store.links.of(memory.scope, [id], types)
    return {(each.source, each.type, each.target) for each in links}


def lines(memory: Saegim, *changes: str, actor: str = "", since: int = 0) -> list[LedgerEntry]:
    """Return the ledger's lines of these Changes, perhaps of one actor, oldest first."""
    return [
        each
        for each in memory.mind.store.ledger.entries(memory.scope, since=since)
        if (not changes or each.change in changes) and (not actor or each.actor == actor)
    ]


def findable(memory: Saegim, words: str, **filters: Any) -> set[str]:
    """Return the ids of what recall finds for these words."""
    return {hit.memory.id for hit in memory.recall(words, **filters).hits}


def report_page(memory: Saegim, kind: str) -> list[Mapping[str, Any]]:
    """Return what the pages of a kind hold, the oldest first."""
    return [page.data for page in memory.mind.store.pages.of(memory.scope, kind=kind)]


# -- what a report should say ---------------------------------------------------------------------

# Each reason that a report counts, and the lines of the ledger that it stands for.
REASONS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "expired": ("Leaving", {"reason": "expired"}),
    "faded": ("Leaving", {"reason": "faded"}),
    "pruned": ("Leaving", {"reason": "pruned"}),
    "displaced": ("Leaving", {"reason": "displaced"}),
    "merged": ("Superseded", {}),
    "retold": ("Retold", {}),
    "dozed": ("Dozed", {}),
    "shrunk": ("Shrunk", {"shrunk": True}),
    "grown": ("Shrunk", {"shrunk": False}),
    "archived": ("Archived", {}),
    "erased": ("Erased", {}),
    "proposed": ("Written", {"kind": "proposal"}),
    "insight": ("Saved", {"kind": "insight"}),
    "portrayed": ("Portrayed", {}),
}


def recounted(entries: list[LedgerEntry]) -> dict[str, int]:
    """Count from the ledger alone what a report should say."""
    found: Counter[str] = Counter()
    for entry in entries:
        for why, (change, facts) in REASONS.items():
            if entry.change == change and facts.items() <= dict(entry.facts).items():
                found[why] += 1
        if entry.change == "Saved" and entry.facts["kind"] != "insight":
            found["rose"] += 1
        if entry.change == "Reweighed" and "lent" in entry.facts:
            found["reweighed"] += 1
    return dict(found)


def said(told: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts of a report that stand for lines of the ledger."""
    found: Counter[str] = Counter()
    for did in told.values():
        for why in (*REASONS, "rose", "reweighed"):
            found[why] += did.get(why, 0)
        # An older version has had its time too; it is told apart.
        found["expired"] += did.get("old_version", 0)
        # What is proposed to the self, and what nobody answered, are lines of proposals too.
        found["proposed"] += did.get("belief_proposed", 0) + did.get("withdrawn", 0)
    return {why: count for why, count in found.items() if count}
