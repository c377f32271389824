"""What erased memories left elsewhere goes with them: names, ties, profiles, lines, receipts.

The erased of one commit are cleared together, so that whom many of them speak of is looked at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from saegim.memory.changes import Erased
from saegim.memory.links import REFERS_TO
from saegim.store.change import unmeeting
from saegim.store.change.writing import Batch, Writing
from saegim.store.index import fulltext, marks
from saegim.store.rows import unpacked

# A proposal holds ids and reasons, and is withdrawn by whoever erases.
_PROPOSAL = "proposal"
# Imported lines of seed A's ledger name their memories inside, not in `derived_from`.
_LINES = ("resonance:", "resonance;")


@dataclass(frozen=True, slots=True)
class Traces:
    """Where erased memories may have left something; read while their words are still there."""

    ids: tuple[str, ...]
    entities: tuple[str, ...]
    # The predicates of their triples, as ties between entities carry them.
    predicates: frozenset[str]
    # What each word index held of them.
    words: dict[str, set[bytes]]


def last_erased(batch: Batch) -> str:
    """Return the last memory that a commit erases."""
    return next(each.memory for each in reversed(batch.changes) if isinstance(each, Erased))


def all_erased(batch: Batch) -> tuple[str, ...]:
    """Return every memory that a commit erases, each once."""
    found = (each.memory for each in batch.changes if isinstance(each, Erased))
    return tuple(dict.fromkeys(found))


# -- looking --------------------------------------------------------------------------------------


def traces(writing: Writing, ids: Sequence[str]) -> Traces:
    """Look where these memories may have left something."""
    met = writing.execute(
        "SELECT l.target FROM json_each(:ids) j CROSS JOIN link l ON l.owner = :owner "
        "AND l.source = j.value AND l.type = :type "
        "UNION SELECT entity FROM sentiment WHERE owner = :owner AND memory IN "
        "(SELECT value FROM json_each(:ids))",
        {"owner": writing.owner, "ids": json.dumps(ids), "type": REFERS_TO},
    )
    predicates: set[str] = set()
    words: dict[str, set[bytes]] = {}
    for number, details, packed in _kept(writing, ids):
        if packed is not None:
            # What is spoilt can be erased too; which words it had cannot be known.
            text, details, author = unpacked(packed) or ("", "{}", "")
            _read_words(writing, text, details or "{}", author, words)
        else:
            _indexed_words(writing, number, words)
        predicates |= {predicate for _, predicate, _ in unmeeting.triples_of(details)}
    return Traces(tuple(ids), tuple(str(key) for (key,) in met), frozenset(predicates), words)


def _kept(writing: Writing, ids: Sequence[str]) -> Iterator[Any]:
    yield from writing.connection.execute(
        # As bytes: a spoilt record can be erased too.
        "SELECT m.number, CAST(m.details AS BLOB), a.packed FROM json_each(:ids) j "
        "CROSS JOIN memory m ON m.owner = :owner AND m.id = j.value "
        "LEFT JOIN archive a ON a.owner = m.owner AND a.id = m.id",
        {"owner": writing.owner, "ids": json.dumps(ids)},
    )


def _indexed_words(writing: Writing, number: int, words: dict[str, set[bytes]]) -> None:
    for table in fulltext.TABLES.values():
        for held in writing.execute(
            f"SELECT CAST(text AS BLOB), CAST(about AS BLOB) FROM {table} WHERE rowid = ?",
            (number,),
        ):
            words.setdefault(table, set()).update(b" ".join(held).split())


def _read_words(
    writing: Writing, text: str, details: str, author: str, words: dict[str, set[bytes]]
) -> None:
    """Read archived words as the word index once did: of some, the index may keep a mark."""
    more = unmeeting.details_of(details)
    about = " ".join((author, *more.get("tags", ()), *more.get("keywords", ())))
    for analyser in writing.analysers:
        said = words.setdefault(fulltext.table_of(analyser.name), set())
        said.update(word.encode() for part in (text, about) for word in analyser.index(part))


# -- clearing -------------------------------------------------------------------------------------


def clear(writing: Writing, found: Traces) -> None:
    """Take away what memories left elsewhere, now that they themselves are gone."""
    key = {"owner": writing.owner, "ids": json.dumps(found.ids)}
    among = "IN (SELECT value FROM json_each(:ids))"
    writing.execute(f"DELETE FROM sentiment WHERE owner = :owner AND memory {among}", key)
    writing.execute(f"DELETE FROM receipt WHERE owner = :owner AND outcome {among}", key)
    unmeeting.drop_images(writing, found.ids)
    _empty_pages(writing, frozenset(found.ids))
    _quiet_lines(writing, frozenset(found.ids))
    unmeeting.unmeet(writing, found.entities, found.predicates)
    marks.drop(writing.connection, found.words)


def _is_there(writing: Writing, id: str) -> bool:
    """Say whether a memory still has its words, here or in the archive."""
    return bool(
        writing.execute(
            "SELECT 1 FROM memory m WHERE m.owner = ? AND m.id = ? AND (m.text IS NOT NULL "
            "OR EXISTS (SELECT 1 FROM archive a WHERE a.owner = m.owner AND a.id = m.id))",
            (writing.owner, id),
        )
    )


# -- pages ----------------------------------------------------------------------------------------


def _empty_pages(writing: Writing, ids: frozenset[str]) -> None:
    """Empty what was written from nothing but erased memories."""
    rows = writing.execute(
        "SELECT key, version, derived_from, kind, data FROM page WHERE owner = ? "
        "AND derived_from <> '[]' AND (title <> '' OR body <> '' OR data <> '{}')",
        (writing.owner,),
    )
    for key, version, derived, kind, data in rows:
        sources = set(json.loads(derived))
        if sources & ids and not any(_is_there(writing, each) for each in sources - ids):
            # Of a proposal the question and its answer stay, without what was said beside it.
            left = {**json.loads(data), "note": ""} if kind == _PROPOSAL else {}
            writing.execute(
                "UPDATE page SET title = '', body = '', data = ? "
                "WHERE owner = ? AND key = ? AND version = ?",
                (json.dumps(left, ensure_ascii=False), writing.owner, key, version),
            )


def _quiet_lines(writing: Writing, ids: frozenset[str]) -> None:
    """Take the words out of imported lines about erased memories; whom they name stays."""
    rows = writing.execute(
        "SELECT key, version, data FROM page WHERE owner = ? AND key >= ? AND key < ?",
        (writing.owner, *_LINES),
    )
    for key, version, data in rows:
        line = json.loads(data)
        named = line.get("memory_refs") if isinstance(line, dict) else None
        refs = [each for each in named if isinstance(each, str)] if isinstance(named, list) else []
        if ids.intersection(refs):
            others = any(_is_there(writing, each) for each in refs if each not in ids)
            left = _without_feelings(line) if others else {"memory_refs": refs}
            writing.execute(
                "UPDATE page SET title = '', body = '', data = ? "
                "WHERE owner = ? AND key = ? AND version = ?",
                (json.dumps(left, ensure_ascii=False), writing.owner, key, version),
            )


def _without_feelings(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line that is also another memory's without the words of how it felt."""
    match line:
        case {"bqi_coordinate": {"emotion": {"keywords": [_, *_]} as felt} as held}:
            return {**line, "bqi_coordinate": {**held, "emotion": {**felt, "keywords": []}}}
    return line
