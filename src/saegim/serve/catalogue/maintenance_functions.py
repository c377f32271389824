"""How the memory is: counts, state, doctor, audit, backups; and what comes in from elsewhere."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen

from saegim.doctor.machine_checks import backup_time
from saegim.errors import Refused, StoreError
from saegim.filesystem import named_path
from saegim.importers.formats import chosen
from saegim.importers.intake import COORDINATES, ORBS, OWN
from saegim.memory.clock import iso
from saegim.projects import lies_in_project
from saegim.serve.catalogue import answers, night_answers, shapes
from saegim.serve.catalogue.entry import (
    CallContext,
    Date,
    Door,
    Effect,
    Id,
    Ids,
    Limit,
    Name,
    Profile,
    catalogued,
)
from saegim.serve.catalogue.notices import claim_notices
from saegim.serve.catalogue.turn_functions import learning_of

Share = Annotated[float, Ge(0), Le(1)]
# What other systems keep memories in.
_SUFFIXES = (".json", ".jsonl", ".md", ".markdown", ".txt", ".zip", ".db", ".sqlite", ".sqlite3")
Form = Literal[
    "auto", "bara", "server-memory", "mem0", "chatgpt", "claude", "claude-code", "markdown"
]


@catalogued(Profile.DEFAULT, Effect.READS, "GET /stats", command="status")
def memory_stats(at: CallContext) -> shapes.StatsAnswer:
    """Count memories by state, kind, tier and project, and tell whether indexes are ready."""
    held = at.memory.status()
    counts, index = held["memories"] or {}, held["index"] or {}
    states = counts.get("state", {})
    total = sum(states.values())
    ready, waiting = index.get("ready", 0), index.get("pending", 0)
    if not at.is_own:
        # The index is counted for the whole store, whose size is not theirs to know.
        ready, waiting = min(ready, total), min(waiting, total)
    return {
        "total": total,
        "by_state": states,
        "by_category": counts.get("kind", {}),
        "by_tier": counts.get("tier", {}),
        "by_project": counts.get("project", {}),
        "indexed": ready,
        "waiting": waiting,
        "warnings": [
            *(held["warnings"] if at.is_own else ()),
            *claim_notices(at.memory, at.claims),
        ],
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.PEOPLE, Effect.READS, "GET /status", command="status", of_machine=True)
def status(at: CallContext) -> shapes.StateAnswer:
    """Tell what there is, where it lies, and what is not as it should be."""
    told = {**at.memory.status(), "learning": None}
    # Of a store that cannot be read, the warnings say so.
    with contextlib.suppress(StoreError):
        told["learning"] = learning_of(at.memory)
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "POST /doctor", command="doctor", of_machine=True)
def doctor(at: CallContext) -> shapes.StateAnswer:
    """Try everything on this very store and say what does not work, and what would help."""
    found = at.memory.doctor()
    told = {
        "ok": all(each.ok for each in found),
        "findings": [answers.finding(each) for each in found],
    }
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /audit", command="audit")
def audit(at: CallContext, samples: Annotated[int, Ge(1), Le(50)] = 5) -> shapes.StateAnswer:
    """Count what deserves a look: duplicates, orphans, unverified and secret-like memories."""
    found = at.memory.maintenance.audit(samples=samples)
    return {"told": night_answers.audited(found), "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /federation", command="federate", of_machine=True)
def federation_status(at: CallContext) -> shapes.StateAnswer:
    """Tell whether this house learns together with others, what it gave away, and what is left."""
    # Loaded here: who does not ask has nothing of it.
    from saegim.federation.sharing import status_of

    return {"told": status_of(at.memory), "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /backups", command="backup", of_machine=True)
def backup(at: CallContext) -> shapes.StateAnswer:
    """Make one verified backup file beside the store."""
    made = at.memory.maintenance.backup()
    return {"told": answers.backup(made), "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /backups", command="backup", of_machine=True)
def backup_list(at: CallContext) -> shapes.StateAnswer:
    """List the backup files that lie there, the latest first: when they were made, how large."""
    folders = at.memory.mind.settings.backup_folders(at.memory.home)
    files = {path.name: path for folder in folders for path in folder.glob("saegim-*.db")}
    told = [
        {"name": name, "at": iso(backup_time(path)), "bytes": path.stat().st_size}
        for name, path in sorted(files.items(), reverse=True)
    ]
    return {"told": {"backups": told}, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /events", command="log")
def log_event(
    at: CallContext,
    event_type: Name,
    session_id: Name = "",
    persona_id: Name = "",
    memory_id: Id | None = None,
    memory_refs: Ids | None = None,
    bqi_coordinate: shapes.Json | None = None,
    evaluation: shapes.Json | None = None,
    plan_adjustment: shapes.Json | None = None,
    impact_score: Share | None = None,
    transparency: Share | None = None,
    reproducibility: Share | None = None,
    verifiability: Share | None = None,
    timestamp: Date | None = None,
) -> shapes.StateAnswer:
    """Log an event of the resonance ledger (seed A); what it names must be there."""
    made = at.memory.maintenance.resonance.log_event(
        event_type=event_type,
        session_id=session_id,
        persona_id=persona_id,
        memory_id=memory_id,
        memory_refs=memory_refs or (),
        bqi_coordinate=bqi_coordinate,
        evaluation=evaluation,
        plan_adjustment=plan_adjustment,
        timestamp=timestamp,
        impact_score=impact_score,
        transparency=transparency,
        reproducibility=reproducibility,
        verifiability=verifiability,
    )
    return {"told": made, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /events", command="log")
def event_list(at: CallContext, limit: Limit = 20) -> shapes.StateAnswer:
    """Show the latest events of the resonance ledger, the newest first."""
    found = at.memory.maintenance.resonance.recent(limit)
    return {"told": {"events": found}, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "POST /verify", command="verify")
def verify(at: CallContext) -> shapes.StateAnswer:
    """Walk the ledger and every digest in it."""
    length, head = at.memory.maintenance.verify()
    return {"told": {"length": length, "head": head}, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.FULL, Effect.ADDS, "POST /imports", command="import", of_machine=True)
def memory_import(
    at: CallContext,
    path: Annotated[str, MaxLen(4096)],
    form: Form = "auto",
    dry_run: bool = True,
) -> shapes.Imported:
    """Read memories of another system from a file or folder below the project's folder.

    Call it first with dry_run, show the user what would come in, then without.
    """
    place = _readable(path)
    if at.door is Door.MCP and str(place) != at.allowed:
        _refuse_outside(at, place)
    # Recognised once: what lies there may be another file by the time it is read.
    read_as = chosen(place, form).name
    if read_as in (OWN, COORDINATES, ORBS):
        # It may bring core memories and a person's own words: that is for a person to do.
        raise Refused("catalogue.saegim_own_export_is_brought", place=place)
    # Another spelling of the path is the same work.
    reading = at.long_call(
        f"import {place} {read_as} {dry_run}",
        lambda: at.memory.import_from(place, form=read_as, dry_run=dry_run),
    )
    return {
        "status": "done" if reading.over else "running",
        "report": answers.report(reading.result()) if reading.over else {},
        "dry_run": dry_run,
        "next_step": "" if reading.over else "It goes on; call again to hear how it ended.",
        "scope": shapes.scope(at.memory.scope),
    }


def _refuse_outside(at: CallContext, place: Path) -> None:
    """Refuse a model what lies outside of its project and no person let it read."""
    if not lies_in_project(str(place), at.folder, os.environ):
        raise Refused("catalogue.import_reads_in_project", place=place)


def _readable(path: str) -> Path:
    """Return a file or folder that may hold memories of another system; nothing else is opened.

    Whoever asks may be a model: hidden files, and files of other sorts, are not its business.
    """
    real = Path(os.path.realpath(named_path(path, expand=True)))
    hidden = any(part.startswith(".") for part in real.parts if part != ".claude")
    if hidden or not (real.suffix.lower() in _SUFFIXES or os.path.isdir(real)):
        raise Refused("catalogue.only_folders_and_files_such")
    return real
