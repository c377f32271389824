"""`Sidecar`: a small file beside the store that outlives a swapped, cut or damaged one.

It names the last ledger line of each owner, which file and which log were open, and what damage
was seen. Every process that has the store open holds a shared lock on it, so that the next one
knows whether a log was left behind by a crash. It is written without a sync: after a power cut it
may be a little behind the store, never ahead of what was acknowledged.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

try:
    import fcntl
except ImportError:  # no such locks on Windows: then nobody is known to be alone
    fcntl = None  # type: ignore[assignment]

# Of so many owners the last line is kept; of one who has not written for long, it is let go.
_OWNERS = 200
_READ = 1 << 20

FileId = tuple[int, int]


def file_id(path: Path | str) -> FileId | None:
    """Return the device and the number of the file that has this name now, if there is one."""
    try:
        held = os.stat(path)
    except (OSError, ValueError):
        return None
    return held.st_dev, held.st_ino


class LastLine(msgspec.Struct, array_like=True, frozen=True):
    """The last line of an owner's ledger: its number and its hash."""

    seq: int
    hash: str


class Record(msgspec.Struct, omit_defaults=True):
    """What the file says; a head that the ledger lacked once stays until a person accepts it."""

    store: int = 0
    log: int = 0
    heads: dict[str, LastLine] = {}
    lost: dict[str, LastLine] = {}
    damage: str = ""


def mark_of(owner: str) -> str:
    """Return what stands for an owner in a file that names nobody."""
    return hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Sidecar:
    """The file of one open store."""

    def __init__(self, store: Path) -> None:
        self.store = Path(os.path.realpath(store))
        self.path = self.store.with_name(f".{self.store.name}.head")
        self._handle: int | None = None
        self._writable = False
        self._before = threading.local()
        # Writers of several owners may be at it at once, where the store is on a server.
        self._lock = threading.Lock()

    def open(self, *, readonly: bool = False) -> None:
        """Hold the file while the store is open; a place that refuses it has none."""
        flags = os.O_RDONLY if readonly else os.O_RDWR | os.O_CREAT
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        with suppress(OSError, ValueError):
            self._handle = os.open(self.path, flags, 0o600)
            self._writable = not readonly
        if self._handle is not None and fcntl is not None:
            with suppress(OSError):
                fcntl.flock(self._handle, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def is_alone(self) -> bool:
        """Say whether no other process has the store open; unknown counts as no."""
        if self._handle is None or fcntl is None:
            return False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        finally:
            # Trying for more may have let go of the shared lock.
            with suppress(OSError):
                fcntl.flock(self._handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep for this thread what the file says before it looks at one moment of the store.

        A line that another adds afterwards is in neither, and does not look cut off.
        """
        self._before.record = self.read()
        try:
            yield
        finally:
            self._before.record = None

    def as_held(self) -> Record:
        """Return what the file said before this thread's moment, outside one what it says now."""
        before: Record | None = getattr(self._before, "record", None)
        return before or self.read()

    def read(self) -> Record:
        """Return what the file says; one that is torn or absent says nothing."""
        if self._handle is None:
            return Record()
        try:
            return msgspec.json.decode(os.pread(self._handle, _READ, 0), type=Record)
        except (OSError, msgspec.DecodeError):
            return Record()

    def write(self, record: Record) -> None:
        """Replace what the file says; that it cannot be written harms no memory."""
        if self._handle is None or not self._writable:
            return
        while len(record.heads) > _OWNERS:
            del record.heads[next(iter(record.heads))]
        packed = msgspec.json.encode(record)
        with suppress(OSError):
            os.pwrite(self._handle, packed, 0)
            os.ftruncate(self._handle, len(packed))

    def note_line(self, owner: str, seq: int, hashed: str) -> None:
        """Note the last line of an owner's ledger, after it was committed."""
        with self._lock:
            record, mark = self.read(), mark_of(owner)
            # Taken out and put in again: the latest writer stands last.
            record.heads.pop(mark, None)
            record.heads[mark] = LastLine(seq, hashed)
            self._name_files(record)
            self.write(record)

    def note_files(self) -> None:
        """Note which file and which log are open."""
        record = self.read()
        if self._name_files(record):
            self.write(record)

    def note_damage(self, damage: str) -> None:
        """Note what damage was seen, or that there is none any more."""
        record = self.read()
        if record.damage != damage:
            record.damage = damage
            self.write(record)

    def note_lost(self, lost: dict[str, LastLine]) -> None:
        """Keep in mind which lines a ledger lacked: the next line written must not hide it."""
        record = self.read()
        if lost and record.lost != lost:
            record.lost = lost
            self.write(record)

    def accept(self, heads: dict[str, LastLine]) -> None:
        """Take the ledgers as they are now for the truth: a backup was put in place."""
        record = Record(heads={mark_of(owner): last for owner, last in heads.items()})
        self._name_files(record)
        self.write(record)

    def _name_files(self, record: Record) -> bool:
        """Put the numbers of the present files into a record; say whether they are new."""
        store, log = file_id(self.store), file_id(f"{self.store}-wal")
        found = (store[1] if store else 0, log[1] if log else 0)
        changed = (record.store, record.log) != found
        record.store, record.log = found
        return changed

    def has_foreign_log(self) -> bool:
        """Say whether the log beside the store is that of the file which lay here before."""
        record, store, log = self.read(), file_id(self.store), file_id(f"{self.store}-wal")
        return bool(
            store
            and log
            and record.store
            and record.log
            and store[1] != record.store
            and log[1] == record.log
            and os.path.getsize(f"{self.store}-wal")
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
