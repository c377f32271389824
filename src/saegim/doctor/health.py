"""How the memory is: what `status` shows without asking anyone, and what `doctor` finds out."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from saegim.doctor import machine_checks, server_checks, store_checks
from saegim.doctor.audit import remembered
from saegim.doctor.findings import Finding, failure, finding
from saegim.doctor.machine_checks import StorePlace, backup_time, bytes_of
from saegim.doctor.store_checks import ExaminedStore
from saegim.engines.embedder import family_of
from saegim.errors import (
    EngineError,
    LedgerBroken,
    SaegimError,
    SettingsError,
    StoreFull,
    StoreReadOnly,
    UnsafeSqlite,
)
from saegim.importers import legacy
from saegim.memory.clock import SystemClock, iso
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.recall.mood import mood
from saegim.settings import read_settings
from saegim.store.backup import newest_backup
from saegim.store.database import DriverError, sqlite_version
from saegim.store.rows import Where

__all__ = ["Finding", "StorePlace", "examine", "examine_unopened", "state_of"]

On = TypeVar("On")
# Enough to see what is wrong; the counts tell how many there are.
_MOST_JOBS = 50
_LATEST = 50
_HANGUL = re.compile("[가-힣]")

# In the order in which a person should read them: the place, the file, then what lives in it.
_OUTSIDE = (
    machine_checks.sqlite,
    machine_checks.settings,
    machine_checks.filesystem,
    machine_checks.permissions,
    machine_checks.disk,
    machine_checks.leftovers,
)
_INSIDE = (
    store_checks.file,
    store_checks.writable,
    store_checks.integrity,
    store_checks.ledger,
    store_checks.memories,
    store_checks.words,
    store_checks.vectors,
    store_checks.embedder,
    store_checks.model,
    store_checks.roundtrip,
    store_checks.second_process,
    store_checks.clock,
    store_checks.upkeep,
    store_checks.backup,
)
# Of a store on a server: the disk and the pages are the server's own.
_SERVER_OUTSIDE = (machine_checks.settings, machine_checks.disk)
_SERVER_INSIDE = (
    *server_checks.ALL,
    *(
        each
        for each in _INSIDE
        if each not in (store_checks.file, store_checks.integrity, store_checks.second_process)
    ),
)
_NAMES: tuple[tuple[type[SaegimError], str], ...] = (
    (SettingsError, "settings"),
    (UnsafeSqlite, "sqlite"),
    (StoreReadOnly, "writable"),
    (StoreFull, "disk"),
    (LedgerBroken, "ledger"),
    (EngineError, "embedder"),
)


def examine(
    mind: Mind, scope: Scope, home: Path, *, place: StorePlace | None = None
) -> list[Finding]:
    """Try everything on this very store; return one finding for each thing tried.

    Changes nothing. A remote embedder is really asked.
    """
    elsewhere = mind.settings.backup_folder(home)
    where = place or StorePlace(mind.store.path, home, mind.now(), elsewhere=elsewhere)
    patient = ExaminedStore(mind, scope, where, store_checks.ask(mind))
    on_server = mind.store.database.is_server
    outside, inside = (_SERVER_OUTSIDE, _SERVER_INSIDE) if on_server else (_OUTSIDE, _INSIDE)
    return [
        *(_tried(check.__name__, check, where) for check in outside),
        *(_tried(check.__name__, check, patient) for check in inside),
        _tried("analyser", store_checks.analyser, mind),
    ]


def of_stores(every: Callable[[Callable[[SaegimError], None]], list[Mind]]) -> list[Finding]:
    """Say which stores of a divided installation do not answer, and why."""
    away: list[SaegimError] = []
    found = every(away.append)
    fine = [finding("stores.ok", count=len(found))] if len(found) > 1 and not away else []
    return [*(failure("stores", each) for each in away), *fine]


def examine_unopened(
    error: SaegimError, file: Path, home: Path, *, place: StorePlace | None = None
) -> list[Finding]:
    """Say what can be said of a store that did not open: why, and how its surroundings are."""
    name = next((name for kind, name in _NAMES if isinstance(error, kind)), "file")
    where = place or StorePlace(file, home, SystemClock().now(), elsewhere=_backups(home))
    found = [_tried(check.__name__, check, where) for check in (*_OUTSIDE, machine_checks.backup)]
    return [failure(name, error), *(each for each in found if each.name != name)]


def _backups(home: Path) -> Path | None:
    """Return where the settings put backups, as far as the settings can be read."""
    try:
        return read_settings(home).backup_folder(home)
    except SettingsError:
        return None


def _tried(name: str, check: Callable[[On], Finding], on: On) -> Finding:
    """Run one check; that it cannot be run is a finding too."""
    try:
        return check(on)
    except (SaegimError, DriverError, OSError) as error:
        return failure(name, error)


def state_of(mind: Mind, scope: Scope, home: Path) -> dict[str, Any]:
    """Return what there is, where it lies and what is wrong, ready for JSON; asks no network.

    A part that cannot be read is None, and `warnings` says why.
    """
    warnings = list(mind.store.warnings)

    def part(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (SaegimError, DriverError, OSError) as error:
            warnings.append(error.message if isinstance(error, SaegimError) else str(error))
            return None

    if said := part(lambda: _wrong_language(mind, scope)):
        warnings.append(said)
    state = {
        "version": import_module("saegim").__version__,
        "path": mind.store.place,
        "home": str(home),
        "readonly": mind.store.readonly,
        "schema": part(mind.store.schema),
        "sqlite": sqlite_version(),
        "scope": {name: getattr(scope, name) for name in ("user", "agent", "project", "session")},
        "bytes": part(lambda: _bytes(mind, home)),
        "memories": part(lambda: mind.store.memories.tally(scope)),
        "index": part(lambda: _index(mind)),
        "words": part(lambda: _words(mind)),
        "ledger": part(lambda: _ledger(mind, scope)),
        "backup": part(lambda: _backup(mind, home)),
        "model": part(lambda: _model(mind, scope)),
        "forgetting": mind.settings.forgetting,
        "settings": mind.settings.shown(),
    }
    if mind.store.database.is_server:
        state["server"] = part(lambda: server_checks.state_of_server(mind))
    if mind.settings.legacy_path:
        state["legacy"] = part(lambda: _legacy(mind, scope, home))
    if felt := part(lambda: mood(scope, mind)):
        state["mood"] = felt.as_dict()
    return {**state, "warnings": list(dict.fromkeys(warnings))}


def _bytes(mind: Mind, home: Path) -> dict[str, int]:
    if mind.store.database.is_server:
        held = mind.store.survey.server()
        backups = sum(bytes_of(f.rglob("*.db")) for f in mind.settings.backup_folders(home))
        free = shutil.disk_usage(home).free
        return {"store": held.bytes, "log": 0, "backups": backups, "free": free}
    file, folders = mind.store.path, mind.settings.backup_folders(home)
    return {
        "store": bytes_of([file]),
        "log": bytes_of([file.with_name(f"{file.name}-wal")]),
        "backups": sum(bytes_of(folder.rglob("*.db")) for folder in folders),
        "free": shutil.disk_usage(file.parent).free,
    }


def _index(mind: Mind) -> dict[str, Any]:
    """Say how far the vectors reach; of a remote embedder, what the store remembers of it."""
    identity = mind.embedder.identity if mind.embedder.local else remembered(mind)
    if identity is None:
        total = mind.store.survey.memories()
        counts: dict[str, Any] = {"ready": 0, "pending": total, "failed": 0, "error": ""}
        return {"embedder": mind.settings.embedder, "local": False, "memories": total, **counts}
    held = mind.store.vectors.coverage(identity)
    return {
        "embedder": f"{identity.provider}:{identity.model}",
        "local": mind.embedder.local,
        "dimension": identity.dimension,
        "memories": held.memories,
        "ready": held.ready,
        "pending": held.pending,
        "failed": held.failed,
        "error": held.error,
    }


def _wrong_language(mind: Mind, scope: Scope) -> str:
    """Warn of an embedder that reads English only where memories are Korean (U3.5)."""
    model = getattr(mind.embedder, "model", "")
    if mind.embedder.local or not family_of(model).english_only:
        return ""
    latest = mind.store.memories.page(Where(scope=scope, everywhere=True), limit=_LATEST).memories
    if not any(_HANGUL.search(memory.text) for memory in latest):
        return ""
    return (
        f"The embedder {model} reads English only, and there are Korean memories. "
        "Use static, or a multilingual one such as ollama:bge-m3."
    )


def _model(mind: Mind, scope: Scope) -> dict[str, Any]:
    """Say which language model is turned on, what waits for it, and what it has cost."""
    jobs = mind.store.jobs.all(scope)
    month = f"{mind.now() - timedelta(days=30):%Y-%m-%d}"
    return {
        "name": f"{mind.model.provider}:{mind.model.model}" if mind.model else "",
        "local": mind.model.local if mind.model else None,
        "daily_calls": mind.settings.model_daily_calls,
        "waiting": sum(each.state == "waiting" for each in jobs),
        "parked": sum(each.state == "parked" for each in jobs),
        "jobs": [
            {
                "memory": each.subject,
                "kind": each.kind,
                "state": each.state,
                "attempts": each.attempts,
                "due_at": iso(each.due_at),
                "error": each.error,
            }
            for each in jobs[:_MOST_JOBS]
        ],
        "left_out": mind.store.usage.left_out(),
        "spent": [asdict(each) for each in mind.store.usage.spent(since=month)],
    }


def _legacy(mind: Mind, scope: Scope, home: Path) -> dict[str, Any]:
    """Say whether the old database that is named was taken over, and what is in the way."""
    path = legacy.place_of(mind.settings.legacy_path, home)
    held = legacy.last(path, scope, mind)
    return {
        "path": str(path),
        "state": held.state if held else "waiting",
        "at": iso(held.at) if held else None,
        "added": held.counts["added"] if held else 0,
        "trouble": held.trouble if held else "",
    }


def _words(mind: Mind) -> dict[str, Any]:
    told = store_checks.analyser(mind)
    return {
        "configured": mind.settings.words,
        "in_use": mind.store.words.analyser().name,
        "as_configured": told.level == "ok",
        "why": told.detail,
    }


def _ledger(mind: Mind, scope: Scope) -> dict[str, Any] | None:
    line = mind.store.ledger.last_line(scope.user)
    return None if line is None else {"length": line.seq, "head": line.hash, "at": iso(line.at)}


def _backup(mind: Mind, home: Path) -> dict[str, Any] | None:
    path = newest_backup(*mind.settings.backup_folders(home))
    if path is None:
        return None
    at = backup_time(path)
    age = (mind.now() - at).total_seconds()
    return {"path": str(path), "at": iso(at), "age_seconds": round(age)}
