"""`Survey`: what only status and doctor ask of a store; it reads and changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import numpy as np

from saegim.engines.embedder import Identity
from saegim.engines.vectors import Sparse
from saegim.errors import SaegimError, StoreCorrupt
from saegim.language.words import Analyser
from saegim.memory.clock import from_micros
from saegim.store import backup
from saegim.store.database import Database
from saegim.store.index import fulltext, vectors
from saegim.store.ledger import Entry
from saegim.store.migrate import steps, version
from saegim.store.rows import SELECT, from_row

# What the database driver raises when a table or a file is not what it should be.
DriverError = apsw.Error
# A cold interpreter on a busy laptop takes a few seconds to answer.
_PATIENCE_SECONDS = 30
_CHUNK = 5000
_CHILD = (
    "import sys; from pathlib import Path; from saegim.store.database import Database; "
    "base = Database(Path(sys.argv[1]), busy_seconds=2.0); "
    "print(base.rows('SELECT count(*) FROM memory')[0][0], *[row[0] for row in "
    "base.rows('SELECT hash FROM ledger WHERE owner = ? AND seq = ?', "
    "(sys.argv[2], int(sys.argv[3])))])"
)


@dataclass(frozen=True, slots=True)
class OtherView:
    """What another process sees of the file: how many rows, whether they are ours, or why not."""

    memories: int = 0
    same: bool = False
    why: str = ""


def sqlite_version() -> str:
    """Return the version of the SQLite that is in use."""
    return apsw.sqlite_lib_version()


def newest_schema() -> int:
    """Return the schema this version of Saegim writes."""
    return steps()[-1].number


def newest_backup(*folders: Path) -> Path | None:
    """Return the backup that was made last, by its name."""
    made = (path for folder in folders for path in folder.glob("saegim-*.db"))
    return max(made, default=None, key=lambda path: path.name)


def verified(path: Path) -> backup.Backup:
    """Open a backup and check it, whatever the driver says about it."""
    try:
        return backup.verify(path)
    except apsw.Error as error:
        raise StoreCorrupt("store.not_readable_backup", path=path, error=error) from error


def _usable(data: bytes, dimension: int) -> bool:
    """Say whether stored bytes are a direction of this space."""
    try:
        vector = vectors.unpack(data, dimension)
        inside = not isinstance(vector, Sparse) or bool(np.all(vector.indices < dimension))
        identity = Identity("", "", "", dimension, "")
        vectors.check_fits(vector, identity)
    except (SaegimError, ValueError):
        return False
    return inside


class Survey:
    """The questions; each is answered from the file as it is now."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Let every read of this thread see the store as it is now, whoever writes meanwhile."""
        with self._database.one_moment():
            yield

    def schema(self) -> int:
        """Return the schema of the file; refuse one that is not ours."""
        with self._database.translated():
            return version(self._database.reader())

    def last_line(self, owner: str) -> Entry | None:
        """Return the newest line of an owner's ledger, without reading the others."""
        rows = self._database.rows(
            "SELECT seq, at, actor, change, subject, digest, hash FROM ledger WHERE owner = ? "
            "ORDER BY seq DESC LIMIT 1",
            (owner,),
        )
        for seq, at, actor, change, subject, digest, hashed in rows:
            return Entry(seq, from_micros(at), actor, change, subject, {}, digest, hashed)
        return None

    def owners(self) -> list[str]:
        """Return whose memories lie in the file."""
        rows = self._database.rows(
            "SELECT DISTINCT owner FROM ledger UNION SELECT DISTINCT owner FROM memory"
        )
        return [str(row[0]) for row in rows]

    def memories(self) -> int:
        """Count the memories that have their words, of all owners."""
        return int(self._database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")[0][0])

    def lost(self) -> list[str]:
        """Return memories that the ledger saw being saved and nothing let go, yet are not whole."""
        rows = self._database.rows(
            "SELECT l.subject FROM ledger l LEFT JOIN memory m "
            "ON m.owner = l.owner AND m.id = l.subject WHERE l.change = 'Saved' AND "
            "(m.number IS NULL OR (m.text IS NULL AND m.state <> 'forgotten')) ORDER BY l.at"
        )
        return [str(row[0]) for row in rows]

    def unsworn(self) -> list[str]:
        """Return memories whose words no line of the ledger vouches for any more."""
        rows = self._database.rows(
            "SELECT m.id FROM memory m LEFT JOIN ledger l ON l.owner = m.owner "
            "AND l.subject = m.id AND l.change = 'Saved' "
            "WHERE m.text IS NOT NULL AND (m.salt IS NULL OR l.seq IS NULL) ORDER BY m.number"
        )
        return [str(row[0]) for row in rows]

    def unfindable(self, analyser: str, *, all_read: bool) -> int:
        """Count memories that the word index should hold and does not."""
        table = fulltext.table_of(analyser)
        rows = self._database.rows(
            f"SELECT count(*) FROM memory m LEFT JOIN {table} f ON f.rowid = m.number "
            "LEFT JOIN analysed a ON a.analyser = :a AND a.number = m.number "
            "WHERE m.text IS NOT NULL AND (f.rowid IS NULL OR a.number IS NULL) "
            "AND (:all OR a.number IS NOT NULL)",
            {"a": analyser, "all": int(all_read)},
        )
        return int(rows[0][0])

    def misread(self, analyser: Analyser, most: int = 200) -> int:
        """Count, among the newest memories, those whose index entry is not of their words."""
        table = fulltext.table_of(analyser.name)
        found = 0
        for row in self._database.rows(
            f"{SELECT} WHERE m.text IS NOT NULL ORDER BY m.number DESC LIMIT ?", (most,)
        ):
            memory = from_row(row)
            held = self._database.rows(f"SELECT text FROM {table} WHERE rowid = ?", (row[0],))
            found += bool(held) and held[0][0] != " ".join(analyser.index(memory.text))
        return found

    def embedders(self) -> list[Identity]:
        """Return the embedders whose vectors lie here, the latest met first."""
        rows = self._database.rows(
            "SELECT provider, model, digest, dimension, policy FROM embedder "
            "ORDER BY created_at DESC, number DESC"
        )
        return [Identity(*row) for row in rows]

    def gaps(self, identity: Identity) -> int:
        """Count memories whose vector is missing, or hidden, though it was made once."""
        number = vectors.known_number(self._database, identity)
        rows = self._database.rows(
            "SELECT count(*) FROM memory m LEFT JOIN vector v "
            "ON v.embedder = :embedder AND v.number = m.number WHERE m.text IS NOT NULL "
            "AND ((v.number IS NULL AND m.number <= CAST(coalesce("
            "(SELECT value FROM house WHERE name = :mark), '0') AS INTEGER)) "
            "OR (v.data IS NULL AND v.number IS NOT NULL AND v.retry_at IS NULL) "
            "OR (v.data IS NOT NULL AND v.live <> (m.state IN ('active', 'dormant'))))",
            {"embedder": number, "mark": f"covered:{number}"},
        )
        return int(rows[0][0])

    def unusable(self, identity: Identity) -> int:
        """Count stored vectors that are no direction: NaN, zero, torn, or of another space."""
        number = vectors.known_number(self._database, identity)
        last = found = 0
        while True:
            rows = self._database.rows(
                "SELECT number, data FROM vector WHERE embedder = ? AND number > ? "
                "AND data IS NOT NULL ORDER BY number LIMIT ?",
                (number, last, _CHUNK),
            )
            found += sum(not _usable(data, identity.dimension) for _, data in rows)
            if len(rows) < _CHUNK:
                return found
            last = int(rows[-1][0])

    def from_another_process(self) -> OtherView:
        """Let a second process read the file while this one holds a read, and compare."""
        with self.one_moment():
            rows = self._database.rows(
                "SELECT owner, seq, hash FROM ledger ORDER BY rowid DESC LIMIT 1"
            )
            return self._seen_by_child(*(map(str, rows[0]) if rows else ("", "0", "")))

    def _seen_by_child(self, owner: str, seq: str, head: str) -> OtherView:
        # The child finds the same packages as this process, and nothing in the working folder.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            child = subprocess.run(  # noqa: S603 - our own interpreter and our own words
                [sys.executable, "-P", "-c", _CHILD, str(self._database.path), owner, seq],
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=environment,
                stdin=subprocess.DEVNULL,
                timeout=_PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return OtherView(why=f"no answer within {_PATIENCE_SECONDS} s")
        if child.returncode:
            return OtherView(why=(child.stderr.strip().splitlines() or ["no reason given"])[-1])
        count, *heads = child.stdout.split()
        return OtherView(int(count), same=heads == ([head] if head else []))
