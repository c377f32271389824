"""The tables a bara system kept before (seed E, phase 6): read once, left as they are.

`bot_memory` gives acquaintances, `collected_info` and `good_examples` give memories. Columns go by
several names and may be missing; what is there is taken. A page records which file was read.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.importers.jsonl import Acquaintance, JsonlRecord, Note, Problem
from saegim.importers.source.source import (
    Entries,
    ImportedItem,
    ImportRun,
    entity_name,
    first_moment,
    kept,
    moment,
    name,
    tags,
)
from saegim.memory.entities import Entity, Page, SentimentPoint, label_of
from saegim.memory.memory import EXPLICIT_START, Kind, Space, Worth, clamp, importance
from saegim.store.tables.other_sqlite import OtherSqlite

Row = Mapping[str, Any]
TABLES = ("bot_memory", "collected_info", "good_examples")
KIND = "import"

# What a field may be called there, the likeliest first.
_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "platform": ("platform", "source_platform", "source"),
    "name": ("entity_name", "bot_name", "author", "name", "username", "user_name", "bot"),
    "type": ("entity_type",),
    "display": ("display_name", "nickname"),
    "count": ("interaction_count", "interactions", "times_seen", "count"),
    "topics": ("topics", "topics_json", "interests", "interests_json"),
    "sentiment": ("sentiment", "sentiment_label"),
    "score": ("sentiment_score",),
    "summary": ("summary", "description"),
    "notes": ("personality_notes", "notes", "note"),
    "trust": ("trust_level", "trust"),
    "first": ("first_seen_at", "first_seen", "created_at"),
    "last": (
        "last_interaction_at", "last_interaction", "last_seen_at", "last_seen", "updated_at",
    ),
    "at": ("created_at", "collected_at", "timestamp", "date", "saved_at"),
    "author": ("author", "author_name", "username"),
    "title": ("title", "subject"),
    "words": ("content", "text", "body", "summary"),
    "category": ("category", "memory_type", "type"),
    "tags": ("tags", "keywords", "topics"),
    "link": ("url", "source_url", "link"),
    "importance": ("importance", "importance_score", "score"),
    "prompt": ("prompt", "post", "post_content", "question", "input", "context", "original"),
    "response": ("response", "reply", "answer", "comment", "output", "content", "text", "example"),
    "rating": ("rating", "stars", "quality_score", "quality", "score"),
}  # fmt: skip
_FIELDS = {
    "bot_memory": (
        "platform name type display count topics sentiment score summary notes trust first last"
    ),
    "collected_info": "id platform author title words category tags link importance at",
    "good_examples": "id platform author prompt response rating category at",
}
_KINDS = {
    "tech": Kind.TECHNICAL,
    "code": Kind.TECHNICAL,
    "기술": Kind.TECHNICAL,
    "opinion": Kind.PREFERENCE,
    "선호": Kind.PREFERENCE,
    "취향": Kind.PREFERENCE,
    "감정": Kind.EMOTION,
    "경험": Kind.EXPERIENCE,
    "event": Kind.EXPERIENCE,
    "원칙": Kind.PRINCIPLE,
    "통찰": Kind.INSIGHT,
    "사실": Kind.FACT,
}
# How far a sentiment leans that is only named.
_LEANS = {"positive": 0.5, "negative": -0.5}


def read(path: Path, source: ImportRun) -> Entries:
    """Yield what the old tables hold, and at the end the page that records the reading."""
    makers: dict[str, Callable[[str, Row], JsonlRecord | Problem | ImportedItem]] = {
        "bot_memory": _acquaintance,
        "collected_info": _collected,
        "good_examples": _example,
    }
    with OtherSqlite(path) as foreign:
        counts: Counter[str] = Counter()
        if not set(TABLES) & set(foreign.tables):
            raise BadInput("import.none_of_tables", path=path, known=", ".join(TABLES))
        digest = foreign.digest
        for table, make in makers.items():
            yield from _remarks(foreign, table)
            try:
                for row in _rows(foreign, table):
                    counts[table] += 1
                    made = make(f"{table} row {row.get('id') or counts[table]}", row)
                    yield kept(made, source) if isinstance(made, ImportedItem) else made
            except BadInput as error:
                yield Problem(table, error.message)
        if foreign.changed:
            yield Problem(path.name, "It was written while it was read; import it once more.")
        data = {"form": source.form, "sha256": digest, **{each: counts[each] for each in TABLES}}
        key = f"{KIND}:{source.form}:{digest[:16]}"
        yield JsonlRecord(path.name, Page(key=key, kind=KIND, data=data, version=1))


def _remarks(foreign: OtherSqlite, table: str) -> Iterator[Note]:
    """Say what of a table does not come: it is not there, or its vectors are another embedder's."""
    if table not in foreign.tables:
        yield Note(f"There is no table {table}.")
    elif "embedding" in foreign.tables[table] and (held := foreign.count(table, "embedding")):
        yield Note(
            f"{held:,} embeddings of {table} were made by another embedder and are not taken over; "
            "new ones are made here."
        )


