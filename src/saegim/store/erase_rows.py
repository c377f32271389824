"""What erased memories left elsewhere goes with them: names, ties, profiles, lines, receipts.

The erased of one commit are cleared together, so that whom many of them speak of is looked at once.
An entity is forgotten with the last memory that speaks of it; a profile keeps what the remaining
memories say, and archived ones count, for they can come back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from saegim.errors import BadInput
from saegim.memory.changes import Erased
from saegim.memory.entities import REFERS_TO, Entity
from saegim.memory.memory import FINDABLE
from saegim.memory.text import normalise
from saegim.store.ledger import Batch, Writing
from saegim.store.rows import unpacked
from saegim.store.search.bm25 import TABLES, drop_page_marks, table_of
from saegim.store.tables.experience_table import drop_experience
from saegim.store.tables.replay_table import empty_replays

# A proposal holds ids and reasons, and is withdrawn by whoever erases.
_PROPOSAL = "proposal"
# What a proposal holds in words.
_PROPOSAL_WORDS = ("note", "details")
# Imported lines of seed A's ledger name their memories inside, not in `derived_from`.
_LINES = ("resonance:", "resonance;")


@dataclass(frozen=True, slots=True)
class ErasedTraces:
    """Where erased memories may have left something; read while their words are still there."""

    ids: tuple[str, ...]
    entities: tuple[str, ...]
    # The predicates of their triples, as ties between entities carry them.
    predicates: frozenset[str]
    # What each word index held of them.
    words: dict[str, set[bytes]]


def last_erased(batch: Batch) -> str:
    """Return the last memory that a commit erases."""
    return next(each.memory for each in reversed(batch.changes) if isinstance(each, Erased))


def all_erased(batch: Batch) -> tuple[str, ...]:
    """Return every memory that a commit erases, each once."""
    found = (each.memory for each in batch.changes if isinstance(each, Erased))
    return tuple(dict.fromkeys(found))


def find_traces(writing: Writing, ids: Sequence[str]) -> ErasedTraces:
    """Look where these memories may have left something."""
    met = writing.execute(
        "SELECT l.target FROM json_each(:ids) j CROSS JOIN link l ON l.owner = :owner "
        "AND l.source = j.value AND l.type = :type "
        "UNION SELECT entity FROM sentiment WHERE owner = :owner AND memory IN "
        "(SELECT value FROM json_each(:ids))",
        {"owner": writing.owner, "ids": json.dumps(ids), "type": REFERS_TO},
    )
    predicates: set[str] = set()
    words: dict[str, set[bytes]] = {}
    for number, details, packed in _kept(writing, ids):
        if packed is not None:
            # What is spoilt can be erased too; which words it had cannot be known.
            text, details, author = unpacked(packed) or ("", "{}", "")
            _read_words(writing, text, details or "{}", author, words)
        else:
            _indexed_words(writing, number, words)
        predicates |= {predicate for _, predicate, _ in triples_of(details)}
    return ErasedTraces(tuple(ids), tuple(str(key) for (key,) in met), frozenset(predicates), words)


def _kept(writing: Writing, ids: Sequence[str]) -> Iterator[Any]:
    yield from writing.connection.execute(
        # As bytes: a spoilt record can be erased too.
        "SELECT m.number, CAST(m.details AS BLOB), a.packed FROM json_each(:ids) j "
        "CROSS JOIN memory m ON m.owner = :owner AND m.id = j.value "
        "LEFT JOIN archive a ON a.owner = m.owner AND a.id = m.id",
        {"owner": writing.owner, "ids": json.dumps(ids)},
    )


def _indexed_words(writing: Writing, number: int, words: dict[str, set[bytes]]) -> None:
    for table in TABLES.values():
        for held in writing.execute(
            f"SELECT CAST(text AS BLOB), CAST(about AS BLOB) FROM {table} WHERE rowid = ?",
            (number,),
        ):
            words.setdefault(table, set()).update(b" ".join(held).split())


def _read_words(
    writing: Writing, text: str, details: str, author: str, words: dict[str, set[bytes]]
) -> None:
    """Read archived words as the word index once did: of some, the index may keep a mark."""
    more = details_of(details)
    about = " ".join((author, *more.get("tags", ()), *more.get("keywords", ())))
    for analyser in writing.analysers:
        said = words.setdefault(table_of(analyser.name), set())
        said.update(word.encode() for part in (text, about) for word in analyser.index(part))


def clear_traces(writing: Writing, found: ErasedTraces) -> None:
    """Take away what memories left elsewhere, now that they themselves are gone."""
    key = {"owner": writing.owner, "ids": json.dumps(found.ids)}
    among = "IN (SELECT value FROM json_each(:ids))"
    writing.execute(f"DELETE FROM sentiment WHERE owner = :owner AND memory {among}", key)
    writing.execute(f"DELETE FROM receipt WHERE owner = :owner AND outcome {among}", key)
    drop_experience(writing.connection, writing.owner, found.ids)
    empty_replays(writing.connection, writing.owner)
    drop_images(writing, found.ids)
    _empty_pages(writing, frozenset(found.ids))
    _quiet_lines(writing, frozenset(found.ids))
    erase_entities(writing, found.entities, found.predicates)
    drop_page_marks(writing.connection, found.words)


def _is_there(writing: Writing, id: str) -> bool:
    """Say whether a memory still has its words, here or in the archive."""
    return bool(
        writing.execute(
            "SELECT 1 FROM memory m WHERE m.owner = ? AND m.id = ? AND (m.text IS NOT NULL "
            "OR EXISTS (SELECT 1 FROM archive a WHERE a.owner = m.owner AND a.id = m.id))",
            (writing.owner, id),
        )
    )


def _empty_pages(writing: Writing, ids: frozenset[str]) -> None:
    """Empty what was written from erased memories, also together with others.

    Which of its words came from whom nobody can tell; what nights write is written anew.
    """
    rows = writing.execute(
        "SELECT key, version, derived_from, kind, data FROM page WHERE owner = ? "
        "AND derived_from <> '[]' AND (title <> '' OR body <> '' OR data <> '{}')",
        (writing.owner,),
    )
    for key, version, derived, kind, data in rows:
        if ids.intersection(json.loads(derived)):
            # Of a proposal the question and its answer stay, without what was said beside it.
            held = json.loads(data) if kind == _PROPOSAL else {}
            left = {name: value for name, value in held.items() if name not in _PROPOSAL_WORDS}
            writing.execute(
                "UPDATE page SET title = '', body = '', data = ? "
                "WHERE owner = ? AND key = ? AND version = ?",
                (json.dumps(left, ensure_ascii=False), writing.owner, key, version),
            )


def _quiet_lines(writing: Writing, ids: frozenset[str]) -> None:
    """Take the words out of imported lines about erased memories; whom they name stays."""
    rows = writing.execute(
        "SELECT key, version, data FROM page WHERE owner = ? AND key >= ? AND key < ?",
        (writing.owner, *_LINES),
    )
    for key, version, data in rows:
        line = json.loads(data)
        named = line.get("memory_refs") if isinstance(line, dict) else None
        refs = [each for each in named if isinstance(each, str)] if isinstance(named, list) else []
        if ids.intersection(refs):
            others = any(_is_there(writing, each) for each in refs if each not in ids)
            left = _without_feelings(line) if others else {"memory_refs": refs}
            writing.execute(
                "UPDATE page SET title = '', body = '', data = ? "
                "WHERE owner = ? AND key = ? AND version = ?",
                (json.dumps(left, ensure_ascii=False), writing.owner, key, version),
            )


def _without_feelings(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line that is also another memory's without the words of how it felt."""
    match line:
        case {"bqi_coordinate": {"emotion": {"keywords": [_, *_]} as felt} as held}:
            return {**line, "bqi_coordinate": {**held, "emotion": {**felt, "keywords": []}}}
    return line


