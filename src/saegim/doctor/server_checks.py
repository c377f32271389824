"""What a doctor asks of a store on a server: what it is, who is walled off, how it keeps up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from saegim.doctor.findings import Finding, finding
from saegim.doctor.store_checks import ExaminedStore
from saegim.memory.clock import iso
from saegim.mind import Mind
from saegim.sleep.flow import NIGHT
from saegim.store.migrate import newest_schema
from saegim.store.tables.audit_table import Backlog

# What takes this long every time is not waited for by a person; once may have been a rebuild.
_SLOW_MS: Final = 1_000.0
_SLOW_CALLS: Final = 3
_MOST_TEXT: Final = 160
# Autovacuum begins at a fifth of the living ones, and looks once a minute.
_MANY_DEAD: Final = 10_000
_DEAD_SHARE: Final = 0.5
_NAMED: Final = 5
# Work and nights are looked for every half a minute, and spread over an hour.
_LATE: Final = timedelta(hours=1)


def server(patient: ExaminedStore) -> Finding:
    """Say what the server is; name first what could lose something."""
    store = patient.mind.store
    seen, schema, wanted = store.survey.server(), store.schema(), newest_schema("postgres")
    told = {
        "path": store.place,
        "version": seen.version,
        "encoding": seen.encoding,
        "collation": seen.collation,
        "schema": schema,
        "commit": seen.synchronous_commit,
        "standbys": seen.standbys,
        "connections": seen.connections,
        "most": seen.most_connections,
        "pool": 2 * patient.mind.settings.store_connections,
    }
    if schema != wanted:
        return finding("server.schema", **told, wanted=wanted)
    if not seen.syncs:
        return finding("server.loses", **told)
    if seen.synchronous_commit == "off" and patient.mind.settings.durability == "durable":
        return finding("server.waits", **told)
    return finding("server.ok", **told)


def walls(patient: ExaminedStore) -> Finding:
    """Say which wall between people is missing, and what that costs; the thinnest first."""
    store = patient.mind.store
    seen = store.survey.walls()
    told = {"path": store.place, "role": seen.role, "tables": ", ".join(seen.open_tables)}
    cases = (
        ("open", bool(seen.open_tables)),
        ("seen_past", seen.sees_past),
        ("owned", seen.owns),
        ("unmarked", not seen.marked),
    )
    return finding(f"walls.{next((name for name, holds in cases if holds), 'ok')}", **told)


def statements(patient: ExaminedStore) -> Finding:
    """Name the slowest of our statements, where the server counts them."""
    found = patient.mind.store.survey.slowest(_SLOW_CALLS)
    if found is None:
        return finding("statements.untried")
    if not found:
        return finding("statements.needless")
    slowest = found[0]
    case = "slow" if slowest.mean_ms >= _SLOW_MS else "ok"
    text, ms = slowest.text[:_MOST_TEXT], round(slowest.mean_ms, 1)
    return finding(f"statements.{case}", ms=ms, calls=slowest.calls, text=text)


def bloat(patient: ExaminedStore) -> Finding:
    """Say whether rows that are gone are swept, and where they pile up."""
    seen = patient.mind.store.survey.unswept()
    told = {"table": seen.table, "dead": seen.table_dead, "live": seen.table_live}
    if seen.never:
        return finding("bloat.off", tables=", ".join(seen.never))
    many = seen.table_dead >= max(_MANY_DEAD, _DEAD_SHARE * seen.table_live)
    return finding(f"bloat.{'dead' if many else 'ok'}", all=seen.dead, **told)


def owners(patient: ExaminedStore) -> Finding:
    """Say who has the most memories; one whom no process can hold is answered slowly."""
    mind = patient.mind
    held = mind.store.survey.largest(_NAMED)
    if not held:
        return finding("owners.needless")
    (name, count), most = held[0], mind.settings.resident_memories
    if count > most:
        return finding("owners.large", name=name, count=count, most=most)
    return finding("owners.ok", names=", ".join(f"{each} {n:,}" for each, n in held))


def queue(patient: ExaminedStore) -> Finding:
    """Say how long work has waited that could have been done."""
    return _waited("queue", patient.mind.store.survey.waiting(patient.mind.now()), patient.mind)


def nights(patient: ExaminedStore) -> Finding:
    """Say how many people's nights should have been slept by now."""
    return _waited("nights", _behind(patient.mind), patient.mind)


def _behind(mind: Mind) -> Backlog:
    return mind.store.survey.behind([each.name for each in NIGHT], mind.now() - _LATE)


def _waited(name: str, seen: Backlog, mind: Mind) -> Finding:
    if seen.since is None or mind.now() - seen.since < _LATE:
        return finding(f"{name}.ok", count=seen.count)
    hours = round((mind.now() - seen.since) / timedelta(hours=1), 1)
    return finding(f"{name}.late", count=seen.count, at=iso(seen.since), hours=hours)


def state_of_server(mind: Mind) -> dict[str, Any]:
    """Return the same in numbers, for `status`; slowest is None where the server counts none."""
    survey = mind.store.survey
    seen, slowest = survey.server(), survey.slowest(_SLOW_CALLS)

    def told(held: Backlog) -> dict[str, Any]:
        return {"count": held.count, "since": iso(held.since) if held.since else None}

    return {
        "version": seen.version,
        "encoding": seen.encoding,
        "collation": seen.collation,
        "synchronous_commit": seen.synchronous_commit,
        "standbys": seen.standbys,
        "connections": seen.connections,
        "most_connections": seen.most_connections,
        "dead_rows": survey.unswept().dead,
        "slowest": None if slowest is None else [asdict(each) for each in slowest],
        "owners": dict(survey.largest(_NAMED)),
        "queue": told(survey.waiting(mind.now())),
        "nights_behind": told(_behind(mind)),
    }


# In the order in which a person should read them, before what lives in any store.
ALL: Final[tuple[Callable[[ExaminedStore], Finding], ...]] = (
    server,
    walls,
    statements,
    bloat,
    owners,
    queue,
    nights,
)
