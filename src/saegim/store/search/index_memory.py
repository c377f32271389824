"""Everything derived from one memory's words, written and taken away together, or filled in later.

Claims say which memories state a value for which slot; coordinates say what a memory feels and
which times it speaks of, so that recall can filter by both; stated links tie entities as memories
state it, and go and come back with them.

What is missing is filled in by one mechanism, be it after a failed embedding, for a remote or a
changed embedder or an interrupted rebuild: look for memories without the index entry, make it
outside any transaction, write it. A watermark in `house` says up to which row nothing is missing,
so a full store costs nothing.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import accumulate
from typing import Any

from saegim.engines.embedder import Embedder, Identity, Vector
from saegim.errors import BadInput, BadReply, EngineError, StoreCorrupt
from saegim.language.claims import claims, is_negative
from saegim.language.words import Analyser
from saegim.memory.clock import micros, parse_instant
from saegim.memory.entities import REFERS_TO
from saegim.memory.memory import FINDABLE, Kind, Memory
from saegim.memory.text import normalise
from saegim.store.database import Connection, Database, first, newest_of
from saegim.store.rows import SELECT, from_row, memory_in
from saegim.store.search import bm25, embedding_index
from saegim.store.tables.profile_table import drop_profile

BATCH = 64
# So many characters are read in a second or two. A batch is kept when it is whole, so a longer one
# would be lost with every process that ends before it; a text that is longer comes by itself.
_LETTERS = 10_000
# A watermark that lags costs a question a longer look, so nobody waits long for it to be moved.
_SETTLE_PATIENCE = 0.2
# After a failure: 5 s, 20 s, 80 s … at most an hour between tries.
_BACKOFF_SECONDS = 5
_BACKOFF_MOST = 3600
_MISSING = (
    "SELECT m.number, m.owner, CAST(m.text AS BLOB) FROM memory m LEFT JOIN vector v "
    "ON v.embedder = :embedder AND v.number = m.number "
    "WHERE m.number > :mark AND m.text IS NOT NULL AND v.number IS NULL "
    "ORDER BY m.number LIMIT :limit"
)
_WAITING = (
    "SELECT m.number, m.owner, CAST(m.text AS BLOB) FROM vector v INDEXED BY vector_waiting "
    "JOIN memory m ON m.number = v.number "
    "WHERE v.embedder = :embedder AND v.data IS NULL AND v.retry_at IS NOT NULL "
    "AND v.retry_at <= :now AND m.text IS NOT NULL ORDER BY v.retry_at LIMIT :limit"
)


_UNREAD = (
    "SELECT m.number FROM memory m LEFT JOIN analysed a "
    "ON a.analyser = :analyser AND a.number = m.number "
    "WHERE m.number > :mark AND m.text IS NOT NULL AND a.number IS NULL "
    "ORDER BY m.number LIMIT :limit"
)


def _mark(database: Database, embedder: int) -> int:
    # A mark that is no number any more counts as none: then every memory is looked at.
    rows = database.rows(
        "SELECT CAST(value AS INTEGER) FROM house WHERE name = ?", (_name(embedder),)
    )
    return int(rows[0][0]) if rows else 0


def _name(embedder: int) -> str:
    return f"covered:{embedder}"


def _advance(connection: Connection, name: str, number: int) -> None:
    connection.execute(
        "INSERT INTO house VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, str(number)),
    )


def fill_vectors(
    database: Database,
    embedder: Embedder,
    now: Callable[[], datetime],
    told_to_stop: Callable[[], bool] = lambda: False,
) -> Iterator[int]:
    """Embed what is missing, a batch at a time; yield how many vectors each batch brought.

    Can be stopped after any batch and taken up again by any process. An embedder in this process
    is asked text by text, and is stopped after any of them: what it made until then is kept.
    """
    identity = embedder.identity
    while True:
        number = _embedder(database, identity, now)
        key = {"embedder": number, "mark": _mark(database, number), "limit": BATCH}
        due = {**key, "now": micros(now())}
        rows = database.rows(_MISSING, key) or database.rows(_WAITING, due)
        if not rows:
            if _settled(database, identity, now):
                return
            continue
        # A letter that is spoilt on the disk must not keep the others from being embedded.
        texts = _bounded([row[2].decode("utf-8", "replace") for row in rows])
        if embedder.local:
            vectors: list[Vector | EngineError] = []
            for text in texts:
                if told_to_stop():
                    break
                vectors += _embedded(embedder, [text], identity)
        else:
            vectors = _embedded(embedder, texts, identity)
        if not vectors:
            return
        made = list(zip(rows, vectors, strict=False))
        for owner in dict.fromkeys(row[1] for row, _ in made):
            with database.writing(owner) as connection:
                # A rebuild may have swept the table meanwhile; its number could be another's now.
                number = embedding_index.embedder_number(connection, identity, micros(now()))
                for row, vector in made:
                    if row[1] == owner:
                        _keep(connection, number, row, vector, micros(now()))
        yield sum(not isinstance(vector, EngineError) for vector in vectors)


def _bounded(texts: Sequence[str]) -> Sequence[str]:
    """Return the first texts that make up a batch: at least one, however long it is."""
    ends = list(accumulate(map(len, texts)))
    return texts[: max(1, bisect_right(ends, _LETTERS))]


def _embedder(database: Database, identity: Identity, now: Callable[[], datetime]) -> int:
    """Return the number of an embedder; only one that was never met is written down."""
    number = embedding_index.known_number(database, identity)
    if number is not None:
        return number
    with database.writing() as connection:
        return embedding_index.embedder_number(connection, identity, micros(now()))


def settle_marks(database: Database) -> None:
    """Move every watermark up to the newest memory before which nothing is missing.

    For a server, where no writer moves them: numbers of several owners are given out before they
    are committed, so that the highest is known only while nobody writes.
    """
    with database.writing(patience=_SETTLE_PATIENCE) as connection:
        newest = int(first(connection, "SELECT coalesce(max(number), 0) FROM memory"))
        rows: list[Any] = connection.execute(
            "SELECT name, value FROM house WHERE name >= 'covered:' AND name < 'covered;' "
            "OR name >= 'read:' AND name < 'read;'"
        ).fetchall()
        for name, value in rows:
            of, _, which = str(name).partition(":")
            mark = int(str(value))
            if newest <= mark:
                continue
            key: dict[str, Any] = {"mark": mark, "limit": 1}
            asked = _UNREAD if of == "read" else _MISSING
            key["analyser" if of == "read" else "embedder"] = which if of == "read" else int(which)
            if not connection.execute(asked, key).fetchall():
                _advance(connection, str(name), newest)


def _settled(database: Database, identity: Identity, now: Callable[[], datetime]) -> bool:
    """Move the watermark to the newest memory, unless something before it is missing again.

    Looked up under the write lock: a rebuild in between would otherwise leave a watermark that
    hides what it swept away.
    """
    with database.writing() as connection:
        number = embedding_index.embedder_number(connection, identity, micros(now()))
        mark = int(first(connection, "SELECT value FROM house WHERE name = ?", (_name(number),)))
        if connection.execute(_MISSING, {"embedder": number, "mark": mark, "limit": 1}).fetchall():
            return False
        newest = int(first(connection, "SELECT coalesce(max(number), 0) FROM memory"))
        if newest > mark:
            _advance(connection, _name(number), newest)
    return True


def _embedded(
    embedder: Embedder, texts: Sequence[str], identity: Identity
) -> list[Vector | EngineError]:
    """Embed together; if that fails, one by one, so that one bad text spoils only itself."""
    try:
        made = list(embedder.embed(texts, "document"))
        if len(made) != len(texts):
            raise BadReply(
                "store.sent_vectors_for_texts",
                model=identity.model,
                count=len(made),
                texts=len(texts),
            )
        for vector in made:
            embedding_index.check_fits(vector, identity)
        return [*made]
    except EngineError as error:
        if len(texts) == 1:
            return [error]
    return [made for text in texts for made in _embedded(embedder, [text], identity)]


def _keep(
    connection: Connection,
    embedder: int,
    row: Any,
    vector: Vector | EngineError,
    now: int,
) -> None:
    """Write one vector, or the reason why there is none, if the memory is still there."""
    number, owner, _ = row
    alive = connection.execute(
        "SELECT state IN ('active', 'dormant') FROM memory WHERE number = ? AND text IS NOT NULL",
        (number,),
    ).fetchall()
    if not alive:
        return
    if not isinstance(vector, EngineError):
        put_vector(
            connection, owner, embedder, number, embedding_index.pack(vector), bool(alive[0][0])
        )
        return
    tries: int = first(
        connection,
        "INSERT INTO vector (embedder, number, owner, seq, live, attempts, retry_at, error) "
        "VALUES (:e, :n, :o, 0, 0, 1, :now, :why) ON CONFLICT (embedder, number) DO UPDATE SET "
        "attempts = vector.attempts + 1, error = excluded.error RETURNING attempts",
        {"e": embedder, "n": number, "o": owner, "now": now, "why": vector.message[:300]},
    )
    wait = min(_BACKOFF_SECONDS * 4 ** (tries - 1), _BACKOFF_MOST)
    connection.execute(
        "UPDATE vector SET retry_at = ? WHERE embedder = ? AND number = ?",
        (now + wait * 1_000_000, embedder, number),
    )


def fill_words(database: Database, analyser: Analyser) -> Iterator[int]:
    """Index the words of memories this analyser has not read, a batch at a time."""
    name = f"read:{analyser.name}"
    while True:
        # Looked up and written under one lock: a rebuild in between would leave a watermark
        # that hides what it swept away.
        with database.writing() as connection:
            mark = int(first(connection, "SELECT value FROM house WHERE name = ?", (name,)) or 0)
            missing: list[Any] = connection.execute(
                _UNREAD, {"analyser": analyser.name, "mark": mark, "limit": BATCH}
            ).fetchall()
            for (number,) in missing:
                # A spoilt record cannot be read; the doctor names it, and the others go on.
                with contextlib.suppress(StoreCorrupt, UnicodeDecodeError):
                    bm25.add(connection, number, memory_in(connection, number), analyser)
            newest = int(first(connection, "SELECT coalesce(max(number), 0) FROM memory"))
            reached = int(missing[-1][0]) if missing else newest
            if reached > mark:
                _advance(connection, name, reached)
        if not missing:
            return
        yield len(missing)


def index_memory(
    connection: Connection,
    number: int,
    memory: Memory,
    *,
    analysers: Sequence[Analyser],
    vector: Vector | None,
    identity: Identity | None,
    at: int,
) -> None:
    """Index a memory just born, or called back."""
    owner = memory.scope.user
    for tag in dict.fromkeys(memory.content.tags):
        connection.execute("INSERT INTO tag VALUES (?, ?, ?)", (owner, tag, number))
    for analyser in analysers:
        bm25.add_next(connection, number, memory, analyser)
    if memory.content.triples:
        put_claims(connection, number, memory)
    put_coordinates(connection, number, memory)
    _put_vector(connection, number, memory, vector, identity, at)


def index_reading(
    connection: Connection,
    number: int,
    memory: Memory,
    *,
    analysers: Sequence[Analyser],
    vector: Vector | None,
    identity: Identity | None,
    at: int,
) -> None:
    """Index what was read in a memory whose words are indexed already, and its vector."""
    if memory.content.keywords:
        for analyser in analysers:
            bm25.set_about(connection, number, memory, analyser)
    drop_claims(connection, number)
    put_claims(connection, number, memory)
    drop_coordinates(connection, number)
    put_coordinates(connection, number, memory)
    _put_vector(connection, number, memory, vector, identity, at)


def _put_vector(
    connection: Connection,
    number: int,
    memory: Memory,
    vector: Vector | None,
    identity: Identity | None,
    at: int,
) -> None:
    if vector is None or identity is None:
        return
    embedding_index.check_fits(vector, identity)
    embedder = embedding_index.embedder_number(connection, identity, at)
    put_next_vector(
        connection,
        memory.scope.user,
        embedder,
        number,
        embedding_index.pack(vector),
        memory.life.state in FINDABLE,
    )


def unindex_memory(connection: Connection, owner: str, number: int) -> None:
    """Take everything derived from a memory's words out of the indexes."""
    bm25.remove(connection, number)
    drop_vectors(connection, owner, number)
    drop_claims(connection, number)
    drop_coordinates(connection, number)
    drop_profile(connection, number)
    connection.execute("DELETE FROM tag WHERE number = ?", (number,))


