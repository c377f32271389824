"""`Values`: JSON values under a namespace and a key, each of them a memory. No framework here.

The text of the memory is the value as people read it (`value_text`), or as JSON where only that
would come back the same. What was said beside it (how long it is to live, what of it is to be
found) stands in the same text, under a name of ours that is there only when needed.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import xxhash

from saegim.adapters.documents import Document, Documents, json_text, screened
from saegim.adapters.value_text import value_of, value_text
from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.guard.injection import suspicion
from saegim.memory.memory import FINDABLE, MAX_TAG, MAX_TAGS, MAX_TEXT, Kind
from saegim.recall.understand import MOST
from saegim.saegim import Saegim

KIND = "langgraph"
_VALUE, _BESIDE = "saegim:value", "saegim:beside"
# A value that is read often need not be written each time: so much of its time may be lost.
_SLACK = 0.01
_ORDER = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
# A tag for each level, beside the tag of all; deeper levels are told apart after reading.
_LEVELS = MAX_TAGS - 2

Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredValue:
    """One value with its names and times."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    # Minutes it lives after it was last written or read; None is for ever.
    ttl: float | None
    # False: it is not to be found by meaning. A list: only these fields are. None: as set up.
    index: bool | list[str] | None
    document: Document = field(repr=False)


class Values:
    """The JSON values of one room (user, agent, project) of a memory."""

    def __init__(self, memory: Saegim, *, keep_private: bool = False) -> None:
        self._documents = Documents(memory, KIND, keep_private=keep_private)
        self._keep_private = keep_private

    def get(self, namespace: Namespace, key: str, *, refresh: bool = False) -> StoredValue | None:
        """Return a value; with `refresh` the time it has left starts anew."""
        held = self._documents.one(_name(namespace, key))
        value = None if held is None else self._read(held)
        if value is None or self._is_over(value):
            return None
        if refresh:
            self.refresh([value])
        return value

    def put(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        *,
        ttl: float | None = None,
        index: bool | Sequence[str] | None = None,
    ) -> int:
        """Keep a value, or its next version; return how many of its parts were masked."""
        clean = screened(dict(value), keep_private=self._keep_private)
        if ttl is not None and not ttl > 0:
            raise BadInput("adapter.ttl_cannot_be", ttl=ttl)
        self._documents.put(
            _name(namespace, key),
            self._written(clean.value, ttl, list(index) if isinstance(index, Sequence) else index),
            tags=[tag_of(namespace[:depth]) for depth in range(1, len(namespace) + 1)][:_LEVELS],
            until=None if ttl is None else self._now() + timedelta(minutes=ttl),
            kind=Kind.FACT,
        )
        return clean.masked

    def delete(self, namespace: Namespace, key: str) -> bool:
        """Let a value go, into the forgetting queue; say whether it was there."""
        held = self._documents.one(_name(namespace, key))
        return held is not None and bool(self._documents.drop([held]))

    def within(self, prefix: Namespace = ()) -> list[StoredValue]:
        """Return every value whose namespace begins like this, in the order they were written."""
        found = self._documents.all(tag_of(prefix[:_LEVELS]))
        values = [value for each in found if (value := self._read(each)) is not None]
        return [
            each
            for each in values
            if each.namespace[: len(prefix)] == prefix and not self._is_over(each)
        ]

    def ranked(
        self, values: Sequence[StoredValue], prefix: Namespace, query: str
    ) -> dict[str, float]:
        """Return how well values answer a question, by the id of their memory, best first.

        What recall does not bring answers nothing: 0. What is not to be found has no score.
        """
        held = [each.document.memory for each in values if each.index is not False]
        wanted = {each.id: 0.0 for each in held if each.life.state in FINDABLE}
        tags = [tag_of(prefix[:_LEVELS])]
        found = self._documents.memory.recall(query, limit=MOST, tags=tags, near_misses=True)
        scores = {hit.memory.id: hit.score for hit in found.hits if hit.memory.id in wanted}
        return scores | {id: none for id, none in wanted.items() if id not in scores}

    def refresh(self, values: Iterable[StoredValue]) -> None:
        """Let the time of values that have one start anew."""
        for each in values:
            ends = each.document.memory.life.expires_at
            if each.ttl is None or ends is None:
                continue
            until = self._now() + timedelta(minutes=each.ttl)
            if until - ends > timedelta(minutes=each.ttl * _SLACK):
                self._documents.extend(each.document, until)

    def sweep(self) -> int:
        """Let go of everything whose time is over; return how many there were."""
        every = (self._read(each) for each in self._documents.all())
        over = [each.document for each in every if each is not None and self._is_over(each)]
        return self._documents.drop(over)

    def _read(self, document: Document) -> StoredValue | None:
        """Read a document as a value; one that a person has made something else of is none."""
        try:
            *namespace, key = json.loads(document.name)
            held = value_of(document.text) or json.loads(document.text)
        except ValueError:
            return None
        beside = held.pop(_BESIDE, {}) if isinstance(held, dict) else None
        held = held.get(_VALUE, held) if isinstance(held, dict) else None
        if not isinstance(held, dict) or not isinstance(beside, dict):
            return None
        return StoredValue(
            namespace=tuple(namespace),
            key=key,
            value=held,
            created_at=self._documents.first(document)[1],
            updated_at=document.memory.time.recorded_at,
            ttl=beside.get("ttl"),
            index=beside.get("index"),
            document=document,
        )

    def _written(
        self, value: dict[str, Any], ttl: float | None, index: bool | list[str] | None
    ) -> str:
        """Return a value as text; as JSON, if its text does not say all, or seems to say more."""
        told = (("ttl", ttl), ("index", index))
        beside = {name: each for name, each in told if each is not None}
        whole = {_VALUE: value} if value.keys() & {_VALUE, _BESIDE} else dict(value)
        if beside:
            whole[_BESIDE] = beside
        text, plain = value_text(whole), json_text(whole)
        # Nothing is a secret or an order for being written without quotes.
        masked = screen(text, keep_private=self._keep_private).findings
        ordering = suspicion(text) and not suspicion(plain)
        fits = 0 < len(text) <= MAX_TEXT and value_of(text) == whole
        return text if fits and not masked and not ordering else plain

    def _is_over(self, value: StoredValue) -> bool:
        ends = value.document.memory.life.expires_at
        return value.ttl is not None and ends is not None and ends <= self._now()

    def _now(self) -> datetime:
        return self._documents.mind.now()