# The person whose memories these are, in ties between entities.
_SELF = "entity:me"
_FINDABLE = frozenset(state.value for state in FINDABLE)


def erase_entities(writing: Writing, entities: Sequence[str], predicates: Collection[str]) -> None:
    """Forget what only erased memories said of these entities, and how they tied them."""
    stay = [each for each in entities if next(_speakers(writing, each), None) is not None]
    _drop_entities(writing, [each for each in entities if each not in stay])
    _drop_ties(writing, stay, predicates)
    for each in stay:
        _forget_about(writing, each)


def details_of(packed: bytes | str | None) -> dict[str, Any]:
    """Return the details of a memory or an entity; nothing where they are spoilt."""
    try:
        held = json.loads(packed or "{}")
    except ValueError:
        return {}
    return held if isinstance(held, dict) else {}


def triples_of(details: bytes | str | None) -> Iterator[tuple[str, str, str]]:
    """Yield the triples of a memory, each end as the entities' ties name it."""
    for each in details_of(details).get("triples", ()):
        if len(each) == 3:
            subject, predicate, object = map(normalise, map(str, each))
            yield subject, predicate.replace(":", " ").strip(), object


def drop_images(writing: Writing, keys: Sequence[str]) -> None:
    """Forget everything that stood before about memories or entities, and about ties to them."""
    for end in ("target", "other"):
        for key in keys:
            writing.execute(
                f"DELETE FROM before WHERE owner = ? AND {end} = ? AND {end} <> ''",
                (writing.owner, key),
            )


