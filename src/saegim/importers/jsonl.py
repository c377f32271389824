"""Our own export: one JSON object a line, complete, streamed both ways.

The first line is `{"saegim":"export","version":1}`; then come all memories in the order of their
writing (`{"memory":…}`), then ties (`{"link":…}`), entities with the history of their sentiment
(`{"entity":…,"history":[…]}`) and every version of every page (`{"page":…}`). Each object is the
record of `saegim.memory.record`: fields that hold their default are left out.

Active, dormant, superseded, leaving and quarantined memories are in it. Forgotten ones are not:
their words have left the live store for the archive, and a backup is what brings those along. The
ledger stays at home too; an import writes its own lines. Nothing tells when the export was made,
so the same memories give the same bytes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from saegim.errors import BadInput, NotFound, StoreCorrupt
from saegim.filesystem import replacing
from saegim.memory.entities import WEIGHTS, Entity, Link, Page, SentimentPoint
from saegim.memory.memory import PERSON, Kind, Lifetime, Memory, Scope, Source, State, Tier
from saegim.memory.record import checked_fields, from_record, to_record
from saegim.store.rows import Where
from saegim.store.store import Store

T = TypeVar("T")
# Told how many memories were read or written so far.
HowFar = Callable[[int], None]

VERSION = 1
KEPT_STATES = tuple(state for state in State if state is not State.FORGOTTEN)
# The longest text (a million characters) with every one of them escaped takes twelve megabytes.
MAX_LINE = 32 * 1024 * 1024
_MAX_INTEGER = 2**63 - 1
# Whole numbers in REAL columns come back as 1.0; these are kept as JSON, where 1 is not 1.0.
_FLOATS = (("time", "minutes_into_session"), ("emotion", "affect"), ("emotion", "confidence"))
_LISTS = frozenset(
    "feelings words files keywords tags triples aliases interests derived_from".split()
)


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """An entity and how the sentiment towards it moved."""

    entity: Entity
    history: tuple[SentimentPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonlRecord:
    """Something a file holds, where it stands there, and the ties it was written with.

    `masked` counts the secrets that have been replaced in it so far; `unmeasured` says that its
    BQI snapshot was written down as null, and comes back so.
    """

    where: str
    value: Memory | Link | Acquaintance | Page
    ties: tuple[Link, ...] = ()
    masked: int = 0
    unmeasured: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that cannot be used, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """What a person should know of an import, though nothing is wrong."""

    text: str


# -- writing --------------------------------------------------------------------------------------


def untold(_: int) -> None:
    """Tell nobody how far it is."""


class Exported(int):
    """How many memories an export holds; of a damaged store, what could not be read as well."""

    unreadable: int = 0


def write(path: Path, *, scope: Scope, store: Store, tell: HowFar = untold) -> Exported:
    """Write everything this user has into one file; return how many memories it holds."""
    count, unreadable = 0, list[str]()
    with replacing(path) as file:
        for line in lines(scope, store, unreadable):
            file.write(line + "\n")
            count += line.startswith('{"memory":')
            tell(count)
    made = Exported(count)
    made.unreadable = len(unreadable)
    return made


def lines(scope: Scope, store: Store, unreadable: list[str] | None = None) -> Iterator[str]:
    """Yield the lines of an export one by one, without holding the memories.

    What lies on broken pages is passed over, and named in the list of what is `unreadable`.
    """
    lost = list[int]()
    yield compact({"saegim": "export", "version": VERSION})
    where = Where(scope=scope, states=KEPT_STATES, everywhere=True, bookkeeping=True, imagined=True)
    for _, memory in store.memories.walk(where, unreadable=lost):
        yield compact({"memory": _record(memory)})
    missing = [f"memory {number}" for number in lost]
    for part in (_links, _entities, _pages):
        try:
            yield from part(scope, store)
        except StoreCorrupt:
            missing.append(part.__name__.strip("_"))
    if unreadable is not None:
        unreadable += missing
    elif missing:
        raise StoreCorrupt("store.damaged_not_all_was_read", path=store.path, count=len(missing))


def _links(scope: Scope, store: Store) -> Iterator[str]:
    for link in store.links.all(scope):
        yield compact({"link": to_record(link)})


def _entities(scope: Scope, store: Store) -> Iterator[str]:
    for entity in store.entities.of(scope):
        history = [
            to_record(point) for point in store.entities.sentiment_history(scope, entity.key)
        ]
        yield compact({"entity": to_record(entity), "history": history})


def _pages(scope: Scope, store: Store) -> Iterator[str]:
    for page in store.pages.of(scope):
        if page.kind != WEIGHTS:
            yield compact({"page": to_record(page)})


def _record(memory: Memory) -> dict[str, Any]:
    record = to_record(memory)
    for part, name in _FLOATS:
        if isinstance(record.get(part, {}).get(name), int):
            record[part][name] = float(record[part][name])
    # Always said: an export that does not say it was written before there were lifetimes.
    record["life"] = {**record.get("life", {}), "lifetime": memory.life.lifetime.value}
    return record


def compact(value: Any) -> str:
    """Write a value as one line of JSON, in its own order and in its own letters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# -- reading --------------------------------------------------------------------------------------


