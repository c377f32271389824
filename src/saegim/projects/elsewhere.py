"""What other projects hold, when this one has nothing to say (U13.2): counted, not shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from saegim.memory.memory import Memory
from saegim.mind import Mind
from saegim.recall.flow import recall
from saegim.recall.listing import newest_matching
from saegim.recall.query import Query
from saegim.store.where import Where

# More than this is said to be as many: nobody counts further.
MOST = 100


def recalled_elsewhere(question: str, where: Where, *, mind: Mind) -> dict[str, int]:
    """Count by project what would answer a question outside the scope; leaves no trace."""
    if not _narrows(where):
        return {}
    wide = replace(where, everywhere=True)
    found = recall(Query(text=question, where=wide, limit=MOST, steady=True), mind=mind)
    return _outside((hit.memory for hit in found.hits if not hit.weak), where)


def found_elsewhere(words: str | None, where: Where, *, mind: Mind) -> dict[str, int]:
    """Count by project what holds every one of the words outside the scope."""
    if not _narrows(where):
        return {}
    wide = replace(where, everywhere=True)
    found = newest_matching(Query(text=words or "", where=wide, limit=MOST), mind=mind)
    return _outside(found, where)


def _narrows(where: Where) -> bool:
    """Say whether a project keeps others out."""
    return bool(where.scope.project) and not where.everywhere


def _outside(found: Iterable[Memory], where: Where) -> dict[str, int]:
    inside = ("", where.scope.project)
    counts = Counter(each.scope.project for each in found if each.scope.project not in inside)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
