"""A graph as plain JSON and back; nothing is taken over unless all of it can be."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.model import Static
from saegim.engines.embedder import Embedder, Identity, Sparse, Vector
from saegim.engines.hashed import HASH_ALGORITHM, Bag, Hashed
from saegim.errors import BadInput, EngineError, NotFound
from saegim.filesystem import replacing, unwritable
from saegim.memory.clock import SystemClock, from_micros, micros
from saegim.memory.entities import Link
from saegim.memory.memory import Origin
from saegim.memory.text import NORM_VERSION, canonical_key
from saegim.messages import Message
from saegim.session.nodes import (
    FEEDBACK,
    NODE_TYPES,
    QUERY,
    Contents,
    GraphSettings,
    Node,
    admitted,
    check_ends,
)

# A thousand nodes of the longest texts, every letter escaped; more is not a file of ours.
MAX_FILE: Final = 1 << 30
# Nothing here takes a second to write; what is an hour old was given up.
_GIVEN_UP_SECONDS: Final = 3600


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all, and its folder if there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise unwritable(path, error) from error
    with replacing(path) as file:
        file.write(text)


def sweep(folder: Path) -> None:
    """Remove what processes that were killed had begun to write here; it may hold words."""
    latest = SystemClock().now().timestamp() - _GIVEN_UP_SECONDS
    for each in folder.glob(".saegim-*.new"):
        with contextlib.suppress(OSError):
            if each.stat().st_mtime < latest:
                each.unlink()


def read_json(path: Path) -> Any:
    """Read one file of JSON; say what is wrong with it and what helps."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise broken(path, Message("session.file_larger_than_megabytes", most=MAX_FILE >> 20))
        return parsed(path.read_text(encoding="utf-8-sig"), str(path))
    except FileNotFoundError as error:
        raise NotFound("session.no_file", path=path) from error
    except OSError as error:
        raise BadInput(
            "session.cannot_be_read", path=path, reason=error.strerror or error
        ) from error
    except UnicodeDecodeError as error:
        raise broken(path, Message("session.file_not_utf_8_byte", byte=error.start + 1)) from error