def _rows(foreign: OtherSqlite, table: str) -> Iterator[Row]:
    """Yield the rows of a table by our names of the fields."""
    columns = foreign.tables.get(table, ())
    taken: dict[str, str] = {}
    for field in _FIELDS[table].split():
        free = (each for each in _NAMES[field] if each in columns and each not in taken.values())
        if column := next(free, ""):
            taken[field] = column
    for row in foreign.rows(table, list(taken.values())):
        yield {field: row[column] for field, column in taken.items()}


def _acquaintance(where: str, row: Row) -> JsonlRecord | Problem:
    try:
        return JsonlRecord(where, _met(row))
    except BadInput as error:
        return Problem(where, error.message)


def _met(row: Row) -> Acquaintance:
    score = _number(row.get("score"))
    if score is None:
        score = _number(row.get("sentiment"))
    said = name(row.get("sentiment")).lower()
    label = said if said and _number(said) is None else label_of(score or 0.0)
    score = clamp(_LEANS.get(label, 0.0) if score is None else score, -1.0, 1.0)
    first, last = first_moment(row.get("first"), row.get("last")), moment(row.get("last"))
    count = _number(row.get("count"))
    trust = _number(row.get("trust"))
    entity = Entity(
        name=entity_name(row.get("name")),
        platform=name(row.get("platform")),
        type=name(row.get("type")).lower() or "bot",
        display_name=name(row.get("display")),
        summary=_text(row.get("summary")),
        interests=_list(row.get("topics")),
        personality_notes=_text(row.get("notes")),
        first_seen_at=first,
        last_seen_at=last or first,
        interactions=max(0, int(count or 0)),
        sentiment=label,
        sentiment_score=score,
        trust=0.5 if trust is None else clamp(trust),
    )
    at = last or first
    history = (SentimentPoint(at=at, score=score, label=label),) if at else ()
    return Acquaintance(entity, history)


def _collected(where: str, row: Row) -> ImportedItem:
    title, words = _text(row.get("title")), _text(row.get("words"))
    weight = _number(row.get("importance"))
    return ImportedItem(
        where=where,
        key=f"collected_info:{row.get('id', '')}",
        text=words if words.startswith(title) else f"{title}\n\n{words}".strip(),
        at=moment(row.get("at")),
        kind=_kind(row.get("category")),
        author=name(row.get("author")),
        tags=(row.get("category"), *_list(row.get("tags"))),
        space=Space(domain=name(row.get("platform")) or "bara", files=tags((row.get("link"),))),
        worth=Worth(importance=weight) if weight is not None and 0 <= weight <= 1 else Worth(),
    )


def _example(where: str, row: Row) -> ImportedItem:
    response, prompt = _text(row.get("response")), _text(row.get("prompt"))
    rating = _number(row.get("rating"))
    stars = int(rating) if rating is not None and rating in (1, 2, 3, 4, 5) else None
    return ImportedItem(
        where=where,
        key=f"good_examples:{row.get('id', '')}",
        text=response or prompt,
        at=moment(row.get("at")),
        kind=Kind.EPISODE,
        author=name(row.get("author")),
        role="assistant" if response else "user",
        prompt=prompt if response else "",
        tags=(row.get("category"),),
        space=Space(domain=name(row.get("platform")) or "bara"),
        worth=Worth(importance=importance(start=EXPLICIT_START, rating=stars), rating=stars),
    )


def _kind(category: Any) -> Kind:
    said = name(category).lower()
    return Kind(said) if said in list(Kind) else _KINDS.get(said, Kind.FACT)


def _text(value: Any) -> str:
    """Return a value as text; a number in a column of words is a word."""
    return "" if value is None else str(value)


def _number(value: Any) -> float | None:
    try:
        found = float(value) if isinstance(value, int | float | str) else math.nan
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _list(value: Any) -> tuple[str, ...]:
    """Read a list that was kept as JSON or with commas between."""
    if not isinstance(value, str):
        return ()
    try:
        held = json.loads(value)
    except (ValueError, RecursionError):
        held = value.split(",")
    if isinstance(held, Mapping):
        held = list(held)
    return tags(held if isinstance(held, list) else [value])