def add_tags(
    connection: Connection,
    number: int,
    memory: Memory,
    tags: Sequence[str],
    analysers: Sequence[Analyser],
) -> None:
    """Index more tags of a memory, where its words are indexed."""
    for tag in tags:
        connection.execute("INSERT INTO tag VALUES (?, ?, ?)", (memory.scope.user, tag, number))
    for analyser in analysers:
        bm25.set_about(connection, number, memory, analyser)


def put_claims(connection: Connection, number: int, memory: Memory) -> None:
    """Index what a memory claims; what was imagined claims nothing."""
    for claim in () if memory.kind is Kind.IMAGINED else claims(memory.content.triples):
        connection.execute(
            "INSERT INTO claim VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (memory.scope.user, claim.slot, number, claim.value, int(claim.negative)),
        )


def drop_claims(connection: Connection, number: int) -> None:
    """Take the claims of a memory out of the index."""
    connection.execute("DELETE FROM claim WHERE number = ?", (number,))


def put_coordinates(connection: Connection, number: int, memory: Memory) -> None:
    """Index the feelings, the emotion words and the times of a memory."""
    owner, emotion = memory.scope.user, memory.emotion
    words = (*(each.value for each in emotion.feelings), *emotion.words, *memory.rhythm.words)
    for word in dict.fromkeys(filter(None, map(normalise, words))):
        connection.execute("INSERT INTO felt VALUES (?, ?, ?)", (owner, word, number))
    for starts, ends in dict.fromkeys(_mentioned(memory)):
        connection.execute("INSERT INTO mention VALUES (?, ?, ?, ?)", (owner, starts, ends, number))


