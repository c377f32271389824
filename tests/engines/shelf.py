"""A real full-text table over any memories, and the figures that are measured on it."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from typing import Final

import apsw

from engines.korean_queries import CASES, DISTRACTORS, NEGATIVES, Case
from saegim.language.words import Analyser

# The store creates its table with this tokenizer, so that one token of ours is one of FTS5.
TOKENCHARS: Final = "".join(sorted(set(string.punctuation) - set("\"'")))


class Shelf:
    """Memories in a real FTS5 table, asked the way the store asks."""

    def __init__(self, analyser: Analyser, memories: Iterable[str]) -> None:
        self.analyser = analyser
        self.memories = list(memories)
        self.database = apsw.Connection(":memory:")
        self.database.execute(
            f"""CREATE VIRTUAL TABLE word USING fts5(
                tokens, tokenize="ascii tokenchars '{TOKENCHARS}'")"""
        )
        rows = ((n, " ".join(analyser.index(memory))) for n, memory in enumerate(self.memories))
        with self.database:
            self.database.executemany("INSERT INTO word(rowid, tokens) VALUES (?, ?)", rows)

    def ask(self, question: str, limit: int = 5) -> list[str]:
        """Return the memories that answer best, best first."""
        terms = self.analyser.query(question)
        phrases = [f'"{" ".join(t.tokens)}"' + "*" * t.prefix for t in terms]
        if not phrases:
            return []
        rows = self.database.execute(
            "SELECT rowid FROM word WHERE word MATCH ? ORDER BY bm25(word), rowid LIMIT ?",
            (" OR ".join(phrases), limit),
        )
        return [self.memories[rowid] for (rowid,) in rows]


def labelled_shelf(analyser: Analyser) -> Shelf:
    """Return every expected memory among all distractors."""
    return Shelf(analyser, [*(case.memory for case in CASES), *DISTRACTORS])


def recall(shelf: Shelf, wanted: Callable[[Case], bool], limit: int = 5) -> float:
    """Return the share of the wanted cases whose memory is among the first answers."""
    cases = [case for case in CASES if wanted(case)]
    return sum(case.memory in shelf.ask(case.query, limit) for case in cases) / len(cases)


def precision(shelf: Shelf, wanted: Callable[[Case], bool]) -> float:
    """Return the share of right answers among the first five given to the wanted cases."""
    cases = [case for case in CASES if wanted(case)]
    right = given = 0
    for case in cases:
        answers = shelf.ask(case.query)
        right += case.memory in answers
        given += len(answers)
    return right / given


def false_positives(shelf: Shelf) -> float:
    """Return the share of the negative questions that got any answer."""
    return sum(bool(shelf.ask(query)) for query in NEGATIVES) / len(NEGATIVES)