def read(path: Path, user: str) -> Iterator[JsonlRecord | Problem]:
    """Yield what an export holds, as this user's; refuse a file that is not one of ours."""
    entries = json_lines(path)
    _check_header(path, next(entries, None))
    for number, entry in entries:
        where = f"line {number}"
        if isinstance(entry, BadInput):
            yield Problem(where, entry.message)
            continue
        try:
            yield JsonlRecord(where, _value(entry, user))
        except BadInput as error:
            yield Problem(where, error.message)


def _check_header(path: Path, first: tuple[int, Any] | None) -> None:
    """Refuse what is not an export of ours, or was written by a newer version."""
    if first is None:
        raise BadInput("import.is_empty", path=path)
    header = first[1]
    if (
        not isinstance(header, Mapping)
        or header.get("saegim") != "export"
        or type(header.get("version")) is not int
        or set(header) != {"saegim", "version"}
    ):
        raise BadInput("import.not_export_of_saegim_first", path=path)
    if header["version"] != VERSION:
        raise BadInput(
            "import.export_of_version_saegim_reads",
            path=path,
            version=header["version"],
            reads=VERSION,
        )


def _value(entry: Any, user: str) -> Memory | Link | Acquaintance | Page:
    if not isinstance(entry, Mapping) or not entry:
        raise BadInput("import.not_object_with_memory_link")
    kind = next(iter(entry))
    beside = set(entry) - {kind} - ({"history"} if kind == "entity" else set())
    if kind not in ("memory", "link", "entity", "page") or beside:
        raise BadInput("import.unknown_field_in_line", beside=(sorted(beside) or [kind])[0])
    record = entry[kind]
    check_lists(record)
    if kind == "memory":
        return _memory(record, user)
    if kind == "link":
        return _whole(from_record(Link, record))
    if kind == "page":
        return _whole(from_record(Page, record))
    points = entry.get("history", [])
    if not isinstance(points, list):
        raise BadInput("import.history_of_entity_must_be")
    history = tuple(_whole(from_record(SentimentPoint, point)) for point in points)
    return Acquaintance(_whole(from_record(Entity, record)), history)


def _whole(value: T) -> T:
    checked_fields(value)
    return value


def _memory(record: Any, user: str) -> Memory:
    """Read a memory; whoever exported it, here it belongs to the one who imports."""
    if isinstance(record, Mapping) and isinstance(record.get("scope"), Mapping):
        record = {**record, "scope": {**record["scope"], "user": user}}
    memory = from_record(Memory, record)
    life = record.get("life")
    if isinstance(life, Mapping) and "lifetime" in life:
        return memory
    return memory.evolve(life=replace(memory.life, lifetime=_before_lifetimes(memory)))