def _mentioned(memory: Memory) -> Iterator[tuple[int, int]]:
    for interval in memory.time.mentions:
        starts, _, ends = interval.partition("/")
        try:
            yield micros(parse_instant(starts)), micros(parse_instant(ends))
        except BadInput:
            # Imported as someone else wrote it: it stays in the memory and is no filter.
            continue


def drop_coordinates(connection: Connection, number: int) -> None:
    """Take them out of the index."""
    connection.execute("DELETE FROM felt WHERE number = ?", (number,))
    connection.execute("DELETE FROM mention WHERE number = ?", (number,))


# The person whose memories these are: what a sentence says of "me" is tied to this key.
_SELF = "entity:me"


def settle_stated_links(connection: Connection, number: int, lives: bool, at: int) -> None:
    """Weaken the ties a memory states when it leaves, and strengthen them when it comes back.

    A tie that several memories state stays until the last of them is gone (seed C: the graph is
    kept in step with what is saved and deleted).
    """
    rows = connection.execute(f"{SELECT} WHERE m.number = ?", (number,)).fetchall()
    with suppress(StoreCorrupt):
        # A spoilt record can be let go too; what it said cannot be known.
        memory = from_row(rows[0])
        if (memory.life.state in FINDABLE) is not lives:
            for source, type, target, negative in _stated(connection, memory):
                _move_link(
                    connection, (memory.scope.user, source, type, target), lives, negative, at
                )


