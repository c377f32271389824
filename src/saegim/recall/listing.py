"""Lists: what is newest, what a session held, what happened to a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from saegim.errors import BadInput, NotFound
from saegim.memory.entities import SUPERSEDES
from saegim.memory.memory import Memory, Scope, checked_name, shared_scope
from saegim.mind import Mind
from saegim.recall.flow import recall
from saegim.recall.handle import named_id, resolved
from saegim.recall.understand import MOST, Query
from saegim.recall.usage import Used, uses_of
from saegim.store.ledger import LedgerEntry
from saegim.store.rows import Where
from saegim.store.store import Store
from saegim.store.tables.memory_table import Slice

# More than these is a text to be found as it stands, not words to be found anywhere in one.
_MOST_PIECES = 16


@dataclass(frozen=True, slots=True)
class History:
    """What happened to a memory: its versions, oldest first, and the ledger's lines about them.

    `uses` says of each use why it counts as one.
    """

    versions: tuple[Memory, ...]
    entries: tuple[LedgerEntry, ...]
    uses: tuple[Used, ...] = ()


def one(id: str, *, scope: Scope, mind: Mind, exact: bool = False) -> Memory:
    """Return a memory by id; an id that was corrected leads to what holds now."""
    found = mind.store.memories.get(scope, id if exact else mind.store.memories.current(scope, id))
    if found is None or not found.text:
        raise NotFound("recall.no_memory", id=id)
    return found


def readable(name: str, *, scope: Scope, store: Store) -> tuple[str, Scope]:
    """Return the id that a name stands for, and whose memory it is: one's own, or the agent's.

    Of what the users of an agent share, only what is marked as shared can be reached.
    """
    own, shared = None, shared_scope(scope)
    try:
        own = named_id(name, scope=scope, store=store)
        if shared is None or store.memories.get(scope, own) is not None:
            return own, scope
    except NotFound:
        if shared is None:
            raise
    with suppress(NotFound):
        id = resolved(name, scope=shared, store=store.common)
        found = store.common.memories.get(shared, id)
        if found is not None and found.visibility == "shared":
            return id, shared
    if own is None:
        raise NotFound("recall.no_memory_saegim_recent", name=name)
    return own, scope


def of_session(session: str, *, scope: Scope, mind: Mind) -> list[Memory]:
    """Return everything a session holds, in its order (seed A §5)."""
    where = Where(scope=scope, session=checked_name("session", session), everywhere=True)
    found = (memory for _, memory in mind.store.memories.walk(where))
    return sorted(found, key=lambda each: (each.time.sequence or 0, each.time.happened_at))


def newest(where: Where, *, limit: int, cursor: str | None, mind: Mind) -> Slice:
    """Return a page of the list, newest first."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise BadInput("recall.limit_cannot_be", limit=limit, most=MOST)
    return mind.store.memories.page(where, limit=limit, cursor=cursor)


def newest_matching(query: Query, *, mind: Mind, within: bool = True) -> list[Memory]:
    """Return the memories that hold every word of the question, newest first (seed A §5.2).

    A word is held if it stands there in any form, or, with `within`, if its letters do, in the text
    or in a tag: "synth" finds "synthesis".
    """
    where, limit = query.where, query.limit
    pieces = _pieces(query.asked)
    if not pieces:
        return newest(where, limit=limit, cursor=None, mind=mind).memories
    analyser = mind.store.words.analyser()
    terms = analyser.query(query.asked)
    numbers: list[int] = []
    # Marks or endings alone: no memory holds them as words, and "all" would be a wrong answer.
    if terms:
        numbers = mind.store.words.holding_all(terms, where, limit=limit, analyser=analyser.name)
    if within:
        numbers = mind.store.words.containing(pieces, where, limit=limit, also=numbers)
    found = mind.store.memories.by_numbers(where.scope, numbers)
    return [found[number] for number in numbers if number in found]


def _pieces(asked: str) -> list[str]:
    """Return what a text must contain: every piece between spaces, or the whole of a long one."""
    pieces = list(dict.fromkeys(asked.split()))
    return pieces if len(pieces) <= _MOST_PIECES else [asked.strip()]


def history(id: str, *, scope: Scope, mind: Mind) -> History:
    """Return every version of a memory and everything the ledger saw of them."""
    if mind.store.memories.get(scope, id) is None:
        raise NotFound("recall.no_memory_2", id=id)
    chain = _versions(mind.store.memories.current(scope, id), scope=scope, mind=mind)
    memories = [
        found for each in chain if (found := mind.store.memories.get(scope, each)) is not None
    ]
    entries = sorted(
        (entry for each in chain for entry in mind.store.ledger.entries(scope, subject=each)),
        key=lambda entry: entry.seq,
    )
    uses = [use for each in memories for use in uses_of(each, scope=scope, store=mind.store)]
    return History(tuple(memories), tuple(entries), tuple(uses))


def _versions(id: str, *, scope: Scope, mind: Mind) -> list[str]:
    """Follow the ties back from the version that holds now to the first one."""
    chain = [id]
    while True:
        older = [
            link.target
            for link in mind.store.links.of(scope, [chain[-1]], [SUPERSEDES])
            if link.source == chain[-1] and link.target not in chain
        ]
        if not older:
            return chain[::-1]
        chain.append(older[0])


# -- What other projects hold

# More than this is said to be as many: nobody counts further.
_COUNTED = 100


def recalled_elsewhere(question: str, where: Where, *, mind: Mind) -> dict[str, int]:
    """Count by project what would answer a question outside the scope; leaves no trace."""
    if not _narrows(where):
        return {}
    wide = replace(where, everywhere=True)
    found = recall(Query(text=question, where=wide, limit=_COUNTED, steady=True), mind=mind)
    return _outside((hit.memory for hit in found.hits if not hit.weak), where)


def found_elsewhere(words: str | None, where: Where, *, mind: Mind) -> dict[str, int]:
    """Count by project what holds every one of the words outside the scope."""
    if not _narrows(where):
        return {}
    wide = replace(where, everywhere=True)
    found = newest_matching(Query(text=words or "", where=wide, limit=_COUNTED), mind=mind)
    return _outside(found, where)


def _narrows(where: Where) -> bool:
    """Say whether a project keeps others out."""
    return bool(where.scope.project) and not where.everywhere


def _outside(found: Iterable[Memory], where: Where) -> dict[str, int]:
    inside = ("", where.scope.project)
    counts = Counter(each.scope.project for each in found if each.scope.project not in inside)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
