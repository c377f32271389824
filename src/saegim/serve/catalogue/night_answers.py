"""Nights, leaving and proposals as plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from saegim.memory.clock import iso
from saegim.memory.memory import FINDABLE, State
from saegim.serve.catalogue import answers

if TYPE_CHECKING:
    from datetime import datetime

    from saegim.doctor.audit import Audit
    from saegim.memory.memory import Memory, Scope
    from saegim.mind import Mind
    from saegim.sleep.erase import EraseReceipt
    from saegim.sleep.forget import ArchivedWords, Queued
    from saegim.sleep.night import NightStep, Stage
    from saegim.sleep.sources import Reverted
    from saegim.sleep.stages.year_report import Year
    from saegim.sleep.undo import Undone
    from saegim.soul.promotions import Promotion
    from saegim.soul.proposals import Proposal
    from saegim.store.tables.night_table import NightRow

Json = dict[str, Any]


def queued(each: Queued) -> Json:
    """Return a memory that is leaving: why, since when, how long it can be called back."""
    return {
        "memory": answers.memory(each.memory),
        "reason": each.reason,
        "since": iso(each.since),
        "left_seconds": round(each.left.total_seconds()),
    }


def archived(each: ArchivedWords) -> Json:
    """Return words that lie in the archive."""
    return {"id": each.id, "text": each.text, "since": iso(each.since), "until": iso(each.until)}


def going(told: EraseReceipt, *, scope: Scope, mind: Mind) -> list[Memory]:
    """Return what an erasure would take, as long as it is there."""
    found = (mind.store.memories.get(scope, id) for id in (() if told.done else told.ids))
    return [each for each in found if each is not None]


def receipt(told: EraseReceipt, held: Sequence[Memory]) -> Json:
    """Return what was erased, or would be with its words, and what could not be reached."""
    lists = ("ids", "named", "versions", "derived", "protected", "leaving", "sources_left")
    written = {
        "done": told.done,
        "at": iso(told.at),
        "by": told.by,
        **{name: list(getattr(told, name)) for name in lists},
        "counts": dict(told.counts),
        "files": [{"name": each.name, "how": each.how} for each in told.files],
        "unreachable": [
            {
                "what": each.what,
                "name": each.name,
                "at": iso(each.at) if each.at else None,
                "leaves_after": each.leaves_after,
            }
            for each in told.unreachable
        ],
        "log_emptied": told.log_emptied,
        "digest": told.digest,
    }
    return (
        written if told.done else {**written, "memories": [answers.memory(each) for each in held]}
    )


def reverted(done: Reverted) -> Json:
    """Return what left with a source, what came back, and the name to take it back by."""
    piles = {name: getattr(done, name) for name in PILES}
    return {
        "done": done.done,
        "until": iso(done.until),
        "undo": done.maker or None,
        **{name: [answers.memory(each) for each in pile] for name, pile in piles.items()},
    }


PILES = ("memories", "derived", "returned", "kept_back")


def answerable(id: str, *, scope: Scope, mind: Mind) -> Proposal:
    """Return a proposal that still waits for its answer."""
    from saegim.soul.proposals import one, still_open

    return still_open(one(id, scope, mind))


def proposal(each: Proposal, known: Living) -> Json:
    """Return what waits for an answer, or how it was answered."""
    from saegim.soul.proposals import version_of

    held = known.get(each.memory)
    return {
        "id": each.id,
        "about": each.about,
        "memory": each.memory,
        "text": each.text or (held.memory.text if held else None),
        "origin": held.memory.provenance.origin.value if held else None,
        "author": held.memory.provenance.author if held else None,
        "reasons": list(each.reasons),
        "state": each.state,
        "made_at": iso(each.made_at) if each.made_at else None,
        "answered_by": each.answered_by,
        "note": each.note,
        "channel": each.channel,
        # Who answers names the words they read by this.
        "version": each.version or version_of(each, held.memory if held else None),
        "replaces": each.replaces,
        # Of the self: the belief or island that would change, to what, from which memories.
        "target": each.target,
        "details": dict(each.details),
        "sources": list(each.sources),
    }


def audited(found: Audit) -> Json:
    """Return everything that was counted."""
    return {
        "of": found.of,
        "findings": [
            {
                "what": each.what,
                "count": each.count,
                "samples": list(each.samples),
                "next_step": each.next_step,
            }
            for each in found.findings
        ],
    }


def promotion(each: Promotion, known: Living) -> Json:
    """Return one rise as plain data, with the words of what it made."""
    held = known.get(each.memory)
    return {
        "memory": each.memory,
        "handle": held.handle if held else each.memory,
        "text": held.memory.text if held else "",
        "from": each.source_tier.value,
        "to": each.tier.value,
        "why": each.why,
        "sources": list(each.sources),
        "at": iso(each.at),
        "night": each.night,
    }


def year(each: Year, known: Sequence[Year]) -> Json:
    """Return the report of a year as plain data, and which years there are."""
    return {
        "year": each.name,
        "since": iso(each.since),
        "until": iso(each.until),
        "kept": dict(each.kept),
        "rose": dict(each.rose),
        "left": dict(each.left),
        "restored": each.restored,
        "forgotten": each.forgotten,
        "erased": each.erased,
        "replaced": each.replaced,
        "now": dict(each.now),
        "tiers": dict(each.tiers),
        "years": [one.name for one in known],
    }


IDS = ":ids"


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory that lives, and the short name it is called by."""

    handle: str
    memory: Memory