def _before_lifetimes(memory: Memory) -> Lifetime:
    """Return what a memory of an older version is kept for, as its own store reads it (0006)."""
    if memory.kind in (Kind.PREFERENCE, Kind.PRINCIPLE):
        return Lifetime.LASTING
    by_wish = memory.life.tier is Tier.M90 and memory.life.promoted_from is None
    asked = memory.provenance.source is Source.USER or memory.kind is Kind.FACT or by_wish
    said = memory.provenance.origin in PERSON
    return Lifetime.LASTING if said and asked else Lifetime.PASSING


def check_lists(value: Any, name: str = "") -> None:
    """Refuse a text where a list of texts belongs: read letter by letter it would fit unseen."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in ("snapshot", "data"):
                check_lists(inner, key)
    elif name in _LISTS and not isinstance(value, list):
        raise BadInput("import.must_be_list", name=name, value=value)
    elif name == "triples":
        for each in value:
            if not isinstance(each, list):
                raise BadInput("import.triple_must_be_list", each=each)


# -- JSON, a line at a time -----------------------------------------------------------------------


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (line number, value) for each line that is not blank; a bad line's value is its error.

    One line is held at a time, and none longer than `MAX_LINE`.
    """
    try:
        with path.open("rb") as file:
            yield from lines_in(file)
    except FileNotFoundError as error:
        raise NotFound("import.no_file", path=path) from error
    except OSError as error:
        raise BadInput(
            "import.cannot_be_read_check_is", path=path, reason=error.strerror or error
        ) from error


def lines_in(file: Any) -> Iterator[tuple[int, Any]]:
    """Yield the same of a file that is open."""
    for number, raw in enumerate(_raw_lines(file), 1):
        if raw is None:
            yield number, BadInput("import.line_is_longer_than_bytes", most=MAX_LINE)
        elif raw.strip():
            yield number, strict_json(raw)


def _raw_lines(file: Any) -> Iterator[bytes | None]:
    """Yield the lines of a file; nothing for one that is too long to be held."""
    first = True
    while raw := file.readline(MAX_LINE):
        whole = raw.endswith(b"\n") or len(raw) < MAX_LINE
        while not raw.endswith(b"\n") and len(raw) == MAX_LINE:
            raw = file.readline(MAX_LINE)
        # Some editors put a byte order mark before the first letter of a file.
        yield (raw.removeprefix(b"\xef\xbb\xbf") if first else raw) if whole else None
        first = False


def strict_json(raw: bytes) -> Any:
    """Read strict JSON that can be kept word for word; return the error if it cannot."""
    try:
        text = raw.decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_once,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_bounded,
        )
        if "\\u" in text:
            for each in _strings(value):
                _check_letters(each)
        return value
    except BadInput as error:
        return error
    except UnicodeDecodeError as error:
        return BadInput("import.not_utf_8_byte", start=error.start + 1, raw=raw[error.start])
    except RecursionError:
        return BadInput("import.not_json_can_be_read")
    except ValueError as error:
        return BadInput("import.not_json", error=error)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput("import.field_stands_twice_in_one", twice=twice)
    return held


def _refuse_constant(name: str) -> Any:
    raise BadInput("import.not_number_can_be_kept", name=name)


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise BadInput("import.number_is_too_large", text=text[:40])
    return value


def _bounded(text: str) -> int:
    if len(text) > 20 or abs(value := int(text)) > _MAX_INTEGER:
        raise BadInput("import.number_is_too_large", text=text[:40])
    return value


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


_BROKEN = re.compile("[\x00\ud800-\udfff]")


def _check_letters(text: str) -> None:
    """Refuse what UTF-8 cannot write and what ends strings in many programs."""
    if match := _BROKEN.search(text):
        key = "import.nul_character" if match.group() == "\x00" else "import.half_a_character"
        raise BadInput(key, at=match.start(), text=text[:20])
