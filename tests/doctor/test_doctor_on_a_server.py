"""What `doctor` and `status` say of a store on a server: every injected fault, and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg
import pytest

import servers
from doctor.furnished import TEXTS, troubles
from saegim import Saegim
from saegim.doctor.findings import Finding
from saegim.memory.clock import micros

COUNTING = ("-c", "shared_preload_libraries=pg_stat_statements")
# It comes round when nobody expects it, and would take a fault away.
RARELY = ("-c", "autovacuum_naptime=1d")


@pytest.fixture(scope="module", params=[15, 18])
def counting(request: pytest.FixtureRequest) -> Iterator[servers.Server]:
    """Lend a server that syncs, and counts its statements."""
    with servers.apart(request.param, *COUNTING, *RARELY) as server:
        yield server


@dataclass
class House:
    """A store with memories of two people and a backup, on a server that counts."""

    server: servers.Server
    dsn: str

    def examined(self, **settings: Any) -> list[Finding]:
        """Try everything on it."""
        with Saegim.open(self.dsn, **settings) as memory:
            return memory.doctor()

    def told(self, name: str, **settings: Any) -> Finding:
        """Return what is said of one thing."""
        (found,) = [each for each in self.examined(**settings) if each.name == name]
        return found

    def sql(self, *statements: str) -> None:
        """Do as an administrator what no part of the house would do."""
        name = str(psycopg.conninfo.conninfo_to_dict(self.dsn)["dbname"])
        # What was counted is told before the next statement, not within a second.
        self.server.execute(*statements, "SELECT pg_stat_force_next_flush()", database=name)


@pytest.fixture
def house(counting: servers.Server) -> House:
    """Make such a store."""
    dsn = counting.fresh()
    house = House(counting, dsn)
    house.sql("CREATE EXTENSION pg_stat_statements")
    with Saegim.open(dsn) as memory:
        for at, text in enumerate(TEXTS):
            memory.within(user="minji" if at % 3 == 0 else memory.scope.user).remember(text)
        memory.maintenance.backup()
    return house


def test_a_sound_store_raises_no_alarm(house: House) -> None:
    """Nothing is blamed, and what is told is true: people by size, nothing late, nothing slow."""
    found = house.examined()
    assert troubles(found) == set()
    told = {each.name: each for each in found}
    assert "4" in told["owners"].detail
    assert "minji 2" in told["owners"].detail
    assert told["statements"].case == "ok"
    assert "is 0 days old" in told["backup"].detail
    for name in ("queue", "nights", "bloat"):
        assert (told[name].case, told[name].fix) == ("ok", "")


def slow(house: House) -> None:
    """A statement of the application's takes more than a second, every time."""

    def wait(_: int) -> None:
        with psycopg.connect(house.dsn) as seen:
            seen.execute("SELECT pg_sleep(1.01)")

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(wait, range(3)))


def dead(house: House) -> None:
    """Many rows of a table are gone."""
    house.sql(
        "INSERT INTO house SELECT 'x' || n, '' FROM generate_series(1, 10100) n",
        "DELETE FROM house WHERE name LIKE 'x%'",
    )


def waiting(house: House, *, hours: float = 3) -> None:
    """Work has waited for hours."""
    at = _ago(house, hours)
    house.sql(
        "INSERT INTO job (owner, id, kind, subject, state, attempts, due_at, error, created_at) "
        f"VALUES ('minji', 'job_1', 'perceive', 'mem_1', 'waiting', 0, {at}, '', {at})"
    )


def planned(house: House, *, hours: float = 3, paused: int = 0) -> None:
    """A night was due some hours ago, and nobody slept it."""
    house.sql(
        f"INSERT INTO rota VALUES ('minji', 'merge', {_ago(house, hours)}, 0, '')",
        f"INSERT INTO watch VALUES ('minji', 0, 0, {paused})",
    )


def _ago(house: House, hours: float) -> int:
    with Saegim.open(house.dsn) as memory:
        return micros(memory.mind.now() - timedelta(hours=hours))


def _turned_off(house: House) -> None:
    house.sql("ALTER TABLE tag SET (autovacuum_enabled = off)")


FAULTS: dict[str, tuple[Callable[[House], None], str]] = {
    "statements.slow": (slow, r"takes \d{4,}(\.\d)? ms, over 3 calls: SELECT pg_sleep\(\$1\)"),
    "bloat.dead": (dead, r"1\d{4} rows of the table house"),
    "bloat.off": (_turned_off, r"autovacuum is off for tag "),
    "queue.late": (waiting, r"^1 pieces of work wait, the first for 3\.\d hours"),
    "nights.late": (planned, r"^1 people should have slept by now, the first 3\.\d hours ago"),
}


def test_each_fault_is_found_with_its_remedy_in_both_languages(house: House) -> None:
    """By its name, with its number; beside those before it, nothing else is blamed."""
    so_far: dict[str, str] = {}
    for case, (inject, said) in FAULTS.items():
        inject(house)
        so_far[case.partition(".")[0]] = case
        found = house.examined()
        assert troubles(found) == set(so_far.values())
        (told,) = [each for each in found if f"{each.name}.{each.case}" == case]
        assert re.search(said, told.detail), told.detail
        assert told.ok
        assert told.fix
        assert re.search("[가-힣]", told.detail_ko)
        assert re.search("[가-힣]", told.fix_ko)
    _status_tells_the_same_in_numbers(house)


def _status_tells_the_same_in_numbers(house: House) -> None:
    with Saegim.open(house.dsn) as memory:
        told, mine = memory.status(), memory.scope.user
    server = told["server"]
    assert told["warnings"] == []
    assert server["owners"] == {mine: 4, "minji": 2}
    assert (server["queue"]["count"], server["nights_behind"]["count"]) == (1, 1)
    assert server["dead_rows"] >= 10_000
    assert server["slowest"][0]["mean_ms"] > 1_000
    assert server["version"].startswith(str(house.server.major))
    assert told["backup"]["age_seconds"] >= 0


def test_late_is_who_nobody_planned_and_not_who_wants_no_nights(house: House) -> None:
    """The controls: work of a minute ago, a person who paused, one who fits into a process."""
    waiting(house, hours=0.02)
    planned(house, hours=3, paused=1)
    told = {each.name: each for each in house.examined()}
    assert (told["queue"].case, told["nights"].case, told["owners"].case) == ("ok", "ok", "ok")
    assert told["queue"].detail.startswith("1 ")
    house.sql(
        f"UPDATE ledger SET at = {_ago(house, 48)} WHERE seq = 1 AND owner <> 'minji'",
        "DELETE FROM rota",
    )
    told = {each.name: each for each in house.examined(resident_memories=3)}
    assert (told["nights"].case, told["owners"].case) == ("late", "large")
    assert "4 memories" in told["owners"].detail


def test_without_a_backup_it_says_what_it_cannot_see(counting: servers.Server) -> None:
    """The operator's own backups are not denied."""
    house = House(counting, counting.fresh())
    assert house.told("backup").case == "needless"
    with Saegim.open(house.dsn) as memory:
        memory.remember(TEXTS[0])
    told = house.told("backup")
    assert (told.case, told.level) == ("unseen", "warning")
    assert "cannot be seen from here" in told.detail


def test_a_server_that_counts_nothing_is_not_told_to_be_quick() -> None:
    """Neither an alarm nor praise: which statements are slow is not known there."""
    told = House(servers.server(15), servers.server(15).fresh()).told("statements")
    assert (told.case, told.level) == ("untried", "ok")
    assert "is not known here" in told.detail