Living = Mapping[str, KnownMemory]


def living(ids: Iterable[str], *, scope: Scope, mind: Mind) -> dict[str, KnownMemory]:
    """Return those of the memories that live; one that was replaced leads to what holds now."""
    from saegim.recall.explain import handles

    store = mind.store
    found: dict[str, Memory] = {}
    for id in dict.fromkeys(ids):
        memory = store.memories.get(scope, id)
        if memory is not None and memory.life.state is State.SUPERSEDED:
            memory = store.memories.get(scope, store.memories.current(scope, id))
        if memory is not None and memory.text and memory.life.state in (*FINDABLE, State.LEAVING):
            found[id] = memory
    names = handles([each.id for each in found.values()], scope=scope, store=store)
    return {id: KnownMemory(names.get(each.id, each.id), each) for id, each in found.items()}


def samples(row: NightRow) -> list[str]:
    """Return the ids that a night gives as examples of what it did."""
    return [
        id
        for did in row.told.values()
        for what, ids in did.items()
        if what.endswith(IDS)
        for id in ids
    ]


def night(row: NightRow, known: Living | None = None, rose: Sequence[Json] = ()) -> Json:
    """Return a night and what each stage did; examples that live come with their words."""
    told = {
        "id": row.id,
        "at": iso(row.at),
        "state": row.state,
        "stages": list(row.stages),
        "done": list(row.done),
        "lets_go": row.lets_go,
        "began_at": iso(row.began_at),
        "ended_at": iso(row.ended_at) if row.ended_at else None,
        "told": dict(row.told),
    }
    return told if known is None else {**told, "rose": [*rose], "memories": _words(known)}


def book(rows: Sequence[NightRow], due: Mapping[str, datetime], *, paused: bool) -> Json:
    """Return the latest nights, when each stage is due next, and whether they are paused."""
    return {
        "nights": [night(row) for row in rows],
        "due": {stage: iso(at) for stage, at in due.items()},
        "paused": paused,
    }


def night_steps(taken: Sequence[tuple[Stage, NightStep]]) -> list[Json]:
    """Return everything a rehearsal would do, step by step."""
    from saegim.sleep.stages.housekeeping import ROUTINE

    return [
        {
            "stage": stage.name,
            "why": step.why,
            "about": list(step.about),
            "details": dict(step.details),
        }
        for stage, step in taken
        if step.why not in ROUTINE
    ]


def undone(done: Undone) -> Json:
    """Return what was taken back."""
    return {
        "name": done.name,
        "taken_back": dict(done.taken_back),
        "left": done.left,
        "undo": done.maker,
    }


def _words(known: Living) -> Json:
    return {
        id: {"id": each.memory.id, "handle": each.handle, "text": each.memory.text}
        for id, each in known.items()
    }
