"""The tables a bara system kept before (seed E, phase 6): read once, left as they are."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Any

import apsw
import pytest

from elsewhere import (
    AT,
    ORDER,
    SECRET,
    as_sqlite,
    entities,
    everything,
    memories,
    notes,
    problems,
    texts,
)
from saegim import Saegim
from saegim.errors import BadInput
from saegim.importers.source.old_tables import read
from saegim.memory.memory import Kind, Origin, State

BOTS = (
    "CREATE TABLE bot_memory (id INTEGER PRIMARY KEY, platform TEXT, entity_name TEXT, "
    "interaction_count INTEGER, topics TEXT, sentiment TEXT, sentiment_score REAL, notes TEXT, "
    "first_seen TEXT, last_seen TEXT)"
)
INFO = (
    "CREATE TABLE collected_info (id INTEGER PRIMARY KEY, source TEXT, author TEXT, title TEXT, "
    "content TEXT, category TEXT, embedding BLOB, created_at TEXT, importance REAL)"
)
GOOD = (
    "CREATE TABLE good_examples (id INTEGER PRIMARY KEY, post TEXT, response TEXT, rating REAL, "
    "created_at TEXT)"
)
BOT = "INSERT INTO bot_memory VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FACT = "INSERT INTO collected_info VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
EXAMPLE = "INSERT INTO good_examples VALUES (?, ?, ?, ?, ?)"
VECTOR = struct.pack("3f", 0.1, 0.2, 0.3)
SEEN = ("2024-01-02 03:04:05", "2024-03-05 09:30:00")


def bara(path: Path, rows: Any = ()) -> Path:
    """A file as the old system left it."""
    some: list[tuple[str, tuple[Any, ...]]] = [
        (BOT, (1, "slack", "지민", 42, '["AI", "홍차"]', "positive", 0.6, "warm", *SEEN)),
        (BOT, (2, "chat", "Bora", None, "tea, cats", "negative", None, None, None, None)),
        (FACT, (1, "web", "kim", "차", "홍차는 산화차다", "technical", VECTOR, SEEN[1], 0.8)),
        (FACT, (2, None, None, None, "plain fact", None, VECTOR, None, None)),
        (EXAMPLE, (1, "이 차 어때요?", "향이 아주 좋아요", 5, SEEN[1])),
    ]
    return as_sqlite(path, BOTS, INFO, GOOD, rows=[*some, *rows])


def test_bots_become_acquaintances(tmp_path: Path) -> None:
    """Counts, topics and sentiment are preserved, with one point of history (seed E, phase 6)."""
    found = everything(read, bara(tmp_path / "bara.db"), "bara")
    jimin, bora = entities(found)
    assert (jimin.key, jimin.interactions, jimin.interests) == (
        "entity:slack:지민",
        42,
        ("AI", "홍차"),
    )
    assert (jimin.sentiment, jimin.sentiment_score, jimin.type) == ("positive", 0.6, "bot")
    assert jimin.last_seen_at == AT
    assert jimin.personality_notes == "warm"
    # A sentiment that is only named still leans; no times are invented.
    assert (bora.interests, bora.sentiment_score) == (("tea", "cats"), -0.5)
    assert (bora.first_seen_at, bora.interactions) == (None, 0)


def test_collected_facts_and_good_examples_become_memories(tmp_path: Path) -> None:
    """Categories, authors and ratings are preserved; an example is an episode (seed E, phase 6)."""
    found = everything(read, bara(tmp_path / "bara.db"), "bara")
    tea, plain, example = (each.value for each in memories(found))
    assert (tea.text, tea.kind, tea.provenance.author) == (
        "차\n\n홍차는 산화차다",
        Kind.TECHNICAL,
        "kim",
    )
    assert (tea.worth.importance, tea.time.happened_at, tea.space.domain) == (0.8, AT, "web")
    assert (plain.kind, plain.space.domain) == (Kind.FACT, "bara")
    assert plain.id.startswith("mem_undated_")
    assert (example.kind, example.text) == (Kind.EPISODE, "향이 아주 좋아요")
    assert (example.content.prompt_digest, example.worth.rating) == ("이 차 어때요?", 5)
    assert {each.provenance.origin for each in (tea, plain, example)} == {Origin.IMPORT}
    assert notes(found) == [
        "2 embeddings of collected_info were made by another embedder and are not taken over; "
        "new ones are made here."
    ]


def test_it_is_recorded_and_never_read_twice(memory: Saegim, tmp_path: Path) -> None:
    """A page names the file by its digest; a second run changes nothing (seed E, phase 6)."""
    path = bara(tmp_path / "bara.db")
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    rehearsed = memory.import_from(path, dry_run=True)
    assert memory.mind.store.pages.of(memory.scope) == []
    done = memory.import_from(path)
    assert (done.form, done.added, done.entities, done.pages) == ("bara", 3, 2, 1)
    assert (rehearsed.added, rehearsed.entities, rehearsed.pages) == (3, 2, 1)
    [page] = memory.mind.store.pages.of(memory.scope, kind="import")
    assert page.data == {
        "form": "bara",
        "sha256": before,
        "bot_memory": 2,
        "collected_info": 2,
        "good_examples": 1,
    }
    again = memory.import_from(path)
    assert (again.added, again.known, again.entities, again.pages) == (0, 3, 0, 0)
    assert (again.conflicts, again.problems) == ((), ())
    assert len(memory.mind.store.pages.of(memory.scope)) == 1
    [point] = memory.mind.store.entities.sentiment_history(memory.scope, "entity:slack:지민")
    assert (point.at, point.score, point.label) == (AT, 0.6, "positive")
    assert memory.maintenance.verify()[0]
    # Nothing of the old system was touched, and nothing was laid beside it.
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert {each.name for each in tmp_path.glob("bara*")} == {"bara.db"}


def test_what_came_since_is_added_and_recorded(memory: Saegim, tmp_path: Path) -> None:
    """The old system may go on for a while; only what is new comes in (U24.3)."""
    memory.import_from(bara(tmp_path / "bara.db"))
    (tmp_path / "bara.db").unlink()
    later = bara(tmp_path / "bara.db", [(EXAMPLE, (2, "q", "a new answer", 3, None))])
    report = memory.import_from(later)
    assert (report.added, report.known, report.pages) == (1, 3, 1)


@pytest.mark.parametrize(
    ("tables", "rows", "words", "said"),
    [
        (("CREATE TABLE collected_info (content TEXT)",), [], [], 2),
        (
            ("CREATE TABLE COLLECTED_INFO (Content TEXT, Title TEXT)",),
            [("INSERT INTO collected_info VALUES (?, ?)", ("words", None))],
            ["words"],
            2,
        ),
        (
            ("CREATE TABLE good_examples (prompt, reply, score, extra) ",),
            [("INSERT INTO good_examples VALUES (?, ?, ?, ?)", (7, 8, "many", b"x"))],
            ["8"],
            2,
        ),
        (
            ("CREATE TABLE bot_memory (x INTEGER)",),
            [("INSERT INTO bot_memory VALUES (1)", ())],
            [],
            2,
        ),
    ],
)
def test_other_columns_and_types_are_tolerated(
    tmp_path: Path, tables: Any, rows: Any, words: list[str], said: int
) -> None:
    """Missing tables and columns, other names and types: what is there is taken (U24.3)."""
    found = everything(read, as_sqlite(tmp_path / "x.db", *tables, rows=rows), "bara")
    assert texts(found) == words
    assert len(notes(found)) == said


def test_broken_rows_are_named_and_the_rest_is_read(memory: Saegim, tmp_path: Path) -> None:
    """A row of nothing, of half letters or of numbers beyond all costs no other (U24.3)."""
    rows = [
        (FACT, (3, None, None, None, "", None, None, None, None)),
        (FACT, (4, None, None, None, "x" * 1_000_001, None, None, None, None)),
        (FACT, (5, None, None, None, "fine", "opinion", None, "no date", float("inf"))),
        (BOT, (3, "slack", None, 1, None, None, None, None, None, None)),
        (BOT, (4, "slack", "big", 1e300, "{not json", "odd", -7.0, None, 0, 1709631000)),
    ]
    path = bara(tmp_path / "bara.db", rows)
    connection = apsw.Connection(str(path))
    connection.execute(
        "INSERT INTO collected_info (id, content) VALUES (6, CAST(x'61ff62' AS TEXT))"
    )
    connection.close()
    report = memory.import_from(path)
    assert (report.added, report.entities) == (4, 2)
    assert [each.partition(":")[0] for each in report.problems] == [
        "bot_memory row 3",
        "bot_memory row 4",
        "collected_info row 3",
        "collected_info row 4",
        "collected_info row 6",
    ]
    assert problems(everything(read, path, "bara"))


def test_a_secret_is_masked_and_an_order_kept_apart(memory: Saegim, tmp_path: Path) -> None:
    """Also in the prompt of an example, and where the limit of a prompt cuts it (M4, M6)."""
    long = "x " * 245 + SECRET
    rows = [
        (EXAMPLE, (2, long, "see above", 1, None)),
        (FACT, (3, None, None, None, ORDER, None, None, None, None)),
        (BOT, (3, "slack", "Mallory", 1, None, None, None, ORDER, None, None)),
    ]
    report = memory.import_from(bara(tmp_path / "bara.db", rows))
    assert (report.added, report.quarantined, report.entities) == (5, 1, 2)
    assert [each.partition(":")[0] for each in report.problems] == ["bot_memory row 3"]
    kept = memory.recent(10, states=list(State)).memories
    digest = next(each.content.prompt_digest for each in kept if each.text == "see above")
    assert SECRET[:8] not in digest
    assert digest.startswith("x x")
    assert len(digest) <= 500


def test_another_database_is_refused(memory: Saegim, tmp_path: Path) -> None:
    """Other tables, a damaged file and a store of ours are named as what they are (U8.4)."""
    other = as_sqlite(tmp_path / "other.db", "CREATE TABLE songs (title)")
    with pytest.raises(BadInput, match="is not an export"):
        memory.import_from(other)
    with pytest.raises(BadInput, match="none of the tables"):
        memory.import_from(other, form="bara")
    with pytest.raises(BadInput, match="is a store of Saegim"):
        memory.import_from(tmp_path / "memory.db")
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"SQLite format 3\x00" + b"\x00" * 5000)
    with pytest.raises(BadInput, match="cannot be read as a SQLite file"):
        memory.import_from(damaged)
