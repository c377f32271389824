"""`ResonanceLedger`: what an orchestrator of seed A logs (§3.3, §7.1), and its files.

An event is kept as a page beside the lines that came with folders: nothing forgets it, exports
write it, and what it says of a memory that is erased goes with that memory. With `log_path` set it
is also written into the file of the day, as the seed's own ledger does; the files of a year that is
over are packed into one, from which an import reads them again.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack

from saegim.errors import BadInput, NotFound, StoreError, hint
from saegim.guard.guard import MaskTally, masked
from saegim.importers import coordinate_folder
from saegim.importers.coordinate_folder import file_names
from saegim.importers.jsonl import compact
from saegim.memory.changes import Written
from saegim.memory.clock import instant_of, iso
from saegim.memory.entities import Page
from saegim.memory.memory import Scope, checked_name, checked_share, checked_text
from saegim.memory.record import storable
from saegim.mind import Mind
from saegim.recall.handle import named_id
from saegim.store.commit import Batch

Json = dict[str, Any]

# Those that seed A names; its list is open, so any name of this form is one.
EVENT_TYPES: Final = (
    "user_input",
    "persona_response",
    "tool_call",
    "evaluation",
    "rune_report",
    "synthesis_report",
    "system_event",
    "plan_adjustment",
)
SCORES: Final = ("impact_score", "transparency", "reproducibility", "verifiability")
_PARTS: Final = ("bqi_coordinate", "evaluation", "plan_adjustment")
_HEAD: Final = ("timestamp", "session_id", "event_type", "persona_id")
_ORDER: Final = (
    *_HEAD, "memory_id", "bqi_coordinate", "evaluation", *SCORES, "memory_refs", "plan_adjustment",
)  # fmt: skip
_MOST_REFS: Final = 256
# An event tells of memories and numbers; what is longer is a text to be remembered.
_LONGEST: Final = 65_536
_DAY: Final = timedelta(days=1)


class EventScores(TypedDict, total=False):
    """How an event is judged, each from 0 to 1."""

    impact_score: float | None
    transparency: float | None
    reproducibility: float | None
    verifiability: float | None


@dataclass(frozen=True, slots=True)
class ResonanceLedger:
    """The events of one user: log one, read the latest, pack the files of past years."""

    mind: Mind
    scope: Scope

    def log_event(
        self,
        *,
        event_type: str,
        session_id: str = "",
        persona_id: str = "",
        memory_id: str | None = None,
        memory_refs: Sequence[str] = (),
        bqi_coordinate: Mapping[str, Any] | None = None,
        evaluation: Mapping[str, Any] | None = None,
        plan_adjustment: Mapping[str, Any] | None = None,
        timestamp: datetime | str | None = None,
        **scores: Unpack[EventScores],
    ) -> Json:
        """Log what happened, and return the line; a memory that is not there is refused.

        `scores` are impact_score, transparency, reproducibility and verifiability, from 0 to 1.
        """
        at = self.mind.now() if timestamp is None else self._instant(timestamp)
        refs = self._refs(memory_id, memory_refs)
        line = self.line(
            at,
            event_type=event_type,
            session_id=session_id,
            persona_id=persona_id,
            memory_id=refs[0] if memory_id is not None else None,
            memory_refs=refs,
            bqi_coordinate=bqi_coordinate,
            evaluation=evaluation,
            plan_adjustment=plan_adjustment,
            **scores,
        )
        file = self.day_file()
        actor = self.scope.agent or self.scope.user
        batch = Batch(self.scope.user, [self.written(line, at)], actor=actor, at=self.mind.now())
        self.mind.store.commit(batch)
        append_line(file, line)
        return line

    def line(
        self,
        at: datetime,
        *,
        event_type: str,
        session_id: str = "",
        persona_id: str = "",
        memory_id: str | None = None,
        memory_refs: Sequence[str] = (),
        bqi_coordinate: Mapping[str, Any] | None = None,
        evaluation: Mapping[str, Any] | None = None,
        plan_adjustment: Mapping[str, Any] | None = None,
        **scores: Unpack[EventScores],
    ) -> Json:
        """Return the line of an event, its secrets masked; its memories may be of this commit."""
        parts = {"bqi_coordinate": bqi_coordinate, "evaluation": evaluation}
        line: Json = {
            "timestamp": iso(at.astimezone(UTC)),
            "session_id": checked_name("session", session_id) if session_id else "",
            "event_type": checked_type(event_type),
            "persona_id": checked_text(persona_id, "persona", 200) if persona_id else "",
            **{name: _part(name, held) for name, held in parts.items()},
            **_scored(scores),
            "plan_adjustment": _part("plan_adjustment", plan_adjustment),
        }
        # An id is no word of anybody's: its digits are not a number to be masked.
        named = {"memory_id": memory_id, "memory_refs": list(memory_refs)}
        clean = masked(line, MaskTally()) | named
        return {name: clean[name] for name in _ORDER if name in clean}

    def written(self, line: Json, at: datetime) -> Written:
        """Return the Change that keeps a line; asked inside a commit, its key is its own."""
        kind = coordinate_folder.RESONANCE_KIND
        return Written(Page(key=self._free_key(at), kind=kind, data=line))

    def day_file(self) -> Path | None:
        """Return the file of today, if files are wanted and it can be written.

        Tried before anything is kept: an event is in both places or in none.
        """
        if self.folder is None:
            return None
        now = self.mind.now().astimezone(UTC)
        file = self.folder / coordinate_folder.file_name(f"{now:%Y%m%d}")
        with _named(file):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _append(file, b"")
        return file

    def recent(self, n: int = 10) -> list[Json]:
        """Return the latest lines, the newest first; also those that came with folders."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 1000:
            raise BadInput("import.n_cannot_be", n=n)
        days = sorted(coordinate_folder.kept(self.scope, self.mind.store).items(), reverse=True)
        lines = (line for _, held in days for line in reversed(held))
        return [line for line, _ in zip(lines, range(n), strict=False)]

    def of_session(self, session: str) -> list[Json]:
        """Return the lines of one session, in the order in which they were logged."""
        return coordinate_folder.kept_of(session, self.scope, self.mind.store)

    @property
    def folder(self) -> Path | None:
        """Where the files lie, if they are wanted; other users of this store have their own."""
        root = self.mind.settings.log_folder(self.mind.store.path.parent)
        if root is None or self.scope.user == self.mind.settings.user:
            return root
        return root / file_names([self.scope.user])[self.scope.user]

    def compress(self) -> list[Path]:
        """Pack the files of each year that is over into one; return the packed files."""
        if self.folder is None or not self.folder.is_dir():
            return []
        # A day later than midnight: whoever began to write in the old year has ended by now.
        year = (self.mind.now().astimezone(UTC) - _DAY).year
        with _named(self.folder):
            return [_packed(self.folder, each, files) for each, files in _past(self.folder, year)]

    def _instant(self, given: datetime | str) -> datetime:
        return instant_of(given, "timestamp", self.mind.zone)

    def _refs(self, memory_id: str | None, memory_refs: Sequence[str]) -> list[str]:
        """Return the ids an event names, the memory it is about first; refuse unknown ones."""
        if isinstance(memory_refs, str) or not isinstance(memory_refs, Sequence):
            raise BadInput("import.memory_refs_cannot_be", memory_refs=memory_refs)
        named = [*([] if memory_id is None else [memory_id]), *memory_refs]
        if len(named) > _MOST_REFS:
            raise BadInput("import.memories_are_too_many", count=len(named), most=_MOST_REFS)
        store = self.mind.store
        ids = list(dict.fromkeys(named_id(each, scope=self.scope, store=store) for each in named))
        for id in ids:
            if store.memories.get(self.scope, id) is None:
                raise NotFound("import.no_memory", id=id)
        return ids

    def _free_key(self, at: datetime) -> str:
        """Return a key that sorts by its time, behind what came with a folder on that day."""
        day = at.astimezone(UTC)
        midnight = day.replace(hour=0, minute=0, second=0, microsecond=0)
        number = 10 * ((day - midnight) // timedelta(microseconds=1))
        while self.mind.store.pages.of(
            self.scope, key=coordinate_folder.key_of(f"{day:%Y%m%d}", number)
        ):
            number += 1
        return coordinate_folder.key_of(f"{day:%Y%m%d}", number)


def checked_type(value: object) -> str:
    """Return the type of an event; refuse what is no name of one."""
    if isinstance(value, str) and value.isidentifier() and len(value) <= 64:
        return value
    raise BadInput("import.event_cannot_be_of_type", value=value, known=", ".join(EVENT_TYPES))


def _part(name: str, held: Mapping[str, Any] | None) -> Json | None:
    """Return a part of an event as plain JSON; refuse what is none, or too much."""
    if held is None:
        return None
    try:
        if not isinstance(held, Mapping):
            raise TypeError("an object is wanted")
        text = json.dumps(dict(held), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput("import.cannot_be", name=name, held=held, error=error) from error
    if len(text) > _LONGEST or not storable(text):
        raise BadInput("import.too_long_or_holds_half", name=name, longest=_LONGEST)
    made: Json = json.loads(text)
    return made


def whole(line: Json) -> Json:
    """Return a line with every field of seed A §3.3; what nobody has judged yet is null."""
    return {name: line.get(name) for name in _ORDER}


def _scored(scores: Mapping[str, Any]) -> Json:
    """Return the scores that were given; refuse a name that is none."""
    if unknown := sorted(set(scores) - set(SCORES)):
        known = (*SCORES, *_PARTS, "memory_id", "memory_refs")
        raise BadInput(
            "import.event_has_no",
            unknown=unknown[0],
            hint=hint(unknown[0], known),
            known=", ".join(known),
        )
    held = ((name, scores.get(name)) for name in SCORES)
    return {name: checked_share(name, score) for name, score in held if score is not None}


# -- files ----------------------------------------------------------------------------------------


def append_line(file: Path | None, line: Json) -> None:
    """Write a line into the file of its day, once it is kept."""
    if file is not None:
        with _named(file):
            _append(file, f"{compact(line)}\n".encode())


def _append(file: Path, raw: bytes) -> None:
    """Add whole lines to a file, which only its owner reads."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, raw)
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file, not the store, where it is the file that cannot be written."""
    try:
        yield
    except (OSError, zipfile.BadZipFile) as error:
        raise StoreError("import.ledger_file_cannot_be_written", path=path, error=error) from error


def _past(folder: Path, year: int) -> list[tuple[int, list[Path]]]:
    """Return the daily files of each year before this one, in order."""
    years: dict[int, list[Path]] = {}
    for file in sorted(folder.glob("ledger-*.jsonl")):
        day = coordinate_folder.day_of(file)
        if day is not None and int(day[:4]) < year and not file.is_symlink():
            years.setdefault(int(day[:4]), []).append(file)
    return sorted(years.items())


def _packed(folder: Path, year: int, files: Sequence[Path]) -> Path:
    """Pack daily files into the one of their year; they go once it is sound and on the disk."""
    packed = folder / coordinate_folder.year_name(year)
    fresh = packed.with_name(f"{packed.name}.unfinished")
    held: dict[str, bytes] = {}
    if packed.exists():
        with zipfile.ZipFile(packed) as older:
            held = {name: older.read(name) for name in older.namelist()}
    for file in files:
        raw, before = file.read_bytes(), held.get(file.name, b"")
        # Interrupted before, its lines are there already; a line that came since stands behind.
        held[file.name] = raw if raw.startswith(before) else before + raw
    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as after:
        for name, raw in sorted(held.items()):
            # The same lines give the same bytes, whenever they are packed.
            entry = zipfile.ZipInfo(name, (year, 12, 31, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            after.writestr(entry, raw)
    with zipfile.ZipFile(fresh) as after:
        if after.testzip() is not None or set(after.namelist()) != set(held):
            raise OSError(f"{fresh} is not what was written")
    fresh.chmod(0o600)
    handle = os.open(fresh, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    fresh.replace(packed)
    for file in files:
        file.unlink()
    return packed


def files_naming(folder: Path, ids: frozenset[str]) -> Iterator[Path]:
    """Yield the files of a ledger that name one of these memories."""
    wanted = [id.encode() for id in ids]
    for file in sorted(folder.glob("ledger-*.*")):
        try:
            if any(id in raw for raw in _contents(file) for id in wanted):
                yield file
        except (OSError, zipfile.BadZipFile):
            # What cannot be read may hold anything.
            yield file


def _contents(file: Path) -> Iterator[bytes]:
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as packed:
            yield from (packed.read(name) for name in packed.namelist())
    else:
        yield file.read_bytes()
