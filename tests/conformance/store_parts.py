"""What the tests of every database share: how one is opened, and words for keeping and finding.

A new database joins by adding its factory to STORES and passes the tests unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import servers
from saegim.memory.changes import (
    Change,
    Saved,
)
from saegim.memory.memory import (
    Agent,
    Content,
    Emotion,
    Feeling,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Rhythm,
    Scope,
    Source,
    Space,
    Tier,
    Time,
    Worth,
)
from saegim.store.commit import Batch
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.rows import ALL_STATES, Where
from saegim.store.store import Store
from stand_ins import Toy

Make = Callable[[Path], Store]


def sqlite(place: Path) -> Store:
    """Open the store in one file."""
    return Store(place / "store.db")


def _on_server(major: int, place: Path) -> Store:
    dsn = _databases.get(place) or servers.server(major).fresh()
    _databases[place] = dsn
    path = PostgresDatabase.beside(dsn, place)
    return Store(path, server=PostgresDatabase(dsn, path))


# A store that is opened twice in one place is the same store.
_databases: dict[Path, str] = {}


def postgres15(place: Path) -> Store:
    """Open the store in a database of its own on Debian's server."""
    return _on_server(15, place)


def postgres18(place: Path) -> Store:
    """Open the store in a database of its own on the newest server."""
    return _on_server(18, place)


STORES: tuple[Make, ...] = (sqlite, postgres15, postgres18)
AT = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
ME = Scope("me")
HERE = Where(scope=ME)
EVERYTHING = Where(scope=ME, states=ALL_STATES)
_numbers = count(1)


def memory(text: str, *, at: datetime = AT, scope: Scope = ME, **parts: Any) -> Memory:
    """Make a memory with an id of its own."""
    time = parts.pop("time", None) or Time(happened_at=at, recorded_at=at)
    id = parts.pop("id", f"mem_{next(_numbers):06}")
    return Memory(id=id, scope=scope, text=text, time=time, **parts)


def commit(store: Store, *changes: Change, owner: str = "me", **options: Any) -> Any:
    """Commit Changes of one owner."""
    return store.commit(Batch(owner, changes, actor=owner, at=AT, **options))


def keep(store: Store, text: str, **parts: Any) -> Memory:
    """Save a new memory and return it."""
    made = memory(text, **parts)
    commit(store, Saved(made), owner=made.scope.user)
    return made


def keep_near(store: Store, embedder: Toy, text: str, **parts: Any) -> Memory:
    """Save a new memory together with its vector."""
    made = memory(text, **parts)
    vectors = {made.id: embedder.embed([text], "document")[0]}
    batch = Batch(made.scope.user, [Saved(made)], "me", AT, vectors, embedder.identity)
    store.commit(batch)
    return made


def ids(store: Store, where: Where = HERE) -> list[str]:
    """Return the ids that a walk meets."""
    return [each.id for _, each in store.memories.walk(where)]


def found(store: Store, words: str, where: Where = HERE, limit: int = 10) -> list[str]:
    """Return the ids that the words find, best first."""
    terms = store.words.analyser().query(words)
    hits = store.words.matching(terms, where, limit=limit).hits
    held = store.memories.by_numbers(where.scope, [hit.number for hit in hits])
    return [held[hit.number].id for hit in hits]


def near(
    store: Store, embedder: Toy, words: str, where: Where = HERE, limit: int = 10
) -> list[tuple[str, float]]:
    """Return (id, cosine) of the nearest memories."""
    (asked,) = embedder.embed([words], "query")
    hits = store.vectors.near(asked, embedder.identity, where, limit=limit)
    held = store.memories.by_numbers(where.scope, [hit.number for hit in hits])
    return [(held[hit.number].id, hit.cosine) for hit in hits]


def head(store: Store, owner: str = "me") -> tuple[int, str]:
    """Return the length and the head of an owner's ledger."""
    return store.ledger.verify(Scope(owner))


FULL = memory(
    "보리는 2026년에 한강을 걸었다. 🐕",
    id="mem_full",
    scope=Scope("me", "agent", "project", "session 1"),
    kind=Kind.EXPERIENCE,
    visibility="shared",
    time=Time(
        happened_at=datetime(2025, 12, 31, 23, 0, tzinfo=UTC),
        recorded_at=AT,
        valid_from=AT - timedelta(days=1),
        valid_to=AT + timedelta(days=1),
        sequence=7,
        minutes_into_session=1.5,
    ),
    provenance=Provenance(
        origin=Origin.TOOL_OUTPUT, source=Source.OBSERVATION, author="민호", turn="turn 3"
    ),
    space=Space(domain="dogs", files=("a.py", "나.md"), depth=0),
    agent=Agent(
        persona="synthesis",
        persona_name="합",
        role="user",
        backend="none",
        phase_injection=True,
        error_occurred=True,
    ),
    emotion=Emotion(
        feelings=(Feeling.JOY, Feeling.SADNESS),
        intensity=0.5,
        affect=0.0,
        sentiment=-0.25,
        confidence=0.75,
        words=("그리움",),
    ),
    content=Content(
        type="persona_response",
        prompt_digest="where?",
        brief="보리 산책",
        triples=(("보리", "걸었다", "한강"),),
        language="ko",
        keywords=("산책",),
        tags=("dog", "서울"),
        token_count=12,
    ),
    worth=Worth(
        importance=0.5,
        confidence=0.25,
        rating=4,
        repeat=1.5,
        feedback=-0.5,
        recalled=2,
        recalled_at=AT,
        used=1,
        used_at=AT,
    ),
    life=Life(
        tier=Tier.M365,
        expires_at=AT + timedelta(days=365),
        promoted_from="mem_0",
        pinned=True,
        immutable=True,
        island="dogs",
    ),
    rhythm=Rhythm(phase="integration", words=("clarity",), snapshot={"rhythm_phase": "x", "n": 1}),
)