def _speakers(writing: Writing, entity: str) -> Iterator[tuple[str, str, str]]:
    """Yield text, details and state of the memories that refer to an entity, archived ones too."""
    rows = writing.connection.execute(
        # As bytes: one spoilt letter in another memory must not keep this one.
        "SELECT CAST(m.text AS BLOB), CAST(m.details AS BLOB), m.state, a.packed FROM link l "
        "CROSS JOIN memory m ON m.owner = l.owner AND m.id = l.source "
        "LEFT JOIN archive a ON a.owner = m.owner AND a.id = m.id "
        "WHERE l.owner = ? AND l.target = ? AND l.type = ? "
        "AND (m.text IS NOT NULL OR a.packed IS NOT NULL)",
        (writing.owner, entity, REFERS_TO),
    )
    for text, details, state, packed in rows:
        if text is None:
            held = unpacked(packed)
            if held is not None:
                yield held[0], held[1] or "{}", state
        else:
            yield (
                text.decode("utf-8", "replace"),
                (details or b"{}").decode("utf-8", "replace"),
                state,
            )


def _drop_entities(writing: Writing, keys: Sequence[str]) -> None:
    """Forget whom no memory speaks of any more: names, profile, feelings, ties."""
    places = (("alias", "entity"), ("sentiment", "entity"), ("entity", "key"))
    for key in keys:
        for table, column in (*places, ("link", "source"), ("link", "target")):
            writing.execute(
                f"DELETE FROM {table} WHERE owner = ? AND {column} = ?", (writing.owner, key)
            )
    drop_images(writing, keys)


def _forget_about(writing: Writing, key: str) -> None:
    """Keep of a profile what other memories say; its summary is written anew by night."""
    rows = writing.execute(
        "SELECT platform, name, details FROM entity WHERE owner = ? AND key = ?",
        (writing.owner, key),
    )
    if not rows:
        return
    platform, name, more = rows[0][0], rows[0][1], details_of(rows[0][2])
    held = (name, more.get("display_name"), *more.get("aliases", ()), *more.get("interests", ()))
    unsaid = _unsaid(writing, key, {each for each in held if each})
    for many in ("aliases", "interests"):
        more[many] = [each for each in more.get(many, ()) if each not in unsaid]
    shown = more.get("display_name", "")
    more |= {
        "summary": "",
        "personality_notes": "",
        "display_name": "" if shown in unsaid else shown,
    }
    writing.execute(
        "DELETE FROM before WHERE owner = ? AND target = ? AND change = 'Portrayed'",
        (writing.owner, key),
    )
    if name in unsaid:
        key, name = _renamed(writing, key, str(platform), str(name), more)
    _keep_profile(writing, key, name, more)


def _keep_profile(writing: Writing, key: str, name: str, more: dict[str, Any]) -> None:
    more["aliases"] = [each for each in more["aliases"] if each != name]
    names = {normalise(each) for each in (name, more["display_name"], *more["aliases"])}
    writing.execute(
        "UPDATE entity SET details = ? WHERE owner = ? AND key = ?",
        (json.dumps(more, ensure_ascii=False), writing.owner, key),
    )
    writing.execute(
        "DELETE FROM alias WHERE owner = ? AND entity = ? "
        "AND name NOT IN (SELECT value FROM json_each(?))",
        (writing.owner, key, json.dumps(sorted(names), ensure_ascii=False)),
    )


