"""What contains a piece of text, in any case: seed A §5.2, beside the words of the index.

There is no index of substrings: letters inside words would cost more room than the words. What is
newest is looked at first, along the index of time, and looking ends as soon as enough is found, or
where everything older is found by its words already. So a piece that many memories contain costs
what a page of a list costs; one that none contains costs a look at every text of the owner, which
SQLite does by itself: 1 to 2 ms for each 1,000 memories, so 5,000 stay far below the 100 ms that
seed A allows. Of tags each is looked at once, however many memories bear it.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from saegim.store.database import Database
from saegim.store.where import Params, Where

# Every tag of an owner once: from each to the next along their index, not row by row.
_EACH_TAG: Final = (
    "WITH RECURSIVE each_tag (tag) AS (SELECT min(tag) FROM tag WHERE owner = :owner UNION ALL "
    "SELECT (SELECT min(n.tag) FROM tag n WHERE n.owner = :owner AND n.tag > each_tag.tag) "
    "FROM each_tag WHERE each_tag.tag IS NOT NULL)"
)


def containing(
    database: Database, pieces: Sequence[str], where: Where, limit: int, also: Sequence[int] = ()
) -> list[int]:
    """Return the rows whose text or tags contain every piece, and the rows in `also`, newest first.

    `also` is what was found otherwise, newest first, at most `limit`.
    """
    sql, params = where.sql()
    parts = [sql, *(_contains(at, piece, params) for at, piece in enumerate(pieces))]
    if len(also) >= limit:
        # What is older than the last of these has no place in the list.
        params["last"] = also[limit - 1]
        parts.append("m.happened_at >= (SELECT happened_at FROM memory WHERE number = :last)")
    rows = database.rows(
        f"SELECT m.number FROM memory m WHERE {' AND '.join(parts)} "
        "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
        {**params, "limit": limit},
    )
    found = dict.fromkeys((*(int(row[0]) for row in rows), *also))
    if not also:
        return list(found)
    rows = database.rows(
        "SELECT m.number FROM json_each(:numbers) j CROSS JOIN memory m ON m.number = j.value "
        "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
        {"numbers": json.dumps(list(found)), "limit": limit},
    )
    return [int(row[0]) for row in rows]


def _contains(at: int, piece: str, params: Params) -> str:
    """Return the condition that a text, or one of its tags, contains a piece."""
    likes = []
    for number, form in enumerate(_forms(piece)):
        name = f"piece{at}_{number}"
        params[name] = f"%{_escaped(form)}%"
        likes.append(f"{{}} LIKE :{name} ESCAPE '\\'")
    either = " OR ".join(likes)
    text, tag = (either.replace("{}", column) for column in ("m.text", "tag"))
    return (
        f"({text} OR m.number IN (SELECT number FROM tag WHERE owner = :owner AND tag IN "
        f"({_EACH_TAG} SELECT tag FROM each_tag WHERE {tag})))"
    )


def _forms(piece: str) -> Iterator[str]:
    """Yield how a piece may be written: SQLite knows the case of ASCII letters alone.

    Files of some systems bring letters in parts, Hangul in jamo: those are other bytes.
    """
    if piece.isascii():
        yield piece
        return
    forms: dict[str, None] = {}
    for each in (piece.lower(), piece.upper(), piece.title()):
        forms[unicodedata.normalize("NFC", each)] = None
        forms[unicodedata.normalize("NFD", each)] = None
    yield from forms


def _escaped(text: str) -> str:
    for mark in ("\\", "%", "_"):
        text = text.replace(mark, f"\\{mark}")
    return text
