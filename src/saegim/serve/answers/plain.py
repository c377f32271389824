"""Values as plain data for JSON: the contract of `--json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from saegim.memory.clock import day_ended_by, iso
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import Lifetime
from saegim.recall.listing import History
from saegim.recall.used.reasons import Used
from saegim.serve.words.speech import Speech
from saegim.store.ledger import Entry
from saegim.store.tables.memories import Slice

if TYPE_CHECKING:
    # What is shown is made elsewhere: a question need not load the doctor and the importers.
    from saegim.doctor.health import Finding
    from saegim.importers.flow import Report
    from saegim.perceive.moment import Kept
    from saegim.session.working import Finalized
    from saegim.sleep.farewell import Farewell
    from saegim.store.backup import Backup
    from saegim.store.tables.sessions import Session

Json = dict[str, Any]
_ENGLISH = Speech("en")


def memory(each: Memory) -> Json:
    """Return a memory: always with its id and its text, word for word."""
    lasts = each.life.lifetime is Lifetime.LASTING
    return {
        "id": each.id,
        "text": each.text,
        "kind": each.kind.value,
        "tier": each.life.tier.value,
        "state": each.life.state.value,
        "happened_at": iso(each.time.happened_at),
        "recorded_at": iso(each.time.recorded_at),
        "lifetime": each.life.lifetime.value,
        "last_date": _last_day(each),
        # What lasts has no end by age, whatever its tier.
        "expires_at": None if lasts else _when(each.life.expires_at),
        "leaving_until": _when(each.life.leaving_until),
        "session": each.scope.session,
        "sequence": each.time.sequence,
        "project": each.scope.project,
        "agent": each.scope.agent,
        "author": each.provenance.author,
        "origin": each.provenance.origin.value,
        "trust": each.provenance.trust,
        "tags": list(each.content.tags),
        "importance": round(each.worth.importance, 4),
        "pinned": each.life.pinned,
    }


def _last_day(each: Memory) -> str | None:
    last = each.life.last_date
    return None if last is None else day_ended_by(last).isoformat()


def forgetting(law: str, speech: Speech) -> Json:
    """Return the law by which memories are forgotten, and what it means in a sentence."""
    return {"law": law, "means": speech.law(law)}


def opened(each: Memory, uses: Sequence[Used]) -> Json:
    """Return a memory that was opened: how often it was used too, and why."""
    told = [use.as_dict() for use in uses]
    return {**memory(each), "used": each.worth.used, "uses": told}


def scope(held: Scope) -> Json:
    """Return whose memories and which rooms were looked into."""
    names = ("user", "agent", "project", "session")
    return {name: getattr(held, name) for name in names}


def kept(done: Kept, speech: Speech = _ENGLISH) -> Json:
    """Return what became of a text, and how long it is kept."""
    return {
        "id": done.id,
        "status": done.status,
        "kept_for": speech.lifetime(done.memory),
        "duplicate_of": done.duplicate_of,
        "indexed": done.indexed,
        "masked": done.masked,
        "needs_confirmation": done.needs_confirmation,
        "quarantined": done.quarantined,
        "supersedes": list(done.supersedes),
        "contradicts": list(done.contradicts),
        "similar_to": list(done.similar_to),
        "memory": memory(done.memory),
    }


def page(part: Slice) -> Json:
    """Return a part of a list, the true total and the cursor that goes on."""
    return {
        "memories": [memory(each) for each in part.memories],
        "total": part.total,
        "next": part.next,
    }


def history(told: History) -> Json:
    """Return every version, oldest first, and the ledger's lines about them."""
    return {
        "versions": [memory(each) for each in told.versions],
        "entries": [entry(each) for each in told.entries],
        "uses": [each.as_dict() for each in told.uses],
    }


def entry(line: Entry) -> Json:
    """Return one line of the ledger."""
    return {
        "seq": line.seq,
        "at": iso(line.at),
        "actor": line.actor,
        "change": line.change,
        "subject": line.subject,
        "facts": dict(line.facts),
    }


def farewell(gone: Farewell) -> Json:
    """Return what left and until when it can be called back."""
    return {
        "done": gone.done,
        "until": iso(gone.until),
        "memories": [memory(each) for each in gone.memories],
    }


def backup(made: Backup) -> Json:
    """Return where a backup lies and what it holds."""
    return {
        "path": str(made.path),
        "memories": made.memories,
        "bytes": made.bytes,
        "heads": dict(made.heads),
    }


def finding(tried: Finding) -> Json:
    """Return one thing the doctor tried."""
    return {
        "name": tried.name,
        "ok": tried.ok,
        "level": tried.level,
        "case": tried.case,
        "detail": tried.detail,
        "fix": tried.fix,
    }


def report(read: Report) -> Json:
    """Return what an import read, field by field."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(read).items()
    }


def _when(at: datetime | None) -> str | None:
    return None if at is None else iso(at)


def finalized(done: Finalized) -> Json:
    """Return what a session left behind."""
    return {
        "session": done.session,
        "promoted": [
            {"query": each.node, "memory": each.memory, "status": each.status}
            for each in done.promoted
        ],
        "checkpoint": done.checkpoint.name if done.checkpoint else None,
        "topic": done.topic,
        "summary": done.summary,
    }


def session(each: Session) -> Json:
    """Return what is known of a session that was held."""
    return {
        "id": each.id,
        "platform": each.platform,
        "started_at": iso(each.started_at),
        "ended_at": iso(each.ended_at) if each.ended_at else None,
        "turns": each.turns,
        "topic": each.topic,
        "summary": each.summary,
    }
