"""What a person looks through: all memories, one of them whole, the ledger, the graph, the day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Annotated, Literal

from annotated_types import Ge, Le

from saegim.guard.injection import suspicion
from saegim.memory.changes import Change, Linked, Unlinked
from saegim.memory.clock import iso
from saegim.memory.entities import BOTH_HOLD, CONTRADICTS, SIMILAR_TO, Link
from saegim.memory.memory import FINDABLE, Memory, Scope, State
from saegim.perceive.build import reads_like_an_order
from saegim.recall.explain import numbers, reason, signs
from saegim.serve.catalogue import answers, night_answers, shapes
from saegim.serve.catalogue.entry import (
    ALL_PROJECTS,
    Budget,
    CallContext,
    Cursor,
    Date,
    Effect,
    Id,
    Limit,
    Name,
    Profile,
    Project,
    Question,
    catalogued,
    given,
    listed,
    seen_from,
)
from saegim.store.commit import Batch
from saegim.store.rows import where_of

_KINDS = Literal[
    "fact", "preference", "experience", "emotion", "technical", "principle", "insight", "episode",
    "imagined",
]  # fmt: skip
_STATES = Literal["active", "dormant", "leaving", "superseded", "quarantined"]
_FEELINGS = Literal[
    "joy", "sadness", "anger", "fear", "disgust", "anxiety", "envy", "ennui", "nostalgia",
    "neutral",
]  # fmt: skip
_ORIGINS = Literal[
    "user_confirmed", "user_said", "agent_inferred", "import", "tool_output", "peer", "web"
]
# More points than this are a cloud, not a graph.
_MOST_NODES = 5_000
_MOST_TIES = 64
_AT_ONCE = 1_000
_LONGEST_LABEL = 60
_MOST_PAIRS = 200
_DAY = timedelta(days=1)
# What leaves within a week is told with the day, the first of it in words.
_SOON = 7 * _DAY
_MOST_LEAVING = 20
_DECISIONS = 8
_LOOKED_AT, _MISSED = 60, 12


def orb(each: Memory) -> shapes.Json:
    """Return a memory as it is drawn: with its feelings, how strong, and what it was worth."""
    return {
        **answers.memory(each),
        "feelings": [feeling.value for feeling in each.emotion.feelings],
        "blend": each.emotion.blend.value,
        "intensity": round(each.emotion.intensity, 4),
        "sentiment": round(each.emotion.sentiment, 4),
        "rating": each.worth.rating,
        "recalled": each.worth.recalled,
        "used": each.worth.used,
    }


@catalogued(Profile.PEOPLE, Effect.READS, "GET /browse", command="search")
def memory_browse(
    at: CallContext,
    query: Question = "",
    limit: Limit = 60,
    cursor: Cursor | None = None,
    project: Project | None = None,
    kind: _KINDS | None = None,
    tier: Literal["M30", "M90", "M365", "M0"] | None = None,
    lifetime: Literal["lasting", "until", "passing"] | None = None,
    feeling: _FEELINGS | None = None,
    state: _STATES = "active",
    origin: _ORIGINS | None = None,
    since: Date | None = None,
    until: Date | None = None,
    tag: Name | None = None,
    pinned: bool | None = None,
) -> shapes.Items:
    """Look through memories, newest first, by words and by every coordinate, with feelings.

    Without a project, those of all projects; with words, the newest that hold all of them.
    """
    at, everywhere = seen_from(at, project or ALL_PROJECTS)
    narrow = given(
        kind=kind,
        tier=tier,
        lifetime=lifetime,
        emotion=feeling,
        state=state,
        origin=origin,
        since=since,
        until=until,
        tags=[tag] if tag else None,
        pinned=pinned,
    )
    if query.strip():
        found = at.memory.search(query, limit=limit, everywhere=everywhere, **narrow)
        total, onward = len(found), None
    else:
        page = at.memory.recent(limit, cursor=cursor, everywhere=everywhere, **narrow)
        found, total, onward = page.memories, page.total, page.next
    return {
        "items": [orb(each) for each in found],
        "total": total,
        "next": onward,
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.PEOPLE, Effect.READS, "GET /counts", command="status")
def memory_counts(at: CallContext) -> shapes.StateAnswer:
    """Count memories by state and name their projects: what a page can ask for at once."""
    memories, scope = at.memory.mind.store.memories, at.memory.scope
    told = {"state": memories.states(scope), "projects": memories.projects(scope)}
    return {"told": told, "scope": shapes.scope(scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /memories/{id}/whole", command="get")
def memory_whole(at: CallContext, id: Id) -> shapes.StateAnswer:
    """Show everything there is about one version of a memory: coordinates, ties, history, uses."""
    memory, mind = at.memory.get(id, exact=True, counts=False), at.memory.mind
    scope = at.memory.scope
    current = mind.store.memories.current(scope, memory.id)
    told = at.memory.history(memory.id)
    links = mind.store.links.touching(scope, [memory.id])
    undone = mind.store.undo.still(scope.user, [each.seq for each in told.entries])
    return {
        "told": {
            "memory": orb(memory),
            "current": current,
            "coordinate": _coordinate(memory),
            # What was read in these words of whom; the nights read what is new.
            "claims": mind.store.profiles.said_in(scope.user, memory.id),
            "links": [_tied(each, memory.id, scope, at) for each in links],
            "versions": [orb(each) for each in told.versions],
            "entries": [{**answers.entry(x), "undo": x.seq in undone} for x in told.entries],
            "uses": [each.as_dict() for each in told.uses],
        },
        "scope": shapes.scope(scope),
    }


def _coordinate(memory: Memory) -> shapes.Json:
    """Return where a memory stands in time, space, voice, worth and life."""
    time, life, worth, held = memory.time, memory.life, memory.worth, memory.content
    return {
        "brief": held.brief,
        "triples": [list(each) for each in held.triples],
        "language": held.language,
        "keywords": list(held.keywords),
        "mentions": list(time.mentions),
        "valid_from": iso(time.valid_from) if time.valid_from else None,
        "valid_to": iso(time.valid_to) if time.valid_to else None,
        "domain": memory.space.domain,
        "files": list(memory.space.files),
        "said_in": memory.space.project,
        "persona": memory.agent.persona,
        "role": memory.agent.role,
        "source": memory.provenance.source.value,
        "turn": memory.provenance.turn,
        "confidence": round(worth.confidence, 4),
        "repeat": round(worth.repeat, 4),
        "feedback": round(worth.feedback, 4),
        "promoted_from": life.promoted_from,
        "immutable": life.immutable,
        "island": life.island,
        "leaving_reason": life.leaving_reason.value if life.leaving_reason else "",
        "leaving_since": iso(life.leaving_since) if life.leaving_since else None,
        "affect": memory.emotion.affect,
        "felt_words": list(memory.emotion.words),
        "rhythm": memory.rhythm.phase,
    }


def _tied(each: Link, id: str, scope: Scope, at: CallContext) -> shapes.Json:
    """Return a tie seen from one of its ends, with the words or the name of the other."""
    other = each.target if each.source == id else each.source
    memory = at.memory.mind.store.memories.get(scope, other)
    shown = (
        memory is not None and memory.text and memory.life.state in (*FINDABLE, State.SUPERSEDED)
    )
    return {
        "type": each.type,
        "away": each.source == id,
        "key": other,
        "weight": round(each.weight, 4),
        "negative": each.negative,
        "memory": orb(memory) if memory is not None and shown else None,
    }


@catalogued(Profile.PEOPLE, Effect.READS, "POST /preview", command="recall")
def recall_preview(
    at: CallContext,
    query: Question,
    budget: Budget = 1500,
    project: Project | None = None,
) -> shapes.StateAnswer:
    """Show what a prompt would be given: the block, its tokens, each reason, and near misses."""
    from saegim.recall.compose.compose import compose
    from saegim.recall.flow import recall
    from saegim.recall.understand import Query

    at, everywhere = seen_from(at, project)
    # A look recalls nothing: it leaves no trace, and what is near is in the order of the block.
    mind = replace(at.memory.mind, traces=None)
    where = where_of(at.memory.scope, given(everywhere=everywhere), mind.zone)
    made = compose(query, where, mind=mind, budget=budget)
    asked = Query(text=query, where=where, limit=_LOOKED_AT, steady=True, near_misses=True)
    inside = {each.id for each in made.cards}
    hits = [
        {
            "memory": orb(hit.memory),
            "inside": hit.memory.id in inside,
            "reason": reason(hit),
            "signs": [[name, _plain(values)] for name, values in signs(hit)],
            **numbers(hit),
        }
        for hit in recall(asked, mind=mind).hits
    ]
    told = {
        "context": made.text,
        "tokens": made.tokens,
        "budget": made.budget,
        "left_out": made.left_out,
        "reasons": dict(made.reasons),
        "below_floor": made.below_floor,
        "inside": [each for each in hits if each["inside"]],
        "missed": [each for each in hits if not each["inside"]][:_MISSED],
        "paths": [
            {"name": path.name, "ran": path.ran, "found": path.found, "why": path.why}
            for path in made.paths
        ],
    }
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


def _plain(values: shapes.Json) -> shapes.Json:
    return {
        name: ", ".join(value)
        if isinstance(value, tuple)
        else value.date().isoformat()
        if isinstance(value, datetime)
        else value
        for name, value in values.items()
    }


@catalogued(Profile.PEOPLE, Effect.READS, "GET /ledger", command="history")
def ledger_list(
    at: CallContext,
    limit: Limit = 50,
    before: Annotated[int, Ge(1)] | None = None,
    change: Name = "",
    subject: Id = "",
    since: Date | None = None,
) -> shapes.Items:
    """List the lines of the ledger, the last first: what happened, to which id, by whom, when."""
    ledger, scope = at.memory.mind.store.ledger, at.memory.scope
    first = where_of(scope, given(since=since), at.memory.mind.zone).since
    lines = ledger.latest(
        scope, limit=limit, before=before, change=change, subject=subject, since=first
    )
    return {
        "items": [answers.entry(each) for each in lines],
        "total": ledger.length(scope.user),
        "next": str(lines[-1].seq) if len(lines) == limit else None,
        "scope": shapes.scope(scope),
    }


@catalogued(Profile.PEOPLE, Effect.READS, "GET /day", command="recent")
def day_report(at: CallContext) -> shapes.StateAnswer:
    """Tell what today brought: what was kept, recalled, decided, what rose and what leaves."""
    mind, scope = at.memory.mind, at.memory.scope
    now = mind.now().astimezone(mind.zone)
    dawn = now.replace(hour=0, minute=0, second=0, microsecond=0)
    ledger = mind.store.ledger
    counted: dict[str, int] = {}
    for change, _, count in ledger.happened(scope.user, dawn):
        counted[change] = counted.get(change, 0) + count
    kept = ledger.latest(scope, limit=40, change="Saved", since=dawn)
    shown = ledger.latest(scope, limit=40, change="Recalled", since=dawn)
    seen = dict.fromkeys(id for line in shown for id in str(line.facts["memories"]).split())
    forgetting = at.memory.forgetting
    leaving = [each for each in forgetting.queue(_MOST_LEAVING) if each.left <= _SOON]
    told = {
        "day": dawn.date().isoformat(),
        "ledger": ledger.length(scope.user),
        "counts": counted,
        "kept": _living([each.subject for each in kept], at),
        "recalled": _living(list(seen)[:12], at),
        "decided": mind.recently.counts(scope.user),
        "decisions": [
            {"at": iso(when), "action": action, "why": list(why)}
            for when, action, why in mind.recently.decisions(scope.user)[:_DECISIONS]
        ],
        "leaving": [{**night_answers.queued(each), "memory": orb(each.memory)} for each in leaving],
        "leaving_total": forgetting.queued(_SOON),
        "proposals": len(at.memory.proposals.open()),
    }
    return {"told": told, "scope": shapes.scope(scope)}


def _living(ids: Iterable[str], at: CallContext) -> list[shapes.Json]:
    """Return those of the memories whose words can be shown, as they are drawn."""
    found = (at.memory.mind.store.memories.get(at.memory.scope, id) for id in ids)
    return [
        orb(each)
        for each in found
        # What rose is another entry of what was kept before, and told where things rise.
        if each is not None and each.life.state in FINDABLE and not each.life.promoted_from
    ]


@catalogued(Profile.PEOPLE, Effect.READS, "GET /graph", command="related")
def graph_slice(
    at: CallContext,
    center: Id = "",
    limit: Annotated[int, Ge(1), Le(_MOST_NODES)] = 300,
) -> shapes.StateAnswer:
    """Show a part of the knowledge graph: the most met entities, or what lies around a key."""
    scope, store = at.memory.scope, at.memory.mind.store
    if center:
        near = at.memory.related(center, depth=2, limit=min(limit, 200))
        starts = [center, *(each.key for each in near)]
    else:
        # Of the points a third are names, and the others the memories around them.
        starts = [each.key for each in at.memory.entities.all(max(1, limit // 3))]
    # No more ties than points are looked at: each brings at most one that is new.
    most = max(1, min(_MOST_TIES, 2 * limit // max(1, len(starts))))
    links = store.links.touching(scope, starts, most=most) if starts else []
    wanted = dict.fromkeys([*starts, *(key for x in links for key in (x.source, x.target))])
    nodes = dict(islice(_points(wanted, at), limit))
    edges = [
        {"from": link.source, "to": link.target, "type": link.type, "negative": link.negative}
        for link in links
        if link.source in nodes and link.target in nodes
    ]
    tied = {key for each in edges for key in (each["from"], each["to"])} | {center}
    shown = [each for key, each in nodes.items() if key in tied]
    told = {"nodes": shown, "edges": edges, "center": center}
    return {"told": told, "scope": shapes.scope(scope)}


def _points(keys: Iterable[str], at: CallContext) -> Iterator[tuple[str, shapes.Json]]:
    """Yield the point of each key, in their order; none for what is gone or only a label."""
    store, scope, every = at.memory.mind.store, at.memory.scope, list(keys)
    for start in range(0, len(every), _AT_ONCE):
        part = every[start : start + _AT_ONCE]
        named = {each.key: each for each in store.entities.of_keys(scope, part)}
        held = store.memories.of_ids(scope, [key for key in part if ":" not in key])
        for key in part:
            if (entity := named.get(key)) is not None:
                name = entity.display_name or entity.name
                yield key, _point(key, name, "entity", "", 0.8)
            elif (one := held.get(key)) is not None and one.text and one.life.state in FINDABLE:
                label = (one.content.brief or one.text)[:_LONGEST_LABEL]
                felt, size = one.emotion.blend.value, round(one.worth.importance, 3)
                yield key, _point(key, label, "memory", felt, size)


def _point(key: str, label: str, kind: str, feeling: str, size: float) -> shapes.Json:
    return {"key": key, "label": label, "kind": kind, "feeling": feeling, "size": size}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /review", command="audit")
def review_list(
    at: CallContext, what: Literal["duplicates", "conflicts"] = "conflicts", limit: Limit = 50
) -> shapes.Items:
    """List pairs of living memories that say nearly the same, or contradict each other."""
    wanted = SIMILAR_TO if what == "duplicates" else CONTRADICTS
    scope, memories = at.memory.scope, at.memory.mind.store.memories
    links = at.memory.mind.store.links
    found = links.of_type(scope, wanted, limit=_MOST_PAIRS)
    ends = {key for link in found for key in (link.source, link.target)}
    settled = {frozenset((x.source, x.target)) for x in links.of(scope, ends, (BOTH_HOLD,))}
    pairs: list[shapes.Json] = []
    for link in found:
        one, two = (memories.get(scope, key) for key in (link.source, link.target))
        if one is None or two is None or {one.life.state, two.life.state} != {State.ACTIVE}:
            continue
        if frozenset((link.source, link.target)) in settled:
            continue
        pairs.append({"type": link.type, "one": orb(one), "two": orb(two)})
    return {
        "items": pairs[:limit],
        "total": len(pairs),
        "next": None,
        "scope": shapes.scope(scope),
    }


@catalogued(Profile.PEOPLE, Effect.CHANGES, "POST /review", command="audit")
def review_settle(at: CallContext, one: Id, two: Id) -> shapes.StateAnswer:
    """Say that both memories of a pair hold: it is not shown again, nor told as a conflict."""
    mind, scope = at.memory.mind, at.memory.scope
    ids = [at.memory.get(id, exact=True, counts=False).id for id in (one, two)]
    ties = mind.store.links.of(scope, ids[:1], (CONTRADICTS,))
    changes: list[Change] = [Unlinked(x) for x in ties if {x.source, x.target} == set(ids)]
    changes.append(Linked(Link(source=ids[0], type=BOTH_HOLD, target=ids[1])))
    now, maker = mind.now(), mind.new_id("review")
    until = now + timedelta(days=mind.settings.forgetting_days)
    made = Batch(scope.user, changes, actor=scope.user, at=now, maker=maker, until=until)
    mind.store.commit(made)
    return {"told": {"undo": maker}, "scope": shapes.scope(scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /quarantine", command="quarantine")
def quarantine_list(at: CallContext, limit: Limit = 100) -> shapes.Items:
    """List what is kept apart, the newest first, and why: how its words read, or its source."""
    at, everywhere = seen_from(at, ALL_PROJECTS)
    page = at.memory.recent(limit, everywhere=everywhere, state="quarantined")
    return {
        "items": [{**orb(each), "reason": _kept_apart_for(each)} for each in page.memories],
        "total": page.total,
        "next": page.next,
        "scope": shapes.scope(at.memory.scope),
    }


def _kept_apart_for(memory: Memory) -> str:
    """Return whether words are hidden in it, it reads like an order, or its source is doubted."""
    found = suspicion(memory.text)
    if found in ("hidden", "encoded"):
        return found
    return "order" if found or reads_like_an_order(memory) else "source"


@catalogued(Profile.PEOPLE, Effect.READS, "GET /archive", command="archive")
def archive_list(at: CallContext, limit: Limit = 50) -> shapes.Items:
    """List the words that lie in the archive, the latest first, and until when they do."""
    found = at.memory.forgetting.archive(1000)
    return listed(at, found, limit, None, key=lambda each: each.id, show=night_answers.archived)


@catalogued(Profile.PEOPLE, Effect.READS, "GET /schedule", command="nights")
def night_schedule(at: CallContext) -> shapes.StateAnswer:
    """Tell when each stage of the night is due next, and whether nights are paused."""
    return _schedule(at)


@catalogued(Profile.PEOPLE, Effect.CHANGES, "POST /schedule", command="nights", repeatable=True)
def night_pause(at: CallContext, paused: bool) -> shapes.StateAnswer:
    """Sleep only when asked to, or by the schedule again."""
    nights = at.memory.nights
    if paused:
        nights.pause()
    else:
        nights.resume()
    return _schedule(at)


def _schedule(at: CallContext) -> shapes.StateAnswer:
    nights = at.memory.nights
    told = {
        "due": {stage: iso(when) for stage, when in nights.due().items()},
        "paused": nights.paused,
    }
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /usage", command="status", of_machine=True)
def model_spending(
    at: CallContext, days: Annotated[int, Ge(1), Le(366)] = 30
) -> shapes.StateAnswer:
    """Tell what language models were asked for: calls and tokens by day and purpose."""
    mind = at.memory.mind
    since = f"{mind.now() - days * _DAY:%Y-%m-%d}"
    rows: Sequence[object] = mind.store.usage.spent(since=since)
    names = ("day", "purpose", "model", "calls", "failed", "tokens_in", "tokens_out")
    told = {
        "spent": [{name: getattr(each, name) for name in names} for each in rows],
        "daily_cap": mind.settings.model_daily_calls,
        "left_out": mind.store.usage.left_out(),
    }
    return {"told": told, "scope": shapes.scope(at.memory.scope)}
