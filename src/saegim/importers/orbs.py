"""Seed D's orbs: memories with tier and colours, and the forgetting queue beside them.

    {"form": "orbs", "version": 1,
     "memories": [Memory, …],
     "forgettingQueue": {"memories": [ForgettingEntry, …]}}

A bare list of memories, a bare list of entries and a bare ForgettingQueue are read as well. What
recall may find is an orb, what is leaving is an entry of the queue; older versions, what is kept
apart and what was forgotten have no shape in the seed and stay at home. An orb keeps its id, its
times and its tier, so it comes back as it was; whatever it claims, its origin here is `import`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from saegim.errors import BadInput
from saegim.filesystem import replacing
from saegim.importers.intake import ORBS
from saegim.importers.jsonl import HowFar, JsonlRecord, Problem, compact, untold
from saegim.importers.source.archive import Glimpse, elements, glimpse
from saegim.importers.source.source import Entries, ImportRun
from saegim.memory.entities import PROMOTED_FROM, Link
from saegim.memory.memory import FINDABLE, Origin, Scope, State
from saegim.memory.seed_json import from_entry, from_orb, to_entry, to_orb
from saegim.store.rows import Where
from saegim.store.store import Store

VERSION: Final = 1
LISTS: Final = ("memories", "forgettingQueue.memories")
_NEEDED: Final = frozenset(("content", "tier", "createdAt"))


def fits(seen: Glimpse) -> bool:
    """Say whether a file says that it holds orbs, or its first thing is one or an entry of one."""
    if seen.fields.get("form") == ORBS or "forgettingQueue" in seen.fields:
        return True
    first = seen.first
    return isinstance(first, Mapping) and (first.keys() >= _NEEDED or _is_entry(first))


def _is_entry(shape: Mapping[str, Any]) -> bool:
    return isinstance(shape.get("memory"), Mapping) and "enteredAt" in shape


def read(path: Path, source: ImportRun) -> Entries:
    """Yield the orbs and the entries of the queue, each as this user's memory."""
    _check_version(path)
    with path.open("rb") as file:
        for where, item in elements(file, LISTS):
            try:
                if isinstance(item, BadInput):
                    raise item
                if not isinstance(item, Mapping):
                    raise BadInput("import.not_object")
                yield _found(where, item, source)
            except BadInput as error:
                yield Problem(where, error.message)


def _check_version(path: Path) -> None:
    with path.open("rb") as file:
        seen = glimpse(file, LISTS)
    version = seen.fields.get("version", VERSION)
    if version != VERSION:
        raise BadInput(
            "import.holds_orbs_of_version_saegim", path=path, version=version, reads=VERSION
        )


def _found(where: str, item: Mapping[str, Any], source: ImportRun) -> JsonlRecord:
    memory = (from_entry if _is_entry(item) else from_orb)(item, source.scope.user)
    memory = memory.evolve(
        scope=source.scope, provenance=replace(memory.provenance, origin=Origin.IMPORT)
    )
    ties: tuple[Link, ...] = ()
    if memory.life.promoted_from:
        ties = (Link(source=memory.id, type=PROMOTED_FROM, target=memory.life.promoted_from),)
    return JsonlRecord(where, memory, ties)


def write(path: Path, *, scope: Scope, store: Store, tell: HowFar = untold) -> int:
    """Write the orbs and the forgetting queue of this user; return how many memories those are."""
    count = 0
    with replacing(path) as file:
        file.write(f'{{"form":"{ORBS}","version":{VERSION},"memories":[')
        for number, shape in enumerate(_orbs(scope, store)):
            file.write((",\n" if number else "\n") + compact(shape))
            count += 1
            tell(count)
        file.write('\n],"forgettingQueue":{"memories":[')
        for number, shape in enumerate(_entries(scope, store)):
            file.write((",\n" if number else "\n") + compact(shape))
            count += 1
            tell(count)
        file.write("\n]}}\n")
    return count


def _orbs(scope: Scope, store: Store) -> Iterator[dict[str, Any]]:
    for _, memory in store.memories.walk(Where(scope=scope, states=FINDABLE, everywhere=True)):
        yield to_orb(memory)


def _entries(scope: Scope, store: Store) -> Iterator[dict[str, Any]]:
    for _, memory in store.memories.walk(
        Where(scope=scope, states=(State.LEAVING,), everywhere=True)
    ):
        if memory.life.leaving_since is not None and memory.life.leaving_until is not None:
            yield to_entry(memory)
