"""A larger store, quickly made: the memories of a small one again and again, in other words.

Names and nouns are replaced by others throughout; the vectors and the word index are those of the
new texts. Copies have lines in the ledger, but no chain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from months import Words
from saegim.engines.embedder import Embedder
from saegim.language.words import Basic
from saegim.memory.text import canonical_key
from saegim.mind import open_embedder
from saegim.settings import Settings
from saegim.store.search.embedding_index import pack

COPY_SECONDS = 7
_RUN = re.compile("[A-Za-z]{4,}|[가-힣]{2,}")
_BY_NUMBER = ("felt", "mention", "claim", "ageing", "analysed")
_KEYS = ("id", "source", "target", "memory", "subject")
_NAMES = ("key", "name", "entity", "slot", "value")


@dataclass(frozen=True, slots=True)
class Other:
    """How one copy says what the others say: other words, other ids."""

    copy: int
    words: Mapping[str, str]

    def text(self, text: str) -> str:
        """Return a text in the words of this copy; what follows a Korean word stays."""
        return _RUN.sub(self._run, text)

    def _run(self, found: re.Match[str]) -> str:
        run = found[0]
        if run.isascii():
            said = self.words.get(run.lower(), run)
            return said.capitalize() if run[0].isupper() else said
        for size in (3, 2):
            if (other := self.words.get(run[:size])) is not None:
                return other + run[size:]
        return run

    def key(self, key: str) -> str:
        """Return the id of a memory, or the key of an entity, in this copy."""
        return f"{key}_{self.copy}" if key.startswith("mem_") else self.text(key)

    def details(self, packed: str | None) -> str | None:
        """Return details in the words of this copy; their names stay."""
        if not packed:
            return packed
        held = {name: self._value(value) for name, value in json.loads(packed).items()}
        return json.dumps(held, ensure_ascii=False, separators=(",", ":"))

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(each) for each in value]
        return self.text(value) if isinstance(value, str) else value


class Copying:
    """The memories after a row, with all that hangs on them, written down again in other words."""

    def __init__(self, base: apsw.Connection, after: int) -> None:
        self._base, self._analyser = base, Basic()
        self._count: int = _one(base, "SELECT max(number) FROM memory") - after
        self._lines: int = _one(base, "SELECT coalesce(max(seq), 0) FROM ledger")
        self._seqs: int = _one(base, "SELECT coalesce(max(seq), 0) FROM vector")
        among = "(SELECT id FROM memory WHERE number > :after)"
        since = "(SELECT min(recorded_at) FROM memory WHERE number > :after)"
        wanted = {
            "memory": "number > :after",
            "words_basic": "rowid > :after",
            "vector": "number > :after",
            **dict.fromkeys(_BY_NUMBER, "number > :after"),
            "link": f"source IN {among} OR target IN {among} "
            f"OR (source LIKE 'entity:%' AND created_at >= {since})",
            "entity": f"last_seen_at >= {since}",
            "alias": f"entity IN (SELECT key FROM entity WHERE last_seen_at >= {since})",
            "sentiment": f"memory IN {among}",
            "ledger": f"subject IN {among}",
            "archive": f"id IN {among}",
        }
        self._held: dict[str, list[dict[str, Any]]] = {}
        for table, where in wanted.items():
            also = "rowid AS rowid, " if table == "words_basic" else ""
            rows = base.execute(f"SELECT {also}* FROM {table} WHERE {where}", {"after": after})
            self._held[table] = [
                dict(zip([each[0] for each in rows.get_description()], row, strict=True))
                for row in rows
            ]

    def write(self, other: Other, embedder: Embedder) -> None:
        """Write down one more copy."""
        texts = {r["number"]: other.text(r["text"]) for r in self._held["memory"] if r["text"]}
        made = embedder.embed(list(texts.values()), "document")
        vectors = dict(zip(texts, map(pack, made), strict=True))
        change: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "memory": lambda row: self._memory(row, other, texts.get(row["number"])),
            "words_basic": lambda row: self._words(row, other, texts[row["rowid"]]),
            "vector": lambda row: {
                "seq": row["seq"] + other.copy * self._seqs,
                "data": row["data"] and vectors[row["number"]],
            },
            "ledger": lambda row: {"seq": row["seq"] + other.copy * self._lines},
            "sentiment": lambda row: {"at": row["at"] + other.copy},
            "entity": lambda row: {"details": other.details(row["details"])},
        }
        with self._base:
            for table, rows in self._held.items():
                own = change.get(table, _nothing)
                fresh = [self._moved(row, other) | own(row) for row in rows]
                if fresh:
                    self._base.executemany(
                        f"INSERT OR IGNORE INTO {table} ({', '.join(fresh[0])}) "
                        f"VALUES ({', '.join('?' for _ in fresh[0])})",
                        [tuple(row.values()) for row in fresh],
                    )

    def _moved(self, row: dict[str, Any], other: Other) -> dict[str, Any]:
        """Return a row with the numbers, ids and names of the copy."""
        moved = dict(row)
        for name, value in row.items():
            if name in ("number", "rowid"):
                moved[name] = value + other.copy * self._count
            elif name in _KEYS:
                moved[name] = other.key(value)
            elif name in _NAMES:
                moved[name] = other.text(value)
        return moved

    def _memory(self, row: dict[str, Any], other: Other, text: str | None) -> dict[str, Any]:
        shift = other.copy * COPY_SECONDS * 1_000_000
        return {
            "text": text,
            "details": other.details(row["details"]),
            "canonical_key": canonical_key(text) if text else row["canonical_key"],
            "session": f"{row['session']}_{other.copy}",
            "happened_at": row["happened_at"] + shift,
            "recorded_at": row["recorded_at"] + shift,
        }

    def _words(self, row: dict[str, Any], other: Other, text: str) -> dict[str, Any]:
        return {"text": " ".join(self._analyser.index(text)), "about": other.text(row["about"])}


def _nothing(_: dict[str, Any]) -> dict[str, Any]:
    return {}


def _one(base: apsw.Connection, sql: str) -> Any:
    return base.execute(sql).fetchall()[0][0]


def grow(path: Path, after: int, copies: int, words: Words) -> None:
    """Write the memories after a row down so many times more."""
    if not copies:
        return
    embedder = open_embedder(Settings())
    with closing(apsw.Connection(str(path))) as base:
        for pragma in ("synchronous = OFF", "cache_size = -400000", "temp_store = MEMORY"):
            base.execute(f"PRAGMA {pragma}").fetchall()
        copying = Copying(base, after)
        for copy in range(1, copies + 1):
            copying.write(Other(copy, words.of_copy(copy)), embedder)
        # Few segments, as the background leaves them.
        words.merge(base, 1_000_000)
        last = str(_one(base, "SELECT max(number) FROM memory"))
        base.execute(
            "UPDATE house SET value = ? WHERE name LIKE 'covered:%' OR name = 'read:basic-1'",
            (last,),
        )
