"""The marks by which FTS5 finds its pages: no word that is gone may stay in one of them.

`secure-delete` empties the pages, but the table beside them keeps the word with which a page once
began until a merge writes it anew (measured: 3 of 900 words of 300 memories among 2,000).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from itertools import takewhile
from typing import Any

import apsw

from saegim.store.database import first


def drop(connection: apsw.Connection, words: Mapping[str, Collection[bytes]]) -> None:
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


def _moved(connection: apsw.Connection, table: str, segment: int, mark: bytes) -> bool:
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