def _renamed(
    writing: Writing, key: str, platform: str, name: str, more: dict[str, Any]
) -> tuple[str, str]:
    """Call an entity by a name that is still said, where there is one that nobody else has."""
    for other in filter(None, (more["display_name"], *more["aliases"])):
        try:
            new = Entity(name=other, platform=platform).key
        except BadInput:
            continue
        taken = "SELECT 1 FROM entity WHERE owner = ? AND key = ?"
        if new == key or writing.execute(taken, (writing.owner, new)):
            continue
        writing.execute(
            "UPDATE entity SET key = ?, name = ? WHERE owner = ? AND key = ?",
            (new, other, writing.owner, key),
        )
        for table, column in (("alias", "entity"), ("sentiment", "entity")):
            writing.execute(
                f"UPDATE {table} SET {column} = ? WHERE owner = ? AND {column} = ?",
                (new, writing.owner, key),
            )
        for end in ("source", "target"):
            # A tie that the new name has already gives way to the renamed one.
            other_end = "target" if end == "source" else "source"
            writing.execute(
                f"DELETE FROM link WHERE owner = :owner AND {end} = :new AND EXISTS (SELECT 1 "
                "FROM link l WHERE l.owner = :owner AND l.type = link.type "
                f"AND l.{end} = :key AND l.{other_end} = link.{other_end})",
                {"owner": writing.owner, "new": new, "key": key},
            )
            writing.execute(
                f"UPDATE link SET {end} = ? WHERE owner = ? AND {end} = ?",
                (new, writing.owner, key),
            )
        drop_images(writing, [key])
        return new, other
    return key, name


def _unsaid(writing: Writing, entity: str, words: set[str]) -> set[str]:
    """Return which of these words no memory about an entity says."""
    left = {word: normalise(word) for word in words}
    for text, details, _ in _speakers(writing, entity) if left else ():
        said = normalise(f"{text} {details}")
        left = {word: plain for word, plain in left.items() if not says(said, plain)}
        if not left:
            break
    return set(left)


def says(text: str, words: str) -> bool:
    """Say whether a text holds these words, both normalised; a Latin word only as a whole one.

    Korean words are found wherever they stand: particles follow without a space.
    """
    at = text.find(words)
    while words and at >= 0:
        end = at + len(words)
        if not _joined(text[at - 1 : at], words[0]) and not _joined(words[-1], text[end : end + 1]):
            return True
        at = text.find(words, at + 1)
    return False


def _joined(before: str, after: str) -> bool:
    both = before + after
    return len(both) == 2 and both.isascii() and both.isalnum()


def _drop_ties(writing: Writing, entities: Iterable[str], predicates: Collection[str]) -> None:
    """Forget ties between entities that no living memory states, of those the erased stated."""
    rows = writing.execute(
        "SELECT l.source, l.type, l.target FROM json_each(:ends) j "
        "CROSS JOIN link l ON l.owner = :owner AND l.source = j.value "
        "WHERE l.target IN (SELECT value FROM json_each(:ends)) "
        "AND l.type IN (SELECT value FROM json_each(:types))",
        {
            "owner": writing.owner,
            "ends": json.dumps([_SELF, *entities], ensure_ascii=False),
            "types": json.dumps(sorted(predicates), ensure_ascii=False),
        },
    )
    for source, type, target in rows:
        if not _is_stated(writing, source, type, target):
            tie = (writing.owner, source, type, target)
            writing.execute(
                "DELETE FROM link WHERE owner = ? AND source = ? AND type = ? AND target = ?", tie
            )
            writing.execute(
                "DELETE FROM before WHERE owner = ? AND target = ? AND held ->> 'type' = ? "
                "AND held ->> 'to' = ? AND change IN ('Linked', 'Unlinked')",
                tie,
            )


def _is_stated(writing: Writing, source: str, type: str, target: str) -> bool:
    """Say whether a memory that can be found still states a tie."""
    names = {end: _names(writing, end) for end in (source, target)}
    return any(
        predicate == type and _is(source, subject, names) and _is(target, object, names)
        for _, details, state in _speakers(writing, source if target == _SELF else target)
        if state in _FINDABLE
        for subject, predicate, object in triples_of(details)
    )


def _names(writing: Writing, entity: str) -> set[str]:
    rows = writing.execute(
        "SELECT name FROM alias WHERE owner = ? AND entity = ?", (writing.owner, entity)
    )
    return {str(name) for (name,) in rows}


def _is(entity: str, name: str, names: dict[str, set[str]]) -> bool:
    """Say whether a name in a triple is an entity's; who is nobody else is the person."""
    if entity != _SELF:
        return name in names[entity]
    return not any(name in held for end, held in names.items() if end != _SELF)
