"""The disk under a server is full, or cannot sync; a standby takes over and lacks commits."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

import servers
from conformance.store_parts import ME, ids, keep
from faults.test_disk_errors import can_trace
from saegim.errors import StoreError, StoreFull, StoreReadOnly
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.store import Store
from stand_ins import wait_until


def _opened(dsn: str, place: Path) -> Store:
    path = PostgresDatabase.beside(dsn, place)
    return Store(path, server=PostgresDatabase(dsn, path, busy_seconds=5.0))


def _writer(store: Store) -> int:
    """Return the server's process that the next write will be done by."""
    keep(store, "so that there is one")
    (raw,) = store.database._writers._free[-1:]  # type: ignore[attr-defined]
    return int(raw.info.backend_pid)


@contextmanager
def _failing(pid: int, folder: Path, rule: str, *more: str) -> Iterator[None]:
    """Let the kernel fail some calls of a process."""
    log = folder / "trace"
    command = ["strace", "-qq", "-o", str(log), "-p", str(pid), "-e", f"inject={rule}", *more]
    tracing = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    held = Path(f"/proc/{pid}/status")
    wait_until(lambda: f"TracerPid:\t{tracing.pid}" in held.read_text(), 60)
    try:
        yield
    finally:
        tracing.terminate()
        tracing.wait(60)


def _filled(store: Store, confirmed: list[str]) -> StoreFull | None:
    """Write more than a page holds; return what the store says when there is no room for it."""
    try:
        for number in range(40):
            confirmed.append(keep(store, f"kettle {number} {'x' * 400}").id)
    except StoreFull as refused:
        return refused
    return None


if can_trace():

    @pytest.mark.parametrize("full", [True, False])
    def test_a_full_disk_of_the_server_is_said_and_heals(full: bool, tmp_path: Path) -> None:
        """R-07: no page can be added: nothing confirmed is lost, reading goes on, room heals it.

        The control: the same writes on a disk with room.
        """
        with servers.apart(15) as server:
            store = _opened(server.fresh(), tmp_path)
            name = store.database.rows("SELECT current_database()")[0][0]
            with psycopg.connect(server.dsn(name)) as seen:
                asked = "SELECT current_setting('data_directory'), pg_relation_filepath('memory')"
                folder, file = seen.execute(asked).fetchone() or ("", "")
            pid, confirmed = _writer(store), ids(store)
            where = ("-P", f"{folder}/{file}")
            rule = f"pwrite64,pwritev:{'error=ENOSPC' if full else 'delay_enter=1'}"
            with _failing(pid, tmp_path, rule, *where):
                refused = _filled(store, confirmed)
                assert (refused is not None and bool(refused.next_step)) is full
                assert sorted(ids(store)) == sorted(confirmed), "reading goes on"
                assert bool(store.warnings) is full
            confirmed.append(keep(store, "there is room again").id)
            assert sorted(ids(store)) == sorted(confirmed)
            assert store.warnings == []
            store.ledger.verify(ME)
            store.close()

    @pytest.mark.parametrize("fails", [True, False])
    def test_a_server_whose_disk_cannot_sync_confirms_nothing_that_is_not_there(
        fails: bool, tmp_path: Path
    ) -> None:
        """R-06: it gives up and starts anew; kept and not kept are told as they are.

        The control: the same with a disk that syncs.
        """
        with servers.apart(15) as server:
            store = _opened(server.fresh(), tmp_path)
            pid, told = _writer(store), None
            before = ids(store)
            rule = f"fdatasync,fsync:{'error=EIO' if fails else 'delay_enter=1'}"
            with _failing(pid, tmp_path, rule):
                try:
                    told = keep(store, "on a disk that does not sync", id="mem_told").id
                except StoreError:
                    told = None
            wait_until(store.database.answers, 60)
            assert ("mem_told" in ids(store)) is (told is not None)
            assert set(before) <= set(ids(store)), "what was confirmed before is there"
            after = _writer(store)
            assert (after != pid) is fails, "the control: nothing had to be started anew"
            log = (server.folder / "log").read_text(errors="replace")
            assert ("PANIC" in log) is fails
            store.ledger.verify(ME)
            store.close()


