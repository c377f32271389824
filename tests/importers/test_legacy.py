"""Taking over an old system (seed E, phase 6): in the background, once, recorded, then skipped."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from elsewhere import as_sqlite
from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound
from saegim.importers import intake, legacy
from stand_ins import rounds

INFO = (
    "CREATE TABLE collected_info (id INTEGER PRIMARY KEY, source TEXT, author TEXT, title TEXT, "
    "content TEXT, category TEXT, embedding BLOB, created_at TEXT, importance REAL)"
)
BOTS = "CREATE TABLE bot_memory (id INTEGER PRIMARY KEY, platform TEXT, entity_name TEXT)"
FACT = "INSERT INTO collected_info VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
BOT = "INSERT INTO bot_memory VALUES (?, ?, ?)"


BATCH = rounds(40, 16)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is cut off between two batches is cut off between two small ones just so."""
    monkeypatch.setattr(intake, "BATCH", BATCH)


def old(path: Path, facts: int = 3) -> Path:
    """The database of an old system, with so many facts and one acquaintance."""
    rows = [
        (FACT, (n, None, None, None, f"옛 사실 {n}번", None, None, None, None))
        for n in range(facts)
    ]
    return as_sqlite(path, INFO, BOTS, rows=[*rows, (BOT, (1, "slack", "지민"))])


def opened(tmp_path: Path, path: Path | str, **settings: object) -> Saegim:
    """Open a memory whose host names an old database."""
    return Saegim.open(tmp_path / "memory.db", legacy_path=str(path), **settings)  # type: ignore[arg-type]


def taken_over(memory: Saegim) -> int:
    """Wait until the background is done; count what is here."""
    assert memory._shared.migration is not None
    memory._shared.migration.join(240)
    return memory.recent(1).total


def test_the_database_a_host_names_is_taken_over_by_itself(tmp_path: Path) -> None:
    """Nobody asks and nobody waits; the old file is as it was, and a page says what came."""
    path = old(tmp_path / "bara.db")
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with opened(tmp_path, path) as memory:
        assert taken_over(memory) == 3
        assert memory.entities.named("지민")[0].platform == "slack"
        held = memory.maintenance.migration()
        assert held is not None
        assert (held.state, held.counts["added"], held.counts["entities"]) == ("done", 3, 1)
        assert held.digest == before
        [page] = memory.mind.store.pages.of(memory.scope, kind=legacy.KIND)
        assert "bara" not in f"{page.key}{dict(page.data)}"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_the_second_opening_skips_it(tmp_path: Path) -> None:
    """Seed E: recorded, then skipped; not even the old file is needed any more."""
    path = old(tmp_path / "bara.db")
    with opened(tmp_path, path) as memory:
        taken_over(memory)
        length = len(list(memory.mind.store.ledger.entries(memory.scope)))
    path.unlink()
    with opened(tmp_path, path) as memory:
        assert memory._shared.migration is not None
        assert not memory._shared.migration._thread.is_alive()
        assert taken_over(memory) == 3
        assert len(list(memory.mind.store.ledger.entries(memory.scope))) == length


def test_without_a_background_nothing_is_taken_over_by_itself(tmp_path: Path) -> None:
    """The control: a command that opens the store for a moment does not begin a migration."""
    path = old(tmp_path / "bara.db")
    with opened(tmp_path, path, background=False) as memory:
        assert memory._shared.migration is None
        assert memory.maintenance.migration() is None
        report = memory.maintenance.migrate()
        assert report is not None
        assert report.added == 3
        assert memory.maintenance.migrate() is None, "asked again, it is skipped"


def test_a_migration_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    """What was committed stays and is known; the rest comes, and nothing twice."""
    path = old(tmp_path / "bara.db", facts=BATCH * 2 + 7)
    with Saegim.open(tmp_path / "memory.db") as memory:
        seen = iter(range(BATCH + 10))
        stopped = legacy.migrate(
            path, scope=memory.scope, mind=memory.mind, stopped=lambda: next(seen, None) is None
        )
        assert stopped is None
        kept = memory.recent(1).total
        assert 0 < kept <= BATCH
        assert memory.maintenance.migration(path) is None, "it is not called done"
    with opened(tmp_path, path) as memory:
        assert taken_over(memory) == BATCH * 2 + 7
        held = memory.maintenance.migration()
        assert held is not None
        assert (held.counts["known"], held.counts["added"]) == (kept, BATCH * 2 + 7 - kept)