def _stated(connection: Connection, memory: Memory) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the ties between entities that the triples of a memory state."""
    if not memory.content.triples:
        return
    named = connection.execute(
        "SELECT a.name, a.entity FROM link l CROSS JOIN alias a ON a.owner = l.owner "
        "AND a.entity = l.target WHERE l.owner = ? AND l.source = ? AND l.type = ?",
        (memory.scope.user, memory.id, REFERS_TO),
    )
    keys = {str(name): str(entity) for name, entity in named}
    for subject, predicate, object in memory.content.triples:
        source = keys.get(normalise(subject), _SELF)
        target = keys.get(normalise(object), _SELF)
        type = normalise(predicate).replace(":", " ").strip()
        if source != target and type:
            yield source, type, target, is_negative(predicate)


def _move_link(
    connection: Connection,
    key: tuple[str, str, str, str],
    lives: bool,
    negative: bool,
    at: int,
) -> None:
    which = "owner = ? AND source = ? AND type = ? AND target = ?"
    if not lives:
        connection.execute(f"UPDATE link SET weight = weight - 1 WHERE {which}", key)
        connection.execute(f"DELETE FROM link WHERE {which} AND weight <= 0", key)
        return
    connection.execute(
        "INSERT INTO link VALUES (?, ?, ?, ?, 1, ?, ?, ?) "
        "ON CONFLICT (owner, source, type, target) DO UPDATE SET weight = link.weight + 1",
        (*key, int(negative), at, at),
    )


# -- the rows of vectors


def put_vector(
    connection: Connection, owner: str, embedder: int, number: int, data: bytes, live: bool
) -> None:
    """Keep a memory's vector; readers follow by its sequence number."""
    connection.execute(
        "INSERT INTO vector (embedder, number, owner, seq, live, data) "
        f"VALUES (:e, :n, :o, coalesce({newest_of(':o', ':e')}, 0) + 1, :live, :data) "
        "ON CONFLICT (embedder, number) DO UPDATE SET seq = excluded.seq, live = excluded.live, "
        "data = excluded.data, attempts = 0, retry_at = NULL, error = NULL",
        {"e": embedder, "n": number, "o": owner, "live": int(live), "data": data},
    )


