"""Seed A's resonance ledger (§3.3): its lines are kept whole as pages and written back.

A memory that was born here has no such line; it gives one when a folder is written.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.guard.masking import Tally, masked
from saegim.importers.jsonl import Found, Problem, compact, json_lines, lines_in
from saegim.memory.clock import iso
from saegim.memory.memory import Memory
from saegim.memory.pages import Page
from saegim.memory.scope import Scope
from saegim.memory.tiers import State
from saegim.store.store import Store

Json = dict[str, Any]

KIND = "resonance"
_FILE = re.compile(r"ledger-([0-9]{8})\.jsonl")
_YEAR = re.compile(r"ledger-([0-9]{4})\.zip")
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


def year_name(year: int) -> str:
    """Return the name of the file into which a year that is over is packed."""
    return f"ledger-{year:04}.zip"


def day_of(file: Path) -> str | None:
    """Return the day a file is of, if it is one of ours."""
    name = _FILE.fullmatch(file.name)
    return name.group(1) if name else None


def key_of(date: str, number: int) -> str:
    """Return the key of the page of a line."""
    return f"{KIND}:{date}:{number:06d}"


def read(
    folder: Path, imported: Container[str], *, scope: Scope, store: Store
) -> Iterator[Found | Problem]:
    """Yield the lines of a folder that are not here yet, each as a page."""
    numbered = _numbered(scope, store)
    for found in _days(folder) if folder.is_dir() else ():
        if isinstance(found, Problem):
            yield found
            continue
        date, name, held = found
        lines = numbered.setdefault(date, {})
        here = Counter(compact(each) for each in lines.values())
        last = max(lines, default=0)
        for number, raw in held:
            where = f"{name} line {number}"
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
                # The same day may be packed and lie there as well, where packing was interrupted.
                lines[last] = entry
                page = Page(key=key_of(date, last), kind=KIND, data=entry)
                yield Found(where, page, masked=tally.masked + tally.held)


def _days(folder: Path) -> Iterator[tuple[str, str, Iterator[tuple[int, Any]]] | Problem]:
    """Yield each day of a folder with its lines: first the packed years, then the files."""
    for file in sorted(folder.glob("ledger-*.zip")):
        if _YEAR.fullmatch(file.name) is None or file.is_symlink():
            yield Problem(file.name, "It is not a file named ledger-YYYY.zip.")
            continue
        try:
            with zipfile.ZipFile(file) as packed:
                for name in sorted(packed.namelist()):
                    if date := day_of(Path(name)):
                        with packed.open(name) as day:
                            yield date, f"{file.name}/{name}", lines_in(day)
        except (zipfile.BadZipFile, OSError, RuntimeError, EOFError) as error:
            yield Problem(file.name, f"It cannot be unpacked: {error}.")
    for file in sorted(folder.glob("*.jsonl")):
        if (date := day_of(file)) is None or file.is_symlink():
            yield Problem(file.name, "It is not a file named ledger-YYYYMMDD.jsonl.")
        else:
            yield date, file.name, json_lines(file)


def _would_tell(entry: Json, imported: Container[str], scope: Scope, store: Store) -> bool:
    """Say whether a memory that was born here gives this very line when it is written."""
    match entry.get("memory_refs"):
        case [str(id)] if id not in imported:
            here = store.memory(scope, id)
            return here is not None and line(here) == entry
    return False


def told_of(events: Iterable[Json]) -> set[tuple[str, str]]:
    """Return of which memory which type of event has been logged."""
    pairs = ((event.get("memory_id"), event.get("event_type")) for event in events)
    return {(str(id), str(type)) for id, type in pairs if id and type}


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