def parsed(text: str, name: str = "Standard input") -> Any:
    """Read a text as strict JSON."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise broken(name, Message("session.file_not_json_or_only_part", error=error)) from error


def broken(name: str | Path, why: str | Message) -> BadInput:
    """Return the error for a file, or what was in it, that cannot be used."""
    return BadInput("session.cannot_be_used", name=name, why=why)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that can be kept")


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text[:40]} is too large a number")
    return value


# -- Vectors in files: as `[[i, v], …]`, with everything needed to make the same ones again

# The canonical keys are xxh3-128 without a seed.
CANONICAL: Final = {"normVersion": NORM_VERSION, "hashAlgo": HASH_ALGORITHM, "seed": 0}
# Vectors are of unit length; single precision and nine digits leave this much.
_SLACK: Final = 1e-3

# Makes the embedder of an identity and its exported settings, or nothing if it cannot.
Recreate = Callable[[Identity, Mapping[str, Any]], Embedder | None]


def recreated(identity: Identity, state: Mapping[str, Any]) -> Embedder | None:
    """Return the embedder that made these vectors if it is one that needs no server."""
    try:
        if identity.provider != "saegim":
            return None
        if identity.model == "hashed-ngram":
            made: Embedder = Hashed.from_state(state)
        elif identity.model == "bag-of-words":
            made = Bag.from_state(state)
        elif identity.model.startswith("encoder"):
            made = Contextual(identity.dimension)
        else:
            made = Static(identity.dimension)
    except (BadInput, EngineError):
        return None
    # Another table of meanings, or other settings: not the same space after all.
    return made if made.identity == identity else None


def state_of(embedder: Embedder) -> dict[str, Any]:
    """Return what a file says of the embedder: its identity and, if it has any, its settings."""
    export = getattr(embedder, "export_state", None)
    return {"identity": asdict(embedder.identity), "settings": export() if export else {}}


def identity_of(record: object) -> tuple[Identity, Mapping[str, Any]] | None:
    """Read what a file says of its embedder; nothing if it says nothing; refuse nonsense."""
    if record is None:
        return None
    if not isinstance(record, Mapping) or not isinstance(record.get("identity"), Mapping):
        raise ValueError("its embedderState has no identity")
    held, settings = record["identity"], record.get("settings", {})
    texts = [held.get(name) for name in ("provider", "model", "digest", "policy")]
    dimension = held.get("dimension")
    whole = isinstance(dimension, int) and not isinstance(dimension, bool)
    if not all(isinstance(each, str) for each in texts) or not whole or dimension < 1:
        raise ValueError("the identity in its embedderState is not whole")
    if not isinstance(settings, Mapping):
        raise ValueError("the settings in its embedderState are not an object")
    provider, model, digest, policy = texts
    return Identity(provider, model, digest, dimension, policy), settings


def pairs(vector: Vector) -> list[list[float]]:
    """Return `[[i, v], …]`; nine digits bring single precision back bit by bit."""
    if isinstance(vector, Sparse):
        indices, values = vector.indices.tolist(), vector.values
    else:
        indices = np.flatnonzero(vector).tolist()
        values = vector[indices]
    return [[i, float(f"{v:.9g}")] for i, v in zip(indices, values.tolist(), strict=True)]


def vector_of(held: object, dimension: int, *, sparse: bool) -> Vector:
    """Read `[[i, v], …]`; refuse what is no vector of unit length in this space."""
    try:
        if not isinstance(held, list) or not held:
            raise ValueError("it is empty")
        indices = [int(i) for i, _ in held]
        values = np.array([float(v) for _, v in held], dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"an embedding is no list of pairs ({error})") from error
    rising = all(a < b for a, b in pairwise(indices))
    if not rising or indices[0] < 0 or indices[-1] >= dimension:
        raise ValueError(f"an embedding does not fit into {dimension} numbers")
    if abs(math.sqrt(float(values @ values)) - 1.0) > _SLACK:
        raise ValueError("an embedding is not of unit length")
    if sparse:
        return Sparse(np.array(indices, dtype=np.uint32), values, dimension)
    dense = np.zeros(dimension, dtype=np.float32)
    dense[indices] = values
    return dense


# -- A graph as plain JSON and back; nothing is taken over unless all of it can be

VERSION: Final = 1
_LONGEST_ID: Final = 500
# Years 1 to 9999 in milliseconds, the range of a date.
_MOST_TIME: Final = 2.5e14
_MOST_WEIGHT: Final = 1e9
_DENSE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class GraphState:
    """What a graph holds at one moment; its parts never change, so no lock is needed to write."""

    nodes: Sequence[Node]
    edges: Sequence[Link]
    embedder: Embedder
    degrees: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RestoredGraph:
    """What a file brought back: the contents, and the embedder that their vectors belong to."""

    contents: Contents
    embedder: Embedder
    # True: the embedder of the file could not be made again, and every text was embedded anew.
    embedded_anew: bool
    record: Mapping[str, Any]


# -- writing --------------------------------------------------------------------------------------


def snapshot(
    held: GraphState, settings: GraphSettings, at: datetime, decayed_at: datetime
) -> dict[str, Any]:
    """Return a whole graph as JSON-ready data."""
    return {
        "version": VERSION,
        "form": "session-graph",
        "createdAt": millis(at),
        "decayedAt": millis(decayed_at),
        "config": asdict(settings),
        "nodes": [node_record(node, held.degrees[node.id]) for node in held.nodes],
        "edges": [edge_record(link) for link in held.edges],
        "embedderState": embedder_record(held.nodes, held.embedder),
        "canonicalMeta": dict(CANONICAL),
    }


def written(record: Mapping[str, Any], *, pretty: bool = True) -> str:
    """Write a record as JSON; pretty puts each node and each edge on a line of its own."""
    if not pretty:
        return _line(record) + "\n"
    parts = []
    for name, value in record.items():
        if isinstance(value, list) and value:
            inner = ",\n    ".join(map(_line, value))
            parts.append(f"  {_line(name)}: [\n    {inner}\n  ]")
        else:
            parts.append(f"  {_line(name)}: {_line(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def node_record(node: Node, degree: int) -> dict[str, Any]:
    """Return a node in the words of seed B §3."""
    record: dict[str, Any] = {
        "id": node.id,
        "type": node.type,
        "text": node.text,
        "canonicalKey": node.canonical_key,
        "createdAt": millis(node.created_at),
        "lastAccess": millis(node.last_access),
        "weights": {"repeat": node.repeat, "feedback": node.feedback},
        "degree": degree,
        "pinned": node.pinned,
    }
    if node.aliases:
        record["aliases"] = list(node.aliases)
    if node.label:
        record["label"] = node.label
    if node.carried is not None:
        record["carried"] = dict(zip(("repeat", "feedback"), node.carried, strict=True))
    for name in ("memory", "origin", "chatter"):
        if value := getattr(node, name):
            record[name] = value
    if node.vector is not None:
        record["embedding"] = pairs(node.vector)
    return record


def edge_record(link: Link) -> dict[str, Any]:
    """Return an edge in the words of seed B §3."""
    return {
        "id": link.key,
        "from": link.source,
        "to": link.target,
        "type": link.type,
        "weight": link.weight,
        "createdAt": millis(link.created_at),
        "lastAccess": millis(link.touched_at),
    }


def embedder_record(nodes: Iterable[Node], embedder: Embedder) -> dict[str, Any] | None:
    """Return what is needed to make the vectors of these nodes again; nothing if they have none."""
    return state_of(embedder) if any(node.vector is not None for node in nodes) else None


def millis(at: datetime | None) -> float:
    """Return an instant as seed B writes it: milliseconds since 1970, here down to a thousandth."""
    count = 0 if at is None else micros(at)
    return count // 1000 if count % 1000 == 0 else count / 1000


# -- reading --------------------------------------------------------------------------------------


def read_snapshot(
    record: object, name: str, embedder: Embedder, settings: GraphSettings, recreate: Recreate
) -> RestoredGraph:
    """Read what `snapshot` returned; `name` is what to call it in an error."""
    held = checked_record(record, name, "nodes", "edges", "decayedAt")
    if held.get("form") != "session-graph":
        raise broken(name, Message("session.file_not_snapshot_session_graph"))
    return restored(held, name, held["nodes"], held["edges"], embedder, settings, recreate)


def checked_record(record: object, name: str, *wanted: str) -> Mapping[str, Any]:
    """Return the record if it is one of ours and of this version."""
    if not isinstance(record, Mapping) or "version" not in record:
        raise broken(name, Message("session.file_not_file_session"))
    if record["version"] != VERSION:
        raise BadInput(
            "session.version_saegim_reads", name=name, version=record["version"], reads=VERSION
        )
    for each in (*wanted, "createdAt", "embedderState", "canonicalMeta"):
        if each not in record:
            raise broken(name, Message("session.file_has_no", name=each))
    try:
        for each in ("createdAt", "decayedAt"):
            if each in record:
                _time(record, each, "the file")
    except ValueError as error:
        raise broken(name, str(error)) from error
    if not isinstance(record["canonicalMeta"], Mapping):
        raise broken(name, Message("session.file_its_canonicalmeta_not_object"))
    return record


def restored(
    record: Mapping[str, Any],
    name: str,
    nodes: object,
    edges: object,
    embedder: Embedder,
    settings: GraphSettings,
    recreate: Recreate,
) -> RestoredGraph:
    """Build the contents from records of nodes and edges, in one space of vectors."""
    try:
        if not isinstance(nodes, list) or not isinstance(edges, list):
            raise ValueError("its nodes and edges are not lists")
        own, anew = _space(record["embedderState"], embedder, recreate)
        read = _vectors(nodes, own, anew)
        contents = Contents(indexed=settings.inverted_index)
        moved = _take_nodes(contents, nodes, read)
        _take_edges(contents, edges, moved)
    except (BadInput, ValueError) as error:
        why = error.message if isinstance(error, BadInput) else str(error)
        raise broken(name, why.rstrip(".")) from error
    pinned = sum(node.pinned for node in contents.nodes.values())
    if pinned > settings.most_pinned:
        raise BadInput(
            "session.pinned_nodes_can_be_held", name=name, pinned=pinned, most=settings.most_pinned
        )
    if anew:
        _embed(contents, own)
    return RestoredGraph(contents, own, anew, record)


def _space(state: object, embedder: Embedder, recreate: Recreate) -> tuple[Embedder, bool]:
    """Return the embedder for the vectors of a file, and whether they must be made anew."""
    found = identity_of(state)
    if found is None:
        return embedder, True
    try:
        if embedder.identity == found[0]:
            return embedder, False
    except EngineError:
        return embedder, True
    made = recreate(*found)
    if made is None or made.identity != found[0]:
        return embedder, True
    return made, False


def _vectors(
    nodes: Sequence[object], embedder: Embedder, anew: bool
) -> Callable[[object], Vector | None]:
    """Return what reads an embedding; it must have the form that this embedder gives."""
    if anew or not nodes:
        return lambda _: None
    # Only those that compare spelling may give sparse ones, and they load no model: nobody waits.
    asked = embedder.local and embedder.lexical
    sparse = asked and isinstance(embedder.embed(["a"], "document")[0], Sparse)
    dimension = embedder.identity.dimension
    if not sparse and dimension > _DENSE:
        raise ValueError(f"{dimension} numbers are too many for a vector")
    return lambda held: None if held is None else vector_of(held, dimension, sparse=sparse)


def _take_nodes(
    contents: Contents, records: Sequence[object], read: Callable[[object], Vector | None]
) -> dict[str, str]:
    """Add the nodes; two that are one by our own normaliser become one. Returns old to new ids."""
    moved: dict[str, str] = {}
    for at, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise ValueError(f"node {at} is not an object")
        node = _node(record, f"node {at}", read)
        if node.id in moved:
            raise ValueError(f"node {at} has the id of another one")
        known = contents.keyed(node.type, node.canonical_key)
        moved[node.id] = known.id if known else node.id
        if known is None:
            contents.put(node)
        else:
            contents.weigh(known.id, feedback=node.feedback, repeat=node.repeat)
    return moved


def _take_edges(contents: Contents, records: Sequence[object], moved: Mapping[str, str]) -> None:
    for at, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise ValueError(f"edge {at} is not an object")
        ends = [moved.get(str(record.get(end))) for end in ("from", "to")]
        if None in ends:
            raise ValueError(f"edge {at} ties a node that is not there")
        source, target = (contents.nodes[str(end)] for end in ends)
        if source.id == target.id:
            continue  # the two have become one
        kind = str(record.get("type"))
        check_ends(kind, source, target)
        weight = _number(record, "weight", f"edge {at}", _MOST_WEIGHT)
        touched = _time(record, "lastAccess", f"edge {at}")
        link = contents.join(source.id, kind, target.id, weight, touched)
        made = _time(record, "createdAt", f"edge {at}")
        contents.edges[link.key] = replace(link, created_at=made)


def _node(record: Mapping[str, Any], where: str, read: Callable[[object], Vector | None]) -> Node:
    id, type, text = (record.get(each) for each in ("id", "type", "text"))
    if not isinstance(id, str) or not 0 < len(id) <= _LONGEST_ID or "::" in f":{id}:":
        raise ValueError(f"{where} has no id that can be used")
    if type not in NODE_TYPES:
        raise ValueError(f"{where} is of no known type")
    if not isinstance(text, str) or (not text and type != FEEDBACK):
        raise ValueError(f"{where} has no text")
    label, pinned, aliases = (
        record.get("label", ""),
        record.get("pinned", False),
        record.get("aliases", []),
    )
    if not isinstance(label, str) or not isinstance(pinned, bool) or not isinstance(aliases, list):
        raise ValueError(f"{where} has a label, pin or aliases of another kind")
    memory, origin = record.get("memory", ""), record.get("origin", "")
    chatter = record.get("chatter", False)
    if not isinstance(memory, str) or origin not in ("", *Origin) or not isinstance(chatter, bool):
        raise ValueError(f"{where} has a memory, origin or chatter of another kind")
    weights = record.get("weights")
    if not isinstance(weights, Mapping):
        raise ValueError(f"{where} has no weights")
    words = admitted(text, "text") if text else ""
    # A judgement is known by whom it judges; all else by its words, as this version reads them.
    key = str(record.get("canonicalKey")) if type == FEEDBACK else canonical_key(words)
    return Node(
        id=id,
        type=str(type),
        text=words,
        canonical_key=key,
        created_at=_time(record, "createdAt", where),
        last_access=_time(record, "lastAccess", where),
        repeat=_number(weights, "repeat", where, _MOST_WEIGHT),
        feedback=_number(weights, "feedback", where, _MOST_WEIGHT),
        pinned=pinned,
        aliases=tuple(admitted(each, "alias") for each in aliases),
        label=label,
        carried=_carried(record.get("carried"), where),
        memory=memory if len(memory) <= _LONGEST_ID else "",
        origin=str(origin),
        chatter=chatter,
        vector=read(record.get("embedding")) if type == QUERY else None,
    )


def _carried(record: object, where: str) -> tuple[float, float] | None:
    if record is None:
        return None
    if not isinstance(record, Mapping):
        raise ValueError(f"what was carried over of {where} is not an object")
    repeat, feedback = (
        _number(record, each, where, _MOST_WEIGHT) for each in ("repeat", "feedback")
    )
    return repeat, feedback


def _number(record: Mapping[str, Any], name: str, where: str, most: float) -> float:
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
        raise ValueError(f"the {name} of {where} is no number that can be kept")
    return float(value)


def _time(record: Mapping[str, Any], name: str, where: str) -> datetime:
    return instant(_number(record, name, where, _MOST_TIME))


def instant(count: float) -> datetime:
    """Return the instant so many milliseconds after 1970."""
    try:
        return from_micros(math.floor(count * 1000 + 0.5))
    except OverflowError as error:
        raise ValueError(f"{count!r} is no time on a calendar") from error


def _embed(contents: Contents, embedder: Embedder) -> None:
    """Give every query a vector of this embedder; without its answer, they wait for the next."""
    queries = contents.of_type(QUERY)
    try:
        made = embedder.embed([node.text for node in queries], "document") if queries else []
    except EngineError:
        return
    for node, vector in zip(queries, made, strict=True):
        contents.put(replace(node, vector=vector))