def put_next_vector(
    connection: Connection, owner: str, embedder: int, number: int, data: bytes, live: bool
) -> None:
    """Keep the vector of a memory just born, and move the watermark if nothing before it lacks."""
    put_vector(connection, owner, embedder, number, data, live)
    if not getattr(connection, "is_server", False):  # there upkeep moves it, and nobody waits
        connection.execute(
            "UPDATE house SET value = :n WHERE name = :name AND value = :before",
            {"n": str(number), "name": f"covered:{embedder}", "before": str(number - 1)},
        )


# By the key of the table: asked by number alone, every vector would be read.
_OF_ONE = "embedder IN (SELECT number FROM embedder) AND number = :n"


def set_live(connection: Connection, owner: str, number: int, live: bool) -> None:
    """Show or hide a memory's vectors, of every embedder."""
    connection.execute(
        f"UPDATE vector SET live = :live, seq = {newest_of(':o', 'vector.embedder')} + 1 "
        f"WHERE {_OF_ONE} AND +owner = :o",
        {"n": number, "o": owner, "live": int(live)},
    )


def want_again(connection: Connection, number: int, at: int) -> None:
    """Let the vectors of a memory whose words are back be made anew, where they are missing."""
    connection.execute(
        "UPDATE vector SET retry_at = :at, attempts = 0, error = NULL "
        f"WHERE {_OF_ONE} AND data IS NULL",
        {"n": number, "at": at},
    )
    # An embedder that came while the words were away has no row for them yet.
    connection.execute(
        "INSERT INTO vector (embedder, number, owner, seq, live, data, retry_at) "
        "SELECT e.number, m.number, m.owner, "
        f"1 + coalesce({newest_of('m.owner', 'e.number')}, 0), 1, NULL, :at "
        "FROM embedder e CROSS JOIN memory m ON m.number = :n WHERE NOT EXISTS "
        "(SELECT 1 FROM vector v WHERE v.embedder = e.number AND v.number = m.number)",
        {"n": number, "at": at},
    )


def drop_vectors(connection: Connection, owner: str, number: int) -> None:
    """Take the bytes away and leave a row that tells other processes so."""
    set_live(connection, owner, number, False)
    connection.execute(
        f"UPDATE vector SET data = NULL, retry_at = NULL, error = NULL WHERE {_OF_ONE}",
        {"n": number},
    )
