"""The catalogue's values as plain data: what REST, MCP and `--json` answer with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from saegim.memory.clock import day_ended_by, iso
from saegim.memory.memory import Lifetime
from saegim.serve.speech import Speech

if TYPE_CHECKING:
    from datetime import datetime

    import saegim
    from saegim.doctor.health import Finding
    from saegim.importers.flow import Report
    from saegim.memory.entities import Entity, SentimentPoint
    from saegim.memory.memory import Memory, Scope
    from saegim.mind import Mind
    from saegim.perceive.known_entities import TrustRecord
    from saegim.perceive.model_worker import Done
    from saegim.perceive.moment import Kept
    from saegim.perceive.quarantine import Separated
    from saegim.perceive.turn import Observed
    from saegim.profile.portrait import PersonProfile
    from saegim.project_memories import ProjectMove, ProjectSummary
    from saegim.recall.explain import Replay
    from saegim.recall.feedback import Judgement
    from saegim.recall.flow import Recollection
    from saegim.recall.listing import History
    from saegim.recall.related import Relation
    from saegim.recall.understand import Understanding
    from saegim.recall.usage import Used
    from saegim.session.working import Finalized
    from saegim.sleep.forget import Farewell
    from saegim.store.backup import Backup
    from saegim.store.ledger import LedgerEntry
    from saegim.store.tables.memory_table import Slice
    from saegim.store.tables.session_table import Session

Json = dict[str, Any]
Features = Sequence[Mapping[str, float]]
_ENGLISH = Speech("en")


def judged(done: Judgement) -> Json:
    """Return what a judgement did."""
    return {
        "memory": memory(done.memory),
        "label": done.label,
        "importance": round(done.importance, 4),
        "changed": {id: round(delta, 4) for id, delta in done.changed.items()},
        "woken": done.woken,
        "correctable": done.correctable,
    }


def relation(each: Relation, known: Mapping[str, str]) -> Json:
    """Return what something is tied to, and along which ties."""
    return {
        "key": each.key,
        "handle": known.get(each.key),
        "hops": each.hops,
        "path": [{"from": start, "type": type, "to": end} for start, type, end in each.path],
        "weight": round(each.weight, 4),
        "negative": each.negative,
        "memory": memory(each.memory) if each.memory else None,
        "entity": entity(each.entity) if each.entity else None,
    }


def replay(told: Replay) -> Json:
    """Return what an answer showed; a memory that is gone has only its id."""
    return {
        "trace": told.trace,
        "at": iso(told.at),
        "ids": [id for id, _ in told.shown],
        "memories": [memory(each) for _, each in told.shown if each],
        "used": [each.as_dict() for each in told.used],
    }


def handles_along(found: Sequence[Relation], *, scope: Scope, mind: Mind) -> dict[str, str]:
    """Return the handles of all memories that relations lead to or through."""
    from saegim.recall.explain import handles
    from saegim.recall.related import is_entity

    keys = {end for each in found for step in each.path for end in (step[0], step[2])}
    memories = sorted(key for key in keys if not is_entity(key))
    return handles(memories, scope=scope, store=mind.store)


def observed(seen: Observed, speech: Speech = _ENGLISH) -> Json:
    """Return what became of a turn, and why."""
    return {
        "action": seen.decision.action.value,
        "phase": seen.decision.phase,
        "salience": round(seen.decision.salience, 4),
        "reason": seen.decision.words(speech.language),
        "why": list(seen.decision.why),
        "asks": seen.decision.asks,
        "state": asdict(seen.decision.state),
        "kept": [kept(each, speech) for each in (*seen.kept, *seen.quoted)],
        "facts": [kept(each, speech) for each in seen.facts],
        "masked": seen.masked,
        "needs_confirmation": seen.needs_confirmation,
        "echoes": seen.echoes,
        "quarantined": seen.quarantined or seen.suspect,
        "also": seen.decision.also.value if seen.decision.also else None,
        "forgotten": [memory(each) for each in seen.forgotten],
        "restored": [memory(each) for each in seen.restored],
        "perhaps": [memory(each) for each in seen.perhaps],
        "used": list(seen.used),
        "feedback": seen.feedback,
        "reward": seen.reward,
        "query": seen.query,
        "unheard": seen.unheard,
    }


def entity(each: Entity) -> Json:
    """Return a profile."""
    return {
        "name": each.name,
        "type": each.type,
        "platform": each.platform,
        "display_name": each.display_name,
        "aliases": list(each.aliases),
        "summary": each.summary,
        "interests": list(each.interests),
        "personality_notes": each.personality_notes,
        "interactions": each.interactions,
        "first_seen_at": iso(each.first_seen_at) if each.first_seen_at else None,
        "last_seen_at": iso(each.last_seen_at) if each.last_seen_at else None,
        "sentiment": each.sentiment,
        "sentiment_score": round(each.sentiment_score, 4),
        "trust": each.trust,
    }


def portrait(each: PersonProfile) -> Json:
    """Return what is known of someone: what holds, slot by slot, then what held."""
    from saegim.recall.handle import handle_of

    current = [trait for traits in each.current.values() for trait in traits]
    return {
        "name": each.name,
        "is_self": each.is_self,
        "names": list(each.names),
        "traits": [
            {
                "slot": trait.slot,
                "value": trait.value,
                "text": trait.text,
                "denied": trait.denied,
                "unsure": trait.unsure,
                "since": iso(trait.since),
                "until": iso(trait.until) if trait.until else None,
                "last_date": trait.last_date.isoformat() if trait.last_date else None,
                "memory": trait.memory,
                "handle": handle_of(trait.number, trait.memory),
            }
            for trait in (*current, *each.past)
        ],
        "unread": each.unread,
    }


def point(each: SentimentPoint) -> Json:
    """Return one point of a history of feeling."""
    return {"at": iso(each.at), "score": each.score, "label": each.label, "memory": each.memory}


def work_done(each: Done) -> Json:
    """Return how a piece of work ended."""
    return {
        "memory": each.job.subject,
        "outcome": each.outcome,
        "facts": list(each.facts),
        "rejected": [{"fact": fact, "reason": reason} for fact, reason in each.rejected],
        "unread": each.unread,
        "why": each.why,
    }


def standing(each: TrustRecord) -> Json:
    """Return what the trust in someone rests on: the memories, by how they held."""
    return {
        "confirmed": sorted(set(each.confirmed.values())),
        "contradicted": sorted(set(each.contradicted.values())),
        "wrong": sorted(set(each.wrong.values())),
    }


def let_out(done: Separated) -> Json:
    """Return what was let out of quarantine, or would be, and what stays apart and why."""
    return {
        "done": done.done,
        "memories": [memory(each) for each in done.memories],
        "suspect": [memory(each) for each in done.suspect],
    }


def looked_in(scope: Scope, *, everywhere: bool) -> Scope:
    """Return the scope that a question was asked in."""
    return replace(scope, agent="", project="") if everywhere else scope


def others_recall(memory: saegim.Saegim, question: str, filters: Json) -> dict[str, int]:
    """Count by project what would answer a question outside the scope."""
    from saegim.recall.listing import recalled_elsewhere
    from saegim.store.rows import where_of

    where = where_of(memory.scope, filters, memory.mind.zone)
    return recalled_elsewhere(question, where, mind=memory.mind)


def others_hold(memory: saegim.Saegim, words: str | None, filters: Json) -> dict[str, int]:
    """Count by project what holds every one of the words outside the scope."""
    from saegim.recall.listing import found_elsewhere
    from saegim.store.rows import where_of

    where = where_of(memory.scope, filters, memory.mind.zone)
    return found_elsewhere(words, where, mind=memory.mind)


def elsewhere(counts: Mapping[str, int]) -> Json:
    """Return how much other projects hold that this one does not."""
    return {"memories": sum(counts.values()), "projects": dict(counts)}


def project(each: ProjectSummary, here: str) -> Json:
    """Return what a project holds."""
    return {
        "project": each.project,
        "memories": each.memories,
        "changed_at": iso(each.changed_at) if each.changed_at else None,
        "here": each.project == here,
    }


def moved(done: ProjectMove) -> Json:
    """Return what moved, and under which name it is taken back."""
    return {
        "done": done.done,
        "to": done.to,
        "count": done.count,
        "memories": dict(done.memories),
        "places": done.places,
        "undo": done.id,
        "until": iso(done.until),
    }


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
        "added_tags": list(done.added_tags),
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


def entry(line: LedgerEntry) -> Json:
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


def recollection(found: Recollection, features: Features = ()) -> Json:
    """Return the hits in rank order with every number, and how they were looked for."""
    from saegim.recall.explain import numbers, reason
    from saegim.recall.handle import handle_of

    hits = [
        {
            "memory": memory(hit.memory),
            "handle": handle_of(hit.number, hit.memory.id),
            **numbers(hit),
            "reason": reason(hit),
        }
        for hit in found.hits
    ]
    for hit, each in zip(hits, features, strict=False):
        hit["features"] = dict(each)
    return {
        "searched": found.searched,
        "in_mind": [each.as_dict() for each in found.in_mind],
        "hits": hits,
        "feelings": found.feelings.as_dict() if found.feelings else None,
        "below_floor": found.below_floor,
        "hidden": found.hidden,
        "paths": [
            {"name": path.name, "ran": path.ran, "found": path.found, "why": path.why}
            for path in found.paths
        ],
        "scope": scope(found.scope),
        "candidates": found.candidates,
        "understood": _understood(found.understood),
        "trace": found.trace,
    }


def _understood(asked: Understanding) -> Json:
    return {
        "spans": [
            {"start": iso(span.start), "end": iso(span.end), "words": span.words}
            for span in asked.spans
        ],
        "only_time": asked.only_time,
        "names": list(asked.names),
        "phrases": list(asked.phrases),
    }
