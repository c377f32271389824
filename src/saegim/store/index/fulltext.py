"""Words in SQLite: FTS5 over our own tokens, written in the same transaction as the text."""

from __future__ import annotations

import apsw

from saegim.errors import BadInput
from saegim.language.words import Analyser
from saegim.memory.memory import Memory
from saegim.store.database import first

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


def add(connection: apsw.Connection, number: int, memory: Memory, analyser: Analyser) -> None:
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


def add_next(connection: apsw.Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Index a memory just born, and move the watermark if everything before it has been read."""
    add(connection, number, memory, analyser)
    connection.execute(
        "UPDATE house SET value = :n WHERE name = :name AND value = :before",
        {"n": str(number), "name": f"read:{analyser.name}", "before": str(number - 1)},
    )


def remove(connection: apsw.Connection, number: int) -> None:
    """Take a memory out of every word index."""
    for name, table in TABLES.items():
        gone = first(
            connection,
            "DELETE FROM analysed WHERE analyser = ? AND number = ? RETURNING 1",
            (name, number),
        )
        if gone:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))


def configure(connection: apsw.Connection) -> None:
    """Set what FTS5 remembers itself: no merges on the write path, deletions that are real."""
    for table in TABLES.values():
        for option, value in _OPTIONS:
            connection.execute(
                f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (option, value)
            )


def merge(connection: apsw.Connection, pages: int = 500) -> None:
    """Merge a bounded part of the index; called in the background."""
    for table in TABLES.values():
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))


def rebuild(connection: apsw.Connection) -> None:
    """Throw the word indexes away without reading them; they are written anew from the text."""
    for table in TABLES.values():
        sql: str = first(connection, "SELECT sql FROM sqlite_schema WHERE name = ?", (table,))
        _drop_unread(connection, table)
        connection.execute(sql)
    connection.execute("DELETE FROM analysed")
    configure(connection)


def _drop_unread(connection: apsw.Connection, table: str) -> None:
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
