"""LangGraph's long-term store (`BaseStore`) on Saegim: every value is a memory."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from saegim.adapters.documents import missing
from saegim.adapters.values import StoredValue, Values, is_like, matches
from saegim.errors import BadInput
from saegim.saegim import Saegim

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        PutOp,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        tokenize_path,
    )
except ImportError as error:
    raise missing("langgraph-checkpoint 4 or later", "langgraph") from error

# Texts whose vectors a store holds in mind: 20,000 of 1,536 numbers are 240 MB at the most.
_MOST_VECTORS = 20_000

_Key = tuple[str, str]


@dataclass(slots=True)
class _Batch:
    """What a batch asks for: what was read already, what is to be ranked, what is to be put."""

    results: list[Any] = field(default_factory=list)
    searches: dict[int, tuple[Any, list[StoredValue]]] = field(default_factory=dict)
    puts: dict[tuple[tuple[str, ...], str], Any] = field(default_factory=dict)
    # The vectors it needs, by what they are of (a query or a text) and its words.
    vectors: dict[_Key, Any] = field(default_factory=dict)


class LangGraphStore(BaseStore):
    """A `BaseStore` for `graph.compile(store=…)`.

    Without `index` a query is answered by Saegim's own recall. With it, the embeddings it names
    rank, as they do in other stores; their vectors are held in mind, not written down.
    `ttl` is LangGraph's TTLConfig; what has outlived its time is not shown, and leaves on `sweep`.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Saegim,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        keep_private: bool = False,
    ) -> None:
        self.values = Values(memory, keep_private=keep_private)
        self.index_config = None if index is None else index.copy()
        self.embeddings = None if index is None else ensure_embeddings(index.get("embed"))
        self.ttl_config = ttl
        self._fields = list((index or {}).get("fields") or ["$"])
        self._vectors: OrderedDict[_Key, Any] = OrderedDict()
        self._lock = threading.Lock()

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Carry out operations: what is read is as it was before what is put."""
        batch, embeddings = self._read(ops), self.embeddings
        queries, texts = self._lacking(batch)
        if embeddings is not None:
            asked = [embeddings.embed_query(each) for each in queries]
            held = embeddings.embed_documents(texts) if texts else []
            self._note(batch, {"query": (queries, asked), "text": (texts, held)})
        return self._finish(batch)

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Carry out operations without holding up the loop."""
        batch, embeddings = await asyncio.to_thread(self._read, list(ops)), self.embeddings
        queries, texts = self._lacking(batch)
        if embeddings is not None:
            asked = await asyncio.gather(*(embeddings.aembed_query(each) for each in queries))
            held = await embeddings.aembed_documents(texts) if texts else []
            self._note(batch, {"query": (queries, asked), "text": (texts, held)})
        return await asyncio.to_thread(self._finish, batch)

    def sweep_ttl(self) -> int:
        """Let go of what has outlived its time; return how many there were."""
        return self.values.sweep()

    # -- how --------------------------------------------------------------------------------------

    def _read(self, ops: Iterable[Any]) -> _Batch:
        batch = _Batch()
        for at, op in enumerate(ops):
            result: Any = None
            if isinstance(op, GetOp):
                found = self.values.get(op.namespace, op.key, refresh=op.refresh_ttl)
                result = None if found is None else _item(found)
            elif isinstance(op, SearchOp):
                held = self.values.within(op.namespace_prefix)
                batch.searches[at] = (op, [e for e in held if matches(e.value, op.filter)])
            elif isinstance(op, ListNamespacesOp):
                result = self._namespaces(op)
            elif isinstance(op, PutOp):
                batch.puts[(op.namespace, op.key)] = op
            else:
                raise BadInput("adapter.store_cannot_do", type=type(op).__name__)
            batch.results.append(result)
        return batch

    def _finish(self, batch: _Batch) -> list[Any]:
        for at, (op, held) in batch.searches.items():
            shown = self._ranked(op, held, batch.vectors)[op.offset : op.offset + op.limit]
            if op.refresh_ttl:
                self.values.refresh(value for value, _ in shown)
            batch.results[at] = [_item(value, SearchItem, score=score) for value, score in shown]
        for op in batch.puts.values():
            if op.value is None:
                self.values.delete(op.namespace, op.key)
            else:
                self.values.put(op.namespace, op.key, op.value, ttl=op.ttl, index=op.index)
        return batch.results

    def _ranked(
        self, op: Any, held: list[StoredValue], vectors: Mapping[_Key, Any]
    ) -> list[tuple[StoredValue, float | None]]:
        """Return values best first; those without a score come last, as they were written."""
        if not op.query or not held:
            return [(each, None) for each in held]
        if self.embeddings is None:
            scores = self.values.ranked(held, op.namespace_prefix, op.query)
        else:
            scores = self._by_vector(op.query, held, vectors)
        scored = [(each, scores.get(each.document.memory.id)) for each in held]
        return sorted(scored, key=lambda pair: np.inf if pair[1] is None else -pair[1])

    def _by_vector(
        self, query: str, held: list[StoredValue], vectors: Mapping[_Key, Any]
    ) -> dict[str, float]:
        asked = vectors["query", query]
        return {
            each.document.memory.id: max(_cosine(asked, vectors["text", text]) for text in texts)
            for each in held
            if (texts := self._texts(each))
        }

    def _texts(self, value: StoredValue) -> list[str]:
        """Return the texts of a value that are to be found."""
        if value.index is False:
            return []
        fields = value.index if isinstance(value.index, list) else self._fields
        return [
            text
            for each in fields
            for text in get_text_at_path(value.value, "$" if each == "$" else tokenize_path(each))
        ]

    def _lacking(self, batch: _Batch) -> tuple[list[str], list[str]]:
        """Return the queries and texts whose vectors are not in mind; take the others along."""
        asked = [(op, held) for op, held in batch.searches.values() if op.query]
        if self.embeddings is None or not asked:
            return [], []
        queries = dict.fromkeys(op.query for op, _ in asked)
        texts = dict.fromkeys(t for _, held in asked for each in held for t in self._texts(each))
        wanted = [*(("query", each) for each in queries), *(("text", each) for each in texts)]
        with self._lock:
            for key in wanted:
                if key in self._vectors:
                    self._vectors.move_to_end(key)
                    batch.vectors[key] = self._vectors[key]
        return (
            [each for each in queries if ("query", each) not in batch.vectors],
            [each for each in texts if ("text", each) not in batch.vectors],
        )

    def _note(self, batch: _Batch, made: Mapping[str, tuple[Sequence[str], Sequence[Any]]]) -> None:
        fresh = {
            (what, text): np.asarray(vector, dtype=np.float64)
            for what, (texts, vectors) in made.items()
            for text, vector in zip(texts, vectors, strict=True)
        }
        batch.vectors |= fresh
        with self._lock:
            self._vectors.update(fresh)
            while len(self._vectors) > _MOST_VECTORS:
                self._vectors.popitem(last=False)

    def _namespaces(self, op: Any) -> list[tuple[str, ...]]:
        depth = op.max_depth
        found = {
            each.namespace if depth is None else each.namespace[:depth]
            for each in self.values.within()
            if all(
                is_like(each.namespace, asked.path, at_end=asked.match_type == "suffix")
                for asked in op.match_conditions or ()
            )
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _item(value: StoredValue, form: Any = Item, **more: Any) -> Any:
    return form(
        namespace=value.namespace,
        key=value.key,
        value=value.value,
        created_at=value.created_at,
        updated_at=value.updated_at,
        **more,
    )


def _cosine(one: Any, other: Any) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.dot(one, other)) / length if length else 0.0
