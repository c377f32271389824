"""Seed A's folder: `memory/sessions/*.jsonl`, its index and config, and the resonance ledger.

What is written is what is alive: active and dormant memories, one file for each session, those of
no session in `no_session.jsonl`. Our own JSONL is the complete export; this one is for programs
that speak seed A. The order and direction in which an imported folder named its relations, its
config, and every line of its resonance ledger are kept as pages, so that all of it comes back.
Times come back as the same instants, written in one way (microseconds, `Z` for UTC).
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from saegim.errors import BadInput, Refused
from saegim.filesystem import own_folder, replacing
from saegim.guard.guard import MaskTally, masked
from saegim.importers.jsonl import (
    MAX_LINE,
    JsonlRecord,
    Problem,
    compact,
    json_lines,
    lines_in,
    strict_json,
)
from saegim.language.words import Analyser
from saegim.memory.clock import iso
from saegim.memory.entities import PARENT, RELATED, Link, Page
from saegim.memory.memory import Memory, Origin, Scope, State, expiry
from saegim.memory.record import from_record, to_record
from saegim.memory.seed_json import from_coordinate, to_coordinate
from saegim.memory.text import normalise
from saegim.store.rows import Where
from saegim.store.store import Store

Json = dict[str, Any]

RESONANCE_KIND = "resonance"
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
    return f"{RESONANCE_KIND}:{date}:{number:06d}"


def read_resonance(
    folder: Path, imported: Container[str], *, scope: Scope, store: Store
) -> Iterator[JsonlRecord | Problem]:
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
            entry = masked(raw, tally := MaskTally())
            if here[compact(entry)]:
                here[compact(entry)] -= 1
            elif not _would_tell(entry, imported, scope, store):
                last += 1
                # The same day may be packed and lie there as well, where packing was interrupted.
                lines[last] = entry
                page = Page(key=key_of(date, last), kind=RESONANCE_KIND, data=entry)
                yield JsonlRecord(where, page, masked=tally.masked + tally.held)


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
            here = store.memories.get(scope, id)
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


def kept_of(session: str, scope: Scope, store: Store) -> list[Json]:
    """Return the kept lines of one session, in their order."""
    days = sorted(_numbered(scope, store).items())
    lines = (line for _, held in days for _, line in sorted(held.items()))
    return [_quiet(each, scope, store) for each in lines if each.get("session_id") == session]


def _numbered(scope: Scope, store: Store) -> dict[str, dict[int, Json]]:
    lines: dict[str, dict[int, Json]] = {}
    for page in store.pages.of(scope, kind=RESONANCE_KIND):
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
                here = store.memories.get(scope, id) if isinstance(id, str) else None
                if here is not None and here.life.state is State.FORGOTTEN:
                    silent = {**held, "emotion": {**felt, "keywords": []}}
                    return {**entry, "bqi_coordinate": silent}
    return entry


# -- Seed A's folder: `memory/sessions/*.jsonl`, its index and config

# Which memories came from a folder, and the keys of their ties in the order written there.
Ties = dict[str, list[str]]

KIND = "coordinates"
NO_SESSION = "no_session"
INDEX_VERSION = "1.0"
LIVING = (State.ACTIVE, State.DORMANT)
TOP = 100  # seed A §3.2: the importance index names the first hundred
_CHUNK = 500

_CONFIG_KEY = "coordinates:config"
# Seed A §4.2 in our own values: its limits are off unless a person sets them (null is no limit),
# forgetting follows the tiers, and what was archived is erased after its 180 days.
CONFIG: Json = {
    "retention_policy": {
        "max_sessions": None,
        "max_memories_per_session": None,
        "max_total_size_mb": None,
        "archive_after_days": None,
        "delete_after_days": 180,
    },
    "storage": {
        "format": "jsonl",
        "compression": "none",
        "backup_enabled": True,
        "backup_path": "backups",
    },
}
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
# Names that some systems give to devices, whatever ending follows them.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)


# -- reading --------------------------------------------------------------------------------------


def read(
    path: Path, *, scope: Scope, store: Store, now: datetime
) -> Iterator[JsonlRecord | Problem]:
    """Yield what a folder of seed A holds: its config, its ledger, then its sessions."""
    root, ledger = _layout(path)
    _check_version(root / "index.json")
    yield from _read_config(root / "config.json", scope, store)
    imported = _ties_as_written(scope, store)
    yield from read_resonance(ledger, imported, scope=scope, store=store)
    for file in _files(root / "sessions"):
        if file.is_symlink():
            yield Problem(f"sessions/{file.name}", "It is a link; only files are read.")
            continue
        for number, entry in json_lines(file):
            where = f"sessions/{file.name} line {number}"
            try:
                yield _coordinate(where, entry, scope.user, now)
            except BadInput as error:
                yield Problem(where, error.message)


def _layout(path: Path) -> tuple[Path, Path]:
    """Return where the memories and the ledger lie, in seed A's tree or in its inner folder."""
    if (path / "memory" / "sessions").is_dir():
        return path / "memory", path / "resonance_ledger"
    if (path / "sessions").is_dir():
        inside = path / "resonance_ledger"
        return path, inside if inside.is_dir() else path.parent / "resonance_ledger"
    raise BadInput("import.holds_neither_sessions_nor_memory", path=path)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl")) if folder.is_dir() else []


