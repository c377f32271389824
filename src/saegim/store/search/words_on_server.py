"""The word index on a server: our own tokens in a GIN index, the owner's mark inside each of them.

What BM25 needs is counted of the owner alone: a server counts nobody's words for somebody else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from saegim.language.words import Term
from saegim.store.database import Database
from saegim.store.rows import Params, Where
from saegim.store.search import bm25

# As the schema cuts them.
_LONGEST: Final = 250


def query_of(owner: str, terms: Sequence[Term]) -> str:
    """Write Terms as a query: every token of each, quoted, so that no letter of it is syntax."""
    mark = hashlib.md5(bm25.scope_token(owner).encode(), usedforsecurity=False).hexdigest()[:8]
    parts = []
    for term in terms:
        for at, token in enumerate(term.tokens):
            cut = (mark + token[:_LONGEST]).replace("\\", "\\\\").replace("'", "''")
            piece = term.prefix and at == len(term.tokens) - 1
            parts.append(f"'{cut}'" + (":*" if piece else ""))
    return " & ".join(parts)


def condition(terms: Sequence[Term], where: Where, params: Params) -> str:
    """Return the condition that a line of the owner holds all of the Terms, the words in order."""
    owner = where.scope.user
    params |= {"match": query_of(owner, terms), "own": bm25.scope_token(owner)}
    # The owner is in the tokens already; compared so, no plan begins with all lines of the owner.
    parts = ["f.tokens @@ CAST(:match AS tsquery)", "f.c0 || '' = :own"]
    for at, term in enumerate(terms):
        if len(term.tokens) > 1 or any(len(token) > _LONGEST for token in term.tokens):
            params[f"form{at}"] = bm25.inside(term)
            parts.append(f"strpos(' ' || f.c1 || ' | ' || f.c2 || ' ', :form{at}) > 0")
    return " AND ".join(parts)


@dataclass(frozen=True, slots=True)
class IndexOnServer(bm25.IndexInFile):
    """The word index on a server, under one question's filters."""

    @staticmethod
    def counted(database: Database, table: str, owner: str, known: bm25.Counts) -> bm25.Counts:
        """Count an owner's lines and their tokens."""
        del known
        ((lines, tokens),) = database.rows(
            f"SELECT count(*), coalesce(sum(length), 0) FROM {table}_content WHERE c0 = ?",
            (bm25.scope_token(owner),),
        )
        return bm25.Counts([int(lines), int(tokens)])

    @staticmethod
    def holding_all(
        database: Database, table: str, terms: Sequence[Term], where: Where, limit: int
    ) -> list[int]:
        """Return the rows that hold every one of these words, newest first."""
        sql, params = where.sql()
        held = condition(terms, where, params)
        rows = database.rows(
            f"SELECT m.number FROM {table}_content f JOIN memory m ON m.number = f.id "
            f"WHERE {held} AND {sql} ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
            {**params, "limit": limit},
        )
        return [int(row[0]) for row in rows]

    def count(self, token: str) -> int:
        """Return how many of the owner's memories hold a token."""
        if token == bm25.scope_token(self.where.scope.user):
            return self.documents
        if token not in self.counts.held:
            params: Params = {}
            held = condition([Term((token,), token)], self.where, params)
            ((count,),) = self.database.rows(
                f"SELECT count(*) FROM {self.table}_content f WHERE {held}", params
            )
            self.counts.held[token] = int(count)
        return self.counts.held[token]

    def holding(self, terms: Sequence[Term], *, filtered: bool, most: int = -1) -> bm25.Numbers:
        """Return the rows that hold all of the Terms, the newest if only so many are wanted."""
        sql, params = self.where.sql() if filtered else ("true", {})
        held = condition(terms, self.where, params)
        join = "JOIN memory m ON m.number = f.id" if filtered else ""
        order = "ORDER BY f.id DESC" if most >= 0 else ""
        rows = self.database.rows(
            f"SELECT f.id FROM {self.table}_content f {join} WHERE {held} AND {sql} {order} "
            "LIMIT :limit",
            {**params, "limit": most},
        )
        return bm25.numbers_of(rows)