def test_closing_stops_it_and_the_next_opening_finishes(tmp_path: Path) -> None:
    """A server that ends in the middle loses nothing and waits for nobody."""
    path = old(tmp_path / "bara.db", facts=BATCH * 3)
    with opened(tmp_path, path):
        pass
    with opened(tmp_path, path) as memory:
        assert taken_over(memory) == BATCH * 3


def test_two_at_once_come_to_the_same(tmp_path: Path) -> None:
    """Two processes may open at the same moment: everything is here once."""
    path = old(tmp_path / "bara.db", facts=40)
    with Saegim.open(tmp_path / "memory.db") as one, Saegim.open(tmp_path / "memory.db") as two:
        threads = [
            threading.Thread(
                target=legacy.migrate, args=(path,), kwargs={"scope": m.scope, "mind": m.mind}
            )
            for m in (one, two)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert one.recent(1).total == 40
        assert len(one.entities.named("지민")) == 1
        held = two.maintenance.migration(path)
        assert held is not None
        assert held.state == "done"


def test_what_is_in_the_way_is_written_down_and_tried_again(
    tmp_path: Path, clock: FixedClock
) -> None:
    """A file that is not there yet is no reason to fail to open; the next time it comes."""
    path = tmp_path / "later" / "bara.db"
    for _ in range(2):
        with opened(tmp_path, path, clock=clock) as memory:
            assert taken_over(memory) == 0
            held = memory.maintenance.migration()
            assert held is not None
            assert (held.state, held.trouble) == ("failed", f"There is no file {path}.")
            assert memory.status()["legacy"]["trouble"] == held.trouble
            assert len(memory.mind.store.pages.of(memory.scope, kind=legacy.KIND)) == 1
    path.parent.mkdir()
    old(path)
    with opened(tmp_path, path, clock=clock) as memory:
        assert taken_over(memory) == 3
        assert memory.status()["legacy"]["state"] == "done"


def test_a_database_of_something_else_is_refused(memory: Saegim, tmp_path: Path) -> None:
    """Neither a text, nor our own store, nor tables of another program; each says what to give."""
    text = tmp_path / "notes.db"
    text.write_text("no database")
    for path in (text, as_sqlite(tmp_path / "other.db", "CREATE TABLE songs (id)")):
        with pytest.raises(BadInput):
            memory.maintenance.migrate(path)
    with pytest.raises(NotFound, match="There is no file"):
        memory.maintenance.migrate(tmp_path / "nowhere.db")
    with pytest.raises(BadInput, match="No old database is named"):
        memory.maintenance.migrate()
    assert memory.recent(1).total == 0


def test_a_database_that_went_on_is_taken_over_again_when_a_person_asks(
    memory: Saegim, tmp_path: Path
) -> None:
    """The background skips what it did; a person who asks gets what is new, and only that."""
    memory.maintenance.migrate(old(tmp_path / "bara.db"))
    (tmp_path / "bara.db").unlink()
    report = memory.maintenance.migrate(old(tmp_path / "bara.db", facts=5))
    assert report is not None
    assert (report.added, report.known) == (2, 3)


def test_old_databases_are_found_where_such_systems_keep_them(
    memory: Saegim, tmp_path: Path
) -> None:
    """In the folder, in data and backend; our own store and other files are not among them."""
    here = tmp_path / "bot"
    (here / "backend" / "data").mkdir(parents=True)
    (here / "data").mkdir()
    first = old(here / "data" / "bara.db")
    second = old(here / "backend" / "data" / "memory.sqlite3")
    as_sqlite(here / "other.db", "CREATE TABLE songs (id)")
    (here / "broken.db").write_bytes(b"SQLite format 3\x00 and then nothing")
    assert legacy.around(here) == [first, second]
    assert legacy.around(tmp_path) == []
    assert legacy.around(tmp_path / "nowhere") == []