def tag_of(namespace: Namespace) -> str:
    """Return the tag that everything in a namespace bears: its labels, readable where possible."""
    tag = "/".join((KIND, *map(_label, namespace)))
    if len(tag) <= MAX_TAG:
        return tag
    digest = xxhash.xxh3_128_hexdigest(tag.encode("utf-8", "surrogatepass"))
    return f"{tag[: MAX_TAG // 2]}#{digest}"


def _label(label: str) -> str:
    if label.isprintable() and label == label.strip():
        return label.replace("%", "%25").replace("/", "%2F")
    return quote(label, safe="", errors="surrogatepass")


def _name(namespace: Namespace, key: str) -> str:
    return json_text([*namespace, key], "namespace or key")


# -- filters --------------------------------------------------------------------------------------


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Say whether a value has what a filter names: the same, or `{"$gt": 3}` and its kin."""
    return all(_same(value.get(name), each) for name, each in (wanted or {}).items())


def _same(held: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compared(held, name, each) for name, each in wanted.items())
        return isinstance(held, Mapping) and matches(held, wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(held, list | tuple)
            and len(held) == len(wanted)
            and all(_same(one, other) for one, other in zip(held, wanted, strict=True))
        )
    return bool(held == wanted)


def _compared(held: Any, how: str, wanted: Any) -> bool:
    if how in ("$eq", "$ne"):
        return bool(held == wanted) is (how == "$eq")
    if how not in _ORDER:
        raise BadInput("adapter.filter_has_no", how=how)
    try:
        return bool(_ORDER[how](float(held), float(wanted)))
    except (TypeError, ValueError):
        # What is no number is neither more nor less.
        return False


# -- namespaces -----------------------------------------------------------------------------------


def is_like(namespace: Namespace, path: Sequence[str], *, at_end: bool) -> bool:
    """Say whether a namespace begins, or ends, like a path in which `*` is any label."""
    if len(path) > len(namespace):
        return False
    part = namespace[len(namespace) - len(path) :] if at_end else namespace[: len(path)]
    return all(label in ("*", held) for label, held in zip(path, part, strict=True))
