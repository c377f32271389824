"""What was said in this session first, then what is long remembered, each text once (seed B D3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from saegim.engines.vectors import cosine
from saegim.errors import EngineError
from saegim.memory.keys import canonical_key, normalise
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.recall.flow import recall
from saegim.recall.query import Query
from saegim.recall.score import Hit
from saegim.session.graph import SessionGraph
from saegim.session.limits import SessionSettings
from saegim.session.looking import checked_count
from saegim.session.node import admitted
from saegim.session.worth import rank_of, score_of
from saegim.store.where import Where

# A text longer than this is a document; its beginning says what it is about.
_GLANCE = 2000


@dataclass(frozen=True, slots=True)
class Recollected:
    """Something like the question: the id of a node (`session`) or of a memory (`agent`)."""

    id: str
    score: float
    sim: float
    text: str
    canonical_key: str
    source: Literal["session", "agent"]


def search(
    text: str,
    k: int,
    graph: SessionGraph | None,
    *,
    scope: Scope,
    mind: Mind,
    settings: SessionSettings,
) -> tuple[Recollected, ...]:
    """Return what is most like a text, best first; the session's own by a little before the rest.

    What is in both is told once, as the session's.
    """
    most = checked_count(k)
    if not isinstance(text, str) or not normalise(text):
        return ()
    words = admitted(text, "query")
    found: dict[str, Recollected] = {}
    for each in _long(words, most, scope, mind, settings):
        found.setdefault(each.canonical_key, each)
    for match in graph.search_similar_queries(words, most) if graph is not None else ():
        known = found.get(match.canonical_key)
        score = max(match.score, known.score if known else 0.0) + settings.bias
        found[match.canonical_key] = Recollected(
            match.id, score, match.sim, match.text, match.canonical_key, "session"
        )
    key = canonical_key(words)
    ranked = sorted(
        found.values(),
        key=lambda each: (each.canonical_key != key, -each.score, each.source != "session"),
    )
    return tuple(ranked[:most])


def _long(
    words: str, most: int, scope: Scope, mind: Mind, settings: SessionSettings
) -> list[Recollected]:
    """Return what the long memory holds, scored as the session's own queries are."""
    where = Where(scope=replace(scope, session=""))
    hits = recall(Query(text=words, where=where, limit=most), mind=mind).hits
    key, now = canonical_key(words), mind.now()
    found = []
    for hit, sim in zip(hits, _sims(words, hits, mind), strict=True):
        memory = hit.memory
        same = memory.canonical_key == key
        rank = rank_of(
            last_access=_last_access(memory),
            repeat=memory.worth.repeat,
            feedback=memory.worth.feedback,
            now=now,
            half_life=settings.long_half_life_minutes,
        )
        alike = 1.0 if same else max(round(sim, 6), 0.0)
        found.append(
            Recollected(
                memory.id,
                score_of(alike, rank),
                alike,
                memory.text,
                memory.canonical_key,
                "agent",
            )
        )
    return found


def _sims(words: str, hits: Sequence[Hit], mind: Mind) -> list[float]:
    """Return how like the question each hit is, measured as in the session: text against text.

    An embedder behind a server is not asked again; there the cosine of the recall stands.
    """
    if hits and mind.embedder.local:
        texts = [words, *(hit.memory.text[:_GLANCE] for hit in hits)]
        try:
            asked, *others = mind.embedder.embed(texts, "document")
            return [cosine(asked, each) for each in others]
        except EngineError:
            pass
    return [hit.vector for hit in hits]


def _last_access(memory: Memory) -> datetime:
    times = (memory.time.recorded_at, memory.worth.recalled_at, memory.worth.used_at)
    return max(each for each in times if each is not None)