def _check_version(index: Path) -> None:
    """Refuse a folder that a newer version of the format wrote; the index itself is derived."""
    held = _json_file(index)
    version = held.get("index_version", INDEX_VERSION) if isinstance(held, Mapping) else None
    if version is not None and str(version).partition(".")[0] != "1":
        raise BadInput(
            "import.index_version_saegim_reads",
            index=index,
            version=version,
            index_version=INDEX_VERSION,
        )


def _json_file(path: Path) -> Any:
    """Return what a JSON file holds; nothing if it is missing or cannot be read."""
    try:
        with path.open("rb") as file:
            return strict_json(file.read(MAX_LINE))
    except OSError:
        return None


def _read_config(path: Path, scope: Scope, store: Store) -> Iterator[JsonlRecord | Problem]:
    if not path.is_file():
        return
    config = masked(_json_file(path), MaskTally())
    if not isinstance(config, dict):
        yield Problem("config.json", "It is not a JSON object.")
    elif config != CONFIG and config != _kept_config(scope, store):
        yield JsonlRecord("config.json", Page(key=_CONFIG_KEY, kind=KIND, data=config))


def _kept_config(scope: Scope, store: Store) -> Json:
    versions = store.pages.of(scope, key=_CONFIG_KEY)
    return dict(versions[-1].data) if versions else CONFIG


def _coordinate(where: str, entry: Any, user: str, now: datetime) -> JsonlRecord:
    """Read one line of a session: young here, of origin import, its ties beside it."""
    if isinstance(entry, BadInput):
        raise entry
    if not isinstance(entry, dict):
        raise BadInput("import.not_json_object")
    try:
        memory, ties = from_coordinate(entry, user)
    except (TypeError, AttributeError) as error:
        raise BadInput("import.field_has_wrong_type", error=error) from error
    memory = memory.evolve(
        time=replace(memory.time, recorded_at=now),
        provenance=replace(memory.provenance, origin=Origin.IMPORT),
        life=replace(memory.life, expires_at=expiry(memory.life.tier, now)),
    )
    # Written and read once more as a record: every field is of its type, or is named.
    plain = from_record(Memory, to_record(memory))
    unmeasured = (entry.get("metadata") or {}).get("bqi_snapshot", memory) is None
    return JsonlRecord(where, plain, tuple(ties), unmeasured=unmeasured)


