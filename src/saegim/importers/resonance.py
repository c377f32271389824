"""Seed A's resonance ledger (§3.3): its lines are kept whole as pages and written back.

A memory that was born here has no such line; it gives one when a folder is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.importers.jsonl import Found, Problem, compact, json_lines
from saegim.memory.clock import iso
from saegim.memory.memory import Memory
from saegim.memory.pages import Page
from saegim.memory.scope import Scope
from saegim.memory.tiers import State
from saegim.perceive.masking import Tally, masked
from saegim.store.store import Store

Json = dict[str, Any]

KIND = "resonance"
_FILE = re.compile(r"ledger-([0-9]{8})\.jsonl")
# A page that came with an export may bear any key; only such a one names a file.
_KEY = re.compile(r"resonance:([0-9]{8}):([0-9]{1,12})")


def line(memory: Memory) -> Json:
    """Return the line of a memory that was born here; all its words are the memory's own."""
    at = iso(memory.time.happened_at)
    return {
        "timestamp": at,
        "session_id": memory.scope.session,
        "event_type": memory.content.type,
        "bqi_coordinate": {
            "time": at,
            "space": memory.space.domain or memory.scope.project,
            "agent": memory.agent.persona or memory.scope.agent,
            "emotion": {
                "affect": memory.emotion.affect,
                "keywords": list(memory.rhythm.words or memory.emotion.words),
            },
            "rhythm_phase": memory.rhythm.phase,
        },
        "memory_refs": [memory.id],
    }


def date_of(memory: Memory) -> str:
    """Return the day under which a memory's line is filed."""
    return iso(memory.time.happened_at)[:10].replace("-", "")


def file_name(date: str) -> str:
    """Return the name of the file of a day."""
    return f"ledger-{date}.jsonl"


def read(
    folder: Path, imported: Container[str], *, scope: Scope, store: Store
) -> Iterator[Found | Problem]:
    """Yield the lines of a folder that are not here yet, each as a page."""
    numbered = _numbered(scope, store)
    for file in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        name = _FILE.fullmatch(file.name)
        if name is None or file.is_symlink():
            yield Problem(file.name, "It is not a file named ledger-YYYYMMDD.jsonl.")
            continue
        date = name.group(1)
        lines = numbered.get(date, {})
        here = Counter(compact(each) for each in lines.values())
        last = max(lines, default=0)
        for number, raw in json_lines(file):
            where = f"{file.name} line {number}"
            if not isinstance(raw, dict):
                reason = raw.message if isinstance(raw, BadInput) else "It is not an object."
                yield Problem(where, reason)
                continue
            # Compared as it is kept: a line with a secret is the same line the next time.
            entry = masked(raw, tally := Tally())
            if here[compact(entry)]:
                here[compact(entry)] -= 1
            elif not _would_tell(entry, imported, scope, store):
                last += 1
                page = Page(key=f"{KIND}:{date}:{last:06d}", kind=KIND, data=entry)
                yield Found(where, page, masked=tally.masked + tally.held)


def _would_tell(entry: Json, imported: Container[str], scope: Scope, store: Store) -> bool:
    """Say whether a memory that was born here gives this very line when it is written."""
    match entry.get("memory_refs"):
        case [str(id)] if id not in imported:
            here = store.memory(scope, id)
            return here is not None and line(here) == entry
    return False


def kept(scope: Scope, store: Store) -> dict[str, list[Json]]:
    """Return the lines that came from folders, by day, in their order."""
    return {
        date: [_quiet(each, scope, store) for _, each in sorted(lines.items())]
        for date, lines in _numbered(scope, store).items()
    }


def _numbered(scope: Scope, store: Store) -> dict[str, dict[int, Json]]:
    lines: dict[str, dict[int, Json]] = {}
    for page in store.pages(scope, kind=KIND):
        if key := _KEY.fullmatch(page.key):
            lines.setdefault(key.group(1), {})[int(key.group(2))] = dict(page.data)
    return lines


def _quiet(entry: Json, scope: Scope, store: Store) -> Json:
    """Leave the feeling words out of a line whose memory has been forgotten."""
    match entry:
        case {
            "memory_refs": [*refs],
            "bqi_coordinate": {"emotion": {"keywords": [_, *_]} as felt} as held,
        }:
            for id in refs:
                here = store.memory(scope, id) if isinstance(id, str) else None
                if here is not None and here.life.state is State.FORGOTTEN:
                    silent = {**held, "emotion": {**felt, "keywords": []}}
                    return {**entry, "bqi_coordinate": silent}
    return entry