@pytest.mark.parametrize("lacks", [True, False])
def test_a_standby_promoted_without_the_last_commits_is_told(lacks: bool, tmp_path: Path) -> None:
    """A real standby takes the place of its server: the head kept here says what it lacks.

    The control: one that had everything.
    """
    with servers.apart(15) as first:
        dsn = first.fresh()
        store = _opened(dsn, tmp_path)
        keep(store, "in both")
        second = _standby(first)
        try:
            wait_until(lambda: _replayed(second) >= _written(first), 60)
            if lacks:
                second.stop_quietly()
            keep(store, "confirmed by the first")
            if not lacks:
                wait_until(lambda: _replayed(second) >= _written(first), 60)
                _reads_alone(dsn.replace(str(first.socket), str(second.socket)), tmp_path / "by")
                second.stop_quietly()
            store.close()
            first.kill()
            (second.folder / "d" / "standby.signal").unlink()
            # Under the name of the first: as an address that was led to the new one.
            for left in first.socket.glob(".s.PGSQL*"):
                left.unlink()
            second.start(first.socket)
            store = _opened(dsn, tmp_path)
            assert [("line 2" in each) for each in store.lost_lines] == ([True] if lacks else [])
            assert len(ids(store)) == (1 if lacks else 2)
            store.close()
        finally:
            second.end()


def _reads_alone(dsn: str, place: Path) -> None:
    """A real standby answers, and refuses to keep anything in its own sentence."""
    place.mkdir()
    store = _opened(dsn, place)
    assert (store.readonly, len(ids(store))) == (True, 2)
    with pytest.raises(StoreReadOnly) as caught:
        keep(store, "for a standby")
    assert caught.value.key == "store.server_is_standby"
    store.close()


class _Second:
    """A copy of a server that follows it."""

    def __init__(self, folder: Path, bins: Path) -> None:
        self.folder, self._bins = folder, bins
        self.process: subprocess.Popen[bytes] | None = None
        self.socket = folder / "s"

    def start(self, socket: Path) -> None:
        with (self.folder / "log").open("ab") as log:
            command = [self._bins / "postgres", "-D", self.folder / "d", "-k", socket]
            self.process = subprocess.Popen(
                [*command, *servers._SMALL],
                stdout=log,
                stderr=log,
                cwd="/",
                **servers._as_nobody(),  # type: ignore[call-overload]
            )
        wait_until(lambda: _answers(socket), 60)

    def stop_quietly(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(60)

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)


def _standby(first: servers.Server) -> _Second:
    bins = servers.programs(15)
    assert bins is not None
    folder = Path(tempfile.mkdtemp(prefix="saegim-pg15-", dir=servers._place()))
    folder.chmod(0o755)
    (folder / "s").mkdir()
    if os.getuid() == 0:
        for each in (folder, folder / "s"):
            os.chown(each, servers.NOBODY, servers.NOBODY)
    subprocess.run(
        [bins / "pg_basebackup", "-h", first.socket, "-U", "saegim", "-D", folder / "d", "-R", "-c",
         "fast", "-X", "stream"],
        check=True,
        capture_output=True,
        cwd="/",
        **servers._as_nobody(),  # type: ignore[call-overload]
    )  # fmt: skip
    made = _Second(folder, bins)
    made.start(made.socket)
    return made


def _asked(socket: Path, sql: str) -> object:
    address = f"postgresql:///postgres?host={socket}&user=saegim"
    with psycopg.connect(address) as seen:
        return (seen.execute(sql.encode()).fetchone() or (None,))[0]


def _answers(socket: Path) -> bool:
    try:
        return _asked(socket, "SELECT 1") == 1
    except psycopg.OperationalError:
        return False


def _replayed(second: _Second) -> int:
    return int(str(_asked(second.socket, "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn")))


def _written(first: servers.Server) -> int:
    return int(str(_asked(first.socket, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")))