def _ties_as_written(scope: Scope, store: Store) -> Ties:
    """Return the memories that came from folders, each with the keys of its ties in order."""
    written: Ties = {}
    for page in store.pages.of(scope, kind=KIND):
        memories = page.data.get("memories")
        # A page that came with an export may hold anything under this name.
        if isinstance(memories, dict):
            for id, ties in memories.items():
                written[id] = ["::".join(map(str, tie)) for tie in ties]
    return written


def _unmeasured(scope: Scope, store: Store) -> set[str]:
    """Return the memories whose folder wrote their BQI snapshot down as null (seed A §7.1)."""
    kept = (page.data.get("unmeasured") for page in store.pages.of(scope, kind=KIND))
    return {str(id) for ids in kept if isinstance(ids, list) for id in ids}


def _relations(id: str, ties: Iterable[Link], written: Ties) -> list[Link]:
    """Order a memory's ties as its folder did; leave out what only the other end named."""
    here = {tie.key: tie for tie in ties}
    if id not in written:
        return list(here.values())
    named = [here.pop(key) for key in written[id] if key in here]
    return named + [
        tie
        for key, tie in here.items()
        if key not in written.get(tie.source if tie.target == id else tie.target, ())
    ]


def as_written(found: Iterable[JsonlRecord]) -> Page:
    """Return the page that says which memories came from a folder, and with which ties."""
    memories, unmeasured = {}, []
    for each in found:
        if isinstance(each.value, Memory):
            id = each.value.id
            memories[id] = [[tie.source, tie.type, tie.target] for tie in each.ties]
            unmeasured += [id] if each.unmeasured else []
    data: Json = {"memories": memories}
    if unmeasured:
        data["unmeasured"] = unmeasured
    return Page(key=f"{KIND}:{next(iter(memories))}", kind=KIND, data=data)


# -- writing --------------------------------------------------------------------------------------


def write(path: Path, *, scope: Scope, store: Store, analyser: Analyser, now: datetime) -> int:
    """Write what is alive as seed A's tree under `path`; return the number of memories."""
    written, unmeasured = _ties_as_written(scope, store), _unmeasured(scope, store)
    events = kept(scope, store)
    sessions, dates = _plan(scope, store, written)
    names = file_names(sessions)
    root, ledger = path / "memory", path / "resonance_ledger"
    _make(path, root / "sessions", ledger)
    _refuse_strangers(root / "sessions", {f"{name}.jsonl" for name in names.values()})
    _refuse_strangers(ledger, {file_name(date) for date in (*events, *dates)})
    index, told = Index(), told_of(line for held in events.values() for line in held)
    for session, name in names.items():
        with replacing(root / "sessions" / f"{name}.jsonl") as file:
            for memory, shape in _coordinates(session, scope, store, written):
                if memory.id in unmeasured:
                    shape["metadata"].setdefault("bqi_snapshot", None)
                file.write(compact(shape) + "\n")
                index.add(memory, shape["timestamp"], analyser)
                if memory.id not in written and (memory.id, memory.content.type) not in told:
                    events.setdefault(date_of(memory), []).append(line(memory))
    for date, lines in events.items():
        with replacing(ledger / file_name(date)) as file:
            file.writelines(compact(line) + "\n" for line in lines)
    _write_json(root / "config.json", _kept_config(scope, store))
    _write_json(root / "index.json", index.shape(now))
    return index.total


def _plan(scope: Scope, store: Store, written: Ties) -> tuple[list[str], set[str]]:
    """Return the sessions with living memories, and the days whose ledger they will stand in."""
    sessions: dict[str, None] = {}
    dates = set()
    for _, memory in store.memories.walk(Where(scope=scope, states=LIVING, everywhere=True)):
        sessions[memory.scope.session] = None
        if memory.id not in written:
            dates.add(date_of(memory))
    return list(sessions), dates


