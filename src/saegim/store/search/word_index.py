"""The word index: FTS5 over our own tokens, written in the same transaction as the text.

No word that is gone may stay in a mark by which FTS5 finds its pages: `secure-delete` empties the
pages, but the table beside them keeps the word with which a page once began until a merge writes it
anew (measured: 3 of 900 words of 300 memories among 2,000).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from itertools import takewhile
from typing import Any

import apsw

from saegim.errors import BadInput
from saegim.language.words import Analyser
from saegim.memory.memory import Memory
from saegim.store.database import Connection, Database, first

TABLES = {"basic-1": "words_basic", "kiwi-1": "words_kiwi"}
# The schema sets these too. A question looks into every segment: few of them make it quick.
_OPTIONS = (("automerge", 0), ("crisismerge", 64), ("usermerge", 2), ("secure-delete", 1))


def table_of(analyser: str) -> str:
    """Return the table an analyser writes; each has its own, so they never mix."""
    if analyser not in TABLES:
        raise BadInput("store.no_word_index_is_kept", analyser=analyser, known=", ".join(TABLES))
    return TABLES[analyser]


def scope_token(owner: str) -> str:
    """Return the one token that stands for an owner in the index."""
    return "u" + owner.encode().hex()


def about(memory: Memory) -> str:
    """Return what is searched beside the words themselves: author, tags, keywords."""
    content = memory.content
    return " ".join((memory.provenance.author, *content.tags, *content.keywords))


def add(connection: Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Index the words of a memory under this analyser."""
    connection.execute(
        f"INSERT INTO {table_of(analyser.name)} (rowid, scope, text, about) VALUES (?, ?, ?, ?)",
        (
            number,
            scope_token(memory.scope.user),
            " ".join(analyser.index(memory.text)),
            " ".join(analyser.index(about(memory))),
        ),
    )
    connection.execute("INSERT INTO analysed VALUES (?, ?)", (analyser.name, number))


def add_next(connection: Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Index a memory just born, and move the watermark if everything before it has been read."""
    add(connection, number, memory, analyser)
    connection.execute(
        "UPDATE house SET value = :n WHERE name = :name AND value = :before",
        {"n": str(number), "name": f"read:{analyser.name}", "before": str(number - 1)},
    )


def remove(connection: Connection, number: int) -> None:
    """Take a memory out of every word index."""
    for name, table in TABLES.items():
        gone = first(
            connection,
            "DELETE FROM analysed WHERE analyser = ? AND number = ? RETURNING 1",
            (name, number),
        )
        if gone:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))


def configure(connection: Connection) -> None:
    """Set what FTS5 remembers itself: no merges on the write path, deletions that are real."""
    for table in TABLES.values():
        for option, value in _OPTIONS:
            connection.execute(
                f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (option, value)
            )


def merge(connection: Connection, pages: int = 500) -> None:
    """Merge a bounded part of the index; called in the background."""
    for table in TABLES.values():
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))


def rebuild(connection: Connection) -> None:
    """Throw the word indexes away without reading them; they are written anew from the text."""
    for table in TABLES.values():
        sql: str = first(connection, "SELECT sql FROM sqlite_schema WHERE name = ?", (table,))
        _drop_unread(connection, table)
        connection.execute(sql)
    connection.execute("DELETE FROM analysed")
    configure(connection)


def _drop_unread(connection: Connection, table: str) -> None:
    """Drop an FTS5 table whose shadow tables may be too damaged to open."""
    try:
        connection.execute(f"DROP TABLE {table}")
        return
    except (apsw.CorruptError, apsw.SQLError):
        pass
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("DELETE FROM sqlite_schema WHERE name = ?", (table,))
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
    for part in ("data", "idx", "content", "docsize", "config"):
        connection.execute(f"DROP TABLE IF EXISTS {table}_{part}")


def words_complete(database: Database, analyser: str) -> bool:
    """Say whether this analyser has read every memory."""
    newest = database.rows("SELECT max(number) FROM memory WHERE text IS NOT NULL")[0][0]
    if newest is None:
        return True
    rows = database.rows("SELECT value FROM house WHERE name = ?", (f"read:{analyser}",))
    mark = int(rows[0][0]) if rows else 0
    return not database.rows(
        "SELECT 1 FROM memory m LEFT JOIN analysed a ON a.analyser = :a AND a.number = m.number "
        "WHERE m.number > :mark AND m.text IS NOT NULL AND a.number IS NULL LIMIT 1",
        {"a": analyser, "mark": mark},
    )


def drop_page_marks(connection: Connection, words: Mapping[str, Collection[bytes]]) -> None:
    """Move every mark that begins one of these words, and no living one, on to a living word."""
    if not any(words.values()):
        return
    # FTS5 writes what it has collected at a savepoint.
    connection.execute("SAVEPOINT collected")
    connection.execute("RELEASE collected")
    for table, said in words.items():
        held = sorted(said)
        rows: list[Any] = connection.execute(f"SELECT segid, term FROM {table}_idx").fetchall()
        # The first byte names the index; all of ours is in one.
        gone = [row for row in rows if _begins(held, row[1][1:])]
        if not all(_moved(connection, table, segment, mark) for segment, mark in gone):
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def _begins(words: list[bytes], mark: bytes) -> bool:
    at = bisect_left(words, mark)
    return bool(mark) and at < len(words) and words[at].startswith(mark)


def _moved(connection: Connection, table: str, segment: int, mark: bytes) -> bool:
    """Let a page be found by the beginning of a word that is still here; say if that can be.

    A mark lies after the last word of the page before, and not after the first of its own. The
    next living word is not after that first one either, and the shortest beginning of it that is
    beyond the old mark lies between the two.
    """
    word = mark[1:]
    found = first(
        connection,
        f"SELECT term FROM {table}_vocab WHERE term >= CAST(? AS TEXT) ORDER BY term LIMIT 1",
        (word,),
    )
    following = str(found or "").encode()
    if following.startswith(word):
        return True
    pairs = zip(word, following, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    moved = mark[:1] + following[: same + 1]
    taken = first(
        connection,
        f"SELECT 1 FROM {table}_idx WHERE segid = ? AND term > ? AND term <= ?",
        (segment, mark, moved),
    )
    if not following or taken:
        return False
    connection.execute(
        f"UPDATE {table}_idx SET term = ? WHERE segid = ? AND term = ?", (moved, segment, mark)
    )
    return True
