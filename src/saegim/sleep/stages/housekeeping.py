"""The small stages: backup, checkpoint, ledger files, shorter forms, report, sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from saegim.importers.resonance_ledger import ResonanceLedger
from saegim.memory.changes import Retold, Written
from saegim.memory.clock import iso
from saegim.memory.entities import Page
from saegim.memory.memory import Memory, Scope
from saegim.perceive.build import hear, understood
from saegim.profile.read_claims import catch_up
from saegim.recall.read_unread import read_unread
from saegim.session.open_sessions import folder_of
from saegim.session.working import WorkingMemory
from saegim.sleep.night import Night, NightStep
from saegim.store.database import changed_since, free_share


def backup(night: Night) -> Iterator[NightStep]:
    """Make a backup beside the store, or where `backup_path` says, unless none is wanted."""
    settings = night.mind.settings
    store = night.mind.store
    if not settings.backup_enabled:
        return
    last = int(night.places.get("backup") or 0)
    length = store.ledger.length(night.owner)
    if night.rehearsed or not changed_since(store.database, night.owner, last):
        return
    folder = settings.backup_folder(store.path.parent)
    made = store.back_up(folder, night.mind.now(), keep=settings.backups_kept)
    yield NightStep(why="backed_up", details={"file": made.path.name}, place=str(length))


# -- Tidying the file: traces written, the log emptied into it

# VACUUM holds the file while it runs; more than half of it free is a third of the bound of U8.6.
_TOO_EMPTY = 0.5
# A file this small is not worth it.
_SMALL = 2_000_000


def checkpoint(night: Night) -> Iterator[NightStep]:
    """Leave the file as small and as safe as it can be."""
    if night.rehearsed:
        return
    if night.mind.traces is not None:
        night.mind.traces.flush()
    database = night.mind.store.database
    if database.is_server:
        return  # a server tidies by itself
    database.empty_log()
    large = night.mind.store.path.stat().st_size > _SMALL
    if large and free_share(database) > _TOO_EMPTY:
        database.shrink()
        database.empty_log()
        yield NightStep(why="shrunk_file")


# -- The files of the resonance ledger: of each year that is over, one file (seed A §6.1)


def ledgers(night: Night) -> Iterator[NightStep]:
    """Pack what past years logged into files; without `log_path` there is none."""
    if night.rehearsed:
        return
    for packed in ResonanceLedger(night.mind, night.scope).compress():
        yield NightStep(why="packed", details={"file": packed.name})


# -- Shorter forms anew (seed C, layer 4): the briefs and ties that a memory came without

# Raised when the rules that write shorter forms have become better: then all are looked at again.
_READING = "1"
# Seed C, level 1: a text this short needs no brief.
_SHORT = 100
# Reading takes milliseconds each; after a large import the rest waits for the next nights.
_MOST = 2000
_AT_ONCE = 500
_MOST_CLAIMS = 1000


def renew(night: Night) -> Iterator[NightStep]:
    """Write the brief and the triples of what was kept without them since last time.

    What was kept unread is read first, if no process has done so in the background.
    """
    if not night.rehearsed:
        for _ in read_unread(night.mind):
            pass
        catch_up(night.mind, _MOST_CLAIMS)
    queries = night.mind.store.night_queries
    reading, _, place = night.places.get("renew", "").partition(":")
    last = int(place) if reading == _READING else 0
    read = 0
    while read < _MOST and (numbers := queries.since(night.owner, last, most=_AT_ONCE)):
        for _, memory in night.memories(numbers):
            if _lacks(memory) and not memory.life.immutable and memory.id not in night.gone:
                read += 1
                yield from _retold(memory, night)
        last = numbers[-1]
    yield NightStep(why="looked", place=f"{_READING}:{last}")


def _lacks(memory: Memory) -> bool:
    """Say whether nothing was ever read in a memory, or its short form is missing."""
    content = memory.content
    return not content.language or (content.brief is None and len(memory.text) > _SHORT)


def _retold(memory: Memory, night: Night) -> Iterator[NightStep]:
    read, _ = understood(memory, hear(memory.text, night.mind), night.mind, kind=memory.kind)
    brief, triples = read.content.brief, read.content.triples
    if (brief, triples) != (memory.content.brief, memory.content.triples):
        change = Retold(memory.id, brief, triples)
        yield NightStep(changes=(change,), why="retold", about=(memory.id,))


# -- The report of the night: a page of counts and ids

KIND = "night_report"
# What is done every time says nothing about this night.
ROUTINE = frozenset(("looked", "by_rule", "reported", "reflected", "marked", "core"))


def report(night: Night) -> Iterator[NightStep]:
    """Write down what this night did, if it did anything."""
    row = None if night.rehearsed else night.mind.store.nights.get(night.scope, night.id)
    if row is None or not eventful(row.told):
        return
    page = Page(
        key=f"night:{night.id}",
        kind=KIND,
        title=iso(night.at),
        data={"night": night.id, "at": iso(night.at), "told": dict(row.told)},
    )
    yield NightStep(changes=(Written(page),), why="reported")


def eventful(told: Mapping[str, Any]) -> bool:
    """Say whether anything happened that a person might want to know."""
    return any(what.partition(":")[0] not in ROUTINE for did in told.values() for what in did)


# -- Sessions that nobody closed are closed: their hotspots stay


def sessions(night: Night) -> Iterator[NightStep]:
    """Close what no process holds any more and in which nothing was said for long.

    What a session leaves behind is committed as it is closed, under keys that make it one act; a
    night that breaks off here begins again and does nothing twice.
    """
    mind = night.mind
    idle = timedelta(hours=mind.settings.session_idle_hours)
    rooms = {(each.agent, each.project) for each in mind.store.sessions.unended(night.scope)}
    for agent, project in sorted(rooms):
        # A rehearsal sleeps in a copy of the store, which has no sessions on paper beside it.
        scope = Scope(night.owner, agent, project)
        working = WorkingMemory(mind, scope, folder_of(mind.store.path))
        for done in working.close_unclosed(idle):
            about = tuple(each.memory for each in done.promoted)
            yield NightStep(why="closed_session", about=about, details={"kept": len(about)})