def file_names(sessions: Iterable[str]) -> dict[str, str]:
    """Give each session a file name of its own that no file system reads as anything else.

    A plain name is its own file name. Any other, one that differs only in case from another, and
    those of devices become letters and digits with a digest; the session stands in every line.
    """
    names: dict[str, str] = {}
    taken = {NO_SESSION}
    for session in sessions:
        name = session or NO_SESSION
        plain = _FILE_NAME.fullmatch(session) and session.lower() not in taken | _DEVICES
        if session and not plain:
            digest = hashlib.sha256(session.encode()).hexdigest()[:16]
            name = re.sub(r"[^A-Za-z0-9_-]+", "-", session)[:40].strip("-") + f"-{digest}"
            name = name.lstrip("-")
        names[session] = name
        taken.add(name.lower())
    return names


def _make(path: Path, *folders: Path) -> None:
    """Make the folders; refuse one that leads out of the folder that was given."""
    for folder in folders:
        if not folder.resolve().is_relative_to(path.resolve()):
            raise Refused("import.link_leads_out", folder=folder, path=path)
    try:
        for folder in folders:
            own_folder(folder)
    except OSError as error:
        raise BadInput(
            "import.cannot_be_written", path=path, reason=error.strerror or error
        ) from error


def _refuse_strangers(folder: Path, ours: set[str]) -> None:
    """Refuse to mix with what another export left: it may hold what is forgotten by now."""
    others = sorted(file.name for file in _files(folder) if file.name not in ours)
    if others:
        raise Refused("import.holds_which_is_not_part", folder=folder, others=others[0])


def _coordinates(
    session: str, scope: Scope, store: Store, written: Ties
) -> Iterator[tuple[Memory, Json]]:
    """Yield the living memories of a session in the order of their writing, in seed A's shape."""
    where = Where(scope=Scope(scope.user), states=LIVING, session=session)
    living = iter(store.memories.walk(where))
    while chunk := [memory for _, memory in islice(living, _CHUNK)]:
        ties: dict[str, list[Link]] = {memory.id: [] for memory in chunk}
        for tie in store.links.of(scope, list(ties), (PARENT, RELATED)):
            for id in {tie.source, tie.target} & ties.keys():
                ties[id].append(tie)
        for memory in chunk:
            yield memory, to_coordinate(memory, _relations(memory.id, ties[memory.id], written))


def _write_json(path: Path, value: Json) -> None:
    with replacing(path) as file:
        file.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _sorted(index: dict[str, list[str]]) -> dict[str, list[str]]:
    """Order an index and its ids, which sort by time, so that the same memories give the same."""
    return {key: sorted(ids) for key, ids in sorted(index.items())}


@dataclass(slots=True)
class Index:
    """Seed A's `index.json` while it is being gathered; only active memories are in its lists."""

    total: int = 0
    words: dict[str, list[str]] = field(default_factory=dict)
    days: dict[str, list[str]] = field(default_factory=dict)
    personas: dict[str, list[str]] = field(default_factory=dict)
    worth: list[tuple[float, str]] = field(default_factory=list)

    def add(self, memory: Memory, timestamp: str, analyser: Analyser) -> None:
        """Count a memory and, if it is active, name it wherever it can be looked up."""
        self.total += 1
        if memory.life.state is not State.ACTIVE:
            return
        content = memory.content
        said = (normalise(term.surface) for term in analyser.query(memory.text))
        for word in dict.fromkeys((*content.tags, *said)):
            self.words.setdefault(word, []).append(memory.id)
        self.days.setdefault(timestamp[:10], []).append(memory.id)
        if memory.agent.persona:
            self.personas.setdefault(memory.agent.persona, []).append(memory.id)
        self.worth.append((-memory.worth.importance, memory.id))

    def shape(self, now: datetime) -> Json:
        """Return the index in seed A's shape (§3.2)."""
        return {
            "index_version": INDEX_VERSION,
            "last_updated": iso(now),
            "total_memories": self.total,
            "keyword_index": _sorted(self.words),
            "time_index": _sorted(self.days),
            "persona_index": _sorted(self.personas),
            "importance_index": [
                {"memory_id": id, "importance": -less} for less, id in sorted(self.worth)[:TOP]
            ],
        }
