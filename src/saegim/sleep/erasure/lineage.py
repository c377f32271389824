"""Which memories go along when some are erased: other versions, and what was made of them alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from saegim.memory.links import DERIVED_FROM, MERGED_FROM, PROMOTED_FROM, SUPERSEDES
from saegim.memory.scope import Scope
from saegim.mind import Mind

VERSIONS = (SUPERSEDES, MERGED_FROM)
MADE_FROM = (DERIVED_FROM, PROMOTED_FROM)


def is_there(id: str, scope: Scope, mind: Mind) -> bool:
    """Say whether a memory has its words, here or in the archive."""
    memory = mind.store.memories.get(scope, id)
    return memory is not None and (bool(memory.text) or mind.store.memories.in_archive(scope, id))


def versions(ids: Sequence[str], scope: Scope, mind: Mind) -> list[str]:
    """Return what holds in the place of these memories, and what they held in the place of."""
    newer = _along(ids, scope, mind, forward=False)
    older = _along((*ids, *newer), scope, mind, forward=True)
    found = dict.fromkeys((*newer, *older))
    return [id for id in found if is_there(id, scope, mind)]


def _along(ids: Sequence[str], scope: Scope, mind: Mind, *, forward: bool) -> list[str]:
    """Follow the ties of versions and merged twins to their end, in one direction."""
    seen = dict.fromkeys(ids)
    fresh = list(seen)
    while fresh:
        ends = [
            (link.source, link.target) if forward else (link.target, link.source)
            for link in mind.store.links.of(scope, fresh, VERSIONS)
        ]
        asked = set(fresh)
        fresh = list(dict.fromkeys(b for a, b in ends if a in asked and b not in seen))
        seen |= dict.fromkeys(fresh)
    return list(seen)[len(set(ids)) :]


def made_of_them_alone(ids: Iterable[str], scope: Scope, mind: Mind) -> list[str]:
    """Return the memories that were made of these and of nothing else that is still there."""
    gone = dict.fromkeys(ids)
    start, fresh = len(gone), list(gone)
    while fresh:
        asked = set(fresh)
        ties = mind.store.links.of(scope, fresh, MADE_FROM)
        made = {tie.source for tie in ties if tie.target in asked} - gone.keys()
        sources: dict[str, set[str]] = {}
        for tie in mind.store.links.of(scope, made, MADE_FROM) if made else ():
            sources.setdefault(tie.source, set()).add(tie.target)
        fresh = [
            id
            for id in sorted(made)
            if is_there(id, scope, mind)
            and not any(is_there(each, scope, mind) for each in sources[id] - gone.keys())
        ]
        gone |= dict.fromkeys(fresh)
    return list(gone)[start:]
